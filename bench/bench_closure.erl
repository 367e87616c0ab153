%% @doc The override closure: does a class below this one implement the selector, and which. Against
%% a walk over ETS tables of subclasses and methods. And a class that moves to another superclass.
-module(bench_closure).

-export([rows/0]).

-type shape() :: five_ary | skewed | flat.

%% @doc Rows for each shape and number of classes, at the root and at a leaf.
-spec rows() -> [bench:row()].
rows() ->
    Sizes =
        case bench:is_quick() of
            true -> [10000];
            false -> [1000, 10000, 100000]
        end,
    lists:append([rows(Shape, N) || N <- Sizes, Shape <- [five_ary, skewed, flat]]).

rows(Shape, Classes) ->
    bench:progress("closure over ~b classes, ~s", [Classes, Shape]),
    Index = index(Shape, Classes),
    Today = today(Shape, Classes),
    Size = io_lib:format("~b classes, ~s", [Classes, Shape]),
    Rows = [
        row("override closure at the root", Size, Index, Today, 1, {at_most, 1000000, ns}),
        is_free(Size, Index),
        row("override closure at a leaf", Size, Index, Today, Classes, {at_most, 10000, ns}),
        move(Size, Index, Classes)
    ],
    lists:foreach(fun ets:delete/1, tuple_to_list(Today)),
    Rows.

row(What, Size, Index, Today, Class, Target) ->
    Name = name(Class),
    Ours = bench_clock:apart(
        fun() -> #{free := _} = btr_nif:closure(Index, Name, instance, <<"rare">>) end, 100
    ),
    Theirs = bench_clock:apart(fun() -> today_closure(Today, [Class], []) end, 100),
    (bench:row(What, Size, {Ours, ns}, Target))#{reference := {"ETS", {Theirs, ns}}}.

%% Where nearly all classes implement the selector.
is_free(Size, Index) ->
    Ours = bench_clock:apart(
        fun() -> false = btr_nif:is_closure_free(Index, name(1), instance, <<"common">>) end, 100
    ),
    bench:row("is it free at the root, all override", Size, {Ours, ns}, {at_most, 1000000, ns}).

%% The last class to and fro between two superclasses.
move(Size, Index, Class) ->
    File = file(Class),
    Put = fun(Superclass) ->
        Text = iolist_to_binary([Superclass, " subclass: ", name(Class), "\n  common => nil\n"]),
        {ok, Unit} = btr_nif:parse(Text),
        {put, File, Unit, #{package => <<"bench">>, origin => project}}
    end,
    Puts = {Put(name(1)), Put(name(2))},
    Turn = counters:new(1, []),
    Ours = bench_clock:apart(
        fun() ->
            ok = counters:add(Turn, 1, 1),
            N = counters:get(Turn, 1),
            ok = btr_nif:index_stage(Index, N + 1, [element(N rem 2 + 1, Puts)]),
            ok = btr_nif:index_publish(Index, N + 1),
            true = btr_nif:is_closure_free(Index, name(Class), instance, <<"rare">>)
        end,
        100
    ),
    bench:row("move a class, ask for its closure", Size, {Ours, ns}, {at_most, 2000000, ns}).

%% One class in a thousand implements the selector.
-spec index(shape(), pos_integer()) -> btr_nif:index().
index(Shape, Classes) ->
    Texts = [{file(N), text(Shape, N)} || N <- lists:seq(1, Classes)],
    Options = #{package => <<"bench">>, origin => project},
    Index = btr_nif:index_new(),
    ok = btr_nif:index_stage(Index, 1, [
        {put, File, Unit, Options}
     || {File, {ok, Unit}} <- btr_nif:parse_many(Texts)
    ]),
    ok = btr_nif:index_publish(Index, 1),
    Index.

text(Shape, N) ->
    iolist_to_binary([superclass(Shape, N), " subclass: ", name(N), $\n | methods(N)]).

methods(N) when N rem 1000 =:= 0 -> "  rare => nil\n";
methods(_) -> "  common => nil\n".

superclass(_, 1) -> "Object";
superclass(Shape, N) -> name(parent(Shape, N)).

%% In a skewed tree each tenth class goes on a long line, the nine others hang on it.
parent(five_ary, N) -> (N - 2) div 5 + 1;
parent(skewed, N) when N rem 10 =:= 1 -> N - 10;
parent(skewed, N) -> (N - 1) div 10 * 10 + 1;
parent(flat, _) -> 1.

name(N) -> <<"Tree", (integer_to_binary(N))/binary>>.

file(N) -> <<(name(N))/binary, ".bt">>.

today(Shape, Classes) ->
    Subclasses = ets:new(subclasses, [duplicate_bag]),
    Methods = ets:new(methods, [set]),
    lists:foreach(
        fun(N) ->
            true = ets:insert(Subclasses, {parent(Shape, N), N}),
            N rem 1000 =:= 0 andalso ets:insert(Methods, {{N, rare}})
        end,
        lists:seq(2, Classes)
    ),
    {Subclasses, Methods}.

today_closure(_, [], Found) ->
    Found;
today_closure({Subclasses, Methods} = Today, [Class | Rest], Found0) ->
    Below = [N || {_, N} <- ets:lookup(Subclasses, Class)],
    Found = [N || N <- Below, ets:member(Methods, {N, rare})] ++ Found0,
    today_closure(Today, Below ++ Rest, Found).
