%% @doc docs/errors.md, btr_error and the sources name the same error codes.
-module(btr_codes_SUITE).

-include_lib("stdlib/include/assert.hrl").

-compile([export_all, nowarn_export_all]).

all() ->
    [
        codes_of_the_sources_are_documented,
        documented_codes_are_used,
        documented_kinds_are_those_of_btr_error,
        warnings_of_plans_are_documented
    ].

codes_of_the_sources_are_documented(_) ->
    ?assertEqual([], do_used() -- maps:keys(do_documented())).

documented_codes_are_used(_) ->
    ?assertEqual([], maps:keys(do_documented()) -- do_used()).

documented_kinds_are_those_of_btr_error(_) ->
    Documented = maps:keys(do_documented()),
    ?assertEqual([], Documented -- btr_error:codes()),
    ?assertEqual([], btr_error:codes() -- Documented),
    Wrong = [
        {Code, Kind}
     || {Code, Kind} <- maps:to_list(do_documented()),
        Kind =/= atom_to_binary(btr_error:kind({btr, Code, #{}}))
    ],
    ?assertEqual([], Wrong).

warnings_of_plans_are_documented(_) ->
    Files = do_sources("native/bt_refactor/src"),
    Patterns = ["code: \"([a-z_]+)\"", "warn\\(\\s*\"([a-z_]+)\""],
    Used = lists:usort([Code || Pattern <- Patterns, Code <- do_find(Files, Pattern)]),
    ?assertEqual(Used, lists:sort(do_column(do_section(<<"## Warnings of plans">>)))).

%% Helpers.

%% Codes in the shape `area.reason' that stand in quotes in the sources, tests apart.
do_used() ->
    Areas = lists:usort([hd(binary:split(Code, <<".">>)) || Code <- maps:keys(do_documented())]),
    Files = do_sources("native") ++ do_sources("erlang"),
    Found = do_find(Files, "\"([a-z]+\\.[a-z_0-9]+)\""),
    Table = do_path("erlang/bt_refactor/src/btr_error.erl"),
    Listed = do_find([Table], "<<\"([a-z.0-9_]+)\">> =>"),
    IsCode = fun(Code) -> lists:member(hd(binary:split(Code, <<".">>)), Areas) end,
    Once = lists:usort(lists:filter(IsCode, Found)),
    %% A code that only btr_error lists is used by nobody.
    [Code || Code <- Once, length([x || Other <- Found, Other =:= Code]) > do_count(Code, Listed)].

do_count(Code, Listed) -> length([x || Other <- Listed, Other =:= Code]).

do_documented() ->
    Sections = binary:split(do_read("docs/errors.md"), <<"\n## ">>, [global]),
    maps:from_list(lists:append([do_codes(Section) || Section <- tl(Sections)])).

do_codes(<<"Warnings of plans", _/binary>>) ->
    [];
do_codes(Section) ->
    WithKind = do_matches(Section, "\n\\| `([a-z._0-9]+)` \\| `([a-z_]+)` \\|"),
    Kinds = [{Code, Kind} || [Code, Kind] <- WithKind],
    case Kinds of
        [] -> [{Code, <<"compile_failed">>} || Code <- do_column(Section)];
        _ -> Kinds
    end.

do_column(Section) -> lists:append(do_matches(Section, "\n\\| `([a-z._0-9]+)` \\|")).

do_section(Title) ->
    [_, Rest] = binary:split(do_read("docs/errors.md"), Title),
    hd(binary:split(Rest, <<"\n## ">>)).

do_find(Files, Pattern) ->
    Texts = [Text || File <- Files, {ok, Text} <- [file:read_file(File)]],
    lists:append([lists:append(do_matches(Text, Pattern)) || Text <- Texts]).

do_matches(Text, Pattern) ->
    case re:run(Text, Pattern, [global, {capture, all_but_first, binary}]) of
        {match, Groups} -> Groups;
        nomatch -> []
    end.

do_sources(Below) ->
    [
        File
     || File <- filelib:wildcard(do_path(Below) ++ "/**/*.{rs,erl}"),
        string:find(File, "/tests/") =:= nomatch,
        string:find(File, "/target/") =:= nomatch,
        string:find(File, "bt_testkit") =:= nomatch
    ].

do_read(File) ->
    {ok, Text} = file:read_file(do_path(File)),
    Text.

%% _build/test/lib/bt_refactor is four folders below the project's root.
do_path(File) ->
    Lib = filename:absname(code:lib_dir(bt_refactor)),
    Root = lists:foldl(fun(_, Dir) -> filename:dirname(Dir) end, Lib, lists:seq(1, 4)),
    filename:join(Root, File).
