%%% @doc Errors of the refactoring engine, as values.
%%%
%%% An error is `{btr, Code, Details}'. The code (`area.reason') is the contract and never changes;
%%% `Details' holds a `message' and a `hint' for people and whatever else the place knows. This
%%% module is the only one that turns a code into a Beamtalk kind or an error into text. It makes no
%%% atom from input. Tested by btr_codes_SUITE; docs/errors.md lists the same codes (tested too).
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
    Lines = lines(message(Error), maps:get(errors, Details, [])),
    Hints = [[<<"Hint: ">>, Hint] || Hint <- [hint(Error)], Hint =/= nil],
    text(lists:join($\n, Lines ++ Hints)).

%% The only error that a message repeats is told once, with its place.
lines(Message, [#{message := Only} = Error]) ->
    case text(Only) of
        Message -> [format_place(Error)];
        _ -> [Message, format_place(Error)]
    end;
lines(Message, Errors) ->
    [Message | [format_place(E) || E <- Errors]].

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
        <<"class.ambiguous">> => runtime_error,
        <<"class.cycle">> => compile_failed,
        <<"class.sealed">> => compile_failed,
        <<"method.sealed">> => compile_failed,
        <<"class.duplicate">> => compile_failed,
        <<"class.has_extensions">> => runtime_error,
        <<"class.has_subclasses">> => runtime_error,
        <<"class.no_superclass">> => no_superclass,
        <<"class.not_found">> => class_not_found,
        <<"class.taken">> => class_already_exists,
        <<"compile.assign_class">> => compile_failed,
        <<"compile.assign_parameter">> => compile_failed,
        <<"compile.assign_pseudo">> => compile_failed,
        <<"compile.class_not_found">> => compile_failed,
        <<"compile.duplicate_binding">> => compile_failed,
        <<"compile.duplicate_field">> => compile_failed,
        <<"compile.duplicate_method">> => compile_failed,
        <<"compile.empty_body">> => compile_failed,
        <<"compile.extension_not_found">> => compile_failed,
        <<"compile.failed">> => compile_failed,
        <<"compile.field_kind">> => compile_failed,
        <<"compile.generator">> => compile_failed,
        <<"compile.immutable_field">> => compile_failed,
        <<"compile.literal">> => compile_failed,
        <<"compile.name_too_long">> => compile_failed,
        <<"compile.no_self">> => compile_failed,
        <<"compile.primitive">> => compile_failed,
        <<"compile.reserved_name">> => compile_failed,
        <<"compile.reserved_selector">> => compile_failed,
        <<"compile.shadows_field">> => compile_failed,
        <<"compile.syntax">> => compile_failed,
        <<"compile.too_deep">> => compile_failed,
        <<"compile.unknown_field">> => compile_failed,
        <<"compile.unknown_variable">> => compile_failed,
        <<"compile.unsupported">> => compile_failed,
        <<"dependency.wrong">> => runtime_error,
        <<"disk.changed">> => disk_changed,
        <<"disk.failed">> => flush_io_error,
        <<"edit.overlap">> => runtime_error,
        <<"extension.duplicate">> => compile_failed,
        <<"file.outside">> => target_outside_project,
        <<"file.taken">> => target_exists,
        <<"file.unreadable">> => not_found,
        <<"internal.effect">> => runtime_error,
        <<"internal.panic">> => runtime_error,
        <<"json.invalid">> => argument_error,
        <<"json.unsupported">> => argument_error,
        <<"load.failed">> => runtime_error,
        <<"load.old_code_in_use">> => old_code_in_use,
        <<"lock.timeout">> => lock_timeout,
        <<"log.damaged">> => log_damaged,
        <<"log.failed">> => log_failed,
        <<"manifest.syntax">> => runtime_error,
        <<"manifest.value">> => runtime_error,
        <<"name.capture">> => name_capture,
        <<"name.invalid">> => argument_error,
        <<"name.taken">> => class_already_exists,
        <<"operation.unsupported">> => runtime_error,
        <<"plan.outdated">> => plan_outdated,
        <<"project.empty">> => runtime_error,
        <<"project.no_folder">> => runtime_error,
        <<"project.no_manifest">> => runtime_error,
        <<"request.abandoned">> => runtime_error,
        <<"request.invalid">> => argument_error,
        <<"revert.not_possible">> => revert_not_possible,
        <<"scope.not_in_project">> => runtime_error,
        <<"search.incomplete">> => search_incomplete,
        <<"selector.arity">> => arity_mismatch,
        <<"selector.permuted">> => argument_error,
        <<"selector.capture">> => selector_capture,
        <<"selector.generated">> => selector_not_found,
        <<"selector.glued">> => argument_error,
        <<"selector.hook">> => lifecycle_hook,
        <<"selector.invalid">> => argument_error,
        <<"selector.not_found">> => selector_not_found,
        <<"selector.overrides_library">> => overrides_library,
        <<"selector.taken">> => selector_already_exists,
        <<"span.stale">> => span_stale,
        <<"syntax.alias_name">> => compile_failed,
        <<"syntax.bad_number">> => compile_failed,
        <<"syntax.bad_target">> => compile_failed,
        <<"syntax.bad_token">> => compile_failed,
        <<"syntax.bare_key">> => compile_failed,
        <<"syntax.cast">> => compile_failed,
        <<"syntax.empty_interpolation">> => compile_failed,
        <<"syntax.expected">> => compile_failed,
        <<"syntax.legacy_annotation">> => compile_failed,
        <<"syntax.operator">> => compile_failed,
        <<"syntax.pattern">> => compile_failed,
        <<"syntax.too_deep">> => compile_failed,
        <<"syntax.too_large">> => compile_failed,
        <<"syntax.type_operator">> => compile_failed,
        <<"syntax.unclosed">> => compile_failed,
        <<"syntax.unterminated">> => compile_failed,
        <<"text.not_utf8">> => argument_error,
        <<"verify.failed">> => runtime_error,
        <<"workspace.owned">> => workspace_owned,
        <<"workspace.not_running">> => runtime_error,
        <<"workspace.restarted">> => runtime_error
    }.
