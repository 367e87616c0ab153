%% @doc An embedded Beamtalk workspace: start it, load a project, evaluate.
%%
%% ```
%% {ok, _} = bt_embedded:start(#{}),
%% {ok, _} = bt_embedded:load("examples/harbour"),
%% {ok, 7, _} = bt_embedded:eval("3 + 4").
%% '''
%% One workspace a node. What a change of the running system means is the refactoring
%% application's; this one is its host.
-module(bt_embedded).

-export([start/1, stop/0, load/1, eval/1, eval/2]).
-export_type([options/0]).

-type options() :: #{
    %% The project to load at the start.
    project => file:filename_all(),
    %% The folder that changes are written below when no project is loaded.
    root => file:filename_all(),
    %% Where the log of changes lives; in memory without.
    log => file:filename_all() | memory
}.

%% @doc Starts the workspace: the standard library and, when given, a project. Nothing is left
%% running when it fails.
-spec start(options()) ->
    {ok, #{classes := [bte_registry:identity()], recovered := [btr_host:file()]}}
    | {error, btr_error:error()}.
start(Options) ->
    ok = load_modules(),
    case application:ensure_all_started(bt_embedded) of
        {ok, _} -> load_all(Options);
        {error, Reason} -> {error, start_failed(Reason)}
    end.

%% All modules together, on all schedulers: most are needed, and one by one they take twice as long.
load_modules() ->
    code:ensure_modules_loaded(lists:append([modules(A) || A <- [bt_refactor, bt_embedded]])).

modules(Application) ->
    _ = application:load(Application),
    {ok, Modules} = application:get_key(Application, modules),
    Modules.

load_all(Options) ->
    ok = bte_host:create(),
    Steps = [fun recover/1, fun library/1, fun project/1, fun coordinator/1],
    case steps(Steps, Options) of
        {ok, Done} ->
            Recovered = maps:get(recovered, Done, []),
            {ok, #{classes => bte_registry:classes(), recovered => Recovered}};
        {error, _} = Error ->
            stop(),
            Error
    end.

steps([], Options) ->
    {ok, Options};
steps([Step | Steps], Options) ->
    case Step(Options) of
        {ok, Next} -> steps(Steps, Next);
        {error, _} = Error -> Error
    end.

%% Finishes a flush that was cut off, before anything is read.
recover(#{project := Dir} = Options) ->
    {ok, Options#{recovered => btr_journal:recover(filename:absname(Dir), btr_fs_posix)}};
recover(Options) ->
    {ok, Options}.

%% Loads the library, and reads the project's files beside it.
library(Options) ->
    Makers = [fun bte_loader:load_library/0, fun() -> read(Options) end],
    case bte_parallel:map(fun(Make) -> Make() end, Makers) of
        [ok, Read] -> {ok, Options#{read => Read}};
        [{error, _} = Error, _] -> Error
    end.

read(#{project := Dir}) -> btr_project:read(Dir);
read(_) -> none.

project(#{project := Dir, read := Read} = Options) ->
    case bte_loader:load_project(Dir, Read) of
        {ok, #{root := Root}} -> {ok, Options#{root => Root}};
        {error, _} = Error -> Error
    end;
project(Options) ->
    {ok, Options}.

coordinator(Options) ->
    Config = #{
        host => bte_host,
        root => maps:get(root, Options, undefined),
        log => maps:get(log, Options, memory)
    },
    case bt_refactor:start(Config) of
        {ok, _} -> {ok, Options};
        {error, {btr, _, _}} = Error -> Error;
        {error, Reason} -> {error, start_failed(Reason)}
    end.

start_failed(Reason) ->
    btr_error:new(<<"workspace.not_running">>, io_lib:format("cannot start: ~0tp", [Reason])).

%% @doc Stops the workspace.
-spec stop() -> ok.
stop() ->
    _ = bt_refactor:stop(),
    _ = application:stop(bt_embedded),
    _ = [application:unset_env(bt_embedded, Key) || Key <- [root, own_root, package]],
    ok.

%% @doc Loads a project's folder, or one file, into the running workspace.
-spec load(file:filename_all()) ->
    {ok, #{classes := [bte_registry:identity()], _ => _}} | {error, btr_error:error()}.
load(Path) ->
    bte_loader:load(Path).

%% @doc Evaluates an input in a session of its own.
-spec eval(iodata()) -> {ok, term(), [map()]} | {error, binary()}.
eval(Text) ->
    eval(Text, infinity).

%% @doc Evaluates an input within a time.
-spec eval(iodata(), timeout()) -> {ok, term(), [map()]} | {error, binary()}.
eval(Text, Timeout) ->
    Session = bte_prompt:open(#{}),
    case bte_prompt:evaluate(Session, unicode:characters_to_binary(Text), Timeout) of
        {ok, Value, Next, Notes} ->
            bte_prompt:close(Next),
            {ok, Value, Notes};
        {error, ErrorText, Next} ->
            bte_prompt:close(Next),
            {error, ErrorText}
    end.
