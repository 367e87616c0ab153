%% @doc What `Workspace flush: filter' takes for a filter, as a test on entries of the log.
%%
%% A class or a capitalized Symbol or a String: changes of that class (also under its old name). A
%% Symbol of a kind: changes of that kind. Another Symbol: changes of that selector. A Dictionary
%% with the key `#file': changes of that file. Pure. Tested by `bte_library_SUITE'.
-module(bte_flush_filter).

-export([of_value/2, of_kinds/2]).

-type filter() :: fun((map()) -> boolean()).

%% @doc Answers the test for a filter value; anything else raises `type_error'.
-spec of_value(term(), term()) -> filter().
of_value(_, {Tag, C}) when Tag =:= '$class'; Tag =:= '$meta' ->
    of_class(bte_registry:name_of(C));
of_value(_, Symbol) when is_atom(Symbol), Symbol =/= nil, not is_boolean(Symbol) ->
    of_symbol(atom_to_binary(Symbol));
of_value(_, Name) when is_binary(Name) ->
    of_class(Name);
of_value(_, #{file := File}) when is_binary(File) ->
    of_file(File);
of_value(Self, Other) ->
    bte_prim:type_error(Self, 'flush:', <<"class, Symbol, String or Dictionary">>, Other).

of_symbol(<<C, _/binary>> = Name) when C >= $A, C =< $Z ->
    of_class(Name);
of_symbol(Name) ->
    case lists:member(Name, kinds()) of
        true -> fun(#{kind := Kind}) -> text(Kind) =:= Name end;
        false -> fun(E) -> text(maps:get(selector, E, nil)) =:= Name end
    end.

kinds() ->
    [
        <<"new-class">>, <<"remove-method">>, <<"remove-class">>, <<"rename-class">>,
        <<"rename-method">>
    ].

%% @doc Answers the test for a collection of kinds of changes and of authors. Of either group one
%% must fit, where the group is there; an empty collection or another word raises `type_error'.
-spec of_kinds(term(), term()) -> filter().
of_kinds(Self, Value) ->
    Words = [word(Self, W) || W <- bte_prim:list(Self, 'flushKinds:', Value)],
    Kinds = [W || W <- Words, lists:member(W, all_kinds())],
    Authors = Words -- Kinds,
    case Words =/= [] andalso Authors -- [<<"human">>, <<"agent">>] of
        [] -> fun(E) -> fits(kind, Kinds, E) andalso fits(author_kind, Authors, E) end;
        _ -> unknown_kinds(Self, Value)
    end.

word(_, Symbol) when is_atom(Symbol) -> atom_to_binary(Symbol);
word(Self, Other) -> unknown_kinds(Self, Other).

fits(_, [], _) -> true;
fits(Key, Words, Entry) -> lists:member(text(maps:get(Key, Entry, nil)), Words).

all_kinds() -> [<<"instance">>, <<"class">> | kinds()].

-spec unknown_kinds(term(), term()) -> no_return().
unknown_kinds(Self, Value) ->
    Allowed = lists:join(", ", all_kinds() ++ [<<"human">>, <<"agent">>]),
    Message = ["flushKinds: expects some of ", Allowed, ", not ", bte_prim:quoted(Value)],
    bte_prim:raise(type_error, Self, 'flushKinds:', Message, nil).

of_class(Name) ->
    fun(E) -> lists:member(Name, [text(maps:get(K, E, nil)) || K <- [class, old_class]]) end.

of_file(File) ->
    fun(E) ->
        Keys = [source_file, old_path, new_path],
        Sites = [F || #{file := F} <- maps:get(sites, E, [])],
        lists:member(File, [maps:get(K, E, nil) || K <- Keys] ++ Sites)
    end.

text(Atom) when is_atom(Atom) -> atom_to_binary(Atom);
text(Text) -> Text.
