%% @doc What the workspace knows of names and classes, versioned by generation.
%%
%% One ordered table holds rows `{{Kind, Key, Generation}, Value}'. A reader takes the generation
%% counter once and uses the newest row not above it; rows staged under the next generation are
%% there but not seen until the counter moves. So everything that a change says about names and
%% classes becomes true at one instant. The hot path of sends reads none of this.
%%
%% Kinds: `class' (head of a class by identity), `methods' (its methods), `code' (what is loaded),
%% `name' (who bears a name), `protocol', `alias', `unit' (memory texts), `ext' (extensions by the
%% name of their target), `late' (who waits for a name). The bulk of them is packed (`bte_packed').
%% Tested by `bte_registry_SUITE'.
-module(bte_registry).

-export([create/0, generation/0, set_generation/1]).
-export([read/2, read/3, keys/1, keys/2, stage/2, unstage/2, unstage_above/1, prune/2]).
-export([class/1, class/2, name_of/1, is_identity/1, lookup/2, lookup/3, late/2, inherits/2]).
-export([classes/0, subclasses/1, methods/1, code/1, block_owner/2, singletons/0]).
-export_type([identity/0, kind/0, key/0, class/0, bearer/0, read/0]).

-type identity() :: module().
-type kind() :: class | methods | code | name | protocol | alias | unit | ext | late.
-type key() :: identity() | binary().
%% Who bears a name; `vacant': the class that bore it is gone, and one made anew takes its identity.
-type bearer() :: {class | vacant | protocol | alias, Package :: binary(), identity() | binary()}.
-type read() :: fun((kind(), key()) -> {ok, term()} | error).
-type class() :: #{
    identity := identity(),
    name := binary(),
    package := binary(),
    origin := project | dependency | stdlib | prompt,
    file := binary(),
    superclass := identity() | nil,
    kind := object | value | actor,
    modifiers := [atom()],
    atom() => term()
}.

-define(TABLE, ?MODULE).
-define(COUNTER, {?MODULE, generation}).

%% @doc Makes the table and the counter; the table's owner is the calling process.
-spec create() -> ok.
create() ->
    ?TABLE = ets:new(?TABLE, [named_table, public, ordered_set, {read_concurrency, true}]),
    persistent_term:put(?COUNTER, atomics:new(1, [])),
    ok.

%% @doc Answers the current generation.
-spec generation() -> non_neg_integer().
generation() ->
    case persistent_term:get(?COUNTER, undefined) of
        undefined -> 0;
        Ref -> atomics:get(Ref, 1)
    end.

%% @doc Moves the generation: all rows staged under it are current from here on.
-spec set_generation(non_neg_integer()) -> ok.
set_generation(Gen) ->
    atomics:put(persistent_term:get(?COUNTER), 1, Gen).

%% @doc Reads the row that is current.
-spec read(kind(), key()) -> {ok, term()} | error.
read(Kind, Key) ->
    read(Kind, Key, generation()).

%% @doc Reads the newest row not above a generation.
-spec read(kind(), key(), non_neg_integer()) -> {ok, term()} | error.
read(Kind, Key, Gen) ->
    case ets:prev(?TABLE, {Kind, Key, Gen + 1}) of
        {Kind, Key, _} = Row -> value(ets:lookup(?TABLE, Row), {Kind, Key, Gen});
        _ -> error
    end.

value([{_, deleted}], _) -> error;
value([{_, Value}], _) -> {ok, Value};
%% Pruned between the two look-ups: a newer row is there.
value([], {Kind, Key, Gen}) -> read(Kind, Key, Gen).

%% @doc Answers the keys of a kind that have a current row, sorted.
-spec keys(kind()) -> [key()].
keys(Kind) ->
    keys(Kind, generation()).

%% @doc Answers the keys of a kind that have a row at a generation, sorted.
-spec keys(kind(), non_neg_integer()) -> [key()].
keys(Kind, Gen) ->
    %% Two patterns, not one that asks of each value what it is: that would copy it.
    Rows = ets:select(?TABLE, [
        {{{Kind, '$1', '$2'}, Value}, [{'=<', '$2', Gen}], [{{'$1', IsDeleted}}]}
     || {Value, IsDeleted} <- [{deleted, true}, {'_', false}]
    ]),
    newest(Rows, []).

newest([{Key, _} | [{Key, _} | _] = Rows], Acc) -> newest(Rows, Acc);
newest([{_, true} | Rows], Acc) -> newest(Rows, Acc);
newest([{Key, false} | Rows], Acc) -> newest(Rows, [Key | Acc]);
newest([], Acc) -> lists:reverse(Acc).

%% @doc Puts rows under a generation that is not current yet (or, at cold start, is).
-spec stage([{kind(), key(), Value :: term() | deleted}], non_neg_integer()) -> ok.
stage(Rows, Gen) ->
    true = ets:insert(?TABLE, [{{Kind, Key, Gen}, Value} || {Kind, Key, Value} <- Rows]),
    ok.

%% @doc Forgets rows staged under a generation.
-spec unstage([{kind(), key()}], non_neg_integer()) -> ok.
unstage(Keys, Gen) ->
    lists:foreach(fun({Kind, Key}) -> ets:delete(?TABLE, {Kind, Key, Gen}) end, Keys).

%% @doc Forgets all rows staged above a generation.
-spec unstage_above(non_neg_integer()) -> ok.
unstage_above(Gen) ->
    _ = ets:select_delete(?TABLE, [{{{'_', '_', '$1'}, '_'}, [{'>', '$1', Gen}], [true]}]),
    ok.

%% @doc Forgets rows of these keys that no reader of this or the previous generation can want.
-spec prune([{kind(), key()}], non_neg_integer()) -> ok.
prune(Keys, Gen) ->
    lists:foreach(fun({Kind, Key}) -> prune_key(Kind, Key, Gen) end, Keys).

prune_key(Kind, Key, Gen) ->
    case ets:prev(?TABLE, {Kind, Key, Gen}) of
        {Kind, Key, Previous} -> delete_below(Kind, Key, Previous);
        _ -> ok
    end.

delete_below(Kind, Key, Gen) ->
    case ets:prev(?TABLE, {Kind, Key, Gen}) of
        {Kind, Key, _} = Row ->
            true = ets:delete(?TABLE, Row),
            delete_below(Kind, Key, Gen);
        _ ->
            ok
    end.

%% @doc Answers the head of a class.
-spec class(identity()) -> {ok, class()} | error.
class(Identity) ->
    read(class, Identity).

%% @doc Answers the head of a class at a generation.
-spec class(identity(), non_neg_integer()) -> {ok, class()} | error.
class(Identity, Gen) ->
    read(class, Identity, Gen).

%% @doc Answers the name that a class bears now; of a class that is gone the one it bore last; of
%% what is no class the text of the atom.
-spec name_of(identity()) -> binary().
name_of(Identity) ->
    try read(class, Identity) of
        {ok, #{name := Name}} -> Name;
        error -> former_name(Identity)
    catch
        error:badarg -> former_name(Identity)
    end.

%% The name that it left vacant; without one `bt@stdlib@runtime_error' reads `RuntimeError'.
former_name(Identity) ->
    case is_identity(Identity) andalso vacant_names(Identity) of
        [Name | _] -> Name;
        _ -> of_stem(Identity)
    end.

vacant_names(Identity) ->
    try
        [
            Name
         || Name <- keys(name),
            {ok, Bearers} <- [read(name, Name)],
            {vacant, _, I} <- Bearers,
            I =:= Identity
        ]
    catch
        error:badarg -> []
    end.

of_stem(Identity) ->
    case binary:split(atom_to_binary(Identity), <<"@">>, [global]) of
        [<<"bt">>, _ | Rest] when Rest =/= [] -> camel_case(hd(Rest));
        _ -> atom_to_binary(Identity)
    end.

camel_case(Stem) ->
    Words = binary:split(Stem, <<"_">>, [global]),
    iolist_to_binary([string:titlecase(W) || W <- Words]).

%% @doc Tells whether an atom is the identity of a class, loaded or removed.
-spec is_identity(atom()) -> boolean().
is_identity(Atom) ->
    case atom_to_binary(Atom) of
        <<"bt@", _/binary>> -> true;
        _ -> false
    end.

%% @doc Finds the class that a name means in a package: of the package itself, then of the
%% library, then of any other package. `pkg@Name' asks for one package only.
-spec lookup(binary(), binary() | nil) -> {ok, identity()} | error.
lookup(Name, Package) ->
    lookup(Name, Package, fun read/2).

%% @doc Finds the class that a name means in a package, by rows read in one's own way.
-spec lookup(binary(), binary() | nil, read()) -> {ok, identity()} | error.
lookup(Name, Package, Read) ->
    case binary:split(Name, <<"@">>) of
        [Owner, Short] -> pick(bearers(Short, Read), [Owner]);
        [Name] -> pick(bearers(Name, Read), [Package, <<"stdlib">>, any])
    end.

bearers(Name, Read) ->
    case Read(name, Name) of
        {ok, Bearers} -> [{P, Identity} || {class, P, Identity} <- Bearers];
        error -> []
    end.

pick(_, []) ->
    error;
pick([{_, Identity} | _], [any]) ->
    {ok, Identity};
pick(Bearers, [Package | Packages]) ->
    case lists:keyfind(Package, 1, Bearers) of
        {_, Identity} -> {ok, Identity};
        false -> pick(Bearers, Packages)
    end.

%% @doc Answers the value of a class name that compiled code could not resolve; raises
%% `class_not_found' while there is none.
-spec late(binary(), binary() | nil) -> term().
late(Name, Package) ->
    case lists:keyfind(Name, 1, singletons()) of
        {_, Identity} ->
            #{'$class' => Identity};
        false ->
            case lookup(Name, Package) of
                {ok, Identity} -> {'$class', Identity};
                error -> bound(Name)
            end
    end.

%% A name that no class bears may be one that the workspace has bound.
bound(Name) ->
    case bte_bindings:find(Name) of
        {ok, Value} -> Value;
        error -> bte_error:class_not_found(Name)
    end.

%% @doc Answers the names that stand for one object each, with the identity of its class.
-spec singletons() -> [{binary(), identity()}].
singletons() ->
    [
        {<<"Transcript">>, 'bt@stdlib@transcript_stream'},
        {<<"Workspace">>, 'bt@stdlib@workspace_interface'},
        {<<"Beamtalk">>, 'bt@stdlib@beamtalk_interface'}
    ].

%% @doc Tells whether a class is another one or stands below it, by the loaded code.
-spec inherits(identity() | nil, identity()) -> boolean().
inherits(C, C) ->
    true;
inherits(nil, _) ->
    false;
inherits(C, Ancestor) ->
    inherits(map_get(superclass, bte_meta:info(C)), Ancestor).

%% @doc Answers the identities of all classes, sorted.
-spec classes() -> [identity()].
classes() ->
    keys(class).

%% @doc Answers the identities of the direct subclasses, sorted.
-spec subclasses(identity()) -> [identity()].
subclasses(Identity) ->
    [C || C <- classes(), superclass(C) =:= {ok, Identity}].

superclass(C) ->
    case class(C) of
        {ok, #{superclass := Super}} -> {ok, Super};
        error -> error
    end.

%% @doc Answers what is known of a class's own methods: for each side a map from the selector to
%% `#{source, file, package, doc, line, params, modifiers, provenance}'.
-spec methods(identity()) -> #{instance | class => #{binary() => map()}}.
methods(Identity) ->
    case read(methods, Identity) of
        {ok, Methods} -> bte_packed:methods(Methods);
        error -> #{instance => #{}, class => #{}}
    end.

%% @doc Answers what is known of a class's loaded code.
-spec code(identity()) -> {ok, map()} | error.
code(Identity) ->
    read(code, Identity).

%% @doc Names the method that made a block.
-spec block_owner(identity(), non_neg_integer()) -> binary().
block_owner(Identity, Id) ->
    Name = name_of(Identity),
    case code(Identity) of
        {ok, #{outdated_blocks := #{Id := {Side, Selector}}}} ->
            method_name(Name, Side, Selector);
        _ ->
            Name
    end.

method_name(Name, instance, Selector) -> <<Name/binary, ">>", Selector/binary>>;
method_name(Name, class, Selector) -> <<Name/binary, " class>>", Selector/binary>>.
