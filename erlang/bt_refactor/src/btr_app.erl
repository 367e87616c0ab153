%%% @doc The application: starts the supervisor. A workspace is started by `bt_refactor:start/1'.
-module(btr_app).
-behaviour(application).

-export([start/2, stop/1]).

%% @private
-spec start(application:start_type(), term()) -> {ok, pid()} | {error, term()}.
start(_Type, _Args) ->
    case btr_sup:start_link() of
        {ok, Pid} -> {ok, Pid};
        {error, Reason} -> {error, Reason};
        ignore -> {error, ignore}
    end.

%% @private
-spec stop(term()) -> ok.
stop(_State) ->
    ok.
