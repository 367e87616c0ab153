%%% Flush: what is decided (pure), and what the disk looks like after, with and without failures.
-module(btr_flush_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include_lib("kernel/include/file.hrl").
-include_lib("common_test/include/ct.hrl").

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [patch_is_written, external_edit_is_a_conflict_and_nothing_is_written,
     plain_flush_withholds_renames_and_their_files, destructive_flush_renames_the_file,
     rename_there_and_back_writes_nothing, chain_of_renames_moves_once,
     new_class_never_replaces_a_file, new_class_makes_its_folder, removed_class_is_deleted,
     class_removed_after_other_changes_is_deleted,
     swapped_names_swap_files, name_of_a_removed_class_can_be_taken,
     removed_class_with_other_bytes_is_kept, rename_onto_an_existing_file_is_a_conflict,
     ephemeral_edit_is_taken_out, filter_takes_out_the_others, entangled_is_skipped,
     flushing_nothing_has_the_full_shape, link_is_kept_and_its_target_written, mode_is_kept,
     read_only_is_refused, failure_at_any_step_is_completed_by_the_next_flush,
     crash_of_the_flush_at_any_step_is_completed,
     flush_cut_off_at_any_step_is_finished_from_disk,
     command_finishes_a_flush_that_was_cut_off, apply_cut_off_at_any_step_is_finished_from_disk,
     apply_that_fails_in_the_middle_is_finished_by_the_next_command,
     finishing_leaves_what_was_edited_since,
     entries_are_marked_and_bases_moved,
     patch_after_rename_is_folded, rename_is_written_though_the_prompt_names_the_class,
     rename_of_a_class_of_the_prompt_stays_in_memory].

init_per_testcase(Case, Config) ->
    Root = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    _ = file:del_dir_r(Root),
    ok = filelib:ensure_path(filename:join(Root, "src")),
    Texts = do_texts(),
    maps:foreach(fun(File, Text) -> ok = file:write_file(filename:join(Root, File), Text) end,
        Texts),
    btr_host_fake:start(Texts),
    {ok, _} = bt_refactor:start(btr_toy:options(#{root => Root, fs => btr_fs_fault})),
    [{root, Root} | Config].

end_per_testcase(_, _) ->
    btr_fs_fault:reset(),
    bt_refactor:stop(),
    btr_host_fake:stop().

do_texts() ->
    #{
        <<"src/counter.bt">> =>
            <<"Object subclass: Counter\n  increment => 1\n  class make => Counter new\n">>,
        <<"src/user.bt">> => <<"Object subclass: User\n  run => Counter make increment\n">>,
        <<"src/other.bt">> => <<"Object subclass: Other\n  a => 1\n  b => 2\n">>
    }.

do_disk(Config) ->
    Root = ?config(root, Config),
    {ok, Names} = file:list_dir(filename:join(Root, "src")),
    maps:from_list([
        begin
            {ok, Text} = file:read_file(filename:join([Root, "src", N])),
            {iolist_to_binary(["src/", N]), Text}
        end
     || N <- Names
    ]).

do_path(File, Config) -> filename:join(?config(root, Config), File).

do_rename(Old, New) ->
    {ok, Entry} = bt_refactor:perform(#{operation => rename_class, class => Old, new_name => New}),
    Entry.

do_patch(Class, Source) -> do_patch(Class, Source, #{}).
do_patch(Class, Source, Opts) ->
    {ok, Entry} = bt_refactor:perform(
        #{operation => patch_method, class => Class, side => instance, source => Source}, Opts
    ),
    Entry.

do_new(File, Text) -> do_new(File, Text, project).
do_new(File, Text, Origin) ->
    {ok, Entry} = bt_refactor:change(#{operation => new_class, names => [], units => [
        #{file => File, text => Text, package => <<"toy">>, origin => Origin, names_only => false,
          old_digest => absent}
    ]}),
    Entry.

do_remove(File) ->
    {ok, #{digest := Digest}} = btr_host_fake:unit(File),
    {ok, Entry} = bt_refactor:change(#{operation => remove_class, names => [], units => [
        #{file => File, text => deleted, package => <<"toy">>, origin => project,
            names_only => false,
          old_digest => Digest}
    ]}),
    Entry.

patch_is_written(Config) ->
    do_patch(<<"Other">>, <<"a => 7">>),
    {ok, Result} = bt_refactor:flush(),
    ?assertEqual(
        #{flushed => 1, files => [<<"src/other.bt">>], new_classes => 0, removed_classes => 0,
          renamed_classes => 0, renamed_methods => 0, skipped => [], conflicts => []},
        Result
    ),
    ?assertEqual(
        (do_texts())#{<<"src/other.bt">> := <<"Object subclass: Other\n  a => 7\n  b => 2\n">>},
            do_disk(Config)
    ).

external_edit_is_a_conflict_and_nothing_is_written(Config) ->
    do_patch(<<"Other">>, <<"a => 7">>),
    do_patch(<<"User">>, <<"run => 7">>),
    ok = file:write_file(do_path("src/user.bt", Config),
        <<"Object subclass: User\n  mine => 1\n">>),
    Before = do_disk(Config),
    {ok, Result} = bt_refactor:flush(),
    ?assertMatch(
        #{flushed := 0, files := [], conflicts := [#{file := <<"src/user.bt">>,
          reason := <<"external_edit">>, seqs := [2]}]},
        Result
    ),
    ?assertEqual(Before, do_disk(Config)),
    ?assertMatch([#{active := true}, #{active := true}], bt_refactor:changes()).

plain_flush_withholds_renames_and_their_files(Config) ->
    do_patch(<<"User">>, <<"stop => 0">>),
    do_rename(<<"Counter">>, <<"Tally">>),
    do_patch(<<"Other">>, <<"a => 7">>),
    {ok, Result} = bt_refactor:flush(),
    ?assertMatch(
        #{flushed := 1, files := [<<"src/other.bt">>], skipped := [
            #{seq := 1, class := <<"User">>, reason := <<"destructive">>},
            #{seq := 2, class := <<"Tally">>, reason := <<"destructive">>}
        ]},
        Result
    ),
    ?assertEqual(
        (do_texts())#{<<"src/other.bt">> := <<"Object subclass: Other\n  a => 7\n  b => 2\n">>},
            do_disk(Config)
    ).

destructive_flush_renames_the_file(Config) ->
    do_rename(<<"Counter">>, <<"Tally">>),
    {ok, Result} = bt_refactor:flush(#{destructive => true}),
    ?assertMatch(
        #{flushed := 1, renamed_classes := 1, conflicts := [], skipped := [],
          files := [<<"src/counter.bt">>, <<"src/tally.bt">>, <<"src/user.bt">>]},
        Result
    ),
    ?assertEqual(
        #{
            <<"src/tally.bt">> =>
                <<"Object subclass: Tally\n  increment => 1\n  class make => Tally new\n">>,
            <<"src/user.bt">> => <<"Object subclass: User\n  run => Tally make increment\n">>,
            <<"src/other.bt">> => maps:get(<<"src/other.bt">>, do_texts())
        },
        do_disk(Config)
    ).

rename_there_and_back_writes_nothing(Config) ->
    do_rename(<<"Counter">>, <<"Tally">>),
    do_rename(<<"Tally">>, <<"Counter">>),
    {ok, #{flushed := 2, files := [], conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(do_texts(), do_disk(Config)),
    ?assertMatch([#{active := false}, #{active := false}], bt_refactor:changes()).

chain_of_renames_moves_once(Config) ->
    do_rename(<<"Counter">>, <<"Tally">>),
    do_rename(<<"Tally">>, <<"Meter">>),
    {ok, #{flushed := 2, conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(
        [<<"src/meter.bt">>, <<"src/other.bt">>, <<"src/user.bt">>],
            lists:sort(maps:keys(do_disk(Config)))
    ).

new_class_never_replaces_a_file(Config) ->
    do_new(<<"src/new.bt">>, <<"Object subclass: New\n">>),
    ok = file:write_file(do_path("src/new.bt", Config), <<"mine">>),
    {ok, #{flushed := 0, conflicts := [#{reason := <<"target_exists">>}]}} = bt_refactor:flush(),
    ?assertEqual({ok, <<"mine">>}, file:read_file(do_path("src/new.bt", Config))).

new_class_makes_its_folder(Config) ->
    do_new(<<"src/deep/er/new.bt">>, <<"Object subclass: New\n">>),
    {ok, #{flushed := 1, new_classes := 1}} = bt_refactor:flush(),
    ?assertEqual({ok, <<"Object subclass: New\n">>},
        file:read_file(do_path("src/deep/er/new.bt", Config))).

removed_class_is_deleted(Config) ->
    do_remove(<<"src/other.bt">>),
    {ok, #{flushed := 0, skipped := [#{reason := <<"destructive">>}]}} = bt_refactor:flush(),
    ?assertEqual(do_texts(), do_disk(Config)),
    {ok, #{flushed := 1, removed_classes := 1}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(maps:remove(<<"src/other.bt">>, do_texts()), do_disk(Config)).

%% What is on disk is what was loaded, not what was removed.
class_removed_after_other_changes_is_deleted(Config) ->
    do_patch(<<"Counter">>, <<"increment => 7">>),
    do_rename(<<"Counter">>, <<"Tally">>),
    do_remove(<<"src/counter.bt">>),
    {ok, #{conflicts := [], removed_classes := 1, renamed_classes := 1}} =
        bt_refactor:flush(#{destructive => true}),
    ?assertEqual(
        #{
            <<"src/user.bt">> => <<"Object subclass: User\n  run => Tally make increment\n">>,
            <<"src/other.bt">> => maps:get(<<"src/other.bt">>, do_texts())
        },
        do_disk(Config)
    ),
    ?assertEqual([], [E || #{active := true} = E <- bt_refactor:changes()]).

swapped_names_swap_files(Config) ->
    Swapped = do_swap(),
    {ok, #{conflicts := [], renamed_classes := 3}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(Swapped, do_disk(Config)),
    ?assertEqual(Swapped, maps:map(fun(_, #{text := T}) -> T end, btr_host_fake:units())),
    do_patch(<<"Counter">>, <<"a => 7">>),
    {ok, #{flushed := 1, conflicts := []}} = bt_refactor:flush(),
    ?assertEqual(
        Swapped#{<<"src/counter.bt">> := <<"Object subclass: Counter\n  a => 7\n  b => 2\n">>},
        do_disk(Config)
    ).

do_swapped() ->
    #{
        <<"src/other.bt">> =>
            <<"Object subclass: Other\n  increment => 1\n  class make => Other new\n">>,
        <<"src/user.bt">> => <<"Object subclass: User\n  run => Other make increment\n">>,
        <<"src/counter.bt">> => <<"Object subclass: Counter\n  a => 1\n  b => 2\n">>
    }.

name_of_a_removed_class_can_be_taken(Config) ->
    do_remove(<<"src/other.bt">>),
    do_rename(<<"Counter">>, <<"Other">>),
    {ok, #{conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(
        #{
            <<"src/other.bt">> =>
                <<"Object subclass: Other\n  increment => 1\n  class make => Other new\n">>,
            <<"src/user.bt">> => <<"Object subclass: User\n  run => Other make increment\n">>
        },
        do_disk(Config)
    ).

removed_class_with_other_bytes_is_kept(Config) ->
    do_remove(<<"src/other.bt">>),
    ok = file:write_file(do_path("src/other.bt", Config), <<"edited">>),
    {ok, #{flushed := 0, conflicts := [#{reason := <<"external_edit">>}]}} =
        bt_refactor:flush(#{destructive => true}),
    ?assertEqual({ok, <<"edited">>}, file:read_file(do_path("src/other.bt", Config))).

%% FM-01
rename_onto_an_existing_file_is_a_conflict(Config) ->
    do_rename(<<"Counter">>, <<"Tally">>),
    ok = file:write_file(do_path("src/tally.bt", Config), <<"mine">>),
    Before = do_disk(Config),
    {ok, #{flushed := 0, conflicts := [#{file := <<"src/tally.bt">>,
        reason := <<"target_exists">>}]}} =
        bt_refactor:flush(#{destructive => true}),
    ?assertEqual(Before, do_disk(Config)).

ephemeral_edit_is_taken_out(Config) ->
    do_patch(<<"Other">>, <<"a => 7">>, #{intent => ephemeral}),
    do_patch(<<"Other">>, <<"b => 8">>),
    do_patch(<<"Other">>, <<"c => 9">>, #{intent => ephemeral}),
    {ok, #{flushed := 1, skipped := []}} = bt_refactor:flush(),
    ?assertEqual(
        {ok, <<"Object subclass: Other\n  a => 1\n  b => 8\n">>},
        file:read_file(do_path("src/other.bt", Config))
    ).

filter_takes_out_the_others(Config) ->
    do_patch(<<"Other">>, <<"a => 7">>),
    do_patch(<<"Other">>, <<"b => 8">>),
    {ok, #{flushed := 1}} = bt_refactor:flush(#{filter => fun(#{selector := S}) -> S =:=
        <<"b">> end}),
    ?assertEqual(
        {ok, <<"Object subclass: Other\n  a => 1\n  b => 8\n">>},
        file:read_file(do_path("src/other.bt", Config))
    ),
    ?assertMatch([#{active := true}, #{active := false}], bt_refactor:changes()),
    {ok, #{flushed := 1}} = bt_refactor:flush(),
    ?assertEqual(
        {ok, <<"Object subclass: Other\n  a => 7\n  b => 8\n">>},
        file:read_file(do_path("src/other.bt", Config))
    ).

entangled_is_skipped(Config) ->
    do_patch(<<"Other">>, <<"a => 7">>, #{intent => ephemeral}),
    do_patch(<<"Other">>, <<"a => 8">>),
    {ok, #{flushed := 0, skipped := [#{seq := 2, reason := <<"entangled">>}]}} =
        bt_refactor:flush(),
    ?assertEqual(do_texts(), do_disk(Config)).

flushing_nothing_has_the_full_shape(_) ->
    ?assertEqual(
        {ok, #{flushed => 0, files => [], new_classes => 0, removed_classes => 0,
            renamed_classes => 0,
               renamed_methods => 0, skipped => [], conflicts => []}},
        bt_refactor:flush(#{destructive => true})
    ).

%% FL-07
link_is_kept_and_its_target_written(Config) ->
    ok = file:rename(do_path("src/other.bt", Config), do_path("real.bt", Config)),
    ok = file:make_symlink("../real.bt", do_path("src/other.bt", Config)),
    do_patch(<<"Other">>, <<"a => 7">>),
    {ok, #{flushed := 1, conflicts := []}} = bt_refactor:flush(),
    ?assertEqual({ok, "../real.bt"}, file:read_link(do_path("src/other.bt", Config))),
    ?assertMatch({ok, <<"Object subclass: Other\n  a => 7", _/binary>>},
                 file:read_file(do_path("real.bt", Config))).

mode_is_kept(Config) ->
    Path = do_path("src/other.bt", Config),
    ok = file:change_mode(Path, 8#751),
    do_patch(<<"Other">>, <<"a => 7">>),
    {ok, #{flushed := 1}} = bt_refactor:flush(),
    {ok, #file_info{mode = Mode}} = file:read_file_info(Path),
    ?assertEqual(8#751, Mode band 8#777).

read_only_is_refused(Config) ->
    ok = file:change_mode(do_path("src/user.bt", Config), 8#444),
    do_patch(<<"Other">>, <<"a => 7">>),
    do_patch(<<"User">>, <<"run => 7">>),
    {ok, #{flushed := 0, files := [], conflicts := [
        #{file := <<"src/user.bt">>, detail := <<"the file is read-only">>}
    ]}} = bt_refactor:flush(),
    ?assertEqual(do_texts(), do_disk(Config)).

do_expected() ->
    #{
        <<"src/tally.bt">> =>
            <<"Object subclass: Tally\n  increment => 1\n  class make => Tally new\n">>,
        <<"src/user.bt">> => <<"Object subclass: User\n  run => Tally make increment\n">>,
        <<"src/other.bt">> => <<"Object subclass: Other\n  a => 7\n  b => 2\n">>
    }.

failure_at_any_step_is_completed_by_the_next_flush(Config) ->
    do_at_any_step(Config, fun do_rename_and_patch/0, {error, eio}),
    do_at_any_step(Config, fun do_swap/0, {error, eio}).

crash_of_the_flush_at_any_step_is_completed(Config) ->
    [
        do_at_any_step(Config, Changes, How)
     || Changes <- [fun do_rename_and_patch/0, fun do_swap/0], How <- [stop, stop_after]
    ].

do_rename_and_patch() ->
    do_rename(<<"Counter">>, <<"Tally">>),
    do_patch(<<"Other">>, <<"a => 7">>),
    do_expected().

do_swap() ->
    do_rename(<<"Counter">>, <<"Third">>),
    do_rename(<<"Other">>, <<"Counter">>),
    do_rename(<<"Third">>, <<"Other">>),
    do_swapped().

%% Each changing call of the flush fails once, in a workspace of its own.
do_at_any_step(Config, Changes, How) ->
    [do_step(Config, Changes, How, N) || N <- lists:seq(1, 8)].

do_step(Config, Changes, How, N) ->
    end_per_testcase(none, Config),
    Name = io_lib:format("~p_~b", [How, N]),
    Config1 = init_per_testcase(list_to_atom(lists:flatten(Name)), Config),
    Expected = Changes(),
    btr_fs_fault:fail_at(N, How),
    First = bt_refactor:flush(#{destructive => true}),
    btr_fs_fault:reset(),
    case {First, [E || #{active := true} = E <- bt_refactor:changes()]} of
        {{ok, #{conflicts := []}}, []} -> ok;
        _ ->
            {ok, Second} = bt_refactor:flush(#{destructive => true}),
            ?assertMatch({_, _, #{conflicts := []}}, {N, First, Second})
    end,
    Disk = maps:filter(fun(F, _) -> binary:match(F, <<".btr-tmp-">>) =:= nomatch end,
        do_disk(Config1)),
    ?assertEqual({N, Expected}, {N, Disk}),
    ?assertEqual(Expected, maps:map(fun(_, #{text := T}) -> T end, btr_host_fake:units())),
    ?assertEqual([], [E || #{active := true} = E <- bt_refactor:changes()]).

%% The workspace is gone as well: only the disk tells what was under way.
flush_cut_off_at_any_step_is_finished_from_disk(Config) ->
    [
        begin
            {Root, Expected, Config1} = do_cut_off(Config, Changes, How, N),
            Cut = do_disk(Config1),
            Files = btr_journal:recover(Root, btr_fs_posix),
            Disk = do_disk(Config1),
            %% Before the journal stands nothing has begun.
            ?assert(Disk =:= Expected orelse (Disk =:= do_texts() andalso N =:= 1), {How, N, Disk}),
            ?assert(Files =:= [] orelse Cut =/= Disk),
            ?assertEqual([], btr_journal:recover(Root, btr_fs_posix)),
            ?assertEqual(Disk, do_disk(Config1))
        end
     || Changes <- [fun do_rename_and_patch/0, fun do_swap/0], How <- [stop, stop_after],
        N <- lists:seq(1, 12)
    ].

%% The command line finishes it as well, whichever command comes first, and tells so.
command_finishes_a_flush_that_was_cut_off(Config) ->
    Commands = [
        {<<"check">>, []}, {<<"senders">>, [<<"make">>]}, {<<"plan">>, [<<"X renameTo: #Y">>]},
        {<<"apply">>, [<<"X renameTo: #Y">>, <<"--yes">>]}
    ],
    [
        begin
            {Root, Expected, Config1} = do_cut_off(Config, fun do_rename_and_patch/0, How, Step),
            IsWritten = do_disk(Config1) =:= Expected,
            {_, _, Err} = btr_cli:run([Command, iolist_to_binary(Root) | Args],
                #{style => plain, library => none}),
            ?assertEqual({How, Step, Command, Expected},
                {How, Step, Command, do_disk(Config1)}),
            Told = re:run(Err, "^a flush was cut off .*src/") =/= nomatch,
            ?assert(Told orelse IsWritten)
        end
     || {Command, Args} <- Commands, How <- [stop, kill], Step <- lists:seq(2, 9)
    ].

%% A command without a workspace writes by the same journal. It ends at each of its steps, without
%% being able to do anything about it.
apply_cut_off_at_any_step_is_finished_from_disk(Config) ->
    Finished = [
        begin
            {Root, Config1, Plan} = do_plan(Config, io_lib:format("apply_~p_~b", [How, N])),
            btr_fs_fault:fail_at(N, How),
            {_, Monitor} = spawn_monitor(fun() ->
                exit({written, btr_apply:write(Root, Plan, btr_fs_fault)})
            end),
            Ended = btr_wait:end_of(Monitor),
            btr_fs_fault:reset(),
            Cut = do_disk(Config1),
            Files = btr_journal:recover(Root, btr_fs_posix),
            Disk = do_disk(Config1),
            ?assert(Disk =:= do_renamed() orelse (Disk =:= do_texts() andalso N =:= 1),
                {How, N, Disk}),
            ?assert(Files =:= [] orelse Cut =/= Disk, {How, N, Files}),
            ?assertEqual([], btr_journal:recover(Root, btr_fs_posix)),
            ?assertEqual(Disk, do_disk(Config1)),
            {Ended, Files =/= []}
        end
     || How <- [kill, stop, stop_after], N <- lists:seq(1, 9)
    ],
    %% Some had begun, and the last ones were not cut off.
    ?assert(length([x || {_, true} <- Finished]) > 5),
    ?assertMatch([_, _, _ | _], [x || {{written, {ok, _}}, false} <- Finished]).

apply_that_fails_in_the_middle_is_finished_by_the_next_command(Config) ->
    {Root, Config1, Plan} = do_plan(Config, "apply_fails"),
    btr_fs_fault:set(delete, {error, eio}),
    {error, {btr, <<"disk.failed">>, #{hint := Hint}}} = btr_apply:write(Root, Plan, btr_fs_fault),
    btr_fs_fault:reset(),
    ?assertMatch({match, _}, re:run(Hint, "the next command in this project does the rest$")),
    _ = btr_cli:run([<<"check">>, Root], #{style => plain, library => none}),
    ?assertEqual(do_renamed(), do_disk(Config1)).

%% The plan of a class rename over two files, whose project no workspace holds.
do_plan(Config, Name) ->
    end_per_testcase(none, Config),
    Config1 = init_per_testcase(list_to_atom(lists:flatten(Name)), Config),
    Root = iolist_to_binary(?config(root, Config1)),
    {ok, Plan} = bt_refactor:plan(#{operation => rename_class, class => <<"Counter">>,
        new_name => <<"Tally">>}),
    ok = bt_refactor:stop(),
    {Root, Config1, Plan}.

do_renamed() ->
    #{<<"src/counter.bt">> := Counter, <<"src/user.bt">> := User} = Texts = do_texts(),
    Renamed = fun(Text) -> binary:replace(Text, <<"Counter">>, <<"Tally">>, [global]) end,
    (maps:remove(<<"src/counter.bt">>, Texts))#{
        <<"src/tally.bt">> => Renamed(Counter), <<"src/user.bt">> => Renamed(User)
    }.

finishing_leaves_what_was_edited_since(Config) ->
    {Root, Expected, Config1} = do_cut_off(Config, fun do_rename_and_patch/0, stop_after, 4),
    Mine = <<"Object subclass: Other\n  mine => 1\n">>,
    ok = file:write_file(do_path("src/other.bt", Config1), Mine),
    ?assertNot(lists:member(<<"src/other.bt">>, btr_journal:recover(Root, btr_fs_posix))),
    ?assertEqual(Expected#{<<"src/other.bt">> := Mine}, do_disk(Config1)).

do_cut_off(Config, Changes, How, N) ->
    end_per_testcase(none, Config),
    Name = io_lib:format("cut_~p_~b", [How, N]),
    Config1 = init_per_testcase(list_to_atom(lists:flatten(Name)), Config),
    Expected = Changes(),
    btr_fs_fault:fail_at(N, How),
    _ = bt_refactor:flush(#{destructive => true}),
    btr_fs_fault:reset(),
    ok = bt_refactor:stop(),
    {?config(root, Config1), Expected, Config1}.

entries_are_marked_and_bases_moved(Config) ->
    do_rename(<<"Counter">>, <<"Tally">>),
    {ok, #{flushed := 1}} = bt_refactor:flush(#{destructive => true}),
    ?assertMatch([#{flushed := true, active := false}], bt_refactor:changes()),
    error = btr_host_fake:unit(<<"src/counter.bt">>),
    do_rename(<<"Tally">>, <<"Counter">>),
    {ok, #{flushed := 1, conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(do_texts(), do_disk(Config)).

patch_after_rename_is_folded(Config) ->
    do_patch(<<"Counter">>, <<"increment => 2">>),
    do_rename(<<"Counter">>, <<"Tally">>),
    do_patch(<<"Tally">>, <<"increment => 3">>),
    {ok, #{flushed := Flushed, conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(3, Flushed),
    ?assertEqual(
        {ok, <<"Object subclass: Tally\n  increment => 3\n  class make => Tally new\n">>},
        file:read_file(do_path("src/tally.bt", Config))
    ).

rename_is_written_though_the_prompt_names_the_class(Config) ->
    Typed = <<"Counter subclass: Typed\n  twice => Counter make\n">>,
    do_new(<<"$prompt/Typed">>, Typed, prompt),
    ?assertMatch(#{flushable := true}, do_rename(<<"Counter">>, <<"Tally">>)),
    {ok, Result} = bt_refactor:flush(#{destructive => true}),
    ?assertMatch(#{flushed := 1, renamed_classes := 1, conflicts := [], skipped := []}, Result),
    Files = [<<"src/counter.bt">>, <<"src/tally.bt">>, <<"src/user.bt">>],
    ?assertEqual(Files, maps:get(files, Result)),
    ?assertEqual(
        [<<"src/other.bt">>, <<"src/tally.bt">>, <<"src/user.bt">>], maps:keys(do_disk(Config))
    ),
    {ok, Names} = file:list_dir(?config(root, Config)),
    ?assertNot(lists:member("$prompt", Names)),
    {ok, #{text := Text}} = btr_host_fake:unit(<<"$prompt/Typed">>),
    ?assertEqual(<<"Tally subclass: Typed\n  twice => Tally make\n">>, Text).

rename_of_a_class_of_the_prompt_stays_in_memory(Config) ->
    do_new(<<"$prompt/Typed">>, <<"Object subclass: Typed\n  one => 1\n">>, prompt),
    ?assertMatch(
        #{flushable := false, not_flushable_reason := <<"dynamic">>},
        do_rename(<<"Typed">>, <<"Written">>)
    ),
    {ok, #{flushed := 0, conflicts := []}} = bt_refactor:flush(#{destructive => true}),
    ?assertEqual(do_texts(), do_disk(Config)).
