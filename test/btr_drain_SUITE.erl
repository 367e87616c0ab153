%%% Must-shows 2 and 3 of the transaction: sends of every kind during method renames there and back.
%%% BTR_RENAMES, BTR_ACTORS and BTR_CLIENTS set the size (default 10, 60, 20; the issue's figures
%%% are 500, 1000, 200).
-module(btr_drain_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").

suite() -> [{timetrap, {minutes, 10}}].

all() -> [no_send_is_lost_doubled_or_refused_during_method_renames,
          third_rename_over_a_parked_frame_refuses_and_names_it].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"src/counter.bt">>,
            "Actor subclass: Counter\n"
            "  state: value = 0\n\n"
            "  increment => self.value := self.value + 1\n\n"
            "  twice =>\n    self increment\n    self increment\n\n"
            "  value => self.value\n\n"
            "  park: probe =>\n"
            "    self increment\n"
            "    Erlang btr_drain_SUITE park: probe\n"
            "    self increment\n"
            "    self.value\n"},
        {<<"src/loud_counter.bt">>,
            "Counter subclass: LoudCounter\n"
            "  loud => super increment\n"},
        {<<"src/client.bt">>,
            "Actor subclass: Client\n"
            "  state: sent = 0\n"
            "  state: failed = 0\n"
            "  state: target = nil\n"
            "  state: loud = nil\n"
            "  state: block = nil\n\n"
            "  tick =>\n"
            "    [self round] on: Error do: [:e | self.failed := self.failed + 1]\n\n"
            "  round =>\n"
            "    self.target increment\n"
            "    self.target increment!\n"
            "    self.target twice\n"
            "    self.loud loud\n"
            "    self.loud increment\n"
            "    self.block isNil ifTrue: [\n"
            "      counter := self.target\n"
            "      self.block := [counter increment]\n"
            "    ]\n"
            "    self.block value\n"
            "    self.sent := self.sent + 7\n\n"
            "  sent => self.sent\n\n"
            "  failed => self.failed\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_number(Name, Default) -> list_to_integer(os:getenv(Name, Default)).

park(Probe) ->
    Probe ! {parked, self()},
    receive go -> ok end.

no_send_is_lost_doubled_or_refused_during_method_renames(_) ->
    Actors = [
        bte_actor:spawn(case N rem 2 of 0 -> 'bt@test@counter'; 1 -> 'bt@test@loud_counter' end)
     || N <- lists:seq(1, do_number("BTR_ACTORS", "60"))
    ],
    Louds = [A || {'$actor', 'bt@test@loud_counter', _} = A <- Actors],
    Clients = [do_client(do_nth(N, Actors), do_nth(N, Louds))
               || N <- lists:seq(1, do_number("BTR_CLIENTS", "20"))],
    lists:foreach(fun do_rename/1, lists:seq(1, do_number("BTR_RENAMES", "10"))),
    Sent = [do_stop(C) || C <- Clients],
    %% A call to each actor is answered behind the casts it still had.
    Values = [bte_send:send(value, bte_host:generation(), A) || A <- Actors],
    ct:pal("~b sends, ~b renames", [lists:sum(Sent), length(bt_refactor:changes())]),
    ?assert(lists:sum(Sent) > 0),
    ?assertEqual(lists:sum(Sent), lists:sum(Values)).

do_nth(N, List) -> lists:nth(1 + N rem length(List), List).

%% A Beamtalk actor that a timer drives; its method is called anew each time.
do_client(Target, Loud) ->
    {'$actor', _, Pid} = Client = bte_actor:spawn('bt@test@client',
        #{target => Target, loud => Loud}),
    {ok, Timer} = timer:send_interval(5, Pid, {'$cast', tick, 0, []}),
    {Client, Timer}.

do_stop({Client, Timer}) ->
    {ok, cancel} = timer:cancel(Timer),
    ?assertEqual(0, bte_send:send(failed, bte_host:generation(), Client)),
    bte_send:send(sent, bte_host:generation(), Client).

do_rename(N) ->
    {Old, New} = case N rem 2 of
        1 -> {<<"increment">>, <<"grow">>};
        0 -> {<<"grow">>, <<"increment">>}
    end,
    Request = #{operation => rename_method, class => <<"Counter">>, side => instance,
        selector => Old,
                new_selector => New, accept => []},
    {ok, #{candidates := Candidates}} = bt_refactor:plan(Request),
    Accept = [[File, Start] || #{file := File, start := Start} <- Candidates],
    ?assertEqual(4, length(Accept)),
    {ok, _} = bt_refactor:perform(Request#{accept := Accept}, #{timeout => 60000}).

%% LR-03
third_rename_over_a_parked_frame_refuses_and_names_it(_) ->
    {'$actor', _, Pid} = A = bte_actor:spawn('bt@test@counter'),
    Me = self(),
    {_, Monitor} = spawn_monitor(fun() ->
        exit({value, bte_actor:call('park:', 0, A, [Me], infinity)})
    end),
    receive {parked, Pid} -> ok end,
    %% A class rename changes no code and simply succeeds.
    {ok, _} = bt_refactor:perform(
        #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>}
    ),
    Rename = fun(Old, New) ->
        bt_refactor:perform(
            #{operation => rename_method, class => <<"Tally">>, side => instance, selector => Old,
              new_selector => New, accept => []},
            #{timeout => 300}
        )
    end,
    {ok, _} = Rename(<<"increment">>, <<"grow">>),
    Before = {bte_host:units(), bte_host:generation(), bt_refactor:changes()},
    {error, Error} = Rename(<<"grow">>, <<"swell">>),
    ?assertEqual(old_code_in_use, btr_error:kind(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:message(Error),
        list_to_binary(pid_to_list(Pid)))),
    ?assertEqual(Before, {bte_host:units(), bte_host:generation(), bt_refactor:changes()}),
    %% Its frame is older than the first rename, and its second send is served.
    Pid ! go,
    receive {'DOWN', Monitor, process, _, {value, Value}} -> ?assertEqual(2, Value) end,
    ?assert(is_process_alive(Pid)),
    {ok, _} = Rename(<<"grow">>, <<"swell">>).
