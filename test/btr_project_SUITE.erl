%% @doc Reading a project from disk, its manifest, and judging its declarations as a whole.
-module(btr_project_SUITE).

-include_lib("stdlib/include/assert.hrl").

-compile([export_all, nowarn_export_all]).

all() ->
    [{group, reading}, {group, manifest}, {group, declarations}].

groups() ->
    [
        {reading, [parallel], [
            files_come_in_path_order_with_their_digests,
            litter_and_build_folders_are_left_out,
            linked_file_is_read_once_under_its_own_name,
            link_loop_of_folders_ends,
            link_to_nowhere_is_a_problem,
            text_that_is_not_utf8_is_placed,
            pipe_is_not_opened,
            folder_without_sources_is_a_problem,
            absent_folder_is_a_problem,
            absent_manifest_is_a_problem_unless_optional,
            all_problems_are_collected,
            names_beyond_ascii_are_found
        ]},
        {manifest, [parallel], [
            manifest_gives_package_and_version,
            what_the_manifest_says_beyond_is_ignored,
            manifest_errors_are_placed,
            path_dependency_is_read_as_a_package,
            package_inside_a_package_is_left_out,
            dependencies_of_dependencies_come_first,
            dependency_circle_is_a_problem,
            dependency_without_path_is_a_problem
        ]},
        {declarations, [parallel], [
            sound_package_is_accepted,
            name_declared_twice_is_placed_at_the_second,
            library_name_is_taken,
            missing_superclass_is_placed,
            circle_is_told_once,
            long_chain_is_judged_quickly,
            extension_added_twice_is_placed,
            extension_of_nothing_is_placed
        ]}
    ].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    [{dir, unicode:characters_to_binary(Dir)} | Config].

%% Reading.

files_come_in_path_order_with_their_digests(Config) ->
    Dir = do_project(Config, #{"src/b.bt" => "B", "src/a/z.bt" => "Z", "test/a.bt" => ""}),
    {ok, #{files := Files, root := Dir, package := <<"sample">>}} = btr_project:read(Dir),
    ?assertEqual([<<"src/a/z.bt">>, <<"src/b.bt">>, <<"test/a.bt">>], do_names(Files)),
    ?assertMatch(
        #{
            text := <<"B">>,
            digest := <<"df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c">>
        },
        lists:nth(2, Files)
    ).

litter_and_build_folders_are_left_out(Config) ->
    Dir = do_project(Config, #{
        "a.bt" => "", "a.bt~" => "", ".hidden.bt" => "", ".git/b.bt" => "", "_build/c.bt" => "",
        "deps/d.bt" => "", "node_modules/e.bt" => "", "readme.md" => "", ".bt" => ""
    }),
    ok = file:make_symlink("me@host.123", filename:join(Dir, ".#a.bt")),
    ?assertEqual([<<"a.bt">>], do_read(Dir)).

linked_file_is_read_once_under_its_own_name(Config) ->
    Dir = do_project(Config, #{"z/real.bt" => "1", "outside.txt" => "2"}),
    ok = file:make_symlink("z/real.bt", filename:join(Dir, "a.bt")),
    ok = file:make_symlink("z", filename:join(Dir, "folder")),
    ok = file:make_symlink("outside.txt", filename:join(Dir, "b.bt")),
    ok = file:make_symlink("outside.txt", filename:join(Dir, "c.bt")),
    ?assertEqual([<<"b.bt">>, <<"z/real.bt">>], do_read(Dir)).

link_loop_of_folders_ends(Config) ->
    Dir = do_project(Config, #{"x/a.bt" => ""}),
    ok = file:make_symlink("..", filename:join(Dir, "x/up")),
    ok = file:make_symlink("loop", filename:join(Dir, "loop")),
    ?assertEqual([<<"x/a.bt">>], do_read(Dir)).

link_to_nowhere_is_a_problem(Config) ->
    Dir = do_project(Config, #{"a.bt" => ""}),
    ok = file:make_symlink("nowhere", filename:join(Dir, "b.bt")),
    do_fails(Dir, <<"file.unreadable">>, {<<"b.bt">>, 1, 1}).

text_that_is_not_utf8_is_placed(Config) ->
    Dir = do_project(Config, #{"a.bt" => <<"one\n\"é\" "/utf8, 255, "x">>}),
    do_fails(Dir, <<"text.not_utf8">>, {<<"a.bt">>, 2, 5}).

pipe_is_not_opened(Config) ->
    Dir = do_project(Config, #{"a.bt" => ""}),
    _ = os:cmd("mkfifo '" ++ binary_to_list(Dir) ++ "/p.bt'"),
    do_fails(Dir, <<"file.unreadable">>, {<<"p.bt">>, 1, 1}).

folder_without_sources_is_a_problem(Config) ->
    Dir = do_project(Config, #{}),
    do_fails(Dir, <<"project.empty">>, {<<".">>, 1, 1}).

absent_folder_is_a_problem(Config) ->
    Dir = proplists:get_value(dir, Config),
    do_fails(Dir, <<"project.no_folder">>, {Dir, 1, 1}).

absent_manifest_is_a_problem_unless_optional(Config) ->
    Dir = do_project(Config, #{"a.bt" => ""}),
    ok = file:delete(filename:join(Dir, "beamtalk.toml")),
    do_fails(Dir, <<"project.no_manifest">>, {<<"beamtalk.toml">>, 1, 1}),
    {ok, #{package := Package, manifest := none}} =
        btr_project:read(Dir, #{manifest => optional}),
    ?assertEqual(<<"absent_manifest_is_a_problem_unless_optional">>, Package).

all_problems_are_collected(Config) ->
    Dir = do_project(Config, #{"a.bt" => <<255>>, "b.bt" => "", "c.bt" => <<"x", 255>>}),
    ok = file:make_symlink("nowhere", filename:join(Dir, "b2.bt")),
    ok = file:write_file(filename:join(Dir, "beamtalk.toml"), "[package\n"),
    {error, Problems} = btr_project:read(Dir),
    ?assertEqual(
        [<<"beamtalk.toml">>, <<"a.bt">>, <<"b2.bt">>, <<"c.bt">>],
        [File || {btr, _, #{file := File}} <- Problems]
    ).

names_beyond_ascii_are_found(Config) ->
    Dir = do_project(Config, #{<<"grün.bt"/utf8>> => ""}),
    ?assertEqual([<<"grün.bt"/utf8>>], do_read(Dir)),
    ok = file:write_file(<<Dir/binary, "/", 255, ".bt">>, ""),
    {error, [{btr, <<"file.unreadable">>, #{file := <<"ÿ.bt"/utf8>>}}]} = btr_project:read(Dir).

%% Manifest.

manifest_gives_package_and_version(Config) ->
    Dir = do_project(Config, #{
        "a.bt" => "",
        "beamtalk.toml" =>
            "# sample\n[package]\nname = \"har_bour\" # here\nversion = '1.2'\n\n"
            "[application]\nsupervisor = \"Pier\"\n"
    }),
    ?assertMatch(
        {ok, #{package := <<"har_bour">>, version := <<"1.2">>}}, btr_project:read(Dir)
    ).

what_the_manifest_says_beyond_is_ignored(Config) ->
    Dir = do_project(Config, #{
        "a.bt" => "",
        "beamtalk.toml" =>
            "[package]\r\nname = \"x\"\r\nlicenses = [ \"A\",\n  \"B\", # c\n]\r\n"
            "[run.\"a b\"]\nn = 1_000\nf = -1.5\nb = true\nt = { a.b = [1], c = \"\\u00e9\\n\" }\n"
    }),
    ?assertEqual([<<"a.bt">>], do_read(Dir)).

manifest_errors_are_placed(Config) ->
    Check = fun(Text, Code, Line, Col) ->
        Dir = do_project(Config, #{"a.bt" => "", "beamtalk.toml" => Text}),
        do_fails(Dir, Code, {<<"beamtalk.toml">>, Line, Col})
    end,
    Check("[package]\nname = \"x\n", <<"manifest.syntax">>, 2, 10),
    Check("[package]\nname \"x\"\n", <<"manifest.syntax">>, 2, 6),
    Check(<<"[package]\nname = \"é\" y\n"/utf8>>, <<"manifest.syntax">>, 2, 12),
    Check("[package]\nname = \"x\"\nname = \"y\"\n", <<"manifest.syntax">>, 3, 1),
    Check("[[package]]\n", <<"manifest.syntax">>, 1, 1),
    Check("a = 1979-05-27\n", <<"manifest.syntax">>, 1, 5),
    Check("a = \"\\q\"\n", <<"manifest.syntax">>, 1, 6),
    Check(lists:duplicate(100, $[), <<"manifest.syntax">>, 1, 1),
    Check("a = " ++ lists:duplicate(50000, $[), <<"manifest.syntax">>, 1, 38),
    Check("[package]\n", <<"manifest.value">>, 1, 1),
    Check("[package]\nname = \"Upper\"\n", <<"manifest.value">>, 2, 1),
    Check("package.name = 7\n", <<"manifest.value">>, 1, 1),
    Check(<<"[package]\nname = \"", 255>>, <<"text.not_utf8">>, 2, 9).

path_dependency_is_read_as_a_package(Config) ->
    Dir = do_project(Config, #{
        "app/beamtalk.toml" => do_manifest("app", [{"lib", "../lib"}]),
        "app/a.bt" => "",
        "lib/beamtalk.toml" => do_manifest("lib", []),
        "lib/src/b.bt" => "B",
        "lib/test/c.bt" => "C"
    }),
    App = filename:join(Dir, "app"),
    {ok, #{files := Files, dependencies := [Dependency]}} = btr_project:read(App),
    ?assertEqual([<<"a.bt">>], do_names(Files)),
    ?assertMatch(
        #{name := <<"lib">>, files := [#{file := <<"../lib/src/b.bt">>, text := <<"B">>}]},
        Dependency
    ).

package_inside_a_package_is_left_out(Config) ->
    Dir = do_project(Config, #{
        "app/beamtalk.toml" => do_manifest("app", []),
        "app/a.bt" => "",
        "app/test/fixtures/toy/beamtalk.toml" => do_manifest("toy", []),
        "app/test/fixtures/toy/src/b.bt" => "",
        "app/test/fixtures/c.bt" => ""
    }),
    {ok, #{files := Files}} = btr_project:read(filename:join(Dir, "app")),
    ?assertEqual([<<"a.bt">>, <<"test/fixtures/c.bt">>], do_names(Files)),
    Test = filename:join([Dir, "app", "test"]),
    {ok, #{files := All}, _} = btr_project:scan(Test, #{manifest => optional}),
    ?assertEqual([<<"fixtures/c.bt">>, <<"fixtures/toy/src/b.bt">>], do_names(All)).

dependencies_of_dependencies_come_first(Config) ->
    Dir = do_project(Config, #{
        "beamtalk.toml" => do_manifest("app", [{"one", "libs/one"}, {"two", "libs/two"}]),
        "a.bt" => "",
        "libs/one/beamtalk.toml" => do_manifest("one", [{"two", "../two"}]),
        "libs/one/b.bt" => "",
        "libs/two/beamtalk.toml" => do_manifest("two", []),
        "libs/two/c.bt" => ""
    }),
    {ok, #{files := Files, dependencies := Dependencies}} = btr_project:read(Dir),
    ?assertEqual([<<"a.bt">>], do_names(Files)),
    ?assertEqual(
        [[<<"libs/two/c.bt">>], [<<"libs/one/b.bt">>]],
        [do_names(Below) || #{files := Below} <- Dependencies]
    ).

dependency_circle_is_a_problem(Config) ->
    Dir = do_project(Config, #{
        "app/beamtalk.toml" => do_manifest("app", [{"lib", "../lib"}]),
        "app/a.bt" => "",
        "lib/beamtalk.toml" => do_manifest("lib", [{"app", "../app"}]),
        "lib/b.bt" => ""
    }),
    App = filename:join(Dir, "app"),
    do_fails(App, <<"dependency.wrong">>, {<<"../lib/beamtalk.toml">>, 4, 1}).

dependency_without_path_is_a_problem(Config) ->
    Check = fun(Line, Code) ->
        Manifest = "[package]\nname = \"x\"\n[dependencies]\n" ++ Line ++ "\n",
        Dir = do_project(Config, #{"a.bt" => "", "beamtalk.toml" => Manifest}),
        do_fails(Dir, Code, {<<"beamtalk.toml">>, 4, 1})
    end,
    Check("y = { git = \"https://example.org\" }", <<"manifest.value">>),
    Check("y = \"1.0\"", <<"manifest.value">>),
    Check("y = { path = \"nowhere\" }", <<"dependency.wrong">>).

%% Declarations.

sound_package_is_accepted(_) ->
    Units = [
        do_unit(<<"a.bt">>, [do_class(<<"B">>, <<"A">>, 1), do_class(<<"A">>, <<"Object">>, 2)]),
        do_unit(<<"c.bt">>, [(do_class(<<"C">>, <<"X">>, 1))#{superclass_package => <<"other">>}])
    ],
    ?assertEqual(ok, btr_project:validate(do_units(Units), #{library => [<<"Object">>]})).

name_declared_twice_is_placed_at_the_second(_) ->
    Alias = #{name => <<"A">>, line => 7, col => 6},
    Units = [
        do_unit(<<"a.bt">>, [do_class(<<"A">>, nil, 1)]),
        (do_unit(<<"b.bt">>, []))#{aliases => [Alias]},
        do_unit(<<"c.bt">>, [do_class(<<"A">>, nil, 3)])
    ],
    do_judged(Units, [
        {<<"class.duplicate">>, <<"b.bt">>, 7, 6}, {<<"class.duplicate">>, <<"c.bt">>, 3, 1}
    ]).

library_name_is_taken(_) ->
    Units = [do_unit(<<"a.bt">>, [do_class(<<"Object">>, nil, 2)])],
    do_judged(Units, [{<<"class.taken">>, <<"a.bt">>, 2, 1}]).

missing_superclass_is_placed(_) ->
    Class = (do_class(<<"A">>, <<"Nowhere">>, 1))#{superclass_line => 4, superclass_col => 2},
    do_judged([do_unit(<<"a.bt">>, [Class])], [{<<"class.no_superclass">>, <<"a.bt">>, 4, 2}]).

circle_is_told_once(_) ->
    Units = [
        do_unit(<<"a.bt">>, [do_class(<<"A">>, <<"B">>, 1), do_class(<<"D">>, <<"A">>, 9)]),
        do_unit(<<"b.bt">>, [do_class(<<"B">>, <<"C">>, 2)]),
        do_unit(<<"c.bt">>, [do_class(<<"C">>, <<"A">>, 3), do_class(<<"E">>, <<"E">>, 4)])
    ],
    {error, [{btr, _, #{message := Message}} | _]} =
        btr_project:validate(do_units(Units), #{library => []}),
    ?assertEqual(<<"these classes inherit in a circle: A < B < C < A">>, Message),
    do_judged(Units, [
        {<<"class.cycle">>, <<"a.bt">>, 1, 1}, {<<"class.cycle">>, <<"c.bt">>, 4, 1}
    ]).

long_chain_is_judged_quickly(_) ->
    Classes = [
        do_class(integer_to_binary(N), integer_to_binary(N + 1), N)
     || N <- lists:seq(1, 20000)
    ],
    Units = do_units([do_unit(<<"a.bt">>, Classes)]),
    ?assertEqual(ok, btr_project:validate(Units, #{library => [<<"20001">>]})).

extension_added_twice_is_placed(_) ->
    Extension = fun(Side, Line) ->
        #{target => <<"A">>, side => Side, selector => <<"x">>, line => Line}
    end,
    Units = [
        (do_unit(<<"a.bt">>, [do_class(<<"A">>, nil, 9)]))#{
            extensions => [Extension(class, 1), Extension(instance, 2)]
        },
        (do_unit(<<"b.bt">>, []))#{extensions => [Extension(class, 5)]}
    ],
    do_judged(Units, [{<<"extension.duplicate">>, <<"b.bt">>, 5, 1}]).

extension_of_nothing_is_placed(_) ->
    Extension = #{target => <<"B">>, side => instance, selector => <<"x">>, line => 2, col => 7},
    Foreign = Extension#{target := <<"C">>, package => <<"other">>},
    Units = [(do_unit(<<"a.bt">>, []))#{extensions => [Extension, Foreign]}],
    do_judged(Units, [{<<"class.not_found">>, <<"a.bt">>, 2, 7}]).

%% Helpers.

do_project(Config, Files) ->
    Dir = proplists:get_value(dir, Config),
    _ = file:del_dir_r(Dir),
    Write = fun(Name, Text) ->
        Path = filename:join(Dir, Name),
        ok = filelib:ensure_dir(Path),
        ok = file:write_file(Path, Text)
    end,
    Manifest = "[package]\nname = \"sample\"\n",
    maps:foreach(Write, maps:merge(#{"beamtalk.toml" => Manifest}, Files)),
    Dir.

do_manifest(Name, Dependencies) ->
    [
        "[package]\nname = \"", Name, "\"\n[dependencies]\n"
        | [[Other, " = { path = \"", Path, "\" }\n"] || {Other, Path} <- Dependencies]
    ].

do_read(Dir) ->
    {ok, #{files := Files}} = btr_project:read(Dir),
    do_names(Files).

do_names(Files) -> [File || #{file := File} <- Files].

do_fails(Dir, Code, {File, Line, Col}) ->
    {error, [{btr, Actual, Details}]} = btr_project:read(Dir),
    ?assertMatch(#{message := <<_, _/binary>>, hint := _}, Details),
    #{file := ActualFile, line := ActualLine, col := ActualCol} = Details,
    ?assertEqual({Code, File, Line, Col}, {Actual, ActualFile, ActualLine, ActualCol}).

do_class(Name, Superclass, Line) -> #{name => Name, superclass => Superclass, line => Line}.

do_unit(File, Classes) ->
    #{file => File, classes => Classes, protocols => [], aliases => [], extensions => []}.

do_units(Units) -> [{File, Outline} || #{file := File} = Outline <- Units].

do_judged(Units, Expected) ->
    {error, Problems} = btr_project:validate(do_units(Units), #{library => [<<"Object">>]}),
    Actual = [
        {Code, File, Line, Col}
     || {btr, Code, #{file := File, line := Line, col := Col}} <- Problems
    ],
    ?assertEqual(Expected, Actual).
