%%% @doc What a change leaves in the log: drafts of entries. Pure.
%%%
%%% A rename gives one entry with one log site for each affected definition (a method, or the lines
%%% of a header): its bodies before and after, and the spans inside. Every other change gives one
%%% entry for each method that was added, replaced or removed and for each class that came or went,
%%% found by comparing the outlines of the texts before and after; so an entry never disagrees with
%%% what was applied. A draft has no seq, time or epoch yet: btr_changelog numbers it.
%%% Tested by btr_changelog_SUITE, btr_revert_SUITE and btr_live_SUITE.
-module(btr_entry).

-export([drafts/3]).
-export_type([context/0, outline_fun/0]).

-type outline_fun() :: fun((binary()) -> {ok, map()} | {error, btr_error:error()}).
-type context() :: #{
    old := fun((btr_host:file()) -> {ok, btr_host:unit()} | error),
    outline := outline_fun(),
    generation := btr_host:generation(),
    opts := map()
}.

%% @doc Drafts the entries of a change; `Plan' is `none' for a change made by hand.
-spec drafts(map() | none, btr_host:change(), context()) -> [map()].
drafts(_Plan, #{operation := load}, _Context) ->
    [];
drafts(#{operation := group} = Plan, Change, Context) ->
    btr_group:drafts(Plan, Change, Context);
drafts(Plan, Change, Context) ->
    with_edits(made(Plan, Change, Context), Plan, Change, Context).

%% What was done to each file, and what the plan and the asker warned of, stands in the first of the
%% entries, which share their group.
with_edits([], _Plan, _Change, _Context) ->
    [];
with_edits([First | Others], Plan, #{units := Units}, #{opts := Opts} = Context) ->
    Edits = maps:from_list([{File, edits(Unit, Plan, Context)} || #{file := File} = Unit <- Units]),
    Warnings = maps:get(warnings, Opts, []) ++ warnings(Plan),
    [First#{edits => Edits, warnings => Warnings} | Others].

warnings(#{warnings := Warnings} = Plan) ->
    [Text || #{message := Text} <- Warnings] ++
        [<<"not searched: ", Text/binary>> || Text <- maps:get(not_searched, Plan, [])];
warnings(_) ->
    [].

edits(#{file := File, text := After}, Plan, #{old := Old}) ->
    case Old(File) of
        {ok, Unit} when After =:= deleted -> {deleted, Unit};
        {ok, #{text := Before}} -> btr_edits:between(Before, After, spans(File, Plan));
        error -> {created, After}
    end.

spans(File, #{sites := Sites}) ->
    [Span || #{file := F, spans := Spans} <- Sites, F =:= File, Span <- Spans];
spans(_, _) ->
    [].

made(_Plan, #{entries := Drafts} = Change, Context) ->
    [maps:merge(common(Change, Context), Draft) || Draft <- Drafts];
made(#{operation := rename_class} = Plan, Change, Context) ->
    [rename(Plan, Change, Context, class_rename(Plan, Change))];
made(#{operation := rename_method} = Plan, Change, Context) ->
    [rename(Plan, Change, Context, method_rename(Plan))];
made(Plan, #{units := Units} = Change, Context) ->
    Common = (common(Change, Context))#{
        summary => summary(Plan), candidate_sites => candidates(Plan)
    },
    [maps:merge(Common, Draft) || Unit <- Units, Draft <- compared(Unit, Context)].

common(#{operation := Operation}, #{opts := Opts, generation := Generation}) ->
    #{
        operation => Operation,
        generation => Generation,
        intent => maps:get(intent, Opts, durable),
        author => maps:get(author, Opts, <<"repl">>),
        author_kind => maps:get(author_kind, Opts, human),
        selector => nil, side => nil, source => nil, prev_source => nil, source_file => nil,
        span => nil, sites => [], candidate_sites => [], old_class => nil, old_selector => nil,
        old_path => nil, new_path => nil, flushed => false, reverted => false,
        flushable => true, not_flushable_reason => nil, summary => summary(none)
    }.

%% Renames ------------------------------------------------------------------------------------

class_rename(#{class := Old, new_name := New} = Plan, #{units := Units}) ->
    {OldPath, NewPath} = paths(Plan, Units),
    #{kind => 'rename-class', class => New, old_class => Old, old_path => OldPath,
      new_path => NewPath}.

paths(#{sites := Sites}, Units) ->
    Moved = [{File, New} || #{file := File, new_file := New} <- Units, is_binary(New)],
    Declared = [{File, File} || #{file := File, kind := declaration} <- Sites],
    case Moved ++ Declared of
        [Paths | _] -> Paths;
        [] -> {nil, nil}
    end.

method_rename(#{class := Class, side := Side, selector := Old, new_selector := New}) ->
    #{kind => 'rename-method', class => Class, side => Side, selector => New, old_selector => Old}.

rename(Plan, #{units := Units} = Change, Context, Own) ->
    Sites = log_sites(Plan, Units, Context),
    {Flushable, Reason} = flushable(own_units(Plan, with_file(Units)), Context),
    maps:merge(common(Change, Context), Own#{
        sites => own_first(Own, Sites),
        candidate_sites => candidates(Plan),
        summary => summary(Plan),
        flushable => Flushable,
        not_flushable_reason => Reason
    }).

%% Where the class or method itself is decides. That a class typed at the prompt names it as well,
%% or a library's method changed in memory, keeps no file from being written.
own_units(#{sites := Sites}, Units) ->
    Own = [F || #{file := F, kind := K} <- Sites, K =:= declaration orelse K =:= definition],
    case [U || #{file := F} = U <- Units, lists:member(F, Own)] of
        [] -> Units;
        OwnUnits -> OwnUnits
    end.

%% The definition itself comes first, then the others by file and place.
own_first(#{kind := 'rename-class', old_path := Path}, Sites) ->
    {Own, Others} = lists:partition(
        fun(#{file := File, kind := Kind}) -> File =:= Path andalso Kind =:= header end, Sites
    ),
    Own ++ Others;
own_first(#{kind := 'rename-method', old_selector := Selector, class := Class, side := Side},
    Sites) ->
    {Own, Others} = lists:partition(
        fun(Site) ->
            case Site of
                #{kind := method, class := Class, selector := Selector, side := Side} -> true;
                _ -> false
            end
        end,
        Sites
    ),
    Own ++ Others.

log_sites(#{sites := Sites}, Units, #{old := Old, outline := Outline}) ->
    lists:flatmap(
        fun(#{file := File}) ->
            Spans = [Span || #{file := F, spans := Spans} <- Sites, F =:= File, Span <- Spans],
            {ok, #{text := Text}} = Old(File),
            [Site#{file => File} || Site <- btr_sites:definitions(Text, Spans, Outline)]
        end,
        lists:sort(fun(#{file := A}, #{file := B}) -> A =< B end, with_file(Units))
    ).

%% The log tells of texts that have, or may have, a file. A former method has none: what was done to
%% it stands in the edits alone.
with_file(Units) -> [U || #{origin := Origin} = U <- Units, Origin =/= orphan].

candidates(none) -> [];
candidates(Plan) -> maps:get(candidates, Plan, []).

summary(none) ->
    #{sites => 0, files => 0, candidates => 0, mentions => 0};
summary(Plan) ->
    #{
        sites => length(maps:get(sites, Plan, [])),
        files => length(maps:get(files, Plan, [])),
        candidates => length(maps:get(candidates, Plan, [])),
        mentions => maps:get(count, maps:get(prose, Plan, #{}), 0)
    }.

%% Everything else ------------------------------------------------------------------------------

compared(#{file := File, text := Text} = Unit, #{old := Old, outline := Outline} = Context) ->
    Before = case Old(File) of
        {ok, #{text := OldText}} -> OldText;
        error -> absent
    end,
    {Flushable, Reason} = flushable([Unit], Context),
    Place = #{
        source_file => File, flushable => Flushable, not_flushable_reason => Reason
    },
    [maps:merge(Place, Draft) || Draft <- btr_sites:compare(Before, Text, Outline)].

%% The first file that may not be written decides.
flushable(Units, #{opts := Opts}) ->
    Root = maps:get(root, Opts, undefined),
    case [Reason || Unit <- Units, Reason <- [reason(Unit, Root)], Reason =/= nil] of
        [] -> {true, nil};
        [Reason | _] -> {false, Reason}
    end.

reason(#{origin := stdlib}, _) -> <<"stdlib">>;
reason(#{origin := prompt}, _) -> <<"dynamic">>;
reason(#{origin := dependency, file := File}, _) -> <<"dependency:", File/binary>>;
reason(#{origin := project, file := File}, undefined) -> <<"dependency:", File/binary>>;
reason(#{origin := project}, _) -> nil.
