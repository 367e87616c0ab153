%% @doc The supervisor of the class servers. A server that dies comes back and finds its class
%% state in the table.
-module(bte_class_sup).
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
        id => class, start => {bte_class, start_link, []}, restart => transient, shutdown => 5000
    },
    {ok, {#{strategy => simple_one_for_one, intensity => 100, period => 10}, [Child]}}.
