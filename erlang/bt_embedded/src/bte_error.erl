%% @doc Beamtalk exceptions on the Erlang side: building and raising them, and making one of
%% whatever Erlang raised. An exception is an instance (a tagged map) that is raised as the Erlang
%% error `{bt_exception, Exception}'. Texts hold names of classes, never identities. Tested by
%% `bte_send_SUITE'.
-module(bte_error).

-export([raise/1, raise/2, exception/2, signal/1]).
-export([does_not_understand/2, abstract/2, no_match/1, not_boolean/2, not_number/2,
         class_not_found/1, removed/1]).
-export([from_erlang/3, kind/1, message/1, hint/1, format/1]).
-export_type([exception/0, kind/0]).

-type kind() :: atom().
-type exception() :: #{'$class' := bte_registry:identity(), atom() => term()}.

%% @doc Raises an exception from a map with `kind' and, as known, `class' (an identity), `selector',
%% `message', `hint' and `details'.
-spec raise(map()) -> no_return().
raise(#{kind := Kind} = Fields) ->
    raise(Kind, Fields).

%% @doc Raises an exception of a kind.
-spec raise(kind(), map()) -> no_return().
raise(Kind, Fields) ->
    signal(exception(Kind, Fields)).

%% @doc Raises an exception that is there already.
-spec signal(exception()) -> no_return().
signal(Exception) ->
    erlang:error({bt_exception, Exception}).

%% @doc Builds an exception of the class that stands for its kind.
-spec exception(kind(), map()) -> exception().
exception(Kind, Fields) ->
    Class = maps:get(class, Fields, nil),
    #{
        '$class' => class_of_kind(Kind),
        kind => Kind,
        class => class_symbol(Class),
        selector => maps:get(selector, Fields, nil),
        message => maps:get(message, Fields, <<>>),
        hint => maps:get(hint, Fields, nil),
        details => maps:get(details, Fields, nil)
    }.

%% @doc Raises what a send that nobody understands raises.
-spec does_not_understand(term(), atom()) -> no_return().
does_not_understand(Receiver, Selector) ->
    raise(does_not_understand, #{
        class => bte_send:class_of(Receiver),
        selector => Selector,
        message => iolist_to_binary([
            receiver_name(Receiver), <<" does not understand '">>, atom_text(Selector), <<"'">>
        ]),
        hint => dnu_hint(Receiver, Selector)
    }).

receiver_name({'$class', C}) -> bte_registry:name_of(C);
receiver_name({'$meta', C}) -> <<(bte_registry:name_of(C))/binary, " class">>;
%% An object that has a name of its own is called by it.
receiver_name(#{'$class' := C}) ->
    case lists:keyfind(C, 2, bte_registry:singletons()) of
        {Name, C} -> Name;
        false -> bte_registry:name_of(C)
    end;
receiver_name(R) -> bte_registry:name_of(bte_send:class_of(R)).

dnu_hint({'$class', C}, Selector) ->
    other_side(C, instance, Selector, <<"instance">>);
dnu_hint(R, Selector) ->
    other_side(bte_send:class_of(R), class, Selector, <<"class">>).

other_side(C, Side, Selector, Text) ->
    try bte_send:understands(C, Side, Selector) of
        true -> <<"The selector exists on the ", Text/binary, " side.">>;
        false -> default_dnu_hint()
    catch
        error:_ -> default_dnu_hint()
    end.

default_dnu_hint() ->
    <<"Check spelling or use 'respondsTo:' to verify method exists">>.

%% @doc Raises `instantiation_error' for an abstract class.
-spec abstract(bte_registry:identity(), atom()) -> no_return().
abstract(C, Selector) ->
    raise(instantiation_error, #{
        class => C,
        selector => Selector,
        message => <<(bte_registry:name_of(C))/binary, " is abstract and cannot be instantiated">>,
        hint => <<"Make an instance of one of its subclasses.">>
    }).

%% @doc Raises what a `match:' without a fitting arm raises.
-spec no_match(term()) -> no_return().
no_match(Value) ->
    raise(match_error, #{
        class => bte_send:class_of(Value),
        selector => 'match:',
        message => iolist_to_binary([<<"no pattern fits ">>, short(Value)]),
        hint => <<"In a match: the pattern _ fits everything else.">>,
        details => Value
    }).

%% @doc Raises `type_error' for a condition that is neither true nor false.
-spec not_boolean(atom(), term()) -> no_return().
not_boolean(Selector, Value) ->
    wrong_type(Selector, Value, <<"true or false">>).

%% @doc Raises `type_error' for a bound of a loop that is no number, `argument_error' for a step of
%% nought.
-spec not_number(atom(), term()) -> no_return().
not_number('to:by:do:' = Selector, Step) when Step == 0 ->
    raise(argument_error, #{
        class => bte_send:class_of(Step),
        selector => Selector,
        message => <<"to:by:do: expects a step that is not nought">>
    });
not_number(Selector, Value) ->
    wrong_type(Selector, Value, <<"a number">>).

-spec wrong_type(term(), term(), term()) -> no_return().
wrong_type(Selector, Value, Expected) ->
    raise(type_error, #{
        class => bte_send:class_of(Value),
        selector => Selector,
        message => iolist_to_binary([
            atom_to_binary(Selector), <<" expects ">>, Expected, <<", not ">>, short(Value)
        ])
    }).

%% @doc Raises `class_not_found' for a name that compiled code could not resolve.
-spec class_not_found(binary()) -> no_return().
class_not_found(Name) ->
    raise(class_not_found, #{
        message => <<"Class '", Name/binary, "' not found">>,
        hint => <<"Load the file that defines it, or check the spelling.">>
    }).

%% @doc Raises `class_not_found' for a class that has been removed from the workspace.
-spec removed(bte_registry:identity()) -> no_return().
removed(Identity) ->
    Name = bte_registry:name_of(Identity),
    raise(class_not_found, #{
        class => Identity,
        message => <<"Class '", Name/binary, "' not found: it has been removed">>,
        hint => <<"Load the file that defines it, or stop using what is left of it.">>
    }).

%% @doc Makes an exception of anything that was caught with `Class:Reason:Stack'.
-spec from_erlang(error | exit | throw, term(), list()) -> exception().
from_erlang(error, {bt_exception, Exception}, _) ->
    Exception;
from_erlang(throw, {'$return', _, _}, _) ->
    exception(block_cannot_return, #{
        message => <<"the method that this block would return from has ended">>
    });
from_erlang(throw, Reason, _) ->
    exception(erlang_throw, #{message => text("Erlang throw: ~0tp", [Reason]), details => Reason});
from_erlang(exit, Reason, _) ->
    exception(erlang_exit, #{message => text("Erlang exit: ~0tp", [Reason]), details => Reason});
from_erlang(error, Reason, Stack) ->
    bte_error_erlang:exception(Reason, Stack).

%% @doc Answers an exception's kind.
-spec kind(exception()) -> kind().
kind(Exception) -> maps:get(kind, Exception, runtime_error).

%% @doc Answers an exception's message, also of one that user code made.
-spec message(exception()) -> binary().
message(#{'$class' := C} = Exception) ->
    case maps:get(message, Exception, nil) of
        Text when is_binary(Text), Text =/= <<>> -> Text;
        Nothing when Nothing =:= nil; Nothing =:= <<>> -> bte_registry:name_of(C);
        Other -> short(Other)
    end.

%% @doc Answers an exception's hint, or `nil'.
-spec hint(exception()) -> binary() | nil.
hint(Exception) ->
    case maps:get(hint, Exception, nil) of
        Text when is_binary(Text), Text =/= <<>> -> Text;
        _ -> nil
    end.

%% @doc Answers the text form: class, message and, on a second line, the hint.
-spec format(exception()) -> binary().
format(#{'$class' := C} = Exception) ->
    Head = [bte_registry:name_of(C), <<": ">>, own_message(Exception)],
    case hint(Exception) of
        nil -> iolist_to_binary(Head);
        Hint -> iolist_to_binary([Head, <<"\nHint: ">>, Hint])
    end.

%% A class of exceptions may have a `message' of its own; one that fails is passed over.
own_message(Exception) ->
    try bte_send:send(message, bte_registry:generation(), Exception) of
        Text when is_binary(Text) -> Text;
        _ -> message(Exception)
    catch
        error:_ -> message(Exception);
        throw:_ -> message(Exception)
    end.

class_symbol(nil) -> nil;
class_symbol(C) when is_atom(C) -> binary_to_atom(bte_registry:name_of(C));
class_symbol(Name) when is_binary(Name) -> Name.

class_of_kind(type_error) -> 'bt@stdlib@type_error';
class_of_kind(instantiation_error) -> 'bt@stdlib@instantiation_error';
class_of_kind(erlang_exit) -> 'bt@stdlib@exit_error';
class_of_kind(erlang_throw) -> 'bt@stdlib@throw_error';
class_of_kind(Kind) ->
    case lists:member(Kind, runtime_kinds()) of
        true -> 'bt@stdlib@runtime_error';
        false -> 'bt@stdlib@error'
    end.

runtime_kinds() ->
    [
        does_not_understand, runtime_error, class_not_found, class_already_exists,
        selector_not_found, selector_already_exists, dispatch_error, arity_mismatch, no_superclass,
        not_found, argument_error, key_error, index_out_of_bounds, division_by_zero, match_error,
        empty_collection, actor_dead, timeout, block_context_lost, block_cannot_return,
        block_outdated, no_source_file, immutable_field
    ].

atom_text(A) when is_atom(A) -> atom_to_binary(A);
atom_text(Other) -> text("~tp", [Other]).

%% An instance is printed by its class, which may fail: then as the term it is.
short(Value) ->
    Printed =
        try
            bte_view:print(Value)
        catch
            _:_ -> text("~0tP", [Value, 20])
        end,
    case string:length(Printed) > 100 of
        true -> <<(string:slice(Printed, 0, 100))/binary, "…"/utf8>>;
        false -> Printed
    end.

text(Format, Args) ->
    unicode:characters_to_binary(io_lib:format(Format, Args)).
