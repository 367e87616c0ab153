%% What `Workspace' does with a project's folder. The rest is in test/scripts/workspace.btscript.
-module(bte_workspace_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    sync_reads_the_files_again/1, autoflush_writes_at_once_and_is_kept/1,
    autoflush_leaves_what_is_destructive/1, builders_live_on_after_an_error/1,
    removal_stops_the_actors_and_tells_how_many/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        sync_reads_the_files_again, autoflush_writes_at_once_and_is_kept,
        autoflush_leaves_what_is_destructive, builders_live_on_after_an_error,
        removal_stops_the_actors_and_tells_how_many
    ].

init_per_testcase(Case, Config) ->
    Root = filename:join(proplists:get_value(priv_dir, Config), Case),
    ok = filelib:ensure_dir(filename:join([Root, "src", "x"])),
    do_write(Root, "beamtalk.toml", "[package]\nname = \"shed\"\nversion = \"0.1.0\"\n"),
    do_write(Root, "src/shed.bt", "Object subclass: Shed\n  size => 1\n"),
    do_start(Root),
    [{root, Root} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_start(Root) ->
    Log = filename:join([Root, ".beamtalk", "changes"]),
    {ok, _} = bt_embedded:start(#{project => Root, log => Log}).

do_write(Root, File, Text) ->
    ok = file:write_file(filename:join(Root, File), Text).

do_read(Config, File) ->
    {ok, Text} = file:read_file(filename:join(proplists:get_value(root, Config), File)),
    Text.

sync_reads_the_files_again(Config) ->
    ?assertEqual(1, bte_workspace:value("Shed new size")),
    Root = proplists:get_value(root, Config),
    do_write(Root, "src/shed.bt", "Object subclass: Shed\n  size => 2\n"),
    do_write(Root, "src/barn.bt", "Shed subclass: Barn\n"),
    Classes = bte_workspace:value("Workspace sync collect: [:each | each name]"),
    ?assertEqual(['Barn', 'Shed'], lists:sort(Classes)),
    ?assertEqual(2, bte_workspace:value("Barn new size")).

autoflush_writes_at_once_and_is_kept(Config) ->
    ?assertEqual(false, bte_workspace:value("Workspace autoflush")),
    ?assertEqual(true, bte_workspace:value("Workspace autoflush: true")),
    {ok, _, _} = bte_workspace:eval("Shed >> size => 3"),
    ?assertEqual(<<"Object subclass: Shed\n  size => 3\n">>, do_read(Config, "src/shed.bt")),
    {ok, _, _} = bte_workspace:eval("Shed tryCompile: #size source: \"4\""),
    ?assertEqual(<<"Object subclass: Shed\n  size => 3\n">>, do_read(Config, "src/shed.bt")),
    bte_workspace:stop(),
    do_start(proplists:get_value(root, Config)),
    ?assertEqual(true, bte_workspace:value("Workspace autoflush")),
    {ok, _, _} = bte_workspace:eval("Shed removeSelector: #size"),
    ?assertEqual(<<"Object subclass: Shed\n">>, do_read(Config, "src/shed.bt")).

autoflush_leaves_what_is_destructive(Config) ->
    true = bte_workspace:value("Workspace autoflush: true"),
    {ok, _, _} = bte_workspace:eval("Shed renameTo: #Hut"),
    {ok, _, _} = bte_workspace:eval("Hut removeFromSystem"),
    ?assertEqual(<<"Object subclass: Shed\n  size => 1\n">>, do_read(Config, "src/shed.bt")).

%% What was wrong can be put right: the builder ends with its class only.
builders_live_on_after_an_error(_) ->
    {ok, Kind, _} = bte_workspace:eval(
        "b := Object classBuilder name: #small. "
        "k := [b register] on: Error do: [:e | e kind]. b name: #Large; register. "
        "#(k, b isAlive)"
    ),
    ?assertMatch([argument_error, false], Kind).

%% RM-10: actors of a removed class are stopped, their number is told, and they can be asked.
removal_stops_the_actors_and_tells_how_many(_) ->
    {ok, Answers, _} = bte_workspace:eval(
        "Actor subclass: Buoy\n  n => 1\n\n"
        "a := Buoy spawn. b := Buoy spawnAs: #nun. Buoy removeFromSystem. "
        "k := [a n] on: Error do: [:e | e kind]. #(a isAlive, b isAlive, a stop, k, a pid == b pid)"
    ),
    ?assertEqual([false, false, ok, actor_dead, false], Answers),
    #{kind := 'remove-class', warnings := Warnings} = lists:last(bt_refactor:changes()),
    ?assertEqual([<<"actors of Buoy that were running, and are stopped: 2">>], Warnings).
