%%% Several requests as one operation: one switch, one group of entries, flushed together.
-module(btr_group_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() -> [group_is_one_generation, refused_member_refuses_all, group_is_withheld_as_a_whole,
          chain_in_a_group, group_plan_is_refused_when_outdated, real_group_on_the_example].

init_per_testcase(real_group_on_the_example, Config) ->
    Config;
init_per_testcase(Case, Config) ->
    Root = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    ok = filelib:ensure_path(filename:join(Root, "src")),
    maps:foreach(fun(F, T) -> ok = file:write_file(filename:join(Root, F), T) end, do_texts()),
    btr_host_fake:start(do_texts()),
    {ok, _} = bt_refactor:start(btr_toy:options(#{root => Root})),
    Config.

end_per_testcase(real_group_on_the_example, Config) ->
    btr_live_SUITE:end_per_testcase(x, Config);
end_per_testcase(_, _) ->
    bt_refactor:stop(),
    btr_host_fake:stop().

do_texts() ->
    #{
        <<"src/counter.bt">> => <<"Object subclass: Counter\n  increment => 1\n">>,
        <<"src/user.bt">> => <<"Object subclass: User\n  run => Counter increment\n">>,
        <<"src/other.bt">> => <<"Object subclass: Other\n  a => 1\n">>
    }.

do_requests() ->
    [
        #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>},
        #{operation => rename_method, class => <<"Tally">>, selector => <<"increment">>,
          new_selector => <<"bump">>},
        #{operation => patch_method, class => <<"Other">>, side => instance, source => <<"a => 2">>}
    ].

do_text(File) ->
    {ok, #{text := Text}} = btr_host_fake:unit(File),
    Text.

group_is_one_generation(_) ->
    {ok, #{seq := 1, group := 1}} = bt_refactor:perform(do_requests()),
    ?assertEqual(1, btr_host_fake:generation()),
    ?assertMatch(
        [#{kind := 'rename-class', group := 1}, #{kind := 'rename-method', group := 1},
         #{kind := instance, group := 1}],
        bt_refactor:changes()
    ),
    [_, #{sites := [#{prev_source := Prev} | _]}, _] = bt_refactor:changes(),
    ?assertEqual(<<"  increment => 1\n">>, Prev),
    ?assertEqual(<<"Object subclass: User\n  run => Tally bump\n">>, do_text(<<"src/user.bt">>)),
    ?assertEqual(1, length([x || switch <- btr_faults:calls()])).

refused_member_refuses_all(_) ->
    Before = {btr_host_fake:snapshot(), bt_refactor:changes()},
    Bad = #{operation => rename_class, class => <<"Counter">>, new_name => <<"Meter">>},
    {error, {btr, <<"class.not_found">>, #{request := 4}}} =
        bt_refactor:perform(do_requests() ++ [Bad]),
    ?assertEqual(Before, {btr_host_fake:snapshot(), bt_refactor:changes()}).

group_is_withheld_as_a_whole(_) ->
    {ok, _} = bt_refactor:perform(do_requests()),
    {ok, #{flushed := 0, skipped := Skipped}} = bt_refactor:flush(),
    ?assertEqual([1, 2, 3], [S || #{seq := S} <- Skipped]),
    Filter = fun(#{kind := Kind}) -> Kind =:= 'rename-method' end,
    {ok, #{flushed := 3, skipped := []}} =
        bt_refactor:flush(#{destructive => true, filter => Filter}).

chain_in_a_group(_) ->
    Rename = fun(A, B) -> #{operation => rename_class, class => A, new_name => B} end,
    {ok, #{names := [{class, <<"Counter">>, <<"Meter">>}]}} =
        bt_refactor:plan([Rename(<<"Counter">>, <<"Tally">>), Rename(<<"Tally">>, <<"Meter">>)]),
    {ok, #{names := []}} =
        bt_refactor:plan([Rename(<<"Counter">>, <<"Tally">>), Rename(<<"Tally">>, <<"Counter">>)]),
    %% A swap.
    {ok, _} = bt_refactor:perform(
        [Rename(<<"Counter">>, <<"X">>), Rename(<<"User">>, <<"Counter">>),
            Rename(<<"X">>, <<"User">>)]
    ),
    ?assertEqual(<<"Object subclass: User\n  increment => 1\n">>, do_text(<<"src/counter.bt">>)).

group_plan_is_refused_when_outdated(_) ->
    {ok, Plan} = bt_refactor:plan(do_requests()),
    {ok, _} = bt_refactor:perform(lists:last(do_requests())),
    {error, {btr, <<"plan.outdated">>, _}} = bt_refactor:apply(Plan).

real_group_on_the_example(Config0) ->
    Config = btr_live_SUITE:init_per_testcase(group, Config0),
    Before = bte_host:generation(),
    Pier = bte_actor:spawn('bt@harbour@berth'),
    {'$actor', _, Held} = bte_actor:spawn('bt@harbour@berth'),
    %% An actor that has not passed its marker keeps the old names open.
    ok = sys:suspend(Held),
    {ok, #{group := 1}} = bt_refactor:perform([
        #{operation => rename_class, class => <<"Berth">>, new_name => <<"Pier">>},
        #{operation => rename_method, class => <<"Pier">>, side => instance,
            selector => <<"isFree">>,
          new_selector => <<"isVacant">>, accept => []},
        #{operation => rename_method, class => <<"Pier">>, side => instance,
            selector => <<"isVacant">>,
          new_selector => <<"isIdle">>, accept => []}
    ]),
    ?assertEqual(Before + 1, bte_host:generation()),
    ?assertEqual(true, bte_send:send(isIdle, Before + 1, Pier)),
    ?assertEqual(true, bte_send:send(isFree, Before, Pier)),
    ok = sys:resume(Held),
    {ok, #{flushed := 3, conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(btr_live_SUITE:do_memory(), btr_live_SUITE:do_disk(Config)).
