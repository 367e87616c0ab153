%%% @doc Performs a flush: reads the disk, lets btr_flush decide, stages every file, then makes the
%%% staged files the real ones.
%%%
%%% First all new texts are staged beside their targets, synced; a failure there discards them and
%%% nothing has changed. Then they are moved into place one by one. A failure there stops: the
%%% files already in place stay, their entries are marked when complete, and the same flush again
%%% does what is left. What is to be done is in the journal ({@link btr_journal}) meanwhile, for a
%%% node that dies before the end. Runs in a worker of the coordinator, one flush at a time; a
%%% command without a workspace writes by {@link write/3} as well (btr_apply).
-module(btr_flush_exec).

-export([run/1, write/3, perform/2, files_of/1]).
-export_type([context/0, files/0]).

-type files() :: #{fs := module(), root := file:filename_all() | undefined, _ => _}.

-type context() :: #{
    fs := module(), root := file:filename_all() | undefined, entries := [map()],
    units := #{btr_host:file() => btr_host:unit()}, opts := map()
}.

%% @doc Flushes; answers the result, the entries to mark and what to tell the host.
-spec run(context()) -> #{result := btr_flush:result(), marks := [pos_integer()],
    rebase := [map()]}.
run(#{entries := Entries, units := Units, opts := Opts} = Context) ->
    Disk = disk(btr_flush:paths(Entries, Opts), Context),
    #{operations := Operations} = Plan = btr_flush:plan(#{
        entries => Entries, units => Units, disk => Disk, opts => Opts
    }),
    case write(Operations, Disk, Context) of
        ok ->
            #{result := Result, marks := Marks, rebase := Rebase} = Plan,
            #{result => Result, marks => [Seq || {Seq, _} <- Marks], rebase => Rebase};
        {not_written, File, Reason} ->
            not_written(File, reason(Reason), Plan);
        {partly, Left, File, Reason} ->
            %% The workspace knows what is left: it is the next flush.
            ok = btr_journal:close(Context),
            partly(Left, {File, Reason}, Plan)
    end.

%% @doc Does operations over files whose state on disk is given. What is done only in part stays in
%% the journal.
-spec write([btr_flush:operation()], #{btr_host:file() => btr_flush:disk()}, files()) ->
    ok
    | {not_written, btr_host:file(), btr_fs:reason()}
    | {partly, Left :: [btr_flush:operation()], btr_host:file(), btr_fs:reason()}.
write([], _Disk, Context) ->
    %% What a flush that crashed has left in the journal is done.
    btr_journal:close(Context);
write(Operations, Disk, Context) ->
    case btr_journal:open(Operations, Disk, Context) of
        ok -> forget_unless_partly(stage_and_commit(Operations, Context), Context);
        {error, Reason} -> {not_written, file_of(hd(Operations)), Reason}
    end.

forget_unless_partly({partly, _, _, _} = Partly, _Context) ->
    Partly;
forget_unless_partly(Result, Context) ->
    ok = btr_journal:close(Context),
    Result.

stage_and_commit(Operations, Context) ->
    case stage(Operations, [], Context) of
        {ok, Staged} -> commit(Staged, Context);
        {error, File, Reason} -> {not_written, File, Reason}
    end.

%% @doc Does one operation alone, as the journal asks for it.
-spec perform(btr_flush:operation(), files()) -> ok | {error, btr_fs:reason()}.
perform(Operation, Context) ->
    case stage_one(Operation, Context) of
        {ok, Temp} -> commit_one(Operation, Temp, Context);
        {error, _} = Error -> Error
    end.

disk(Paths, #{root := Root} = Context) ->
    Out = btr_bounds:leading_out(Paths, Root),
    maps:from_list([{Path, disk_state(Path, {Paths, Out}, Context)} || Path <- Paths]).

disk_state(Path, {_, Out}, _Context) when is_map_key(Path, Out) ->
    {outside, map_get(Path, Out)};
disk_state(Path, {Paths, _}, #{fs := Fs} = Context) ->
    Others = [P || P <- Paths, P =/= Path, is_case_variant(P, Path)],
    case Fs:read(path(Path, Context)) of
        {ok, Text} ->
            Same = lists:any(fun(P) -> is_same(P, Path, Context) end, Others),
            case Same andalso not is_listed(Path, Context) of
                true -> same;
                false -> {ok, btr_change:digest(Text)}
            end;
        {error, enoent} -> absent;
        {error, Reason} -> {error, Reason}
    end.

%% On a disk that ignores case `Counter.bt' and `counter.bt' are one file; the name that the folder
%% does not list is free to be taken by a move.
is_case_variant(A, B) -> string:casefold(A) =:= string:casefold(B).

is_same(A, B, #{fs := Fs} = Context) ->
    Fs:same_file(path(A, Context), path(B, Context)).

is_listed(Path, #{fs := Fs} = Context) ->
    Full = path(Path, Context),
    case Fs:list(filename:dirname(Full)) of
        {ok, Names} -> lists:member(filename:basename(Full), Names);
        {error, _} -> true
    end.

stage([], Staged, _Context) ->
    {ok, lists:reverse(Staged)};
stage([Operation | Rest], Staged, Context) ->
    case stage_one(Operation, Context) of
        {ok, Temp} ->
            stage(Rest, [{Operation, Temp} | Staged], Context);
        {error, Reason} ->
            discard(Staged, Context),
            {error, file_of(Operation), Reason}
    end.

stage_one({delete, _}, _Context) ->
    {ok, none};
stage_one({move, Old, New, Text}, Context) ->
    %% Beside the old file, whose mode bits it keeps; the new folder may be another one.
    stage_in(New, Old, Text, Context);
stage_one({_, File, Text}, Context) ->
    stage_in(File, File, Text, Context).

stage_in(New, Beside, Text, #{fs := Fs} = Context) ->
    case Fs:make_dir(filename:dirname(path(New, Context))) of
        ok -> Fs:stage(path(Beside, Context), Text);
        {error, _} = Error -> Error
    end.

discard(Staged, #{fs := Fs}) ->
    lists:foreach(fun({_, Temp}) -> discard_temp(Temp, Fs) end, Staged).

discard_temp(none, _Fs) -> ok;
discard_temp(Temp, Fs) -> _ = Fs:delete(Temp), ok.

file_of({move, _, New, _}) -> New;
file_of({_, File, _}) -> File;
file_of({delete, File}) -> File.

commit([], _Context) ->
    ok;
commit([{Operation, Temp} | Rest] = Left, Context) ->
    case commit_one(Operation, Temp, Context) of
        ok ->
            commit(Rest, Context);
        {error, Reason} ->
            discard(Left, Context),
            {partly, [Op || {Op, _} <- Left], file_of(Operation), Reason}
    end.

commit_one({replace, File, _}, Temp, #{fs := Fs} = Context) ->
    Fs:replace(Temp, path(File, Context));
commit_one({create, File, _}, Temp, #{fs := Fs} = Context) ->
    Fs:create(Temp, path(File, Context));
commit_one({delete, File}, none, #{fs := Fs} = Context) ->
    Fs:delete(path(File, Context));
commit_one({move, Old, New, _}, Temp, #{fs := Fs} = Context) ->
    {OldPath, NewPath} = {path(Old, Context), path(New, Context)},
    case Fs:same_file(OldPath, NewPath) of
        true -> all([fun() -> Fs:replace(Temp, OldPath) end,
            fun() -> Fs:move(OldPath, NewPath) end]);
        false -> all([fun() -> Fs:create(Temp, NewPath) end, fun() -> Fs:delete(OldPath) end])
    end.

all([]) ->
    ok;
all([Step | Rest]) ->
    case Step() of
        ok -> all(Rest);
        {error, _} = Error -> Error
    end.

%% The status names the state exactly: what is written, and what is not.
partly(Left, {File, Reason}, #{result := Result} = Plan) ->
    Missing = lists:append([files_of(Op) || Op <- Left]),
    {Done, Undone, Rebase} = btr_flush:settled(Plan, Missing),
    Conflict = #{
        file => File, reason => <<"rename_failed">>, seqs => Undone,
        detail => reason(Reason)
    },
    #{
        result => Result#{
            flushed => length(Done), files => maps:get(files, Result) -- Missing,
            conflicts => [Conflict]
        },
        marks => Done,
        rebase => Rebase
    }.

%% @doc Answers the files that an operation is about.
-spec files_of(btr_flush:operation()) -> [btr_host:file()].
files_of({move, Old, New, _}) -> [Old, New];
files_of({_, File, _}) -> [File];
files_of({delete, File}) -> [File].

not_written(File, Why, #{result := Result, marks := Marks}) ->
    Conflict = #{
        file => File, reason => <<"not_writable">>, seqs => [Seq || {Seq, _} <- Marks],
            detail => Why
    },
    Empty = maps:map(
        fun
            (skipped, Value) -> Value;
            (_, Value) when is_integer(Value) -> 0;
            (_, _) -> []
        end,
        Result
    ),
    #{result => Empty#{conflicts => [Conflict]}, marks => [], rebase => []}.

reason(read_only) -> <<"the file is read-only">>;
reason(not_a_file) -> <<"not a regular file">>;
reason(Reason) -> unicode:characters_to_binary(file:format_error(Reason)).

path(File, #{root := undefined}) -> File;
path(File, #{root := Root}) -> filename:join(Root, File).
