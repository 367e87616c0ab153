%% @doc Reads a script: a `.btscript' or the `beamtalk' code blocks of a Markdown page, as one
%% script with the page's line numbers. Tells which files it loads, which expressions it evaluates
%% and what each is expected to give. Pure but for asking the parser whether an input is complete.
%% Tested by `bte_script_SUITE'.
-module(bte_script_parse).

-export([read/1, read_page/1]).
-export_type([item/0, script/0]).

-type item() ::
    {check, Line :: pos_integer(), Expression :: binary(), Expected :: binary()}
    | {unchecked, Line :: pos_integer(), Expression :: binary()}.
-type script() :: #{
    loads := [{pos_integer(), binary()}],
    load_errors := [{pos_integer(), binary(), binary()}],
    items := [item()]
}.

%% @doc Reads the text of a script.
-spec read(binary()) -> script().
read(Text) -> read_lines(lines(Text)).

%% @doc Reads the code blocks of a Markdown page that are marked `beamtalk'.
-spec read_page(binary()) -> script().
read_page(Text) ->
    {Lines, _} = lists:mapfoldl(fun code_line/2, outside, lines(Text)),
    read_lines(Lines).

%% What is not Beamtalk counts as a blank line, so that places stay.
code_line(<<"```beamtalk">>, outside) -> {<<>>, inside};
code_line(<<"```">>, inside) -> {<<>>, outside};
code_line(Line, inside) -> {Line, inside};
code_line(_, outside) -> {<<>>, outside}.

lines(Text) ->
    Lines = binary:split(binary:replace(Text, <<"\r\n">>, <<"\n">>, [global]), <<"\n">>, [global]),
    [string:trim(L, trailing) || L <- Lines].

read_lines(Lines) ->
    Numbered = lists:zip(lists:seq(1, length(Lines)), Lines),
    read(Numbered, #{loads => [], load_errors => [], items => []}).

read([], Script) ->
    maps:map(fun(_, Items) -> lists:reverse(Items) end, Script);
read([{_, <<>>} | Lines], Script) ->
    read(Lines, Script);
read([{N, <<"// @load-error ", Rest/binary>>} | Lines], #{load_errors := Errors} = Script) ->
    {Path, Text} = cut(Rest, <<" => ">>),
    read(Lines, Script#{load_errors := [{N, Path, Text} | Errors]});
read([{N, <<"// @load ", Path/binary>>} | Lines], #{loads := Loads} = Script) ->
    read(Lines, Script#{loads := [{N, string:trim(Path)} | Loads]});
read([{_, <<"////", _/binary>>} | Lines], Script) ->
    read(Lines, Script);
read([{N, <<"///", _/binary>> = Doc} | Lines], Script) ->
    item(N, Doc, Lines, Script);
read([{N, Line} | Lines], Script) ->
    case string:trim(Line) of
        <<"//", _/binary>> -> read(Lines, Script);
        _ -> item(N, Line, Lines, Script)
    end.

item(N, Line, Lines, #{items := Items} = Script) ->
    {Expression, Rest} = expression(Line, Lines),
    case Rest of
        [{_, <<"// =>", Expected/binary>>} | After] ->
            Item = {check, N, Expression, string:trim(Expected)},
            read(After, Script#{items := [Item | Items]});
        _ ->
            read(Rest, Script#{items := [{unchecked, N, Expression} | Items]})
    end.

cut(Text, Separator) ->
    case binary:split(Text, Separator) of
        [A, B] -> {string:trim(A), string:trim(B)};
        [A] -> {string:trim(A), <<>>}
    end.

%% Further lines belong to an input that is not whole, up to a blank line or a comment.
expression(Text, [{_, Next} | Lines] = All) ->
    case not is_comment(Next) andalso bte_input:belongs(bte_input:state(Text), Next) of
        true -> expression(<<Text/binary, "\n", Next/binary>>, Lines);
        false -> {Text, All}
    end;
expression(Text, []) ->
    {Text, []}.

%% A comment at the margin is the script's, a doc comment or an indented one the input's.
is_comment(<<"////", _/binary>>) -> true;
is_comment(<<"///", _/binary>>) -> false;
is_comment(<<"//", _/binary>>) -> true;
is_comment(_) -> false.
