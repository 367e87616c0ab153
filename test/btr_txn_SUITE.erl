%%% The pure transaction machine: its way, its refusals, its list of edges.
-module(btr_txn_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [straight_road, bare_request_is_planned_once_more, seen_plan_is_never_planned_again,
     refusal_before_the_switch_forgets_what_was_staged, not_purged_tries_the_same_set_again,
     other_failure_of_the_switch_never_tries_again, waiting_ends_late, hopeless_refuses_at_once,
     nothing_to_do_is_success, after_the_switch_nothing_leads_back, edges_are_the_listed_ones,
     architecture_shows_the_listed_edges].

plan() -> #{generation => 7, change => #{operation => x, units => [#{file => <<"a">>}],
    names => []}}.
compiled() -> #{prepared => prep, modules => [m], drafts => [#{d => 1}]}.
err() -> btr_error:new(<<"compile.failed">>, <<"no">>).

events() ->
    [
        {planned, {ok, plan()}}, {verified, ok}, {compiled, {ok, compiled()}}, {old_code, clear},
        {verified, ok}, {staged, {ok, st}}, {intended, [#{seq => 1}]}, {switched, ok},
        {published, ok}, {logged, [#{seq => 1, saved => true}]}, forgotten, purged
    ].

do_run(Source, Events) ->
    lists:foldl(
        fun(Event, {Txn, All}) ->
            {Txn1, Effects} = btr_txn:step(Event, Txn),
            {Txn1, All ++ Effects}
        end,
        btr_txn:new(Source),
        Events
    ).

straight_road(_) ->
    {Txn, Effects} = do_run({request, r}, events()),
    ?assertEqual(done, btr_txn:state(Txn)),
    ?assertEqual(
        [plan, verify, compile, old_code, verify, stage, intend, switch, publish, log, keep,
            forget, reply, purge],
        [do_name(E) || E <- Effects]
    ),
    ?assert(lists:member({stage, prep, 8}, Effects)),
    ?assert(lists:member({reply, {ok, [#{seq => 1, saved => true}]}}, Effects)).

do_name(E) when is_tuple(E) -> element(1, E);
do_name(E) -> E.

bare_request_is_planned_once_more(_) ->
    Events = [{planned, {ok, plan()}}, {verified, {error, err()}}],
    {Txn, Effects} = do_run({request, r}, Events),
    ?assertEqual(asked, btr_txn:state(Txn)),
    ?assertEqual([{plan, {request, r}}, {verify, plan()}, {plan, {request, r}}], Effects),
    {Txn2, _} = do_run({request, r}, Events ++ Events),
    ?assertEqual(refused, btr_txn:state(Txn2)).

seen_plan_is_never_planned_again(_) ->
    {Txn, Effects} = do_run({plan, p}, [{planned, {ok, plan()}}, {verified, {error, err()}}]),
    ?assertEqual(refused, btr_txn:state(Txn)),
    ?assertEqual({reply, {error, err()}}, lists:last(Effects)).

do_until(State) ->
    N = length(lists:takewhile(
        fun(K) -> {T, _} = do_run({plan, p}, lists:sublist(events(), K)),
            btr_txn:state(T) =/= State end,
        lists:seq(0, 12)
    )),
    do_run({plan, p}, lists:sublist(events(), N)).

refusal_before_the_switch_forgets_what_was_staged(_) ->
    {Txn, _} = do_until(staged),
    {Txn1, Effects} = btr_txn:step({switched, {error, err()}}, Txn),
    ?assertEqual(refused, btr_txn:state(Txn1)),
    ?assertEqual([{unstage, st}, forget, {reply, {error, err()}}], Effects).

not_purged_tries_the_same_set_again(_) ->
    {Txn, _} = do_until(staged),
    {Txn1, [{old_code, [m]}]} = btr_txn:step({switched, {error, {not_purged, [m]}}}, Txn),
    {Txn2, [deadline, {nudge, [m]}, wait]} = btr_txn:step({old_code, {held, [{m, []}]}}, Txn1),
    {Txn3, [{old_code, [m]}]} = btr_txn:step(waited, Txn2),
    {Txn4, [{switch, st}]} = btr_txn:step({old_code, clear}, Txn3),
    {Txn5, [{publish, st}]} = btr_txn:step({switched, ok}, Txn4),
    ?assertEqual(switched, btr_txn:state(Txn5)).

other_failure_of_the_switch_never_tries_again(_) ->
    {Txn, _} = do_until(staged),
    {Txn1, _} = btr_txn:step({switched, {error, err()}}, Txn),
    [?assertMatch({Txn1, []}, btr_txn:step(E, Txn1)) || E <- do_all_events()].

waiting_ends_late(_) ->
    {Txn, _} = do_until(compiled),
    {Txn1, _} = btr_txn:step({old_code, {held, [{m, [{self(), <<"Counter>>run">>}]}]}}, Txn),
    {Txn2, [{reply, {error, Error}}]} = btr_txn:step(late, Txn1),
    ?assertEqual(refused, btr_txn:state(Txn2)),
    ?assertEqual(<<"load.old_code_in_use">>, btr_error:code(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:message(Error), <<"Counter>>run">>)).

hopeless_refuses_at_once(_) ->
    {Txn, _} = do_until(compiled),
    {Txn1, [{reply, {error, _}}]} = btr_txn:step({old_code, {hopeless, [{m, []}]}}, Txn),
    ?assertEqual(refused, btr_txn:state(Txn1)).

nothing_to_do_is_success(_) ->
    Plan = #{generation => 1, change => #{operation => x, units => [], names => []}},
    {Txn, Effects} = do_run({plan, p}, [{planned, {ok, Plan}}]),
    ?assertEqual(done, btr_txn:state(Txn)),
    ?assertEqual({reply, {ok, []}}, lists:last(Effects)).

do_all_events() ->
    [
        {planned, {ok, plan()}},
        {planned, {ok, #{generation => 7, change => #{operation => x, units => [], names => []}}}},
        {planned, {error, err()}}, {verified, ok},
        {verified, {error, err()}}, {compiled, {ok, compiled()}}, {compiled, {error, err()}},
        {old_code, clear}, {old_code, {held, [{m, []}]}}, {old_code, {hopeless, []}},
        {old_code, {error, err()}}, waited, late, {staged, {ok, st}}, {staged, {error, err()}},
        {intended, []}, abandoned, {switched, ok}, {switched, {error, {not_purged, [m]}}},
        {switched, {error, err()}}, {published, ok}, {logged, []}, forgotten, purged
    ].

after_the_switch_nothing_leads_back(_) ->
    {Txn, _} = do_until(switched),
    do_walk([Txn], [], fun(T) ->
        ?assert(lists:member(btr_txn:state(T), [switched, current, logged, draining, done]))
    end).

edges_are_the_listed_ones(_) ->
    {Start1, _} = btr_txn:new({request, r}),
    {Start2, _} = btr_txn:new({plan, p}),
    Found = do_edges([Start1, Start2]),
    Listed = lists:usort([{From, To} || {From, _, To} <- btr_txn:transitions()]),
    ?assertEqual(Listed, lists:usort(Found)).

architecture_shows_the_listed_edges(_) ->
    {ok, Text} = file:read_file(filename:join([do_root(filename:absname("")), "docs",
        "ARCHITECTURE.md"])),
    Rows = [
        <<"| ", (atom_to_binary(From))/binary, " | ", (atom_to_binary(Event))/binary, " | ",
          (atom_to_binary(To))/binary, " |">>
     || {From, Event, To} <- btr_txn:transitions()
    ],
    ?assertEqual([], [Row || Row <- Rows, binary:match(Text, Row) =:= nomatch]).

do_root(Dir) ->
    case filelib:is_file(filename:join([Dir, "docs", "ARCHITECTURE.md"])) of
        true -> Dir;
        false when Dir =/= "/" -> do_root(filename:dirname(Dir))
    end.

do_edges(Starts) ->
    All = do_walk(Starts, [], fun(_) -> ok end),
    [
        {btr_txn:state(T), btr_txn:state(T1)}
     || T <- All, E <- do_all_events(), {T1, _} <- [btr_txn:step(E, T)],
        btr_txn:state(T) =/= btr_txn:state(T1)
    ].

%% Every machine that can be reached.
do_walk([], Seen, _) -> Seen;
do_walk([Txn | Rest], Seen, Check) ->
    case lists:member(Txn, Seen) of
        true -> do_walk(Rest, Seen, Check);
        false ->
            Check(Txn),
            do_walk([T || E <- do_all_events(), {T, _} <- [btr_txn:step(E, Txn)]] ++ Rest,
                    [Txn | Seen], Check)
    end.
