%% @doc Ends drain rows: a renamed method answers to its old name until every actor that was alive
%% at the rename has worked off the messages it had then, and no process runs the code from before.
%%
%% One process a change; it polls nothing but old code. What a timer of Erlang sends later needs no
%% row, nor does code typed at a prompt: its sends are translated when they come
%% (`bte_drain:current/4'). Tested by `bte_host_SUITE'
%% and `btr_drain_SUITE'.
-module(bte_drainer).

-export([start/2, start_link/2]).

-define(POLL, 100).

%% @doc Starts the process that closes the rows of a change when they have drained.
-spec start([map()], [module()]) -> ok.
start([], _) ->
    ok;
start(Drains, Modules) ->
    {ok, _} = supervisor:start_child(bte_drainer_sup, [Drains, Modules]),
    ok.

%% @private
-spec start_link([map()], [module()]) -> {ok, pid()}.
start_link(Drains, Modules) ->
    {ok, proc_lib:spawn_link(fun() -> drain(Drains, Modules) end)}.

drain(Drains, Modules) ->
    Tag = make_ref(),
    Marked = [mark(Pid, Tag) || {'$actor', _, Pid} <- bte_actor:instances()],
    passed(Tag, maps:from_list(Marked)),
    purged(Modules),
    lists:foreach(fun(#{row := Row}) -> bte_drain:close(Row) end, Drains).

mark(Pid, Tag) ->
    Ref = erlang:monitor(process, Pid),
    ok = bte_actor:mark(Pid, Tag),
    {Pid, Ref}.

passed(_, Marked) when map_size(Marked) =:= 0 ->
    ok;
passed(Tag, Marked) ->
    receive
        {Tag, Pid} -> passed(Tag, maps:remove(Pid, Marked));
        {'DOWN', _, process, Pid, _} -> passed(Tag, maps:remove(Pid, Marked))
    end.

purged(Modules) ->
    case [M || M <- Modules, erlang:check_old_code(M), not code:soft_purge(M)] of
        [] ->
            ok;
        Held ->
            _ = erlang:send_after(?POLL, self(), again),
            receive
                again -> purged(Held)
            end
    end.
