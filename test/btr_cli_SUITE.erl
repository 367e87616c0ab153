%% @doc The command line on files: what it prints, what it writes, its exit status.
-module(btr_cli_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include_lib("kernel/include/file.hrl").

-compile([export_all, nowarn_export_all]).

all() ->
    [{group, check}, {group, queries}, {group, plan}, {group, apply}, {group, launcher}].

groups() ->
    [
        {check, [parallel], [
            sound_project_has_totals_and_status_0,
            syntax_error_is_shown_with_its_place,
            terminal_shows_the_line_and_a_caret,
            json_has_diagnostics_and_totals,
            all_problems_of_all_files_are_shown,
            bad_projects_are_told_with_a_place_and_status_1,
            folder_without_manifest_is_checked_with_a_warning
        ]},
        {queries, [parallel], [
            senders_are_lines_with_owner_and_text,
            references_implementors_and_subclasses,
            a_question_about_no_class_is_an_error,
            a_question_about_no_selector_is_an_error,
            a_question_in_no_folder_is_an_error,
            subclasses_are_direct_or_all,
            manifest_refers_to_the_supervisor,
            sites_of_questions_have_the_keys_of_a_plan,
            closure_tells_who_implements_below,
            json_is_an_array_of_sites,
            library_sites_are_shown_only_when_asked_for,
            unknown_class_is_an_error_of_closure,
            senders_are_narrowed_by_class,
            unused_and_unimplemented
        ]},
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
            mode_bits_and_links_are_kept
        ]},
        {launcher, [], [
            launcher_passes_arguments_and_status,
            prompt_tells_what_it_leaves_unwritten,
            launcher_works_through_a_link_and_from_elsewhere
        ]}
    ].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    [{dir, unicode:characters_to_binary(Dir)} | Config].

%% Check.

sound_project_has_totals_and_status_0(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["check", Dir]),
    Counts = "3 files, [0-9]+ bytes, 5 methods, 7 sends, 4 references",
    do_matches(Out, "^" ++ Counts ++ ", [0-9]+ ms: no errors\n$").

syntax_error_is_shown_with_its_place(Config) ->
    Dir = do_project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => (1 +\n"}),
    {1, Out, ""} = do_run(["check", Dir]),
    do_matches(Out, "^src/bad.bt:[23]:[0-9]+: error: [^\n]+\n4 files, .*: [0-9]+ errors?\n$").

terminal_shows_the_line_and_a_caret(Config) ->
    Dir = do_project(Config, #{"src/bad.bt" => <<"\tü subclass: Bad )\n"/utf8>>}),
    {1, Out, _} = do_run(["check", Dir], color),
    do_matches(Out, " 1 \\| \e\\[0m\t. subclass: Bad \\)\n").

json_has_diagnostics_and_totals(Config) ->
    Dir = do_project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => (1 +\n"}),
    {1, Out, ""} = do_run(["check", Dir, "--json"]),
    {ok, #{<<"diagnostics">> := [First | _], <<"totals">> := Totals}} = do_json(Out),
    ?assertEqual(
        [<<"code">>, <<"col">>, <<"file">>, <<"line">>, <<"message">>, <<"severity">>],
        maps:keys(First)
    ),
    ?assertEqual(
        [<<"bytes">>, <<"files">>, <<"methods">>, <<"ms">>, <<"references">>, <<"sends">>],
        maps:keys(Totals)
    ),
    ?assertMatch(#{<<"file">> := <<"src/bad.bt">>, <<"severity">> := <<"error">>}, First).

all_problems_of_all_files_are_shown(Config) ->
    Dir = do_project(Config, #{
        "src/a_bytes.bt" => <<"Object subclass: A\n  x => \"", 255, "\"\n">>,
        "src/b_syntax.bt" => "Object subclass: B\n  x => )\n",
        "src/c_twice.bt" => "Object subclass: Counter\n",
        "src/d_cycle.bt" => "E subclass: D\n",
        "src/e_cycle.bt" => "D subclass: E\n"
    }),
    {1, Out, _} = do_run(["check", Dir]),
    Places = [hd(string:split(Line, " ")) || Line <- string:split(Out, "\n", all)],
    ?assertEqual(
        [
            "src/a_bytes.bt:2:9:", "src/b_syntax.bt:2:8:", "src/counter.bt:2:18:",
            "src/d_cycle.bt:1:1:"
        ],
        lists:sublist(lists:uniq(Places), 4)
    ).

bad_projects_are_told_with_a_place_and_status_1(Config) ->
    Check = fun(Files, Expected) ->
        Dir = do_only(Config, Files),
        {1, [], Err} = do_run(["plan", Dir, "Counter renameTo: #Tally"]),
        do_matches(Err, Expected)
    end,
    Manifest = "[package]\nname = \"x\"\n",
    Check(#{"a.bt" => ""}, "^beamtalk.toml:1:1: error: no beamtalk.toml in "),
    Check(#{"beamtalk.toml" => Manifest}, "^.:1:1: error: there is no .bt file in "),
    Check(
        #{"beamtalk.toml" => Manifest, "a.bt" => "Nowhere subclass: A\n"},
        "^a.bt:1:1: error: the superclass 'Nowhere' of 'A' does not exist\n$"
    ),
    Check(
        #{"beamtalk.toml" => Manifest, "a.bt" => "A subclass: A\n"},
        "^a.bt:1:1: error: these classes inherit in a circle: A < A\n$"
    ),
    Check(
        #{"beamtalk.toml" => Manifest, "a.bt" => <<255>>},
        "^a.bt:1:1: error: not UTF-8: byte 16#FF at offset 0\n$"
    ),
    Check(
        #{"beamtalk.toml" => "name = \n", "a.bt" => ""},
        "^beamtalk.toml:1:8: error: expected a value, found the end of the line\n$"
    ),
    {1, [], Err} = do_run(["plan", filename:join(do_dir(Config), "nowhere"), "A renameTo: #B"]),
    do_matches(Err, ":1:1: error: no such folder: ").

folder_without_manifest_is_checked_with_a_warning(Config) ->
    Dir = do_only(Config, #{"a.bt" => "Object subclass: A\n"}),
    {0, Out, ""} = do_run(["check", Dir]),
    do_matches(Out, "^beamtalk.toml:1:1: warning: no beamtalk.toml: the package is taken to be '").

%% Queries.

senders_are_lines_with_owner_and_text(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["senders", Dir, "increment"]),
    ?assertEqual(
        "src/counter.bt:5:17: Counter>>twice: twice => self increment; increment\n"
        "src/counter.bt:5:28: Counter>>twice: twice => self increment; increment\n"
        "src/user.bt:2:26: User>>use: use => (Counter start) increment\n",
        Out
    ).

a_question_about_no_class_is_an_error(Config) ->
    Dir = do_project(Config),
    [
        ?assertEqual(
            {1, "", "error: there is no class Nope [class.not_found]\n"},
            do_run([Question, Dir, "Nope"])
        )
     || Question <- ["references", "subclasses"]
    ].

%% And makes no atom of what was asked for.
a_question_about_no_selector_is_an_error(Config) ->
    Dir = do_project(Config),
    Unknown = do_unknown(),
    Questions = [
        ["senders", Dir, Unknown], ["implementors", Dir, Unknown],
        ["senders", Dir, Unknown, "--of=Counter"]
    ],
    Expected = "error: nothing defines, sends or names #" ++ Unknown ++ " [selector.not_found]\n",
    [?assertEqual({1, "", Expected}, do_run(Args)) || Args <- Questions],
    {0, "free: " ++ _, ""} = do_run(["closure", Dir, "Counter", Unknown]),
    {1, Json, _} = do_run(["senders", Dir, Unknown, "--json"]),
    ?assertMatch({ok, #{<<"refusal">> := #{<<"code">> := <<"selector.not_found">>}}},
        do_json(Json)),
    ?assertError(badarg, list_to_existing_atom(Unknown)),
    Malformed = [
        ["senders", Dir, "at:put"], ["implementors", Dir, "a b"], ["senders", Dir, ""],
        ["closure", Dir, "Counter", "#up"], ["closure", Dir, "Counter", "class", "1"]
    ],
    [
        do_matches(Err, "^error: \".*\" is no selector \\[selector.invalid\\]\n    hint: ")
     || Args <- Malformed, {1, "", Err} <- [do_run(Args)]
    ],
    ?assertEqual([1, 1, 1, 1, 1], [Status || Args <- Malformed, {Status, _, _} <- [do_run(Args)]]).

%% A selector that no text of this module spells.
do_unknown() -> lists:append(["un", "heard", "Of", "Selector"]).

a_question_in_no_folder_is_an_error(Config) ->
    Dir = filename:join(do_dir(Config), "nowhere"),
    Questions = [
        ["senders", "x"], ["implementors", "x"], ["references", "X"], ["subclasses", "X"],
        ["closure", "X", "x"]
    ],
    [
        begin
            {1, "", Err} = do_run([Question, Dir | Args]),
            do_matches(Err, "^[^\n]+:1:1: error: no such folder: [^\n]+\n$")
        end
     || [Question | Args] <- Questions
    ].

subclasses_are_direct_or_all(Config) ->
    Dir = do_project(Config, #{"src/third.bt" => "StepCounter subclass: Third\n"}),
    {0, Direct, ""} = do_run(["subclasses", Dir, "Counter"]),
    {0, All, ""} = do_run(["subclasses", Dir, "Counter", "--transitive"]),
    ?assertEqual(All, Direct ++ "src/third.bt:1:23: Third: StepCounter subclass: Third\n").

manifest_refers_to_the_supervisor(Config) ->
    Dir = do_project(Config, #{"beamtalk.toml" => do_manifest()}),
    {0, References, ""} = do_run(["references", Dir, "Counter"]),
    do_matches(References, "^beamtalk.toml:4:15: manifest: supervisor = \"Counter\"\n").

do_manifest() ->
    "[package]\nname = \"sample\" # Counter\n[application]\nsupervisor = \"Counter\"\n".

sites_of_questions_have_the_keys_of_a_plan(Config) ->
    Dir = do_project(Config),
    {0, Plan, ""} = do_run(["plan", Dir, "Counter renameTo: #Tally", "--json"]),
    {ok, #{<<"sites">> := [Planned | _]}} = do_json(Plan),
    Questions = [
        ["senders", Dir, "increment"], ["implementors", Dir, "increment"],
        ["references", Dir, "Counter"], ["subclasses", Dir, "Counter"], ["unused", Dir]
    ],
    [
        begin
            {0, Out, ""} = do_run(Args ++ ["--json"]),
            {ok, [Site | _]} = do_json(Out),
            ?assertEqual(maps:keys(Planned), maps:keys(Site))
        end
     || Args <- Questions
    ],
    {0, Closure, ""} = do_run(["closure", Dir, "Counter", "class", "start", "--json"]),
    {ok, #{<<"free">> := false, <<"implementors">> := [Site], <<"unknown">> := []}} =
        do_json(Closure),
    ?assertEqual(maps:keys(Planned), maps:keys(Site)).

references_implementors_and_subclasses(Config) ->
    Dir = do_project(Config),
    {0, References, ""} = do_run(["references", Dir, "Counter"]),
    ?assertEqual(
        "src/step_counter.bt:1:1: StepCounter: Counter subclass: StepCounter\n"
        "src/user.bt:2:11: User>>use: use => (Counter start) increment\n",
        References
    ),
    {0, Implementors, ""} = do_run(["implementors", Dir, "increment"]),
    ?assertEqual(
        "src/counter.bt:4:3: Counter>>increment: increment => self.value := self.value + 1\n",
        Implementors
    ),
    {0, Subclasses, ""} = do_run(["subclasses", Dir, "Counter"]),
    ?assertEqual(
        "src/step_counter.bt:1:19: StepCounter: Counter subclass: StepCounter\n", Subclasses
    ).

closure_tells_who_implements_below(Config) ->
    Dir = do_project(Config),
    ?assertEqual(
        {0, "free: nothing below implements it\n", ""},
        do_run(["closure", Dir, "Counter", "increment"])
    ),
    {0, Out, ""} = do_run(["closure", Dir, "Counter", "class", "start"]),
    ?assertEqual(
        "src/step_counter.bt:2:9: StepCounter class>>start: class start => super start\n"
        "not free: 1 implementor\n",
        Out
    ).

json_is_an_array_of_sites(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["senders", Dir, "increment", "--json"]),
    {ok, [Site | _] = Sites} = do_json(Out),
    ?assertEqual(3, length(Sites)),
    ?assertMatch(
        #{
            <<"file">> := <<"src/counter.bt">>,
            <<"kind">> := <<"self_send">>,
            <<"owner">> := <<"Counter>>twice">>,
            <<"spans">> := [#{<<"start">> := Start, <<"end">> := End, <<"new">> := nil}],
            <<"start">> := Start,
            <<"end">> := End
        },
        Site
    ).

library_sites_are_shown_only_when_asked_for(Config) ->
    Dir = do_project(Config),
    {0, "", ""} = do_run(["implementors", Dir, "printString"]),
    {0, Out, ""} = do_run(["implementors", Dir, "printString", "--all"]),
    do_matches(Out, "^stdlib/").

unknown_class_is_an_error_of_closure(Config) ->
    Dir = do_project(Config),
    ?assertEqual(
        {1, "", "error: Class 'Nope' not found [class.not_found]\n"},
        do_run(["closure", Dir, "Nope", "x"])
    ).

senders_are_narrowed_by_class(Config) ->
    Dir = do_project(Config, #{
        "src/other.bt" => "Object subclass: Other\n  increment => 1\n  use => Other new increment\n"
    }),
    {0, All, ""} = do_run(["senders", Dir, "increment"]),
    {0, Narrow, ""} = do_run(["senders", Dir, "increment", "--of=Other"]),
    do_matches(All, "src/counter.bt:5:17: "),
    ?assertEqual(
        "src/other.bt:3:20: Other>>use: use => Other new increment\n"
        "src/user.bt:2:26: User>>use: use => (Counter start) increment\n",
        Narrow
    ),
    {1, "", Err} = do_run(["senders", Dir, "increment", "--of=Nope class"]),
    do_matches(Err, "Class 'Nope' not found").

unused_and_unimplemented(Config) ->
    Dir = do_project(Config, #{"src/other.bt" => "Object subclass: Other\n  a => self bb\n"}),
    {0, Unused, ""} = do_run(["unused", Dir]),
    do_matches(Unused, "src/other.bt:2:3: Other>>a: a => self bb\n"),
    {0, Unimplemented, ""} = do_run(["unimplemented", Dir]),
    ?assertEqual("src/other.bt:2:13: Other>>a: a => self bb\n", Unimplemented).

%% Plan.

plan_shows_sites_by_file_and_changes_nothing(Config) ->
    Dir = do_project(Config),
    Before = do_tree(Dir),
    {0, Out, ""} = do_run(["plan", Dir, "Counter renameTo: #Tally"]),
    do_matches(Out, "^rename class Counter → Tally: 3 sites in 3 files\n"),
    do_matches(Out, "\nsrc/counter.bt → src/tally.bt\n"),
    do_matches(Out, "\n  2:18 +declaration +Counter → Tally  Counter\n"),
    do_matches(Out, "\n1 mention in 1 file in comments and strings, never rewritten:\n"),
    do_matches(Out, "\n  src/counter.bt:1:6: Counter\n"),
    do_matches(Out, "\nNothing was changed. To write it: bt apply "),
    ?assertEqual(Before, do_tree(Dir)).

plan_as_diff(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["plan", Dir, "Counter renameTo: #Tally", "--diff"]),
    do_matches(Out, "^rename src/counter.bt → src/tally.bt\n--- a/src/counter.bt\n"),
    do_matches(Out, "\n-Counter subclass: StepCounter\n\\+Tally subclass: StepCounter\n").

plan_as_json(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["plan", Dir, "Counter renameTo: #Tally", "--json"]),
    {ok, Plan} = do_json(Out),
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
    {1, Refused, _} = do_run(["plan", Dir, "Counter renameTo: #User", "--json"]),
    ?assertMatch(
        {ok, #{<<"refusal">> := #{<<"code">> := <<"name.taken">>, <<"places">> := [_ | _]}}},
        do_json(Refused)
    ).

plan_in_colour(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["plan", Dir, "Counter renameTo: #Tally", "--diff"], color),
    do_matches(Out, "\e\\[32m\\+Tally subclass: StepCounter\e\\[0m\n").

refusal_names_its_places_and_what_to_do(Config) ->
    Dir = do_project(Config),
    {1, "", Err} = do_run(["plan", Dir, "Counter renameTo: #User"]),
    do_matches(Err, "^error: [^\n]* \\[name.taken\\]\n"),
    do_matches(Err, "\n    src/user.bt:1:18: [^\n]*\n    hint: [^\n]+\n$").

expression_that_is_none_is_refused(Config) ->
    Dir = do_project(Config),
    {1, "", Err} = do_run(["plan", Dir, "Counter new"]),
    do_matches(Err, "^error: this asks for no change \\[request.invalid\\]\n"),
    do_matches(Err, "\n    hint: write one of").

project_with_errors_is_not_planned_on(Config) ->
    Dir = do_project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => )\n"}),
    Before = do_tree(Dir),
    {1, "", Err} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    do_matches(Err, "^src/bad.bt:2:8: error: "),
    ?assertEqual(Before, do_tree(Dir)).

allowed_refusal_becomes_a_warning(Config) ->
    Dir = do_project(Config, #{
        "src/top.bt" => "Object subclass: Top\n  bump => 1\n",
        "src/low.bt" => "Top subclass: Low\n  step => 2\n"
    }),
    Expression = "Low renameSelector: #step to: #bump",
    {1, "", Refusal} = do_run(["plan", Dir, Expression]),
    do_matches(Refusal, "To go on: --allow=selector.capture"),
    {0, Plan, ""} = do_run(["plan", Dir, Expression, "--allow=selector.capture"]),
    do_matches(Plan, "#bump is defined above Low"),
    {2, _, _} = do_run(["plan", Dir, Expression, "--allow=selector.taken"]).

accepted_candidates_become_sites(Config) ->
    Dir = do_project(Config),
    Expression = "Counter renameSelector: #increment to: #bump",
    {0, Out, ""} = do_run(["plan", Dir, Expression]),
    do_matches(Out, "^rename method Counter >> increment → bump: 3 sites in 1 file\n"),
    do_matches(Out, "\n1 candidate, not rewritten unless accepted:\n  src/user.bt:2:26: "),
    {0, All, ""} = do_run(["plan", Dir, Expression, "--accept=all"]),
    do_matches(All, "^rename method Counter >> increment → bump: 4 sites in 2 files\n").

%% Apply.

apply_wants_yes(Config) ->
    Dir = do_project(Config),
    Before = do_tree(Dir),
    {2, "", Err} = do_run(["apply", Dir, "Counter renameTo: #Tally"]),
    do_matches(Err, "--yes"),
    ?assertEqual(Before, do_tree(Dir)).

class_rename_writes_files_and_moves_one(Config) ->
    Dir = do_project(Config),
    {0, Out, ""} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    do_matches(Out, "\nwrote src/tally.bt, was src/counter.bt\n"),
    ?assertEqual(
        ["beamtalk.toml", "src/step_counter.bt", "src/tally.bt", "src/user.bt"],
        maps:keys(do_tree(Dir))
    ),
    {0, _, ""} = do_run(["check", Dir]),
    {1, "", "error: there is no class Counter [class.not_found]\n"} =
        do_run(["references", Dir, "Counter"]).

there_and_back_gives_the_same_bytes(Config) ->
    Dir = do_project(Config),
    Before = do_tree(Dir),
    {0, _, ""} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    {0, _, ""} = do_run(["apply", Dir, "Tally renameTo: #Counter", "--yes"]),
    ?assertEqual(Before, do_tree(Dir)).

method_rename_removal_and_definition_are_written(Config) ->
    Dir = do_project(Config),
    Apply = fun(Expression) -> {0, _, ""} = do_run(["apply", Dir, Expression, "--yes"]) end,
    Apply("Counter renameSelector: #increment to: #bump"),
    Apply("Counter removeSelector: #twice"),
    Apply("StepCounter >> step => self.value + 2"),
    Apply("StepCounter class >> start => self new"),
    Tree = do_tree(Dir),
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
    Dir = do_project(Config, #{"beamtalk.toml" => do_manifest()}),
    Before = do_tree(Dir),
    {1, "", Err} = do_run(["plan", Dir, "Counter removeFromSystem"]),
    do_matches(Err, "^error: cannot remove 'Counter' because it has subclasses"),
    {0, Plan, ""} = do_run(["plan", Dir, "User removeFromSystem"]),
    do_matches(Plan, "^remove class User: 1 site in 1 file\n"),
    do_matches(Plan, "\nsrc/user.bt \\(the file goes\\)\n"),
    {0, Diff, ""} = do_run(["plan", Dir, "User removeFromSystem", "--diff"]),
    do_matches(Diff, "\n-Object subclass: User\n"),
    {0, Json, ""} = do_run(["plan", Dir, "User removeFromSystem", "--json"]),
    ?assertMatch({ok, #{<<"files">> := [#{<<"text">> := nil}]}}, do_json(Json)),
    ?assertEqual(Before, do_tree(Dir)),
    {0, Out, ""} = do_run(["apply", Dir, "User removeFromSystem", "--yes"]),
    do_matches(Out, "\nremoved src/user.bt\n$"),
    {0, _, ""} = do_run(["apply", Dir, "StepCounter removeFromSystem", "--yes"]),
    {0, Left, ""} = do_run(["plan", Dir, "Counter removeFromSystem"]),
    do_matches(Left, "1 mention left behind:\n  beamtalk.toml:4:15: certain: Counter in manifest"),
    do_matches(Left, "warning: 1 reference to Counter will find no class\n"),
    ?assertEqual(
        maps:without(["src/user.bt", "src/step_counter.bt"], Before), do_tree(Dir)
    ).

manifest_is_written_with_a_rename(Config) ->
    Dir = do_project(Config, #{"beamtalk.toml" => do_manifest()}),
    {0, Out, ""} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    do_matches(Out, "\nbeamtalk.toml\n  4:15    manifest            Counter"),
    do_matches(Out, "  beamtalk.toml:2:19: Counter\n"),
    #{"beamtalk.toml" := Manifest} = do_tree(Dir),
    ?assertEqual(
        <<"[package]\nname = \"sample\" # Counter\n[application]\nsupervisor = \"Tally\"\n">>,
        Manifest
    ).

extension_is_edited_where_it_stands(Config) ->
    Dir = do_project(Config, #{"src/more.bt" => "Counter >> half => 1\n"}),
    Apply = fun(Text) -> {0, _, ""} = do_run(["apply", Dir, Text, "--yes"]) end,
    Before = maps:remove("src/more.bt", do_tree(Dir)),
    Apply("Counter >> half => 2"),
    Apply("Counter renameSelector: #half to: #part"),
    ?assertEqual(Before#{"src/more.bt" => <<"Counter >> part => 2\n">>}, do_tree(Dir)),
    Apply("Counter removeSelector: #part"),
    ?assertEqual(Before, do_tree(Dir)).

dependency_is_never_written(Config) ->
    Dir = do_project(Config, #{
        "beamtalk.toml" =>
            "[package]\nname = \"sample\"\n[dependencies]\nlib = { path = \"lib\" }\n",
        "lib/beamtalk.toml" => "[package]\nname = \"lib\"\n",
        "lib/thing.bt" => "Object subclass: Thing\n  a => 1\n",
        "lib/more.bt" => "Thing >> half => 1\nInteger >> third => 1\n"
    }),
    Before = do_tree(Dir),
    {0, _, ""} = do_run(["check", Dir]),
    Refused = [
        "Thing removeSelector: #a", "Thing >> a => 2", "Thing removeFromSystem",
        "Thing renameTo: #Other", "Thing renameSelector: #a to: #b",
        "Thing removeSelector: #half", "Integer >> third => 2", "Integer removeSelector: #third",
        "Integer renameSelector: #third to: #b", "Integer removeSelector: #abs"
    ],
    ?assertEqual(
        [], [Text || Text <- Refused, {0, _, _} <- [do_run(["apply", Dir, Text, "--yes"])]]
    ),
    ?assertEqual(Before, do_tree(Dir)).

changed_file_stops_everything(Config) ->
    Dir = do_project(Config),
    Plan = do_plan(Dir, <<"Counter renameTo: #Tally">>),
    ok = file:write_file(filename:join(Dir, "src/user.bt"), "Object subclass: Other\n"),
    Before = do_tree(Dir),
    {error, {btr, Code, #{message := Message}}} = btr_apply:write(Dir, Plan),
    ?assertEqual(<<"disk.changed">>, Code),
    do_matches(binary_to_list(Message), "^src/user.bt has changed since it was read"),
    ?assertEqual(Before, do_tree(Dir)).

read_only_file_stops_everything(Config) ->
    Dir = do_project(Config),
    ok = file:change_mode(filename:join(Dir, "src/user.bt"), 8#444),
    Before = do_tree(Dir),
    {1, "", Err} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    do_matches(Err, "^error: src/user.bt cannot be written: it is read-only \\[disk.failed\\]\n"),
    do_matches(Err, "hint: nothing was written\n"),
    ?assertEqual(Before, do_tree(Dir)).

taken_file_name_stops_everything(Config) ->
    Dir = do_project(Config),
    Plan = do_plan(Dir, <<"Counter renameTo: #Tally">>),
    ok = file:write_file(filename:join(Dir, "src/tally.bt"), "// mine\n"),
    Before = do_tree(Dir),
    ?assertMatch({error, {btr, <<"file.taken">>, _}}, btr_apply:write(Dir, Plan)),
    ?assertEqual(Before, do_tree(Dir)).

mode_bits_and_links_are_kept(Config) ->
    Dir = do_project(Config),
    User = filename:join(Dir, "src/user.bt"),
    Step = filename:join(Dir, "src/step_counter.bt"),
    ok = file:change_mode(User, 8#640),
    ok = file:rename(Step, filename:join(Dir, "step.txt")),
    ok = file:make_symlink("../step.txt", Step),
    {0, _, ""} = do_run(["apply", Dir, "Counter renameTo: #Tally", "--yes"]),
    {ok, #file_info{mode = Mode}} = file:read_file_info(User),
    ?assertEqual(8#640, Mode band 8#777),
    ?assertEqual({ok, "../step.txt"}, file:read_link(Step)),
    {ok, Text} = file:read_file(filename:join(Dir, "step.txt")),
    ?assertMatch(<<"Tally subclass: StepCounter\n", _/binary>>, Text).

%% Launcher.

launcher_passes_arguments_and_status(Config) ->
    Dir = do_project(Config, #{"grün $x 'y'.bt" => ""}),
    ?assertMatch({0, "bt: live refactoring" ++ _}, do_bt(["help"])),
    ?assertMatch({2, "bt: cannot run 'frob' like this" ++ _}, do_bt(["frob", "", "a b"])),
    NotText = <<"Counter renameTo: #T", 255>>,
    ?assertEqual({2, "bt: an argument is not UTF-8\n"}, do_bt(["plan", Dir, NotText])),
    {0, Out} = do_bt(["check", Dir, "--json"]),
    ?assertMatch({ok, #{<<"totals">> := #{<<"files">> := 4}}}, do_json(Out)),
    ?assertMatch({1, _}, do_bt(["plan", Dir, "Counter renameTo: #User"])).

launcher_works_through_a_link_and_from_elsewhere(Config) ->
    Dir = do_project(Config),
    Link = filename:join(Dir, "tool"),
    ok = file:make_symlink(do_launcher(), Link),
    {Status, Out} = do_execute(Link, ["senders", "src", "increment"], Dir),
    ?assertEqual(0, Status),
    do_matches(Out, "counter.bt:5:17: Counter>>twice: ").

prompt_tells_what_it_leaves_unwritten(Config) ->
    Dir = do_only(Config, #{
        "beamtalk.toml" => "[package]\nname = \"sample\"\n",
        "src/counter.bt" => "Object subclass: Counter\n  one => 1\n"
    }),
    Type = fun(Input) ->
        {0, Out} = do_execute("/bin/sh", [
            "-c", "printf '%s\\n' \"$3\" | \"$1\" repl \"$2\"", "sh", do_launcher(), Dir, Input
        ], do_root()),
        lists:last(string:lexemes(Out, "\n"))
    end,
    Left = "1 change was not written: the files are as they were.",
    ?assertEqual(Left, Type("Counter renameTo: #Tally")),
    ?assertEqual(Left, Type("Counter renameTo: #Tally\n:quit")),
    ?assertEqual("1", Type("Counter renameTo: #Tally\n:undo\n1")).

%% Helpers.

do_project(Config) -> do_project(Config, #{}).

do_project(Config, More) ->
    do_only(Config, maps:merge(
        #{
            "beamtalk.toml" => "[package]\nname = \"sample\"\n",
            "src/counter.bt" =>
                "// A Counter counts.\nObject subclass: Counter\n  field: value = 0\n"
                "  increment => self.value := self.value + 1\n"
                "  twice => self increment; increment\n\n"
                "  class start => self new\n",
            "src/step_counter.bt" =>
                "Counter subclass: StepCounter\n  class start => super start\n",
            "src/user.bt" => "Object subclass: User\n  use => (Counter start) increment\n"
        },
        More
    )).

do_only(Config, Files) ->
    Dir = do_dir(Config),
    _ = file:del_dir_r(Dir),
    Write = fun(Name, Text) ->
        Path = filename:join(Dir, unicode:characters_to_binary(Name)),
        ok = filelib:ensure_dir(Path),
        ok = file:write_file(Path, Text)
    end,
    ok = maps:foreach(Write, Files),
    Dir.

do_dir(Config) -> proplists:get_value(dir, Config).

do_run(Args) -> do_run(Args, plain).

do_run(Args, Style) ->
    Context = #{style => Style, library => do_library()},
    {Status, Out, Err} = btr_cli:run([unicode:characters_to_binary(Arg) || Arg <- Args], Context),
    {Status, unicode:characters_to_list(Out), unicode:characters_to_list(Err)}.

do_library() ->
    unicode:characters_to_binary(filename:join(code:priv_dir(bt_embedded), "stdlib")).

do_plan(Dir, Expression) ->
    {Files, []} = btr_fileset:open(Dir, required, do_library()),
    {ok, Request} = btr_nif:read_request(Expression),
    {ok, Plan} = btr_nif:plan(btr_fileset:index(Files), Request),
    Plan.

do_json(Text) -> btr_nif:json_decode(unicode:characters_to_binary(Text)).

do_matches(Text, Pattern) ->
    case re:run(Text, Pattern, [unicode, {capture, none}]) of
        match -> ok;
        nomatch -> error({no_match, Pattern, unicode:characters_to_binary(Text)})
    end.

%% All files below a folder with their texts.
do_tree(Dir) ->
    Names = [
        string:prefix(Path, unicode:characters_to_list(Dir) ++ "/")
     || Path <- filelib:wildcard(unicode:characters_to_list(Dir) ++ "/**/*"),
        filelib:is_regular(Path)
    ],
    maps:from_list([
        {Name, element(2, file:read_file(filename:join(Dir, Name)))}
     || Name <- Names
    ]).

do_bt(Args) -> do_execute(do_launcher(), Args, do_root()).

do_root() ->
    filename:dirname(filename:dirname(filename:dirname(filename:dirname(do_lib_dir())))).

do_lib_dir() -> filename:absname(code:lib_dir(bt_refactor)).

do_launcher() -> filename:join([do_root(), "bin", "bt"]).

do_execute(Command, Args, Dir) ->
    Port = open_port({spawn_executable, Command}, [
        {args, Args}, {cd, Dir}, {env, [{"BT_PROFILE", "test"}]},
        exit_status, stderr_to_stdout, binary
    ]),
    do_collect(Port, []).

do_collect(Port, Acc) ->
    receive
        {Port, {data, Data}} -> do_collect(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {Status, unicode:characters_to_list(iolist_to_binary(Acc))}
    end.
