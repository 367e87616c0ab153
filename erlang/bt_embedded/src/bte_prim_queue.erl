%% @doc Primitives of `Queue'.
%%
%% The elements are in a Braun tree, whose shape their number decides: the left branch has the
%% elements at odd distances from the first, the right one those at even distances, as many or one
%% less. So queues with equal elements are equal terms, however they came about, and elements are
%% added and taken in logarithmic time. Tested by `values_collections.btscript'.
-module(bte_prim_queue).

-export([with_all/2, enqueue/2, first/1, rest/1, as_list/1]).

-type tree() :: nil | {term(), tree(), tree()}.

%% @doc Makes a queue of the elements of a collection.
-spec with_all(term(), term()) -> map().
with_all(Class, Elements) ->
    Add = fun(E, Queue) -> enqueue(Queue, E) end,
    lists:foldl(Add, empty(Class), bte_prim:list(Class, 'withAll:', Elements)).

empty({'$class', C}) -> bte_object:new(C, #{size => 0, elements => nil}).

%% @doc Adds an element at the end.
-spec enqueue(map(), term()) -> map().
enqueue(#{size := Size, elements := Tree} = Queue, Element) ->
    Queue#{size := Size + 1, elements := added(Tree, Size, Element)}.

added(nil, 0, E) -> {E, nil, nil};
added({First, Odd, Even}, Size, E) when Size band 1 =:= 1 ->
    {First, added(Odd, Size div 2, E), Even};
added({First, Odd, Even}, Size, E) ->
    {First, Odd, added(Even, Size div 2 - 1, E)}.

%% @doc Answers the element that leaves next, or nil.
-spec first(map()) -> term().
first(#{elements := nil}) -> nil;
first(#{elements := {First, _, _}}) -> First.

%% @doc Answers the queue without its first element.
-spec rest(map()) -> map().
rest(#{elements := nil} = Queue) -> Queue;
rest(#{size := Size, elements := Tree} = Queue) ->
    Queue#{size := Size - 1, elements := without_first(Tree)}.

without_first({_, nil, nil}) -> nil;
without_first({_, {Second, _, _} = Odd, Even}) -> {Second, Even, without_first(Odd)}.

%% @doc Answers the elements in order.
-spec as_list(map()) -> [term()].
as_list(#{elements := Tree}) -> in_order([Tree], []).

%% The trees of one level, in order: their first elements follow each other.
-spec in_order([tree()], [[term()]]) -> [term()].
in_order(Trees, Found) ->
    case [T || T <- Trees, T =/= nil] of
        [] ->
            lists:append(lists:reverse(Found));
        Level ->
            Below = [Odd || {_, Odd, _} <- Level] ++ [Even || {_, _, Even} <- Level],
            in_order(Below, [[First || {First, _, _} <- Level] | Found])
    end.
