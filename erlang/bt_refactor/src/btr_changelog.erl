%%% @doc The log of changes: entries in a table, and on disk as `changes.jsonl' with `sources/'.
%%%
%%% Only the coordinator writes; anyone reads the table. Both tables belong to the supervisor, so a
%%% coordinator that dies loses nothing and its successor goes on in the same epoch. On disk the
%%% bodies are written and synced first, then the line; a flag changes by a rewrite of the whole
%%% file (temp, sync, rename). A failing disk never undoes a change: its entry is kept in memory as
%%% not saved and written with the next one. Above a thousand entries the oldest that are done with
%%% go to `archive/'. The layout is that of workspace.md 4.1 and 4.2.
%%% Tested by btr_changelog_SUITE.
-module(btr_changelog).

-export([tables/0, open/1, close/0]).
-export([number/2, append/2, mark/3, clear/1]).
-export([entries/0, entry/1, since/1, body/2, title/1]).
-export_type([log/0]).

-include_lib("kernel/include/logger.hrl").

-define(ENTRIES, btr_entries).
-define(STATE, btr_state).
-define(LOG_META, #{domain => [btr, changelog]}).
-define(LIMIT, 1000).

-type log() :: #{dir := file:filename_all() | memory, fs := module()}.

%% @doc Makes the tables; the caller owns them.
-spec tables() -> ok.
tables() ->
    ?ENTRIES = ets:new(?ENTRIES, [ordered_set, public, named_table, {read_concurrency, true}]),
    ?STATE = ets:new(?STATE, [set, public, named_table, {read_concurrency, true}]),
    ok.

%% @doc Opens a log: an empty one in memory, or the one in a folder, in a new epoch. A log that the
%% forerunner of this coordinator has open is taken over as it is.
-spec open(log()) -> {ok, log()} | {error, btr_error:error()}.
open(#{dir := Dir} = Log) ->
    case ets:lookup(?STATE, open_log) of
        [{open_log, Dir}] -> {ok, Log};
        _ -> open_new(Log)
    end.

open_new(#{dir := memory} = Log) ->
    opened([], 1, 0, Log);
open_new(#{dir := Dir, fs := Fs} = Log) ->
    Steps = [fun() -> Fs:make_dir(filename:join(Dir, "sources")) end, fun() -> clean(Log) end],
    case first_error(Steps) of
        ok -> read(Log);
        {error, Reason} -> failed(Dir, Reason)
    end.

read(#{fs := Fs} = Log) ->
    case Fs:read(file_of(Log)) of
        {ok, Text} -> read_lines(Text, Log);
        {error, enoent} -> opened([], next_seq([], Log), 1, Log);
        {error, Reason} -> failed(file_of(Log), Reason)
    end.

read_lines(Text, Log) ->
    Lines = [L || L <- binary:split(Text, <<"\n">>, [global]), L =/= <<>>],
    Decoded = [{Line, btr_changelog_codec:decode(Line)} || Line <- Lines],
    Entries = [Entry#{saved => true} || {_, {ok, Entry}} <- Decoded],
    case [Line || {Line, {error, malformed}} <- Decoded] of
        [] -> ok;
        Bad -> ?LOG_WARNING("skipped ~b damaged lines of the log", [length(Bad)], ?LOG_META)
    end,
    Torn = Text =/= <<>> andalso binary:last(Text) =/= $\n,
    true = ets:insert(?STATE, {torn_log, Torn}),
    Epoch = lists:max([0 | [E || #{epoch := E} <- Entries]]) + 1,
    opened(Entries, next_seq(Entries, Log), Epoch, Log).

opened(Entries, Next, Epoch, #{dir := Dir} = Log) ->
    true = ets:delete_all_objects(?ENTRIES),
    true = ets:insert(?ENTRIES, [{Seq, Entry} || #{seq := Seq} = Entry <- Entries]),
    true = ets:insert(?STATE, [{next_seq, Next}, {epoch, Epoch}, {open_log, Dir}]),
    {ok, Log}.

%% A cleared log leaves a file with the seq to go on with, so that no body name is used twice.
next_seq(Entries, #{fs := Fs} = Log) ->
    Floor = case Fs:read(seq_file(Log)) of
        {ok, Text} -> number_in(Text);
        {error, _} -> 1
    end,
    lists:max([Floor | [Seq + 1 || #{seq := Seq} <- Entries]]).

number_in(Text) ->
    case string:to_integer(Text) of
        {N, _} when is_integer(N), N > 0 -> N;
        _ -> 1
    end.

%% Temps of a writer that died; the lock on the workspace folder says that none lives.
clean(#{dir := Dir, fs := Fs}) ->
    first_error([
        fun() -> clean_folder(Folder, Fs) end
     || Folder <- [Dir, filename:join(Dir, "sources")]
    ]).

clean_folder(Folder, Fs) ->
    case Fs:list(Folder) of
        {ok, Names} ->
            Temps = [N || N <- Names, binary:match(N, <<".btr-tmp-">>) =/= nomatch],
            first_error([fun() -> Fs:delete(filename:join(Folder, N)) end || N <- Temps]);
        {error, _} = Error ->
            Error
    end.

%% @doc Forgets the open log, so that the next `open/1' reads it again.
-spec close() -> ok.
close() ->
    true = ets:delete(?STATE, open_log),
    true = ets:delete_all_objects(?ENTRIES),
    ok.

%% @doc Gives drafts their seq, time, epoch and group. Takes nothing from the log yet.
-spec number([map()], log()) -> [map()].
number(Drafts, _Log) ->
    First = state(next_seq),
    Epoch = state(epoch),
    Now = erlang:system_time(millisecond),
    [
        Draft#{seq => Seq, ts => Now, epoch => Epoch, group => First}
     || {Seq, Draft} <- lists:zip(lists:seq(First, First + length(Drafts) - 1), Drafts)
    ].

%% @doc Appends numbered entries together. An entry that is already in the log is not added again.
%% Answers them with `saved': false when the disk failed.
-spec append([map()], log()) -> [map()].
append(Numbered, Log) ->
    New = [E || #{seq := Seq} = E <- Numbered, not ets:member(?ENTRIES, Seq)],
    Saved = save(New, Log),
    Marked = [E#{saved => Saved} || E <- New],
    true = ets:insert(?ENTRIES, [{Seq, E} || #{seq := Seq} = E <- Marked]),
    Last = lists:max([state(next_seq) - 1 | [Seq || #{seq := Seq} <- Numbered]]),
    true = ets:insert(?STATE, {next_seq, Last + 1}),
    ok = mark_reverted(lists:usort(lists:append([S || #{reverts := S} <- Numbered])), Log),
    ok = rotate(Log),
    [view(E) || #{seq := Seq} <- Numbered, {_, E} <- ets:lookup(?ENTRIES, Seq)].

%% What an entry undid is inactive from here on, also when the disk could not be told.
mark_reverted([], _Log) ->
    ok;
mark_reverted(Seqs, Log) ->
    case mark(Seqs, #{reverted => true}, Log) of
        ok ->
            ok;
        {error, Error} ->
            ?LOG_ERROR("~ts", [btr_error:message(Error)], ?LOG_META),
            Marked = [{S, E#{reverted => true, saved => false}} || #{seq := S} = E <- stored(),
                                                                  lists:member(S, Seqs)],
            true = ets:insert(?ENTRIES, Marked),
            ok
    end.

%% Where an archive cannot be written all entries stay where they are.
rotate(Log) ->
    Limit = application:get_env(bt_refactor, log_limit, ?LIMIT),
    Over = ets:info(?ENTRIES, size) > Limit,
    case Over andalso btr_changelog_archive:overflow(viewed(), Limit) of
        [_ | _] = Old -> archived(guarded(fun() -> archive(Old, Log) end), Old, Log);
        _ -> ok
    end.

archived(ok, Old, Log) ->
    lists:foreach(fun(#{seq := Seq}) -> ets:delete(?ENTRIES, Seq) end, Old),
    %% Nobody names them any more, and each is a sync of the folder: beside the next change.
    _ = spawn(fun() -> forget_bodies(Old, Log) end),
    ok;
archived({error, Reason}, _, _) ->
    ?LOG_ERROR("the log could not be rotated: ~tp", [Reason], ?LOG_META),
    ok.

archive(_, #{dir := memory}) ->
    ok;
archive(Old, #{dir := Dir, fs := Fs} = Log) ->
    Path = fun(What) -> filename:join([Dir, "archive", btr_changelog_archive:name(What, Old)]) end,
    Seqs = [Seq || #{seq := Seq} <- Old],
    first_error([
        fun() -> Fs:make_dir(filename:join(Dir, "archive")) end,
        fun() ->
            Bodies = [{filename:basename(P), T} || P <- body_paths(Old, Log),
                {ok, T} <- [Fs:read(P)]],
            Fs:write(Path(bodies), btr_changelog_archive:bodies(Bodies))
        end,
        fun() -> Fs:write(Path(lines), btr_changelog_archive:lines(Old)) end,
        fun() -> rewrite([E || #{seq := S} = E <- stored(), not lists:member(S, Seqs)], Log) end
    ]).

forget_bodies(_, #{dir := memory}) -> ok;
forget_bodies(Old, #{fs := Fs} = Log) ->
    lists:foreach(fun(Path) -> _ = Fs:delete(Path) end, body_paths(Old, Log)).

%% A body is named by its entry's seq, then what it is.
body_paths(Entries, #{dir := Dir, fs := Fs}) ->
    Folder = filename:join(Dir, "sources"),
    Seqs = [Seq || #{seq := Seq} <- Entries],
    case Fs:list(Folder) of
        {ok, Names} -> [filename:join(Folder, N) || N <- Names, lists:member(number_in(N), Seqs)];
        {error, _} -> []
    end.

save([], _Log) ->
    true;
save(_New, #{dir := memory}) ->
    true;
save(New, Log) ->
    Unsaved = [E || #{saved := false} = E <- stored()],
    case guarded(fun() -> try_save(Unsaved, New, Log) end) of
        ok ->
            true = ets:insert(?ENTRIES, [{S, E#{saved => true}} || #{seq := S} = E <- Unsaved]),
            true;
        {error, Reason} ->
            ?LOG_ERROR("the log could not be written: ~tp", [Reason], ?LOG_META),
            false
    end.

%% Whatever goes wrong here, the change stands.
guarded(Fun) ->
    try
        Fun()
    catch
        Class:Reason:Stack -> {error, {Class, Reason, Stack}}
    end.

try_save([], New, #{fs := Fs} = Log) ->
    Torn = case ets:lookup(?STATE, torn_log) of
        [{torn_log, true}] -> <<"\n">>;
        _ -> <<>>
    end,
    Lines = [Torn | [[btr_changelog_codec:encode(E), $\n] || E <- New]],
    first_error([
        fun() -> write_bodies(New, Log) end,
        fun() -> appended(Fs:append(file_of(Log), Lines)) end
    ]);
try_save(Unsaved, New, Log) ->
    first_error([
        fun() -> write_bodies(Unsaved ++ New, Log) end,
        fun() -> rewrite(stored() ++ New, Log) end
    ]).

%% After a failed append part of a line may stand there: the next one starts on a line of its own.
appended(Result) ->
    true = ets:insert(?STATE, {torn_log, Result =/= ok}),
    Result.

write_bodies(Entries, #{dir := Dir, fs := Fs}) ->
    first_error([
        fun() -> Fs:write(filename:join([Dir, "sources", Name]), Text) end
     || Entry <- Entries, {Name, Text} <- btr_changelog_codec:bodies(Entry)
    ]).

rewrite(Entries, #{fs := Fs} = Log) ->
    Fs:write(file_of(Log), [[btr_changelog_codec:encode(E), $\n] || E <- Entries]).

%% @doc Changes flags of entries: on disk first, then in memory.
-spec mark([pos_integer()], map(), log()) -> ok | {error, btr_error:error()}.
mark([], _Flags, _Log) ->
    ok;
mark(Seqs, Flags, #{dir := Dir} = Log) ->
    Marked = [mark_one(Entry, Seqs, Flags) || Entry <- stored()],
    Written = case Dir of
        memory -> ok;
        _ ->
            Unsaved = [E || #{saved := false} = E <- Marked],
            first_error([fun() -> write_bodies(Unsaved, Log) end,
                fun() -> rewrite(Marked, Log) end])
    end,
    case Written of
        ok ->
            true = ets:insert(?ENTRIES, [{S, E#{saved => true}} || #{seq := S} = E <- Marked]),
            ok;
        {error, Reason} ->
            failed(file_of(Log), Reason)
    end.

mark_one(#{seq := Seq} = Entry, Seqs, Flags) ->
    case lists:member(Seq, Seqs) of
        true -> maps:merge(Entry, Flags);
        false -> Entry
    end.

%% @doc Drops all entries; seqs go on where they are.
-spec clear(log()) -> ok | {error, btr_error:error()}.
clear(#{dir := Dir, fs := Fs} = Log) ->
    Written = case Dir of
        memory -> ok;
        _ ->
            first_error([
                fun() -> Fs:write(seq_file(Log), integer_to_binary(state(next_seq))) end,
                fun() -> Fs:write(file_of(Log), <<>>) end
            ])
    end,
    case Written of
        ok ->
            true = ets:delete_all_objects(?ENTRIES),
            ok;
        {error, Reason} ->
            failed(file_of(Log), Reason)
    end.

%% Reading, by any process --------------------------------------------------------------------

%% @doc Answers all entries, oldest first, with what is derived: `active', `prior_epoch',
%% `shadowed', `clean'.
-spec entries() -> [map()].
entries() ->
    Viewed = viewed(),
    Active = [E || #{active := true} = E <- Viewed],
    Winners = maps:from_list([{target(E), Seq} || #{seq := Seq} = E <- Active]),
    Bases = maps:from_list([{target(E), E} || E <- lists:reverse(Active)]),
    [E#{shadowed => is_shadowed(E, Winners), clean => is_clean(E, Winners, Bases)} || E <- Viewed].

%% @doc Answers one entry, with its bodies.
-spec entry(pos_integer()) -> {ok, map()} | error.
entry(Seq) ->
    case [E || #{seq := S} = E <- entries(), S =:= Seq] of
        [Entry] -> {ok, Entry};
        [] -> error
    end.

%% @doc Answers the entries made current after a generation.
-spec since(btr_host:generation()) -> [map()].
since(Generation) ->
    [E || #{generation := Gen} = E <- entries(), Gen > Generation].

%% @doc Names an entry for people, as `ChangeEntry printString' does.
-spec title(map()) -> binary().
title(#{kind := 'rename-class', class := Class, old_class := Class, new_path := Path}) ->
    <<Class/binary, " (moved to ", Path/binary, ")">>;
title(#{kind := 'rename-class', class := Class, old_class := Old}) ->
    <<Class/binary, " (rename-class from ", Old/binary, ")">>;
title(#{kind := 'rename-method', class := Class, selector := Selector, old_selector := Old} = E) ->
    iolist_to_binary([Class, side(E), <<">>">>, Selector, <<" (rename-method from ">>, Old,
        <<")">>]);
title(#{selector := Selector, class := Class} = Entry) when is_binary(Selector) ->
    iolist_to_binary([Class, side(Entry), <<">>">>, Selector]);
title(#{class := Class, kind := Kind}) ->
    iolist_to_binary([Class, <<" (">>, atom_to_binary(Kind), <<")">>]).

side(#{side := class}) -> <<" class">>;
side(_) -> <<>>.

%% @doc Reads a body of an entry or a site; a body that is not what was written is damage.
-spec body(source | prev_source, map()) -> {ok, binary() | nil} | {error, btr_error:error()}.
body(Key, Map) ->
    case maps:get(Key, Map, nil) of
        {ref, Name, Digest} -> read_body(Name, Digest);
        Text -> {ok, Text}
    end.

read_body(Name, Digest) ->
    Path = filename:join([state(open_log), "sources", filename:basename(Name)]),
    case file:read_file(Path) of
        {ok, Text} ->
            case Digest =:= nil orelse btr_change:digest(Text) =:= Digest of
                true -> {ok, Text};
                false -> damaged(Name, <<"is not what was written">>)
            end;
        {error, Reason} ->
            damaged(Name, file:format_error(Reason))
    end.

damaged(Name, Why) ->
    {error,
        btr_error:new(<<"log.damaged">>, [<<"stored source ">>, Name, <<": ">>, Why], #{
            file => Name, hint => <<"restore the file or clear the log">>
        })}.

stored() ->
    [Entry || {_, Entry} <- ets:tab2list(?ENTRIES)].

viewed() ->
    [view(Entry) || Entry <- stored()].

view(#{epoch := Epoch, flushed := Flushed, reverted := Reverted} = Entry) ->
    Current = Epoch =:= state(epoch),
    Entry#{
        prior_epoch => not Current,
        active => Current andalso not Flushed andalso not Reverted,
        orphan => false,
        shadowed => false,
        clean => false
    }.

is_shadowed(#{active := true, seq := Seq} = Entry, Winners) ->
    maps:get(target(Entry), Winners) =/= Seq;
is_shadowed(_, _) ->
    false.

%% A patch whose body is the one that the first active patch of the method replaced.
is_clean(#{active := true, kind := Kind, seq := Seq} = Entry, Winners, Bases) when
    Kind =:= instance; Kind =:= class
->
    #{prev_source := Base} = maps:get(target(Entry), Bases),
    #{source := Source} = Entry,
    maps:get(target(Entry), Winners) =:= Seq andalso is_binary(Base) andalso
        is_binary(Source) andalso
        lines(Source) =:= lines(Base);
is_clean(_, _, _) ->
    false.

%% Without common indentation and blanks at line ends.
lines(Body) ->
    Lines = [string:trim(L, trailing) || L <- binary:split(string:trim(Body, both, "\n"), <<"\n">>,
        [global])],
    Indents = [byte_size(L) - byte_size(string:trim(L, leading)) || L <- Lines, L =/= <<>>],
    Common = lists:min([0 || Indents =:= []] ++ Indents),
    [binary:part(L, min(Common, byte_size(L)), byte_size(L) - min(Common, byte_size(L)))
        || L <- Lines].

%% What an entry is about; a later active entry about the same shadows it. Renames are edits of many
%% definitions and shadow nothing.
target(#{kind := Kind, seq := Seq}) when Kind =:= 'rename-class'; Kind =:= 'rename-method' ->
    {rename, Seq};
target(#{class := Class, selector := Selector, side := Side}) ->
    {Class, Selector, Side}.

state(Key) ->
    ets:lookup_element(?STATE, Key, 2).

file_of(#{dir := Dir}) -> filename:join(Dir, "changes.jsonl").
seq_file(#{dir := Dir}) -> filename:join(Dir, "next_seq").

failed(Path, Reason) ->
    Message = [<<"the log at ">>, unicode:characters_to_binary(Path), <<": ">>, reason(Reason)],
    {error, btr_error:new(<<"log.failed">>, Message, #{reason => Reason})}.

reason(Reason) when is_atom(Reason) -> file:format_error(Reason);
reason(Reason) -> io_lib:format("~tp", [Reason]).

first_error([]) ->
    ok;
first_error([Step | Rest]) ->
    case Step() of
        ok -> first_error(Rest);
        {error, _} = Error -> Error
    end.
