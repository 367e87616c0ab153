%%% @doc A model of the transaction: random operations with random failures and crashes over the
%%% fake host, by one client and by several at once, against a map of texts and a list of entries.
%%%
%%% After each command the image is what the model says, or, for a request that ended in a crash,
%%% exactly what its answer says: refused means that nothing changed, accepted that everything did.
%%% Of several clients, whose failures meet each other's requests as it happens, the accepted
%%% requests alone, in the order of their generations, give the image and the log.
-module(prop_txn).

-export([prop_serial/1, prop_concurrent/1, command/0]).

-include("prop.hrl").

-define(FILES, [<<"src/a.bt">>, <<"src/b.bt">>, <<"src/c.bt">>, <<"src/d.bt">>]).

%% Commands -------------------------------------------------------------------------------------

command() ->
    proper_types:tuple([operation(), failure()]).

operation() ->
    proper_types:frequency([
        {4, proper_types:tuple([patch, subset(), body()])},
        {3, proper_types:tuple([rename, name(), name()])},
        {1, proper_types:tuple([bad_patch, subset(), body()])},
        {1, proper_types:tuple([stale_patch, subset(), body()])},
        {1, proper_types:tuple([outdated_plan, name(), name()])},
        {1, clear}
    ]).

subset() ->
    ?LET(Files, proper_types:list(proper_types:elements(?FILES)),
        lists:usort([hd(?FILES) | Files])).

body() -> proper_types:integer(1, 9).
name() -> proper_types:elements([<<"A">>, <<"B">>, <<"C">>, <<"D">>, <<"E">>, <<"F">>]).

failure() ->
    proper_types:frequency([
        {3, none},
        {4, ?LET(
            {Callback, When, Action},
            {
                proper_types:elements([compile, old_code, stage, switch, publish, purge, unstage]),
                proper_types:elements(['before', 'after']),
                proper_types:elements([raise, kill, {return, error}])
            },
            {Callback, When, Action}
        )}
    ]).

%% Serial -----------------------------------------------------------------------------------------

%% Runs lists of commands until at least `Wanted' commands were run in all.
prop_serial(Size) ->
    ?FORALL(
        Commands,
        proper_types:vector(Size, command()),
        begin
            start(),
            Result = run(Commands, #{texts => texts(), entries => [], generation => 0}),
            stop(),
            ?WHENFAIL(io:format(user, "~p~n", [Result]), Result =:= ok)
        end
    ).

texts() ->
    maps:from_list([
        {File, iolist_to_binary(["Object subclass: ", string:uppercase([C]), "\n  a => ",
            string:uppercase([C]), "\n"])}
     || <<"src/", C, _/binary>> = File <- ?FILES
    ]).

start() ->
    btr_host_fake:start(texts()),
    {ok, _} = bt_refactor:start(btr_toy:options()).

stop() ->
    bt_refactor:stop(),
    btr_host_fake:stop().

run([], _Model) ->
    ok;
run([{Operation, Failure} | Rest], Model) ->
    btr_faults:clear(),
    inject(Failure),
    Before = observed(),
    Answer = perform(Operation),
    %% The next coordinator is up and has recovered: nothing of this command is under way.
    settled(),
    btr_faults:clear(),
    After = observed(),
    case judge(Operation, Failure, Answer, Before, After, Model) of
        {ok, Next} -> run(Rest, Next);
        Wrong -> #{wrong => Wrong, command => {Operation, Failure}, answer => Answer,
            left => length(Rest)}
    end.

inject(none) ->
    ok;
%% These cannot fail by contract; a crash they can have.
inject({Callback, When, {return, error}}) when
    Callback =:= publish; Callback =:= purge; Callback =:= unstage;
    Callback =:= switch andalso When =:= 'after'
->
    btr_faults:inject(Callback, When, kill);
inject({Callback, When, {return, error}}) ->
    Error = {error, btr_error:new(<<"load.failed">>, <<"injected">>)},
    btr_faults:inject(Callback, When, {return, Error});
inject({Callback, When, Action}) ->
    btr_faults:inject(Callback, When, Action).

perform({patch, Files, N}) ->
    bt_refactor:change(change(Files, N));
perform({bad_patch, Files, N}) ->
    #{units := [Unit | Units]} = Change = change(Files, N),
    bt_refactor:change(Change#{units := [Unit#{text := <<"%%ERROR">>} | Units]});
perform({stale_patch, Files, N}) ->
    #{units := [Unit | Units]} = Change = change(Files, N),
    bt_refactor:change(Change#{units := [Unit#{old_digest := <<"0">>} | Units]});
perform({rename, Old, New}) ->
    bt_refactor:perform(request(Old, New));
perform({outdated_plan, Old, New}) ->
    case bt_refactor:plan(request(Old, New)) of
        {ok, #{generation := Generation} = Plan} ->
            %% A generation that is past: one to come another client may make the current one, on
            %% which the plan was not made.
            bt_refactor:apply(Plan#{generation := Generation - 1});
        {error, _} = Error ->
            Error
    end;
perform(clear) ->
    bt_refactor:clear_changes().

request(Old, New) -> #{operation => rename_class, class => Old, new_name => New}.

change(Files, N) ->
    #{operation => patch, names => [], units => [unit(File, N) || File <- Files]}.

unit(File, N) ->
    {ok, #{digest := Digest, text := Text}} = btr_host_fake:unit(File),
    #{file => File, text => patched(Text, N), package => <<"toy">>, origin => project,
      names_only => false, old_digest => Digest}.

patched(Text, N) ->
    iolist_to_binary(re:replace(Text, <<"  a => .*\n">>,
        ["  a => A B ", integer_to_binary(N), "\n"])).

settled() ->
    btr_wait:until(fun() ->
        try gen_server:call(btr_coordinator, {outcome, make_ref()}, btr_wait:limit()) of
            {error, _} -> true
        catch
            exit:_ -> false
        end
    end).

observed() ->
    {
        maps:map(fun(_, #{text := T}) -> T end, btr_host_fake:units()),
        [Seq || #{seq := Seq} <- bt_refactor:changes()],
        btr_host_fake:generation(),
        btr_host_fake:loaded()
    }.

%% What the answer allows.
judge(Operation, Failure, Answer, Before, After, Model) ->
    {Texts, Seqs, Generation, _} = After,
    #{texts := Expected} = Model,
    Checks = [
        {violations, btr_host_fake:violations() =:= []},
        {intent, ets:lookup(btr_state, intent) =:= []},
        {outcomes, ets:match(btr_state, {{outcome, '$1'}, '_', '_'}) =:= []},
        {staged, maps:get(staged, btr_host_fake:snapshot()) =:= []}
    ],
    case [What || {What, false} <- Checks] of
        [] -> judge_answer(Operation, Failure, Answer, {Before, After},
            {Texts, Seqs, Generation, Expected}, Model);
        Wrong -> Wrong
    end.

judge_answer(clear, _, ok, _, {_, Seqs, _, _}, Model) ->
    same(cleared, Seqs, [], Model#{entries := []});
judge_answer(Operation, _, {ok, #{seq := nil}}, {Same, Same}, _, Model) ->
    case Operation of
        {rename, Name, Name} -> {ok, Model};
        {outdated_plan, Name, Name} -> {ok, Model};
        _ -> {unexpected_nothing, Operation}
    end;
judge_answer({patch, Files, N}, Failure, {ok, _}, _, Observed, Model) ->
    #{texts := Texts} = Model,
    New = maps:map(
        fun(F, T) -> case lists:member(F, Files) of true -> patched(T, N); false -> T end end, Texts
    ),
    moved(New, Failure, Observed, Model);
judge_answer({rename, Old, New}, Failure, {ok, _}, _, Observed, #{texts := Texts} = Model) ->
    Renamed = maps:map(
        fun(_, T) -> iolist_to_binary(re:replace(T, ["\\b", Old, "\\b"], New, [global])) end, Texts
    ),
    moved(Renamed, Failure, Observed, Model);
judge_answer(_, _, {error, _}, {Same, Same}, _, Model) ->
    {ok, Model};
judge_answer(_, _, {error, _}, {Before, After}, _, _) ->
    {refused_but_changed, Before, After};
judge_answer(_, _, Answer, _, _, _) ->
    {unexpected, Answer}.

moved(Texts, _Failure, {Texts, Seqs, Generation, _},
    #{generation := Old, entries := Entries} = Model) when
    Generation =:= Old + 1
->
    %% New entries come after the old ones. A patch to what already stands leaves none.
    case lists:prefix(Entries, Seqs) of
        true -> {ok, Model#{texts := Texts, entries := Seqs, generation := Generation}};
        false -> {entries, Entries, Seqs}
    end;
moved(Texts, _, {Observed, _, Generation, _}, Model) ->
    {not_moved, #{expected => Texts, observed => Observed, generation => Generation,
        model => Model}}.

same(_, Same, Same, Model) -> {ok, Model};
same(What, A, B, _) -> {What, A, B}.

%% Concurrent -------------------------------------------------------------------------------------

%% Several clients at once, each of which arms a failure before it asks; whose request meets it is
%% chance.
prop_concurrent(Size) ->
    ?FORALL(
        Lists,
        proper_types:vector(4, proper_types:vector(Size, command())),
        begin
            start(),
            Clients = [
                spawn_monitor(fun() -> exit({answers, client(Commands)}) end) || Commands <- Lists
            ],
            Answers = lists:append([
                case btr_wait:end_of(M) of
                    {answers, A} -> A;
                    Reason -> [{died, Reason}]
                end
             || {_, M} <- Clients
            ]),
            settled(),
            btr_faults:clear(),
            Result = replay(Answers),
            stop(),
            ?WHENFAIL(io:format(user, "~p~n", [Result]), Result =:= ok)
        end
    ).

client(Commands) ->
    [
        begin
            inject(Failure),
            {Operation, perform(Operation)}
        end
     || {Operation, Failure} <- Commands, Operation =/= clear
    ].

replay(Answers) ->
    case [Reason || {died, Reason} <- Answers] of
        [] -> replayed(Answers);
        Died -> {clients_died, Died, observed()}
    end.

replayed(Answers) ->
    Accepted = lists:sort([
        {maps:get(generation, Entry), Seq, Op}
     || {Op, {ok, #{seq := Seq} = Entry}} <- Answers, Seq =/= nil
    ]),
    {[Texts | _] = All, Code} = lists:foldl(fun({_, _, Op}, {[Ts | _] = All, C}) ->
        Next = apply_to(Op, Ts),
        {[Next | All], maps:merge(C, maps:with(recompiled(Op), Next))}
    end, {[texts()], texts()}, Accepted),
    {Observed, Seqs, Generation, Loaded} = observed(),
    Groups = lists:usort([Group || #{group := Group} <- bt_refactor:changes()]),
    Silent = [Op || {Op, {ok, #{seq := nil}}} <- Answers],
    Checks = [
        {violations, btr_host_fake:violations() =:= []},
        {intent, ets:lookup(btr_state, intent) =:= []},
        {staged, maps:get(staged, btr_host_fake:snapshot()) =:= []},
        {each_generation_once, is_strictly_rising([G || {G, _, _} <- Accepted])},
        {texts, Texts =:= Observed},
        {loaded, is_loaded(Loaded, Code, {Silent, All})},
        {seqs, is_strictly_rising(Seqs)},
        {entries, Groups =:= lists:sort([S || {_, S, _} <- Accepted])},
        {generation, Generation =< length(Accepted) + length(Silent)}
    ],
    case [What || {What, false} <- Checks] of
        [] -> ok;
        Wrong -> #{wrong => Wrong, violations => btr_host_fake:violations(),
            accepted => Accepted, expected => Texts,
            observed => Observed, generation => Generation}
    end.

%% A patch to the text that stands leaves no entry, which would tell when it was; all the same it
%% loads what stands, and after a rename that is other than what was loaded last.
is_loaded(Loaded, Code, {Silent, All}) ->
    Again = lists:append([recompiled(Op) || Op <- Silent]),
    lists:all(
        fun({File, Text}) ->
            Later = [map_get(File, Texts) || Texts <- All, lists:member(File, Again)],
            Digest = map_get(binary_to_atom(<<"toy:", File/binary>>), Loaded),
            lists:member(Digest, [btr_change:digest(T) || T <- [Text | Later]])
        end,
        maps:to_list(Code)
    ).

%% A rename of a class changes no code.
recompiled({patch, Files, _}) -> Files;
recompiled(_) -> [].

is_strictly_rising(Numbers) -> lists:usort(Numbers) =:= Numbers.

apply_to({patch, Files, N}, Texts) ->
    maps:map(
        fun(F, T) -> case lists:member(F, Files) of true -> patched(T, N); false -> T end end, Texts
    );
apply_to({rename, Old, New}, Texts) ->
    maps:map(
        fun(_, T) -> iolist_to_binary(re:replace(T, ["\\b", Old, "\\b"], New, [global])) end, Texts
    ).
