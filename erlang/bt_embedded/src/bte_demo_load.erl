%% @doc A load for demonstrations and benchmarks: processes that send to objects without a pause.
%%
%% Each client sends, waits for the answer, counts it and goes on with the next send. Nothing is
%% sampled: `stop/1' waits for the last answers, so `lost' is exact. `make demo' tests it.
-module(bte_demo_load).

-export([start/2, figures/1, stop/1, stop/2]).
-export_type([load/0, figures/0, send/0]).

-define(STARTED, 1).
-define(ANSWERED, 2).
-define(FAILED, 3).
-define(STOP, 4).

-record(load, {
    counters :: counters:counters_ref(),
    clients :: [{pid(), reference()}]
}).

-opaque load() :: #load{}.
-type send() :: {Receiver :: term(), Selector :: atom()}.
-type figures() :: #{
    answered := non_neg_integer(),
    failed := non_neg_integer(),
    lost => integer(),
    failures => [binary()]
}.

%% @doc Starts a number of clients, each of which goes round all the sends.
-spec start(pos_integer(), [send(), ...]) -> load().
start(Clients, Sends) ->
    Counters = counters:new(4, [atomics]),
    Owner = self(),
    #load{
        counters = Counters,
        clients = [spawn_client(Counters, Owner, rotate(N, Sends)) || N <- lists:seq(1, Clients)]
    }.

%% @doc Counts what was answered and what failed so far.
-spec figures(load()) -> figures().
figures(#load{counters = Counters}) ->
    #{
        answered => counters:get(Counters, ?ANSWERED),
        failed => counters:get(Counters, ?FAILED)
    }.

%% @doc Stops all clients after the answers they wait for; adds what was lost and the failures.
-spec stop(load()) -> figures().
stop(Load) -> stop(Load, 15000).

%% @doc The same; a client that still waits after so many milliseconds has lost its message.
-spec stop(load(), Milliseconds :: non_neg_integer()) -> figures().
stop(#load{counters = Counters, clients = Clients} = Load, Milliseconds) ->
    counters:put(Counters, ?STOP, 1),
    lists:foreach(fun(Client) -> await(Client, Milliseconds) end, Clients),
    #{answered := Answered, failed := Failed} = Figures = figures(Load),
    Figures#{
        lost => counters:get(Counters, ?STARTED) - Answered - Failed,
        failures => failures()
    }.

spawn_client(Counters, Owner, Sends) ->
    spawn_monitor(fun() -> go_round(Counters, Owner, Sends, Sends) end).

go_round(Counters, Owner, [], Sends) ->
    go_round(Counters, Owner, Sends, Sends);
go_round(Counters, Owner, [{Receiver, Selector} | Rest], Sends) ->
    case counters:get(Counters, ?STOP) of
        0 ->
            _ = send(Counters, Owner, Receiver, Selector),
            go_round(Counters, Owner, Rest, Sends);
        _ ->
            ok
    end.

send(Counters, Owner, Receiver, Selector) ->
    counters:add(Counters, ?STARTED, 1),
    try bte_send:send(Selector, 0, Receiver) of
        _ -> counters:add(Counters, ?ANSWERED, 1)
    catch
        Class:Reason ->
            counters:add(Counters, ?FAILED, 1),
            Text = io_lib:format("~ts: ~0tp:~0tp", [Selector, Class, Reason]),
            Owner ! {?MODULE, failure, unicode:characters_to_binary(Text)}
    end.

await({Pid, Monitor}, Milliseconds) ->
    receive
        {'DOWN', Monitor, process, Pid, _} -> ok
    after Milliseconds ->
        true = erlang:demonitor(Monitor, [flush]),
        true = exit(Pid, kill),
        ok
    end.

failures() ->
    receive
        {?MODULE, failure, Text} -> [Text | failures()]
    after 0 -> []
    end.

rotate(N, Sends) ->
    {Front, Back} = lists:split(N rem length(Sends), Sends),
    Back ++ Front.
