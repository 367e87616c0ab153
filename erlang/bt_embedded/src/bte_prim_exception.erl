%% @doc Primitives of `Exception'.
-module(bte_prim_exception).

-export([signal_kind/3, signal_kind/4, signal_kind/5, message/1, kind/1, signal/1]).
-export([return/2, retry/1, retry_using/2, stack_trace/1, print/1]).

-type exception() :: bte_error:exception().

%% @doc Raises an exception of a kind.
-spec signal_kind(term(), term(), term()) -> no_return().
signal_kind(Self, Kind, Message) -> signal_kind(Self, Kind, Message, nil).

%% @doc Raises an exception of a kind, with a hint.
-spec signal_kind(term(), term(), term(), term()) -> no_return().
signal_kind(_, Kind, Message, Hint) when is_atom(Kind) ->
    bte_error:raise(Kind, #{message => Message, hint => Hint});
signal_kind(Self, Kind, _, _) ->
    bte_prim:type_error(Self, 'signalKind:message:', <<"Symbol">>, Kind).

%% @doc Raises an exception of a kind about a message of a class.
-spec signal_kind(term(), term(), term(), term(), term()) -> no_return().
signal_kind(_, Kind, Class, Selector, Hint) when is_atom(Kind) ->
    Exception = bte_error:exception(Kind, #{
        selector => Selector,
        hint => Hint,
        message => iolist_to_binary([bte_prim:text(Class), ">>", bte_prim:text(Selector)])
    }),
    bte_error:signal(Exception#{class := Class});
signal_kind(Self, Kind, _, _, _) ->
    bte_prim:type_error(Self, 'signalKind:class:selector:hint:', <<"Symbol">>, Kind).

%% @doc Answers the message.
-spec message(exception()) -> binary().
message(Exception) -> bte_error:message(Exception).

%% @doc Answers the kind; that of an exception without one is derived from its class.
-spec kind(exception()) -> atom().
kind(#{kind := Kind}) when Kind =/= nil -> Kind;
kind(#{'$class' := C}) -> kind_of_class(C).

kind_of_class('bt@stdlib@type_error') -> type_error;
kind_of_class('bt@stdlib@instantiation_error') -> instantiation_error;
kind_of_class('bt@stdlib@exit_error') -> erlang_exit;
kind_of_class('bt@stdlib@throw_error') -> erlang_throw;
kind_of_class('bt@stdlib@runtime_error') -> runtime_error;
kind_of_class('bt@stdlib@exception') -> exception;
kind_of_class('bt@stdlib@error') -> user_error;
kind_of_class(C) -> kind_of_class(map_get(superclass, bte_meta:info(C))).

%% @doc Raises an exception.
-spec signal(exception()) -> no_return().
signal(Exception) -> bte_error:signal(Exception).

%% @doc Ends the running handler with a value.
-spec return(exception(), term()) -> no_return().
return(Exception, Value) -> bte_exception:return(Exception, Value).

%% @doc Runs the protected block again.
-spec retry(exception()) -> no_return().
retry(Exception) -> bte_exception:retry(Exception).

%% @doc Ends the running handler with the value of another block.
-spec retry_using(exception(), term()) -> no_return().
retry_using(Exception, Block) ->
    bte_exception:return(Exception, bte_block:value(Block, [])).

%% @doc Answers the lines of the stack, where they were kept.
-spec stack_trace(exception()) -> [binary()].
stack_trace(#{details := #{stack := Stack}}) when is_list(Stack) -> Stack;
stack_trace(_) -> [].

%% @doc Answers the text form.
-spec print(exception()) -> binary().
print(Exception) -> bte_error:format(Exception).
