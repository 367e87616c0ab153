%% @doc Primitives of `ProtoObject', `Object', `Value' and of making instances.
-module(bte_prim_object).

-export([class/1, perform/2, perform/3, perform/4, is_kind_of/2, responds_to/2, hash/1]).
-export([field_at/2, field_at_put/3, subclass_responsibility/1, as_dictionary/1, with_fields/2]).
-export([new/1, new/2]).

%% @doc Answers the class of a value.
-spec class(term()) -> term().
class({'$class', C}) -> {'$meta', C};
class({'$meta', _}) -> {'$class', 'bt@stdlib@metaclass'};
class(Self) -> {'$class', bte_send:class_of(Self)}.

%% @doc Sends a message without arguments by its name.
-spec perform(term(), term()) -> term().
perform(Self, Selector) -> perform(Self, Selector, []).

%% @doc Sends a message by its name.
-spec perform(term(), term(), term()) -> term().
perform(Self, Selector, Args) when is_atom(Selector) ->
    List = bte_prim:list(Self, 'perform:withArguments:', Args),
    check_arity(Self, Selector, length(List)),
    operator(Selector, Self, List);
perform(Self, Selector, _) ->
    bte_prim:type_error(Self, 'perform:withArguments:', <<"Symbol">>, Selector).

%% The equality operators are no methods, and what a class module tells of itself is no message.
operator('==', A, [B]) -> A == B;
operator('/=', A, [B]) -> A /= B;
operator('=:=', A, [B]) -> A =:= B;
operator('=/=', A, [B]) -> A =/= B;
operator(Selector, Self, Args) ->
    case bte_meta:is_told(Selector) of
        true -> bte_error:does_not_understand(Self, Selector);
        false -> bte_prim:send(Self, Selector, Args)
    end.

check_arity(Self, Selector, Given) ->
    case bte_prim_symbol:num_args(Selector) of
        Given ->
            ok;
        Expected ->
            Message = io_lib:format("#~ts takes ~b arguments, ~b were given", [
                Selector, Expected, Given
            ]),
            bte_prim:raise(
                arity_mismatch, Self, 'perform:withArguments:', text(Message), nil
            )
    end.

%% @doc Sends a message by its name and waits for a limited time.
-spec perform(term(), term(), term(), term()) -> term().
perform({'$actor', _, _} = Self, Selector, Args, Timeout) when is_atom(Selector) ->
    List = bte_prim:list(Self, 'perform:withArguments:timeout:', Args),
    Ms = limit(Self, Timeout),
    check_arity(Self, Selector, length(List)),
    bte_actor:call(Selector, bte_registry:generation(), Self, List, Ms);
perform(Self, Selector, Args, _) ->
    perform(Self, Selector, Args).

limit(Self, Timeout) ->
    case bte_prim:integer(Self, 'perform:withArguments:timeout:', Timeout) of
        Ms when Ms > 0 -> Ms;
        _ ->
            Message = <<"a time limit is above nought">>,
            bte_prim:argument_error(Self, 'perform:withArguments:timeout:', Message)
    end.

%% @doc Tells whether a value is an instance of a class or of one below it.
-spec is_kind_of(term(), term()) -> boolean().
is_kind_of({'$class', _}, {'$class', C}) -> bte_registry:inherits('bt@stdlib@class', C);
is_kind_of({'$class', C}, {'$meta', M}) -> bte_registry:inherits(C, M);
is_kind_of({'$meta', _}, {'$class', C}) -> bte_registry:inherits('bt@stdlib@metaclass', C);
is_kind_of(Self, {'$class', C}) -> bte_registry:inherits(bte_send:class_of(Self), C);
is_kind_of(_, {'$meta', _}) -> false;
is_kind_of(Self, Other) -> bte_prim:type_error(Self, 'isKindOf:', <<"Class">>, Other).

%% @doc Tells whether a value has a method for a selector.
-spec responds_to(term(), term()) -> boolean().
responds_to(Self, Selector) when is_atom(Selector) -> bte_send:responds_to(Self, Selector);
responds_to(Self, Other) -> bte_prim:type_error(Self, 'respondsTo:', <<"Symbol">>, Other).

%% @doc Answers a number that is equal for equal values, 1 and 1.0 included.
-spec hash(term()) -> non_neg_integer().
hash(F) when is_float(F), F == trunc(F) -> erlang:phash2(trunc(F));
hash(Self) -> erlang:phash2(Self).

%% @doc Reads a field by its name.
-spec field_at(term(), term()) -> term().
field_at({'$actor', _, _} = Self, Name) -> known(Self, Name, own_state());
field_at(Self, Name) when is_map(Self) -> known(Self, Name, Self);
field_at(Self, Name) -> no_field(Self, 'fieldAt:', Name).

known(Self, Name, Fields) ->
    case Fields of
        #{Name := Value} when Name =/= '$class' -> Value;
        _ -> no_field(Self, 'fieldAt:', Name)
    end.

%% @doc Answers a copy with another field; an actor changes its state.
-spec field_at_put(term(), term(), term()) -> term().
field_at_put({'$actor', _, _} = Self, Name, Value) ->
    case own_state() of
        #{Name := _} = State ->
            _ = erlang:put('$state', State#{Name := Value}),
            Self;
        _ ->
            no_field(Self, 'fieldAt:put:', Name)
    end;
field_at_put(#{'$class' := _} = Self, Name, Value) when is_map_key(Name, Self), Name =/= '$class' ->
    Self#{Name := Value};
field_at_put(Self, Name, _) ->
    no_field(Self, 'fieldAt:put:', Name).

own_state() ->
    case erlang:get('$state') of
        State when is_map(State) -> State;
        _ -> #{}
    end.

-spec no_field(term(), term(), term()) -> no_return().
no_field(Self, Selector, Name) ->
    Message = [bte_prim:kind_name(Self), <<" has no field ">>, bte_prim:quoted(Name)],
    bte_prim:raise(not_found, Self, Selector, Message, <<"fieldNames answers what there is.">>).

%% @doc Raises the error of a method that a subclass has to provide.
-spec subclass_responsibility(term()) -> no_return().
subclass_responsibility(Self) ->
    Message = [bte_prim:kind_name(Self), <<" has to provide this method itself">>],
    bte_prim:raise(subclass_responsibility, Self, subclassResponsibility, Message, nil).

%% @doc Answers the fields of a value as a dictionary.
-spec as_dictionary(map()) -> map().
as_dictionary(Self) -> maps:remove('$class', Self).

%% @doc Answers a copy with some fields replaced.
-spec with_fields(map(), term()) -> map().
with_fields(Self, Fields) when is_map(Fields), not is_map_key('$class', Fields) ->
    maps:fold(fun(Name, Value, Acc) -> field_at_put(Acc, Name, Value) end, Self, Fields);
with_fields(Self, Other) ->
    bte_prim:type_error(Self, 'with:', <<"Dictionary">>, Other).

%% @doc Makes an instance of a class.
-spec new(term()) -> term().
new({'$class', C}) ->
    check_literal_class(C, new),
    bte_object:new(C).

%% @doc Makes an instance of a class with some fields given.
-spec new(term(), term()) -> term().
new({'$class', C}, Fields) ->
    check_literal_class(C, 'new:'),
    bte_object:new(C, Fields).

%% Instances of some classes are terms of Erlang that only a literal or a message makes.
check_literal_class(C, Selector) ->
    case lists:member(C, literal_classes()) of
        true ->
            Name = bte_registry:name_of(C),
            bte_error:raise(instantiation_error, #{
                class => C,
                selector => Selector,
                message => <<Name/binary, " has no instances made by new">>,
                hint => <<"Write a literal, or send a message that answers one.">>
            });
        false ->
            ok
    end.

literal_classes() ->
    [
        'bt@stdlib@integer', 'bt@stdlib@float', 'bt@stdlib@symbol', 'bt@stdlib@character',
        'bt@stdlib@true', 'bt@stdlib@false', 'bt@stdlib@undefined_object', 'bt@stdlib@block',
        'bt@stdlib@pid', 'bt@stdlib@reference', 'bt@stdlib@port', 'bt@stdlib@bit_string',
        'bt@stdlib@class', 'bt@stdlib@erlang_module'
    ].

text(Chars) -> unicode:characters_to_binary(Chars).
