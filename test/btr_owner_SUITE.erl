%% Who may write a project's folder.
-module(btr_owner_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    claim_is_held_until_it_is_released/1, claim_of_a_dead_process_is_taken_over/1,
    claim_of_a_living_process_is_refused_and_named/1, reused_number_holds_nothing/1,
    claim_of_another_host_stays/1, text_that_is_no_claim_holds_nothing/1,
    only_one_of_many_takes_over/1, workspace_claims_its_project/1,
    workspace_without_a_log_claims_nothing/1,
    two_workspaces_on_one_project_take_turns/1, flush_and_apply_are_refused_to_others/1
]).

-define(ME, #{pid => <<"10">>, began => <<"7">>, host => <<"here">>, node => <<"me">>}).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    Files = [
        {"beamtalk.toml", "[package]\nname = \"owned\"\nversion = \"0.1.0\"\n"},
        {"src/thing.bt", "Object subclass: Thing\n  one => 1\n"}
    ],
    [
        begin
            ok = filelib:ensure_dir(filename:join(Dir, File)),
            ok = file:write_file(filename:join(Dir, File), Text)
        end
     || {File, Text} <- Files
    ],
    [{dir, Dir}, {file, filename:join(Dir, ".beamtalk/owner")} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_dir(Config) -> proplists:get_value(dir, Config).
do_file(Config) -> proplists:get_value(file, Config).

%% A process of the system that lives as long as the function runs.
do_with_process(Fun) ->
    Port = open_port({spawn_executable, os:find_executable("cat")}, [exit_status]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    try
        Fun(integer_to_list(Pid))
    after
        _ = os:cmd("kill " ++ integer_to_list(Pid)),
        ?AWAIT({Port, {exit_status, _}}, ok)
    end.

%% Puts a claim there as a process of this host would.
do_claim_as(Config, Pid) ->
    ok = btr_owner:claim(do_dir(Config)),
    {ok, Mine} = file:read_file(do_file(Config)),
    {ok, #{<<"began">> := Own} = Claim} = btr_nif:json_decode(Mine),
    Began =
        case file:read_file(["/proc/", Pid, "/stat"]) of
            {ok, Stat} -> lists:nth(22, binary:split(Stat, <<" ">>, [global]));
            {error, _} -> Own
        end,
    Other = Claim#{<<"pid">> := list_to_binary(Pid), <<"began">> := Began},
    ok = file:write_file(do_file(Config), btr_nif:json_encode(Other)).

do_dead_process() ->
    Port = open_port({spawn_executable, os:find_executable("true")}, [exit_status]),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    ?AWAIT({Port, {exit_status, 0}}, integer_to_list(Pid)).

claim_is_held_until_it_is_released(Config) ->
    ok = btr_owner:claim(do_dir(Config)),
    ok = btr_owner:claim(do_dir(Config)),
    ?assert(filelib:is_regular(do_file(Config))),
    ok = btr_owner:release(do_dir(Config)),
    ?assertEqual({ok, []}, file:list_dir(filename:dirname(do_file(Config)))).

claim_of_a_dead_process_is_taken_over(Config) ->
    do_claim_as(Config, do_dead_process()),
    ?assertEqual(ok, btr_owner:check(do_dir(Config))),
    ?assertEqual(ok, btr_owner:claim(do_dir(Config))),
    {ok, Text} = file:read_file(do_file(Config)),
    ?assertMatch({ok, #{<<"pid">> := _}}, btr_nif:json_decode(Text)),
    ?assertEqual({ok, ["owner"]}, file:list_dir(filename:dirname(do_file(Config)))).

claim_of_a_living_process_is_refused_and_named(Config) ->
    do_with_process(fun(Pid) ->
        do_claim_as(Config, Pid),
        {error, {btr, <<"workspace.owned">>, _} = Error} = btr_owner:claim(do_dir(Config)),
        ?assertNotEqual(nomatch, string:find(btr_error:format(Error), "process " ++ Pid)),
        ok = btr_owner:release(do_dir(Config)),
        ?assertMatch({error, _}, btr_owner:check(do_dir(Config)))
    end).

do_judge(Claim, Began) -> btr_owner:judge(btr_nif:json_encode(Claim), ?ME, Began).

do_here(_) -> {ok, <<"5">>}.

reused_number_holds_nothing(_) ->
    Other = ?ME#{pid := <<"11">>, began := <<"5">>},
    ?assertEqual({held, Other}, do_judge(Other, fun do_here/1)),
    ?assertEqual(free, do_judge(Other#{began := <<"4">>}, fun do_here/1)),
    ?assertEqual(free, do_judge(Other, fun(_) -> gone end)),
    %% This process has the number of one from before.
    ?assertEqual(free, do_judge(?ME#{began := <<"4">>}, fun(_) -> {ok, <<"7">>} end)),
    ?assertEqual(mine, do_judge(?ME#{node := <<"renamed">>}, fun do_here/1)).

claim_of_another_host_stays(_) ->
    Other = ?ME#{host := <<"there">>},
    ?assertEqual({held, Other}, do_judge(Other, fun(_) -> gone end)).

text_that_is_no_claim_holds_nothing(Config) ->
    [?assertEqual(free, btr_owner:judge(T, ?ME, fun do_here/1)) || T <- [<<>>, <<"{">>, <<"[1]">>]],
    ok = filelib:ensure_dir(do_file(Config)),
    ok = file:write_file(do_file(Config), "half of"),
    ?assertEqual(ok, btr_owner:claim(do_dir(Config))).

only_one_of_many_takes_over(Config) ->
    %% Within one system process all claims are one's own: none may fail, and one file is left.
    do_claim_as(Config, do_dead_process()),
    Me = self(),
    [spawn_link(fun() -> Me ! {claimed, btr_owner:claim(do_dir(Config))} end)
        || _ <- lists:seq(1, 10)],
    ?assertEqual([ok], lists:usort([?AWAIT({claimed, R}, R) || _ <- lists:seq(1, 10)])),
    ?assertEqual({ok, ["owner"]}, file:list_dir(filename:dirname(do_file(Config)))).

%% Another node has it; while that lives this one may look and try out, and write nothing.
two_workspaces_on_one_project_take_turns(Config) ->
    Peer = btr_peer:start(),
    {ok, _} = btr_peer:call(Peer, bt_embedded, start, [do_options(Config)]),
    Other = btr_peer:call(Peer, os, getpid, []),
    {ok, _, _} = btr_peer:call(Peer, bt_embedded, eval, ["Thing >> one => 2"]),
    {error, {btr, <<"workspace.owned">>, #{message := Message}}} =
        bt_embedded:start(do_options(Config)),
    ?assertMatch({match, _}, re:run(Message, ["process ", Other, " on "])),
    {ok, _} = bt_embedded:start((do_options(Config))#{log := memory}),
    _ = bte_workspace:value("Thing >> one => 3"),
    ?assertMatch({error, {btr, <<"workspace.owned">>, _}}, bt_refactor:flush()),
    {ok, #{flushed := 1}} = btr_peer:call(Peer, bt_refactor, flush, []),
    %% What it had tried out is based on a text that is not there any more.
    ok = peer:cast(Peer, erlang, halt, [9, [{flush, false}]]),
    _ = btr_peer:gone(Peer),
    ?assertMatch({ok, #{flushed := 0, conflicts := [#{reason := <<"external_edit">>}]}},
        bt_refactor:flush()),
    ok = bt_embedded:stop(),
    {ok, _} = bt_embedded:start(do_options(Config)),
    ?assertEqual(2, bte_workspace:value("Thing new one")),
    ?assertMatch([#{prior_epoch := true}], bt_refactor:changes()).

do_options(Config) ->
    #{project => do_dir(Config), log => filename:join(do_dir(Config), ".beamtalk/changes")}.

workspace_claims_its_project(Config) ->
    {ok, _} = bt_embedded:start(do_options(Config)),
    ?assert(filelib:is_regular(do_file(Config))),
    ok = bt_embedded:stop(),
    ?assertNot(filelib:is_regular(do_file(Config))),
    do_with_process(fun(Pid) ->
        do_claim_as(Config, Pid),
        {error, {btr, <<"workspace.owned">>, _}} = bt_embedded:start(do_options(Config)),
        ?assertEqual(undefined, whereis(btr_coordinator))
    end),
    {ok, _} = bt_embedded:start(do_options(Config)).

workspace_without_a_log_claims_nothing(Config) ->
    do_with_process(fun(Pid) ->
        do_claim_as(Config, Pid),
        {ok, _} = bt_embedded:start((do_options(Config))#{log := memory}),
        ?assertEqual(1, bte_workspace:value("Thing new one"))
    end).

flush_and_apply_are_refused_to_others(Config) ->
    {ok, _} = bt_embedded:start((do_options(Config))#{log := memory}),
    _ = bte_workspace:value("Thing >> one => 2"),
    Request = #{operation => rename_class, class => <<"Thing">>, new_name => <<"Item">>},
    {ok, Plan} = bt_refactor:plan(Request),
    Root = btr_files:raw_name(do_dir(Config)),
    do_with_process(fun(Pid) ->
        do_claim_as(Config, Pid),
        ?assertMatch({error, {btr, <<"workspace.owned">>, _}}, bt_refactor:flush()),
        ?assertMatch({error, {btr, <<"workspace.owned">>, _}}, btr_apply:write(Root, Plan))
    end),
    {ok, #{flushed := 1}} = bt_refactor:flush().
