%% @doc What is known of renamed methods: which still answer to their old name, and what the name of
%% then is called now.
%%
%% A drain row is asked by the drain clause in generated code ({@link is_live/1}); who opens and
%% closes it is the transaction. It counts the sends that were served. The history of renames
%% outlives the rows and is asked for messages alone that no row can wait for, because nobody can
%% tell that they are under way: what a timer of Erlang sends to an actor, the calls that wait for a
%% class server, and the sends of blocks that were typed at a prompt ({@link current/4}).
%% Tested by `bte_host_SUITE' and `btr_drain_SUITE'.
-module(bte_drain).

-export([create/0, open/2, close/1, withdraw/1, is_open/1, is_live/1, list/0,
    take_served/0]).
-export([current/4, current_function/3]).
-export_type([row_id/0]).

-define(HISTORY, bte_drain_history).
%% So many renames of one selector of one class are remembered.
-define(REMEMBERED, 64).

-type row_id() :: term().
-type side() :: instance | class.

%% @doc Makes the tables; their owner is the calling process.
-spec create() -> ok.
create() ->
    Options = [named_table, public, set, {read_concurrency, true}],
    ?MODULE = ets:new(?MODULE, Options),
    ?HISTORY = ets:new(?HISTORY, Options),
    ok.

%% @doc Opens a row with what is told about it.
-spec open(row_id(), map()) -> ok.
open(Id, Info) ->
    ok = remember(Info),
    true = ets:insert(?MODULE, {Id, 0, Info}),
    ok.

%% @doc Closes a row: from now on the old name goes on up the chain.
-spec close(row_id()) -> ok.
close(Id) ->
    case ets:take(?MODULE, Id) of
        [{_, Served, Info}] when Served > 0, not is_map_key(told, Info) ->
            true = ets:insert(?HISTORY, {{served, Id}, Info}),
            ok;
        _ ->
            ok
    end.

%% @doc Takes back a row of a rename that does not come to be.
-spec withdraw(row_id()) -> ok.
withdraw(Id) ->
    case ets:lookup(?MODULE, Id) of
        [{Id, _, Info}] -> ok = forget(Info);
        [] -> ok
    end,
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

%% @doc Answers what is told about the rows that have served a send; about each once.
-spec take_served() -> [map()].
take_served() ->
    Open = [{Id, Info} || {Id, N, Info} <- list(), N > 0, not is_map_key(told, Info)],
    lists:foreach(
        fun({Id, Info}) -> ets:update_element(?MODULE, Id, {3, Info#{told => true}}) end, Open
    ),
    Closed = ets:select(?HISTORY, [{{{served, '$1'}, '_'}, [], ['$1']}]),
    [Info || {_, Info} <- lists:sort(Open)] ++
        [Info || Id <- lists:sort(Closed), {_, Info} <- ets:take(?HISTORY, {served, Id})].

%% The history.

%% @doc Answers what a message of a generation is called now, for a receiver of a class: the
%% selector with the generation that it is to be sent with.
-spec current(bte_registry:identity(), side(), bte_send:selector(), bte_send:generation()) ->
    {bte_send:selector(), bte_send:generation()}.
current(Identity, Side, Selector, Gen) ->
    case bte_registry:generation() of
        Gen -> {Selector, Gen};
        Now -> up_the_line(Identity, {Identity, Side, Now}, Selector, Gen)
    end.

up_the_line(nil, _, Selector, Gen) ->
    {Selector, Gen};
up_the_line(C, {Identity, Side, Now} = Receiver, Selector, Gen) ->
    case renamed(C, Side, Selector, {Gen, Now}) of
        {New, Since} ->
            up_the_line(Identity, Receiver, New, Since);
        none ->
            #{superclass := Super, methods := #{Side := Own}} = bte_meta:info(C),
            case lists:member(Selector, Own) of
                true -> {Selector, Gen};
                false -> up_the_line(Super, Receiver, Selector, Gen)
            end
    end.

%% @doc Answers the function of a class-side method of a class itself that was called so in code
%% of a generation.
-spec current_function(module(), atom(), bte_send:generation()) -> atom().
current_function(C, Function, Gen) ->
    case map_get(generation, bte_meta:info(C)) of
        Now when Now > Gen ->
            <<"c:", Selector/binary>> = atom_to_binary(Function),
            Newest = own(C, binary_to_existing_atom(Selector), {Gen, Now}),
            binary_to_existing_atom(<<"c:", (atom_to_binary(Newest))/binary>>);
        _ ->
            Function
    end.

own(C, Selector, {Gen, Now}) ->
    case renamed(C, class, Selector, {Gen, Now}) of
        {New, Since} -> own(C, New, {Since, Now});
        none -> Selector
    end.

%% The first rename of the selector after a generation and not after another.
renamed(C, Side, Selector, {After, Until}) ->
    case ets:lookup(?HISTORY, {C, Side, Selector}) of
        [{_, Renames}] -> first([R || {_, G} = R <- Renames, G > After, G =< Until]);
        [] -> none
    end.

first([]) -> none;
first(Renames) -> lists:last(Renames).

%% Newest first.
remember(#{identity := C, side := Side, old := Old, new := New, generation := Gen}) ->
    {Key, Renames} = history(C, Side, Old),
    Next = lists:sublist([{binary_to_atom(New), Gen} | Renames], ?REMEMBERED),
    true = ets:insert(?HISTORY, {Key, Next}),
    ok;
remember(_) ->
    ok.

forget(#{identity := C, side := Side, old := Old, generation := Gen}) ->
    {Key, Renames} = history(C, Side, Old),
    true = ets:insert(?HISTORY, {Key, lists:keydelete(Gen, 2, Renames)}),
    ok;
forget(_) ->
    ok.

history(C, Side, Selector) ->
    Key = {C, Side, binary_to_atom(Selector)},
    case ets:lookup(?HISTORY, Key) of
        [Row] -> Row;
        [] -> {Key, []}
    end.
