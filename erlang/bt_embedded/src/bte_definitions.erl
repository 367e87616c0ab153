%% @doc Applies the units of a change to a world: who bears which name, which class has which
%% superclass, kind and fields, which extensions there are. Answers which classes must be generated
%% again. Pure but for reading the registry; collects all errors. Tested by `bte_compiler_SUITE'.
-module(bte_definitions).

-export([apply_change/3]).
-export_type([parsed/0, result/0, problem/0]).

%% Characters of a class's name: it is a Symbol, and an atom holds 255. The generator asks the same
%% of selectors and fields (`MAX_NAME' in native/bt_codegen, where the reason stands).
-define(MAX_NAME, 240).

-type parsed() :: #{
    file := binary(),
    text := binary() | deleted,
    package := binary(),
    origin := project | dependency | stdlib | prompt | orphan,
    names_only := boolean(),
    unit := term(),
    outline := map(),
    packed := bte_packed:packed(),
    _ => _
}.
-type result() :: #{
    world := bte_world:world(),
    affected := [bte_registry:identity()],
    removed := [bte_registry:identity()],
    renamed := [{bte_registry:identity(), Old :: binary(), New :: binary()}],
    names_only := #{File :: binary() => boolean()}
}.
-type problem() :: map().

-record(ctx, {
    before :: bte_world:world(),
    world :: bte_world:world(),
    names :: [{class, binary(), binary()}],
    old = #{} :: #{{Package :: binary(), Name :: binary()} => bte_registry:identity()},
    defined = [] :: [{bte_registry:identity(), parsed(), map()}],
    targets = [] :: [bte_registry:identity()],
    problems = [] :: [problem()]
}).

%% @doc Applies parsed units and the names of a change.
-spec apply_change([parsed()], [{class, binary(), binary()}], bte_world:world()) ->
    {ok, result()} | {error, [problem()]}.
apply_change(All, Names, World) ->
    {Former, Units} = lists:partition(fun(#{origin := Origin}) -> Origin =:= orphan end, All),
    Steps = [
        fun take_out/2, fun put_in/2, fun superclasses/2, fun seals/2, fun extensions/2,
        fun removals/2
    ],
    Ctx0 = lists:foldl(fun former/2, #ctx{before = World, world = World, names = Names}, Former),
    Ctx = lists:foldl(fun(Step, Ctx) -> Step(Units, Ctx) end, Ctx0, Steps),
    case Ctx#ctx.problems of
        [] ->
            shapes(Units, Ctx);
        Problems ->
            {error, lists:sort(fun is_before/2, Problems)}
    end.

is_before(#{file := F1, line := L1}, #{file := F2, line := L2}) -> {F1, L1} =< {F2, L2}.

%% The text of a former method defines nothing; its class is generated again.
former(#{file := File, text := Text, unit := Unit, outline := Outline}, Ctx) ->
    #ctx{world = World, targets = Targets} = Ctx,
    {ok, #{former := #{identity := Identity}} = Row} = bte_world:read(World, unit, File),
    New = Row#{
        text := Text, digest := btr_project:digest(Text), unit := Unit,
        outline := bte_packed:pack(Outline)
    },
    Ctx#ctx{world = bte_world:write(World, unit, File, New), targets = [Identity | Targets]}.

%% Everything the old texts declared goes, so that a name may move from file to file.
take_out(Units, Ctx) ->
    lists:foldl(fun take_out_unit/2, Ctx, Units).

take_out_unit(#{file := File}, #ctx{world = World} = Ctx) ->
    case bte_world:read(World, unit, File) of
        {ok, #{package := Package} = Row} ->
            Outline = bte_packed:outline(Row),
            Ctx1 = lists:foldl(
                fun(C, Acc) -> take_out_class(Package, C, Acc) end,
                Ctx,
                maps:get(classes, Outline)
            ),
            Ctx2 = take_out_names(Package, File, Outline, Ctx1),
            take_out_extensions(File, Outline, Ctx2#ctx{
                world = bte_world:delete(Ctx2#ctx.world, unit, File)
            });
        error ->
            Ctx
    end.

take_out_class(Package, #{name := Name}, #ctx{world = World, old = Old} = Ctx) ->
    case find_bearer(World, Name, {class, Package}) of
        {ok, Identity} ->
            Next = drop_bearer(World, Name, {class, Package, Identity}),
            Ctx#ctx{
                world = bte_world:delete(Next, class, Identity),
                old = Old#{{Package, Name} => Identity}
            };
        error ->
            Ctx
    end.

take_out_names(Package, File, #{protocols := Protocols, aliases := Aliases}, Ctx) ->
    Gone =
        [{protocol, Name} || #{name := Name} <- Protocols] ++
            [{alias, Name} || #{name := Name} <- Aliases],
    World = lists:foldl(
        fun({Kind, Name}, W) ->
            bte_world:delete(drop_bearer(W, Name, {Kind, Package, File}), Kind, Name)
        end,
        Ctx#ctx.world,
        Gone
    ),
    Ctx#ctx{world = World}.

take_out_extensions(File, #{extensions := Extensions}, Ctx) ->
    lists:foldl(
        fun(#{target := Target}, Acc) ->
            Rows = [E || E <- ext_rows(Acc#ctx.world, Target), maps:get(file, E) =/= File],
            Next = write_ext(Acc#ctx.world, Target, Rows),
            add_target(Acc#ctx.before, Target, File, Acc#ctx{world = Next})
        end,
        Ctx,
        Extensions
    ).

%% A target that an old extension had is compiled again without it.
add_target(World, Target, File, #ctx{targets = Targets} = Ctx) ->
    {ok, #{package := Package}} = bte_world:read(World, unit, File),
    case bte_world:lookup(World, Target, Package) of
        {ok, Identity} -> Ctx#ctx{targets = [Identity | Targets]};
        error -> Ctx
    end.

%% The new declarations.
put_in(Units, Ctx) ->
    lists:foldl(fun put_in_unit/2, Ctx, Units).

put_in_unit(#{text := deleted}, Ctx) ->
    Ctx;
put_in_unit(#{file := File, outline := Outline} = Parsed, Ctx0) ->
    #{classes := Classes, protocols := Protocols, aliases := Aliases} = Outline,
    Ctx1 = Ctx0#ctx{world = bte_world:write(Ctx0#ctx.world, unit, File, unit_row(Parsed, Ctx0))},
    Ctx2 = lists:foldl(fun(C, Acc) -> put_in_class(Parsed, C, Acc) end, Ctx1, Classes),
    Ctx3 = lists:foldl(fun(P, Acc) -> put_in_name(protocol, Parsed, P, Acc) end, Ctx2, Protocols),
    lists:foldl(fun(A, Acc) -> put_in_name(alias, Parsed, A, Acc) end, Ctx3, Aliases).

unit_row(#{file := File, text := Text, packed := Packed} = Parsed, #ctx{before = Before}) ->
    Digest = btr_project:digest(Text),
    Old = bte_world:read(Before, unit, File),
    Base =
        case {Parsed, Old} of
            {#{base_digest := Given}, _} -> Given;
            {_, {ok, #{base_digest := Kept}}} -> Kept;
            {_, error} -> absent
        end,
    Now = Parsed#{digest => Digest, base_digest => Base, outline := Packed},
    Row = maps:with([text, package, origin, unit, outline, digest, base_digest], Now),
    Row#{patched => bte_patches:marks(Now, Old)}.

put_in_name(Kind, #{package := Package, file := File} = Parsed, #{name := Name} = Item, Ctx0) ->
    Ctx = check_free(Parsed, Item, Ctx0),
    World = add_bearer(Ctx#ctx.world, Name, {Kind, Package, File}),
    Row = Item#{file => File, package => Package},
    Ctx#ctx{world = bte_world:write(World, Kind, Name, Row)}.

put_in_class(#{package := Package} = Parsed, #{name := Name} = Class, Ctx0) ->
    Ctx = check_free(Parsed, Class, Ctx0),
    Identity = identity(Parsed, Name, Ctx),
    World = add_bearer(Ctx#ctx.world, Name, {class, Package, Identity}),
    Ctx#ctx{
        world = bte_world:write(World, class, Identity, head(Identity, Parsed, Class)),
        defined = [{Identity, Parsed, Class} | Ctx#ctx.defined]
    }.

head(Identity, #{file := File, package := Package, origin := Origin}, Class) ->
    Fields = maps:get(fields, Class),
    ClassFields = [F || #{kind := class_state, name := F} <- Fields],
    (maps:with([name, modifiers, doc, line, type_params, native, span, name_span], Class))#{
        identity => Identity,
        file => File,
        package => Package,
        origin => Origin,
        superclass => nil,
        kind => object,
        own_fields => [F || #{kind := K, name := F} <- Fields, K =/= class_state],
        own_class_fields => ClassFields
    }.

check_free(#{package := Package} = Parsed, #{name := Name} = Item, #ctx{world = World} = Ctx) ->
    Taken = [B || {Kind, P, _} = B <- bearers(World, Name), Kind =/= vacant, is_clash(P, Package)],
    case {Taken, Name} of
        {[Bearer | _], _} -> problem(taken(Parsed, Item, Bearer, World), Ctx);
        {[], _} when byte_size(Name) > ?MAX_NAME -> problem(long(Parsed, Item), Ctx);
        {[], <<C, _/binary>>} when C >= $A, C =< $Z -> Ctx;
        {[], _} -> problem(small(Parsed, Item), Ctx)
    end.

long(Parsed, Item) ->
    place(Parsed, Item, #{
        code => <<"name.invalid">>,
        message => iolist_to_binary(
            io_lib:format("the name of a class has more than ~b characters", [?MAX_NAME])
        ),
        hint => <<"Choose a name such as Tally.">>
    }).

%% What does not read as a class could be named nowhere.
small(Parsed, #{name := Name} = Item) ->
    place(Parsed, Item, #{
        code => <<"name.invalid">>,
        message => <<"the name ", Name/binary, " does not start with a capital letter">>,
        hint => <<"Choose a name such as Tally.">>
    }).

is_clash(Package, Package) -> true;
is_clash(<<"stdlib">>, _) -> true;
is_clash(_, _) -> false.

taken(Parsed, #{name := Name} = Item, {Kind, Package, Where}, World) ->
    place(Parsed, Item, #{
        code => <<"name.taken">>,
        message => iolist_to_binary([
            <<"the name ">>, Name, <<" is taken by the ">>, atom_to_binary(Kind), <<" in ">>,
            bearer_place(Kind, Where, World), <<" of package ">>, Package
        ]),
        hint => <<"Choose another name, or remove or rename the existing one first.">>
    }).

bearer_place(class, Identity, World) ->
    case bte_world:read(World, class, Identity) of
        {ok, #{file := File, line := Line}} -> [File, $:, integer_to_binary(Line)];
        error -> atom_to_binary(Identity)
    end;
bearer_place(_, File, _) ->
    File.

%% The identity of a class: of the one it is renamed from, else the one it has had, else that of a
%% class that bore its name and is gone, else a new one.
identity(#{package := Package} = Parsed, Name, #ctx{world = World, names = Names, old = Old}) ->
    Former = [maps:get({Package, O}, Old) || {class, O, N} <- Names, N =:= Name,
        is_map_key({Package, O}, Old)],
    case {Former, Old} of
        {[Identity | _], _} -> Identity;
        {[], #{{Package, Name} := Identity}} -> Identity;
        {[], _} -> vacant_or_new(Parsed, Name, World)
    end.

vacant_or_new(#{package := Package} = Parsed, Name, World) ->
    case find_bearer(World, Name, {vacant, Package}) of
        {ok, Identity} ->
            case is_in_use(World, Identity) of
                true -> bte_identity:mint(Parsed, Name, fun(I) -> is_in_use(World, I) end);
                false -> Identity
            end;
        error ->
            bte_identity:mint(Parsed, Name, fun(I) -> is_in_use(World, I) end)
    end.

%% An identity that the change took out is in use as well: its class may come back renamed.
is_in_use(World, Identity) ->
    bte_world:read(World, class, Identity) =/= error orelse
        bte_registry:class(Identity, bte_world:generation(World)) =/= error.

%% Superclasses, when all names are known.
superclasses(_, #ctx{defined = Defined} = Ctx) ->
    lists:foldl(fun superclass/2, Ctx, lists:reverse(Defined)).

superclass({Identity, Parsed, #{superclass := Name} = Class}, #ctx{world = World} = Ctx) ->
    case resolve_superclass(Name, maps:get(superclass_package, Class, nil), Parsed, World) of
        {ok, Super} ->
            {ok, Head} = bte_world:read(World, class, Identity),
            Ctx#ctx{world = bte_world:write(World, class, Identity, Head#{superclass := Super})};
        error ->
            problem(
                place(Parsed, Class, #{
                    code => <<"class.not_found">>,
                    message => <<"superclass ", Name/binary, " not found">>,
                    hint => <<"Load the file that defines it, or check the spelling.">>
                }),
                Ctx
            )
    end.

seals(_, #ctx{defined = Defined, before = Before, world = World} = Ctx) ->
    lists:foldl(
        fun({Unit, Item, Problem}, Acc) -> problem(place(Unit, Item, Problem), Acc) end,
        Ctx,
        bte_sealed:problems(Defined, World) ++ bte_in_line:problems(Defined, Before)
    ).

resolve_superclass(nil, _, _, _) -> {ok, nil};
resolve_superclass(Name, nil, #{package := Package}, World) ->
    bte_world:lookup(World, Name, Package);
resolve_superclass(Name, Package, _, World) ->
    bte_world:lookup(World, <<Package/binary, "@", Name/binary>>, nil).

%% Extensions, by the name of their target.
extensions(Units, Ctx) ->
    lists:foldl(fun unit_extensions/2, Ctx, Units).

unit_extensions(#{text := deleted}, Ctx) ->
    Ctx;
unit_extensions(#{outline := #{extensions := Extensions}} = Parsed, Ctx) ->
    lists:foldl(fun(E, Acc) -> extension(Parsed, E, Acc) end, Ctx, Extensions).

extension(#{package := Owner} = Parsed, #{target := Target} = Item, #ctx{world = World} = Ctx) ->
    case resolve_superclass(Target, maps:get(package, Item, nil), Parsed, World) of
        {ok, Identity} ->
            Row = extension_row(Parsed, Item),
            Others = ext_rows(World, Target),
            case [E || E <- Others, is_same_method(E, Row), maps:get(owner, E) =:= Owner] of
                [] ->
                    Ctx#ctx{
                        world = write_ext(World, Target, Others ++ [Row]),
                        targets = [Identity | Ctx#ctx.targets]
                    };
                [Other | _] ->
                    problem(twice(Parsed, Item, Other), Ctx)
            end;
        error ->
            problem(
                place(Parsed, Item, #{
                    code => <<"class.not_found">>,
                    message => <<"the extended class ", Target/binary, " is not found">>,
                    hint => <<"Load the file that defines it, or check the spelling.">>
                }),
                Ctx
            )
    end.

extension_row(#{file := File, package := Owner}, Item) ->
    (maps:with([target, side, selector, params, doc, span, name_spans, line, source], Item))#{
        target_package => maps:get(package, Item, nil), file => File, owner => Owner
    }.

is_same_method(#{side := Side, selector := Selector}, #{side := Side, selector := Selector}) ->
    true;
is_same_method(_, _) ->
    false.

twice(Parsed, #{target := Target, selector := Selector} = Item, #{file := File, line := Line}) ->
    place(Parsed, Item, #{
        code => <<"extension.duplicate">>,
        message => iolist_to_binary([
            Target, <<">>">>, Selector, <<" is already an extension in ">>, File, $:,
            integer_to_binary(Line)
        ]),
        hint => <<"Keep one of the two.">>
    }).

%% Classes that no text defines any more. Their names are vacant.
removals(_, #ctx{old = Old, defined = Defined} = Ctx) ->
    Kept = [Identity || {Identity, _, _} <- Defined],
    Left = [{Key, I} || {Key, I} <- lists:sort(maps:to_list(Old)), not lists:member(I, Kept)],
    lists:foldl(fun removal/2, Ctx, Left).

removal({{Package, Name}, Identity}, #ctx{world = World, before = Before} = Ctx) ->
    case [C || C <- bte_world:keys(World, class), has_superclass(World, C, Identity)] of
        [] ->
            Next = add_bearer(World, Name, {vacant, Package, Identity}),
            Ctx#ctx{world = bte_world:delete(Next, methods, Identity)};
        Subclasses ->
            {ok, #{file := File, line := Line}} = bte_world:read(Before, class, Identity),
            Names = [maps:get(name, Head) || C <- Subclasses,
                {ok, Head} <- [bte_world:read(World, class, C)]],
            problem(
                #{
                    code => <<"class.has_subclasses">>,
                    file => File,
                    line => Line,
                    col => 1,
                    message => <<"cannot remove class ", Name/binary, ": it has subclasses">>,
                    hint => iolist_to_binary([
                        <<"Remove subclasses first: ">>, lists:join(<<", ">>, Names)
                    ])
                },
                Ctx
            )
    end.

has_superclass(World, C, Identity) ->
    case bte_world:read(World, class, C) of
        {ok, #{superclass := Super}} -> Super =:= Identity;
        error -> false
    end.

%% Kinds and fields, and who is affected.
shapes(Units, #ctx{defined = Defined, world = World0, targets = Targets, old = Old} = Ctx) ->
    Identities = lists:usort([Identity || {Identity, _, _} <- Defined]),
    case bte_shapes:update(World0, Ctx#ctx.before, Identities) of
        {ok, World, Below} ->
            Removed = lists:usort(maps:values(Old)) -- Identities,
            Late = [I || I <- waiting(Ctx), bte_world:read(World, class, I) =/= error],
            Extended = [I || I <- Targets, bte_world:read(World, class, I) =/= error],
            {ok, #{
                world => World,
                affected => lists:usort(Identities ++ Below ++ Late ++ Extended),
                removed => Removed,
                renamed => renamed(Ctx),
                names_only => maps:from_list([{F, N} || #{file := F, names_only := N} <- Units])
            }};
        {error, Cycles} ->
            {error, [cycle(Identity, Defined) || Identity <- Cycles]}
    end.

%% Classes whose code looks a name up when it is run, now that there is a class of that name.
waiting(#ctx{defined = Defined, old = Old, before = Before}) ->
    New = [Name || {_, #{package := Package}, #{name := Name}} <- Defined,
        not is_map_key({Package, Name}, Old)],
    lists:append([Holders || Name <- New, {ok, Holders} <- [bte_world:read(Before, late, Name)]]).

renamed(#ctx{names = Names, old = Old, defined = Defined}) ->
    [{Identity, O, N} || {class, O, N} <- Names,
        {Identity, #{package := P}, #{name := Name}} <- Defined,
        Name =:= N, maps:get({P, O}, Old, none) =:= Identity].

cycle(Identity, Defined) ->
    {_, Parsed, Class} = lists:keyfind(Identity, 1, Defined),
    place(Parsed, Class, #{
        code => <<"class.cycle">>,
        message => <<"class ", (maps:get(name, Class))/binary, " is its own ancestor">>,
        hint => <<"Give one class of the circle another superclass.">>
    }).

%% Rows.

bearers(World, Name) ->
    case bte_world:read(World, name, Name) of
        {ok, Bearers} -> Bearers;
        error -> []
    end.

find_bearer(World, Name, {Kind, Package}) ->
    case [I || {K, P, I} <- bearers(World, Name), K =:= Kind, P =:= Package] of
        [Identity | _] -> {ok, Identity};
        [] -> error
    end.

add_bearer(World, Name, {_, Package, _} = Bearer) ->
    Others = [B || {K, P, _} = B <- bearers(World, Name), {K, P} =/= {vacant, Package}],
    bte_world:write(World, name, Name, Others ++ [Bearer]).

drop_bearer(World, Name, Bearer) ->
    case lists:delete(Bearer, bearers(World, Name)) of
        [] -> bte_world:delete(World, name, Name);
        Others -> bte_world:write(World, name, Name, Others)
    end.

ext_rows(World, Target) ->
    case bte_world:read(World, ext, Target) of
        {ok, Rows} -> Rows;
        error -> []
    end.

write_ext(World, Target, []) -> bte_world:delete(World, ext, Target);
write_ext(World, Target, Rows) -> bte_world:write(World, ext, Target, Rows).

problem(Problem, #ctx{problems = Problems} = Ctx) ->
    Ctx#ctx{problems = [Problem | Problems]}.

place(#{file := File, text := Text}, Item, Details) ->
    {Start, _} = Span = span(Item),
    {Line, Col} = btr_project:place(Text, Start),
    Details#{file => File, span => Span, line => Line, col => Col}.

span(#{name_span := Span}) -> Span;
span(#{name_spans := [Span | _]}) -> Span;
span(#{span := Span}) -> Span.
