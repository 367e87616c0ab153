%% @doc What a running workspace knows of its code, in a project on disk: the manifest, live
%% patches, extensions and removals, from the index to the files and back.
-module(bte_navigation_SUITE).

-include_lib("stdlib/include/assert.hrl").

-compile([export_all, nowarn_export_all]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        manifest_is_renamed_flushed_and_reverted,
        manifest_follows_the_disk,
        live_patch_is_marked_until_it_is_written,
        live_patch_keeps_its_mark_through_renames,
        live_patch_keeps_its_mark_within_a_group,
        patch_of_an_extension_edits_the_extension,
        renamed_extension_answers_and_is_written,
        removed_extension_uncovers_the_method,
        file_of_extensions_goes_with_the_last_and_comes_back,
        comments_keep_a_file_of_extensions,
        removed_class_tells_what_is_left,
        removed_class_in_a_group,
        removed_class_is_removed_again,
        blocks_of_former_methods_are_searched,
        navigation_answers_code_sites,
        navigation_looks_into_classes,
        navigation_makes_no_atom
    ].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), Case),
    _ = bte_workspace:write_project(Dir, "fleet", "[application]\nsupervisor = \"Root\"\n", [
        {"src/root.bt", "Supervisor subclass: Root\n  class children => #(Counter)\n"},
        {"src/counter.bt",
            "Actor subclass: Counter\n  state: n = 0\n\n  up => self.n := self.n + 1\n\n"
            "  twice => self up. self double\n\n  double => 1\n"},
        {"src/counter+more.bt", "/// Two.\nCounter >> double => 2\n"},
        {"src/user.bt", "Object subclass: User\n  go => Counter spawn twice\n"}
    ]),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

%% The manifest.

manifest_is_renamed_flushed_and_reverted(Config) ->
    Before = do_disk(Config, "beamtalk.toml"),
    ?assertMatch(
        [{<<"beamtalk.toml">>, 5, 15, _, _, manifest, {manifest, nil, instance, nil}}],
        [Row || {_, _, _, _, _, manifest, _} = Row <- bt_refactor:references_to(<<"Root">>)]
    ),
    Supervisor = bte_workspace:value("Root supervise. Workspace supervisor"),
    _ = bte_workspace:value("Root renameTo: #Top"),
    ?assertEqual(Supervisor, bte_workspace:value("Workspace supervisor")),
    ?assertEqual(Before, do_disk(Config, "beamtalk.toml")),
    {ok, #{conflicts := [], files := Files}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual([<<"beamtalk.toml">>, <<"src/root.bt">>, <<"src/top.bt">>], Files),
    ?assertEqual(
        binary:replace(Before, <<"Root">>, <<"Top">>), do_disk(Config, "beamtalk.toml")
    ),
    _ = bte_workspace:value("Top renameTo: #Root"),
    #{seq := Seq} = lists:last(bt_refactor:changes()),
    {ok, _} = bt_refactor:revert(Seq),
    ?assertMatch([_], [x || {_, _, _, _, _, manifest, _} <- bt_refactor:references_to(<<"Top">>)]),
    bte_workspace:stop(),
    {ok, _} = bt_embedded:start(#{project => proplists:get_value(dir, Config)}),
    ?assertEqual(nil, bte_workspace:value("Workspace supervisor")),
    ?assertMatch(#{pid := _}, bte_workspace:value("Top supervise. Workspace supervisor")).

manifest_follows_the_disk(Config) ->
    Path = filename:join(proplists:get_value(dir, Config), "beamtalk.toml"),
    ok = file:write_file(Path, "[package]\nname = \"fleet\"\n"),
    _ = bte_workspace:value("Workspace sync"),
    ?assertEqual([], bt_refactor:references_to(<<"Root">>)).

%% Live patches.

live_patch_is_marked_until_it_is_written(_) ->
    ?assertEqual([body], do_provenances("up")),
    _ = bte_workspace:value("Counter compile: #twice source: \"twice => self up. 7\""),
    ?assertEqual([patch], do_provenances("up")),
    ?assertEqual([patch, body], do_definitions(["twice", "up"])),
    {ok, Plan} = bt_refactor:plan(do_rename("Counter", "up", "add")),
    ?assertEqual([body, patch], lists:sort([P || #{provenance := P} <- maps:get(sites, Plan)])),
    {ok, #{conflicts := []}} = bt_refactor:flush(),
    ?assertEqual([body], do_provenances("up")),
    _ = bte_workspace:value("Counter compile: #twice source: \"twice => self up. 8\""),
    #{seq := Seq} = lists:last(bt_refactor:changes()),
    ?assertEqual([patch], do_provenances("up")),
    {ok, _} = bt_refactor:revert(Seq),
    ?assertEqual([body], do_provenances("up")).

live_patch_keeps_its_mark_through_renames(_) ->
    _ = bte_workspace:value("Counter compile: #twice source: \"twice => self up. 7\""),
    _ = bte_workspace:value("Counter renameTo: #Tally"),
    ?assertEqual([patch], do_provenances("up")),
    {ok, _} = bt_refactor:perform(do_rename("Tally", "twice", "both")),
    ?assertEqual([patch, body], do_definitions(["both", "up"])),
    {ok, _} = bt_refactor:perform(do_rename("Tally", "up", "add")),
    ?assertEqual([patch], do_provenances("add")),
    ?assertEqual([body], do_definitions(["add"])).

live_patch_keeps_its_mark_within_a_group(_) ->
    Source = "twice => self up. 7",
    Patch = #{
        operation => patch_method, class => <<"Counter">>, side => instance,
        source => list_to_binary(Source)
    },
    {ok, Patched} = bt_refactor:plan([Patch, do_rename("Counter", "up", "add")]),
    ?assertMatch([patch], do_site_provenances(Patched, self_send)),
    _ = bte_workspace:value("Counter compile: #twice source: \"" ++ Source ++ "\""),
    {ok, Plan} = bt_refactor:plan([
        do_rename("Counter", "twice", "both"),
        #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>},
        do_rename("Tally", "up", "add")
    ]),
    ?assertEqual([patch], do_site_provenances(Plan, self_send)),
    ?assertEqual([patch, body], do_site_provenances(Plan, definition)).

do_site_provenances(#{sites := Sites}, Kind) ->
    [P || #{kind := K, provenance := P} <- Sites, K =:= Kind].

do_rename(Class, Old, New) ->
    #{
        operation => rename_method, class => list_to_binary(Class), side => instance,
        selector => list_to_binary(Old), new_selector => list_to_binary(New), accept => []
    }.

do_provenances(Selector) ->
    [P || {_, _, _, _, _, _, {P, _, _, _}} <- bt_refactor:senders_of(list_to_binary(Selector))].

do_definitions(Selectors) ->
    [
        P
     || Selector <- Selectors,
        {_, _, _, _, _, _, {P, _, _, _}} <- bt_refactor:implementors_of(list_to_binary(Selector))
    ].

%% Extensions.

patch_of_an_extension_edits_the_extension(Config) ->
    Body = do_disk(Config, "src/counter.bt"),
    Counter = bte_workspace:value("Counter spawn"),
    _ = bte_workspace:value("Counter compile: #double source: \"double => 22\""),
    ?assertEqual(22, bte_send:send(double, 0, Counter)),
    {ok, #{flushed := 1, files := [<<"src/counter+more.bt">>]}} = bt_refactor:flush(),
    ?assertEqual(
        <<"/// Two.\nCounter >> double => 22\n">>, do_disk(Config, "src/counter+more.bt")
    ),
    ?assertEqual(Body, do_disk(Config, "src/counter.bt")).

renamed_extension_answers_and_is_written(Config) ->
    Counter = bte_workspace:value("Counter spawn"),
    {ok, #{warnings := Warnings}} = bt_refactor:perform(do_rename("Counter", "double", "twofold")),
    ?assertMatch([_, _], Warnings),
    Now = bte_host:generation(),
    ?assertEqual(2, bte_send:send(twofold, Now, Counter)),
    ?assertEqual(2, bte_send:send(twice, Now, Counter)),
    ?assertEqual(1, bte_send:send(double, Now, Counter)),
    {ok, #{flushed := 1, files := Files}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual([<<"src/counter+more.bt">>, <<"src/counter.bt">>], Files),
    ?assertEqual(
        <<"/// Two.\nCounter >> twofold => 2\n">>, do_disk(Config, "src/counter+more.bt")
    ).

removed_extension_uncovers_the_method(Config) ->
    Counter = bte_workspace:value("Counter spawn"),
    _ = bte_workspace:value("Counter removeSelector: #double"),
    ?assertEqual(1, bte_send:send(double, 0, Counter)),
    {ok, #{flushed := 1, files := [<<"src/counter+more.bt">>]}} = bt_refactor:flush(),
    ?assertNot(filelib:is_file(do_path(Config, "src/counter+more.bt"))),
    _ = bte_workspace:value("Counter removeSelector: #double"),
    ?assertMatch({error, _}, bte_workspace:eval("Counter spawn double")).

file_of_extensions_goes_with_the_last_and_comes_back(Config) ->
    Path = do_path(Config, "src/counter+more.bt"),
    Before = do_disk(Config, "src/counter+more.bt"),
    _ = bte_workspace:value("Counter removeSelector: #double"),
    ?assertEqual(Before, do_disk(Config, "src/counter+more.bt")),
    _ = bte_workspace:value("Workspace changes undo"),
    ?assertEqual(2, bte_workspace:value("Counter spawn double")),
    _ = bte_workspace:value("Workspace changes redo"),
    ?assertEqual(1, bte_workspace:value("Counter spawn double")),
    {ok, #{conflicts := [], files := [<<"src/counter+more.bt">>]}} = bt_refactor:flush(),
    ?assertNot(filelib:is_file(Path)),
    bte_workspace:stop(),
    {ok, _} = bt_embedded:start(#{project => proplists:get_value(dir, Config)}),
    ?assertEqual(1, bte_workspace:value("Counter spawn double")).

comments_keep_a_file_of_extensions(Config) ->
    File = "src/counter+more.bt",
    Comment = <<"// Kept for the old client.\n\n">>,
    ok = file:write_file(
        do_path(Config, File), [Comment, "Counter >> double => 2\n"]
    ),
    _ = bte_workspace:value("Workspace sync"),
    _ = bte_workspace:value("Counter removeSelector: #double"),
    {ok, #{conflicts := [], files := [_]}} = bt_refactor:flush(),
    ?assertEqual(Comment, do_disk(Config, File)).

%% Removals of classes.

removed_class_tells_what_is_left(Config) ->
    Plan = bte_workspace:value("Root planRemoveFromSystem"),
    ?assertMatch(#{record := #{candidates := [#{kind := manifest, new := nil}]}}, Plan),
    _ = bte_workspace:value("User removeFromSystem"),
    _ = bte_workspace:value("Root removeFromSystem"),
    #{seq := Seq, candidate_sites := Left, warnings := Told} = lists:last(bt_refactor:changes()),
    ?assertMatch([#{file := <<"beamtalk.toml">>, evidence := certain}], Left),
    ?assertEqual([<<"1 reference to Root will find no class">>], Told),
    {ok, _} = bt_refactor:revert(Seq),
    _ = bte_workspace:value("Root removeFromSystem"),
    {ok, #{removed_classes := 2}} = bt_refactor:flush(#{destructive => true}),
    Dir = proplists:get_value(dir, Config),
    ?assertNot(filelib:is_file(filename:join(Dir, "src/root.bt"))),
    ?assertNot(filelib:is_file(filename:join(Dir, "src/user.bt"))).

removed_class_in_a_group(_) ->
    Remove = fun(Class) -> #{operation => remove_class, class => Class} end,
    Patch = #{
        operation => patch_method, class => <<"Root">>, side => class,
        source => <<"children => #()">>
    },
    {ok, #{group := Group}} = bt_refactor:perform([Patch, Remove(<<"User">>), Remove(<<"Root">>)]),
    ?assertMatch({error, _}, bte_workspace:eval("User")),
    {ok, _} = bt_refactor:revert(Group),
    ?assertMatch({ok, _, _}, bte_workspace:eval("User. Root")).

removed_class_is_removed_again(_) ->
    _ = bte_workspace:value("User removeFromSystem"),
    _ = bte_workspace:value("Workspace changes undo"),
    ?assertMatch({ok, _, _}, bte_workspace:eval("User")),
    _ = bte_workspace:value("Workspace changes redo"),
    ?assertMatch({error, _}, bte_workspace:eval("User")).

%% Orphans.

blocks_of_former_methods_are_searched(_) ->
    _ = bte_workspace:value("User compile: #go source: \"go => [:c | c spawn twice]\""),
    _ = bte_workspace:value("Workspace bind: User new go as: #Held"),
    _ = bte_workspace:value("User compile: #go source: \"go => 1\""),
    ?assertEqual([orphan], do_provenances("twice")),
    ?assertEqual([patch], do_definitions(["go"])),
    {ok, #{warnings := []}} = bt_refactor:perform(do_rename("Counter", "twice", "both")),
    %% Of what the receiver is nothing is known: a candidate, which was not accepted.
    ?assertEqual([orphan], do_provenances("twice")),
    _ = bte_workspace:value("User removeFromSystem"),
    ?assertEqual([], do_provenances("twice")).

%% Questions at the prompt.

navigation_answers_code_sites(_) ->
    Print = fun(Text) -> [bte_prim:quoted(Site) || Site <- bte_workspace:value(Text)] end,
    ?assertEqual(
        [<<"src/counter.bt:6:17: Counter>>twice: twice => self up. self double">>],
        Print("SystemNavigation default sendersOf: #up")
    ),
    ?assertEqual(
        [<<"beamtalk.toml:5:15: manifest: supervisor = \"Root\"">>],
        Print("SystemNavigation default referencesTo: Root")
    ),
    ?assertEqual(
        <<"src/root.bt:1:22: Root: Supervisor subclass: Root">>,
        hd(Print("SystemNavigation default subclassesOf: Supervisor"))
    ),
    ?assertEqual(
        [
            <<"src/counter+more.bt:2:12: Counter>>double: Counter >> double => 2">>,
            <<"src/counter.bt:8:3: Counter>>double: double => 1">>
        ],
        Print("SystemNavigation default definitionsOf: #double")
    ),
    ?assertEqual([], Print("SystemNavigation default sendersOf: #up reaching: User")),
    ?assertMatch([_], Print("SystemNavigation default sendersOf: #up reaching: Counter")),
    ?assertEqual(
        <<
            "src/counter+more.bt:2:1: Counter>>double: Counter >> double => 2\n"
            "src/root.bt:2:23: Root class>>children: class children => #(Counter)\n"
            "src/user.bt:2:9: User>>go: go => Counter spawn twice"
        >>,
        bte_view:show(bte_workspace:value("SystemNavigation default referencesTo: Counter"))
    ),
    Site = "(SystemNavigation default sendersOf: #up) first ",
    ?assertEqual(twice, bte_workspace:value(Site ++ "at: #selector")),
    ?assertEqual(1, bte_workspace:value(Site ++ "line")),
    ?assertEqual(6, bte_workspace:value(Site ++ "fileLine")),
    ?assertEqual(<<"Counter">>, bte_prim:quoted(bte_workspace:value(Site ++ "behaviour"))),
    ?assertEqual(7, bte_workspace:value(Site ++ "at: #none ifAbsent: [7]")),
    ?assertMatch({error, _}, bte_workspace:eval(Site ++ "at: #none")),
    ?assertEqual(11, length(bte_workspace:value(Site ++ "keys"))),
    ?assertMatch(
        #{free := false, implementors := [_, _], unknown := []},
        bte_workspace:value("SystemNavigation default overridesOf: #double below: Actor")
    ).

navigation_looks_into_classes(_) ->
    Ask = fun(Text) -> bte_workspace:value("SystemNavigation default " ++ Text) end,
    ?assertEqual([up, double], Ask("messagesSentBy: Counter >> #twice")),
    ?assertEqual([], Ask("unimplementedSelectors")),
    ?assertEqual([go], Ask("unusedSelectors")),
    ?assertMatch([#{fileLine := 4}], Ask("fieldReadersOf: #n in: Counter")),
    ?assertMatch([#{fileLine := 4, column := 14}], Ask("fieldWritersOf: #n in: Counter")),
    ?assertEqual([<<"fleet">>], Ask("extendersOf: Counter")),
    ?assertEqual([], Ask("extendersOf: Counter class")),
    ?assertEqual([double], Ask("extensionsBy: #fleet")),
    ?assertMatch([#{selector := twice}], Ask("methodsMatching: \"self up. self\"")),
    ?assertMatch({error, _}, bte_workspace:eval("SystemNavigation default messagesSentBy: 3")).

%% A name that nothing has is asked for below the prompt, which makes symbols.
navigation_makes_no_atom(_) ->
    Name = <<"never", "Heard", "Of">>,
    Index = bte_host:index(),
    ?assertEqual([], btr_nif:messages_sent_by(Index, Name, instance, Name)),
    ?assertEqual([], btr_nif:field_uses(Index, <<"Counter">>, Name, true)),
    ?assertEqual([], bt_refactor:senders_of(Name)),
    ?assertError(badarg, binary_to_existing_atom(Name)).

do_disk(Config, File) ->
    {ok, Text} = file:read_file(do_path(Config, File)),
    Text.

do_path(Config, File) -> filename:join(proplists:get_value(dir, Config), File).
