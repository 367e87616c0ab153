%% @doc The mechanics of exceptions for the library: `on:do:', `ensure:', `ifCurtailed:', and, from
%% inside a handler, `retry', `return:' and `pass'.
%%
%% A handler runs after the stack of the protected block is gone, so an exception cannot be resumed.
%% `on:do:' catches Erlang errors only: a non-local return, which is a throw, passes it, and
%% `ensure:' runs. Tested by `bte_send_SUITE'.
-module(bte_exception).

-export([on_do/3, ensure/2, if_curtailed/2, matches/2, is_selection/1]).
-export([retry/1, return/2, pass/1, signal/1]).

-type block() :: bte_block:block().
-type exception() :: bte_error:exception().

%% @doc Runs a block; an exception of the class (or of one of a list of classes) goes to the
%% handler, whose value is then the value of the whole.
-spec on_do(block(), term(), block()) -> term().
on_do(Block, Classes, Handler) ->
    try
        bte_block:value(Block, [])
    catch
        error:Reason:Stack ->
            Exception = bte_error:from_erlang(error, Reason, Stack),
            case matches(Classes, Exception) of
                true -> handle({Block, Classes, Handler}, Exception, Stack);
                false -> erlang:raise(error, Reason, Stack)
            end
    end.

handle({Block, Classes, Handler}, Exception, Stack) ->
    Ref = make_ref(),
    Outer = erlang:put('$handler', {Ref, Exception, Stack}),
    Outcome =
        try bte_block:value_upto(Handler, [Exception]) of
            V -> {value, V}
        catch
            throw:{'$handler', Ref, What} -> What
        after
            restore(Outer)
        end,
    case Outcome of
        {value, Value} -> Value;
        retry -> on_do(Block, Classes, Handler)
    end.

restore(undefined) ->
    _ = erlang:erase('$handler'),
    ok;
restore(Outer) ->
    _ = erlang:put('$handler', Outer),
    ok.

%% @doc Tells whether an exception is of a class, or of one of several.
-spec matches(term(), exception()) -> boolean().
matches({'$class', C}, #{'$class' := Actual}) ->
    bte_registry:inherits(Actual, C);
matches(Classes, Exception) when is_list(Classes) ->
    lists:any(fun(C) -> matches(C, Exception) end, Classes);
matches({'$array', Classes}, Exception) ->
    matches(tuple_to_list(Classes), Exception);
matches(Kind, #{kind := Actual}) when is_atom(Kind) ->
    %% A kind in place of a class: `on: #type_error do:'.
    Kind =:= Actual;
matches(_, _) ->
    false.

%% @doc Tells whether `on:do:' can select exceptions by something: a class of exceptions, a kind, or
%% a collection of those.
-spec is_selection(term()) -> boolean().
is_selection({'$class', 'bt@stdlib@error'}) -> true;
is_selection({'$class', C}) -> bte_registry:inherits(C, 'bt@stdlib@exception');
is_selection(Classes) when is_list(Classes) -> lists:all(fun is_selection/1, Classes);
is_selection({'$array', Classes}) -> is_selection(tuple_to_list(Classes));
is_selection(Kind) -> is_atom(Kind) andalso Kind =/= nil andalso not is_boolean(Kind).

%% @doc Runs a block and then, in any case, another one.
-spec ensure(block(), block()) -> term().
ensure(Block, Ensured) ->
    Outer = bte_unwind:enter(Ensured),
    try
        bte_block:value(Block, [])
    after
        bte_unwind:leave(Outer),
        bte_block:value(Ensured, [])
    end.

%% @doc Runs a block and, only if it does not end by itself, another one.
-spec if_curtailed(block(), block()) -> term().
if_curtailed(Block, Curtailed) ->
    Outer = bte_unwind:enter(Curtailed),
    try bte_block:value(Block, []) of
        Value ->
            bte_unwind:leave(Outer),
            Value
    catch
        Class:Reason:Stack ->
            bte_unwind:leave(Outer),
            _ = bte_block:value(Curtailed, []),
            erlang:raise(Class, Reason, Stack)
    end.

%% @doc Runs the protected block of the running handler again.
-spec retry(exception()) -> no_return().
retry(Exception) ->
    leave(Exception, retry, retry).

%% @doc Ends the running handler with a value.
-spec return(exception(), term()) -> no_return().
return(Exception, Value) ->
    leave(Exception, 'return:', {value, Value}).

-spec leave(term(), term(), term()) -> no_return().
leave(Exception, Selector, What) ->
    case erlang:get('$handler') of
        {Ref, _, _} -> erlang:throw({'$handler', Ref, What});
        undefined -> outside(Exception, Selector)
    end.

%% @doc Hands the exception on to the next handler outside.
-spec pass(exception()) -> no_return().
pass(Exception) ->
    case erlang:get('$handler') of
        {_, Exception, Stack} -> erlang:raise(error, {bt_exception, Exception}, Stack);
        _ -> bte_error:signal(Exception)
    end.

%% @doc Raises an exception that user code made.
-spec signal(exception()) -> no_return().
signal(Exception) ->
    bte_error:signal(Exception).

-spec outside(term(), term()) -> no_return().
outside(#{'$class' := C}, Selector) ->
    bte_error:raise(runtime_error, #{
        class => C,
        selector => Selector,
        message => <<(atom_to_binary(Selector))/binary, " works only inside a handler block">>,
        hint => <<"Send it to the exception that on:do: hands to its handler.">>
    }).
