%%% The coordinator over a fake host: order, refusals, failures at every effect, crashes.
-module(btr_coordinator_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [rename_becomes_current_and_is_logged, rename_to_itself_changes_nothing,
     refused_plan_changes_nothing, seen_plan_is_refused_when_the_image_moved,
     bare_request_sees_the_image_of_its_turn, remove_and_patch_leave_entries,
     hand_made_change_leaves_an_entry_for_each_method, group_shares_its_first_seq,
     compile_failure_in_the_fourth_of_six_changes_nothing,
     failure_before_the_switch_changes_nothing, failure_after_the_switch_completes,
     crash_before_the_switch_changes_nothing, crash_after_the_switch_completes,
     outcome_goes_with_its_caller,
     log_failure_keeps_the_change, old_code_is_waited_for, old_code_refuses_late,
     old_code_of_the_asker_refuses_at_once, purge_that_hangs_is_bounded, two_at_once_are_serial,
     queue_has_a_deadline, entries_are_readable_during_a_transaction, operations_queue_up,
     queued_operations_go_at_their_deadline,
     request_of_a_dead_asker_is_dropped, no_workspace_is_an_error].

init_per_testcase(_, Config) ->
    ok = btr_toy:bear_restarts(1000),
    do_start(do_texts()),
    Config.

end_per_testcase(_, _) ->
    bt_refactor:stop(),
    application:stop(bt_refactor),
    btr_host_fake:stop().

do_start(Texts) ->
    btr_host_fake:start(Texts),
    {ok, _} = bt_refactor:start(btr_toy:options()).

do_texts() ->
    maps:from_list([
        {<<"src/counter.bt">>,
            <<"Object subclass: Counter\n  increment => 1\n  class make => Counter new\n">>},
        {<<"src/user.bt">>, <<"Object subclass: User\n  run => Counter make increment\n">>}
        | [{<<"src/m", N, ".bt">>, <<"Object subclass: M", N, "\n  a => 1\n">>} || N <- "123456"]
    ]).

do_rename(Old, New) -> #{operation => rename_class, class => Old, new_name => New}.
do_text(File) ->
    {ok, #{text := Text}} = btr_host_fake:unit(File),
    Text.

do_image() -> {btr_host_fake:snapshot(), bt_refactor:changes()}.

rename_becomes_current_and_is_logged(_) ->
    {ok, Entry} = bt_refactor:perform(do_rename(<<"Counter">>, <<"Tally">>)),
    ?assertMatch(
        #{seq := 1, kind := 'rename-class', class := <<"Tally">>, old_class := <<"Counter">>,
          old_path := <<"src/counter.bt">>, new_path := <<"src/tally.bt">>, group := 1,
          summary := #{sites := 3, files := 2}, active := true, flushable := true},
        Entry
    ),
    [Own | Others] = maps:get(sites, Entry),
    ?assertMatch(#{kind := header, file := <<"src/counter.bt">>,
                   prev_source := <<"Object subclass: Counter\n">>,
                   source := <<"Object subclass: Tally\n">>}, Own),
    ?assertMatch([#{selector := <<"make">>, side := class},
                  #{selector := <<"run">>, source := <<"  run => Tally make increment\n">>}],
                      Others),
    ?assertEqual(1, btr_host_fake:generation()),
    ?assertEqual(<<"Object subclass: User\n  run => Tally make increment\n">>,
        do_text(<<"src/user.bt">>)),
    ?assertMatch([#{seq := 1}], bt_refactor:changes()).

rename_to_itself_changes_nothing(_) ->
    Before = do_image(),
    {ok, #{seq := nil}} = bt_refactor:perform(do_rename(<<"Counter">>, <<"Counter">>)),
    ?assertEqual(Before, do_image()).

refused_plan_changes_nothing(_) ->
    Before = do_image(),
    {error, {btr, <<"name.taken">>, _}} = bt_refactor:perform(do_rename(<<"Counter">>, <<"User">>)),
    {error, {btr, <<"request.invalid">>, _}} = bt_refactor:change(#{units => []}),
    ?assertEqual(Before, do_image()).

seen_plan_is_refused_when_the_image_moved(_) ->
    {ok, Plan} = bt_refactor:plan(do_rename(<<"Counter">>, <<"Tally">>)),
    {ok, _} = bt_refactor:perform(do_rename(<<"M1">>, <<"N1">>)),
    Before = do_image(),
    {error, Error} = bt_refactor:apply(Plan),
    ?assertMatch({btr, <<"plan.outdated">>, #{planned := 0, generation := 1}}, Error),
    ?assertEqual(plan_outdated, btr_error:kind(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:message(Error),
        <<"N1 (rename-class from M1)">>)),
    ?assertEqual(Before, do_image()),
    {ok, Again} = bt_refactor:plan(do_rename(<<"Counter">>, <<"Tally">>)),
    {ok, _} = bt_refactor:apply(Again).

bare_request_sees_the_image_of_its_turn(_) ->
    Self = self(),
    btr_faults:inject(compile, 'before', {call, fun() ->
        Self ! {compiling, self()},
        receive go -> ok end
    end}),
    Ask = fun(Request) -> spawn_monitor(fun() ->
        exit({answer, bt_refactor:perform(Request)}) end) end,
    {_, A} = Ask(do_rename(<<"Counter">>, <<"Tally">>)),
    Worker = ?AWAIT({compiling, W}, W),
    {_, B} = Ask(do_rename(<<"Tally">>, <<"Meter">>)),
    Worker ! go,
    {ok, _} = do_answer(A),
    {ok, #{class := <<"Meter">>}} = do_answer(B),
    ?assertEqual(2, btr_host_fake:generation()).

do_answer(Monitor) ->
    ?AWAIT({'DOWN', Monitor, process, _, {answer, Answer}}, Answer).

remove_and_patch_leave_entries(_) ->
    {ok, Removed} = bt_refactor:perform(
        #{operation => remove_method, class => <<"Counter">>, side => instance,
            selector => <<"increment">>}
    ),
    ?assertMatch(#{kind := 'remove-method', side := instance, selector := <<"increment">>,
                   prev_source := <<"  increment => 1\n">>, source := nil,
                   source_file := <<"src/counter.bt">>}, Removed),
    {ok, Patched} = bt_refactor:perform(
        #{operation => patch_method, class => <<"Counter">>, side => class,
            source => <<"make => 7">>},
        #{author => <<"agent">>, author_kind => agent}
    ),
    ?assertMatch(#{kind := class, side := class, source := <<"  class make => 7\n">>,
                   author_kind := agent}, Patched),
    {error, {btr, <<"selector.not_found">>, _}} = bt_refactor:perform(
        #{operation => remove_method, class => <<"Counter">>, side => instance,
            selector => <<"increment">>}
    ).

do_unit(File, Text) ->
    {Digest, Known} = case btr_host_fake:unit(File) of
        {ok, #{digest := D}} -> {D, true};
        error -> {absent, false}
    end,
    _ = Known,
    #{file => File, text => Text, package => <<"toy">>, origin => project, names_only => false,
      old_digest => Digest}.

do_six(Body) ->
    [do_unit(<<"src/m", N, ".bt">>, <<"Object subclass: M", N, "\n  a => ", Body/binary, "\n">>)
     || N <- "123456"].

hand_made_change_leaves_an_entry_for_each_method(_) ->
    {ok, #{seq := 1, group := 1}} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"2">>), names => []}
    ),
    ?assertEqual(
        [{N, 1, instance} || N <- lists:seq(1, 6)],
        [{S, G, K} || #{seq := S, group := G, kind := K} <- bt_refactor:changes()]
    ).

group_shares_its_first_seq(_) ->
    {ok, _} = bt_refactor:perform(do_rename(<<"M1">>, <<"N1">>)),
    New = do_unit(<<"src/new.bt">>, <<"Object subclass: New\n  a => 1\n">>),
    Gone = (do_unit(<<"src/m2.bt">>, <<>>))#{text => deleted},
    {ok, _} = bt_refactor:change(#{operation => mixed, units => [New, Gone], names => []}),
    ?assertMatch(
        [#{kind := 'rename-class', group := 1}, #{kind := 'new-class', group := 2},
         #{kind := 'remove-class', group := 2, class := <<"M2">>}],
        bt_refactor:changes()
    ).

compile_failure_in_the_fourth_of_six_changes_nothing(_) ->
    Before = do_image(),
    Units = [case F of <<"src/m4.bt">> -> U#{text => <<"%%ERROR">>}; _ -> U end
             || #{file := F} = U <- do_six(<<"2">>)],
    {error, Error} = bt_refactor:change(#{operation => patch, units => Units, names => []}),
    ?assertEqual(compile_failed, btr_error:kind(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:format(Error),
        <<"src/m4.bt:1:1: does not compile">>)),
    ?assertEqual(Before, do_image()).

failure_before_the_switch_changes_nothing(_) ->
    Error = btr_error:new(<<"load.failed">>, <<"injected">>),
    [
        begin
            Before = do_image(),
            btr_faults:inject(Callback, 'before', Action),
            {error, _} = bt_refactor:change(#{operation => patch, units => do_six(<<"3">>),
                names => []}),
            ?assertEqual({Callback, Action, Before}, {Callback, Action, do_image()}),
            ?assertEqual([], btr_host_fake:violations())
        end
     || Callback <- [compile, old_code, stage, switch],
        Action <- [{return, {error, Error}}, raise]
    ],
    {ok, _} = bt_refactor:change(#{operation => patch, units => do_six(<<"3">>), names => []}).

failure_after_the_switch_completes(_) ->
    [
        begin
            Body = integer_to_binary(erlang:unique_integer([positive])),
            btr_faults:inject(Callback, When, Action),
            {ok, _} = bt_refactor:change(#{operation => patch, units => do_six(Body), names => []}),
            ?assertMatch({match, _}, re:run(do_text(<<"src/m6.bt">>), Body))
        end
     || {Callback, When, Action} <- [{switch, 'after', raise}, {publish, 'before', raise},
                                     {publish, 'after', raise}, {purge, 'before', raise}]
    ],
    ?assertEqual(4, length(lists:usort([G || #{group := G} <- bt_refactor:changes()]))),
    ?assertEqual(4, btr_host_fake:generation()).

crash_before_the_switch_changes_nothing(_) ->
    [
        begin
            {Before, Log} = do_image(),
            btr_faults:inject(Callback, When, kill),
            {error, {btr, <<"workspace.restarted">>, _}} = bt_refactor:change(
                #{operation => patch, units => do_six(<<"3">>), names => []}
            ),
            ?assertEqual({Callback, When, {Before, Log}}, {Callback, When, do_image()}),
            ?assertEqual([], btr_host_fake:violations())
        end
     || {Callback, When} <- [{compile, 'before'}, {compile, 'after'}, {old_code, 'before'},
                             {stage, 'after'}, {switch, 'before'}]
    ],
    {ok, _} = bt_refactor:change(#{operation => patch, units => do_six(<<"3">>), names => []}).

crash_after_the_switch_completes(_) ->
    [
        begin
            Body = integer_to_binary(erlang:unique_integer([positive])),
            btr_faults:inject(Callback, When, kill),
            {ok, #{seq := Seq}} = bt_refactor:change(
                #{operation => patch, units => do_six(Body), names => []}
            ),
            ?assertMatch({match, _}, re:run(do_text(<<"src/m6.bt">>), Body)),
            ?assertMatch({ok, #{kind := instance}}, bt_refactor:entry(Seq)),
            ?assertEqual([], ets:lookup(btr_state, intent)),
            ?assertEqual([], btr_host_fake:violations())
        end
     || {Callback, When} <- [{switch, 'after'}, {publish, 'before'}, {publish, 'after'}]
    ],
    ?assertEqual(18, length(bt_refactor:changes())),
    ?assertEqual(3, btr_host_fake:generation()).

%% Of two callers whose change a successor completes one is dead by then, the other, which does not
%% get to ask, dies after one more crash.
outcome_goes_with_its_caller(_) ->
    Dead = do_interrupted(<<"3">>),
    do_end(Dead),
    do_crash(),
    btr_wait:for(1, fun btr_host_fake:generation/0),
    Idle = do_interrupted(<<"4">>),
    true = erlang:suspend_process(Idle),
    do_crash(),
    btr_wait:for(2, fun btr_host_fake:generation/0),
    {ok, _} = bt_refactor:change(do_patch(<<"5">>)),
    btr_wait:for([Idle], fun do_callers/0),
    do_crash(),
    btr_wait:until(fun() -> is_pid(whereis(btr_coordinator)) end),
    {ok, _} = bt_refactor:change(do_patch(<<"6">>)),
    ?assertEqual([Idle], do_callers()),
    do_end(Idle),
    btr_wait:for([], fun do_callers/0).

%% The caller of a change that has been switched; the coordinator stands still there.
do_interrupted(Body) ->
    Self = self(),
    btr_faults:inject(switch, 'after', {call, fun() ->
        Self ! switched,
        receive after infinity -> ok end
    end}),
    Caller = spawn(fun() -> bt_refactor:change(do_patch(Body)) end),
    ?AWAIT(switched, ok),
    Caller.

do_patch(Body) -> #{operation => patch, units => do_six(Body), names => []}.

do_crash() -> do_end(whereis(btr_coordinator)).

do_end(Pid) ->
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    killed = btr_wait:end_of(Monitor).

%% Of the outcomes that are kept.
do_callers() ->
    [element(2, Row) || Row <- ets:tab2list(btr_state), {outcome, _} <- [element(1, Row)]].

log_failure_keeps_the_change(_) ->
    bt_refactor:stop(),
    {ok, _} = bt_refactor:start(btr_toy:options(#{fs => btr_fs_fault, log => "/nowhere"})),
    btr_fs_fault:set(append, {error, enospc}),
    btr_fs_fault:set(write, {error, enospc}),
    {ok, Entry} = bt_refactor:perform(do_rename(<<"Counter">>, <<"Tally">>)),
    ?assertMatch(#{saved := false, kind := 'rename-class'}, Entry),
    ?assertMatch([#{saved := false}], bt_refactor:changes()),
    ?assertEqual(1, btr_host_fake:generation()),
    {ok, #{saved := false}} = bt_refactor:perform(do_rename(<<"Tally">>, <<"Counter">>)),
    btr_fs_fault:reset().

old_code_is_waited_for(_) ->
    Module = 'toy:src/m1.bt',
    btr_host_fake:hold(Module, self()),
    Self = self(),
    %% The third look finds it gone.
    btr_faults:inject(purge, 'before',
        {call, fun() -> Self ! nudged, btr_host_fake:release(Module) end}),
    {ok, _} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"2">>), names => []},
            #{asker => spawn(fun() -> ok end), timeout => infinity}
    ),
    ?AWAIT(nudged, ok),
    ?assertEqual(1, btr_host_fake:generation()).

old_code_refuses_late(_) ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    btr_host_fake:hold('toy:src/m1.bt', Pid),
    Before = do_image(),
    {error, Error} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"2">>), names => []}, #{timeout => 60}
    ),
    ?assertEqual(old_code_in_use, btr_error:kind(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:message(Error),
        list_to_binary(pid_to_list(Pid)))),
    ?assertEqual(Before, do_image()),
    Pid ! stop.

old_code_of_the_asker_refuses_at_once(_) ->
    btr_host_fake:hold('toy:src/m1.bt', self()),
    {error, {btr, <<"load.old_code_in_use">>, _}} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"2">>), names => []}, #{timeout => 3600000}
    ).

purge_that_hangs_is_bounded(_) ->
    Before = do_image(),
    btr_faults:inject(old_code, 'before', hang),
    {error, {btr, <<"load.old_code_in_use">>, _}} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"7">>), names => []}, #{timeout => 50}
    ),
    ?assertEqual(Before, do_image()),
    btr_faults:inject(purge, 'before', hang),
    %% Time enough to ask for old code, on a busy machine too.
    {ok, _} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"2">>), names => []}, #{timeout => 2000}
    ),
    {ok, _} = bt_refactor:perform(do_rename(<<"Counter">>, <<"Tally">>)),
    btr_host_fake:hold('toy:src/m1.bt', none),
    btr_faults:inject(purge, 'before', hang),
    {error, {btr, <<"load.old_code_in_use">>, _}} = bt_refactor:change(
        #{operation => patch, units => do_six(<<"4">>), names => []}, #{timeout => 50}
    ),
    btr_host_fake:release('toy:src/m1.bt'),
    {ok, _} = bt_refactor:change(#{operation => patch, units => do_six(<<"4">>), names => []}).

two_at_once_are_serial(_) ->
    Requests = [
        do_rename(<<"Counter">>, <<"Tally">>),
        #{operation => rename_method, class => <<"Counter">>, selector => <<"increment">>,
          new_selector => <<"bump">>}
    ],
    Asked = [spawn_monitor(fun() -> exit({answer, bt_refactor:perform(R)}) end) || R <- Requests],
    [{ok, _} = do_answer(M) || {_, M} <- Asked],
    ?assertEqual(
        <<"Object subclass: Tally\n  bump => 1\n  class make => Tally new\n">>,
            do_text(<<"src/counter.bt">>)
    ),
    ?assertEqual(<<"Object subclass: User\n  run => Tally make bump\n">>,
        do_text(<<"src/user.bt">>)).

queue_has_a_deadline(_) ->
    Self = self(),
    btr_faults:inject(compile, 'before', {call, fun() ->
        Self ! {compiling, self()},
        receive go -> ok end
    end}),
    {Holder, A} = spawn_monitor(fun() ->
        exit({answer, bt_refactor:perform(do_rename(<<"Counter">>, <<"Tally">>))})
    end),
    Worker = ?AWAIT({compiling, W}, W),
    {error, Error} = bt_refactor:perform(do_rename(<<"M1">>, <<"N1">>), #{queue_timeout => 20}),
    ?assertMatch({btr, <<"lock.timeout">>, #{holder := Holder}}, Error),
    %% Of who has been told nothing is kept.
    {monitors, Monitors} = process_info(whereis(btr_coordinator), monitors),
    ?assertNot(lists:member({process, self()}, Monitors)),
    Worker ! go,
    {ok, _} = do_answer(A).

entries_are_readable_during_a_transaction(_) ->
    Self = self(),
    btr_faults:inject(compile, 'before', {call, fun() ->
        Self ! {compiling, self()},
        receive go -> ok end
    end}),
    {_, A} = spawn_monitor(fun() ->
        exit({answer, bt_refactor:perform(do_rename(<<"Counter">>, <<"Tally">>))})
    end),
    Worker = ?AWAIT({compiling, W}, W),
    ?assertEqual([], bt_refactor:changes()),
    {ok, _} = bt_refactor:plan(do_rename(<<"M1">>, <<"N1">>)),
    Worker ! go,
    {ok, _} = do_answer(A).

operations_queue_up(_) ->
    Asked = [
        spawn_monitor(fun() ->
            exit({answer, bt_refactor:perform(
                #{operation => patch_method, class => <<"Counter">>, side => instance,
                  source => <<"m", (integer_to_binary(N))/binary, " => 1">>}
            )})
        end)
     || N <- lists:seq(1, 200)
    ],
    [{ok, _} = do_answer(M) || {_, M} <- Asked],
    ?assertEqual(200, btr_host_fake:generation()),
    ?assertEqual(lists:seq(1, 200), [S || #{seq := S} <- bt_refactor:changes()]),
    ?assertEqual(204, length(binary:split(do_text(<<"src/counter.bt">>), <<"\n">>, [global]))).

%% Half of those that wait have less patience than who holds the workspace needs.
queued_operations_go_at_their_deadline(_) ->
    Self = self(),
    btr_faults:inject(compile, 'before', {call, fun() ->
        Self ! {compiling, self()},
        receive go -> ok end
    end}),
    Patch = fun(N, Patience) ->
        spawn_monitor(fun() ->
            exit({answer, bt_refactor:perform(
                #{operation => patch_method, class => <<"Counter">>, side => instance,
                  source => <<"m", (integer_to_binary(N))/binary, " => 1">>},
                #{queue_timeout => Patience}
            )})
        end)
    end,
    {_, First} = Patch(0, infinity),
    Worker = ?AWAIT({compiling, W}, W),
    Asked = [Patch(N, case N rem 2 of 0 -> 60000; 1 -> 20 end) || N <- lists:seq(1, 200)],
    {Patient, Hasty} = lists:partition(
        fun({N, _}) -> N rem 2 =:= 0 end, lists:zip(lists:seq(1, 200), Asked)
    ),
    [{error, {btr, <<"lock.timeout">>, _}} = do_answer(M) || {_, {_, M}} <- Hasty],
    ?assertEqual(0, btr_host_fake:generation()),
    Worker ! go,
    {ok, _} = do_answer(First),
    [{ok, _} = do_answer(M) || {_, {_, M}} <- Patient],
    ?assertEqual(101, btr_host_fake:generation()),
    ?assertEqual(105, length(binary:split(do_text(<<"src/counter.bt">>), <<"\n">>, [global]))).

%% Interrupted while it compiles, it changes nothing; behind another one it is not even begun.
request_of_a_dead_asker_is_dropped(_) ->
    Self = self(),
    btr_faults:inject(compile, 'before', {call, fun() ->
        Self ! {compiling, self()},
        receive go -> ok end
    end}),
    Before = do_image(),
    Ask = fun(Request) -> spawn(fun() -> bt_refactor:perform(Request) end) end,
    Asker = Ask(do_rename(<<"Counter">>, <<"Tally">>)),
    Worker = ?AWAIT({compiling, W}, W),
    Monitor = monitor(process, Worker),
    Second = Ask(do_rename(<<"M1">>, <<"N1">>)),
    exit(Second, kill),
    exit(Asker, kill),
    ?AWAIT({'DOWN', Monitor, process, _, killed}, ok),
    {ok, #{seq := 1}} = bt_refactor:perform(do_rename(<<"M2">>, <<"N2">>)),
    {Snapshot, []} = Before,
    ?assertEqual(maps:get(generation, Snapshot) + 1, btr_host_fake:generation()),
    ?assertMatch([#{class := <<"N2">>}], bt_refactor:changes()).

no_workspace_is_an_error(_) ->
    bt_refactor:stop(),
    {error, {btr, <<"workspace.not_running">>, _}} =
        bt_refactor:perform(do_rename(<<"A">>, <<"B">>)),
    {error, {btr, <<"workspace.not_running">>, _}} = bt_refactor:plan(do_rename(<<"A">>, <<"B">>)),
    ?assertEqual([], bt_refactor:changes()).
