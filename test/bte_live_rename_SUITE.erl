%% Must-show 6 of the foundation: fifty clients send to actors of a class and of its subclass
%% during a hundred renames of the class, with one more parked in one of its methods throughout.
-module(bte_live_rename_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([no_call_fails_or_is_lost_during_a_hundred_renames/1]).
-export([chains_of_actors_go_on_while_their_classes_are_renamed/1]).
-export([park/1]).

-define(RENAMES, 100).
-define(CLIENTS, 25).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [no_call_fails_or_is_lost_during_a_hundred_renames,
     chains_of_actors_go_on_while_their_classes_are_renamed].

init_per_testcase(_, Config) ->
    bte_workspace:start([
        {<<"src/counter.bt">>,
            "Actor subclass: Counter\n"
            "  state: value = 0\n\n"
            "  increment => self.value := self.value + 1\n"
            "  twice =>\n    self increment\n    self increment\n"
            "  value => self.value\n"
            "  park: probe => Erlang bte_live_rename_SUITE park: probe\n"},
        {<<"src/loud_counter.bt">>,
            "Counter subclass: LoudCounter\n"
            "  increment => super increment\n"
            "  isCounter: other => other isKindOf: Counter\n"},
        {<<"src/client.bt">>,
            "Actor subclass: Client\n"
            "  state: sent = 0\n"
            "  state: failed = 0\n"
            "  state: target :: Counter = nil\n"
            "  state: fresh = 0\n\n"
            "  tick =>\n"
            "    self.sent := self.sent + 1\n"
            "    [self.target increment] on: Error do: [:e | self.failed := self.failed + 1]\n"
            "    self.sent % 10 == 0 ifTrue: [\n"
            "      self.fresh := self.fresh + 1\n"
            "      c := Counter new\n"
            "      c increment\n"
            "      c stop\n"
            "    ]\n"
            "  sent => self.sent\n"
            "  failed => self.failed\n"}
    ]),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

park(Probe) ->
    Probe ! {parked, self()},
    receive go -> through end.

no_call_fails_or_is_lost_during_a_hundred_renames(_) ->
    Before = bte_host:units(),
    Counter = bte_actor:spawn('bt@test@counter'),
    Loud = bte_actor:spawn('bt@test@loud_counter'),
    Parked = do_park(),
    Clients = [do_client(do_pick(N, Counter, Loud)) || N <- lists:seq(1, ?CLIENTS)],
    Callers = [do_caller(do_pick(N, Counter, Loud)) || N <- lists:seq(1, ?CLIENTS)],
    lists:foreach(fun do_rename/1, lists:seq(1, ?RENAMES)),
    Calls = [do_stop_caller(C) || C <- Callers],
    Ticks = [do_stop_client(C) || C <- Clients],
    ?assertEqual(through, do_release(Parked)),
    Values = [bte_send:send(value, 0, A) || A <- [Counter, Loud]],
    ct:pal("~b ticks, ~b calls, ~b renames", [lists:sum(Ticks), lists:sum(Calls), ?RENAMES]),
    ?assert(lists:sum(Ticks) > 0),
    ?assert(lists:sum(Calls) > 0),
    ?assertEqual(lists:sum(Ticks) + lists:sum(Calls), lists:sum(Values)),
    ?assertEqual(?RENAMES, length(bt_refactor:changes())),
    Texts = fun(Units) -> maps:map(fun(_, #{text := T}) -> T end, Units) end,
    ?assertEqual(Texts(Before), Texts(bte_host:units())).

%% Each call goes through twelve actors, each of a class of its own. Each class is renamed,
%% and so is the method of one in the middle, under which some calls wait at any time.
chains_of_actors_go_on_while_their_classes_are_renamed(_) ->
    Links = 12,
    ok = bte_workspace:load([do_link(N, Links) || N <- lists:seq(1, Links)]),
    First = lists:foldl(
        fun(N, Next) -> bte_actor:spawn(do_identity(N), do_next(Next)) end,
        none,
        lists:seq(Links, 1, -1)
    ),
    Walkers = [spawn_monitor(fun() -> do_walks(First, 2 * Links, 0) end) || _ <- lists:seq(1, 4)],
    [
        begin
            Old = bte_registry:name_of(do_identity(N)),
            {ok, _} = bt_refactor:perform(#{operation => rename_class, class => Old,
                new_name => do_other(Old)}),
            ok = do_rename_middle(Links div 2)
        end
     || _ <- [1, 2], N <- lists:seq(1, Links)
    ],
    Walks = [do_stop_caller(W) || W <- Walkers],
    ?assert(lists:min(Walks) > 0),
    ?assertEqual(4 * Links, length(bt_refactor:changes())).

do_link(N, Last) ->
    Number = integer_to_list(N),
    Body = case N of
        Last -> ["  walk: n => n + 1\n"];
        _ ->
            Next = ["Link", integer_to_list(N + 1)],
            ["  state: next :: ", Next, " = nil\n\n",
                "  walk: n => (self.next walk: n + 1) + 1\n"]
    end,
    {iolist_to_binary(["src/link", Number, ".bt"]), ["Actor subclass: Link", Number, "\n", Body]}.

do_identity(N) -> list_to_atom("bt@test@link" ++ integer_to_list(N)).

do_next(none) -> #{};
do_next(Actor) -> #{next => Actor}.

do_other(<<"Link", Number/binary>>) -> <<"Bond", Number/binary>>;
do_other(<<"Bond", Number/binary>>) -> <<"Link", Number/binary>>.

do_rename_middle(N) ->
    Methods = maps:get(instance, bte_registry:methods(do_identity(N))),
    {Old, New} = case is_map_key(<<"walk:">>, Methods) of
        true -> {<<"walk:">>, <<"stride:">>};
        false -> {<<"stride:">>, <<"walk:">>}
    end,
    Request = #{operation => rename_method, class => bte_registry:name_of(do_identity(N)),
        side => instance, selector => Old, new_selector => New},
    {ok, #{candidates := Candidates}} = bt_refactor:plan(Request#{accept => []}),
    [_] = Accept = [[F, S] || #{file := F, start := S, evidence := certain} <- Candidates],
    {ok, _} = bt_refactor:perform(Request#{accept => Accept}, #{timeout => 60000}),
    ok.

do_walks(First, Expected, Count) ->
    receive
        stop -> exit({calls, Count})
    after 0 ->
        Expected = bte_send:send('walk:', 0, First, 1),
        do_walks(First, Expected, Count + 1)
    end.

do_pick(N, A, _) when N rem 2 =:= 0 -> A;
do_pick(_, _, B) -> B.

do_rename(N) ->
    {Old, New} =
        case N rem 2 of
            1 -> {<<"Counter">>, <<"Tally">>};
            0 -> {<<"Tally">>, <<"Counter">>}
        end,
    {ok, _} = bt_refactor:perform(#{operation => rename_class, class => Old, new_name => New}),
    ?assertMatch({ok, 'bt@test@counter'}, bte_registry:lookup(New, <<"test">>)).

do_park() ->
    A = bte_actor:spawn('bt@test@counter'),
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        exit({value, bte_actor:call('park:', 0, A, [Me], infinity)})
    end),
    ?AWAIT({parked, Actor}, {Pid, Ref, Actor}).

do_release({Pid, Ref, Actor}) ->
    Actor ! go,
    ?AWAIT({'DOWN', Ref, process, Pid, {value, Value}}, Value).

%% A Beamtalk actor driven by a timer: the message is a cast.
do_client(Target) ->
    {'$actor', _, Pid} = Client = bte_actor:spawn('bt@test@client', #{target => Target}),
    {ok, Timer} = timer:send_interval(10, Pid, {'$cast', tick, 0, []}),
    {Client, Timer}.

do_stop_client({Client, Timer}) ->
    {ok, cancel} = timer:cancel(Timer),
    ?assertEqual(0, bte_actor:call(failed, 0, Client, [], infinity)),
    bte_actor:call(sent, 0, Client, [], infinity).

%% An Erlang process that calls as fast as it is answered.
do_caller(Target) ->
    spawn_monitor(fun() -> do_calls(Target, 0) end).

do_calls(Target, N) ->
    receive
        stop -> exit({calls, N})
    after 0 ->
        Value = bte_send:send(increment, 0, Target),
        true = is_integer(Value),
        do_calls(Target, N + 1)
    end.

do_stop_caller({Pid, Ref}) ->
    Pid ! stop,
    ?AWAIT({'DOWN', Ref, process, Pid, {calls, N}}, N).
