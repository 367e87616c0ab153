%% @doc The command line on files: what it prints, what it writes, its exit status.
-module(btr_cli_SUITE).

-include_lib("stdlib/include/assert.hrl").

-import(btr_cli_project, [
    project/1, project/2, only/2, dir/1, run/1, run/2, json/1, matches/2, manifest/0
]).

-compile([export_all, nowarn_export_all]).

all() ->
    [{group, check}, {group, queries}, {group, launcher}].

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
    Dir = project(Config),
    {0, Out, ""} = run(["check", Dir]),
    Counts = "3 files, [0-9]+ bytes, 5 methods, 7 sends, 4 references",
    matches(Out, "^" ++ Counts ++ ", [0-9]+ ms: no errors\n$").

syntax_error_is_shown_with_its_place(Config) ->
    Dir = project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => (1 +\n"}),
    {1, Out, ""} = run(["check", Dir]),
    matches(Out, "^src/bad.bt:[23]:[0-9]+: error: [^\n]+\n4 files, .*: [0-9]+ errors?\n$").

terminal_shows_the_line_and_a_caret(Config) ->
    Dir = project(Config, #{"src/bad.bt" => <<"\tü subclass: Bad )\n"/utf8>>}),
    {1, Out, _} = run(["check", Dir], color),
    matches(Out, " 1 \\| \e\\[0m\t. subclass: Bad \\)\n").

json_has_diagnostics_and_totals(Config) ->
    Dir = project(Config, #{"src/bad.bt" => "Object subclass: Bad\n  x => (1 +\n"}),
    {1, Out, ""} = run(["check", Dir, "--json"]),
    {ok, #{<<"diagnostics">> := [First | _], <<"totals">> := Totals}} = json(Out),
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
    Dir = project(Config, #{
        "src/a_bytes.bt" => <<"Object subclass: A\n  x => \"", 255, "\"\n">>,
        "src/b_syntax.bt" => "Object subclass: B\n  x => )\n",
        "src/c_twice.bt" => "Object subclass: Counter\n",
        "src/d_cycle.bt" => "E subclass: D\n",
        "src/e_cycle.bt" => "D subclass: E\n"
    }),
    {1, Out, _} = run(["check", Dir]),
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
        Dir = only(Config, Files),
        {1, [], Err} = run(["plan", Dir, "Counter renameTo: #Tally"]),
        matches(Err, Expected)
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
    {1, [], Err} = run(["plan", filename:join(dir(Config), "nowhere"), "A renameTo: #B"]),
    matches(Err, ":1:1: error: no such folder: ").

folder_without_manifest_is_checked_with_a_warning(Config) ->
    Dir = only(Config, #{"a.bt" => "Object subclass: A\n"}),
    {0, Out, ""} = run(["check", Dir]),
    matches(Out, "^beamtalk.toml:1:1: warning: no beamtalk.toml: the package is taken to be '").

%% Queries.

senders_are_lines_with_owner_and_text(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["senders", Dir, "increment"]),
    ?assertEqual(
        "src/counter.bt:5:17: Counter>>twice: twice => self increment; increment\n"
        "src/counter.bt:5:28: Counter>>twice: twice => self increment; increment\n"
        "src/user.bt:2:26: User>>use: use => (Counter start) increment\n",
        Out
    ).

a_question_about_no_class_is_an_error(Config) ->
    Dir = project(Config),
    [
        ?assertEqual(
            {1, "", "error: there is no class Nope [class.not_found]\n"},
            run([Question, Dir, "Nope"])
        )
     || Question <- ["references", "subclasses"]
    ].

%% And makes no atom of what was asked for.
a_question_about_no_selector_is_an_error(Config) ->
    Dir = project(Config),
    Unknown = do_unknown(),
    Questions = [
        ["senders", Dir, Unknown], ["implementors", Dir, Unknown],
        ["senders", Dir, Unknown, "--of=Counter"]
    ],
    Expected = "error: nothing defines, sends or names #" ++ Unknown ++ " [selector.not_found]\n",
    [?assertEqual({1, "", Expected}, run(Args)) || Args <- Questions],
    {0, "free: " ++ _, ""} = run(["closure", Dir, "Counter", Unknown]),
    {1, Json, _} = run(["senders", Dir, Unknown, "--json"]),
    ?assertMatch({ok, #{<<"refusal">> := #{<<"code">> := <<"selector.not_found">>}}},
        json(Json)),
    ?assertError(badarg, list_to_existing_atom(Unknown)),
    Malformed = [
        ["senders", Dir, "at:put"], ["implementors", Dir, "a b"], ["senders", Dir, ""],
        ["closure", Dir, "Counter", "#up"], ["closure", Dir, "Counter", "class", "1"]
    ],
    [
        matches(Err, "^error: \".*\" is no selector \\[selector.invalid\\]\n    hint: ")
     || Args <- Malformed, {1, "", Err} <- [run(Args)]
    ],
    ?assertEqual([1, 1, 1, 1, 1], [Status || Args <- Malformed, {Status, _, _} <- [run(Args)]]).

%% A selector that no text of this module spells.
do_unknown() -> lists:append(["un", "heard", "Of", "Selector"]).

a_question_in_no_folder_is_an_error(Config) ->
    Dir = filename:join(dir(Config), "nowhere"),
    Questions = [
        ["senders", "x"], ["implementors", "x"], ["references", "X"], ["subclasses", "X"],
        ["closure", "X", "x"]
    ],
    [
        begin
            {1, "", Err} = run([Question, Dir | Args]),
            matches(Err, "^[^\n]+:1:1: error: no such folder: [^\n]+\n$")
        end
     || [Question | Args] <- Questions
    ].

subclasses_are_direct_or_all(Config) ->
    Dir = project(Config, #{"src/third.bt" => "StepCounter subclass: Third\n"}),
    {0, Direct, ""} = run(["subclasses", Dir, "Counter"]),
    {0, All, ""} = run(["subclasses", Dir, "Counter", "--transitive"]),
    ?assertEqual(All, Direct ++ "src/third.bt:1:23: Third: StepCounter subclass: Third\n").

manifest_refers_to_the_supervisor(Config) ->
    Dir = project(Config, #{"beamtalk.toml" => manifest()}),
    {0, References, ""} = run(["references", Dir, "Counter"]),
    matches(References, "^beamtalk.toml:4:15: manifest: supervisor = \"Counter\"\n").

sites_of_questions_have_the_keys_of_a_plan(Config) ->
    Dir = project(Config),
    {0, Plan, ""} = run(["plan", Dir, "Counter renameTo: #Tally", "--json"]),
    {ok, #{<<"sites">> := [Planned | _]}} = json(Plan),
    Questions = [
        ["senders", Dir, "increment"], ["implementors", Dir, "increment"],
        ["references", Dir, "Counter"], ["subclasses", Dir, "Counter"], ["unused", Dir]
    ],
    [
        begin
            {0, Out, ""} = run(Args ++ ["--json"]),
            {ok, [Site | _]} = json(Out),
            ?assertEqual(maps:keys(Planned), maps:keys(Site))
        end
     || Args <- Questions
    ],
    {0, Closure, ""} = run(["closure", Dir, "Counter", "class", "start", "--json"]),
    {ok, #{<<"free">> := false, <<"implementors">> := [Site], <<"unknown">> := []}} =
        json(Closure),
    ?assertEqual(maps:keys(Planned), maps:keys(Site)).

references_implementors_and_subclasses(Config) ->
    Dir = project(Config),
    {0, References, ""} = run(["references", Dir, "Counter"]),
    ?assertEqual(
        "src/step_counter.bt:1:1: StepCounter: Counter subclass: StepCounter\n"
        "src/user.bt:2:11: User>>use: use => (Counter start) increment\n",
        References
    ),
    {0, Implementors, ""} = run(["implementors", Dir, "increment"]),
    ?assertEqual(
        "src/counter.bt:4:3: Counter>>increment: increment => self.value := self.value + 1\n",
        Implementors
    ),
    {0, Subclasses, ""} = run(["subclasses", Dir, "Counter"]),
    ?assertEqual(
        "src/step_counter.bt:1:19: StepCounter: Counter subclass: StepCounter\n", Subclasses
    ).

closure_tells_who_implements_below(Config) ->
    Dir = project(Config),
    ?assertEqual(
        {0, "free: nothing below implements it\n", ""},
        run(["closure", Dir, "Counter", "increment"])
    ),
    {0, Out, ""} = run(["closure", Dir, "Counter", "class", "start"]),
    ?assertEqual(
        "src/step_counter.bt:2:9: StepCounter class>>start: class start => super start\n"
        "not free: 1 implementor\n",
        Out
    ).

json_is_an_array_of_sites(Config) ->
    Dir = project(Config),
    {0, Out, ""} = run(["senders", Dir, "increment", "--json"]),
    {ok, [Site | _] = Sites} = json(Out),
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
    Dir = project(Config),
    {0, "", ""} = run(["implementors", Dir, "printString"]),
    {0, Out, ""} = run(["implementors", Dir, "printString", "--all"]),
    matches(Out, "^stdlib/").

unknown_class_is_an_error_of_closure(Config) ->
    Dir = project(Config),
    ?assertEqual(
        {1, "", "error: Class 'Nope' not found [class.not_found]\n"},
        run(["closure", Dir, "Nope", "x"])
    ).

senders_are_narrowed_by_class(Config) ->
    Dir = project(Config, #{
        "src/other.bt" => "Object subclass: Other\n  increment => 1\n  use => Other new increment\n"
    }),
    {0, All, ""} = run(["senders", Dir, "increment"]),
    {0, Narrow, ""} = run(["senders", Dir, "increment", "--of=Other"]),
    matches(All, "src/counter.bt:5:17: "),
    ?assertEqual(
        "src/other.bt:3:20: Other>>use: use => Other new increment\n"
        "src/user.bt:2:26: User>>use: use => (Counter start) increment\n",
        Narrow
    ),
    {1, "", Err} = run(["senders", Dir, "increment", "--of=Nope class"]),
    matches(Err, "Class 'Nope' not found").

unused_and_unimplemented(Config) ->
    Dir = project(Config, #{"src/other.bt" => "Object subclass: Other\n  a => self bb\n"}),
    {0, Unused, ""} = run(["unused", Dir]),
    matches(Unused, "src/other.bt:2:3: Other>>a: a => self bb\n"),
    {0, Unimplemented, ""} = run(["unimplemented", Dir]),
    ?assertEqual("src/other.bt:2:13: Other>>a: a => self bb\n", Unimplemented).

%% Launcher.

launcher_passes_arguments_and_status(Config) ->
    Dir = project(Config, #{"grün $x 'y'.bt" => ""}),
    ?assertMatch({0, "bt: live refactoring" ++ _}, do_bt(["help"])),
    ?assertMatch({2, "bt: cannot run 'frob' like this" ++ _}, do_bt(["frob", "", "a b"])),
    NotText = <<"Counter renameTo: #T", 255>>,
    ?assertEqual({2, "bt: an argument is not UTF-8\n"}, do_bt(["plan", Dir, NotText])),
    {0, Out} = do_bt(["check", Dir, "--json"]),
    ?assertMatch({ok, #{<<"totals">> := #{<<"files">> := 4}}}, json(Out)),
    ?assertMatch({1, _}, do_bt(["plan", Dir, "Counter renameTo: #User"])).

launcher_works_through_a_link_and_from_elsewhere(Config) ->
    Dir = project(Config),
    Link = filename:join(Dir, "tool"),
    ok = file:make_symlink(do_launcher(), Link),
    {Status, Out} = do_execute(Link, ["senders", "src", "increment"], Dir),
    ?assertEqual(0, Status),
    matches(Out, "counter.bt:5:17: Counter>>twice: ").

prompt_tells_what_it_leaves_unwritten(Config) ->
    Dir = only(Config, #{
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
