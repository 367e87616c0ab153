%%% @doc Rotation of the log: which entries go, and the two files of an archive.
%%%
%%% A change that is not written yet is never put away, nor an entry whose group has one. The layout
%%% is that of workspace.md 4.1: lines in `changes-*.jsonl.gz', their bodies in `sources-*.tar.gz'.
%%% Pure; btr_changelog writes. Tested by btr_changelog_SUITE.
-module(btr_changelog_archive).

-export([overflow/2, lines/1, bodies/1, name/2]).

%% @doc Answers the entries to put away, oldest first, when there are more than a limit: whole
%% groups that are done with, so that a quarter of the limit is free again.
-spec overflow([map()], pos_integer()) -> [map()].
overflow(Entries, Limit) when length(Entries) =< Limit ->
    [];
overflow(Entries, Limit) ->
    Busy = [Group || #{group := Group} = Entry <- Entries, is_needed(Entry)],
    Done = [Entry || #{group := Group} = Entry <- Entries, not lists:member(Group, Busy)],
    Wanted = length(Entries) - (Limit - Limit div 4),
    {First, Rest} = lists:split(min(Wanted, length(Done)), Done),
    %% The last group goes as a whole.
    First ++ [Entry || #{group := Group} = Entry <- Rest, is_last_group(Group, First)].

is_needed(#{active := Active, saved := Saved}) -> Active orelse not Saved.

is_last_group(_, []) -> false;
is_last_group(Group, First) -> Group =:= maps:get(group, lists:last(First)).

%% @doc Answers the compressed lines of entries.
-spec lines([map()]) -> binary().
lines(Entries) ->
    zlib:gzip([[btr_changelog_codec:encode(Entry), $\n] || Entry <- Entries]).

%% @doc Answers the compressed tape archive of files.
-spec bodies([{Name :: binary(), Text :: binary()}]) -> binary().
bodies(Files) ->
    zlib:gzip([[file(Name, Text) || {Name, Text} <- Files], <<0:8192>>]).

%% @doc Answers the name of an archive's file.
-spec name(lines | bodies, [map(), ...]) -> string().
name(What, [#{seq := Seq, ts := Ts} | _]) ->
    {Prefix, Suffix} = case What of
        lines -> {"changes", "jsonl"};
        bodies -> {"sources", "tar"}
    end,
    lists:flatten(io_lib:format("~s-~b-~6..0b.~s.gz", [Prefix, Ts, Seq, Suffix])).

%% One file of the tape archive (POSIX ustar): a header of 512 bytes, the text, zeros up to the next
%% multiple of 512.
file(Name, Text) ->
    [header(Name, byte_size(Text)), padded(Text, 512)].

header(Name, Size) ->
    Front = [
        padded(binary:part(Name, 0, min(100, byte_size(Name))), 100), octal(8#644, 7), octal(0, 7),
        octal(0, 7), octal(Size, 11), octal(0, 11)
    ],
    Back = ["0", <<0:800>>, "ustar", 0, "00", <<0:1976>>],
    Sum = lists:sum(binary_to_list(iolist_to_binary([Front, "        ", Back]))),
    [Front, octal(Sum, 6), " ", Back].

octal(N, Digits) -> [io_lib:format("~*.8.0b", [Digits, N]), 0].

padded(Text, Unit) ->
    Missing = (Unit - byte_size(Text) rem Unit) rem Unit,
    [Text, <<0:(Missing * 8)>>].
