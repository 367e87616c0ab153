%% @doc Instances of value and object classes: tagged maps. Tested by `bte_class_SUITE'.
-module(bte_object).

-export([new/1, new/2, construct/2, field/2, field_put/3, fields/1, class_name/1]).


%% @doc Makes an instance with the defaults of its class.
-spec new(bte_registry:identity() | {'$class', bte_registry:identity()}) -> map().
new({'$class', C}) ->
    new(C);
new(C) ->
    check(C, new),
    maps:put('$class', C, bte_meta:fields(C)).

%% @doc Makes an instance with some fields given. A key that is no field is an `argument_error'.
-spec new(bte_registry:identity() | {'$class', bte_registry:identity()}, map()) -> map().
new({'$class', C}, Given) ->
    new(C, Given);
new(C, Given) when is_map(Given), not is_map_key('$class', Given) ->
    check(C, 'new:'),
    Defaults = bte_meta:fields(C),
    case maps:keys(maps:without(maps:keys(Defaults), Given)) of
        [] -> (maps:merge(Defaults, Given))#{'$class' => C};
        Unknown -> unknown_field(C, 'new:', hd(lists:sort(Unknown)))
    end;
new(C, _) ->
    bte_error:raise(type_error, #{
        class => C,
        selector => 'new:',
        message => <<"new: expects a Dictionary of fields">>,
        hint => <<"For example new: #{#value => 1}.">>
    }).

%% @doc Makes an instance for a generated keyword constructor: defaults and these fields.
-spec construct({'$class', bte_registry:identity()}, map()) -> map().
construct({'$class', C}, Given) ->
    check(C, new),
    maps:put('$class', C, maps:merge(bte_meta:fields(C), Given)).

%% @doc Reads a field of any value that has fields.
-spec field(term(), atom()) -> term().
field(X, Field) when is_map_key('$class', X), is_map_key(Field, X) ->
    map_get(Field, X);
field({'$actor', C, P}, Field) when P =:= self() ->
    own_field(C, Field);
field({'$class', C}, Field) ->
    own_field(C, Field);
field(X, Field) ->
    unknown_field(bte_send:class_of(X), Field, Field).

own_field(C, Field) ->
    case erlang:get('$state') of
        #{Field := V} -> V;
        _ -> unknown_field(C, Field, Field)
    end.

%% @doc Answers a copy of an instance with one field changed (reflection; a method of the class
%% itself cannot assign).
-spec field_put(map(), atom(), term()) -> map().
field_put(X, Field, V) when is_map_key('$class', X), is_map_key(Field, X) ->
    X#{Field := V};
field_put(X, Field, _) ->
    unknown_field(bte_send:class_of(X), 'fieldAt:put:', Field).

%% @doc Answers the names of a class's fields, inherited ones first.
-spec fields(bte_registry:identity() | nil) -> [atom()].
fields(nil) ->
    [];
fields(C) ->
    #{superclass := Super, fields := Own} = bte_meta:info(C),
    Above = fields(Super),
    Above ++ [F || F <- Own, not lists:member(F, Above)].

%% @doc Answers the name of a value's class.
-spec class_name(term()) -> binary().
class_name(X) ->
    bte_registry:name_of(bte_send:class_of(X)).

%% An abstract class and an actor class cannot be instantiated by `new'.
check(C, Selector) ->
    #{modifiers := Modifiers} = Info = bte_meta:info(C),
    case lists:member(abstract, Modifiers) of
        true -> bte_error:abstract(C, Selector);
        false -> check_kind(C, Selector, Info)
    end.

check_kind(C, Selector, #{kind := actor}) ->
    bte_error:raise(instantiation_error, #{
        class => C,
        selector => Selector,
        message => iolist_to_binary([bte_registry:name_of(C), <<" is an actor class">>]),
        hint => <<"Use spawn or spawnWith: to start an actor.">>
    });
check_kind(_, _, _) ->
    ok.

-spec unknown_field(term(), term(), term()) -> no_return().
unknown_field(C, Selector, Field) ->
    bte_error:raise(argument_error, #{
        class => C,
        selector => Selector,
        message => iolist_to_binary(
            io_lib:format("~ts has no field '~tp'", [bte_registry:name_of(C), Field])
        ),
        hint => <<"allFieldNames answers the fields of a class.">>
    }).
