%%% @doc A file system for tests that fails on request and counts its calls; otherwise the real one.
%%%
%%% `set(Call, {error, Reason})' makes every such call fail; `fail_at(N, How)' makes the Nth
%%% changing call from now fail (`{error, Reason}'), or end the calling process, before or after its
%%% own work (`stop', `stop_after'), or without its being able to do anything about it (`kill'), or
%%% the node (`halt').
-module(btr_fs_fault).
-behaviour(btr_fs).

-export([set/2, fail_at/2, reset/0, count/0, trace/0]).
-export([read/1, stage/2, replace/2, create/2, move/2, delete/1, same_file/2]).
-export([list/1, make_dir/1, append/2, write/2]).

-define(KEY(What), {?MODULE, What}).

set(Call, Result) -> persistent_term:put(?KEY(Call), Result).

fail_at(N, How) ->
    persistent_term:put(?KEY(counter), counters:new(1, [])),
    persistent_term:put(?KEY(fail_at), {N, How}).

reset() ->
    [persistent_term:erase(K) || {{?MODULE, _} = K, _} <- persistent_term:get()],
    ok.

%% How many changing calls there were since fail_at/2.
count() ->
    case persistent_term:get(?KEY(counter), none) of
        none -> 0;
        Counter -> counters:get(Counter, 1)
    end.

trace() -> count().

read(Path) -> pass(read, [Path]).
list(Path) -> pass(list, [Path]).
same_file(A, B) -> btr_fs_posix:same_file(A, B).
make_dir(Path) -> pass(make_dir, [Path]).
stage(Path, Data) -> change(stage, [Path, Data]).
replace(Temp, Path) -> change(replace, [Temp, Path]).
create(Temp, Path) -> change(create, [Temp, Path]).
move(Old, New) -> change(move, [Old, New]).
delete(Path) -> change(delete, [Path]).
append(Path, Data) -> change(append, [Path, Data]).
write(Path, Data) -> change(write, [Path, Data]).

pass(Call, Args) ->
    case persistent_term:get(?KEY(Call), none) of
        none -> erlang:apply(btr_fs_posix, Call, Args);
        Result -> Result
    end.

change(Call, Args) ->
    case persistent_term:get(?KEY(counter), none) of
        none ->
            pass(Call, Args);
        Counter ->
            counters:add(Counter, 1, 1),
            case persistent_term:get(?KEY(fail_at), none) of
                {N, How} -> fail(counters:get(Counter, 1) =:= N, How, Call, Args);
                none -> pass(Call, Args)
            end
    end.

fail(false, _, Call, Args) -> pass(Call, Args);
fail(true, {error, _} = Error, _, _) -> Error;
fail(true, stop, _, _) -> exit(injected);
fail(true, halt, _, _) -> erlang:halt(9, [{flush, false}]);
fail(true, kill, _, _) ->
    exit(self(), kill),
    receive after infinity -> ok end;
fail(true, stop_after, Call, Args) ->
    _ = pass(Call, Args),
    exit(injected).
