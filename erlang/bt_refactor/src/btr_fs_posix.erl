%%% @doc The real file system. The only module of the project that writes user files.
%%%
%%% Each write is: temp beside the real target, `file:sync', rename (or link, where nothing may be
%%% replaced), sync of the folder. Mode bits are kept, a symbolic link stays and its target is
%%% written, a file without write permission is refused even for a user who could. Owner and group
%%% are kept where the user may set them. Tested by btr_flush_SUITE.
-module(btr_fs_posix).
-behaviour(btr_fs).

-include_lib("kernel/include/file.hrl").

-export([read/1, stage/2, replace/2, create/2, move/2, delete/1, same_file/2]).
-export([list/1, make_dir/1, append/2, write/2, claim/2]).

-define(MAX_LINKS, 40).
-define(TEMP, ".btr-tmp-").

%% @doc Reads a file.
-spec read(btr_fs:path()) -> {ok, binary()} | {error, btr_fs:reason()}.
read(Path) ->
    file:read_file(Path).

%% @doc Writes data to a new synced file beside the real target.
-spec stage(btr_fs:path(), iodata()) -> {ok, btr_fs:temp()} | {error, btr_fs:reason()}.
stage(Path, Data) ->
    case real(Path, ?MAX_LINKS) of
        {ok, Target} -> stage_for(Target, file:read_file_info(Target), Data);
        {error, _} = Error -> Error
    end.

stage_for(Target, {ok, #file_info{type = regular, mode = Mode} = Info}, Data) ->
    case Mode band 8#222 of
        0 -> {error, read_only};
        _ -> write_temp(Target, Data, fun(Temp) -> keep_info(Temp, Info) end)
    end;
stage_for(_Target, {ok, _}, _Data) ->
    {error, not_a_file};
stage_for(Target, {error, enoent}, Data) ->
    write_temp(Target, Data, fun(_) -> ok end);
stage_for(_Target, {error, _} = Error, _Data) ->
    Error.

%% @doc Makes a staged file the content of the path, through a symbolic link.
-spec replace(btr_fs:temp(), btr_fs:path()) -> ok | {error, btr_fs:reason()}.
replace(Temp, Path) ->
    case real(Path, ?MAX_LINKS) of
        {ok, Target} -> rename_and_sync(Temp, Target);
        {error, _} = Error -> Error
    end.

%% @doc Makes a staged file a new file; a link fails where a rename would replace.
-spec create(btr_fs:temp(), btr_fs:path()) -> ok | {error, btr_fs:reason()}.
create(Temp, Path) ->
    case file:make_link(Temp, Path) of
        ok ->
            case sync_dir(Path) of
                ok -> delete(Temp);
                {error, _} = Error -> Error
            end;
        {error, _} = Error ->
            Error
    end.

%% @doc Gives a file another name; refuses where another file stands.
-spec move(btr_fs:path(), btr_fs:path()) -> ok | {error, btr_fs:reason()}.
move(Old, New) ->
    case file:read_link_info(New) of
        {error, enoent} -> rename_and_sync(Old, New);
        {ok, _} ->
            case same_file(Old, New) of
                true -> rename_and_sync(Old, New);
                false -> {error, eexist}
            end;
        {error, _} = Error -> Error
    end.

%% @doc Deletes a file and syncs its folder; absence is success.
-spec delete(btr_fs:path()) -> ok | {error, btr_fs:reason()}.
delete(Path) ->
    case file:delete(Path, [raw]) of
        ok -> sync_dir(Path);
        {error, enoent} -> ok;
        {error, _} = Error -> Error
    end.

%% @doc Answers whether both names lead to one inode.
-spec same_file(btr_fs:path(), btr_fs:path()) -> boolean().
same_file(A, B) ->
    case {file:read_file_info(A), file:read_file_info(B)} of
        {{ok, InfoA}, {ok, InfoB}} -> identity(InfoA) =:= identity(InfoB);
        _ -> false
    end.

%% @doc Lists a folder.
-spec list(btr_fs:path()) -> {ok, [binary()]} | {error, btr_fs:reason()}.
list(Dir) ->
    case file:list_dir_all(Dir) of
        {ok, Names} -> {ok, lists:sort([as_binary(Name) || Name <- Names])};
        {error, _} = Error -> Error
    end.

%% @doc Makes a folder with those above it.
-spec make_dir(btr_fs:path()) -> ok | {error, btr_fs:reason()}.
make_dir(Dir) ->
    filelib:ensure_dir(filename:join(Dir, "x")).

%% @doc Appends and syncs.
-spec append(btr_fs:path(), iodata()) -> ok | {error, btr_fs:reason()}.
append(Path, Data) ->
    write_synced(Path, [append, raw, binary], Data).

%% @doc Replaces a file of ours as a whole.
-spec write(btr_fs:path(), iodata()) -> ok | {error, btr_fs:reason()}.
write(Path, Data) ->
    case write_temp(Path, Data, fun(_) -> ok end) of
        {ok, Temp} -> rename_and_sync(Temp, Path);
        {error, _} = Error -> Error
    end.

%% @doc Makes a file of ours as a whole; `eexist' where one stands. It is not synced: it says who
%% lives, and after a crash nobody does.
-spec claim(btr_fs:path(), iodata()) -> ok | {error, btr_fs:reason()}.
claim(Path, Data) ->
    Temp = temp_name(Path),
    case file:write_file(Temp, Data, [raw]) of
        ok ->
            Made = file:make_link(Temp, Path),
            _ = file:delete(Temp, [raw]),
            Made;
        {error, _} = Error ->
            Error
    end.

%% Follows symbolic links to the place that would be written.
real(_Path, 0) ->
    {error, eloop};
real(Path, Left) ->
    case file:read_link_all(Path) of
        {ok, To} -> real(filename:absname(To, filename:dirname(Path)), Left - 1);
        {error, einval} -> {ok, Path};
        {error, enoent} -> {ok, Path};
        {error, _} = Error -> Error
    end.

write_temp(Target, Data, Finish) ->
    Temp = temp_name(Target),
    case write_synced(Temp, [write, exclusive, raw, binary], Data) of
        ok ->
            _ = Finish(Temp),
            {ok, Temp};
        {error, _} = Error ->
            _ = file:delete(Temp, [raw]),
            Error
    end.

temp_name(Target) ->
    Unique = [os:getpid(), $-, integer_to_list(erlang:unique_integer([positive]))],
    Name = iolist_to_binary([$., as_binary(filename:basename(Target)), ?TEMP, Unique]),
    filename:join(as_binary(filename:dirname(Target)), Name).

keep_info(Temp, #file_info{mode = Mode, uid = Uid, gid = Gid}) ->
    _ = file:change_owner(Temp, Uid, Gid),
    file:change_mode(Temp, Mode band 8#7777).

write_synced(Path, Modes, Data) ->
    case file:open(Path, Modes) of
        {ok, File} ->
            Result = first_error([
                fun() -> file:write(File, Data) end,
                fun() -> file:sync(File) end
            ]),
            Closed = file:close(File),
            first_error([fun() -> Result end, fun() -> Closed end]);
        {error, _} = Error ->
            Error
    end.

rename_and_sync(From, To) ->
    case file:rename(From, To) of
        ok -> sync_both(From, To);
        {error, _} = Error -> Error
    end.

sync_both(From, To) ->
    case filename:dirname(From) =:= filename:dirname(To) of
        true -> sync_dir(To);
        false -> first_error([fun() -> sync_dir(To) end, fun() -> sync_dir(From) end])
    end.

sync_dir(Path) ->
    case file:open(filename:dirname(Path), [raw, read, directory]) of
        {ok, Dir} ->
            Result = file:sync(Dir),
            ok = file:close(Dir),
            Result;
        {error, _} = Error ->
            Error
    end.

first_error([]) ->
    ok;
first_error([Step | Rest]) ->
    case Step() of
        ok -> first_error(Rest);
        {error, _} = Error -> Error
    end.

identity(#file_info{major_device = Device, inode = Inode}) -> {Device, Inode}.

as_binary(Name) when is_binary(Name) -> Name;
as_binary(Name) -> unicode:characters_to_binary(Name).
