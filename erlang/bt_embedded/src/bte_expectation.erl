%% @doc What a script expects of a result: exact text, wildcards, a part of an error, an item.
%% Pure. Tested by `bte_script_SUITE'.
-module(bte_expectation).

-export([is_met/2]).
-export_type([result/0]).

-type result() :: #{
    outcome := ok | error, text := binary(), warnings := [binary()]
}.

%% @doc Tells whether a result is what was expected.
-spec is_met(binary(), result()) -> boolean().
is_met(<<"_">>, #{outcome := Outcome}) ->
    Outcome =:= ok;
is_met(<<"ERROR:", Part/binary>>, #{outcome := Outcome, text := Text}) ->
    Outcome =:= error andalso contains(Text, string:trim(Part));
is_met(<<"WARNING:", Part/binary>>, #{warnings := Warnings}) ->
    lists:any(fun(W) -> contains(W, string:trim(Part)) end, Warnings);
is_met(<<"NO-WARNING:", Part/binary>>, #{outcome := ok, warnings := Warnings}) ->
    not lists:any(fun(W) -> contains(W, string:trim(Part)) end, Warnings);
is_met(<<"INCLUDES:", Item/binary>>, #{outcome := ok, text := Text}) ->
    lists:member(string:trim(Item), items(Text));
is_met(Expected, #{outcome := ok, text := Text}) ->
    is_like(segments(Expected), Text);
is_met(_, _) ->
    false.

contains(_, <<>>) -> true;
contains(Text, Part) -> binary:match(Text, Part) =/= nomatch.

%% The items of a list or set, without its brackets and an item's quotes.
items(Text) ->
    Brackets = "^[A-Za-z#]*[\\[({]|[\\])}]$",
    Inner = re:replace(Text, Brackets, "", [unicode, global, {return, binary}]),
    [string:trim(I, both, " \"#") || I <- binary:split(Inner, <<",">>, [global])].

%% A `_' is a wildcard unless both its neighbours are letters or digits.
segments(Expected) ->
    segments(Expected, none, <<>>, []).

segments(<<>>, _, Segment, Acc) ->
    lists:reverse([Segment | Acc]);
segments(<<"_", Rest/binary>>, Before, Segment, Acc) ->
    case is_word(Before) andalso is_word(first(Rest)) of
        true -> segments(Rest, $_, <<Segment/binary, "_">>, Acc);
        false -> segments(Rest, $_, <<>>, [Segment | Acc])
    end;
segments(<<C, Rest/binary>>, _, Segment, Acc) ->
    segments(Rest, C, <<Segment/binary, C>>, Acc).

first(<<C, _/binary>>) -> C;
first(<<>>) -> none.

is_word(C) when C >= $a, C =< $z; C >= $A, C =< $Z; C >= $0, C =< $9 -> true;
is_word(_) -> false.

is_like([Exact], Text) ->
    Exact =:= Text;
is_like([First | Rest], Text) ->
    Size = byte_size(First),
    case Text of
        <<First:Size/binary, After/binary>> -> is_rest_like(Rest, After);
        _ -> false
    end.

is_rest_like([Last], Text) ->
    Skip = byte_size(Text) - byte_size(Last),
    Skip >= 0 andalso binary:part(Text, Skip, byte_size(Last)) =:= Last;
is_rest_like([<<>> | Rest], Text) ->
    is_rest_like(Rest, Text);
is_rest_like([Segment | Rest], Text) ->
    case binary:match(Text, Segment) of
        {Start, Size} ->
            <<_:(Start + Size)/binary, After/binary>> = Text,
            is_rest_like(Rest, After);
        nomatch ->
            false
    end.
