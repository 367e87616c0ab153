%% @doc Primitives of `ErlangModule'.
-module(bte_prim_erlang).

-export([call/3, print/1]).

%% @doc Calls the function named by a selector's first part.
-spec call({'$erlang', module()}, atom(), [term()]) -> term().
call({'$erlang', M}, Selector, Args) -> bte_ffi:send(M, Selector, Args).

%% @doc Answers `Erlang lists'.
-spec print({'$erlang', module()}) -> binary().
print(Self) -> bte_view:print(Self).
