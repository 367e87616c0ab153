%% @doc Dispatch: the one door through which compiled code sends.
%%
%% A send finds the receiver's class module from the shape of the term and calls its dispatcher; no
%% table is read, on a hit or an inherited hit. A miss ends in {@link miss/6}, which asks
%% `doesNotUnderstand:args:' and then raises `does_not_understand'. Promises nothing about time: a
%% send to an actor waits for its answer. Tested by `bte_send_SUITE'.
-module(bte_send).

-export([send/3, send/4, send/5, send/6, send_n/4, decide/5, apply_to/4, places/1]).
-export([cast/4, miss/6]).
-export([class_of/1, responds_to/2, understands/3, implementor/3]).
-export_type([selector/0, generation/0, value/0]).

-type selector() :: atom().
-type generation() :: non_neg_integer().
-type value() :: term().

%% @doc Sends a selector with 0 arguments.
-spec send(selector(), generation(), value()) -> value().
send(S, G, #{'$class' := C} = R) ->
    C:i(S, G, R, [], [], []);
send(S, G, {'$actor', C, P} = R) when P =:= self() ->
    C:i(S, G, R, [], [], []);
send(S, G, {'$actor', _, _} = R) ->
    bte_actor:call(S, G, R, []);
send(S, G, {'$class', C} = R) ->
    C:c(S, G, R, [], [], []);
send(value, _, {'$block', M, Id, 0, Env}) ->
    M:b(Id, Env, [], [], []);
send(value, _, F) when is_function(F, 0) ->
    F();
send(S, _, {'$erlang', M}) when S =/= class, S =/= printString, S =/= displayString ->
    bte_ffi:send(M, S, []);
send(S, G, R) ->
    (class_of(R)):i(S, G, R, [], [], []).

%% @doc Sends a selector with 1 argument.
-spec send(selector(), generation(), value(), value()) -> value().
send(S, G, #{'$class' := C} = R, A1) ->
    C:i(S, G, R, A1, [], []);
send(S, G, {'$actor', C, P} = R, A1) when P =:= self() ->
    C:i(S, G, R, A1, [], []);
send(S, G, {'$actor', _, _} = R, A1) ->
    bte_actor:call(S, G, R, [A1]);
send(S, G, {'$class', C} = R, A1) ->
    C:c(S, G, R, A1, [], []);
send('value:', _, {'$block', M, Id, 1, Env}, A1) ->
    M:b(Id, Env, A1, [], []);
send('value:', _, F, A1) when is_function(F, 1) ->
    F(A1);
send(S, _, {'$erlang', M}, A1) when S =/= class, S =/= printString ->
    bte_ffi:send(M, S, [A1]);
send(S, G, R, A1) ->
    (class_of(R)):i(S, G, R, A1, [], []).

%% @doc Sends a selector with 2 arguments.
-spec send(selector(), generation(), value(), value(), value()) -> value().
send(S, G, #{'$class' := C} = R, A1, A2) ->
    C:i(S, G, R, A1, A2, []);
send(S, G, {'$actor', C, P} = R, A1, A2) when P =:= self() ->
    C:i(S, G, R, A1, A2, []);
send(S, G, {'$actor', _, _} = R, A1, A2) ->
    bte_actor:call(S, G, R, [A1, A2]);
send(S, G, {'$class', C} = R, A1, A2) ->
    C:c(S, G, R, A1, A2, []);
send('value:value:', _, {'$block', M, Id, 2, Env}, A1, A2) ->
    M:b(Id, Env, A1, A2, []);
send('value:value:', _, F, A1, A2) when is_function(F, 2) ->
    F(A1, A2);
send(S, _, {'$erlang', M}, A1, A2) when S =/= class, S =/= printString ->
    bte_ffi:send(M, S, [A1, A2]);
send(S, G, R, A1, A2) ->
    (class_of(R)):i(S, G, R, A1, A2, []).

%% @doc Sends a selector with 3 arguments.
-spec send(selector(), generation(), value(), value(), value(), value()) -> value().
send(S, G, #{'$class' := C} = R, A1, A2, A3) ->
    C:i(S, G, R, A1, A2, A3);
send(S, G, {'$actor', C, P} = R, A1, A2, A3) when P =:= self() ->
    C:i(S, G, R, A1, A2, A3);
send(S, G, {'$actor', _, _} = R, A1, A2, A3) ->
    bte_actor:call(S, G, R, [A1, A2, A3]);
send(S, G, {'$class', C} = R, A1, A2, A3) ->
    C:c(S, G, R, A1, A2, A3);
send('value:value:value:', _, {'$block', M, Id, 3, Env}, A1, A2, A3) ->
    M:b(Id, Env, A1, A2, A3);
send('value:value:value:', _, F, A1, A2, A3) when is_function(F, 3) ->
    F(A1, A2, A3);
send(S, _, {'$erlang', M}, A1, A2, A3) when S =/= class, S =/= printString ->
    bte_ffi:send(M, S, [A1, A2, A3]);
send(S, G, R, A1, A2, A3) ->
    (class_of(R)):i(S, G, R, A1, A2, A3).

%% @doc Sends a selector with more than three arguments (any number is accepted).
-spec send_n(selector(), generation(), value(), [value()]) -> value().
send_n(S, G, R, [_, _, _, _ | _] = Args) ->
    send_many(S, G, R, Args);
send_n(S, G, R, Args) ->
    apply(?MODULE, send, [S, G, R | Args]).

send_many(S, G, #{'$class' := C} = R, Args) ->
    C:i(S, G, R, Args, [], []);
send_many(S, G, {'$actor', C, P} = R, Args) when P =:= self() ->
    C:i(S, G, R, Args, [], []);
send_many(S, G, {'$actor', _, _} = R, Args) ->
    bte_actor:call(S, G, R, Args);
send_many(S, G, {'$class', C} = R, Args) ->
    C:c(S, G, R, Args, [], []);
send_many(S, _, {'$erlang', M}, Args) ->
    bte_ffi:send(M, S, Args);
send_many(S, G, R, Args) ->
    (class_of(R)):i(S, G, R, Args, [], []).

%% @doc Sends a comparison that a conditional asks; its answer must be a Boolean.
-spec decide(selector(), generation(), value(), value(), Asking :: selector()) -> boolean().
decide(S, G, R, A1, Asking) ->
    case send(S, G, R, A1) of
        Answer when is_boolean(Answer) -> Answer;
        Other -> bte_error:not_boolean(Asking, Other)
    end.

%% @doc Runs a method of a class module on a receiver in this process: what an actor does with a
%% message, and what a chained hook does.
-spec apply_to(module(), selector(), generation(), {value(), [value()]}) -> value().
apply_to(M, S, G, {R, Args}) ->
    {A1, A2, A3} = places(Args),
    M:i(S, G, R, A1, A2, A3).

%% @doc Puts arguments into the three places that dispatchers and blocks have for them: more than
%% three stand as a list in the first, and a place that stays free holds `[]'.
-spec places([value()]) -> {value(), value(), value()}.
places([]) -> {[], [], []};
places([A1]) -> {A1, [], []};
places([A1, A2]) -> {A1, A2, []};
places([A1, A2, A3]) -> {A1, A2, A3};
places(Args) -> {Args, [], []}.

%% The arguments out of their places: the selector tells how many there are.
arguments(S, A1, A2, A3) ->
    case bte_prim_symbol:num_args(S) of
        Few when Few =< 3 -> lists:sublist([A1, A2, A3], Few);
        _ -> A1
    end.

%% @doc Sends without waiting: to an actor a message, to anything else an ordinary send whose value
%% is dropped. Answers `nil'.
-spec cast(selector(), generation(), value(), [value()]) -> nil.
cast(S, G, {'$actor', _, Pid}, Args) ->
    ok = gen_server:cast(Pid, {'$cast', S, G, Args}),
    nil;
cast(S, G, R, Args) ->
    _ = send_n(S, G, R, Args),
    nil.

%% @doc Ends a chain: no class of the receiver's line has the selector.
-spec miss(selector(), generation(), value(), value(), value(), value()) -> value().
miss('doesNotUnderstand:args:', _, R, S, _, _) ->
    bte_error:does_not_understand(R, S);
miss(S, G, R, A1, A2, A3) ->
    send('doesNotUnderstand:args:', G, R, S, arguments(S, A1, A2, A3)).

%% @doc Answers the identity of the class of any term.
-spec class_of(value()) -> bte_registry:identity().
class_of(R) when is_integer(R) -> 'bt@stdlib@integer';
class_of(R) when is_binary(R) -> 'bt@stdlib@string';
class_of(true) -> 'bt@stdlib@true';
class_of(false) -> 'bt@stdlib@false';
class_of(nil) -> 'bt@stdlib@undefined_object';
class_of(R) when is_atom(R) -> 'bt@stdlib@symbol';
class_of(R) when is_list(R) -> 'bt@stdlib@list';
class_of(#{'$class' := C}) -> C;
class_of(R) when is_map(R) -> 'bt@stdlib@dictionary';
class_of({'$actor', C, _}) -> C;
class_of({'$array', _}) -> 'bt@stdlib@array';
class_of({'$block', _, _, _, _}) -> 'bt@stdlib@block';
class_of({'$char', _}) -> 'bt@stdlib@character';
class_of({'$class', _}) -> 'bt@stdlib@class';
class_of({'$meta', _}) -> 'bt@stdlib@metaclass';
class_of({'$erlang', _}) -> 'bt@stdlib@erlang_module';
class_of(R) when is_tuple(R) -> 'bt@stdlib@tuple';
class_of(R) when is_float(R) -> 'bt@stdlib@float';
class_of(R) when is_function(R) -> 'bt@stdlib@block';
class_of(R) when is_pid(R) -> 'bt@stdlib@pid';
class_of(R) when is_reference(R) -> 'bt@stdlib@reference';
class_of(R) when is_port(R) -> 'bt@stdlib@port';
class_of(R) when is_bitstring(R) -> 'bt@stdlib@bit_string'.

%% @doc Tells whether a value's class line has a method for the selector.
-spec responds_to(value(), selector()) -> boolean().
responds_to({'$class', C}, S) -> understands(C, class, S);
responds_to({'$erlang', M}, S) -> bte_ffi:exports(M, S);
responds_to(R, S) -> understands(class_of(R), instance, S).

%% @doc Tells whether a class, or one above it, has a method on that side. The class side goes on
%% into the instance side of `Class'.
-spec understands(bte_registry:identity(), instance | class, selector()) -> boolean().
understands(C, Side, S) ->
    implementor(C, Side, S) =/= none.

%% @doc Answers the class, with its side, whose method a send would run.
-spec implementor(bte_registry:identity(), instance | class, selector()) ->
    {bte_registry:identity(), instance | class} | none.
implementor(C, Side, S) ->
    #{superclass := Super, methods := #{Side := Own}} = bte_meta:info(C),
    case lists:member(S, Own) of
        true -> {C, Side};
        false when Super =/= nil -> implementor(Super, Side, S);
        false when Side =:= class -> implementor('bt@stdlib@class', instance, S);
        false -> none
    end.
