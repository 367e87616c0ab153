%% The scripts of test/scripts, and the format they are written in.
-module(bte_script_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0]).
-export([
    every_script_passes/1, there_are_enough_expressions_with_known_values/1,
    wildcards_stand_for_any_text/1, an_underscore_within_a_word_is_a_letter/1,
    errors_are_expected_by_a_part_of_their_text/1, an_item_is_found_in_a_collection/1,
    warnings_are_expected_or_not/1, loads_come_before_expressions/1,
    a_definition_goes_on_while_it_is_indented/1, an_expression_without_an_expectation_is_not_run/1,
    a_page_is_read_by_its_code_blocks/1, a_failing_script_gives_status_one/1,
    a_missing_file_gives_status_one/1, wrong_use_gives_status_two/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), F =/= module_info].

do_scripts() ->
    lists:sort(filelib:wildcard(filename:join([do_root(), "test", "scripts", "*.btscript"]))).

%% The test runs somewhere below the project's root.
do_root() ->
    do_root(filename:dirname(code:which(?MODULE))).

do_root(Dir) ->
    case filelib:is_regular(filename:join(Dir, "rebar.config")) of
        true -> Dir;
        false -> do_root(filename:dirname(Dir))
    end.

do_in_root(Fun) ->
    {ok, Before} = file:get_cwd(),
    ok = file:set_cwd(do_root()),
    try
        Fun()
    after
        ok = file:set_cwd(Before)
    end.

every_script_passes(_) ->
    Scripts = do_scripts(),
    ?assert(length(Scripts) >= 25),
    Files = [unicode:characters_to_binary(S) || S <- Scripts],
    ?assertEqual(0, do_in_root(fun() -> bte_cli:main(["script" | Files]) end)).

there_are_enough_expressions_with_known_values(_) ->
    Counts = [length(do_checks(S)) || S <- do_scripts()],
    ?assert(lists:sum(Counts) >= 1000),
    ?assertEqual([], [S || {S, 0} <- lists:zip(do_scripts(), Counts)]).

do_checks(Script) ->
    {ok, Text} = file:read_file(Script),
    #{items := Items} = bte_script_parse:read(Text),
    [Line || {check, Line, _, _} <- Items].

do_met(Expected, Text) ->
    bte_expectation:is_met(Expected, #{outcome => ok, text => Text, warnings => []}).

wildcards_stand_for_any_text(_) ->
    ?assert(do_met(<<"_">>, <<"anything">>)),
    ?assert(do_met(<<"Actor(Counter, _)">>, <<"Actor(Counter, 0.1.0)">>)),
    ?assertNot(do_met(<<"Actor(Counter, _)">>, <<"Actor(Meter, 0.1.0)">>)),
    ?assert(do_met(<<"a_ b _c">>, <<"a1 b 2c">>)),
    ?assertNot(do_met(<<"a _ b">>, <<"a x c">>)),
    ?assert(do_met(<<"exact">>, <<"exact">>)),
    ?assertNot(do_met(<<"exact">>, <<"exactly">>)).

an_underscore_within_a_word_is_a_letter(_) ->
    ?assert(do_met(<<"does_not_understand">>, <<"does_not_understand">>)),
    ?assertNot(do_met(<<"does_not_understand">>, <<"does-not-understand">>)).

errors_are_expected_by_a_part_of_their_text(_) ->
    Error = #{outcome => error, text => <<"RuntimeError: no such thing">>, warnings => []},
    ?assert(bte_expectation:is_met(<<"ERROR: such thing">>, Error)),
    ?assertNot(bte_expectation:is_met(<<"ERROR: other">>, Error)),
    ?assertNot(bte_expectation:is_met(<<"_">>, Error)),
    ?assertNot(do_met(<<"ERROR: text">>, <<"text">>)).

an_item_is_found_in_a_collection(_) ->
    ?assert(do_met(<<"INCLUDES: b">>, <<"[\"a\",\"b\"]">>)),
    ?assert(do_met(<<"INCLUDES: 3">>, <<"Set(1, 3)">>)),
    ?assertNot(do_met(<<"INCLUDES: c">>, <<"[\"a\",\"b\"]">>)).

warnings_are_expected_or_not(_) ->
    Result = #{outcome => ok, text => <<"3">>, warnings => [<<"warning: unused x">>]},
    ?assert(bte_expectation:is_met(<<"WARNING: unused">>, Result)),
    ?assertNot(bte_expectation:is_met(<<"WARNING: dead">>, Result)),
    ?assert(bte_expectation:is_met(<<"NO-WARNING: dead">>, Result)).

loads_come_before_expressions(_) ->
    Script = bte_script_parse:read(<<
        "1\n// => 1\n// @load a/b.bt\n// @load-error c.bt => no class\n"
    >>),
    ?assertMatch(
        #{loads := [{3, <<"a/b.bt">>}], load_errors := [{4, <<"c.bt">>, <<"no class">>}]}, Script
    ),
    ?assertMatch(#{items := [{check, 1, <<"1">>, <<"1">>}]}, Script).

a_definition_goes_on_while_it_is_indented(_) ->
    Script = bte_script_parse:read(<<
        "/// Doc.\nObject subclass: A\n  m => 1\n  n => 2\n// => A\n\nA new m\n// => 1\n"
    >>),
    #{items := [{check, 1, Definition, <<"A">>}, {check, 7, <<"A new m">>, <<"1">>}]} = Script,
    ?assertEqual(<<"/// Doc.\nObject subclass: A\n  m => 1\n  n => 2">>, Definition).

an_expression_without_an_expectation_is_not_run(_) ->
    Script = bte_script_parse:read(<<"3 + 4\n\n#(1,\n  2)\n// => [1,2]\n">>),
    ?assertMatch(
        #{items := [{unchecked, 1, <<"3 + 4">>}, {check, 3, <<"#(1,\n  2)">>, <<"[1,2]">>}]}, Script
    ).

a_page_is_read_by_its_code_blocks(_) ->
    Page = bte_script_parse:read_page(<<
        "3 + 4\n// => 8\n```beamtalk\n// @load a.bt\nx := 1\n// => 1\n```\n"
        "```sh\nls\n// => no\n```\ntext\n```beamtalk\nx\n// => 1\n```\n"
    >>),
    ?assertEqual(
        #{
            loads => [{4, <<"a.bt">>}],
            load_errors => [],
            items => [{check, 5, <<"x := 1">>, <<"1">>}, {check, 14, <<"x">>, <<"1">>}]
        },
        Page
    ).

a_failing_script_gives_status_one(Config) ->
    File = filename:join(proplists:get_value(priv_dir, Config), "failing.btscript"),
    ok = file:write_file(File, <<"3 + 4\n// => 8\n\n1\n// => 1\n">>),
    ?assertEqual(1, bte_cli:main(["script", File])).

a_missing_file_gives_status_one(_) ->
    ?assertEqual(1, bte_cli:main(["script", "no/such.btscript"])).

wrong_use_gives_status_two(_) ->
    [
        ?assertEqual({Args, 2}, {Args, bte_cli:main(Args)})
     || Args <- [
            [], ["frob"], ["repl", "a", "b"], ["repl", "--frob"], ["run"], ["run", "-e"],
            ["run", "a", "b", "-e", "1"], ["run", "--frob", "-e", "1"], ["test"], ["script"]
        ]
    ].
