%% @doc Evaluates inputs in a session: definitions first, by a transaction, then the statements,
%% in the session's own worker process. Bindings live on from input to input, and so do the blocks
%% and variables made there. An error ends the input, never the session. So does an interrupt: it
%% ends the worker, and the next one begins as its heir: it runs the blocks that `ensure:' owes and
%% has the variables of blocks. Like an error it leaves what finished statements have assigned.
%% Tested by `bte_prompt_SUITE'.
-module(bte_prompt).

-export([open/1, close/1, evaluate/2, evaluate/3, show/2, interrupt/1, bindings/1, bind/3]).
-export([create/0, entry/2]).
-export_type([session/0, note/0]).

%% So many cells are worth a collection between two inputs.
-define(MANY_CELLS, 10000).
-define(PROGRESS, '$progress').
-define(WORKERS, bte_prompt_workers).
%% How often the worker is looked at, in milliseconds.
-define(LOOK, 100).
%% How long blocks of `ensure:' may take after an interrupt.
-define(UNWIND_TIME, 5000).

-opaque session() :: #{
    package := binary(),
    bindings := #{binary() => term()},
    %% Names that a block has captured live in cells of the worker, so that blocks and inputs share
    %% them; `bindings' has their values as of the end of the last input.
    cells := #{binary() => bte_cell:cell()},
    worker := pid() | none
}.
%% What is told beside the value: an entry of the log, a warning.
-type note() :: map().

%% @doc Makes the table of workers; its owner is the calling process.
-spec create() -> ok.
create() ->
    ?WORKERS = ets:new(?WORKERS, [named_table, public, set]),
    ok.

%% @doc Answers what a worker has under a key of its process dictionary.
-spec entry(pid(), term()) -> {ok, term()} | error.
entry(Pid, Key) ->
    case ets:member(?WORKERS, Pid) of
        true -> bte_dictionary:find(Key, Pid);
        false -> error
    end.

%% @doc Opens a session; `package' says where typed definitions belong.
-spec open(#{package => binary()}) -> session().
open(Options) ->
    Default = application:get_env(bt_embedded, package, <<"workspace">>),
    Package = maps:get(package, Options, Default),
    #{package => Package, bindings => #{}, cells => #{}, worker => none}.

%% @doc Closes a session.
-spec close(session()) -> ok.
close(#{worker := none}) ->
    ok;
close(#{worker := Worker}) ->
    true = exit(Worker, kill),
    ok.

%% @doc Answers the names that are bound, with their values.
-spec bindings(session()) -> #{binary() => term()}.
bindings(#{bindings := Bindings}) ->
    Bindings.

%% @doc Binds a name.
-spec bind(session(), binary(), term()) -> session().
bind(#{bindings := Bindings, cells := Cells} = Session, Name, Value) ->
    Session#{bindings := Bindings#{Name => Value}, cells := maps:remove(Name, Cells)}.

%% @doc Ends what another process waits for in {@link evaluate/2} or {@link show/2}, if it does.
-spec interrupt(Evaluating :: pid()) -> ok.
interrupt(Pid) ->
    Pid ! '$interrupt',
    ok.

%% @doc Evaluates an input.
-spec evaluate(session(), binary()) ->
    {ok, term(), session(), [note()]} | {error, binary(), session()}.
evaluate(Session, Text) ->
    evaluate(Session, Text, infinity).

%% @doc Evaluates an input within a time.
-spec evaluate(session(), binary(), timeout()) ->
    {ok, term(), session(), [note()]} | {error, binary(), session()}.
evaluate(Session0, Text, Timeout) ->
    Session = with_worker(Session0),
    case parse(Text) of
        {ok, Unit, Outline} ->
            Input = #{text => Text, unit => Unit, outline => Outline},
            Watch = {{evaluate, unknown}, deadline(Timeout)},
            run(Session, fun() -> input(Input, Session) end, Watch);
        {error, ErrorText} ->
            {error, ErrorText, Session}
    end.

%% @doc Answers how a value looks. Its class may have a say in that, and never come to an end, and a
%% number may have a million digits: it is asked in the worker.
-spec show(session(), term()) -> {ok | error, binary(), session()}.
show(Session, Value) when is_atom(Value); is_binary(Value); is_float(Value) ->
    {ok, bte_view:show_safely(Value), Session};
show(Session, Value) when is_integer(Value), abs(Value) < 1 bsl 64 ->
    {ok, bte_view:show_safely(Value), Session};
show(Session0, Value) ->
    Session = with_worker(Session0),
    run(Session, fun() -> {ok, bte_view:show_safely(Value), Session} end, {show, infinity}).

parse(Text) ->
    case btr_nif:parse(Text) of
        {ok, Unit} ->
            case btr_nif:unit_errors(Unit) of
                [] -> {ok, Unit, btr_nif:outline(Unit)};
                Errors -> {error, syntax_text(Errors)}
            end;
        {error, Error} ->
            {error, btr_error:format(Error)}
    end.

syntax_text(Errors) ->
    iolist_to_binary(lists:join($\n, [
        [integer_to_binary(L), $:, integer_to_binary(C), <<": ">>, M, syntax_hint(E)]
     || #{line := L, col := C, message := M} = E <- Errors
    ])).

syntax_hint(#{code := <<"syntax.too_deep">>}) ->
    <<"\nHint: An expression has at most 256 levels; brackets, and sends to the result of a send, "
        "add one each. Give a part of it a name.">>;
syntax_hint(_) ->
    <<>>.

%% The worker.

with_worker(#{worker := Worker} = Session) when is_pid(Worker) ->
    case is_process_alive(Worker) of
        true -> Session;
        false -> with_worker(Session#{worker := none, cells := #{}})
    end;
with_worker(#{worker := none} = Session) ->
    Owner = self(),
    Loop = fun() -> worker(erlang:monitor(process, Owner)) end,
    Worker = erlang:spawn_opt(Loop, bte_limits:spawn_options()),
    ok = forget_ended(),
    true = ets:insert(?WORKERS, {Worker}),
    Session#{worker := Worker}.

forget_ended() ->
    lists:foreach(
        fun(Pid) -> ets:delete(?WORKERS, Pid) end,
        [Pid || {Pid} <- ets:tab2list(?WORKERS), not is_process_alive(Pid)]
    ).

worker(Owner) ->
    receive
        {evaluate, Pid, Ref, Fun} ->
            _ = erlang:erase(?PROGRESS),
            Pid ! {Ref, Fun()},
            worker(Owner);
        {'DOWN', Owner, process, _, _} ->
            ok;
        _ ->
            %% An answer that nobody waits for any more.
            worker(Owner)
    end.

deadline(infinity) -> infinity;
deadline(Timeout) -> erlang:monotonic_time(millisecond) + Timeout.

run(#{worker := Worker} = Session, Fun, Watch) ->
    ok = forget_interrupts(),
    Ref = erlang:monitor(process, Worker),
    Worker ! {evaluate, self(), Ref, Fun},
    await(Ref, Session, Watch).

%% One that came when nothing was evaluated is not meant for the next input.
forget_interrupts() ->
    receive
        '$interrupt' -> forget_interrupts()
    after 0 -> ok
    end.

await(Ref, Session, {_, Deadline} = Watch) ->
    receive
        {Ref, Result} ->
            true = erlang:demonitor(Ref, [flush]),
            Result;
        '$interrupt' ->
            interrupted(Ref, Session);
        {'DOWN', Ref, process, _, Reason} ->
            {error, ended(Reason, Watch), Session}
    after remaining(Deadline) ->
        looked_at(Ref, Session, Watch)
    end.

%% How long to wait before the worker is looked at.
remaining(infinity) -> ?LOOK;
remaining(Deadline) -> max(0, min(?LOOK, Deadline - erlang:monotonic_time(millisecond))).

%% An input may recurse as deep as there is memory; a look at a value has no business to.
looked_at(Ref, #{worker := Worker} = Session, {What, Deadline} = Watch) ->
    IsLate = is_integer(Deadline) andalso Deadline =< erlang:monotonic_time(millisecond),
    case {IsLate, What, bte_interrupt:deep_in(Worker)} of
        {true, _, _} -> cut_off(Ref, Session, <<"Interrupted: the time for one input is over">>);
        {_, _, no} -> await(Ref, Session, Watch);
        {_, show, {deep, Method}} -> cut_off(Ref, Session, without_end(Method));
        {_, {evaluate, _}, {deep, Method}} -> await(Ref, Session, {{evaluate, Method}, Deadline})
    end.

without_end(Method) -> <<Method/binary, " calls itself without end">>.

cut_off(Ref, Session, Why) ->
    {error, <<"Interrupted", Others/binary>>, Next} = interrupted(Ref, Session),
    {error, iolist_to_binary([Why, Others]), Next}.

ended(killed, {{evaluate, Method}, _}) when is_binary(Method) ->
    <<"Ended: it needed too much memory: ", (without_end(Method))/binary, $?>>;
ended(killed, _) ->
    <<"Ended: ", (bte_limits:killed())/binary>>;
ended(Reason, _) ->
    unicode:characters_to_binary(io_lib:format("Ended: ~0tp", [Reason])).

interrupted(Ref, #{worker := Worker} = Session) ->
    true = erlang:demonitor(Ref, [flush]),
    {Busy, Estates} = bte_interrupt:process(Worker),
    {Lent, Reached} =
        case bte_unwind:entry(?PROGRESS, lists:last(Estates)) of
            {ok, Progress} -> Progress;
            error -> {#{}, Session}
        end,
    #{worker := Heir} = Next = with_worker(Reached#{worker := none}),
    Unwind = fun() -> {bte_unwind:run(Estates), returned(Lent, refreshed(Next))} end,
    HeirRef = erlang:monitor(process, Heir),
    Heir ! {evaluate, self(), HeirRef, Unwind},
    {Lines, #{bindings := Bindings} = Unwound} = unwound(HeirRef, {Lent, Next}),
    {error, bte_interrupt:text(Busy, Lines, Bindings), Unwound}.

%% What is owed has a time; a second interrupt ends it at once.
unwound(Ref, {Lent, #{worker := Heir} = Session}) ->
    receive
        {Ref, {Failed, Unwound}} ->
            true = erlang:demonitor(Ref, [flush]),
            {[["An ensure: block failed: ", bte_error:format(E)] || E <- Failed], Unwound};
        '$interrupt' ->
            true = exit(Heir, kill),
            unwound(Ref, {Lent, Session});
        {'DOWN', Ref, process, _, _} ->
            Left = returned(Lent, Session#{worker := none, cells := #{}}),
            {["The ensure: blocks were cut off."], Left}
    after application:get_env(bt_embedded, unwind_time, ?UNWIND_TIME) ->
        true = exit(Heir, kill),
        unwound(Ref, {Lent, Session})
    end.

%% In the worker.

input(#{outline := Outline} = Input, Session) ->
    try
        {Defined, Notes} = bte_prompt_definitions:define(Input, Session),
        case maps:get(statements, Outline) of
            0 -> {ok, Defined, Session, Notes};
            _ -> statements(Input, Session, Notes)
        end
    catch
        throw:{btr, _, _} = Error ->
            {error, btr_error:format(Error), Session};
        Class:Reason:Stack ->
            {error, bte_error:format(bte_error:from_erlang(Class, Reason, Stack)), Session}
    end.

%% Names that the workspace has bound are lent to the input; what it leaves as it was does not
%% become the session's own.
statements(Input, #{bindings := Own} = Session0, Notes) ->
    Lent = maps:without(maps:keys(Own), bte_bindings:all()),
    Session = Session0#{bindings := maps:merge(Lent, Own)},
    _ = erlang:put(?PROGRESS, {Lent, Session}),
    case run_input(Input, Session, Notes) of
        {ok, Value, Next, All} ->
            ok = bte_cell:collect({Value, maps:with([bindings, cells], Next)}, ?MANY_CELLS),
            {ok, Value, returned(Lent, Next), All};
        {error, ErrorText, Next} -> {error, ErrorText, returned(Lent, Next)}
    end.

returned(Lent, #{bindings := Bindings, cells := Cells} = Session) ->
    Same = [Name || {Name, Value} <- maps:to_list(Lent), map_get(Name, Bindings) =:= Value],
    Session#{bindings := maps:without(Same, Bindings), cells := maps:without(Same, Cells)}.

run_input(#{unit := Unit, outline := Outline}, Session, Notes) ->
    #{package := Package, bindings := Bindings, cells := Cells} = Session,
    World = bte_world:new(bte_registry:generation()),
    Options = #{
        names => bte_names:resolve(maps:get(references, Outline), Package, World),
        bindings => lists:sort(maps:keys(Bindings)),
        cells => lists:sort(maps:keys(Cells)),
        generation => bte_world:generation(World),
        package => Package
    },
    case btr_nif:codegen_prompt(Unit, Options) of
        {ok, Output} -> run_statements(Output, Session, Notes ++ warnings(Output));
        {error, {btr, _, #{errors := Errors}}} -> {error, compile_text(Errors), Session};
        {error, Error} -> {error, btr_error:format(Error), Session}
    end.

warnings(Output) ->
    [#{kind => warning, message => M} || #{message := M} <- maps:get(warnings, Output, [])].

compile_text(Errors) ->
    iolist_to_binary(lists:join($\n, [compile_line(E) || E <- Errors])).

compile_line(#{message := Message, hint := Hint}) when is_binary(Hint), Hint =/= <<>> ->
    [Message, <<"\nHint: ">>, Hint];
compile_line(#{message := Message}) ->
    Message.

run_statements(#{exprs := Encoded, assigned := Assigned} = Output, Session0, Notes) ->
    {Erlang, Session} = variables(Output, Session0),
    Statements = lists:zip(binary_to_term(Encoded), Assigned),
    InCells = maps:get(cells, Output),
    case run_each(Statements, Erlang, {nil, Session, InCells}) of
        {ok, Value, Next} -> {ok, Value, refreshed(Next), Notes};
        {error, ErrorText, Next} -> {error, ErrorText, refreshed(Next)}
    end.

%% What a block of the input captures is handed over as a cell.
variables(#{variables := Variables, cells := InCells}, Session) ->
    lists:foldl(
        fun({Name, Var}, {Erlang, Acc0}) ->
            {Value, Acc} = handed_over(Name, lists:member(Name, InCells), Acc0),
            {erl_eval:add_binding(variable(Var), Value, Erlang), Acc}
        end,
        {erl_eval:new_bindings(), Session},
        Variables
    ).

handed_over(Name, false, #{bindings := Bindings} = Session) ->
    {map_get(Name, Bindings), Session};
handed_over(Name, true, #{cells := Cells} = Session) when is_map_key(Name, Cells) ->
    {map_get(Name, Cells), Session};
handed_over(Name, true, #{bindings := Bindings, cells := Cells} = Session) ->
    Cell = bte_cell:new(map_get(Name, Bindings)),
    {Cell, Session#{cells := Cells#{Name => Cell}}}.

run_each([], _, {Value, Session, _}) ->
    {ok, Value, Session};
run_each([{Exprs, Assigned} | Statements], Erlang0, {_, Session0, InCells}) ->
    ok = progress(Session0),
    try erl_eval:exprs(Exprs, Erlang0, none, {value, fun bte_prompt_send:call/2}) of
        {value, Value, Erlang} ->
            Session = take_over(Assigned, Erlang, {Session0, InCells}),
            run_each(Statements, Erlang, {Value, Session, InCells})
    catch
        Class:Reason:Stack ->
            {error, bte_error:format(bte_error:from_erlang(Class, Reason, Stack)), Session0}
    end.

%% What an interrupt finds: the session as of the last finished statement.
progress(Session) ->
    {Lent, _} = erlang:get(?PROGRESS),
    _ = erlang:put(?PROGRESS, {Lent, Session}),
    ok.

take_over(Assigned, Erlang, {Session, InCells}) ->
    lists:foldl(
        fun({Name, Var}, Acc) ->
            case erl_eval:binding(variable(Var), Erlang) of
                {value, Value} -> assign(Name, Value, lists:member(Name, InCells), Acc);
                unbound -> Acc
            end
        end,
        Session,
        Assigned
    ).

assign(Name, Cell, true, #{cells := Cells} = Session) ->
    Session#{cells := Cells#{Name => Cell}};
assign(Name, Value, false, #{bindings := Bindings} = Session) ->
    Session#{bindings := Bindings#{Name => Value}}.

refreshed(#{bindings := Bindings, cells := Cells} = Session) ->
    Values = maps:map(fun(_, Cell) -> bte_cell:get(Cell) end, Cells),
    Session#{bindings := maps:merge(Bindings, Values)}.

%% Variables are `V1', `V2' …, made by the generator: few atoms, never user text.
variable(Var) when is_atom(Var) -> Var;
variable(Var) -> binary_to_atom(Var).
