%% @doc From a class of a world to its abstract forms: collects what the generator wants to know
%% (names, fields, extensions, block ids) and asks it. Answers the forms with a digest; two equal
%% digests are equal code, in whatever generation it is compiled. A request holds no world, so that
%% it can be handed to another process.
%% Tested by `bte_compiler_SUITE'.
-module(bte_codegen).

-export([request/2, ask/2, class/3, methods/2, loaded/2, former/4, former_context/2]).
-export([tombstone/2]).
-export_type([generated/0, request/0, context/0]).

-type generated() :: #{
    identity := bte_registry:identity(),
    output := bte_generated:output(),
    digest := binary(),
    generation := non_neg_integer(),
    block_ids := map(),
    late := [binary()],
    methods := bte_packed:packed(),
    warnings := [map()],
    shape := term(),
    drains := [map()]
}.
%% `late': of code that is loaded already, the names that it looks up when it is run.
-type context() :: #{
    world := bte_world:world(), before := bte_world:world(), names_only := map(), drains := map(),
    late => [binary()]
}.
-opaque request() :: #{
    identity := bte_registry:identity(), file := binary(), line := pos_integer(), shape := term(),
    unit := btr_nif:unit(), options := map(), texts := texts()
}.
%% Where the methods of a class stand: in the outline of its unit, and in extensions.
-type texts() :: {Head :: map(), Unit :: map(), Extensions :: [map()]}.

%% @doc Generates the forms of a class in a world, as compiled in a generation.
-spec class(bte_registry:identity(), non_neg_integer(), context()) ->
    {ok, generated()} | {error, [map()]}.
class(Identity, Gen, Context) ->
    ask(request(Identity, Context), Gen).

%% @doc Collects what the generator wants to know of a class.
-spec request(bte_registry:identity(), context()) -> request().
request(Identity, #{world := World, drains := Drains} = Context) ->
    {ok, #{file := File, line := Line} = Head} = bte_world:read(World, class, Identity),
    {ok, #{unit := Unit} = Row} = bte_world:read(World, unit, File),
    Extensions = extensions(Head, World),
    Options = (about(Identity, Head))#{
        class => maps:get(name, Head),
        file => File,
        names => names(Head, Extensions, Context),
        extensions => [extension_option(E, World) || E <- Extensions],
        block_ids => bte_block_ids:kept(Identity, Context),
        drains => maps:get(Identity, Drains, []),
        stdlib => maps:get(origin, Head) =:= stdlib
    },
    #{
        identity => Identity, file => File, line => Line, shape => bte_shapes:shape(Head),
        unit => Unit, options => Options, texts => texts(Head, Row, Extensions)
    }.

about(Identity, Head) ->
    #{
        identity => atom_to_binary(Identity),
        superclass => super(Head),
        kind => maps:get(kind, Head),
        class_state => maps:get(class_fields, Head) =/= [],
        fields => maps:get(fields, Head),
        class_fields => maps:get(class_fields, Head)
    }.

%% @doc Asks the generator, as compiled in a generation.
-spec ask(request(), non_neg_integer()) -> {ok, generated()} | {error, [map()]}.
ask(#{unit := Unit, options := Options} = Request, Gen) ->
    case bte_generated:codegen(Unit, Options#{generation => Gen}) of
        {ok, Output} -> {ok, generated(Request, Gen, Output)};
        {error, {btr, _, #{errors := Errors}}} -> {error, Errors};
        {error, {btr, Code, Details}} -> {error, [failure(Code, Details, Request)]}
    end.

failure(Code, Details, #{file := File, line := Line}) ->
    #{
        file => File,
        line => Line,
        col => 1,
        code => Code,
        message => maps:get(message, Details, Code)
    }.

generated(#{identity := Identity, shape := Shape, options := Options} = Request, Gen, Output) ->
    #{digest := Digest, block_ids := Ids, selectors := Selectors} = Output,
    #{
        identity => Identity,
        output => Output,
        digest => btr_nif:digest(<<Digest/binary, (term_to_binary(Shape))/binary>>),
        generation => Gen,
        block_ids => Ids,
        late => lists:usort([late_name(L) || L <- maps:get(late, Output)]),
        methods => bte_packed:pack(with_generated(in_texts(maps:get(texts, Request)), Selectors)),
        warnings => maps:get(warnings, Output, []),
        shape => Shape,
        drains => maps:get(drains, Options)
    }.

late_name({_, Name}) -> Name;
late_name(Name) -> Name.

super(#{superclass := nil}) -> nil;
super(#{superclass := Super}) -> atom_to_binary(Super).

%% The extensions that count, in the order they are put in: of several for one method the last.
extensions(#{identity := Identity, name := Name} = Head, World) ->
    Rows =
        case bte_world:read(World, ext, Name) of
            {ok, All} -> [E || E <- All, is_meant(E, Identity, Head, World)];
            error -> []
        end,
    last_of_each(lists:reverse(Rows), #{}, []).

last_of_each([], _, Acc) ->
    Acc;
last_of_each([#{side := Side, selector := Selector} = E | Rows], Seen, Acc) ->
    case Seen of
        #{{Side, Selector} := true} -> last_of_each(Rows, Seen, Acc);
        _ -> last_of_each(Rows, Seen#{{Side, Selector} => true}, [E | Acc])
    end.

is_meant(#{target_package := nil, owner := Owner}, Identity, #{name := Name}, World) ->
    bte_world:lookup(World, Name, Owner) =:= {ok, Identity};
is_meant(#{target_package := Package}, _, #{package := Package}, _) ->
    true;
is_meant(_, _, _, _) ->
    false.

extension_option(#{file := File, name_spans := [Span | _]}, World) ->
    {ok, #{unit := Unit}} = bte_world:read(World, unit, File),
    {Unit, File, Span}.

%% What the names in the class's unit, and in those of its extensions, stand for.
names(#{file := File}, Extensions, Context) ->
    Files = [File | [F || #{file := F} <- Extensions]],
    Each = [unit_names(F, Context) || F <- lists:usort(Files), F =/= File],
    maps:merge(lists:foldl(fun maps:merge/2, #{}, Each), unit_names(File, Context)).

unit_names(File, #{world := World} = Context) ->
    {ok, #{package := Package} = Row} = bte_world:read(World, unit, File),
    #{references := References} = bte_packed:outline(Row),
    case Context of
        #{late := Late} -> bte_names:resolve_loaded(References, Package, Late, World);
        _ -> bte_names:resolve(References, Package, World)
    end.

%% @doc Answers the methods of a class that have a text: its own, and extensions.
-spec methods(bte_registry:identity(), bte_world:world()) ->
    #{instance | class => #{binary() => map()}}.
methods(Identity, World) ->
    {ok, #{file := File} = Head} = bte_world:read(World, class, Identity),
    {ok, Row} = bte_world:read(World, unit, File),
    in_texts(texts(Head, Row, extensions(Head, World))).

texts(Head, Row, Extensions) ->
    {maps:with([name, file, package], Head), maps:with([outline], Row), Extensions}.

in_texts({#{name := Name, file := File, package := Package}, Unit, Extensions}) ->
    #{classes := Classes} = bte_packed:outline(Unit),
    Own = lists:append([maps:get(methods, C) || #{name := N} = C <- Classes, N =:= Name]),
    Rows =
        [M#{provenance => own, file => File, owner => Package} || M <- Own] ++
            [E#{provenance => extension} || E <- Extensions],
    lists:foldl(
        fun(#{side := Side, selector := Selector} = M, #{instance := _} = Acc) ->
            Methods = maps:get(Side, Acc),
            Acc#{Side := Methods#{Selector => maps:without([name_spans], M)}}
        end,
        #{instance => #{}, class => #{}},
        Rows
    ).

%% With the members that have no text.
with_generated(Methods, Selectors) ->
    maps:map(
        fun(Side, Own) ->
            lists:foldl(fun(S, Acc) -> add_generated(S, Acc) end, Own, maps:get(Side, Selectors))
        end,
        Methods
    ).

add_generated(Selector, Own) when is_map_key(Selector, Own) ->
    Own;
add_generated(Selector, Own) ->
    Own#{Selector => #{selector => Selector, provenance => generated, source => nil, doc => nil}}.

%% @doc Answers what of a class its former methods are compiled with, whatever becomes of it.
-spec former_context(bte_registry:identity(), bte_world:world()) -> map().
former_context(Identity, World) ->
    {ok, Head} = bte_world:read(World, class, Identity),
    about(Identity, Head).

%% @doc Generates the loaded code of a class again, from what a world says that it was made of.
-spec loaded(bte_registry:identity(), bte_world:world()) -> {ok, generated()} | {error, [map()]}.
loaded(Identity, World) ->
    {ok, #{generation := Gen, drains := Drains, late := Late}} =
        bte_world:read(World, code, Identity),
    class(Identity, Gen, #{
        world => World, before => World, names_only => #{}, drains => #{Identity => Drains},
        late => Late
    }).

%% @doc Answers the forms of a class that has nothing but a former method, in the context of its
%% time; the names in its text mean what they mean in a world. A text that is not one method of an
%% extension has no forms.
-spec former(File :: binary(), Row :: map(), non_neg_integer(), bte_world:world()) ->
    {ok, [term()]} | {error, [map()]}.
former(File, Row, Gen, World) ->
    case bte_packed:outline(Row) of
        #{extensions := [#{name_spans := [Span | _], line := Line}], references := References} ->
            former(File, Row, {Span, Line, References}, Gen, World);
        _ ->
            {error, []}
    end.

former(File, #{unit := Unit, package := Package} = Row, {Span, Line, References}, Gen, World) ->
    #{former := #{side := Side, selector := Selector, ids := Ids} = Former} = Row,
    #{context := Context, late := Late} = Former,
    {ok, Alone} = btr_nif:parse(<<"Object subclass: Alone\n">>),
    Options = Context#{
        class => <<"Alone">>,
        file => File,
        names => bte_names:resolve_loaded(References, Package, Late, World),
        extensions => [{Unit, File, Span}],
        block_ids => #{next => 0, methods => #{{Side, Selector} => Ids}},
        drains => [],
        stdlib => false,
        generation => Gen
    },
    case btr_nif:codegen_class(Alone, Options) of
        {ok, #{forms := Forms}} -> {ok, bte_generated:forms(Forms)};
        {error, {btr, _, #{errors := Errors}}} -> {error, Errors};
        {error, {btr, Code, Details}} ->
            {error, [failure(Code, Details, #{file => File, line => Line})]}
    end.

%% @doc Forms of what stands in place of a removed class: everything raises `class_not_found'.
-spec tombstone(bte_registry:identity(), non_neg_integer()) -> [term()].
tombstone(Identity, Gen) ->
    Info = #{
        identity => Identity,
        superclass => nil,
        kind => object,
        generation => Gen,
        fields => [],
        modifiers => [],
        removed => true,
        methods => #{instance => [], class => []}
    },
    Told = [{atom, 1, '$info'} | lists:duplicate(5, {var, 1, '_'})],
    About = {clause, 1, Told, [], [erl_parse:abstract(Info, 1)]},
    Functions = [{i, 6, []}, {c, 6, [About]}, {b, 5, []}],
    [
        {attribute, 1, module, Identity},
        {attribute, 1, export, [{F, A} || {F, A, _} <- Functions]}
    ] ++ [{function, 1, F, A, Clauses ++ [raising(Identity, A)]} || {F, A, Clauses} <- Functions].

raising(Identity, Arity) ->
    Call =
        {call, 1, {remote, 1, {atom, 1, bte_error}, {atom, 1, removed}}, [{atom, 1, Identity}]},
    {clause, 1, lists:duplicate(Arity, {var, 1, '_'}), [], [Call]}.
