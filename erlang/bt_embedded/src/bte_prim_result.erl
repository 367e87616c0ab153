%% @doc Primitives of `Result'. A success has the key `ok', a failure the key `error'; so the
%% patterns `Result ok: v' and `Result error: e' tell them apart.
-module(bte_prim_result).

-export([ok/2, error/2, is_ok/1, value/1, reason/1, unwrap/1]).

-type result() :: #{'$class' := module(), ok | error => term()}.

%% @doc Makes a success.
-spec ok(term(), term()) -> result().
ok({'$class', C}, Value) -> #{'$class' => C, ok => Value}.

%% @doc Makes a failure.
-spec error(term(), term()) -> result().
error({'$class', C}, Reason) -> #{'$class' => C, error => Reason}.

%% @doc Tells a success from a failure.
-spec is_ok(result()) -> boolean().
is_ok(Self) -> is_map_key(ok, Self).

%% @doc Answers the value of a success.
-spec value(result()) -> term().
value(#{ok := Value}) -> Value;
value(_) -> nil.

%% @doc Answers the reason of a failure.
-spec reason(result()) -> term().
reason(#{error := Reason}) -> Reason;
reason(_) -> nil.

%% @doc Answers the value of a success, raises the reason of a failure.
-spec unwrap(result()) -> term().
unwrap(#{ok := Value}) ->
    Value;
unwrap(#{error := #{'$class' := C} = Reason} = Self) ->
    case bte_registry:inherits(C, 'bt@stdlib@exception') of
        true -> bte_error:signal(Reason);
        false -> failed(Self, Reason)
    end;
unwrap(#{error := Reason} = Self) ->
    failed(Self, Reason);
unwrap(Self) ->
    failed(Self, nil).

-spec failed(term(), term()) -> no_return().
failed(Self, Reason) ->
    Message = [<<"unwrap of an error Result: ">>, bte_prim:quoted(Reason)],
    bte_prim:raise(result_error, Self, unwrap, Message, <<"Ask isOk first, or use valueOr:.">>).
