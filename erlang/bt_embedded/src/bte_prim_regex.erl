%% @doc Primitives of `Regex', over the module `re'.
-module(bte_prim_regex).

-export([on/2, matches/2, first_match/2, all_matches/2, groups/2, replace_all/3, split/2]).

%% @doc Makes a regex of a pattern.
-spec on(term(), term()) -> map().
on({'$class', C} = Self, Pattern) ->
    case re:compile(bte_prim:string(Self, 'on:', Pattern), [unicode]) of
        {ok, _} ->
            #{'$class' => C, source => Pattern};
        {error, {Reason, At}} ->
            Message = io_lib:format("~ts at ~b of the pattern", [Reason, At + 1]),
            bte_prim:argument_error(Self, 'on:', unicode:characters_to_binary(Message))
    end.

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
    case re:run(Subject, Source, [unicode, report_errors | Options]) of
        {error, _} ->
            bte_prim:argument_error(Self, Selector, <<"the pattern needs too many steps">>);
        Result -> Result
    end.

%% @doc Replaces all matches.
-spec replace_all(map(), term(), term()) -> binary().
replace_all(#{source := Source} = Self, Text, Replacement) ->
    Subject = bte_prim:string(Self, 'replaceAll:with:', Text),
    By = bte_prim:string(Self, 'replaceAll:with:', Replacement),
    re:replace(Subject, Source, By, [unicode, global, {return, binary}]).

%% @doc Answers the parts between matches.
-spec split(map(), term()) -> [binary()].
split(#{source := Source} = Self, Text) ->
    re:split(bte_prim:string(Self, 'split:', Text), Source, [unicode, {return, binary}]).
