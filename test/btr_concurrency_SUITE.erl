%%% Several clients over the embedded workspace: what comes between a plan and its commit, who asks
%%% from inside a class that changes, overlapping operations. btr_coordinator_SUITE has the queue.
-module(btr_concurrency_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [patch_between_plan_and_commit_is_named, load_between_plan_and_commit_is_named,
     bare_request_is_planned_again_after_a_load, class_renames_itself_from_its_class_side,
     class_with_state_renames_its_own_method, asker_in_old_code_is_refused_at_once,
     overlapping_operations_are_serial, progress_counts_compiled_classes,
     errors_of_all_classes_are_told].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"src/counter.bt">>, do_counter("1")},
        {<<"src/user.bt">>, "Object subclass: User\n  run => Counter new increment\n"},
        {<<"src/renamer.bt">>,
            "Object subclass: Renamer\n"
            "  class go =>\n"
            "    Renamer renameTo: #Mover\n"
            "    Renamer name\n"},
        {<<"src/register.bt">>,
            "Object subclass: Register\n"
            "  classState: count = 0\n\n"
            "  class step => self.count := self.count + 1\n\n"
            "  class turn =>\n"
            "    self step\n"
            "    Register class renameSelector: #step to: #advance\n"
            "    self step\n\n"
            "  class twice =>\n"
            "    Register class renameSelector: #step to: #advance\n"
            "    Register class renameSelector: #advance to: #proceed\n"
            "    self.count\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_counter(Step) ->
    ["Object subclass: Counter\n  increment => ", Step, "\n  other => 1\n"].

do_rename_class() -> #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>}.

do_rename_method() ->
    #{operation => rename_method, class => <<"Counter">>, side => instance,
      selector => <<"increment">>, new_selector => <<"bump">>, accept => []}.

do_image() ->
    {bte_host:units(), bte_host:generation(), bt_refactor:changes(), bte_drain:list()}.

patch_between_plan_and_commit_is_named(_) ->
    {ok, Plan} = bt_refactor:plan(do_rename_method()),
    {ok, _} = bt_refactor:perform(#{operation => patch_method, class => <<"Counter">>,
        side => instance, source => <<"other => 2">>}),
    Before = do_image(),
    {error, Error} = bt_refactor:apply(Plan),
    ?assertEqual(plan_outdated, btr_error:kind(Error)),
    ?assertMatch({match, _}, re:run(btr_error:message(Error), "Counter>>other")),
    ?assertEqual(Before, do_image()).

%% A load leaves no entry: the files tell.
load_between_plan_and_commit_is_named(_) ->
    {ok, Plan} = bt_refactor:plan(do_rename_method()),
    ok = bte_workspace:load([{<<"src/counter.bt">>, do_counter("2")}]),
    {error, Error} = bt_refactor:apply(Plan),
    ?assertEqual(plan_outdated, btr_error:kind(Error)),
    ?assertMatch({match, _}, re:run(btr_error:message(Error), "src/counter.bt")).

%% The load takes its turn while the request is planned: the first plan is outdated, the second one
%% is made on what was loaded.
bare_request_is_planned_again_after_a_load(_) ->
    {ok, Config} = btr_coordinator:config(),
    Planned = counters:new(1, []),
    Planner = fun(Index, Request) ->
        ok = counters:add(Planned, 1, 1),
        Plan = btr_plan:plan(Index, Request),
        case counters:get(Planned, 1) of
            %% What a writer beside the coordinator would do.
            1 -> ok = bte_registry:set_generation(bte_host:generation() + 1);
            _ -> ok
        end,
        Plan
    end,
    bt_refactor:stop(),
    {ok, _} = bt_refactor:start(Config#{planner := Planner}),
    {ok, _} = bt_refactor:perform(do_rename_method()),
    ?assertEqual(2, counters:get(Planned, 1)),
    ?assertEqual(1, bte_workspace:value("Counter new bump")).

%% CR-01
class_renames_itself_from_its_class_side(_) ->
    ?assertEqual('Mover', bte_workspace:value("Renamer go")),
    {ok, #{text := Text}} = bte_host:unit(<<"src/renamer.bt">>),
    ?assertEqual(nomatch, binary:match(Text, <<"Renamer ">>)),
    {error, _} = bte_workspace:eval("Renamer"),
    {ok, _, _} = bte_workspace:eval("Mover").

%% It runs in the class server, in code that becomes old under it.
class_with_state_renames_its_own_method(_) ->
    ?assertEqual(2, bte_workspace:value("Register turn")),
    ?assertEqual(3, bte_workspace:value("Register advance")),
    {error, _} = bte_workspace:eval("Register step").

asker_in_old_code_is_refused_at_once(_) ->
    Began = erlang:monotonic_time(millisecond),
    {error, Text} = bte_workspace:eval("Register twice"),
    ?assertMatch({match, _}, re:run(Text, "still in use")),
    ?assert(erlang:monotonic_time(millisecond) - Began < 5000),
    ?assertMatch([#{selector := <<"advance">>}], bt_refactor:changes()).

overlapping_operations_are_serial(_) ->
    Asked = [
        spawn_monitor(fun() -> exit({answer, bt_refactor:perform(R)}) end)
     || R <- [do_rename_class(), do_rename_method()]
    ],
    Answers = [
        ?AWAIT({'DOWN', M, process, _, {answer, A}}, A) || {_, M} <- Asked
    ],
    {ok, #{text := Text}} = bte_host:unit(<<"src/counter.bt">>),
    case Answers of
        [{ok, _}, {ok, _}] ->
            ?assertEqual(1, bte_workspace:value("Tally new bump")),
            ?assertMatch({match, _}, re:run(Text, "Tally\n  bump"));
        [{ok, _}, {error, {btr, <<"class.not_found">>, _}}] ->
            ?assertEqual(1, bte_workspace:value("Tally new increment"))
    end.

do_six(Body) ->
    [{iolist_to_binary(["src/c", N, ".bt"]),
      ["Object subclass: C", N, "\n  a => ", Body, "\n"]} || N <- "123456"].

progress_counts_compiled_classes(_) ->
    Self = self(),
    Units = [bte_workspace:unit(F, T) || {F, T} <- do_six("1")],
    {ok, _} = bt_refactor:change(#{operation => load, units => Units, names => []},
        #{log => false, progress => fun(Step) -> Self ! {progress, Step}, ok end}),
    Told = [?AWAIT({progress, P}, P) || _ <- Units],
    ?assertEqual(
        [#{stage => compiling, done => N, total => 6} || N <- lists:seq(1, 6)], Told
    ).

%% Two classes with two errors each; nothing of the six is loaded.
errors_of_all_classes_are_told(_) ->
    Before = do_image(),
    Bad = "nowhere\n  b => unknown",
    Units = [bte_workspace:unit(F, case N of 2 -> do_text(F, Bad); 5 -> do_text(F, Bad);
                _ -> T end)
        || {N, {F, T}} <- lists:zip(lists:seq(1, 6), do_six("1"))],
    {error, {btr, <<"compile.failed">>, #{errors := Errors}}} =
        bt_refactor:change(#{operation => load, units => Units, names => []}),
    ?assertMatch(
        [{<<"src/c2.bt">>, 2, _}, {<<"src/c2.bt">>, 3, _}, {<<"src/c5.bt">>, 2, _},
         {<<"src/c5.bt">>, 3, _}],
        [{F, L, C} || #{file := F, line := L, col := C} <- Errors]
    ),
    ?assertEqual(Before, do_image()).

do_text(File, Body) ->
    {match, [N]} = re:run(File, "c(\\d)", [{capture, [1], list}]),
    ["Object subclass: C", N, "\n  a => ", Body, "\n"].
