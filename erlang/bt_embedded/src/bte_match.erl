%% @doc What `match:' and destructuring ask where no Erlang pattern says it. Tested by
%% `bte_send_SUITE'.
-module(bte_match).

-export([is_a/2, constructor/3, split/2]).

%% @doc Tells whether a value is an instance of a class or of one below it.
-spec is_a(term(), term()) -> boolean().
is_a(Value, {'$class', C}) -> bte_registry:inherits(bte_send:class_of(Value), C);
is_a(_, _) -> false.

%% @doc Takes an instance of a class apart by the keywords of a constructor, which are names of
%% fields: `{match, V1, V2}', or `nomatch'.
-spec constructor(term(), term(), atom()) -> tuple() | nomatch.
constructor(Value, Class, Selector) when is_map_key('$class', Value) ->
    case is_a(Value, Class) of
        true -> fields(keywords(Selector), Value, [match]);
        false -> nomatch
    end;
constructor(_, _, _) ->
    nomatch.

fields([], _, Acc) ->
    list_to_tuple(lists:reverse(Acc));
fields([Field | Fields], Value, Acc) ->
    case Value of
        #{Field := V} -> fields(Fields, Value, [V | Acc]);
        _ -> nomatch
    end.

keywords(Selector) ->
    Parts = binary:split(atom_to_binary(Selector), <<":">>, [global, trim_all]),
    [existing(P) || P <- Parts].

existing(Name) ->
    try
        binary_to_existing_atom(Name)
    catch
        error:badarg -> '$no_such_field'
    end.

%% @doc Splits the elements of an array: the first ones and an array of the rest.
-spec split(tuple(), non_neg_integer()) -> tuple().
split(Elements, N) ->
    {First, Rest} = lists:split(N, tuple_to_list(Elements)),
    list_to_tuple(First ++ [{'$array', list_to_tuple(Rest)}]).
