%% @doc Runs Beamtalk tests: each in a process of its own with a time limit, so that one that hangs
%% or dies does not take the others with it. Tests run what is in memory.
%% Tested by `bte_library_SUITE'.
-module(bte_test).

-export([classes/0, selectors/1, run/1, run/2, as_value/1, report/2, counts/1]).
-export_type([result/0]).

-type outcome() :: passed | {failed, binary()} | {skipped, binary()}.
-type result() :: {bte_registry:identity(), atom(), outcome()}.

-define(ROOT, 'bt@stdlib@test_case').
-define(LIMIT, 60000).

%% @doc Answers the test classes by name, abstract ones left out.
-spec classes() -> [bte_registry:identity()].
classes() ->
    Found = [C || C <- bte_registry:classes(), C =/= ?ROOT, bte_registry:inherits(C, ?ROOT)],
    Sorted = lists:sort([{bte_registry:name_of(C), C} || C <- Found]),
    [C || {_, C} <- Sorted, not bte_prim_behaviour:is_abstract({'$class', C})].

%% @doc Answers the selectors of a class's tests, inherited ones included.
-spec selectors(bte_registry:identity()) -> [atom()].
selectors(C) ->
    [S || S <- bte_prim_behaviour:all_methods({'$class', C}), is_test(atom_to_binary(S))].

is_test(<<"test", _/binary>> = Name) -> binary:match(Name, <<":">>) =:= nomatch;
is_test(_) -> false.

%% @doc Runs all tests of the classes.
-spec run([bte_registry:identity()]) -> [result()].
run(Classes) ->
    lists:append([run(C, selectors(C)) || C <- Classes]).

%% @doc Runs some tests of a class, with what the class does once around them.
-spec run(bte_registry:identity(), [atom()]) -> [result()].
run(_, []) ->
    [];
run(C, Selectors) ->
    case in_process(fun() -> instance(C, bte_object:new(C), setUpOnce) end) of
        {value, Base} ->
            Results = [{C, S, run_one(C, Base, S)} || S <- Selectors],
            finish(C, Base, Results);
        Failure ->
            [{C, S, outcome(Failure)} || S <- Selectors]
    end.

finish(C, Base, Results) ->
    case in_process(fun() -> bte_prim:send(Base, tearDownOnce) end) of
        {value, _} -> Results;
        Failure -> Results ++ [{C, tearDownOnce, outcome(Failure)}]
    end.

run_one(C, Base, Selector) ->
    case in_process(fun() -> test(C, Base, Selector) end) of
        {value, Tested} -> outcome(Tested);
        Failure -> outcome(Failure)
    end.

test(C, Base, Selector) ->
    Self = instance(C, Base, setUp),
    Tested = attempt(fun() -> bte_prim:send(Self, Selector) end),
    first_failure(Tested, attempt(fun() -> bte_prim:send(Self, tearDown) end)).

%% What went wrong in a test tells more than what its tearDown made of it.
first_failure({value, _}, TornDown) -> TornDown;
first_failure(Raised, _) -> Raised.

%% What a set-up answers is the one to go on with, if it is an instance of the class.
instance(C, Self, Selector) ->
    case bte_prim:send(Self, Selector) of
        #{'$class' := C} = Other -> Other;
        _ -> Self
    end.

in_process(Fun) ->
    {Pid, Ref} = erlang:spawn_monitor(bte_apart, deliver, [fun() -> attempt(Fun) end]),
    receive
        {'DOWN', Ref, process, Pid, Reason} -> delivered(Reason)
    after ?LIMIT ->
        true = erlang:exit(Pid, kill),
        true = erlang:demonitor(Ref, [flush]),
        timeout
    end.

%% An attempt raises nothing: what does not deliver was ended from outside.
delivered(Reason) ->
    try
        bte_apart:value(Reason)
    catch
        exit:Died -> {died, Died}
    end.

attempt(Fun) ->
    try
        {value, Fun()}
    catch
        Class:Reason:Stack -> {raised, bte_error:from_erlang(Class, Reason, Stack)}
    end.

outcome({value, _}) -> passed;
outcome({raised, #{kind := test_skipped} = E}) -> {skipped, bte_error:message(E)};
outcome({raised, #{kind := assertion_failed} = E}) -> {failed, bte_error:message(E)};
outcome({raised, Exception}) -> {failed, bte_error:format(Exception)};
outcome({died, Reason}) -> {failed, unicode:characters_to_binary(io_lib:format("~0tp", [Reason]))};
outcome(timeout) -> {failed, <<"did not end within a minute">>}.

%% @doc Counts passed, failed and skipped tests.
-spec counts([result()]) -> {non_neg_integer(), non_neg_integer(), non_neg_integer()}.
counts(Results) ->
    Outcomes = [O || {_, _, O} <- Results],
    {
        length([O || passed = O <- Outcomes]),
        length([O || {failed, _} = O <- Outcomes]),
        length([O || {skipped, _} = O <- Outcomes])
    }.

%% @doc Makes a `TestResult' of results.
-spec as_value([result()]) -> map().
as_value(Results) ->
    {Passed, Failed, Skipped} = counts(Results),
    bte_object:new('bt@stdlib@test_result', #{
        passed => Passed,
        failed => Failed,
        skipped => Skipped,
        failures => [failure(R) || {_, _, {failed, _}} = R <- Results]
    }).

failure({C, Selector, {failed, Text}}) ->
    iolist_to_binary([bte_registry:name_of(C), <<">>">>, atom_to_binary(Selector), <<": ">>, Text]).

%% @doc Writes results for people: a line a class, failures below it, the counts at the end.
-spec report([result()], bte_ansi:palette()) -> iodata().
report(Results, Palette) ->
    Classes = lists:uniq([C || {C, _, _} <- Results]),
    {Passed, Failed, Skipped} = counts(Results),
    [
        [class_report(C, [R || {K, _, _} = R <- Results, K =:= C], Palette) || C <- Classes],
        [io_lib:format("~b skipped~n", [Skipped]) || Skipped > 0],
        io_lib:format("~b passed, ~b failed~n", [Passed, Failed])
    ].

class_report(C, Results, Palette) ->
    {Passed, Failed, _} = counts(Results),
    Mark =
        case Failed of
            0 -> bte_ansi:paint(good, <<"ok">>, Palette);
            _ -> bte_ansi:paint(bad, <<"FAILED">>, Palette)
        end,
    [
        io_lib:format("~ts: ~b of ~b ~ts~n", [
            bte_registry:name_of(C), Passed, length(Results), Mark
        ]),
        [["  ", failure(R), "\n"] || {_, _, {failed, _}} = R <- Results],
        [["  skipped ", atom_to_binary(S), ": ", W, "\n"] || {_, S, {skipped, W}} <- Results]
    ].
