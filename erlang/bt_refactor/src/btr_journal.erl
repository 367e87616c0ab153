%%% @doc What a flush over several files is about to do, kept on disk while it does it.
%%%
%%% A node that dies between two files leaves some new and some old: a project that may not even
%%% load. So the steps, with their texts, are written to `.beamtalk/flush' before the first file is
%%% touched, and the file is deleted after the last one. Whoever opens the project next does what is
%%% left. A step is done only where the disk still has the bytes that the flush found; what somebody
%%% has changed since stays as it is. Tested by btr_flush_SUITE.
-module(btr_journal).

-include_lib("kernel/include/logger.hrl").

-export([open/3, close/1, recover/2]).

-type step() :: {btr_flush:operation(), btr_host:digest() | absent}.
-type context() :: #{fs := module(), root := file:filename_all() | undefined, _ => _}.

-define(FORMAT, btr_journal_1).

%% @doc Keeps the steps of a flush that is about to begin; one file is written whole or not at all.
-spec open([btr_flush:operation()], #{btr_host:file() => term()}, context()) ->
    ok | {error, btr_fs:reason()}.
open([_, _ | _] = Operations, Disk, #{root := Root, fs := Fs}) when Root =/= undefined ->
    Steps = [{Operation, found(Operation, Disk)} || Operation <- Operations],
    case Fs:make_dir(filename:dirname(path(Root))) of
        ok -> Fs:write(path(Root), term_to_binary({?FORMAT, Steps}));
        {error, _} = Error -> Error
    end;
open([{move, _, _, _} = Move], Disk, Context) ->
    %% Two steps for the disk: the new file comes, the old one goes.
    open([Move, Move], Disk, Context);
open(_, _, _) ->
    ok.

found(Operation, Disk) ->
    File = source(Operation),
    case Disk of
        #{File := {ok, Digest}} -> Digest;
        _ -> absent
    end.

source({move, Old, _, _}) -> Old;
source({delete, File}) -> File;
source({_, File, _}) -> File.

%% @doc Forgets the steps: the flush has ended, well or not.
-spec close(context()) -> ok.
close(#{root := undefined}) ->
    ok;
close(#{root := Root, fs := Fs}) ->
    case Fs:read(path(Root)) of
        {ok, _} ->
            _ = Fs:delete(path(Root)),
            ok;
        {error, _} ->
            ok
    end.

%% @doc Does what a flush left that was cut off by the end of its node; answers the files that it
%% has written, moved or deleted. Where the project is open elsewhere, nothing is done.
-spec recover(file:filename_all(), module()) -> [btr_host:file()].
recover(Root, Fs) ->
    case Fs:read(path(Root)) of
        {ok, Data} ->
            case btr_owner:claim(Root) of
                ok ->
                    Files = finish(decoded(Data), #{root => Root, fs => Fs}),
                    ok = btr_owner:release(Root),
                    Files;
                {error, _} ->
                    []
            end;
        {error, _} ->
            []
    end.

decoded(Data) ->
    try binary_to_term(Data, [safe]) of
        {?FORMAT, Steps} when is_list(Steps) -> Steps;
        _ -> []
    catch
        error:badarg -> []
    end.

finish(Steps, Context) ->
    ok = lists:foreach(fun({Operation, _}) -> clean(Operation, Context) end, Steps),
    Results = [{source(Operation), step(Step, Context)} || {Operation, _} = Step <- Steps],
    case [Wrong || {_, {error, _}} = Wrong <- Results] of
        [] ->
            close(Context);
        [{File, {error, Reason}} | _] ->
            ?LOG_ERROR("a flush that was cut off cannot be finished: ~ts: ~tp", [File, Reason])
    end,
    lists:usort([File || {File, ok} <- Results]).

%% Temps of the flush, and of the one before that tried to finish it.
clean(Operation, #{fs := Fs} = Context) ->
    File = in(source(Operation), Context),
    Prefix = iolist_to_binary([$., filename:basename(File), ".btr-tmp-"]),
    case Fs:list(filename:dirname(File)) of
        {ok, Names} ->
            Temps = [N || N <- Names, string:prefix(N, Prefix) =/= nomatch],
            lists:foreach(
                fun(N) -> _ = Fs:delete(filename:join(filename:dirname(File), N)) end, Temps
            );
        {error, _} ->
            ok
    end.

-spec step(step(), context()) -> ok | done | {error, btr_fs:reason()}.
step({{move, Old, New, Text} = Move, Found}, #{fs := Fs} = Context) ->
    Same = Fs:same_file(in(Old, Context), in(New, Context)),
    case {now(Old, Context), now(New, Context), btr_change:digest(Text)} of
        {Found, _, _} when Same -> btr_flush_exec:perform(Move, Context);
        {Found, absent, _} -> btr_flush_exec:perform(Move, Context);
        {Found, Digest, Digest} -> Fs:delete(in(Old, Context));
        _ -> done
    end;
step({Operation, Found}, Context) ->
    case now(source(Operation), Context) of
        Found -> btr_flush_exec:perform(Operation, Context);
        _ -> done
    end.

now(File, #{fs := Fs} = Context) ->
    case Fs:read(in(File, Context)) of
        {ok, Text} -> btr_change:digest(Text);
        {error, enoent} -> absent;
        {error, _} = Error -> Error
    end.

in(File, #{root := Root}) -> filename:join(Root, File).

path(Root) -> filename:join([btr_files:raw_name(Root), <<".beamtalk">>, <<"flush">>]).
