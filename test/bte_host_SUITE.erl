%% The host's side of a transaction: staging is invisible, the switch is atomic, failures change
%% nothing, old code is named with its holders.
-module(bte_host_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    staged_change_is_not_seen/1, unstaged_change_leaves_nothing/1, published_change_is_seen/1,
    compile_failure_in_the_fourth_of_six_changes_nothing/1,
    load_failure_in_the_fourth_of_six_changes_nothing/1, six_classes_change_together/1,
    process_in_old_code_is_named/1, third_change_waits_for_a_parked_process/1,
    switched_tells_what_is_loaded/1, rebase_moves_a_file/1, instances_survive_a_patch/1,
    class_server_keeps_its_state_over_a_patch/1, actors_of_a_removed_class_end/1,
    removed_class_is_told_by_its_last_name/1,
    old_selector_is_drained/1, readers_see_one_generation/1,
    patch_does_not_depend_on_other_classes/1
]).
-export([park/1]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info, park])].

init_per_testcase(_, Config) ->
    bte_workspace:start(),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

%% Called from Beamtalk: waits in the method until it is let go.
park(Probe) ->
    Probe ! {parked, self()},
    receive go -> gone end.

do_text(N, Value) ->
    io_lib:format("Object subclass: C~b\n  value => ~s\n", [N, Value]).

do_file(N) -> iolist_to_binary(io_lib:format("c~b.bt", [N])).

do_six(Value) ->
    [{do_file(N), do_text(N, Value)} || N <- lists:seq(1, 6)].

do_values() ->
    [bte_workspace:value(io_lib:format("C~b new value", [N])) || N <- lists:seq(1, 6)].

do_snapshot() ->
    {
        bte_host:units(), bte_registry:generation(), btr_nif:index_generation(bte_host:index()),
        btr_nif:stats(bte_host:index()), bt_refactor:changes(),
        [{M, M:module_info(md5), erlang:check_old_code(M)}
            || M <- bte_registry:classes(), erlang:function_exported(M, c, 6)],
        ets:tab2list(bte_registry)
    }.

do_stage(Units) ->
    {ok, Prepared} = bte_workspace:prepare([bte_workspace:unit(F, T) || {F, T} <- Units]),
    {ok, Staged} = bte_host:stage(Prepared, bte_host:generation() + 1),
    Staged.

staged_change_is_not_seen(_) ->
    ok = bte_workspace:load(do_six("1")),
    Before = {bte_host:units(), bte_host:generation(), do_values()},
    Staged = do_stage([{<<"new.bt">>, "Object subclass: New\n  a => 1\n"} | do_six("2")]),
    ?assertEqual(Before, {bte_host:units(), bte_host:generation(), do_values()}),
    ?assertEqual(error, bte_registry:lookup(<<"New">>, <<"test">>)),
    ok = bte_host:unstage(Staged).

unstaged_change_leaves_nothing(_) ->
    ok = bte_workspace:load(do_six("1")),
    Before = do_snapshot(),
    Staged = do_stage(do_six("2")),
    ok = bte_host:unstage(Staged),
    ok = bte_host:unstage(Staged),
    ?assertEqual(Before, do_snapshot()).

published_change_is_seen(_) ->
    ok = bte_workspace:load(do_six("1")),
    Generation = bte_host:generation(),
    Staged = do_stage(do_six("2")),
    ok = bte_host:switch(Staged),
    ok = bte_host:publish(Staged),
    ?assertEqual(Generation + 1, bte_host:generation()),
    ?assertEqual([2, 2, 2, 2, 2, 2], do_values()).

compile_failure_in_the_fourth_of_six_changes_nothing(_) ->
    ok = bte_workspace:load(do_six("1")),
    Before = do_snapshot(),
    Units = lists:keyreplace(do_file(4), 1, do_six("2"), {do_file(4), do_text(4, "nowhere")}),
    {error, {btr, <<"compile.failed">>, #{errors := [#{file := File, line := Line}]}}} =
        bte_workspace:load(Units),
    ?assertEqual({do_file(4), 2}, {File, Line}),
    ?assertEqual(Before, do_snapshot()),
    ?assertEqual([1, 1, 1, 1, 1, 1], do_values()).

load_failure_in_the_fourth_of_six_changes_nothing(_) ->
    ok = bte_workspace:load(do_six("1")),
    Before = do_snapshot(),
    {ok, #{modules := Modules} = Prepared} =
        bte_workspace:prepare([bte_workspace:unit(F, T) || {F, T} <- do_six("2")]),
    Broken = [case M of 'bt@test@c4' -> {M, F, <<"no beam">>}; _ -> {M, F, B} end
        || {M, F, B} <- Modules],
    {error, {btr, <<"load.failed">>, _}} =
        bte_host:loadable(Prepared#{modules := Broken, index := []}),
    ?assertEqual(Before, do_snapshot()).

six_classes_change_together(_) ->
    ok = bte_workspace:load(do_six("1")),
    ok = bte_workspace:load(do_six("2")),
    ?assertEqual([2, 2, 2, 2, 2, 2], do_values()).

do_parking() ->
    ok = bte_workspace:load([{<<"p.bt">>, do_parking_text("1")}]),
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        P = bte_object:new('bt@test@p'),
        exit({value, bte_send:send('park:', 0, P, Me)})
    end),
    ?AWAIT({parked, Pid}, ok),
    {Pid, Ref}.

do_parking_text(Value) ->
    ["Object subclass: P\n  value => ", Value,
        "\n  park: probe => (Erlang bte_host_SUITE park: probe). self value\n"].

do_end({Pid, Ref}) ->
    Pid ! go,
    ?AWAIT({'DOWN', Ref, process, Pid, Reason}, Reason).

process_in_old_code_is_named(_) ->
    {Pid, _} = Parked = do_parking(),
    ok = bte_workspace:load([{<<"p.bt">>, do_parking_text("2")}]),
    ?assertMatch([{'bt@test@p', [{Pid, _}]}], bte_host:old_code(['bt@test@p'])),
    ?assertEqual({value, 2}, do_end(Parked)),
    ?assertEqual([], bte_host:old_code(['bt@test@p'])).

third_change_waits_for_a_parked_process(_) ->
    {Pid, _} = Parked = do_parking(),
    ok = bte_workspace:load([{<<"p.bt">>, do_parking_text("2")}]),
    Change = #{operation => load, names => [],
        units => [bte_workspace:unit(<<"p.bt">>, do_parking_text("3"))]},
    {error, {btr, <<"load.old_code_in_use">>, _}} = bt_refactor:change(Change, #{timeout => 50}),
    ?assertEqual(2, bte_workspace:value("P new value")),
    ?assert(is_process_alive(Pid)),
    ?assertEqual({value, 2}, do_end(Parked)),
    {ok, _} = bt_refactor:change(Change, #{timeout => 5000}),
    ?assertEqual(3, bte_workspace:value("P new value")).

switched_tells_what_is_loaded(_) ->
    ok = bte_workspace:load(do_six("1")),
    Staged = do_stage(do_six("2")),
    ?assertNot(bte_host:switched(Staged)),
    ok = bte_host:switch(Staged),
    ?assert(bte_host:switched(Staged)),
    ok = bte_host:publish(Staged).

rebase_moves_a_file(_) ->
    ok = bte_workspace:load(do_six("1")),
    ok = bte_host:rebase([
        #{file => do_file(1), new_file => <<"d1.bt">>, digest => <<"abc">>},
        #{file => do_file(2), new_file => nil, digest => <<"def">>}
    ]),
    ?assertEqual(error, bte_host:unit(do_file(1))),
    ?assertMatch({ok, #{base_digest := <<"abc">>}}, bte_host:unit(<<"d1.bt">>)),
    ?assertMatch({ok, #{base_digest := <<"def">>}}, bte_host:unit(do_file(2))),
    ?assertMatch({ok, #{file := <<"d1.bt">>}}, bte_registry:class('bt@test@c1')),
    [#{file := File}] = btr_nif:implementors_of(bte_host:index(), <<"value">>) --
        [S || #{file := F} = S <- btr_nif:implementors_of(bte_host:index(), <<"value">>),
            F =/= <<"d1.bt">>],
    ?assertEqual(<<"d1.bt">>, File).

instances_survive_a_patch(_) ->
    Text = fun(Step) -> ["Actor subclass: A\n  state: n = 0\n"
        "  up => self.n := self.n + ", Step, "\n"] end,
    ok = bte_workspace:load([{<<"a.bt">>, Text("1")}]),
    A = bte_actor:spawn('bt@test@a'),
    ?assertEqual(1, bte_send:send(up, 0, A)),
    ok = bte_workspace:load([{<<"a.bt">>, Text("10")}]),
    ?assertEqual(11, bte_send:send(up, 0, A)),
    ok = bte_workspace:load([{<<"a.bt">>,
        "Actor subclass: A\n  state: m = 5\n  state: n = 0\n  sum => self.n + self.m\n"}]),
    ?assertEqual(16, bte_send:send(sum, 0, A)).

class_server_keeps_its_state_over_a_patch(_) ->
    Text = fun(Step) -> ["Object subclass: K\n  classState: n = 0\n"
        "  class up => self.n := self.n + ", Step, "\n"] end,
    ok = bte_workspace:load([{<<"k.bt">>, Text("1")}]),
    ?assertEqual(1, bte_workspace:value("K up")),
    ok = bte_workspace:load([{<<"k.bt">>, Text("10")}]),
    ?assertEqual(11, bte_workspace:value("K up")).

actors_of_a_removed_class_end(_) ->
    ok = bte_workspace:load([{<<"a.bt">>, "Actor subclass: A\n  state: n = 0\n"}]),
    {'$actor', _, Pid} = bte_actor:spawn('bt@test@a'),
    Ref = erlang:monitor(process, Pid),
    ok = bte_workspace:load([{<<"a.bt">>, deleted}]),
    ?AWAIT({'DOWN', Ref, process, Pid, shutdown}, ok).

removed_class_is_told_by_its_last_name(_) ->
    ok = bte_workspace:load([{<<"a.bt">>, "Actor subclass: A\n  one => 1\n"}]),
    A = bte_actor:spawn('bt@test@a'),
    {ok, _} = bt_refactor:perform(#{operation => rename_class, class => <<"A">>,
        new_name => <<"Barge">>}),
    [File] = [F || {F, #{origin := project}} <- maps:to_list(bte_host:units())],
    ok = bte_workspace:load([{File, deleted}]),
    ?assertEqual(<<"Barge">>, bte_registry:name_of('bt@test@a')),
    try bte_send:send(one, 0, A) of
        Value -> ct:fail(Value)
    catch
        error:{bt_exception, #{message := Message}} ->
            ?assertMatch({match, _}, re:run(Message, "the Barge actor is not alive"))
    end,
    ?assertEqual(<<"RuntimeError">>, bte_registry:name_of('bt@nowhere@runtime_error')).

old_selector_is_drained(_) ->
    ok = bte_workspace:load([{<<"a.bt">>,
        "Actor subclass: A\n  old => 1\n  park: probe => Erlang bte_host_SUITE park: probe\n"}]),
    A = bte_actor:spawn('bt@test@a'),
    Me = self(),
    spawn_link(fun() -> bte_send:send('park:', 0, A, Me) end),
    Parked = ?AWAIT({parked, Pid}, Pid),
    Gen = bte_host:generation(),
    Old = fun(G) -> do_outcome(fun() -> bte_send:send(old, G, A) end) end,
    Ask = fun(G) -> spawn_link(fun() -> Me ! {G, Old(G)} end) end,
    Ask(Gen),
    Change = #{operation => rename_method, names => [],
        units => [bte_workspace:unit(<<"a.bt">>,
            "Actor subclass: A\n  new => 1\n  park: probe => Erlang bte_host_SUITE park: probe\n")],
        drains => [#{class => <<"A">>, package => <<"test">>, side => instance,
            old => <<"old">>, new => <<"new">>}]},
    {ok, _} = bt_refactor:change(Change, #{log => false}),
    ?assertMatch([{_, 0, #{old := <<"old">>}}], bte_drain:list()),
    ?assertNot(bte_send:responds_to(A, old)),
    Ask(Gen + 1),
    Parked ! go,
    ?AWAIT({Gen, Served}, ?assertEqual({value, 1}, Served)),
    Next = Gen + 1,
    ?AWAIT({Next, Refused}, ?assertEqual({kind, does_not_understand}, Refused)),
    btr_wait:for([], fun() -> bte_drain:list() end),
    ?assertEqual({kind, does_not_understand}, do_outcome(fun() -> bte_send:send(old, Gen, A) end)).

do_outcome(Fun) ->
    try {value, Fun()} catch error:{bt_exception, #{kind := Kind}} -> {kind, Kind} end.

%% Readers take name, methods and text under one generation, while it moves.
readers_see_one_generation(_) ->
    ok = bte_workspace:load(do_six("1")),
    Me = self(),
    Reader = spawn_link(fun() -> do_read(Me, 0) end),
    [ok = bte_workspace:load(do_six(integer_to_list(N))) || N <- lists:seq(2, 20)],
    Reader ! stop,
    ?AWAIT({reads, N}, ?assert(N > 0)).

do_read(Me, N) ->
    receive
        stop -> Me ! {reads, N}
    after 0 ->
        Gen = bte_registry:generation(),
        Texts = [maps:get(text, U) || I <- lists:seq(1, 6),
            {ok, U} <- [bte_registry:read(unit, do_file(I), Gen)]],
        Values = lists:usort([lists:last(binary:split(T, <<"=> ">>)) || T <- Texts]),
        ?assertMatch([_], Values),
        do_read(Me, N + 1)
    end.

patch_does_not_depend_on_other_classes(_) ->
    ok = bte_workspace:load(do_six("1")),
    {ok, #{rows := Rows}} =
        bte_workspace:prepare([bte_workspace:unit(do_file(1), do_text(1, "2"))]),
    Keys = [{Kind, Key} || {Kind, Key, _} <- Rows],
    ?assertEqual([{class, 'bt@test@c1'}, {code, 'bt@test@c1'}, {methods, 'bt@test@c1'},
        {name, <<"C1">>}, {unit, do_file(1)}], Keys).
