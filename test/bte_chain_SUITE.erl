%% Calls that come back: over class servers, actors and both.
-module(bte_chain_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    actor_may_ask_the_class_that_asks_it/1, new_actor_may_ask_the_class_that_starts_it/1,
    chain_goes_through_several_actors/1, call_back_sees_and_changes_the_class_state/1,
    call_back_to_a_waiting_actor_is_a_deadlock/1, actors_that_ask_each_other_are_a_deadlock/1,
    class_that_asks_a_waiting_actor_is_a_deadlock/1, actor_that_gave_up_waiting_can_be_asked/1,
    late_answer_reaches_nobody/1, actor_may_ask_the_class_that_stops_it/1,
    actor_that_stops_below_asks_the_class/1, actor_that_waits_cannot_be_stopped/1,
    ending_actor_that_asks_who_stops_it_is_a_deadlock/1, stop_leaves_no_row_when_its_caller_dies/1
]).
-export([hold/0]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info, hold])].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"hub.bt">>, "Object subclass: Hub\n  classState: n = 0\n"
            "  class next => self.n := self.n + 1\n"
            "  class n => self.n\n"
            "  class note: x => self.n := x\n"
            "  class askThrough: actor => actor askHub\n"
            "  class askTwice: actor => #(actor askHub, actor askHub, self next)\n"
            "  class open => HubChild spawn\n"
            "  class hand: actor => actor again: self\n"
            "  class back: actor => actor n\n"
            "  class finish: actor => actor stop. self n\n"
            "  class finishThrough: node with: actor => node finish: actor. self n\n"},
        {<<"leaver.bt">>, "Actor subclass: Leaver\n  terminate: reason => Hub next\n"},
        {<<"clinger.bt">>, "Actor subclass: Clinger\n  state: other = nil\n"
            "  terminate: reason => [self.other n] on: Exception do: [:e | Hub note: e kind]\n"
            "  leave => Hub finish: self\n"},
        {<<"holder.bt">>, "Actor subclass: Holder\n"
            "  terminate: reason => Erlang bte_chain_SUITE hold\n"},
        {<<"hub_child.bt">>, "Actor subclass: HubChild\n  state: number = 0\n"
            "  initialize => self.number := Hub next\n  number => self.number\n"},
        {<<"node.bt">>, "Actor subclass: Node\n  state: n = 0\n  state: heard = 0\n"
            "  state: kept = nil\n"
            "  askHub => Hub next\n"
            "  n => self.n\n"
            "  heard => self.heard\n"
            "  handleInfo: x => self.heard := self.heard + 1\n"
            "  ask: other => other askHub\n"
            "  pass: other to: last => other ask: last\n"
            "  ping: other => other ping: self\n"
            "  again: hub => hub back: self\n"
            "  give: other =>\n"
            "    [(other withTimeout: 20) hold: self] on: Exception do: [:e | e kind]\n"
            "  hold: other => Erlang bte_chain_SUITE hold. self.kept := other n\n"
            "  kept => self.kept\n"
            "  finish: other => other stop\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_value(Text) -> bte_workspace:value(Text).

do_caught(Text) ->
    do_value(<<"[", Text/binary, "] on: Exception do: [:e | #(e kind, e message)]">>).

actor_may_ask_the_class_that_asks_it(_) ->
    ?assertEqual(1, do_value(<<"Hub askThrough: Node spawn">>)).

new_actor_may_ask_the_class_that_starts_it(_) ->
    ?assertEqual(1, do_value(<<"Hub open number">>)).

chain_goes_through_several_actors(_) ->
    ?assertEqual(1, do_value(<<"Node spawn pass: Node spawn to: Node spawn">>)).

call_back_sees_and_changes_the_class_state(_) ->
    ?assertEqual([[1, 2, 3], 3], do_value(<<"r := Hub askTwice: Node spawn. #(r, Hub n)">>)).

call_back_to_a_waiting_actor_is_a_deadlock(_) ->
    [Kind, Text] = do_caught(<<"Node spawn ping: Node spawn">>),
    ?assertEqual(deadlock, Kind),
    ?assertMatch({match, _}, re:run(Text,
        "^the Node actor waits for this call to end: Node actor [0-9.]+ -> Node actor [0-9.]+$")).

actors_that_ask_each_other_are_a_deadlock(_) ->
    %% It is an exception like any other: both go on afterwards.
    Text = <<"a := Node spawn. b := Node spawn. [a ping: b] on: Exception do: [:e | e kind]. "
        "#(a n, b n)">>,
    ?assertEqual([0, 0], do_value(Text)).

class_that_asks_a_waiting_actor_is_a_deadlock(_) ->
    [Kind, Text] = do_caught(<<"Hub hand: Node spawn">>),
    ?assertEqual(deadlock, Kind),
    ?assertMatch({match, _}, re:run(Text, "Hub class -> Node actor [0-9.]+$")).

%% Called from Beamtalk: waits in an actor until the test says go.
hold() ->
    ?MODULE ! {holding, self()},
    receive go -> ok end.

%% One actor asks another, gives up after a moment, and is asked by it afterwards.
do_give_up() ->
    true = register(?MODULE, self()),
    [A, B] = do_value(<<"#(Node spawn, Node spawn)">>),
    ?assertEqual(timeout, bte_send:send('give:', 0, A, B)),
    ?AWAIT({holding, Pid}, Pid ! go),
    {A, B}.

actor_that_gave_up_waiting_can_be_asked(_) ->
    {_, B} = do_give_up(),
    ?assertEqual(0, bte_send:send(kept, 0, B)).

late_answer_reaches_nobody(_) ->
    {A, B} = do_give_up(),
    ?assertEqual(0, bte_send:send(kept, 0, B)),
    ?assertEqual(0, bte_send:send(heard, 0, A)).

%% What is to end is listed no longer than it takes.
do_end(Text) ->
    Value = do_value(Text),
    ?assertEqual([], ets:tab2list(bte_chain_ending)),
    Value.

%% A call that is not served in place waits longer than the time limit of the suite.
actor_may_ask_the_class_that_stops_it(_) ->
    ?assertEqual([1, 2], do_end(<<"#(Hub finish: Leaver spawn, Hub finish: Leaver spawn)">>)).

actor_that_stops_below_asks_the_class(_) ->
    ?assertEqual(1, do_end(<<"Hub finishThrough: Node spawn with: Leaver spawn">>)).

actor_that_waits_cannot_be_stopped(_) ->
    Text = <<"a := Clinger spawn. k := [a leave] on: Exception do: [:e | e kind]. "
        "#(k, a isAlive)">>,
    ?assertEqual([deadlock, true], do_end(Text)).

ending_actor_that_asks_who_stops_it_is_a_deadlock(_) ->
    Text = <<"a := Node spawn. b := Clinger spawnWith: #{#other => a}. a finish: b. "
        "#(Hub n, a n, b isAlive)">>,
    ?assertEqual([deadlock, 0, false], do_end(Text)).

stop_leaves_no_row_when_its_caller_dies(_) ->
    true = register(?MODULE, self()),
    Actor = do_value(<<"Holder spawn">>),
    Caller = spawn(fun() -> bte_actor:stop(Actor) end),
    Pid = ?AWAIT({holding, P}, P),
    ?assertMatch([{Pid, none, _}], ets:tab2list(bte_chain_ending)),
    true = exit(Caller, kill),
    Pid ! go,
    btr_wait:for([], fun() -> ets:tab2list(bte_chain_ending) end).
