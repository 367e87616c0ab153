%% @doc Primitives of `String'. An element of a String is a grapheme cluster.
-module(bte_prim_string).

-export([size/1, byte_size/1, is_letters/1, at/2, graphemes/1, code_points/1, bytes/1]).
-export([line_feed/1, append/2, repeat/2, less/2, greater/2, less_or_equal/2]).
-export([greater_or_equal/2, uppercase/1, lowercase/1, capitalize/1]).
-export([trim/1, trim_left/1, trim_right/1, reversed/1, take/2, drop/2]).
-export([includes/2, starts_with/2, ends_with/2, index_of/2, last_index_of/2]).
-export([split/2, lines/1, words/1]).
-export([replace_all/3, replace_first/3, as_integer/1, as_float/1, as_number/1, as_symbol/1]).

%% No String made by repeating may be larger, in bytes.
-define(MAX_BYTES, 1000000000).

%% @doc Counts graphemes.
-spec size(binary()) -> non_neg_integer().
size(S) ->
    grapheme_count(S).

grapheme_count(S) ->
    case is_plain(S) of
        true -> erlang:byte_size(S);
        false -> string:length(S)
    end.

%% In ASCII without a carriage return each byte is a grapheme.
is_plain(<<C, _/binary>>) when C >= 128; C =:= $\r -> false;
is_plain(<<_, Rest/binary>>) -> is_plain(Rest);
is_plain(<<>>) -> true.

%% @doc Counts bytes.
-spec byte_size(binary()) -> non_neg_integer().
byte_size(S) -> erlang:byte_size(S).

%% @doc Tells whether there are letters only, at least one.
-spec is_letters(binary()) -> boolean().
is_letters(S) -> re:run(S, "^\\p{L}[\\p{L}\\p{M}]*$", [unicode, {capture, none}]) =:= match.

%% @doc Answers the grapheme at a position.
-spec at(binary(), term()) -> binary().
at(S, Index) ->
    I = bte_prim:integer(S, 'at:', Index),
    case I >= 1 andalso string:slice(S, I - 1, 1) of
        Grapheme when is_binary(Grapheme), Grapheme =/= <<>> -> binary:copy(Grapheme);
        _ -> bte_prim:out_of_bounds(S, 'at:', I, grapheme_count(S))
    end.

%% @doc Answers the graphemes.
-spec graphemes(binary()) -> [binary()].
graphemes(S) ->
    [unicode:characters_to_binary([G]) || G <- string:to_graphemes(S)].

%% @doc Answers the code points.
-spec code_points(binary()) -> [non_neg_integer()].
code_points(S) -> unicode:characters_to_list(S).

%% @doc Answers the bytes.
-spec bytes(binary()) -> [byte()].
bytes(S) -> binary_to_list(S).

%% @doc Answers the line feed.
-spec line_feed(term()) -> binary().
line_feed(_) -> <<"\n">>.

%% @doc Joins two texts.
-spec append(binary(), term()) -> binary().
append(S, Other) when is_binary(Other) -> <<S/binary, Other/binary>>;
append(S, {'$char', C}) -> <<S/binary, C/utf8>>;
append(S, Other) -> bte_prim:type_error(S, '++', <<"String">>, Other).

%% @doc Repeats a text; a number below nought counts as nought.
-spec repeat(binary(), term()) -> binary().
repeat(S, Times) ->
    case max(0, bte_prim:integer(S, 'repeat:', Times)) of
        N when N * erlang:byte_size(S) =< ?MAX_BYTES -> binary:copy(S, N);
        _ -> bte_prim:argument_error(S, 'repeat:', <<"the String would be too large">>)
    end.

%% @doc Compares by code points.
-spec less(binary(), term()) -> boolean().
less(A, B) -> A < bte_prim:string(A, '<', B).

%% @doc Compares by code points.
-spec greater(binary(), term()) -> boolean().
greater(A, B) -> A > bte_prim:string(A, '>', B).

%% @doc Compares by code points.
-spec less_or_equal(binary(), term()) -> boolean().
less_or_equal(A, B) -> A =< bte_prim:string(A, '<=', B).

%% @doc Compares by code points.
-spec greater_or_equal(binary(), term()) -> boolean().
greater_or_equal(A, B) -> A >= bte_prim:string(A, '>=', B).

%% @doc Answers the text in capitals.
-spec uppercase(binary()) -> binary().
uppercase(S) -> string:uppercase(S).

%% @doc Answers the text in small letters.
-spec lowercase(binary()) -> binary().
lowercase(S) -> string:lowercase(S).

%% @doc Answers the text with a capital in front.
-spec capitalize(binary()) -> binary().
capitalize(S) -> string:titlecase(S).

%% @doc Takes white space off both ends.
-spec trim(binary()) -> binary().
trim(S) -> string:trim(S).

%% @doc Takes white space off the front.
-spec trim_left(binary()) -> binary().
trim_left(S) -> string:trim(S, leading).

%% @doc Takes white space off the end.
-spec trim_right(binary()) -> binary().
trim_right(S) -> string:trim(S, trailing).

%% @doc Turns the order of graphemes round.
-spec reversed(binary()) -> binary().
reversed(S) -> unicode:characters_to_binary(string:reverse(S)).

%% @doc Answers the first so many graphemes.
-spec take(binary(), term()) -> binary().
take(S, Count) ->
    case bte_prim:integer(S, 'take:', Count) of
        N when N > 0 -> string:slice(S, 0, N);
        _ -> <<>>
    end.

%% @doc Answers what follows the first so many graphemes.
-spec drop(binary(), term()) -> binary().
drop(S, Count) ->
    string:slice(S, max(0, bte_prim:integer(S, 'drop:', Count))).

%% @doc Tells whether a text stands in another.
-spec includes(binary(), term()) -> boolean().
includes(_, <<>>) -> true;
includes(S, Text) -> find(S, 'includesSubstring:', Text) =/= nomatch.

%% @doc Tells whether a text begins with another.
-spec starts_with(binary(), term()) -> boolean().
starts_with(S, Text) ->
    Size = erlang:byte_size(bte_prim:string(S, 'startsWith:', Text)),
    case S of
        <<Text:Size/binary, _/binary>> -> true;
        _ -> false
    end.

%% @doc Tells whether a text ends with another.
-spec ends_with(binary(), term()) -> boolean().
ends_with(S, Text) ->
    Rest = erlang:byte_size(S) - erlang:byte_size(bte_prim:string(S, 'endsWith:', Text)),
    Rest >= 0 andalso binary:part(S, Rest, erlang:byte_size(Text)) =:= Text.

%% @doc Answers the position of a text, or nil.
-spec index_of(binary(), term()) -> pos_integer() | nil.
index_of(_, <<>>) ->
    nil;
index_of(S, Text) ->
    case find(S, 'indexOf:', Text) of
        {Start, _} -> grapheme_count(binary:part(S, 0, Start)) + 1;
        nomatch -> nil
    end.

%% @doc Answers the last position of a text, or nil.
-spec last_index_of(binary(), term()) -> pos_integer() | nil.
last_index_of(_, <<>>) ->
    nil;
last_index_of(S, Text) ->
    Pattern = binary:compile_pattern(bte_prim:string(S, 'lastIndexOf:', Text)),
    case last_start(S, Pattern, 0, none) of
        none -> nil;
        Start -> grapheme_count(binary:part(S, 0, Start)) + 1
    end.

%% Texts may overlap where they are found, which `binary:matches' leaves out.
last_start(S, Pattern, From, Found) ->
    case binary:match(S, Pattern, [{scope, {From, erlang:byte_size(S) - From}}]) of
        {Start, _} -> last_start(S, Pattern, Start + 1, Start);
        nomatch -> Found
    end.

find(S, Selector, Text) -> binary:match(S, bte_prim:string(S, Selector, Text)).

%% @doc Answers the parts between separators.
-spec split(binary(), term()) -> [binary()].
split(S, <<>>) -> graphemes(S);
split(S, Text) -> binary:split(S, bte_prim:string(S, 'split:', Text), [global]).

%% @doc Answers the lines; a line feed at the end does not begin one.
-spec lines(binary()) -> [binary()].
lines(<<>>) ->
    [];
lines(S) ->
    Parts = re:split(S, "\r\n|\n", [unicode]),
    case lists:last(Parts) of
        <<>> -> lists:droplast(Parts);
        _ -> Parts
    end.

%% @doc Answers the parts between white space.
-spec words(binary()) -> [binary()].
words(S) -> [unicode:characters_to_binary(W) || W <- string:lexemes(S, spaces())].

spaces() -> [$\s, $\t, $\n, $\r, "\r\n", $\v, $\f, 16#A0, 16#2028, 16#2029].

%% @doc Replaces every occurrence.
-spec replace_all(binary(), term(), term()) -> binary().
replace_all(S, Text, By) -> replace(S, {'replaceAll:with:', Text, By}, [global]).

%% @doc Replaces the first occurrence.
-spec replace_first(binary(), term(), term()) -> binary().
replace_first(S, Text, By) -> replace(S, {'replaceFirst:with:', Text, By}, []).

replace(S, {_, <<>>, _}, _) ->
    S;
replace(S, {Selector, Text, By}, Options) ->
    Parts = binary:split(S, bte_prim:string(S, Selector, Text), Options),
    iolist_to_binary(lists:join(bte_prim:string(S, Selector, By), Parts)).

%% @doc Reads an Integer.
-spec as_integer(binary()) -> integer().
as_integer(S) ->
    case parse_integer(string:trim(S)) of
        {ok, N} -> N;
        error -> no_number(S, asInteger, <<"an Integer">>)
    end.

%% @doc Reads a Float.
-spec as_float(binary()) -> float().
as_float(S) ->
    case parse_number(string:trim(S)) of
        {ok, N} -> bte_prim_number:as_float(N);
        error -> no_number(S, asFloat, <<"a Float">>)
    end.

%% @doc Reads an Integer or a Float.
-spec as_number(binary()) -> number().
as_number(S) ->
    case parse_number(string:trim(S)) of
        {ok, N} -> N;
        error -> no_number(S, asNumber, <<"a Number">>)
    end.

parse_number(Text) ->
    case {parse_integer(Text), string:to_float(with_point(Text))} of
        {{ok, N}, _} -> {ok, N};
        {error, {F, <<>>}} when is_float(F) -> {ok, F};
        _ -> error
    end.

%% Erlang reads no float without a point: `1e3'.
with_point(Text) -> re:replace(Text, "\\A([+-]?[0-9]+)([eE])", "\\1.0\\2", [{return, binary}]).

parse_integer(<<"+", Digits/binary>>) -> parse_digits(Digits, Digits);
parse_integer(<<"-", Digits/binary>> = Text) -> parse_digits(Digits, Text);
parse_integer(Text) -> parse_digits(Text, Text).

parse_digits(Digits, Text) ->
    case re:run(Digits, "\\A[0-9]+\\z", [{capture, none}]) of
        match -> {ok, bte_prim_number:from_text(Text)};
        nomatch -> error
    end.

-spec no_number(term(), term(), term()) -> no_return().
no_number(S, Selector, What) ->
    bte_prim:argument_error(S, Selector, [bte_prim:quoted(S), <<" is not ">>, What]).

%% @doc Makes a Symbol. The number of names is limited for good, so a workspace that has used up
%% most of them makes no new ones.
-spec as_symbol(binary()) -> atom().
as_symbol(S) ->
    try
        binary_to_existing_atom(S)
    catch
        error:badarg -> new_symbol(S)
    end.

new_symbol(S) ->
    Used = erlang:system_info(atom_count),
    Limit = erlang:system_info(atom_limit),
    case string:length(S) =< 255 of
        true when Used * 10 < Limit * 8 ->
            binary_to_atom(S);
        true ->
            bte_prim:argument_error(S, asSymbol, <<"too many Symbols have been made">>);
        false ->
            bte_prim:argument_error(S, asSymbol, <<"a Symbol has at most 255 characters">>)
    end.
