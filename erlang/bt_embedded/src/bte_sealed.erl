%% @doc What `sealed' forbids: a class below a sealed class, and a method in place of a sealed one
%% above. The library may do what it says itself. Pure. Tested by `bte_compiler_SUITE'.
-module(bte_sealed).

-export([problems/2]).

-type defined() :: {bte_registry:identity(), Unit :: map(), Class :: map()}.

%% @doc Answers what is wrong with classes that a change defines, each with the thing it is about.
-spec problems([defined()], bte_world:world()) -> [{Unit :: map(), Item :: map(), map()}].
problems(Defined, World) ->
    Own = [D || {_, #{origin := Origin}, _} = D <- Defined, Origin =/= stdlib],
    {Problems, _} = lists:mapfoldl(fun(D, Known) -> class(D, World, Known) end, #{}, Own),
    lists:append(Problems).

class({Identity, Unit, Class}, World, Known0) ->
    Above = above(Identity, World, [Identity]),
    {Sealed, Known} = sealed_from(Above, World, Known0),
    {sealed_superclass(Unit, Class, Above) ++ sealed_methods(Unit, Class, Sealed), Known}.

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

sealed_methods(Unit, #{methods := Methods}, Sealed) ->
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

%% The sealed methods of a class and of those above it; each class is looked at once.
sealed_from([], _, Known) ->
    {#{}, Known};
sealed_from([#{identity := Identity} | _], _, Known) when is_map_key(Identity, Known) ->
    {map_get(Identity, Known), Known};
sealed_from([#{identity := Identity} = Head | Above], World, Known0) ->
    {Inherited, Known} = sealed_from(Above, World, Known0),
    Sealed = maps:merge(Inherited, maps:from_list(sealed(Head, World))),
    {Sealed, Known#{Identity => Sealed}}.

sealed(#{name := Name, file := File}, World) ->
    case bte_world:read(World, unit, File) of
        {ok, Row} ->
            #{classes := Classes} = bte_packed:outline(Row),
            [
                {{Side, Selector}, Name}
             || #{name := N, methods := Methods} <- Classes, N =:= Name,
                #{side := Side, selector := Selector, modifiers := M} <- Methods,
                lists:member(sealed, M)
            ];
        error ->
            []
    end.
