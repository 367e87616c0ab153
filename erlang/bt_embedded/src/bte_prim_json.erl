%% @doc Primitives of `Json'; the reading and writing is the native library's, which hands an
%% Integer beyond 64 bits over as `{integer, Text}'. Tested by `library_extras.btscript'.
-module(bte_prim_json).

-export([parse/2, generate/2]).

%% Integers between these are in 64 bits.
-define(LEAST, -16#8000000000000000).
-define(MOST, 16#FFFFFFFFFFFFFFFF).

%% @doc Reads a text.
-spec parse(term(), term()) -> map().
parse(Self, Text) ->
    Result = {'$class', 'bt@stdlib@result'},
    case btr_nif:json_decode(bte_prim:string(Self, 'parse:', Text)) of
        {error, {btr, _, _} = Error} ->
            bte_prim_result:error(Result, btr_error:message(Error));
        {ok, Value} ->
            bte_prim_result:ok(Result, from_json(Value))
    end.

from_json(null) -> nil;
from_json(List) when is_list(List) -> [from_json(V) || V <- List];
from_json(Map) when is_map(Map) -> maps:map(fun(_, V) -> from_json(V) end, Map);
from_json({integer, Text}) -> bte_prim_number:from_text(Text);
from_json(Value) -> Value.

%% @doc Writes a value.
-spec generate(term(), term()) -> binary().
generate(Self, Value) ->
    case btr_nif:json_encode(to_json(Self, Value)) of
        {error, {btr, _, _} = Error} ->
            bte_prim:argument_error(Self, 'generate:', btr_error:message(Error));
        Text ->
            Text
    end.

to_json(_, V) when is_integer(V), V > ?MOST; is_integer(V), V < ?LEAST ->
    {integer, bte_prim_number:to_text(V)};
to_json(_, V) when is_number(V); is_binary(V); is_boolean(V) -> V;
to_json(_, nil) -> null;
to_json(_, V) when is_atom(V) -> atom_to_binary(V);
to_json(_, {'$char', C}) -> <<C/utf8>>;
to_json(Self, V) when is_list(V) -> [to_json(Self, E) || E <- V];
to_json(Self, {'$array', Elements}) -> to_json(Self, tuple_to_list(Elements));
to_json(Self, #{'$class' := _} = V) ->
    instance(Self, V, bte_prim_object:is_kind_of(V, list_like()));
to_json(Self, V) when is_map(V) -> object(Self, V);
to_json(Self, V) ->
    Message = [bte_prim:kind_name(V), <<" has no form in JSON">>],
    bte_prim:argument_error(Self, 'generate:', Message).

%% A Set, a Bag, an Interval: an array of its elements.
instance(Self, V, true) -> to_json(Self, bte_prim:list(Self, 'generate:', V));
instance(Self, V, false) -> object(Self, maps:remove('$class', V)).

list_like() -> {'$class', 'bt@stdlib@collection'}.

object(Self, Map) ->
    maps:from_list([{key(Self, K), to_json(Self, V)} || {K, V} <- maps:to_list(Map)]).

key(_, K) when is_binary(K) -> K;
key(_, K) when is_atom(K) -> atom_to_binary(K);
key(_, K) when is_integer(K) -> integer_to_binary(K);
key(Self, K) ->
    Message = [bte_prim:kind_name(K), <<" cannot be a key in JSON">>],
    bte_prim:argument_error(Self, 'generate:', Message).
