%% @doc The start of a workspace in a node of its own, with an empty and with a filled cache of
%% compiled classes. The generated project is first started with the library in the cache, and
%% nothing of its own: that figure is of its classes.
-module(bench_start).

-export([rows/0, child/2]).

%% @doc Rows for the example and for a generated project.
-spec rows() -> [bench:row()].
rows() ->
    Base = filename:join(["_build", "bench", "start"]),
    _ = file:del_dir_r(Base),
    Project = filename:join(Base, "project"),
    Classes = classes(),
    ok = write(Project, bench_world:loadable(Classes)),
    Cache = filename:join(Base, "cache"),
    Most = {at_most, 600000000, ns},
    pair("harbour", "examples/harbour", Cache, {"start, cache empty", none, Most}) ++
        pair(
            io_lib:format("~b classes of ten methods", [Classes]), Project, Cache,
            {"start, only the library cached", cold(Classes), warm(Classes)}
        ).

classes() ->
    case bench:is_quick() of
        true -> 100;
        false -> 1000
    end.

cold(1000) -> {at_most, 8000000000, ns};
cold(_) -> none.

warm(1000) -> {at_most, 1000000000, ns};
warm(_) -> none.

pair(Size, Project, Cache, {What, ColdTarget, WarmTarget}) ->
    bench:progress("start with ~ts", [Size]),
    Cold = start(Project, Cache),
    Warm = bench_clock:median([start(Project, Cache) || _ <- [1, 2, 3]]),
    [
        bench:row(What, Size, {Cold, ns}, ColdTarget),
        bench:row("start, cached", Size, {Warm, ns}, WarmTarget)
    ].

%% Nanoseconds from the start of a node to a workspace that is ready.
start(Project, Cache) ->
    Paths = ["_build/bench" | filelib:wildcard("_build/default/lib/*/ebin")],
    Main = io_lib:format("bench_start:child(~tp, ~tp)", [Project, Cache]),
    Began = erlang:monotonic_time(nanosecond),
    Port = open_port({spawn_executable, os:find_executable("erl")}, [
        {args, ["-noshell", "-pa" | Paths] ++ ["-eval", Main]}, exit_status, binary
    ]),
    receive
        {Port, {data, <<"ready", _/binary>>}} -> ok;
        {Port, {exit_status, Status}} -> error({start, Project, Status})
    end,
    Ended = erlang:monotonic_time(nanosecond),
    receive
        {Port, {exit_status, 0}} -> float(Ended - Began)
    end.

%% @doc What the node of its own does.
-spec child(file:filename(), file:filename()) -> no_return().
child(Project, Cache) ->
    ok = application:set_env(bt_embedded, cache, filename:absname(Cache)),
    {ok, _} = bt_embedded:start(#{project => Project}),
    io:put_chars("ready\n"),
    erlang:halt(0).

write(Dir, Files) ->
    Manifest = {<<"beamtalk.toml">>, <<"[package]\nname = \"bench\"\nversion = \"0.1.0\"\n">>},
    lists:foreach(
        fun({File, Text}) ->
            Path = filename:join(Dir, File),
            ok = filelib:ensure_dir(Path),
            ok = file:write_file(Path, Text)
        end,
        [Manifest | Files]
    ).
