%% @doc Primitives of `Symbol'.
-module(bte_prim_symbol).

-export([as_string/1, num_args/1]).

%% @doc Answers the letters.
-spec as_string(atom()) -> binary().
as_string(Symbol) -> atom_to_binary(Symbol).

%% @doc Answers how many arguments a message with this selector has.
-spec num_args(atom()) -> non_neg_integer().
num_args(Symbol) ->
    Text = atom_to_binary(Symbol),
    case {length(binary:matches(Text, <<":">>)), Text} of
        {0, <<C, _/binary>>} when C >= $a, C =< $z; C >= $A, C =< $Z; C =:= $_ -> 0;
        {0, _} -> 1;
        {Colons, _} -> Colons
    end.
