%% @doc Primitives of `Array', a tagged tuple.
-module(bte_prim_array).

-export([with_all/2, as_list/1, size/1, at/2, at_put/3]).

-type array() :: {'$array', tuple()}.

%% @doc Makes an array of the elements of a collection.
-spec with_all(term(), term()) -> array().
with_all(Self, Elements) ->
    {'$array', list_to_tuple(bte_prim:list(Self, 'withAll:', Elements))}.

%% @doc Answers the elements.
-spec as_list(array()) -> list().
as_list({'$array', Elements}) -> tuple_to_list(Elements).

%% @doc Counts elements.
-spec size(array()) -> non_neg_integer().
size({'$array', Elements}) -> tuple_size(Elements).

%% @doc Answers the element at a position.
-spec at(array(), term()) -> term().
at({'$array', Elements} = Self, Index) ->
    element(checked(Self, 'at:', Index), Elements).

%% @doc Answers the array with another element at a position.
-spec at_put(array(), term(), term()) -> array().
at_put({'$array', Elements} = Self, Index, Element) ->
    {'$array', setelement(checked(Self, 'at:put:', Index), Elements, Element)}.

checked({'$array', Elements} = Self, Selector, Index) ->
    case bte_prim:integer(Self, Selector, Index) of
        I when I >= 1, I =< tuple_size(Elements) -> I;
        I -> bte_prim:out_of_bounds(Self, Selector, I, tuple_size(Elements))
    end.
