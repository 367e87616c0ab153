%% @doc Primitives of `List', which is an Erlang list.
-module(bte_prim_list).

-export([filled/3, do/2, size/1, at/2, at_put/3, last/1, take/2, drop/2, take_while/2]).
-export([drop_while/2, index_of/2, add_first/2, remove/2, append/2, reversed/1, sort/1, sort/2]).
-export([sort_by/2, unique/1, flatten/1, zip/2, collect/2, select/2, inject/3, join/2]).
-export([chunks_of/2, shuffled/1, from_interval/1, is_true/3]).

-define(MAX_ELEMENTS, 50000000).

%% @doc Makes a list of one thing so many times.
-spec filled(term(), term(), term()) -> list().
filled(Self, Size, Element) ->
    case bte_prim:integer(Self, 'new:withAll:', Size) of
        N when N >= 0, N =< ?MAX_ELEMENTS ->
            lists:duplicate(N, Element);
        _ ->
            bte_prim:argument_error(Self, 'new:withAll:', <<"no List can have that many elements">>)
    end.

%% @doc Runs a block with each element.
-spec do(list(), term()) -> nil.
do(List, Block) ->
    lists:foreach(fun(E) -> bte_block:value(Block, [E]) end, proper(List, 'do:')),
    nil.

%% A list from Erlang may end in something else than the empty list.
proper(List, Selector) ->
    case is_list(List) andalso length_or_error(List) of
        {ok, _} -> List;
        _ -> bte_prim:argument_error([], Selector, <<"the List does not end in an empty List">>)
    end.

length_or_error(List) ->
    try
        {ok, length(List)}
    catch
        error:badarg -> error
    end.

%% @doc Counts elements.
-spec size(list()) -> non_neg_integer().
size(List) -> length(proper(List, size)).

%% @doc Answers the element at a position.
-spec at(list(), term()) -> term().
at(List, Index) ->
    case bte_prim:integer(List, 'at:', Index) of
        I when I >= 1, I =< length(List) -> lists:nth(I, List);
        I -> bte_prim:out_of_bounds(List, 'at:', I, length(List))
    end.

%% @doc Answers the list with another element at a position.
-spec at_put(list(), term(), term()) -> list().
at_put(List, Index, Element) ->
    case bte_prim:integer(List, 'at:put:', Index) of
        I when I >= 1, I =< length(List) ->
            {Before, [_ | After]} = lists:split(I - 1, List),
            Before ++ [Element | After];
        I ->
            bte_prim:out_of_bounds(List, 'at:put:', I, length(List))
    end.

%% @doc Answers the last element, or nil.
-spec last(list()) -> term().
last([]) -> nil;
last(List) -> lists:last(proper(List, last)).

%% @doc Answers the first so many elements.
-spec take(list(), term()) -> list().
take(List, Count) ->
    lists:sublist(List, max(0, bte_prim:integer(List, 'take:', Count))).

%% @doc Answers what follows the first so many elements.
-spec drop(list(), term()) -> list().
drop(List, Count) ->
    case bte_prim:integer(List, 'drop:', Count) of
        N when N =< 0 -> List;
        N when N >= length(List) -> [];
        N -> lists:nthtail(N, List)
    end.

%% @doc Answers the first elements for which a block answers true.
-spec take_while(list(), term()) -> list().
take_while(List, Block) ->
    lists:takewhile(fun(E) -> is_true(List, 'takeWhile:', bte_block:value(Block, [E])) end, List).

%% @doc Answers what follows the first elements for which a block answers true.
-spec drop_while(list(), term()) -> list().
drop_while(List, Block) ->
    lists:dropwhile(fun(E) -> is_true(List, 'dropWhile:', bte_block:value(Block, [E])) end, List).

%% @doc Answers the position of an element, or nought.
-spec index_of(list(), term()) -> pos_integer() | nil.
index_of(List, Element) -> index_of(List, Element, 1).

index_of([E | _], Element, I) when E == Element -> I;
index_of([_ | Rest], Element, I) -> index_of(Rest, Element, I + 1);
index_of(_, _, _) -> nil.

%% @doc Puts an element in front.
-spec add_first(list(), term()) -> list().
add_first(List, Element) -> [Element | List].

%% @doc Takes the first equal element out.
-spec remove(list(), term()) -> list().
remove(List, Element) ->
    case lists:splitwith(fun(E) -> E /= Element end, List) of
        {Before, [_ | After]} -> Before ++ After;
        {All, []} -> All
    end.

%% @doc Joins two lists.
-spec append(list(), term()) -> list().
append(List, Other) -> List ++ bte_prim:list(List, '++', Other).

%% @doc Turns the order round.
-spec reversed(list()) -> list().
reversed(List) -> lists:reverse(proper(List, reversed)).

%% @doc Sorts by the elements' own order: `<'.
-spec sort(list()) -> list().
sort(List) ->
    case lists:all(fun is_number/1, List) orelse lists:all(fun is_binary/1, List) of
        true -> lists:sort(List);
        false -> lists:sort(fun(A, B) -> not less(List, B, A) end, List)
    end.

less(List, A, B) -> is_true(List, sort, bte_prim:send(A, '<', [B])).

%% @doc Sorts by a block that tells whether the first of two belongs first. Equal ones keep order.
-spec sort(list(), term()) -> list().
sort(List, Block) ->
    Before = fun(A, B) -> is_true(List, 'sort:', bte_block:value(Block, [A, B])) end,
    %% With a strict block (`a < b') equal elements stay as they were, too.
    lists:sort(fun(A, B) -> Before(A, B) orelse not Before(B, A) end, List).

%% @doc Sorts by what a block answers for each element.
-spec sort_by(list(), term()) -> list().
sort_by(List, Block) ->
    Keyed = [{bte_block:value(Block, [E]), E} || E <- List],
    [E || {_, E} <- lists:sort(fun({A, _}, {B, _}) -> not before(List, B, A) end, Keyed)].

before(_, A, B) when is_number(A), is_number(B) -> A < B;
before(_, A, B) when is_binary(A), is_binary(B) -> A < B;
before(List, A, B) -> is_true(List, 'sortBy:', bte_prim:send(A, '<', [B])).

%% @doc Keeps the first of equal elements.
-spec unique(list()) -> list().
unique(List) -> unique(List, #{}).

unique([E | Rest], Seen) when is_map_key(E, Seen) -> unique(Rest, Seen);
unique([E | Rest], Seen) -> [E | unique(Rest, Seen#{E => true})];
unique(_, _) -> [].

%% @doc Opens lists within the list.
-spec flatten(list()) -> list().
flatten(List) -> lists:flatmap(fun opened/1, List).

opened(List) when is_list(List) -> List;
opened(Element) -> [Element].

%% @doc Pairs the elements at equal positions.
-spec zip(list(), term()) -> [[term()]].
zip(List, Other) -> pairs(List, bte_prim:list(List, 'zip:', Other)).

pairs([A | As], [B | Bs]) -> [[A, B] | pairs(As, Bs)];
pairs(_, _) -> [].

%% @doc Answers the elements in lists of so many.
-spec chunks_of(list(), term()) -> [list()].
chunks_of(List, Count) ->
    case bte_prim:integer(List, 'chunksOf:', Count) of
        N when N >= 1 ->
            chunks(proper(List, 'chunksOf:'), N);
        _ ->
            bte_prim:argument_error(List, 'chunksOf:', <<"each part has at least one element">>)
    end.

chunks([], _) -> [];
chunks(List, N) ->
    Chunk = lists:sublist(List, N),
    [Chunk | chunks(lists:nthtail(length(Chunk), List), N)].

%% @doc Answers a block's results.
-spec collect(list(), term()) -> list().
collect(List, Block) ->
    [bte_block:value(Block, [E]) || E <- proper(List, 'collect:')].

%% @doc Answers the elements for which a block answers true.
-spec select(list(), term()) -> list().
select(List, Block) ->
    [
        E
     || E <- proper(List, 'select:'),
        is_true(List, 'select:', bte_block:value(Block, [E]))
    ].

%% @doc Folds from the left.
-spec inject(list(), term(), term()) -> term().
inject(List, Initial, Block) ->
    Step = fun(E, Acc) -> bte_block:value(Block, [Acc, E]) end,
    lists:foldl(Step, Initial, proper(List, 'inject:into:')).

%% @doc Joins the elements' texts.
-spec join(list(), term()) -> binary().
join(List, Separator) ->
    Text = bte_prim:string(List, 'join:', Separator),
    iolist_to_binary(lists:join(Text, [bte_prim:text(E) || E <- proper(List, 'join:')])).

%% @doc Answers the elements in an order made by chance.
-spec shuffled(list()) -> list().
shuffled(List) ->
    [E || {_, E} <- lists:sort([{rand:uniform(), E} || E <- List])].

%% @doc Answers the numbers of an Interval.
-spec from_interval(map()) -> [number()].
from_interval(#{start := Start, stop := Stop, step := Step} = Self) ->
    case bte_prim:send(Self, size) of
        N when N =< ?MAX_ELEMENTS -> numbers(Start, Stop, Step);
        _ -> bte_prim:argument_error(Self, asList, <<"the Interval has too many numbers">>)
    end.

numbers(Start, Stop, Step) when is_integer(Start), is_integer(Stop), is_integer(Step) ->
    case (Stop - Start) div Step of
        _ when Step > 0, Stop < Start; Step < 0, Stop > Start -> [];
        _ -> lists:seq(Start, Stop, Step)
    end;
numbers(Start, Stop, Step) when Step > 0, Start =< Stop; Step < 0, Start >= Stop ->
    [Start | numbers(Start + Step, Stop, Step)];
numbers(_, _, _) ->
    [].

%% @doc Answers what a block answered, which must be a Boolean.
-spec is_true(term(), atom(), term()) -> boolean().
is_true(_, _, Boolean) when is_boolean(Boolean) ->
    Boolean;
is_true(Self, Selector, Other) ->
    Message = [
        <<"the block of ">>, atom_to_binary(Selector), <<" must answer true or false, not ">>,
        bte_prim:quoted(Other)
    ],
    bte_prim:raise(type_error, Self, Selector, Message, nil).
