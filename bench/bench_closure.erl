%% @doc The override closure: does a class below this one implement the selector, and which. Against
%% a walk over ETS tables of subclasses and methods.
-module(bench_closure).

-export([rows/0]).

%% @doc Rows for a tree in which each class has five subclasses, at the root and at a leaf.
-spec rows() -> [bench:row()].
rows() ->
    Classes =
        case bench:is_quick() of
            true -> 10000;
            false -> 100000
        end,
    bench:progress("closure over ~b classes", [Classes]),
    Index = index(Classes),
    Today = today(Classes),
    Size = io_lib:format("~b classes", [Classes]),
    Rows = [
        row("override closure at the root", Size, Index, Today, 1, {at_most, 1000000, ns}),
        row("override closure at a leaf", Size, Index, Today, Classes, {at_most, 10000, ns})
    ],
    lists:foreach(fun ets:delete/1, tuple_to_list(Today)),
    Rows.

row(What, Size, Index, Today, Class, Target) ->
    Name = name(Class),
    Ours = bench_clock:each(
        fun() -> #{free := _} = btr_nif:closure(Index, Name, instance, <<"rare">>) end, 200
    ),
    Theirs = bench_clock:each(fun() -> today_closure(Today, [Class], []) end, 200),
    (bench:row(What, Size, {Ours, ns}, Target))#{reference := {"ETS", {Theirs, ns}}}.

%% One class in a thousand implements the selector.
index(Classes) ->
    Texts = [{<<(name(N))/binary, ".bt">>, text(N)} || N <- lists:seq(1, Classes)],
    Options = #{package => <<"bench">>, origin => project},
    Index = btr_nif:index_new(),
    ok = btr_nif:index_stage(Index, 1, [
        {put, File, Unit, Options}
     || {File, {ok, Unit}} <- btr_nif:parse_many(Texts)
    ]),
    ok = btr_nif:index_publish(Index, 1),
    Index.

text(N) ->
    iolist_to_binary([superclass(N), " subclass: ", name(N), $\n | methods(N)]).

methods(N) when N rem 1000 =:= 0 -> "  rare => nil\n";
methods(_) -> "  common => nil\n".

superclass(1) -> "Object";
superclass(N) -> name(parent(N)).

parent(N) -> (N - 2) div 5 + 1.

name(N) -> <<"Tree", (integer_to_binary(N))/binary>>.

today(Classes) ->
    Subclasses = ets:new(subclasses, [duplicate_bag]),
    Methods = ets:new(methods, [set]),
    lists:foreach(
        fun(N) ->
            true = ets:insert(Subclasses, {parent(N), N}),
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
