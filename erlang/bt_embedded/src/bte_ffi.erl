%% @doc Calls of Erlang functions. Blocks become funs, what Erlang throws or exits with becomes a
%% Beamtalk exception, and charlists stay lists. A function that answers `ok', `{ok, Value}' or
%% `{error, Reason}' answers a Result; every other value is the function's own.
%% Tested by `bte_send_SUITE'.
-module(bte_ffi).

-define(RESULT, {'$class', 'bt@stdlib@result'}).

-export([call/3, send/3, exports/2, to_erlang/1]).

%% @doc Calls `Module:Function' with arguments.
-spec call(module(), atom(), [term()]) -> term().
call(bte_native, F, Args) ->
    %% What answers a native actor's method is no Erlang function: its values are Beamtalk's.
    apply(bte_native, F, Args);
call(M, F, Args) ->
    try apply(M, F, [to_erlang(A) || A <- Args]) of
        ok -> bte_prim_result:ok(?RESULT, nil);
        {ok, Value} -> bte_prim_result:ok(?RESULT, Value);
        {error, Reason} -> bte_prim_result:error(?RESULT, Reason);
        Value -> Value
    catch
        throw:{'$return', _, _} = Return -> erlang:throw(Return);
        throw:{'$handler', _, _} = Leave -> erlang:throw(Leave);
        error:Reason:Stack ->
            failed(Reason, Stack, {M, F, length(Args)});
        Class:Reason:Stack ->
            erlang:raise(error, {bt_exception, bte_error:from_erlang(Class, Reason, Stack)}, Stack)
    end.

-spec failed(term(), term(), term()) -> no_return().
failed(undef, [{M, F, _, _} | _], {M, F, Arity}) ->
    undefined(M, F, Arity);
failed(Reason, Stack, _) ->
    erlang:raise(error, Reason, Stack).

%% @doc Sends a Beamtalk selector to a module: its first keyword names the function.
-spec send(module(), atom(), [term()]) -> term().
send(M, Selector, Args) ->
    case function(Selector) of
        {ok, F} -> call(M, F, Args);
        error -> undefined(M, Selector, length(Args))
    end.

%% @doc Tells whether a module exports the function a selector stands for.
-spec exports(module(), atom()) -> boolean().
exports(M, Selector) ->
    Arity = length(binary:matches(atom_to_binary(Selector), <<":">>)),
    case function(Selector) of
        {ok, F} ->
            _ = code:ensure_loaded(M),
            erlang:function_exported(M, F, Arity);
        error ->
            false
    end.

function(Selector) ->
    [Name | _] = binary:split(atom_to_binary(Selector), <<":">>),
    try
        {ok, binary_to_existing_atom(Name)}
    catch
        error:badarg -> error
    end.

%% @doc Makes an argument of a Beamtalk value as Erlang code expects it.
-spec to_erlang(term()) -> term().
to_erlang({'$block', _, _, _, _} = Block) -> bte_block:as_fun(Block);
to_erlang({'$array', Elements}) -> Elements;
to_erlang(Other) -> Other.

-spec undefined(term(), term(), term()) -> no_return().
undefined(M, F, Arity) ->
    bte_error:raise(does_not_understand, #{
        class => 'bt@stdlib@erlang_module',
        selector => F,
        message => unicode:characters_to_binary(
            io_lib:format("Erlang module ~ts has no function ~ts/~b", [M, F, Arity])
        ),
        hint => <<"Check the name and the number of arguments.">>
    }).
