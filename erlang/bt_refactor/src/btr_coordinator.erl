%%% @doc The only writer of the image: one transaction or flush at a time, the others wait in order.
%%%
%%% It owns state and order, not logic: btr_txn decides, btr_txn_exec performs, btr_flush decides on
%%% files. It runs at high priority, holds no lock and is never asked by a reader: entries and the
%%% configuration are in tables. A request waits in the queue up to its deadline. When this process
%%% dies, its successor undoes or completes what the intent row says and goes on; the outcome of a
%%% completed transaction is kept until its caller has been told, or is dead. Tested by
%%% btr_coordinator_SUITE and prop_txn.
-module(btr_coordinator).
-behaviour(gen_server).

-export([start_link/1, transact/3, flush/1, mark/2, clear/0, config/0]).
-export([init/1, handle_continue/2, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).
-export_type([config/0]).

-include_lib("kernel/include/logger.hrl").

-define(STATE, btr_state).
-define(QUEUE_TIMEOUT, 60000).
-define(LOG_META, #{domain => [btr, coordinator]}).

-type config() :: #{
    host := module(), root := file:filename_all() | undefined, log := file:filename_all() | memory,
    fs := module(), planner := btr_plan:planner(), scratch := btr_plan:scratch(),
    outline := btr_entry:outline_fun()
}.

-record(job, {
    id :: reference(),
    from :: gen_server:from() | none,
    what :: btr_txn:source() | flush | resumed,
    %% Of the process that waits for the answer.
    monitor = none :: none | reference(),
    context :: map(),
    txn = none :: none | btr_txn:txn()
}).
-record(waiting, {job :: #job{}, timer :: timer()}).
-record(state, {
    config :: config(),
    log :: btr_changelog:log(),
    current = none :: none | #job{},
    draining = #{} :: #{reference() => btr_txn:txn()},
    queue = queue:new() :: queue:queue(#waiting{}),
    workers = #{} :: #{reference() => worker()}
}).
-type worker() :: {pid(), Id :: reference(), fun((term()) -> term()), timer()}.
-type timer() :: reference() | none.

%% @doc Starts the coordinator of this node's workspace.
-spec start_link(config()) -> gen_server:start_ret().
start_link(Config) ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, Config, []).

%% @doc Answers the configuration, from any process.
-spec config() -> {ok, config()} | {error, btr_error:error()}.
config() ->
    try ets:lookup(?STATE, config) of
        [{config, Config}] -> {ok, Config};
        [] -> not_running()
    catch
        error:badarg -> not_running()
    end.

%% @doc Runs a transaction and answers its outcome once it is current and logged.
-spec transact(btr_txn:source(), map(), pid()) -> btr_txn:outcome().
transact(Source, Opts, Asker) ->
    Ref = make_ref(),
    ask({transact, Ref, Source, Opts, Asker}, Ref).

%% @doc Writes pending changes to disk.
-spec flush(map()) -> {ok, btr_flush:result()} | {error, btr_error:error()}.
flush(Opts) ->
    ask({flush, Opts}, none).

%% @doc Changes flags of entries.
-spec mark([pos_integer()], map()) -> ok | {error, btr_error:error()}.
mark(Seqs, Flags) ->
    ask({mark, Seqs, Flags}, none).

%% @doc Drops all entries.
-spec clear() -> ok | {error, btr_error:error()}.
clear() ->
    ask(clear, none).

ask(Message, Ref) ->
    try
        gen_server:call(?MODULE, Message, infinity)
    catch
        exit:{noproc, _} -> not_running();
        exit:{_, {gen_server, call, _}} -> after_crash(Ref, 500)
    end.

%% The coordinator died with this request. Its successor tells whether it was completed.
after_crash(_Ref, 0) ->
    not_running();
after_crash(Ref, Tries) ->
    try
        gen_server:call(?MODULE, {outcome, Ref}, infinity)
    catch
        exit:_ ->
            receive after 10 -> after_crash(Ref, Tries - 1) end
    end.

not_running() ->
    {error, btr_error:new(<<"workspace.not_running">>, <<"no workspace is running">>)}.

%% gen_server ---------------------------------------------------------------------------------

%% @private
-spec init(config()) -> {ok, #state{}, {continue, recover}} | {stop, term()}.
init(#{log := Dir, fs := Fs} = Config) ->
    _ = process_flag(trap_exit, true),
    _ = process_flag(priority, high),
    case btr_changelog:open(#{dir => Dir, fs => Fs}) of
        {ok, Log} ->
            true = ets:insert(?STATE, {config, Config}),
            {ok, #state{config = Config, log = Log}, {continue, recover}};
        {error, Error} ->
            {stop, Error}
    end.

%% @private
-spec handle_continue(recover, #state{}) -> {noreply, #state{}}.
handle_continue(recover, #state{config = #{host := Host}} = State) ->
    ok = watch_outcomes(),
    case btr_txn_exec:recover(Host) of
        none ->
            {noreply, State};
        {undone, _Ref} ->
            ?LOG_WARNING("undid a change that a crash interrupted", [], ?LOG_META),
            {noreply, State};
        {complete, Ref, Phase, #{caller := Caller} = Intent} ->
            ?LOG_WARNING("completing a change that a crash interrupted", [], ?LOG_META),
            Job = #job{id = Ref, from = none, what = resumed,
                context = context(#{}, #{asker => self(), caller => Caller, ref => Ref}, State)},
            {Txn, Effects} = btr_txn:resume(Phase, Intent),
            {noreply, run(Effects, State#state{current = Job#job{txn = Txn}})}
    end.

%% @private
-spec handle_call(term(), gen_server:from(), #state{}) ->
    {noreply, #state{}} | {reply, term(), #state{}}.
handle_call({transact, Ref, Source, Opts, Asker}, {Caller, _} = From, State) ->
    Job = #job{
        id = Ref, from = From, what = Source,
        context = context(Opts, #{asker => Asker, caller => Caller, ref => Ref}, State),
        monitor = erlang:monitor(process, Caller)
    },
    {noreply, next(enqueue(Job, Opts, State))};
handle_call({flush, Opts}, From, State) ->
    Job = #job{id = make_ref(), from = From, what = flush, context = #{opts => Opts}},
    {noreply, next(enqueue(Job, Opts, State))};
handle_call({mark, Seqs, Flags}, _From, #state{log = Log} = State) ->
    {reply, btr_changelog:mark(Seqs, Flags, Log), State};
handle_call(clear, _From, #state{log = Log} = State) ->
    {reply, btr_changelog:clear(Log), State};
handle_call({outcome, Ref}, From, State) ->
    ok = gen_server:reply(From, outcome(Ref)),
    ok = told(Ref),
    {noreply, State}.

%% @private
-spec handle_cast(term(), #state{}) -> {noreply, #state{}}.
handle_cast(_Message, State) ->
    {noreply, State}.

%% @private
-spec handle_info(term(), #state{}) -> {noreply, #state{}}.
handle_info({event, Id, Event}, State) ->
    {noreply, next(event(Id, Event, State))};
handle_info({flushed, Id, Flushed}, #state{current = #job{id = Id}} = State) ->
    {noreply, next(flushed(Flushed, State))};
handle_info({expired, Id}, State) ->
    {noreply, expire(Id, State)};
handle_info(sweep, State) ->
    %% A purge looks through the whole heap of each process, once for each module: that of the
    %% transaction that is current now is better gone.
    true = erlang:garbage_collect(),
    {noreply, State};
handle_info({limit, Monitor}, #state{workers = Workers} = State) ->
    case Workers of
        #{Monitor := {Pid, _, _, _}} -> exit(Pid, kill);
        #{} -> true
    end,
    {noreply, State};
handle_info({'DOWN', Monitor, process, Pid, Reason}, #state{workers = Workers} = State) ->
    case Workers of
        #{Monitor := _} ->
            {noreply, next(worker_down(Monitor, Reason, State))};
        #{} ->
            true = ets:match_delete(?STATE, {{outcome, '_'}, Pid, '_'}),
            {noreply, next(abandon(Monitor, State))}
    end;
handle_info(_Other, State) ->
    {noreply, State}.

%% @private
-spec terminate(term(), #state{}) -> ok.
terminate(_Reason, _State) ->
    ok.

%% The queue ------------------------------------------------------------------------------------

context(Opts, Who, #state{config = Config, log = Log}) ->
    Own = maps:with([host, planner, scratch, outline, root], Config),
    maps:merge(Own#{log => Log, opts => Opts}, Who).

enqueue(#job{id = Id} = Job, Opts, #state{queue = Queue} = State) ->
    Limit = maps:get(queue_timeout, Opts, ?QUEUE_TIMEOUT),
    Timer = later(Limit, {expired, Id}),
    State#state{queue = queue:in(#waiting{job = Job, timer = Timer}, Queue)}.

next(#state{current = none, queue = Queue} = State) ->
    case queue:out(Queue) of
        {empty, _} ->
            State;
        {{value, #waiting{job = Job, timer = Timer}}, Rest} ->
            ok = cancel(Timer),
            next(begin_job(Job, State#state{queue = Rest}))
    end;
next(State) ->
    State.

begin_job(#job{what = flush, id = Id, context = #{opts := Opts}} = Job, State) ->
    #state{config = #{host := Host, fs := Fs, root := Root}} = State,
    Coordinator = self(),
    Work = fun() ->
        Flushed = btr_flush_exec:run(#{
            fs => Fs, root => Root, entries => btr_changelog:entries(), units => Host:units(),
            opts => Opts
        }),
        Coordinator ! {flushed, Id, {ok, Flushed}}
    end,
    OnCrash = fun(Reason) -> {flushed, Id, {error, flush_failed(Reason)}} end,
    spawn_worker(Id, Work, OnCrash, infinity, State#state{current = Job});
begin_job(#job{what = Source} = Job, State) ->
    {Txn, Effects} = btr_txn:new(Source),
    run(Effects, State#state{current = Job#job{txn = Txn}}).

expire(Id, #state{queue = Queue, current = Current} = State) ->
    {Expired, Left} = lists:partition(
        fun(#waiting{job = #job{id = I}}) -> I =:= Id end, queue:to_list(Queue)
    ),
    lists:foreach(
        fun(#waiting{job = Job}) -> answer_caller(Job, {error, lock_error(Current)}) end, Expired
    ),
    State#state{queue = queue:from_list(Left)}.

%% Who asked is gone: a request that waits is dropped, one that has staged nothing yet is stopped.
abandon(Monitor, #state{current = #job{monitor = Monitor, id = Id}} = State) ->
    event(Id, abandoned, State);
abandon(Monitor, #state{queue = Queue} = State) ->
    IsGone = fun(#waiting{job = #job{monitor = M}}) -> M =:= Monitor end,
    State#state{queue = queue:filter(fun(Waiting) -> not IsGone(Waiting) end, Queue)}.

lock_error(Current) ->
    {Holder, Details} = case Current of
        #job{what = flush} -> {<<"a flush">>, #{}};
        #job{context = #{asker := Asker}} ->
            {[<<"a change asked for by ">>, pid_to_list(Asker)], #{holder => Asker}};
        none -> {<<"nobody">>, #{}}
    end,
    Message = [<<"waited too long for the workspace, which is held by ">>, Holder],
    btr_error:new(<<"lock.timeout">>, Message, Details#{hint => <<"try again">>}).

%% Running the machine ----------------------------------------------------------------------------

event(Id, Event, #state{current = #job{id = Id, txn = Txn} = Job} = State) when Txn =/= none ->
    {Txn1, Effects} = btr_txn:step(Event, Txn),
    run(Effects, State#state{current = Job#job{txn = Txn1}});
event(Id, Event, #state{draining = Draining} = State) ->
    case Draining of
        #{Id := Txn} ->
            {Txn1, []} = btr_txn:step(Event, Txn),
            settle(Id, Txn1, State);
        #{} ->
            State
    end.

settle(Id, Txn, #state{draining = Draining} = State) ->
    case btr_txn:is_over(Txn) of
        true -> State#state{draining = maps:remove(Id, Draining)};
        false -> State
    end.

run([], State) ->
    committed(State);
run([Effect | Rest], #state{current = #job{id = Id, context = Context}} = State) ->
    case btr_txn_exec:perform(Effect, Context) of
        {event, Event} when Rest =:= [] ->
            event(Id, Event, State);
        {event, _Ignored} ->
            run(Rest, State);
        {work, Work, OnCrash, Limit} ->
            run(Rest, start_work(Id, Work, OnCrash, Limit, State));
        {timer, Ms, Event} ->
            _ = later(Ms, {event, Id, Event}),
            run(Rest, State);
        {reply, Outcome} ->
            run(Rest, reply(Outcome, State));
        none ->
            run(Rest, State)
    end.

start_work(Id, Work, OnCrash, Limit, State) ->
    Coordinator = self(),
    spawn_worker(
        Id,
        fun() -> Coordinator ! {event, Id, Work()} end,
        fun(Reason) -> {event, Id, OnCrash(Reason)} end,
        Limit,
        State
    ).

%% Once the caller has its answer the next job may begin; the purge goes on beside it.
committed(#state{current = #job{id = Id, txn = Txn}, draining = Draining} = State) ->
    case {btr_txn:is_over(Txn), btr_txn:is_committed(Txn)} of
        {true, _} -> stop_workers(Id, State#state{current = none});
        {false, true} ->
            self() ! sweep,
            State#state{current = none, draining = Draining#{Id => Txn}};
        {false, false} ->
            State
    end.

%% Of a transaction that was refused while it planned or compiled nobody waits for the worker.
stop_workers(Id, #state{workers = Workers} = State) ->
    Own = [Pid || {Pid, I, _, _} <- maps:values(Workers), I =:= Id],
    lists:foreach(fun(Pid) -> exit(Pid, kill) end, Own),
    State.

%% The caller of a forerunner asks for what has been kept.
reply(_Outcome, #state{current = #job{what = resumed}} = State) ->
    ok = watch_outcomes(),
    State;
reply(Outcome, #state{current = #job{id = Id} = Job} = State) ->
    ok = answer_caller(Job, Outcome),
    ok = told(Id),
    State.

answer_caller(#job{from = From, monitor = Monitor}, Answer) ->
    _ = is_reference(Monitor) andalso erlang:demonitor(Monitor, [flush]),
    gen_server:reply(From, Answer).

%% An outcome goes when it has been told. A caller that is dead never hears it: it goes with the
%% caller too, also with one that is gone already. Each coordinator sees to what it finds.
watch_outcomes() ->
    Callers = ets:select(?STATE, [{{{outcome, '_'}, '$1', '_'}, [], ['$1']}]),
    lists:foreach(fun(Caller) -> erlang:monitor(process, Caller) end, Callers).

told(Ref) ->
    true = ets:delete(?STATE, {outcome, Ref}),
    ok.

outcome(Ref) ->
    case ets:lookup(?STATE, {outcome, Ref}) of
        [{_, _, Outcome}] ->
            Outcome;
        [] ->
            {error,
                btr_error:new(
                    <<"workspace.restarted">>,
                    <<"the coordinator restarted; the change was not made">>,
                    #{hint => <<"try again">>}
                )}
    end.

%% Flushing ---------------------------------------------------------------------------------------

flushed({ok, #{result := Result, marks := Marks, rebase := Rebase}}, State) ->
    #state{current = Job, config = #{host := Host}, log = Log} = State,
    ok = Host:rebase(Rebase),
    Marked = btr_changelog:mark(Marks, #{flushed => true}, Log),
    answer_caller(Job, {ok, marked(Marked, Marks, Result)}),
    State#state{current = none};
flushed({error, Error}, #state{current = Job} = State) ->
    answer_caller(Job, {error, Error}),
    State#state{current = none}.

%% The files stand; only the log could not be told. The next flush finds nothing left to write.
marked(ok, _Marks, Result) ->
    Result;
marked({error, Error}, Marks, #{conflicts := Conflicts} = Result) ->
    Conflict = #{
        file => <<"<changelog>">>, reason => <<"flush_marker_failed">>, seqs => Marks,
        detail => btr_error:message(Error)
    },
    Result#{conflicts => Conflicts ++ [Conflict]}.

flush_failed(Reason) ->
    Message = io_lib:format("the flush failed inside: ~tP", [Reason, 12]),
    btr_error:new(<<"disk.failed">>, Message, #{reason => Reason}).

%% Workers ----------------------------------------------------------------------------------------

spawn_worker(Id, Work, OnCrash, Limit, #state{workers = Workers} = State) ->
    {Pid, Monitor} = spawn_opt(Work, [link, monitor]),
    Timer = later(Limit, {limit, Monitor}),
    State#state{workers = Workers#{Monitor => {Pid, Id, OnCrash, Timer}}}.

worker_down(Monitor, Reason, #state{workers = Workers} = State) ->
    case maps:take(Monitor, Workers) of
        {{_Pid, _Id, OnCrash, Timer}, Rest} ->
            ok = cancel(Timer),
            report(Reason, OnCrash),
            State#state{workers = Rest};
        error ->
            State
    end.

report(normal, _OnCrash) ->
    ok;
report(Reason, OnCrash) ->
    self() ! OnCrash(Reason),
    ok.

-spec later(timeout(), term()) -> timer().
later(infinity, _Message) -> none;
later(Ms, Message) -> erlang:send_after(Ms, self(), Message).

cancel(none) -> ok;
cancel(Timer) -> _ = erlang:cancel_timer(Timer), ok.
