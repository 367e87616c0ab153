%% @doc The application's start and stop.
-module(bt_embedded_app).
-behaviour(application).

-export([start/2, stop/1]).

%% @private
-spec start(application:start_type(), term()) -> {ok, pid()} | {error, term()}.
start(_Type, _Args) ->
    ok = bte_log:install(),
    case bt_embedded_sup:start_link() of
        {ok, Pid} -> {ok, Pid};
        Other -> {error, Other}
    end.

%% @private
-spec stop(term()) -> ok.
stop(_State) ->
    ok.
