%% @doc Blocks. A block of compiled code is data, `{'$block', Module, Id, Arity, Env}'; its body is
%% a clause of its module's `b'. So it survives the purge of the code it was made in. A block typed
%% at the prompt and a block from Erlang are funs. Tested by `bte_send_SUITE'.
-module(bte_block).

-export([value/2, value_upto/2, arity/1, is_block/1, as_fun/1, outdated/2, outdated_exception/2]).
-export_type([block/0]).

-type block() :: {'$block', module(), non_neg_integer(), arity(), Env :: term()} | fun().

%% @doc Runs a block with as many arguments as it has parameters; otherwise `arity_mismatch'.
%% A value that is no block is sent `value', `value:' ….
-spec value(block() | term(), [term()]) -> term().
value({'$block', M, Id, Arity, Env}, Args) when length(Args) =:= Arity ->
    {A1, A2, A3} = bte_send:places(Args),
    M:b(Id, Env, A1, A2, A3);
value(F, Args) when is_function(F, length(Args)) ->
    apply(F, Args);
value(B, Args) ->
    case is_block(B) of
        true -> mismatch(B, Args);
        false -> bte_send:send_n(selector(length(Args)), bte_registry:generation(), B, Args)
    end.

%% @doc Runs a block with the first of the given arguments that it has parameters for: a handler
%% block may leave out what it does not need.
-spec value_upto(block() | term(), [term()]) -> term().
value_upto(B, Args) ->
    case is_block(B) of
        true -> value(B, lists:sublist(Args, arity(B)));
        false -> value(B, Args)
    end.

%% @doc Answers the number of parameters.
-spec arity(block()) -> arity().
arity({'$block', _, _, Arity, _}) -> Arity;
arity(F) when is_function(F) ->
    {arity, Arity} = erlang:fun_info(F, arity),
    Arity.

%% @doc Tells whether a term is a block.
-spec is_block(term()) -> boolean().
is_block({'$block', _, _, _, _}) -> true;
is_block(F) -> is_function(F).

%% @doc Makes a real fun of a block, for Erlang code. The fun belongs to this module, which is
%% never reloaded, so no purge can void it.
-spec as_fun(block()) -> fun().
as_fun(F) when is_function(F) -> F;
as_fun({'$block', _, _, 0, _} = B) -> fun() -> value(B, []) end;
as_fun({'$block', _, _, 1, _} = B) -> fun(A1) -> value(B, [A1]) end;
as_fun({'$block', _, _, 2, _} = B) -> fun(A1, A2) -> value(B, [A1, A2]) end;
as_fun({'$block', _, _, 3, _} = B) -> fun(A1, A2, A3) -> value(B, [A1, A2, A3]) end;
as_fun({'$block', _, _, 4, _} = B) -> fun(A1, A2, A3, A4) -> value(B, [A1, A2, A3, A4]) end;
as_fun({'$block', _, _, 5, _} = B) ->
    fun(A1, A2, A3, A4, A5) -> value(B, [A1, A2, A3, A4, A5]) end;
as_fun({'$block', _, _, 6, _} = B) ->
    fun(A1, A2, A3, A4, A5, A6) -> value(B, [A1, A2, A3, A4, A5, A6]) end.

%% @doc Raises `block_outdated': the block's body is no longer a part of its class.
-spec outdated(module(), non_neg_integer()) -> no_return().
outdated(Module, Id) ->
    bte_error:signal(outdated_exception(Module, Id)).

%% @doc Answers the exception that says so. A class without blocks has no function for them at
%% all; then it is made of Erlang's undefined function.
-spec outdated_exception(module(), non_neg_integer()) -> bte_error:exception().
outdated_exception(Module, Id) ->
    Where = bte_registry:block_owner(Module, Id),
    bte_error:exception(block_outdated, #{
        class => Module,
        message => iolist_to_binary([<<"a block of ">>, Where, <<" is outdated">>]),
        hint => <<"The method it was made in has been changed since. Make the block again.">>
    }).

-spec mismatch(term(), term()) -> no_return().
mismatch(B, Args) ->
    bte_error:raise(arity_mismatch, #{
        class => 'bt@stdlib@block',
        selector => selector(length(Args)),
        message => iolist_to_binary(
            ["a block with ", count(arity(B), "parameter"), " was given ",
                count(length(Args), "argument")]
        ),
        hint => <<"Send value, value: and so on with one argument for each parameter.">>
    }).

count(1, Word) -> ["1 ", Word];
count(N, Word) -> [integer_to_list(N), $\s, Word, $s].

selector(0) -> value;
selector(1) -> 'value:';
selector(2) -> 'value:value:';
selector(3) -> 'value:value:value:';
selector(4) -> 'value:value:value:value:';
selector(_) -> 'valueWithArguments:'.
