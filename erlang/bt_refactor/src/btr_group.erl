%%% @doc Several requests as one operation: each is planned on the image the former would leave, all
%%% become one change, one switch and one group of entries.
%%%
%%% The image in between exists only here: texts over those of the host, and a scratch index made of
%%% them, which the real one never sees. One refused request refuses the group. Tested by
%%% btr_group_SUITE.
-module(btr_group).

-export([plan/2, change/2, drafts/3]).
-export_type([context/0]).

-type context() :: #{
    units := #{btr_host:file() => btr_host:unit()},
    planner := fun((term(), map()) -> {ok, map()} | {error, btr_error:error()}),
    scratch := fun((#{btr_host:file() => btr_host:unit()}) -> term()),
    generation := btr_host:generation()
}.

%% @doc Plans the requests in order; answers one plan, which holds the others under `plans'.
-spec plan([map()], context()) -> {ok, map()} | {error, btr_error:error()}.
plan(Requests, #{units := Units} = Context) ->
    plan(Requests, 1, Units, [], Context).

plan([], _, _, Plans, #{units := Units, generation := Generation}) ->
    {ok, merged(lists:reverse(Plans), Units, Generation)};
plan([Request | Rest], N, Units, Plans, #{planner := Planner, scratch := Scratch} = Context) ->
    case Planner(Scratch(Units), Request) of
        {ok, Plan} -> plan(Rest, N + 1, applied(Plan, Units), [Plan | Plans], Context);
        {error, {btr, Code, Details}} -> {error, {btr, Code, Details#{request => N}}}
    end.

applied(#{files := Files} = Plan, Units) ->
    maps:map(
        fun(_, Unit) -> marked(Plan, Unit) end,
        lists:foldl(fun(File, Acc) -> written(File, Plan, Acc) end, Units, Files)
    ).

written(#{file := File, text := deleted}, _, Units) ->
    maps:remove(File, Units);
written(#{file := File, text := Text}, Plan, Units) ->
    #{File := Unit} = Units,
    Patched = patched(Plan, maps:get(patched, Unit, [])),
    Units#{File := Unit#{text := Text, digest := btr_change:digest(Text), patched => Patched}}.

patched(#{operation := patch_method, class := C, side := Side, selector := S}, Marks) ->
    lists:usort([{C, Side, S} | Marks]);
patched(_, Marks) ->
    Marks.

%% A former method bears the name of its class, though its text need not say it.
marked(Plan, #{patched := [_ | _] = Marks} = Unit) -> Unit#{patched := renamed(Plan, Marks)};
marked(_, Unit) -> Unit.

%% What was patched live, by the names after a plan.
renamed(#{operation := rename_class, class := Old, new_name := New}, Marks) ->
    [{renamed(C, Old, New), Side, S} || {C, Side, S} <- Marks];
renamed(#{operation := rename_method, class := C, side := Side} = Plan, Marks) ->
    #{selector := Old, new_selector := New} = Plan,
    [
        case Mark of
            {C, Side, S} -> {C, Side, renamed(S, Old, New)};
            _ -> Mark
        end
     || Mark <- Marks
    ];
renamed(_, Marks) ->
    Marks.

renamed(Old, Old, New) -> New;
renamed(Name, _, _) -> Name.

merged(Plans, Units, Generation) ->
    Get = fun(Key) -> lists:append([maps:get(Key, P, []) || P <- Plans]) end,
    Prose = [maps:get(prose, P, #{}) || P <- Plans],
    #{
        operation => group, generation => Generation, plans => Plans,
        files => merge_files(Get(files), Units),
        names => net_names(Get(names)),
        sites => Get(sites), candidates => Get(candidates), warnings => Get(warnings),
        not_searched => lists:usort(Get(not_searched)),
        prose => #{
            count => lists:sum([maps:get(count, P, 0) || P <- Prose]),
            files => lists:max([0 | [maps:get(files, P, 0) || P <- Prose]]),
            mentions => lists:append([maps:get(mentions, P, []) || P <- Prose])
        }
    }.

%% The last text of each file, on the digest of the host's.
merge_files(Files, Units) ->
    Merged = lists:foldl(
        fun(#{file := File} = New, Acc) ->
            #{digest := Digest} = maps:get(File, Units),
            Former = maps:get(File, Acc, #{new_file => nil, names_only => true}),
            Acc#{File => New#{
                old_digest => Digest,
                new_file => or_else(maps:get(new_file, New, nil), maps:get(new_file, Former)),
                names_only => maps:get(names_only, New, false) andalso maps:get(names_only, Former)
            }}
        end,
        #{},
        Files
    ),
    [File || {_, File} <- lists:sort(maps:to_list(Merged))].

or_else(nil, Other) -> Other;
or_else(Value, _) -> Value.

%% A to B and B to C is A to C; there and back is nothing.
net_names(Names) ->
    Net = lists:foldl(fun add_name/2, [], Names),
    [Name || {class, Old, New} = Name <- lists:reverse(Net), Old =/= New].

add_name({class, Old, New}, Net) ->
    case [First || {class, First, Last} <- Net, Last =:= Old] of
        [First] -> [{class, First, New} | lists:keydelete(First, 2, Net)];
        [] -> [{class, Old, New} | Net]
    end.

%% @doc Adds what a group's change has beside files and names: the drains of its method renames, by
%% the names that the classes have in the end.
-spec change(map(), btr_host:change()) -> btr_host:change().
change(#{plans := Plans}, Change) ->
    Change#{drains => net_drains(drains(Plans))}.

%% a to b and b to c serves a by c; b was never there for anyone to send.
net_drains(Drains) ->
    Net = lists:foldl(fun add_drain/2, [], Drains),
    [D || #{old := Old, new := New} = D <- lists:reverse(Net), Old =/= New].

add_drain(#{class := Class, side := Side, old := Old} = Drain, Net) ->
    Former = [
        D || #{class := C, side := S, new := New} = D <- Net, {C, S, New} =:= {Class, Side, Old}
    ],
    case Former of
        [#{old := First} = One] -> [Drain#{old := First} | lists:delete(One, Net)];
        [] -> [Drain | Net]
    end.

drains([]) ->
    [];
drains([Plan | Rest]) ->
    Later = net_names(lists:append([maps:get(names, P, []) || P <- Rest])),
    [D#{class := last_name(Class, Later)} || #{class := Class} = D <- btr_change:drains(Plan)] ++
        drains(Rest).

last_name(Class, Names) ->
    case lists:keyfind(Class, 2, Names) of
        {class, Class, New} -> New;
        false -> Class
    end.

%% @doc Drafts the entries of all plans, each over the texts it was made for.
-spec drafts(map(), btr_host:change(), btr_entry:context()) -> [map()].
drafts(#{plans := Plans}, Change, Context) ->
    {Drafts, _} = lists:mapfoldl(
        fun(Plan, Overlay) -> drafts_of(Plan, Overlay, Change, Context) end, #{}, Plans
    ),
    lists:append(Drafts).

drafts_of(#{files := Files} = Plan, Overlay, _Change, #{old := Old} = Context) ->
    Reader = fun(File) ->
        case {Old(File), Overlay} of
            {{ok, Unit}, #{File := Text}} -> {ok, Unit#{text := Text}};
            {Found, _} -> Found
        end
    end,
    {ok, Own} = btr_change:from_plan(Plan, Reader),
    Next = maps:from_list([{File, Text} || #{file := File, text := Text} <- Files]),
    {btr_entry:drafts(Plan, Own, Context#{old := Reader}), maps:merge(Overlay, Next)}.
