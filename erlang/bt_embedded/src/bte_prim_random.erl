%% @doc Primitives of `Random'.
-module(bte_prim_random).

-export([next/1, next_integer/2, seed/2]).

%% @doc Answers a float from 0.0 up to 1.0.
-spec next(term()) -> float().
next(_) -> rand:uniform().

%% @doc Answers an integer from one to a limit.
-spec next_integer(term(), term()) -> pos_integer().
next_integer(Self, Limit) ->
    case bte_prim:integer(Self, 'nextInteger:', Limit) of
        N when N >= 1 -> rand:uniform(N);
        _ -> bte_prim:argument_error(Self, 'nextInteger:', <<"the limit must be one at least">>)
    end.

%% @doc Makes the numbers of this process repeat for the same seed.
-spec seed(term(), term()) -> term().
seed(Self, Seed) ->
    _ = rand:seed(exsss, bte_prim:integer(Self, 'seed:', Seed)),
    Self.
