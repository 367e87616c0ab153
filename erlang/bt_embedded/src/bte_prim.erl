%% @doc What the primitives share: the errors they raise, and sends out of Erlang code.
%%
%% A primitive `bte_prim_x:f(Self, A1…)' stands behind a method of the library whose body is
%% `@primitive "bte_prim_x:f"'. It checks its arguments and raises Beamtalk exceptions, never an
%% Erlang error. Tested by `bte_library_SUITE'.
-module(bte_prim).

-export([send/2, send/3, text/1, quoted/1, kind_name/1]).
-export([type_error/4, argument_error/3, not_found/4, out_of_bounds/4, raise/5]).
-export([integer/3, string/3, list/3, block/3]).

%% @doc Sends a message out of Erlang code, which counts as code of the present generation.
-spec send(term(), atom()) -> term().
send(Receiver, Selector) ->
    bte_send:send(Selector, bte_registry:generation(), Receiver).

%% @doc Sends a message with arguments out of Erlang code.
-spec send(term(), atom(), [term()]) -> term().
send(Receiver, Selector, Args) ->
    bte_send:send_n(Selector, bte_registry:generation(), Receiver, Args).

%% @doc Answers the text of a value for people: its `displayString'.
-spec text(term()) -> binary().
text(Value) when is_binary(Value) -> Value;
text(Value) -> bte_string:interpolate([Value]).

%% @doc Answers the `printString' of a value.
-spec quoted(term()) -> binary().
quoted(Value) ->
    case send(Value, printString) of
        Text when is_binary(Text) -> Text;
        _ -> bte_view:print(Value)
    end.

%% @doc Answers the name of the class of a value, with an article: for error texts.
-spec kind_name(term()) -> binary().
kind_name(nil) ->
    <<"nil">>;
kind_name({'$class', C}) ->
    <<"the class ", (bte_registry:name_of(C))/binary>>;
kind_name(Value) ->
    with_article(bte_object:class_name(Value)).

with_article(<<C, _/binary>> = Name) when C =:= $A; C =:= $E; C =:= $I; C =:= $O; C =:= $U ->
    <<"an ", Name/binary>>;
with_article(Name) ->
    <<"a ", Name/binary>>.

%% @doc Raises `type_error': the argument is not of the class that the message expects.
-spec type_error(term(), atom(), binary(), term()) -> no_return().
type_error(Self, Selector, Expected, Actual) ->
    Message = [
        atom_to_binary(Selector), <<" expects ">>, with_article(Expected), <<", not ">>,
        kind_name(Actual)
    ],
    raise(type_error, Self, Selector, Message, nil).

%% @doc Raises `argument_error'.
-spec argument_error(term(), atom(), iodata()) -> no_return().
argument_error(Self, Selector, Message) ->
    raise(argument_error, Self, Selector, Message, nil).

%% @doc Raises a kind of error for something that is not there.
-spec not_found(atom(), term(), atom(), iodata()) -> no_return().
not_found(Kind, Self, Selector, Message) ->
    raise(Kind, Self, Selector, Message, nil).

%% @doc Raises `index_out_of_bounds'.
-spec out_of_bounds(term(), atom(), integer(), non_neg_integer()) -> no_return().
out_of_bounds(Self, Selector, Index, Size) ->
    Message = [
        <<"position ">>, integer_to_binary(Index), <<" is not in 1 to ">>, integer_to_binary(Size)
    ],
    Hint = <<"at:ifAbsent: answers something else for a position that is not there.">>,
    raise(index_out_of_bounds, Self, Selector, Message, Hint).

%% @doc Raises an exception about a message of the receiver's class.
-spec raise(atom(), term(), atom(), iodata(), binary() | nil) -> no_return().
raise(Kind, Self, Selector, Message, Hint) ->
    bte_error:raise(Kind, #{
        class => bte_send:class_of(Self),
        selector => Selector,
        message => iolist_to_binary(Message),
        hint => Hint
    }).

%% @doc Answers an argument that must be an Integer.
-spec integer(term(), atom(), term()) -> integer().
integer(_, _, Value) when is_integer(Value) -> Value;
integer(Self, Selector, Value) -> type_error(Self, Selector, <<"Integer">>, Value).

%% @doc Answers an argument that must be a String.
-spec string(term(), atom(), term()) -> binary().
string(_, _, Value) when is_binary(Value) -> Value;
string(Self, Selector, Value) -> type_error(Self, Selector, <<"String">>, Value).

%% @doc Answers the elements of an argument that must be a List or another collection.
-spec list(term(), atom(), term()) -> [term()].
list(_, _, Value) when is_list(Value) ->
    Value;
list(_, _, {'$array', Elements}) ->
    tuple_to_list(Elements);
list(Self, Selector, Value) ->
    case bte_send:responds_to(Value, asList) andalso send(Value, asList) of
        Elements when is_list(Elements) -> Elements;
        _ -> type_error(Self, Selector, <<"List">>, Value)
    end.

%% @doc Answers an argument that must be a block.
-spec block(term(), atom(), term()) -> bte_block:block().
block(Self, Selector, Value) ->
    case bte_block:is_block(Value) of
        true -> Value;
        false -> type_error(Self, Selector, <<"Block">>, Value)
    end.
