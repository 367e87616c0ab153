%% Class servers: class state, chains, crashes, reloads; instances.
-module(bte_class_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    class_state_is_kept_between_calls/1, subclass_has_a_state_of_its_own/1,
    call_back_in_a_chain_runs_in_place/1, deep_chain_comes_back_twice/1,
    error_restores_the_class_state/1, crash_keeps_the_class_state/1,
    reload_gives_new_class_fields_their_defaults/1, class_without_state_runs_in_the_caller/1,
    fifty_callers_at_once_count_right/1,
    instances_have_defaults_and_given_fields/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    {ok, _} = application:ensure_all_started(bt_embedded),
    bte_classes:root(),
    bte_classes:load('bt@test@a', with_state(#{})),
    bte_classes:load('bt@test@b', with_state(#{})),
    Config.

end_per_testcase(_, _) ->
    bte_classes:unload(),
    application:stop(bt_embedded).

with_state(More) ->
    maps:merge(#{has_state => true, class_state => [{count, "0"}], methods => [
        {class, next, [], "S = get('$state'), V = map_get(count, S) + 1, "
            "put('$state', S#{count := V}), V"},
        {class, count, [], "map_get(count, get('$state'))"},
        {class, server, [], "self()"},
        {class, fail, [], "put('$state', #{count => 99}), error(badarith)"},
        {class, 'through:', ["Other"], "bte_send:send(next, 0, Self), "
            "bte_send:send('back:', 0, Other, Self), bte_send:send(count, 0, Self)"},
        {class, 'back:', ["Other"], "bte_send:send(next, 0, Other)"},
        {class, 'bounce:with:', ["N", "Other"],
            "case N of 0 -> bte_send:send(next, 0, Self); "
            "_ -> bte_send:send('bounce:with:', 0, Other, N - 1, Self) end"}
    ]}, More).

do_class(C) -> {'$class', C}.
do_send(S, C) -> bte_send:send(S, 0, do_class(C)).

class_state_is_kept_between_calls(_) ->
    ?assertEqual([1, 2, 3], [do_send(next, 'bt@test@a') || _ <- [1, 2, 3]]),
    ?assertEqual(1, do_send(next, 'bt@test@b')).

subclass_has_a_state_of_its_own(_) ->
    bte_classes:load('bt@test@sub', #{super => 'bt@test@a', has_state => true}),
    ?assertEqual(1, do_send(next, 'bt@test@a')),
    ?assertEqual(1, do_send(next, 'bt@test@sub')),
    ?assertNotEqual(do_send(server, 'bt@test@a'), do_send(server, 'bt@test@sub')).

call_back_in_a_chain_runs_in_place(_) ->
    ?assertEqual(2, bte_send:send('through:', 0, do_class('bt@test@a'), do_class('bt@test@b'))),
    ?assertEqual(2, do_send(count, 'bt@test@a')).

deep_chain_comes_back_twice(_) ->
    A = do_class('bt@test@a'),
    ?assertEqual(1, bte_send:send('bounce:with:', 0, A, 7, do_class('bt@test@b'))),
    ?assertEqual(1, do_send(count, 'bt@test@b')).

error_restores_the_class_state(_) ->
    1 = do_send(next, 'bt@test@a'),
    ?assertError(badarith, do_send(fail, 'bt@test@a')),
    ?assertEqual(1, do_send(count, 'bt@test@a')).

crash_keeps_the_class_state(_) ->
    1 = do_send(next, 'bt@test@a'),
    Pid = do_send(server, 'bt@test@a'),
    Ref = erlang:monitor(process, Pid),
    true = exit(Pid, kill),
    ?AWAIT({'DOWN', Ref, process, Pid, killed}, ok),
    ?assertEqual(2, do_send(next, 'bt@test@a')),
    ?assertNotEqual(Pid, do_send(server, 'bt@test@a')).

reload_gives_new_class_fields_their_defaults(_) ->
    1 = do_send(next, 'bt@test@a'),
    bte_classes:load('bt@test@a', #{has_state => true,
        class_state => [{count, "0"}, {step, "10"}],
        methods => [{class, sum, [], "#{count := C, step := S} = get('$state'), C + S"}]}, 1),
    ok = bte_class:refresh('bt@test@a'),
    ?assertEqual(11, do_send(sum, 'bt@test@a')).

class_without_state_runs_in_the_caller(_) ->
    bte_classes:load('bt@test@plain', #{methods => [{class, server, [], "self()"}]}),
    ?assertEqual(self(), do_send(server, 'bt@test@plain')).

fifty_callers_at_once_count_right(_) ->
    Me = self(),
    Twenty = fun() -> [do_send(next, 'bt@test@a') || _ <- lists:seq(1, 20)] end,
    Pids = [spawn_link(fun() -> Me ! {self(), Twenty()} end) || _ <- lists:seq(1, 50)],
    All = lists:append([?AWAIT({P, Values}, Values) || P <- Pids]),
    ?assertEqual(lists:seq(1, 1000), lists:sort(All)).

instances_have_defaults_and_given_fields(_) ->
    bte_classes:load('bt@test@point', #{kind => value, fields => [{x, "0"}, {y, "1"}]}),
    ?assertEqual(#{'$class' => 'bt@test@point', x => 0, y => 1}, bte_object:new('bt@test@point')),
    P = bte_object:new(do_class('bt@test@point'), #{x => 5}),
    ?assertEqual(5, bte_object:field(P, x)),
    ?assertEqual(#{'$class' => 'bt@test@point', x => 5, y => 2}, bte_object:field_put(P, y, 2)),
    ?assertError({bt_exception, #{kind := argument_error}}, bte_object:field(P, z)),
    ?assertError({bt_exception, #{kind := argument_error}},
        bte_object:new('bt@test@point', #{z => 1})).
