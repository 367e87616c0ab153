%% @doc What `sealed' forbids: a class below a sealed class, and a method in place of a sealed one
%% above. The library may do what it says itself. Pure. Tested by `bte_compiler_SUITE'.
-module(bte_sealed).

-export([problems/2]).

-type defined() :: {bte_registry:identity(), Unit :: map(), Class :: map()}.

%% @doc Answers what is wrong with classes that a change defines, each with the thing it is about.
-spec problems([defined()], bte_world:world()) -> [{Unit :: map(), Item :: map(), map()}].
problems(Defined, World) ->
    lists:append([
        class(Definition, World)
     || {_, #{origin := Origin}, _} = Definition <- Defined, Origin =/= stdlib
    ]).

class({Identity, Unit, Class}, World) ->
    Above = above(Identity, World, [Identity]),
    sealed_superclass(Unit, Class, Above) ++ sealed_methods(Unit, Class, Above, World).

%% The heads of the classes above; a circle, which is refused elsewhere, is gone round once.
above(Identity, World, Seen) ->
    {ok, #{superclass := Super}} = bte_world:read(World, class, Identity),
    case lists:member(Super, Seen) orelse bte_world:read(World, class, Super) of
        {ok, Head} -> [Head | above(Super, World, [Super | Seen])];
        _ -> []
    end.

sealed_superclass(Unit, #{name := Name} = Class, [#{name := Super, modifiers := Modifiers} | _]) ->
    case lists:member(sealed, Modifiers) of
        true ->
            [{Unit, Class, #{
                code => <<"class.sealed">>,
                message => <<"cannot subclass the sealed class ", Super/binary>>,
                hint => <<"Put a ", Super/binary, " in a field of ", Name/binary, " instead.">>
            }}];
        false ->
            []
    end;
sealed_superclass(_, _, []) ->
    [].

sealed_methods(Unit, #{methods := Methods}, Above, World) ->
    Sealed = maps:from_list(lists:append([sealed(Head, World) || Head <- lists:reverse(Above)])),
    [
        {Unit, Method, #{
            code => <<"method.sealed">>,
            message => iolist_to_binary([
                <<"cannot override the sealed method ">>, Owner, <<">>">>, Selector
            ]),
            hint => <<"Choose another selector.">>
        }}
     || #{side := Side, selector := Selector} = Method <- Methods,
        #{{Side, Selector} := Owner} <- [maps:with([{Side, Selector}], Sealed)]
    ].

sealed(#{name := Name, file := File}, World) ->
    case bte_world:read(World, unit, File) of
        {ok, #{outline := #{classes := Classes}}} ->
            [
                {{Side, Selector}, Name}
             || #{name := N, methods := Methods} <- Classes, N =:= Name,
                #{side := Side, selector := Selector, modifiers := M} <- Methods,
                lists:member(sealed, M)
            ];
        error ->
            []
    end.
