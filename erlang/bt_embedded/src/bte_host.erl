%% @doc The embedded workspace as a host of the refactoring engine: the door through which a
%% transaction compiles, stages, switches and publishes. Only the coordinator calls what changes
%% something, one transaction at a time. Tested by `bte_host_SUITE'.
-module(bte_host).
-behaviour(btr_host).

-include_lib("kernel/include/logger.hrl").

-export([create/0]).
-export([generation/0, index/0, units/0, unit/1, compile/2, compile/3, loadable/1,
    modules/1, old_code/1]).
-export([stage/2, switch/1, switched/1, publish/1, unstage/1, purge/1, rebase/1, drains/0]).

-define(INDEX, {?MODULE, index}).

%% @doc Makes the index.
-spec create() -> ok.
create() ->
    persistent_term:put(?INDEX, btr_nif:index_new()).

%% @doc Answers the current generation.
-spec generation() -> btr_host:generation().
generation() ->
    bte_registry:generation().

%% @doc Answers the index whose snapshots move with the generation.
-spec index() -> term().
index() ->
    persistent_term:get(?INDEX).

%% @doc Answers all memory texts.
-spec units() -> #{btr_host:file() => btr_host:unit()}.
units() ->
    maps:from_list([{F, U} || F <- bte_registry:keys(unit), {ok, U} <- [unit(F)]]).

%% @doc Answers one memory text.
-spec unit(btr_host:file()) -> {ok, btr_host:unit()} | error.
unit(File) ->
    case bte_registry:read(unit, File) of
        {ok, Row} ->
            Unit = maps:with([text, digest, package, origin, base_digest, born], Row),
            {ok, Unit#{patched => bte_patches:methods(Row)}};
        error ->
            error
    end.

%% @doc Generates and compiles what a change affects, and prepares its loading; changes nothing.
-spec compile(btr_host:change(), fun((map()) -> ok)) -> {ok, map()} | {error, btr_error:error()}.
compile(Change, Progress) ->
    compile(Change, generation() + 1, Progress).

%% @doc The same for code of a given generation.
-spec compile(btr_host:change(), btr_host:generation(), fun((map()) -> ok)) ->
    {ok, map()} | {error, btr_error:error()}.
compile(Change, Gen, Progress) ->
    case bte_compiler:prepare(Change, Gen, bte_progress:beside(Progress)) of
        {ok, Prepared} -> loadable(Prepared);
        {error, _} = Error -> Error
    end.

%% @doc Prepares the loading of what was compiled, and beside it the index, long before they are
%% staged: together they take longer than all the rest of a switch.
-spec loadable(bte_compiler:prepared()) -> {ok, map()} | {error, btr_error:error()}.
loadable(#{modules := Modules, index := Changes} = Prepared) ->
    Index = index(),
    Makers = [
        fun() -> prepare_loading(Modules) end,
        fun() -> btr_nif:index_next(Index, Changes) end
    ],
    case bte_parallel:map(fun(Make) -> Make() end, Makers) of
        [{ok, Handle}, {ok, Next}] ->
            {ok, Prepared#{handle => Handle, index := Next}};
        [{ok, _}, {error, _} = Error] ->
            Error;
        [{error, Reasons}, _] ->
            {error, btr_error:new(<<"load.failed">>, io_lib:format("~0tp", [Reasons]))}
    end.

prepare_loading([]) -> {ok, none};
prepare_loading(Modules) -> code:prepare_loading(Modules).

%% @doc Answers what would be loaded.
-spec modules(map()) -> [module()].
modules(#{modules := Modules}) ->
    [M || {M, _, _} <- Modules].

%% @doc Answers the modules that have old code which some process still runs. Old code that nobody
%% runs is purged on the way.
-spec old_code([module()]) -> [{module(), [{pid(), binary()}]}].
old_code(Modules) ->
    Old = [M || M <- Modules, erlang:check_old_code(M), not code:soft_purge(M)],
    [{M, [{P, what(P)} || P <- processes(), erlang:check_process_code(P, M)]} || M <- Old].

what(Pid) ->
    Running =
        case erlang:process_info(Pid, current_function) of
            {current_function, {M, F, A}} -> io_lib:format("in ~ts:~ts/~b", [M, F, A]);
            undefined -> "gone"
        end,
    unicode:characters_to_binary([bte_actor:describe(Pid), Running]).

%% @doc Puts everything in place under the next generation, invisibly. What is answered holds what
%% the rest of the way needs and no more: it is copied to the intent row.
-spec stage(map(), btr_host:generation()) -> {ok, map()} | {error, btr_error:error()}.
stage(#{rows := Rows, index := Next, drains := Drains} = Prepared, Gen) ->
    ok = bte_registry:stage(Rows, Gen),
    lists:foreach(fun(#{row := Row} = D) -> bte_drain:open(Row, D) end, Drains),
    case btr_nif:index_stage(index(), Gen, Next) of
        ok ->
            Staged = maps:with([handle, modules, removed, drains], Prepared),
            {ok, Staged#{generation => Gen, keys => keys(Rows)}};
        {error, Error} ->
            ok = bte_registry:unstage(keys(Rows), Gen),
            withdraw(Drains),
            {error, Error}
    end.

keys(Rows) ->
    [{Kind, Key} || {Kind, Key, _} <- Rows].

withdraw(Drains) ->
    lists:foreach(fun(#{row := Row}) -> bte_drain:withdraw(Row) end, Drains).

%% @doc Loads the staged code: the point of no return. A set is loaded once.
-spec switch(map()) -> ok | {error, {not_purged, [module()]} | btr_error:error()}.
switch(#{handle := none}) ->
    ok;
switch(#{handle := Handle}) ->
    case code:finish_loading(Handle) of
        ok ->
            ok;
        {error, Reasons} ->
            case [M || {M, not_purged} <- Reasons] of
                [] -> {error, btr_error:new(<<"load.failed">>, io_lib:format("~0tp", [Reasons]))};
                Modules -> {error, {not_purged, Modules}}
            end
    end.

%% @doc Tells whether a staged set has been loaded.
-spec switched(map()) -> boolean().
switched(#{modules := []}) ->
    false;
switched(#{modules := Modules}) ->
    lists:all(fun({M, _, Beam}) -> is_loaded(M, code:module_md5(Beam)) end, Modules).

is_loaded(Module, Md5) ->
    try
        Module:module_info(md5) =:= Md5
    catch
        error:undef -> false
    end.

%% @doc Moves the generation and the index. Everything after the counter is best effort.
-spec publish(map()) -> ok.
publish(#{generation := Gen, modules := Modules, removed := Removed, keys := Keys} = Staged) ->
    ok = bte_registry:set_generation(Gen),
    _ = btr_nif:index_publish(index(), Gen),
    attempt(fun() -> lists:foreach(fun({M, _, _}) -> bte_class:refresh(M) end, Modules) end),
    attempt(fun() -> lists:foreach(fun bury/1, Removed) end),
    attempt(fun() -> bte_drainer:start(maps:get(drains, Staged), modules(Staged)) end),
    attempt(fun() -> bte_registry:prune(Keys, Gen) end).

bury(Identity) ->
    lists:foreach(fun bte_actor:kill/1, bte_actor:instances(Identity)),
    bte_class:stop(Identity).

attempt(Fun) ->
    try
        ok = Fun()
    catch
        Class:Reason:Stack ->
            ?LOG_ERROR("after a switch: ~0tp:~0tp ~0tp", [Class, Reason, Stack],
                #{domain => [bte, host]}),
            ok
    end.

%% @doc Forgets what was staged; harmless when called twice.
-spec unstage(map() | any) -> ok.
unstage(any) ->
    Gen = bte_registry:generation(),
    withdraw([D || {_, _, #{generation := G} = D} <- bte_drain:list(), G > Gen]),
    _ = btr_nif:index_drop(index()),
    bte_registry:unstage_above(Gen);
unstage(#{generation := Gen, keys := Keys, drains := Drains}) ->
    case bte_registry:generation() < Gen of
        true ->
            withdraw(Drains),
            _ = btr_nif:index_drop(index()),
            bte_registry:unstage(Keys, Gen);
        false ->
            ok
    end.

%% @doc Purges old code as far as nobody runs it. The coordinator calls it in a process of its own.
-spec purge([module()]) -> ok.
purge(Modules) ->
    lists:foreach(fun code:soft_purge/1, [M || M <- Modules, erlang:check_old_code(M)]).

%% @doc Takes over what a flush wrote: new base digests and file names.
-spec rebase([bte_rebase:written()]) -> ok.
rebase(Written) ->
    bte_rebase:files(Written).

%% @doc Lists the renamed methods that are still served under their old selector, and why.
-spec drains() -> [
    #{
        class := binary(), side := instance | class, old := binary(), new := binary(),
        generation := btr_host:generation(), served := non_neg_integer(), because := binary()
    }
].
drains() ->
    Gen = generation(),
    [
        #{
            class => bte_registry:name_of(Identity), side => Side, old => Old, new => New,
            generation => Opened, served => Served, because => because(Identity)
        }
     || {Row, Served, #{identity := Identity, generation := Opened}} <- bte_drain:list(),
        Opened =< Gen,
        #{row := R, side := Side, old := Old, new := New} <- drains_of(Identity),
        R =:= Row
    ].

%% What the class's code serves: a method renamed once more is served under its newest name.
drains_of(Identity) ->
    case bte_registry:code(Identity) of
        {ok, #{drains := Drains}} -> Drains;
        error -> []
    end.

because(Identity) ->
    case erlang:check_old_code(Identity) of
        true -> <<"a process still runs code from before">>;
        false -> <<"an actor is still at work from before">>
    end.
