%% @doc The plainest Erlang beside what the workspace does: a loop with an empty call, a server.
-module(bench_ref).
-behaviour(gen_server).

-export([loop/1, nothing/0, start/0, ask/1, stop/1]).
-export([init/1, handle_call/3, handle_cast/2]).

%% @doc Calls an empty function, fully qualified, so many times.
-spec loop(non_neg_integer()) -> ok.
loop(0) ->
    ok;
loop(N) ->
    _ = ?MODULE:nothing(),
    loop(N - 1).

%% @doc Does nothing.
-spec nothing() -> nil.
nothing() -> nil.

%% @doc Starts a server that answers at once.
-spec start() -> pid().
start() ->
    {ok, Pid} = gen_server:start(?MODULE, [], []),
    Pid.

%% @doc Asks it.
-spec ask(pid()) -> nil.
ask(Pid) -> gen_server:call(Pid, ask).

%% @doc Stops it.
-spec stop(pid()) -> ok.
stop(Pid) -> gen_server:stop(Pid).

init([]) -> {ok, []}.

handle_call(ask, _, State) -> {reply, nil, State}.

handle_cast(_, State) -> {noreply, State}.
