%%% @doc A host for tests: units and "loaded code" in a table, and failures on request
%%% (`btr_faults'). `loaded/0' says which version of each module runs; a module exists for each unit
%%% with code that differs. Using a staged set after it was switched is recorded as a violation, as
%%% it would end a real node.
-module(btr_host_fake).
-behaviour(btr_host).

-export([start/1, stop/0, hold/2, release/1, put_unit/2]).
-export([loaded/0, violations/0, snapshot/0]).
-import(btr_faults, [around/2]).
-export([generation/0, index/0, units/0, unit/1, compile/2, modules/1, old_code/1, stage/2,
    switch/1]).
-export([switched/1, publish/1, unstage/1, purge/1, rebase/1, drains/0]).

-define(T, ?MODULE).

%% Starts with units from `#{File => Text}', all of the project and on disk as they are.
start(Texts) ->
    ok = btr_faults:start(),
    ok = btr_keeper:start(?T),
    true = ets:insert(?T, {gen, 0}),
    maps:foreach(fun(File, Text) -> put_unit(File, Text) end, Texts).

stop() ->
    ok = btr_keeper:stop(?T),
    btr_faults:stop().

put_unit(File, Text) ->
    Digest = btr_change:digest(Text),
    ets:insert(?T, {
        {unit, File},
        #{text => Text, digest => Digest, package => <<"toy">>, origin => project,
            base_digest => Digest}
    }),
    ets:insert(?T, {{loaded, module(File)}, Digest}).

%% A process that runs old code of a module until it is released.
hold(Module, Pid) -> ets:insert(?T, {{old, Module}, Pid}).
release(Module) -> ets:delete(?T, {old, Module}).

loaded() -> maps:from_list([{M, V} || [M, V] <- ets:match(?T, {{loaded, '$1'}, '$2'})]).
violations() -> [V || [V] <- ets:match(?T, {{violation, '_'}, '$1'})].

%% Everything a refusal must leave as it was.
snapshot() ->
    #{generation => gen(), units => raw_units(), loaded => loaded(),
        staged => ets:lookup(?T, staged)}.

gen() -> ets:lookup_element(?T, gen, 2).
raw_units() -> maps:from_list([{F, U} || [F, U] <- ets:match(?T, {{unit, '$1'}, '$2'})]).

module(File) -> binary_to_atom(<<"toy:", File/binary>>).

generation() -> around(generation, fun gen/0).
index() -> raw_units().
units() -> raw_units().

unit(File) ->
    case ets:lookup(?T, {unit, File}) of
        [{_, Unit}] -> {ok, Unit};
        [] -> error
    end.

compile(#{units := Units} = Change, Progress) ->
    around(compile, fun() ->
        Progress(#{done => 0, total => length(Units)}),
        case [F || #{file := F, text := T} <- Units, is_binary(T),
            binary:match(T, <<"%%ERROR">>) =/= nomatch] of
            [] ->
                Modules = [module(F) || #{file := F, names_only := false} <- Units],
                {ok, #{id => make_ref(), change => Change, modules => Modules}};
            Bad ->
                Errors = [#{file => F, line => 1, col => 1, message => <<"does not compile">>}
                    || F <- Bad],
                {error, btr_error:new(<<"compile.failed">>, <<"compile failed">>,
                    #{errors => Errors})}
        end
    end).

modules(#{modules := Modules}) -> Modules.

old_code(Modules) ->
    around(old_code, fun() ->
        [{M, [{Pid, <<"a method">>} || is_pid(Pid)]}
         || M <- Modules, {_, Pid} <- ets:lookup(?T, {old, M})]
    end).

stage(Prepared, Gen) ->
    around(stage, fun() ->
        ets:lookup(?T, staged) =:= [] orelse violation(staged_twice),
        Gen =:= gen() + 1 orelse violation({staged_for, Gen, gen()}),
        Staged = Prepared#{generation => Gen},
        ets:insert(?T, {staged, Staged}),
        {ok, Staged}
    end).

switch(#{id := Id, modules := Modules} = Staged) ->
    around(switch, fun() ->
        ets:member(?T, {used, Id}) andalso violation({used_twice, Id}),
        case [M || M <- Modules, ets:member(?T, {old, M})] of
            [] ->
                %% One insertion, as code is loaded in one step: a coordinator that dies meanwhile,
                %% by the purge of the transaction before, leaves all of it or nothing.
                ets:insert(?T, [{{used, Id}, true} | versions(Staged)]),
                ok;
            Held ->
                {error, {not_purged, Held}}
        end
    end).

versions(#{change := #{units := Units}}) ->
    [{{loaded, module(F)}, digest(T)} || #{file := F, text := T, names_only := false} <- Units].

digest(deleted) -> deleted;
digest(Text) -> btr_change:digest(Text).

switched(#{modules := []}) ->
    false;
switched(#{id := Id}) ->
    ets:member(?T, {used, Id}).

publish(#{generation := Gen, change := #{units := Units}}) ->
    around(publish, fun() ->
        %% One insertion, so that a planner beside it sees all texts or none.
        ets:insert(?T, [{gen, Gen} | [published(U) || #{text := T} = U <- Units, T =/= deleted]]),
        [ets:delete(?T, {unit, File}) || #{file := File, text := deleted} <- Units],
        ets:delete(?T, staged),
        ok
    end).

published(#{file := File, text := Text, package := Package, origin := Origin} = Unit) ->
    Base = case unit(File) of
        {ok, #{base_digest := B}} -> B;
        error -> maps:get(base_digest, Unit, absent)
    end,
    {
        {unit, File},
        #{
            text => Text, digest => digest(Text), package => Package, origin => Origin,
            base_digest => Base
        }
    }.

unstage(_Staged) ->
    around(unstage, fun() -> ets:delete(?T, staged), ok end).

purge(_Modules) ->
    around(purge, fun() -> ok end).

rebase(Written) ->
    around(rebase, fun() ->
        Units = [{W, Unit} || #{file := File} = W <- Written, {ok, Unit} <- [unit(File)]],
        [ets:delete(?T, {unit, File}) || {#{file := File}, _} <- Units],
        [
            ets:insert(?T, {{unit, rebased_name(W)}, Unit#{base_digest => Digest}})
         || {#{digest := Digest} = W, Unit} <- Units
        ],
        ok
    end).

rebased_name(#{file := File, new_file := nil}) -> File;
rebased_name(#{new_file := New}) -> New.

violation(What) ->
    ets:insert(?T, {{violation, erlang:unique_integer([monotonic])}, What}).

drains() -> [].
