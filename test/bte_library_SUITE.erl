%% Primitives and views where a script cannot reach: terms, edges, errors of Erlang's own.
-module(bte_library_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_suite/1, end_per_suite/1]).
-export([
    every_library_file_is_loaded/1, every_primitive_exists/1, views_of_terms/1,
    floats_have_a_decimal_part/1, lists_are_shown_as_json/1, improper_lists_are_survived/1,
    numbers_do_not_grow_without_end/1, symbols_are_not_made_without_end/1,
    method_sources_are_told_apart/1, flush_filters_are_read/1,
    a_class_that_cannot_be_made_says_so/1,
    tests_are_isolated/1, a_timer_runs_and_stops/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        F
     || {F, 1} <- ?MODULE:module_info(exports),
        not lists:member(F, [module_info, init_per_suite, end_per_suite])
    ].

init_per_suite(Config) ->
    {ok, _} = bt_embedded:start(#{}),
    Config.

end_per_suite(_) ->
    bt_embedded:stop().

do_sources() ->
    filelib:wildcard(filename:join([code:priv_dir(bt_embedded), "stdlib", "*.bt"])).

every_library_file_is_loaded(_) ->
    Stems = [list_to_atom("bt@stdlib@" ++ filename:basename(F, ".bt")) || F <- do_sources()],
    ?assertEqual([], Stems -- bte_registry:classes()).

every_primitive_exists(_) ->
    Missing = [
        Name
     || File <- do_sources(),
        {ok, Text} <- [file:read_file(File)],
        {match, Names} <- [re:run(Text, do_pattern(), [global, {capture, [1], binary}])],
        [Name] <- Names,
        not do_is_exported(Name)
    ],
    ?assertEqual([], Missing).

do_pattern() -> "@primitive \"([^\"]+)\"".

do_is_exported(Name) ->
    [M, F] = [binary_to_atom(Part) || Part <- binary:split(Name, <<":">>)],
    {module, M} = code:ensure_loaded(M),
    lists:keymember(F, 1, M:module_info(exports)).

views_of_terms(_) ->
    Views = [
        {<<"a{b}\"c">>, <<"\"a\\{b\\}\"\"c\"">>},
        {foo, <<"#foo">>},
        {'at:put:', <<"#at:put:">>},
        {'two words', <<"#'two words'">>},
        {'it\'s', <<"#'it''s'">>},
        {'+', <<"#+">>},
        {nil, <<"nil">>},
        {true, <<"true">>},
        {{'$char', $a}, <<"$a">>},
        {{'$array', {1, <<"x">>}}, <<"#[1, \"x\"]">>},
        {#{b => 1, a => <<"x">>}, <<"#{#a => \"x\", #b => 1}">>},
        {{1, [2]}, <<"{1, #(2)}">>},
        {{'$class', 'bt@stdlib@integer'}, <<"Integer">>},
        {{'$meta', 'bt@stdlib@integer'}, <<"Integer class">>},
        {{'$erlang', lists}, <<"Erlang lists">>},
        {fun(_, _) -> ok end, <<"Block/2">>}
    ],
    [?assertEqual({Term, Text}, {Term, bte_view:print(Term)}) || {Term, Text} <- Views].

floats_have_a_decimal_part(_) ->
    Views = [
        {6.0, <<"6.0">>}, {0.1, <<"0.1">>}, {1.0e6, <<"1000000.0">>}, {-1500.0, <<"-1500.0">>},
        {1.0e22, <<"1.0e22">>}, {1.0e-7, <<"1.0e-7">>}
    ],
    [?assertEqual(Text, bte_view:print(F)) || {F, Text} <- Views].

lists_are_shown_as_json(_) ->
    ?assertEqual(<<"[]">>, bte_view:show([])),
    ?assertEqual(<<"[1,\"a\\\"b\",null,[true]]">>, bte_view:show([1, <<"a\"b">>, nil, [true]])),
    ?assertEqual(<<"hi">>, bte_view:show([104, 105])),
    ?assertEqual(<<"[1,2]">>, bte_view:show([1, 2])),
    ?assertEqual(<<"Result ok: 3">>, bte_view:show({ok, 3})),
    ?assertEqual(<<"ok">>, bte_view:show(ok)).

improper_lists_are_survived(_) ->
    ?assertEqual(<<"#(1 | 2)">>, bte_view:show([1 | 2])),
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_list:size([1 | 2]) end)).

do_kind(Fun) ->
    try Fun() of
        Value -> {value, Value}
    catch
        error:Reason:Stack -> bte_error:kind(bte_error:from_erlang(error, Reason, Stack))
    end.

numbers_do_not_grow_without_end(_) ->
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_number:power(10, 100000000) end)),
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_number:bit_shift(1, 1 bsl 40) end)),
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_string:repeat(<<"ab">>, 1 bsl 40) end)),
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_list:filled([], 1 bsl 40, x) end)),
    ?assertEqual(division_by_zero, do_kind(fun() -> bte_prim_number:modulo(1, 0.0) end)).

symbols_are_not_made_without_end(_) ->
    Long = binary:copy(<<"x">>, 256),
    ?assertEqual(argument_error, do_kind(fun() -> bte_prim_string:as_symbol(Long) end)),
    ?assertEqual(foo, bte_prim_string:as_symbol(<<"foo">>)).

method_sources_are_told_apart(_) ->
    ?assertEqual({ok, <<"m => 1">>}, bte_method_source:definition(<<"m">>, <<"m => 1">>)),
    ?assertEqual(
        {ok, <<"/// Doc.\n  at: k put: v =>\n  v">>},
        bte_method_source:definition(<<"at:put:">>, <<"/// Doc.\n  at: k put: v =>\n  v">>)
    ),
    {ok, Body} = bte_method_source:definition(<<"m">>, <<"a := 1\na + 1">>),
    ?assertMatch({ok, <<"m =>", _/binary>>}, {ok, Body}),
    ?assertMatch({error, _}, bte_method_source:definition(<<"m">>, <<"n => 1">>)),
    ?assertMatch({error, _}, bte_method_source:definition(<<"m:">>, <<"3 + 4">>)).

flush_filters_are_read(_) ->
    Entry = #{
        class => <<"Tally">>, old_class => <<"Counter">>, kind => 'rename-class',
        selector => nil, sites => [#{file => <<"src/a.bt">>}]
    },
    Test = fun(Filter) -> (bte_flush_filter:of_value(nil, Filter))(Entry) end,
    ?assert(Test('Tally')),
    ?assert(Test('Counter')),
    ?assert(Test(<<"Tally">>)),
    ?assert(Test('rename-class')),
    ?assert(Test(#{file => <<"src/a.bt">>})),
    ?assertNot(Test('new-class')),
    ?assertNot(Test(increment)),
    ?assertEqual(type_error, do_kind(fun() -> bte_flush_filter:of_value(nil, 3) end)).

a_class_that_cannot_be_made_says_so(_) ->
    Kinds = [
        do_kind(fun() -> bte_prim:send({'$class', C}, new) end)
     || C <- ['bt@stdlib@integer', 'bt@stdlib@collection', 'bt@stdlib@true']
    ],
    ?assertMatch([instantiation_error, _, instantiation_error], Kinds).

tests_are_isolated(_) ->
    Input = <<
        "TestCase subclass: IsolatedTest\n"
        "  testDies => Erlang erlang exit: (Erlang erlang self) with: #kill\n"
        "  testPasses => self assert: true\n"
    >>,
    {ok, _, _} = bt_embedded:eval(Input),
    {ok, C} = bte_registry:lookup(<<"IsolatedTest">>, nil),
    ?assertMatch(
        [{C, testDies, {failed, <<"killed">>}}, {C, testPasses, passed}],
        bte_test:run([C])
    ).

a_timer_runs_and_stops(_) ->
    Self = self(),
    Class = {'$class', 'bt@stdlib@timer'},
    Timer = bte_prim_time:timer_every(Class, 1, fun() -> Self ! ticked end),
    ?AWAIT(ticked, ok),
    ?AWAIT(ticked, ok),
    #{process := Pid} = Timer,
    Ref = erlang:monitor(process, Pid),
    nil = bte_prim_time:timer_cancel(Timer),
    ?AWAIT({'DOWN', Ref, process, Pid, normal}, ok).
