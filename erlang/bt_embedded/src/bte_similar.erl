%% @doc Did you mean: the word of a list that looks most like another. Pure.
%% Tested by `bte_library_SUITE'.
-module(bte_similar).

-export([closest/2, distance/2]).

%% @doc Answers the closest word, if it is close: up to a third of its letters differ.
-spec closest(binary(), [binary()]) -> {ok, binary()} | none.
closest(Word, Words) ->
    Limit = max(1, string:length(Word) div 3),
    Others = [W || W <- Words, W =/= Word, near(Word, W, Limit)],
    Near = [{D, W} || W <- Others, D <- [distance(Word, W)], D =< Limit],
    case lists:sort(Near) of
        [{_, Closest} | _] -> {ok, Closest};
        [] -> none
    end.

near(A, B, Limit) -> abs(byte_size(A) - byte_size(B)) =< Limit * 4.

%% @doc Answers how many letters have to be put in, left out, replaced or swapped with the next,
%% upper and lower case being alike.
-spec distance(binary(), binary()) -> non_neg_integer().
distance(A, B) ->
    As = string:to_graphemes(string:lowercase(A)),
    Bs = string:to_graphemes(string:lowercase(B)),
    rows(As, Bs, {none, none}, lists:seq(0, length(Bs))).

rows([], _, _, Row) ->
    lists:last(Row);
rows([A | As], Bs, {Before, Above}, [First | _] = Row) ->
    Next = [First + 1 | cells({A, Before}, Bs, {First + 1, Above, none}, Row)],
    rows(As, Bs, {A, Row}, Next).

cells(_, [], _, _) ->
    [];
cells({A, Before}, [B | Bs], {Left, Above, BeforeB}, [Diagonal, Up | Row]) ->
    Plain = lists:min([Left + 1, Up + 1, Diagonal + cost(A, B)]),
    Cell = swapped({A, Before}, {B, BeforeB}, Above, Plain),
    [Cell | cells({A, Before}, Bs, {Cell, shifted(Above, BeforeB), B}, [Up | Row])].

cost(Same, Same) -> 0;
cost(_, _) -> 1.

swapped({A, Before}, {B, BeforeB}, [Corner | _], Plain) when A =:= BeforeB, B =:= Before ->
    min(Plain, Corner + 1);
swapped(_, _, _, Plain) ->
    Plain.

%% The row two above moves along one cell behind the others.
shifted(none, _) -> none;
shifted(Above, none) -> Above;
shifted([_ | Above], _) -> Above.
