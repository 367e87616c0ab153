%% The prompt on a pseudo terminal, as a person meets it: `script' plays the terminal.
-module(bte_terminal_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_suite/1, end_per_suite/1, init_per_testcase/2]).
-export([end_per_testcase/2]).
-export([
    keys_mean_what_they_say/1, control_d_leaves_an_empty_line/1,
    control_d_keeps_a_line_that_has_begun/1, tab_completes/1, control_c_ends_an_evaluation/1,
    an_input_goes_over_lines/1, history_lives_on_over_restarts/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        F
     || {F, 1} <- ?MODULE:module_info(exports),
        not lists:member(F, [module_info, init_per_suite, end_per_suite])
    ].

init_per_suite(Config) ->
    ?assertNotEqual(false, os:find_executable("script")),
    Config.

end_per_suite(_) -> ok.

init_per_testcase(Case, Config) ->
    Cache = filename:join([proplists:get_value(priv_dir, Config), ?MODULE, Case]),
    [{cache, Cache} | Config].

end_per_testcase(_, _) -> ok.

%% A prompt on a terminal of its own, waiting for the first input.
do_start(Config) ->
    Root = filename:dirname(filename:dirname(code:lib_dir(bt_embedded))),
    Bt = filename:join([filename:dirname(filename:dirname(Root)), "bin", "bt"]),
    ?assert(filelib:is_regular(Bt)),
    Port = open_port({spawn_executable, os:find_executable("script")}, [
        {args, ["-qefc", Bt ++ " repl", "/dev/null"]}, binary, exit_status,
        {env, [
            {"BT_PROFILE", "test"}, {"TERM", "xterm"}, {"NO_COLOR", "1"},
            {"XDG_CACHE_HOME", proplists:get_value(cache, Config)}
        ]}
    ]),
    _ = do_until(Port, "bt> "),
    Port.

do_type(Port, Keys) ->
    true = port_command(Port, unicode:characters_to_binary(Keys)).

%% What the terminal shows until it ends with a text.
do_until(Port, Text) -> do_until(Port, unicode:characters_to_binary(Text), <<>>).

do_until(Port, Text, Shown) ->
    case binary:longest_common_suffix([Text, Shown]) =:= byte_size(Text) of
        true ->
            Shown;
        false ->
            receive
                {Port, {data, Data}} -> do_until(Port, Text, <<Shown/binary, Data/binary>>);
                {Port, {exit_status, Status}} -> ct:fail({ended, Status, Shown})
            after 30000 -> do_fail(Port, {never_shown, Text, Shown})
            end
    end.

%% The terminal goes, and what runs in it.
do_fail(Port, Why) ->
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    _ = os:cmd("kill -KILL " ++ integer_to_list(Pid)),
    ct:fail(Why).

%% Types an input with its return; answers what is shown before the next prompt.
do_input(Port, Line) ->
    do_type(Port, [Line, $\r]),
    do_until(Port, "\nbt> ").

do_status(Port) ->
    receive
        {Port, {exit_status, Status}} -> Status
    after 30000 -> do_fail(Port, does_not_end)
    end.

do_has(Shown, Text) ->
    ?assertMatch({_, _}, binary:match(Shown, unicode:characters_to_binary(Text))).

keys_mean_what_they_say(_) ->
    ?assertEqual({<<":quit\r">>, 0}, bte_keys:typed(<<4>>, 0)),
    ?assertMatch({<<4>>, _}, bte_keys:typed(<<4>>, 3)),
    Erased = <<"aé"/utf8, 8, 127>>,
    ?assertEqual({<<Erased/binary, ":quit\r">>, 0}, bte_keys:typed(<<Erased/binary, 4>>, 0)),
    ?assertEqual({<<"x\r:quit\r">>, 0}, bte_keys:typed(<<"x\r", 4>>, 0)),
    %% A line from the history.
    ?assertMatch({<<"\e[A", 4>>, unknown}, bte_keys:typed(<<"\e[A", 4>>, 0)),
    ?assertMatch({_, 0}, bte_keys:typed(<<"\e[A", 3>>, 0)).

control_d_leaves_an_empty_line(Config) ->
    Port = do_start(Config),
    do_has(do_input(Port, "3 + 4"), "7"),
    do_type(Port, [4]),
    ?assertEqual(0, do_status(Port)).

control_d_keeps_a_line_that_has_begun(Config) ->
    Port = do_start(Config),
    do_type(Port, ["3 + 4", 4, 4]),
    do_has(do_input(Port, ""), "7"),
    do_type(Port, [4]),
    ?assertEqual(0, do_status(Port)).

tab_completes(Config) ->
    Port = do_start(Config),
    do_type(Port, "SystemNav\t defa\t class name"),
    do_has(do_input(Port, ""), "\nSystemNavigation"),
    do_type(Port, ":quit\r"),
    ?assertEqual(0, do_status(Port)).

control_c_ends_an_evaluation(Config) ->
    Port = do_start(Config),
    do_has(do_input(Port, "x := 5"), "5"),
    do_type(Port, "Transcript show: \"begun\". [true] whileTrue: [x]\r"),
    _ = do_until(Port, "begun"),
    do_type(Port, [3]),
    do_has(do_until(Port, "\nbt> "), "Interrupted"),
    do_has(do_input(Port, "x"), "5"),
    do_type(Port, [4]),
    ?assertEqual(0, do_status(Port)).

an_input_goes_over_lines(Config) ->
    Port = do_start(Config),
    do_type(Port, "#(1,\r"),
    _ = do_until(Port, "..> "),
    do_has(do_input(Port, "2) size"), "2"),
    do_type(Port, "#(1,\r"),
    _ = do_until(Port, "..> "),
    do_type(Port, [4]),
    ?assertEqual(0, do_status(Port)).

history_lives_on_over_restarts(Config) ->
    First = do_start(Config),
    do_has(do_input(First, "6 * 7"), "42"),
    do_type(First, ":quit\r"),
    ?assertEqual(0, do_status(First)),
    Second = do_start(Config),
    do_type(Second, "\e[A"),
    _ = do_until(Second, "6 * 7"),
    do_has(do_input(Second, ""), "42"),
    do_type(Second, [4]),
    ?assertEqual(0, do_status(Second)).
