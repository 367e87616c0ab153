%%% @doc Performs the effects of a transaction and says what came of each.
%%%
%%% Long effects (planning, compiling, purging) are answered as work for a process of their own, so
%%% that the coordinator stays answerable; the rest is done in the coordinator, between two of its
%%% messages. A host callback that raises before the point of no return is a refusal. The way back
%%% (`unstage') and the way on (`publish') cannot fail by contract; if one raises all the same, the
%%% coordinator dies of it and its successor, which reads the intent row, does it again: nothing
%%% else is begun over an image that is half changed.
-module(btr_txn_exec).

-export([perform/2, recover/1, forget/0]).
-export_type([context/0, done/0]).

-include_lib("kernel/include/logger.hrl").

-define(STATE, btr_state).
-define(LOG_META, #{domain => [btr, transaction]}).
-define(POLL, 20).
-define(TIMEOUT, 5000).

-type context() :: #{
    host := module(),
    planner := btr_plan:planner(),
    scratch := btr_plan:scratch(),
    outline := btr_entry:outline_fun(),
    root := file:filename_all() | undefined,
    log := btr_changelog:log(),
    opts := map(),
    asker := pid(),
    caller := pid(),
    ref := reference()
}.
-type done() ::
    {event, btr_txn:event()}
    | {work, fun(() -> btr_txn:event()), OnCrash :: fun((term()) -> btr_txn:event()),
        Limit :: timeout()}
    | {timer, timeout(), btr_txn:event()}
    | {reply, btr_txn:outcome()}
    | none.

%% @doc Performs one effect.
-spec perform(btr_txn:effect(), context()) -> done().
perform({plan, Source}, Context) ->
    {work,
        fun() -> {planned, guarded(fun() -> plan(Source, Context) end)} end,
        fun(Reason) -> {planned, {error, crashed(<<"planning">>, Reason)}} end,
        infinity};
perform({verify, #{change := Change, generation := Generation}}, #{host := Host}) ->
    {event, {verified, told(guarded(fun() -> btr_change:verify(Change, Generation, Host) end))}};
perform({compile, Plan}, Context) ->
    {work,
        fun() -> {compiled, guarded(fun() -> compile(Plan, Context) end)} end,
        fun(Reason) -> {compiled, {error, crashed(<<"compiling">>, Reason)}} end,
        infinity};
perform({old_code, Modules}, #{host := Host, asker := Asker, opts := Opts}) ->
    %% The host purges what nobody runs, and a purge may wait long for a process.
    {work,
        fun() -> {old_code, old_code(Modules, Host, Asker)} end,
        fun(_) -> {old_code, {error, hanging(Modules)}} end,
        timeout(Opts)};
perform({nudge, Modules}, #{host := Host, opts := Opts}) ->
    purge(Modules, Host, timeout(Opts), nudged);
perform(deadline, #{opts := Opts}) ->
    {timer, timeout(Opts), late};
perform(wait, _Context) ->
    {timer, ?POLL, waited};
perform({stage, Prepared, Generation}, #{host := Host}) ->
    {event, {staged, guarded(fun() -> Host:stage(Prepared, Generation) end)}};
perform({intend, Intent}, #{ref := Ref, caller := Caller, log := Log, opts := Opts}) ->
    Entries = case maps:get(log, Opts, true) of
        true -> btr_changelog:number(maps:get(drafts, Intent), Log);
        false -> []
    end,
    Noted = Intent#{drafts => Entries, ref => Ref, caller => Caller},
    true = ets:insert(?STATE, {intent, staged, Noted}),
    {event, {intended, Entries}};
perform({switch, Staged}, #{host := Host}) ->
    {event, {switched, switch(Staged, Host)}};
perform({publish, Staged}, #{host := Host}) ->
    ok = phase(switched),
    ok = Host:publish(Staged),
    {event, {published, ok}};
perform({log, Entries}, #{log := Log}) ->
    ok = phase(current),
    {event, {logged, btr_changelog:append(Entries, Log)}};
perform({keep, Outcome}, #{ref := Ref, caller := Caller}) ->
    true = ets:insert(?STATE, {{outcome, Ref}, Caller, Outcome}),
    none;
perform(forget, _Context) ->
    ok = forget(),
    {event, forgotten};
perform({unstage, Staged}, #{host := Host}) ->
    ok = Host:unstage(Staged),
    none;
perform({purge, Modules}, #{host := Host, opts := Opts}) ->
    purge(Modules, Host, timeout(Opts), purged);
perform({reply, Outcome}, _Context) ->
    {reply, Outcome}.

%% @doc Decides what a forerunner left: nothing, something undone here, or something to complete.
-spec recover(module()) ->
    none
    | {undone, reference()}
    | {complete, reference(), switched | current, map()}.
recover(Host) ->
    case ets:lookup(?STATE, intent) of
        [] ->
            %% The forerunner may have died between staging and noting it.
            ok = Host:unstage(any),
            none;
        [{intent, staged, #{ref := Ref, staged := Staged} = Intent}] ->
            case Host:switched(Staged) of
                true ->
                    {complete, Ref, switched, Intent};
                false ->
                    ok = Host:unstage(Staged),
                    ok = forget(),
                    {undone, Ref}
            end;
        [{intent, switched, #{ref := Ref} = Intent}] ->
            %% It may have been published in part; to publish once more harms nothing.
            {complete, Ref, switched, Intent};
        [{intent, current, #{ref := Ref} = Intent}] ->
            {complete, Ref, current, Intent}
    end.

%% @doc Forgets the intent: nothing is left to complete.
-spec forget() -> ok.
forget() ->
    true = ets:delete(?STATE, intent),
    ok.

phase(Phase) ->
    true = ets:update_element(?STATE, intent, {2, Phase}),
    ok.

%% A plan that is outdated says what was done since.
told({error, {btr, <<"plan.outdated">>, #{planned := Planned, message := Message} = Details}}) ->
    Names = [btr_changelog:title(Entry) || Entry <- btr_changelog:since(Planned)],
    Since = [[<<": ">>, lists:join(<<", ">>, Names)] || Names =/= []],
    {error, btr_error:new(<<"plan.outdated">>, [Message | Since], Details)};
told(Result) ->
    Result.

%% Planning and compiling, in a worker ----------------------------------------------------------

plan({request, #{operation := revert, seq := Seq}}, #{host := Host}) ->
    Generation = Host:generation(),
    Former = maps:filter(fun(_, Unit) -> is_map_key(born, Unit) end, Host:units()),
    case btr_revert:plan(Seq, btr_changelog:entries(), {fun Host:unit/1, Former}) of
        {ok, Change} -> {ok, #{generation => Generation, change => Change, plan => none}};
        {error, _} = Error -> Error
    end;
plan({request, Request}, Context) ->
    case btr_plan:make(Request, Context) of
        {ok, Plan} -> plan({plan, Plan}, Context);
        {error, _} = Error -> Error
    end;
plan({plan, #{generation := Generation} = Plan}, #{host := Host}) ->
    case btr_change:from_plan(Plan, fun Host:unit/1) of
        {ok, Change} -> {ok, #{generation => Generation, change => Change, plan => Plan}};
        {error, _} = Error -> Error
    end;
plan({plan, _}, _Context) ->
    {error, btr_error:new(<<"request.invalid">>, <<"a plan names its generation">>)};
plan({change, Change}, #{host := Host}) ->
    case btr_change:checked(Change) of
        {ok, Checked} ->
            Generation = maps:get(generation, Change, Host:generation()),
            {ok, #{generation => Generation, change => Checked, plan => none}};
        {error, _} = Error ->
            Error
    end.

compile(#{change := Change, generation := Generation, plan := Plan}, Context) ->
    #{host := Host, outline := Outline, opts := Opts, root := Root} = Context,
    case Host:compile(Change, maps:get(progress, Opts, fun(_) -> ok end)) of
        {ok, Prepared} ->
            Drafts = btr_entry:drafts(Plan, Change, #{
                old => fun Host:unit/1, outline => Outline, generation => Generation + 1,
                opts => Opts#{root => Root}
            }),
            {ok, #{prepared => Prepared, modules => Host:modules(Prepared), drafts => Drafts}};
        {error, _} = Error ->
            Error
    end.

%% Switching ------------------------------------------------------------------------------------

%% A switch that raises has or has not taken place; only the host can tell.
switch(Staged, Host) ->
    try
        Host:switch(Staged)
    catch
        Class:Reason:Stack ->
            ?LOG_ERROR("the switch raised ~tp:~tp ~tp", [Class, Reason, Stack], ?LOG_META),
            case Host:switched(Staged) of
                true -> ok;
                false -> {error, crashed(<<"switching">>, Reason)}
            end
    end.

old_code(Modules, Host, Asker) ->
    case guarded(fun() -> Host:old_code(Modules) end) of
        [] -> clear;
        {error, _} = Error -> Error;
        Holders ->
            case lists:any(fun({_, Who}) -> lists:keymember(Asker, 1, Who) end, Holders) of
                true -> {hopeless, Holders};
                false -> {held, Holders}
            end
    end.

hanging(Modules) ->
    Names = lists:join(<<", ">>, [atom_to_binary(Module) || Module <- lists:sort(Modules)]),
    btr_error:new(
        <<"load.old_code_in_use">>,
        [<<"the former version of changed code could not be purged in time: ">>, Names],
        #{hint => <<"try again when the processes of the node are less busy">>}
    ).

purge(Modules, Host, Limit, Event) ->
    {work, fun() -> _ = Host:purge(Modules), Event end, fun(_) -> Event end, Limit}.

timeout(Opts) -> maps:get(timeout, Opts, ?TIMEOUT).

guarded(Fun) ->
    try
        Fun()
    catch
        Class:Reason:Stack ->
            ?LOG_ERROR("an effect raised ~tp:~tp ~tp", [Class, Reason, Stack], ?LOG_META),
            {error, crashed(<<"an effect">>, Reason)}
    end.

crashed(What, Reason) ->
    Message = io_lib:format("~ts failed inside: ~tP", [What, Reason, 12]),
    btr_error:new(<<"internal.effect">>, Message, #{reason => Reason}).
