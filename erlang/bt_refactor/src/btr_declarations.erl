%% @doc Judges the declarations of a whole package: what no single file can show.
%%
%% Works on outlines (`btr_nif:outline/1') and is pure. All problems are collected, sorted by place.
%% Tested by `btr_project_SUITE'.
-module(btr_declarations).

-export([validate/2]).

-type unit() :: {File :: binary(), Outline :: map()}.
-type names() :: #{library := [binary()], known => [binary()]}.

%% @doc Finds names declared twice (classes, protocols and aliases share one name space) or owned by
%% the library, missing superclasses and extended classes, cycles, and methods that two extensions
%% add.
-spec validate([unit()], names()) -> ok | {error, [btr_project:problem(), ...]}.
validate(Units, #{library := Library} = Names) ->
    Declared = lists:append([declared(Unit) || Unit <- Units]),
    Known = maps:from_keys(Library ++ maps:get(known, Names, []), true),
    Own = maps:from_list([{Name, true} || #{name := Name} <- Declared]),
    Problems =
        taken(Declared, maps:from_keys(Library, true)) ++
            duplicates(Declared, fun(#{name := Name}) -> Name end, fun twice/2) ++
            orphans(Declared, maps:merge(Known, Own)) ++
            without_class(extensions(Units), maps:merge(Known, Own)) ++
            cycles(Declared) ++
            duplicates(extensions(Units), fun extension_key/1, fun extended_twice/2),
    case lists:sort(fun is_before/2, Problems) of
        [] -> ok;
        Sorted -> {error, Sorted}
    end.

is_before({btr, _, A}, {btr, _, B}) -> place(A) =< place(B).

place(#{file := File, line := Line, col := Col}) -> {File, Line, Col}.

declared({File, #{classes := Classes, protocols := Protocols, aliases := Aliases}}) ->
    [Class#{file => File, what => <<"class">>} || Class <- Classes] ++
        [(with_file(Protocol, File))#{what => <<"protocol">>} || Protocol <- Protocols] ++
        [(with_file(Alias, File))#{what => <<"type alias">>} || Alias <- Aliases].

with_file(Declaration, File) -> Declaration#{file => File, superclass => nil}.

extensions(Units) ->
    [
        Extension#{file => File}
     || {File, #{extensions := Extensions}} <- Units, Extension <- Extensions
    ].

extension_key(#{target := Target, side := Side, selector := Selector}) -> {Target, Side, Selector}.

%% Names.

taken(Declared, Library) ->
    [
        problem(<<"class.taken">>, Declaration, [
            <<"the standard library has a class '">>, Name, <<"' already">>
        ])
     || #{name := Name} = Declaration <- Declared, is_map_key(Name, Library)
    ].

%% A problem for the second and every later declaration with an equal key.
duplicates(Declared, Key, Describe) ->
    Check = fun(Declaration, {First, Problems}) ->
        Id = Key(Declaration),
        case First of
            #{Id := Other} -> {First, [Describe(Declaration, Other) | Problems]};
            _ -> {First#{Id => Declaration}, Problems}
        end
    end,
    {_, Problems} = lists:foldl(Check, {#{}, []}, Declared),
    Problems.

twice(#{name := Name} = Declaration, #{what := What} = Other) ->
    problem(<<"class.duplicate">>, Declaration, [
        <<"'">>, Name, <<"' is declared twice: there is a ">>, What, <<" of this name at ">>,
        shown(Other)
    ]).

extended_twice(#{target := Target, side := Side, selector := Selector} = Extension, Other) ->
    problem(<<"extension.duplicate">>, Extension, [
        <<"'">>, Target, side(Side), <<" >> ">>, Selector, <<"' is added twice: first at ">>,
        shown(Other)
    ]).

side(instance) -> <<>>;
side(class) -> <<" class">>.

shown(#{file := File, line := Line} = Declaration) ->
    Col = maps:get(col, Declaration, 1),
    [File, $:, integer_to_binary(Line), $:, integer_to_binary(Col)].

%% Extension methods of a class that is not there; one problem for each.
without_class(Extensions, Known) ->
    [
        problem(<<"class.not_found">>, Extension, [
            <<"the extended class '">>, Target, <<"' does not exist">>
        ])
     || #{target := Target} = Extension <- Extensions,
        maps:get(package, Extension, nil) =:= nil,
        not is_map_key(Target, Known)
    ].

%% Superclasses.

orphans(Declared, Known) ->
    [
        problem(<<"class.no_superclass">>, at_superclass(Class), [
            <<"the superclass '">>, Super, <<"' of '">>, Name, <<"' does not exist">>
        ])
     || #{name := Name, superclass := Super} = Class <- Declared,
        Super =/= nil,
        maps:get(superclass_package, Class, nil) =:= nil,
        not is_map_key(Super, Known)
    ].

at_superclass(Class) ->
    Class#{
        line => maps:get(superclass_line, Class, maps:get(line, Class)),
        col => maps:get(superclass_col, Class, maps:get(col, Class, 1))
    }.

%% One problem for each cycle, at its class that is declared first.
cycles(Declared) ->
    Supers = maps:from_list([
        {Name, Super}
     || #{name := Name, superclass := Super} = Class <- lists:reverse(Declared),
        Super =/= nil,
        maps:get(superclass_package, Class, nil) =:= nil
    ]),
    Check = fun(#{name := Name} = Class, {Known, Problems}) ->
        case chain(Name, Supers, Known, [], #{}) of
            {ok, Chain} ->
                {mark(Chain, Known), Problems};
            {cycle, Cycle, Chain} ->
                {mark(Chain, Known), [cycle(Class, Cycle) | Problems]}
        end
    end,
    {_, Problems} = lists:foldl(Check, {#{}, []}, Declared),
    Problems.

mark(Chain, Known) -> maps:merge(Known, maps:from_keys(Chain, true)).

%% The names above a class up to one that is known to be judged, or the cycle they run into.
chain(Name, Supers, Known, Chain, OnChain) ->
    case {is_map_key(Name, Known), is_map_key(Name, OnChain), Supers} of
        {true, _, _} -> {ok, Chain};
        {_, true, _} -> {cycle, [Name | until(Name, Chain)], Chain};
        {_, _, #{Name := Super}} ->
            chain(Super, Supers, Known, [Name | Chain], OnChain#{Name => true});
        _ -> {ok, [Name | Chain]}
    end.

until(Name, Chain) ->
    {Above, _} = lists:splitwith(fun(Other) -> Other =/= Name end, Chain),
    Above ++ [Name].

cycle(Class, Names) ->
    Path = lists:join(<<" < ">>, lists:reverse(Names)),
    Message = [<<"these classes inherit in a circle: ">>, Path],
    problem(<<"class.cycle">>, at_superclass(Class), Message).

problem(Code, #{file := File, line := Line} = Declaration, Message) ->
    Col = maps:get(col, Declaration, 1),
    Text = iolist_to_binary(Message),
    {btr, Code, #{file => File, line => Line, col => Col, message => Text, hint => nil}}.
