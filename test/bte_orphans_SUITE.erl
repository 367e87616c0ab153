%% @doc Blocks whose method was changed or removed, and which are still held: they go on through
%% renames, because their former methods are texts like any other.
-module(bte_orphans_SUITE).
-compile(export_all).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

suite() -> [{timetrap, {minutes, 2}}].

all() ->
    [
        selector_rename_reaches_a_held_block,
        class_rename_reaches_a_held_block,
        two_renames_there_and_back,
        revert_restores_the_text,
        revert_passes_over_a_dropped_one,
        revert_reaches_what_was_copied_since,
        revert_reaches_each_of_several_copies,
        group_of_class_and_selector,
        candidate_is_shown_and_rewritten_when_accepted,
        symbol_is_a_candidate,
        each_version_is_its_own_unit,
        every_shape_of_body_is_compiled_as_it_was,
        method_of_the_class_side_has_its_modifiers_anywhere,
        class_that_changed_since_changes_no_block,
        block_is_held_while_its_class_drains,
        block_is_held_when_what_it_names_is_gone,
        name_follows_the_class,
        removal_tells_of_dead_senders,
        removal_of_the_class_forgets_them,
        flush_writes_no_former_method,
        library_method_is_a_relic,
        dropped_block_is_not_searched,
        crash_before_the_switch_keeps_the_old_text,
        crash_after_the_switch_has_the_new_text
    ].

init_per_testcase(flush_writes_no_former_method = Case, Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), Case),
    _ = bte_workspace:write_project(Dir, "test", "", do_files()),
    {ok, _} = bt_embedded:start(#{project => Dir}),
    [{dir, Dir} | Config];
init_per_testcase(Case, Config) ->
    bte_workspace:start([{list_to_binary(F), T} || {F, T} <- do_files()]),
    [btr_host_faulty:start() || do_is_crash(Case)],
    Config.

end_per_testcase(Case, _) ->
    [btr_host_faulty:stop() || do_is_crash(Case)],
    bte_workspace:stop().

do_is_crash(Case) -> lists:prefix("crash", atom_to_list(Case)).

do_files() ->
    [
        {"src/counter.bt",
            "Object subclass: Counter\n"
            "  up => 1\n"
            "  twice => self up + self up\n"},
        {"src/user.bt",
            "Counter subclass: User\n"
            "  mine => 7\n"
            "  own => [self mine]\n"
            "  make => [Counter new twice]\n"
            "  held => [:c | c up]\n"
            "  typed => [:c :: Counter | c up]\n"
            "  named => [:c | c perform: #up]\n"}
    ].

%% Helpers ----------------------------------------------------------------------------------------

%% A block of a method that is gone.
do_hold(Selector) ->
    Block = bte_workspace:value(["User new ", Selector]),
    _ = bte_workspace:value(["User removeSelector: #", Selector]),
    Block.

do_rename(Class, Old, New) ->
    do_rename(Class, Old, New, []).

do_rename(Class, Old, New, Accept) ->
    #{operation => rename_method, class => Class, side => instance, selector => Old,
        new_selector => New, accept => Accept}.

do_rename_class(Old, New) ->
    #{operation => rename_class, class => Old, new_name => New}.

do_perform(Request) ->
    {ok, #{seq := Seq}} = bt_refactor:perform(Request, #{timeout => 60000}),
    Seq.

%% The texts of all former methods.
do_former() ->
    [T || {_, #{origin := O, text := T}} <- lists:sort(maps:to_list(bte_host:units())),
        O =:= orphan].

do_former_files() ->
    [F || {F, #{origin := O}} <- maps:to_list(bte_host:units()), O =:= orphan orelse O =:= relic].

do_send(Receiver, Selector, Args) ->
    bte_send:send_n(Selector, bte_registry:generation(), Receiver, Args).

do_undrained() ->
    btr_wait:for([], fun() -> bte_drain:list() end).

%% The index equals one that is made of the texts anew.
do_indexed() ->
    Fresh = btr_plan:scratch(bte_host:units()),
    Now = bte_host:index(),
    [
        ?assertEqual(Ask(Fresh), Ask(Now))
     || Ask <- [fun btr_nif:stats/1]
            ++ [fun(I) -> btr_nif:senders_of(I, S) end
                || S <- [<<"up">>, <<"rise">>, <<"mine">>, <<"mined">>, <<"twice">>, <<"new">>]]
            ++ [fun(I) -> btr_nif:references_to(I, C) end || C <- [<<"Counter">>, <<"Tally">>]]
            ++ [fun(I) -> btr_nif:implementors_of(I, S) end || S <- [<<"up">>, <<"own">>]]
    ].

do_md5s() ->
    [{M, M:module_info(md5)} || M <- ['bt@test@counter', 'bt@test@user']].

%% Cases ------------------------------------------------------------------------------------------

selector_rename_reaches_a_held_block(_) ->
    Own = do_hold("own"),
    ?assertEqual([<<"User >> own => [self mine]\n">>], do_former()),
    {ok, #{sites := Sites, warnings := []}} = bt_refactor:plan(do_rename(<<"User">>, <<"mine">>,
        <<"mined">>)),
    ?assertMatch([#{provenance := orphan, owner := <<"User>>own">>}, #{kind := definition}], Sites),
    _ = do_perform(do_rename(<<"User">>, <<"mine">>, <<"mined">>)),
    ?assertEqual([<<"User >> own => [self mined]\n">>], do_former()),
    do_undrained(),
    ?assertEqual(7, bte_block:value(Own, [])),
    ?assertMatch([{_, _, _, _, _, self_send, {orphan, _, _, _}}],
        bt_refactor:senders_of(<<"mined">>)),
    ?assertEqual([], bt_refactor:senders_of(<<"mine">>)),
    do_indexed().

%% Compiled code holds identities: nothing is loaded for a name.
class_rename_reaches_a_held_block(_) ->
    Make = do_hold("make"),
    Before = do_md5s(),
    _ = do_perform(do_rename_class(<<"Counter">>, <<"Tally">>)),
    ?assertEqual([<<"User >> make => [Tally new twice]\n">>], do_former()),
    ?assertEqual(Before, do_md5s()),
    ?assertEqual(2, bte_block:value(Make, [])),
    do_indexed(),
    %% The text is compiled under the new name.
    {ok, #{candidates := Candidates}} =
        bt_refactor:plan(do_rename(<<"Tally">>, <<"twice">>, <<"both">>)),
    [Accept] = [[F, S] || #{file := F, start := S, evidence := certain} <- Candidates],
    _ = do_perform(do_rename(<<"Tally">>, <<"twice">>, <<"both">>, [Accept])),
    ?assertEqual([<<"User >> make => [Tally new both]\n">>], do_former()),
    do_undrained(),
    ?assertEqual(2, bte_block:value(Make, [])).

two_renames_there_and_back(_) ->
    Own = do_hold("own"),
    [
        begin
            _ = do_perform(do_rename(<<"User">>, Old, New)),
            do_undrained(),
            ?assertEqual(7, bte_block:value(Own, [])),
            do_indexed()
        end
     || {Old, New} <- [{<<"mine">>, <<"mined">>}, {<<"mined">>, <<"ours">>},
            {<<"ours">>, <<"mined">>}, {<<"mined">>, <<"mine">>}]
    ],
    ?assertEqual([<<"User >> own => [self mine]\n">>], do_former()).

revert_restores_the_text(_) ->
    Blocks = [do_hold("own"), do_hold("make")],
    Before = bte_host:units(),
    First = do_perform(do_rename(<<"User">>, <<"mine">>, <<"mined">>)),
    Second = do_perform(do_rename_class(<<"Counter">>, <<"Tally">>)),
    {ok, _} = bt_refactor:revert(First),
    {ok, _} = bt_refactor:revert(Second),
    ?assertEqual(Before, bte_host:units()),
    do_undrained(),
    ?assertEqual([7, 2], [bte_block:value(B, []) || B <- Blocks]),
    do_indexed().

revert_passes_over_a_dropped_one(_) ->
    _ = do_hold("make"),
    Seq = do_perform(do_rename_class(<<"Counter">>, <<"Tally">>)),
    ?assertEqual([<<"User >> make => [Tally new twice]\n">>], do_former()),
    do_crowd(101),
    ?assertEqual([], [T || <<"User >> make", _/binary>> = T <- do_former()]),
    {ok, _} = bt_refactor:revert(Seq),
    ?assertMatch({ok, _, _}, bte_workspace:eval("Counter new")).

%% The blocks were made of texts that the renames had edited.
revert_reaches_what_was_copied_since(_) ->
    ok = bte_workspace:load([{<<"src/late.bt">>,
        "User subclass: Late\n\n"
        "  /// Says mine.\n"
        "  own => #(1, self mine). [self mine + self mine]\n\n"
        "  own: n => [self mine + n]\n\n"
        "  other => self mine\n"},
        {<<"src/made.bt">>, "Object subclass: Made\n  class made => [Counter new twice]\n"}]),
    First = do_perform(do_rename(<<"User">>, <<"mine">>, <<"minedByAll">>)),
    {ok, #{group := Second}} = bt_refactor:perform([do_rename_class(<<"Counter">>, <<"Tally">>),
        do_rename(<<"User">>, <<"minedByAll">>, <<"ours">>)]),
    Blocks = [bte_workspace:value(T) || T <- ["Late new own", "Made made"]],
    _ = bte_workspace:value("Late removeSelector: #own"),
    _ = bte_workspace:value("Made class removeSelector: #made"),
    Own = <<"Late >> own => #(1, self ours). [self ours + self ours]\n">>,
    ?assertEqual([Own, <<"Made class >> made => [Tally new twice]\n">>], do_former()),
    [_ = bte_workspace:value("Workspace changes undo") || _ <- [1, 2]],
    {ok, _} = bt_refactor:revert(Second),
    do_undrained(),
    ?assertEqual(
        [
            <<"Late >> own => #(1, self minedByAll). [self minedByAll + self minedByAll]\n">>,
            <<"Made class >> made => [Counter new twice]\n">>
        ],
        do_former()
    ),
    ?assertEqual([14, 2], [bte_block:value(B, []) || B <- Blocks]),
    {ok, _} = bt_refactor:revert(First),
    do_undrained(),
    ?assertEqual(<<"Late >> own => #(1, self mine). [self mine + self mine]\n">>, hd(do_former())),
    ?assertEqual([14, 2], [bte_block:value(B, []) || B <- Blocks]),
    do_indexed().

%% The second was copied when the first was gone from the file.
revert_reaches_each_of_several_copies(_) ->
    Seq = do_perform(do_rename_class(<<"Counter">>, <<"Tally">>)),
    Methods = ["make", "typed"],
    Blocks = [do_hold(M) || M <- Methods],
    [_ = bte_workspace:value("Workspace changes undo") || _ <- Methods],
    {ok, _} = bt_refactor:revert(Seq),
    ?assertEqual(
        [<<"User >> make => [Counter new twice]\n">>,
            <<"User >> typed => [:c :: Counter | c up]\n">>],
        do_former()
    ),
    ?assertEqual(2, bte_block:value(hd(Blocks), [])).

%% As many former methods with a block as are said.
do_crowd(N) ->
    Methods = [io_lib:format("  m~b => [~b]\n", [I, I]) || I <- lists:seq(1, N)],
    {ok, #{text := Text}} = bte_host:unit(<<"src/user.bt">>),
    ok = bte_workspace:load([{<<"src/user.bt">>, [Text, Methods]}]),
    ok = bte_workspace:load([{<<"src/user.bt">>, Text}]).

group_of_class_and_selector(_) ->
    Blocks = [do_hold("own"), do_hold("make")],
    Requests = [
        do_rename_class(<<"User">>, <<"Guest">>),
        do_rename_class(<<"Counter">>, <<"Tally">>),
        do_rename(<<"Guest">>, <<"mine">>, <<"mined">>)
    ],
    {ok, #{sites := Sites}} = bt_refactor:plan(Requests),
    ?assertMatch([<<"Guest>>own">>],
        [O || #{provenance := orphan, kind := self_send, owner := O} <- Sites]),
    {ok, #{group := Group}} = bt_refactor:perform(Requests),
    ?assertEqual([<<"User >> own => [self mined]\n">>, <<"User >> make => [Tally new twice]\n">>],
        do_former()),
    do_undrained(),
    ?assertEqual([7, 2], [bte_block:value(B, []) || B <- Blocks]),
    do_indexed(),
    {ok, _} = bt_refactor:revert(Group),
    do_undrained(),
    ?assertEqual([<<"User >> own => [self mine]\n">>, <<"User >> make => [Counter new twice]\n">>],
        do_former()),
    ?assertEqual([7, 2], [bte_block:value(B, []) || B <- Blocks]).

candidate_is_shown_and_rewritten_when_accepted(_) ->
    [Held, Typed] = [do_hold(S) || S <- ["held", "typed"]],
    Request = do_rename(<<"Counter">>, <<"up">>, <<"rise">>),
    {ok, #{candidates := Candidates, excluded := Excluded}} = bt_refactor:plan(Request),
    Orphans = [C || #{provenance := orphan} = C <- Candidates],
    ?assertEqual([{<<"User>>held">>, possible}, {<<"User>>typed">>, certain}],
        [{O, E} || #{owner := O, evidence := E} <- Orphans]),
    ?assertNot(is_map_key(orphan, Excluded)),
    [Accept] = [[F, S] || #{evidence := certain, file := F, start := S} <- Orphans],
    _ = do_perform(Request#{accept => [Accept]}),
    ?assertEqual(
        [<<"User >> held => [:c | c up]\n">>, <<"User >> typed => [:c :: Counter | c rise]\n">>],
        do_former()
    ),
    do_undrained(),
    Counter = bte_workspace:value("Counter new"),
    ?assertEqual(1, bte_block:value(Typed, [Counter])),
    ?assertError({bt_exception, #{kind := does_not_understand}}, bte_block:value(Held, [Counter])).

symbol_is_a_candidate(_) ->
    Named = do_hold("named"),
    Request = do_rename(<<"Counter">>, <<"up">>, <<"rise">>),
    {ok, #{candidates := Candidates}} = bt_refactor:plan(Request),
    [Accept] = [[F, S] || #{evidence := symbol, provenance := orphan, file := F, start := S} <-
        Candidates],
    _ = do_perform(Request#{accept => [Accept]}),
    do_undrained(),
    ?assertEqual(1, bte_block:value(Named, [bte_workspace:value("Counter new")])).

each_version_is_its_own_unit(_) ->
    Blocks = [
        begin
            Body = ["own => [self mine + ", integer_to_list(N), "]"],
            _ = bte_workspace:value(["User compile: #own source: \"", Body, "\""]),
            bte_workspace:value("User new own")
        end
     || N <- lists:seq(1, 3)
    ],
    ?assertEqual(3, length(do_former())),
    Seq = do_perform(do_rename(<<"User">>, <<"mine">>, <<"mined">>)),
    do_undrained(),
    ?assertEqual([8, 9, 10], [bte_block:value(B, []) || B <- Blocks]),
    ?assertEqual(4, length(bt_refactor:senders_of(<<"mined">>))),
    {ok, _} = bt_refactor:revert(Seq),
    ?assertEqual([8, 9, 10], [bte_block:value(B, []) || B <- Blocks]).

%% Captured and assigned locals, loops with their local functions, nested blocks, state, non-local
%% returns, `super', the class side and extensions.
every_shape_of_body_is_compiled_as_it_was(_) ->
    Shapes = [
        {"src/shape.bt", [
            "Actor subclass: Base\n  state: n = 5\n  state: kept = nil\n\n  deep => 100\n",
            "Base subclass: Shape\n"
            "  mine => 7\n"
            "  deep => 0\n\n"
            "  /// A doc comment.\n"
            "  loop: k => [:x |\n"
            "    sum := 0\n"
            "    k timesRepeat: [sum := sum + self mine + x]\n"
            "    sum]\n\n"
            "  cell =>\n"
            "    count := 0\n"
            "    one := [count := count + self mine]\n"
            "    self.kept := #(one, [count])\n"
            "    0\n\n"
            "  count =>\n    self.kept first value\n    self.kept last value\n\n"
            "  nested => [[:y | self mine + y]]\n"
            "  state => [self.n + self mine]\n"
            "  up => [super deep + self mine]\n"
            "  back => [:x | (self find: x) + self mine]\n"
            "  find: x => #(1, 2) do: [:e | e == x ifTrue: [^e]]. 0\n"
            "  run: b => b value\n"
            "  run: b with: x => b value: x\n"
        ]},
        {"src/shape+more.bt", "Shape >> extended => [self mine * 2]\n"}
    ],
    ok = bte_workspace:load([{list_to_binary(F), T} || {F, T} <- Shapes]),
    Actor = bte_workspace:value("Shape spawn"),
    Send = fun(Selector, Args) -> do_send(Actor, Selector, Args) end,
    Loop = Send('loop:', [2]),
    0 = Send(cell, []),
    [Nested, State, Up, Back, Extended] =
        [Send(S, []) || S <- [nested, state, up, back, extended]],
    Inner = bte_block:value(Nested, []),
    Ask = fun() ->
        [
            Send('run:with:', [Loop, 1]), Send('run:with:', [Inner, 1]), Send('run:', [State]),
            Send('run:', [Up]), Send('run:with:', [Back, 2]), Send('run:', [Extended])
        ]
    end,
    Expected = [16, 8, 12, 107, 9, 14],
    ?assertEqual(Expected, Ask()),
    [
        _ = bte_workspace:value(["Shape removeSelector: #'", S, "'"])
     || S <- ["loop:", "cell", "nested", "state", "up", "back", "extended"]
    ],
    ?assertEqual(Expected, Ask()),
    ?assertEqual([orphan], lists:usort([O || {<<"$orphans/", _/binary>>, #{origin := O}} <-
        maps:to_list(bte_host:units())])),
    _ = do_perform(do_rename(<<"Shape">>, <<"mine">>, <<"mined">>)),
    ?assertMatch([{_, _, _, _, _, _, {body, <<"User">>, _, _}}],
        bt_refactor:senders_of(<<"mine">>)),
    do_undrained(),
    ?assertEqual(Expected, Ask()),
    ?assertEqual([7, 14], [Send(count, []), Send(count, [])]).

method_of_the_class_side_has_its_modifiers_anywhere(_) ->
    Methods = [
        {"one", "class one"}, {"two", "class\t sealed two"}, {"three", "sealed class three"},
        {"four", "internal /* why */ class // this\n  four"},
        {"internal", "sealed class internal"}, {"+", "class + other"}, {">>", "class >> other"}
    ],
    Text = ["Object subclass: Shape\n  class mine => 7\n",
        [["  ", Head, " => [self mine]\n"] || {_, Head} <- Methods]],
    ok = bte_workspace:load([{<<"src/shape.bt">>, Text}]),
    Class = bte_workspace:value("Shape"),
    Selectors = [list_to_atom(S) || {S, _} <- Methods],
    Arguments = fun(S) -> lists:duplicate(bte_prim_symbol:num_args(S), 1) end,
    Blocks = [do_send(Class, S, Arguments(S)) || S <- Selectors],
    [
        _ = bte_workspace:value(["Shape class removeSelector: #'", atom_to_list(S), "'"])
     || S <- Selectors
    ],
    ?assertEqual(length(Blocks), length(do_former())),
    _ = do_perform((do_rename(<<"Shape">>, <<"mine">>, <<"mined">>))#{side := class}),
    do_undrained(),
    ?assertEqual([7 || _ <- Blocks], [bte_block:value(B, []) || B <- Blocks]).

%% A block goes on in the class of its time: a bare name that was a local is no field now.
class_that_changed_since_changes_no_block(_) ->
    ok = bte_workspace:load([{<<"src/box.bt">>,
        "Actor subclass: Box\n  state: a = 1\n\n  mine => 7\n"
        "  made =>\n    extra := 3\n    [self.a + extra + self mine]\n"
        "  run: b => b value\n"}]),
    Actor = bte_workspace:value("Box spawn"),
    Send = fun(Selector, Args) -> do_send(Actor, Selector, Args) end,
    Made = Send(made, []),
    ok = bte_workspace:load([{<<"src/box.bt">>,
        "Actor subclass: Box\n  state: a = 2\n  state: extra = 50\n\n  mine => 7\n"
        "  run: b => b value\n"}]),
    ?assertEqual(11, Send('run:', [Made])),
    _ = do_perform(do_rename(<<"Box">>, <<"mine">>, <<"mined">>)),
    do_undrained(),
    ?assertEqual(11, Send('run:', [Made])).

block_is_held_while_its_class_drains(_) ->
    Own = bte_workspace:value("User new own"),
    _ = do_perform(do_rename(<<"User">>, <<"mine">>, <<"mined">>)),
    _ = bte_workspace:value("User removeSelector: #own"),
    ?assertEqual(7, bte_block:value(Own, [])),
    ?assertEqual([<<"User >> own => [self mined]\n">>], do_former()).

block_is_held_when_what_it_names_is_gone(_) ->
    ok = bte_workspace:load([{<<"src/gone.bt">>, "Object subclass: Gone\n"}]),
    _ = bte_workspace:value("User compile: #own source: \"own => [Gone. self mine]\""),
    Own = bte_workspace:value("User new own"),
    ok = bte_workspace:load([{<<"src/gone.bt">>, deleted}]),
    _ = bte_workspace:value("User removeSelector: #own"),
    ?assertEqual(7, bte_block:value(Own, [])),
    _ = do_perform(do_rename(<<"User">>, <<"mine">>, <<"mined">>)),
    do_undrained(),
    ?assertEqual(7, bte_block:value(Own, [])).

name_follows_the_class(_) ->
    Own = do_hold("own"),
    _ = do_perform(do_rename_class(<<"User">>, <<"Guest">>)),
    ok = bte_workspace:load([{<<"src/other.bt">>, "Object subclass: User\n  mine => 8\n"}]),
    ?assertMatch([{_, _, _, _, _, _, {orphan, <<"Guest">>, instance, <<"own">>}}],
        bt_refactor:senders_of(<<"mine">>)),
    {ok, #{sites := [_]}} = bt_refactor:plan(do_rename(<<"User">>, <<"mine">>, <<"ours">>)),
    _ = do_perform(do_rename(<<"Guest">>, <<"mine">>, <<"mined">>)),
    do_undrained(),
    ?assertEqual(7, bte_block:value(Own, [])),
    do_indexed().

removal_tells_of_dead_senders(_) ->
    _ = do_hold("own"),
    _ = do_hold("make"),
    {ok, #{candidates := Senders}} = bt_refactor:plan(#{operation => remove_method,
        class => <<"User">>, side => instance, selector => <<"mine">>}),
    ?assertMatch([#{provenance := orphan, owner := <<"User>>own">>, new := nil}], Senders),
    ok = bte_workspace:load([{<<"src/user.bt">>, deleted},
        {<<"src/guest.bt">>, "Object subclass: Guest\n  m => [Counter]\n"}]),
    _ = bte_workspace:value("Guest removeSelector: #m"),
    {ok, #{candidates := Names, excluded := Excluded}} =
        bt_refactor:plan(#{operation => remove_class, class => <<"Counter">>}),
    ?assertMatch([#{provenance := orphan, owner := <<"Guest>>m">>}], Names),
    ?assertEqual(#{}, Excluded).

removal_of_the_class_forgets_them(_) ->
    _ = do_hold("own"),
    _ = bte_workspace:value("User removeFromSystem"),
    ?assertEqual([], do_former_files()),
    ?assertEqual([], bt_refactor:senders_of(<<"mine">>)),
    do_indexed().

flush_writes_no_former_method(Config) ->
    _ = do_hold("own"),
    _ = do_hold("make"),
    _ = do_perform([do_rename(<<"User">>, <<"mine">>, <<"mined">>),
        do_rename_class(<<"Counter">>, <<"Tally">>)]),
    _ = do_perform(do_rename(<<"User">>, <<"mined">>, <<"ours">>)),
    Entries = bt_refactor:changes(),
    ?assertEqual([],
        [F || #{sites := Sites} <- Entries, #{file := <<"$", _/binary>> = F} <- Sites]),
    {ok, #{conflicts := [], skipped := [], files := Files}} =
        bt_refactor:flush(#{destructive => true}),
    ?assertEqual([<<"src/counter.bt">>, <<"src/tally.bt">>, <<"src/user.bt">>], Files),
    Dir = proplists:get_value(dir, Config),
    ?assertEqual([], filelib:wildcard("$*", Dir)),
    ?assertEqual([<<"User >> own => [self ours]\n">>, <<"User >> make => [Tally new twice]\n">>],
        do_former()).

%% What was the library's no rename of the project changes; it is told of.
library_method_is_a_relic(_) ->
    {ok, #{text := Text}} = bte_host:unit(<<"stdlib/object.bt">>),
    Patch = fun(T) ->
        Unit = bte_workspace:unit(<<"stdlib/object.bt">>, T),
        Change = #{operation => load, names => [],
            units => [Unit#{package => <<"stdlib">>, origin => stdlib}]},
        {ok, _} = bt_refactor:change(Change, #{log => false})
    end,
    Patch([Text, "\n  asZebra => [:c | c up]\n"]),
    Held = bte_workspace:value("3 asZebra"),
    Patch(Text),
    ?assertEqual([], do_former()),
    ?assertMatch([_], do_former_files()),
    {ok, #{excluded := #{orphan := 1}, warnings := Warnings}} =
        bt_refactor:plan(do_rename(<<"Counter">>, <<"up">>, <<"rise">>)),
    ?assertMatch([#{message := <<"1 send of #up in blocks of former methods", _/binary>>}],
        [W || #{code := <<"orphans">>} = W <- Warnings]),
    ?assertEqual(1, bte_block:value(Held, [bte_workspace:value("Counter new")])).

dropped_block_is_not_searched(_) ->
    Own = do_hold("own"),
    do_crowd(101),
    ?assertEqual(100, length(do_former())),
    ?assertEqual([], bt_refactor:senders_of(<<"mine">>)),
    ?assertError({bt_exception, #{kind := block_outdated}}, bte_block:value(Own, [])),
    do_indexed().

crash_before_the_switch_keeps_the_old_text(_) ->
    Blocks = [do_hold("own"), do_hold("make")],
    Before = bte_host:units(),
    [
        begin
            btr_faults:inject(Callback, When, kill),
            {error, {btr, <<"workspace.restarted">>, _}} = bt_refactor:perform(Request),
            btr_faults:clear(),
            ?assertEqual(Before, bte_host:units()),
            ?assertEqual([7, 2], [bte_block:value(B, []) || B <- Blocks]),
            do_indexed()
        end
     || {Callback, When} <- [{compile, 'after'}, {stage, 'after'}, {switch, 'before'}],
        Request <- [do_rename(<<"User">>, <<"mine">>, <<"mined">>),
            do_rename_class(<<"Counter">>, <<"Tally">>)]
    ].

crash_after_the_switch_has_the_new_text(_) ->
    Blocks = [do_hold("own"), do_hold("make")],
    [
        begin
            btr_faults:inject(Callback, When, kill),
            {ok, _} = bt_refactor:perform(do_rename(<<"User">>, Old, New)),
            btr_faults:clear(),
            ?assertMatch([{_, _, _, _, _, _, {orphan, _, _, _}}], bt_refactor:senders_of(New)),
            do_undrained(),
            ?assertEqual([7, 2], [bte_block:value(B, []) || B <- Blocks]),
            do_indexed()
        end
     || {Callback, When, Old, New} <- [
            {switch, 'after', <<"mine">>, <<"mined">>},
            {publish, 'before', <<"mined">>, <<"ours">>},
            {publish, 'after', <<"ours">>, <<"mine">>}
        ]
    ].
