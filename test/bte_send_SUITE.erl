%% Dispatch, blocks, cells, non-local return, exceptions, Erlang calls.
-module(bte_send_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    send_finds_own_and_inherited_methods/1, class_side_falls_into_class/1,
    miss_asks_for_does_not_understand/1, miss_raises_does_not_understand/1,
    send_takes_any_number_of_arguments/1, every_term_has_a_class/1, responds_to_walks_the_chain/1,
    block_is_data_and_runs/1, block_with_wrong_arity_is_an_error/1, block_is_outdated/1,
    block_becomes_a_fun_for_erlang/1, cell_belongs_to_its_process/1,
    non_local_return_reaches_its_home/1, return_without_a_home_is_an_error/1,
    erlang_functions_are_called/1, erlang_throw_and_exit_become_exceptions/1,
    handler_catches_its_class/1, handler_lets_a_return_through/1, handler_can_retry/1,
    handler_can_return_a_value/1, ensured_block_runs_always/1, erlang_errors_have_kinds/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    {ok, _} = application:ensure_all_started(bt_embedded),
    bte_classes:root(),
    bte_classes:load('bt@test@base', #{methods => [
        {instance, one, [], "1"},
        {instance, 'add:', ["A"], "A + 1"},
        {class, make, [], "#{'$class' => element(2, Self)}"}
    ]}),
    bte_classes:load('bt@test@leaf', #{super => 'bt@test@base', methods => [
        {instance, two, [], "2"}
    ], blocks => [
        {1, [], "element(1, Env)"},
        {2, ["A"], "A + element(1, Env)"},
        {3, ["A"], "bte_return:return(element(1, Env), A)"}
    ]}),
    Config.

end_per_testcase(_, _) ->
    bte_classes:unload(),
    application:stop(bt_embedded).

do_leaf() -> #{'$class' => 'bt@test@leaf'}.
do_block(Id, Arity, Env) -> {'$block', 'bt@test@leaf', Id, Arity, Env}.

do_kind(Fun) ->
    try Fun() of
        V -> {value, V}
    catch
        error:Reason:Stack -> bte_error:kind(bte_error:from_erlang(error, Reason, Stack))
    end.

send_finds_own_and_inherited_methods(_) ->
    ?assertEqual(2, bte_send:send(two, 0, do_leaf())),
    ?assertEqual(1, bte_send:send(one, 0, do_leaf())),
    ?assertEqual(5, bte_send:send('add:', 0, do_leaf(), 4)).

class_side_falls_into_class(_) ->
    bte_classes:load('bt@stdlib@class', #{methods => [{instance, isClass, [], "true"}]}),
    ?assertEqual(do_leaf(), bte_send:send(make, 0, {'$class', 'bt@test@leaf'})),
    ?assertEqual(true, bte_send:send(isClass, 0, {'$class', 'bt@test@leaf'})).

miss_asks_for_does_not_understand(_) ->
    bte_classes:load('bt@test@proxy', #{methods => [
        {instance, 'doesNotUnderstand:args:', ["S", "Args"], "{S, Args}"}
    ]}),
    Proxy = #{'$class' => 'bt@test@proxy'},
    ?assertEqual({hello, []}, bte_send:send(hello, 0, Proxy)),
    [?assertEqual({S, Args}, bte_send:send_n(S, 0, Proxy, Args)) || {S, Args} <- [
        {'+', [1]}, {'a:', [[]]}, {'a:b:', [1, 2]}, {'a:b:c:', [1, 2, 3]},
        {'a:b:c:d:', [1, 2, 3, 4]}
    ]].

miss_raises_does_not_understand(_) ->
    try bte_send:send(nope, 0, do_leaf()) of
        _ -> error(no_error)
    catch
        error:{bt_exception, #{message := Message, selector := Selector}} ->
            ?assertEqual(<<"Leaf does not understand 'nope'">>, Message),
            ?assertEqual(nope, Selector)
    end,
    ?assertEqual(does_not_understand,
        do_kind(fun() -> bte_send:send(nope, 0, {'$class', 'bt@test@leaf'}) end)).

send_takes_any_number_of_arguments(_) ->
    ?assertEqual(5, bte_send:send_n('add:', 0, do_leaf(), [4])),
    ?assertEqual(does_not_understand,
        do_kind(fun() -> bte_send:send_n('a:b:c:d:e:f:g:', 0, do_leaf(), lists:seq(1, 7)) end)),
    [?assertEqual(does_not_understand, do_kind(fun() ->
        bte_send:send_n(nope, 0, do_leaf(), lists:seq(1, N)) end)) || N <- lists:seq(0, 9)].

every_term_has_a_class(_) ->
    Pairs = [
        {1, integer}, {1.5, float}, {<<"a">>, string}, {<<1:3>>, bit_string}, {true, true},
        {false, false}, {nil, undefined_object}, {foo, symbol}, {[], list}, {[1], list},
        {{'$array', {1}}, array}, {{'$char', 65}, character}, {do_block(1, 0, {1}), block},
        {fun() -> 1 end, block}, {#{}, dictionary}, {{'$erlang', lists}, erlang_module},
        {{'$class', x}, class}, {{'$meta', x}, metaclass}, {self(), pid}, {make_ref(), reference},
        {{a, b}, tuple}
    ],
    [
        ?assertEqual(<<"bt@stdlib@", (atom_to_binary(C))/binary>>,
            atom_to_binary(bte_send:class_of(V)))
     || {V, C} <- Pairs
    ],
    ?assertEqual('bt@test@leaf', bte_send:class_of(do_leaf())),
    ?assertEqual('bt@test@leaf', bte_send:class_of({'$actor', 'bt@test@leaf', self()})).

responds_to_walks_the_chain(_) ->
    ?assert(bte_send:responds_to(do_leaf(), one)),
    ?assertNot(bte_send:responds_to(do_leaf(), make)),
    ?assert(bte_send:responds_to({'$class', 'bt@test@leaf'}, make)),
    ?assert(bte_send:responds_to({'$erlang', lists}, 'reverse:')),
    ?assertEqual({'bt@test@base', instance}, bte_send:implementor('bt@test@leaf', instance, one)).

block_is_data_and_runs(_) ->
    ?assertEqual(7, bte_send:send(value, 0, do_block(1, 0, {7}))),
    ?assertEqual(9, bte_send:send('value:', 0, do_block(2, 1, {7}), 2)),
    ?assertEqual(9, bte_block:value(do_block(2, 1, {7}), [2])),
    ?assertEqual(3, bte_send:send('value:', 0, fun(X) -> X + 1 end, 2)).

block_with_wrong_arity_is_an_error(_) ->
    ?assertEqual(arity_mismatch, do_kind(fun() -> bte_block:value(do_block(2, 1, {7}), []) end)).

block_is_outdated(_) ->
    ?assertEqual(block_outdated, do_kind(fun() -> bte_block:value(do_block(77, 0, {}), []) end)).

block_becomes_a_fun_for_erlang(_) ->
    ?assertEqual([8, 9], bte_ffi:call(lists, map, [do_block(2, 1, {7}), [1, 2]])).

cell_belongs_to_its_process(_) ->
    Cell = bte_cell:new(1),
    ?assertEqual(2, bte_cell:set(Cell, 2)),
    ?assertEqual(2, bte_cell:get(Cell)),
    Me = self(),
    spawn_link(fun() -> Me ! {kind, do_kind(fun() -> bte_cell:get(Cell) end)} end),
    ?AWAIT({kind, Kind}, ?assertEqual(block_context_lost, Kind)),
    ?assertEqual(ended, bte_cell:free([Cell], ended)),
    ?assertEqual(block_context_lost, do_kind(fun() -> bte_cell:set(Cell, 3) end)),
    Second = bte_cell:new(second),
    ?assertEqual(ended, bte_cell:free(Second, ended)),
    ?assertEqual(block_context_lost, do_kind(fun() -> bte_cell:take(Second) end)),
    Third = bte_cell:new(third),
    ?assertEqual(third, bte_cell:take(Third)),
    ?assertEqual(block_context_lost, do_kind(fun() -> bte_cell:get(Third) end)).

non_local_return_reaches_its_home(_) ->
    Ref = bte_return:enter(),
    Value =
        try
            bte_block:value(do_block(3, 1, {Ref}), [5])
        catch
            throw:{'$return', Ref, V} -> {home, V}
        after
            bte_return:leave(Ref)
        end,
    ?assertEqual({home, 5}, Value).

return_without_a_home_is_an_error(_) ->
    Ref = bte_return:enter(),
    ok = bte_return:leave(Ref),
    ?assertEqual(block_cannot_return,
        do_kind(fun() -> bte_block:value(do_block(3, 1, {Ref}), [5]) end)).

erlang_functions_are_called(_) ->
    ?assertEqual([3, 2, 1], bte_ffi:call(lists, reverse, [[1, 2, 3]])),
    ?assertEqual([3, 2, 1], bte_send:send('reverse:', 0, {'$erlang', lists}, [1, 2, 3])),
    ?assertEqual(does_not_understand, do_kind(fun() -> bte_ffi:call(lists, nope, []) end)),
    ?assertEqual(does_not_understand, do_kind(fun() -> bte_ffi:call(no_such_module_x, f, [1]) end)).

erlang_throw_and_exit_become_exceptions(_) ->
    ?assertEqual(erlang_throw, do_kind(fun() -> bte_ffi:call(erlang, throw, [x]) end)),
    ?assertEqual(erlang_exit, do_kind(fun() -> bte_ffi:call(erlang, exit, [x]) end)).

do_errors() ->
    bte_classes:load('bt@stdlib@error', #{super => 'bt@stdlib@object'}),
    bte_classes:load('bt@stdlib@runtime_error', #{super => 'bt@stdlib@error'}),
    bte_classes:load('bt@stdlib@type_error', #{super => 'bt@stdlib@error'}).

handler_catches_its_class(_) ->
    do_errors(),
    Fail = fun() -> bte_error:raise(key_error, #{message => <<"m">>}) end,
    Handler = fun(E) -> {caught, bte_error:message(E)} end,
    On = fun(C) -> bte_exception:on_do(Fail, {'$class', C}, Handler) end,
    ?assertEqual({caught, <<"m">>}, On('bt@stdlib@error')),
    ?assertEqual({caught, <<"m">>}, On('bt@stdlib@runtime_error')),
    ?assertEqual(key_error, do_kind(fun() -> On('bt@stdlib@type_error') end)),
    ?assertEqual(done, bte_exception:on_do(Fail, {'$class', 'bt@stdlib@error'}, fun() -> done end)).

handler_lets_a_return_through(_) ->
    do_errors(),
    Ref = bte_return:enter(),
    Self = self(),
    Block = fun() ->
        bte_exception:ensure(fun() -> bte_return:return(Ref, 1) end, fun() -> Self ! ensured end)
    end,
    ?assertThrow({'$return', Ref, 1},
        bte_exception:on_do(Block, {'$class', 'bt@stdlib@error'}, fun(_) -> no end)),
    receive ensured -> ok after 0 -> error(not_ensured) end.

handler_can_retry(_) ->
    do_errors(),
    Cell = bte_cell:new(0),
    Block = fun() ->
        case bte_cell:set(Cell, bte_cell:get(Cell) + 1) of
            3 -> third;
            _ -> bte_error:raise(runtime_error, #{})
        end
    end,
    ?assertEqual(third,
        bte_exception:on_do(Block, {'$class', 'bt@stdlib@error'}, fun bte_exception:retry/1)).

handler_can_return_a_value(_) ->
    do_errors(),
    Fail = fun() -> error(badarith) end,
    Class = {'$class', 'bt@stdlib@error'},
    Handler = fun(E) -> bte_exception:return(E, 5), unreachable end,
    ?assertEqual(5, bte_exception:on_do(Fail, Class, Handler)),
    Inner = fun() -> bte_exception:on_do(Fail, Class, fun bte_exception:pass/1) end,
    ?assertEqual(outer, bte_exception:on_do(Inner, Class, fun(_) -> outer end)).

ensured_block_runs_always(_) ->
    Self = self(),
    ?assertError(x, bte_exception:ensure(fun() -> error(x) end, fun() -> Self ! ran end)),
    receive ran -> ok after 0 -> error(not_run) end,
    ?assertEqual(1, bte_exception:if_curtailed(fun() -> 1 end, fun() -> Self ! ran end)),
    receive ran -> error(ran) after 0 -> ok end.

erlang_errors_have_kinds(_) ->
    _ = put(zero, 0),
    Zero = get(zero),
    Cases = [
        {division_by_zero, fun() -> 1 div Zero end},
        {type_error, fun() -> Zero + list_to_atom("a") end},
        {key_error, fun() -> map_get(a, #{b => Zero}) end},
        {type_error, fun() -> map_get(a, Zero) end},
        {argument_error, fun() -> binary_to_integer(integer_to_binary(Zero), 99) end},
        {class_not_found, fun() -> 'bt@test@gone':i(x, 0, nil, [], [], []) end},
        {match_error, fun() -> bte_error:no_match(5) end}
    ],
    [?assertEqual({Kind, Kind}, {Kind, do_kind(F)}) || {Kind, F} <- Cases].
