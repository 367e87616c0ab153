%% @doc Calls that wait: a chain leads from a first caller over actors and class servers to the one
%% that works, and travels with each call that one of them makes.
%%
%% A class server that waits serves the calls of its own chain in place, so that what a class asks
%% may ask the class. An actor takes one message at a time: a call that comes back to an actor of
%% its own chain raises `deadlock', which names the chain, instead of waiting for ever. A call from
%% any other process begins no chain and costs nothing here. Calls through a supervisor or from a
%% process made by Erlang code are no part of a chain. Tested by `bte_chain_SUITE'.
-module(bte_chain).

-export([current/0, new/0, holds/2, within/3, request/4, answer/2, protected/1, text/1]).
-export_type([chain/0, member/0, from/0, outcome/0]).

-define(CHAIN, '$chain').
-define(WAITS, '$waits').

-type member() :: {class, bte_registry:identity()} | pid().
%% The members, the youngest first.
-opaque chain() :: {reference(), [member()]}.
-type from() :: {pid(), reference()}.
-type outcome() :: {ok, term()} | {raise, error | exit | throw, term(), list()}.

%% @doc Answers the chain that a call from this process goes on.
-spec current() -> chain() | none.
current() ->
    case erlang:get(?CHAIN) of
        undefined ->
            case erlang:get('$actor_class') of
                undefined -> none;
                _ -> {make_ref(), [self()]}
            end;
        Chain ->
            Chain
    end.

%% @doc Makes a chain without members.
-spec new() -> chain().
new() -> {make_ref(), []}.

%% @doc Tells whether a member of the chain waits for an answer to it: one that has given up waiting
%% can be asked again.
-spec holds(member(), chain()) -> boolean().
holds({class, _} = Member, {_, Members}) ->
    lists:member(Member, Members);
holds(Pid, {Id, Members}) ->
    lists:member(Pid, Members) andalso (Pid =:= self() orelse waits(Pid, Id)).

waits(Pid, Id) ->
    case erlang:process_info(Pid, dictionary) of
        {dictionary, Dictionary} -> lists:member({?WAITS, Id}, Dictionary);
        undefined -> false
    end.

%% @doc Runs a function as the youngest member of a chain.
-spec within(chain(), member(), fun(() -> Value)) -> Value.
within({Id, Members}, Member, Fun) ->
    Outer = erlang:put(?CHAIN, {Id, [Member | Members]}),
    try
        Fun()
    after
        restore(?CHAIN, Outer)
    end.

restore(Key, undefined) -> erlang:erase(Key);
restore(Key, Value) -> erlang:put(Key, Value).

%% @doc Asks an actor or a class server for work, and waits. An answer that comes too late is
%% dropped by the runtime system.
-spec request(pid(), chain() | {nested, chain()}, Work :: term(), timeout()) ->
    {ok, outcome()} | timeout | {down, term()}.
request(Pid, Chain, Work, Timeout) ->
    Ref = erlang:monitor(process, Pid, [{alias, reply_demonitor}]),
    Outer = erlang:put(?WAITS, id(Chain)),
    Pid ! {'$run', {self(), Ref}, Chain, Work},
    Result = await(Ref, served(Chain), deadline(Timeout)),
    _ = restore(?WAITS, Outer),
    Result.

id({nested, {Id, _}}) -> Id;
id({Id, _}) -> Id.

%% Only class servers serve while they wait.
served(Chain) ->
    case erlang:get('$class_server') of
        undefined -> none;
        _ -> id(Chain)
    end.

deadline(infinity) -> infinity;
deadline(Timeout) -> erlang:monotonic_time(millisecond) + Timeout.

left(infinity) -> infinity;
left(Deadline) -> max(0, Deadline - erlang:monotonic_time(millisecond)).

await(Ref, Served, Deadline) ->
    receive
        {Ref, Outcome} ->
            {ok, Outcome};
        {'DOWN', Ref, process, _, Reason} ->
            {down, Reason};
        {'$run', From, {nested, {Served, _} = Chain}, Work} when Served =/= none ->
            Mine = erlang:put(?CHAIN, Chain),
            answer(From, protected(Work)),
            _ = restore(?CHAIN, Mine),
            await(Ref, Served, Deadline)
    after left(Deadline) ->
        true = erlang:demonitor(Ref, [flush]),
        timeout
    end.

%% @doc Answers a request.
-spec answer(from(), outcome()) -> ok.
answer({_, Ref}, Outcome) ->
    Ref ! {Ref, Outcome},
    ok.

%% @doc Calls a function; an error restores the state that it began with.
-spec protected({module(), atom(), [term()]}) -> outcome().
protected({Module, Function, Args}) ->
    Before = erlang:get('$state'),
    try
        {ok, apply(Module, Function, Args)}
    catch
        Class:Reason:Stack ->
            _ = erlang:put('$state', Before),
            {raise, Class, Reason, Stack}
    end.

%% @doc Says who waits for whom, from the first caller on.
-spec text(chain()) -> iodata().
text({_, Members}) ->
    lists:join(" -> ", [member_text(M) || M <- lists:reverse(Members)]).

member_text({class, Identity}) -> [bte_registry:name_of(Identity), " class"];
member_text(Pid) -> [bte_actor:describe(Pid), bte_view:pid_text(Pid)].
