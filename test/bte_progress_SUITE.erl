%%% What a long compilation tells: when it is told, and that it harms nothing.
-module(bte_progress_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [nothing_is_told_unless_asked_for, steps_are_told_and_handed_on,
     short_compilations_tell_nothing, lines_grow_rare, closed_device_harms_nothing,
     interrupted_compilation_changes_nothing].

init_per_testcase(_, Config) ->
    bte_workspace:start(),
    Config.

end_per_testcase(_, _) ->
    bte_progress:hide(),
    bte_workspace:stop().

do_units(N, Value) ->
    [bte_workspace:unit(iolist_to_binary(["c", integer_to_list(I), ".bt"]),
        ["Object subclass: C", integer_to_list(I), "\n  value => ", Value, "\n"])
     || I <- lists:seq(1, N)].

do_load(N, Value) ->
    bt_refactor:change(
        #{operation => load, units => do_units(N, Value), names => []}, #{log => false}
    ).

%% What a device was told by a function.
do_told(Options, Fun) ->
    Device = spawn_link(fun() -> do_device([]) end),
    bte_progress:show(Options#{device => Device}),
    Fun(),
    bte_progress:hide(),
    Device ! {told, self()},
    ?AWAIT({told, Lines}, Lines).

%% An I/O device that keeps what it is given.
do_device(Lines) ->
    receive
        {io_request, From, Ref, Request} ->
            From ! {io_reply, Ref, ok},
            do_device([do_chars(Request) | Lines]);
        {told, From} ->
            From ! {told, lists:reverse(Lines)}
    end.

do_chars({put_chars, unicode, Chars}) -> unicode:characters_to_binary(Chars);
do_chars({put_chars, unicode, M, F, A}) -> unicode:characters_to_binary(apply(M, F, A)).

nothing_is_told_unless_asked_for(_) ->
    Progress = fun(_) -> ok end,
    ?assertEqual(Progress, bte_progress:beside(Progress)).

steps_are_told_and_handed_on(_) ->
    Me = self(),
    Lines = do_told(#{first => 0}, fun() ->
        Tell = bte_progress:beside(fun(Step) -> Me ! Step, ok end),
        ok = Tell(#{stage => compiling, done => 1234, total => 1200345})
    end),
    ?assertEqual([<<"compiling 1,234 of 1,200,345 classes\n">>], Lines),
    ?AWAIT(#{done := 1234}, ok).

short_compilations_tell_nothing(_) ->
    ?assertEqual([], do_told(#{first => 3600000}, fun() -> {ok, _} = do_load(3, "1") end)),
    %% The last step is the end.
    ?assertEqual([], do_told(#{first => 0}, fun() -> {ok, _} = do_load(1, "2") end)).

lines_grow_rare(_) ->
    Steps = 100000,
    Lines = do_told(#{first => 0}, fun() ->
        Tell = bte_progress:beside(fun(_) -> ok end),
        [ok = Tell(#{done => N, total => Steps + 1}) || N <- lists:seq(1, Steps)]
    end),
    ?assertMatch([<<"compiling 1 of 100,001 classes\n">> | _], Lines),
    ?assert(length(Lines) < Steps div 10).

closed_device_harms_nothing(_) ->
    {Device, Monitor} = spawn_monitor(fun() -> ok end),
    ?AWAIT({'DOWN', Monitor, process, Device, _}, ok),
    bte_progress:show(#{device => Device, first => 0}),
    {ok, _} = do_load(3, "1"),
    ?assertEqual(1, bte_workspace:value("C3 new value")).

%% Who asked ends in the middle of it.
interrupted_compilation_changes_nothing(_) ->
    {ok, _} = do_load(20, "1"),
    Before = {bte_host:units(), bte_host:generation(), ets:tab2list(bte_registry)},
    Me = self(),
    {Asker, Monitor} = spawn_monitor(fun() ->
        bt_refactor:change(
            #{operation => load, units => do_units(20, "2"), names => []},
            #{log => false, progress => fun(#{done := Done}) ->
                Me ! {compiled, Done, self()},
                receive go -> ok end
            end}
        )
    end),
    Worker = ?AWAIT({compiled, 1, W}, W),
    Compiling = monitor(process, Worker),
    exit(Asker, kill),
    ?AWAIT({'DOWN', Monitor, process, Asker, killed}, ok),
    ?AWAIT({'DOWN', Compiling, process, Worker, killed}, ok),
    ?assertEqual(Before,
        {bte_host:units(), bte_host:generation(), ets:tab2list(bte_registry)}),
    ?assertEqual(1, bte_workspace:value("C20 new value")),
    {ok, _} = do_load(20, "3"),
    ?assertEqual(3, bte_workspace:value("C20 new value")).
