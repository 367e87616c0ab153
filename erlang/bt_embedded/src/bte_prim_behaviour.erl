%% @doc Primitives of `Behaviour', `Class' and `Metaclass': what can be asked of a class.
%%
%% The receiver is a class object or a metaclass; the first is about the instance side, the second
%% about the class side. Methods are those of the loaded code, so that what is answered here and
%% what a send does never differ; texts, docs and files come from the metadata.
-module(bte_prim_behaviour).

-export([name/1, superclass/1, all_superclasses/1, subclasses/1, all_subclasses/1]).
-export([methods/1, all_methods/1, includes_selector/2, can_understand/2]).
-export([which_class_includes_selector/2, method/2, field_names/1, all_field_names/1]).
-export([class_var_names/1, all_class_var_names/1, doc/1, doc_for_method/2, source_file/1]).
-export([set_doc/2, set_doc_for_method/3]).
-export([source/1, package_name/1, is_abstract/1, is_sealed/1, class_kind/1, conforms_to/2]).
-export([protocols/1, this_class/1, class_methods/1]).
-export([sides/1, by_name/1]).

-type behaviour_object() :: {'$class' | '$meta', bte_registry:identity()}.

%% @doc Answers the identity and the side of a class object or metaclass.
-spec sides(behaviour_object()) -> {bte_registry:identity(), instance | class}.
sides({'$class', C}) -> {C, instance};
sides({'$meta', C}) -> {C, class}.

%% @doc Answers the name.
-spec name(behaviour_object()) -> atom().
name(Self) -> bte_prim_string:as_symbol(bte_view:print(Self)).

%% @doc Answers the class above.
-spec superclass(behaviour_object()) -> behaviour_object() | nil.
superclass({'$class', C}) ->
    case bte_meta:info(C) of
        #{superclass := nil} -> nil;
        #{superclass := Super} -> {'$class', Super}
    end;
superclass({'$meta', C}) ->
    case bte_meta:info(C) of
        #{superclass := nil} -> {'$class', 'bt@stdlib@class'};
        #{superclass := Super} -> {'$meta', Super}
    end.

%% @doc Answers the classes above, nearest first.
-spec all_superclasses(behaviour_object()) -> [behaviour_object()].
all_superclasses(Self) ->
    case superclass(Self) of
        nil -> [];
        Super -> [Super | all_superclasses(Super)]
    end.

%% @doc Answers the classes directly below, by name.
-spec subclasses(behaviour_object()) -> [behaviour_object()].
subclasses({Tag, C}) ->
    by_name([{Tag, Sub} || Sub <- bte_registry:subclasses(C)]).

%% @doc Answers the classes below at any depth, by name.
-spec all_subclasses(behaviour_object()) -> [behaviour_object()].
all_subclasses({Tag, C}) ->
    by_name([
        {Tag, Sub}
     || Sub <- bte_registry:classes(), Sub =/= C, bte_registry:inherits(Sub, C)
    ]).

%% @doc Sorts class objects by their names.
-spec by_name([behaviour_object()]) -> [behaviour_object()].
by_name(Classes) ->
    [Class || {_, Class} <- lists:sort([{bte_view:print(Class), Class} || Class <- Classes])].

%% @doc Answers the selectors of the own methods.
-spec methods(behaviour_object()) -> [atom()].
methods(Self) ->
    {C, Side} = sides(Self),
    #{methods := #{Side := Selectors}} = bte_meta:info(C),
    lists:sort(Selectors).

%% @doc Answers the selectors of all methods.
-spec all_methods(behaviour_object()) -> [atom()].
all_methods(Self) ->
    lists:usort(lists:append([methods(B) || B <- [Self | all_superclasses(Self)]])).

%% @doc Tells whether the class has a method of its own.
-spec includes_selector(behaviour_object(), term()) -> boolean().
includes_selector(Self, Selector) ->
    lists:member(symbol(Self, 'includesSelector:', Selector), methods(Self)).

%% @doc Tells whether instances understand a selector.
-spec can_understand(behaviour_object(), term()) -> boolean().
can_understand(Self, Selector) ->
    {C, Side} = sides(Self),
    bte_send:understands(C, Side, symbol(Self, 'canUnderstand:', Selector)).

%% @doc Answers the class whose method would run.
-spec which_class_includes_selector(behaviour_object(), term()) -> behaviour_object() | nil.
which_class_includes_selector(Self, Selector) ->
    {C, Side} = sides(Self),
    case bte_send:implementor(C, Side, symbol(Self, 'whichClassIncludesSelector:', Selector)) of
        {Found, instance} -> {'$class', Found};
        {Found, class} -> {'$meta', Found};
        none -> nil
    end.

%% @doc Answers the method of the class itself, or nil.
-spec method(behaviour_object(), term()) -> map() | nil.
method(Self, Selector) ->
    case includes_selector(Self, symbol(Self, '>>', Selector)) of
        true -> compiled_method(Self, Selector);
        false -> nil
    end.

compiled_method(Self, Selector) ->
    Row = row(Self, Selector),
    #{
        '$class' => 'bt@stdlib@compiled_method',
        selector => Selector,
        methodClass => Self,
        source => source_of(Row),
        doc => doc_for_method(Self, Selector),
        file => maps:get(file, Row, nil),
        line => maps:get(line, Row, nil)
    }.

%% A method that was given as a block has no source.
source_of(Row) ->
    Source = maps:get(source, Row, nil),
    case bte_class_builder:is_stub(Source) of
        true -> nil;
        false -> Source
    end.

%% A generated accessor has no row.
row(Self, Selector) ->
    {C, Side} = sides(Self),
    Methods = maps:get(Side, bte_registry:methods(C), #{}),
    maps:get(atom_to_binary(Selector), Methods, #{}).

%% @doc Answers the names of the own fields.
-spec field_names(behaviour_object()) -> [atom()].
field_names({'$class', C}) -> maps:get(fields, bte_meta:info(C));
field_names({'$meta', C}) -> own_class_fields(C).

%% @doc Answers the names of all fields.
-spec all_field_names(behaviour_object()) -> [atom()].
all_field_names({'$class', C}) -> bte_object:fields(C);
all_field_names({'$meta', _} = Self) -> all_class_var_names(Self).

%% @doc Answers the names of the own class variables.
-spec class_var_names(behaviour_object()) -> [atom()].
class_var_names(Self) ->
    {C, _} = sides(Self),
    own_class_fields(C).

own_class_fields(C) ->
    [binary_to_existing_atom(F) || F <- maps:get(own_class_fields, head(C), [])].

%% @doc Answers the names of all class variables.
-spec all_class_var_names(behaviour_object()) -> [atom()].
all_class_var_names(Self) ->
    {C, _} = sides(Self),
    Line = lists:reverse([C | [Super || {'$class', Super} <- all_superclasses({'$class', C})]]),
    lists:append([own_class_fields(B) || B <- Line]).

%% @doc Answers the doc comment of the class.
-spec doc(behaviour_object()) -> binary() | nil.
doc(Self) ->
    {C, _} = sides(Self),
    case bte_docs:find(C, class) of
        {ok, Doc} -> Doc;
        error -> about(Self, doc, nil)
    end.

%% @doc Gives the class another doc comment, in memory only.
-spec set_doc(behaviour_object(), term()) -> behaviour_object().
set_doc(Self, Doc) when is_binary(Doc); Doc =:= nil ->
    {C, _} = sides(Self),
    ok = bte_docs:set(C, class, Doc),
    Self;
set_doc(Self, Other) ->
    bte_prim:type_error(Self, 'doc:', <<"String">>, Other).

%% @doc Answers the doc comment of a method.
-spec doc_for_method(behaviour_object(), term()) -> binary() | nil.
doc_for_method(Self, Selector) ->
    {C, Side} = sides(Self),
    Row = row(Self, symbol(Self, 'docForMethod:', Selector)),
    case bte_docs:find(C, {Side, Selector}) of
        {ok, Doc} -> Doc;
        error -> maps:get(doc, Row, nil)
    end.

%% @doc Gives a method of the class itself another doc comment, in memory only.
-spec set_doc_for_method(behaviour_object(), term(), term()) -> behaviour_object().
set_doc_for_method(Self, Selector, Doc) when is_binary(Doc); Doc =:= nil ->
    Message = 'setDocForMethod:to:',
    {C, Side} = sides(Self),
    case lists:member(symbol(Self, Message, Selector), methods(Self)) of
        true ->
            ok = bte_docs:set(C, {Side, Selector}, Doc),
            Self;
        false ->
            Text = [bte_view:print(Self), <<" does not define #">>, atom_to_binary(Selector)],
            bte_prim:not_found(selector_not_found, Self, Message, Text)
    end;
set_doc_for_method(Self, _, Other) ->
    bte_prim:type_error(Self, 'setDocForMethod:to:', <<"String">>, Other).
%% @doc Answers the file that defines the class, if a project or dependency has one.
-spec source_file(behaviour_object()) -> binary() | nil.
source_file(Self) ->
    case about(Self, origin, nil) of
        Origin when Origin =:= project; Origin =:= dependency -> about(Self, file, nil);
        _ -> nil
    end.

%% @doc Answers the text of the class's unit.
-spec source(behaviour_object()) -> binary() | nil.
source(Self) ->
    case bte_registry:read(unit, about(Self, file, <<>>)) of
        {ok, #{text := Text}} -> Text;
        error -> nil
    end.

%% @doc Answers the name of the package.
-spec package_name(behaviour_object()) -> binary() | nil.
package_name(Self) -> about(Self, package, nil).

%% @doc Tells whether the class is abstract.
-spec is_abstract(behaviour_object()) -> boolean().
is_abstract(Self) -> lists:member(abstract, about(Self, modifiers, [])).

%% @doc Tells whether the class is sealed.
-spec is_sealed(behaviour_object()) -> boolean().
is_sealed(Self) -> lists:member(sealed, about(Self, modifiers, [])).

%% @doc Answers the kind of the class.
-spec class_kind(behaviour_object()) -> object | value | actor.
class_kind(Self) ->
    {C, _} = sides(Self),
    maps:get(kind, bte_meta:info(C)).

about(Self, Key, Default) ->
    {C, _} = sides(Self),
    maps:get(Key, head(C), Default).

head(C) ->
    case bte_registry:class(C) of
        {ok, Head} -> Head;
        error -> #{}
    end.

%% @doc Tells whether instances have all that a protocol requires.
-spec conforms_to(behaviour_object(), term()) -> boolean().
conforms_to(Self, Protocol) ->
    Name = atom_to_binary(symbol(Self, 'conformsTo:', Protocol)),
    case requirements(Name, []) of
        {ok, Requirements} ->
            lists:all(fun(R) -> meets(Self, R) end, Requirements);
        error ->
            Message = [<<"protocol '">>, Name, <<"' not found">>],
            bte_prim:raise(not_found, Self, 'conformsTo:', Message, nil)
    end.

%% A protocol requires what those it extends require; one that extends itself is visited once.
requirements(Name, Seen) ->
    case {lists:member(Name, Seen), bte_registry:read(protocol, Name)} of
        {true, _} ->
            {ok, []};
        {false, {ok, #{requirements := Own} = Row}} ->
            {ok, Own ++ extended(maps:get(extending, Row, nil), [Name | Seen])};
        {false, error} ->
            error
    end.

extended(nil, _) ->
    [];
extended(Name, Seen) ->
    case requirements(Name, Seen) of
        {ok, Requirements} -> Requirements;
        error -> []
    end.

%% A selector that is no atom yet is the selector of no method.
meets(Self, #{selector := Selector, side := Side}) ->
    {C, _} = sides(Self),
    try
        Atom = binary_to_existing_atom(Selector),
        bte_send:understands(C, Side, Atom) orelse
            bte_send:understands(C, Side, 'doesNotUnderstand:args:')
    catch
        error:badarg -> false
    end.

%% @doc Answers the names of the protocols that instances conform to.
-spec protocols(behaviour_object()) -> [atom()].
protocols(Self) ->
    Names = [binary_to_atom(Name) || Name <- bte_registry:keys(protocol)],
    [Name || Name <- lists:sort(Names), conforms_to(Self, Name)].

%% @doc Answers the class of a metaclass.
-spec this_class(behaviour_object()) -> behaviour_object().
this_class({'$meta', C}) -> {'$class', C}.

%% @doc Answers the selectors of the class side, without those of `Class' itself.
-spec class_methods(behaviour_object()) -> [atom()].
class_methods(Self) ->
    Metas = [B || {'$meta', _} = B <- [Self | all_superclasses(Self)]],
    lists:usort(lists:append([methods(B) || B <- Metas])).

symbol(_, _, Selector) when is_atom(Selector) -> Selector;
symbol(Self, Message, Other) -> bte_prim:type_error(Self, Message, <<"Symbol">>, Other).
