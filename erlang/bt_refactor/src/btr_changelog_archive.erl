%%% @doc Rotation of the log: which entries go, and the two files of an archive.
%%%
%%% A change that is not written yet is never put away, nor an entry whose group has one, nor what
%%% was done later to a file of such a change: a revert needs it. The layout
%%% is that of workspace.md 4.1: lines in `changes-*.jsonl.gz', their bodies in `sources-*.tar.gz'.
%%% Answers data; btr_changelog writes. Tested by btr_changelog_SUITE.
-module(btr_changelog_archive).

-export([overflow/2, lines/1, bodies/1, name/2]).

%% @doc Answers the entries to put away, oldest first, when there are more than a limit: whole
%% groups that are done with, so that a quarter of the limit is free again.
-spec overflow([map()], pos_integer()) -> [map()].
overflow(Entries, Limit) when length(Entries) =< Limit ->
    [];
overflow(Entries, Limit) ->
    Needed = needed_since(Entries),
    Busy = [Group || #{group := Group} = E <- Entries, is_needed(E) orelse is_above(E, Needed)],
    Done = [Entry || #{group := Group} = Entry <- Entries, not lists:member(Group, Busy)],
    Wanted = length(Entries) - (Limit - Limit div 4),
    {First, Rest} = lists:split(min(Wanted, length(Done)), Done),
    %% The last group goes as a whole.
    First ++ [Entry || #{group := Group} = Entry <- Rest, is_last_group(Group, First)].

is_needed(#{active := Active, saved := Saved}) -> Active orelse not Saved.

%% The first seq of each file that a change which is not written yet has edited.
needed_since(Entries) ->
    Seqs = [{File, Seq} || #{seq := Seq} = E <- Entries, is_needed(E), File <- edited(E)],
    maps:from_list(lists:reverse(lists:keysort(2, Seqs))).

%% To take such a change back its edits are carried over the later ones.
is_above(#{seq := Seq} = Entry, Needed) ->
    lists:any(fun(File) -> maps:get(File, Needed, Seq) < Seq end, edited(Entry)).

edited(Entry) -> maps:keys(maps:get(edits, Entry, #{})).

is_last_group(_, []) -> false;
is_last_group(Group, First) -> Group =:= maps:get(group, lists:last(First)).

%% @doc Answers the compressed lines of entries.
-spec lines([map()]) -> binary().
lines(Entries) ->
    zlib:gzip([[btr_changelog_codec:encode(Entry), $\n] || Entry <- Entries]).

%% @doc Answers the compressed tape archive of files.
-spec bodies([{Name :: binary(), Text :: binary()}]) -> binary().
bodies(Files) ->
    {ok, Memory} = file:open(<<>>, [ram, read, write, binary]),
    {ok, Tar} = erl_tar:init(Memory, write, fun in_memory/2),
    lists:foreach(fun(File) -> ok = add(File, Tar) end, Files),
    ok = erl_tar:close(Tar),
    {ok, Size} = file:position(Memory, eof),
    {ok, Data} = file:pread(Memory, 0, Size),
    ok = file:close(Memory),
    zlib:gzip(Data).

%% Equal texts give equal archives.
add({Name, Text}, Tar) ->
    erl_tar:add(Tar, Text, unicode:characters_to_list(Name), [{mtime, 0}]).

in_memory(write, {Memory, Data}) -> file:write(Memory, Data);
in_memory(position, {Memory, At}) -> file:position(Memory, At);
in_memory(close, _Memory) -> ok.

%% @doc Answers the name of an archive's file.
-spec name(lines | bodies, [map(), ...]) -> string().
name(What, [#{seq := Seq, ts := Ts} | _]) ->
    {Prefix, Suffix} = case What of
        lines -> {"changes", "jsonl"};
        bodies -> {"sources", "tar"}
    end,
    lists:flatten(io_lib:format("~s-~b-~6..0b.~s.gz", [Prefix, Ts, Seq, Suffix])).
