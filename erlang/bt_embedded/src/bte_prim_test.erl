%% @doc Primitives of `TestCase' and `TestRunner'. A failed assertion is an exception of the kind
%% `assertion_failed'; what runs tests is {@link bte_test}.
-module(bte_prim_test).

-export([assert/2, assert/3, assert_equals/3, deny/2, deny_equals/3, should_raise/3]).
-export([shouldnt_raise/3, fail/2, skip/2, run_all/1, run/2, run/3]).

%% @doc Fails unless a value is true.
-spec assert(term(), term()) -> term().
assert(Self, true) -> Self;
assert(_, Other) -> failed(['assert:'], [<<"expected true, got ">>, bte_prim:quoted(Other)]).

%% @doc Fails with a message unless a value is true.
-spec assert(term(), term(), term()) -> term().
assert(Self, true, _) -> Self;
assert(_, _, Message) -> failed(['assert:message:'], bte_prim:text(Message)).

%% @doc Fails unless two values are equal.
-spec assert_equals(term(), term(), term()) -> term().
assert_equals(Self, Actual, Expected) when Actual == Expected -> Self;
assert_equals(_, Actual, Expected) ->
    failed(['assert:equals:'], [
        <<"expected ">>, bte_prim:quoted(Expected), <<", got ">>, bte_prim:quoted(Actual)
    ]).

%% @doc Fails unless a value is false.
-spec deny(term(), term()) -> term().
deny(Self, false) -> Self;
deny(_, Other) -> failed(['deny:'], [<<"expected false, got ">>, bte_prim:quoted(Other)]).

%% @doc Fails when two values are equal.
-spec deny_equals(term(), term(), term()) -> term().
deny_equals(_, Actual, Other) when Actual == Other ->
    failed(['deny:equals:'], [<<"expected anything but ">>, bte_prim:quoted(Other)]);
deny_equals(Self, _, _) ->
    Self.

%% @doc Fails unless a block raises an exception of a kind or class.
-spec should_raise(term(), term(), term()) -> term().
should_raise(Self, Block, Expected) ->
    case outcome(Block) of
        {raised, Exception} -> check_raised(Self, Exception, Expected);
        {value, V} -> failed(['should:raise:'], [
            <<"expected ">>, bte_prim:quoted(Expected), <<" to be raised, got the value ">>,
            bte_prim:quoted(V)
        ])
    end.

check_raised(Self, Exception, Expected) ->
    case is_expected(Expected, Exception) of
        true -> Self;
        false -> failed(['should:raise:'], [
            <<"expected ">>, bte_prim:quoted(Expected), <<" to be raised, got ">>,
            atom_to_binary(bte_prim_exception:kind(Exception)), <<": ">>,
            bte_error:message(Exception)
        ])
    end.

is_expected(Kind, Exception) when is_atom(Kind) -> bte_prim_exception:kind(Exception) =:= Kind;
is_expected(Class, Exception) -> bte_exception:matches(Class, Exception).

%% @doc Fails when a block raises.
-spec shouldnt_raise(term(), term(), term()) -> term().
shouldnt_raise(Self, Block, Expected) ->
    case outcome(Block) of
        {raised, Exception} ->
            case is_expected(Expected, Exception) of
                true -> failed(['shouldnt:raise:'], [<<"raised ">>, bte_error:format(Exception)]);
                false -> bte_error:signal(Exception)
            end;
        {value, _} ->
            Self
    end.

outcome(Block) ->
    try
        {value, bte_block:value(Block, [])}
    catch
        error:Reason:Stack -> {raised, bte_error:from_erlang(error, Reason, Stack)}
    end.

%% @doc Fails with a message.
-spec fail(term(), term()) -> no_return().
fail(_, Message) -> failed(['fail:'], bte_prim:text(Message)).

%% @doc Ends the test as skipped.
-spec skip(term(), term()) -> no_return().
skip(_, Reason) ->
    bte_error:raise(test_skipped, #{message => bte_prim:text(Reason)}).

-spec failed(term(), term()) -> no_return().
failed([Selector], Message) ->
    bte_error:raise(assertion_failed, #{
        selector => Selector, message => unicode:characters_to_binary(Message)
    }).

%% @doc Runs all tests.
-spec run_all(term()) -> map().
run_all(_) -> bte_test:as_value(bte_test:run(bte_test:classes())).

%% @doc Runs the tests of a class.
-spec run(term(), term()) -> map().
run(Self, Class) -> bte_test:as_value(bte_test:run([test_class(Self, 'run:', Class)])).

%% @doc Runs one test.
-spec run(term(), term(), term()) -> map().
run(Self, Class, Selector) when is_atom(Selector) ->
    C = test_class(Self, 'run:method:', Class),
    case lists:member(Selector, bte_test:selectors(C)) of
        true -> bte_test:as_value(bte_test:run(C, [Selector]));
        false ->
            Message = [bte_view:print(Class), <<" has no test #">>, atom_to_binary(Selector)],
            bte_prim:raise(selector_not_found, Self, 'run:method:', Message, nil)
    end;
run(Self, _, Selector) ->
    bte_prim:type_error(Self, 'run:method:', <<"Symbol">>, Selector).

test_class(Self, Selector, {'$class', C} = Class) ->
    case bte_registry:inherits(C, 'bt@stdlib@test_case') of
        true -> C;
        false -> bte_prim:type_error(Self, Selector, <<"TestCase class">>, Class)
    end;
test_class(Self, Selector, Other) ->
    bte_prim:type_error(Self, Selector, <<"TestCase class">>, Other).
