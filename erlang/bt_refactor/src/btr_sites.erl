%%% @doc From spans and texts to definitions: which method or header lines an edit belongs to, and
%%% which methods and classes differ between two texts. Pure; the outline of a text is injected.
%%% Tested by btr_revert_SUITE.
-module(btr_sites).

-export([definitions/3, compare/3]).

-type extent() :: {non_neg_integer(), non_neg_integer(), map()}.

%% @doc Groups spans by the definition they lie in: a method, or the lines of a header or field.
-spec definitions(binary(), [map()], btr_entry:outline_fun()) -> [map()].
definitions(Text, Spans, Outline) ->
    Extents = extents(Text, Outline),
    Edits = lists:usort([{S, E, Span} || #{start := S, 'end' := E} = Span <- Spans]),
    Placed = [{extent_of(Edit, Extents, Text), Span} || {_, _, Span} = Edit <- Edits],
    Merged = maps:groups_from_list(fun({Extent, _}) -> Extent end, fun({_, S}) -> S end, Placed),
    [definition(Text, Extent, InExtent) || {Extent, InExtent} <- lists:sort(maps:to_list(Merged))].

definition(Text, {Start, End, Owner}, Spans) ->
    Before = binary:part(Text, Start, End - Start),
    Owner#{
        span => #{start => Start, 'end' => End},
        prev_source => Before,
        source => splice(Before, Start, Spans),
        spans => Spans
    }.

splice(Before, Base, Spans) ->
    {Parts, Last} = lists:foldl(
        fun(#{start := S, 'end' := E, new := New}, {Acc, At}) ->
            {[New, binary:part(Before, At, S - Base - At) | Acc], E - Base}
        end,
        {[], 0},
        Spans
    ),
    Rest = binary:part(Before, Last, byte_size(Before) - Last),
    iolist_to_binary(lists:reverse([Rest | Parts])).

extent_of({Start, End, _}, Extents, Text) ->
    case [Extent || {S, E, _} = Extent <- Extents, S =< Start, End =< E] of
        [Extent | _] -> Extent;
        [] -> {line_start(Text, Start), line_end(Text, End), #{kind => header}}
    end.

line_start(Text, At) ->
    case binary:matches(Text, <<"\n">>, [{scope, {0, At}}]) of
        [] -> 0;
        Matches -> element(1, lists:last(Matches)) + 1
    end.

line_end(Text, At) ->
    case binary:match(Text, <<"\n">>, [{scope, {At, byte_size(Text) - At}}]) of
        nomatch -> byte_size(Text);
        {Newline, 1} -> Newline + 1
    end.

-spec extents(binary(), btr_entry:outline_fun()) -> [extent()].
extents(Text, Outline) ->
    lists:sort([{S, E, Owner} || {Owner, {S, E}, _} <- methods(Text, Outline)]).

methods(Text, Outline) ->
    case Outline(Text) of
        {ok, Parts} -> own_methods(Parts) ++ extensions(Parts);
        {error, _} -> []
    end.

own_methods(#{classes := Classes}) ->
    [
        {#{kind => method, class => Class, selector => Selector, side => Side}, Span, Source}
     || #{name := Class, methods := Methods} <- Classes,
        #{selector := Selector, side := Side, span := Span, source := Source} <- Methods
    ].

extensions(#{extensions := Extensions}) ->
    [
        {#{kind => method, class => Class, selector => Selector, side => Side}, Span, Source}
     || #{target := Class, selector := Selector, side := Side, span := Span, source := Source} <-
            Extensions
    ].

%% @doc Compares two texts: drafts of what was added, replaced and removed.
-spec compare(binary() | absent, binary() | deleted, btr_entry:outline_fun()) -> [map()].
compare(Before, After, Outline) ->
    Old = parts(Before, Outline),
    New = parts(After, Outline),
    Came = [C || C <- classes(New), not lists:member(C, classes(Old))],
    Went = [C || C <- classes(Old), not lists:member(C, classes(New))],
    [created(C, After) || C <- Came] ++
        [dropped(C, Before) || C <- Went] ++
        [D || D <- changed(Old, New), not lists:member(maps:get(class, D), Came ++ Went)].

parts(Text, Outline) when is_binary(Text) ->
    case Outline(Text) of
        {ok, Parts} -> Parts#{all => own_methods(Parts) ++ extensions(Parts)};
        {error, _} -> #{classes => [], extensions => [], all => []}
    end;
parts(_, _) ->
    #{classes => [], extensions => [], all => []}.

classes(#{classes := Classes}) -> [Name || #{name := Name} <- Classes].

created(Class, Text) ->
    #{kind => 'new-class', class => Class, source => Text}.

dropped(Class, Text) ->
    #{kind => 'remove-class', class => Class, prev_source => Text}.

changed(#{all := Old}, #{all := New}) ->
    OldBodies = bodies(Old),
    NewBodies = bodies(New),
    Removed = [
        removed(Owner, maps:get(key(Owner), OldBodies), Span)
     || {Owner, Span, _} <- Old, not maps:is_key(key(Owner), NewBodies)
    ],
    Patched = [
        patched(Owner, Source, maps:get(key(Owner), OldBodies, {nil, nil}))
     || {Owner, _, Source} <- New, differs(Owner, Source, OldBodies)
    ],
    Removed ++ Patched.

bodies(Methods) ->
    maps:from_list([{key(Owner), {Source, Span}} || {Owner, Span, Source} <- Methods]).

key(#{class := Class, side := Side, selector := Selector}) -> {Class, Side, Selector}.

differs(Owner, Source, Bodies) ->
    case maps:get(key(Owner), Bodies, none) of
        {Source, _} -> false;
        _ -> true
    end.

removed(#{class := Class, side := Side, selector := Selector}, {Source, _}, Span) ->
    #{
        kind => 'remove-method', class => Class, side => Side, selector => Selector,
        prev_source => Source, span => as_map(Span)
    }.

patched(#{class := Class, side := Side, selector := Selector}, Source, {Prev, Span}) ->
    #{
        kind => Side, class => Class, side => Side, selector => Selector, source => Source,
        prev_source => Prev, span => as_map(Span)
    }.

as_map(nil) -> nil;
as_map({Start, End}) -> #{start => Start, 'end' => End}.
