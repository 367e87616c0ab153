%%% @doc The embedded workspace as a host that fails on request (`btr_faults').
-module(btr_host_faulty).
-behaviour(btr_host).

-export([start/0, stop/0]).
-export([generation/0, index/0, units/0, unit/1, compile/2, modules/1, old_code/1, stage/2]).
-export([switch/1, switched/1, publish/1, unstage/1, purge/1, rebase/1, drains/0]).
-export([not_searchable/0]).

%% Puts it in the place of the running workspace's own host; the log is empty then.
start() ->
    ok = btr_faults:start(),
    {ok, Config} = btr_coordinator:config(),
    ok = bt_refactor:stop(),
    {ok, _} = bt_refactor:start(Config#{host := ?MODULE}),
    ok.

stop() -> btr_faults:stop().

generation() -> bte_host:generation().
index() -> bte_host:index().
units() -> bte_host:units().
unit(File) -> bte_host:unit(File).
modules(Prepared) -> bte_host:modules(Prepared).
switched(Staged) -> bte_host:switched(Staged).
rebase(Written) -> bte_host:rebase(Written).
drains() -> bte_host:drains().
not_searchable() -> bte_host:not_searchable().

compile(Change, Progress) ->
    btr_faults:around(compile, fun() -> bte_host:compile(Change, Progress) end).
old_code(Modules) ->
    btr_faults:around(old_code, fun() -> bte_host:old_code(Modules) end).
stage(Prepared, Generation) ->
    btr_faults:around(stage, fun() -> bte_host:stage(Prepared, Generation) end).
switch(Staged) ->
    btr_faults:around(switch, fun() -> bte_host:switch(Staged) end).
publish(Staged) ->
    btr_faults:around(publish, fun() -> bte_host:publish(Staged) end).
unstage(Staged) ->
    btr_faults:around(unstage, fun() -> bte_host:unstage(Staged) end).
purge(Modules) ->
    btr_faults:around(purge, fun() -> bte_host:purge(Modules) end).
