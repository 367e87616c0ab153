%% @doc Primitives of `Character'.
-module(bte_prim_character).

-export([new/2, code_point/1, as_string/1]).

%% @doc Makes a Character of a code point.
-spec new(term(), term()) -> {'$char', char()}.
new(_, C) when is_integer(C), C >= 0, C =< 16#D7FF; is_integer(C), C >= 16#E000, C =< 16#10FFFF ->
    {'$char', C};
new(Self, C) when is_integer(C) ->
    Message = [integer_to_binary(C), <<" is not a Unicode code point">>],
    bte_prim:argument_error(Self, 'value:', Message);
new(Self, Other) ->
    bte_prim:type_error(Self, 'value:', <<"Integer">>, Other).

%% @doc Answers the code point.
-spec code_point({'$char', char()}) -> char().
code_point({'$char', C}) -> C.

%% @doc Answers a text of this one character.
-spec as_string({'$char', char()}) -> binary().
as_string({'$char', C}) -> <<C/utf8>>.
