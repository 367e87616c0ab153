%% Evaluating inputs in a session.
-module(bte_prompt_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([tell/1, entries/1]).
-export([
    value_of_the_last_statement/1, bindings_live_on/1, blocks_and_variables_live_on/1,
    error_keeps_the_session/1, error_text_has_class_and_hint/1, syntax_error_has_a_place/1,
    unknown_class_is_an_error_of_the_input/1, class_is_defined_and_redefined/1,
    running_actor_migrates_at_redefinition/1, method_is_patched/1, class_method_is_patched/1,
    endless_loop_is_interrupted/1, busy_actor_is_told_at_an_interrupt/1,
    class_server_reached_through_an_actor_is_interrupted/1,
    interrupt_runs_what_ensure_owes/1, interrupt_keeps_the_variables_of_blocks/1,
    interrupt_leaves_what_statements_have_assigned/1,
    interrupt_runs_what_a_class_server_owes/1, failing_ensure_block_is_told/1,
    endless_ensure_block_is_cut_off/1, second_interrupt_cuts_ensure_blocks_off/1,
    interrupt_without_an_evaluation_is_forgotten/1, endless_recursion_in_an_actor_ends_the_actor/1,
    loops_run_in_constant_space/1, cells_of_blocks_that_are_gone_are_forgotten/1,
    builders_without_a_class_are_bounded/1, killed_class_server_keeps_patches_and_state/1,
    block_of_a_class_without_blocks_is_outdated/1,
    time_limit_ends_an_input/1, endless_recursion_ends_the_input/1,
    user_text_makes_no_atoms/1,
    library_class_cannot_be_redefined/1, definition_and_statement_in_one_input/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    Helpers = [module_info, tell, entries],
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, Helpers)].

init_per_testcase(_, Config) ->
    bte_workspace:start([{<<"counter.bt">>,
        "Actor subclass: Counter\n  state: value = 0\n"
        "  increment => self.value := self.value + 1\n  value => self.value\n"
        "  class start => self spawn\n"}]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_open() -> bte_prompt:open(#{package => <<"test">>}).

do_all(Inputs) ->
    {Results, _} = lists:mapfoldl(
        fun(Input, Session) ->
            case bte_prompt:evaluate(Session, Input) of
                {ok, Value, Next, _} -> {{ok, Value}, Next};
                {error, Text, Next} -> {{error, Text}, Next}
            end
        end,
        do_open(),
        Inputs
    ),
    Results.

do_last(Inputs) -> lists:last(do_all(Inputs)).

value_of_the_last_statement(_) ->
    ?assertEqual({ok, 7}, do_last([<<"1 + 2. 3 + 4">>])).

bindings_live_on(_) ->
    ?assertEqual([{ok, 3}, {ok, 4}, {ok, 7}],
        do_all([<<"x := 3">>, <<"y := x + 1">>, <<"x + y">>])).

blocks_and_variables_live_on(_) ->
    ?assertEqual({ok, 2},
        do_last([<<"n := 0. up := [n := n + 1. n]">>, <<"up value">>, <<"up value">>])).

error_keeps_the_session(_) ->
    ?assertMatch([{ok, 1}, {error, _}, {ok, 1}], do_all([<<"x := 1">>, <<"x foo">>, <<"x">>])).

error_text_has_class_and_hint(_) ->
    {error, Text} = do_last([<<"1 foo">>]),
    [First, Second] = binary:split(Text, <<"\n">>),
    ?assertEqual(<<"RuntimeError: Integer does not understand 'foo'">>, First),
    ?assertMatch(<<"Hint: ", _/binary>>, Second).

syntax_error_has_a_place(_) ->
    ?assertMatch({error, <<"1:", _/binary>>}, do_last([<<"(1 + ">>])).

unknown_class_is_an_error_of_the_input(_) ->
    {error, Text} = do_last([<<"Nowhere new">>]),
    ?assertMatch(<<"Class 'Nowhere' not found", _/binary>>, Text).

class_is_defined_and_redefined(_) ->
    ?assertMatch([{ok, {'$class', C}}, {ok, 1}, {ok, {'$class', C}}, {ok, 2}],
        do_all([
            <<"Object subclass: Typed\n  one => 1">>, <<"Typed new one">>,
            <<"Object subclass: Typed\n  one => 2">>, <<"Typed new one">>
        ])).

running_actor_migrates_at_redefinition(_) ->
    ?assertEqual({ok, 11},
        do_last([
            <<"Actor subclass: T\n  state: n = 0\n  up => self.n := self.n + 1">>,
            <<"t := T spawn. t up">>,
            <<"Actor subclass: T\n  state: n = 0\n  state: m = 10\n  sum => self.n + self.m">>,
            <<"t sum">>
        ])).

method_is_patched(_) ->
    ?assertEqual([{ok, 1}, {ok, <<"Counter>>increment">>}, {ok, 11}],
        tl(do_all([
            <<"c := Counter spawn">>, <<"c increment">>,
            <<"Counter >> increment => self.value := self.value + 10">>, <<"c increment">>
        ]))),
    {ok, #{text := Text}} = bte_host:unit(<<"counter.bt">>),
    Line = <<"  increment => self.value := self.value + 10\n">>,
    ?assertNotEqual(nomatch, string:find(Text, Line)).

class_method_is_patched(_) ->
    ?assertEqual([{ok, <<"Counter class>>start">>}, {ok, 5}],
        do_all([<<"Counter class >> start => 5">>, <<"Counter start">>])).

%% Evaluates in a process of its own and interrupts when the input has told the probe.
do_interrupted(Before, Input) ->
    Me = self(),
    Pid = spawn_link(fun() ->
        Bound = bte_prompt:bind(do_open(), <<"probe">>, Me),
        {ok, _, Session, _} = bte_prompt:evaluate(Bound, Before),
        {error, Text, Next} = bte_prompt:evaluate(Session, Input),
        {ok, Value, _, _} = bte_prompt:evaluate(Next, <<"x">>),
        Me ! {ended, Text, Value}
    end),
    ?AWAIT(running, ok),
    ok = bte_prompt:interrupt(Pid),
    ?AWAIT({ended, Text, Value}, {Text, Value}).

endless_loop_is_interrupted(_) ->
    ?assertEqual({<<"Interrupted">>, 1},
        do_interrupted(<<"x := 1">>,
            <<"Erlang bte_prompt_SUITE tell: probe. [true] whileTrue: [x]">>)).

busy_actor_is_told_at_an_interrupt(_) ->
    ok = bte_workspace:load([{<<"spin.bt">>, "Actor subclass: Spin\n"
        "  spin: probe => Erlang bte_prompt_SUITE tell: probe. [true] whileTrue: []\n"
        "  ask: other with: probe => other spin: probe\n"}]),
    {Text, {'$actor', _, Pid}} = do_interrupted(<<"x := Spin spawn">>, <<"x spin: probe">>),
    ?assertMatch([<<"Interrupted">>, <<"Actor(Spin, ", _/binary>>, <<"Hint: end it by x kill.">>],
        binary:split(Text, <<"\n">>, [global])),
    ?assertNotEqual(nomatch, string:find(Text, <<" goes on in Spin>>spin:.">>)),
    ?assert(is_process_alive(Pid)),
    {Two, 1} = do_interrupted(<<"x := 1">>, <<"Spin spawn ask: Spin spawn with: probe">>),
    ?assertEqual(2, length(binary:matches(Two, <<" goes on">>))),
    ?assertEqual(2, length(binary:matches(Two, <<"(Workspace actorAt: \"">>))).

class_server_reached_through_an_actor_is_interrupted(_) ->
    ok = bte_workspace:load([{<<"clock.bt">>, "Object subclass: Clock\n  classState: n = 7\n"
        "  class spin: probe => Erlang bte_prompt_SUITE tell: probe. [true] whileTrue: []\n"
        "  class n => self.n\n"},
        {<<"asker.bt">>, "Actor subclass: Asker\n  ask: probe => Clock spin: probe\n"}]),
    {Text, 1} = do_interrupted(<<"x := 1. a := Asker spawn">>, <<"a ask: probe">>),
    ?assertMatch(<<"Interrupted\nActor(Asker, ", _/binary>>, Text),
    ?assertEqual({ok, 7}, do_last([<<"Clock n">>])).

%% The input that spins, once the probe was told.
-define(SPIN, "Erlang bte_prompt_SUITE tell: probe. [true] whileTrue: []").

interrupt_runs_what_ensure_owes(_) ->
    Nested = <<"[[", ?SPIN, "] ensure: [x := x add: 1]] ifCurtailed: [x := x add: 2]">>,
    ?assertEqual({<<"Interrupted">>, [1, 2]}, do_interrupted(<<"x := #()">>, Nested)),
    ok = bte_workspace:load([{<<"guard.bt">>, "Object subclass: Guard\n"
        "  guard: body then: last => n := 0. [body value. n := 1] ensure: [n := n + 5. "
        "last value: n]\n"}]),
    ?assertEqual({<<"Interrupted">>, 5}, do_interrupted(<<"x := 0">>,
        <<"Guard new guard: [", ?SPIN, "] then: [:n | x := n]">>)).

interrupt_keeps_the_variables_of_blocks(_) ->
    Before = <<"n := 7. f := [n := n + 1]. x := f">>,
    Me = self(),
    Pid = spawn_link(fun() ->
        {ok, _, Session, _} =
            bte_prompt:evaluate(bte_prompt:bind(do_open(), <<"probe">>, Me), Before),
        Twice = fun(_, S0) ->
            {error, <<"Interrupted">>, S} = bte_prompt:evaluate(S0, <<"f value. ", ?SPIN>>),
            S
        end,
        Next = lists:foldl(Twice, Session, [1, 2]),
        {ok, Value, Last, _} = bte_prompt:evaluate(Next, <<"f value">>),
        {ok, Same, _, _} = bte_prompt:evaluate(Last, <<"n">>),
        Me ! {ended, Value, Same}
    end),
    _ = [begin ?AWAIT(running, ok), bte_prompt:interrupt(Pid) end || _ <- [1, 2]],
    ?AWAIT({ended, Value, Same}, ?assertEqual({10, 10}, {Value, Same})).

%% As after an error: the statement that was under way assigns nothing.
interrupt_leaves_what_statements_have_assigned(_) ->
    ?assertEqual({<<"Interrupted">>, 2},
        do_interrupted(<<"x := 1">>, <<"x := 2. x := [", ?SPIN, "] value">>)),
    ?assertEqual({<<"Interrupted">>, 4},
        do_interrupted(<<"1">>, <<"x := 3. [", ?SPIN, "] ensure: [x := x + 1]">>)).

interrupt_runs_what_a_class_server_owes(_) ->
    ok = bte_workspace:load([{<<"desk.bt">>, "Object subclass: Desk\n  classState: n = 1\n"
        "  class tell: probe then: note =>\n"
        "    self.n := 5. [" ?SPIN "] ensure: [note v: self.n]\n"
        "  class n => self.n\n"},
        {<<"note.bt">>, "Actor subclass: Note\n  state: v = 0\n  v => self.v\n"
            "  v: new => self.v := new\n"}]),
    {<<"Interrupted">>, Note} = do_interrupted(<<"x := Note spawn">>,
        <<"Desk tell: probe then: x">>),
    ?assertEqual(5, bte_send:send(v, 0, Note)),
    ?assertEqual({ok, 1}, do_last([<<"Desk n">>])).

failing_ensure_block_is_told(_) ->
    ?assertEqual(
        {<<"Interrupted\nAn ensure: block failed: RuntimeError: division by zero\n"
           "Hint: Ask isZero of the divisor first.">>, 2},
        do_interrupted(<<"x := 1">>, <<"[[", ?SPIN, "] ensure: [1 / 0]] ensure: [x := 2]">>)).

endless_ensure_block_is_cut_off(_) ->
    application:set_env(bt_embedded, unwind_time, 50),
    try
        ?assertEqual({<<"Interrupted\nThe ensure: blocks were cut off.">>, 1},
            do_interrupted(<<"x := 1">>, <<"[", ?SPIN, "] ensure: [[true] whileTrue: []]">>))
    after
        application:unset_env(bt_embedded, unwind_time)
    end.

second_interrupt_cuts_ensure_blocks_off(_) ->
    Me = self(),
    Pid = spawn_link(fun() ->
        Bound = bte_prompt:bind(do_open(), <<"probe">>, Me),
        {error, Text, _} = bte_prompt:evaluate(Bound, <<"[", ?SPIN, "] ensure: [", ?SPIN, "]">>),
        Me ! {ended, Text}
    end),
    _ = [begin ?AWAIT(running, ok), bte_prompt:interrupt(Pid) end || _ <- [1, 2]],
    receive {ended, Text} ->
        ?assertEqual(<<"Interrupted\nThe ensure: blocks were cut off.">>, Text)
    end.

interrupt_without_an_evaluation_is_forgotten(_) ->
    ok = bte_prompt:interrupt(self()),
    ?assertEqual({ok, 3}, do_last([<<"1 + 2">>])).

%% Blocks that escape from their methods, many times what is kept.
cells_of_blocks_that_are_gone_are_forgotten(_) ->
    ok = bte_workspace:load([{<<"maker.bt">>, "Object subclass: Maker\n"
        "  counter => n := 0. [n := n + 1]\n"}]),
    Make = <<"1 to: 10000 do: [:i | Maker new counter]">>,
    Inputs = [<<"f := Maker new counter. f value">>, <<"g := #(f, [f value])">>] ++
        lists:duplicate(5, Make) ++
        [<<"f value">>, <<"(g at: 2) value">>, <<"(Erlang bte_prompt_SUITE entries: 0) size">>],
    {Values, [{ok, 2}, {ok, 3}, {ok, Count}]} = lists:split(7, do_all(Inputs)),
    ?assertEqual([], [V || {error, _} = V <- Values]),
    ?assert(Count < 20050).

%% Called from Beamtalk.
entries(_) -> erlang:get().

builders_without_a_class_are_bounded(_) ->
    Before = erlang:system_info(process_count),
    {ok, _} = do_last([<<"1 to: 10000 do: [:i | Object classBuilder]">>]),
    ?assert(erlang:system_info(process_count) - Before < 1010),
    Last = [<<"b := Object classBuilder">>, <<"(b name: #Built) register">>],
    ?assertMatch({ok, {'$class', _}}, do_last(Last)).

%% Called from Beamtalk.
tell(Probe) ->
    Probe ! running.

time_limit_ends_an_input(_) ->
    {error, Text, _} = bte_prompt:evaluate(do_open(), <<"[true] whileTrue: [1]">>, 50),
    ?assertMatch(<<"Interrupted", _/binary>>, Text).

%% With little memory for each process.
do_small(Inputs) ->
    application:set_env(bt_embedded, max_heap_words, 4 * 1024 * 1024),
    try do_all(Inputs) after application:unset_env(bt_embedded, max_heap_words) end.

endless_recursion_ends_the_input(_) ->
    Inputs = [<<"Object subclass: R\n  deep => 1 + self deep">>, <<"R new deep">>, <<"1 + 2">>],
    ?assertMatch([_, {error, <<"Ended: it needed too much memory", _/binary>>}, {ok, 3}],
        do_small(Inputs)).

endless_recursion_in_an_actor_ends_the_actor(_) ->
    Deep = "  deep => 1 + self deep\n  class deep => 1 + self deep\n  class n => self.n",
    Inputs = [
        iolist_to_binary(["Actor subclass: R\n  classState: n = 7\n", Deep]),
        <<"r := R spawn">>,
        <<"[r deep] on: Exception do: [:e | #(e kind, e message)]">>,
        <<"[R deep] on: Exception do: [:e | #(e kind, e message)]">>,
        <<"#(r isAlive, R n)">>
    ],
    [_, _, {ok, [actor_dead, InActor]}, {ok, [actor_dead, InClass]}, Last] = do_small(Inputs),
    ?assertMatch(<<"the R actor ended: it needed too much memory", _/binary>>, InActor),
    ?assertMatch(<<"R: it needed too much memory", _/binary>>, InClass),
    ?assertEqual({ok, [false, 7]}, Last).

%% A loop of a million turns stays below a limit that a hundredth of a word a turn would break.
loops_run_in_constant_space(_) ->
    application:set_env(bt_embedded, max_heap_words, 100000),
    Loops = [
        <<"n := 0. [n < 1000000] whileTrue: [n := n + 1]">>,
        <<"n := 0. [n < 100000] whileTrue: [s := 0. #(1, 2) do: [:e | s := s + e]. n := n + 1]">>,
        <<"n := 0. 300000 timesRepeat: [n := n + 1]">>,
        <<"1 to: 300000 do: [:i | i yourself]">>,
        <<"LoopWorker new run">>
    ],
    Class = <<"Object subclass: LoopWorker\n  run =>\n    n := 0\n"
        "    [n < 100000] whileTrue: [s := 0. #(1, 2) do: [:e | s := s + e]. n := n + 1]\n"
        "    n">>,
    Results = do_all([Class | Loops]),
    application:unset_env(bt_embedded, max_heap_words),
    ?assertEqual([], [T || {error, T} <- Results]).

%% Of a hundred inputs of each kind, far fewer atoms than inputs: other processes of the node load
%% modules at times.
user_text_makes_no_atoms(_) ->
    Inputs = fun(From, To) ->
        [iolist_to_binary(io_lib:format(Format, [N]))
         || N <- lists:seq(From, To),
            Format <- ["Qwzx~bunknown new", "qwzx~bname", "(qwzx~banother ",
                "Qwzx~bwarm new upxyz"]]
    end,
    _ = do_all(Inputs(1, 1)),
    Before = erlang:system_info(atom_count),
    Results = do_all(Inputs(2, 101)),
    ?assertEqual([], [R || R <- Results, element(1, R) =/= error]),
    ?assert(erlang:system_info(atom_count) - Before < 50),
    [?assertError(badarg, binary_to_existing_atom(Text))
     || Text <- [<<"Qwzx2unknown">>, <<"qwzx2name">>, <<"qwzx2another">>, <<"Qwzx2warm">>]].

library_class_cannot_be_redefined(_) ->
    ?assertMatch({error, _}, do_last([<<"Object subclass: Integer\n  one => 1">>])),
    ?assertMatch({ok, 3}, do_last([<<"1 + 2">>])).

definition_and_statement_in_one_input(_) ->
    ?assertMatch([{ok, {'$class', _}}, {ok, 1}],
        do_all([<<"Object subclass: D\n  one => 1\n">>, <<"D new one">>])).

killed_class_server_keeps_patches_and_state(_) ->
    [_, {ok, 1}, {ok, <<"Clock class>>tick">>}, {ok, 11}] = do_all([
        <<"Object subclass: Clock\n  classState: n = 0\n  class tick => self.n := self.n + 1">>,
        <<"Clock tick">>, <<"Clock class >> tick => self.n := self.n + 10">>, <<"Clock tick">>
    ]),
    {ok, {'$class', Identity}} = do_last([<<"Clock">>]),
    Server = bte_class:server(Identity),
    Ref = erlang:monitor(process, Server),
    true = exit(Server, kill),
    ?AWAIT({'DOWN', Ref, process, Server, killed}, ok),
    ?assertEqual({ok, 21}, do_last([<<"Clock tick">>])),
    ?assertNotEqual(Server, bte_class:server(Identity)).

%% A class without blocks has no function for them, until one of before lives on in it.
block_of_a_class_without_blocks_is_outdated(_) ->
    ok = bte_workspace:load([
        {<<"a.bt">>, "Object subclass: A\n  m => 1\n"},
        {<<"b.bt">>, "Object subclass: B\n  m => [:x :y | x + y]\n"}
    ]),
    Block = bte_workspace:value(<<"B new m">>),
    ok = bte_workspace:load([{<<"b.bt">>, "Object subclass: B\n  m => 1\n"}]),
    ?assertEqual(3, bte_block:value(Block, [1, 2])),
    {'$class', Without} = bte_workspace:value(<<"A">>),
    ?assertNot(erlang:function_exported(Without, b, 5)),
    Lost = {'$block', Without, 1, 3, {}},
    Input = <<"[lost value: 1 value: 2 value: 3] on: Exception do: [:e | e kind]">>,
    ?assertEqual({ok, block_outdated}, do_last_with(<<"lost">>, Lost, Input)).

do_last_with(Name, Value, Input) ->
    {ok, Result, _, _} = bte_prompt:evaluate(bte_prompt:bind(do_open(), Name, Value), Input),
    {ok, Result}.
