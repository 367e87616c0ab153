%%% A node that is killed in the middle of a transaction: the next one starts from disk, and finds
%%% the operation as a pending entry of an earlier epoch when its line was written, else not at all.
-module(btr_node_kill_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [killed_node_starts_from_disk, killed_workspace_starts_from_disk,
     killed_command_is_finished_by_the_next].

do_moments() ->
    [{compile, 'before', 0}, {stage, 'after', 0}, {switch, 'after', 0}, {publish, 'after', 0},
     {purge, 'before', 1}].

killed_node_starts_from_disk(Config) ->
    [do_kill(fake, Moment, Config) || Moment <- do_moments()].

%% The embedded workspace over a project, which a killed node leaves claimed.
killed_workspace_starts_from_disk(Config) ->
    [do_kill(embedded, Moment, Config) || Moment <- do_moments()].

%% `bt apply' is gone at one of its steps, and leaves its project claimed.
killed_command_is_finished_by_the_next(Config) ->
    Dir = iolist_to_binary(filename:join(?config(priv_dir, Config), "applied")),
    Sources = [{"src/a.bt", "Object subclass: A\n  a => 0\n"},
        {"src/user.bt", "Object subclass: User\n  run => A new a\n"}],
    States = [
        begin
            _ = file:del_dir_r(Dir),
            _ = bte_workspace:write_project(Dir, "a", "", Sources),
            {Files, _} = btr_fileset:open(Dir, required, none),
            {ok, Request} = btr_nif:read_request(<<"A renameTo: #Beta">>),
            {ok, Plan} = btr_nif:plan(btr_fileset:index(Files), Request),
            Peer = btr_peer:start(),
            try btr_peer:call(Peer, ?MODULE, apply_until, [Dir, Plan, Step]) of
                {ok, _} -> peer:stop(Peer)
            catch
                _:_ -> btr_peer:gone(Peer)
            end,
            Finished = btr_journal:recover(Dir, btr_fs_posix),
            ?assertEqual([], btr_journal:recover(Dir, btr_fs_posix)),
            {lists:sort(filelib:wildcard("src/*", binary_to_list(Dir))), Finished =/= []}
        end
     || Step <- lists:seq(1, 7)
    ],
    %% Until the steps are kept nothing has begun; later all is done, mostly by the next command.
    [{["src/a.bt", "src/user.bt"], false} | Others] = States,
    ?assertEqual([["src/beta.bt", "src/user.bt"]], lists:usort([Now || {Now, _} <- Others])),
    ?assert(length([x || {_, true} <- Others]) >= 4, States).

do_kill(Host, {Callback, When, Logged}, Config) ->
    Name = io_lib:format("~s_~s_~s", [Host, Callback, When]),
    Dir = filename:join(?config(priv_dir, Config), lists:flatten(Name)),
    First = btr_peer:start(),
    ok = btr_peer:call(First, ?MODULE, workspace, [Host, Dir]),
    {ok, #{seq := 1}} = btr_peer:call(First, ?MODULE, patch, [1]),
    btr_peer:call(First, btr_faults, inject, [Callback, When, {call, fun ?MODULE:halt/0}]),
    try btr_peer:call(First, ?MODULE, patch, [2]) of
        %% The purge comes after the answer: the node may have gone by now, or goes soon.
        {ok, #{seq := 2}} -> ok
    catch
        _:_ -> ok
    end,
    _ = btr_peer:gone(First),
    Second = btr_peer:start(),
    ok = btr_peer:call(Second, ?MODULE, workspace, [Host, Dir]),
    ?assertEqual(<<"Object subclass: A\n  a => 0\n">>, btr_peer:call(Second, ?MODULE, text, [])),
    Entries = btr_peer:call(Second, bt_refactor, changes, []),
    ?assertEqual(
        {Callback, When, [{S, false} || S <- lists:seq(1, 1 + Logged)]},
        {Callback, When, [{S, A} || #{seq := S, active := A} <- Entries]}
    ),
    %% The image is the one on disk, and the next operation works.
    {ok, #{seq := Next, prior_epoch := false}} = btr_peer:call(Second, ?MODULE, patch, [3]),
    ?assertEqual(<<"Object subclass: A\n  a => 3\n">>, btr_peer:call(Second, ?MODULE, text, [])),
    ?assertEqual(2 + Logged, Next),
    peer:stop(Second).

%% On the other node ------------------------------------------------------------------------------

workspace(embedded, Dir) ->
    case filelib:is_dir(Dir) of
        true -> ok;
        false -> bte_workspace:write_project(Dir, "a", "", [
            {"src/a.bt", "Object subclass: A\n  a => 0\n"}])
    end,
    {ok, _} = bt_embedded:start(#{project => Dir, log => filename:join(Dir, ".log")}),
    btr_host_faulty:start();
workspace(fake, Dir) ->
    btr_host_fake:start(#{<<"src/a.bt">> => <<"Object subclass: A\n  a => 0\n">>}),
    {ok, _} = bt_refactor:start(btr_toy:options(#{log => Dir})),
    ok.

patch(N) ->
    bt_refactor:perform(#{operation => patch_method, class => <<"A">>, side => instance,
                          source => <<"a => ", (integer_to_binary(N))/binary>>}).

text() ->
    {ok, #{host := Host}} = btr_coordinator:config(),
    {ok, #{text := Text}} = Host:unit(<<"src/a.bt">>),
    Text.

apply_until(Dir, Plan, Step) ->
    btr_fs_fault:fail_at(Step, halt),
    btr_apply:write(Dir, Plan, btr_fs_fault).

%% Without any shutting down.
halt() -> erlang:halt(9, [{flush, false}]).
