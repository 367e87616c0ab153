%% @doc A map over a list by as many workers as there are schedulers, and one more, since now and
%% then one waits for a file. The order of the results is that of the list; a failing element fails
%% the whole in the caller. What the function holds is copied once for each worker, not for each
%% element.
-module(bte_parallel).

-export([map/2, map/3]).

%% @doc Maps in parallel.
-spec map(fun((A) -> B), [A]) -> [B].
map(Fun, List) ->
    map(Fun, List, fun(_) -> ok end).

%% @doc Maps in parallel; after each element a function hears, in the caller, how many are done.
-spec map(fun((A) -> B), [A], fun((pos_integer()) -> ok)) -> [B].
map(Fun, [X], Told) ->
    Value = Fun(X),
    ok = Told(1),
    [Value];
map(Fun, List, Told) ->
    Jobs = lists:zip(lists:seq(1, length(List)), List),
    Count = min(length(List), erlang:system_info(schedulers_online) + 1),
    Tag = make_ref(),
    Workers = maps:from_list([start(Fun, Tag) || _ <- lists:seq(1, Count)]),
    Later = lists:foldl(fun give/2, Jobs, maps:keys(Workers)),
    Done = collect({Tag, Told}, Later, Workers, {length(List), #{}}),
    [map_get(N, Done) || {N, _} <- Jobs].

start(Fun, Tag) ->
    Caller = self(),
    spawn_monitor(fun() -> work(Fun, {Caller, erlang:monitor(process, Caller), Tag}) end).

work(Fun, {Caller, Ref, Tag} = Home) ->
    receive
        {job, N, X} ->
            Caller ! {Tag, self(), N, bte_apart:outcome(fun() -> Fun(X) end)},
            work(Fun, Home);
        {'DOWN', Ref, process, _, _} ->
            ok
    end.

give(_, []) ->
    [];
give(Worker, [{N, X} | Jobs]) ->
    Worker ! {job, N, X},
    Jobs.

collect(_, _, Workers, {0, Done}) ->
    stop(Workers),
    Done;
collect({Tag, Told} = Home, Jobs, Workers, {Open, Done}) ->
    receive
        {Tag, Worker, N, {ok, Value}} ->
            ok = Told(map_size(Done) + 1),
            collect(Home, give(Worker, Jobs), Workers, {Open - 1, Done#{N => Value}});
        {Tag, _, _, {raise, Class, Reason, Stack}} ->
            stop(Workers),
            erlang:raise(Class, Reason, Stack);
        {'DOWN', _, process, Worker, Reason} when is_map_key(Worker, Workers) ->
            stop(Workers),
            erlang:exit(Reason)
    end.

stop(Workers) ->
    maps:foreach(
        fun(Worker, Ref) ->
            true = erlang:demonitor(Ref, [flush]),
            true = exit(Worker, kill)
        end,
        Workers
    ).
