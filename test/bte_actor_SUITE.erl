%% Actors: state, hooks, errors, migration, lifetime.
-module(bte_actor_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    answers_a_message_with_its_state/1, defaults_are_replaced_by_given_fields/1,
    unknown_field_is_refused/1, initialize_runs_parent_first/1, actor_can_start_others_at_first/1,
    failing_initialize_is_raised_in_the_caller/1, error_restores_the_state/1,
    failed_cast_leaves_the_actor_alive/1, send_to_itself_is_a_direct_call/1,
    reload_migrates_before_the_next_message/1, terminate_hook_runs_on_stop/1,
    dead_actor_is_an_error/1, call_can_time_out/1, abstract_class_cannot_be_started/1,
    value_class_cannot_be_started/1, names_are_registered/1, dead_cells_are_collected/1,
    message_hook_gets_other_messages/1, ten_thousand_actors_leave_nothing/1,
    crash_is_isolated/1, mark_comes_behind_all_messages/1, old_name_is_drained/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    {ok, _} = application:ensure_all_started(bt_embedded),
    bte_classes:root(),
    bte_classes:load('bt@test@base', #{kind => actor, methods => [
        {instance, initialize, [], "put('$state', (get('$state'))#{log => [base]})"}
    ], fields => [{log, "[]"}]}),
    bte_classes:load('bt@test@counter', counter()),
    Config.

end_per_testcase(_, _) ->
    bte_classes:unload(),
    application:stop(bt_embedded).

counter() ->
    #{super => 'bt@test@base', kind => actor, fields => [{value, "0"}], methods => [
        {instance, initialize, [], "put('$state', maps:update_with(log, "
            "fun(L) -> L ++ [counter] end, get('$state')))"},
        {instance, increment, [], "S = get('$state'), V = map_get(value, S) + 1, "
            "put('$state', S#{value := V}), V"},
        {instance, value, [], "map_get(value, get('$state'))"},
        {instance, log, [], "map_get(log, get('$state'))"},
        {instance, fail, [], "put('$state', (get('$state'))#{value := 99}), error(badarith)"},
        {instance, twice, [], "bte_send:send(increment, 0, Self), "
            "bte_send:send(increment, 0, Self)"},
        {instance, 'tell:', ["P"], "P ! {told, self()}, nil"},
        {instance, 'wait:', ["P"], "P ! {waiting, self()}, receive go -> went end"},
        {instance, cell, [], "bte_cell:new(1)"},
        {instance, 'read:', ["C"], "bte_cell:get(C)"}
    ]}.

do_send(S, A) -> bte_send:send(S, 0, A).
do_send(S, A, X) -> bte_send:send(S, 0, A, X).

do_raises(Kind, Fun) ->
    try Fun() of
        V -> error({no_error, V})
    catch
        error:Reason:Stack ->
            Exception = bte_error:from_erlang(error, Reason, Stack),
            ?assertEqual(Kind, bte_error:kind(Exception)),
            Exception
    end.

do_down(Pid, Ref) ->
    ?AWAIT({'DOWN', Ref, process, Pid, Reason}, Reason).

answers_a_message_with_its_state(_) ->
    A = bte_actor:spawn('bt@test@counter'),
    ?assertEqual(1, do_send(increment, A)),
    ?assertEqual(2, do_send(increment, A)),
    ?assertEqual(2, do_send(value, A)).

defaults_are_replaced_by_given_fields(_) ->
    A = bte_actor:spawn({'$class', 'bt@test@counter'}, #{value => 5}),
    ?assertEqual(6, do_send(increment, A)).

unknown_field_is_refused(_) ->
    do_raises(argument_error, fun() -> bte_actor:spawn('bt@test@counter', #{size => 5}) end),
    ?assertEqual([], bte_actor:instances()).

initialize_runs_parent_first(_) ->
    ?assertEqual([base, counter], do_send(log, bte_actor:spawn('bt@test@counter'))).

actor_can_start_others_at_first(_) ->
    bte_classes:load('bt@test@pair', #{kind => actor, fields => [{other, "nil"}], methods => [
        {instance, initialize, [], "put('$state', #{other => bte_actor:spawn('bt@test@counter')})"},
        {instance, go, [], "bte_send:send(increment, 0, map_get(other, get('$state')))"}
    ]}),
    ?assertEqual(1, do_send(go, bte_actor:spawn('bt@test@pair'))).

failing_initialize_is_raised_in_the_caller(_) ->
    bte_classes:load('bt@test@bad', #{kind => actor, methods => [
        {instance, initialize, [], "bte_error:raise(argument_error, #{message => <<\"no\">>})"}
    ]}),
    do_raises(argument_error, fun() -> bte_actor:spawn('bt@test@bad') end),
    ?assertEqual([], bte_actor:instances()).

error_restores_the_state(_) ->
    A = bte_actor:spawn('bt@test@counter', #{value => 3}),
    do_raises(type_error, fun() -> do_send(fail, A) end),
    ?assertEqual(3, do_send(value, A)).

failed_cast_leaves_the_actor_alive(_) ->
    A = bte_actor:spawn('bt@test@counter', #{value => 3}),
    nil = bte_send:cast(fail, 0, A, []),
    ?assertEqual(3, do_send(value, A)),
    nil = bte_send:cast(increment, 0, A, []),
    ?assertEqual(4, do_send(value, A)).

send_to_itself_is_a_direct_call(_) ->
    ?assertEqual(2, do_send(twice, bte_actor:spawn('bt@test@counter'))).

reload_migrates_before_the_next_message(_) ->
    A = bte_actor:spawn('bt@test@counter', #{value => 3}),
    Class = counter(),
    bte_classes:load('bt@test@counter', Class#{fields := [{value, "0"}, {step, "7"}], methods := [
        {instance, sum, [], "#{value := V, step := S} = get('$state'), V + S"}
    ]}, 1),
    ?assertEqual(10, do_send(sum, A)).

terminate_hook_runs_on_stop(_) ->
    bte_classes:load('bt@test@ending', #{kind => actor, fields => [{to, "nil"}], methods => [
        {instance, 'terminate:', ["R"], "map_get(to, get('$state')) ! {ended, R}"}
    ]}),
    A = bte_actor:spawn('bt@test@ending', #{to => self()}),
    ok = bte_actor:stop(A),
    ?AWAIT({ended, normal}, ok),
    ?assertNot(bte_actor:is_alive(A)).

dead_actor_is_an_error(_) ->
    A = bte_actor:spawn('bt@test@counter'),
    ok = bte_actor:kill(A),
    do_raises(actor_dead, fun() -> do_send(value, A) end).

call_can_time_out(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@counter'),
    do_raises(timeout, fun() -> bte_actor:call('wait:', 0, A, [self()], 10) end),
    Pid ! go,
    ?assertEqual(0, do_send(value, A)).

abstract_class_cannot_be_started(_) ->
    bte_classes:load('bt@test@abstract', #{kind => actor, modifiers => [abstract]}),
    do_raises(instantiation_error, fun() -> bte_actor:spawn('bt@test@abstract') end).

value_class_cannot_be_started(_) ->
    bte_classes:load('bt@test@value', #{kind => value}),
    do_raises(instantiation_error, fun() -> bte_actor:spawn('bt@test@value') end),
    ?assertEqual(#{'$class' => 'bt@test@value'}, bte_object:new('bt@test@value')),
    do_raises(instantiation_error, fun() -> bte_object:new('bt@test@counter') end).

names_are_registered(_) ->
    A = bte_actor:spawn_as('bt@test@counter', #{}, bte_actor_suite_name),
    ?assertEqual(A, bte_actor:named(bte_actor_suite_name)),
    do_raises(argument_error,
        fun() -> bte_actor:spawn_as('bt@test@counter', #{}, bte_actor_suite_name) end),
    ok = bte_actor:stop(A),
    ?assertEqual(nil, bte_actor:named(bte_actor_suite_name)).

dead_cells_are_collected(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@counter'),
    Cell = do_send(cell, A),
    _ = [do_send(cell, A) || _ <- lists:seq(1, 1000)],
    {dictionary, Entries} = process_info(Pid, dictionary),
    ?assert(length([N || {{'$cell', N}, _} <- Entries]) =< 100),
    do_raises(block_context_lost, fun() -> do_send('read:', A, Cell) end).

message_hook_gets_other_messages(_) ->
    bte_classes:load('bt@test@info', #{kind => actor, methods => [
        {instance, 'handleInfo:', ["M"], "{P, X} = M, P ! {handled, X}"}
    ]}),
    {'$actor', _, Pid} = bte_actor:spawn('bt@test@info'),
    Pid ! {self(), 5},
    ?AWAIT({handled, 5}, ok),
    {'$actor', _, Other} = B = bte_actor:spawn('bt@test@counter'),
    Other ! whatever,
    ?assertEqual(0, do_send(value, B)).

ten_thousand_actors_leave_nothing(_) ->
    Spawn = fun(_) -> ok = bte_actor:stop(bte_actor:spawn('bt@test@counter')) end,
    %% Loads what the first one needs.
    Spawn(1),
    Processes = erlang:system_info(process_count),
    Atoms = erlang:system_info(atom_count),
    lists:foreach(Spawn, lists:seq(1, 10000)),
    ?assertEqual([], bte_actor:instances()),
    %% Other processes of the node come and go.
    ?assert(erlang:system_info(process_count) - Processes < 10),
    ?assert(erlang:system_info(atom_count) - Atoms < 10).

crash_is_isolated(_) ->
    {'$actor', _, Pid} = bte_actor:spawn('bt@test@counter'),
    B = bte_actor:spawn('bt@test@counter'),
    Ref = erlang:monitor(process, Pid),
    true = exit(Pid, oops),
    ?assertEqual(oops, do_down(Pid, Ref)),
    ?assertEqual(1, do_send(increment, B)).

mark_comes_behind_all_messages(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@counter'),
    nil = bte_send:cast('tell:', 0, A, [self()]),
    ok = bte_actor:mark(Pid, marked),
    ?AWAIT(First, ?assertEqual({told, Pid}, First)),
    ?AWAIT(Second, ?assertEqual({marked, Pid}, Second)).

old_name_is_drained(_) ->
    A = bte_actor:spawn('bt@test@counter'),
    ok = bte_drain:open(7, #{}),
    Class = counter(),
    bte_classes:load('bt@test@counter', Class#{
        methods := [{instance, bump, [], "bumped"}], drains => [{increment, bump, 1, 7}]
    }, 1),
    ?assertEqual(bumped, do_send(increment, A)),
    do_raises(does_not_understand, fun() -> bte_send:send(increment, 1, A) end),
    ?assertMatch([{7, 1, _}], bte_drain:list()),
    ok = bte_drain:close(7),
    do_raises(does_not_understand, fun() -> do_send(increment, A) end).
