%% @doc Compiled classes kept on disk under the digest of everything that went into them, so that
%% the next start compiles nothing. A miss, a damaged file or a folder that cannot be written costs
%% time and nothing else. Tested by `bte_compiler_SUITE'.
-module(bte_cache).

-export([find/1, keep/2, folder/0]).

%% @doc Finds what is kept under a key.
-spec find(binary()) -> {ok, binary()} | error.
find(Key) ->
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
    case path(Key) of
        none -> ok;
        Path -> write(Path, [btr_nif:digest(Data), Data])
    end.

%% Written beside and renamed, so that a reader never sees half of it.
write(Path, Data) ->
    Temporary = <<Path/binary, ".", (integer_to_binary(erlang:unique_integer([positive])))/binary,
        ".", (list_to_binary(os:getpid()))/binary>>,
    case write_file(Temporary, Data) of
        ok -> renamed(file:rename(Temporary, Path), Temporary);
        {error, _} -> ok
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
        undefined -> unicode:characters_to_binary(filename:basedir(user_cache, "bt_embedded"))
    end.
