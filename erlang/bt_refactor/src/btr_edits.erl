%%% @doc Edits between two texts of a file: what an entry did, and how to take it back after others
%%% came. Pure.
%%%
%%% An edit is `{Start, Before, After}', Start in the text before. The edits of one entry on one
%%% file are disjoint and sorted. To take an entry back, its edits are turned round and carried over
%%% the edits of all later entries; where a later one overlaps, it must be taken back first. Tested
%%% by btr_revert_SUITE.
-module(btr_edits).

-export([between/3, apply_edits/2, inverted/1, carried/2]).
-export_type([edit/0]).

-type edit() :: {non_neg_integer(), binary(), binary()}.

%% @doc Answers the edits from one text to another: the spans given where they explain it, else one.
-spec between(binary(), binary(), [map()]) -> [edit()].
between(Before, After, Spans) ->
    Edits = lists:usort([
        {S, Old, New}
     || #{start := S, old := Old, new := New} <- Spans, is_binary(Old), is_binary(New)
    ]),
    case Edits =/= [] andalso apply_edits(Edits, Before) =:= {ok, After} of
        true -> Edits;
        false -> one(Before, After)
    end.

one(Same, Same) ->
    [];
one(Before, After) ->
    Prefix = binary:longest_common_prefix([Before, After]),
    Room = min(byte_size(Before), byte_size(After)) - Prefix,
    Suffix = min(Room, binary:longest_common_suffix([Before, After])),
    [{Prefix, middle(Before, Prefix, Suffix), middle(After, Prefix, Suffix)}].

middle(Text, Prefix, Suffix) ->
    binary:part(Text, Prefix, byte_size(Text) - Prefix - Suffix).

%% @doc Applies edits; an error when the text at an edit is not what the edit replaces.
-spec apply_edits([edit()], binary()) -> {ok, binary()} | error.
apply_edits(Edits, Text) ->
    apply_edits(Edits, 0, Text, []).

apply_edits([], At, Text, Acc) ->
    Rest = binary:part(Text, At, byte_size(Text) - At),
    {ok, iolist_to_binary(lists:reverse([Rest | Acc]))};
apply_edits([{Start, Before, After} | Edits], At, Text, Acc) ->
    Length = byte_size(Before),
    case Text of
        <<_:Start/binary, Before:Length/binary, _/binary>> when Start >= At ->
            Kept = binary:part(Text, At, Start - At),
            apply_edits(Edits, Start + Length, Text, [After, Kept | Acc]);
        _ ->
            error
    end.

%% @doc Turns edits round: from the text after to the text before.
-spec inverted([edit()]) -> [edit()].
inverted(Edits) ->
    {Inverted, _} = lists:mapfoldl(
        fun({Start, Before, After}, Shift) ->
            {{Start + Shift, After, Before}, Shift + byte_size(After) - byte_size(Before)}
        end,
        0,
        Edits
    ),
    Inverted.

%% @doc Carries edits over those of a later entry; an error when they overlap.
-spec carried([edit()], [edit()]) -> {ok, [edit()]} | error.
carried(Edits, Later) ->
    Carried = [carry(Edit, Later) || Edit <- Edits],
    case lists:member(error, Carried) of
        true -> error;
        false -> {ok, Carried}
    end.

carry({Start, Before, After}, Later) ->
    End = Start + byte_size(Before),
    case [x || {S, B, _} <- Later, not (S + byte_size(B) =< Start orelse S >= End)] of
        [] ->
            Shifts = [
                byte_size(A) - byte_size(B)
             || {S, B, A} <- Later, S + byte_size(B) =< Start, not (S =:= Start andalso S >= End)
            ],
            {Start + lists:sum(Shifts), Before, After};
        _ ->
            error
    end.
