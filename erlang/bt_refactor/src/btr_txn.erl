%%% @doc The transaction as a pure machine: an event gives a new state and the effects to perform.
%%%
%%% Every change of the image takes this road, whatever planned it. The machine performs nothing
%%% and knows no process, clock or host; btr_txn_exec performs the effects and feeds their results
%%% back as events. It promises:
%%%
%%% - Before `switched' each failure leads to `refused', with the effects that forget what was
%%%   staged. From `switched' on there is no way back and no effect whose failure matters.
%%% - The point of no return is one clause of `step/2', marked there.
%%% - `switch' is asked again for the same staged set only after `not_purged'; after any other
%%%   outcome the set is never used again (a second use would end the node).
%%% - An effect list holds at most one effect that answers with an event.
%%%
%%% `transitions/0' lists all edges; docs/ARCHITECTURE.md shows them and btr_txn_SUITE compares
%%% that list with the code. prop_txn drives the machine with random events.
-module(btr_txn).

-export([new/1, resume/2, step/2]).
-export([state/1, is_over/1, is_committed/1, transitions/0]).
-export_type([txn/0, source/0, state/0, event/0, effect/0, draft/0, outcome/0, holders/0]).

-type source() :: {request, term()} | {plan, map()} | {change, map()}.
-type state() ::
    asked | planned | compiled | staged | switched | current | logged | draining | done | refused.
-type draft() :: map().
-type outcome() :: {ok, [draft()]} | {error, btr_error:error()}.
-type holders() :: [{module(), [{pid(), binary()}]}].
-type planned() :: #{generation := btr_host:generation(), change := btr_host:change(), _ => _}.
-type compiled() :: #{
    prepared := btr_host:prepared(), modules := [module()], drafts := [draft()]
}.
-type event() ::
    {planned, {ok, planned()} | {error, btr_error:error()}}
    | {verified, ok | {error, btr_error:error()}}
    | {compiled, {ok, compiled()} | {error, btr_error:error()}}
    | {old_code, clear | {held, holders()} | {hopeless, holders()} | {error, btr_error:error()}}
    | waited
    | late
    | {staged, {ok, btr_host:staged()} | {error, btr_error:error()}}
    | abandoned
    | {intended, [draft()]}
    | {switched, ok | {error, {not_purged, [module()]}} | {error, btr_error:error()}}
    | {published, ok}
    | {logged, [draft()]}
    | forgotten
    | purged.
-type effect() ::
    {plan, source()}
    | {verify, planned()}
    | {compile, planned()}
    | {old_code, [module()]}
    | {nudge, [module()]}
    | deadline
    | wait
    | {stage, btr_host:prepared(), btr_host:generation()}
    | {intend, map()}
    | {switch, btr_host:staged()}
    | {publish, btr_host:staged()}
    | {log, [draft()]}
    | {keep, outcome()}
    | forget
    | {purge, [module()]}
    | {unstage, btr_host:staged() | any}
    | {reply, outcome()}.

-record(txn, {
    state = asked :: state(),
    source :: source() | resumed,
    plan = #{} :: map(),
    prepared :: btr_host:prepared(),
    modules = [] :: [module()],
    drafts = [] :: [draft()],
    staged = none :: none | {staged, btr_host:staged() | any},
    holders = none :: none | holders(),
    replanned = false :: boolean()
}).
-opaque txn() :: #txn{}.

%% @doc Starts a transaction.
-spec new(source()) -> {txn(), [effect()]}.
new(Source) ->
    {#txn{source = Source}, [{plan, Source}]}.

%% @doc Goes on with what a forerunner left behind the point of no return.
-spec resume(switched | current, map()) -> {txn(), [effect()]}.
resume(State, #{staged := Staged, modules := Modules, drafts := Drafts}) ->
    Txn = #txn{
        state = State, source = resumed, staged = {staged, Staged}, modules = Modules,
            drafts = Drafts
    },
    case State of
        switched -> {Txn, [{publish, Staged}]};
        current -> {Txn, [{log, Drafts}]}
    end.

%% @doc Takes one event. An event that the state does not wait for changes nothing.
-spec step(event(), txn()) -> {txn(), [effect()]}.
step({planned, {ok, #{change := Change} = Plan}}, #txn{state = asked} = Txn) ->
    case is_empty(Change) of
        true -> {Txn#txn{state = done}, [{reply, {ok, []}}]};
        false -> {Txn#txn{state = planned, plan = Plan}, [{verify, Plan}]}
    end;
step({planned, {error, Error}}, #txn{state = asked} = Txn) ->
    refuse(Error, Txn);
step({verified, ok}, #txn{state = planned, plan = Plan} = Txn) ->
    {Txn, [{compile, Plan}]};
step({verified, ok}, #txn{state = compiled, prepared = Prepared, plan = Plan} = Txn) ->
    {Txn, [{stage, Prepared, next_generation(Plan)}]};
step({verified, {error, Error}}, #txn{state = State} = Txn) when
    State =:= planned; State =:= compiled
->
    plan_again(Error, Txn);
step({compiled, {ok, Compiled}}, #txn{state = planned} = Txn) ->
    #{prepared := Prepared, modules := Modules, drafts := Drafts} = Compiled,
    {
        Txn#txn{state = compiled, prepared = Prepared, modules = Modules, drafts = Drafts},
        [{old_code, Modules}]
    };
step({compiled, {error, Error}}, #txn{state = planned} = Txn) ->
    refuse(Error, Txn);
step({old_code, clear}, #txn{state = compiled, plan = Plan} = Txn) ->
    {Txn, [{verify, Plan}]};
step({old_code, clear}, #txn{state = staged, staged = {staged, Staged}} = Txn) ->
    {Txn, [{switch, Staged}]};
step({old_code, Answer}, #txn{state = State} = Txn) when State =:= compiled; State =:= staged ->
    wait_or_refuse(Answer, Txn);
step(waited, #txn{state = State, modules = Modules} = Txn) when
    State =:= compiled; State =:= staged
->
    {Txn, [{old_code, Modules}]};
step(late, #txn{state = State, holders = Holders} = Txn) when
    (State =:= compiled orelse State =:= staged) andalso Holders =/= none
->
    refuse(old_code_error(Holders), Txn);
step(abandoned, #txn{state = State} = Txn) when
    State =:= asked; State =:= planned; State =:= compiled
->
    %% Who asked is gone. From `staged' on the change comes to be all the same.
    refuse(btr_error:new(<<"request.abandoned">>, <<"who asked for the change is gone">>), Txn);
step({staged, {ok, Staged}}, #txn{state = compiled, modules = Modules, drafts = Drafts} = Txn) ->
    Intent = #{
        staged => Staged, modules => Modules, drafts => Drafts,
        generation => next_generation(Txn#txn.plan)
    },
    {Txn#txn{state = staged, staged = {staged, Staged}}, [{intend, Intent}]};
step({staged, {error, Error}}, #txn{state = compiled} = Txn) ->
    %% Part of it may stand there, and there is no handle for it.
    refuse(Error, Txn#txn{staged = {staged, any}});
step({intended, Drafts}, #txn{state = staged, staged = {staged, Staged}} = Txn) ->
    {Txn#txn{drafts = Drafts}, [{switch, Staged}]};
step({switched, ok}, #txn{state = staged, staged = {staged, Staged}} = Txn) ->
    %% The point of no return: the new code runs.
    {Txn#txn{state = switched}, [{publish, Staged}]};
step({switched, {error, {not_purged, Modules}}}, #txn{state = staged} = Txn) ->
    {Txn, [{old_code, Modules}]};
step({switched, {error, Error}}, #txn{state = staged} = Txn) ->
    refuse(Error, Txn);
step({published, ok}, #txn{state = switched, drafts = Drafts} = Txn) ->
    {Txn#txn{state = current}, [{log, Drafts}]};
step({logged, Entries}, #txn{state = current} = Txn) ->
    %% Until the caller has its answer there is always one of the two: the intent, from which a
    %% successor completes, or the outcome.
    {Txn#txn{state = logged, drafts = Entries}, [{keep, {ok, Entries}}, forget]};
step(forgotten, #txn{state = logged, drafts = Entries, modules = Modules}) ->
    %% Nothing of what it was is needed any more.
    {#txn{state = draining, source = resumed}, [{reply, {ok, Entries}}, {purge, Modules}]};
step(purged, #txn{state = draining} = Txn) ->
    {Txn#txn{state = done}, []};
step(_Event, Txn) ->
    {Txn, []}.

%% @doc Answers the state.
-spec state(txn()) -> state().
state(#txn{state = State}) -> State.

%% @doc Answers whether nothing more can come of it.
-spec is_over(txn()) -> boolean().
is_over(#txn{state = State}) -> State =:= done orelse State =:= refused.

%% @doc Answers whether the caller has its answer and the next transaction may begin.
-spec is_committed(txn()) -> boolean().
is_committed(#txn{state = State} = Txn) -> State =:= draining orelse is_over(Txn).

%% @doc Lists all edges that change the state: from, event, to.
-spec transitions() -> [{state(), atom(), state()}].
transitions() ->
    [
        {asked, planned, planned},
        {asked, nothing_to_do, done},
        {asked, error, refused},
        {asked, abandoned, refused},
        {planned, compiled, compiled},
        {planned, outdated, asked},
        {planned, error, refused},
        {planned, abandoned, refused},
        {compiled, staged, staged},
        {compiled, outdated, asked},
        {compiled, error, refused},
        {compiled, abandoned, refused},
        {compiled, late, refused},
        {staged, switched, switched},
        {staged, error, refused},
        {staged, late, refused},
        {switched, published, current},
        {current, logged, logged},
        {logged, forgotten, draining},
        {draining, purged, done}
    ].

is_empty(#{units := [], names := []}) -> true;
is_empty(_) -> false.

next_generation(#{generation := Generation}) -> Generation + 1.

%% A bare request is planned once more on the new image; a plan that the caller saw never is.
plan_again(_Error, #txn{source = {request, _} = Source, replanned = false}) ->
    {#txn{source = Source, replanned = true}, [{plan, Source}]};
plan_again(Error, Txn) ->
    refuse(Error, Txn).

wait_or_refuse({held, Holders}, #txn{holders = none, modules = Modules} = Txn) ->
    {Txn#txn{holders = Holders}, [deadline, {nudge, Modules}, wait]};
wait_or_refuse({held, Holders}, Txn) ->
    {Txn#txn{holders = Holders}, [wait]};
wait_or_refuse({hopeless, Holders}, Txn) ->
    refuse(old_code_error(Holders), Txn);
wait_or_refuse({error, Error}, Txn) ->
    refuse(Error, Txn).

refuse(Error, #txn{staged = {staged, Staged}} = Txn) ->
    {Txn#txn{state = refused}, [{unstage, Staged}, forget, {reply, {error, Error}}]};
refuse(Error, Txn) ->
    {Txn#txn{state = refused}, [{reply, {error, Error}}]}.

old_code_error(Holders) ->
    Lines = [
        [atom_to_binary(Module), <<": ">>, lists:join(<<", ">>, [who(W) || W <- Who])]
     || {Module, Who} <- lists:sort(Holders)
    ],
    btr_error:new(
        <<"load.old_code_in_use">>,
        [<<"the former version of changed code is still in use: ">>, lists:join(<<"; ">>, Lines)],
        #{holders => Holders, hint => <<"try again when these processes have gone on">>}
    ).

who({Pid, What}) -> [pid_to_list(Pid), <<" in ">>, What].
