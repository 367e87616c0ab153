%% @doc What a flush changes in memory: the base digest of a file that was written, and the name of
%% a file that was renamed. Neither is a change of the image, so the generation stays.
-module(bte_rebase).

-export([file/1]).

%% @doc Takes over one file.
-spec file(#{file := binary(), new_file := binary() | nil, digest := binary(), _ => _}) -> ok.
file(#{file := File, new_file := New, digest := Digest}) when New =:= nil; New =:= File ->
    Gen = bte_registry:generation(),
    case bte_registry:read(unit, File, Gen) of
        {ok, Unit} -> bte_registry:stage([{unit, File, Unit#{base_digest => Digest}}], Gen);
        error -> ok
    end;
file(#{file := File, new_file := New, digest := Digest}) ->
    Gen = bte_registry:generation(),
    case bte_registry:read(unit, File, Gen) of
        {ok, Unit} ->
            Rows = [{unit, File, deleted}, {unit, New, Unit#{base_digest => Digest}}],
            ok = bte_registry:stage(Rows ++ moved(File, New, Unit, Gen), Gen),
            index(File, New, Unit, Gen);
        error ->
            ok
    end.

index(File, New, #{unit := Tree, package := Package, origin := Origin}, Gen) ->
    Index = bte_host:index(),
    Changes = [{delete, File}, {put, New, Tree, #{package => Package, origin => Origin}}],
    ok = btr_nif:index_stage(Index, Gen, Changes),
    _ = btr_nif:index_publish(Index, Gen),
    ok.

%% Rows that name the file.
moved(File, New, #{outline := #{classes := Classes, extensions := Extensions}} = Unit, Gen) ->
    #{package := Package} = Unit,
    Targets = lists:usort([Target || #{target := Target} <- Extensions]),
    Own = [I || #{name := Name} <- Classes, {ok, I} <- [bte_registry:lookup(Name, Package)]],
    Extended = [I || Target <- Targets, {ok, I} <- [bte_registry:lookup(Target, Package)]],
    Both = lists:usort(Own ++ Extended),
    [{class, I, Head#{file := New}} || I <- Own, {ok, Head} <- [bte_registry:class(I, Gen)]] ++
        [{methods, I, methods(bte_registry:methods(I), File, New)} || I <- Both] ++
        [{ext, T, [renamed(E, File, New) || E <- Es]} || T <- Targets,
            {ok, Es} <- [bte_registry:read(ext, T, Gen)]].

methods(Methods, File, New) ->
    maps:map(fun(_, Own) -> maps:map(fun(_, M) -> renamed(M, File, New) end, Own) end, Methods).

renamed(#{file := File} = Row, File, New) -> Row#{file := New};
renamed(Row, _, _) -> Row.
