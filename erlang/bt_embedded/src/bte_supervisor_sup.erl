%% @doc The supervisor of the supervisors that Beamtalk programs start.
-module(bte_supervisor_sup).
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
        id => supervisor,
        start => {bte_supervisor, start_link, []},
        restart => temporary,
        type => supervisor,
        shutdown => infinity
    },
    {ok, {#{strategy => simple_one_for_one}, [Child]}}.
