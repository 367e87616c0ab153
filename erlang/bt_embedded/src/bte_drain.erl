%% @doc Drain rows: which renamed methods still answer to their old name for senders compiled
%% before. The clause itself is in generated code and asks {@link is_live/1}; who opens and closes a
%% row is the transaction. Counts the sends that were served. Tested by `bte_host_SUITE'.
-module(bte_drain).

-export([create/0, open/2, close/1, is_open/1, is_live/1, list/0]).
-export_type([row_id/0]).

-type row_id() :: term().

%% @doc Makes the table; its owner is the calling process.
-spec create() -> ok.
create() ->
    ?MODULE = ets:new(?MODULE, [named_table, public, set, {read_concurrency, true}]),
    ok.

%% @doc Opens a row with what is told about it.
-spec open(row_id(), map()) -> ok.
open(Id, Info) ->
    true = ets:insert(?MODULE, {Id, 0, Info}),
    ok.

%% @doc Closes a row: from now on the old name goes on up the chain.
-spec close(row_id()) -> ok.
close(Id) ->
    true = ets:delete(?MODULE, Id),
    ok.

%% @doc Tells whether a row is open.
-spec is_open(row_id()) -> boolean().
is_open(Id) ->
    ets:member(?MODULE, Id).

%% @doc Tells whether a row is open, and counts the send that asks.
-spec is_live(row_id()) -> boolean().
is_live(Id) ->
    try ets:update_counter(?MODULE, Id, {2, 1}) of
        _ -> true
    catch
        error:badarg -> false
    end.

%% @doc Answers the open rows with the number of sends each has served.
-spec list() -> [{row_id(), Served :: non_neg_integer(), Info :: map()}].
list() ->
    lists:sort(ets:tab2list(?MODULE)).
