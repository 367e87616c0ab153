%% `Workspace moveClass: class to: path' on the example project, from memory to the disk.
-module(btr_move_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    moved_class_is_written_to_its_new_path/1, move_and_rename_are_one_on_disk/1,
    move_there_and_back_writes_nothing/1, move_to_its_own_place_does_nothing/1,
    move_is_reverted_and_made_again/1, moves_are_told/1, refusals_leave_everything/1,
    flush_does_not_follow_a_link_out_of_the_project/1,
    flush_does_not_write_a_file_that_is_a_link_out/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(Case, Config) ->
    Dir = filename:join([proplists:get_value(priv_dir, Config), ?MODULE, Case]),
    Files = [
        {"src/berth.bt", "Actor subclass: Berth\n  state: n = 0\n  up => self.n := self.n + 1\n"},
        {"src/quay.bt", "Berth subclass: Quay\n  twice => self up. self up\n"}
    ],
    bte_workspace:write_project(Dir, "harbour", "", Files),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_files(Config) ->
    Dir = proplists:get_value(dir, Config),
    lists:sort(filelib:wildcard("**/*.bt", Dir)).

do_kind(Text) ->
    bte_workspace:value(["[", Text, ". #none] on: Exception do: [:e | e kind]"]).

do_flushed() ->
    Result = bte_workspace:value("Workspace flushIncludingDestructive"),
    ?assertMatch(#{conflicts := [], skipped := []}, Result),
    Result.

moved_class_is_written_to_its_new_path(Config) ->
    Actor = bte_workspace:value("Berth spawn"),
    1 = bte_send:send(up, 0, Actor),
    Module = 'bt@harbour@berth',
    Md5 = Module:module_info(md5),
    Class = bte_workspace:value("Workspace moveClass: Berth to: \"src/docks/berth.bt\""),
    ?assertEqual({'$class', Module}, Class),
    ?assertEqual(["src/berth.bt", "src/quay.bt"], do_files(Config)),
    ?assertEqual(Md5, Module:module_info(md5)),
    ?assertMatch(#{flushed := 0}, bte_workspace:value("Workspace flush")),
    ?assertMatch(#{flushed := 1}, do_flushed()),
    ?assertEqual(["src/docks/berth.bt", "src/quay.bt"], do_files(Config)),
    ?assertEqual(<<"src/docks/berth.bt">>, bte_workspace:value("Berth sourceFile")),
    ?assertEqual(2, bte_send:send(up, 0, Actor)),
    bte_workspace:stop(),
    {ok, _} = bt_embedded:start(#{project => proplists:get_value(dir, Config)}),
    ?assertEqual(2, bte_workspace:value("Quay spawn twice")).

move_and_rename_are_one_on_disk(Config) ->
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/docks/berth.bt\""),
    _ = bte_workspace:value("Berth renameTo: #Jetty"),
    _ = bte_workspace:value("Quay renameTo: #Pier"),
    _ = bte_workspace:value("Workspace moveClass: Pier to: \"pier.bt\""),
    _ = do_flushed(),
    ?assertEqual(["pier.bt", "src/docks/jetty.bt"], do_files(Config)).

move_there_and_back_writes_nothing(Config) ->
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/docks/berth.bt\""),
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/berth.bt\""),
    _ = do_flushed(),
    ?assertEqual(["src/berth.bt", "src/quay.bt"], do_files(Config)),
    ?assertEqual(0, bte_workspace:value("Workspace changes size")).

move_to_its_own_place_does_nothing(_) ->
    Generation = bte_registry:generation(),
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/berth.bt\""),
    ?assertEqual(Generation, bte_registry:generation()),
    ?assertEqual(0, bte_workspace:value("Workspace changes size")).

move_is_reverted_and_made_again(Config) ->
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/docks/berth.bt\""),
    _ = bte_workspace:value("Workspace changes revert: Workspace changes last"),
    ?assertEqual(0, bte_workspace:value("Workspace changes size")),
    _ = bte_workspace:value("Workspace changes redo"),
    _ = do_flushed(),
    ?assertEqual(["src/docks/berth.bt", "src/quay.bt"], do_files(Config)).

moves_are_told(_) ->
    Session = bte_session:open(#{}),
    Input = <<"Workspace moveClass: Berth to: \"src/docks/berth.bt\"">>,
    {ok, _, <<"Berth">>, Notes, Next} = bte_session:evaluate(Session, Input),
    ?assertEqual([<<"moved Berth to src/docks/berth.bt. In memory only: "
        ":flush-destructive writes it.">>], Notes),
    Printed = bte_session:evaluate(Next, <<"Workspace changes last printString">>),
    ?assertMatch({ok, _, <<"Berth (moved to src/docks/berth.bt)">>, _, _}, Printed),
    ok = bte_session:close(Session).

%% A folder of the project that is none of it.
do_link_out(Config) ->
    Dir = proplists:get_value(dir, Config),
    ok = filelib:ensure_path(do_elsewhere(Config)),
    file:make_symlink(do_elsewhere(Config), filename:join(Dir, "src/out")).

do_elsewhere(Config) ->
    <<(iolist_to_binary(proplists:get_value(dir, Config)))/binary, "_elsewhere">>.

%% It was a folder when the class was moved there, and is a link when it is written.
flush_does_not_follow_a_link_out_of_the_project(Config) ->
    _ = bte_workspace:value("Workspace moveClass: Berth to: \"src/out/berth.bt\""),
    ok = do_link_out(Config),
    #{flushed := 0, conflicts := [Conflict]} =
        bte_workspace:value("Workspace flushIncludingDestructive"),
    {ok, To} = btr_files:real_path(do_elsewhere(Config)),
    ?assertMatch(#{file := <<"src/out/berth.bt">>, reason := <<"outside_project">>}, Conflict),
    ?assertEqual(<<"src/out is a link that leads out of the project, to ", To/binary>>,
        maps:get(detail, Conflict)),
    ?assertEqual({ok, []}, file:list_dir(To)),
    ?assert(lists:member("src/berth.bt", do_files(Config))).

%% A linked file can be read and changed in memory; what it leads to belongs to somebody else.
flush_does_not_write_a_file_that_is_a_link_out(Config) ->
    Quay = filename:join(proplists:get_value(dir, Config), "src/quay.bt"),
    ok = filelib:ensure_path(do_elsewhere(Config)),
    Real = filename:join(do_elsewhere(Config), <<"quay.bt">>),
    ok = file:rename(Quay, Real),
    ok = file:make_symlink(Real, Quay),
    {ok, Text} = file:read_file(Real),
    _ = bte_workspace:value("Quay >> twice => 2"),
    ?assertMatch(#{conflicts := [#{reason := <<"outside_project">>}]},
        bte_workspace:value("Workspace flush")),
    ?assertEqual({ok, Text}, file:read_file(Real)).

refusals_leave_everything(Config) ->
    Inner = filename:join([proplists:get_value(dir, Config), "inner", "beamtalk.toml"]),
    ok = filelib:ensure_dir(Inner),
    ok = file:write_file(Inner, "[package]\nname = \"inner\"\n"),
    _ = bte_workspace:value("Object subclass: Typed\n  m => 1"),
    ok = do_link_out(Config),
    Before = {bte_host:units(), bte_registry:generation(), bt_refactor:changes()},
    Refused = [
        {type_error, "Workspace moveClass: 3 to: \"src/a.bt\""},
        {type_error, "Workspace moveClass: Berth to: 3"},
        {target_exists, "Workspace moveClass: Berth to: \"src/quay.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"../berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"/tmp/berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"src/.docks/berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"_build/berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"inner/docks/berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"src/out/berth.bt\""},
        {target_outside_project, "Workspace moveClass: Berth to: \"src/out/deep/berth.bt\""},
        {target_outside_project, "Workspace newClass: \"Object subclass: A\" at: \"src/out/a.bt\""},
        {target_exists, "Workspace moveClass: Berth to: \"./src/quay.bt\""},
        {class_name_mismatch, "Workspace moveClass: Berth to: \"src/jetty.bt\""},
        {class_name_mismatch, "Workspace moveClass: Berth to: \"src/docks/berth\""},
        {class_name_mismatch, "Workspace newClass: \"Object subclass: Ab\" at: \"src/ab\""},
        {no_source_file, "Workspace moveClass: Typed to: \"src/typed.bt\""},
        {runtime_error, "Workspace moveClass: Integer to: \"src/integer.bt\""}
    ],
    ?assertEqual(Refused, [{do_kind(Text), Text} || {_, Text} <- Refused]),
    ?assertEqual(Before, {bte_host:units(), bte_registry:generation(), bt_refactor:changes()}).
