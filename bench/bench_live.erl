%% @doc The running workspace: sends, actors, live patches, renames, start.
-module(bench_live).

-export([rows/0, crowded/0]).

-define(TURNS, 100000).
-define(PATCH_LIMIT, 8000000).
-define(PATCHES, 101).

%% @doc All rows of the live side.
-spec rows() -> [bench:row()].
rows() ->
    bench:progress("a workspace with harbour", []),
    {ok, _} = bt_embedded:start(#{project => "examples/harbour"}),
    sends() ++ [actor()] ++ patches() ++ [purge()] ++ renames().

%% @doc A live patch beside all the classes that other benchmarks have left behind.
-spec crowded() -> [bench:row()].
crowded() ->
    Others = eval(<<"Workspace classes size">>),
    Size = io_lib:format("class of 2 methods beside ~b classes", [Others]),
    [patch_row(<<"BenchCrowded">>, 2, Size, ?PATCH_LIMIT)].

%% Sends

sends() ->
    bench:progress("sends", []),
    define(<<
        "Value subclass: BenchTop\n"
        "  nothing => nil\n"
    >>),
    define(<<"BenchTop subclass: BenchMid\n  other => nil\n">>),
    define(<<
        "BenchMid subclass: BenchLoop\n"
        "  empty => nil\n"
        "  local: n => 1 to: n do: [:i | self empty]\n"
        "  inherited: n => 1 to: n do: [:i | self nothing]\n"
    >>),
    Receiver = eval(<<"BenchLoop new">>),
    Reference = per_turn(fun() -> bench_ref:loop(?TURNS) end),
    [
        send_row("send to a local method", 'local:', Receiver, Reference, 8),
        send_row("send to a method two levels up", 'inherited:', Receiver, Reference, 10)
    ].

send_row(What, Selector, Receiver, Reference, Times) ->
    Ours = per_turn(fun() -> bte_send:send(Selector, 0, Receiver, ?TURNS) end),
    (bench:row(What, "a turn of a loop", {Ours, ns}, {times_reference, Times}))#{
        reference := {"Erlang call", {Reference, ns}}
    }.

per_turn(Loop) -> bench_clock:each(Loop, 300) / ?TURNS.

%% Actors

actor() ->
    bench:progress("actors", []),
    define(<<"Actor subclass: BenchActor\n  ask => nil\n">>),
    Actor = eval(<<"BenchActor spawn">>),
    Server = bench_ref:start(),
    Ours = bench_clock:each(fun() -> bte_send:send(ask, 0, Actor) end, 300),
    Reference = bench_clock:each(fun() -> bench_ref:ask(Server) end, 300),
    ok = bench_ref:stop(Server),
    (bench:row("actor round trip", "", {Ours, ns}, {times_reference, 1.5}))#{
        reference := {"gen_server:call", {Reference, ns}}
    }.

%% Patches

patches() ->
    [
        patch_row(<<"BenchSmall">>, 2, "class of 2 methods", ?PATCH_LIMIT),
        patch_row(<<"BenchLarge">>, 100, "class of 100 methods", 100000000)
    ].

patch_row(Class, Methods, Size, Most) ->
    bench:progress("live patch, ~s", [Size]),
    define(bench_world:class(Class, Methods)),
    Times = [patched(Class, N) || N <- lists:seq(1, ?PATCHES)],
    bench:row("live patch of a method", Size, {bench_clock:median(Times), ns}, {at_most, Most, ns}).

%% With every purge of before at an end, whose cost is told apart.
patched(Class, N) ->
    ok = wait_for_purge(),
    Text = <<Class/binary, " >> m1 => ", (integer_to_binary(N))/binary>>,
    {Time, _} = bench_clock:once(fun() -> eval(Text) end),
    Time.

wait_for_purge() ->
    case lists:any(fun erlang:check_old_code/1, erlang:loaded()) of
        true -> receive after 1 -> wait_for_purge() end;
        false -> ok
    end.

%% The old code that a patch leaves is purged behind it: each process is asked whether it runs it.
purge() ->
    bench:progress("purge", []),
    Idle = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 1000)],
    Processes = erlang:system_info(process_count),
    {ok, Module, Binary} = compile:forms([{attribute, 1, module, bench_purged}]),
    Times = [purged(Module, Binary) || _ <- lists:seq(1, 21)],
    lists:foreach(fun(Pid) -> Pid ! stop end, Idle),
    Figure = bench_clock:median(Times) / Processes,
    bench:row("purge of a module, a process", io_lib:format("~b processes", [Processes]),
        {Figure, ns}, none).

purged(Module, Binary) ->
    [{module, Module} = code:load_binary(Module, "", Binary) || _ <- [old, new]],
    {Time, true} = bench_clock:once(fun() -> code:soft_purge(Module) end),
    Time.

%% Renames

renames() ->
    bench:progress("renames", []),
    [
        rename_row("rename a class there and back, live", fun rename_class/0),
        rename_row("plan the rename of a class", fun plan_class/0)
    ].

rename_row(What, Operation) ->
    Times = [element(1, bench_clock:once(Operation)) || _ <- lists:seq(1, 7)],
    bench:row(What, "harbour", {bench_clock:median(Times), ns}, none).

rename_class() ->
    _ = eval(<<"Berth renameTo: #Jetty">>),
    _ = eval(<<"Jetty renameTo: #Berth">>),
    ok.

plan_class() ->
    Request = #{operation => rename_class, class => <<"Berth">>, new_name => <<"Jetty">>},
    {ok, _} = bt_refactor:plan(Request),
    ok.

define(Text) ->
    _ = eval(Text),
    ok.

eval(Text) ->
    case bt_embedded:eval(Text) of
        {ok, Value, _} -> Value;
        {error, Error} -> error({evaluation, Text, Error})
    end.
