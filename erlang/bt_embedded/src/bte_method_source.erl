%% @doc Method sources as people hand them to `compile:source:': a whole definition or, for a unary
%% selector, only its body. Which of the two is decided by the parser, not by the look of the text.
%% Pure. Tested by `bte_library_SUITE'.
-module(bte_method_source).

-export([definition/2]).

-define(HEAD, "Object subclass: BteMethodSource\n").

%% @doc Answers the whole definition of the selector, or what is wrong with the source.
-spec definition(binary(), binary()) -> {ok, binary()} | {error, binary()}.
definition(Selector, Source) ->
    Text = string:trim(Source, both, "\r\n"),
    case {methods(Text), is_unary(Selector) andalso not has_header(Selector, Text)} of
        {{ok, [Selector]}, _} -> {ok, Text};
        {{ok, [Other]}, _} -> {error, disagreement(Selector, Other)};
        {_, true} -> body(Selector, Text);
        {{error, Message}, _} -> {error, Message};
        {{ok, _}, _} -> {error, <<"the source is not the definition of one method">>}
    end.

is_unary(Selector) -> re:run(Selector, "^[A-Za-z_][A-Za-z0-9_]*$", [{capture, none}]) =:= match.

%% A definition that does not parse is not taken for a body.
has_header(Selector, Text) ->
    re:run(Text, ["^\\s*(class\\s+)?", Selector, "\\b[^\n]*=>"], [{capture, none}]) =:= match.

disagreement(Selector, Other) ->
    <<"the source defines #", Other/binary, ", not #", Selector/binary>>.

%% As it stands, if that reads as the body; otherwise with every line moved to the right.
body(Selector, Text) ->
    Lines = binary:split(Text, <<"\n">>, [global]),
    Plain = [<<Selector/binary, " =>\n    ">>, Text],
    Moved = [<<Selector/binary, " =>">>, [[<<"\n    ">>, L] || L <- Lines]],
    first_definition(Selector, [iolist_to_binary(Plain), iolist_to_binary(Moved)]).

first_definition(Selector, [Definition | Others]) ->
    case {methods(Definition), Others} of
        {{ok, [Selector]}, _} -> {ok, Definition};
        {_, [_ | _]} -> first_definition(Selector, Others);
        {{ok, _}, []} -> {error, <<"the source is neither a definition nor a body">>};
        {{error, Message}, []} -> {error, Message}
    end.

%% The selectors that the text defines as members of a class.
methods(Text) ->
    case btr_nif:parse(<<?HEAD, "  ", (members(Text))/binary, "\n">>) of
        {ok, Unit} ->
            case btr_nif:unit_errors(Unit) of
                [] -> {ok, selectors(btr_nif:outline(Unit))};
                [#{message := Message} | _] -> {error, Message}
            end;
        {error, Error} ->
            {error, btr_error:message(Error)}
    end.

members(Text) ->
    iolist_to_binary(lists:join("\n  ", binary:split(Text, <<"\n">>, [global]))).

selectors(#{classes := [#{methods := Methods}], statements := 0, extensions := []}) ->
    [Selector || #{selector := Selector} <- Methods];
selectors(_) ->
    [].
