%% Supervisors written in Beamtalk.
-module(bte_supervisor_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    children_are_started_in_order/1, dead_child_is_started_again/1,
    temporary_child_stays_away/1, nested_supervisor_has_children_of_its_own/1,
    dynamic_children_are_started_one_by_one/1, wrong_child_is_an_error/1,
    failing_child_is_raised_in_the_caller/1, supervised_actors_count_as_instances/1,
    children_outlive_a_rename/1, stop_ends_all/1, reports_stay_off_the_terminal/1,
    child_may_ask_the_class_that_starts_it/1, child_may_ask_the_class_that_lists_it/1,
    dynamic_child_may_ask_the_class_that_starts_it/1,
    processes_have_names_for_the_observer/1, supervisor_below_itself_is_an_error/1,
    children_that_are_no_list_are_an_error/1,
    workspace_stops_over_a_child_that_never_starts/1,
    child_started_again_is_in_no_chain/1, child_that_asks_its_supervisor_is_a_deadlock/1,
    ending_child_may_ask_the_class_that_stops_it/1,
    ending_child_may_ask_the_class_that_stops_a_supervisor_below/1,
    ending_child_that_asks_its_supervisor_is_a_deadlock/1,
    child_that_waits_cannot_be_ended/1
]).

-export([sleep/0, trap/0]).
-include("btr_wait.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"counter.bt">>, "Actor subclass: Counter\n  state: n = 0\n"
            "  up => self.n := self.n + 1\n  n => self.n\n"},
        {<<"once.bt">>, "Actor subclass: Once\n  class supervisionPolicy => #temporary\n"},
        {<<"bad.bt">>, "Actor subclass: Bad\n"
            "  initialize => Exception signalKind: #not_found message: \"no file\"\n"},
        {<<"app.bt">>, "Supervisor subclass: App\n  class children => #(Counter, Once, Pool)\n"},
        {<<"pool.bt">>, "DynamicSupervisor subclass: Pool\n  class childClass => Counter\n"},
        {<<"wrong.bt">>, "Supervisor subclass: Wrong\n  class children => #(Integer)\n"},
        {<<"desk.bt">>, "Supervisor subclass: Desk\n  classState: n = 0\n"
            "  class children => #(Drawer, Shelf)\n"
            "  class next => self.n := self.n + 1\n"
            "  class open => (self supervise which: Drawer) number\n"
            "  class add => (Shelf current startChild: #{}) number\n"},
        {<<"shelf.bt">>, "DynamicSupervisor subclass: Shelf\n  class childClass => Drawer\n"},
        {<<"drawer.bt">>, "Actor subclass: Drawer\n  state: number = 0\n"
            "  initialize => self.number := Desk next\n  number => self.number\n"},
        {<<"box.bt">>, "Supervisor subclass: Box\n  class children => #(Asker)\n"},
        {<<"asker.bt">>, "Actor subclass: Asker\n  initialize => Box current children\n"},
        {<<"snake.bt">>, "Supervisor subclass: Snake\n  class children => #(Tail)\n"},
        {<<"tail.bt">>, "Supervisor subclass: Tail\n  class children => #(Snake)\n"},
        {<<"five.bt">>, "Supervisor subclass: Five\n  class children => 5\n"},
        {<<"stuck.bt">>, "Supervisor subclass: Stuck\n  class children => #(Sleeper)\n"},
        {<<"sleeper.bt">>, "Actor subclass: Sleeper\n"
            "  initialize => Erlang bte_supervisor_SUITE sleep\n"},
        {<<"yard.bt">>, "Supervisor subclass: Yard\n  classState: n = 0\n"
            "  class children => #(Gate, Gateway)\n"
            "  class next => self.n := self.n + 1\n"
            "  class close => self current stop. self.n\n"
            "  class shut => self current terminate: Gate. self.n\n"},
        {<<"gateway.bt">>, "DynamicSupervisor subclass: Gateway\n  class childClass => Gate\n"},
        {<<"gate.bt">>, "Actor subclass: Gate\n"
            "  class supervisionPolicy => #temporary\n"
            "  initialize => Erlang bte_supervisor_SUITE trap\n"
            "  leave => Yard current terminate: self\n"
            "  terminate: reason => Yard next\n"},
        {<<"estate.bt">>, "Supervisor subclass: Estate\n  class children => #(Yard)\n"},
        {<<"den.bt">>, "Supervisor subclass: Den\n  class children => #(Badger)\n"},
        {<<"badger.bt">>, "Actor subclass: Badger\n"
            "  state: home = nil\n"
            "  initialize => Erlang bte_supervisor_SUITE trap\n"
            "  live: den => self.home := den\n"
            "  terminate: reason =>\n"
            "    [self.home children] on: Exception do: [:e | Told add: e kind text: e message]\n"},
        {<<"told.bt">>, "Object subclass: Told\n  classState: all = #()\n"
            "  class add: kind text: text => self.all := #(kind, text)\n"
            "  class all => self.all\n"},
        {<<"broken.bt">>, "Supervisor subclass: Broken\n  class children => #(Bad)\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_names(Text) ->
    [bte_object:class_name(V) || V <- bte_workspace:value(Text)].

%% Waits until the child that a text answers is another process.
do_another(Text, Old) ->
    btr_wait:until(fun() -> is_another(bte_workspace:value(Text), Old) end),
    bte_workspace:value(Text).

is_another({'$actor', _, _} = New, Old) -> New =/= Old;
is_another(_, _) -> false.

children_are_started_in_order(_) ->
    ?assertEqual([<<"Counter">>, <<"Once">>, <<"Pool">>], do_names("App supervise children")),
    ?assertEqual(3, bte_workspace:value("App supervise count")).

dead_child_is_started_again(_) ->
    Child = bte_workspace:value("App supervise which: Counter"),
    ?assertEqual(1, bte_send:send(up, 0, Child)),
    ok = bte_actor:kill(Child),
    ?assertEqual(0, bte_send:send(n, 0, do_another("App current which: Counter", Child))).

temporary_child_stays_away(_) ->
    Child = bte_workspace:value("App supervise which: Once"),
    ok = bte_actor:kill(Child),
    ?assertEqual([<<"Counter">>, <<"Pool">>], do_names("App current children")).

nested_supervisor_has_children_of_its_own(_) ->
    _ = bte_workspace:value("App supervise"),
    ?assertEqual(1, bte_workspace:value("(Pool current startChild: #{#n => 0}) up")),
    ?assertEqual(1, bte_workspace:value("(App current which: Pool) count")).

dynamic_children_are_started_one_by_one(_) ->
    ?assertEqual(6, bte_workspace:value("(Pool supervise startChild: #{#n => 5}) up")),
    ?assertEqual(1, bte_workspace:value("Pool current startChild up")),
    ?assertEqual(2, bte_workspace:value("Pool current count")),
    Last = bte_workspace:value("Pool current terminateChild: Pool current children first"),
    ?assertEqual(nil, Last),
    ?assertEqual(1, bte_workspace:value("Pool current count")).

wrong_child_is_an_error(_) ->
    {error, Text} = bte_workspace:eval("Wrong supervise"),
    ?assertNotEqual(nomatch, string:find(Text, <<"must answer actor classes">>)).

failing_child_is_raised_in_the_caller(_) ->
    {error, Text} = bte_workspace:eval("Broken supervise"),
    ?assertNotEqual(nomatch, string:find(Text, <<"no file">>)),
    ?assertEqual(nil, bte_workspace:value("Broken current")).

supervised_actors_count_as_instances(_) ->
    Child = bte_workspace:value("App supervise which: Counter"),
    ?assertEqual([Child], bte_actor:instances('bt@test@counter')).

children_outlive_a_rename(_) ->
    Child = bte_workspace:value("App supervise which: Counter"),
    {ok, _} = bt_refactor:perform(
        #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>}),
    ?assertEqual(Child, bte_workspace:value("App current which: Tally")),
    ok = bte_actor:kill(Child),
    btr_wait:for([<<"Tally">>, <<"Once">>, <<"Pool">>],
        fun() -> do_names("App current children") end).

stop_ends_all(_) ->
    Child = bte_workspace:value("App supervise which: Counter"),
    ?assertEqual(nil, bte_workspace:value("App current stop")),
    ?assertNot(bte_actor:is_alive(Child)),
    ?assertEqual(nil, bte_workspace:value("App current")),
    ?assertEqual([], bte_actor:instances()).

%% The class waits for its supervisors while their children ask it.
child_may_ask_the_class_that_starts_it(_) ->
    ?assertEqual(1, bte_workspace:value("Desk open")),
    ?assertEqual(2, bte_workspace:value("Desk next")).

child_may_ask_the_class_that_lists_it(_) ->
    ?assertEqual(1, bte_workspace:value("(Desk supervise which: Drawer) number")).

dynamic_child_may_ask_the_class_that_starts_it(_) ->
    ?assertEqual([1, 2, 3], bte_workspace:value("#(Desk open, Desk add, Desk add)")).

child_started_again_is_in_no_chain(_) ->
    ?assertEqual(1, bte_workspace:value("Desk open")),
    Child = bte_workspace:value("Desk current which: Drawer"),
    ok = bte_actor:kill(Child),
    ?assertEqual(2, bte_send:send(number, 0, do_another("Desk current which: Drawer", Child))).

supervisor_below_itself_is_an_error(_) ->
    {error, Text} = bte_workspace:eval("Snake supervise"),
    ?assertNotEqual(nomatch, string:find(Text, <<"others than a supervisor above it">>)).

children_that_are_no_list_are_an_error(_) ->
    {error, Text} = bte_workspace:eval("Five supervise"),
    ?assertNotEqual(nomatch, string:find(Text, <<"must answer a List of classes">>)).

child_that_asks_its_supervisor_is_a_deadlock(_) ->
    [Kind, Text] = bte_workspace:value(
        "[Box supervise] on: Exception do: [:e | #(e kind, e message)]"),
    ?assertEqual(deadlock, Kind),
    Told = "^a supervisor waits for this call to end: supervisor of all [0-9.]+ -> "
        "Box supervisor [0-9.]+ -> Asker actor [0-9.]+$",
    ?assertMatch({match, _}, re:run(Text, Told)).

processes_have_names_for_the_observer(_) ->
    #{pid := Supervisor} = bte_workspace:value("Desk supervise"),
    {'$actor', _, Drawer} = bte_workspace:value("Desk current which: Drawer"),
    Server = bte_class:server('bt@test@desk'),
    ?assertEqual(
        [{'bt@test@desk', supervise, 0}, {'bt@test@drawer', initialize, 0},
            {'bt@test@desk', class, 0}],
        [proc_lib:translate_initial_call(Pid) || Pid <- [Supervisor, Drawer, Server]]
    ).

%% Its supervisors hear nothing while it begins; they are ended all the same.
workspace_stops_over_a_child_that_never_starts(_) ->
    true = register(?MODULE, self()),
    Asker = spawn(fun() -> bte_workspace:value("Stuck supervise") end),
    Sleeper = ?AWAIT({begun, Pid}, Pid),
    Monitor = monitor(process, Sleeper),
    ok = bt_embedded:stop(),
    ?assertEqual(killed, btr_wait:end_of(Monitor)),
    true = exit(Asker, kill).

%% Called from Beamtalk.
sleep() ->
    ?MODULE ! {begun, self()},
    receive never -> ok end.

reports_stay_off_the_terminal(_) ->
    Report = fun(M) ->
        #{level => error, meta => #{}, msg => {report, #{label => {supervisor, child_terminated},
            report => [{reason, killed}, {offender, [{mfargs, {M, start_link, []}}]}]}}}
    end,
    ?assertEqual(stop, bte_log:filter(Report(bte_actor), [])),
    Stopped = fun(Application) ->
        #{msg => {report, #{
            label => {application_controller, exit},
            report => [{application, Application}, {exited, stopped}, {type, temporary}]
        }}}
    end,
    ?assertEqual(stop, bte_log:filter(Stopped(bt_embedded), [])),
    ?assertEqual(ignore, bte_log:filter(Stopped(kernel), [])),
    Died = #{
        msg => {"~p ~p", [self(), {{bt_exception, bte_error:exception(oops, #{
            message => <<"it broke">>
        })}, []}]},
        meta => #{error_logger => #{emulator => true, tag => error}}
    },
    #{msg := {Format, Args}} = bte_log:filter(Died, []),
    Text = unicode:characters_to_binary(io_lib:format(Format, Args)),
    ?assertMatch({_, _}, binary:match(Text, <<"ended with Error: it broke">>)),
    ?assertEqual(ignore, bte_log:filter(Report(other), [])),
    Crash = #{level => error, meta => #{}, msg => {report, #{label => {proc_lib, crash},
        report => [[{initial_call, {bte_class, init, [x]}}], []]}}},
    ?assertEqual(stop, bte_log:filter(Crash, [])),
    application:set_env(bt_embedded, verbose, true),
    ?assertEqual(ignore, bte_log:filter(Crash, [])),
    application:unset_env(bt_embedded, verbose).

%% Called from Beamtalk: only one that traps exits hears that its supervisor ends it.
trap() ->
    process_flag(trap_exit, true).

%% What is to end is listed no longer than it takes.
do_end(Text) ->
    Value = bte_workspace:value(Text),
    ?assertEqual([], ets:tab2list(bte_chain_ending)),
    Value.

%% One that is not served in place is cut off before it has counted.
ending_child_may_ask_the_class_that_stops_it(_) ->
    ?assertEqual(1, do_end("Yard supervise. Yard shut")),
    ?assertEqual(3, do_end("Gateway current startChild. Gateway current startChild. Yard close")).

ending_child_may_ask_the_class_that_stops_a_supervisor_below(_) ->
    ?assertEqual(1, do_end("Estate supervise. Yard close")).

do_told(End) ->
    do_end(["d := Den supervise. (d which: Badger) live: d. ", End, ". Told all"]).

ending_child_that_asks_its_supervisor_is_a_deadlock(_) ->
    [Kind, Text] = do_told("d terminate: Badger"),
    ?assertEqual(deadlock, Kind),
    Told = "^a supervisor waits for this call to end: ",
    Below = "Den supervisor [0-9.]+ -> Badger actor [0-9.]+$",
    ?assertMatch({match, _}, re:run(Text, [Told, Below])),
    ?assertEqual(nil, do_end("Den current stop")),
    [deadlock, Stopped] = do_told("d stop"),
    ?assertMatch({match, _}, re:run(Stopped, [Told, "supervisor of all [0-9.]+ -> ", Below])).

child_that_waits_cannot_be_ended(_) ->
    Text = "Yard supervise. g := Yard current which: Gate. "
        "k := [g leave] on: Exception do: [:e | e kind]. #(k, g isAlive)",
    ?assertEqual([deadlock, true], do_end(Text)).
