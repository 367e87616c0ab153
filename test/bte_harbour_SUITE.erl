%% @doc What the example project promises: it parses, and it shows every way in which Beamtalk can
%% name a class. (Its own tests run as a runner of their own, scripts/test.sh.)
-module(bte_harbour_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0]).
-export([
    harbour_has_at_least_fifteen_classes_in_as_many_files/1,
    harbour_names_berth_in_every_way/1,
    harbour_names_a_protocol_with_extending/1,
    harbour_mentions_berth_in_symbols_strings_and_comments/1,
    harbour_has_subclasses_two_deep_under_an_abstract_class/1,
    harbour_extends_classes_on_both_sides/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        harbour_has_at_least_fifteen_classes_in_as_many_files,
        harbour_names_berth_in_every_way,
        harbour_names_a_protocol_with_extending,
        harbour_mentions_berth_in_symbols_strings_and_comments,
        harbour_has_subclasses_two_deep_under_an_abstract_class,
        harbour_extends_classes_on_both_sides
    ].

harbour_has_at_least_fifteen_classes_in_as_many_files(_Config) ->
    Counts = [length(maps:get(classes, O)) || {"src/" ++ _, O} <- do_outlines()],
    ?assert(lists:sum(Counts) >= 15),
    ?assert(lists:max(Counts) =< 1).

harbour_names_berth_in_every_way(_Config) ->
    Kinds = do_kinds(<<"Berth">>),
    Wanted = [superclass, superclass_argument, bound, extension_target, expression, annotation,
              pattern, alias],
    ?assertEqual([], Wanted -- Kinds),
    Texts = iolist_to_binary([Text || {_, Text} <- do_texts()]),
    ?assertMatch({_, _}, binary:match(Texts, <<"harbour@Berth subclass:">>)),
    ?assertMatch({_, _}, binary:match(Texts, <<"harbour@Berth >>">>)),
    ?assertMatch({_, _}, binary:match(Texts, <<":= harbour@Berth ">>)).

harbour_names_a_protocol_with_extending(_Config) ->
    ?assert(lists:member(extending, do_kinds(<<"Named">>))).

harbour_mentions_berth_in_symbols_strings_and_comments(_Config) ->
    Texts = iolist_to_binary([Text || {_, Text} <- do_texts()]),
    Patterns = [
        "#Berth\\b",
        "#'Berth class'",
        "\"[^\"\n]*Berth [^\"\n]*\"",
        "/// .*\\bBerth\\b",
        "/// .*\\bBerth number:"
    ],
    [?assertMatch({_, {match, _}}, {P, re:run(Texts, P)}) || P <- Patterns],
    ok.

harbour_has_subclasses_two_deep_under_an_abstract_class(_Config) ->
    Classes = maps:from_list([
        {Name, Class}
     || {_, #{classes := All}} <- do_outlines(), #{name := Name} = Class <- All
    ]),
    #{<<"Tanker">> := #{superclass := Parent}} = Classes,
    #{Parent := #{superclass := Top}} = Classes,
    #{Top := #{modifiers := Modifiers}} = Classes,
    ?assert(lists:member(abstract, Modifiers)).

harbour_extends_classes_on_both_sides(_Config) ->
    Extensions = [E || {_, #{extensions := All}} <- do_outlines(), E <- All],
    Sides = lists:usort([{Target, Side} || #{target := Target, side := Side} <- Extensions]),
    ?assertEqual([], [
        {Target, Side}
     || Target <- [<<"Berth">>, <<"String">>], Side <- [instance, class]
    ] -- Sides).

do_kinds(Name) ->
    Index = btr_nif:index_new(),
    ok = btr_nif:index_stage(Index, 1, [
        {put, unicode:characters_to_binary(File), do_unit(Text), do_origin()}
     || {File, Text} <- do_texts()
    ]),
    ok = btr_nif:index_publish(Index, 1),
    lists:usort([Kind || #{kind := Kind} <- btr_nif:references_to(Index, Name)]).

do_origin() -> #{package => <<"harbour">>, origin => project}.

do_outlines() -> [{File, btr_nif:outline(do_unit(Text))} || {File, Text} <- do_texts()].

do_unit(Text) ->
    {ok, Unit} = btr_nif:parse(Text),
    ?assertEqual([], btr_nif:unit_errors(Unit)),
    Unit.

do_texts() ->
    Dir = filename:join([do_root(filename:dirname(code:which(?MODULE))), "examples", "harbour"]),
    [
        {File, Text}
     || File <- filelib:wildcard("**/*.bt", Dir),
        {ok, Text} <- [file:read_file(filename:join(Dir, File))]
    ].

do_root(Dir) ->
    case filelib:is_file(filename:join(Dir, "rebar.config")) of
        true -> Dir;
        false -> do_root(filename:dirname(Dir))
    end.
