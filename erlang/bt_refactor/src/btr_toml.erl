%% @doc Reads the part of TOML that a `beamtalk.toml' uses.
%%
%% It reads comments, `[section]' headers (dotted and quoted names included) and `key = value' lines
%% whose values are strings, numbers, booleans, arrays and inline tables. Anything else — arrays of
%% tables, multi-line strings, dates — is an error with its place, never a guess. Keys and values
%% stay binaries: reading a file creates no atom. Pure; tested by `btr_project_SUITE'.
-module(btr_toml).

-export([parse/1]).
-export_type([item/0, value/0, place/0]).

-type place() :: {Line :: pos_integer(), Column :: pos_integer()}.
-type value() ::
    binary() | number() | boolean() | [value()] | {table, [{Path :: [binary()], value()}]}.
-type item() :: #{path := [binary()], value := value(), at := place()}.

%% Text still to be read, and where it stands (1-based; columns count code points).
-record(in, {text :: binary(), line = 1 :: pos_integer(), col = 1 :: pos_integer()}).

-define(MAX_DEPTH, 32).

%% @doc Reads a text: all `key = value' lines in order, each with its full path and its place.
-spec parse(binary()) -> {ok, [item()]} | {error, {place(), binary()}}.
parse(Text) ->
    try
        {ok, items(#in{text = Text}, [], [])}
    catch
        throw:{toml, Place, Message} -> {error, {Place, Message}}
    end.

items(In0, Section, Acc) ->
    In = skip_lines(In0),
    case In#in.text of
        <<>> ->
            check_unique(lists:reverse(Acc));
        <<"[[", _/binary>> ->
            fail(In, <<"arrays of tables are not supported here">>);
        <<"[", _/binary>> ->
            {Path, In1} = key(skip_blanks(advance(In, 1))),
            In2 = expect(skip_blanks(In1), <<"]">>),
            items(end_of_line(In2), Path, Acc);
        _ ->
            At = {In#in.line, In#in.col},
            {Path, In1} = key(In),
            In2 = skip_blanks(expect(skip_blanks(In1), <<"=">>)),
            {Value, In3} = value(In2, 0),
            Item = #{path => Section ++ Path, value => Value, at => At},
            items(end_of_line(In3), Section, [Item | Acc])
    end.

check_unique(Items) ->
    Check = fun(#{path := Path, at := At}, Seen) ->
        case Seen of
            #{Path := _} ->
                throw({toml, At, <<"the key '", (dotted(Path))/binary, "' is set twice">>});
            _ ->
                Seen#{Path => true}
        end
    end,
    _ = lists:foldl(Check, #{}, Items),
    Items.

dotted(Path) -> iolist_to_binary(lists:join($., Path)).

%% Keys: bare or quoted names joined by dots.

key(In) ->
    {Name, In1} = key_part(In),
    In2 = skip_blanks(In1),
    case In2#in.text of
        <<".", _/binary>> ->
            {Rest, In3} = key(skip_blanks(advance(In2, 1))),
            {[Name | Rest], In3};
        _ ->
            {[Name], In2}
    end.

key_part(#in{text = <<"\"", _/binary>>} = In) -> basic_string(advance(In, 1), []);
key_part(#in{text = <<"'", _/binary>>} = In) -> literal_string(advance(In, 1));
key_part(In) ->
    case take_while(In, fun is_bare/1) of
        {<<>>, _} -> fail(In, expected(<<"a name">>, In));
        Taken -> Taken
    end.

is_bare(C) ->
    (C >= $a andalso C =< $z) orelse (C >= $A andalso C =< $Z) orelse
        (C >= $0 andalso C =< $9) orelse C =:= $- orelse C =:= $_.

%% Values.

value(In, Depth) when Depth > ?MAX_DEPTH -> fail(In, <<"nested too deeply">>);
value(#in{text = <<"\"\"\"", _/binary>>} = In, _) ->
    fail(In, <<"multi-line strings are not supported here">>);
value(#in{text = <<"'''", _/binary>>} = In, _) ->
    fail(In, <<"multi-line strings are not supported here">>);
value(#in{text = <<"\"", _/binary>>} = In, _) -> basic_string(advance(In, 1), []);
value(#in{text = <<"'", _/binary>>} = In, _) -> literal_string(advance(In, 1));
value(#in{text = <<"[", _/binary>>} = In, Depth) -> array(skip_lines(advance(In, 1)), Depth, []);
value(#in{text = <<"{", _/binary>>} = In, Depth) -> table(skip_blanks(advance(In, 1)), Depth, []);
value(In, _) ->
    {Word, In1} = take_while(In, fun(C) -> is_bare(C) orelse C =:= $+ orelse C =:= $. end),
    {scalar(Word, In), In1}.

scalar(<<"true">>, _) -> true;
scalar(<<"false">>, _) -> false;
scalar(<<>>, In) -> fail(In, expected(<<"a value">>, In));
scalar(Word, In) ->
    Digits = binary:replace(Word, <<"_">>, <<>>, [global]),
    case {string:to_integer(Digits), string:to_float(Digits)} of
        {{Integer, <<>>}, _} -> Integer;
        {_, {Float, <<>>}} -> Float;
        _ -> fail(In, expected(<<"a string, number, boolean, array or table">>, In))
    end.

array(#in{text = <<"]", _/binary>>} = In, _, Acc) -> {lists:reverse(Acc), advance(In, 1)};
array(In, Depth, Acc) ->
    {Value, In1} = value(In, Depth + 1),
    case skip_lines(In1) of
        #in{text = <<",", _/binary>>} = In2 ->
            array(skip_lines(advance(In2, 1)), Depth, [Value | Acc]);
        In2 ->
            {lists:reverse([Value | Acc]), expect(In2, <<"]">>)}
    end.

table(#in{text = <<"}", _/binary>>} = In, _, []) -> {{table, []}, advance(In, 1)};
table(In, Depth, Acc) ->
    {Path, In1} = key(In),
    {Value, In2} = value(skip_blanks(expect(skip_blanks(In1), <<"=">>)), Depth + 1),
    case skip_blanks(In2) of
        #in{text = <<",", _/binary>>} = In3 ->
            table(skip_blanks(advance(In3, 1)), Depth, [{Path, Value} | Acc]);
        In3 ->
            {{table, lists:reverse([{Path, Value} | Acc])}, expect(In3, <<"}">>)}
    end.

%% Strings.

basic_string(In, Acc) ->
    {Part, In1} = take_while(In, fun(C) -> C =/= $" andalso C =/= $\\ andalso C >= $\s end),
    case In1#in.text of
        <<"\"", _/binary>> ->
            {iolist_to_binary(lists:reverse([Part | Acc])), advance(In1, 1)};
        <<"\\", C, _/binary>> ->
            {Char, Length} = escape(C, In1),
            basic_string(advance(In1, Length), [Char, Part | Acc]);
        _ ->
            fail(In1, <<"this string is not closed">>)
    end.

escape($n, _) -> {<<"\n">>, 2};
escape($t, _) -> {<<"\t">>, 2};
escape($r, _) -> {<<"\r">>, 2};
escape($b, _) -> {<<"\b">>, 2};
escape($f, _) -> {<<"\f">>, 2};
escape($", _) -> {<<"\"">>, 2};
escape($\\, _) -> {<<"\\">>, 2};
escape($u, In) -> {code_point(In, 4), 6};
escape($U, In) -> {code_point(In, 8), 10};
escape(_, In) -> fail(In, <<"unknown escape in a string">>).

code_point(#in{text = Text} = In, Digits) ->
    try
        <<"\\", _, Hex:Digits/binary, _/binary>> = Text,
        <<(binary_to_integer(Hex, 16))/utf8>>
    catch
        error:_ -> fail(In, <<"this escape is no character">>)
    end.

literal_string(In) ->
    case take_while(In, fun(C) -> C =/= $' andalso C >= $\s end) of
        {Text, #in{text = <<"'", _/binary>>} = In1} -> {Text, advance(In1, 1)};
        {_, In1} -> fail(In1, <<"this string is not closed">>)
    end.

%% Reading on.

skip_blanks(#in{text = <<C, _/binary>>} = In) when C =:= $\s; C =:= $\t ->
    skip_blanks(advance(In, 1));
skip_blanks(In) ->
    In.

skip_lines(In0) ->
    In = skip_blanks(In0),
    case In#in.text of
        <<"#", _/binary>> ->
            {_, In1} = take_while(In, fun(C) -> C =/= $\n end),
            skip_lines(In1);
        <<"\r\n", Rest/binary>> ->
            skip_lines(In#in{text = Rest, line = In#in.line + 1, col = 1});
        <<"\n", Rest/binary>> ->
            skip_lines(In#in{text = Rest, line = In#in.line + 1, col = 1});
        _ ->
            In
    end.

end_of_line(In0) ->
    In = skip_blanks(In0),
    case In#in.text of
        <<>> -> In;
        <<C, _/binary>> when C =:= $#; C =:= $\n -> In;
        <<"\r\n", _/binary>> -> In;
        _ -> fail(In, expected(<<"the end of the line">>, In))
    end.

expect(#in{text = <<C, _/binary>>} = In, <<C>>) -> advance(In, 1);
expect(In, Text) -> fail(In, expected(<<"'", Text/binary, "'">>, In)).

expected(What, In) -> <<"expected ", What/binary, ", found ", (found(In))/binary>>.

found(#in{text = <<>>}) -> <<"the end of the file">>;
found(#in{text = <<C, _/binary>>}) when C =:= $\n; C =:= $\r -> <<"the end of the line">>;
found(#in{text = <<C/utf8, _/binary>>}) -> <<"'", C/utf8, "'">>;
found(_) -> <<"a byte that is not UTF-8">>.

%% Goes on by ASCII characters of one line.
advance(#in{text = Text, col = Col} = In, Count) ->
    <<_:Count/binary, Rest/binary>> = Text,
    In#in{text = Rest, col = Col + Count}.

take_while(#in{text = Text} = In, Pred) ->
    {Bytes, Chars} = count_while(Text, Pred, 0, 0),
    <<Taken:Bytes/binary, Rest/binary>> = Text,
    {Taken, In#in{text = Rest, col = In#in.col + Chars}}.

count_while(Text, Pred, Bytes, Chars) ->
    case Text of
        <<_:Bytes/binary, C/utf8, _/binary>> ->
            case Pred(C) of
                true -> count_while(Text, Pred, Bytes + byte_size(<<C/utf8>>), Chars + 1);
                false -> {Bytes, Chars}
            end;
        _ ->
            {Bytes, Chars}
    end.

-spec fail(#in{}, binary()) -> no_return().
fail(#in{line = Line, col = Col}, Message) -> throw({toml, {Line, Col}, Message}).
