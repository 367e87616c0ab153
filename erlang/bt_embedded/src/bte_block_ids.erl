%% @doc Which ids the blocks of a class keep when it is generated again: those of a method whose
%% text is the same, or whose unit is the same but for planned names. Ids are never used twice.
-module(bte_block_ids).

-export([kept/2, outdated/3]).

-type ids() :: #{next := non_neg_integer(), methods := map()}.

%% @doc Answers the ids to keep.
-spec kept(bte_registry:identity(), #{
    world := bte_world:world(), before := bte_world:world(), names_only := map(), _ => _
}) -> ids().
kept(Identity, #{world := World, before := Before, names_only := NamesOnly}) ->
    case bte_world:read(Before, code, Identity) of
        {ok, #{block_ids := #{next := Next, methods := Ids}}} when map_size(Ids) > 0 ->
            Old = texts(Identity, Before),
            New = texts(Identity, World),
            #{next => Next, methods => keep(Ids, {Old, New}, NamesOnly)};
        {ok, #{block_ids := Ids}} ->
            Ids;
        error ->
            #{next => 0, methods => #{}}
    end.

%% For each method its text, its file, and where it stands among the methods of that file.
texts(Identity, World) ->
    case bte_world:read(World, class, Identity) of
        {ok, #{file := File, name := Name}} ->
            (method_texts(Identity, World))#{
                {instance, <<"$fields">>} => {header(File, Name, World), {File, fields}},
                {class, <<"$class_state">>} => {header(File, Name, World), {File, fields}}
            };
        error ->
            #{}
    end.

method_texts(Identity, World) ->
    #{instance := I, class := C} = bte_codegen:methods(Identity, World),
    Methods = maps:values(I) ++ maps:values(C),
    Sorted = lists:sort([{F, S, M} || #{file := F, span := S} = M <- Methods]),
    {Texts, _} = lists:mapfoldl(fun text/2, {none, 0}, Sorted),
    maps:from_list(Texts).

text({File, _, #{side := Side, selector := Selector, source := Source}}, {File, N}) ->
    {{{Side, Selector}, {Source, {File, N}}}, {File, N + 1}};
text({File, Span, Method}, _) ->
    text({File, Span, Method}, {File, 0}).

%% The text before the first method: where field defaults stand.
header(File, Name, World) ->
    {ok, #{text := Text} = Row} = bte_world:read(World, unit, File),
    #{classes := Classes} = bte_packed:outline(Row),
    case [C || #{name := N} = C <- Classes, N =:= Name] of
        [#{span := {Start, End}, methods := Methods} | _] ->
            Stop = lists:min([End | [S || #{span := {S, _}} <- Methods]]),
            binary:part(Text, Start, Stop - Start);
        [] ->
            <<>>
    end.

keep(Ids, {Old, New}, NamesOnly) ->
    ByText = maps:fold(
        fun(Key, {Text, _}, Acc) ->
            case {Old, Ids} of
                {#{Key := {Text, _}}, #{Key := Mine}} -> Acc#{Key => Mine};
                _ -> Acc
            end
        end,
        #{},
        New
    ),
    maps:merge(by_place(Ids, Old, New, NamesOnly), ByText).

%% A unit that is the same but for names has the same methods in the same order.
by_place(Ids, Old, New, NamesOnly) ->
    Places = maps:from_list([
        {Place, Mine}
     || {Key, {_, {File, _} = Place}} <- maps:to_list(Old),
        maps:get(File, NamesOnly, false),
        {ok, Mine} <- [maps:find(Key, Ids)]
    ]),
    maps:from_list([
        {Key, map_get(Place, Places)}
     || {Key, {_, Place}} <- maps:to_list(New), is_map_key(Place, Places)
    ]).

%% @doc Answers who made the blocks that have no body any more, by id (the newest thousand).
-spec outdated(bte_registry:identity(), ids(), Before :: bte_world:world()) ->
    #{non_neg_integer() => {instance | class, binary()}}.
outdated(Identity, #{methods := New}, Before) ->
    case bte_world:read(Before, code, Identity) of
        {ok, #{block_ids := #{methods := Old}} = Code} ->
            Live = lists:append(maps:values(New)),
            Gone = [{Id, Key} || {Key, Ids} <- maps:to_list(Old), Id <- Ids -- Live],
            bounded(maps:merge(maps:get(outdated_blocks, Code, #{}), maps:from_list(Gone)));
        error ->
            #{}
    end.

bounded(Gone) when map_size(Gone) =< 1000 -> Gone;
bounded(Gone) -> maps:from_list(lists:sublist(lists:reverse(lists:sort(maps:to_list(Gone))), 1000)).
