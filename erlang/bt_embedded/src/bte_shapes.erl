%% @doc The shape of a class: what it is (object, value, actor) and which fields it has, by its
%% chain of ancestors. A class whose shape changes changes everything below it. Pure but for
%% reading the registry. Tested by `bte_compiler_SUITE'.
-module(bte_shapes).

-export([update/3, shape/1]).

-type identity() :: bte_registry:identity().

%% @doc Works out the shapes of classes that have been defined and of those below them where the
%% shape is another than before. Answers those below that are affected, or the classes that are
%% their own ancestors.
-spec update(bte_world:world(), Before :: bte_world:world(), [identity()]) ->
    {ok, bte_world:world(), [identity()]} | {error, [identity()]}.
update(World, Before, Identities) ->
    case [I || I <- Identities, is_cyclic(World, I)] of
        [] ->
            {World1, _} = lists:foldl(fun put_shape/2, {World, #{}}, Identities),
            below(World1, Before, Identities);
        Cycles ->
            {error, Cycles}
    end.

is_cyclic(World, Identity) ->
    is_cyclic(World, Identity, #{}).

is_cyclic(World, Identity, Seen) ->
    case bte_world:read(World, class, Identity) of
        {ok, #{superclass := nil}} -> false;
        {ok, #{superclass := Super}} when is_map_key(Super, Seen) -> true;
        {ok, #{superclass := Super}} -> is_cyclic(World, Super, Seen#{Identity => true});
        error -> false
    end.

%% Each class once, its superclass first.
put_shape(nil, Acc) ->
    Acc;
put_shape(Identity, {_, Done} = Acc) when is_map_key(Identity, Done) ->
    Acc;
put_shape(Identity, {World0, Done}) ->
    case bte_world:read(World0, class, Identity) of
        {ok, #{superclass := Super} = Head} ->
            {World, Done1} = above(Super, {World0, Done}),
            New = maps:merge(Head, derived(Identity, Head, parent(World, Super))),
            {bte_world:write(World, class, Identity, New), Done1#{Identity => true}};
        error ->
            {World0, Done}
    end.

%% Only classes of the change have a shape that is not worked out yet.
above(Super, {World, _} = Acc) ->
    case Super =/= nil andalso bte_world:read(World, class, Super) of
        {ok, #{fields := _}} -> Acc;
        {ok, _} -> put_shape(Super, Acc);
        _ -> Acc
    end.

parent(_, nil) ->
    none;
parent(World, Super) ->
    case bte_world:read(World, class, Super) of
        {ok, Head} -> Head;
        error -> none
    end.

derived(Identity, #{own_fields := Own, own_class_fields := OwnClass}, Parent) ->
    Fields = inherited(fields, Parent),
    ClassFields = inherited(class_fields, Parent),
    #{
        kind => kind(Identity, Parent),
        fields => Fields ++ (Own -- Fields),
        class_fields => ClassFields ++ (OwnClass -- ClassFields)
    }.

inherited(_, none) -> [];
inherited(Key, Parent) -> maps:get(Key, Parent, []).

kind('bt@stdlib@actor', _) -> actor;
kind('bt@stdlib@value', _) -> value;
kind(_, none) -> object;
kind(_, #{kind := Kind}) -> Kind.

%% @doc Answers what of a class's head goes into the code of the classes below it.
-spec shape(map()) -> term().
shape(Head) ->
    {
        maps:get(superclass, Head), maps:get(kind, Head), maps:get(fields, Head, []),
        maps:get(class_fields, Head, [])
    }.

below(World, Before, Identities) ->
    case [I || I <- Identities, has_new_shape(World, Before, I)] of
        [] -> {ok, World, []};
        Changed -> below_changed(World, Changed)
    end.

has_new_shape(World, Before, Identity) ->
    {ok, New} = bte_world:read(World, class, Identity),
    case bte_world:read(Before, class, Identity) of
        {ok, Old} -> shape(Old) =/= shape(New);
        error -> false
    end.

below_changed(World0, Changed) ->
    Children = children(World0),
    Below = descend(Changed, Children, []),
    %% From the top down, so that a superclass's shape is there before its subclasses'.
    World = lists:foldl(fun reshape/2, World0, Below),
    {ok, World, lists:usort(Below)}.

reshape(Identity, World) ->
    {ok, #{superclass := Super} = Head} = bte_world:read(World, class, Identity),
    New = maps:merge(Head, derived(Identity, Head, parent(World, Super))),
    bte_world:write(World, class, Identity, New).

children(World) ->
    lists:foldl(
        fun(C, Acc) ->
            {ok, #{superclass := Super}} = bte_world:read(World, class, C),
            Acc#{Super => [C | maps:get(Super, Acc, [])]}
        end,
        #{},
        bte_world:keys(World, class)
    ).

descend([], _, Acc) ->
    lists:reverse(Acc);
descend([C | Queue], Children, Acc) ->
    Next = lists:sort(maps:get(C, Children, [])) -- Acc,
    descend(Queue ++ Next, Children, lists:reverse(Next) ++ Acc).
