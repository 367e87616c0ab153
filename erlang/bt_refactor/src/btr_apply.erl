%% @doc Does a plan to the files of a project that no workspace holds.
%%
%% It writes as a flush does ({@link btr_flush_exec}): every digest is compared with what the plan
%% was made on, the steps are kept in the journal, all texts are staged beside their files, then
%% moved into place one by one. So a command that is killed at any point has done nothing, or the
%% next command, or the next start of a workspace, does the rest; as after a file in the middle that
%% could not be written. Tested by `btr_cli_plan_SUITE',
%% `btr_flush_SUITE' and, with its process killed, `btr_node_kill_SUITE'.
-module(btr_apply).

-export([write/2, write/3]).
-export_type([written/0]).

-type written() :: #{file := binary(), new_file := binary() | nil, removed => true}.

%% @doc Writes the files of a plan below the project's folder, unless a workspace holds it.
-spec write(Root :: binary(), btr_nif:plan()) -> {ok, [written()]} | {error, btr_error:error()}.
write(Root, Plan) ->
    write(Root, Plan, btr_fs_posix).

%% @doc The same on a given file system.
-spec write(Root :: binary(), btr_nif:plan(), module()) ->
    {ok, [written()]} | {error, btr_error:error()}.
write(_, #{files := []}, _) ->
    {ok, []};
write(Root, #{files := Files}, Fs) ->
    case btr_owner:claim(Root) of
        ok ->
            Written = checked(Files, #{root => Root, fs => Fs}),
            ok = btr_owner:release(Root),
            Written;
        {error, _} = Error ->
            Error
    end.

%% Nobody else may have written a file since it was read, nor taken the name that one is to get.
checked(Files, Context) ->
    Check = fun(File) -> changed(File, Context) ++ taken(File, Context) end,
    case outside(Files, Context) ++ lists:append([Check(File) || File <- Files]) of
        [] -> perform(Files, Context);
        [Error | _] -> {error, Error}
    end.

outside(Files, #{root := Root}) ->
    Paths = lists:append([[F | [N || N =/= nil]] || #{file := F, new_file := N} <- Files]),
    [
        refusal(<<"file.outside">>, File, [btr_bounds:text(Way), <<"; nothing was written">>], <<
            "A project's files are written in its folder alone: put the file there, or change it "
            "in the project it belongs to."
        >>)
     || {File, Way} <- lists:sort(maps:to_list(btr_bounds:leading_out(Paths, Root)))
    ].

changed(#{file := File, old_digest := Digest}, #{fs := Fs} = Context) ->
    case Fs:read(path(File, Context)) of
        {ok, Text} ->
            case btr_project:digest(Text) of
                Digest ->
                    [];
                _ ->
                    Message = [File, <<" has changed since it was read; nothing was written">>],
                    Hint = <<"plan again on the file as it is now">>,
                    [refusal(<<"disk.changed">>, File, Message, Hint)]
            end;
        {error, Reason} ->
            [failed(File, Reason, <<"nothing was written">>)]
    end.

taken(#{new_file := nil}, _) -> [];
taken(#{file := File, new_file := New}, #{fs := Fs} = Context) ->
    IsFree =
        Fs:read(path(New, Context)) =:= {error, enoent} orelse
            Fs:same_file(path(File, Context), path(New, Context)),
    Message = [New, <<" exists already: ">>, File, <<" cannot become it">>],
    Hint = <<"move one of the two files first; nothing was written">>,
    [refusal(<<"file.taken">>, New, Message, Hint) || not IsFree].

perform(Files, Context) ->
    Disk = maps:from_list([{File, {ok, D}} || #{file := File, old_digest := D} <- Files]),
    case btr_flush_exec:write([operation(File) || File <- Files], Disk, Context) of
        ok ->
            {ok, [written(File) || File <- Files]};
        {not_written, File, Reason} ->
            {error, failed(File, Reason, <<"nothing was written">>)};
        {partly, Left, File, Reason} ->
            Missing = lists:append([btr_flush_exec:files_of(Operation) || Operation <- Left]),
            Done = [F || #{file := F} <- Files, not lists:member(F, Missing)],
            {error, failed(File, Reason, rest(Done))}
    end.

rest(Done) ->
    Before = [[<<"written before: ">>, lists:join(<<", ">>, Done), <<"; ">>] || Done =/= []],
    iolist_to_binary([Before, <<"the next command in this project does the rest">>]).

operation(#{file := File, text := deleted}) -> {delete, File};
operation(#{file := File, new_file := nil, text := Text}) -> {replace, File, Text};
operation(#{file := File, new_file := New, text := Text}) -> {move, File, New, Text}.

written(#{file := File, text := deleted}) -> #{file => File, new_file => nil, removed => true};
written(#{file := File, new_file := New}) -> #{file => File, new_file => New}.

failed(File, Reason, Hint) ->
    Message = [File, <<" cannot be written: ">>, reason(Reason)],
    refusal(<<"disk.failed">>, File, Message, Hint).

refusal(Code, File, Message, Hint) ->
    btr_error:new(Code, Message, #{file => File, hint => Hint}).

reason(read_only) -> <<"it is read-only">>;
reason(not_a_file) -> <<"it is not a regular file">>;
reason(Reason) -> file:format_error(Reason).

path(File, #{root := Root}) -> filename:join(Root, File).
