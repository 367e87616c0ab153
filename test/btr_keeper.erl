%%% @doc A named table that lives until it is stopped, whoever made it.
-module(btr_keeper).

-export([start/1, stop/1]).

start(Table) ->
    Parent = self(),
    Keeper = spawn(fun() ->
        Table = ets:new(Table, [named_table, public, ordered_set]),
        Parent ! {Table, ready},
        receive stop -> ok end
    end),
    receive {Table, ready} -> ok end,
    true = ets:insert(Table, {keeper, Keeper}),
    ok.

stop(Table) ->
    [{keeper, Keeper}] = ets:lookup(Table, keeper),
    Monitor = monitor(process, Keeper),
    Keeper ! stop,
    receive {'DOWN', Monitor, process, _, _} -> ok end.
