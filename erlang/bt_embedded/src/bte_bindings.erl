%% @doc Names that the workspace binds for all its sessions: `Workspace bind: value as: #name'.
%%
%% A session's own name and the name of a class come first.
%% Tested by test/scripts/workspace.btscript.
-module(bte_bindings).

-export([create/0, bind/3, unbind/2, all/0, find/1]).

-define(TABLE, bte_bindings).

%% @doc Makes the table; its owner is the calling process.
-spec create() -> ok.
create() ->
    ?TABLE = ets:new(?TABLE, [named_table, public, set, {read_concurrency, true}]),
    ok.

%% @doc Binds a name. The names of classes and of the workspace's own objects are refused.
-spec bind(term(), term(), term()) -> nil.
bind(Self, Value, Symbol) ->
    Name = name(Self, 'bind:as:', Symbol),
    ok = free(Self, Name),
    true = ets:insert(?TABLE, {Name, Value}),
    nil.

%% @doc Forgets a name.
-spec unbind(term(), term()) -> nil.
unbind(Self, Symbol) ->
    Name = name(Self, 'unbind:', Symbol),
    case ets:take(?TABLE, Name) of
        [_] -> nil;
        [] -> bte_prim:not_found(not_found, Self, 'unbind:', [Name, <<" is not bound">>])
    end.

name(Self, Message, Symbol) when is_atom(Symbol) ->
    Name = atom_to_binary(Symbol),
    Pseudo = [self, super, nil, true, false],
    IsName = re:run(Name, "^[A-Za-z_][A-Za-z0-9_]*$", [{capture, none}]) =:= match,
    case IsName andalso not lists:member(Symbol, Pseudo) of
        true -> Name;
        false -> bte_prim:argument_error(Self, Message, [Name, <<" cannot be bound">>])
    end;
name(Self, Message, Other) ->
    bte_prim:type_error(Self, Message, <<"Symbol">>, Other).

free(Self, Name) ->
    Package = application:get_env(bt_embedded, package, nil),
    Taken =
        lists:keymember(Name, 1, bte_registry:singletons()) orelse
            bte_registry:lookup(Name, Package) =/= error,
    case Taken of
        false ->
            ok;
        true ->
            Message = [<<"the name ">>, Name, <<" is taken">>],
            bte_prim:raise(name_conflict, Self, 'bind:as:', Message, <<"Choose another name.">>)
    end.

%% @doc Answers all names with their values.
-spec all() -> #{binary() => term()}.
all() ->
    maps:from_list(ets:tab2list(?TABLE)).

%% @doc Answers the value of a name.
-spec find(binary()) -> {ok, term()} | error.
find(Name) ->
    case ets:lookup(?TABLE, Name) of
        [{_, Value}] -> {ok, Value};
        [] -> error
    end.
