%% @doc Primitives of `SystemNavigation': questions to the index, answered with class objects.
-module(bte_prim_navigation).

-export([implementors_of/2, senders_of/2, references_to/2, selectors_matching/2, owner/1]).
-export([not_searchable/1]).

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
    rows(fun btr_nif:senders_page/4, atom_to_binary(Selector));
senders_of(Self, Other) ->
    bte_prim:type_error(Self, 'sendersOf:', <<"Symbol">>, Other).

%% @doc Answers the places that name a class.
-spec references_to(term(), term()) -> [map()].
references_to(_, {Tag, C}) when Tag =:= '$class'; Tag =:= '$meta' ->
    rows(fun btr_nif:references_page/4, bte_registry:name_of(C));
references_to(Self, Other) ->
    bte_prim:type_error(Self, 'referencesTo:', <<"Class">>, Other).

%% @doc Answers the names of the classes that have no source to search.
-spec not_searchable(term()) -> [binary()].
not_searchable(_) -> btr_nif:not_searchable(bte_host:index()).

%% One Dictionary a place: the class (or metaclass) and selector of the method, the line in the
%% method's source, and where that is: file, line and column in the file, span.
rows(Page, Name) ->
    Rows = bt_refactor:all_rows(bte_host:index(), Page, Name),
    {Places, _} = lists:mapfoldl(fun place/2, #{}, Rows),
    Places.

place({File, Line, Col, Start, End, Kind, Owner}, Known0) ->
    {Provenance, Name, Side, Selector} = Owner,
    Known = known(Name, Known0),
    {Identity, Methods} = map_get(Name, Known),
    Place = #{
        class => behaviour(Identity, Side),
        selector => symbol(Provenance, Selector),
        line => Line - first_line(Methods, File, Side, Selector, Line) + 1,
        file => File,
        fileLine => Line,
        column => Col,
        span => #{start => Start, 'end' => End},
        kind => Kind,
        side => Side,
        provenance => Provenance
    },
    {Place, Known}.

known(Name, Known) when is_map_key(Name, Known) -> Known;
known(Name, Known) -> Known#{Name => class(Name)}.

class(nil) ->
    {nil, #{}};
class(Name) ->
    case bte_registry:lookup(Name, application:get_env(bt_embedded, package, nil)) of
        {ok, Identity} -> {Identity, bte_registry:methods(Identity)};
        error -> {nil, #{}}
    end.

%% Where the method's source begins; what is in no method counts from the file's first line.
first_line(Methods, File, Side, Selector, Line) ->
    case Methods of
        #{Side := #{Selector := #{file := File, line := First}}} when First =< Line -> First;
        _ -> 1
    end.

behaviour(nil, _) -> nil;
behaviour(Identity, instance) -> {'$class', Identity};
behaviour(Identity, class) -> {'$meta', Identity}.

%% The requirement of a protocol is no method.
symbol(protocol, _) -> nil;
symbol(_, nil) -> nil;
symbol(_, Selector) -> bte_prim_string:as_symbol(Selector).

%% @doc Answers the class object, or metaclass, and the selector that the owner of a site names.
-spec owner(binary() | nil) -> {term(), atom()}.
owner(Owner) when is_binary(Owner) ->
    [Behaviour | Selector] = binary:split(Owner, <<">>">>),
    {Name, Side} =
        case binary:split(Behaviour, <<" class">>) of
            [Short, <<>>] -> {Short, class};
            _ -> {Behaviour, instance}
        end,
    {Identity, _} = class(Name),
    {behaviour(Identity, Side), symbol(body, hd(Selector ++ [nil]))};
owner(_) ->
    {nil, nil}.

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
