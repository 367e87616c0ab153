%% @doc Does a plan to the files of a project that no workspace holds.
%%
%% All texts are staged beside their files first, so that what can fail for lack of space or rights
%% fails while nothing has changed; then every digest is compared once more, and the files are
%% replaced one by one. A failure in the middle names what is written and what is not. (A workspace
%% writes through its flush, which survives a crash; this does not.) Tested by `btr_cli_SUITE'.
-module(btr_apply).

-export([write/2]).
-export_type([written/0]).

-type written() :: #{file := binary(), new_file := binary() | nil, removed => true}.

%% A file that is staged.
-record(staged, {
    file :: binary(),
    new_file :: binary() | nil,
    path :: binary(),
    new_path :: binary(),
    %% `none' for a file that goes.
    temp :: btr_fs:temp() | none,
    digest :: binary()
}).

%% @doc Writes the files of a plan below the project's folder, unless a workspace holds it.
-spec write(Root :: binary(), btr_nif:plan()) -> {ok, [written()]} | {error, btr_error:error()}.
write(Root, #{files := Files}) ->
    case btr_owner:check(Root) of
        ok -> write_files(Root, Files);
        {error, _} = Error -> Error
    end.

write_files(Root, Files) ->
    case stage(Root, Files, []) of
        {ok, Staged} ->
            case check(Staged) of
                ok -> replace(Staged, []);
                {error, _} = Error -> abandon(Staged, Error)
            end;
        {error, Staged, Error} ->
            abandon(Staged, {error, Error})
    end.

abandon(Staged, Answer) ->
    _ = [btr_fs_posix:delete(Temp) || #staged{temp = Temp} <- Staged, Temp =/= none],
    Answer.

stage(_, [], Staged) -> {ok, lists:reverse(Staged)};
stage(Root, [#{file := File, text := Text} = Wanted | Rest], Staged) ->
    Path = filename:join(Root, File),
    case staged(Path, Text) of
        {ok, Temp} ->
            #{new_file := NewFile, old_digest := Digest} = Wanted,
            Next = #staged{
                file = File,
                new_file = NewFile,
                path = Path,
                new_path = new_path(Root, File, NewFile),
                temp = Temp,
                digest = Digest
            },
            stage(Root, Rest, [Next | Staged]);
        {error, Reason} ->
            {error, Staged, failed(File, Reason, [])}
    end.

staged(_, deleted) -> {ok, none};
staged(Path, Text) -> btr_fs_posix:stage(Path, Text).

new_path(Root, File, nil) -> filename:join(Root, File);
new_path(Root, _, NewFile) -> filename:join(Root, NewFile).

%% Nobody else may have written a file since it was read, nor taken the name that one is to get.
check(Staged) ->
    case lists:append([changed(File) ++ taken(File) || File <- Staged]) of
        [] -> ok;
        [Error | _] -> {error, Error}
    end.

changed(#staged{file = File, path = Path, digest = Digest}) ->
    case btr_fs_posix:read(Path) of
        {ok, Text} ->
            case btr_project:digest(Text) of
                Digest ->
                    [];
                _ ->
                    Message = [File, <<" has changed since it was read; nothing was written">>],
                    Hint = <<"plan again on the file as it is now">>,
                    [btr_error:new(<<"disk.changed">>, Message, #{file => File, hint => Hint})]
            end;
        {error, Reason} ->
            [failed(File, Reason, [])]
    end.

taken(#staged{new_file = nil}) -> [];
taken(#staged{file = File, new_file = NewFile, path = Path, new_path = NewPath}) ->
    case btr_fs_posix:read(NewPath) of
        {error, enoent} ->
            [];
        _ ->
            case btr_fs_posix:same_file(Path, NewPath) of
                true ->
                    [];
                false ->
                    Message = [NewFile, <<" exists already: ">>, File, <<" cannot become it">>],
                    Hint = <<"move one of the two files first; nothing was written">>,
                    [btr_error:new(<<"file.taken">>, Message, #{file => NewFile, hint => Hint})]
            end
    end.

replace([], Written) -> {ok, lists:reverse(Written)};
replace([#staged{file = File} = Next | Rest], Written) ->
    case put_in_place(Next) of
        ok ->
            replace(Rest, [done(Next) | Written]);
        {error, Reason} ->
            abandon([Next | Rest], {error, failed(File, Reason, Written)})
    end.

done(#staged{file = File, temp = none}) -> #{file => File, new_file => nil, removed => true};
done(#staged{file = File, new_file = NewFile}) -> #{file => File, new_file => NewFile}.

put_in_place(#staged{temp = none, path = Path}) ->
    btr_fs_posix:delete(Path);
put_in_place(#staged{temp = Temp, path = Path, new_path = Path}) ->
    btr_fs_posix:replace(Temp, Path);
put_in_place(#staged{temp = Temp, path = Path, new_path = NewPath}) ->
    case btr_fs_posix:replace(Temp, Path) of
        ok -> btr_fs_posix:move(Path, NewPath);
        {error, _} = Error -> Error
    end.

failed(File, Reason, Written) ->
    Message = [File, <<" cannot be written: ">>, reason(Reason)],
    Hint =
        case [Done || #{file := Done} <- lists:reverse(Written)] of
            [] -> <<"nothing was written">>;
            Files -> iolist_to_binary([<<"written before: ">>, lists:join(<<", ">>, Files)])
        end,
    btr_error:new(<<"disk.failed">>, Message, #{file => File, hint => Hint}).

reason(read_only) -> <<"it is read-only">>;
reason(not_a_file) -> <<"it is not a regular file">>;
reason(Reason) -> file:format_error(Reason).
