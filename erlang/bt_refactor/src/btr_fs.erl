%%% @doc What the engine asks of a file system, as a behaviour.
%%%
%%% btr_fs_posix is the real one and the only module that writes user files; tests put a faulty
%%% one before it (btr_fs_fault). Paths are whole paths. A write of a user file is two calls:
%%% `stage' puts the new text, synced, beside the real target; `replace' or `create' makes it the
%%% target by one rename or link and syncs the folder. Nothing else changes a user file.
-module(btr_fs).

-export_type([path/0, reason/0, temp/0]).

-type path() :: file:filename_all().
-type temp() :: file:filename_all().
-type reason() :: atom().

%% The bytes of a file, through links.
-callback read(path()) -> {ok, binary()} | {error, reason()}.
%% Writes `Data' to a new file beside the real target of `Path', with the target's mode bits.
%% `read_only' when the target may not be written.
-callback stage(path(), iodata()) -> {ok, temp()} | {error, reason()}.
%% Makes the staged file the content of `Path', through a symbolic link when it is one.
-callback replace(temp(), path()) -> ok | {error, reason()}.
%% Makes the staged file the new file `Path'; `eexist' when anything is there.
-callback create(temp(), path()) -> ok | {error, reason()}.
%% Gives an existing file another name; never over another file.
-callback move(path(), path()) -> ok | {error, reason()}.
%% Removes a file; its absence is no failure.
-callback delete(path()) -> ok | {error, reason()}.
%% Whether both names mean the same file.
-callback same_file(path(), path()) -> boolean().
%% The names in a folder, sorted.
-callback list(path()) -> {ok, [binary()]} | {error, reason()}.
%% Makes the folder and those above it.
-callback make_dir(path()) -> ok | {error, reason()}.
%% Appends to one of our own files and syncs it.
-callback append(path(), iodata()) -> ok | {error, reason()}.
%% Replaces one of our own files as a whole: temp, sync, rename, sync the folder.
-callback write(path(), iodata()) -> ok | {error, reason()}.
