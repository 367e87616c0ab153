%%% @doc The application: starts the supervisor. A workspace is started by `bt_refactor:start/1'.
-module(btr_app).
-behaviour(application).

-export([start/2, stop/1]).

%% @private
-spec start(application:start_type(), term()) -> supervisor:startlink_ret().
start(_Type, _Args) ->
    btr_sup:start_link().

%% @private
-spec stop(term()) -> ok.
stop(_State) ->
    ok.
