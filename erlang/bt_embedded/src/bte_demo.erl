%% @doc The demonstration: classes and methods renamed and removed in a harbour under load.
%%
%% It works on a copy of the example and drives the public interfaces only. Each thing that it
%% says is checked while it says it; `run/1' answers 1 when one was not so. `make demo' tests it.
-module(bte_demo).

-export([run/1]).

-import(bte_demo_page, [title/2, say/1, say/2, table/1, diff/2, prompt/2, expect/2]).

-define(CLIENTS, 20).
-define(LONGEST_DIFF, 24).

%% @doc Tells the whole story on a copy of the project; answers the exit status.
-spec run(file:filename_all()) -> 0 | 1.
run(Project) ->
    Began = erlang:monotonic_time(millisecond),
    ok = bte_demo_page:start(),
    Copy = bte_demo_copy:make(Project),
    try
        tell(Copy),
        bte_demo_page:verdict(erlang:monotonic_time(millisecond) - Began)
    after
        bt_embedded:stop(),
        bte_demo_copy:remove(Copy)
    end.

tell(Dir) ->
    Session0 = open(Dir),
    Session = populate(Session0),
    Actors = actors(Session),
    Load = bte_demo_load:start(?CLIENTS, sends(Session)),
    Renamed = rename_class(Dir, Session, Actors, Load),
    Bumped = rename_method(Renamed, Load),
    Last = remove_method(Bumped, Load),
    finish_load(Load, Actors, Last),
    flush(Dir, Last),
    start_again(Dir).

%% 1

open(Dir) ->
    title(1, "A harbour is opened"),
    {Time, {ok, #{classes := All}}} = timed(fun() -> bt_embedded:start(#{project => Dir}) end),
    Classes = [Class || Class <- All, lists:prefix("bt@harbour@", atom_to_list(Class))],
    say("A copy of examples/harbour: ~b classes over a library of ~b, all in Beamtalk,", [
        length(Classes), length(All) - length(Classes)
    ]),
    say("ready after ~b ms.", [Time]),
    expect("there are at least fifteen classes", length(Classes) >= 15),
    bte_session:open(#{}).

populate(Session) ->
    lists:foldl(fun(Input, Acc) -> type(Acc, Input) end, Session, [
        <<"master := HarbourDay openHarbour">>,
        <<"HarbourDay fleet do: [:each | master admit: each]">>,
        <<"master report">>
    ]).

%% The harbour's actors, whose pids must stay.
actors(Session) ->
    [value(Session, <<"master">>), value(Session, <<"master logbook">>) | berths(Session)].

berths(Session) ->
    [value(Session, <<"master berthNumber: ", N>>) || N <- "1234"].

sends(Session) ->
    [Master, _Logbook | Berths] = actors(Session),
    [{Berth, Selector} || Berth <- Berths, Selector <- [describe, visits, report, surcharge]] ++
        [{Master, report}, {Master, vacancies}, {value(Session, <<"Quay">>), berthKind}].

%% 2

rename_class(Dir, Session0, Actors, Load) ->
    title(2, "A class is renamed"),
    say("~b clients send to the harbour without a pause, from now on to the end.", [?CLIENTS]),
    Request = #{operation => rename_class, class => <<"Berth">>, new_name => <<"Jetty">>},
    {ok, Plan} = bt_refactor:plan(Request),
    show_plan(Plan),
    show_diff(Dir, Plan, <<"src/berth_roster.bt">>),
    Before = observations(Session0),
    Session1 = type(Session0, <<"master berthNumber: 1">>),
    Session2 = under_load(Load, fun() -> type(Session1, <<"Berth renameTo: #Jetty">>) end),
    Session = type(Session2, <<"master berthNumber: 1">>),
    expect("every actor is the process that it was", actors(Session) =:= Actors),
    expect("and alive", lists:all(fun is_alive/1, Actors)),
    expect("with the state that it had", observations(Session) =:= Before),
    expect("the class has the new name", is_value(Session, <<"Jetty name">>, 'Jetty')),
    type_wrong(Session, <<"Berth sample">>),
    Session.

observations(Session) ->
    [value(Session, <<"master report">>), value(Session, <<"(master berthNumber: 3) depth">>)].

is_alive({'$actor', _, Pid}) -> is_process_alive(Pid).

%% 3

rename_method(Session, Load) ->
    title(3, "A method is renamed"),
    Request = #{
        operation => rename_method,
        class => <<"Jetty">>,
        side => instance,
        selector => <<"isFree">>,
        new_selector => <<"isVacant">>,
        accept => []
    },
    {ok, #{candidates := Candidates} = Plan} = bt_refactor:plan(Request),
    show_plan(Plan),
    say("What is not proven is a candidate. It is changed only on request:"),
    table([{place(Candidate), because(Candidate)} || Candidate <- Candidates]),
    Accepted = [[File, Start] || #{file := File, start := Start} <- Candidates],
    say("They were looked at, and all ~b are accepted.", [length(Accepted)]),
    _ = under_load(Load, fun() -> {ok, _} = bt_refactor:perform(Request#{accept := Accepted}) end),
    expect("the method answers to its new name", is_boolean(value(Session, vacant()))),
    type_wrong(Session, <<"(master berthNumber: 1) isFree">>),
    Session.

vacant() -> <<"(master berthNumber: 1) isVacant">>.

%% 4

remove_method(Session0, Load) ->
    title(4, "A method is removed"),
    Session1 = type(Session0, <<"(master berthNumber: 4) describe">>),
    Own = value(Session1, <<"(master berthNumber: 4) describe">>),
    Remove = <<"TankerBerth removeSelector: #describe">>,
    Session2 = under_load(Load, fun() -> type(Session1, Remove) end),
    Session3 = type(Session2, <<"(master berthNumber: 4) describe">>),
    Inherited = value(Session3, <<"(master berthNumber: 4) describe">>),
    expect("the same actor answers with the inherited method", Own =/= Inherited),
    Session3.

%% 5

finish_load(Load, Actors, Session) ->
    title(5, "The load ends"),
    #{answered := Answered, failed := Failed, lost := Lost, failures := Failures} =
        bte_demo_load:stop(Load),
    table([{"messages answered", Answered}, {"failed", Failed}, {"lost", Lost}]),
    lists:foreach(fun bte_demo_page:say/1, lists:sublist(lists:usort(Failures), 3)),
    expect("no message failed and none was lost", {Failed, Lost} =:= {0, 0}),
    expect("the actors are still the same processes", actors(Session) =:= Actors).

%% 6

flush(Dir, Session0) ->
    title(6, "The files are written"),
    Before = bte_demo_copy:files(Dir),
    Session1 = type(Session0, <<"Workspace changes">>),
    Session2 = type(Session1, <<"Workspace flush">>),
    say("Renames and removals are destructive: a plain flush withholds them, this one does not:"),
    expect(
        "no file is renamed yet",
        lists:sort(maps:keys(Before)) =:= lists:sort(maps:keys(bte_demo_copy:files(Dir)))
    ),
    _ = type(Session2, <<"Workspace flushIncludingDestructive">>),
    After = bte_demo_copy:files(Dir),
    show_files(Before, After),
    expect("src/berth.bt is now src/jetty.bt", is_renamed(Before, After)),
    show_prose(After).

show_files(Before, After) ->
    Changed = [F || {F, Text} <- maps:to_list(After), maps:get(F, Before, Text) =/= Text],
    table([
        {"files changed in place", length(Changed)},
        {"files not touched", map_size(After) - length(Changed) - length(added(Before, After))},
        {"new", lists:join(", ", added(Before, After))},
        {"gone", lists:join(", ", added(After, Before))}
    ]).

added(Before, After) -> lists:sort(maps:keys(After) -- maps:keys(Before)).

is_renamed(Before, After) ->
    {added(Before, After), added(After, Before)} =:= {[<<"src/jetty.bt">>], [<<"src/berth.bt">>]}.

show_prose(Files) ->
    Index = bte_demo_copy:index(Files),
    Mentions = [F || {F, Text} <- maps:to_list(Files), is_mentioned(Text)],
    expect("no code names Berth any more", btr_nif:references_to(Index, <<"Berth">>) =:= []),
    say("Comments and texts are people's: ~b files still mention a Berth there.", [
        length(Mentions)
    ]).

is_mentioned(Text) -> re:run(Text, "\\bBerth\\b") =/= nomatch.

%% 7

start_again(Dir) ->
    title(7, "A second node starts from the files and runs their tests"),
    {Status, Output} = bte_demo_copy:test(Dir),
    Lines = [Line || Line <- string:split(Output, "\n", all), string:trim(Line) =/= ""],
    Shown = lists:nthtail(max(0, length(Lines) - 6), Lines),
    lists:foreach(fun(Line) -> say(["  ", Line]) end, Shown),
    expect("all tests pass there", Status =:= 0).

%% The prompt

type(Session, Input) ->
    case bte_session:evaluate(Session, unicode:characters_to_binary(Input)) of
        {ok, _, Text, Notes, Next} ->
            prompt(Input, [Text | [[$\n, Note] || Note <- Notes]]),
            Next;
        {error, Text, Next} ->
            prompt(Input, Text),
            expect(["answered: ", Input], false),
            Next
    end.

type_wrong(Session, Input) ->
    case bte_session:evaluate(Session, Input) of
        {error, Text, _} -> prompt(Input, Text);
        {ok, _, _, _, _} -> expect(["refused: ", Input], false)
    end.

value(Session, Input) ->
    {ok, Value, _, _, _} = bte_session:evaluate(Session, Input),
    Value.

is_value(Session, Input, Value) -> value(Session, Input) =:= Value.

%% Runs an operation and says what the clients got meanwhile.
under_load(Load, Operation) ->
    #{answered := Before, failed := FailedBefore} = bte_demo_load:figures(Load),
    {Time, Result} = timed(Operation),
    #{answered := After, failed := FailedAfter} = bte_demo_load:figures(Load),
    say("It took ~b ms; ~b messages were answered meanwhile, ~b failed.", [
        Time, After - Before, FailedAfter - FailedBefore
    ]),
    expect("no message failed", FailedAfter =:= FailedBefore),
    Result.

timed(Operation) ->
    Began = erlang:monotonic_time(millisecond),
    Result = Operation(),
    {erlang:monotonic_time(millisecond) - Began, Result}.

%% Plans

show_plan(#{sites := Sites} = Plan) ->
    Files = lists:usort([File || #{file := File} <- Sites]),
    say("The plan: ~b sites in ~b files.", [length(Sites), length(Files)]),
    table(tally([Kind || #{kind := Kind} <- Sites])),
    say("By file:"),
    table(tally([File || #{file := File} <- Sites])),
    #{candidates := Candidates, prose := #{count := Prose}} = maps:merge(no_prose(), Plan),
    say("To review: ~b candidates, ~b mentions in comments and texts.", [
        length(Candidates), Prose
    ]).

no_prose() -> #{prose => #{count => 0}}.

tally(Things) ->
    Counts = lists:foldl(fun(T, Acc) -> maps:update_with(T, fun(N) -> N + 1 end, 1, Acc) end, #{},
        Things),
    [{io_lib:format("~ts", [Thing]), N} || {Thing, N} <- lists:sort(maps:to_list(Counts))].

show_diff(Dir, #{files := Files}, Name) ->
    [#{text := New}] = [File || #{file := N} = File <- Files, N =:= Name],
    Old = maps:get(Name, bte_demo_copy:files(Dir)),
    say("In ~ts, for example:", [Name]),
    diff(btr_nif:diff(Old, New, Name), ?LONGEST_DIFF).

place(#{file := File, line := Line, col := Col}) -> io_lib:format("~ts:~b:~b", [File, Line, Col]).

because(#{evidence := Evidence, because := Because}) ->
    io_lib:format("~ts: ~ts", [Evidence, Because]).
