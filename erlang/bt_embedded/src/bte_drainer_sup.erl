%% @doc The supervisor of the processes that close drain rows: they end before the tables do, and
%% one that crashes begins anew.
-module(bte_drainer_sup).
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
        id => drainer, start => {bte_drainer, start_link, []}, restart => transient,
        shutdown => brutal_kill
    },
    {ok, {#{strategy => simple_one_for_one, intensity => 10, period => 10}, [Child]}}.
