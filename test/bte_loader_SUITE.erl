%% Loading projects: dependencies, broken projects, single files.
-module(bte_loader_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    project_with_a_dependency_is_loaded/1, broken_project_is_reported_with_places/1,
    broken_project_leaves_nothing_running/1, missing_folder_is_reported/1,
    extension_of_two_packages_is_the_later_one/1, file_is_loaded_into_the_running_workspace/1,
    broken_file_changes_nothing/1, second_load_of_a_project_is_a_change/1,
    class_of_a_gone_file_leaves_memory/1, class_in_a_renamed_file_keeps_its_actors/1,
    gone_superclass_is_refused/1, reload_of_a_broken_file_keeps_the_old_version/1,
    reload_keeps_changes_that_are_not_flushed/1, change_on_both_sides_is_refused/1,
    file_gone_under_a_change_is_refused/1,
    typed_class_outlives_a_reload/1, folder_of_the_project_is_loaded_alone/1,
    dependency_that_is_not_named_any_more_leaves/1, second_project_is_refused/1,
    reload_of_an_unchanged_project_changes_nothing/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_two(Config) ->
    Dir = proplists:get_value(dir, Config),
    bte_workspace:write_project(filename:join(Dir, "lib"), "lib", "", [
        {"src/thing.bt", "Object subclass: Thing\n  name => \"lib\"\n  class make => self new\n"},
        {"src/String+Lib.bt", "String >> origin => \"lib\"\n"},
        {"test/thing_test.bt", "TestCase subclass: ThingTest\n  testName => nil\n"}
    ]),
    bte_workspace:write_project(
        filename:join(Dir, "app"), "app", "\n[dependencies]\nlib = { path = \"../lib\" }\n", [
        {"src/thing.bt", "Object subclass: Thing\n  name => \"app\"\n"},
        {"src/user.bt", "Object subclass: User\n  own => Thing new name\n"
            "  other => lib@Thing make name\n"},
        {"src/String+App.bt", "String >> origin => \"app\"\n"}
    ]).

project_with_a_dependency_is_loaded(Config) ->
    {ok, _} = bt_embedded:start(#{project => do_two(Config)}),
    ?assertEqual(<<"app">>, bte_workspace:value("User new own")),
    ?assertEqual(<<"lib">>, bte_workspace:value("User new other")),
    ?assertEqual({ok, 'bt@lib@thing'}, bte_registry:lookup(<<"lib@Thing">>, <<"app">>)),
    ?assertEqual(error, bte_registry:lookup(<<"ThingTest">>, <<"app">>)).

extension_of_two_packages_is_the_later_one(Config) ->
    {ok, _} = bt_embedded:start(#{project => do_two(Config)}),
    ?assertEqual(<<"app">>, bte_workspace:value("\"a\" origin")),
    {ok, Rows} = bte_registry:read(ext, <<"String">>),
    ?assertEqual([<<"lib">>, <<"app">>],
        [O || #{owner := O, selector := <<"origin">>} <- Rows]).

do_broken(Config) ->
    bte_workspace:write_project(proplists:get_value(dir, Config), "broken", "", [
        {"a.bt", "Nowhere subclass: A\n  a => 1\n"},
        {"b.bt", "// two\nC subclass: B\n  b => 1\n"},
        {"c.bt", "B subclass: C\n  c => 1\n"},
        {"d.bt", "Object subclass: D\n  d => 1\n"},
        {"e.bt", "Object subclass: D\n  e => 1\n"}
    ]).

broken_project_is_reported_with_places(Config) ->
    {error, Error} = bt_embedded:start(#{project => do_broken(Config)}),
    Text = btr_error:format(Error),
    [
        ?assertNotEqual({Part, nomatch}, {Part, string:find(Text, Part)})
     || Part <- [<<"a.bt:1:1">>, <<"e.bt:1:18">>]
    ].

broken_project_leaves_nothing_running(Config) ->
    {error, _} = bt_embedded:start(#{project => do_broken(Config)}),
    ?assertEqual(undefined, whereis(bt_embedded_sup)),
    ?assertEqual(undefined, whereis(btr_coordinator)).

missing_folder_is_reported(Config) ->
    {error, Error} = bt_embedded:start(#{project => proplists:get_value(dir, Config)}),
    ?assertNotEqual(nomatch, string:find(btr_error:format(Error), <<"no such folder">>)).

file_is_loaded_into_the_running_workspace(Config) ->
    Dir = do_two(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    ok = file:write_file(filename:join(Dir, "src/more.bt"), "Object subclass: More\n  one => 1\n"),
    {ok, #{classes := [{_, _} | _] = Classes}} = do_named(bt_embedded:load("src/more.bt")),
    ?assertEqual([{<<"More">>, 'bt@app@more'}], Classes),
    ?assertMatch({ok, #{origin := project}}, bte_host:unit(<<"src/more.bt">>)),
    ?assertEqual(1, bte_workspace:value("More new one")).

do_named({ok, #{classes := Classes} = Loaded}) ->
    {ok, Loaded#{classes := [{bte_registry:name_of(C), C} || C <- Classes]}}.

broken_file_changes_nothing(Config) ->
    Dir = do_two(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    Before = {bte_host:units(), bte_host:generation()},
    Broken = "Object subclass: Thing\n  name => (\n",
    ok = file:write_file(filename:join(Dir, "src/thing.bt"), Broken),
    {error, _} = bt_embedded:load("src/thing.bt"),
    ?assertEqual(Before, {bte_host:units(), bte_host:generation()}),
    ?assertEqual(<<"app">>, bte_workspace:value("User new own")).

second_load_of_a_project_is_a_change(Config) ->
    Dir = do_two(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    Text = "Object subclass: Thing\n  name => \"new\"\n",
    ok = file:write_file(filename:join(Dir, "src/thing.bt"), Text),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual(1, bte_host:generation()),
    ?assertEqual(<<"new">>, bte_workspace:value("User new own")).

%% Reload: the project in a folder has changed on disk.

do_shapes(Config) ->
    bte_workspace:write_project(proplists:get_value(dir, Config), "shapes", "", [
        {"src/shape.bt", "Object subclass: Shape\n  area => 1\n"},
        {"src/round/circle.bt", "Shape subclass: Circle\n  area => 3\n"},
        {"src/pen.bt", "Actor subclass: Pen\n  state: strokes = 0\n"
            "  draw => self.strokes := self.strokes + 1\n"}
    ]).

do_started(Config) ->
    Dir = do_shapes(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    Dir.

do_put(Dir, File, Text) -> ok = file:write_file(filename:join(Dir, File), Text).

class_of_a_gone_file_leaves_memory(Config) ->
    Dir = do_started(Config),
    Circle = bte_workspace:value("Circle"),
    ok = file:delete(filename:join(Dir, "src/round/circle.bt")),
    {ok, #{classes := Classes}} = bt_embedded:load(Dir),
    ?assertEqual([<<"Pen">>, <<"Shape">>], lists:sort([bte_registry:name_of(C) || C <- Classes])),
    ?assertEqual(error, bte_host:unit(<<"src/round/circle.bt">>)),
    ?assertEqual(error, bte_registry:lookup(<<"Circle">>, <<"shapes">>)),
    ?assertEqual([], btr_nif:declarations_of(bte_host:index(), <<"Circle">>)),
    ?assertEqual([<<"src/shape.bt">>],
        [F || #{file := F} <- btr_nif:implementors_of(bte_host:index(), <<"area">>)]),
    ?assertError({bt_exception, #{kind := class_not_found}}, bte_send:send(new, 0, Circle)),
    ?assertEqual(1, bte_host:generation()).

class_in_a_renamed_file_keeps_its_actors(Config) ->
    Dir = do_started(Config),
    {'$actor', C, Pid} = Pen = bte_workspace:value("Pen spawn"),
    ok = file:rename(filename:join(Dir, "src/pen.bt"), filename:join(Dir, "src/pencil.bt")),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual({ok, C}, bte_registry:lookup(<<"Pen">>, <<"shapes">>)),
    ?assertEqual({true, 1}, {is_process_alive(Pid), bte_send:send(draw, 0, Pen)}),
    ?assertEqual(<<"src/pencil.bt">>, bte_workspace:value("Pen sourceFile")).

gone_superclass_is_refused(Config) ->
    Dir = do_started(Config),
    Before = {bte_host:units(), bte_host:generation()},
    ok = file:delete(filename:join(Dir, "src/shape.bt")),
    {error, Error} = bt_embedded:load(Dir),
    ?assertNotEqual(nomatch, string:find(btr_error:format(Error), <<"Shape">>)),
    ?assertEqual(Before, {bte_host:units(), bte_host:generation()}).

reload_of_a_broken_file_keeps_the_old_version(Config) ->
    Dir = do_started(Config),
    do_put(Dir, "src/pen.bt", "Actor subclass: Pen\n  draw => 5\n"),
    do_put(Dir, "src/shape.bt", "Object subclass: Shape\n  area => (\n"),
    {error, Error} = bt_embedded:load(Dir),
    ?assertNotEqual(nomatch, string:find(btr_error:format(Error), <<"src/shape.bt:2:">>)),
    ?assertEqual([1, 1], bte_workspace:value("#(Shape new area, Pen spawn draw)")).

reload_keeps_changes_that_are_not_flushed(Config) ->
    Dir = do_started(Config),
    _ = bte_workspace:value("Shape >> area => 7"),
    do_put(Dir, "src/pen.bt", "Actor subclass: Pen\n  draw => 5\n"),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual([7, 5], bte_workspace:value("#(Shape new area, Pen spawn draw)")).

change_on_both_sides_is_refused(Config) ->
    Dir = do_started(Config),
    _ = bte_workspace:value("Shape >> area => 7"),
    do_put(Dir, "src/shape.bt", "Object subclass: Shape\n  area => 9\n"),
    ?assertMatch({error, {btr, <<"disk.changed">>, _}}, bt_embedded:load(Dir)),
    ?assertEqual(7, bte_workspace:value("Shape new area")),
    {ok, _} = bt_embedded:load("src/shape.bt"),
    ?assertEqual(9, bte_workspace:value("Shape new area")).

file_gone_under_a_change_is_refused(Config) ->
    Dir = do_started(Config),
    _ = bte_workspace:value("Pen >> draw => 7"),
    ok = file:delete(filename:join(Dir, "src/pen.bt")),
    ?assertMatch({error, {btr, <<"disk.changed">>, _}}, bt_embedded:load(Dir)),
    ?assertEqual(7, bte_workspace:value("Pen spawn draw")),
    _ = bte_workspace:value("Workspace changes undo"),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual(error, bte_registry:lookup(<<"Pen">>, <<"shapes">>)).

typed_class_outlives_a_reload(Config) ->
    Dir = do_started(Config),
    _ = bte_workspace:value("Object subclass: Typed\n  one => 1"),
    New = "Workspace newClass: \"Object subclass: Planned\" at: \"src/planned.bt\"",
    _ = bte_workspace:value(New),
    do_put(Dir, "src/pen.bt", "Actor subclass: Pen\n  draw => 5\n"),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual(1, bte_workspace:value("Typed new one")),
    ?assertMatch({ok, _}, bte_registry:lookup(<<"Planned">>, <<"shapes">>)).

folder_of_the_project_is_loaded_alone(Config) ->
    Dir = do_started(Config),
    do_put(Dir, "src/pen.bt", "Actor subclass: Pen\n  draw => 5\n"),
    do_put(Dir, "src/round/circle.bt", "Shape subclass: Circle\n  area => 4\n"),
    {ok, _} = bt_embedded:load("src/round"),
    ?assertEqual([4, 1], bte_workspace:value("#(Circle new area, Pen spawn draw)")),
    ?assertMatch({ok, _}, bte_host:unit(<<"src/round/circle.bt">>)).

dependency_that_is_not_named_any_more_leaves(Config) ->
    Dir = do_two(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    bte_workspace:write_project(
        Dir, "app", "", [{"src/user.bt", "Object subclass: User\n  own => Thing new name\n"}]),
    {ok, _} = bt_embedded:load(Dir),
    ?assertEqual(error, bte_registry:lookup(<<"lib@Thing">>, <<"app">>)),
    ?assertEqual(<<"app">>, bte_workspace:value("User new own")).

second_project_is_refused(Config) ->
    Dir = do_started(Config),
    Other = bte_workspace:write_project(filename:join(Dir, "../other"), "other", "", [
        {"src/o.bt", "Object subclass: O\n"}
    ]),
    %% Before it is read: what is wrong there is no matter.
    ok = file:write_file(filename:join(Other, "beamtalk.toml"), <<"= no manifest">>),
    {error, Error} = bt_embedded:load(Other),
    ?assertNotEqual(nomatch, string:find(btr_error:format(Error), <<"is another one">>)),
    {ok, _} = bt_embedded:load(Dir).

reload_of_an_unchanged_project_changes_nothing(Config) ->
    Dir = do_started(Config),
    {ok, #{classes := [_, _, _]}} = bt_embedded:load(Dir),
    ?assertEqual(0, bte_host:generation()).
