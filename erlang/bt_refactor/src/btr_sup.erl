%%% @doc Supervises the coordinator and owns the tables, which outlive it.
-module(btr_sup).
-behaviour(supervisor).

-export([start_link/0, start_workspace/1, stop_workspace/0]).
-export([init/1]).

%% @doc Starts the supervisor, without a workspace.
-spec start_link() -> supervisor:startlink_ret().
start_link() ->
    supervisor:start_link({local, ?MODULE}, ?MODULE, []).

%% @doc Starts the coordinator.
-spec start_workspace(btr_coordinator:config()) -> supervisor:startchild_ret().
start_workspace(Config) ->
    supervisor:start_child(?MODULE, #{
        id => btr_coordinator,
        start => {btr_coordinator, start_link, [Config]},
        shutdown => 5000
    }).

%% @doc Stops the coordinator and forgets its log in memory.
-spec stop_workspace() -> ok.
stop_workspace() ->
    _ = supervisor:terminate_child(?MODULE, btr_coordinator),
    _ = supervisor:delete_child(?MODULE, btr_coordinator),
    ok = btr_changelog:close(),
    true = ets:delete_all_objects(btr_state),
    ok.

%% @private
-spec init([]) -> {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init([]) ->
    ok = btr_changelog:tables(),
    Intensity = application:get_env(bt_refactor, restart_intensity, 20),
    {ok, {#{strategy => one_for_one, intensity => Intensity, period => 10}, []}}.
