%% From texts to code: definitions, what is compiled again, what is refused, block ids, cache.
-module(bte_compiler_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_testcase/2, end_per_testcase/2]).
-export([
    identity_comes_from_the_file/1, same_stem_gets_a_number/1, kind_comes_from_the_ancestors/1,
    all_errors_are_reported_with_their_places/1, syntax_error_changes_nothing/1,
    cycle_is_refused/1, duplicate_name_is_refused/1, library_name_is_refused/1,
    digest_is_of_the_code_without_its_generation/1, short_road_makes_what_the_long_one_makes/1,
    class_is_generated_once/1,
    comment_compiles_nothing/1, renaming_a_class_compiles_nothing/1,
    rename_keeps_the_identity/1, vacant_name_gets_a_new_identity/1,
    extension_is_compiled_into_its_target/1, extension_that_goes_uncovers_the_method/1,
    two_extensions_of_a_package_are_refused/1, late_name_is_found_once_defined/1,
    new_field_reaches_the_subclasses/1, removed_class_raises_class_not_found/1,
    class_with_subclasses_cannot_be_removed/1, removed_class_comes_back_under_its_identity/1,
    blocks_of_untouched_methods_live_on/1, block_of_a_changed_method_does_what_it_did/1,
    orphan_takes_its_loop_along/1, block_beyond_the_bound_is_outdated/1,
    class_exports_few_functions/1,
    cache_makes_the_second_compilation_a_look_up/1, damaged_cache_is_passed_over/1,
    bundle_holds_what_the_last_load_asked_for/1, user_without_a_home_has_no_cache/1,
    full_disk_leaves_nothing_in_the_cache/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [F || {F, 1} <- ?MODULE:module_info(exports), not lists:member(F, [module_info])].

init_per_testcase(_, Config) ->
    bte_workspace:start(),
    Config.

end_per_testcase(_, _) ->
    bte_workspace:stop().

do_class(Name) ->
    {ok, Identity} = bte_registry:lookup(Name, <<"test">>),
    Identity.

do_errors({error, {btr, <<"compile.failed">>, #{errors := Errors}}}) ->
    [{File, Line, Code} || #{file := File, line := Line, code := Code} <- Errors].

do_code({ok, #{modules := Modules}}) -> Modules.

do_modules({ok, Prepared}) -> lists:sort(bte_host:modules(Prepared)).

-define(COUNTER, "Actor subclass: Counter\n  state: value = 0\n  value => self.value\n").

identity_comes_from_the_file(_) ->
    ok = bte_workspace:load([{<<"src/HarbourMaster.bt">>,
        "Object subclass: HarbourMaster\n  a => 1\n"}]),
    ?assertEqual('bt@test@harbour_master', do_class(<<"HarbourMaster">>)),
    ?assertEqual(<<"HarbourMaster">>, bte_registry:name_of('bt@test@harbour_master')).

same_stem_gets_a_number(_) ->
    ok = bte_workspace:load([
        {<<"src/a/x.bt">>, "Object subclass: A\n  a => 1\n"},
        {<<"src/b/x.bt">>, "Object subclass: B\n  a => 1\n"}
    ]),
    ?assertEqual(['bt@test@x', 'bt@test@x@2'], [do_class(<<"A">>), do_class(<<"B">>)]).

kind_comes_from_the_ancestors(_) ->
    ok = bte_workspace:load([
        {<<"a.bt">>, "Actor subclass: A\n  a => 1\n"}, {<<"b.bt">>, "A subclass: B\n  b => 1\n"},
        {<<"c.bt">>, "Value subclass: C\n  field: x = 1\n"},
        {<<"d.bt">>, "C subclass: D\n  d => 1\n"},
        {<<"e.bt">>, "Object subclass: E\n  e => 1\n"}
    ]),
    Kind = fun(N) -> {ok, #{kind := K}} = bte_registry:class(do_class(N)), K end,
    ?assertEqual([actor, actor, value, value, object],
        [Kind(N) || N <- [<<"A">>, <<"B">>, <<"C">>, <<"D">>, <<"E">>]]),
    ?assertEqual(1, bte_workspace:value("D new x")).

all_errors_are_reported_with_their_places(_) ->
    Result = bte_workspace:load([
        {<<"a.bt">>, "// first\nNowhere subclass: A\n  a => 1\n"},
        {<<"b.bt">>, "Missing >> b => 2\n"}
    ]),
    ?assertEqual([{<<"a.bt">>, 2, <<"class.not_found">>}, {<<"b.bt">>, 1, <<"class.not_found">>}],
        do_errors(Result)),
    ?assertEqual(error, bte_registry:lookup(<<"A">>, <<"test">>)).

syntax_error_changes_nothing(_) ->
    Before = {bte_host:units(), bte_registry:generation()},
    {error, _} = bte_workspace:load([
        {<<"a.bt">>, "Object subclass: A\n  a => (\n"},
        {<<"b.bt">>, "Object subclass: B\n  b => 1\n"}
    ]),
    ?assertEqual(Before, {bte_host:units(), bte_registry:generation()}),
    ?assertEqual(error, bte_registry:lookup(<<"B">>, <<"test">>)).

cycle_is_refused(_) ->
    Result = bte_workspace:load([
        {<<"a.bt">>, "B subclass: A\n  a => 1\n"}, {<<"b.bt">>, "A subclass: B\n  b => 1\n"}
    ]),
    ?assertMatch([{<<"a.bt">>, 1, <<"class.cycle">>} | _], do_errors(Result)).

duplicate_name_is_refused(_) ->
    Result = bte_workspace:load([
        {<<"a.bt">>, "Object subclass: A\n  a => 1\n"},
        {<<"b.bt">>, "Object subclass: A\n  b => 1\n"}
    ]),
    ?assertEqual([{<<"b.bt">>, 1, <<"name.taken">>}], do_errors(Result)).

library_name_is_refused(_) ->
    Result = bte_workspace:load([{<<"a.bt">>, "Object subclass: String\n  a => 1\n"}]),
    ?assertEqual([{<<"a.bt">>, 1, <<"name.taken">>}], do_errors(Result)).

%% For every class of the library: the forms of two generations differ in the generation alone, and
%% the digests do not. The numbers are such as stand nowhere else.
digest_is_of_the_code_without_its_generation(_) ->
    World = bte_world:new(bte_host:generation()),
    Context = #{world => World, before => World, names_only => #{}, drains => #{}},
    Made = [do_generated(I, Context) || I <- bte_registry:classes()],
    ?assert(length(Made) > 50),
    Digests = [D || {D, _} <- Made],
    ?assertEqual(length(Digests), length(lists:usort(Digests))),
    ?assertEqual(length(Made), length(lists:usort([Forms || {_, Forms} <- Made]))).

%% For every class of the library: both roads to a module make the same code.
short_road_makes_what_the_long_one_makes(_) ->
    World = bte_world:new(bte_host:generation()),
    Context = #{world => World, before => World, names_only => #{}, drains => #{}},
    Differing = [
        Identity
     || Identity <- bte_registry:classes(),
        {ok, #{output := #{forms := Encoded}}} <- [bte_codegen:class(Identity, 0, Context)],
        Forms <- [bte_generated:forms(Encoded)],
        {ok, Beam} <- [bte_passes:long(Forms)],
        code:module_md5(Beam) =/= code:module_md5(bte_passes:short(Forms))
    ],
    ?assertEqual([], Differing).

do_generated(Identity, Context) ->
    {First, Second} = {(1 bsl 40) + 1, 77777},
    [{D1, Forms1}, {D2, Forms2}] = [
        begin
            {ok, Generated} = bte_codegen:class(Identity, Gen, Context),
            #{generation := Gen, digest := Digest, output := #{forms := Forms}} = Generated,
            {Digest, bte_generated:forms(Forms)}
        end
     || Gen <- [First, Second]
    ],
    ?assertEqual({Identity, D1}, {Identity, D2}),
    ?assertNotEqual(Forms1, Forms2),
    ?assertEqual({Identity, Forms2}, {Identity, do_replaced(Forms1, {First, Second})}),
    {D1, Forms2}.

do_replaced(From, {From, To}) -> To;
do_replaced(Term, Both) when is_tuple(Term) ->
    list_to_tuple(do_replaced(tuple_to_list(Term), Both));
do_replaced([Head | Tail], Both) -> [do_replaced(Head, Both) | do_replaced(Tail, Both)];
do_replaced(Term, _) -> Term.

class_is_generated_once(_) ->
    ok = bte_workspace:load([{<<"counter.bt">>, ?COUNTER}]),
    1 = erlang:trace_pattern({btr_nif, codegen_class, 2}, true, [call_count]),
    Unit = bte_workspace:unit(<<"counter.bt">>, [?COUNTER, "  up => self.value := 1\n"]),
    ?assertEqual(['bt@test@counter'], do_modules(bte_workspace:prepare([Unit]))),
    ?assertEqual({call_count, 1}, erlang:trace_info({btr_nif, codegen_class, 2}, call_count)),
    1 = erlang:trace_pattern({btr_nif, codegen_class, 2}, false, [call_count]).

comment_compiles_nothing(_) ->
    ok = bte_workspace:load([{<<"counter.bt">>, ?COUNTER}]),
    Unit = bte_workspace:unit(<<"counter.bt">>, [?COUNTER, "  // more\n"]),
    ?assertEqual([], do_modules(bte_workspace:prepare([Unit]))).

do_users() ->
    ok = bte_workspace:load([
        {<<"counter.bt">>, ?COUNTER},
        {<<"sub.bt">>, "Counter subclass: Sub\n  up => self.value + 1\n"},
        {<<"user.bt">>, "Object subclass: User\n  make => Counter spawn\n  class => [Counter]\n"}
    ]).

do_renamed() ->
    [
        bte_workspace:unit(<<"counter.bt">>, string:replace(?COUNTER, "Counter", "Tally"), true),
        bte_workspace:unit(<<"sub.bt">>, "Tally subclass: Sub\n  up => self.value + 1\n", true),
        bte_workspace:unit(<<"user.bt">>,
            "Object subclass: User\n  make => Tally spawn\n  class => [Tally]\n", true)
    ].

-define(NAMES, [{class, <<"Counter">>, <<"Tally">>}]).

renaming_a_class_compiles_nothing(_) ->
    do_users(),
    ?assertEqual([], do_modules(bte_workspace:prepare(do_renamed(), ?NAMES))).

rename_keeps_the_identity(_) ->
    do_users(),
    Counter = do_class(<<"Counter">>),
    Change = #{operation => rename_class, units => do_renamed(), names => ?NAMES},
    {ok, _} = bt_refactor:change(Change, #{log => false}),
    ?assertEqual(Counter, do_class(<<"Tally">>)),
    ?assertEqual(error, bte_registry:lookup(<<"Counter">>, <<"test">>)),
    ?assertEqual(<<"Tally">>, bte_registry:name_of(Counter)),
    ?assertEqual(0, bte_workspace:value("User new make value")).

vacant_name_gets_a_new_identity(_) ->
    rename_keeps_the_identity(none),
    ok = bte_workspace:load([{<<"src/counter.bt">>, ?COUNTER}]),
    ?assertEqual('bt@test@counter@2', do_class(<<"Counter">>)).

extension_is_compiled_into_its_target(_) ->
    ok = bte_workspace:load([{<<"String+More.bt">>, "String >> shout => \"loud\"\n"
        "String class >> loud => \"LOUD\"\n"}]),
    ?assertEqual(<<"loud">>, bte_workspace:value("\"a\" shout")),
    ?assertEqual(<<"LOUD">>, bte_workspace:value("String loud")),
    ?assertMatch(#{instance := #{<<"shout">> := #{provenance := extension}}},
        bte_registry:methods('bt@stdlib@string')).

extension_that_goes_uncovers_the_method(_) ->
    ok = bte_workspace:load([{<<"a.bt">>, "Object subclass: A\n  one => 1\n"},
        {<<"A+More.bt">>, "A >> one => 11\n"}]),
    ?assertEqual(11, bte_workspace:value("A new one")),
    ok = bte_workspace:load([{<<"A+More.bt">>, deleted}]),
    ?assertEqual(1, bte_workspace:value("A new one")).

two_extensions_of_a_package_are_refused(_) ->
    Result = bte_workspace:load([{<<"a.bt">>, "Object subclass: A\n  one => 1\n"},
        {<<"A+More.bt">>, "A >> one => 11\n"}, {<<"A+Other.bt">>, "A >> one => 12\n"}]),
    ?assertEqual([{<<"A+Other.bt">>, 1, <<"extension.duplicate">>}], do_errors(Result)),
    {error, {btr, _, #{message := Message}}} = Result,
    ?assertNotEqual(nomatch, string:find(Message, <<"A+More.bt:1">>)).

late_name_is_found_once_defined(_) ->
    ok = bte_workspace:load([{<<"user.bt">>, "Object subclass: User\n  make => Later new\n"}]),
    {error, Text} = bte_workspace:eval("User new make"),
    ?assertNotEqual(nomatch, string:find(Text, <<"Class 'Later' not found">>)),
    ?assertEqual({ok, ['bt@test@user']}, bte_registry:read(late, <<"Later">>)),
    ok = bte_workspace:load([{<<"later.bt">>, "Object subclass: Later\n  a => 1\n"}]),
    ?assertEqual(1, bte_workspace:value("User new make a")),
    ?assertEqual(error, bte_registry:read(late, <<"Later">>)).

new_field_reaches_the_subclasses(_) ->
    do_users(),
    More = "Actor subclass: Counter\n  state: value = 0\n"
        "  state: step = 5\n  value => self.value\n",
    Unit = bte_workspace:unit(<<"counter.bt">>, More),
    ?assertEqual(['bt@test@counter', 'bt@test@sub'], do_modules(bte_workspace:prepare([Unit]))).

removed_class_raises_class_not_found(_) ->
    ok = bte_workspace:load([{<<"a.bt">>, "Object subclass: A\n  one => 1\n"}]),
    Instance = bte_workspace:value("A new"),
    ok = bte_workspace:load([{<<"a.bt">>, deleted}]),
    ?assertError({bt_exception, #{kind := class_not_found}}, bte_send:send(one, 0, Instance)),
    {error, Text} = bte_workspace:eval("A new"),
    ?assertNotEqual(nomatch, string:find(Text, <<"Class 'A' not found">>)).

class_with_subclasses_cannot_be_removed(_) ->
    do_users(),
    Result = bte_workspace:load([{<<"counter.bt">>, deleted}]),
    ?assertEqual([{<<"counter.bt">>, 1, <<"class.has_subclasses">>}], do_errors(Result)).

removed_class_comes_back_under_its_identity(_) ->
    ok = bte_workspace:load([{<<"a.bt">>, "Object subclass: A\n  one => 1\n"},
        {<<"user.bt">>, "Object subclass: User\n  make => A new one\n"}]),
    ok = bte_workspace:load([{<<"a.bt">>, deleted}]),
    ok = bte_workspace:load([{<<"other.bt">>, "Object subclass: A\n  one => 2\n"}]),
    ?assertEqual('bt@test@a', do_class(<<"A">>)),
    ?assertEqual(2, bte_workspace:value("User new make")).

-define(BLOCKS(Other),
    "Object subclass: B\n  first => [:x | x + 1]\n  second => [:x | x " Other "]\n").

%% What a switch takes grows with these (docs/conventions.md).
class_exports_few_functions(_) ->
    ok = bte_workspace:load([
        {<<"plain.bt">>, "Actor subclass: Plain\n  state: n = 1\n  a => self.n\n"},
        {<<"blocks.bt">>, "Object subclass: Blocks\n  a => [1]\n"},
        {<<"kept.bt">>, "Object subclass: Kept\n  classState: n = 1\n  class n => self.n\n"}
    ]),
    Exports = fun(Name) -> lists:sort((do_class(Name)):module_info(exports)) end,
    Always = [{c, 6}, {i, 6}, {module_info, 0}, {module_info, 1}],
    ?assertEqual(Always, Exports(<<"Plain">>)),
    ?assertEqual([{b, 5} | Always], Exports(<<"Blocks">>)),
    ?assertEqual([{'c:n', 1}], Exports(<<"Kept">>) -- Always).

blocks_of_untouched_methods_live_on(_) ->
    ok = bte_workspace:load([{<<"b.bt">>, ?BLOCKS("+ 2")}]),
    First = bte_workspace:value("B new first"),
    ok = bte_workspace:load([{<<"b.bt">>, ?BLOCKS("+ 3")}]),
    ok = bte_workspace:load([{<<"b.bt">>, ["// new line\n", ?BLOCKS("+ 4")]}]),
    ?assertEqual(5, bte_block:value(First, [4])).

block_of_a_changed_method_does_what_it_did(_) ->
    ok = bte_workspace:load([{<<"b.bt">>, ?BLOCKS("+ 2")}]),
    Second = bte_workspace:value("B new second"),
    ok = bte_workspace:load([{<<"b.bt">>, ?BLOCKS("+ 3")}]),
    Third = bte_workspace:value("B new second"),
    ok = bte_workspace:load([{<<"b.bt">>, "Object subclass: B\n  other => [:x | x * 10]\n"}]),
    ?assertEqual([6, 7, 40], [bte_block:value(B, [4])
        || B <- [Second, Third, bte_workspace:value("B new other")]]).

orphan_takes_its_loop_along(_) ->
    Text = fun(Step) -> ["Object subclass: B\n  make: n =>\n    [:x |\n      sum := 0\n"
        "      n timesRepeat: [sum := sum + x + ", Step, "]\n      sum]\n"] end,
    ok = bte_workspace:load([{<<"b.bt">>, Text("0")}]),
    First = bte_workspace:value("B new make: 3"),
    ok = bte_workspace:load([{<<"b.bt">>, Text("1")}]),
    ?assertEqual([12, 15], [bte_block:value(B, [4])
        || B <- [First, bte_workspace:value("B new make: 3")]]).

block_beyond_the_bound_is_outdated(_) ->
    Blocks = [io_lib:format("  m~b => [:x | x + ~b]\n", [N, N]) || N <- lists:seq(1, 101)],
    ok = bte_workspace:load([{<<"b.bt">>, ["Object subclass: B\n", Blocks]}]),
    First = bte_workspace:value("B new m1"),
    Last = bte_workspace:value("B new m101"),
    ok = bte_workspace:load([{<<"b.bt">>, "Object subclass: B\n  one => 1\n"}]),
    ?assertEqual(105, bte_block:value(Last, [4])),
    try bte_block:value(First, [4]) of
        V -> error({no_error, V})
    catch
        error:{bt_exception, #{kind := block_outdated, message := Message}} ->
            ?assertNotEqual(nomatch, string:find(Message, <<"B>>m1">>))
    end.

do_prepare_at_start(Unit) ->
    Change = #{operation => load, units => [Unit], names => []},
    bte_compiler:prepare(Change, 0, fun(_) -> ok end).

cache_makes_the_second_compilation_a_look_up(Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), "cache"),
    application:set_env(bt_embedded, cache, Dir),
    Unit = bte_workspace:unit(<<"counter.bt">>, ?COUNTER),
    %% Only what a start compiles is kept: later code has its generation in it.
    {ok, _} = bte_workspace:prepare([Unit]),
    ?assertEqual([], filelib:wildcard("*/*", Dir)),
    First = do_prepare_at_start(Unit),
    ?assertEqual(1, length(filelib:wildcard("*/*", Dir))),
    ?assertEqual(do_code(First), do_code(do_prepare_at_start(Unit))),
    application:unset_env(bt_embedded, cache).

damaged_cache_is_passed_over(Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), "damaged"),
    application:set_env(bt_embedded, cache, Dir),
    Unit = bte_workspace:unit(<<"counter.bt">>, ?COUNTER),
    First = do_prepare_at_start(Unit),
    Files = filelib:wildcard("*/*", Dir),
    [ok = file:write_file(filename:join(Dir, F), <<"half of it">>) || F <- Files],
    ?assertEqual(do_code(First), do_code(do_prepare_at_start(Unit))),
    application:unset_env(bt_embedded, cache).

%% A load that found all in its bundle opens no other file; what it lacks is found elsewhere or
%% made, and stands in it from then on, instead of what is not asked for any more.
bundle_holds_what_the_last_load_asked_for(Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), "bundled"),
    application:set_env(bt_embedded, cache, Dir),
    [Unit, Edited] = [bte_workspace:unit(<<"counter.bt">>, [?COUNTER, More])
        || More <- ["", "  more => 1\n"]],
    Bundled = fun(U) -> do_code(bte_cache:bundled(name, fun() -> do_prepare_at_start(U) end)) end,
    Files = fun() -> filelib:wildcard("*/*", Dir) end,
    First = do_code(do_prepare_at_start(Unit)),
    [Entry] = Files(),
    ?assertEqual(First, Bundled(Unit)),
    [Bundle] = Files() -- [Entry],
    ok = file:delete(filename:join(Dir, Entry)),
    ?assertEqual(First, Bundled(Unit)),
    ?assertEqual([Bundle], Files()),
    ok = file:write_file(filename:join(Dir, Bundle), <<"half of it">>),
    ?assertEqual(First, Bundled(Unit)),
    ?assertEqual(lists:sort([Bundle, Entry]), Files()),
    ?assertNotEqual(First, Bundled(Edited)),
    ok = file:delete(filename:join(Dir, Entry)),
    ?assertEqual(First, Bundled(Unit)),
    ?assert(lists:member(Entry, Files())),
    ?assertEqual(undefined, ets:whereis(bte_cache)),
    application:unset_env(bt_embedded, cache).

user_without_a_home_has_no_cache(_) ->
    ?assertEqual("none", do_erl("env -u HOME -u XDG_CACHE_HOME ", "bte_cache:folder()")).

%% A limit on the size of files is to a writer what a full disk is.
full_disk_leaves_nothing_in_the_cache(Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), "full"),
    Keep = io_lib:format(
        "application:set_env(bt_embedded, cache, ~p), "
        "bte_cache:keep(<<\"some\">>, binary:copy(<<0>>, 1000000))", [Dir]
    ),
    ?assertEqual("ok", do_erl("trap '' XFSZ; ulimit -f 8; exec ", Keep)),
    ?assertEqual({ok, []}, file:list_dir(filename:join(Dir, "so"))).

%% Evaluates in an emulator of its own, below what a shell does before.
do_erl(Before, Expression) ->
    Paths = [[" -pa ", P] || M <- [bte_cache, btr_nif], P <- [filename:dirname(code:which(M))]],
    Print = ["io:format(\"~0tp\", [begin ", Expression, " end]), halt()."],
    os:cmd(lists:flatten([Before, "erl -noshell", Paths, " -eval '", Print, "'"])).
