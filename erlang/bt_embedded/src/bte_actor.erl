%% @doc Actors: one process each, under `bte_actor_sup', never restarted by it.
%%
%% The state is one map in the process dictionary; a message that ends with an uncaught error
%% leaves the map it began with, and the error is raised again in the caller (or logged, for a
%% cast). A class that was loaded anew changes its actors before their next message: kept fields
%% keep their values, new ones get defaults, others go. Tested by `bte_actor_SUITE'.
-module(bte_actor).
-behaviour(gen_server).

-compile({no_auto_import, [spawn/2, register/2, unregister/1]}).

-export([spawn/1, spawn/2, spawn_as/3, call/4, call/5, stop/1, stop/2, kill/1, is_alive/1]).
-export([start_link/1, start_supervised/3, instances/0, instances/1, register/2, unregister/1]).
-export([named/1, mark/2, of_process/1, describe/1, not_waiting/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).
-export_type([actor/0]).

-include_lib("kernel/include/logger.hrl").

-define(TIMEOUT, 60000).

-record(actor, {
    identity :: bte_registry:identity(),
    shape :: [non_neg_integer()]
}).

-type actor() :: {'$actor', bte_registry:identity(), pid()}.

%% @doc Starts an actor with the defaults of its class.
-spec spawn(bte_registry:identity() | {'$class', bte_registry:identity()}) -> actor().
spawn(C) ->
    spawn(C, #{}).

%% @doc Starts an actor with some fields given.
-spec spawn(bte_registry:identity() | {'$class', bte_registry:identity()}, map()) -> actor().
spawn({'$class', C}, Given) ->
    spawn(C, Given);
spawn(C, Given) ->
    start(C, Given, none).

%% @doc Starts an actor and registers it under a name.
-spec spawn_as(bte_registry:identity() | {'$class', bte_registry:identity()}, map(), atom()) ->
    actor().
spawn_as({'$class', C}, Given, Name) ->
    spawn_as(C, Given, Name);
spawn_as(C, Given, Name) ->
    start(C, Given, {name, Name}).

start(C, Given, Name) ->
    check(C, Given),
    {ok, Pid} = supervisor:start_child(bte_actor_sup, [C]),
    Actor = {'$actor', C, Pid},
    %% What it does at first runs in the actor, not in the supervisor's waiting: an actor may
    %% start others.
    _ = request(Actor, {'$start', Given, Name}, infinity),
    Actor.

check(C, Given) when is_map(Given), not is_map_key('$class', Given) ->
    #{kind := Kind} = Info = bte_meta:info(C),
    case lists:member(abstract, maps:get(modifiers, Info, [])) of
        true -> bte_error:abstract(C, spawn);
        false when Kind =:= actor -> ok;
        false -> not_an_actor(C)
    end;
check(C, _) ->
    bte_error:raise(type_error, #{
        class => C,
        selector => 'spawnWith:',
        message => <<"spawnWith: expects a Dictionary of fields">>,
        hint => <<"For example spawnWith: #{#value => 1}.">>
    }).

-spec not_an_actor(term()) -> no_return().
not_an_actor(C) ->
    bte_error:raise(instantiation_error, #{
        class => C,
        selector => spawn,
        message => <<(bte_registry:name_of(C))/binary, " is not an actor class">>,
        hint => <<"Use new or new: to make an instance.">>
    }).

%% @private
-spec start_link(bte_registry:identity()) -> {ok, pid()} | {error, term()}.
start_link(C) ->
    gen_server:start_link(?MODULE, C, bte_limits:start_options()).

%% @doc Starts an actor as the child of the calling supervisor, on the passage of who asked for it.
-spec start_supervised(bte_registry:identity(), map(), bte_chain:passage()) ->
    {ok, pid()} | {error, term()}.
start_supervised(C, Given, Passage) ->
    try
        check(C, Given),
        {ok, Pid} = start_link(C),
        Start = {'$start', Given, none},
        _ = bte_chain:pass(Passage, fun(_) -> request({'$actor', C, Pid}, Start, infinity) end),
        {ok, Pid}
    catch
        error:{bt_exception, Exception} -> {error, {bt_exception, Exception}}
    end.

%% @doc Sends a message and waits for its value.
-spec call(bte_send:selector(), bte_send:generation(), actor(), [term()]) -> term().
call(Selector, Gen, Actor, Args) ->
    case bte_prim_actor:without_process(Selector, Args, Actor) of
        {ok, Value} -> Value;
        error -> request(Actor, {'$send', Selector, Gen, Args}, ?TIMEOUT)
    end.

%% @doc Sends a message and waits for its value for a time of one's own.
-spec call(bte_send:selector(), bte_send:generation(), actor(), [term()], timeout()) -> term().
call(Selector, Gen, {'$actor', C, Pid}, Args, _) when Pid =:= self() ->
    bte_send:apply_to(C, Selector, Gen, {{'$actor', C, Pid}, Args});
call(Selector, Gen, Actor, Args, Timeout) ->
    request(Actor, {'$send', Selector, Gen, Args}, Timeout).

request(Actor, Message, Timeout) ->
    case bte_chain:current() of
        none -> plain_request(Actor, Message, Timeout);
        Chain -> chained_request(Actor, Message, {Chain, Timeout})
    end.

plain_request({'$actor', _, Pid} = Actor, Message, Timeout) ->
    try gen_server:call(Pid, Message, Timeout) of
        Outcome -> deliver(Outcome)
    catch
        exit:{timeout, {gen_server, call, _}} -> late(Actor, Message);
        exit:{Reason, {gen_server, call, _}} -> down(Actor, Message, Reason)
    end.

chained_request({'$actor', _, Pid} = Actor, Message, {Chain, Timeout}) ->
    case bte_chain:holds(Pid, Chain) of
        true ->
            deadlock(Actor, Message, Chain);
        false ->
            case bte_chain:request(Pid, Chain, Message, Timeout) of
                {ok, Outcome} -> deliver(Outcome);
                {down, Reason} -> down(Actor, Message, Reason);
                timeout -> late(Actor, Message)
            end
    end.

deliver({ok, Value}) -> Value;
deliver({raise, Class, Reason, Stack}) -> erlang:raise(Class, Reason, Stack).

-spec deadlock(actor(), tuple(), bte_chain:chain()) -> no_return().
deadlock({'$actor', C, _} = Actor, Message, Chain) ->
    bte_error:raise(deadlock, #{
        class => C,
        selector => selector(Message),
        message => iolist_to_binary([
            <<"the ">>, bte_registry:name_of(C), <<" actor waits for this call to end: ">>,
            bte_chain:text(Chain)
        ]),
        hint => <<"Send it without waiting (!), or hand over what it would answer.">>,
        details => Actor
    }).

-spec late(actor(), tuple()) -> no_return().
late({'$actor', C, _}, Message) ->
    bte_error:raise(timeout, #{
        class => C,
        selector => selector(Message),
        message => <<(bte_registry:name_of(C))/binary, " did not answer in time">>,
        hint => <<"It may wait for another actor. withTimeout: gives it more time.">>
    }).

down(Actor, Message, Reason) ->
    case bte_prim_actor:of_dead(selector(Message), Actor) of
        {ok, Value} -> Value;
        error -> not_alive(Actor, Message, Reason)
    end.

-spec not_alive(term(), term(), term()) -> no_return().
not_alive({'$actor', C, _}, Message, killed) ->
    bte_error:raise(actor_dead, #{
        class => C,
        selector => selector(Message),
        message => <<"the ", (bte_registry:name_of(C))/binary, " actor ended: ",
            (bte_limits:killed())/binary>>,
        details => killed
    });
not_alive({'$actor', C, _}, Message, Reason) ->
    bte_error:raise(actor_dead, #{
        class => C,
        selector => selector(Message),
        message => <<"the ", (bte_registry:name_of(C))/binary, " actor is not alive">>,
        hint => <<"Use isAlive to check first, or start a new one.">>,
        details => Reason
    }).

selector({'$send', Selector, _, _}) -> Selector;
selector({'$start', _, _}) -> spawn;
selector({'$stop', _}) -> stop.

%% @doc Stops an actor after the messages it already has; `terminate:' runs.
-spec stop(actor()) -> ok.
stop(Actor) ->
    stop(Actor, normal).

%% @doc Stops an actor with a reason. One that waits for this call to end cannot be: `deadlock'.
-spec stop(actor(), term()) -> ok.
stop({'$actor', _, Pid}, Reason) when Pid =:= self() ->
    _ = erlang:put('$stop', {Reason}),
    ok;
stop({'$actor', _, Pid} = Actor, Reason) ->
    ok = not_waiting(Actor),
    Stop = fun() -> gen_server:call(Pid, {'$stop', Reason}, ?TIMEOUT) end,
    try
        bte_chain:ending(Pid, none, Stop)
    catch
        exit:{noproc, _} -> ok;
        exit:{normal, _} -> ok;
        exit:{_, {gen_server, call, _}} -> ok
    end.

%% @doc Raises `deadlock' when an actor that is to end waits for this call to end.
-spec not_waiting(actor()) -> ok.
not_waiting({'$actor', _, Pid} = Actor) ->
    Chain = bte_chain:current(),
    case bte_chain:holds(Pid, Chain) of
        true -> deadlock(Actor, {'$stop', normal}, Chain);
        false -> ok
    end.

%% @doc Kills an actor at once; `terminate:' does not run.
-spec kill(actor()) -> ok.
kill({'$actor', _, Pid}) ->
    Ref = erlang:monitor(process, Pid),
    %% The first ends it quietly; the second in case its code has taken to trapping exits.
    true = exit(Pid, shutdown),
    true = exit(Pid, kill),
    receive
        {'DOWN', Ref, process, _, _} -> ok
    end.

%% @doc Tells whether the process of an actor runs.
-spec is_alive(actor()) -> boolean().
is_alive({'$actor', _, Pid}) ->
    is_process_alive(Pid).

%% @doc Answers all live actors.
-spec instances() -> [actor()].
instances() ->
    Children = supervisor:which_children(bte_actor_sup),
    Free = [Pid || {_, Pid, _, _} <- Children, is_pid(Pid)],
    lists:sort([Actor || Pid <- Free ++ bte_supervisor:pids(), Actor <- of_process(Pid)]).

%% @doc Answers the live actors of exactly this class.
-spec instances(bte_registry:identity()) -> [actor()].
instances(C) ->
    [Actor || {'$actor', Identity, _} = Actor <- instances(), Identity =:= C].

%% @doc Answers the actor of a process in a list; no actor, an empty list.
-spec of_process(pid()) -> [actor()].
of_process(Pid) ->
    [{'$actor', C, Pid} || {ok, C} <- [bte_dictionary:find('$actor_class', Pid)]].

%% @doc Says in words what a process is, with a blank behind; nothing for a stranger.
-spec describe(pid()) -> iodata().
describe(Pid) ->
    case of_process(Pid) of
        [{'$actor', C, _}] -> [bte_registry:name_of(C), <<" actor ">>];
        [] -> <<>>
    end.

%% @doc Registers an actor under a name; a name in use is an `argument_error'.
-spec register(actor(), atom()) -> actor().
register({'$actor', C, Pid} = Actor, Name) ->
    try
        true = erlang:register(Name, Pid),
        Actor
    catch
        error:badarg ->
            bte_error:raise(argument_error, #{
                class => C,
                selector => 'registerAs:',
                message => <<"the name ", (atom_to_binary(Name))/binary, " is in use">>,
                hint => <<"Choose another name, or stop who has it.">>
            })
    end.

%% @doc Takes a name back.
-spec unregister(atom()) -> ok.
unregister(Name) ->
    try
        true = erlang:unregister(Name),
        ok
    catch
        error:badarg -> ok
    end.

%% @doc Answers the actor that bears a name, or `nil'.
-spec named(atom()) -> actor() | nil.
named(Name) ->
    case erlang:whereis(Name) of
        Pid when is_pid(Pid) ->
            case of_process(Pid) of
                [Actor] -> Actor;
                [] -> nil
            end;
        _ ->
            nil
    end.

%% @doc Asks an actor for an answer behind all messages it has now: `{Tag, Pid}' is sent to the
%% calling process.
-spec mark(pid(), term()) -> ok.
mark(Pid, Tag) ->
    gen_server:cast(Pid, {'$mark', self(), Tag}).

%% @private
-spec init(bte_registry:identity()) -> {ok, #actor{}}.
init(C) ->
    _ = erlang:put('$actor_class', C),
    ok = bte_log:call_it(C, initialize),
    {ok, #actor{identity = C, shape = []}}.

%% @private
-spec handle_call(term(), gen_server:from(), #actor{}) ->
    {reply, term(), #actor{}} | {stop, term(), term(), #actor{}}.
handle_call({'$send', Selector, Gen, Args}, _From, State0) ->
    {Outcome, State} = perform(Selector, Gen, Args, State0),
    finish(Outcome, State);
handle_call({'$start', Given, Name}, _From, State) ->
    begin_life(Given, Name, State);
handle_call({'$stop', Reason}, _From, State) ->
    {stop, Reason, ok, State};
handle_call(_, _, State) ->
    {reply, {error, unknown_request}, State}.

%% @private
-spec handle_cast(term(), #actor{}) -> {noreply, #actor{}} | {stop, term(), #actor{}}.
handle_cast({'$cast', Selector, Gen, Args}, State0) ->
    {Outcome, State} = perform(Selector, Gen, Args, State0),
    log_failure(Outcome, Selector, State),
    continue(State);
handle_cast({'$mark', Pid, Tag}, State) ->
    Pid ! {Tag, self()},
    {noreply, State};
handle_cast(_, State) ->
    {noreply, State}.

%% @private
-spec handle_info(term(), #actor{}) -> {noreply, #actor{}} | {stop, term(), #actor{}}.
handle_info({'$run', From, Chain, Message}, State0) ->
    case bte_chain:within(Chain, self(), fun() -> handle_call(Message, From, State0) end) of
        {reply, Outcome, State} ->
            ok = bte_chain:answer(From, Outcome),
            {noreply, State};
        {stop, Reason, Outcome, State} ->
            ok = bte_chain:answer(From, Outcome),
            {stop, Reason, State}
    end;
handle_info({'$cast', Old, Before, Args}, #actor{identity = C} = State) ->
    %% A timer sends it bare, perhaps long after it was made.
    {Selector, Gen} = bte_drain:current(C, instance, Old, Before),
    handle_cast({'$cast', Selector, Gen, Args}, State);
handle_info(Info, #actor{identity = C} = State0) ->
    case bte_send:understands(C, instance, 'handleInfo:') of
        true ->
            {Outcome, State} = perform('handleInfo:', generation(C), [Info], State0),
            log_failure(Outcome, 'handleInfo:', State),
            continue(State);
        false ->
            {noreply, State0}
    end.

%% @private
-spec terminate(term(), #actor{}) -> ok.
terminate(Reason, #actor{identity = C} = State) ->
    case bte_send:understands(C, instance, 'terminate:') of
        true ->
            Perform = fun() -> perform('terminate:', generation(C), [Reason], State) end,
            {Outcome, _} = bte_chain:at_end(Perform),
            log_failure(Outcome, 'terminate:', State);
        false ->
            ok
    end,
    bte_native:stop().

finish(Outcome, State) ->
    case erlang:get('$stop') of
        {Reason} -> {stop, Reason, Outcome, State};
        undefined -> {reply, Outcome, State}
    end.

continue(State) ->
    case erlang:get('$stop') of
        {Reason} -> {stop, Reason, State};
        undefined -> {noreply, State}
    end.

%% The hooks called by the runtime carry the generation of the class's own code: it is the class
%% that says which hooks it has.
generation(C) ->
    map_get(generation, bte_meta:info(C)).

begin_life(Given, Name, #actor{identity = C} = State0) ->
    try
        _ = erlang:put('$state', #{}),
        Fields = with_given(C, bte_meta:fields(C), Given),
        _ = erlang:put('$state', Fields),
        named_self(C, Name),
        initialize(C, {'$actor', C, self()})
    of
        ok -> finish({ok, started}, State0#actor{shape = bte_shape:of_class(C)})
    catch
        Class:Reason:Stack ->
            {stop, normal, {raise, Class, Reason, Stack}, State0}
    end.

named_self(_, none) ->
    ok;
named_self(C, {name, Name}) ->
    _ = register({'$actor', C, self()}, Name),
    ok.

with_given(C, Defaults, Given) ->
    case maps:keys(maps:without(maps:keys(Defaults), Given)) of
        [] ->
            maps:merge(Defaults, Given);
        [Unknown | _] ->
            bte_error:raise(argument_error, #{
                class => C,
                selector => 'spawnWith:',
                message => unicode:characters_to_binary(
                    io_lib:format("~ts has no field '~tp'", [bte_registry:name_of(C), Unknown])
                ),
                hint => <<"allFieldNames answers the fields of a class.">>
            })
    end.

%% Every class of the line that has an `initialize' of its own runs it, the root first.
initialize(nil, _) ->
    ok;
initialize(C, Self) ->
    #{superclass := Super, methods := #{instance := Own}, generation := Gen} = bte_meta:info(C),
    initialize(Super, Self),
    case lists:member(initialize, Own) of
        true ->
            _ = bte_send:apply_to(C, initialize, Gen, {Self, []}),
            ok;
        false ->
            ok
    end.

perform(Selector, Gen, Args, #actor{identity = C} = State0) ->
    State = migrate(State0),
    Before = erlang:get('$state'),
    Outcome =
        try
            {ok, bte_send:apply_to(C, Selector, Gen, {{'$actor', C, self()}, Args})}
        catch
            Class:Reason:Stack ->
                _ = erlang:put('$state', Before),
                {raise, Class, Reason, Stack}
        end,
    bte_cell:collect([erlang:get('$state'), Outcome]),
    {Outcome, State}.

migrate(#actor{identity = C, shape = Shape} = State) ->
    case bte_shape:of_class(C) of
        Shape -> State;
        New -> State#actor{shape = reshape(C, New)}
    end.

reshape(C, Shape) ->
    Old = erlang:get('$state'),
    try bte_meta:fields(C) of
        Defaults ->
            _ = erlang:put('$state', maps:merge(Defaults, maps:with(maps:keys(Defaults), Old))),
            Shape
    catch
        Class:Reason ->
            ?LOG_WARNING("defaults of ~ts failed: ~0tp:~0tp",
                [bte_registry:name_of(C), Class, Reason], #{domain => [bte, actor]}),
            _ = erlang:put('$state', Old),
            Shape
    end.

log_failure({ok, _}, _, _) ->
    ok;
log_failure({raise, Class, Reason, Stack}, Selector, #actor{identity = C}) ->
    Exception = bte_error:from_erlang(Class, Reason, Stack),
    ?LOG_WARNING("~ts in ~ts>>~ts, sent without waiting",
        [bte_error:format(Exception), bte_registry:name_of(C), Selector],
        #{domain => [bte, actor]}).
