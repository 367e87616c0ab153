%% @doc Runs the Erlang benchmarks, joins them with criterion's figures, prints one table and keeps
%% it as JSON.
%%
%% A row is what was measured, on which size, our figure, the reference's figure of the same run
%% (the plainest other way to the same end, on the same machine, at the same time), their ratio,
%% the target and whether it was met.
-module(bench).

-export([main/0, is_quick/0, row/4, progress/2]).
-export_type([row/0, figure/0]).

-type unit() :: ns | mb_s | bytes | times.
-type figure() :: {number(), unit()}.
-type target() :: none | {at_most | at_least, number(), unit()} | {times_reference, number()}.
-type row() :: #{
    what := unicode:chardata(),
    size := unicode:chardata(),
    ours := figure(),
    reference := none | {unicode:chardata(), figure()},
    target := target()
}.

%% @doc Measures all, prints the table, writes the JSON; answers the exit status.
-spec main() -> 0.
main() ->
    _ = io:setopts([{encoding, unicode}]),
    Groups = [
        fun bench_criterion:rows/0,
        fun bench_index:rows/0,
        fun bench_live:rows/0,
        fun bench_txn:rows/0,
        fun bench_live:crowded/0,
        fun bench_start:rows/0
    ],
    Rows = lists:append([Group() || Group <- Groups]),
    bench_table:print(Rows),
    io:format("~nas JSON: ~ts~n", [bench_table:save(Rows)]),
    0.

%% @doc Answers whether sizes and rounds are to be small.
-spec is_quick() -> boolean().
is_quick() -> os:getenv("QUICK", "") =/= "".

%% @doc Makes a row without a reference.
-spec row(unicode:chardata(), unicode:chardata(), figure(), target()) -> row().
row(What, Size, Ours, Target) ->
    #{what => What, size => Size, ours => Ours, reference => none, target => Target}.

%% @doc Says on standard error what is being measured.
-spec progress(io:format(), [term()]) -> ok.
progress(Format, Arguments) ->
    io:format(standard_error, "bench:   " ++ Format ++ "~n", Arguments).
