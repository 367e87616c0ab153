%% @doc The supervisor of all actors: temporary children, so a crash is isolated.
-module(bte_actor_sup).
-behaviour(supervisor).

-export([start_link/0, init/1]).

%% @doc Starts the supervisor.
-spec start_link() -> {ok, pid()} | ignore | {error, term()}.
start_link() ->
    supervisor:start_link({local, ?MODULE}, ?MODULE, []).

%% @private
-spec init([]) -> {ok, {supervisor:sup_flags(), [supervisor:child_spec()]}}.
init([]) ->
    Child = #{
        id => actor, start => {bte_actor, start_link, []}, restart => temporary, shutdown => 5000
    },
    {ok, {#{strategy => simple_one_for_one}, [Child]}}.
