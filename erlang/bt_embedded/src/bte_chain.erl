%% @doc Calls that wait: a chain leads from a first caller over actors and class servers to the one
%% that works, and travels with each call that one of them makes.
%%
%% A class server that waits serves the calls of its own chain in place, so that what a class asks
%% may ask the class. An actor takes one message at a time: a call that comes back to an actor of
%% its own chain raises `deadlock', which names the chain, instead of waiting for ever. A call from
%% any other process begins no chain and costs nothing here. A supervisor cannot be given a chain by
%% message, as OTP wrote its loop: what it is to start carries a passage, on which the start goes
%% on with the chain of who asked for it, as long as that one waits. What it is to end finds the
%% passage in a table, for what it does at its end. Calls from a process made by Erlang code are no
%% part of a chain. Tested by `bte_chain_SUITE' and `bte_supervisor_SUITE'.
-module(bte_chain).

-export([current/0, new/0, holds/2, within/3, request/4, answer/2, protected/1, text/1]).
-export([through/1, pass/2, keys/0, create/0, ending/3, at_end/1]).
-export_type([chain/0, member/0, from/0, outcome/0, passage/0]).

-define(CHAIN, '$chain').
-define(WAITS, '$waits').
-define(PASSAGE, '$passage').
-define(ENDINGS, bte_chain_ending).

%% A supervisor that ends others waits until a process of theirs is gone.
-type member() :: {class, bte_registry:identity()} | pid() | {ends, pid(), Last :: pid()}.
%% The members, the youngest first.
-opaque chain() :: {reference(), [member()]}.
-type from() :: {pid(), reference()}.
-type outcome() :: bte_apart:outcome().
%% A chain, who waits for the supervisor, and for what.
-opaque passage() :: none | {chain(), pid(), reference()}.

%% @doc Makes the table of what is being ended; its owner is the calling process.
-spec create() -> ok.
create() ->
    ?ENDINGS = ets:new(?ENDINGS, [named_table, public, bag]),
    ok.

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

%% @doc Answers the keys of the process dictionary that say where a process stands in a chain.
-spec keys() -> [atom()].
keys() -> [?CHAIN, ?WAITS, ?PASSAGE, '$caller'].

%% @doc Tells whether a member of the chain waits for an answer to it: one that has given up waiting
%% can be asked again.
-spec holds(member(), chain() | none) -> boolean().
holds(_, none) ->
    false;
holds({class, _} = Member, {_, Members}) ->
    lists:member(Member, Members);
holds(Pid, {Id, Members}) ->
    lists:any(fun(Member) -> waits(Pid, Member, Id) end, Members).

waits(Pid, Pid, Id) -> Pid =:= self() orelse has(Pid, ?WAITS, Id);
waits(Pid, {ends, Pid, Last}, _) -> is_process_alive(Last);
waits(_, _, _) -> false.

has(Pid, Key, Value) -> bte_dictionary:find(Key, Pid) =:= {ok, Value}.

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

%% @doc Runs a function that waits for supervisors, with the passage to hand to them. In a chain it
%% runs in a process of its own, while this one serves its chain.
-spec through(fun((passage()) -> Value)) -> Value.
through(Fun) ->
    case current() of
        none -> Fun(none);
        Chain -> handing_over(Chain, fun(Passage) -> apart(Chain, fun() -> Fun(Passage) end) end)
    end.

%% @doc Runs a function in a supervisor, as a member of the chain that a passage leads to, with the
%% passage to hand on.
-spec pass(passage(), fun((passage()) -> Value)) -> Value.
pass(Passage, Fun) ->
    Chain = going_on(Passage),
    within(Chain, self(), fun() -> handing_over(erlang:get(?CHAIN), Fun) end).

%% A child that is started again has the passage of its first start, where nobody waits any more.
going_on(none) ->
    new();
going_on({Chain, Pid, Ref}) ->
    case has(Pid, ?PASSAGE, Ref) of
        true -> Chain;
        false -> new()
    end.

handing_over({Id, _} = Chain, Fun) ->
    Ref = make_ref(),
    Waits = erlang:put(?WAITS, Id),
    Passage = erlang:put(?PASSAGE, Ref),
    try
        Fun({Chain, self(), Ref})
    after
        _ = restore(?WAITS, Waits),
        restore(?PASSAGE, Passage)
    end.

%% @doc Runs a function that waits for the end of a process, with all below it; who ends it is told
%% if it waits as well. A process of its own waits, so that the row goes even if this one is killed.
-spec ending(pid(), Supervisor :: pid() | none, fun(() -> Value)) -> Value.
ending(Pid, Supervisor, Fun) ->
    Chain = begun(current()),
    handing_over(Chain, fun(Passage) ->
        apart(Chain, fun() -> listed({Pid, Supervisor, Passage}, Fun) end)
    end).

begun(none) -> new();
begun(Chain) -> Chain.

listed(Row, Fun) ->
    true = ets:insert(?ENDINGS, Row),
    try
        Fun()
    after
        true = ets:delete_object(?ENDINGS, Row)
    end.

%% @doc Runs what a process does at its end within the chain of who waits for that.
-spec at_end(fun(() -> Value)) -> Value.
at_end(Fun) ->
    within(waiting([self() | erlang:get('$ancestors')], []), self(), Fun).

%% All from the parent up to the one that is to end wait for this process. Each stands for itself
%% in `$ancestors' but those of the application, which have names and are never to end here.
waiting([Pid | Above], Below) when is_pid(Pid) ->
    case ets:lookup(?ENDINGS, Pid) of
        [{_, Supervisor, Passage} | _] ->
            {Id, Members} = going_on(Passage),
            Waiting = [P || P <- [Supervisor, Pid | Below], P =/= none, P =/= self()],
            {Id, lists:reverse([{ends, P, self()} || P <- Waiting]) ++ Members};
        [] ->
            waiting(Above, [Pid | Below])
    end;
waiting(_, _) ->
    new().

apart(Chain, Fun) ->
    {_, Ref} = erlang:spawn_monitor(bte_apart, deliver, [Fun]),
    {down, Reason} = await(Ref, served(Chain), infinity),
    bte_apart:value(Reason).

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

member_text({class, Identity}) ->
    [bte_registry:name_of(Identity), " class"];
member_text({ends, Pid, _}) ->
    member_text(Pid);
member_text(Pid) ->
    case bte_actor:describe(Pid) of
        <<>> -> [bte_supervisor:describe(Pid), bte_view:pid_text(Pid)];
        Described -> [Described, bte_view:pid_text(Pid)]
    end.
