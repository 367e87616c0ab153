%% @doc What an evaluation that is interrupted leaves behind. Erlang can end a process from outside
%% but not raise anything in it, so the blocks that `ensure:' and `ifCurtailed:' owe are kept in the
%% process dictionary while their protected blocks run. Who interrupts seizes the estate of the
%% process, and an heir runs the blocks, the innermost first, with the variables they have.
%% Tested by `bte_prompt_SUITE'.
-module(bte_unwind).

-export([enter/1, leave/1, seize/2, run/1, entry/2, is_heir_of/1]).
-export_type([estate/0, owed/0]).

-define(OWED, '$owed').
-define(HEIR, '$heir').
-define(TRIES, 10).

%% Blocks that are owed, the innermost first.
-type owed() :: [bte_block:block()].
-opaque estate() :: {pid(), [{term(), term()}]}.

%% @doc Owes a block until {@link leave/1}, which takes what was owed before.
-spec enter(bte_block:block()) -> owed().
enter(Block) ->
    Outer = owed(erlang:get(?OWED)),
    _ = erlang:put(?OWED, [Block | Outer]),
    Outer.

%% @doc Owes again what was owed before a block.
-spec leave(owed()) -> ok.
leave(Outer) ->
    _ = erlang:put(?OWED, Outer),
    ok.

owed(undefined) -> [];
owed(Blocks) -> Blocks.

%% @doc Ends a process with a reason; answers what it had.
-spec seize(pid(), term()) -> estate().
seize(Pid, Reason) ->
    %% It must not get any further between the two.
    Held = suspended(Pid, ?TRIES),
    Estate = {Pid, bte_dictionary:entries(Pid)},
    true = exit(Pid, Reason),
    _ = Held andalso resumed(Pid),
    Estate.

%% A process that is not suspended yet when the emulator answers for it, as happens on a busy
%% machine, is an `internal_error' (erts/emulator/beam/erl_proc_sig_queue.c, sync_suspend_reply).
suspended(Pid, Tries) ->
    try
        erlang:suspend_process(Pid)
    catch
        error:internal_error when Tries > 1 ->
            true = resumed(Pid),
            suspended(Pid, Tries - 1);
        error:internal_error ->
            true;
        error:badarg ->
            false
    end.

resumed(Pid) -> try erlang:resume_process(Pid) catch error:badarg -> true end.

%% @doc Answers what an estate's process dictionary has under a key.
-spec entry(term(), estate()) -> {ok, term()} | error.
entry(Key, {_, Dictionary}) ->
    case lists:keyfind(Key, 1, Dictionary) of
        {_, Value} -> {ok, Value};
        false -> error
    end.

%% @doc Runs what is owed in estates, one after the other, in a process that has nothing of its own;
%% it stays the heir of the last one. Answers the exceptions of blocks that failed.
-spec run([estate()]) -> [bte_error:exception()].
run(Estates) ->
    lists:append([unwind(Estate) || Estate <- Estates]).

unwind({Pid, Dictionary}) ->
    _ = erlang:erase(),
    lists:foreach(fun({Key, Value}) -> erlang:put(Key, Value) end, inherited(Dictionary)),
    _ = erlang:put(?HEIR, [Pid | proplists:get_value(?HEIR, Dictionary, [])]),
    Blocks = owed(erlang:erase(?OWED)),
    [Exception || Block <- Blocks, {failed, Exception} <- [finish(Block)]].

%% Nobody waits for the heir: it begins chains of its own.
inherited(Dictionary) ->
    [Entry || {Key, _} = Entry <- Dictionary, not lists:member(Key, bte_chain:keys())].

finish(Block) ->
    try
        bte_block:value(Block, [])
    catch
        Class:Reason:Stack -> {failed, bte_error:from_erlang(Class, Reason, Stack)}
    end.

%% @doc Tells whether this process has the variables of another one.
-spec is_heir_of(pid()) -> boolean().
is_heir_of(Pid) ->
    case erlang:get(?HEIR) of
        undefined -> false;
        Pids -> lists:member(Pid, Pids)
    end.
