%% @doc The commands of `bin/bt' that need a running workspace: repl, run, test, script, demo.
%% Each answers an exit status; nothing here halts the node. Tested by `bte_script_SUITE'.
-module(bte_cli).

-export([main/1, with_workspace/2, complain/1, wrong_use/1]).

%% @doc Runs a command with its arguments; answers the exit status.
-spec main([string() | binary()]) -> non_neg_integer().
main([Command | Args]) ->
    quiet_logger(),
    command(to_text(Command), [to_text(A) || A <- Args]);
main([]) ->
    wrong_use(<<"a command is missing: repl, run, test, script or demo">>).

to_text(Arg) -> unicode:characters_to_binary(Arg).

%% What the runtime logs is for its operator; at a prompt only trouble shows.
quiet_logger() ->
    _ = logger:set_primary_config(level, error),
    %% Supervisors tell of every actor that is killed.
    Filter = {fun logger_filters:domain/2, {stop, sub, [otp]}},
    _ = logger:add_primary_filter(bte_cli, Filter),
    ok.

command(<<"repl">>, Args) -> repl(Args);
command(<<"run">>, Args) -> run(Args);
command(<<"test">>, Args) -> test(Args);
command(<<"script">>, Args) -> bte_script:main(Args);
command(<<"demo">>, _) -> bte_demo:run(example());
command(Other, _) -> wrong_use(<<"there is no command '", Other/binary, "'">>).

example() ->
    Root =
        case init:get_argument(bt_root) of
            {ok, [[Dir] | _]} -> Dir;
            _ -> "."
        end,
    filename:join([Root, "examples", "harbour"]).

repl(Args) ->
    case options(Args) of
        {ok, #{folders := [], expressions := []} = Options} -> in_repl(Options);
        {ok, #{folders := [_], expressions := []} = Options} -> in_repl(Options);
        _ -> wrong_use(<<"usage: bt repl [DIR] [--no-log]">>)
    end.

in_repl(Options) ->
    with_workspace(start_options(Options), fun() -> in_terminal(fun bte_repl:run/0) end).

%% The launcher knows whether a person sits at both ends.
in_terminal(Fun) ->
    case init:get_argument(bt_terminal) of
        {ok, [["yes"] | _]} -> bte_terminal:run(Fun);
        _ -> Fun()
    end.

run(Args) ->
    case options(Args) of
        {ok, #{expressions := []}} -> wrong_use(<<"usage: bt run [DIR] -e 'EXPR' ...">>);
        {ok, #{folders := [_, _ | _]}} -> wrong_use(<<"bt run takes one folder">>);
        {ok, #{expressions := Expressions} = Options} ->
            with_workspace(start_options(Options), fun() -> evaluate_all(Expressions) end);
        {error, Text} -> wrong_use(Text)
    end.

evaluate_all(Expressions) ->
    Session = bte_session:open(#{}),
    evaluate_each(Expressions, Session).

evaluate_each([], Session) ->
    ok = bte_session:close(Session),
    0;
evaluate_each([Expression | Expressions], Session0) ->
    case bte_session:evaluate(Session0, Expression) of
        {ok, _, Text, Notes, Session} ->
            io:put_chars([Text, $\n, [[Note, $\n] || Note <- Notes]]),
            evaluate_each(Expressions, Session);
        {error, Text, Session} ->
            ok = bte_session:close(Session),
            complain(Text)
    end.

test(Args) ->
    case options(Args) of
        {ok, #{folders := [_], expressions := []} = Options} ->
            with_workspace((start_options(Options))#{log => memory}, fun run_tests/0);
        _ ->
            wrong_use(<<"usage: bt test DIR">>)
    end.

run_tests() ->
    Results = bte_test:run(bte_test:classes()),
    io:put_chars(bte_test:report(Results, bte_ansi:palette())),
    case bte_test:counts(Results) of
        {_, 0, _} -> 0;
        _ -> 1
    end.

%% Options.

options(Args) ->
    options(Args, #{folders => [], expressions => [], log => true}).

options([], #{folders := Folders, expressions := Expressions} = Options) ->
    {ok, Options#{folders := lists:reverse(Folders), expressions := lists:reverse(Expressions)}};
options([<<"-e">>, Expression | Args], #{expressions := Es} = Options) ->
    options(Args, Options#{expressions := [Expression | Es]});
options([<<"-e">>], _) ->
    {error, <<"-e needs an expression">>};
options([<<"--no-log">> | Args], Options) ->
    options(Args, Options#{log := false});
options([<<"-", _/binary>> = Unknown | _], _) ->
    {error, <<"unknown option ", Unknown/binary>>};
options([Folder | Args], #{folders := Folders} = Options) ->
    options(Args, Options#{folders := [Folder | Folders]}).

start_options(#{folders := []}) ->
    #{log => memory};
start_options(#{folders := [Dir], log := false}) ->
    #{project => Dir, log => memory};
start_options(#{folders := [Dir], log := true}) ->
    #{project => Dir, log => filename:join([Dir, ".beamtalk", "changes"])}.

%% @doc Starts a workspace for a function and stops it afterwards. A workspace that does not start
%% is explained, and the status is 1.
-spec with_workspace(map(), fun(() -> non_neg_integer())) -> non_neg_integer().
with_workspace(Options, Fun) ->
    ok = bte_progress:show(#{device => standard_error}),
    case bt_embedded:start(Options) of
        {ok, #{recovered := Recovered}} ->
            ok = io:put_chars(standard_error, btr_view:recovered(Recovered)),
            try
                Fun()
            after
                ok = bt_embedded:stop()
            end;
        {error, Error} ->
            complain(btr_error:format(Error))
    end.

%% @doc Writes a message to standard error and answers the status of a failure.
-spec complain(iodata()) -> 1.
complain(Text) ->
    io:put_chars(standard_error, [Text, $\n]),
    1.

%% @doc Writes how a command is used to standard error and answers the status of wrong use.
-spec wrong_use(iodata()) -> 2.
wrong_use(Text) ->
    _ = complain(Text),
    2.
