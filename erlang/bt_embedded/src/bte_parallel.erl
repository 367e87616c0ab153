%% @doc A map over a list by as many workers as there are schedulers. The order of the results is
%% that of the list; a failing element fails the whole in the caller.
-module(bte_parallel).

-export([map/2]).

%% @doc Maps in parallel.
-spec map(fun((A) -> B), [A]) -> [B].
map(Fun, List) when length(List) < 2 ->
    [Fun(X) || X <- List];
map(Fun, List) ->
    Jobs = lists:zip(lists:seq(1, length(List)), List),
    Workers = min(length(List), erlang:system_info(schedulers_online)),
    {Now, Later} = lists:split(Workers, Jobs),
    Running = lists:foldl(fun(Job, Acc) -> start(Fun, Job, Acc) end, #{}, Now),
    Done = collect(Fun, Later, Running, #{}),
    [maps:get(N, Done) || {N, _} <- Jobs].

start(Fun, {N, X}, Running) ->
    {_, Ref} = spawn_monitor(fun() -> exit({done, attempt(Fun, X)}) end),
    Running#{Ref => N}.

attempt(Fun, X) ->
    try
        {ok, Fun(X)}
    catch
        Class:Reason:Stack -> {raise, Class, Reason, Stack}
    end.

collect(_, [], Running, Done) when map_size(Running) =:= 0 ->
    Done;
collect(Fun, Later, Running, Done) ->
    receive
        {'DOWN', Ref, process, _, Outcome} when is_map_key(Ref, Running) ->
            N = map_get(Ref, Running),
            Left = maps:remove(Ref, Running),
            case Outcome of
                {done, {ok, Value}} ->
                    {Next, Still} = next(Fun, Later, Left),
                    collect(Fun, Still, Next, Done#{N => Value});
                {done, {raise, Class, Reason, Stack}} ->
                    drop(Left),
                    erlang:raise(Class, Reason, Stack);
                Reason ->
                    drop(Left),
                    erlang:exit(Reason)
            end
    end.

next(_, [], Running) -> {Running, []};
next(Fun, [Job | Later], Running) -> {start(Fun, Job, Running), Later}.

drop(Running) ->
    lists:foreach(fun(Ref) -> erlang:demonitor(Ref, [flush]) end, maps:keys(Running)).
