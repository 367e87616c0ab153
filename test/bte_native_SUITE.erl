%% Classes of `native:': an Erlang module behind the class.
-module(bte_native_SUITE).
-behaviour(gen_server).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_suite/1, end_per_suite/1]).
-export([
    an_object_calls_its_module/1, an_actor_asks_its_server/1, errors_are_raised/1,
    own_methods_stand_beside_native_ones/1, the_server_ends_with_its_actor/1,
    the_actor_ends_with_its_server/1, a_missing_module_says_so/1
]).
-export([start_link/1, init/1, handle_call/3, handle_cast/2, double/1, sum/2]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        an_object_calls_its_module, an_actor_asks_its_server, errors_are_raised,
        own_methods_stand_beside_native_ones, the_server_ends_with_its_actor,
        the_actor_ends_with_its_server, a_missing_module_says_so
    ].

init_per_suite(Config) ->
    bte_workspace:start([
        {<<"meter.bt">>, <<
            "Actor subclass: Meter native: bte_native_SUITE\n"
            "  state: start = 5\n"
            "  value => self delegate\n"
            "  add: n => self delegate\n"
            "  add: n times: m => self delegate\n"
            "  map: block over: list => self delegate\n"
            "  server => self delegate\n"
            "  fail => self delegate\n"
            "  crash => self delegate\n"
            "  class double: n => self delegate\n"
            "  twice => self value + self value\n"
        >>},
        {<<"sub_meter.bt">>, <<"Meter subclass: SubMeter\n  thrice => self twice + self value\n">>},
        {<<"sums.bt">>, <<
            "Object subclass: Sums native: bte_native_SUITE\n"
            "  sum: a and: b => self delegate\n"
            "  class double: n => self delegate\n"
        >>},
        {<<"lost.bt">>, <<"Actor subclass: Lost native: no_such_module\n  m => self delegate\n">>}
    ]),
    Config.

end_per_suite(_) ->
    bte_workspace:stop().

%% The module behind the classes.

double(N) -> 2 * N.

sum(A, B) -> A + B.

start_link(State) -> gen_server:start_link(?MODULE, State, []).

init(#{start := Start}) -> {ok, Start}.

handle_call({value, []}, _, N) -> {reply, {ok, N}, N};
handle_call({'add:', [More]}, _, N) -> {reply, nil, N + More};
handle_call({'add:times:', [More, Times]}, From, N) ->
    gen_server:reply(From, N + More * Times),
    {noreply, N + More * Times};
handle_call({'map:over:', [Fun, List]}, _, N) -> {reply, [Fun(E) || E <- List], N};
handle_call({server, []}, _, N) -> {reply, self(), N};
handle_call({fail, []}, _, N) -> {reply, {error, out_of_order}, N};
handle_call({crash, []}, _, N) -> {stop, crashed, N}.

handle_cast(_, N) -> {noreply, N}.

an_object_calls_its_module(_) ->
    ?assertEqual(7, bte_workspace:value("Sums new sum: 3 and: 4")),
    ?assertEqual(8, bte_workspace:value("Sums double: 4")),
    ?assertEqual(8, bte_workspace:value("Meter double: 4")).

an_actor_asks_its_server(_) ->
    ?assertEqual(5, bte_workspace:value("Meter spawn value")),
    ?assertEqual(9, bte_workspace:value("(Meter spawnWith: #{#start => 9}) value")),
    ?assertEqual(8, bte_workspace:value("m := Meter spawn. m add: 3. m value")),
    ?assertEqual(17, bte_workspace:value("m := Meter spawn. m add: 3 times: 4")),
    ?assertEqual([2, 4], bte_workspace:value("Meter spawn map: [:x | x * 2] over: #(1, 2)")).

own_methods_stand_beside_native_ones(_) ->
    ?assertEqual(10, bte_workspace:value("Meter spawn twice")),
    ?assertEqual(15, bte_workspace:value("SubMeter spawn thrice")).

errors_are_raised(_) ->
    ?assertEqual(
        native_error, bte_workspace:value("[Meter spawn fail] on: Error do: [:e | e kind]")
    ).

the_server_ends_with_its_actor(_) ->
    [Actor, Server] = bte_workspace:value("m := Meter spawn. #(m, m server)"),
    Ref = erlang:monitor(process, Server),
    ok = bte_actor:stop(Actor),
    ?assertEqual(normal, btr_wait:end_of(Ref)).

the_actor_ends_with_its_server(_) ->
    Actor = bte_workspace:value("Meter spawn"),
    {'$actor', _, Pid} = Actor,
    Ref = erlang:monitor(process, Pid),
    ?assertMatch({error, _}, do_crash(Actor)),
    _ = btr_wait:end_of(Ref).

do_crash(Actor) ->
    try
        {ok, bte_prim:send(Actor, crash)}
    catch
        error:{bt_exception, Exception} -> {error, Exception}
    end.

a_missing_module_says_so(_) ->
    {error, Text} = bte_workspace:eval("Lost spawn m"),
    ?assertNotEqual(nomatch, binary:match(Text, <<"no start_link/1 in the native module">>)).
