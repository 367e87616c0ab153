%% @doc Where the prompt's inputs come from, and where its output goes.
%%
%% An input is a line, or more lines while brackets, strings or headers are open: the parser says
%% so. A pipe is read without prompts, so that its output holds answers only. Tested by
%% `bte_repl_SUITE'.
-module(bte_reader).

-export([plain/0, device/1, input/2, show/2, confirm/2, is_terminal/1]).
-export_type([reader/0]).

-opaque reader() :: #{device := io:device(), terminal := boolean(), ahead := [binary()]}.

%% @doc Answers the reader of standard input.
-spec plain() -> reader().
plain() ->
    device(standard_io).

%% @doc Answers the reader of an input device.
-spec device(io:device()) -> reader().
device(Device) ->
    _ = io:setopts(Device, [binary, {encoding, unicode}]),
    #{device => Device, terminal => is_terminal_device(Device), ahead => []}.

is_terminal_device(Device) ->
    case io:columns(Device) of
        {ok, _} -> true;
        {error, _} -> false
    end.

%% @doc Tells whether a person sits at the other end.
-spec is_terminal(reader()) -> boolean().
is_terminal(#{terminal := Terminal}) -> Terminal.

%% @doc Reads one whole input. A line read too many is kept for the next.
-spec input(reader(), iodata()) -> {ok, binary(), reader()} | {eof | interrupted, reader()}.
input(#{ahead := [Line]} = Reader, _) ->
    more(Reader#{ahead := []}, Line);
input(Reader, Prompt) ->
    case line(Reader, Prompt) of
        {ok, Line} -> more(Reader, Line);
        Other -> {Other, Reader}
    end.

more(Reader, Text) ->
    case bte_input:state(Text) of
        complete -> {ok, Text, Reader};
        State -> continue(Reader, {State, Text}, line(Reader, "..> "))
    end.

%% An empty line ends an input that will not end by itself; `:quit' leaves in the middle of one.
continue(Reader, {State, Text}, {ok, Line}) ->
    case {string:trim(Line), bte_input:belongs(State, Line)} of
        {<<>>, _} -> {ok, Text, Reader};
        {<<":quit">>, _} -> {ok, Line, Reader};
        {_, true} -> more(Reader, <<Text/binary, Line/binary>>);
        {_, false} -> {ok, Text, Reader#{ahead := [Line]}}
    end;
continue(Reader, {_, Text}, eof) -> {ok, Text, Reader};
continue(Reader, _, interrupted) -> {interrupted, Reader}.

line(#{device := Device, terminal := Terminal}, Prompt) ->
    Shown =
        case Terminal of
            true -> Prompt;
            false -> ""
        end,
    case io:get_line(Device, Shown) of
        eof -> eof;
        {error, interrupted} -> interrupted;
        {error, _} -> eof;
        Line -> {ok, unicode:characters_to_binary(Line)}
    end.

%% @doc Writes output.
-spec show(reader(), iodata()) -> ok.
show(_, "") -> ok;
show(#{device := Device}, Output) -> io:put_chars(Device, Output).

%% @doc Asks for consent; only `y' or `yes' gives it.
-spec confirm(reader(), binary()) -> boolean().
confirm(#{device := Device}, Question) ->
    case io:get_line(Device, [Question, " [y/N] "]) of
        Line when is_binary(Line); is_list(Line) ->
            Answer = string:lowercase(string:trim(unicode:characters_to_binary(Line))),
            Answer =:= <<"y">> orelse Answer =:= <<"yes">>;
        _ ->
            false
    end.
