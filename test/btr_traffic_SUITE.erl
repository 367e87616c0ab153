%%% Must-shows 2 and 3 of the transaction: sends of every kind go on while a class and its selectors
%%% are renamed there and back. BTR_RENAMES and BTR_CLIENTS set the size (each client has five
%%% actors to send to).
-module(btr_traffic_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-define(ACTORS, 5).
-define(SENDS, 9).

suite() -> [{timetrap, {minutes, 60}}].

all() -> [no_send_is_lost_doubled_or_misdirected_during_renames,
          parked_frame_outlives_renames_and_is_named_where_it_is_in_the_way].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"src/meter.bt">>,
            "Actor subclass: Meter\n"
            "  state: value = 0\n"
            "  state: wrong = 0\n\n"
            "  bump => self.wrong := self.wrong + 1\n\n"
            "  grow => self.wrong := self.wrong + 1\n\n"
            "  value => self.value\n\n"
            "  wrong => self.wrong\n"},
        {<<"src/counter.bt">>,
            "Meter subclass: Counter\n"
            "  bump => self.value := self.value + 1\n\n"
            "  add => self.value := self.value + 1\n\n"
            "  twice =>\n    self bump\n    self add\n\n"
            "  park: probe =>\n"
            "    self add\n"
            "    Erlang btr_traffic_SUITE park: probe\n"
            "    self add\n"
            "    self.value\n"},
        {<<"src/loud.bt">>, "Counter subclass: Loud\n  loud => super bump\n"},
        {<<"src/client.bt">>,
            "Actor subclass: Client\n"
            "  state: on = true\n"
            "  state: rounds = 0\n"
            "  state: failed = 0\n"
            "  state: counters = #()\n"
            "  state: louds = #()\n"
            "  state: block = nil\n\n"
            "  tick =>\n"
            "    self.on ifTrue: [\n"
            "      [self round] on: Error do: [:e | self.failed := self.failed + 1]\n"
            "      Timer after: 40 do: [self tick!]\n"
            "    ]\n\n"
            "  round =>\n"
            "    counter := self.counters at: (self.rounds % 3) + 1\n"
            "    loud := self.louds at: (self.rounds % 2) + 1\n"
            "    self.rounds := self.rounds + 1\n"
            "    counter bump\n"
            "    counter add!\n"
            "    counter twice\n"
            "    loud loud\n"
            "    loud bump\n"
            "    loud add!\n"
            "    self.block isNil ifTrue: [self.block := [counter bump]]\n"
            "    self.block value\n"
            "    Timer after: 1 do: [counter bump]\n\n"
            "  stop => self.on := false\n\n"
            "  rounds => self.rounds\n\n"
            "  failed => self.failed\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_number(Name, Default) -> list_to_integer(os:getenv(Name, integer_to_list(Default))).

do_send(Selector, Actor) ->
    bte_send:send(Selector, bte_host:generation(), Actor).

park(Probe) ->
    Probe ! {parked, self()},
    receive go -> ok end.

no_send_is_lost_doubled_or_misdirected_during_renames(_) ->
    Renames = do_number("BTR_RENAMES", 500),
    Spawned = [do_client() || _ <- lists:seq(1, do_number("BTR_CLIENTS", 200))],
    {Clients, Actors} = {[C || {C, _} <- Spawned], lists:append([As || {_, As} <- Spawned])},
    Tracer = do_trace(),
    lists:foreach(fun do_rename/1, lists:sublist(do_cycle(Renames), Renames)),
    Rounds = [do_rounds(C) || C <- Clients],
    Sends = ?SENDS * lists:sum(Rounds),
    %% What timers and casts still carry arrives: each send counts once, in the method it meant.
    btr_wait:until(fun() -> do_sum(value, Actors) >= Sends end),
    ?assertEqual(Sends, do_sum(value, Actors)),
    ?assertEqual(0, do_sum(wrong, Actors)),
    ?assertEqual(0, lists:sum([do_send(failed, C) || C <- Clients])),
    #{inherited := Inherited, served := Served, unserved := Unserved} = do_traced(Tracer),
    ct:pal("~b sends by ~b clients to ~b actors, ~b renames; ~b sends of an old name served",
        [Sends, length(Clients), length(Actors), length(bt_refactor:changes()), Served]),
    ?assertEqual({0, 0}, {Inherited, Unserved}),
    ?assert(Served > 0),
    ?assertEqual(Renames, length(bt_refactor:changes())),
    ?assert(lists:all(fun(N) -> N > 0 end, Rounds)).

do_sum(Selector, Actors) -> lists:sum([do_send(Selector, A) || A <- Actors]).

do_client() ->
    Counters = [bte_actor:spawn('bt@test@counter') || _ <- [1, 2, 3]],
    Louds = [bte_actor:spawn('bt@test@loud') || _ <- [1, 2]],
    Client = bte_actor:spawn('bt@test@client', #{counters => Counters, louds => Louds}),
    nil = bte_send:cast(tick, bte_host:generation(), Client, []),
    ?ACTORS = length(Counters ++ Louds),
    {Client, Counters ++ Louds}.

do_rounds(Client) ->
    false = do_send(stop, Client),
    do_send(rounds, Client).

%% Half of the renames leave an inherited method under the old name.
do_cycle(Renames) ->
    Cycle = [{<<"bump">>, <<"grow">>}, class, {<<"grow">>, <<"bump">>}, {<<"add">>, <<"plus">>},
             {<<"bump">>, <<"grow">>}, class, {<<"grow">>, <<"bump">>}, {<<"plus">>, <<"add">>}],
    lists:append(lists:duplicate(1 + Renames div length(Cycle), Cycle)).

do_class() ->
    case bte_registry:name_of('bt@test@counter') of
        <<"Counter">> -> {<<"Counter">>, <<"Tally">>};
        <<"Tally">> -> {<<"Tally">>, <<"Counter">>}
    end.

do_rename(class) ->
    {Old, New} = do_class(),
    {ok, _} = bt_refactor:perform(#{operation => rename_class, class => Old, new_name => New});
do_rename({Old, New}) ->
    {Class, _} = do_class(),
    Request = #{operation => rename_method, class => Class, side => instance, selector => Old,
        new_selector => New, accept => [], allow => [selector_capture]},
    {ok, #{candidates := Candidates}} = bt_refactor:plan(Request),
    Accept = [[File, Start] || #{file := File, start := Start} <- Candidates],
    ?assert(length(Accept) > 1),
    {ok, _} = bt_refactor:perform(Request#{accept := Accept}, #{timeout => 60000}).

%% Counts calls of the inherited methods, and what the rows answered to sends of an old name.
do_trace() ->
    Tracer = spawn_link(fun() ->
        do_count(#{inherited => 0, served => 0, unserved => 0})
    end),
    Inherited = [{[Name | lists:duplicate(5, '_')], [], []} || Name <- [bump, grow]],
    1 = erlang:trace_pattern({'bt@test@meter', i, 6}, Inherited, []),
    1 = erlang:trace_pattern({bte_drain, is_live, 1}, [{'_', [], [{return_trace}]}], []),
    _ = erlang:trace(processes, true, [call, {tracer, Tracer}]),
    Tracer.

do_count(#{inherited := Inherited, served := Served, unserved := Unserved} = Seen) ->
    receive
        {trace, _, call, {'bt@test@meter', _, _}} -> do_count(Seen#{inherited := Inherited + 1});
        {trace, _, return_from, {bte_drain, _, _}, true} -> do_count(Seen#{served := Served + 1});
        {trace, _, return_from, {bte_drain, _, _}, false} ->
            do_count(Seen#{unserved := Unserved + 1});
        {trace, _, call, _} -> do_count(Seen);
        {stop, From} -> From ! {traced, Seen}
    end.

do_traced(Tracer) ->
    _ = erlang:trace(processes, false, [call]),
    Delivered = erlang:trace_delivered(all),
    ?AWAIT({trace_delivered, all, Delivered}, ok),
    Tracer ! {stop, self()},
    ?AWAIT({traced, Seen}, Seen).

%% LR-03. Its class is renamed three times: no code changes, and it does not notice. The first of
%% three selector renames leaves the frame in old code, the next ones are refused because of it, or
%% wait for it (docs/decisions/009).
parked_frame_outlives_renames_and_is_named_where_it_is_in_the_way(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@counter'),
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        exit({value, bte_actor:call('park:', 0, A, [Me], infinity)})
    end),
    ?AWAIT({parked, Pid}, ok),
    [do_rename(class) || _ <- [1, 2, 3]],
    {Class, _} = do_class(),
    Rename = fun(Old, New, Timeout) ->
        bt_refactor:perform(
            #{operation => rename_method, class => Class, side => instance, selector => Old,
              new_selector => New, accept => []},
            #{timeout => Timeout}
        )
    end,
    {ok, _} = Rename(<<"add">>, <<"plus">>, 300),
    Before = {bte_host:units(), bte_host:generation(), bt_refactor:changes()},
    [
        begin
            {error, Error} = Rename(<<"plus">>, New, 300),
            ?assertEqual(old_code_in_use, btr_error:kind(Error)),
            ?assertNotEqual(nomatch, string:find(btr_error:message(Error), pid_to_list(Pid))),
            ?assertEqual(Before,
                {bte_host:units(), bte_host:generation(), bt_refactor:changes()})
        end
     || New <- [<<"sum">>, <<"total">>]
    ],
    {_, Waiting} = spawn_monitor(fun() ->
        exit({answer, Rename(<<"plus">>, <<"sum">>, 60000)})
    end),
    %% Its frame is older than the first rename, and its second send is served.
    Pid ! go,
    ?AWAIT({'DOWN', Monitor, process, _, {value, Value}}, ?assertEqual(2, Value)),
    {answer, Answer} = btr_wait:end_of(Waiting),
    ?assertMatch({ok, #{selector := <<"sum">>}}, Answer),
    ?assert(is_process_alive(Pid)).
