%%% @doc Waiting with an end: for a condition, looking again every few milliseconds, or, by the
%%% macro `?AWAIT' of btr_wait.hrl, for a message. What does not come fails the case with what was
%%% awaited and what was seen instead; a suite's time limit would tell neither.
-module(btr_wait).

-export([until/1, for/2, end_of/1, limit/0, missing/1]).

%% Nothing that a case waits for takes a tenth of it, on a busy machine either.
-define(LIMIT, 20000).

%% Waits until a condition holds.
until(Fun) -> for(true, Fun).

%% Waits until a function answers a value.
for(Wanted, Fun) -> for(Wanted, Fun, erlang:monotonic_time(millisecond) + limit()).

for(Wanted, Fun, Deadline) ->
    case {Fun(), erlang:monotonic_time(millisecond) < Deadline} of
        {Wanted, _} -> ok;
        {_, true} ->
            _ = erlang:send_after(10, self(), again),
            receive again -> for(Wanted, Fun, Deadline) end;
        {Seen, false} ->
            error({waited_in_vain, #{awaited => Wanted, seen => Seen, asked => Fun}})
    end.

%% Waits for the end of a process; answers its reason.
end_of(Monitor) ->
    receive
        {'DOWN', Monitor, process, _, Reason} -> Reason
    after limit() -> missing({'DOWN', Monitor})
    end.

limit() -> ?LIMIT.

%% Fails for want of a message.
missing(Awaited) ->
    {messages, Seen} = process_info(self(), messages),
    error({waited_in_vain, #{awaited => Awaited, seen => Seen}}).
