%%% @doc Failures on request, for the doubles of a host.
%%%
%%% `inject/3' arms one: at the next call of a callback, before or after its own work, it returns
%%% something else, raises, kills the coordinator, or calls a fun. A double passes each of its
%%% callbacks through `around/2'.
-module(btr_faults).

-export([start/0, stop/0, inject/3, clear/0, around/2, calls/0, forget_calls/0]).

-define(T, ?MODULE).

start() -> btr_keeper:start(?T).

stop() -> btr_keeper:stop(?T).

inject(Callback, When, Action) ->
    ets:insert(?T, {{inject, Callback, erlang:unique_integer([monotonic])}, When, Action}).

clear() ->
    ets:match_delete(?T, {{inject, '_', '_'}, '_', '_'}).

%% What was called, in order.
calls() -> [C || [C] <- ets:match(?T, {{call, '_'}, '$1'})].
forget_calls() -> ets:match_delete(?T, {{call, '_'}, '_'}).

around(Callback, Work) ->
    ets:insert(?T, {{call, erlang:unique_integer([monotonic])}, Callback}),
    case ets:match_object(?T, {{inject, Callback, '_'}, '_', '_'}) of
        [] ->
            Work();
        [{Key, When, Action} | _] ->
            %% Several may ask at once; one takes it.
            case {ets:take(?T, Key), When} of
                {[], _} -> Work();
                {[_], 'before'} -> act(Action, Work);
                {[_], 'after'} ->
                    Result = Work(),
                    act(Action, fun() -> Result end)
            end
    end.

act({return, Value}, _Work) ->
    Value;
act(raise, _Work) ->
    error(injected);
act(hang, _Work) ->
    receive after infinity -> ok end;
act({call, Fun}, Work) ->
    Fun(),
    Work();
act(kill, _Work) ->
    exit(whereis(btr_coordinator), kill),
    receive after infinity -> ok end.
