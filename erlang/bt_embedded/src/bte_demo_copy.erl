%% @doc The copy of a project that a demonstration works on, and the second node that tests it.
-module(bte_demo_copy).

-export([make/1, remove/1, files/1, index/1, test/1]).

%% @doc Copies a project to a new folder of its own under the system's folder for such things.
-spec make(file:filename_all()) -> file:filename().
make(Project) ->
    Unique = io_lib:format("bt_demo_~s_~b", [os:getpid(), erlang:unique_integer([positive])]),
    Dir = filename:join([os:getenv("TMPDIR", "/tmp"), lists:flatten(Unique), "harbour"]),
    Files = filelib:wildcard("**/*.{bt,toml,md}", filename:absname(Project)),
    lists:foreach(fun(File) -> copy(filename:join(Project, File), filename:join(Dir, File)) end,
        Files),
    Dir.

copy(From, To) ->
    ok = filelib:ensure_dir(To),
    {ok, _} = file:copy(From, To),
    ok.

%% @doc Removes the copy.
-spec remove(file:filename()) -> ok.
remove(Dir) -> file:del_dir_r(filename:dirname(Dir)).

%% @doc Answers the texts of all source files on disk.
-spec files(file:filename()) -> #{binary() => binary()}.
files(Dir) ->
    maps:from_list([
        {unicode:characters_to_binary(File), Text}
     || File <- filelib:wildcard("**/*.bt", Dir),
        {ok, Text} <- [file:read_file(filename:join(Dir, File))]
    ]).

%% @doc Indexes texts apart from the running workspace.
-spec index(#{binary() => binary()}) -> term().
index(Files) ->
    Index = btr_nif:index_new(),
    Puts = [
        {put, File, Unit, #{package => <<"harbour">>, origin => project}}
     || {File, Text} <- maps:to_list(Files),
        {ok, Unit} <- [btr_nif:parse(Text)]
    ],
    ok = btr_nif:index_stage(Index, 1, Puts),
    ok = btr_nif:index_publish(Index, 1),
    Index.

%% @doc Starts a second node from the folder, runs the project's tests there, answers its exit
%% status and what it printed.
-spec test(file:filename()) -> {non_neg_integer(), string()}.
test(Dir) ->
    Paths = lists:append([
        ["-pa", filename:dirname(code:which(Module))]
     || Module <- [btr_nif, ?MODULE]
    ]),
    Main = "halt(bte_cli:main([\"test\" | init:get_plain_arguments()])).",
    Port = open_port({spawn_executable, os:find_executable("erl")}, [
        {args, ["-noshell" | Paths] ++ ["-eval", Main, "-extra", Dir]},
        exit_status, stderr_to_stdout, binary
    ]),
    output(Port, []).

output(Port, Acc) ->
    receive
        {Port, {data, Data}} -> output(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {Status, unicode:characters_to_list(iolist_to_binary(Acc))}
    end.
