%% @doc What the demonstration prints, and the tally of what was as told.
%%
%% Colors only on a terminal. `expect/2' prints a check and remembers a failed one; `verdict/1'
%% sums up and answers the exit status.
-module(bte_demo_page).

-export([start/0, title/2, say/1, say/2, table/1, diff/2, prompt/2, expect/2, verdict/1]).

-define(FAILED, {?MODULE, failed}).
-define(WIDTH, 92).

%% @doc Begins a page: nothing has failed yet, output is UTF-8.
-spec start() -> ok.
start() ->
    _ = io:setopts([{encoding, unicode}]),
    _ = put(?FAILED, []),
    ok.

%% @doc Prints the head of a chapter.
-spec title(pos_integer(), unicode:chardata()) -> ok.
title(N, Text) ->
    say("~n~ts", [color(bold, io_lib:format("~b  ~ts", [N, Text]))]).

%% @doc Prints a line.
-spec say(unicode:chardata()) -> ok.
say(Text) -> say("~ts", [Text]).

%% @doc Prints a formatted line.
-spec say(io:format(), [term()]) -> ok.
say(Format, Arguments) -> io:put_chars(indent(io_lib:format(Format, Arguments))).

indent(Text) ->
    Lines = string:split(unicode:characters_to_list(Text), "\n", all),
    [[pad(Line), Line, $\n] || Line <- Lines].

pad("") -> "";
pad(_) -> "   ".

%% @doc Prints rows of a label and a figure or text.
-spec table([{unicode:chardata(), unicode:chardata() | integer()}]) -> ok.
table(Rows) ->
    Width = lists:max([0 | [string:length(Label) || {Label, _} <- Rows]]),
    lists:foreach(
        fun({Label, Value}) -> say("  ~ts  ~ts", [string:pad(Label, Width), text(Value)]) end,
        Rows
    ).

text(Value) when is_integer(Value) -> string:pad(integer_to_list(Value), 4, leading);
text(Value) -> Value.

%% @doc Prints at most a number of lines of a unified diff, in colors.
-spec diff(binary(), pos_integer()) -> ok.
diff(Diff, Most) ->
    Lines = [Line || Line <- binary:split(Diff, <<"\n">>, [global]), Line =/= <<>>],
    {Shown, More} = lists:split(min(Most, length(Lines)), Lines),
    lists:foreach(fun(Line) -> say(["  ", color(side(Line), Line)]) end, Shown),
    More =:= [] orelse say("  (~b more lines)", [length(More)]),
    ok.

side(<<"---", _/binary>>) -> bold;
side(<<"+++", _/binary>>) -> bold;
side(<<"@@", _/binary>>) -> cyan;
side(<<"+", _/binary>>) -> green;
side(<<"-", _/binary>>) -> red;
side(_) -> plain.

%% @doc Prints an input of the prompt and its answer.
-spec prompt(unicode:chardata(), unicode:chardata()) -> ok.
prompt(Input, Answer) ->
    say("~ts ~ts", [color(cyan, "bt>"), Input]),
    Lines = string:split(unicode:characters_to_list(Answer), "\n", all),
    lists:foreach(fun say/1, lists:append([wrap(string:lexemes(Line, " ")) || Line <- Lines])).

%% Words in lines of at most ?WIDTH columns, all but the first indented.
wrap([]) -> [];
wrap([Word | Words]) -> wrap(Words, Word, []).

wrap([], Line, Lines) ->
    lists:reverse([Line | Lines]);
wrap([Word | Words], Line, Lines) ->
    case string:length(Line) + 1 + string:length(Word) =< ?WIDTH of
        true -> wrap(Words, lists:append([Line, " ", Word]), Lines);
        false -> wrap(Words, "    " ++ Word, [Line | Lines])
    end.

%% @doc Prints a check; a failed one makes the verdict a failure.
-spec expect(unicode:chardata(), boolean()) -> ok.
expect(What, true) ->
    say("~ts ~ts", [color(green, "ok"), What]);
expect(What, false) ->
    _ = put(?FAILED, [What | get(?FAILED)]),
    say("~ts ~ts", [color(red, "NOT SO:"), What]).

%% @doc Prints the sum of all checks after a time; answers the exit status.
-spec verdict(Milliseconds :: non_neg_integer()) -> 0 | 1.
verdict(Milliseconds) ->
    say("~nThis took ~.1f seconds.", [Milliseconds / 1000]),
    case lists:reverse(get(?FAILED)) of
        [] ->
            say(color(green, "All was as told.")),
            0;
        Failed ->
            say(color(red, "Not as told:")),
            lists:foreach(fun(What) -> say(["  ", What]) end, Failed),
            1
    end.

color(plain, Text) ->
    Text;
color(Color, Text) ->
    case bte_ansi:palette() of
        plain -> Text;
        _ -> [code(Color), Text, "\e[0m"]
    end.

code(bold) -> "\e[1m";
code(red) -> "\e[31m";
code(green) -> "\e[32m";
code(cyan) -> "\e[36m".
