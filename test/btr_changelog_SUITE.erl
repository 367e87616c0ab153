%%% The log on disk: layout, order, restart, damage, failures; and the codec.
-module(btr_changelog_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [bodies_and_line_are_written, entry_survives_the_codec, unknown_kind_and_keys_survive,
     restart_begins_an_epoch_and_goes_on_with_seqs, damaged_line_is_skipped, torn_line_is_closed,
     damaged_body_is_refused, cleared_log_never_reuses_a_seq, flags_are_rewritten,
     failed_append_is_kept_and_saved_later, own_temps_are_cleaned, later_entry_shadows,
         patch_back_to_the_start_is_clean,
     group_is_one_append, full_log_is_rotated, active_entries_are_never_rotated,
     failed_rotation_leaves_everything, no_atom_comes_from_a_line, titles].

%% The tables are the application's; a suite before this one may have left it running.
init_per_suite(Config) ->
    _ = application:stop(bt_embedded),
    _ = application:stop(bt_refactor),
    Config.

end_per_suite(_) -> ok.

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    btr_changelog:tables(),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    btr_fs_fault:reset(),
    catch ets:delete(btr_entries),
    catch ets:delete(btr_state),
    ok.

do_open(Config) ->
    btr_changelog:close(),
    {ok, Log} = btr_changelog:open(#{dir => ?config(dir, Config), fs => btr_fs_fault}),
    Log.

do_draft() -> do_draft(<<"increment">>).
do_draft(Selector) ->
    #{
        kind => instance, class => <<"Counter">>, selector => Selector, side => instance,
        source => <<"  increment => 2\n">>, prev_source => <<"  increment => 1\n">>,
        source_file => <<"src/counter.bt">>, span => #{start => 25, 'end' => 42}, sites => [],
        candidate_sites => [], old_class => nil, old_selector => nil, old_path => nil,
        new_path => nil, flushed => false, reverted => false, flushable => true,
        not_flushable_reason => nil, author => <<"repl">>, author_kind => human, intent => durable,
        generation => 1, summary => #{sites => 0, files => 1, candidates => 0, mentions => 0}
    }.

do_rename() ->
    Span = #{start => 17, 'end' => 24, old => <<"Counter">>, new => <<"Täglich"/utf8>>},
    (do_draft(nil))#{
        kind := 'rename-class', side := nil, source := nil, prev_source := nil, span := nil,
        old_class := <<"Counter">>, old_path := <<"src/counter.bt">>,
            new_path := <<"src/tally.bt">>,
        sites := [#{
            file => <<"src/counter.bt">>, kind => header, span => #{start => 0, 'end' => 25},
            source => <<"Object subclass: T\n">>, prev_source => <<"Object subclass: Counter\n">>,
            spans => [Span]
        }],
        candidate_sites := [Span#{
            file => <<"test/x.bt">>, spans => [Span], line => 1, col => 2, kind => symbol,
            owner => <<"X>>a">>, evidence => symbol, because => <<"a symbol">>
        }]
    }.

do_append(Drafts, Log) -> btr_changelog:append(btr_changelog:number(Drafts, Log), Log).

do_file(Config) -> filename:join(?config(dir, Config), "changes.jsonl").

do_with_limit(Limit, Fun) ->
    application:set_env(bt_refactor, log_limit, Limit),
    try Fun() after application:unset_env(bt_refactor, log_limit) end.

do_seqs() -> [S || #{seq := S} <- btr_changelog:entries()].

do_names(Folder, Config) ->
    {ok, Names} = file:list_dir(filename:join(?config(dir, Config), Folder)),
    lists:sort(Names).

%% Eight fit. Of seven that are written the oldest go, and with the third its group.
full_log_is_rotated(Config) ->
    Log = do_open(Config),
    do_with_limit(8, fun() ->
        _ = [do_append([do_draft()], Log) || _ <- [1, 2]],
        _ = do_append([do_rename(), do_draft(), do_draft(), do_draft()], Log),
        _ = do_append([do_draft()], Log),
        ok = btr_changelog:mark(lists:seq(1, 7), #{flushed => true}, Log),
        [#{seq := 8, saved := true}] = do_append([do_draft()], Log),
        ?assertEqual(lists:seq(1, 8), do_seqs()),
        [#{seq := 9, saved := true}] = do_append([do_draft()], Log),
        ?assertEqual([7, 8, 9], do_seqs())
    end),
    ["changes-" ++ Same1, "sources-" ++ Same2] = Names = do_names("archive", Config),
    ?assertEqual(filename:rootname(Same1, ".jsonl.gz"), filename:rootname(Same2, ".tar.gz")),
    [Lines, Sources] = [
        begin {ok, B} = file:read_file(filename:join([?config(dir, Config), "archive", N])), B end
     || N <- Names
    ],
    ?assertEqual(lists:seq(1, 6), [
        begin {ok, #{<<"seq">> := S}} = btr_nif:json_decode(L), S end
     || L <- binary:split(zlib:gunzip(Lines), <<"\n">>, [global, trim])
    ]),
    {ok, Bodies} = erl_tar:extract({binary, Sources}, [memory, compressed]),
    ?assertEqual(
        {<<"  increment => 1\n">>, <<"Object subclass: T\n">>},
        {proplists:get_value("000001-prev.bt", Bodies),
         proplists:get_value("000003-site-00-source.bt", Bodies)}
    ),
    ?assertEqual(2 * 6, length(Bodies)),
    %% On disk and after a restart the rest is as it was, and no seq comes twice.
    Left = ["00000" ++ [N | What] || N <- "789", What <- ["-prev.bt", "-source.bt"]],
    btr_wait:for(Left, fun() -> do_names("sources", Config) end),
    Again = do_open(Config),
    ?assertEqual([7, 8, 9], do_seqs()),
    [_, _, Last] = btr_changelog:entries(),
    ?assertEqual({ok, <<"  increment => 2\n">>}, btr_changelog:body(source, Last)),
    [#{seq := 10}] = do_append([do_draft()], Again).

active_entries_are_never_rotated(Config) ->
    Log = do_open(Config),
    do_with_limit(4, fun() ->
        _ = [do_append([do_draft(), do_draft()], Log) || _ <- [1, 2, 3]],
        ?assertEqual(lists:seq(1, 6), do_seqs()),
        %% One of the first group is still to be written.
        ok = btr_changelog:mark([1, 3, 4], #{flushed => true}, Log),
        _ = do_append([do_draft()], Log),
        ?assertEqual([1, 2, 5, 6, 7], do_seqs())
    end).

failed_rotation_leaves_everything(Config) ->
    Log = do_open(Config),
    do_with_limit(3, fun() ->
        _ = [do_append([do_draft()], Log) || _ <- [1, 2, 3]],
        ok = btr_changelog:mark([1, 2, 3], #{flushed => true}, Log),
        [
            begin
                %% Behind the bodies and the line of the entry itself.
                btr_fs_fault:fail_at(3 + Step, {error, enospc}),
                [#{saved := true}] = do_append([do_draft()], Log),
                btr_fs_fault:reset(),
                ?assertEqual(lists:seq(1, 3 + Step), do_seqs()),
                ?assertEqual(2 * (3 + Step), length(do_names("sources", Config))),
                {ok, Text} = file:read_file(do_file(Config)),
                ?assertEqual(3 + Step, length(binary:split(Text, <<"\n">>, [global, trim])))
            end
         || Step <- [1, 2, 3]
        ],
        _ = do_append([do_draft()], Log),
        ?assertEqual([4, 5, 6, 7], do_seqs())
    end).

bodies_and_line_are_written(Config) ->
    Log = do_open(Config),
    [#{seq := 1, saved := true}] = do_append([do_draft()], Log),
    [#{seq := 2}] = do_append([do_rename()], Log),
    {ok, Names} = file:list_dir(filename:join(?config(dir, Config), "sources")),
    ?assertEqual(
        ["000001-prev.bt", "000001-source.bt", "000002-site-00-prev.bt",
            "000002-site-00-source.bt"],
        lists:sort(Names)
    ),
    {ok, Text} = file:read_file(do_file(Config)),
    [One, Two, <<>>] = binary:split(Text, <<"\n">>, [global]),
    {ok, Line} = btr_nif:json_decode(One),
    ?assertMatch(
        #{<<"seq">> := 1, <<"epoch">> := 1, <<"kind">> := <<"instance">>,
            <<"class">> := <<"Counter">>,
          <<"sourceFile">> := <<"src/counter.bt">>, <<"source_ref">> := <<"000001-source.bt">>,
          <<"prev_source_ref">> := <<"000001-prev.bt">>, <<"span">> := #{<<"start">> := 25},
          <<"author_kind">> := <<"human">>, <<"flushed">> := false},
        Line
    ),
    {ok, #{<<"old_class">> := <<"Counter">>,
        <<"sites">> := [#{<<"sourceFile">> := <<"src/counter.bt">>}]}} =
        btr_nif:json_decode(Two).

entry_survives_the_codec(Config) ->
    Log = do_open(Config),
    [E1] = do_append([do_draft()], Log),
    [E2] = do_append([do_rename()], Log),
    _ = do_open(Config),
    [D1, D2] = btr_changelog:entries(),
    Same = [seq, ts, epoch, class, selector, side, kind, span, intent, flushable, author,
        author_kind,
            old_class, old_path, new_path, group, summary, source_file],
    ?assertEqual(maps:with(Same, E1), maps:with(Same, D1)),
    ?assertEqual(maps:with(Same, E2), maps:with(Same, D2)),
    ?assertEqual({ok, <<"  increment => 2\n">>}, btr_changelog:body(source, D1)),
    [Site] = maps:get(sites, D2),
    ?assertEqual({ok, <<"Object subclass: Counter\n">>}, btr_changelog:body(prev_source, Site)),
    ?assertEqual(maps:get(spans, hd(maps:get(sites, E2))), maps:get(spans, Site)),
    ?assertMatch([#{file := <<"test/x.bt">>, evidence := symbol}], maps:get(candidate_sites, D2)).

unknown_kind_and_keys_survive(Config) ->
    Log = do_open(Config),
    do_append([do_draft()], Log),
    Future = <<"{\"seq\":9,\"epoch\":1,\"kind\":\"split-class\","
               "\"class\":\"X\",\"color\":\"red\"}\n">>,
    ok = file:write_file(do_file(Config), Future, [append]),
    Log1 = do_open(Config),
    ok = btr_changelog:mark([1], #{flushed => true}, Log1),
    {ok, Text} = file:read_file(do_file(Config)),
    [_, Line, <<>>] = binary:split(Text, <<"\n">>, [global]),
    ?assertMatch({ok, #{<<"kind">> := <<"split-class">>, <<"color">> := <<"red">>}},
        btr_nif:json_decode(Line)),
    ?assertMatch([_, #{kind := unknown}], btr_changelog:entries()).

restart_begins_an_epoch_and_goes_on_with_seqs(Config) ->
    do_append([do_draft()], do_open(Config)),
    Log = do_open(Config),
    ?assertMatch([#{seq := 1, active := false, prior_epoch := true}], btr_changelog:entries()),
    ?assertMatch([#{seq := 2, epoch := 2, active := true}], do_append([do_draft()], Log)).

damaged_line_is_skipped(Config) ->
    do_append([do_draft()], do_open(Config)),
    ok = file:write_file(do_file(Config), <<"{\"seq\":nonsense}\n">>, [append]),
    Log = do_open(Config),
    ?assertMatch([#{seq := 1}], btr_changelog:entries()),
    ?assertMatch([#{seq := 2}], do_append([do_draft()], Log)).

torn_line_is_closed(Config) ->
    do_append([do_draft()], do_open(Config)),
    ok = file:write_file(do_file(Config), <<"{\"seq\":2,\"epo">>, [append]),
    do_append([do_draft()], do_open(Config)),
    _ = do_open(Config),
    ?assertMatch([#{seq := 1}, #{seq := 2}], btr_changelog:entries()).

%% FL-04
damaged_body_is_refused(Config) ->
    do_append([do_draft()], do_open(Config)),
    ok = file:write_file(filename:join([?config(dir, Config), "sources", "000001-prev.bt"]),
        <<"  incremenT => 1\n">>),
    _ = do_open(Config),
    [Entry] = btr_changelog:entries(),
    ?assertMatch({error, {btr, <<"log.damaged">>, _}}, btr_changelog:body(prev_source, Entry)),
    ?assertMatch({ok, _}, btr_changelog:body(source, Entry)).

cleared_log_never_reuses_a_seq(Config) ->
    Log = do_open(Config),
    do_append([do_draft(), do_draft()], Log),
    ok = btr_changelog:clear(Log),
    ?assertEqual([], btr_changelog:entries()),
    Log1 = do_open(Config),
    ?assertMatch([#{seq := 3}], do_append([do_draft()], Log1)).

flags_are_rewritten(Config) ->
    Log = do_open(Config),
    do_append([do_draft(), do_draft(<<"b">>)], Log),
    ok = btr_changelog:mark([2], #{flushed => true}, Log),
    ?assertMatch([#{active := true}, #{active := false, flushed := true}], btr_changelog:entries()),
    _ = do_open(Config),
    ?assertMatch([#{flushed := false}, #{flushed := true}], btr_changelog:entries()).

%% LR-06 (d)
failed_append_is_kept_and_saved_later(Config) ->
    Log = do_open(Config),
    btr_fs_fault:set(append, {error, enospc}),
    [#{seq := 1, saved := false}] = do_append([do_draft()], Log),
    btr_fs_fault:reset(),
    [#{seq := 2, saved := true}] = do_append([do_draft()], Log),
    ?assertMatch([#{saved := true}, #{saved := true}], btr_changelog:entries()),
    _ = do_open(Config),
    ?assertMatch([#{seq := 1}, #{seq := 2}], btr_changelog:entries()).

own_temps_are_cleaned(Config) ->
    _ = do_open(Config),
    Dir = ?config(dir, Config),
    Ours = filename:join(Dir, ".changes.jsonl.btr-tmp-1-2"),
    Others = filename:join(Dir, "changes.jsonl~"),
    [ok = file:write_file(F, <<"x">>) || F <- [Ours, Others]],
    _ = do_open(Config),
    ?assertEqual([false, true], [filelib:is_file(F) || F <- [Ours, Others]]).

later_entry_shadows(Config) ->
    Log = do_open(Config),
    do_append([do_draft()], Log),
    do_append([do_draft(<<"b">>)], Log),
    do_append([(do_draft())#{kind := 'remove-method'}], Log),
    ?assertEqual([true, false, false], [S || #{shadowed := S} <- btr_changelog:entries()]).

patch_back_to_the_start_is_clean(Config) ->
    Log = do_open(Config),
    do_append([do_draft()], Log),
    do_append([(do_draft())#{source := <<"    increment => 1\n">>,
        prev_source := <<"  increment => 2\n">>}],
        Log),
    ?assertMatch([#{shadowed := true, clean := false}, #{shadowed := false, clean := true}],
        btr_changelog:entries()).

group_is_one_append(Config) ->
    Log = do_open(Config),
    btr_fs_fault:fail_at(1000, {error, eio}),
    Entries = do_append([do_draft(), do_draft(<<"b">>), do_draft(<<"c">>)], Log),
    ?assertEqual([{1, 1}, {2, 1}, {3, 1}], [{S, G} || #{seq := S, group := G} <- Entries]),
    %% Six bodies, then all lines at once.
    ?assertEqual(7, btr_fs_fault:count()).

no_atom_comes_from_a_line(Config) ->
    _ = do_open(Config),
    ok = file:write_file(do_file(Config), [
        [<<"{\"seq\":">>, integer_to_binary(N), <<",\"epoch\":1,\"kind\":\"kind_">>,
            integer_to_binary(N),
         <<"_new\",\"side\":\"side_">>, integer_to_binary(N), <<"_new\"}\n">>]
     || N <- lists:seq(1, 1000)
    ]),
    Before = erlang:system_info(atom_count),
    _ = do_open(Config),
    1000 = length(btr_changelog:entries()),
    ?assert(erlang:system_info(atom_count) - Before < 50).

titles(_) ->
    ?assertEqual(
        [<<"Counter>>increment">>, <<"Counter class>>a">>, <<"Counter (new-class)">>,
         <<"Tally (rename-class from Counter)">>, <<"Counter>>b (rename-method from a)">>],
        [btr_changelog:title(E) || E <- [
            do_draft(),
            (do_draft())#{kind := class, side := class, selector := <<"a">>},
            (do_draft())#{kind := 'new-class', selector := nil},
            (do_rename())#{class := <<"Tally">>},
            (do_draft())#{kind := 'rename-method', selector := <<"b">>, old_selector := <<"a">>}
        ]]
    ).
