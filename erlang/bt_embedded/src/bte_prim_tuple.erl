%% @doc Primitives of `Tuple', a tuple that came from Erlang.
-module(bte_prim_tuple).

-export([with_all/2, as_list/1, size/1, at/2]).

%% @doc Makes a tuple of the elements of a collection.
-spec with_all(term(), term()) -> tuple().
with_all(Self, Elements) -> list_to_tuple(bte_prim:list(Self, 'withAll:', Elements)).

%% @doc Answers the elements.
-spec as_list(tuple()) -> list().
as_list(Tuple) -> tuple_to_list(Tuple).

%% @doc Counts elements.
-spec size(tuple()) -> non_neg_integer().
size(Tuple) -> tuple_size(Tuple).

%% @doc Answers the element at a position.
-spec at(tuple(), term()) -> term().
at(Tuple, Index) ->
    case bte_prim:integer(Tuple, 'at:', Index) of
        I when I >= 1, I =< tuple_size(Tuple) -> element(I, Tuple);
        I -> bte_prim:out_of_bounds(Tuple, 'at:', I, tuple_size(Tuple))
    end.
