%% @doc The native side as Erlang sees it: shapes, failures, generations, JSON.
-module(btr_nif_SUITE).

-include_lib("stdlib/include/assert.hrl").

-compile([export_all, nowarn_export_all]).

all() ->
    [{group, units}, {group, snapshots}, {group, requests}, {group, json}, {group, harm}].

groups() ->
    [
        {units, [parallel], [
            text_is_kept_byte_for_byte,
            text_that_is_not_utf8_gives_its_offset,
            syntax_error_is_placed_in_code_points,
            many_texts_come_back_in_order,
            outline_of_a_class_has_all_its_parts,
            outline_of_extensions_protocols_and_aliases,
            outline_lists_references_once,
            open_bracket_asks_for_another_line
        ]},
        {snapshots, [parallel], [
            staged_snapshot_is_unseen_until_published,
            dropped_snapshot_is_forgotten,
            next_snapshot_is_made_ahead, publishing_again_changes_nothing,
            older_generation_is_refused,
            deleted_unit_is_gone,
            queries_answer_sites,
            pages_and_counts_agree_with_whole_answers,
            pages_of_a_closure_are_parts_of_the_whole,
            classes_without_source_are_named,
            owners_carry_side_and_provenance,
            senders_are_narrowed_by_class,
            unused_and_unimplemented_selectors,
            unknown_names_make_no_atoms,
            readers_see_whole_generations
        ]},
        {requests, [parallel], [
            request_is_read_from_an_expression,
            expression_that_asks_for_nothing_is_refused,
            missing_key_is_named,
            diff_is_unified
        ]},
        {json, [parallel], [
            json_there_and_back,
            json_keys_are_sorted,
            json_limits_are_errors
        ]},
        {harm, [parallel], [
            wrong_types_raise_badarg,
            deep_nesting_is_an_error_not_a_crash,
            resources_are_given_back
        ]}
    ].

%% Units.

text_is_kept_byte_for_byte(_) ->
    Text = <<16#FEFF/utf8, "Object subclass: A\r\n\t// grün\r  \"{\0"/utf8>>,
    ?assertEqual(Text, btr_nif:unit_text(do_unit(Text))).

text_that_is_not_utf8_gives_its_offset(_) ->
    ?assertMatch(
        {error, {btr, <<"text.not_utf8">>, #{offset := 3, message := _}}},
        btr_nif:parse(<<"ab\n", 255>>)
    ).

syntax_error_is_placed_in_code_points(_) ->
    [Error | _] = btr_nif:unit_errors(do_unit(<<"Object subclass: A\n  ü => (1 + \n"/utf8>>)),
    ?assertMatch(#{line := 2, code := <<"syntax.", _/binary>>, message := _, span := _}, Error).

many_texts_come_back_in_order(_) ->
    Class = fun(N) ->
        Name = ["Object subclass: C", integer_to_list(N)],
        iolist_to_binary([Name, "\n  x =>", do_spaces(N), "1\n"])
    end,
    Files = [{N, Class(N)} || N <- lists:seq(1, 400)],
    Units = btr_nif:parse_many(Files ++ [{bad, <<255>>}]),
    Texts = [{N, btr_nif:unit_text(Unit)} || {N, {ok, Unit}} <- Units],
    ?assertEqual(Files, Texts),
    ?assertMatch({bad, {error, {btr, <<"text.not_utf8">>, _}}}, lists:last(Units)).

outline_of_a_class_has_all_its_parts(_) ->
    Text = <<
        "/// Counts.\n/// Twice.\n"
        "abstract typed pkg@Base subclass: Counter(T)\n"
        "  field: value :: Integer = 0\n"
        "  classState: made = 0\n\n"
        "  /// Goes up.\n"
        "  sealed add: n :: Integer to: other -> Integer => self.value + n\n\n"
        "  class start => self new\n"
    >>,
    #{classes := [Class]} = btr_nif:outline(do_unit(Text)),
    ?assertMatch(
        #{
            name := <<"Counter">>,
            superclass := <<"Base">>,
            superclass_package := <<"pkg">>,
            modifiers := [abstract, typed],
            type_params := [<<"T">>],
            native := nil,
            doc := <<"Counts.\nTwice.">>,
            line := 3,
            fields := [
                #{name := <<"value">>, kind := field, type := <<"Integer">>},
                #{name := <<"made">>, kind := class_state, type := nil}
            ]
        },
        Class
    ),
    #{methods := [Add, Start]} = Class,
    #{span := {From, To}, name_spans := NameSpans} = Add,
    ?assertMatch(
        #{
            selector := <<"add:to:">>,
            side := instance,
            params := [<<"n">>, <<"other">>],
            modifiers := [sealed],
            doc := <<"Goes up.">>,
            source := <<"sealed add: n :: Integer to: other -> Integer => self.value + n">>,
            line := 8
        },
        Add
    ),
    ?assertMatch(<<"  /// Goes up.", _/binary>>, binary:part(Text, From, To - From)),
    ?assertMatch(<<"\n\n  class start", _/binary>>, binary:part(Text, To - 1, 20)),
    ?assertEqual([<<"add:">>, <<"to:">>], [binary:part(Text, A, B - A) || {A, B} <- NameSpans]),
    ?assertMatch(#{selector := <<"start">>, side := class}, Start).

outline_of_extensions_protocols_and_aliases(_) ->
    Text = <<
        "Protocol define: Named(T) extending: Known\n  name -> String\n\n"
        "type Light = #red | #green\n\n"
        "pkg@Counter class >> at: n => n\n\n"
        "1 + 2\n"
    >>,
    Outline = btr_nif:outline(do_unit(Text)),
    ?assertMatch(
        #{
            classes := [],
            protocols := [
                #{
                    name := <<"Named">>,
                    type_params := [<<"T">>],
                    extending := <<"Known">>,
                    requirements := [#{selector := <<"name">>, side := instance}],
                    line := 1
                }
            ],
            aliases := [#{name := <<"Light">>, line := 4, col := 6}],
            extensions := [
                #{
                    target := <<"Counter">>,
                    package := <<"pkg">>,
                    side := class,
                    selector := <<"at:">>,
                    params := [<<"n">>]
                }
            ],
            statements := 1
        },
        Outline
    ).

outline_lists_references_once(_) ->
    Text = <<"x := B new.\ny := A new + B new.\nz := p@A new.\n">>,
    ?assertMatch(
        #{references := [{nil, <<"A">>}, {nil, <<"B">>}, {<<"p">>, <<"A">>}]},
        btr_nif:outline(do_unit(Text))
    ).

open_bracket_asks_for_another_line(_) ->
    Check = fun(Expected, Text) ->
        ?assertEqual({Text, Expected}, {Text, btr_nif:unit_incomplete(do_unit(Text))})
    end,
    Check(true, <<"x := [1">>),
    Check(true, <<"x := 1 +">>),
    Check(true, <<"\"abc">>),
    Check(false, <<"x := 1">>),
    Check(false, <<"x := 1)">>).

%% Snapshots.

staged_snapshot_is_unseen_until_published(_) ->
    Index = btr_nif:index_new(),
    ok = do_stage(Index, 1, #{<<"a.bt">> => <<"Object subclass: A\n  x => self foo\n">>}),
    ?assertEqual({0, []}, {btr_nif:index_generation(Index), do_owners(Index, <<"foo">>)}),
    ok = btr_nif:index_publish(Index, 1),
    ?assertEqual({1, [<<"A>>x">>]}, {btr_nif:index_generation(Index), do_owners(Index, <<"foo">>)}).

dropped_snapshot_is_forgotten(_) ->
    Index = btr_nif:index_new(),
    ok = do_stage(Index, 1, #{<<"a.bt">> => <<"Object subclass: A\n">>}),
    ok = btr_nif:index_drop(Index),
    ?assertMatch({error, {btr, <<"request.invalid">>, _}}, btr_nif:index_publish(Index, 1)),
    ?assertEqual(0, btr_nif:index_generation(Index)).

%% Made ahead of staging it, on what is current then or was before.
next_snapshot_is_made_ahead(_) ->
    Index = do_index(#{<<"a.bt">> => <<"A foo\n">>}),
    Put = fun(File, Text) ->
        [{put, File, do_unit(Text), #{package => <<"p">>, origin => project}}]
    end,
    {ok, B} = btr_nif:index_next(Index, Put(<<"b.bt">>, <<"B foo\n">>)),
    {ok, C} = btr_nif:index_next(Index, Put(<<"c.bt">>, <<"C foo\n">>)),
    ?assertMatch(#{files := 1}, btr_nif:stats(Index)),
    ?assert(btr_nif:index_memory(Index) > btr_nif:index_memory(btr_nif:index_new())),
    ok = btr_nif:index_stage(Index, 2, B),
    ?assertMatch(#{files := 1}, btr_nif:stats(Index)),
    ok = btr_nif:index_publish(Index, 2),
    ok = btr_nif:index_stage(Index, 3, C),
    ok = btr_nif:index_publish(Index, 3),
    ?assertMatch(
        [#{file := <<"a.bt">>}, #{file := <<"b.bt">>}, #{file := <<"c.bt">>}],
        btr_nif:senders_of(Index, <<"foo">>)
    ),
    ?assertMatch({error, {btr, <<"request.invalid">>, _}}, btr_nif:index_next(Index, [nothing])),
    ?assertError(badarg, btr_nif:index_stage(Index, 4, nothing)).

publishing_again_changes_nothing(_) ->
    Index = do_index(#{<<"a.bt">> => <<"Object subclass: A\n">>}),
    ok = btr_nif:index_publish(Index, 1),
    ?assertEqual(1, btr_nif:index_generation(Index)).

older_generation_is_refused(_) ->
    Index = do_index(#{<<"a.bt">> => <<"Object subclass: A\n">>}),
    ?assertMatch({error, {btr, <<"request.invalid">>, _}}, btr_nif:index_stage(Index, 0, [])).

deleted_unit_is_gone(_) ->
    Index = do_index(#{<<"a.bt">> => <<"A foo\n">>, <<"b.bt">> => <<"B foo\n">>}),
    ok = btr_nif:index_stage(Index, 2, [{delete, <<"a.bt">>}]),
    ok = btr_nif:index_publish(Index, 2),
    ?assertMatch([#{file := <<"b.bt">>}], btr_nif:senders_of(Index, <<"foo">>)),
    ?assertMatch(#{files := 1}, btr_nif:stats(Index)).

queries_answer_sites(_) ->
    Index = do_index(#{
        <<"a.bt">> => <<"Object subclass: A\n  x => self at: 1 put: B new\n">>,
        <<"b.bt">> => <<"A subclass: B\n  at: i put: v => v\n">>
    }),
    ?assertMatch(
        [
            #{
                file := <<"a.bt">>,
                owner := <<"A>>x">>,
                kind := self_send,
                line := 2,
                col := 13,
                start := 31,
                'end' := 41,
                old := <<"at:put:">>,
                new := nil,
                spans := [
                    #{start := 31, 'end' := 34, old := <<"at:">>, new := nil},
                    #{start := 37, 'end' := 41, old := <<"put:">>, new := nil}
                ]
            }
        ],
        btr_nif:senders_of(Index, <<"at:put:">>)
    ),
    ?assertMatch([#{kind := expression}], btr_nif:references_to(Index, <<"B">>)),
    ?assertMatch([#{kind := definition}], btr_nif:implementors_of(Index, <<"at:put:">>)),
    ?assertMatch([#{kind := declaration, old := <<"B">>}], btr_nif:subclasses_of(Index, <<"A">>)),
    ?assertMatch([#{old := <<"B">>}], btr_nif:all_subclasses_of(Index, <<"A">>)),
    ?assertMatch(
        #{free := false, implementors := [#{owner := <<"B>>at:put:">>}]},
        btr_nif:closure(Index, <<"A">>, instance, <<"at:put:">>)
    ),
    ?assertMatch(#{free := true}, btr_nif:closure(Index, <<"A">>, class, <<"at:put:">>)),
    ?assertMatch(
        {error, {btr, <<"class.not_found">>, _}},
        btr_nif:closure(Index, <<"Nope">>, instance, <<"x">>)
    ).

pages_and_counts_agree_with_whole_answers(_) ->
    Class = fun(N) ->
        Name = integer_to_binary(N),
        Send = <<"  a", Name/binary, " => self foo: C1 bar: C1\n">>,
        [<<"Object subclass: C">>, Name, <<"\n">>, Send, Send, <<"  foo: a bar: b => a\n">>]
    end,
    World = fun(Count) ->
        File = fun(N) -> <<"f", (integer_to_binary(N))/binary, ".bt">> end,
        do_index(maps:from_list([{File(N), Class(N)} || N <- lists:seq(1, Count)]))
    end,
    Big = World(2100),
    [
        begin
            All = Whole(I, Name),
            Total = length(All),
            ?assertMatch({Total, _}, Page(I, Name, 0, 10)),
            ?assertEqual([do_row(Site) || Site <- All], do_pages(Page, I, Name, 0))
        end
     || I <- [World(3), Big],
        {Whole, Page, Name} <- [
            {fun btr_nif:senders_of/2, fun btr_nif:senders_page/4, <<"foo:bar:">>},
            {fun btr_nif:references_to/2, fun btr_nif:references_page/4, <<"C1">>},
            {fun btr_nif:implementors_of/2, fun btr_nif:implementors_page/4, <<"foo:bar:">>},
            {fun btr_nif:senders_of/2, fun btr_nif:senders_page/4, <<"absent">>}
        ]
    ],
    ?assertEqual(4200, btr_nif:count_senders(Big, <<"foo:bar:">>)),
    ?assertEqual(8400, btr_nif:count_references(Big, <<"C1">>)),
    ?assertEqual(0, btr_nif:count_senders(Big, <<"absent">>)).

pages_of_a_closure_are_parts_of_the_whole(_) ->
    Class = fun(N) -> [<<"A subclass: B">>, integer_to_binary(N), <<"\n  x => 2\n">>] end,
    Index = do_index(#{
        <<"a.bt">> => <<"Object subclass: A\n  x => 1\n">>,
        <<"b.bt">> => iolist_to_binary([Class(N) || N <- lists:seq(1, 2500)])
    }),
    Page = fun(Offset, Limit) ->
        btr_nif:closure_page(Index, <<"A">>, instance, <<"x">>, Offset, Limit)
    end,
    #{free := false, total := 2500, implementors := All} =
        btr_nif:closure(Index, <<"A">>, instance, <<"x">>),
    ?assertEqual(lists:sort(fun(#{start := S}, #{start := T}) -> S =< T end, All), All),
    ?assertEqual(2500, length(lists:usort(All))),
    ?assertEqual(lists:sublist(All, 2401, 100), maps:get(implementors, Page(2400, 1000))),
    ?assertMatch(#{total := 2500, free := false, implementors := []}, Page(2500, 10)),
    ?assertEqual(lists:sublist(All, 11, 5), maps:get(implementors, Page(10, 5))).

%% A class that was made at run time is known by name only, and every answer about its line says so.
classes_without_source_are_named(_) ->
    Index = do_index(#{
        <<"a.bt">> => <<"Object subclass: A\n  x => 1\n">>,
        <<"b.bt">> => <<"Tug subclass: B\n  x => 2\n">>
    }),
    Opaque = #{
        class => <<"Tug">>, superclass => <<"A">>, package => <<"app">>, origin => project
    },
    ok = btr_nif:index_stage(Index, 2, [{opaque, <<"$built/Tug">>, Opaque}]),
    ok = btr_nif:index_publish(Index, 2),
    ?assertEqual([<<"Tug">>], btr_nif:not_searchable(Index)),
    Closure = fun(Class) -> btr_nif:closure(Index, Class, instance, <<"x">>) end,
    ?assertMatch(
        #{free := false, unknown := [<<"Tug">>], implementors := [#{owner := <<"B>>x">>}]},
        Closure(<<"A">>)
    ),
    ?assertMatch(#{free := false, unknown := []}, Closure(<<"Tug">>)),
    ?assertMatch([#{old := <<"Tug">>}], btr_nif:subclasses_of(Index, <<"A">>)),
    Rename = fun(Class) ->
        Request = #{operation => rename_class, class => Class, new_name => <<"Boat">>},
        btr_nif:plan(Index, Request)
    end,
    ?assertMatch({error, {btr, <<"operation.unsupported">>, _}}, Rename(<<"Tug">>)),
    {ok, #{not_searched := [NotSearched]}} = Rename(<<"A">>),
    ?assertMatch({0, 3}, binary:match(NotSearched, <<"Tug">>)),
    ok = btr_nif:index_stage(Index, 3, [{delete, <<"$built/Tug">>}]),
    ok = btr_nif:index_publish(Index, 3),
    ?assertEqual([], btr_nif:not_searchable(Index)),
    ?assertMatch(#{free := true}, Closure(<<"A">>)),
    ?assertMatch(
        {error, {btr, <<"request.invalid">>, _}},
        btr_nif:index_stage(Index, 4, [{opaque, <<"$built/Tug">>, maps:remove(class, Opaque)}])
    ).

%% How an owner came to be stands in its sites and rows.
owners_carry_side_and_provenance(_) ->
    Text = <<
        "Value subclass: Val\n  field: f :: P = nil go\n  m => self go\n  class k => self go\n"
        "Val >> e => self go\nVal class >> c => self go\n"
        "Protocol define: P\n  p -> Val\ntype Tied = Val | nil\nVal new go\n"
        "Val classBuilder name: #Built; addMethod: #go body: [1]; register\n"
    >>,
    Index = do_index(#{<<"v.bt">> => <<"Object subclass: Value\n\n", Text/binary>>}),
    Of = fun(Sites) -> [{P, S, O} || #{provenance := P, side := S, owner := O} <- Sites] end,
    ?assertEqual(
        [
            {field, instance, <<"Val">>},
            {body, instance, <<"Val>>m">>},
            {body, class, <<"Val class>>k">>},
            {extension, instance, <<"Val>>e">>},
            {extension, class, <<"Val class>>c">>},
            {statement, instance, <<"top level">>}
        ],
        Of(btr_nif:senders_of(Index, <<"go">>))
    ),
    Implementors = fun(Selector) -> Of(btr_nif:implementors_of(Index, Selector)) end,
    ?assertEqual([{builder, instance, <<"Built>>go">>}], Implementors(<<"go">>)),
    ?assertEqual([{generated, instance, <<"Val>>f">>}], Implementors(<<"f">>)),
    ?assertMatch(
        [{extension, _, _}, {extension, _, _}, {protocol, _, <<"Protocol P">>},
            {alias, _, <<"type Tied">>} | _],
        [O || {P, _, _} = O <- Of(btr_nif:references_to(Index, <<"Val">>)), P =/= statement]
    ),
    {6, [{<<"v.bt">>, 4, 23, Start, End, send, {field, <<"Val">>, instance, nil}} | _]} =
        btr_nif:senders_page(Index, <<"go">>, 0, 1000),
    ?assertEqual(2, End - Start).

senders_are_narrowed_by_class(_) ->
    Index = do_index(#{
        <<"a.bt">> => <<"Object subclass: A\n  x => 1\n">>,
        <<"b.bt">> => <<"Object subclass: B\n  x => 2\n  y: a => (A new x). (B new x). a x\n">>
    }),
    Lines = fun(Class) ->
        [Col || #{col := Col} <- btr_nif:senders_of_class(Index, <<"x">>, Class, instance)]
    end,
    ?assertEqual(2, length(Lines(<<"A">>))),
    ?assertEqual(2, length(Lines(<<"B">>))),
    ?assertNotEqual(Lines(<<"A">>), Lines(<<"B">>)),
    ?assertMatch(
        {error, {btr, <<"class.not_found">>, _}},
        btr_nif:senders_of_class(Index, <<"x">>, <<"Z">>, instance)
    ).

unused_and_unimplemented_selectors(_) ->
    Index = do_index(#{<<"a.bt">> => <<"Object subclass: A\n  x => self y\n  z => self x\n">>}),
    ?assertEqual([{<<"y">>, 1}], btr_nif:unimplemented_selectors(Index)),
    ?assertEqual(
        [{<<"y">>, btr_nif:senders_of(Index, <<"y">>)}], btr_nif:unimplemented_sends(Index)
    ),
    ?assertMatch([#{owner := <<"A>>z">>}], btr_nif:unused_definitions(Index)),
    ?assertEqual(true, btr_nif:is_closure_free(Index, <<"A">>, instance, <<"x">>)),
    ?assertMatch([#{kind := declaration}], btr_nif:declarations_of(Index, <<"A">>)),
    ?assertEqual([], btr_nif:symbols_of(Index, <<"x">>)).

unknown_names_make_no_atoms(_) ->
    Index = do_index(#{<<"a.bt">> => <<"Object subclass: A\n  qqzx1 => qqzx2 := self qqzx3\n">>}),
    Ask = fun(Name) ->
        _ = btr_nif:senders_of(Index, Name),
        _ = btr_nif:references_to(Index, Name),
        _ = btr_nif:implementors_of(Index, Name),
        btr_nif:closure(Index, Name, instance, Name)
    end,
    _ = Ask(<<"qqzx3">>),
    Names = [<<"Qqzx", (integer_to_binary(N))/binary>> || N <- lists:seq(100, 200)],
    _ = [Ask(Name) || Name <- Names],
    ?assertEqual([], [Name || Name <- [<<"qqzx3">> | Names], do_is_atom(Name)]).

%% Each generation has its number as the only sender's text; two files always agree.
readers_see_whole_generations(_) ->
    Index = btr_nif:index_new(),
    Stage = fun(Gen) ->
        Text = <<"Object subclass: A\n  x => self foo: ", (integer_to_binary(Gen))/binary, "\n">>,
        Pad = binary:copy(<<"\n">>, Gen),
        ok = do_stage(Index, Gen, #{<<"a.bt">> => [Pad, Text], <<"b.bt">> => [Pad, Text]}),
        ok = btr_nif:index_publish(Index, Gen)
    end,
    Stage(1),
    Reader = fun() ->
        [#{line := A}, #{line := B}] = btr_nif:senders_of(Index, <<"foo:">>),
        A =:= B
    end,
    Readers = [
        spawn_monitor(fun() -> exit([Reader() || _ <- lists:seq(1, 200)]) end)
     || _ <- lists:seq(1, 4)
    ],
    lists:foreach(Stage, lists:seq(2, 200)),
    Seen = [
        receive
            {'DOWN', Ref, process, Pid, Result} -> lists:usort(Result)
        end
     || {Pid, Ref} <- Readers
    ],
    ?assertEqual([[true]], lists:usort(Seen)).

%% Requests.

request_is_read_from_an_expression(_) ->
    ?assertEqual(
        {ok, #{operation => rename_class, class => <<"Counter">>, new_name => <<"Tally">>}},
        btr_nif:read_request(<<"Counter renameTo: #Tally">>)
    ),
    ?assertEqual(
        {ok, #{
            operation => rename_method,
            class => <<"Counter">>,
            side => class,
            selector => <<"a:">>,
            new_selector => <<"b:">>,
            accept => []
        }},
        btr_nif:read_request(<<"Counter class renameSelector: #a: to: #b:">>)
    ).

expression_that_asks_for_nothing_is_refused(_) ->
    ?assertMatch(
        {error, {btr, <<"request.invalid">>, #{message := _, hint := <<_, _/binary>>}}},
        btr_nif:read_request(<<"Counter new">>)
    ).

missing_key_is_named(_) ->
    Index = btr_nif:index_new(),
    Check = fun(Key, Request) ->
        {error, {btr, <<"request.invalid">>, #{message := Message}}} = btr_nif:plan(Index, Request),
        ?assertNotEqual(nomatch, binary:match(Message, Key))
    end,
    Check(<<"'operation'">>, #{class => <<"A">>}),
    Check(<<"'operation'">>, #{operation => dance, class => <<"A">>}),
    Check(<<"'new_name'">>, #{operation => rename_class, class => <<"A">>}),
    Check(<<"'class'">>, #{operation => rename_class, class => 'A', new_name => <<"B">>}),
    Check(<<"'side'">>, #{
        operation => remove_method, class => <<"A">>, side => left, selector => <<"x">>
    }),
    {error, {btr, <<"request.invalid">>, #{message := Message}}} =
        btr_nif:codegen_class(do_unit(<<"Object subclass: A\n">>), #{}),
    ?assertNotEqual(nomatch, binary:match(Message, <<"'names'">>)).

diff_is_unified(_) ->
    ?assertEqual(
        <<"--- a/x.bt\n+++ b/x.bt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n">>,
        btr_nif:diff(<<"a\nb\n">>, <<"a\nc\n">>, <<"x.bt">>)
    ),
    ?assertEqual(<<>>, btr_nif:diff(<<"a">>, <<"a">>, <<"x.bt">>)).

%% JSON.

json_there_and_back(_) ->
    Term = #{
        <<"list">> => [1, -2, 2.5, true, false, nil, <<"grün \"\\\n"/utf8>>, []],
        <<"map">> => #{<<>> => #{}},
        <<"big">> => 18446744073709551615,
        <<"bigger">> => [
            {integer, <<"18446744073709551616">>}, {integer, <<"-9223372036854775809">>}
        ]
    },
    ?assertEqual({ok, Term}, btr_nif:json_decode(btr_nif:json_encode(Term))),
    ?assertEqual({ok, #{<<"a">> => 2}}, btr_nif:json_decode(<<"{\"a\":1,\"a\":2}">>)),
    Digits = <<"123456789012345678901">>,
    ?assertEqual({ok, [{integer, Digits}, 1.5, Digits]},
        btr_nif:json_decode(
            <<"[", Digits/binary, ", 1.50000000000000000000, \"", Digits/binary, "\"]">>
        )),
    ?assertEqual({ok, <<"é😀"/utf8>>}, btr_nif:json_decode(<<"\"\\u00e9\\ud83d\\ude00\"">>)).

json_keys_are_sorted(_) ->
    ?assertEqual(
        <<"{\"a\":null,\"b\":\"x\",\"c\":[null]}">>,
        btr_nif:json_encode(#{c => [null], <<"b">> => x, a => nil})
    ).

json_limits_are_errors(_) ->
    Deep = lists:foldl(fun(_, Inner) -> [Inner] end, [], lists:seq(1, 100000)),
    [
        ?assertMatch({error, {btr, <<"json.unsupported">>, _}}, btr_nif:json_encode(Term))
     || Term <- [
            {a, b}, {integer, <<"12">>}, {integer, <<"1e9">>}, self(), <<255>>, 1 bsl 80, Deep,
            #{1 => 2}, [1 | 2]
        ]
    ],
    [
        ?assertMatch({error, {btr, <<"json.invalid">>, _}}, btr_nif:json_decode(Text))
     || Text <- [
            <<>>, <<"{">>, <<"1 2">>, <<"\"", 255, "\"">>, binary:copy(<<"[">>, 200000),
            <<(binary:copy(<<"[">>, 200))/binary, (binary:copy(<<"1">>, 30))/binary,
                (binary:copy(<<"]">>, 200))/binary>>,
            <<"012345678901234567890">>, <<"-">>
        ]
    ].

%% Harm.

wrong_types_raise_badarg(_) ->
    Index = btr_nif:index_new(),
    Calls = [
        fun() -> btr_nif:parse(text) end,
        fun() -> btr_nif:outline(make_ref()) end,
        fun() -> btr_nif:unit_errors(Index) end,
        fun() -> btr_nif:index_stage(Index, -1, []) end,
        fun() -> btr_nif:senders_of(Index, foo) end,
        fun() -> btr_nif:parse_many([<<"x">>]) end
    ],
    [?assertError(badarg, Call()) || Call <- Calls].

deep_nesting_is_an_error_not_a_crash(_) ->
    Check = fun(Open, Close) ->
        Text = iolist_to_binary([
            "Object subclass: A\n  x => ", lists:duplicate(50000, Open), "1",
            lists:duplicate(50000, Close), "\n"
        ]),
        Unit = do_unit(Text),
        ?assertMatch([_ | _], btr_nif:unit_errors(Unit)),
        ?assertMatch(#{classes := [_]}, btr_nif:outline(Unit)),
        ok = do_stage(btr_nif:index_new(), 1, #{<<"a.bt">> => Text})
    end,
    Check("(", ")"),
    Check("[", "]"),
    Check("#(", ")"),
    Check("#{#a => ", "}"),
    Check("\"{", "}\"").

%% Thousands of units, none kept: memory held by the native side comes back.
resources_are_given_back(_) ->
    Text = binary:copy(<<"// 0123456789\n">>, 20000),
    Before = do_resident(),
    _ = [begin {ok, _} = btr_nif:parse(Text), garbage_collect() end || _ <- lists:seq(1, 400)],
    Grown = do_resident() - Before,
    ?assert(Grown < 60 * 1024, {kilobytes, Grown}).

%% Helpers.

do_unit(Text) ->
    {ok, Unit} = btr_nif:parse(Text),
    Unit.

do_spaces(N) -> lists:duplicate(N * 3, $\s).

do_index(Files) ->
    Index = btr_nif:index_new(),
    ok = do_stage(Index, 1, Files),
    ok = btr_nif:index_publish(Index, 1),
    Index.

do_stage(Index, Generation, Files) ->
    btr_nif:index_stage(Index, Generation, [
        {put, File, do_unit(iolist_to_binary(Text)), #{package => <<"p">>, origin => project}}
     || {File, Text} <- maps:to_list(Files)
    ]).

do_owners(Index, Selector) ->
    [Owner || #{owner := Owner} <- btr_nif:senders_of(Index, Selector)].

do_pages(Page, Index, Name, Offset) ->
    case Page(Index, Name, Offset, 90) of
        {_, []} -> [];
        {_, Rows} -> [do_row(R) || R <- Rows] ++ do_pages(Page, Index, Name, Offset + length(Rows))
    end.

%% A row and a site as what they have in common.
do_row(#{start := Start, 'end' := End, side := Side, provenance := Provenance} = Site) ->
    #{file := File, line := Line, col := Col, kind := Kind, owner := Owner} = Site,
    {File, Line, Col, Start, End, Kind, Provenance, Side, Owner};
do_row({File, Line, Col, Start, End, Kind, {Provenance, Name, Side, Selector}}) ->
    {File, Line, Col, Start, End, Kind, Provenance, Side, do_owner(Provenance, Name, Selector)}.

do_owner(header, Name, nil) -> Name;
do_owner(body, Name, Selector) -> <<Name/binary, ">>", Selector/binary>>.

do_is_atom(Name) ->
    try binary_to_existing_atom(Name) of
        _ -> true
    catch
        error:badarg -> false
    end.

%% Resident kilobytes of this node.
do_resident() ->
    {ok, Status} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = binary:split(Status, <<" ">>, [global]),
    binary_to_integer(Pages) * 4.
