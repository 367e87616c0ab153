%% @doc Cells: the places of captured locals that are assigned after or inside a capture. A cell
%% lives in the process dictionary of the process that made it, under a number that is never used
%% again there. A cell touched in another process, or after its sweep, raises
%% `block_context_lost', never a wrong value; the heir of an interrupted evaluation has its cells
%% ({@link bte_unwind}). Tested by `bte_send_SUITE'.
-module(bte_cell).

-compile({no_auto_import, [get/1]}).

-export([new/1, get/1, set/2, free/2, mark/0, sweep/1, collect/1]).
-export_type([cell/0]).

-type cell() :: {pid(), pos_integer()}.

%% How many new cells are worth a collection, and how far it goes before it gives up.
-define(MANY, 10000).
-define(STEPS, 1000000).

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

%% @doc Forgets cells whose method has ended without letting a block escape; answers the value that
%% it ends with.
-spec free([cell()], Value) -> Value.
free([], Value) ->
    Value;
free([{_, N} | Cells], Value) ->
    _ = erlang:erase({'$cell', N}),
    free(Cells, Value).

%% @doc Answers where the cells of this process stand, for {@link sweep/1}.
-spec mark() -> non_neg_integer().
mark() ->
    case erlang:get('$cells') of
        undefined -> 0;
        N -> N
    end.

%% @doc Forgets the cells made since a mark: what a process does between two messages.
-spec sweep(non_neg_integer()) -> ok.
sweep(Mark) ->
    sweep(Mark + 1, mark()).

sweep(N, Last) when N > Last ->
    ok;
sweep(N, Last) ->
    _ = erlang:erase({'$cell', N}),
    sweep(N + 1, Last).

%% @doc Forgets the cells that nothing in the roots leads to, once many have been made: what a
%% prompt does between two inputs, where blocks may live on.
-spec collect(Roots :: term()) -> ok.
collect(Roots) ->
    Last =
        case erlang:get('$collected') of
            undefined -> 0;
            At -> At
        end,
    case mark() - Last > ?MANY of
        true ->
            _ = erlang:put('$collected', mark()),
            forget_all_but(reached([Roots], #{}, ?STEPS));
        false ->
            ok
    end.

forget_all_but(too_many) ->
    ok;
forget_all_but(Reached) ->
    lists:foreach(
        fun
            ({{'$cell', N} = Key, _}) when not is_map_key(N, Reached) -> erlang:erase(Key);
            (_) -> ok
        end,
        erlang:get()
    ).

reached([], Reached, _) ->
    Reached;
reached(_, _, 0) ->
    too_many;
reached([{Pid, N} | Terms], Reached, Steps) when is_pid(Pid), is_integer(N) ->
    case erlang:get({'$cell', N}) of
        {V} when not is_map_key(N, Reached) -> reached([V | Terms], Reached#{N => true}, Steps - 1);
        _ -> reached(Terms, Reached, Steps - 1)
    end;
reached([[Head | Tail] | Terms], Reached, Steps) ->
    reached([Head, Tail | Terms], Reached, Steps - 1);
reached([Term | Terms], Reached, Steps) when is_tuple(Term) ->
    reached([tuple_to_list(Term) | Terms], Reached, Steps - 1);
reached([Term | Terms], Reached, Steps) when is_map(Term) ->
    reached([maps:to_list(Term) | Terms], Reached, Steps - 1);
reached([Term | Terms], Reached, Steps) when is_function(Term) ->
    {env, Env} = erlang:fun_info(Term, env),
    reached([Env | Terms], Reached, Steps - 1);
reached([_ | Terms], Reached, Steps) ->
    reached(Terms, Reached, Steps - 1).

-spec lost() -> no_return().
lost() ->
    bte_error:raise(block_context_lost, #{
        class => 'bt@stdlib@block',
        message => <<"the variables of this block's method are gone">>,
        hint => <<
            "A block that assigns a captured variable works only in the process, and during the "
            "message, that made it."
        >>
    }).
