%% @doc The transaction: how long the image is under way, and what it costs over compiling and
%% loading the same classes.
-module(bench_txn).

-export([rows/0]).

-define(METHODS, 10).

%% @doc All rows of the transaction.
-spec rows() -> [bench:row()].
rows() ->
    ok = running(),
    Small = [
        window_row(10, "idle", 0, {at_most, 3000000, ns}),
        window_row(10, "200 busy processes", 200, {at_most, 25000000, ns}),
        overhead_row(10)
    ],
    case bench:is_quick() of
        true ->
            Small;
        false ->
            Small ++ [overhead_row(100), window_row(1000, "idle", 0, {at_most, 150000000, ns})]
    end.

running() ->
    case bt_refactor:changes() =:= [] andalso whereis(btr_coordinator) =:= undefined of
        true -> element(1, bt_embedded:start(#{project => "examples/harbour"}));
        false -> ok
    end.

size(Classes, How) ->
    io_lib:format("~b classes of ~b methods, ~s", [Classes, ?METHODS, How]).

%% From the first staged effect to the new generation; beside it what `code:finish_loading/1' alone
%% took of that.
window_row(Classes, How, Busy, Target) ->
    bench:progress("transactions over ~b classes, ~s", [Classes, How]),
    ok = apply_change(Classes, #{}),
    Windows = [window(Classes, Busy) || _ <- lists:seq(1, rounds(Classes, Busy))],
    {Ours, Loading} = lists:unzip(Windows),
    Row = bench:row("transaction, staged to current", size(Classes, How),
        {bench_clock:median(Ours), ns}, Target),
    Row#{reference := {"finish_loading", {bench_clock:median(Loading), ns}}}.

rounds(1000, _) -> 3;
rounds(_, 0) -> 9;
rounds(_, _) -> 3.

%% Processes that are busy from when all is compiled: compiling beside them takes its share of the
%% processors, one in two hundred, and is not what is measured.
window(Classes, Busy) ->
    Spinners = [spawn_link(fun() -> receive go -> spin(0) end end) || _ <- lists:seq(1, Busy)],
    Progress = fun
        (#{done := Total, total := Total}) -> lists:foreach(fun(Pid) -> Pid ! go end, Spinners);
        (_) -> ok
    end,
    Window = traced(fun() -> apply_change(Classes, #{progress => Progress}) end),
    lists:foreach(fun(Pid) -> unlink(Pid), exit(Pid, kill) end, Spinners),
    Window.

spin(N) -> spin(N + bte_send:send('+', 0, N, 1) - N).

%% Three points of the coordinator's way are traced, none of the code that is loaded.
traced(Transaction) ->
    Points = [{bte_host, stage, 2}, {bte_host, switch, 1}, {bte_registry, set_generation, 1}],
    [1 = erlang:trace_pattern(Point, [{'_', [], [{return_trace}]}], []) || Point <- Points],
    Coordinator = whereis(btr_coordinator),
    1 = erlang:trace(Coordinator, true, [call, monotonic_timestamp]),
    ok = Transaction(),
    1 = erlang:trace(Coordinator, false, [call, monotonic_timestamp]),
    [1 = erlang:trace_pattern(Point, false, []) || Point <- Points],
    [{Began, _}, {From, To}, {_, Ended}] = [times(F) || {_, F, _} <- Points],
    {Ended - Began, To - From}.

times(Function) ->
    Called = receive {trace_ts, _, call, {_, Function, _}, From} -> From end,
    receive {trace_ts, _, return_from, {_, Function, _}, _, To} -> {Called, To} end.

apply_change(Classes, Opts) ->
    {ok, _} = bt_refactor:change(change(Classes), Opts#{log => false, timeout => 60000}),
    ok.

%% Over compiling the same classes and loading them.
overhead_row(Classes) ->
    bench:progress("transactions against compiling and loading, ~b classes", [Classes]),
    ok = apply_change(Classes, #{}),
    Pairs = [{reference(Classes), transaction(Classes)} || _ <- lists:seq(1, 7)],
    Reference = bench_clock:median([R || {R, _} <- Pairs]),
    Ours = bench_clock:median([T || {_, T} <- Pairs]),
    (bench:row("transaction", size(Classes, "idle"), {Ours, ns}, {times_reference, 1.15}))#{
        reference := {"compile and load", {Reference, ns}}
    }.

transaction(Classes) ->
    element(1, bench_clock:once(fun() -> apply_change(Classes, #{}) end)).

reference(Classes) ->
    Change = change(Classes),
    element(1, bench_clock:once(fun() -> compile_and_load(Change) end)).

compile_and_load(Change) ->
    {ok, #{modules := Modules}} = bte_host:compile(Change, fun(_) -> ok end),
    lists:foreach(fun({Module, _, _}) -> true = code:soft_purge(Module) end, Modules),
    ok = code:atomic_load(Modules).

%% Each class with another text than it has.
change(Classes) ->
    Units = [unit(Classes, N) || N <- lists:seq(1, Classes)],
    #{operation => load, units => Units, names => []}.

unit(Classes, N) ->
    Name = io_lib:format("Txn~bOf~b", [N, Classes]),
    File = iolist_to_binary(io_lib:format("src/txn_~b_of_~b.bt", [N, Classes])),
    Other = integer_to_binary(erlang:unique_integer([positive])),
    Text = <<(bench_world:class(Name, ?METHODS - 1))/binary, "  other => ", Other/binary, "\n">>,
    Old = case bte_host:unit(File) of
        {ok, #{digest := Digest}} -> Digest;
        error -> absent
    end,
    #{
        file => File, text => Text, package => <<"harbour">>, origin => project,
        names_only => false, old_digest => Old
    }.
