%% @doc House rules that a machine can check: the form of the sources and the arrows between the
%% parts. What a compiler flag, clippy, xref or dialyzer sees already is not repeated here.
-module(btr_tidy_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0]).
-export([
    erlang_lines_are_at_most_100_columns/1,
    sources_have_no_tabs_and_no_trailing_blanks/1,
    sources_hold_no_path_of_one_machine/1,
    engine_does_not_know_the_embedded_workspace/1,
    only_the_posix_file_system_writes_user_files/1,
    only_the_host_loads_code/1,
    tests_do_not_sleep/1,
    native_arrows_run_one_way/1,
    public_functions_are_documented/1,
    samples_of_the_readmes_run/1,
    links_of_the_documents_lead_somewhere/1,
    architecture_shows_the_transaction_as_it_is/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        erlang_lines_are_at_most_100_columns,
        sources_have_no_tabs_and_no_trailing_blanks,
        sources_hold_no_path_of_one_machine,
        engine_does_not_know_the_embedded_workspace,
        only_the_posix_file_system_writes_user_files,
        only_the_host_loads_code,
        tests_do_not_sleep,
        native_arrows_run_one_way,
        public_functions_are_documented,
        samples_of_the_readmes_run,
        links_of_the_documents_lead_somewhere,
        architecture_shows_the_transaction_as_it_is
    ].

%%% Form

erlang_lines_are_at_most_100_columns(_Config) ->
    ?assertEqual([], [
        Place
     || {File, N, Line} <- do_lines(do_erlang_files()),
        string:length(Line) > 100,
        Place <- [do_place(File, N)]
    ]).

sources_have_no_tabs_and_no_trailing_blanks(_Config) ->
    Files = do_erlang_files() ++ do_files("**/*.{bt,btscript,md,toml}"),
    ?assertEqual([], [
        do_place(File, N)
     || {File, N, Line} <- do_lines(Files),
        do_has_tab(File, Line) orelse re:run(Line, "\\s$") =/= nomatch,
        not do_is_about_blanks(File)
    ]).

sources_hold_no_path_of_one_machine(_Config) ->
    Files =
        do_erlang_files() ++ do_files("**/*.{bt,btscript,md,toml,rs}") ++ do_files("scripts/*"),
    ?assertEqual([], [
        do_place(File, N)
     || {File, N, Line} <- do_lines(Files),
        re:run(Line, <<"(^|[^A-Za-z0-9._@-])/(", "work|home|root|farm)/">>) =/= nomatch
    ]).

%%% Arrows

engine_does_not_know_the_embedded_workspace(_Config) ->
    ?assertEqual([], [
        {do_short(File), Line, Atom}
     || File <- do_files("erlang/bt_refactor/src/*.erl"),
        {Line, Atom} <- do_atoms(File),
        lists:prefix("bte_", atom_to_list(Atom)) orelse Atom =:= bt_embedded,
        not is_allowed(File, Atom)
    ]).

only_the_posix_file_system_writes_user_files(_Config) ->
    Writers = [write_file, rename, delete, make_dir, del_dir, del_dir_r, copy, change_mode,
               make_symlink, truncate, ensure_dir],
    ?assertEqual([], [
        {do_short(File), Line, Function}
     || File <- do_files("erlang/*/src/*.erl"),
        not is_writer(filename:basename(File, ".erl")),
        {Line, Module, Function} <- do_remote_calls(File),
        lists:member(Module, [file, filelib]),
        lists:member(Function, Writers)
    ]).

only_the_host_loads_code(_Config) ->
    Loaders = [load_binary, load_abs, load_file, atomic_load, prepare_loading, finish_loading],
    ?assertEqual([], [
        {do_short(File), Line, Function}
     || File <- do_files("erlang/*/src/*.erl"),
        not is_loader(filename:basename(File, ".erl")),
        {Line, code, Function} <- do_remote_calls(File),
        lists:member(Function, Loaders)
    ]).

tests_do_not_sleep(_Config) ->
    ?assertEqual([], [
        {do_short(File), Line}
     || File <- do_files("test/*.erl"),
        {Line, timer, sleep} <- do_remote_calls(File)
    ]).

native_arrows_run_one_way(_Config) ->
    Allowed = #{
        "bt_syntax" => [],
        "bt_xref" => ["bt_syntax"],
        "bt_refactor" => ["bt_syntax", "bt_xref"],
        "bt_codegen" => ["bt_syntax"],
        "bt_nif" => ["bt_syntax", "bt_xref", "bt_refactor", "bt_codegen"]
    },
    maps:foreach(
        fun(Crate, Crates) ->
            Deps = do_dependencies(Crate),
            Ours = [D || "bt_" ++ _ = D <- Deps],
            ?assertEqual({Crate, []}, {Crate, Ours -- Crates}),
            Boundary = [D || D <- Deps, lists:member(D, ["rustler", "serde", "serde_json"])],
            Crate =:= "bt_nif" orelse ?assertEqual({Crate, []}, {Crate, Boundary})
        end,
        Allowed
    ).

%%% Documents

%% Every function that a facade or a behaviour exports has an `@doc' above its spec or head.
public_functions_are_documented(_Config) ->
    ?assertEqual([], [
        {do_short(File), Function}
     || File <- do_files("erlang/*/src/bt_{refactor,embedded}.erl"),
        {Function, false} <- do_documented(File)
    ]).

samples_of_the_readmes_run(_Config) ->
    Commands = lists:usort([
        Command
     || File <- do_files("README.md") ++ do_files("examples/*/README.md"),
        Command <- do_commands(File)
    ]),
    ?assert(length(Commands) >= 4),
    ?assertEqual([], [
        {Command, Status, Output}
     || Command <- Commands,
        {Status, Output} <- [do_shell(Command)],
        Status =/= 0
    ]).

links_of_the_documents_lead_somewhere(_Config) ->
    ?assertEqual([], [
        {do_short(File), Target}
     || File <- do_files("*.md") ++ do_files("docs/**/*.md") ++ do_files("examples/*/*.md"),
        Target <- do_links(File),
        not filelib:is_file(filename:join(filename:dirname(File), Target))
    ]).

architecture_shows_the_transaction_as_it_is(_Config) ->
    {ok, Text} = file:read_file(filename:join([do_root(), "docs", "ARCHITECTURE.md"])),
    [_, Chapter | _] = re:split(Text, "(?m)^## The transaction$"),
    [Own | _] = re:split(Chapter, "(?m)^## "),
    ?assertEqual(
        [[atom_to_binary(Word) || Word <- tuple_to_list(Edge)] || Edge <- btr_txn:transitions()],
        do_all_matches(Own, "(?m)^\\| ([a-z_]+) \\| ([a-z_]+) \\| ([a-z_]+) \\|$")
    ).

%%% Exceptions from the rules, each with its reason

%% The command line starts the application that it finds in the code path.
is_allowed(File, bte_cli) -> filename:basename(File) =:= "btr_cli.erl";
is_allowed(_File, _Atom) -> false.

is_writer("btr_fs_posix") -> true;
%% The cache of compiled classes is nobody's file.
is_writer("bte_cache") -> true;
%% A Beamtalk program may write what it wants.
is_writer("bte_prim_file") -> true;
%% Folders for one run of a script or of the demonstration.
is_writer("bte_script") -> true;
is_writer("bte_demo_copy") -> true;
is_writer(_) -> false.

is_loader("bte_host") -> true;
is_loader(_) -> false.

%% Texts in which a blank at a line's end or a tab matters.
do_is_about_blanks(File) ->
    filename:basename(File) =:= "grammar.md" orelse filename:extension(File) =:= ".btscript".

%% A Beamtalk string has no escape for a tab.
do_has_tab(File, Line) ->
    filename:extension(File) =/= ".bt" andalso binary:match(Line, <<"\t">>) =/= nomatch.

%%% Helpers

do_root() -> do_root(filename:dirname(code:which(?MODULE))).

do_root(Dir) ->
    case filelib:is_file(filename:join(Dir, "rebar.config")) of
        true -> Dir;
        false -> do_root(filename:dirname(Dir))
    end.

do_erlang_files() ->
    do_files("erlang/*/src/*.{erl,hrl}") ++ do_files("test/*.{erl,hrl}") ++ do_files("bench/*.erl").

do_files(Wildcard) ->
    Root = do_root(),
    Built = ["_build", "target", "results"],
    [
        filename:join(Root, File)
     || File <- filelib:wildcard(Wildcard, Root),
        [] =:= [Part || Part <- filename:split(File), lists:member(Part, Built)],
        filelib:is_regular(filename:join(Root, File))
    ].

do_lines(Files) ->
    [
        {File, N, Line}
     || File <- Files,
        {ok, Text} <- [file:read_file(File)],
        Lines <- [binary:split(Text, <<"\n">>, [global])],
        {N, Line} <- lists:zip(lists:seq(1, length(Lines)), Lines)
    ].

do_place(File, N) -> lists:flatten(io_lib:format("~ts:~b", [do_short(File), N])).

do_short(File) -> string:prefix(File, do_root() ++ "/").

do_tokens(File) ->
    {ok, Text} = file:read_file(File),
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list(Text)),
    Tokens.

do_atoms(File) -> [{erl_anno:line(Anno), Atom} || {atom, Anno, Atom} <- do_tokens(File)].

do_remote_calls(File) -> do_remote_calls_in(do_tokens(File)).

do_remote_calls_in([{atom, Anno, Module}, {':', _}, {atom, _, Function} | Rest]) ->
    [{erl_anno:line(Anno), Module, Function} | do_remote_calls_in(Rest)];
do_remote_calls_in([_ | Rest]) ->
    do_remote_calls_in(Rest);
do_remote_calls_in([]) ->
    [].

%% What is built into the engine: an optional dependency is a test's.
do_dependencies(Crate) ->
    File = filename:join([do_root(), "native", Crate, "Cargo.toml"]),
    {ok, Text} = file:read_file(File),
    [_, Section | _] = re:split(Text, "(?m)^\\[dependencies\\]$"),
    [Own | _] = re:split(Section, "(?m)^\\["),
    [
        unicode:characters_to_list(Name)
     || [Name] <- do_all_matches(Own, "(?m)^([a-z_0-9-]+)(?:\\.workspace)? *=(?!.*optional = true)")
    ].

do_all_matches(Text, Pattern) ->
    case re:run(Text, Pattern, [global, {capture, all_but_first, binary}, unicode]) of
        {match, Matches} -> Matches;
        nomatch -> []
    end.

do_documented(File) ->
    {ok, Forms} = epp:parse_file(File, []),
    Exports = lists:append([List || {attribute, _, export, List} <- Forms]),
    {ok, Text} = file:read_file(File),
    Parts = re:split(Text, "(?m)^(?=%% @doc)"),
    Heads = [Name || Part <- tl(Parts), [Name] <- [do_first_head(Part)]],
    [
        {Function, lists:member(atom_to_binary(Name), Heads)}
     || {Name, _} = Function <- Exports
    ].

do_first_head(Part) ->
    case do_all_matches(Part, "(?m)^-?(?:spec )?([a-z][a-zA-Z0-9_]*)\\(") of
        [[Name] | _] -> [Name];
        [] -> []
    end.

%% Lines of code blocks that call the command line; the prompt itself is left out.
do_commands(File) ->
    {ok, Text} = file:read_file(File),
    [
        re:replace(Command, "   .*$", "", [{return, list}, unicode])
     || [Command] <- do_all_matches(Text, "(?m)^(?:    )?(bin/bt [a-z].*)$"),
        re:run(Command, "^bin/bt (repl|demo)") =:= nomatch
    ].

do_shell(Command) ->
    Port = open_port(
        {spawn_executable, "/bin/sh"},
        [{args, ["-c", Command]}, {cd, do_root()}, exit_status, stderr_to_stdout, binary]
    ),
    do_shell_output(Port, []).

do_shell_output(Port, Acc) ->
    receive
        {Port, {data, Data}} -> do_shell_output(Port, [Acc, Data]);
        {Port, {exit_status, Status}} -> {Status, iolist_to_binary(Acc)}
    end.

do_links(File) ->
    {ok, Text} = file:read_file(File),
    [
        Target
     || [Link] <- do_all_matches(Text, "\\]\\(([^)]+)\\)"),
        not do_is_remote(Link),
        Target <- [hd(binary:split(Link, <<"#">>))],
        Target =/= <<>>
    ].

do_is_remote(Link) -> binary:match(Link, <<"://">>) =/= nomatch.
