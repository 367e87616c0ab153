%% @doc Measures: the median of several rounds, each long enough for the clock.
-module(bench_clock).

-export([each/2, apart/2, once/1, median/1]).

%% @doc Nanoseconds of one call, the median over rounds of at least so many milliseconds in all.
-spec each(fun(() -> term()), pos_integer()) -> float().
each(Fun, Milliseconds) ->
    Calls = calibrate(Fun, 1),
    Rounds = rounds(Fun, Calls, erlang:monotonic_time(millisecond) + Milliseconds, []),
    median(Rounds).

%% @doc The same in a process of its own: one that holds a world of texts pays for them whenever it
%% collects its garbage, which a client does not.
-spec apart(fun(() -> term()), pos_integer()) -> float().
apart(Fun, Milliseconds) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({figure, each(Fun, Milliseconds)}) end),
    receive
        {'DOWN', Monitor, process, Pid, {figure, Figure}} -> Figure;
        {'DOWN', Monitor, process, Pid, Reason} -> error(Reason)
    end.

%% @doc Nanoseconds of a single call, with its value.
-spec once(fun(() -> Value)) -> {float(), Value}.
once(Fun) ->
    Began = erlang:monotonic_time(nanosecond),
    Value = Fun(),
    {float(erlang:monotonic_time(nanosecond) - Began), Value}.

%% @doc The median of figures.
-spec median([number(), ...]) -> number().
median(Figures) -> lists:nth((length(Figures) + 1) div 2, lists:sort(Figures)).

%% How many calls take about two milliseconds.
calibrate(Fun, Calls) ->
    case time(Fun, Calls) of
        Time when Time < 2000000, Calls < 1 bsl 22 -> calibrate(Fun, Calls * 2);
        _ -> Calls
    end.

rounds(Fun, Calls, End, Acc) ->
    Round = time(Fun, Calls) / Calls,
    case erlang:monotonic_time(millisecond) < End orelse length(Acc) < 2 of
        true -> rounds(Fun, Calls, End, [Round | Acc]);
        false -> [Round | Acc]
    end.

time(Fun, Calls) ->
    Began = erlang:monotonic_time(nanosecond),
    repeat(Fun, Calls),
    erlang:monotonic_time(nanosecond) - Began.

repeat(_, 0) ->
    ok;
repeat(Fun, N) ->
    _ = Fun(),
    repeat(Fun, N - 1).
