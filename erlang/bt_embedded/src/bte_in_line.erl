%% @doc Methods of the library that calling code does not ask for, because the generator compiles
%% their sends in line: changing or removing one would be without effect, or with one here and none
%% there. Pure. Tested by test/scripts/library_in_memory.btscript.
-module(bte_in_line).

-export([problems/2]).

-type defined() :: {bte_registry:identity(), Unit :: map(), Class :: map()}.

%% @doc Answers what is wrong with classes that a change defines, each with the thing it is about.
-spec problems([defined()], bte_world:world()) -> [{Unit :: map(), Item :: map(), map()}].
problems(Defined, Before) ->
    lists:append([
        class(Unit, Class, bte_world:read(Before, unit, File))
     || {_, #{origin := stdlib, file := File} = Unit, Class} <- Defined
    ]).

%% The library as it is loaded first has nothing to differ from.
class(_, _, error) ->
    [];
class(Unit, #{name := Name} = Class, {ok, Row}) ->
    #{classes := Old} = bte_packed:outline(Row),
    New = sources(Class),
    Changed = [
        Selector
     || #{name := N} = C <- Old, N =:= Name,
        {Selector, Source} <- maps:to_list(sources(C)),
        maps:find(Selector, New) =/= {ok, Source}
    ],
    Added = maps:keys(New) -- lists:append([maps:keys(sources(C)) || C <- Old]),
    [problem(Unit, Class, Selector) || Selector <- lists:usort(Changed ++ Added)].

%% The texts of its methods that are compiled in line.
sources(#{name := Name, methods := Methods}) ->
    maps:from_list([
        {Selector, Source}
     || #{side := instance, selector := Selector, source := Source} <- Methods,
        is_in_line(Name, Selector)
    ]).

problem(Unit, #{methods := Methods} = Class, Selector) ->
    {Item, Verb} =
        case [M || #{side := instance, selector := S} = M <- Methods, S =:= Selector] of
            [Method | _] -> {Method, <<"defined">>};
            [] -> {Class, <<"removed">>}
        end,
    {Unit, Item, #{
        code => <<"compile.reserved_selector">>,
        message => <<
            "'", Selector/binary, "' cannot be ", Verb/binary,
            " here: sends of it are compiled in line"
        >>,
        hint => <<"Give a method of your own another name.">>
    }}.

is_in_line(Name, Selector) ->
    lists:member(Selector, asked_of_all()) orelse lists:member(Selector, of_class(Name)).

asked_of_all() ->
    [
        <<"==">>, <<"/=">>, <<"=:=">>, <<"=/=">>, <<"isNil">>, <<"notNil">>, <<"ifNil:">>,
        <<"ifNotNil:">>, <<"ifNil:ifNotNil:">>, <<"ifNotNil:ifNil:">>
    ].

%% With literal blocks, or between numbers.
of_class(Name) when Name =:= <<"Boolean">>; Name =:= <<"True">>; Name =:= <<"False">> ->
    [
        <<"ifTrue:">>, <<"ifFalse:">>, <<"ifTrue:ifFalse:">>, <<"ifFalse:ifTrue:">>, <<"and:">>,
        <<"or:">>
    ];
of_class(Name) when Name =:= <<"Number">>; Name =:= <<"Integer">>; Name =:= <<"Float">> ->
    [
        <<"+">>, <<"-">>, <<"*">>, <<"<">>, <<">">>, <<"<=">>, <<">=">>, <<"timesRepeat:">>,
        <<"to:do:">>, <<"to:by:do:">>
    ];
of_class(<<"Block">>) ->
    [
        <<"whileTrue:">>, <<"whileFalse:">>, <<"whileTrue">>, <<"whileFalse">>, <<"repeat">>,
        <<"value">>, <<"value:">>, <<"value:value:">>, <<"value:value:value:">>,
        <<"value:value:value:value:">>
    ];
of_class(_) ->
    [].
