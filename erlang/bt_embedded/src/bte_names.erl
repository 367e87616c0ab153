%% @doc What class names stand for when code is generated: the map that the generator is given.
-module(bte_names).

-export([resolve/3, resolve_loaded/4]).

-type name_ref() :: {Package :: binary() | nil, Name :: binary()}.
-type resolved() :: {class | singleton, binary()}.

%% @doc Resolves the names that a unit of a package refers to; a name nobody bears is left out.
-spec resolve([name_ref()], binary() | nil, bte_world:world()) ->
    #{binary() | {binary(), binary()} => resolved()}.
resolve(References, Package, World) ->
    maps:from_list([
        {key(Reference), Resolved}
     || Reference <- References, {ok, Resolved} <- [one(Reference, Package, World)]
    ]).

%% @doc The same for code that is loaded: what it does not look up late it holds by identity, though
%% the class may be gone by now.
-spec resolve_loaded([name_ref()], binary() | nil, Late :: [binary()], bte_world:world()) ->
    #{binary() | {binary(), binary()} => resolved()}.
resolve_loaded(References, Package, Late, World) ->
    Gone = maps:from_list([
        {key(Reference), {class, atom_to_binary(Identity)}}
     || {Owner, Name} = Reference <- References,
        not lists:member(Name, Late),
        {ok, Identity} <- [former_bearer(Name, or_else(Owner, Package), World)]
    ]),
    maps:merge(Gone, resolve(References, Package, World)).

former_bearer(Name, Package, World) ->
    case bte_world:read(World, name, Name) of
        {ok, Bearers} ->
            case [I || {vacant, P, I} <- Bearers, P =:= Package] of
                [Identity] -> {ok, Identity};
                [] -> error
            end;
        error ->
            error
    end.

or_else(nil, Package) -> Package;
or_else(Owner, _) -> Owner.

key({nil, Name}) -> Name;
key({Package, Name}) -> {Package, Name}.

one({nil, Name}, Package, World) ->
    case lists:keyfind(Name, 1, bte_registry:singletons()) of
        {_, Identity} -> {ok, {singleton, atom_to_binary(Identity)}};
        false -> class(bte_world:lookup(World, Name, Package))
    end;
one({Owner, Name}, _, World) ->
    class(bte_world:lookup(World, <<Owner/binary, "@", Name/binary>>, nil)).

class({ok, Identity}) -> {ok, {class, atom_to_binary(Identity)}};
class(error) -> error.
