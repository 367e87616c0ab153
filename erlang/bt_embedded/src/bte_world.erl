%% @doc What the registry says, with the changes of one transaction laid over it. Reading goes to
%% the changes first; nothing is written to the registry until {@link rows/1} is staged there.
-module(bte_world).

-export([new/1, generation/1, read/3, write/4, delete/3, keys/2, rows/1, lookup/3]).
-export_type([world/0]).

-opaque world() :: {
    Gen :: non_neg_integer(), #{{bte_registry:kind(), bte_registry:key()} => term() | deleted}
}.

%% @doc Makes a world without changes on a generation.
-spec new(non_neg_integer()) -> world().
new(Gen) ->
    {Gen, #{}}.

%% @doc Answers the generation it stands on.
-spec generation(world()) -> non_neg_integer().
generation({Gen, _}) ->
    Gen.

%% @doc Reads a row.
-spec read(world(), bte_registry:kind(), bte_registry:key()) -> {ok, term()} | error.
read({Gen, Changes}, Kind, Key) ->
    case Changes of
        #{{Kind, Key} := deleted} -> error;
        #{{Kind, Key} := Value} -> {ok, Value};
        _ -> bte_registry:read(Kind, Key, Gen)
    end.

%% @doc Puts a row.
-spec write(world(), bte_registry:kind(), bte_registry:key(), term()) -> world().
write({Gen, Changes}, Kind, Key, Value) ->
    {Gen, Changes#{{Kind, Key} => Value}}.

%% @doc Takes a row out.
-spec delete(world(), bte_registry:kind(), bte_registry:key()) -> world().
delete(World, Kind, Key) ->
    write(World, Kind, Key, deleted).

%% @doc Answers the keys of a kind, sorted.
-spec keys(world(), bte_registry:kind()) -> [bte_registry:key()].
keys({Gen, Changes}, Kind) ->
    Here = [{Key, Value} || {{K, Key}, Value} <- maps:to_list(Changes), K =:= Kind],
    Gone = [Key || {Key, deleted} <- Here],
    New = [Key || {Key, Value} <- Here, Value =/= deleted],
    lists:usort(New ++ (bte_registry:keys(Kind, Gen) -- Gone)).

%% @doc Answers the changes as rows to stage, sorted.
-spec rows(world()) -> [{bte_registry:kind(), bte_registry:key(), term() | deleted}].
rows({_, Changes}) ->
    lists:sort([{Kind, Key, Value} || {{Kind, Key}, Value} <- maps:to_list(Changes)]).

%% @doc Finds the class that a name means in a package.
-spec lookup(world(), binary(), binary() | nil) -> {ok, bte_registry:identity()} | error.
lookup(World, Name, Package) ->
    bte_registry:lookup(Name, Package, fun(Kind, Key) -> read(World, Kind, Key) end).
