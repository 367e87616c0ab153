%% @doc From a change to compiled code, without changing anything: parses the units, lays their
%% definitions over the world, generates every affected class, and compiles those whose code
%% differs from what is loaded, in parallel. All errors are collected. The world is not handed to
%% the workers: copying it would take longer than their work. Tested by `bte_compiler_SUITE'.
-module(bte_compiler).

-export([prepare/2, prepare/3]).
-export_type([prepared/0, module_code/0]).

-type module_code() :: {module(), File :: string(), Beam :: binary()}.
-type progress() :: fun((map()) -> ok).
-type prepared() :: #{
    rows := [{bte_registry:kind(), bte_registry:key(), term() | deleted}],
    modules := [module_code()],
    removed := [bte_registry:identity()],
    index := [term()],
    warnings := [map()],
    drains := [map()],
    on := non_neg_integer()
}.

%% @doc Prepares a change that becomes current one generation later.
-spec prepare(btr_host:change(), progress()) -> {ok, prepared()} | {error, btr_error:error()}.
prepare(Change, Progress) ->
    prepare(Change, bte_registry:generation() + 1, Progress).

%% @doc Prepares a change whose new code is compiled in a given generation.
-spec prepare(btr_host:change(), non_neg_integer(), progress()) ->
    {ok, prepared()} | {error, btr_error:error()}.
prepare(#{units := Units, names := Names} = Change, Gen, Progress) ->
    Before = bte_world:new(bte_registry:generation()),
    try
        Parsed = parse(Units),
        Defined = define(Parsed, Names, Before),
        generate_all(Defined, {Change, Before, Gen}, {Parsed, Progress})
    catch
        throw:{problems, Problems} -> {error, failed(Problems)}
    end.

failed(Problems) ->
    Count = length(Problems),
    Message =
        case Problems of
            [#{message := Only}] -> Only;
            _ -> io_lib:format("~b errors", [Count])
        end,
    btr_error:new(<<"compile.failed">>, Message, #{errors => Problems}).

%% Parsing.

parse(Units) ->
    Results = bte_parallel:map(fun parse_unit/1, Units),
    case lists:append([Errors || {error, Errors} <- Results]) of
        [] -> [Parsed || {ok, Parsed} <- Results];
        Errors -> throw({problems, Errors})
    end.

parse_unit(#{text := deleted} = Unit) ->
    {ok, Unit};
parse_unit(#{text := Text, file := File} = Unit) ->
    case btr_nif:parse_file(File, Text) of
        {ok, Tree} ->
            case btr_nif:unit_errors(Tree) of
                [] -> {ok, parsed(Unit#{unit => Tree}, btr_nif:outline(Tree))};
                Errors -> {error, [E#{file => File} || E <- Errors]}
            end;
        {error, {btr, Code, Details}} ->
            {error, [Details#{file => File, code => Code, line => 1, col => 1,
                message => maps:get(message, Details, Code)}]}
    end.

parsed(Unit, Outline) ->
    Unit#{outline => Outline, packed => bte_packed:pack(Outline)}.

define(Parsed, Names, Before) ->
    case bte_definitions:apply_change(Parsed, Names, Before) of
        {ok, Result} -> Result;
        {error, Problems} -> throw({problems, Problems})
    end.

%% Generating.

generate_all(#{affected := Affected, world := World} = Defined, {Change, Before, Gen}, More) ->
    {Parsed, Progress} = More,
    Worlds = {Before, World},
    Drains = bte_drains:of_change(Change, World, Gen),
    Context = #{
        world => World,
        before => Before,
        names_only => maps:get(names_only, Defined),
        drains => bte_drains:by_class(Drains, Affected, World)
    },
    Requests = [{bte_codegen:request(I, Context), loaded(I, Before)} || I <- Affected],
    Results = bte_parallel:map(fun(Request) -> generate(Request, Gen) end, Requests),
    case lists:append([Errors || {error, Errors} <- Results]) of
        [] ->
            Generated = [settled(G, Gen, Worlds) || G <- Results],
            compile_all(Generated, Defined, {Before, Gen, Parsed, Progress, Drains});
        Errors ->
            throw({problems, Errors})
    end.

loaded(Identity, World) ->
    case bte_world:read(World, code, Identity) of
        {ok, #{generation := Gen, digest := Digest}} -> {Gen, Digest};
        error -> none
    end.

%% The digest leaves the generation out: loaded code that differs in nothing else stays.
generate({Request, Loaded}, Gen) ->
    case {bte_codegen:ask(Request, Gen), Loaded} of
        {{ok, #{digest := Digest} = Same}, {Old, Digest}} -> {{same, Old}, Same};
        {{ok, Generated}, _} -> {new, Generated};
        {{error, _} = Error, _} -> Error
    end.

%% With what is known of the class's former code. Orphans that are compiled anew are a reason to
%% load what is the same otherwise.
settled({What, #{identity := Identity, block_ids := Ids} = Generated}, Gen, {Before, World}) ->
    Code = bte_world:read(Before, code, Identity),
    Settled = #{orphans := Orphans} = bte_orphans:settle(Identity, Ids, Gen, #{
        before => Before, world => World,
        forms => fun() -> loaded_forms(Identity, Code, Before) end
    }),
    {IsLoaded, Generation} =
        case {What, loaded_orphans(Code)} of
            {{same, Loaded}, Orphans} -> {true, Loaded};
            _ -> {false, Gen}
        end,
    (maps:merge(Generated, Settled))#{
        outdated_blocks => bte_block_ids:outdated(Identity, Ids, Before),
        loaded => IsLoaded,
        generation := Generation
    }.

loaded_orphans({ok, Row}) -> maps:get(orphans, Row, #{});
loaded_orphans(error) -> #{}.

%% The forms of the loaded code, generated again from the texts of before. Where they are not what
%% was loaded (the generator changed) there is nothing to keep.
loaded_forms(Identity, {ok, #{digest := Digest}}, Before) ->
    case bte_codegen:loaded(Identity, Before) of
        {ok, #{digest := Digest, output := #{forms := Forms}}} -> bte_generated:forms(Forms);
        _ -> []
    end.

%% Compiling.

compile_all(Generated, Defined, {Before, Gen, Parsed, Progress, Drains}) ->
    #{world := World0, removed := Removed} = Defined,
    New = [maps:with([identity, output, orphans], G) || #{loaded := false} = G <- Generated],
    Total = length(New),
    Told = fun(Done) -> Progress(#{stage => compiling, done => Done, total => Total}) end,
    Results = bte_parallel:map(fun compile/1, New, Told),
    Tombstones = [compile_tombstone(I, Gen) || I <- Removed],
    case [generator_error(I, Text, World0) || {error, I, Text} <- Results] of
        [] ->
            World = rows(Generated, Removed, World0, Before),
            {ok, #{
                rows => bte_world:rows(World),
                modules => [M || {ok, M} <- Results] ++ Tombstones,
                removed => Removed,
                index => index_changes(Parsed, World) ++
                    orphan_changes(Generated, Removed, {Before, World}),
                warnings => lists:append([maps:get(warnings, G) || G <- Generated]),
                drains => Drains,
                on => bte_world:generation(Before)
            }};
        Errors ->
            throw({problems, Errors})
    end.

compile(#{identity := Identity, output := Output, orphans := Orphans}) ->
    case bte_generated:compile(Output, Orphans) of
        {ok, Beam} -> {ok, {Identity, atom_to_list(Identity), Beam}};
        {error, Text} -> {error, Identity, Text}
    end.

%% Not the user's fault: the generator made forms that do not compile.
generator_error(Identity, Text, World) ->
    {ok, #{file := File, line := Line}} = bte_world:read(World, class, Identity),
    #{
        file => File,
        line => Line,
        col => 1,
        code => <<"compile.generator">>,
        message => unicode:characters_to_binary([<<"the generated code is wrong: ">>, Text])
    }.

compile_tombstone(Identity, Gen) ->
    {ok, Beam} = bte_generated:compile_forms(fun() -> bte_codegen:tombstone(Identity, Gen) end),
    {Identity, atom_to_list(Identity), Beam}.

%% Rows.

rows(Generated, Removed, World0, Before) ->
    World1 = lists:foldl(fun(G, W) -> class_rows(G, Before, W) end, World0, Generated),
    World2 = lists:foldl(fun(I, W) -> removed_rows(I, Before, W) end, World1, Removed),
    lists:foldl(fun(G, W) -> late_rows(G, Before, W) end, World2, Generated).

class_rows(#{identity := Identity, methods := Methods, orphan_units := Units} = G, Before, W) ->
    World = bte_orphans:write(Identity, Units, Before, W),
    Code = (maps:with(code_keys(), G))#{orphan_units => lists:sort(maps:keys(Units))},
    Next = bte_world:write(World, methods, Identity, Methods),
    bte_world:write(Next, code, Identity, Code).

removed_rows(Identity, Before, World) ->
    bte_world:delete(bte_orphans:remove(Identity, Before, World), code, Identity).

code_keys() ->
    [
        digest, generation, block_ids, outdated_blocks, orphans, late, shape, drains, warnings
    ].

late_rows(#{identity := Identity, late := Late}, Before, World0) ->
    Old =
        case bte_world:read(Before, code, Identity) of
            {ok, #{late := Names}} -> Names;
            error -> []
        end,
    World1 = lists:foldl(fun(N, W) -> waits(N, Identity, W) end, World0, Late -- Old),
    lists:foldl(fun(N, W) -> waits_no_more(N, Identity, W) end, World1, Old -- Late).

waits(Name, Identity, World) ->
    bte_world:write(World, late, Name, lists:usort([Identity | holders(Name, World)])).

waits_no_more(Name, Identity, World) ->
    case lists:delete(Identity, holders(Name, World)) of
        [] -> bte_world:delete(World, late, Name);
        Others -> bte_world:write(World, late, Name, Others)
    end.

holders(Name, World) ->
    case bte_world:read(World, late, Name) of
        {ok, Holders} -> Holders;
        error -> []
    end.

index_changes(Parsed, World) ->
    [index_change(P, World) || #{origin := Origin} = P <- Parsed, Origin =/= orphan].

%% Blocks of former methods, of the classes that are generated again or gone.
orphan_changes(Generated, Removed, {Before, World}) ->
    lists:append([
        bte_orphans:index_changes(Identity, Before, World)
     || Identity <- [I || #{identity := I} <- Generated] ++ Removed
    ]).

index_change(#{file := File, text := deleted}, _) ->
    {delete, File};
index_change(#{file := File}, World) ->
    {ok, Row} = bte_world:read(World, unit, File),
    bte_rebase:index_change(File, Row).
