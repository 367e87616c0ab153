%% @doc Plans on the command line: what they show, what applying them writes, and what stops them.
-module(btr_cli_plan_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include_lib("kernel/include/file.hrl").

-import(btr_cli_project, [
    project/1, project/2, run/1, run/2, plan/2, json/1, matches/2, tree/1, manifest/0
]).

-compile([export_all, nowarn_export_all]).

all() -> [{group, plan}, {group, apply}].

groups() ->
    [
        {plan, [parallel], [
            plan_shows_sites_by_file_and_changes_nothing,
            plan_as_diff,
            plan_as_json,
            plan_in_colour,
            refusal_names_its_places_and_what_to_do,
            expression_that_is_none_is_refused,
            project_with_errors_is_not_planned_on,
            accepted_candidates_become_sites, allowed_refusal_becomes_a_warning
        ]},
        {apply, [parallel], [
            apply_wants_yes,
            class_rename_writes_files_and_moves_one,
            there_and_back_gives_the_same_bytes,
            method_rename_removal_and_definition_are_written,
            class_removal_removes_its_file,
            manifest_is_written_with_a_rename,
            extension_is_edited_where_it_stands,
            dependency_is_never_written,
            changed_file_stops_everything,
            read_only_file_stops_everything,
            taken_file_name_stops_everything,
            mode_bits_and_links_are_kept,
            link_that_leads_out_stops_everything
        ]}
    ].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    [{dir, unicode:characters_to_binary(Dir)} | Config].

%% Plan.

plan_shows_sites_by_file_and_changes_nothing(Config) ->
    Dir = project(Config),
    Before = tree(Dir),
    {0, Out, ""} = run(["plan", Dir, "Counter renameTo: #Tally"]),
    matches(Out, "^rename class Counter → Tally: 3 sites in 3 files\n"),
    matches(Out, "\nsrc/counter.bt → src/tally.bt\n"),
    matches(Out, "\n  2:18 +declaration +Counter → Tally  Counter\n"),
    matches(Out, "\n1 mention in 1 file in comments and strings, never rewritten:\n"),
    matches(Out, "\n  src/counter.bt:1:6: Counter\n"),
    matches(Out, "\nNothing was changed. To write it: bt apply "),
    ?assertEqual(Before, tree(Dir)).

plan_as_diff(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["plan", Dir, "Counter renameTo: #Tally", "--diff"]),
    matches(Out, "^rename src/counter.bt → src/tally.bt\n--- a/src/counter.bt\n"),
    matches(Out, "\n-Counter subclass: StepCounter\n\\+Tally subclass: StepCounter\n").

plan_as_json(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["plan", Dir, "Counter renameTo: #Tally", "--json"]),
    {ok, Plan} = json(Out),
    ?assertMatch(
        #{
            <<"operation">> := <<"rename_class">>,
            <<"refusal">> := nil,
            <<"new_name">> := <<"Tally">>,
            <<"sites">> := [#{<<"new">> := <<"Tally">>} | _]
        },
        Plan
    ),
    Keys = [
        <<"generation">>, <<"candidates">>, <<"excluded">>, <<"prose">>, <<"not_searched">>,
        <<"warnings">>, <<"files">>
    ],
    ?assertEqual([], Keys -- maps:keys(Plan)),
    {1, Refused, _} = run(["plan", Dir, "Counter renameTo: #User", "--json"]),
    ?assertMatch(
        {ok, #{<<"refusal">> := #{<<"code">> := <<"name.taken">>, <<"places">> := [_ | _]}}},
        json(Refused)
    ).

plan_in_colour(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["plan", Dir, "Counter renameTo: #Tally", "--diff"], color),
    matches(Out, "\e\\[32m\\+Tally subclass: StepCounter\e\\[0m\n").

refusal_names_its_places_and_what_to_do(Config) ->
    Dir = project(Config),
    {1, "", Err} = run(["plan", Dir, "Counter renameTo: #User"]),
    matches(Err, "^error: [^\n]* \\[name.taken\\]\n"),
    matches(Err, "\n    src/user.bt:1:18: [^\n]*\n    hint: [^\n]+\n$").

expression_that_is_none_is_refused(Config) ->
    Dir = project(Config),
    {1, "", Err} = run(["plan", Dir, "Counter new"]),
    matches(Err, "^error: this asks for no change \\[request.invalid\\]\n"),
    matches(Err, "\n    hint: write one of").

project_with_errors_is_not_planned_on(Config) ->
    Dir = project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => )\n"}),
    Before = tree(Dir),
    {1, "", Err} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    matches(Err, "^src/bad.bt:2:8: error: "),
    ?assertEqual(Before, tree(Dir)).

allowed_refusal_becomes_a_warning(Config) ->
    Dir = project(Config, #{
        "src/top.bt" => "Object subclass: Top\n  bump => 1\n",
        "src/low.bt" => "Top subclass: Low\n  step => 2\n"
    }),
    Expression = "Low renameSelector: #step to: #bump",
    {1, "", Refusal} = run(["plan", Dir, Expression]),
    matches(Refusal, "To go on: --allow=selector.capture"),
    {0, Plan, ""} = run(["plan", Dir, Expression, "--allow=selector.capture"]),
    matches(Plan, "#bump is defined above Low"),
    {2, _, _} = run(["plan", Dir, Expression, "--allow=selector.taken"]).

accepted_candidates_become_sites(Config) ->
    Dir = project(Config),
    Expression = "Counter renameSelector: #increment to: #bump",
    {0, Out, ""} = run(["plan", Dir, Expression]),
    matches(Out, "^rename method Counter >> increment → bump: 3 sites in 1 file\n"),
    matches(Out, "\n1 candidate, not rewritten unless accepted:\n  src/user.bt:2:26: "),
    {0, All, ""} = run(["plan", Dir, Expression, "--accept=all"]),
    matches(All, "^rename method Counter >> increment → bump: 4 sites in 2 files\n").

%% Apply.

apply_wants_yes(Config) ->
    Dir = project(Config),
    Before = tree(Dir),
    {2, "", Err} = run(["apply", Dir, "Counter renameTo: #Tally"]),
    matches(Err, "--yes"),
    ?assertEqual(Before, tree(Dir)).

class_rename_writes_files_and_moves_one(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    matches(Out, "\nwrote src/tally.bt, was src/counter.bt\n"),
    ?assertEqual(
        ["beamtalk.toml", "src/step_counter.bt", "src/tally.bt", "src/user.bt"],
        maps:keys(tree(Dir))
    ),
    {0, _, ""} = run(["check", Dir]),
    {1, "", "error: there is no class Counter [class.not_found]\n"} =
        run(["references", Dir, "Counter"]).

there_and_back_gives_the_same_bytes(Config) ->
    Dir = project(Config),
    Before = tree(Dir),
    {0, _, ""} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    {0, _, ""} = run(["apply", Dir, "Tally renameTo: #Counter", "--yes"]),
    ?assertEqual(Before, tree(Dir)).

method_rename_removal_and_definition_are_written(Config) ->
    Dir = project(Config),
    Apply = fun(Expression) -> {0, _, ""} = run(["apply", Dir, Expression, "--yes"]) end,
    Apply("Counter renameSelector: #increment to: #bump"),
    Apply("Counter removeSelector: #twice"),
    Apply("StepCounter >> step => self.value + 2"),
    Apply("StepCounter class >> start => self new"),
    Tree = tree(Dir),
    ?assertEqual(
        <<
            "// A Counter counts.\nObject subclass: Counter\n  field: value = 0\n"
            "  bump => self.value := self.value + 1\n\n  class start => self new\n"
        >>,
        maps:get("src/counter.bt", Tree)
    ),
    ?assertEqual(
        <<
            "Counter subclass: StepCounter\n  class start => self new\n"
            "\n  step => self.value + 2\n"
        >>,
        maps:get("src/step_counter.bt", Tree)
    ).

class_removal_removes_its_file(Config) ->
    Dir = project(Config, #{"beamtalk.toml" => manifest()}),
    Before = tree(Dir),
    {1, "", Err} = run(["plan", Dir, "Counter removeFromSystem"]),
    matches(Err, "^error: cannot remove 'Counter' because it has subclasses"),
    {0, Plan, ""} = run(["plan", Dir, "User removeFromSystem"]),
    matches(Plan, "^remove class User: 1 site in 1 file\n"),
    matches(Plan, "\nsrc/user.bt \\(the file goes\\)\n"),
    {0, Diff, ""} = run(["plan", Dir, "User removeFromSystem", "--diff"]),
    matches(Diff, "\n-Object subclass: User\n"),
    {0, Json, ""} = run(["plan", Dir, "User removeFromSystem", "--json"]),
    ?assertMatch({ok, #{<<"files">> := [#{<<"text">> := nil}]}}, json(Json)),
    ?assertEqual(Before, tree(Dir)),
    {0, Out, ""} = run(["apply", Dir, "User removeFromSystem", "--yes"]),
    matches(Out, "\nremoved src/user.bt\n$"),
    {0, _, ""} = run(["apply", Dir, "StepCounter removeFromSystem", "--yes"]),
    {0, Left, ""} = run(["plan", Dir, "Counter removeFromSystem"]),
    matches(Left, "1 mention left behind:\n  beamtalk.toml:4:15: certain: Counter in manifest"),
    matches(Left, "warning: 1 reference to Counter will find no class\n"),
    ?assertEqual(
        maps:without(["src/user.bt", "src/step_counter.bt"], Before), tree(Dir)
    ).

manifest_is_written_with_a_rename(Config) ->
    Dir = project(Config, #{"beamtalk.toml" => manifest()}),
    {0, Out, ""} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    matches(Out, "\nbeamtalk.toml\n  4:15    manifest            Counter"),
    matches(Out, "  beamtalk.toml:2:19: Counter\n"),
    #{"beamtalk.toml" := Manifest} = tree(Dir),
    ?assertEqual(
        <<"[package]\nname = \"sample\" # Counter\n[application]\nsupervisor = \"Tally\"\n">>,
        Manifest
    ).

extension_is_edited_where_it_stands(Config) ->
    Dir = project(Config, #{"src/more.bt" => "Counter >> half => 1\n"}),
    Apply = fun(Text) -> {0, _, ""} = run(["apply", Dir, Text, "--yes"]) end,
    Before = maps:remove("src/more.bt", tree(Dir)),
    Apply("Counter >> half => 2"),
    Apply("Counter renameSelector: #half to: #part"),
    ?assertEqual(Before#{"src/more.bt" => <<"Counter >> part => 2\n">>}, tree(Dir)),
    Apply("Counter removeSelector: #part"),
    ?assertEqual(Before, tree(Dir)).

dependency_is_never_written(Config) ->
    Dir = project(Config, #{
        "beamtalk.toml" =>
            "[package]\nname = \"sample\"\n[dependencies]\nlib = { path = \"lib\" }\n",
        "lib/beamtalk.toml" => "[package]\nname = \"lib\"\n",
        "lib/thing.bt" => "Object subclass: Thing\n  a => 1\n",
        "lib/more.bt" => "Thing >> half => 1\nInteger >> third => 1\n"
    }),
    Before = tree(Dir),
    {0, _, ""} = run(["check", Dir]),
    Refused = [
        "Thing removeSelector: #a", "Thing >> a => 2", "Thing removeFromSystem",
        "Thing renameTo: #Other", "Thing renameSelector: #a to: #b",
        "Thing removeSelector: #half", "Integer >> third => 2", "Integer removeSelector: #third",
        "Integer renameSelector: #third to: #b", "Integer removeSelector: #abs"
    ],
    ?assertEqual(
        [], [Text || Text <- Refused, {0, _, _} <- [run(["apply", Dir, Text, "--yes"])]]
    ),
    ?assertEqual(Before, tree(Dir)).

changed_file_stops_everything(Config) ->
    Dir = project(Config),
    Plan = plan(Dir, <<"Counter renameTo: #Tally">>),
    ok = file:write_file(filename:join(Dir, "src/user.bt"), "Object subclass: Other\n"),
    Before = tree(Dir),
    {error, {btr, Code, #{message := Message}}} = btr_apply:write(Dir, Plan),
    ?assertEqual(<<"disk.changed">>, Code),
    matches(binary_to_list(Message), "^src/user.bt has changed since it was read"),
    ?assertEqual(Before, tree(Dir)).

read_only_file_stops_everything(Config) ->
    Dir = project(Config),
    ok = file:change_mode(filename:join(Dir, "src/user.bt"), 8#444),
    Before = tree(Dir),
    {1, "", Err} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    matches(Err, "^error: src/user.bt cannot be written: it is read-only \\[disk.failed\\]\n"),
    matches(Err, "hint: nothing was written\n"),
    ?assertEqual(Before, tree(Dir)).

taken_file_name_stops_everything(Config) ->
    Dir = project(Config),
    Plan = plan(Dir, <<"Counter renameTo: #Tally">>),
    ok = file:write_file(filename:join(Dir, "src/tally.bt"), "// mine\n"),
    Before = tree(Dir),
    ?assertMatch({error, {btr, <<"file.taken">>, _}}, btr_apply:write(Dir, Plan)),
    ?assertEqual(Before, tree(Dir)).

mode_bits_and_links_are_kept(Config) ->
    Dir = project(Config),
    User = filename:join(Dir, "src/user.bt"),
    Step = filename:join(Dir, "src/step_counter.bt"),
    ok = file:change_mode(User, 8#640),
    ok = file:rename(Step, filename:join(Dir, "step.txt")),
    ok = file:make_symlink("../step.txt", Step),
    {0, _, ""} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    {ok, #file_info{mode = Mode}} = file:read_file_info(User),
    ?assertEqual(8#640, Mode band 8#777),
    ?assertEqual({ok, "../step.txt"}, file:read_link(Step)),
    {ok, Text} = file:read_file(filename:join(Dir, "step.txt")),
    ?assertMatch(<<"Tally subclass: StepCounter\n", _/binary>>, Text).

link_that_leads_out_stops_everything(Config) ->
    Dir = project(Config),
    Step = filename:join(Dir, "src/step_counter.bt"),
    Elsewhere = <<Dir/binary, "_elsewhere.bt">>,
    ok = file:rename(Step, Elsewhere),
    ok = file:make_symlink(Elsewhere, Step),
    Before = {tree(Dir), file:read_file(Elsewhere)},
    {1, "", Err} = run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    matches(Err, "^error: .*src/step_counter.bt.*_elsewhere.bt; nothing was written "),
    matches(Err, "\\[file.outside\\]\n"),
    ?assertEqual(Before, {tree(Dir), file:read_file(Elsewhere)}).
