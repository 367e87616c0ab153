%% @doc Loads texts into the workspace: the standard library, a project with its dependencies, a
%% single file. What is loaded before the first change is compiled at generation 0; later loads are
%% changes like any other and go through the coordinator.
-module(bte_loader).

-export([load_library/0, load_project/2, load/1]).

%% Heap of a first load, in words.
-define(WORDS_A_UNIT, 16000).

-type loaded() :: #{classes := [bte_registry:identity()], _ => _}.
-type brought_up() :: #{root := binary(), package := binary(), units := [map()]}.

%% @doc Loads the standard library.
-spec load_library() -> ok | {error, btr_error:error()}.
load_library() ->
    Dir = filename:join(code:priv_dir(bt_embedded), "stdlib"),
    Names = lists:sort(filelib:wildcard("*.bt", Dir)),
    at_start([library_unit(Dir, Name) || Name <- Names]).

library_unit(Dir, Name) ->
    {ok, Text} = file:read_file(filename:join(Dir, Name)),
    unit(unicode:characters_to_binary(["stdlib/", Name]), Text, {<<"stdlib">>, stdlib}).

unit(File, Text, {Package, Origin}) ->
    Digest = btr_project:digest(Text),
    Old =
        case bte_host:unit(File) of
            {ok, #{digest := D}} -> D;
            error -> absent
        end,
    #{
        file => File,
        text => Text,
        package => Package,
        origin => Origin,
        names_only => false,
        old_digest => Old,
        base_digest => Digest
    }.

%% @doc Loads a project and its dependencies, as read from its folder. Nothing of it is loaded when
%% anything is wrong. In a workspace that has the project already, what has changed on disk since is
%% loaded, and what is gone there leaves memory, as one change. A text with changes that are not
%% flushed is kept while the disk is as it was.
-spec load_project(file:filename_all(), btr_project:read()) ->
    {ok, brought_up()} | {error, btr_error:error()}.
load_project(Dir, Read) -> load_project(Dir, Read, <<>>).

%% The files of a project whose names begin with a prefix.
load_project(Dir, Read, Prefix) ->
    case {other_project(Dir), Read} of
        {ok, {ok, #{root := Root, package := Package} = Project}} ->
            application:set_env(bt_embedded, package, Package),
            application:set_env(bt_embedded, root, Root),
            Units = [U || #{file := F} = U <- project_units(Project), is_below(F, Prefix)],
            case bring_up(Units, Package, Prefix) of
                ok -> {ok, #{root => Root, package => Package, units => Units}};
                {error, _} = Error -> Error
            end;
        {ok, {error, Problems}} ->
            {error, problems(Problems)};
        {{error, _} = Error, _} ->
            Error
    end.

is_below(File, Prefix) -> string:prefix(File, Prefix) =/= nomatch.

%% A workspace that was started with a project keeps to it: changes are written below its root.
%% One without may load several, as scripts do; then the last one loaded is the one that relative
%% names mean.
other_project(Dir) ->
    Root = absolute(Dir),
    case {application:get_env(bt_embedded, own_root), is_running()} of
        {{ok, Own}, true} when Own =/= Root ->
            Message = ["the project in ", Own, " is loaded; ", Root, " is another one"],
            {error, btr_error:new(<<"request.invalid">>, Message, #{
                hint => <<"Start another workspace for it, or name it as a dependency.">>
            })};
        {_, false} ->
            application:set_env(bt_embedded, own_root, Root);
        _ ->
            ok
    end.

is_running() -> whereis(btr_coordinator) =/= undefined.

absolute(Dir) -> btr_files:plain_path(btr_files:raw_name(filename:absname(Dir))).

bring_up(Units, Package, Prefix) ->
    Gone = gone(Units, Package, Prefix),
    Disk = [{F, D} || #{file := F, base_digest := D} <- Units] ++
        [{F, absent} || #{file := F} <- Gone],
    case [F || {F, Digest} <- Disk, is_conflict(bte_host:unit(F), Digest)] of
        [] ->
            load_units([U || U <- Units, is_new_text(U)] ++ Gone);
        Files ->
            {error, conflict(Files)}
    end.

is_new_text(#{file := File, base_digest := Digest}) ->
    case bte_host:unit(File) of
        {ok, #{base_digest := Digest}} -> false;
        _ -> true
    end.

%% The text has changed in memory, and the file on disk, or it is gone, each in its own way.
is_conflict({ok, #{digest := Memory, base_digest := Base}}, Disk) ->
    Base =/= absent andalso Memory =/= Base andalso Disk =/= Base andalso Disk =/= Memory;
is_conflict(error, _) ->
    false.

conflict(Files) ->
    Message = [
        "changed or gone on disk, and changed in memory without a flush: ",
        lists:join(", ", lists:sort(Files))
    ],
    btr_error:new(<<"disk.changed">>, Message, #{
        hint => <<"Load the file by itself to drop what is in memory, or revert that first.">>
    }).

%% What was read from a file that is not there any more.
gone(Units, Package, Prefix) ->
    Here = maps:from_list([{F, true} || #{file := F} <- Units]),
    [
        (maps:with([package, origin], U))#{
            file => F, text => deleted, names_only => false, old_digest => Digest
        }
     || F <- bte_registry:keys(unit),
        not is_map_key(F, Here),
        is_below(F, Prefix),
        {ok, #{digest := Digest} = U} <- [bte_host:unit(F)],
        is_of_project(F, U, Package)
    ].

is_of_project(_, #{base_digest := absent}, _) -> false;
is_of_project(_, #{origin := dependency}, _) -> true;
is_of_project(F, #{origin := project, package := P}, P) -> filename:pathtype(F) =:= relative;
is_of_project(_, _, _) -> false.

project_units(#{package := Package, dependencies := Dependencies} = Project) ->
    lists:append([dependency_units(D) || D <- Dependencies]) ++
        [unit(F, T, {Package, project}) || #{file := F, text := T} <- btr_project:sources(Project)].

%% A dependency's own tests are not loaded.
dependency_units(#{package := Package, path := Path} = Dependency) ->
    Tests = <<Path/binary, "/test/">>,
    [
        unit(F, T, {Package, dependency})
     || #{file := F, text := T} <- btr_project:sources(Dependency),
        string:prefix(F, Tests) =:= nomatch
    ].

problems(Problems) ->
    Errors = [Details#{code => Code} || {btr, Code, Details} <- Problems],
    Message =
        case Errors of
            [#{message := Only}] -> Only;
            _ -> io_lib:format("the project has ~b errors", [length(Errors)])
        end,
    btr_error:new(<<"compile.failed">>, Message, #{errors => Errors}).

%% @doc Loads a folder or a file into the running workspace.
-spec load(file:filename_all()) -> {ok, loaded()} | {error, btr_error:error()}.
load(Path) ->
    with_classes(load_place(place(Path))).

load_place(Place) ->
    case {filelib:is_dir(Place), inside(Place)} of
        {true, {ok, Root, Relative}} ->
            load_project(Root, btr_project:read(Root), <<Relative/binary, "/">>);
        {true, none} ->
            case other_project(Place) of
                ok -> load_project(Place, btr_project:read(Place));
                {error, _} = Refused -> Refused
            end;
        {false, _} ->
            load_file(Place)
    end.

%% A folder or file strictly inside the loaded project: its root, and the name from there.
inside(Path) ->
    case application:get_env(bt_embedded, root) of
        {ok, Root} ->
            case string:prefix(absolute(Path), <<Root/binary, "/">>) of
                nomatch -> none;
                Relative -> {ok, Root, Relative}
            end;
        undefined ->
            none
    end.

%% A relative path is meant from the project's root, or from where the program was started.
place(Path) ->
    Name = btr_files:raw_name(Path),
    case application:get_env(bt_embedded, root) of
        {ok, Root} ->
            Inside = filename:absname(Name, Root),
            case filelib:is_file(Inside) of
                true -> Inside;
                false -> Name
            end;
        undefined ->
            Name
    end.

load_file(Path) ->
    File = unit_name(Path),
    case file:read_file(Path) of
        {ok, Text} ->
            Origin =
                case bte_host:unit(File) of
                    {ok, #{package := P, origin := O}} -> {P, O};
                    error -> {package(), project}
                end,
            Units = [unit(File, Text, Origin)],
            case load_units(Units) of
                ok -> {ok, #{units => Units}};
                {error, _} = Error -> Error
            end;
        {error, Reason} ->
            Message = io_lib:format("cannot read ~ts: ~ts", [Path, file:format_error(Reason)]),
            {error, btr_error:new(<<"disk.failed">>, Message)}
    end.

package() ->
    application:get_env(bt_embedded, package, <<"workspace">>).

%% A file of the project is named from the project's root, any other as it was given.
unit_name(Path) ->
    case inside(Path) of
        {ok, _, Relative} -> Relative;
        none -> outside(btr_files:raw_name(Path))
    end.

outside(Name) ->
    case application:get_env(bt_embedded, root) of
        {ok, _} -> absolute(Name);
        undefined -> Name
    end.

with_classes({ok, #{units := Units} = Loaded}) ->
    {ok, (maps:remove(units, Loaded))#{classes => defined(Units)}};
with_classes({error, _} = Error) ->
    Error.

load_units(Units) ->
    case is_running() of
        _ when Units =:= [] -> ok;
        false -> at_start(Units);
        true -> change(Units)
    end.

%% By a transaction that leaves no entry.
change(Units) ->
    Change = #{operation => load, units => Units, names => []},
    case bt_refactor:change(Change, #{log => false}) of
        {ok, _} -> ok;
        {error, _} = Error -> Error
    end.

%% At generation 0, with nobody there to see it.
at_start(Units) ->
    bte_apart:run(fun() -> load_first(Units) end, length(Units) * ?WORDS_A_UNIT).

load_first(Units) ->
    Change = #{operation => load, units => Units, names => []},
    Gen = bte_registry:generation(),
    Compile = fun() -> bte_host:compile(Change, Gen, fun(_) -> ok end) end,
    case bte_cache:bundled(load_name(Units), Compile) of
        {ok, Prepared} -> switch(Prepared, Gen);
        {error, _} = Error -> Error
    end.

%% What one project's load has in common with its next, whatever has been edited meanwhile.
load_name(Units) ->
    Packages = lists:usort([Package || #{package := Package} <- Units]),
    {application:get_env(bt_embedded, root), Packages}.

switch(Prepared, Gen) ->
    case bte_host:stage(Prepared, Gen) of
        {ok, Staged} ->
            case bte_host:switch(Staged) of
                ok ->
                    ok = bte_host:publish(Staged),
                    Modules = bte_host:modules(Prepared),
                    _ = spawn(fun() -> bte_host:purge(Modules) end),
                    ok;
                {error, {btr, _, _}} = Error ->
                    Error;
                {error, {not_purged, Held}} ->
                    lists:foreach(fun code:purge/1, Held),
                    switch(Prepared, Gen)
            end;
        {error, _} = Error ->
            Error
    end.

defined(Units) ->
    lists:usort([
        Identity
     || #{file := File, package := Package} <- Units,
        {ok, Row} <- [bte_registry:read(unit, File)],
        #{name := Name} <- maps:get(classes, bte_packed:outline(Row)),
        {ok, Identity} <- [bte_registry:lookup(Name, Package)]
    ]).
