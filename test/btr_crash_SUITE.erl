%%% Failures at every effect of a transaction over the embedded workspace: errors, crashes of the
%%% coordinator, of its workers, of a class server, of whoever made the index. Before the point of
%%% no return all is as before; after it the change is completed; the next operation works.
%%% btr_coordinator_SUITE has the same over a double, btr_node_kill_SUITE kills the node.
-module(btr_crash_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [failure_before_the_switch_changes_nothing, crash_before_the_switch_changes_nothing,
     failure_after_the_switch_is_completed, switch_of_no_code_is_undone_or_completed,
     messages_outlive_the_crash_of_a_switch, crash_while_logging_leaves_one_entry,
     class_server_dies_in_a_transaction, class_server_dies_at_work_in_a_transaction,
     index_outlives_its_maker, staged_index_is_forgotten,
     lost_tables_end_the_workspace_and_not_the_node].

init_per_testcase(_, Config) ->
    ok = btr_toy:bear_restarts(1000),
    bte_workspace:start([
        {<<"src/walker.bt">>,
            "Actor subclass: Walker\n"
            "  state: steps = 0\n\n"
            "  up => self.steps := self.steps + 1\n\n"
            "  twice =>\n    self up\n    self up\n\n"
            "  steps => self.steps\n"},
        {<<"src/register.bt">>,
            "Object subclass: Register\n"
            "  classState: count = 0\n\n"
            "  class next => self.count := self.count + 1\n\n"
            "  class park: probe =>\n"
            "    self next\n"
            "    Erlang btr_crash_SUITE park: probe\n"},
        {<<"src/user.bt">>, "Object subclass: User\n  run => Walker spawn twice\n"}
    ]),
    btr_host_faulty:start(),
    Config.

end_per_testcase(_, _) ->
    btr_host_faulty:stop(),
    bte_workspace:stop(),
    application:stop(bt_refactor),
    application:unset_env(bt_refactor, restart_intensity).

park(Probe) ->
    Probe ! {parked, self()},
    receive go -> ok end.

%% Operations: each goes there the one time and back the other ------------------------------------

do_operation(rename_method) ->
    {Old, New} = case is_map_key(<<"up">>, do_methods()) of
        true -> {<<"up">>, <<"rise">>};
        false -> {<<"rise">>, <<"up">>}
    end,
    bt_refactor:perform(#{operation => rename_method, class => do_class(), side => instance,
        selector => Old, new_selector => New, accept => []});
do_operation(rename_class) ->
    New = case do_class() of
        <<"Walker">> -> <<"Hiker">>;
        <<"Hiker">> -> <<"Walker">>
    end,
    bt_refactor:perform(#{operation => rename_class, class => do_class(), new_name => New});
%% A class that comes or goes, and its sibling with class state patched.
do_operation(edit) ->
    Guest = case bte_host:unit(<<"src/guest.bt">>) of
        {ok, _} -> deleted;
        error -> "Actor subclass: Guest\n  here => true\n"
    end,
    {ok, #{text := Register}} = bte_host:unit(<<"src/register.bt">>),
    Mark = integer_to_binary(erlang:unique_integer([positive])),
    [Body | _] = binary:split(Register, <<"\n  class mark">>),
    bt_refactor:change(#{operation => edit, names => [], units => [
        bte_workspace:unit(<<"src/guest.bt">>, Guest),
        bte_workspace:unit(<<"src/register.bt">>,
            [Body, "\n  class mark => ", Mark, "\n"])
    ]}).

do_class() -> bte_registry:name_of('bt@test@walker').

do_methods() -> maps:get(instance, bte_registry:methods('bt@test@walker')).

%% All that a refusal must leave as it was.
do_image() ->
    btr_wait:for([], fun() -> bte_drain:list() end),
    Index = bte_host:index(),
    {
        bte_host:units(), bte_host:generation(), bt_refactor:changes(),
        btr_nif:index_generation(Index), btr_nif:stats(Index),
        [{M, M:module_info(md5)} || M <- bte_registry:classes()],
        ets:tab2list(bte_registry), ets:lookup(btr_state, intent)
    }.

%% What the workspace answers fits what is in memory and in the index.
do_consistent() ->
    Generation = bte_host:generation(),
    Index = bte_host:index(),
    ?assertEqual(Generation, btr_nif:index_generation(Index)),
    ?assertEqual([], ets:lookup(btr_state, intent)),
    ?assertEqual([], [K || {{_, _, G} = K, _} <- ets:tab2list(bte_registry), G > Generation]),
    [?assertMatch([_], btr_nif:declarations_of(Index, bte_registry:name_of(C)))
        || C <- ['bt@test@walker', 'bt@test@register']],
    [Up] = [S || S <- [<<"up">>, <<"rise">>], is_map_key(S, do_methods())],
    ?assertMatch([_], btr_nif:implementors_of(Index, Up)),
    ?assertEqual(2, bte_workspace:value([do_class(), " spawn twice"])),
    ?assertEqual(2, bte_workspace:value("User new run")),
    ?assert(is_integer(bte_workspace:value("Register next"))).

do_refused(Operations, Faults) ->
    [
        begin
            Before = do_image(),
            btr_faults:inject(Callback, When, Action),
            {error, {btr, Code, _}} = do_operation(Operation),
            ?assertEqual({Operation, Callback, When, Before},
                {Operation, Callback, When, do_image()}),
            ?assertEqual(Action =:= kill, Code =:= <<"workspace.restarted">>),
            btr_faults:clear(),
            {ok, _} = do_operation(Operation),
            do_consistent()
        end
     || Operation <- Operations, {Callback, When, Action} <- Faults
    ].

failure_before_the_switch_changes_nothing(_) ->
    Error = {error, btr_error:new(<<"load.failed">>, <<"injected">>)},
    EndsItself = {call, fun() -> exit(self(), kill) end},
    do_refused(
        [rename_method, rename_class, edit],
        [{C, 'before', A} || C <- [compile, old_code, stage, switch], A <- [raise, {return, Error}]]
        ++ [{stage, 'after', raise}, {compile, 'before', EndsItself},
            {old_code, 'after', EndsItself}]
    ).

crash_before_the_switch_changes_nothing(_) ->
    do_refused([rename_method, rename_class, edit], [{C, W, kill} || {C, W} <- [
        {compile, 'before'}, {compile, 'after'}, {old_code, 'before'}, {old_code, 'after'},
        {stage, 'before'}, {stage, 'after'}, {switch, 'before'}
    ]]).

%% The generation has moved, and nothing else has been told.
do_half_published() ->
    {call, fun() ->
        ok = bte_registry:set_generation(bte_host:generation() + 1),
        exit(self(), kill),
        receive after infinity -> ok end
    end}.

do_completed(Operations, Faults) ->
    [
        begin
            Generation = bte_host:generation(),
            Known = length(bt_refactor:changes()),
            btr_faults:inject(Callback, When, Action),
            {ok, #{seq := Seq}} = do_operation(Operation),
            ?assertEqual({Operation, Callback, When, Generation + 1},
                {Operation, Callback, When, bte_host:generation()}),
            New = lists:nthtail(Known, bt_refactor:changes()),
            ?assertEqual(lists:seq(Seq, Seq + length(New) - 1), [S || #{seq := S} <- New]),
            do_consistent(),
            btr_faults:clear(),
            {ok, _} = do_operation(Operation),
            do_consistent()
        end
     || Operation <- Operations, {Callback, When, Action} <- Faults
    ].

failure_after_the_switch_is_completed(_) ->
    do_completed([rename_method, edit], [
        {switch, 'after', raise}, {switch, 'after', kill}, {publish, 'before', raise},
        {publish, 'before', kill}, {publish, 'before', do_half_published()},
        {publish, 'after', raise}, {publish, 'after', kill}, {purge, 'before', raise},
        {purge, 'before', kill}
    ]).

%% A class rename loads no code: its way back ends where its publication begins.
switch_of_no_code_is_undone_or_completed(_) ->
    do_refused([rename_class], [{switch, 'after', kill}]),
    do_completed([rename_class], [
        {publish, 'before', kill}, {publish, 'before', do_half_published()},
        {publish, 'after', kill}
    ]).

%% Sent before the switch, taken after the crash; those of a removed class end all the same.
messages_outlive_the_crash_of_a_switch(_) ->
    {ok, _} = do_operation(edit),
    {'$actor', _, Guest} = bte_workspace:value("Guest spawn"),
    {'$actor', _, Pid} = Walker = bte_workspace:value("Walker spawn"),
    ok = sys:suspend(Pid),
    nil = bte_send:cast(up, bte_host:generation(), Walker, []),
    btr_faults:inject(publish, 'before', do_half_published()),
    {ok, _} = do_operation(rename_method),
    nil = bte_send:cast(rise, bte_host:generation(), Walker, []),
    ?assertMatch([#{old := <<"up">>, new := <<"rise">>}], bt_refactor:refactorings()),
    ok = sys:resume(Pid),
    ?assertEqual(2, bte_send:send(steps, bte_host:generation(), Walker)),
    btr_wait:for([], fun() -> bt_refactor:refactorings() end),
    Monitor = monitor(process, Guest),
    btr_faults:inject(publish, 'before', do_half_published()),
    {ok, _} = do_operation(edit),
    ?AWAIT({'DOWN', Monitor, process, Guest, shutdown}, ok).

%% The coordinator ends in each of the steps that write the log.
crash_while_logging_leaves_one_entry(Config) ->
    Dir = filename:join(?config(priv_dir, Config), "log"),
    {ok, Running} = btr_coordinator:config(),
    Open = fun() ->
        ok = bt_refactor:stop(),
        {ok, _} = bt_refactor:start(Running#{root := Dir, log := Dir, fs := btr_fs_fault})
    end,
    ok = filelib:ensure_dir(filename:join(Dir, "x")),
    Open(),
    Steps = do_count_steps(),
    ?assert(Steps > 1),
    [
        begin
            Known = length(bt_refactor:changes()),
            btr_fs_fault:fail_at(Step, kill),
            {ok, #{kind := 'rename-method', saved := true}} = do_operation(rename_method),
            btr_fs_fault:reset(),
            ?assertEqual(Known + 1, length(bt_refactor:changes())),
            do_consistent()
        end
     || Step <- lists:seq(1, Steps)
    ],
    Seqs = [S || #{seq := S} <- bt_refactor:changes()],
    Open(),
    ?assertEqual(Seqs, [S || #{seq := S, prior_epoch := true} <- bt_refactor:changes()]),
    ok = bt_refactor:stop().

do_count_steps() ->
    btr_fs_fault:fail_at(0, kill),
    {ok, _} = do_operation(rename_method),
    Steps = btr_fs_fault:count(),
    btr_fs_fault:reset(),
    Steps.

do_places() ->
    [{compile, 'before'}, {compile, 'after'}, {stage, 'before'}, {stage, 'after'},
     {switch, 'after'}, {publish, 'before'}, {publish, 'after'}].

do_kill(Pid) ->
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    ?AWAIT({'DOWN', Monitor, process, Pid, _}, ok).

%% Whatever becomes of the class's server, its state and its code are there.
class_server_dies_in_a_transaction(_) ->
    [
        begin
            Count = bte_workspace:value("Register next"),
            Server = bte_class:server('bt@test@register'),
            btr_faults:inject(Callback, When, {call, fun() -> do_kill(Server) end}),
            {ok, _} = do_operation(edit),
            ?assertNot(is_process_alive(Server)),
            ?assertEqual(Count + 1, bte_workspace:value("Register next")),
            do_consistent()
        end
     || {Callback, When} <- do_places()
    ],
    %% All of them, and their supervisor.
    btr_faults:inject(stage, 'after', {call, fun() -> do_kill(whereis(bte_class_sup)) end}),
    {ok, _} = do_operation(edit),
    btr_wait:until(fun() -> is_pid(whereis(bte_class_sup)) end),
    do_consistent().

%% Its caller is told; what the unfinished method had changed is not kept.
class_server_dies_at_work_in_a_transaction(_) ->
    Count = bte_workspace:value("Register next"),
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        Class = {'$class', 'bt@test@register'},
        exit(try bte_send:send('park:', bte_host:generation(), Class, Me)
            catch error:{bt_exception, #{kind := Kind}} -> {kind, Kind} end)
    end),
    Server = ?AWAIT({parked, Pid}, Pid),
    ?assertEqual(Server, bte_class:server('bt@test@register')),
    btr_faults:inject(stage, 'after', {call, fun() -> do_kill(Server) end}),
    {ok, _} = do_operation(edit),
    ?AWAIT({'DOWN', Monitor, process, _, Outcome}, ?assertEqual({kind, actor_dead}, Outcome)),
    ?assertEqual(Count + 1, bte_workspace:value("Register next")).

%% No process owns the index: who made it, and whoever stages, may end at any time.
index_outlives_its_maker(_) ->
    btr_host_faulty:stop(),
    bte_workspace:stop(),
    {_, Monitor} = spawn_monitor(fun() ->
        bte_workspace:start([{<<"src/walker.bt">>, "Actor subclass: Walker\n  up => 1\n"}])
    end),
    ?AWAIT({'DOWN', Monitor, process, _, normal}, ok),
    btr_host_faulty:start(),
    ?assertMatch([_], bt_refactor:implementors_of(<<"up">>)),
    {ok, _} = do_operation(rename_method),
    ?assertMatch([], bt_refactor:implementors_of(<<"up">>)),
    ?assertMatch([_], bt_refactor:implementors_of(<<"rise">>)).

staged_index_is_forgotten(_) ->
    Next = bte_host:generation() + 1,
    btr_faults:inject(stage, 'after', kill),
    {error, _} = do_operation(rename_method),
    ?assertMatch({error, {btr, <<"request.invalid">>, _}},
        btr_nif:index_publish(bte_host:index(), Next)).

%% The tables go with the top supervisor alone. Requests are refused until the workspace is started
%% again.
lost_tables_end_the_workspace_and_not_the_node(_) ->
    btr_faults:inject(stage, 'after', {call, fun() -> do_kill(whereis(bt_embedded_sup)) end}),
    %% Its switch takes place or not.
    _ = do_operation(rename_method),
    {error, _} = bt_refactor:perform(#{operation => rename_class, class => <<"Walker">>,
        new_name => <<"Hiker">>}),
    bte_workspace:stop(),
    bte_workspace:start([{<<"src/walker.bt">>, "Actor subclass: Walker\n  up => 1\n"}]),
    ?assertEqual(1, bte_workspace:value("Walker spawn up")).
