%% @doc Reads a project from disk, and judges its declarations as a whole.
%%
%% `read/1' finds the `.bt' files below a folder, their texts and digests, the manifest
%% `beamtalk.toml' and the path dependencies. Every problem is collected, each with its place;
%% a project with a problem is not answered, so nothing can be loaded by half. `validate/2' finds
%% what no single file can show: names declared twice, missing superclasses, cycles, methods that
%% two extensions add. Nothing is ever written here, and no atom is made from what is read.
%% Tested by `btr_project_SUITE'.
-module(btr_project).

-export([read/1, read/2, scan/2, validate/2, sources/1, place/2, digest/1]).
-export([manifest_file/0]).
-export_type([project/0, source/0, dependency/0, problem/0, read/0]).

-type source() :: #{file := binary(), text := binary(), digest := binary()}.
-type dependency() :: #{
    name := binary(), path := binary(), root := binary(), package := binary(), files := [source()],
    manifest := source()
}.
-type project() :: #{
    root := binary(),
    package := binary(),
    version := binary() | nil,
    manifest := source() | none,
    files := [source()],
    dependencies := [dependency()]
}.
-type options() :: #{manifest => required | optional}.
%% Details hold at least `file', `line', `col' (1-based, code points) and `message'.
-type problem() :: {btr, Code :: binary(), Details :: map()}.
-type read() :: {ok, project()} | {error, [problem(), ...]}.

-define(MANIFEST, <<"beamtalk.toml">>).
-define(MAX_DEPENDENCIES, 1000).

%% @doc Reads the project in a folder; it must hold a `beamtalk.toml' and at least one `.bt' file.
-spec read(file:filename_all()) -> read().
read(Dir) -> read(Dir, #{}).

%% @doc Reads like `read/1'; with `manifest => optional' a folder without `beamtalk.toml' is a
%% package named after the folder.
-spec read(file:filename_all(), options()) -> read().
read(Dir, Options) ->
    case scan(Dir, Options) of
        {ok, Project, []} -> {ok, Project};
        {ok, _, Problems} -> {error, Problems};
        {error, Problems} -> {error, Problems}
    end.

%% @doc Reads what can be read, and answers it with all problems: for a report, not for loading.
-spec scan(file:filename_all(), options()) ->
    {ok, project(), [problem()]} | {error, [problem(), ...]}.
scan(Dir, Options) ->
    Root = btr_files:plain_path(btr_files:raw_name(filename:absname(Dir))),
    case filelib:is_dir(Root) of
        true ->
            scan_root(Root, maps:get(manifest, Options, required));
        false ->
            Message = <<"no such folder: ", Root/binary>>,
            {error, [problem(<<"project.no_folder">>, Root, {1, 1}, Message, nil)]}
    end.

scan_root(Root, Need) ->
    {Manifest, ManifestProblems} = manifest(Root, Need),
    {Dependencies, DependencyProblems} = dependencies(Root, Manifest),
    Skip = [DependencyRoot || #{root := DependencyRoot} <- Dependencies],
    {Files, FileProblems} = sources(Root, #{skip => Skip, border => border(Manifest)}),
    Project = (maps:remove(wanted, Manifest))#{
        root => Root, files => Files, dependencies => Dependencies
    },
    {ok, Project, ManifestProblems ++ DependencyProblems ++ FileProblems}.

%% Files.

%% A folder with a manifest of its own is another package, unless nothing says that this is one.
border(#{manifest := none}) -> none;
border(_) -> ?MANIFEST.

sources(Root, Borders) ->
    {Found, Unreadable} = btr_files:find(Root, <<".bt">>, Borders),
    Read = [source(File, Path) || {File, Path} <- Found],
    Problems = [unreadable(File, Reason) || {File, Reason} <- Unreadable],
    case {Found, Problems} of
        {[], []} ->
            Message = <<"there is no .bt file in ", Root/binary>>,
            {[], [problem(<<"project.empty">>, <<".">>, {1, 1}, Message, nil)]};
        _ ->
            Wrong = Problems ++ [Problem || {error, Problem} <- Read],
            {[Source || {ok, Source} <- Read], lists:sort(fun is_before/2, Wrong)}
    end.

is_before({btr, _, #{file := A}}, {btr, _, #{file := B}}) -> A =< B.

source(File, Path) ->
    case file:read_file(Path) of
        {ok, Text} ->
            case invalid_offset(Text) of
                none -> {ok, #{file => File, text => Text, digest => digest(Text)}};
                Offset -> {error, not_utf8(File, Text, Offset)}
            end;
        {error, Reason} ->
            {error, unreadable(File, Reason)}
    end.

invalid_offset(Text) ->
    case unicode:characters_to_binary(Text) of
        Valid when is_binary(Valid) -> none;
        {_, Valid, _} -> byte_size(Valid)
    end.

not_utf8(File, Text, Offset) ->
    Message = iolist_to_binary(
        io_lib:format("not UTF-8: byte 16#~2.16.0B at offset ~b", [binary:at(Text, Offset), Offset])
    ),
    problem(<<"text.not_utf8">>, File, place(Text, Offset), Message, nil).

unreadable(File, not_utf8_name) ->
    Message = <<"the file's name is not UTF-8">>,
    problem(<<"file.unreadable">>, File, {1, 1}, Message, <<"rename the file">>);
unreadable(File, not_regular) ->
    problem(<<"file.unreadable">>, File, {1, 1}, <<"this is not a regular file">>, nil);
unreadable(File, Reason) ->
    Message = iolist_to_binary(["cannot be read: ", file:format_error(Reason)]),
    problem(<<"file.unreadable">>, File, {1, 1}, Message, nil).

%% @doc Answers the files of a project or a dependency, its manifest among them.
-spec sources(project() | dependency()) -> [source()].
sources(#{manifest := none, files := Files}) -> Files;
sources(#{manifest := Manifest, files := Files}) -> [Manifest | Files].

%% @doc Answers what the manifest's file is called.
-spec manifest_file() -> binary().
manifest_file() -> ?MANIFEST.

%% @doc The digest of a text, as the whole engine writes it: SHA-256 in lower-case hex.
-spec digest(binary()) -> binary().
digest(Text) -> btr_nif:digest(Text).

%% @doc Line and column of a byte offset (1-based; columns count code points). The text must be
%% valid UTF-8 up to the offset.
-spec place(binary(), non_neg_integer()) -> {pos_integer(), pos_integer()}.
place(Text, Offset) ->
    Before = binary:part(Text, 0, min(Offset, byte_size(Text))),
    case binary:matches(Before, <<"\n">>) of
        [] -> {1, 1 + code_points(Before)};
        Breaks -> {1 + length(Breaks), 1 + code_points(after_last(Before, lists:last(Breaks)))}
    end.

after_last(Text, {At, 1}) -> binary:part(Text, At + 1, byte_size(Text) - At - 1).

%% Every byte but a continuation byte begins a code point.
code_points(Text) -> length([C || <<C>> <= Text, C band 2#11000000 =/= 2#10000000]).

%% Manifest.

manifest(Root, Need) ->
    case file:read_file(filename:join(Root, ?MANIFEST)) of
        {ok, Text} ->
            manifest_of(Root, Text);
        {error, enoent} when Need =:= optional ->
            {no_manifest(Root), []};
        {error, enoent} ->
            Message = <<"no beamtalk.toml in ", Root/binary>>,
            Hint = <<"a project's folder holds a beamtalk.toml with [package] name = \"…\""/utf8>>,
            Problem = problem(<<"project.no_manifest">>, ?MANIFEST, {1, 1}, Message, Hint),
            {no_manifest(Root), [Problem]};
        {error, Reason} ->
            {no_manifest(Root), [unreadable(?MANIFEST, Reason)]}
    end.

no_manifest(Root) ->
    Name = package_name(filename:basename(Root)),
    #{package => Name, version => nil, manifest => none, wanted => []}.

package_name(Name) ->
    Lower = string:lowercase(Name),
    Clean = << <<(package_byte(C))>> || <<C>> <= Lower >>,
    case is_package(Clean) of
        true -> Clean;
        false -> <<"project">>
    end.

package_byte(C) when C >= $a, C =< $z; C >= $0, C =< $9 -> C;
package_byte(_) -> $_.

is_package(Name) ->
    byte_size(Name) =< 64 andalso
        re:run(Name, "^[a-z][a-z0-9_]*$", [{capture, none}, dollar_endonly]) =:= match.

manifest_of(Root, Text) ->
    case invalid_offset(Text) of
        none ->
            case btr_toml:parse(Text) of
                {ok, Items} ->
                    manifest_items(Items, Text, no_manifest(Root));
                {error, {Place, Message}} ->
                    Problem = problem(<<"manifest.syntax">>, ?MANIFEST, Place, Message, nil),
                    {no_manifest(Root), [Problem]}
            end;
        Offset ->
            {no_manifest(Root), [not_utf8(?MANIFEST, Text, Offset)]}
    end.

manifest_items(Items, Text, Empty) ->
    Read = fun(Item, {Manifest, Problems}) ->
        case manifest_item(Item, Manifest) of
            {ok, More} -> {More, Problems};
            {error, Problem} -> {Manifest, [Problem | Problems]}
        end
    end,
    {Manifest, Problems} = lists:foldl(Read, {Empty#{package := nil}, []}, Items),
    {Named, Missing} = named(Manifest, Empty, Problems),
    Source = #{file => ?MANIFEST, text => Text, digest => digest(Text)},
    {Named#{manifest := Source}, Missing ++ lists:reverse(Problems)}.

%% A name that is there but wrong has its own problem already.
named(#{package := nil} = Manifest, #{package := Name}, []) ->
    Message = <<"[package] name is missing">>,
    Hint = <<"write [package] and below it name = \"", Name/binary, "\"">>,
    {Manifest, [problem(<<"manifest.value">>, ?MANIFEST, {1, 1}, Message, Hint)]};
named(Manifest, _, _) ->
    {Manifest, []}.

manifest_item(#{path := [<<"package">>, <<"name">>], value := Name} = Item, Manifest) ->
    case is_binary(Name) andalso is_package(Name) of
        true -> {ok, Manifest#{package := Name}};
        false -> wrong(Item, <<"a package's name is lower-case letters, digits and _">>)
    end;
manifest_item(#{path := [<<"package">>, <<"version">>], value := Version} = Item, Manifest) ->
    case is_binary(Version) of
        true -> {ok, Manifest#{version := Version}};
        false -> wrong(Item, <<"this must be a string">>)
    end;
manifest_item(#{path := [<<"dependencies">>, Name | Rest], value := Value, at := At} = Item, Old) ->
    case dependency_path(Rest, Value) of
        {ok, Path} -> {ok, Old#{wanted := maps:get(wanted, Old) ++ [{Name, Path, At}]}};
        skip -> {ok, Old};
        error -> wrong(Item, <<"only dependencies with a path are supported: { path = \"../x\" }">>)
    end;
manifest_item(_, Manifest) ->
    {ok, Manifest}.

dependency_path([], {table, Keys}) ->
    case lists:keyfind([<<"path">>], 1, Keys) of
        {_, Path} when is_binary(Path), Path =/= <<>> -> {ok, Path};
        _ -> error
    end;
dependency_path([<<"path">>], Path) when is_binary(Path), Path =/= <<>> -> {ok, Path};
dependency_path([<<"version">>], _) -> skip;
dependency_path(_, _) -> error.

wrong(#{path := Path, at := At}, Message) ->
    Key = iolist_to_binary(lists:join($., Path)),
    Text = <<Key/binary, ": ", Message/binary>>,
    {error, problem(<<"manifest.value">>, ?MANIFEST, At, Text, nil)}.

%% Dependencies: those of dependencies first, each folder once.

dependencies(Root, #{wanted := Wanted}) ->
    Work = [{?MANIFEST, Root, <<".">>, [Root], Want} || Want <- Wanted],
    {Found, Problems} = follow(Work, [], []),
    {lists:reverse(Found), lists:reverse(Problems)}.

follow([], Found, Problems) ->
    {Found, Problems};
follow([{done, Dependency} | Work], Found, Problems) ->
    follow(Work, [Dependency | Found], Problems);
follow(_, Found, Problems) when length(Found) > ?MAX_DEPENDENCIES ->
    Message = <<"too many dependencies">>,
    {Found, [problem(<<"dependency.wrong">>, ?MANIFEST, {1, 1}, Message, nil) | Problems]};
follow([{From, Base, Prefix, Above, {Name, Path, At}} | Work], Found, Problems) ->
    Root = btr_files:plain_path(filename:join(Base, Path)),
    Shown = btr_files:plain_path(filename:join(Prefix, Path)),
    IsRead = lists:any(fun(#{root := Other}) -> Other =:= Root end, Found),
    case lists:member(Root, Above) of
        true ->
            Message = <<"the dependency '", Name/binary, "' leads back to ", Root/binary>>,
            Problem = problem(<<"dependency.wrong">>, From, At, Message, nil),
            follow(Work, Found, [Problem | Problems]);
        false when IsRead ->
            follow(Work, Found, Problems);
        false ->
            case read_dependency(Name, Root, Shown) of
                {ok, Dependency, Wanted} ->
                    Manifest = filename:join(Shown, ?MANIFEST),
                    Below = [{Manifest, Root, Shown, [Root | Above], Want} || Want <- Wanted],
                    follow(Below ++ [{done, Dependency} | Work], Found, Problems);
                {error, Message} ->
                    Wrong = problem(<<"dependency.wrong">>, From, At, Message, nil),
                    follow(Work, Found, [Wrong | Problems]);
                {errors, More} ->
                    follow(Work, Found, lists:reverse(More) ++ Problems)
            end
    end.

read_dependency(Name, Root, Shown) ->
    case filelib:is_regular(filename:join(Root, ?MANIFEST)) of
        true ->
            {Manifest, ManifestProblems} = manifest(Root, required),
            {Files, FileProblems} = sources(Root, #{
                skip => [filename:join(Root, <<"test">>)], border => ?MANIFEST
            }),
            dependency(Name, Root, Shown, Manifest, Files, ManifestProblems ++ FileProblems);
        false ->
            {error, <<"the dependency '", Name/binary, "' has no beamtalk.toml in ", Root/binary>>}
    end.

dependency(Name, Root, Shown, #{package := Name, wanted := Wanted} = Manifest, Files, []) ->
    Below = fun(#{file := File} = Source) -> Source#{file := filename:join(Shown, File)} end,
    Found = #{
        name => Name, path => Shown, root => Root, package => Name,
        files => lists:map(Below, Files), manifest => Below(maps:get(manifest, Manifest))
    },
    {ok, Found, Wanted};
dependency(Name, _, _, #{package := Package}, _, []) ->
    {error, <<"the package in '", Name/binary, "' is called '", Package/binary, "'">>};
dependency(_, _, Shown, _, _, Problems) ->
    {errors, [
        {btr, Code, Details#{file := filename:join(Shown, File)}}
     || {btr, Code, #{file := File} = Details} <- Problems
    ]}.

%% Declarations as a whole.

%% @doc Judges the declarations of one package: no name (class, protocol or alias) twice, none of
%% the library's, every superclass there, no cycle, no method added twice by extensions.
%% `Known' are the names that classes of the package may inherit from without declaring them.
-spec validate([{File :: binary(), Outline :: map()}], Names) ->
    ok | {error, [problem(), ...]}
when
    Names :: #{library := [binary()], known => [binary()]}.
validate(Units, Names) -> btr_declarations:validate(Units, Names).

-spec problem(binary(), binary(), {pos_integer(), pos_integer()}, binary(), binary() | nil) ->
    problem().
problem(Code, File, {Line, Col}, Message, Hint) ->
    {btr, Code, #{file => File, line => Line, col => Col, message => Message, hint => Hint}}.
