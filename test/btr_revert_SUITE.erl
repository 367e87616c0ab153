%%% Taking changes back: exactly one entry or group, later ones kept, refusals total.
-module(btr_revert_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("prop.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [entry_that_was_put_away_says_so, pending_entry_goes_back_over_what_could_be_put_away,
     each_kind_goes_back, last_in_first_out, later_edits_elsewhere_stay,
        overlap_names_the_later_entry,
     dependent_entry_is_named, group_goes_back_as_one, failure_keeps_the_entry,
         not_twice_nor_after_flush,
     removed_class_comes_back, edits_there_and_back, edits_are_carried_over_later_ones].

init_per_testcase(_, Config) ->
    btr_host_fake:start(do_texts()),
    {ok, _} = bt_refactor:start(btr_toy:options()),
    Config.

end_per_testcase(_, _) ->
    application:unset_env(bt_refactor, log_limit),
    bt_refactor:stop(),
    btr_host_fake:stop().

do_texts() ->
    #{
        <<"src/counter.bt">> =>
            <<"Object subclass: Counter\n  increment => 1\n  reset => 0\n"
              "  class make => Counter new\n">>,
        <<"src/user.bt">> => <<"Object subclass: User\n  run => Counter make increment\n">>,
        <<"src/other.bt">> => <<"Object subclass: Other\n  a => 1\n  b => 2\n">>
    }.

do_now() -> maps:map(fun(_, #{text := T}) -> T end, btr_host_fake:units()).

do_rename(Old, New) -> #{operation => rename_class, class => Old, new_name => New}.
do_method(Old, New) ->
    #{operation => rename_method, class => <<"Counter">>, selector => Old, new_selector => New}.
do_patch(Class, Source) ->
    #{operation => patch_method, class => Class, side => instance, source => Source}.
do_remove(Class, Selector) ->
    #{operation => remove_method, class => Class, side => instance, selector => Selector}.

do_perform(Request) ->
    {ok, #{seq := Seq}} = bt_refactor:perform(Request),
    Seq.

%% The log holds four entries; all but the pending ones are written.
do_fill_log(Pending) ->
    application:set_env(bt_refactor, log_limit, 4),
    [
        begin
            Seq = do_perform(do_patch(<<"Other">>, <<"a => ", (integer_to_binary(N))/binary>>)),
            ok = btr_coordinator:mark(lists:seq(1, Seq) -- Pending, #{flushed => true})
        end
     || N <- lists:seq(10, 16)
    ].

entry_that_was_put_away_says_so(_) ->
    1 = do_perform(do_patch(<<"Counter">>, <<"reset => 5">>)),
    _ = do_fill_log([]),
    error = bt_refactor:entry(1),
    Before = {do_now(), bt_refactor:changes()},
    {error, {btr, <<"revert.not_possible">>, #{message := Message}}} = bt_refactor:revert(1),
    ?assertMatch({match, _}, re:run(Message, "entry 1 is not in the log")),
    {error, {btr, _, #{message := None}}} = bt_refactor:revert(99),
    ?assertMatch({match, _}, re:run(None, "there is no entry 99")),
    ?assertEqual(Before, {do_now(), bt_refactor:changes()}).

%% Its own line moves with each later edit above it.
pending_entry_goes_back_over_what_could_be_put_away(_) ->
    1 = do_perform(do_patch(<<"Counter">>, <<"reset => 5">>)),
    2 = do_perform(do_patch(<<"Counter">>, <<"increment => 1000000">>)),
    3 = do_perform(do_patch(<<"User">>, <<"run => 1">>)),
    _ = do_fill_log([1]),
    ?assertMatch([1, 2 | _], [S || #{seq := S} <- bt_refactor:changes()]),
    error = bt_refactor:entry(3),
    {ok, _} = bt_refactor:revert(1),
    #{<<"src/counter.bt">> := Text} = do_now(),
    ?assertMatch({match, _}, re:run(Text, "increment => 1000000\n  reset => 0\n")).

each_kind_goes_back(_) ->
    [
        begin
            Seq = do_perform(Request),
            ?assertNotEqual(do_texts(), do_now()),
            {ok, #{kind := Kind, active := false, author := <<"repl/revert">>}} =
                bt_refactor:revert(Seq),
            ?assertEqual(do_texts(), do_now()),
            {ok, #{active := false, reverted := true}} = bt_refactor:entry(Seq)
        end
     || {Request, Kind} <- [
            {do_rename(<<"Counter">>, <<"Tally">>), 'rename-class'},
            {do_method(<<"increment">>, <<"bump">>), 'rename-method'},
            {do_patch(<<"Other">>, <<"a => 7">>), instance},
            {do_patch(<<"Other">>, <<"c => 7">>), 'remove-method'},
            {do_remove(<<"Counter">>, <<"reset">>), instance}
        ]
    ],
    ?assertEqual([], [E || #{active := true} = E <- bt_refactor:changes()]).

%% CL-01
last_in_first_out(_) ->
    A = do_perform(do_rename(<<"Counter">>, <<"Tally">>)),
    Between = do_now(),
    B = do_perform(do_rename(<<"Tally">>, <<"Meter">>)),
    {error, Error} = bt_refactor:revert(A),
    ?assertMatch({btr, <<"revert.not_possible">>, #{blocking := [B]}}, Error),
    {ok, _} = bt_refactor:revert(B),
    ?assertEqual(Between, do_now()),
    {ok, _} = bt_refactor:revert(A),
    ?assertEqual(do_texts(), do_now()).

later_edits_elsewhere_stay(_) ->
    A = do_perform(do_patch(<<"Other">>, <<"a => 1000">>)),
    _ = do_perform(do_patch(<<"Other">>, <<"b => 2000">>)),
    _ = do_perform(do_rename(<<"Other">>, <<"Another">>)),
    {ok, _} = bt_refactor:revert(A),
    ?assertEqual(
        <<"Object subclass: Another\n  a => 1\n  b => 2000\n">>,
            maps:get(<<"src/other.bt">>, do_now())
    ).

overlap_names_the_later_entry(_) ->
    A = do_perform(do_patch(<<"Other">>, <<"a => 7">>)),
    B = do_perform(do_patch(<<"Other">>, <<"a => 8">>)),
    Before = {btr_host_fake:snapshot(), bt_refactor:changes()},
    {error, Error} = bt_refactor:revert(A),
    ?assertMatch({btr, _, #{blocking := [B]}}, Error),
    ?assertEqual(revert_not_possible, btr_error:kind(Error)),
    ?assertEqual(Before, {btr_host_fake:snapshot(), bt_refactor:changes()}).

dependent_entry_is_named(_) ->
    A = do_perform(do_rename(<<"Counter">>, <<"Tally">>)),
    B = do_perform(do_patch(<<"Other">>, <<"c => Tally make">>)),
    {error, {btr, _, #{blocking := [B]}}} = bt_refactor:revert(A),
    {ok, _} = bt_refactor:revert(B),
    {ok, _} = bt_refactor:revert(A),
    ?assertEqual(do_texts(), do_now()).

group_goes_back_as_one(_) ->
    {ok, #{seq := 1}} = bt_refactor:perform([
        do_rename(<<"Counter">>, <<"Tally">>),
        (do_method(<<"increment">>, <<"bump">>))#{class := <<"Tally">>},
        do_rename(<<"Tally">>, <<"Meter">>),
        do_patch(<<"Other">>, <<"a => 7">>)
    ]),
    {ok, #{group := 5}} = bt_refactor:revert(2),
    ?assertEqual(do_texts(), do_now()),
    ?assertEqual(8, length(bt_refactor:changes())),
    ?assertEqual([], [E || #{active := true} = E <- bt_refactor:changes()]),
    ?assertEqual(2, btr_host_fake:generation()).

%% CR-03
failure_keeps_the_entry(_) ->
    A = do_perform(do_rename(<<"Counter">>, <<"Tally">>)),
    Before = {do_now(), bt_refactor:changes()},
    btr_faults:inject(stage, 'after', raise),
    {error, _} = bt_refactor:revert(A),
    ?assertEqual(Before, {do_now(), bt_refactor:changes()}),
    {ok, _} = bt_refactor:revert(A),
    ?assertEqual(do_texts(), do_now()).

not_twice_nor_after_flush(_) ->
    A = do_perform(do_rename(<<"Counter">>, <<"Tally">>)),
    {ok, #{seq := B}} = bt_refactor:revert(A),
    [{error, {btr, <<"revert.not_possible">>, _}} = bt_refactor:revert(S) || S <- [A, B, 99]].

removed_class_comes_back(_) ->
    {ok, #{digest := Digest}} = btr_host_fake:unit(<<"src/other.bt">>),
    {ok, #{seq := Seq, kind := 'remove-class'}} = bt_refactor:change(
        #{operation => remove_class, names => [], units => [
            #{file => <<"src/other.bt">>, text => deleted, package => <<"toy">>, origin => project,
              names_only => false, old_digest => Digest}
        ]}
    ),
    {ok, #{kind := 'new-class'}} = bt_refactor:revert(Seq),
    ?assertEqual(do_texts(), do_now()),
    {ok, #{base_digest := Digest}} = btr_host_fake:unit(<<"src/other.bt">>).

do_text() -> ?LET(Chars, proper_types:list(proper_types:elements("ab\n")), list_to_binary(Chars)).

edits_there_and_back(_) ->
    true = proper:quickcheck(?FORALL({A, B}, {do_text(), do_text()}, begin
        Edits = btr_edits:between(A, B, []),
        {ok, B} =:= btr_edits:apply_edits(Edits, A) andalso
            {ok, A} =:= btr_edits:apply_edits(btr_edits:inverted(Edits), B)
    end), [quiet, {numtests, 500}]).

%% Undoing the first of two edits that do not touch leaves the second.
edits_are_carried_over_later_ones(_) ->
    true = proper:quickcheck(?FORALL({L, M, R, X, Y},
        {do_text(), do_text(), do_text(), do_text(), do_text()}, begin
        Texts = fun(A, B) -> iolist_to_binary([L, "<1", A, "1>", M, "<2", B, "2>", R]) end,
        First = btr_edits:between(Texts(<<>>, <<>>), Texts(X, <<>>), []),
        Second = btr_edits:between(Texts(X, <<>>), Texts(X, Y), []),
        {ok, Carried} = btr_edits:carried(btr_edits:inverted(First), Second),
        {ok, Texts(<<>>, Y)} =:= btr_edits:apply_edits(Carried, Texts(X, Y))
    end), [quiet, {numtests, 500}]).
