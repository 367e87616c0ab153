%% @doc Primitives of `Actor' and `Pid'.
-module(bte_prim_actor).

-export([spawn/1, spawn/2, spawn_as/2, named/2, stop/1, kill/1, is_alive/1, pid/1]).
-export([with_timeout/2, timed_send/3, instances/1, without_process/3, of_dead/2]).

-type actor() :: bte_actor:actor().

%% @doc Starts an actor of a class.
-spec spawn(term()) -> actor().
spawn(Class) -> bte_actor:spawn(Class).

%% @doc Starts an actor with some fields given.
-spec spawn(term(), term()) -> actor().
spawn(Class, Fields) -> bte_actor:spawn(Class, Fields).

%% @doc Starts an actor under a name.
-spec spawn_as(term(), term()) -> actor().
spawn_as(Class, Name) when is_atom(Name) -> bte_actor:spawn_as(Class, #{}, Name);
spawn_as(Class, Name) -> bte_prim:type_error(Class, 'spawnAs:', <<"Symbol">>, Name).

%% @doc Answers the actor under a name, or nil.
-spec named(term(), term()) -> actor() | nil.
named(_, Name) when is_atom(Name) -> bte_actor:named(Name);
named(Class, Name) -> bte_prim:type_error(Class, 'named:', <<"Symbol">>, Name).

%% @doc Stops an actor.
-spec stop(actor()) -> ok.
stop(Actor) -> bte_actor:stop(Actor).

%% @doc Kills an actor; it may be the one that asks.
-spec kill(actor()) -> ok.
kill({'$actor', _, Pid} = Actor) when Pid =:= self() ->
    _ = erlang:spawn(fun() -> bte_actor:kill(Actor) end),
    receive
    after infinity -> ok
    end;
kill(Actor) ->
    bte_actor:kill(Actor).

%% @doc Tells whether a process runs.
-spec is_alive(actor() | pid()) -> boolean().
is_alive({'$actor', _, Pid}) -> is_alive(Pid);
is_alive(Pid) when node(Pid) =:= node() -> is_process_alive(Pid);
is_alive(_) -> true.

%% @doc Answers an actor's process.
-spec pid(actor()) -> pid().
pid({'$actor', _, Pid}) -> Pid.

%% @doc Answers something that passes messages on to an actor and waits so long for each answer.
-spec with_timeout(actor(), term()) -> term().
with_timeout(Actor, Milliseconds) ->
    case bte_prim:integer(Actor, 'withTimeout:', Milliseconds) of
        Ms when Ms > 0 -> bte_object:new('bt@stdlib@timed_actor', #{actor => Actor, timeout => Ms});
        _ -> bte_prim:argument_error(Actor, 'withTimeout:', <<"a time limit is above nought">>)
    end.

%% @doc Passes a message on to an actor and waits for the answer within the limit.
-spec timed_send(map(), atom(), [term()]) -> term().
timed_send(#{actor := Actor, timeout := Ms}, Selector, Args) ->
    bte_actor:call(Selector, bte_registry:generation(), Actor, Args, Ms).

%% @doc Answers the running actors of exactly a class.
-spec instances(term()) -> [actor()].
instances({'$class', C}) -> bte_actor:instances(C).

%% @doc Carries out what concerns an actor's process from outside it: a busy actor can be killed, a
%% dead one asked whether it lives. Unless the actor's class has a method of its own for it.
-spec without_process(atom(), [term()], actor()) -> {ok, term()} | error.
without_process(Selector, [], {'$actor', C, _} = Actor) when
    Selector =:= isAlive; Selector =:= kill; Selector =:= stop; Selector =:= pid
->
    case bte_send:implementor(C, instance, Selector) of
        {'bt@stdlib@actor', instance} -> {ok, from_outside(Selector, Actor)};
        %% A removed class has no methods left, and its actors have been stopped.
        none -> {ok, from_outside(Selector, Actor)};
        _ -> error
    end;
without_process('perform:withArguments:timeout:' = S, [Selector, Args, Ms], Actor) ->
    %% In the actor's process there would be nobody to wait.
    {'$actor', C, _} = Actor,
    case bte_send:implementor(C, instance, S) of
        {'bt@stdlib@object', instance} ->
            {ok, bte_prim_object:perform(Actor, Selector, Args, Ms)};
        _ -> error
    end;
without_process(_, _, _) ->
    error.

from_outside(isAlive, Actor) -> is_alive(Actor);
from_outside(kill, Actor) -> kill(Actor);
from_outside(stop, Actor) -> stop(Actor);
from_outside(pid, Actor) -> pid(Actor).

%% @doc Answers what can be said of an actor that is not alive.
-spec of_dead(atom(), actor()) -> {ok, term()} | error.
of_dead(class, Actor) -> {ok, bte_prim_object:class(Actor)};
of_dead(printString, Actor) -> {ok, bte_view:print(Actor)};
of_dead(displayString, Actor) -> {ok, bte_view:print(Actor)};
of_dead(asString, Actor) -> {ok, bte_view:print(Actor)};
of_dead(isActor, _) -> {ok, true};
of_dead(isNil, _) -> {ok, false};
of_dead(notNil, _) -> {ok, true};
of_dead(yourself, Actor) -> {ok, Actor};
of_dead(_, _) -> error.
