%% @doc Doc comments set while the workspace runs (`doc:', `setDocForMethod:to:'): they stand in
%% place of those of the text until the class is loaded anew. No file and no log knows of them.
%% Tested by test/scripts/workspace.btscript.
-module(bte_docs).

-export([create/0, set/3, find/2]).

-define(TABLE, bte_docs).

-type key() :: class | {instance | class, atom()}.

%% @doc Makes the table; its owner is the calling process.
-spec create() -> ok.
create() ->
    ?TABLE = ets:new(?TABLE, [named_table, public, set]),
    ok.

%% @doc Sets the comment of a class or of one of its methods.
-spec set(bte_registry:identity(), key(), binary() | nil) -> ok.
set(Identity, Key, Doc) ->
    true = ets:insert(?TABLE, {{Identity, Key}, generation(Identity), Doc}),
    ok.

%% @doc Answers the comment set for the code that is loaded now.
-spec find(bte_registry:identity(), key()) -> {ok, binary() | nil} | error.
find(Identity, Key) ->
    case ets:lookup(?TABLE, {Identity, Key}) of
        [{_, Generation, Doc}] ->
            case generation(Identity) of
                Generation -> {ok, Doc};
                _ -> error
            end;
        [] ->
            error
    end.

generation(Identity) ->
    maps:get(generation, bte_meta:info(Identity)).
