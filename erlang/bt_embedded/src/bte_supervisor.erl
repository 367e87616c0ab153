%% @doc `Supervisor' and `DynamicSupervisor': OTP supervisors whose children are named by a class.
%%
%% Children are known by the identity of their class, so they outlive a rename. The value of a
%% running supervisor is an instance with its process under the key `pid'. A child's `initialize'
%% runs while its supervisor waits, and so does what a child does at its end: what asks a supervisor
%% that waits for it raises `deadlock', as with actors ({@link bte_chain}).
%% Tested by `bte_supervisor_SUITE'.
-module(bte_supervisor).
-behaviour(supervisor).

-export([supervise/1, current/1, children/1, which/2, terminate_child/2]).
-export([start_child/1, start_child/2, is_alive/1, stop/1, pids/0, all/0]).
-export([describe/1]).
-export([start_link/3, init/1]).

-type class() :: {'$class', bte_registry:identity()}.
-type supervisor() :: #{'$class' := bte_registry:identity(), pid := pid()}.

%% @doc Answers the running supervisor of a class, started when there is none.
-spec supervise(class()) -> supervisor().
supervise({'$class', C} = Class) ->
    case current(Class) of
        nil ->
            check(C),
            %% What its class says wrongly is raised here, not in a process that dies of it.
            _ = specification(C, none),
            Start = fun(Passage) ->
                supervisor:start_child(bte_supervisor_sup, [C, #{}, Passage])
            end,
            started(C, bte_chain:through(Start));
        Running ->
            Running
    end.

check(C) ->
    case lists:member(abstract, maps:get(modifiers, bte_meta:info(C), [])) of
        true -> bte_error:abstract(C, supervise);
        false -> ok
    end.

started(C, {ok, Pid}) -> instance(C, Pid);
started(C, {error, Reason}) -> failed(C, Reason).

-spec failed(term(), term()) -> no_return().
failed(C, Reason) ->
    case cause(Reason) of
        {ok, Exception} ->
            bte_error:signal(Exception);
        none ->
            bte_error:raise(runtime_error, #{
                class => C,
                selector => supervise,
                message => <<(bte_registry:name_of(C))/binary, " could not be started">>,
                details => Reason
            })
    end.

%% OTP wraps the reason of a child that failed to start in the reasons of those above it.
cause({bt_exception, Exception}) -> {ok, Exception};
cause(Reason) when is_tuple(Reason) -> first_cause(tuple_to_list(Reason));
cause(_) -> none.

first_cause([]) ->
    none;
first_cause([Part | Parts]) ->
    case cause(Part) of
        {ok, Exception} -> {ok, Exception};
        none -> first_cause(Parts)
    end.

instance(C, Pid) -> #{'$class' => C, pid => Pid}.

%% @doc Answers the running supervisor of a class, or `nil'.
-spec current(class()) -> supervisor() | nil.
current({'$class', C}) ->
    ok = not_waiting(top(), C, current),
    case [Pid || Pid <- supervisors(), class_of(Pid) =:= {ok, C}] of
        [Pid | _] -> instance(C, Pid);
        [] -> nil
    end.

%% @doc Answers the running children in the order they are started in.
-spec children(supervisor()) -> [term()].
children(#{pid := Pid} = Self) ->
    running(Self, 'children', fun() -> [value(P) || P <- child_pids(Pid)] end).

value(Pid) ->
    case {class_of(Pid), actor_class(Pid)} of
        {{ok, C}, _} -> instance(C, Pid);
        {error, {ok, C}} -> {'$actor', C, Pid};
        {error, error} -> Pid
    end.

%% @doc Answers the running child of a class, or `nil'.
-spec which(supervisor(), class()) -> term().
which(Self, {'$class', C}) ->
    case [Child || Child <- children(Self), bte_send:class_of(Child) =:= C] of
        [Child | _] -> Child;
        [] -> nil
    end;
which(Self, Other) ->
    bte_prim:type_error(Self, 'which:', <<"Class">>, Other).

%% @doc Ends a child, named by itself or by its class, for good.
-spec terminate_child(supervisor(), term()) -> nil.
terminate_child(#{pid := Pid} = Self, Child) ->
    running(Self, 'terminate:', fun() ->
        _ = [end_child(Pid, Id, P) || {Id, P} <- named(Pid, Child)],
        nil
    end).

end_child(Pid, Id, Child) when is_pid(Child) ->
    ok = can_end(value(Child), erlang:process_info(Child, trap_exit)),
    bte_chain:ending(Child, Pid, fun() -> supervisor:terminate_child(Pid, Id) end);
end_child(Pid, Id, _) ->
    supervisor:terminate_child(Pid, Id).

%% One that does not trap exits ends at once, whatever it waits for.
can_end({'$actor', _, _} = Actor, {trap_exit, true}) -> bte_actor:not_waiting(Actor);
can_end(#{'$class' := C, pid := Pid}, _) -> not_waiting(Pid, C, stop);
can_end(_, _) -> ok.

%% Who asks a supervisor that waits for it would wait for ever.
not_waiting(Pid, C, Selector) ->
    Chain = bte_chain:current(),
    case bte_chain:holds(Pid, Chain) of
        false ->
            ok;
        true ->
            bte_error:raise(deadlock, #{
                class => C,
                selector => Selector,
                message => iolist_to_binary([
                    <<"a supervisor waits for this call to end: ">>, bte_chain:text(Chain)
                ]),
                hint => <<"initialize and terminate: run while their supervisor waits. After a "
                    "start ask it later: send a message without waiting (!) to self.">>
            })
    end.

top() -> whereis(bte_supervisor_sup).

named(Pid, Child) ->
    [{id(Id, P), P} || {Id, P, _, _} <- supervisor:which_children(Pid), is_child(Child, Id, P)].

id(undefined, Pid) -> Pid;
id(Id, _) -> Id.

is_child({'$class', C}, C, _) -> true;
is_child({'$actor', _, Pid}, _, Pid) -> true;
is_child(#{pid := Pid}, _, Pid) -> true;
is_child(_, _, _) -> false.

%% @doc Starts a child of a dynamic supervisor.
-spec start_child(supervisor()) -> term().
start_child(Self) ->
    start_child(Self, #{}).

%% @doc Starts a child of a dynamic supervisor with some fields given.
-spec start_child(supervisor(), map()) -> term().
start_child(#{'$class' := C, pid := Pid} = Self, Fields) ->
    running(Self, 'startChild:', fun() ->
        Start = fun(Passage) -> supervisor:start_child(Pid, [Fields, Passage]) end,
        case bte_chain:through(Start) of
            {ok, Child} -> value(Child);
            {error, Reason} -> failed(C, Reason)
        end
    end).

%% @doc Tells whether a supervisor runs.
-spec is_alive(supervisor()) -> boolean().
is_alive(#{pid := Pid}) -> is_process_alive(Pid).

%% @doc Ends a supervisor with its children.
-spec stop(supervisor()) -> nil.
stop(#{'$class' := C, pid := Pid}) ->
    ok = not_waiting(top(), C, stop),
    ok = not_waiting(Pid, C, stop),
    End = fun() -> supervisor:terminate_child(bte_supervisor_sup, Pid) end,
    case bte_chain:ending(Pid, top(), End) of
        ok -> nil;
        {error, not_found} -> stop_below(Pid)
    end.

stop_below(Pid) ->
    try
        ok = bte_chain:ending(Pid, none, fun() -> gen_server:stop(Pid, shutdown, 5000) end),
        nil
    catch
        exit:_ -> nil
    end.

%% @doc Answers the processes of all children of all supervisors.
-spec pids() -> [pid()].
pids() ->
    lists:append([child_pids(Pid) || Pid <- supervisors()]).

%% @doc Answers the running supervisors, from the top down.
-spec all() -> [supervisor()].
all() ->
    [instance(C, Pid) || Pid <- supervisors(), {ok, C} <- [class_of(Pid)]].

%% Supervisors from the top down.
supervisors() ->
    Top = [Pid || {_, Pid, _, _} <- supervisor:which_children(bte_supervisor_sup), is_pid(Pid)],
    below(Top, []).

below([], Acc) ->
    lists:reverse(Acc);
below([Pid | Pids], Acc) ->
    Children = [P || P <- child_pids(Pid), class_of(P) =/= error],
    below(Children ++ Pids, [Pid | Acc]).

child_pids(Pid) ->
    _ = [ok = not_waiting(Pid, C, 'children') || {ok, C} <- [class_of(Pid)]],
    try supervisor:which_children(Pid) of
        Children -> lists:reverse([P || {_, P, _, _} <- Children, is_pid(P)])
    catch
        exit:_ -> []
    end.

running(#{'$class' := C, pid := Pid} = Self, Selector, Fun) ->
    ok = not_waiting(Pid, C, Selector),
    try
        Fun()
    catch
        exit:{Reason, {gen_server, call, _}} ->
            bte_error:raise(actor_dead, #{
                class => bte_send:class_of(Self),
                selector => Selector,
                message => <<"the supervisor is not running">>,
                hint => <<"supervise starts it.">>,
                details => Reason
            })
    end.

%% @doc Says in words what a process is, with a blank behind; nothing for a stranger.
-spec describe(pid()) -> iodata().
describe(Pid) ->
    case {class_of(Pid), top()} of
        {{ok, C}, _} -> [bte_registry:name_of(C), <<" supervisor ">>];
        {error, Pid} -> <<"supervisor of all ">>;
        {error, _} -> <<>>
    end.

class_of(Pid) -> bte_dictionary:find('$supervisor_class', Pid).

actor_class(Pid) -> bte_dictionary:find('$actor_class', Pid).

%% @private
-spec start_link(bte_registry:identity(), map(), bte_chain:passage()) ->
    {ok, pid()} | ignore | {error, term()}.
start_link(C, _Fields, Passage) ->
    bte_chain:pass(Passage, fun(Next) -> supervisor:start_link(?MODULE, {C, Next}) end).

%% @private
-spec init({bte_registry:identity(), bte_chain:passage()}) ->
    {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init({C, Passage}) ->
    _ = erlang:put('$supervisor_class', C),
    ok = bte_log:call_it(C, supervise),
    Above = [class_of(Pid) || Pid <- erlang:get('$ancestors'), is_pid(Pid)],
    _ = [wrong(C, children, C, <<"others than a supervisor above it">>)
         || lists:member({ok, C}, Above)],
    {ok, bte_chain:pass(Passage, fun(_) -> specification(C, Passage) end)}.

specification(C, Passage) ->
    Flags = #{
        strategy => strategy(C),
        intensity => ask(C, maxRestarts),
        period => ask(C, restartWindow)
    },
    case bte_registry:inherits(C, 'bt@stdlib@dynamic_supervisor') of
        true ->
            {Flags#{strategy := simple_one_for_one}, [child(C, ask(C, childClass), [])]};
        false ->
            {Flags, [child(C, Child, [#{}, Passage]) || Child <- listed(C, ask(C, children))]}
    end.

ask(C, Selector) ->
    bte_send:send(Selector, bte_registry:generation(), {'$class', C}).

listed(_, {'$array', Elements}) -> tuple_to_list(Elements);
listed(_, List) when is_list(List) -> List;
listed(C, Other) -> wrong(C, children, Other, <<"a List of classes">>).

strategy(C) ->
    case ask(C, strategy) of
        oneForOne -> one_for_one;
        oneForAll -> one_for_all;
        restForOne -> rest_for_one;
        Other -> wrong(C, strategy, Other, <<"#oneForOne, #oneForAll or #restForOne">>)
    end.

child(C, {'$class', Child}, Args) ->
    case {bte_registry:inherits(Child, 'bt@stdlib@supervisor'), bte_meta:info(Child)} of
        {true, _} ->
            #{
                id => Child, start => {?MODULE, start_link, [Child | Args]},
                restart => policy(Child), type => supervisor, shutdown => infinity
            };
        {false, #{kind := actor}} ->
            #{
                id => Child, start => {bte_actor, start_supervised, [Child | Args]},
                restart => policy(Child), shutdown => 5000
            };
        {false, _} ->
            wrong(C, children, {'$class', Child}, <<"actor classes and supervisors">>)
    end;
child(C, Other, _) ->
    wrong(C, children, Other, <<"actor classes and supervisors">>).

policy(C) ->
    case ask(C, supervisionPolicy) of
        Policy when Policy =:= permanent; Policy =:= transient; Policy =:= temporary -> Policy;
        Other -> wrong(C, supervisionPolicy, Other, <<"#permanent, #transient or #temporary">>)
    end.

-spec wrong(term(), term(), term(), term()) -> no_return().
wrong(C, Selector, Value, Expected) ->
    bte_error:raise(type_error, #{
        class => C,
        selector => Selector,
        message => iolist_to_binary([
            bte_registry:name_of(C), <<" class>>">>, atom_to_binary(Selector), <<" must answer ">>,
            Expected
        ]),
        details => Value
    }).
