%% @doc What a flush changes in memory: the base digest of a file that was written, and the name of
%% a file that was renamed. Neither is a change of the image, so the generation stays.
-module(bte_rebase).

-export([files/1, index_change/2]).
-export_type([written/0]).

-type written() :: #{file := binary(), new_file := binary() | nil, digest := binary() | absent}.

%% @doc Takes over what a flush wrote, all files at once: a name may have passed from one to
%% another.
-spec files([written()]) -> ok.
files(Written) ->
    Gen = bte_registry:generation(),
    Units = [
        {File, name(W), based_on(Digest, Unit)}
     || #{file := File, digest := Digest} = W <- Written,
        {ok, Unit} <- [bte_registry:read(unit, File, Gen)]
    ],
    Moved = maps:from_list([{File, New} || {File, New, _} <- Units, File =/= New]),
    Shown = maps:merge(Moved, maps:from_keys(unmarked(Units, Gen), true)),
    Left = maps:keys(Moved) -- [New || {_, New, _} <- Units],
    ok = bte_registry:stage(
        [{unit, File, deleted} || File <- Left] ++ [{unit, New, Unit} || {_, New, Unit} <- Units] ++
            naming([Unit || {File, _, Unit} <- Units, is_map_key(File, Moved)], Moved, Gen),
        Gen
    ),
    index(Left, [{New, U} || {File, New, U} <- Units, is_map_key(File, Shown)], Gen).

%% What was patched live is in the file now, if all of the text is.
based_on(Digest, #{digest := Digest} = Unit) -> Unit#{base_digest => Digest, patched => #{}};
based_on(Digest, Unit) -> Unit#{base_digest => Digest}.

%% The files whose live patches are none any more.
unmarked(Units, Gen) ->
    [
        File
     || {File, _, #{patched := Now}} <- Units, map_size(Now) =:= 0,
        {ok, #{patched := Before}} <- [bte_registry:read(unit, File, Gen)], map_size(Before) > 0
    ].

name(#{file := File, new_file := nil}) -> File;
name(#{new_file := New}) -> New.

index([], [], _) ->
    ok;
index(Left, Put, Gen) ->
    Index = bte_host:index(),
    Changes = [{delete, File} || File <- Left] ++ [index_change(File, U) || {File, U} <- Put],
    ok = btr_nif:index_stage(Index, Gen, Changes),
    _ = btr_nif:index_publish(Index, Gen),
    ok.

%% @doc Answers how a unit's row stands in the index.
-spec index_change(binary(), map()) -> tuple().
index_change(File, #{unit := Tree, package := Package, origin := Origin} = Row) ->
    Patched = bte_patches:methods(Row),
    {put, File, Tree, #{package => Package, origin => Origin, patched => Patched}}.

%% Rows of classes and extensions that name a file which was moved.
naming(Units, Moved, Gen) ->
    Outlined = [{Package, bte_packed:outline(Unit)} || #{package := Package} = Unit <- Units],
    Own = lists:usort([I || Each <- Outlined, I <- identities(Each, classes, name)]),
    Extended = lists:usort([I || Each <- Outlined, I <- identities(Each, extensions, target)]),
    Targets = lists:usort([
        Target || {_, #{extensions := Es}} <- Outlined, #{target := Target} <- Es
    ]),
    [
        {class, I, renamed(Head, Moved)}
     || I <- Own, {ok, Head} <- [bte_registry:class(I, Gen)]
    ] ++
        [
            {methods, I, bte_packed:pack(methods(bte_registry:methods(I), Moved))}
         || I <- lists:umerge(Own, Extended)
        ] ++
        [
            {ext, Target, [renamed(E, Moved) || E <- Es]}
         || Target <- Targets, {ok, Es} <- [bte_registry:read(ext, Target, Gen)]
        ].

identities({Package, Outline}, Kind, Key) ->
    [
        I
     || #{Key := Name} <- maps:get(Kind, Outline),
        {ok, I} <- [bte_registry:lookup(Name, Package)]
    ].

methods(Methods, Moved) ->
    maps:map(fun(_, Own) -> maps:map(fun(_, M) -> renamed(M, Moved) end, Own) end, Methods).

renamed(#{file := File} = Row, Moved) -> Row#{file := maps:get(File, Moved, File)};
renamed(Row, _) -> Row.
