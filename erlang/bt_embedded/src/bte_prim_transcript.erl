%% @doc Primitives of `Transcript'. What is shown goes to the group leader of the one who shows it.
-module(bte_prim_transcript).

-export([show/2]).

%% @doc Writes the text of a value.
-spec show(term(), term()) -> term().
show(Self, Value) ->
    ok = io:put_chars(bte_prim:text(Value)),
    Self.
