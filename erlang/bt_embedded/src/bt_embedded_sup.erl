%% @doc The top supervisor; owns the tables, so that they outlive every process below it.
-module(bt_embedded_sup).
-behaviour(supervisor).

-export([start_link/0, init/1]).

-define(SHUTDOWN, 10000).

%% @doc Starts the supervisor.
-spec start_link() -> {ok, pid()} | ignore | {error, term()}.
start_link() ->
    supervisor:start_link({local, ?MODULE}, ?MODULE, []).

%% @private
-spec init([]) -> {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init([]) ->
    ok = bte_registry:create(),
    ok = bte_drain:create(),
    ok = bte_class:create(),
    ok = bte_chain:create(),
    ok = bte_class_builder:create(),
    ok = bte_bindings:create(),
    ok = bte_prompt:create(),
    ok = bte_docs:create(),
    Supervisor = fun(Module) ->
        #{id => Module, start => {Module, start_link, []}, type => supervisor}
    end,
    %% An `initialize' that never ends holds the supervisors above it, which hear nothing meanwhile:
    %% stopping the workspace does not wait for them for ever.
    Programs = (Supervisor(bte_supervisor_sup))#{shutdown => ?SHUTDOWN},
    Children = [
        Supervisor(bte_class_sup), Supervisor(bte_actor_sup), Programs, Supervisor(bte_drainer_sup)
    ],
    {ok, {#{strategy => one_for_one}, Children}}.
