%% @doc Compiled classes kept on disk under the digest of everything that went into them, so that
%% the next start compiles nothing. A miss, a damaged file or a folder that cannot be written costs
%% time and nothing else.
%%
%% A start looks up a thousand keys, and to open as many files takes longer than all else it does
%% with them. So what one load has found and kept stays in one file beside them as well: a bundle,
%% under a key of its own, read before the first look-up and written again when it lacked something.
%% It holds keys with what is kept under each, so what is found in it is as right as in a file of
%% its own. Tested by `bte_compiler_SUITE'.
-module(bte_cache).

-export([find/1, keep/2, bundled/2, folder/0, users_folder/1]).

%% What the bundle of the running load holds, and whether the load has asked for it:
%% `{Key, Data, unused | used | new}'.
-define(BUNDLE, ?MODULE).

%% @doc Runs a load that looks up many keys, with the bundle of that name.
-spec bundled(Name :: term(), fun(() -> Value)) -> Value.
bundled(Name, Load) ->
    Key = btr_nif:digest(term_to_binary({?MODULE, Name})),
    ?BUNDLE = ets:new(?BUNDLE, [named_table, public, {read_concurrency, true}]),
    try
        true = ets:insert(?BUNDLE, [{K, Data, unused} || {K, Data} <- bundle(read(Key))]),
        Value = Load(),
        ok = bundle_again(Key),
        Value
    after
        ets:delete(?BUNDLE)
    end.

bundle({ok, Data}) -> binary_to_term(Data);
bundle(error) -> [].

bundle_again(Key) ->
    case ets:select_count(?BUNDLE, [{{'_', '_', new}, [], [true]}]) of
        0 ->
            ok;
        _ ->
            Asked = [{{'$1', '$2', '$3'}, [{'=/=', '$3', unused}], [{{'$1', '$2'}}]}],
            write(Key, term_to_binary(ets:select(?BUNDLE, Asked)))
    end.

in_bundle(Key) ->
    case ets:whereis(?BUNDLE) =/= undefined andalso ets:lookup(?BUNDLE, Key) of
        [{_, Data, _}] ->
            _ = ets:update_element(?BUNDLE, Key, {3, used}),
            {ok, Data};
        _ ->
            error
    end.

to_bundle(Key, Data) ->
    _ = ets:whereis(?BUNDLE) =/= undefined andalso ets:insert(?BUNDLE, {Key, Data, new}),
    ok.

%% @doc Finds what is kept under a key.
-spec find(binary()) -> {ok, binary()} | error.
find(Key) ->
    case in_bundle(Key) of
        {ok, Data} -> {ok, Data};
        error -> found(Key, read(Key))
    end.

found(Key, {ok, Data}) ->
    ok = to_bundle(Key, Data),
    {ok, Data};
found(_, error) ->
    error.

read(Key) ->
    case path(Key) of
        none ->
            error;
        Path ->
            case file:read_file(Path) of
                {ok, <<Sum:64/binary, Data/binary>>} -> checked(Sum, Data);
                _ -> error
            end
    end.

checked(Sum, Data) ->
    case btr_nif:digest(Data) of
        Sum -> {ok, Data};
        _ -> error
    end.

%% @doc Keeps data under a key.
-spec keep(binary(), binary()) -> ok.
keep(Key, Data) ->
    ok = to_bundle(Key, Data),
    write(Key, Data).

write(Key, Data) ->
    case path(Key) of
        none -> ok;
        Path -> replace(Path, [btr_nif:digest(Data), Data])
    end.

%% Written beside and renamed, so that a reader never sees half of it. On a full disk half of it may
%% stand beside; it goes.
replace(Path, Data) ->
    Temporary = <<Path/binary, ".", (integer_to_binary(erlang:unique_integer([positive])))/binary,
        ".", (list_to_binary(os:getpid()))/binary>>,
    case write_file(Temporary, Data) of
        ok -> renamed(file:rename(Temporary, Path), Temporary);
        {error, _} = Error -> renamed(Error, Temporary)
    end.

%% The folder is there but for the first time.
write_file(Path, Data) ->
    case file:write_file(Path, Data, [raw]) of
        {error, enoent} ->
            case filelib:ensure_dir(Path) of
                ok -> file:write_file(Path, Data, [raw]);
                {error, _} = Error -> Error
            end;
        Result ->
            Result
    end.

renamed(ok, _) ->
    ok;
renamed({error, _}, Temporary) ->
    _ = file:delete(Temporary),
    ok.

path(Key) ->
    case folder() of
        none -> none;
        Folder -> filename:join([Folder, binary:part(Key, 0, 2), Key])
    end.

%% @doc Answers the folder of the cache: the application's `cache' setting (a path or `none'), else
%% a folder below the user's cache folder.
-spec folder() -> file:filename_all() | none.
folder() ->
    case application:get_env(bt_embedded, cache) of
        {ok, none} -> none;
        {ok, Folder} -> unicode:characters_to_binary(Folder);
        undefined -> users_folder("bt_embedded")
    end.

%% @doc Answers a folder for what is the user's and can be made again. Who has no home has none.
-spec users_folder(string()) -> binary() | none.
users_folder(Name) ->
    try
        unicode:characters_to_binary(filename:basedir(user_cache, Name))
    catch
        error:{badmatch, error} -> none
    end.
