%% @doc A project's files, parsed and indexed, for commands that run without a workspace.
%%
%% Everything that can be read is there; every problem is answered beside it, as `{error, Problem}'
%% or `{warning, Problem}', sorted by place. The standard library is indexed too (its classes are
%% the ancestors of all others) under `stdlib/…'. Tested by `btr_cli_SUITE'.
-module(btr_fileset).

-export([open/3, root/1, index/1, texts/1, totals/1, package_of/2, is_library/1]).
-export_type([fileset/0, found/0]).

-record(fileset, {
    root :: binary(),
    index :: btr_nif:index() | none,
    texts = #{} :: #{binary() => binary()},
    %% Whose the files are that are not the project's own.
    foreign = #{} :: #{binary() => Package :: binary()},
    totals = #{} :: map()
}).

-opaque fileset() :: #fileset{}.
-type found() :: {error | warning, btr_project:problem()}.

-define(LIBRARY, <<"stdlib/">>).

%% One parsed file.
-record(file, {
    name :: binary(),
    text :: binary(),
    package :: binary(),
    origin :: project | dependency | stdlib,
    unit = none :: btr_nif:unit() | none,
    outline = #{} :: map()
}).

%% @doc Opens the project in a folder; `Library' is the folder of the standard library.
-spec open(binary(), required | optional, binary() | none) -> {fileset(), [found()]}.
open(Dir, Manifest, Library) ->
    case btr_project:scan(Dir, #{manifest => Manifest}) of
        {error, Problems} ->
            {empty(Dir), [{error, Problem} || Problem <- Problems]};
        {ok, Project, Problems} ->
            opened(Project, Problems, Library)
    end.

empty(Dir) -> #fileset{root = Dir, index = btr_nif:index_new(), totals = stats([])}.

opened(#{root := Root} = Project, ReadProblems, Library) ->
    Own = parse(files(Project)),
    Other = parse(library(Library, Root)),
    SyntaxProblems = lists:append([syntax_problems(File) || File <- Own]),
    Known = ReadProblems ++ SyntaxProblems,
    Judged = judge(Project, Own, Other, Known =:= []),
    Fileset = #fileset{
        root = Root,
        index = indexed(Own ++ Other),
        texts = maps:from_list([{Name, Text} || #file{name = Name, text = Text} <- Own ++ Other]),
        foreign = maps:from_list([
            {Name, Package}
         || #file{name = Name, package = Package, origin = Origin} <- Own ++ Other,
            Origin =/= project
        ]),
        totals = stats([File || #file{origin = project} = File <- Own])
    },
    Found = [{error, Problem} || Problem <- Known ++ Judged] ++ warnings(Project, Known),
    {Fileset, lists:sort(fun is_before/2, Found)}.

is_before({_, {btr, _, A}}, {_, {btr, _, B}}) -> place(A) =< place(B).

place(#{file := File, line := Line, col := Col}) -> {File, Line, Col}.

warnings(#{manifest := none, package := Package}, Known) ->
    case [x || {btr, _, #{file := <<"beamtalk.toml">>}} <- Known] of
        [] ->
            Message = <<"no beamtalk.toml: the package is taken to be '", Package/binary, "'">>,
            Details = #{
                file => <<"beamtalk.toml">>, line => 1, col => 1, message => Message, hint => nil
            },
            [{warning, {btr, <<"project.no_manifest">>, Details}}];
        _ ->
            []
    end;
warnings(_, _) ->
    [].

%% Files.

files(#{package := Package, dependencies := Dependencies} = Project) ->
    lists:append([
        named(btr_project:sources(Dependency), Name, dependency)
     || #{package := Name} = Dependency <- Dependencies
    ]) ++ named(btr_project:sources(Project), Package, project).

named(Sources, Package, Origin) ->
    [
        #file{name = Name, text = Text, package = Package, origin = Origin}
     || #{file := Name, text := Text} <- Sources
    ].

%% Nothing when the library itself is what is asked about.
library(none, _) -> [];
library(Dir, Root) ->
    case {btr_files:real_path(Dir), btr_files:real_path(Root)} of
        {{ok, Same}, {ok, Same}} ->
            [];
        {{ok, _}, _} ->
            {Found, _} = btr_files:find(Dir, <<".bt">>, #{skip => [], border => none}),
            [
                #file{
                    name = <<?LIBRARY/binary, Name/binary>>,
                    text = Text,
                    package = <<"stdlib">>,
                    origin = stdlib
                }
             || {Name, Path} <- Found, {ok, Text} <- [file:read_file(Path)]
            ];
        _ ->
            []
    end.

parse(Files) ->
    Texts = [{Name, Text} || #file{name = Name, text = Text} <- Files],
    [
        File#file{unit = Unit, outline = btr_nif:outline(Unit)}
     || {File, {_, {ok, Unit}}} <- lists:zip(Files, btr_nif:parse_many(Texts))
    ].

%% Problems.

syntax_problems(#file{name = Name, unit = Unit}) ->
    [
        {btr, Code, #{file => Name, line => Line, col => Col, message => Message, hint => nil}}
     || #{line := Line, col := Col, code := Code, message := Message} <- btr_nif:unit_errors(Unit)
    ].

%% A file that could not be read (as a whole) may declare what another one misses.
judge(#{package := Package}, Own, Other, IsComplete) ->
    Library = names(Other),
    Packages = lists:uniq([Name || #file{package = Name} <- Own] ++ [Package]),
    {Problems, _} = lists:foldl(
        fun(Name, {Acc, Known}) ->
            Files = [File || #file{package = P} = File <- Own, P =:= Name],
            Found = validate(Files, Library, Known),
            {Acc ++ Found, names(Files) ++ Known}
        end,
        {[], []},
        Packages
    ),
    [
        Problem
     || {btr, Code, _} = Problem <- Problems, IsComplete orelse Code =/= <<"class.no_superclass">>
    ].

validate(Files, Library, Known) ->
    Units = [{Name, Outline} || #file{name = Name, outline = Outline} <- Files],
    case btr_project:validate(Units, #{library => Library, known => Known}) of
        ok -> [];
        {error, Problems} -> Problems
    end.

names(Files) ->
    lists:append([
        [Name || Key <- [classes, protocols, aliases], #{name := Name} <- maps:get(Key, Outline)]
     || #file{outline = Outline} <- Files
    ]).

%% Index.

indexed(Files) ->
    Index = btr_nif:index_new(),
    Changes = [
        {put, Name, Unit, #{package => Package, origin => Origin}}
     || #file{name = Name, unit = Unit, package = Package, origin = Origin} <- Files
    ],
    ok = btr_nif:index_stage(Index, 0, Changes),
    ok = btr_nif:index_publish(Index, 0),
    Index.

stats(Files) -> btr_nif:stats(indexed(Files)).

%% @doc Answers the project's folder, absolute.
-spec root(fileset()) -> binary().
root(#fileset{root = Root}) -> Root.

%% @doc Answers the index of all files.
-spec index(fileset()) -> btr_nif:index().
index(#fileset{index = Index}) -> Index.

%% @doc Answers the texts by file.
-spec texts(fileset()) -> #{binary() => binary()}.
texts(#fileset{texts = Texts}) -> Texts.

%% @doc Answers how much the project's own files hold.
-spec totals(fileset()) -> map().
totals(#fileset{totals = Totals}) -> Totals.

%% @doc Answers the package that a file is of, or `own'.
-spec package_of(binary(), fileset()) -> binary() | own.
package_of(File, #fileset{foreign = Foreign}) -> maps:get(File, Foreign, own).

%% @doc Tells whether a file is one of the standard library.
-spec is_library(binary()) -> boolean().
is_library(<<"stdlib/", _/binary>>) -> true;
is_library(_) -> false.
