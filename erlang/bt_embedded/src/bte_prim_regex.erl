%% @doc Primitives of `Regex', over the module `re'.
-module(bte_prim_regex).

-export([on/2, on/3, matches/2, first_match/2, all_matches/2, groups/2, split/2]).
-export([replace_first/3, replace_all/3]).

%% @doc Makes a regex of a pattern.
-spec on(term(), term()) -> map().
on(Self, Pattern) -> on(Self, Pattern, []).

%% @doc Makes a regex of a pattern with options.
-spec on(term(), term(), term()) -> map().
on({'$class', C} = Self, Pattern, Options) ->
    Words = bte_prim:list(Self, 'from:options:', Options),
    Known = [caseless, multiline, dotall, extended, ungreedy],
    case {Words -- Known, bte_prim:string(Self, 'on:', Pattern)} of
        {[], Source} -> compiled(Self, re:compile(Source, [unicode | Words]), #{
            '$class' => C, source => Source, options => Words
        });
        {[Other | _], _} ->
            Message = [bte_prim:quoted(Other), <<" is no option of a pattern">>],
            bte_prim:argument_error(Self, 'from:options:', Message)
    end.

compiled(_, {ok, _}, Regex) ->
    Regex;
compiled(Self, {error, {Reason, At}}, _) ->
    Message = io_lib:format("~ts at ~b of the pattern", [Reason, At + 1]),
    bte_prim:argument_error(Self, 'on:', unicode:characters_to_binary(Message)).

%% @doc Tells whether the pattern is found.
-spec matches(map(), term()) -> boolean().
matches(Self, Text) -> run(Self, 'matches:', Text, [{capture, none}]) =:= match.

%% @doc Answers the first match, or nil.
-spec first_match(map(), term()) -> binary() | nil.
first_match(Self, Text) ->
    case run(Self, 'firstMatch:', Text, [{capture, first, binary}]) of
        {match, [Found]} -> Found;
        _ -> nil
    end.

%% @doc Answers all matches.
-spec all_matches(map(), term()) -> [binary()].
all_matches(Self, Text) ->
    case run(Self, 'allMatches:', Text, [global, {capture, first, binary}]) of
        {match, Found} -> [F || [F] <- Found];
        _ -> []
    end.

%% @doc Answers the groups of the first match, or nil.
-spec groups(map(), term()) -> [binary()] | nil.
groups(Self, Text) ->
    case run(Self, 'groups:', Text, [{capture, all_but_first, binary}]) of
        {match, Groups} -> Groups;
        match -> [];
        _ -> nil
    end.

run(#{source := Source} = Self, Selector, Text, Options) ->
    Subject = bte_prim:string(Self, Selector, Text),
    case re:run(Subject, Source, [report_errors | Options] ++ own(Self)) of
        {error, _} ->
            bte_prim:argument_error(Self, Selector, <<"the pattern needs too many steps">>);
        Result -> Result
    end.

own(#{options := Options}) -> [unicode | Options].

%% @doc Replaces the first match.
-spec replace_first(map(), term(), term()) -> binary().
replace_first(Self, Text, Replacement) ->
    replaced(Self, {'replaceFirst:with:', Text, Replacement}, []).

%% @doc Replaces all matches.
-spec replace_all(map(), term(), term()) -> binary().
replace_all(Self, Text, Replacement) ->
    replaced(Self, {'replaceAll:with:', Text, Replacement}, [global]).

replaced(#{source := Source} = Self, {Selector, Text, Replacement}, Options) ->
    Subject = bte_prim:string(Self, Selector, Text),
    By = bte_prim:string(Self, Selector, Replacement),
    re:replace(Subject, Source, By, [{return, binary} | Options] ++ own(Self)).

%% @doc Answers the parts between matches.
-spec split(map(), term()) -> [binary()].
split(#{source := Source} = Self, Text) ->
    re:split(bte_prim:string(Self, 'split:', Text), Source, [{return, binary} | own(Self)]).
