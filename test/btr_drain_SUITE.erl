%%% Sends that are under way when a method is renamed reach the method they were compiled against:
%%% messages in a mailbox, timers, blocks, calls that wait for a class server; after one rename, a
%%% chain of them, a swap. btr_traffic_SUITE has the same under load.
-module(btr_drain_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [messages_in_a_mailbox_survive_a_chain_of_renames,
     messages_in_a_mailbox_survive_there_and_back,
     messages_in_a_mailbox_survive_a_swap, messages_in_a_mailbox_survive_a_swap_in_one_group,
     old_name_that_is_answered_from_above_reaches_the_renamed_method,
     old_name_taken_by_a_new_method_reaches_the_renamed_one,
     timer_of_erlang_fires_after_the_rows_have_closed, stored_block_reaches_the_renamed_method,
     supervisor_restarts_a_child_of_a_renamed_method, frame_in_old_code_is_served,
     call_that_waits_for_a_class_server_is_served,
     calls_that_wait_for_a_class_server_survive_a_swap,
     new_send_of_the_old_name_fails, refactorings_tell_the_newest_name_and_why,
     prompt_tells_once_of_sends_that_are_served, evaluation_at_a_prompt_is_served_to_its_end,
     blocks_that_a_prompt_keeps_reach_the_renamed_method,
     blocks_that_a_prompt_keeps_survive_a_swap, block_from_a_prompt_is_served_wherever_it_lies,
     renamed_operators_are_served_at_a_prompt, renamed_operators_are_served_in_frames_and_mailboxes,
     refused_rename_leaves_no_trace, drainers_end_with_the_workspace_in_silence,
     rows_cost_nothing_to_other_sends, dispatchers_ask_for_rows_in_drain_clauses_only].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"src/base.bt">>,
            "Actor subclass: Base\n"
            "  state: steps = 0\n\n"
            "  step: n => self.steps := self.steps * 10 + n\n\n"
            "  one => self step: 9\n"},
        {<<"src/walker.bt">>,
            "Base subclass: Walker\n"
            "  state: block = nil\n\n"
            "  up => self step: 1\n\n"
            "  down => self step: 2\n\n"
            "  steps => self.steps\n\n"
            "  keep: other => self.block := [other up]\n\n"
            "  run => self.block value\n\n"
            "  park: probe =>\n"
            "    Erlang btr_drain_SUITE park: probe\n"
            "    self up\n"
            "    self.steps\n"},
        {<<"src/runner.bt">>, "Walker subclass: Runner\n  one => self step: 3\n"},
        {<<"src/register.bt">>,
            "Object subclass: Register\n"
            "  classState: count = 0\n\n"
            "  class next => self.count := self.count + 1\n\n"
            "  class skip => self.count := self.count + 100\n"},
        {<<"src/asker.bt">>, "Object subclass: Asker\n  ask: walker => walker up\n"},
        {<<"src/app.bt">>, "Supervisor subclass: App\n  class children => #(Walker)\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

park(Probe) ->
    Probe ! {parked, self()},
    receive go -> ok end.

%% An actor that takes no message until it is resumed.
do_held(Class) ->
    {'$actor', _, Pid} = Actor = bte_actor:spawn(Class),
    ok = sys:suspend(Pid),
    Actor.

do_resume({'$actor', _, Pid}) -> ok = sys:resume(Pid).

do_cast(Actor, Selector) ->
    nil = bte_send:cast(Selector, bte_host:generation(), Actor, []).

do_steps(Actor) -> bte_send:send(steps, bte_host:generation(), Actor).

do_request(Class, Old, New) -> do_request(Class, instance, Old, New).
do_request(Class, Side, Old, New) ->
    #{operation => rename_method, class => Class, side => Side, selector => Old,
      new_selector => New, accept => []}.

do_rename(Class, Old, New) -> do_rename(Class, instance, Old, New).
do_rename(Class, Side, Old, New) ->
    {ok, Entry} = bt_refactor:perform(do_request(Class, Side, Old, New)),
    Entry.

do_kind(Fun) ->
    try {value, Fun()} catch error:{bt_exception, #{kind := Kind}} -> Kind end.

messages_in_a_mailbox_survive_a_chain_of_renames(_) ->
    A = do_held('bt@test@walker'),
    do_cast(A, up),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    do_cast(A, rise),
    do_rename(<<"Walker">>, <<"rise">>, <<"climb">>),
    do_cast(A, climb),
    do_cast(A, down),
    do_resume(A),
    ?assertEqual(1112, do_steps(A)).

messages_in_a_mailbox_survive_there_and_back(_) ->
    A = do_held('bt@test@walker'),
    do_cast(A, up),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    do_cast(A, rise),
    do_rename(<<"Walker">>, <<"rise">>, <<"up">>),
    do_cast(A, up),
    do_resume(A),
    ?assertEqual(111, do_steps(A)).

messages_in_a_mailbox_survive_a_swap(_) ->
    A = do_held('bt@test@walker'),
    do_cast(A, up),
    do_cast(A, down),
    do_rename(<<"Walker">>, <<"up">>, <<"other">>),
    do_rename(<<"Walker">>, <<"down">>, <<"up">>),
    do_rename(<<"Walker">>, <<"other">>, <<"down">>),
    do_cast(A, up),
    do_cast(A, down),
    do_resume(A),
    ?assertEqual(1221, do_steps(A)).

messages_in_a_mailbox_survive_a_swap_in_one_group(_) ->
    A = do_held('bt@test@walker'),
    do_cast(A, up),
    do_cast(A, down),
    {ok, _} = bt_refactor:perform([
        do_request(<<"Walker">>, <<"up">>, <<"other">>),
        do_request(<<"Walker">>, <<"down">>, <<"up">>),
        do_request(<<"Walker">>, <<"other">>, <<"down">>)
    ]),
    do_cast(A, up),
    do_cast(A, down),
    do_resume(A),
    ?assertEqual(1221, do_steps(A)).

old_name_that_is_answered_from_above_reaches_the_renamed_method(_) ->
    A = do_held('bt@test@runner'),
    do_cast(A, one),
    #{candidate_sites := []} = do_rename(<<"Runner">>, <<"one">>, <<"single">>),
    %% Compiled after the switch it means the inherited one.
    do_cast(A, one),
    do_resume(A),
    ?assertEqual(39, do_steps(A)).

old_name_taken_by_a_new_method_reaches_the_renamed_one(_) ->
    A = do_held('bt@test@walker'),
    do_cast(A, up),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    {ok, _} = bt_refactor:perform(#{operation => patch_method, class => <<"Walker">>,
        side => instance, source => <<"up => self step: 7">>}),
    do_cast(A, up),
    do_resume(A),
    ?assertEqual(17, do_steps(A)).

%% What a timer sends was made when it was set. Here the case sets the hour: how long three renames
%% take nobody knows beforehand.
timer_of_erlang_fires_after_the_rows_have_closed(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@walker'),
    Timed = [{'$cast', Selector, bte_host:generation(), []} || Selector <- [up, down]],
    do_rename(<<"Walker">>, <<"up">>, <<"other">>),
    do_rename(<<"Walker">>, <<"down">>, <<"up">>),
    do_rename(<<"Walker">>, <<"other">>, <<"down">>),
    btr_wait:for([], fun() -> bte_drain:list() end),
    _ = [erlang:send_after(1, Pid, Message) || Message <- Timed],
    btr_wait:for(12, fun() -> do_steps(A) end).

stored_block_reaches_the_renamed_method(_) ->
    [A, B] = [bte_actor:spawn('bt@test@walker') || _ <- [1, 2]],
    _ = bte_send:send('keep:', 0, A, B),
    {ok, #{candidates := Candidates}} =
        bt_refactor:plan(do_request(<<"Walker">>, <<"up">>, <<"rise">>)),
    Accept = [[File, Start] || #{file := File, start := Start} <- Candidates],
    ?assertEqual(2, length(Accept)),
    Request = do_request(<<"Walker">>, <<"up">>, <<"rise">>),
    {ok, _} = bt_refactor:perform(Request#{accept := Accept}),
    btr_wait:for([], fun() -> bte_drain:list() end),
    ?assertEqual(1, bte_send:send(run, bte_host:generation(), A)),
    ?assertEqual(1, do_steps(B)).

supervisor_restarts_a_child_of_a_renamed_method(_) ->
    {'$actor', _, Pid} = bte_workspace:value("App supervise which: Walker"),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    _ = btr_wait:end_of(Monitor),
    btr_wait:until(fun() ->
        case bte_workspace:value("App current which: Walker") of
            {'$actor', _, New} when New =/= Pid -> true;
            _ -> false
        end
    end),
    ?assertEqual(1, bte_workspace:value("(App current which: Walker) rise")).

frame_in_old_code_is_served(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@walker'),
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        exit({value, bte_actor:call('park:', bte_host:generation(), A, [Me], infinity)})
    end),
    ?AWAIT({parked, Pid}, ok),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    [#{because := Because}] = bt_refactor:refactorings(),
    ?assertMatch({match, _}, re:run(Because, "code from before")),
    Pid ! go,
    ?AWAIT({'DOWN', Monitor, process, _, {value, Value}}, ?assertEqual(1, Value)),
    btr_wait:for([], fun() -> bt_refactor:refactorings() end).

do_class_call(Selector) ->
    {_, Monitor} = spawn_monitor(fun() ->
        exit({value, bte_send:send(Selector, bte_host:generation(), {'$class',
            'bt@test@register'})})
    end),
    Monitor.

do_value(Monitor) ->
    ?AWAIT({'DOWN', Monitor, process, _, {value, Value}}, Value).

%% The server holds so many calls.
do_hold_class(Calls) ->
    Server = bte_class:server('bt@test@register'),
    ok = sys:suspend(Server),
    Monitors = [
        begin
            Monitor = do_class_call(Selector),
            Full = {message_queue_len, N},
            btr_wait:for(Full, fun() -> process_info(Server, message_queue_len) end),
            Monitor
        end
     || {N, Selector} <- lists:zip(lists:seq(1, length(Calls)), Calls)
    ],
    {Server, Monitors}.

call_that_waits_for_a_class_server_is_served(_) ->
    {Server, [Monitor]} = do_hold_class([next]),
    do_rename(<<"Register">>, class, <<"next">>, <<"following">>),
    do_rename(<<"Register">>, class, <<"following">>, <<"successor">>),
    ok = sys:resume(Server),
    ?assertEqual(1, do_value(Monitor)),
    ?assertEqual(2, do_value(do_class_call(successor))).

calls_that_wait_for_a_class_server_survive_a_swap(_) ->
    {Server, [Next, Skip]} = do_hold_class([next, skip]),
    do_rename(<<"Register">>, class, <<"next">>, <<"other">>),
    do_rename(<<"Register">>, class, <<"skip">>, <<"next">>),
    do_rename(<<"Register">>, class, <<"other">>, <<"skip">>),
    ok = sys:resume(Server),
    ?assertEqual([1, 101], [do_value(Next), do_value(Skip)]),
    ?assertEqual(102, do_value(do_class_call(skip))).

new_send_of_the_old_name_fails(_) ->
    A = do_held('bt@test@walker'),
    {ok, _, _} = bt_embedded:eval("w := Walker spawn"),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    ?assertMatch([_], bt_refactor:refactorings()),
    {error, Text} = bt_embedded:eval("(Walker spawn) up"),
    ?assertMatch({match, _}, re:run(Text, "does not understand")),
    do_resume(A).

refactorings_tell_the_newest_name_and_why(_) ->
    A = do_held('bt@test@walker'),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    do_rename(<<"Walker">>, <<"rise">>, <<"climb">>),
    %% Once the old code is purged, the messages alone are waited for.
    btr_wait:until(fun() ->
        case bt_refactor:refactorings() of
            [#{class := <<"Walker">>, side := instance, old := <<"up">>, new := <<"climb">>,
               because := <<"an actor", _/binary>>},
             #{old := <<"rise">>, new := <<"climb">>}] -> true;
            [_, _] -> false
        end
    end),
    do_resume(A),
    btr_wait:for([], fun() -> bt_refactor:refactorings() end).

%% A candidate that was not accepted is served while the row lives.
prompt_tells_once_of_sends_that_are_served(_) ->
    Session = bte_session:open(#{package => <<"test">>}),
    Held = do_held('bt@test@walker'),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    {ok, 1, _, Notes, Session1} =
        bte_session:evaluate(Session, <<"Asker new ask: Walker spawn">>),
    ?assertMatch([_], Notes),
    ?assertMatch({match, _}, re:run(hd(Notes), "Walker>>up .*rise.* src/asker.bt:2")),
    {ok, 1, _, [], Session2} = bte_session:evaluate(Session1, <<"Asker new ask: Walker spawn">>),
    do_resume(Held),
    btr_wait:for([], fun() -> bt_refactor:refactorings() end),
    {error, Text, Session3} = bte_session:evaluate(Session2, <<"Asker new ask: Walker spawn">>),
    ?assertMatch({match, _}, re:run(Text, "does not understand")),
    ok = bte_session:close(Session3).

%% Its loop was compiled before the rename, and no module holds its code.
evaluation_at_a_prompt_is_served_to_its_end(_) ->
    A = bte_actor:spawn('bt@test@walker'),
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        Session = lists:foldl(
            fun({Name, Value}, S) -> bte_prompt:bind(S, Name, Value) end,
            bte_prompt:open(#{package => <<"test">>}),
            [{<<"w">>, A}, {<<"probe">>, Me}]
        ),
        exit({evaluated, bte_prompt:evaluate(Session,
            <<"3 timesRepeat: [Erlang btr_drain_SUITE park: probe. w up]. w steps">>)})
    end),
    Worker = ?AWAIT({parked, Pid}, Pid),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    btr_wait:until(fun() -> not erlang:check_old_code('bt@test@walker') end),
    Worker ! go,
    [?AWAIT({parked, Worker}, Worker ! go) || _ <- [2, 3]],
    ?assertMatch({evaluated, {ok, 111, _, _}}, btr_wait:end_of(Monitor)),
    btr_wait:for([], fun() -> bt_refactor:refactorings() end).

%% Evaluates inputs in one session, one after the other; a fun is called between them.
do_inputs(Inputs) ->
    {Values, Session} = lists:mapfoldl(
        fun
            (Input, Session0) when is_function(Input) ->
                Input(),
                {done, Session0};
            (Input, Session0) ->
                case bte_prompt:evaluate(Session0, iolist_to_binary(Input)) of
                    {ok, Value, Next, _} -> {Value, Next};
                    {error, Text, Next} -> {{error, Text}, Next}
                end
        end,
        bte_prompt:open(#{package => <<"test">>}),
        Inputs
    ),
    ok = bte_prompt:close(Session),
    Values.

do_drained() -> btr_wait:for([], fun() -> bt_refactor:refactorings() end).

%% Long after the rows have closed; what is typed afterwards fails.
blocks_that_a_prompt_keeps_reach_the_renamed_method(_) ->
    Rename = fun(Old, New) -> fun() -> do_rename(<<"Walker">>, Old, New), do_drained() end end,
    Values = do_inputs([
        "w := Walker spawn", "b := [:c | c up]", "Workspace bind: [:c | c up] as: #Up",
        "sum := [:c | c up. c down; up. c steps]",
        Rename(<<"up">>, <<"rise">>), "b value: w", "Up value: w",
        Rename(<<"rise">>, <<"climb">>), "b value: w", "sum value: w", "w up",
        "Workspace unbind: #Up", "b := nil", "w climb"
    ]),
    ?assertMatch(
        [_, _, _, _, done, 1, 11, done, 111, 111121, {error, _}, nil, nil, 1111211], Values),
    {error, Text} = lists:nth(11, Values),
    ?assertMatch({match, _}, re:run(Text, "does not understand 'up'")).

blocks_that_a_prompt_keeps_survive_a_swap(_) ->
    Values = do_inputs([
        "w := Walker spawn", "both := [:c | c up. c down]", "n := [Register next]",
        fun() ->
            {ok, _} = bt_refactor:perform([
                do_request(<<"Walker">>, <<"up">>, <<"other">>),
                do_request(<<"Walker">>, <<"down">>, <<"up">>),
                do_request(<<"Walker">>, <<"other">>, <<"down">>)
            ]),
            do_rename(<<"Register">>, class, <<"next">>, <<"other">>),
            do_rename(<<"Register">>, class, <<"skip">>, <<"next">>),
            do_drained()
        end,
        "both value: w", "later := [:c | c up. c down]", "later value: w", "n value",
        "Register next"
    ]),
    ?assertMatch([_, _, _, done, 12, _, 1221, 1, 101], Values).

%% In an actor, and in a process that its session does not outlive.
block_from_a_prompt_is_served_wherever_it_lies(_) ->
    _ = bte_workspace:load([{<<"src/box.bt">>,
        "Actor subclass: Box\n  state: block = nil\n  keep: aBlock => self.block := aBlock\n"
        "  run: x => self.block value: x\n"}]),
    Box = bte_actor:spawn('bt@test@box'),
    Walker = bte_actor:spawn('bt@test@walker'),
    Session = bte_prompt:bind(bte_prompt:open(#{package => <<"test">>}), <<"box">>, Box),
    {ok, _, Next, _} = bte_prompt:evaluate(Session, <<"box keep: [:c | c up. c up!]">>),
    ok = bte_prompt:close(Next),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    do_drained(),
    _ = bte_send:send('run:', bte_host:generation(), Box, Walker),
    ?assertEqual(11, do_steps(Walker)).

renamed_operators_are_served_at_a_prompt(_) ->
    _ = bte_workspace:load([{<<"src/money.bt">>,
        "Value subclass: Money\n  field: cents = 0\n"
        "  + other => Money new: #{#cents => self.cents + other cents}\n"
        "  - other => Money new: #{#cents => self.cents - other cents}\n"}]),
    Values = do_inputs([
        "m := Money new: #{#cents => 5}", "add := [:a :b | (a + b) cents]",
        "all := [:x | (#(1, 2, 3) inject: x into: [:a :b | a + b])]", "add value: m value: m",
        fun() ->
            Operator = fun(Old, New) ->
                Request = do_request(<<"Money">>, Old, New),
                Request#{allow => [selector_capture, selector_overrides_library]}
            end,
            {ok, _} = bt_refactor:perform([
                Operator(<<"+">>, <<"++">>), Operator(<<"-">>, <<"+">>)
            ]),
            do_drained()
        end,
        "add value: m value: m", "(m + m) cents", "all value: 4"
    ]),
    ?assertMatch([_, _, _, 10, done, 10, 0, 10], Values).

%% `+' is compiled to a test for numbers with a send behind it, which carries its generation as any.
renamed_operators_are_served_in_frames_and_mailboxes(_) ->
    _ = bte_workspace:load([
        {<<"src/purse.bt">>, "Actor subclass: Purse\n  state: cents = 0\n"
            "  + n => self.cents := self.cents + n\n"
            "  - n => self.cents := self.cents - n\n"
            "  cents => self.cents\n"},
        {<<"src/payer.bt">>, "Actor subclass: Payer\n"
            "  pay: purse probe: probe =>\n"
            "    Erlang btr_drain_SUITE park: probe\n"
            "    1 to: 3 do: [:n | purse + (n + 1)]\n"
            "    purse cents\n"}
    ]),
    {'$actor', _, Payer} = P = bte_actor:spawn('bt@test@payer'),
    {Purse, Held} = {bte_actor:spawn('bt@test@purse'), do_held('bt@test@purse')},
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        exit({value, bte_send:send('pay:probe:', bte_host:generation(), P, Purse, Me)})
    end),
    ?AWAIT({parked, Payer}, ok),
    nil = bte_send:cast('+', bte_host:generation(), Held, [7]),
    Rename = fun(Old, New) ->
        Request = do_request(<<"Purse">>, Old, New),
        Request#{allow => [selector_capture, selector_overrides_library]}
    end,
    {ok, _} = bt_refactor:perform([
        Rename(<<"+">>, <<"++">>), Rename(<<"-">>, <<"+">>), Rename(<<"++">>, <<"-">>)
    ]),
    nil = bte_send:cast('-', bte_host:generation(), Held, [1]),
    do_resume(Held),
    Payer ! go,
    ?assertEqual({value, 9}, btr_wait:end_of(Monitor)),
    ?assertEqual(8, bte_send:send(cents, 0, Held)).

drainers_end_with_the_workspace_in_silence(_) ->
    _ = do_held('bt@test@walker'),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    [{_, Drainer, _, _}] = supervisor:which_children(bte_drainer_sup),
    Monitor = monitor(process, Drainer),
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self(), level => error}),
    ok = application:stop(bt_embedded),
    ?AWAIT({'DOWN', Monitor, process, Drainer, _}, ok),
    ok = logger:remove_handler(?MODULE),
    receive {logged, Event} -> ct:fail(Event) after 0 -> ok end.

log(#{meta := #{pid := Pid}} = Event, #{config := Test}) when Pid =/= Test ->
    Test ! {logged, Event};
log(_, _) ->
    ok.

refused_rename_leaves_no_trace(_) ->
    {'$actor', _, Pid} = bte_actor:spawn('bt@test@walker'),
    {ok, Prepared} = bte_host:compile(
        #{operation => rename_method, names => [],
          units => [bte_workspace:unit(<<"src/runner.bt">>,
            "Walker subclass: Runner\n  single => self step: 3\n")],
          drains => [#{class => <<"Runner">>, side => instance, old => <<"one">>,
            new => <<"single">>}]},
        fun(_) -> ok end
    ),
    Gen = bte_host:generation(),
    {ok, Staged} = bte_host:stage(Prepared, Gen + 1),
    ok = bte_host:unstage(Staged),
    ?assertEqual([], bte_drain:list()),
    ?assertEqual({one, 0}, bte_drain:current('bt@test@runner', instance, one, 0)),
    ?assert(is_process_alive(Pid)).

%% A million sends of other selectors, with a thousand rows open, ask for none.
rows_cost_nothing_to_other_sends(_) ->
    Held = do_held('bt@test@walker'),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    lists:foreach(fun(N) -> ok = bte_drain:open(N, #{}) end, lists:seq(1, 1000)),
    ok = bte_workspace:load([{<<"src/loop.bt">>,
        "Base subclass: Loop\n  state: n = 0\n  tick => self.n := self.n + 1\n"
        "  turn: turns => turns timesRepeat: [self tick]\n  n => self.n\n"}]),
    Loop = bte_actor:spawn('bt@test@loop'),
    _ = erlang:trace_pattern({bte_drain, '_', '_'}, true, [call_count]),
    Exported = [{F, A} || {F, A} <- bte_drain:module_info(exports), F =/= module_info],
    Asked = fun() ->
        lists:sum([N || {F, A} <- Exported,
            {call_count, N} <- [erlang:trace_info({bte_drain, F, A}, call_count)],
            is_integer(N)])
    end,
    _ = erlang:trace_pattern({bte_drain, '_', '_'}, restart, [call_count]),
    _ = bte_actor:call('turn:', bte_host:generation(), Loop, [1000000], infinity),
    ?assertEqual(0, Asked()),
    ?assertEqual(1000000, bte_send:send(n, 0, Loop)),
    %% The same trace sees a send that is served.
    Other = bte_actor:spawn('bt@test@walker'),
    ?assertEqual(1, bte_send:send(up, 0, Other)),
    ?assert(Asked() > 0),
    _ = erlang:trace_pattern({bte_drain, '_', '_'}, false, [call_count]),
    do_resume(Held).

%% In the forms of a class that drains, rows are asked for in the body of a clause for the old
%% selector with the guard on the generation, and nowhere else.
dispatchers_ask_for_rows_in_drain_clauses_only(_) ->
    Held = do_held('bt@test@walker'),
    do_rename(<<"Walker">>, <<"up">>, <<"rise">>),
    World = bte_world:new(bte_host:generation()),
    {ok, #{generation := Gen, drains := [Drain]}} = bte_registry:code('bt@test@walker'),
    {ok, #{output := #{forms := Forms0}}} = bte_codegen:class('bt@test@walker', Gen,
        #{world => World, before => World, names_only => #{},
          drains => #{'bt@test@walker' => [Drain]}}),
    Clauses = [
        {F, A, C} || {function, _, F, A, Cs} <- bte_generated:forms(Forms0), C <- Cs, do_asks(C)
    ],
    ?assertMatch(
        [{i, 6,
            {clause, _, [{atom, _, up}, {var, _, G} | _], [[{op, _, '<', {var, _, G}, _}]], _}}],
        Clauses
    ),
    do_resume(Held).

do_asks({remote, _, {atom, _, bte_drain}, _}) -> true;
do_asks(Tuple) when is_tuple(Tuple) -> do_asks(tuple_to_list(Tuple));
do_asks([Head | Tail]) -> do_asks(Head) orelse do_asks(Tail);
do_asks(_) -> false.
