%% @doc Primitives of `Block'.
-module(bte_prim_block).

-export([value/1, value/2, value/3, value/4, value/5, value_with_arguments/2, num_args/1]).
-export([on_do/3, ensure/2, if_curtailed/2, time_to_run/1, fork/1]).

-type block() :: bte_block:block().

%% @doc Runs a block.
-spec value(block()) -> term().
value(Block) -> bte_block:value(Block, []).

%% @doc Runs a block with one argument.
-spec value(block(), term()) -> term().
value(Block, A) -> bte_block:value(Block, [A]).

%% @doc Runs a block with two arguments.
-spec value(block(), term(), term()) -> term().
value(Block, A, B) -> bte_block:value(Block, [A, B]).

%% @doc Runs a block with three arguments.
-spec value(block(), term(), term(), term()) -> term().
value(Block, A, B, C) -> bte_block:value(Block, [A, B, C]).

%% @doc Runs a block with four arguments.
-spec value(block(), term(), term(), term(), term()) -> term().
value(Block, A, B, C, D) -> bte_block:value(Block, [A, B, C, D]).

%% @doc Runs a block with the elements of a list as arguments.
-spec value_with_arguments(block(), term()) -> term().
value_with_arguments(Block, Args) ->
    bte_block:value(Block, bte_prim:list(Block, 'valueWithArguments:', Args)).

%% @doc Answers how many arguments a block takes.
-spec num_args(block()) -> arity().
num_args(Block) -> bte_block:arity(Block).

%% @doc Runs a block under a handler for exceptions of a class.
-spec on_do(block(), term(), term()) -> term().
on_do(Block, Class, Handler) ->
    case bte_exception:is_selection(Class) of
        true -> bte_exception:on_do(Block, Class, bte_prim:block(Block, 'on:do:', Handler));
        false -> bte_prim:type_error(Block, 'on:do:', <<"class of exceptions">>, Class)
    end.

%% @doc Runs a block and then another, whatever happens.
-spec ensure(block(), term()) -> term().
ensure(Block, Cleanup) -> bte_exception:ensure(Block, bte_prim:block(Block, 'ensure:', Cleanup)).

%% @doc Runs a block, and another when the first does not end by itself.
-spec if_curtailed(block(), term()) -> term().
if_curtailed(Block, Cleanup) ->
    bte_exception:if_curtailed(Block, bte_prim:block(Block, 'ifCurtailed:', Cleanup)).

%% @doc Answers how many milliseconds a block takes.
-spec time_to_run(block()) -> non_neg_integer().
time_to_run(Block) ->
    {Microseconds, _} = timer:tc(fun() -> bte_block:value(Block, []) end),
    Microseconds div 1000.

%% @doc Runs a block in a process of its own. An error there is logged and ends that process only.
-spec fork(block()) -> pid().
fork(Block) -> erlang:spawn(fun() -> bte_block:value(Block, []) end).
