%%% @doc A toy language for tests of the transaction: a first line `Object subclass: Name', then one
%%% method a line, `  sel => body' or `  class sel => body'. Outline and planner over it, as funs
%%% that stand in for the native ones.
-module(btr_toy).

-export([outline/1, plan/2, options/0, options/1, bear_restarts/1]).

%% Before a suite that kills coordinators: one that runs keeps the limit it was started with.
bear_restarts(N) ->
    _ = application:stop(bt_refactor),
    _ = application:load(bt_refactor),
    ok = application:set_env(bt_refactor, restart_intensity, N).

options() -> options(#{}).

options(More) ->
    maps:merge(
        #{host => btr_host_fake, planner => fun plan/2, outline => fun outline/1,
          scratch => fun(Units) -> Units end, log => memory,
          root => "/toy"},
        More
    ).

outline(Text) ->
    Lines = lines(Text),
    Classes = [
        {Name, Start}
     || {Start, Line} <- Lines,
        {match, [Name]} <- [re:run(Line, <<"^\\w+ subclass: (\\w+)">>, [{capture, [1], binary}])]
    ],
    {ok, #{
        classes => [#{name => N, methods => methods(Lines)} || {N, _} <- Classes],
        extensions => []
    }}.

methods(Lines) ->
    [
        #{selector => Selector, side => side(Class), span => {Start, Start + byte_size(Line)},
          source => Line}
     || {Start, Line} <- Lines,
        {match, [Class, Selector]} <-
            [re:run(Line, <<"^  (class )?(\\w+) =>">>, [{capture, [1, 2], binary}])]
    ].

side(<<>>) -> instance;
side(_) -> class.

%% Lines with their newline and offset.
lines(Text) ->
    {Lines, _} = lists:mapfoldl(
        fun(Line, At) -> {{At, Line}, At + byte_size(Line)} end, 0, split(Text)
    ),
    Lines.

split(Text) ->
    Parts = binary:split(Text, <<"\n">>, [global]),
    Ended = [<<P/binary, "\n">> || P <- lists:droplast(Parts)],
    Ended ++ [P || P <- [lists:last(Parts)], P =/= <<>>].

plan(Units, #{operation := rename_class, class := Old, new_name := New}) ->
    Declaring = [F || {F, #{text := T}} <- maps:to_list(Units), declares(T, Old)],
    Taken = [F || {F, #{text := T}} <- maps:to_list(Units), declares(T, New)],
    case {Declaring, Taken} of
        {_, _} when Old =:= New -> {ok, renamed(rename_class, Units, Old, New, none)};
        {[], _} -> {error, btr_error:new(<<"class.not_found">>, [<<"no class ">>, Old])};
        {_, [_ | _]} -> {error, btr_error:new(<<"name.taken">>, [New, <<" exists">>])};
        {[File], []} -> {ok, renamed(rename_class, Units, Old, New, File)}
    end;
plan(Units, #{operation := rename_method, class := Class, selector := Old, new_selector := New}) ->
    Plan = renamed(rename_method, Units, Old, New, none),
    {ok, Plan#{class => Class, side => instance, selector => Old, new_selector => New}};
plan(Units, #{operation := remove_method, class := Class, side := Side, selector := Selector}) ->
    [{File, #{text := Text, digest := Digest}}] = declaring(Units, Class),
    {ok, Outline} = outline(Text),
    case find(Outline, Side, Selector) of
        [] ->
            {error, btr_error:new(<<"selector.not_found">>, [Class, <<" has no ">>, Selector])};
        [#{span := {Start, End}}] ->
            New = splice(Text, Start, End, <<>>),
            {ok, (empty(remove_method, Class))#{
                files => [planned_file(File, Digest, New, false)], selector => Selector,
                    side => Side
            }}
    end;
plan(Units, #{operation := patch_method, class := Class, side := Side, source := Source}) ->
    [{File, #{text := Text, digest := Digest}}] = declaring(Units, Class),
    {ok, Outline} = outline(Text),
    {match, [Selector]} = re:run(Source, <<"(\\w+) =>">>, [{capture, [1], binary}]),
    Prefix = case Side of instance -> <<"  ">>; class -> <<"  class ">> end,
    Line = iolist_to_binary([Prefix, Source, "\n"]),
    New = case find(Outline, Side, Selector) of
        [#{span := {Start, End}}] -> splice(Text, Start, End, Line);
        [] -> <<Text/binary, Line/binary>>
    end,
    {ok, (empty(patch_method, Class))#{
        files => [planned_file(File, Digest, New, false)], selector => Selector, side => Side
    }}.

declaring(Units, Class) ->
    [U || {_, #{text := T}} = U <- maps:to_list(Units), declares(T, Class)].

find(#{classes := [#{methods := Methods}]}, Side, Selector) ->
    [M || #{selector := S, side := X} = M <- Methods, S =:= Selector, X =:= Side].

splice(Text, Start, End, New) ->
    iolist_to_binary([binary:part(Text, 0, Start), New,
        binary:part(Text, End, byte_size(Text) - End)]).

declares(Text, Name) ->
    re:run(Text, [<<"^\\w+ subclass: ">>, Name, <<"\\b">>]) =/= nomatch.

empty(Operation, Class) ->
    #{operation => Operation, class => Class, sites => [], candidates => [], names => [],
      prose => #{count => 0, files => 0, mentions => []}, warnings => [], not_searched => []}.

renamed(Operation, _Units, Same, Same, _File) ->
    (empty(Operation, Same))#{new_name => Same, files => []};
renamed(Operation, Units, Old, New, File) ->
    Found = [{F, U, spans(T, Old, New)} || {F,
        #{text := T} = U} <- lists:sort(maps:to_list(Units))],
    Hit = [H || {_, _, [_ | _]} = H <- Found],
    Sites = [
        Span#{file => F, spans => [Span], line => 1, col => 1, kind => site_kind(Span),
            owner => Old}
     || {F, _, Spans} <- Hit, Span <- Spans
    ],
    Names = case Operation of
        rename_class -> [{class, Old, New}];
        _ -> []
    end,
    (empty(Operation, Old))#{
        new_name => New,
        names => Names,
        sites => Sites,
        files => [
            (planned_file(F, D, edited(T, Spans), Operation =:= rename_class))#{
                new_file => case F of File -> new_file(New); _ -> nil end
            }
         || {F, #{text := T, digest := D}, Spans} <- Hit
        ]
    }.

site_kind(#{start := 17}) -> declaration;
site_kind(_) -> expression.

new_file(Class) -> <<"src/", (string:lowercase(Class))/binary, ".bt">>.

planned_file(File, Digest, New, NamesOnly) ->
    #{file => File, new_file => nil, old_digest => Digest, text => New, names_only => NamesOnly}.

spans(Text, Old, New) ->
    case re:run(Text, [<<"\\b">>, Old, <<"\\b">>], [global]) of
        {match, Matches} ->
            [#{start => S, 'end' => S + L, old => Old, new => New} || [{S, L}] <- Matches];
        nomatch ->
            []
    end.

edited(Text, Spans) ->
    lists:foldr(
        fun(#{start := S, 'end' := E, new := New}, Acc) -> splice(Acc, S, E, New) end, Text, Spans
    ).
