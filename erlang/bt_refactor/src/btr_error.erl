%%% @doc Errors of the refactoring engine, as values.
%%%
%%% An error is `{btr, Code, Details}'. The code (`area.reason') is the contract and never changes;
%%% `Details' holds a `message' and a `hint' for people and whatever else the place knows. This
%%% module is the only one that turns a code into a Beamtalk kind or an error into text. It makes no
%%% atom from input. Tested by btr_error_SUITE; docs/errors.md lists the same codes (tested too).
-module(btr_error).

-export([new/2, new/3, code/1, message/1, hint/1, kind/1, format/1, codes/0]).
-export_type([error/0]).

-type error() :: {btr, Code :: binary(), Details :: map()}.

%% @doc Makes an error with a message for people.
-spec new(binary(), iodata()) -> error().
new(Code, Message) ->
    new(Code, Message, #{}).

%% @doc Makes an error with a message and further details, such as `hint'.
-spec new(binary(), iodata(), map()) -> error().
new(Code, Message, Details) ->
    {btr, Code, Details#{message => text(Message)}}.

%% @doc Answers the code.
-spec code(error()) -> binary().
code({btr, Code, _}) -> Code.

%% @doc Answers the message; the code where an error carries none.
-spec message(error()) -> binary().
message({btr, _, #{message := Message}}) -> text(Message);
message({btr, Code, _}) -> Code.

%% @doc Answers the hint, or `nil'.
-spec hint(error()) -> binary() | nil.
hint({btr, _, #{hint := Hint}}) when Hint =/= nil, Hint =/= <<>> -> text(Hint);
hint(_) -> nil.

%% @doc Answers the kind that a Beamtalk program sees in `e kind'.
-spec kind(error()) -> atom().
kind({btr, _, #{kind := Kind}}) when is_atom(Kind) -> Kind;
kind({btr, Code, _}) -> maps:get(Code, kinds(), runtime_error).

%% @doc Answers the text for people: the message, then the compile errors, then the hint.
-spec format(error()) -> binary().
format({btr, _, Details} = Error) ->
    Lines = [message(Error) | [format_place(E) || E <- maps:get(errors, Details, [])]],
    Hints = [[<<"Hint: ">>, Hint] || Hint <- [hint(Error)], Hint =/= nil],
    text(lists:join($\n, Lines ++ Hints)).

%% @doc Answers all codes, sorted.
-spec codes() -> [binary()].
codes() ->
    lists:sort(maps:keys(kinds())).

format_place(#{message := Message} = Error) ->
    [place(Error), text(Message)];
format_place(Other) ->
    io_lib:format("~tp", [Other]).

place(#{file := File, line := Line, col := Col}) ->
    [File, $:, integer_to_binary(Line), $:, integer_to_binary(Col), <<": ">>];
place(#{file := File}) ->
    [File, <<": ">>];
place(_) ->
    [].

text(Text) ->
    case unicode:characters_to_binary(Text) of
        Binary when is_binary(Binary) -> Binary;
        _ -> iolist_to_binary(Text)
    end.

%% The kind is the code with `_' for `.', except where Beamtalk already has a kind.
kinds() ->
    #{
        <<"class.not_found">> => class_not_found,
        <<"class.has_subclasses">> => runtime_error,
        <<"compile.failed">> => compile_failed,
        <<"disk.changed">> => disk_changed,
        <<"disk.failed">> => flush_io_error,
        <<"internal.effect">> => runtime_error,
        <<"internal.panic">> => runtime_error,
        <<"load.failed">> => runtime_error,
        <<"load.old_code_in_use">> => old_code_in_use,
        <<"lock.timeout">> => lock_timeout,
        <<"log.damaged">> => log_damaged,
        <<"log.failed">> => log_failed,
        <<"name.capture">> => name_capture,
        <<"name.invalid">> => argument_error,
        <<"name.taken">> => class_already_exists,
        <<"operation.unsupported">> => runtime_error,
        <<"plan.outdated">> => plan_outdated,
        <<"request.invalid">> => argument_error,
        <<"scope.not_in_project">> => runtime_error,
        <<"search.incomplete">> => search_incomplete,
        <<"selector.arity">> => arity_mismatch,
        <<"selector.capture">> => selector_capture,
        <<"selector.hook">> => lifecycle_hook,
        <<"selector.invalid">> => argument_error,
        <<"selector.not_found">> => selector_not_found,
        <<"selector.taken">> => selector_already_exists,
        <<"span.stale">> => span_stale,
        <<"text.not_utf8">> => argument_error,
        <<"workspace.not_running">> => runtime_error,
        <<"workspace.restarted">> => runtime_error
    }.
