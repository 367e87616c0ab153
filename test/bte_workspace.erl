%% @doc A workspace for suites: the standard library and classes given as texts.
-module(bte_workspace).

-export([write_project/4]).
-export([start/0, start/1, stop/0, load/1, unit/2, unit/3, prepare/1, prepare/2, eval/1, value/1]).

-define(PACKAGE, <<"test">>).

%% @doc Starts a workspace without a project.
start() ->
    start([]).

%% @doc Starts a workspace with units `{File, Text}' in package `test'.
start(Units) ->
    application:set_env(bt_embedded, package, ?PACKAGE),
    {ok, _} = bt_embedded:start(#{}),
    case Units of
        [] -> ok;
        _ -> ok = load(Units)
    end.

stop() ->
    bt_embedded:stop(),
    [begin code:purge(M), code:delete(M), code:purge(M) end
        || {M, _} <- code:all_loaded(), bte_registry:is_identity(M)],
    ok.

%% @doc Writes a project: its manifest, with what comes behind the package's name, and its files.
write_project(Dir, Package, More, Files) ->
    Manifest = ["[package]\nname = \"", Package, "\"\nversion = \"0.1.0\"\n", More],
    lists:foreach(
        fun({File, Text}) ->
            Path = filename:join(Dir, File),
            ok = filelib:ensure_dir(Path),
            ok = file:write_file(Path, Text)
        end,
        [{"beamtalk.toml", Manifest} | Files]
    ),
    Dir.

%% @doc Makes units current by one transaction.
load(Units) ->
    Change = #{operation => load, units => [unit(F, T) || {F, T} <- Units], names => []},
    case bt_refactor:change(Change, #{log => false}) of
        {ok, _} -> ok;
        {error, _} = Error -> Error
    end.

unit(File, Text) ->
    unit(File, Text, false).

unit(File, Text, NamesOnly) ->
    Old =
        case bte_host:unit(File) of
            {ok, #{digest := Digest}} -> Digest;
            error -> absent
        end,
    #{file => File, text => text(Text), package => ?PACKAGE, origin => project,
        names_only => NamesOnly, old_digest => Old}.

text(deleted) -> deleted;
text(Text) -> iolist_to_binary(Text).

%% @doc Compiles units without making them current.
prepare(Units) ->
    prepare(Units, []).

prepare(Units, Names) ->
    bte_host:compile(#{operation => load, units => Units, names => Names}, fun(_) -> ok end).

%% @doc Evaluates an input that must succeed.
value(Text) ->
    {ok, Value, _} = eval(Text),
    Value.

%% @doc Evaluates an input; one that takes too long is interrupted and an error.
eval(Text) ->
    bt_embedded:eval(Text, btr_wait:limit()).
