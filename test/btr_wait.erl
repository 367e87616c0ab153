%%% @doc Waiting for a condition, looking again every few milliseconds.
-module(btr_wait).

-export([until/1]).

until(Fun) ->
    case Fun() of
        true -> ok;
        false ->
            _ = erlang:send_after(10, self(), again),
            receive again -> until(Fun) end
    end.
