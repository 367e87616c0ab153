%% @doc The first load of a project: parse and index two megabytes, on two cores against one.
%% Each is measured in a node of its own, whose threads the system keeps to its cores.
-module(bench_load).

-export([rows/0, child/0]).

-define(BYTES, 2000000).
-define(ROUNDS, 9).

%% @doc One row, where there is `taskset' and more than one core.
-spec rows() -> [bench:row()].
rows() ->
    Cores = erlang:system_info(logical_processors_available),
    case os:find_executable("taskset") of
        false -> [];
        _ when Cores < 2 -> [];
        Taskset -> [row(Taskset)]
    end.

row(Taskset) ->
    bench:progress("first load on one core and on two", []),
    One = measured([Taskset, " -c 0 "]),
    Two = measured([Taskset, " -c 0,1 "]),
    Row = bench:row("first load, two cores", "2 MB", {Two, ns}, {times_reference, 1 / 1.7}),
    Row#{reference := {"one core", {One, ns}}}.

measured(Prefix) ->
    Paths = [["-pa ", Path, " "] || Path <- code:get_path(), filename:pathtype(Path) =:= relative],
    Command = [Prefix, "erl -noshell +sbwt none ", Paths, "-eval 'bench_load:child(), halt().'"],
    list_to_float(string:trim(os:cmd(lists:flatten(Command)))).

%% @doc Prints the nanoseconds of a load, the best of some.
-spec child() -> ok.
child() ->
    [{_, Text} | _] = Files = bench_world:senders(100000),
    Some = lists:sublist(Files, ?BYTES div byte_size(Text)),
    Times = [element(1, bench_clock:once(fun() -> load(Some) end)) || _ <- lists:seq(1, ?ROUNDS)],
    io:format("~p~n", [lists:min(Times)]).

load(Files) ->
    Options = #{package => <<"bench">>, origin => project},
    Units = [{put, File, Unit, Options} || {File, {ok, Unit}} <- btr_nif:parse_many(Files)],
    Index = btr_nif:index_new(),
    ok = btr_nif:index_stage(Index, 1, Units),
    ok = btr_nif:index_publish(Index, 1).
