%% @doc Primitives of `SystemNavigation': questions to the index, answered with class objects.
-module(bte_prim_navigation).

-export([implementors_of/2, definitions_of/2, senders_of/2, senders_of/3, references_to/2]).
-export([subclasses_of/2, all_subclasses_of/2, overrides_of/3, unimplemented_selectors/1]).
-export([unused_methods/1, messages_sent_by/2, field_readers/3, field_writers/3]).
-export([selectors_matching/2, methods_matching/2, extenders_of/2, extensions_by/2]).
-export([not_searchable/1, owner/1, at/2, keys/1, text/1]).

-type code_site() :: #{'$class' := atom(), atom() => term()}.
-type behaviour_object() :: {'$class' | '$meta', bte_registry:identity()}.

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

%% @doc Answers the places that define a selector.
-spec definitions_of(term(), term()) -> [code_site()].
definitions_of(_, Selector) when is_atom(Selector) ->
    rows(fun btr_nif:implementors_page/4, atom_to_binary(Selector));
definitions_of(Self, Other) ->
    bte_prim:type_error(Self, 'definitionsOf:', <<"Symbol">>, Other).

%% @doc Answers the places that send a selector.
-spec senders_of(term(), term()) -> [code_site()].
senders_of(_, Selector) when is_atom(Selector) ->
    rows(fun btr_nif:senders_page/4, atom_to_binary(Selector));
senders_of(Self, Other) ->
    bte_prim:type_error(Self, 'sendersOf:', <<"Symbol">>, Other).

%% @doc Answers the places whose send may reach a class.
-spec senders_of(term(), term(), term()) -> [code_site()].
senders_of(Self, Selector, Class) ->
    Message = 'sendersOf:reaching:',
    {Name, Side} = target(Self, Message, Class),
    sites(btr_nif:senders_of_class(index(), symbol_text(Self, Message, Selector), Name, Side)).

%% @doc Answers the places that name a class.
-spec references_to(term(), term()) -> [code_site()].
references_to(_, {Tag, C}) when Tag =:= '$class'; Tag =:= '$meta' ->
    rows(fun btr_nif:references_page/4, bte_registry:name_of(C));
references_to(Self, Other) ->
    bte_prim:type_error(Self, 'referencesTo:', <<"Class">>, Other).

%% @doc Answers the places that declare the direct subclasses.
-spec subclasses_of(term(), term()) -> [code_site()].
subclasses_of(Self, Class) ->
    {Name, _} = target(Self, 'subclassesOf:', Class),
    sites(btr_nif:subclasses_of(index(), Name)).

%% @doc Answers the places that declare the classes below.
-spec all_subclasses_of(term(), term()) -> [code_site()].
all_subclasses_of(Self, Class) ->
    {Name, _} = target(Self, 'allSubclassesOf:', Class),
    sites(btr_nif:all_subclasses_of(index(), Name)).

%% @doc Answers who implements a selector below a class.
-spec overrides_of(term(), term(), term()) -> map().
overrides_of(Self, Selector, Class) ->
    Message = 'overridesOf:below:',
    {Name, Side} = target(Self, Message, Class),
    Text = symbol_text(Self, Message, Selector),
    #{implementors := Sites} = Closure = btr_nif:closure(index(), Name, Side, Text),
    Closure#{implementors := sites(Sites)}.

%% @doc Answers the selectors that the project sends and nobody defines.
-spec unimplemented_selectors(term()) -> [atom()].
unimplemented_selectors(_) ->
    [
        bte_prim_string:as_symbol(Selector)
     || {Selector, _} <- btr_nif:unimplemented_selectors(index())
    ].

%% @doc Answers the places of methods that nobody sends.
-spec unused_methods(term()) -> [code_site()].
unused_methods(_) -> sites(btr_nif:unused_definitions(index())).

%% @doc Answers the selectors that a method sends.
-spec messages_sent_by(term(), term()) -> [atom()].
messages_sent_by(Self, #{
    '$class' := 'bt@stdlib@compiled_method', methodClass := Class, selector := Selector
}) ->
    {Name, Side} = target(Self, 'messagesSentBy:', Class),
    Sites = btr_nif:messages_sent_by(index(), Name, Side, atom_to_binary(Selector)),
    lists:uniq([bte_prim_string:as_symbol(Sent) || #{old := Sent} <- Sites]);
messages_sent_by(Self, Other) ->
    bte_prim:type_error(Self, 'messagesSentBy:', <<"CompiledMethod">>, Other).

%% @doc Answers the places where a class reads a field.
-spec field_readers(term(), term(), term()) -> [code_site()].
field_readers(Self, Field, Class) -> field_uses(Self, {'fieldReadersOf:in:', Field}, Class, false).

%% @doc Answers the places where a class writes a field.
-spec field_writers(term(), term(), term()) -> [code_site()].
field_writers(Self, Field, Class) -> field_uses(Self, {'fieldWritersOf:in:', Field}, Class, true).

field_uses(Self, {Message, Field}, Class, IsWrite) ->
    {Name, _} = target(Self, Message, Class),
    sites(btr_nif:field_uses(index(), Name, symbol_text(Self, Message, Field), IsWrite)).

%% @doc Answers the names of the classes that have no source to search.
-spec not_searchable(term()) -> [binary()].
not_searchable(_) -> btr_nif:not_searchable(index()).

index() -> bte_host:index().

target(_, _, {'$class', C}) -> {bte_registry:name_of(C), instance};
target(_, _, {'$meta', C}) -> {bte_registry:name_of(C), class};
target(Self, Message, Other) -> bte_prim:type_error(Self, Message, <<"Class">>, Other).

symbol_text(_, _, Symbol) when is_atom(Symbol) -> atom_to_binary(Symbol);
symbol_text(Self, Message, Other) -> bte_prim:type_error(Self, Message, <<"Symbol">>, Other).

%% One CodeSite a place: the class (or metaclass) and selector of the method, the line in the
%% method's source, and where that is: file, line and column in the file, span.
rows(Page, Name) -> places(bt_refactor:all_rows(index(), Page, Name)).

%% The same of sites in full.
sites(Sites) -> places([row(Site) || Site <- Sites]).

row(#{file := File, line := Line, col := Col, start := Start, 'end' := End, kind := Kind} = Site) ->
    #{owner_name := Name, owner_selector := Selector} = Site,
    #{side := Side, provenance := Provenance} = Site,
    {File, Line, Col, Start, End, Kind, {Provenance, Name, Side, Selector}}.

places(Rows) ->
    {Places, _} = lists:mapfoldl(fun place/2, #{}, Rows),
    Places.

place({File, Line, Col, Start, End, Kind, Owner}, Known0) ->
    {Provenance, Name, Side, Selector} = Owner,
    Known = known(Name, Known0),
    {Identity, Methods} = map_get(Name, Known),
    Place = #{
        '$class' => 'bt@stdlib@code_site',
        class => behaviour(Identity, Side),
        selector => symbol(Provenance, Selector),
        line => Line - first_line(Methods, File, Side, Selector, Line) + 1,
        file => File,
        fileLine => Line,
        column => Col,
        span => #{start => Start, 'end' => End},
        kind => Kind,
        side => Side,
        provenance => Provenance,
        owner => owner_text(Owner)
    },
    {Place, Known}.

owner_text({statement, _, _, _}) -> <<"top level">>;
owner_text({manifest, _, _, _}) -> <<"manifest">>;
owner_text({alias, Name, _, _}) -> <<"type ", Name/binary>>;
owner_text({protocol, Name, _, _}) -> <<"Protocol ", Name/binary>>;
owner_text({Provenance, Name, _, _}) when Provenance =:= header; Provenance =:= field -> Name;
owner_text({_, Name, instance, Selector}) -> <<Name/binary, ">>", Selector/binary>>;
owner_text({_, Name, class, Selector}) -> <<Name/binary, " class>>", Selector/binary>>.

%% @doc Answers what a CodeSite holds under a key.
-spec at(code_site(), term()) -> term().
at(Self, Key) when is_map_key(Key, Self), Key =/= '$class' ->
    map_get(Key, Self);
at(Self, Key) ->
    Message = [<<"key ">>, bte_prim:quoted(Key), <<" not found">>],
    Hint = <<"Use at:ifAbsent: to supply a value, keys to see what there is.">>,
    bte_prim:raise(key_error, Self, 'at:', Message, Hint).

%% @doc Answers the keys of a CodeSite.
-spec keys(code_site()) -> [atom()].
keys(Self) -> lists:sort(maps:keys(maps:remove('$class', Self))).

%% @doc Answers the line of source that a CodeSite stands on.
-spec text(code_site()) -> binary().
text(#{file := File, fileLine := Line}) ->
    case bte_host:unit(File) of
        {ok, #{text := Text}} -> nth_line(binary:split(Text, <<"\n">>, [global]), Line);
        error -> <<>>
    end.

nth_line(Lines, Line) when Line =< length(Lines) -> string:trim(lists:nth(Line, Lines));
nth_line(_, _) -> <<>>.

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
-spec owner(btr_nif:site()) -> {term(), atom()}.
owner(#{owner_name := Name, owner_selector := Selector, side := Side, provenance := Provenance}) ->
    {Identity, _} = class(Name),
    {behaviour(Identity, Side), symbol(Provenance, Selector)}.

%% @doc Answers the selectors that contain a text.
-spec selectors_matching(term(), term()) -> [atom()].
selectors_matching(Self, Text) ->
    Pattern = bte_prim:string(Self, 'selectorsMatching:', Text),
    All = lists:usort([Selector || {_, Selector} <- all_methods()]),
    [S || S <- All, binary:match(atom_to_binary(S), Pattern) =/= nomatch].

%% @doc Answers the methods whose source contains a text.
-spec methods_matching(term(), term()) -> [map()].
methods_matching(Self, Text) ->
    Pattern = bte_prim:string(Self, 'methodsMatching:', Text),
    Methods = [bte_prim_behaviour:method(Class, S) || {Class, S} <- all_methods()],
    [
        Method
     || #{source := Source} = Method <- Methods, Source =/= nil,
        binary:match(Source, Pattern) =/= nomatch
    ].

-spec all_methods() -> [{behaviour_object(), atom()}].
all_methods() ->
    [
        {Behaviour, Selector}
     || C <- bte_registry:classes(),
        Behaviour <- [{'$class', C}, {'$meta', C}],
        Selector <- bte_prim_behaviour:methods(Behaviour)
    ].

%% @doc Answers the names of the packages that extend a class, on the side that is asked.
-spec extenders_of(term(), term()) -> [binary()].
extenders_of(Self, Class) ->
    {Name, Side} = target(Self, 'extendersOf:', Class),
    lists:usort([Owner || #{owner := Owner, side := S} <- extensions(Name), S =:= Side]).

%% @doc Answers the selectors that a package adds to classes.
-spec extensions_by(term(), term()) -> [atom()].
extensions_by(Self, Package) when is_atom(Package) ->
    extensions_by(Self, atom_to_binary(Package));
extensions_by(_, Package) when is_binary(Package) ->
    lists:usort([
        bte_prim_string:as_symbol(Selector)
     || Target <- bte_registry:keys(ext),
        #{owner := Owner, selector := Selector} <- extensions(Target),
        Owner =:= Package
    ]);
extensions_by(Self, Other) ->
    bte_prim:type_error(Self, 'extensionsBy:', <<"Symbol">>, Other).

extensions(Target) ->
    case bte_registry:read(ext, Target) of
        {ok, Rows} -> Rows;
        error -> []
    end.
