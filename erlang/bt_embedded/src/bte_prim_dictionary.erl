%% @doc Primitives of `Dictionary', an Erlang map. Keys are told apart exactly: 1 and 1.0 are two.
-module(bte_prim_dictionary).

-export([with_all/2, size/1, at/2, at_if_absent/3, at_put/3, remove_key/2, keys/1, values/1]).
-export([includes_key/2, collect/2, select/2, select_with_key/2, merge/2]).

%% @doc Makes a dictionary of associations or pairs.
-spec with_all(term(), term()) -> map().
with_all(_, #{} = Map) when not is_map_key('$class', Map) ->
    Map;
with_all(Self, Elements) ->
    maps:from_list([pair(Self, E) || E <- bte_prim:list(Self, 'withAll:', Elements)]).

pair(_, #{'$class' := _, key := Key, value := Value}) -> {Key, Value};
pair(_, [Key, Value]) -> {Key, Value};
pair(_, {'$array', {Key, Value}}) -> {Key, Value};
pair(_, {Key, Value}) -> {Key, Value};
pair(Self, Other) -> bte_prim:type_error(Self, 'withAll:', <<"Association">>, Other).

%% @doc Counts keys.
-spec size(map()) -> non_neg_integer().
size(Map) -> map_size(Map).

%% @doc Answers the value of a key.
-spec at(map(), term()) -> term().
at(Map, Key) ->
    case Map of
        #{Key := Value} ->
            Value;
        #{} ->
            Message = [<<"the key ">>, bte_prim:quoted(Key), <<" is not there">>],
            Hint = <<"at:ifAbsent: answers something else for a key that is not there.">>,
            bte_prim:raise(key_error, Map, 'at:', Message, Hint)
    end.

%% @doc Answers the value of a key, or of a block.
-spec at_if_absent(map(), term(), term()) -> term().
at_if_absent(Map, Key, Block) ->
    case Map of
        #{Key := Value} -> Value;
        #{} -> bte_block:value(Block, [])
    end.

%% @doc Puts a value at a key.
-spec at_put(map(), term(), term()) -> map().
at_put(Map, '$class', _) ->
    bte_prim:argument_error(Map, 'at:put:', <<"$class cannot be a key of a Dictionary">>);
at_put(Map, Key, Value) ->
    Map#{Key => Value}.

%% @doc Takes a key out.
-spec remove_key(map(), term()) -> map().
remove_key(Map, Key) -> maps:remove(Key, Map).

%% @doc Answers the keys in order.
-spec keys(map()) -> list().
keys(Map) -> lists:sort(maps:keys(Map)).

%% @doc Answers the values in the order of their keys.
-spec values(map()) -> list().
values(Map) -> [map_get(Key, Map) || Key <- keys(Map)].

%% @doc Tells whether a key is there.
-spec includes_key(map(), term()) -> boolean().
includes_key(Map, Key) -> is_map_key(Key, Map).

%% @doc Puts a block's results in place of the values.
-spec collect(map(), term()) -> map().
collect(Map, Block) ->
    maps:from_list([{K, bte_block:value(Block, [map_get(K, Map)])} || K <- keys(Map)]).

%% @doc Keeps the values for which a block answers true.
-spec select(map(), term()) -> map().
select(Map, Block) ->
    keep(Map, 'select:', fun(_, V) -> bte_block:value(Block, [V]) end).

%% @doc Keeps the keys and values for which a block answers true.
-spec select_with_key(map(), term()) -> map().
select_with_key(Map, Block) ->
    keep(Map, 'selectWithKey:', fun(K, V) -> bte_block:value(Block, [K, V]) end).

keep(Map, Selector, Test) ->
    maps:with(
        [
            K
         || K <- keys(Map), bte_prim_list:is_true(Map, Selector, Test(K, map_get(K, Map)))
        ],
        Map
    ).

%% @doc Joins two dictionaries, the second above.
-spec merge(map(), term()) -> map().
merge(Map, #{} = Other) when not is_map_key('$class', Other) -> maps:merge(Map, Other);
merge(Map, Other) -> bte_prim:type_error(Map, 'merge:', <<"Dictionary">>, Other).
