%% @doc Interrupting an evaluation: its process ends, and so do the class servers that work for it,
%% which come back with their state; what `ensure:' owes there is run ({@link bte_unwind}). Actors
%% that it waits for go on with their message, as others may wait for them too; who they are is
%% told. Tested by `bte_chain_SUITE'.
-module(bte_interrupt).

-export([process/1, deep_in/1, text/3]).
-export_type([busy/0]).

%% A stack of so many words is that of a recursion without end, where none is to be expected.
-define(DEEP, 8 * 1024 * 1024).

%% An actor that goes on, and the method it is in where that can be seen.
-type busy() :: {bte_actor:actor(), In :: binary() | unknown}.

%% @doc Ends a process and the servers that work for it; answers who goes on, and what those that
%% ended leave behind: the innermost server first, the process itself last.
-spec process(pid()) -> {[busy()], [bte_unwind:estate()]}.
process(Pid) ->
    Waited = waited_for([Pid], []),
    Servers = [P || P <- Waited, works_for(P, [Pid | Waited])],
    Busy = [B || P <- Waited, B <- busy(P)],
    Own = bte_unwind:seize(Pid, kill),
    {Busy, [bte_unwind:seize(P, kill) || P <- lists:reverse(Servers)] ++ [Own]}.

%% Who waits monitors whom it waits for.
waited_for([], Found) ->
    lists:reverse(Found);
waited_for([Pid | Pids], Found0) ->
    New = [P || P <- monitored(Pid), not lists:member(P, Found0), is_ours(P)],
    waited_for(Pids ++ New, lists:reverse(New) ++ Found0).

monitored(Pid) ->
    case erlang:process_info(Pid, monitors) of
        {monitors, Monitors} -> lists:usort([P || {process, P} <- Monitors, is_pid(P)]);
        undefined -> []
    end.

is_ours(Pid) -> bte_actor:of_process(Pid) =/= [] orelse bte_class:caller(Pid) =/= error.

works_for(Server, Callers) ->
    case bte_class:caller(Server) of
        {ok, Caller} -> lists:member(Caller, Callers);
        error -> false
    end.

busy(Pid) -> [{Actor, method(Pid)} || Actor <- bte_actor:of_process(Pid)].

%% The method that the oldest visible frame is in.
method(Pid) ->
    case methods(Pid) of
        [] -> unknown;
        Methods -> method_name(lists:last(Methods))
    end.

methods(Pid) ->
    case erlang:process_info(Pid, current_stacktrace) of
        {current_stacktrace, Frames} -> [{M, F} || {M, F, _, _} <- Frames, is_method(M, F)];
        undefined -> []
    end.

%% @doc Tells which method a process with a very deep stack is in; one of a program rather than
%% one of the library.
-spec deep_in(pid()) -> {deep, binary()} | no.
deep_in(Pid) ->
    case erlang:process_info(Pid, stack_size) of
        {stack_size, Words} when Words > ?DEEP ->
            {Library, Own} = lists:partition(fun is_library/1, methods(Pid)),
            {deep, named(Own ++ Library)};
        _ ->
            no
    end.

is_library({Module, _}) ->
    string:prefix(atom_to_binary(Module), <<"bt@stdlib@">>) =/= nomatch.

named([]) -> <<"a method">>;
named([Method | _]) -> method_name(Method).

is_method(Module, Function) ->
    bte_registry:is_identity(Module) andalso
        string:prefix(atom_to_binary(Function), <<"i:">>) =/= nomatch.

method_name({Module, Function}) ->
    <<"i:", Selector/binary>> = atom_to_binary(Function),
    <<(bte_registry:name_of(Module))/binary, ">>", Selector/binary>>.

%% @doc Says at a prompt that an evaluation was interrupted, what did not go well in unwinding it,
%% and how to end what goes on: by its name among the bindings where it has one.
-spec text([busy()], [iodata()], #{binary() => term()}) -> binary().
text(Busy, Unwound, Bindings) ->
    Lines = [[$\n, Line] || Line <- [line(Actor, In) || {Actor, In} <- Busy] ++ Unwound],
    Ends = lists:usort([ending(Actor, Bindings) || {Actor, _} <- Busy]),
    iolist_to_binary(["Interrupted", Lines, hint(Ends)]).

line(Actor, unknown) -> [bte_view:print(Actor), <<" goes on.">>];
line(Actor, In) -> [bte_view:print(Actor), <<" goes on in ">>, In, $.].

hint([]) -> [];
hint(Ends) -> ["\nHint: end it by ", lists:join(", ", Ends), "."].

ending({'$actor', _, Pid} = Actor, Bindings) ->
    case [Name || {Name, Value} <- lists:sort(maps:to_list(Bindings)), Value =:= Actor] of
        [Name | _] -> [Name, " kill"];
        [] -> ["(Workspace actorAt: \"", bte_view:pid_text(Pid), "\") kill"]
    end.
