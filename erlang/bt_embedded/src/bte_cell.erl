%% @doc Cells: the places of captured locals that are assigned after or inside a capture. A cell
%% lives in the process dictionary of the process that made it, under a number that is never used
%% again there. What leads to a cell between two messages (a block kept in a field) keeps it;
%% others are collected. A cell touched in another process, or after its collection, raises
%% `block_context_lost', never a wrong value; the heir of an interrupted evaluation has its cells
%% ({@link bte_unwind}). Tested by `bte_send_SUITE'.
-module(bte_cell).

-compile({no_auto_import, [get/1]}).

-export([new/1, get/1, set/2, free/2, take/1, collect/1, collect/2]).
-export_type([cell/0]).

-type cell() :: {pid(), pos_integer()}.

%% So many new cells are worth a collection; after a long one, as many as it took steps by this.
-define(MANY, 100).
-define(STEPS_A_CELL, 8).

%% @doc Makes a cell with a first value.
-spec new(term()) -> cell().
new(V) ->
    N =
        case erlang:get('$cells') of
            undefined -> 1;
            Last -> Last + 1
        end,
    _ = erlang:put('$cells', N),
    _ = erlang:put({'$cell', N}, {V}),
    {self(), N}.

%% @doc Answers the value of a cell.
-spec get(cell()) -> term().
get({P, N}) when P =:= self() ->
    case erlang:get({'$cell', N}) of
        {V} -> V;
        undefined -> lost()
    end;
get({P, N}) ->
    case bte_unwind:is_heir_of(P) of
        true -> get({self(), N});
        false -> of_worker(bte_prompt:entry(P, {'$cell', N}))
    end.

%% A block typed at the prompt reads the session's names where an actor or a class runs it, too.
of_worker({ok, {V}}) -> V;
of_worker(error) -> lost().

%% @doc Puts a value into a cell and answers it.
-spec set(cell(), term()) -> term().
set({P, N}, V) when P =:= self() ->
    case erlang:put({'$cell', N}, {V}) of
        {_} ->
            V;
        undefined ->
            _ = erlang:erase({'$cell', N}),
            lost()
    end;
set({P, N}, V) ->
    case bte_unwind:is_heir_of(P) of
        true -> set({self(), N}, V);
        false -> lost()
    end.

%% @doc Forgets a cell, or several, whose method has ended without letting a block escape; answers
%% the value that it ends with.
-spec free(cell() | [cell()], Value) -> Value.
free({_, N}, Value) ->
    _ = erlang:erase({'$cell', N}),
    Value;
free([], Value) ->
    Value;
free([{_, N} | Cells], Value) ->
    _ = erlang:erase({'$cell', N}),
    free(Cells, Value).

%% @doc Forgets a cell whose method ends with its value; answers that.
-spec take(cell()) -> term().
take(Cell) ->
    free(Cell, get(Cell)).

%% @doc Forgets the cells that nothing in the roots and no waiting message leads to, once many have
%% been made: what a process does between two messages or inputs. The room that dead cells take is
%% bounded by what the last collection looked at, and so is the time of a collection for each cell.
-spec collect(Roots :: term()) -> ok.
collect(Roots) -> collect(Roots, ?MANY).

%% @doc The same, with what is many.
-spec collect(Roots :: term(), pos_integer()) -> ok.
collect(Roots, Many) ->
    case {erlang:get('$cells'), erlang:get('$collect_at')} of
        {undefined, _} -> ok;
        {Made, undefined} when Made < Many -> ok;
        {Made, At} when is_integer(At), Made < At -> ok;
        {Made, _} -> collect_now(Made, Roots, Many)
    end.

collect_now(Made, Roots, Many) ->
    {messages, Messages} = erlang:process_info(self(), messages),
    {Reached, Steps} = reached([Roots, Messages], #{}, 0),
    _ = erlang:put('$collect_at', Made + max(Many, Steps div ?STEPS_A_CELL)),
    lists:foreach(
        fun
            ({'$cell', N} = Key) when not is_map_key(N, Reached) -> erlang:erase(Key);
            (_) -> ok
        end,
        erlang:get_keys()
    ).

reached([], Reached, Steps) ->
    {Reached, Steps};
reached([{Pid, N} | Terms], Reached, Steps) when is_pid(Pid), is_integer(N) ->
    case erlang:get({'$cell', N}) of
        {V} when not is_map_key(N, Reached) -> reached([V | Terms], Reached#{N => true}, Steps + 1);
        _ -> reached(Terms, Reached, Steps + 1)
    end;
reached([[Head | Tail] | Terms], Reached, Steps) ->
    reached([Head, Tail | Terms], Reached, Steps + 1);
reached([Term | Terms], Reached, Steps) when is_tuple(Term) ->
    reached([tuple_to_list(Term) | Terms], Reached, Steps + 1);
reached([Term | Terms], Reached, Steps) when is_map(Term) ->
    reached([maps:to_list(Term) | Terms], Reached, Steps + 1);
reached([Term | Terms], Reached, Steps) when is_function(Term) ->
    {env, Env} = erlang:fun_info(Term, env),
    reached([Env | Terms], Reached, Steps + 1);
reached([_ | Terms], Reached, Steps) ->
    reached(Terms, Reached, Steps + 1).

-spec lost() -> no_return().
lost() ->
    bte_error:raise(block_context_lost, #{
        class => 'bt@stdlib@block',
        message => <<"the variables of this block's method are gone">>,
        hint => <<
            "A block that assigns a captured variable works only in the process that made it, as "
            "long as a field or a name leads to it."
        >>
    }).
