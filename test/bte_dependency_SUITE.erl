%% Path dependencies: other packages, which run and are read-only to the engine.
-module(bte_dependency_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    same_name_in_three_packages_is_three_classes/1, dependency_of_a_dependency_is_loaded/1,
    class_of_a_dependency_is_a_superclass/1, missing_dependency_is_named/1,
    circle_of_dependencies_is_refused/1, class_of_a_dependency_is_not_refactored/1,
    removal_in_a_dependency_is_never_written/1,
    rename_of_a_class_leaves_the_dependency_alone/1,
    rename_of_a_selector_leaves_the_dependency_alone/1,
    senders_tell_where_a_dependency_sends/1, flush_writes_nothing_of_a_dependency/1,
    extension_of_a_dependency_class_is_the_projects/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), atom_to_list(Case)),
    [{dir, Dir} | Config].

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_package(Base, Name, Needs, Files) ->
    Needed = ["\n[dependencies]\n", [[N, " = { path = \"../", N, "\" }\n"] || N <- Needs]],
    bte_workspace:write_project(filename:join(Base, Name), Name, Needed, Files).

%% An app that needs a lib that needs a base; each has a class Thing.
do_three(Config) ->
    Base = proplists:get_value(dir, Config),
    _ = do_package(Base, "base", [], [
        {"src/thing.bt", "Object subclass: Thing\n  name => \"base\"\n"},
        {"src/root.bt", "Object subclass: Root\n  level => 1\n  deep => self level\n"}
    ]),
    _ = do_package(Base, "lib", ["base"], [
        {"src/thing.bt", "Object subclass: Thing\n  name => \"lib\"\n"
            "  below => base@Thing new name\n"},
        {"src/caller.bt", "Object subclass: Caller\n"
            "  ask: thing => thing name\n  own => Thing new name\n"}
    ]),
    do_package(Base, "app", ["lib", "base"], [
        {"src/thing.bt", "Object subclass: Thing\n  name => \"app\"\n  twice => self name\n"},
        {"src/user.bt", "Object subclass: User\n  own => Thing new name\n"
            "  lib => lib@Thing new name\n  below => lib@Thing new below\n"
            "  ask => lib@Caller new ask: Thing new\n"},
        {"src/leaf.bt", "base@Root subclass: Leaf\n  level => 2\n"}
    ]).

do_start(Config) ->
    Dir = do_three(Config),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    Dir.

do_value(Text) -> bte_workspace:value(Text).

do_kind(Text) ->
    do_value(<<"[", Text/binary, ". #done] on: Exception do: [:e | e kind]">>).

same_name_in_three_packages_is_three_classes(Config) ->
    _ = do_start(Config),
    ?assertEqual([<<"app">>, <<"lib">>, <<"base">>, <<"app">>],
        do_value(<<"u := User new. #(u own, u lib, u below, Thing new name)">>)).

dependency_of_a_dependency_is_loaded(Config) ->
    Base = proplists:get_value(dir, Config),
    _ = do_three(Config),
    Dir = do_package(Base, "front", ["lib"], [
        {"src/front.bt", "Object subclass: Front\n  below => lib@Thing new below\n"}
    ]),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    ?assertEqual(<<"base">>, do_value(<<"Front new below">>)).

class_of_a_dependency_is_a_superclass(Config) ->
    _ = do_start(Config),
    ?assertEqual(2, do_value(<<"Leaf new deep">>)).

missing_dependency_is_named(Config) ->
    Dir = do_package(proplists:get_value(dir, Config), "app", ["nowhere"], [
        {"src/a.bt", "Object subclass: A\n"}
    ]),
    {error, Error} = bt_embedded:start(#{project => Dir}),
    Text = btr_error:format(Error),
    [?assertNotEqual({P, nomatch}, {P, string:find(Text, P)})
        || P <- ["beamtalk.toml:6", "nowhere"]].

circle_of_dependencies_is_refused(Config) ->
    Base = proplists:get_value(dir, Config),
    A = do_package(Base, "a", ["b"], [{"src/a.bt", "Object subclass: A\n"}]),
    _ = do_package(Base, "b", ["a"], [{"src/b.bt", "Object subclass: B\n"}]),
    {error, Error} = bt_embedded:start(#{project => A}),
    ?assertNotEqual(nomatch, string:find(btr_error:format(Error), "leads back")).

class_of_a_dependency_is_not_refactored(Config) ->
    _ = do_start(Config),
    Before = {bte_host:units(), bte_host:generation()},
    Refused = [
        <<"lib@Caller renameTo: #Asker">>,
        <<"lib@Caller renameSelector: #own to: #mine">>,
        <<"lib@Caller removeFromSystem">>,
        <<"lib@Caller compile: \"own\" source: \"own => 1\"">>
    ],
    ?assertEqual([], [{Text, K} || Text <- Refused, K <- [do_kind(Text)], K =:= done]),
    ?assertEqual(Before, {bte_host:units(), bte_host:generation()}).

%% To look at it running; the text of a dependency stays what it is on disk.
removal_in_a_dependency_is_never_written(Config) ->
    Dir = do_start(Config),
    _ = do_value(<<"lib@Caller removeSelector: #own">>),
    ?assertEqual(does_not_understand, do_kind(<<"lib@Caller new own">>)),
    ?assertMatch([#{flushable := false}], bt_refactor:changes()),
    {ok, #{flushed := 0}} = bt_refactor:flush(#{destructive => true}),
    {ok, Text} = file:read_file(filename:join(Dir, "../lib/src/caller.bt")),
    ?assertMatch({_, _}, binary:match(Text, <<"own => Thing new name">>)).

rename_of_a_class_leaves_the_dependency_alone(Config) ->
    _ = do_start(Config),
    _ = do_value(<<"Thing renameTo: #Item">>),
    ?assertEqual([<<"app">>, <<"lib">>], do_value(<<"u := User new. #(u own, u lib)">>)),
    {ok, #{text := User}} = bte_host:unit(<<"src/user.bt">>),
    ?assertMatch({_, _}, binary:match(User, <<"own => Item new name">>)),
    ?assertMatch({_, _}, binary:match(User, <<"lib@Thing new name">>)),
    ?assertEqual([], do_changed_dependencies()).

do_changed_dependencies() ->
    [F || {F, #{origin := dependency, digest := D, base_digest := B}} <-
        maps:to_list(bte_host:units()), D =/= B].

rename_of_a_selector_leaves_the_dependency_alone(Config) ->
    _ = do_start(Config),
    Request = #{operation => rename_method, class => <<"Thing">>, side => instance,
        selector => <<"name">>, new_selector => <<"title">>},
    {ok, #{sites := Sites, candidates := Candidates, files := Files} = Plan} =
        bt_refactor:plan(Request),
    Touched = [F || #{file := F} <- Sites ++ Candidates ++ Files],
    ?assertEqual([], [F || F <- Touched, string:prefix(F, "..") =/= nomatch]),
    {ok, _} = bt_refactor:apply(Plan),
    ?assertEqual(<<"app">>, do_value(<<"Thing new twice">>)),
    ?assertEqual([], do_changed_dependencies()).

senders_tell_where_a_dependency_sends(Config) ->
    _ = do_start(Config),
    Files = [F || #{file := F} <- btr_nif:senders_of(bte_host:index(), <<"name">>),
        string:prefix(F, "stdlib/") =:= nomatch],
    ?assertEqual([<<"../lib/src/caller.bt">>, <<"../lib/src/thing.bt">>, <<"src/thing.bt">>,
        <<"src/user.bt">>], lists:usort(Files)).

flush_writes_nothing_of_a_dependency(Config) ->
    Dir = do_start(Config),
    Lib = filename:join(Dir, "../lib/src/thing.bt"),
    {ok, Before} = file:read_file(Lib),
    _ = do_value(<<"Thing renameTo: #Item">>),
    {ok, _} = bt_refactor:flush(#{destructive => true}),
    ?assert(filelib:is_regular(filename:join(Dir, "src/item.bt"))),
    ?assertEqual({ok, Before}, file:read_file(Lib)).

extension_of_a_dependency_class_is_the_projects(Config) ->
    Dir = do_three(Config),
    ok = file:write_file(filename:join(Dir, "src/Root+App.bt"), "base@Root >> extra => 5\n"),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    ?assertEqual([5, 5], do_value(<<"#(base@Root new extra, Leaf new extra)">>)).
