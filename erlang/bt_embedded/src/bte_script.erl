%% @doc Runs `.btscript' files: expressions with what each is expected to give. The examples of a
%% Markdown page (`.md') are a script as well.
%%
%% All `@load' lines of a file are carried out before its first expression. Bindings belong to one
%% file; the workspace, its classes and its log are shared by all files of a run. The workspace has
%% an empty project in a folder of its own, made for the run. Tested by `bte_script_SUITE'.
-module(bte_script).

-export([main/1, run_file/1]).
-export_type([result/0]).

-type result() :: #{
    passed := non_neg_integer(),
    failures := [{Line :: pos_integer(), Text :: binary()}],
    warnings := [{Line :: pos_integer(), Text :: binary()}]
}.

%% @doc Runs script files; answers the exit status.
-spec main([binary()]) -> non_neg_integer().
main([]) ->
    bte_cli:wrong_use(<<"usage: bt script FILE.btscript ...">>);
main(Files) ->
    case [F || F <- Files, not filelib:is_regular(F)] of
        [] -> in_scratch_project(fun() -> run_files(Files) end);
        Missing -> bte_cli:complain([[<<"no such file: ">>, F] || F <- lists:sublist(Missing, 1)])
    end.

in_scratch_project(Fun) ->
    Root = scratch_folder(),
    ok = application:set_env(bt_embedded, root, Root),
    try
        bte_cli:with_workspace(#{root => Root, log => memory}, Fun)
    after
        ok = application:unset_env(bt_embedded, root),
        _ = file:del_dir_r(Root)
    end.

scratch_folder() ->
    Parent = os:getenv("TMPDIR", "/tmp"),
    Name = io_lib:format("bt_script_~s_~b", [os:getpid(), erlang:unique_integer([positive])]),
    Root = unicode:characters_to_binary(filename:join(Parent, Name)),
    ok = filelib:ensure_dir(filename:join(Root, "src/x")),
    Root.

run_files(Files) ->
    Results = [report(F, run_file(F)) || F <- Files],
    Passed = lists:sum([P || #{passed := P} <- Results]),
    Failed = lists:sum([length(Fs) || #{failures := Fs} <- Results]),
    io:format("~b passed, ~b failed~n", [Passed, Failed]),
    case Failed of
        0 -> 0;
        _ -> 1
    end.

report(File, #{failures := Failures, warnings := Warnings} = Result) ->
    Lines = lists:sort([{N, "warning: ", T} || {N, T} <- Warnings] ++
        [{N, "", T} || {N, T} <- Failures]),
    io:put_chars([
        [File, ":", integer_to_list(N), ": ", Kind, Text, "\n"]
     || {N, Kind, Text} <- Lines
    ]),
    Result.

%% @doc Runs one script in the running workspace.
-spec run_file(file:filename_all()) -> result().
run_file(File) ->
    {ok, Text} = file:read_file(File),
    #{loads := Loads, load_errors := LoadErrors, items := Items} = read(File, Text),
    Empty = #{passed => 0, failures => [], warnings => []},
    Loaded = lists:foldl(fun(L, Acc) -> load(File, L, Acc) end, Empty, Loads),
    Refused = lists:foldl(fun(L, Acc) -> load_error(File, L, Acc) end, Loaded, LoadErrors),
    run_items(Items, Refused).

read(File, Text) ->
    case filename:extension(File) of
        Page when Page =:= ".md"; Page =:= <<".md">> -> bte_script_parse:read_page(Text);
        _ -> bte_script_parse:read(Text)
    end.

load(Script, {Line, Path}, Result) ->
    case bte_loader:load(place(Script, Path)) of
        {ok, _} -> Result;
        {error, Error} ->
            failure(Line, ["cannot load ", Path, ": ", btr_error:format(Error)], Result)
    end.

load_error(Script, {Line, Path, Part}, #{passed := Passed} = Result) ->
    case bte_loader:load(place(Script, Path)) of
        {ok, _} ->
            failure(Line, ["loading ", Path, " did not fail"], Result);
        {error, Error} ->
            Text = btr_error:format(Error),
            case binary:match(Text, Part) of
                nomatch -> failure(Line, ["expected ", Part, " in: ", Text], Result);
                _ -> Result#{passed := Passed + 1}
            end
    end.

%% Relative to the folder of the call, else to the script's folder or one above it.
place(Script, Path) ->
    Above = above(filename:dirname(filename:absname(Script))),
    Places = [Path | [filename:join(Dir, Path) || Dir <- Above]],
    case [P || P <- Places, filelib:is_file(P)] of
        [Found | _] -> filename:absname(Found);
        [] -> Path
    end.

above(Dir) ->
    case filename:dirname(Dir) of
        Dir -> [Dir];
        Parent -> [Dir | above(Parent)]
    end.

run_items(Items, Result0) ->
    State0 = #{
        session => bte_session:open(#{}), palette => bte_ansi:plain(), last_load => nil,
        status => ok, confirm => fun(_) -> true end
    },
    {Result, #{session := Session}} = lists:foldl(fun item/2, {Result0, State0}, Items),
    ok = bte_session:close(Session),
    Result.

item({unchecked, Line, Expression}, {#{warnings := Warnings} = Result, State}) ->
    Text = text(["not run, no // => follows: ", Expression]),
    {Result#{warnings := [{Line, Text} | Warnings]}, State};
item({check, Line, Expression, Expected}, {#{passed := Passed} = Result, State0}) ->
    {Actual, State} = evaluate(bte_command:parse(Expression), Expression, State0),
    case bte_expectation:is_met(Expected, Actual) of
        true -> {Result#{passed := Passed + 1}, State};
        false -> {failure(Line, mismatch(Expression, Expected, Actual), Result), State}
    end.

mismatch(Expression, Expected, #{outcome := Outcome, text := Text}) ->
    [
        Expression, "\n    expected: ", Expected, "\n    got:      ",
        [["error: "] || Outcome =:= error], Text
    ].

evaluate(none, Text, State) -> in_session(Text, State);
evaluate({evaluate, Expression}, _, State) -> in_session(Expression, State);
evaluate({confirm, _, _, Expression}, _, State) -> in_session(Expression, State);
evaluate(changes, _, State) -> in_session(<<"Workspace changes">>, State);
evaluate({usage, Text}, _, State) -> {result(error, Text, []), State};
evaluate({load, Path}, _, State) ->
    command(<<":load ", (place(<<"x">>, Path))/binary>>, State);
evaluate(_, Line, State) ->
    command(Line, State).

%% What only a prompt has: its output stands for the value.
command(Line, State) ->
    {_, Output, #{status := Status} = Next} = bte_repl:handle(Line, State),
    {result(Status, string:trim(text(Output), trailing, "\n"), []), Next}.

in_session(Text, #{session := Session0} = State) ->
    case bte_session:evaluate(Session0, Text) of
        {ok, _, Shown, Notes, Session} ->
            {result(ok, Shown, Notes), State#{session := Session}};
        {error, ErrorText, Session} ->
            {result(error, ErrorText, []), State#{session := Session}}
    end.

result(Outcome, Text, Warnings) ->
    #{outcome => Outcome, text => text(Text), warnings => Warnings}.

failure(Line, Text, #{failures := Failures} = Result) ->
    Result#{failures := [{Line, text(Text)} | Failures]}.

text(Chars) -> unicode:characters_to_binary(Chars).
