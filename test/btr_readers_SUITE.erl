%%% Must-show 1 of the transaction: readers walk through 100 modules while these are switched
%%% together. BTR_SWITCHES sets how often; the default takes two minutes or so.
-module(btr_readers_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-define(MODULES, 100).
-define(FIRST, btr_ring_1).

suite() -> [{timetrap, {minutes, 15}}].

all() -> [no_reader_sees_two_versions_mixed].

init_per_testcase(_, Config) ->
    btr_host_code:start(?MODULES),
    {ok, _} = bt_refactor:start(#{host => btr_host_code}),
    Config.

end_per_testcase(_, _) ->
    bt_refactor:stop(),
    btr_host_code:stop().

no_reader_sees_two_versions_mixed(_) ->
    Switches = list_to_integer(os:getenv("BTR_SWITCHES", "1000")),
    Quick = [do_reader(fun btr_host_code:chain/1) || _ <- [1, 2]],
    Slow = [do_reader(fun btr_host_code:slow_chain/1) || _ <- [1, 2]],
    [{ok, _} = bt_refactor:change(btr_host_code:change(V), #{timeout => 60000})
     || V <- lists:seq(2, Switches + 1)],
    QuickSeen = [do_stop(R) || R <- Quick],
    SlowSeen = [do_stop(R) || R <- Slow],
    ct:pal("~b switches; quick readers ~p, yielding readers ~p", [Switches, QuickSeen, SlowSeen]),
    [?assertMatch(#{mixed := 0, back := 0, chains := C} when C > 0, S) || S <- QuickSeen],
    %% Preempted over a switch they go from old to new, and are answered.
    [?assertMatch(#{back := 0, chains := C} when C > 0, S) || S <- SlowSeen],
    ?assertEqual(Switches, btr_host_code:generation()).

do_reader(Walk) ->
    spawn_monitor(fun() -> do_read(Walk, #{chains => 0, mixed => 0, back => 0}) end).

do_stop({Pid, Monitor}) ->
    Pid ! stop,
    ?AWAIT({'DOWN', Monitor, process, Pid, {seen, Seen}}, Seen).

do_read(Walk, #{chains := N, mixed := Mixed, back := Back} = Seen) ->
    receive
        stop -> exit({seen, Seen})
    %% Waiting gives up the time slice; readers that never wait make each purge wait for theirs.
    after 1 ->
        %% Last module first.
        Versions = Walk(?FIRST),
        ?MODULES = length(Versions),
        Sorted = lists:reverse(lists:sort(Versions)),
        do_read(Walk, #{
            chains => N + 1,
            mixed => Mixed + (case lists:usort(Versions) of [_] -> 0; _ -> 1 end),
            back => Back + (case Versions of Sorted -> 0; _ -> 1 end)
        })
    end.
