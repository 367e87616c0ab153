%%% @doc Other nodes, over their standard input and output. A call waits as long as a case may: the
%%% five seconds that `peer:call/4' grants are gone when a busy machine starts a workspace.
-module(btr_peer).

-export([start/0, call/4, gone/1]).

-define(LIMIT, 120000).

%% Starts a node that has the modules of this one.
start() ->
    Paths = [P || P <- code:get_path(), not lists:prefix(code:lib_dir(), P)],
    {ok, Peer, _} = peer:start(#{
        connection => standard_io, wait_boot => ?LIMIT,
        args => lists:append([["-pa", P] || P <- Paths])
    }),
    Peer.

call(Peer, Module, Function, Args) -> peer:call(Peer, Module, Function, Args, ?LIMIT).

%% Waits until a node is gone.
gone(Peer) -> btr_wait:end_of(monitor(process, Peer)).
