%% @doc Runs a function in a process of its own and has its outcome as that process's exit reason:
%% for work whose garbage should go with it, or beside which the caller must stay awake.
-module(bte_apart).

-export([run/2, deliver/1, outcome/1, value/1]).

-export_type([outcome/0, reason/0]).

-type outcome() :: {ok, term()} | {raise, error | exit | throw, term(), list()}.
%% What a process that delivers exits with; or why it was ended from outside.
-type reason() :: term().

%% @doc Runs a function in a process that starts with room for so many words: a heap that grows
%% copies all that it holds, again and again. What the function raises is raised here.
-spec run(fun(() -> Value), pos_integer()) -> Value.
run(Fun, Words) ->
    Options = [monitor, {min_heap_size, Words}],
    {Pid, Ref} = erlang:spawn_opt(?MODULE, deliver, [Fun], Options),
    receive
        {'DOWN', Ref, process, Pid, Reason} -> value(Reason)
    end.

%% @doc Ends the process with the outcome of a function, for a monitor to hear.
-spec deliver(fun(() -> term())) -> no_return().
deliver(Fun) ->
    exit({?MODULE, outcome(Fun)}).

%% @doc Answers what a function answers or raises.
-spec outcome(fun(() -> term())) -> outcome().
outcome(Fun) ->
    try
        {ok, Fun()}
    catch
        Class:Reason:Stack -> {raise, Class, Reason, Stack}
    end.

%% @doc Answers the value delivered by an exit reason, or raises what was raised there.
-spec value(reason()) -> term().
value({?MODULE, {ok, Value}}) -> Value;
value({?MODULE, {raise, Class, Reason, Stack}}) -> erlang:raise(Class, Reason, Stack);
value(Reason) -> exit(Reason).
