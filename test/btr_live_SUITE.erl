%%% The whole way on the example project: prompt's requests, live actors, disk, a cold start.
-module(btr_live_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [flushed_rename_cold_starts_and_passes_its_tests, rename_there_and_back_leaves_every_byte,
     renames_in_memory_there_and_back_leave_every_byte,
     removal_re_exposes_the_inherited_method, method_rename_with_an_override_below,
     method_rename_rewrites_self_and_super_sends, old_senders_reach_the_renamed_method,
     patch_removal_and_rename_flush_together, live_patch_keeps_state,
     compile_failure_leaves_everything, refusals_leave_everything,
     refusal_tells_how_to_go_on,
     pids_and_state_survive_a_class_rename, killed_coordinator_goes_on,
     log_on_disk_outlives_the_workspace, reverts_bring_back_every_byte].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    do_copy(Dir),
    do_start(Dir, #{}),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    do_stop().

do_start(Dir, Options) ->
    {ok, _} = bt_embedded:start(Options#{project => Dir}).

do_stop() ->
    bte_workspace:stop().

do_copy(Dir) ->
    Harbour = filename:join([do_root(filename:absname("")), "examples", "harbour"]),
    [
        begin
            ok = filelib:ensure_dir(filename:join(Dir, File)),
            {ok, _} = file:copy(filename:join(Harbour, File), filename:join(Dir, File))
        end
     || File <- filelib:wildcard("**/*.{bt,toml}", Harbour), hd(File) =/= $.
    ].

do_root(Dir) ->
    case filelib:is_dir(filename:join(Dir, "examples")) of
        true -> Dir;
        false -> do_root(filename:dirname(Dir))
    end.

do_disk(Config) ->
    Dir = ?config(dir, Config),
    maps:from_list([
        {unicode:characters_to_binary(File), element(2, file:read_file(filename:join(Dir, File)))}
     || File <- filelib:wildcard("**/*.{bt,toml}", Dir), hd(File) =/= $.
    ]).

do_memory() ->
    maps:from_list([{F, T} || {F, #{text := T,
        origin := project}} <- maps:to_list(bte_host:units())]).

do_image() ->
    {bte_host:units(), bte_host:generation(), bt_refactor:changes(),
     btr_nif:stats(bte_host:index()), btr_nif:index_generation(bte_host:index()),
     [{M, M:module_info(md5)} || M <- bte_registry:classes(),
         erlang:function_exported(M, c, 6)]}.

do_rename(Old, New) -> bt_refactor:perform(#{operation => rename_class, class => Old,
    new_name => New}).

do_rename_method(Class, Old, New) -> do_rename_method(Class, Old, New, []).
do_rename_method(Class, Old, New, Accept) ->
    bt_refactor:perform(
        #{operation => rename_method, class => Class, side => instance, selector => Old,
          new_selector => New, accept => Accept}
    ).

do_remove(Class, Selector) ->
    bt_refactor:perform(
        #{operation => remove_method, class => Class, side => instance, selector => Selector}
    ).

do_patch(Class, Source) ->
    bt_refactor:perform(
        #{operation => patch_method, class => Class, side => instance, source => Source}
    ).

do_flush() ->
    {ok, #{conflicts := [], skipped := []} = Result} = bt_refactor:flush(#{destructive => true}),
    Result.

do_value(Text) ->
    {ok, Value, _} = bt_embedded:eval(Text),
    Value.

do_tests() ->
    Results = bte_test:run(bte_test:classes()),
    ?assert(length(Results) > 10),
    [R || {_, _, Outcome} = R <- Results, Outcome =/= passed].

%% Must-show 2 of the foundation.
flushed_rename_cold_starts_and_passes_its_tests(Config) ->
    {ok, #{summary := Summary}} = do_rename(<<"Berth">>, <<"Pier">>),
    ?assertMatch(#{sites := N, files := F} when N > 20 andalso F > 5, Summary),
    ?assertMatch({error, _}, bt_embedded:eval("Berth")),
    ?assertEqual([], do_tests()),
    #{flushed := 1, renamed_classes := 1} = do_flush(),
    Disk = do_disk(Config),
    ?assertEqual(Disk, do_memory()),
    ?assertNot(maps:is_key(<<"src/berth.bt">>, Disk)),
    do_stop(),
    do_start(?config(dir, Config), #{}),
    ?assertEqual(Disk, do_memory()),
    ?assertEqual([], do_tests()),
    ?assertEqual([], btr_nif:references_to(bte_host:index(), <<"Berth">>)),
    do_only_in_prose(<<"Berth">>, Disk).

%% Where the old name still stands as a whole word, the line is a comment, a string or a symbol.
do_only_in_prose(Name, Disk) ->
    Lines = [L || {_, T} <- maps:to_list(Disk), L <- binary:split(T, <<"\n">>, [global])],
    Named = [L || L <- Lines, re:run(L, ["\\b", Name, "\\b"]) =/= nomatch],
    ?assertEqual([], [L || L <- Named, re:run(L, "//|\"|#") =:= nomatch]).

%% Must-show 3.
rename_there_and_back_leaves_every_byte(Config) ->
    Before = do_disk(Config),
    {ok, _} = do_rename(<<"Berth">>, <<"Pier">>),
    do_flush(),
    {ok, _} = do_rename(<<"Pier">>, <<"Berth">>),
    do_flush(),
    ?assertEqual(Before, do_disk(Config)),
    ?assertEqual(Before, do_memory()).

renames_in_memory_there_and_back_leave_every_byte(Config) ->
    Before = do_disk(Config),
    Loaded = element(6, do_image()),
    {ok, _} = do_rename(<<"Vessel">>, <<"Ship">>),
    {ok, _} = do_rename(<<"Berth">>, <<"Pier">>),
    {ok, _} = do_rename(<<"Ship">>, <<"Vessel">>),
    {ok, _} = do_rename(<<"Pier">>, <<"Berth">>),
    ?assertEqual(Before, do_memory()),
    ?assertEqual(Loaded, element(6, do_image())),
    #{files := []} = do_flush(),
    ?assertEqual(Before, do_disk(Config)).

do_deep() ->
    {'$actor', _, _} = Deep = bte_actor:spawn('bt@harbour@deep_berth'),
    Deep.

%% Must-show 4, first half.
removal_re_exposes_the_inherited_method(Config) ->
    Deep = do_deep(),
    Gen = bte_host:generation(),
    ?assertEqual(<<"Berth 0: free (deep)">>, bte_send:send(describe, Gen, Deep)),
    {ok, #{kind := 'remove-method', prev_source := Prev}} =
        do_remove(<<"DeepBerth">>, <<"describe">>),
    ?assertEqual(<<"Berth 0: free">>, bte_send:send(describe, Gen, Deep)),
    {error, Error} = do_remove(<<"DeepBerth">>, <<"describe">>),
    ?assertEqual(selector_not_found, btr_error:kind(Error)),
    Before = do_disk(Config),
    {ok, #{flushed := 1, files := [<<"src/deep_berth.bt">>], skipped := []}} = bt_refactor:flush(),
    After = do_disk(Config),
    ?assertEqual(maps:remove(<<"src/deep_berth.bt">>, Before),
        maps:remove(<<"src/deep_berth.bt">>, After)),
    ?assertEqual(nomatch, binary:match(maps:get(<<"src/deep_berth.bt">>, After),
        string:trim(Prev))),
    ?assertEqual(After, do_memory()).

%% Must-show 4, second half.
method_rename_with_an_override_below(Config) ->
    {ok, Entry} = do_rename_method(<<"Berth">>, <<"describe">>, <<"summary">>),
    #{sites := Sites, candidate_sites := Candidates, old_selector := <<"describe">>} = Entry,
    ?assertMatch([#{selector := <<"describe">>, class := <<"Berth">>, file := <<"src/berth.bt">>}],
        Sites),
    ?assert(length(Candidates) > 1),
    Berth = bte_actor:spawn('bt@harbour@berth'),
    ?assertEqual(<<"Berth 0: free">>, bte_send:send(summary, bte_host:generation(), Berth)),
    Before = do_disk(Config),
    {ok, #{flushed := 0, skipped := [#{reason := <<"destructive">>}]}} = bt_refactor:flush(),
    ?assertEqual(Before, do_disk(Config)),
    #{flushed := 1, renamed_methods := 1, files := [<<"src/berth.bt">>]} = do_flush(),
    #{<<"src/berth.bt">> := Old} = Before,
    New = binary:replace(Old, <<"  describe -> String">>, <<"  summary -> String">>),
    ?assertEqual(Before#{<<"src/berth.bt">> := New}, do_disk(Config)).

method_rename_rewrites_self_and_super_sends(_) ->
    {ok, #{sites := Sites}} = do_rename_method(<<"Berth">>, <<"isFree">>, <<"isVacant">>),
    ?assert(length(Sites) > 1),
    ?assertMatch(#{selector := <<"isFree">>}, hd(Sites)),
    {ok, #{text := Text}} = bte_host:unit(<<"src/berth.bt">>),
    ?assertEqual(nomatch, binary:match(Text, <<"self isFree">>)).

%% A send compiled before the switch is served; one typed afterwards is not.
old_senders_reach_the_renamed_method(_) ->
    Berth = bte_actor:spawn('bt@harbour@berth'),
    {'$actor', _, Held} = bte_actor:spawn('bt@harbour@berth'),
    %% An actor that has not passed its marker keeps the old name open.
    ok = sys:suspend(Held),
    Old = bte_host:generation(),
    {ok, _} = do_rename_method(<<"Berth">>, <<"isFree">>, <<"isVacant">>),
    ?assertEqual(true, bte_send:send(isFree, Old, Berth)),
    ?assertMatch(
        [#{class := 'Berth', old := isFree, new := isVacant, served := Served, because := _}]
            when Served > 0,
        do_value("Workspace refactorings")
    ),
    ?assertEqual(true, bte_send:send(isVacant, Old + 1, Berth)),
    ?assertError({bt_exception, _}, bte_send:send(isFree, Old + 1, Berth)),
    ok = sys:resume(Held).

patch_removal_and_rename_flush_together(Config) ->
    {ok, _} = do_patch(<<"Berth">>, <<"visits -> Integer => self.visits + 100">>),
    {ok, _} = do_rename(<<"Berth">>, <<"Pier">>),
    {ok, _} = do_rename_method(<<"Pier">>, <<"isFree">>, <<"isVacant">>),
    {ok, _} = do_remove(<<"DeepBerth">>, <<"surcharge">>),
    {ok, _} = do_patch(<<"Pier">>, <<"twice -> Integer => self visits * 2">>),
    ?assertEqual(200, do_value("(Pier number: 1 depth: 10) twice")),
    {ok, #{flushed := 0, skipped := Skipped}} = bt_refactor:flush(),
    ?assertEqual([1, 2, 3, 4, 5], [S || #{seq := S} <- Skipped]),
    #{flushed := 5} = do_flush(),
    ?assertEqual(do_memory(), do_disk(Config)),
    do_stop(),
    do_start(?config(dir, Config), #{}),
    ?assertEqual(200, do_value("(Pier number: 1 depth: 10) twice")).

live_patch_keeps_state(_) ->
    Deep = do_deep(),
    Gen = bte_host:generation(),
    200 = bte_send:send(depth, Gen, Deep),
    {ok, #{kind := instance, selector := <<"depth">>}} =
        do_patch(<<"Berth">>, <<"depth -> Integer => self.depth + 1">>),
    ?assertEqual(201, bte_send:send(depth, Gen, Deep)).

%% Must-show 5.
compile_failure_leaves_everything(_) ->
    Files = [<<"src/berth.bt">>, <<"src/cargo.bt">>, <<"src/ferry.bt">>, <<"src/money.bt">>,
             <<"src/pilot.bt">>, <<"src/tariff.bt">>],
    Before = do_image(),
    Units = [
        begin
            {ok, #{text := Text, digest := Digest, package := Package}} = bte_host:unit(File),
            Body = case File of <<"src/money.bt">> -> <<"nowhere">>; _ -> <<"1">> end,
            #{file => File, text => <<Text/binary, "\n  extra => ", Body/binary, "\n">>,
              package => Package, origin => project, names_only => false, old_digest => Digest}
        end
     || File <- Files
    ],
    {error, Error} = bt_refactor:change(#{operation => patch, units => Units, names => []}),
    ?assertEqual(compile_failed, btr_error:kind(Error)),
    ?assertNotEqual(nomatch, binary:match(btr_error:format(Error), <<"src/money.bt:">>)),
    ?assertEqual(Before, do_image()).

refusals_leave_everything(_) ->
    Before = do_image(),
    [
        ?assertEqual({New, Kind}, {New, do_kind(do_rename(Old, New))})
     || {Old, New, Kind} <- [
            {<<"Berth">>, <<"Vessel">>, class_already_exists},
            {<<"Berth">>, <<"Named">>, class_already_exists},
            {<<"Berth">>, <<"Integer">>, class_already_exists},
            {<<"Berth">>, <<"pier">>, argument_error},
            {<<"Berth">>, <<"Pier Two">>, argument_error},
            {<<"Integer">>, <<"Whole">>, runtime_error},
            {<<"Nowhere">>, <<"Pier">>, class_not_found}
        ]
    ],
    ?assertEqual(selector_already_exists,
        do_kind(do_rename_method(<<"Berth">>, <<"isFree">>, <<"name">>))),
    ?assertEqual(arity_mismatch, do_kind(do_rename_method(<<"Berth">>, <<"isFree">>,
        <<"isFree:">>))),
    {ok, #{seq := nil}} = do_rename(<<"Berth">>, <<"Berth">>),
    ?assertEqual(Before, do_image()).

do_kind({error, Error}) -> btr_error:kind(Error);
do_kind(Other) -> Other.

pids_and_state_survive_a_class_rename(_) ->
    {'$actor', _, Pid} = Berth = do_value("Berth number: 7 depth: 33"),
    Loaded = element(6, do_image()),
    {ok, _} = do_rename(<<"Berth">>, <<"Pier">>),
    ?assert(is_process_alive(Pid)),
    ?assertEqual(7, bte_send:send(number, bte_host:generation(), Berth)),
    %% No code changed at all.
    ?assertEqual(Loaded, element(6, do_image())).

%% A rename that would change what a send means is refused until that is allowed on the plan.
refusal_tells_how_to_go_on(_) ->
    Refused = "DeepBerth renameSelector: #describe to: #depth",
    On = "(DeepBerth planRenameSelector: #describe to: #depth allowing: #(#selector_capture))",
    {error, Text} = bt_embedded:eval(Refused),
    ?assertNotEqual(nomatch, string:find(Text, ["To go on: ", On, " apply"])),
    ?assertMatch([#{code := <<"selector.capture">>} | _], do_value(On ++ " warnings")),
    #{'$class' := _} = do_value(On ++ " apply"),
    ?assertEqual(<<"Berth 0: free (deep)">>, do_value("DeepBerth spawn depth")),
    {error, Unknown} = bt_embedded:eval("Berth planRenameTo: #Pier allowing: #(#taken)"),
    ?assertNotEqual(nomatch, string:find(Unknown, "#taken cannot be allowed")).

%% A coordinator that is killed between two changes leaves log and image to its successor.
killed_coordinator_goes_on(_) ->
    Before = bte_host:generation(),
    Old = erlang:whereis(btr_coordinator),
    {ok, _} = do_patch(<<"Berth">>, <<"depth -> Integer => 1">>),
    exit(Old, kill),
    {ok, #{seq := 2}} = do_patch_when_up(<<"depth -> Integer => 2">>, 100),
    ?assertEqual(Before + 2, bte_host:generation()),
    ?assertMatch([#{seq := 1, active := true}, #{seq := 2}], bt_refactor:changes()).

do_patch_when_up(Source, Tries) ->
    case do_patch(<<"Berth">>, Source) of
        {error, {btr, <<"workspace.", _/binary>>, _}} when Tries > 0 ->
            receive after 10 -> do_patch_when_up(Source, Tries - 1) end;
        Answer ->
            Answer
    end.

log_on_disk_outlives_the_workspace(Config) ->
    do_stop(),
    Log = filename:join(?config(dir, Config), ".beamtalk-changes"),
    do_start(?config(dir, Config), #{log => Log}),
    {ok, #{saved := true, epoch := 1}} = do_rename(<<"Berth">>, <<"Pier">>),
    do_stop(),
    do_start(?config(dir, Config), #{log => Log}),
    ?assertMatch([#{seq := 1, kind := 'rename-class', prior_epoch := true, active := false}],
                 bt_refactor:changes()),
    {ok, #{text := _}} = bte_host:unit(<<"src/berth.bt">>),
    {ok, #{seq := 2, epoch := 2, active := true}} = do_rename(<<"Berth">>, <<"Pier">>).

reverts_bring_back_every_byte(Config) ->
    Before = do_memory(),
    {ok, _} = do_rename(<<"Berth">>, <<"Pier">>),
    {ok, _} = do_rename_method(<<"Pier">>, <<"isFree">>, <<"isVacant">>),
    {ok, _} = do_patch(<<"Pier">>, <<"depth -> Integer => 3">>),
    {ok, _} = do_remove(<<"DeepBerth">>, <<"surcharge">>),
    ?assertMatch({error, _}, bt_embedded:eval("Workspace changes revert: 3")),
    [do_value("Workspace changes revert: Workspace changes activeEntries last")
        || _ <- [1, 2, 3, 4]],
    ?assertEqual(Before, do_memory()),
    ?assertEqual([], do_tests()),
    ?assertEqual([], [E || #{active := true} = E <- bt_refactor:changes()]),
    {ok, #{flushed := 0}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(Before, do_disk(Config)).
