%% @doc Primitives of `Stream': lazy, by a function that answers the next element and the rest.
%%
%% An instance holds under the key `next' a term that says how to go on, one of those that `next/1'
%% knows: `{list, List}', `{from, Element, Block}', `{collect, Source, Block}' and so on.
%% No fun is kept, so a stream survives any reload of code.
-module(bte_prim_stream).

-export([on/2, from_by/3, take/2, drop/2, collect/2, select/2, take_while/2, do/2, as_list/1]).
-export([zip/2, append/2, flat_collect/2, drop_while/2, scan/3]).

%% @doc Makes a stream of the elements of a collection.
-spec on(term(), term()) -> map().
on(Class, Elements) -> make(Class, {list, bte_prim:list(Class, 'on:', Elements)}).

%% @doc Makes an endless stream.
-spec from_by(term(), term(), term()) -> map().
from_by(Class, First, Block) ->
    make(Class, {from, First, bte_prim:block(Class, 'from:by:', Block)}).

make({'$class', C}, Source) -> #{'$class' => C, next => Source};
make(#{'$class' := C}, Source) -> #{'$class' => C, next => Source}.

%% @doc Answers the first so many elements.
-spec take(map(), term()) -> list().
take(#{next := Source} = Self, Count) ->
    take_some(Source, bte_prim:integer(Self, 'take:', Count), []).

take_some(_, N, Acc) when N =< 0 -> lists:reverse(Acc);
take_some(Source, N, Acc) ->
    case next(Source) of
        done -> lists:reverse(Acc);
        {E, Rest} -> take_some(Rest, N - 1, [E | Acc])
    end.

%% @doc Answers the stream behind the first so many elements.
-spec drop(map(), term()) -> map().
drop(#{next := Source} = Self, Count) ->
    make(Self, drop_some(Source, bte_prim:integer(Self, 'drop:', Count))).

drop_some(Source, N) when N =< 0 -> Source;
drop_some(Source, N) ->
    case next(Source) of
        done -> {list, []};
        {_, Rest} -> drop_some(Rest, N - 1)
    end.

%% @doc Answers the stream of a block's results.
-spec collect(map(), term()) -> map().
collect(#{next := Source} = Self, Block) -> make(Self, {collect, Source, Block}).

%% @doc Answers the stream of what a block answers true for.
-spec select(map(), term()) -> map().
select(#{next := Source} = Self, Block) -> make(Self, {select, Source, Block}).

%% @doc Answers the stream of pairs with the elements of another one.
-spec zip(map(), term()) -> map().
zip(#{next := Source} = Self, Other) -> make(Self, {zip, Source, source(Self, 'zip:', Other)}).

%% @doc Answers the stream of the elements of both, one after the other.
-spec append(map(), term()) -> map().
append(#{next := Source} = Self, Other) ->
    make(Self, {append, Source, source(Self, '++', Other)}).

source(_, _, #{'$class' := 'bt@stdlib@stream', next := Source}) -> Source;
source(Self, Selector, Elements) -> {list, bte_prim:list(Self, Selector, Elements)}.

%% @doc Answers the stream of the elements of the collections that a block answers.
-spec flat_collect(map(), term()) -> map().
flat_collect(#{next := Source} = Self, Block) -> make(Self, {flat, [], Source, Block}).

%% @doc Answers the stream behind the first elements for which a block answers true.
-spec drop_while(map(), term()) -> map().
drop_while(#{next := Source} = Self, Block) -> make(Self, {drop_while, Source, Block}).

%% @doc Answers the stream of the results of a fold.
-spec scan(map(), term(), term()) -> map().
scan(#{next := Source} = Self, Initial, Block) -> make(Self, {scan, Initial, Source, Block}).

%% @doc Answers the first elements for which a block answers true.
-spec take_while(map(), term()) -> list().
take_while(#{next := Source} = Self, Block) ->
    take_true(Source, fun(E) -> holds(Self, 'takeWhile:', Block, E) end, []).

take_true(Source, Test, Acc) ->
    case next(Source) of
        done -> lists:reverse(Acc);
        {E, Rest} ->
            case Test(E) of
                true -> take_true(Rest, Test, [E | Acc]);
                false -> lists:reverse(Acc)
            end
    end.

%% @doc Runs a block with each element.
-spec do(map(), term()) -> nil.
do(#{next := Source}, Block) -> each(Source, Block).

each(Source, Block) ->
    case next(Source) of
        done ->
            nil;
        {E, Rest} ->
            _ = bte_block:value(Block, [E]),
            each(Rest, Block)
    end.

%% @doc Answers all elements.
-spec as_list(map()) -> list().
as_list(#{next := Source}) -> all(Source, []).

all(Source, Acc) ->
    case next(Source) of
        done -> lists:reverse(Acc);
        {E, Rest} -> all(Rest, [E | Acc])
    end.

next({list, []}) -> done;
next({list, [E | Rest]}) -> {E, {list, Rest}};
next({from, E, Block}) -> {E, {after_element, E, Block}};
next({after_element, E, Block}) -> next({from, bte_block:value(Block, [E]), Block});
next({collect, Source, Block}) ->
    case next(Source) of
        done -> done;
        {E, Rest} -> {bte_block:value(Block, [E]), {collect, Rest, Block}}
    end;
next({select, Source, Block}) ->
    next_true(Source, Block);
next({zip, A, B}) ->
    case next(A) of
        done -> done;
        {E, RestA} ->
            case next(B) of
                done -> done;
                {F, RestB} -> {[E, F], {zip, RestA, RestB}}
            end
    end;
next({append, Source, Other}) ->
    case next(Source) of
        done -> next(Other);
        {E, Rest} -> {E, {append, Rest, Other}}
    end;
next({flat, [E | Rest], Source, Block}) ->
    {E, {flat, Rest, Source, Block}};
next({flat, [], Source, Block}) ->
    case next(Source) of
        done -> done;
        {E, Rest} ->
            Inner = bte_prim:list(E, 'flatCollect:', bte_block:value(Block, [E])),
            next({flat, Inner, Rest, Block})
    end;
next({drop_while, Source, Block}) ->
    case next(Source) of
        done -> done;
        {E, Rest} ->
            case holds(E, 'dropWhile:', Block, E) of
                true -> next({drop_while, Rest, Block});
                false -> {E, Rest}
            end
    end;
next({scan, Acc, Source, Block}) ->
    {Acc, {scanned, Acc, Source, Block}};
next({scanned, Acc, Source, Block}) ->
    case next(Source) of
        done -> done;
        {E, Rest} -> next({scan, bte_block:value(Block, [Acc, E]), Rest, Block})
    end.

next_true(Source, Block) ->
    case next(Source) of
        done ->
            done;
        {E, Rest} ->
            case holds(E, 'select:', Block, E) of
                true -> {E, {select, Rest, Block}};
                false -> next_true(Rest, Block)
            end
    end.

holds(Self, Selector, Block, E) ->
    bte_prim_list:is_true(Self, Selector, bte_block:value(Block, [E])).
