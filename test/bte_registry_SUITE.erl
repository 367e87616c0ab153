%% Versioned rows: a reader sees the newest row not above its generation.
-module(bte_registry_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    staged_row_is_seen_when_the_generation_moves/1, unstaged_row_was_never_there/1,
    deleted_row_is_not_found/1, pruning_keeps_the_previous_row/1, keys_are_those_of_a_generation/1,
    name_is_looked_up_in_the_package_first/1, former_names_read_well/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    {ok, _} = application:ensure_all_started(bt_embedded),
    Config.

end_per_testcase(_, _) ->
    application:stop(bt_embedded).

staged_row_is_seen_when_the_generation_moves(_) ->
    ok = bte_registry:stage([{unit, <<"a">>, old}], 0),
    ok = bte_registry:stage([{unit, <<"a">>, new}], 1),
    ?assertEqual({ok, old}, bte_registry:read(unit, <<"a">>)),
    ok = bte_registry:set_generation(1),
    ?assertEqual({ok, new}, bte_registry:read(unit, <<"a">>)),
    ?assertEqual({ok, old}, bte_registry:read(unit, <<"a">>, 0)).

unstaged_row_was_never_there(_) ->
    ok = bte_registry:stage([{unit, <<"a">>, new}], 1),
    ok = bte_registry:unstage([{unit, <<"a">>}], 1),
    ok = bte_registry:set_generation(1),
    ?assertEqual(error, bte_registry:read(unit, <<"a">>)).

deleted_row_is_not_found(_) ->
    ok = bte_registry:stage([{unit, <<"a">>, old}], 0),
    ok = bte_registry:stage([{unit, <<"a">>, deleted}], 1),
    ok = bte_registry:set_generation(1),
    ?assertEqual(error, bte_registry:read(unit, <<"a">>)),
    ?assertEqual([], bte_registry:keys(unit)).

pruning_keeps_the_previous_row(_) ->
    [ok = bte_registry:stage([{unit, <<"a">>, N}], N) || N <- lists:seq(0, 5)],
    ok = bte_registry:set_generation(5),
    ok = bte_registry:prune([{unit, <<"a">>}], 5),
    ?assertEqual({ok, 5}, bte_registry:read(unit, <<"a">>)),
    ?assertEqual({ok, 4}, bte_registry:read(unit, <<"a">>, 4)),
    ?assertEqual(error, bte_registry:read(unit, <<"a">>, 3)).

keys_are_those_of_a_generation(_) ->
    ok = bte_registry:stage([{unit, <<"a">>, 1}, {unit, <<"b">>, 1}], 0),
    ok = bte_registry:stage([{unit, <<"a">>, deleted}, {unit, <<"c">>, 1}], 1),
    ?assertEqual([<<"a">>, <<"b">>], bte_registry:keys(unit)),
    ?assertEqual([<<"b">>, <<"c">>], bte_registry:keys(unit, 1)).

name_is_looked_up_in_the_package_first(_) ->
    Bearers = [{class, <<"p">>, p}, {class, <<"q">>, q}, {protocol, <<"r">>, <<"r.bt">>}],
    ok = bte_registry:stage([{name, <<"A">>, Bearers}], 0),
    ?assertEqual({ok, q}, bte_registry:lookup(<<"A">>, <<"q">>)),
    ?assertEqual({ok, p}, bte_registry:lookup(<<"A">>, <<"other">>)),
    ?assertEqual({ok, q}, bte_registry:lookup(<<"q@A">>, <<"p">>)),
    ?assertEqual(error, bte_registry:lookup(<<"r@A">>, <<"p">>)),
    ?assertEqual(error, bte_registry:lookup(<<"B">>, <<"p">>)).

former_names_read_well(_) ->
    ?assertEqual(<<"RuntimeError">>, bte_registry:name_of('bt@stdlib@runtime_error')),
    ?assertEqual(<<"lists">>, bte_registry:name_of(lists)).
