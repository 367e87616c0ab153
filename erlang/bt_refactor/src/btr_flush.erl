%%% @doc What a flush writes: entries, texts in memory and what is on disk give operations and a
%%% result. Pure; btr_flush_exec reads the disk before and performs the operations after.
%%%
%%% Text is the truth: a file gets the memory text, where the disk still has the bytes that were
%%% last read or written (its base); so pending edits are folded by nature. Anything else on disk is
%%% the conflict `external_edit', and one conflict means that nothing is written. Edits that may not
%%% be written (ephemeral, or left out by a filter) are taken out of the text again, body by body;
%%% where that is impossible their file's entries are skipped as `entangled'. Renames and removals
%%% of classes are destructive: without consent they are skipped, with all entries of their files.
%%% Tested by btr_flush_SUITE.
-module(btr_flush).

-export([candidates/2, new_path/2, paths/2, plan/1, settled/2]).
-export_type([input/0, operation/0, disk/0, result/0, plan/0]).

%% `same': another name of the flush is that file's; `outside': a link leads out of the project.
-type disk() ::
    {ok, btr_host:digest()} | absent | same | {outside, btr_bounds:way_out()} | {error, atom()}.
-type input() :: #{
    entries := [map()],
    units := #{btr_host:file() => btr_host:unit()},
    disk := #{btr_host:file() => disk()},
    opts := map()
}.
-type operation() ::
    {replace, btr_host:file(), binary()}
    | {create, btr_host:file(), binary()}
    | {move, Old :: btr_host:file(), New :: btr_host:file(), binary()}
    | {delete, btr_host:file()}.
-type result() :: map().
-type plan() :: #{
    operations := [operation()], result := result(),
    %% For each entry to mark, the files that it needs.
    marks := [{pos_integer(), [btr_host:file()]}],
    %% What the host is told for each file written.
    rebase := [map()],
    %% The files and entries of targets that share a path.
    passing := {[btr_host:file()], [pos_integer()]}
}.
-type target() :: #{
    file := btr_host:file(), new_file := btr_host:file(), text := binary() | deleted,
    base := btr_host:digest() | absent, seqs := [pos_integer()]
}.

%% @doc Answers the entries that this flush is about, oldest first. A group is chosen as a whole.
-spec candidates([map()], map()) -> [map()].
candidates(Entries, Opts) ->
    Filter = maps:get(filter, Opts, fun(_) -> true end),
    Pending = [E || #{active := true, intent := durable, flushable := true} = E <- Entries],
    in_groups(groups([E || E <- Pending, Filter(E)]), Pending).

groups(Entries) -> lists:usort([Group || #{group := Group} <- Entries]).

in_groups(Groups, Entries) ->
    [E || #{group := Group} = E <- Entries, lists:member(Group, Groups)].

%% @doc Answers every path whose state on disk matters.
-spec paths([map()], map()) -> [btr_host:file()].
paths(Entries, Opts) ->
    lists:usort(lists:append([all_files(E) || E <- candidates(Entries, Opts)])).

%% @doc Decides. `operations' is empty when there is a conflict.
-spec plan(input()) -> plan().
plan(#{entries := Entries, opts := Opts} = Input) ->
    Active = [E || #{active := true} = E <- Entries],
    Chosen = candidates(Entries, Opts),
    {Kept, Withheld} = withhold(Chosen, Active, Opts),
    {Targets, Left} = untangled(Kept, Active, Input),
    Skipped = Withheld ++ [skipped(E, <<"entangled">>) || E <- Kept, not lists:member(E, Left)],
    Paths = around(Targets, Input),
    Decided = [{T, decide(T, Paths)} || T <- Targets],
    case [conflict(T, Reason) || {T, {conflict, Reason}} <- Decided] of
        [] -> planned(Decided, Left, Skipped);
        Conflicts -> refused(Conflicts, Skipped)
    end.

refused(Conflicts, Skipped) ->
    Result = (empty_result())#{conflicts => sorted(file, Conflicts),
        skipped => sorted(seq, Skipped)},
    #{operations => [], result => Result, marks => [], rebase => [], passing => {[], []}}.

planned(Decided, Entries, Skipped) ->
    Operations = lists:append([Ops || {_, {ok, Ops, _}} <- Decided]),
    Shown = [E || #{shadowed := false} = E <- Entries],
    Count = fun(Kind) -> length([E || #{kind := K} = E <- Shown, K =:= Kind]) end,
    Result = (empty_result())#{
        flushed => length(Shown),
        files => lists:usort(lists:append([touched(Op) || Op <- Operations])),
        new_classes => Count('new-class'),
        removed_classes => Count('remove-class'),
        renamed_classes => Count('rename-class'),
        renamed_methods => Count('rename-method'),
        skipped => sorted(seq, Skipped)
    },
    #{
        operations => Operations,
        result => Result,
        marks => [{Seq, all_files(E)} || #{seq := Seq} = E <- Entries],
        rebase => [Rebase || {_, {ok, _, Rebase}} <- Decided],
        passing => passing([T || {T, _} <- Decided])
    }.

passing(Targets) ->
    Shared = [
        T
     || #{file := File, new_file := New} = T <- Targets,
        #{file := Other, new_file := OtherNew} <- Targets,
        Other =/= File, Other =:= New orelse OtherNew =:= File
    ],
    {
        lists:usort([File || #{file := File} <- Shared]),
        lists:usort(lists:append([Seqs || #{seqs := Seqs} <- Shared]))
    }.

%% @doc What of a plan is finished when some files could not be written: the entries to mark, those
%% left, and what the host is told. Targets that share a path are finished together or not at all:
%% in memory a path belongs to one of them.
-spec settled(plan(), Missing :: [btr_host:file()]) -> {[pos_integer()], [pos_integer()], [map()]}.
settled(#{marks := Marks, rebase := Rebase, passing := {PassingFiles, PassingSeqs}}, Missing) ->
    Stopped = [Seq || {Seq, Files} <- Marks, meet(Files, Missing)],
    {Held, Undone} =
        case meet(PassingSeqs, Stopped) of
            true -> {PassingFiles, lists:usort(Stopped ++ PassingSeqs)};
            false -> {[], Stopped}
        end,
    {
        [Seq || {Seq, _} <- Marks, not lists:member(Seq, Undone)],
        Undone,
        [R || #{file := F, new_file := N} = R <- Rebase, not meet([F, N], Missing ++ Held)]
    }.

meet(As, Bs) -> lists:any(fun(A) -> lists:member(A, Bs) end, As).

touched({move, Old, New, _}) -> [Old, New];
touched({_, File, _}) -> [File];
touched({delete, File}) -> [File].

empty_result() ->
    #{
        flushed => 0, files => [], new_classes => 0, removed_classes => 0, renamed_classes => 0,
        renamed_methods => 0, skipped => [], conflicts => []
    }.

sorted(Key, Maps) ->
    lists:sort(fun(A, B) -> maps:get(Key, A) =< maps:get(Key, B) end, Maps).

%% Tiers ----------------------------------------------------------------------------------------

%% Without consent no file of a pending rename or class removal is written.
withhold(Chosen, _Active, #{destructive := true}) ->
    {Chosen, []};
withhold(Chosen, Active, _Opts) ->
    Files = lists:usort(
        [F || #{intent := durable, flushable := true} = E <- Active, is_destructive(E),
            F <- files(E)]
    ),
    Groups = groups([E || E <- Chosen, is_destructive(E) orelse touches(E, Files)]),
    Held = in_groups(Groups, Chosen),
    Kept = Chosen -- Held,
    {Kept, [skipped(E, <<"destructive">>) || E <- Held]}.

is_destructive(#{kind := Kind}) ->
    lists:member(Kind, ['remove-class', 'rename-class', 'rename-method']).

skipped(#{seq := Seq, class := Class}, Reason) ->
    #{seq => Seq, class => Class, reason => Reason}.

touches(Entry, Files) ->
    meet(files(Entry), Files).

%% The files an entry changed.
files(#{kind := 'rename-class', old_path := Old, sites := Sites}) ->
    lists:usort([F || F <- [Old | [F || #{file := F} <- Sites]], is_binary(F)]);
files(#{kind := 'rename-method', sites := Sites}) ->
    lists:usort([F || #{file := F} <- Sites]);
files(#{source_file := File}) when is_binary(File) ->
    [File];
files(_) ->
    [].

%% The same and where its class's file goes.
all_files(Entry) ->
    [New || New <- [maps:get(new_path, Entry, nil)], is_binary(New)] ++ files(Entry).

%% Texts ----------------------------------------------------------------------------------------

%% A group with an entangled file is left out, and its edits are taken out of its other files, which
%% may entangle those: until nothing changes.
-spec untangled([map()], [map()], input()) -> {[target()], [map()]}.
untangled(Kept, Active, Input) ->
    {Targets, Entangled} = targets(Kept, Active, Input),
    case groups([E || E <- Kept, touches(E, [F || {F, _} <- Entangled])]) of
        [] -> {Targets, Kept};
        Groups -> untangled(Kept -- in_groups(Groups, Kept), Active, Input)
    end.

-spec targets([map()], [map()], input()) -> {[target()], [{btr_host:file(), entangled}]}.
targets(Kept, Active, #{units := Units}) ->
    Changed = lists:usort(lists:append([files(E) || E <- Kept])),
    Files = [F || F <- Changed, is_written(maps:find(F, Units))],
    Made = [{File, target(File, Kept, Active, Units)} || File <- Files],
    {[T || {_, {ok, T}} <- Made], [{File, entangled} || {File, entangled} <- Made]}.

%% What a rename changed at the prompt or in a library is in memory only.
is_written({ok, #{origin := Origin}}) -> Origin =:= project;
is_written(_) -> true.

target(File, Kept, Active, Units) ->
    Mine = [E || E <- Kept, touches(E, [File])],
    Others = [E || E <- Active, touches(E, [File]), not lists:member(E, Mine)],
    Target = #{
        file => File, new_file => new_path(File, Mine), seqs => [Seq || #{seq := Seq} <- Mine],
        base => absent, text => deleted
    },
    case maps:find(File, Units) of
        {ok, #{text := Text, base_digest := Base}} ->
            without(Others, Text, Target#{base => Base});
        error ->
            case [E || E <- Others, is_removal(File, E)] of
                [] -> {ok, Target#{base => removed_base(File, Mine)}};
                _ -> entangled
            end
    end.

%% A removed file must still hold what it held when its unit was last read or written, which is not
%% what was removed when other changes came before. An entry of an earlier session knows only the
%% text.
removed_base(File, Entries) ->
    case [E || E <- Entries, is_removal(File, E)] of
        [] -> absent;
        Removals -> base_of(File, lists:last(Removals))
    end.

%% Whether a file goes with what an entry took away: a class, or the only method of a file of
%% extensions.
is_removal(_, #{kind := 'remove-class'}) -> true;
is_removal(File, #{edits := #{} = Edits}) when is_map_key(File, Edits) ->
    is_tuple(map_get(File, Edits)) andalso element(1, map_get(File, Edits)) =:= deleted;
is_removal(_, _) -> false.

base_of(File, #{edits := Edits}) when is_map_key(File, Edits) ->
    {deleted, #{base_digest := Base}} = maps:get(File, Edits),
    Base;
base_of(_, #{prev_source := Text}) when is_binary(Text) ->
    btr_change:digest(Text);
base_of(_, _) ->
    absent.

%% @doc Answers where a file will be when the entries are written: a rename gives it another name,
%% a move another place as well.
-spec new_path(btr_host:file(), [map()]) -> btr_host:file().
new_path(File, Entries) ->
    lists:foldl(
        fun
            (#{old_class := Class, class := Class, new_path := New}, _) -> New;
            (#{new_path := New}, Path) -> beside(Path, New)
        end,
        File,
        [E || #{kind := 'rename-class', old_path := Old, new_path := New} = E <- Entries,
              Old =:= File, is_binary(New)]
    ).

beside(Path, New) ->
    case filename:dirname(Path) of
        <<".">> -> filename:basename(New);
        Folder -> filename:join(Folder, filename:basename(New))
    end.

%% Takes edits out again, newest first. A body must stand in the text exactly once.
without(Others, Text, Target) ->
    Undone = lists:foldl(fun take_out/2, Text, lists:reverse(Others)),
    case Undone of
        entangled -> entangled;
        _ -> {ok, Target#{text => Undone}}
    end.

take_out(_, entangled) ->
    entangled;
take_out(#{kind := Kind} = Entry, Text) when Kind =:= instance; Kind =:= class ->
    swap(maps:get(source, Entry), maps:get(prev_source, Entry), Text);
take_out(_, _) ->
    entangled.

swap(Source, Prev, Text) when is_binary(Source), Source =/= <<>> ->
    case binary:matches(Text, Source) of
        [{At, Length}] ->
            <<Before:At/binary, _:Length/binary, After/binary>> = Text,
            iolist_to_binary([Before, or_empty(Prev), After]);
        _ ->
            entangled
    end;
swap(_, _, _) ->
    entangled.

or_empty(nil) -> <<>>;
or_empty(Text) -> Text.

%% Decisions ------------------------------------------------------------------------------------

conflict(#{file := File, seqs := Seqs}, {Reason, Detail}) ->
    #{file => File, reason => Reason, seqs => Seqs, detail => Detail};
conflict(#{seqs := Seqs}, {Reason, Detail, File}) ->
    #{file => File, reason => Reason, seqs => Seqs, detail => Detail}.

%% The paths of a flush: what stands there, what stood there, and what it wants there. A path may
%% pass from one target to another: names were swapped, or a class took the name of a removed one.
-spec around([target()], input()) -> map().
around(Targets, #{disk := Disk}) ->
    #{
        disk => Disk,
        bases => maps:from_list([{File, Base} || #{file := File, base := Base} <- Targets]),
        wanted => maps:from_list([
            {New, btr_change:digest(Text)}
         || #{new_file := New, text := Text} <- Targets, is_binary(Text)
        ])
    }.

decide(#{text := deleted, file := File} = Target, Paths) ->
    Rebase = #{file => File, new_file => nil, digest => absent},
    case source(Target, Paths) of
        {conflict, _} = Conflict -> Conflict;
        clean -> {ok, left(Target, Paths), Rebase};
        _ -> {ok, [], Rebase}
    end;
decide(#{file := File, new_file := New, text := Text} = Target, Paths) ->
    Rebase = #{file => File, new_file => other(New, File), digest => btr_change:digest(Text)},
    case {source(Target, Paths), destination(Target, Paths)} of
        {{conflict, _} = Conflict, _} -> Conflict;
        {gone, Place} when Place =/= written ->
            {conflict, {<<"external_edit">>, <<"the file is gone">>}};
        {_, {conflict, _} = Conflict} -> Conflict;
        {clean, written} -> {ok, left(Target, Paths), Rebase};
        {_, written} -> {ok, [], Rebase};
        {clean, free} -> {ok, moved(Target, Paths), Rebase};
        {_, free} -> {ok, [{create, New, Text}], Rebase};
        {clean, passed} -> {ok, [{replace, New, Text} | left(Target, Paths)], Rebase};
        {_, passed} -> {ok, [{replace, New, Text}], Rebase}
    end.

other(Path, Path) -> nil;
other(New, _) -> New.

%% What stands where the text came from. `taken': a target has been written there already.
source(#{base := absent}, _) ->
    new;
source(#{file := File, base := Base}, #{disk := Disk, wanted := Wanted}) ->
    case {on_disk(File, Disk), Wanted} of
        {{ok, Base}, _} -> clean;
        {{ok, Digest}, #{File := Digest}} -> taken;
        {{ok, _}, _} ->
            {conflict, {<<"external_edit">>, <<"the file was edited since it was loaded">>}};
        {{error, Reason}, _} -> {conflict, unreadable(Reason)};
        {{outside, Way}, _} -> {conflict, outside(Way)};
        {Absent, _} when Absent =:= absent; Absent =:= same -> gone
    end.

%% What stands where the text goes to. `passed': what a target of this flush had there.
destination(#{new_file := New}, #{disk := Disk, bases := Bases, wanted := Wanted}) ->
    #{New := Digest} = Wanted,
    case {on_disk(New, Disk), Bases} of
        {{ok, Digest}, _} -> written;
        {{ok, Base}, #{New := Base}} -> passed;
        {{ok, _}, _} ->
            {conflict, {<<"target_exists">>, <<"a file of that name exists">>, New}};
        {{error, Reason}, _} -> {conflict, unreadable(Reason)};
        {{outside, Way}, _} ->
            {Why, Detail} = outside(Way),
            {conflict, {Why, Detail, New}};
        {Absent, _} when Absent =:= absent; Absent =:= same -> free
    end.

moved(#{file := File, new_file := New, text := Text} = Target, Paths) ->
    case left(Target, Paths) of
        [{delete, File}] -> [{move, File, New, Text}];
        [] -> [{create, New, Text}]
    end.

%% The own path goes, unless a text is to stand there.
left(#{file := File}, #{wanted := Wanted}) ->
    [{delete, File} || not is_map_key(File, Wanted)].

on_disk(File, Disk) -> maps:get(File, Disk, absent).

outside(Way) -> {<<"outside_project">>, btr_bounds:text(Way)}.

unreadable(Reason) ->
    {<<"source_file_unreadable">>, unicode:characters_to_binary(file:format_error(Reason))}.
