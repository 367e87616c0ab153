%% @doc Primitives of `SystemNavigation': questions to the index, answered with class objects.
-module(bte_prim_navigation).

-export([implementors_of/2, senders_of/2, references_to/2, selectors_matching/2, owner/1]).

%% @doc Answers the classes and metaclasses that implement a selector.
-spec implementors_of(term(), term()) -> [term()].
implementors_of(_, Selector) when is_atom(Selector) ->
    Classes = bte_registry:classes(),
    bte_prim_behaviour:by_name([
        Behaviour
     || C <- Classes,
        Behaviour <- [{'$class', C}, {'$meta', C}],
        bte_prim_behaviour:includes_selector(Behaviour, Selector)
    ]);
implementors_of(Self, Other) ->
    bte_prim:type_error(Self, 'implementorsOf:', <<"Symbol">>, Other).

%% @doc Answers the places that send a selector.
-spec senders_of(term(), term()) -> [map()].
senders_of(_, Selector) when is_atom(Selector) ->
    rows(btr_nif:senders_of(bte_host:index(), atom_to_binary(Selector)));
senders_of(Self, Other) ->
    bte_prim:type_error(Self, 'sendersOf:', <<"Symbol">>, Other).

%% @doc Answers the places that name a class.
-spec references_to(term(), term()) -> [map()].
references_to(_, {Tag, C}) when Tag =:= '$class'; Tag =:= '$meta' ->
    rows(btr_nif:references_to(bte_host:index(), bte_registry:name_of(C)));
references_to(Self, Other) ->
    bte_prim:type_error(Self, 'referencesTo:', <<"Class">>, Other).

%% One row a place: the class (or metaclass), the selector of the method or nil, line and file.
rows(Sites) ->
    [row(Site) || Site <- Sites].

row(#{owner := Owner, file := File, line := Line} = Site) ->
    {Class, Selector} = owner(Owner),
    #{
        class => Class, selector => Selector, line => Line, file => File,
        owner => Owner, kind => maps:get(kind, Site, nil)
    }.

%% @doc Answers the class object, or metaclass, and the selector that the owner of a site names.
-spec owner(binary() | nil) -> {term(), atom()}.
owner(Owner) when is_binary(Owner) ->
    case binary:split(Owner, <<">>">>) of
        [Name, Selector] -> {class(Name), bte_prim_string:as_symbol(Selector)};
        [Name] -> {class(Name), nil}
    end;
owner(_) ->
    {nil, nil}.

class(Name) ->
    {Short, Tag} =
        case binary:split(Name, <<" class">>) of
            [S, <<>>] -> {S, '$meta'};
            _ -> {Name, '$class'}
        end,
    case bte_registry:lookup(Short, application:get_env(bt_embedded, package, nil)) of
        {ok, Identity} -> {Tag, Identity};
        error -> nil
    end.

%% @doc Answers the selectors that contain a text.
-spec selectors_matching(term(), term()) -> [atom()].
selectors_matching(Self, Text) ->
    Pattern = bte_prim:string(Self, 'selectorsMatching:', Text),
    All = [
        Selector
     || C <- bte_registry:classes(),
        Behaviour <- [{'$class', C}, {'$meta', C}],
        Selector <- bte_prim_behaviour:methods(Behaviour)
    ],
    [S || S <- lists:usort(All), binary:match(atom_to_binary(S), Pattern) =/= nomatch].
