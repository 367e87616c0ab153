%% @doc Class servers: one process a class, which runs class-side methods of classes with class
%% state, one after the other.
%%
%% A call that comes back to the same class within one chain runs in place: a server that waits for
%% another one, or for an actor, goes on serving the calls of its own chain. Class state lives
%% in a table that the application owns, so a server that died comes back with it. An uncaught
%% error restores the state its message began with. Tested by `bte_class_SUITE'.
-module(bte_class).
-behaviour(gen_server).

-export([create/0, start_link/1, run/5, perform/4, server/1, stop/1, state/1, refresh/1, caller/1]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

-define(STATES, bte_class_state).
-define(SERVERS, bte_class_server).
-define(TIMEOUT, 60000).

-record(server, {
    identity :: bte_registry:identity(),
    shape = undefined :: undefined | [non_neg_integer()]
}).

%% @doc Makes the tables; their owner is the calling process.
-spec create() -> ok.
create() ->
    ?STATES = ets:new(?STATES, [named_table, public, set]),
    ?SERVERS = ets:new(?SERVERS, [named_table, public, set, {read_concurrency, true}]),
    ok.

%% @doc Starts the server of a class.
-spec start_link(bte_registry:identity()) -> {ok, pid()} | {error, term()}.
start_link(Identity) ->
    %% Runs in the supervisor, so two callers cannot both start one.
    case running(Identity) of
        {ok, Pid} -> {error, {already_started, Pid}};
        none -> gen_server:start_link(?MODULE, Identity, bte_limits:start_options())
    end.

%% @doc Runs a class-side method in the server of the receiver's class; in place when the caller
%% is in a chain that already holds that class. The generation is that of the calling code: when
%% the call's turn comes the module may be newer, and the method renamed.
-spec run(term(), module(), atom(), bte_send:generation(), [term()]) -> term().
run({_, Identity}, Module, Function, Gen, Args) ->
    Work = {?MODULE, perform, [Module, Function, Gen, Args]},
    case {erlang:get('$class_server'), bte_chain:current()} of
        {Identity, _} -> perform(Module, Function, Gen, Args);
        {_, none} -> request(Identity, bte_chain:new(), Work);
        {_, Chain} -> request(Identity, nested(Identity, Chain), Work)
    end.

%% @private
-spec perform(module(), atom(), bte_send:generation(), [term()]) -> term().
perform(Module, Function, Gen, Args) ->
    apply(Module, bte_drain:current_function(Module, Function, Gen), Args).

nested(Identity, Chain) ->
    case bte_chain:holds({class, Identity}, Chain) of
        true -> {nested, Chain};
        false -> Chain
    end.

request(Identity, Chain, Work) ->
    case bte_chain:request(server(Identity), Chain, Work, ?TIMEOUT) of
        {ok, {ok, Value}} ->
            Value;
        {ok, {raise, Class, Reason, Stack}} ->
            erlang:raise(Class, Reason, Stack);
        {down, killed} ->
            class_error(Identity, actor_dead, bte_limits:killed());
        {down, _} ->
            class_error(Identity, actor_dead, <<"the class server stopped during the call">>);
        timeout ->
            class_error(Identity, timeout, <<"the class did not answer within a minute">>)
    end.

-spec class_error(term(), term(), term()) -> no_return().
class_error(Identity, Kind, Text) ->
    bte_error:raise(Kind, #{
        class => Identity,
        message => <<(bte_registry:name_of(Identity))/binary, ": ", Text/binary>>
    }).

%% @doc Answers the server of a class, started when it is not there.
-spec server(bte_registry:identity()) -> pid().
server(Identity) ->
    case ets:lookup(?SERVERS, Identity) of
        [{_, Pid}] when is_pid(Pid) -> alive(Identity, Pid);
        [] -> start(Identity)
    end.

alive(Identity, Pid) ->
    case is_process_alive(Pid) of
        true -> Pid;
        false -> start(Identity)
    end.

start(Identity) ->
    case supervisor:start_child(bte_class_sup, [Identity]) of
        {ok, Pid} -> Pid;
        {error, {already_started, Pid}} -> Pid
    end.

%% @doc Stops the server of a class and forgets the class's state.
-spec stop(bte_registry:identity()) -> ok.
stop(Identity) ->
    case ets:lookup(?SERVERS, Identity) of
        [{_, Pid}] ->
            _ = supervisor:terminate_child(bte_class_sup, Pid),
            ok;
        [] ->
            ok
    end,
    true = ets:delete(?SERVERS, Identity),
    true = ets:delete(?STATES, Identity),
    ok.

%% @doc Answers the class state as the last finished method left it.
-spec state(bte_registry:identity()) -> map().
state(Identity) ->
    case ets:lookup(?STATES, Identity) of
        [{_, State}] -> State;
        [] -> #{}
    end.

%% @doc Tells a running server that its class was loaded anew.
-spec refresh(bte_registry:identity()) -> ok.
refresh(Identity) ->
    case ets:lookup(?SERVERS, Identity) of
        [{_, Pid}] -> gen_server:cast(Pid, refresh);
        [] -> ok
    end.

%% @doc Answers the process that a server works for now, or `none'; `error' for any other process.
-spec caller(pid()) -> {ok, pid() | none} | error.
caller(Pid) ->
    Entries = bte_dictionary:entries(Pid),
    case lists:keymember('$class_server', 1, Entries) of
        true -> {ok, proplists:get_value('$caller', Entries, none)};
        false -> error
    end.

%% @private
-spec init(bte_registry:identity()) -> {ok, #server{}}.
init(Identity) ->
    true = ets:insert(?SERVERS, {Identity, self()}),
    _ = erlang:put('$class_server', Identity),
    ok = bte_log:call_it(Identity, class),
    {ok, #server{identity = Identity}}.

running(Identity) ->
    case ets:lookup(?SERVERS, Identity) of
        [{_, Pid}] when Pid =/= self() ->
            case is_process_alive(Pid) of
                true -> {ok, Pid};
                false -> none
            end;
        _ ->
            none
    end.

%% @private
-spec handle_call(term(), gen_server:from(), #server{}) -> {reply, term(), #server{}}.
handle_call(_, _, Server) ->
    {reply, {error, unknown_request}, Server}.

%% @private
-spec handle_cast(term(), #server{}) -> {noreply, #server{}}.
handle_cast(refresh, Server) ->
    {noreply, Server#server{shape = undefined}};
handle_cast(_, Server) ->
    {noreply, Server}.

%% @private
-spec handle_info(term(), #server{}) -> {noreply, #server{}}.
handle_info({'$run', From, {nested, _}, _}, #server{identity = Identity} = Server) ->
    %% The chain it belongs to has ended: its caller gave up waiting.
    Exception = bte_error:exception(timeout, #{
        class => Identity, message => <<"the chain of this call has ended">>
    }),
    bte_chain:answer(From, {raise, error, {bt_exception, Exception}, []}),
    {noreply, Server};
handle_info({'$run', {Caller, _} = From, Chain, Work}, Server0) ->
    _ = erlang:put('$caller', Caller),
    {Outcome, Server} = serve(Chain, Work, Server0),
    _ = erlang:erase('$caller'),
    bte_chain:answer(From, Outcome),
    {noreply, Server};
handle_info(_, Server) ->
    {noreply, Server}.

serve(Chain, Work, #server{identity = Identity} = Server0) ->
    try load_state(Server0) of
        Server ->
            Member = {class, Identity},
            Outcome = bte_chain:within(Chain, Member, fun() -> bte_chain:protected(Work) end),
            bte_cell:collect([erlang:get('$state'), Outcome]),
            save_state(Identity),
            {Outcome, Server}
    catch
        Class:Reason:Stack -> {{raise, Class, Reason, Stack}, Server0}
    end.

%% Brings the state into the shape of the loaded code: kept fields keep their values, new ones get
%% their defaults, others are dropped.
load_state(#server{identity = Identity, shape = Shape} = Server) ->
    case bte_shape:of_class(Identity) of
        Shape ->
            Server;
        New ->
            _ = erlang:put('$state', #{}),
            Defaults = bte_meta:class_state(Identity),
            Kept = maps:with(maps:keys(Defaults), state(Identity)),
            _ = erlang:put('$state', maps:merge(Defaults, Kept)),
            Server#server{shape = New}
    end.

save_state(Identity) ->
    State = erlang:get('$state'),
    case ets:lookup(?STATES, Identity) of
        [{_, State}] -> ok;
        _ -> ets:insert(?STATES, {Identity, State})
    end,
    ok.
