%% The prompt: inputs, values, notes, commands, help, errors that do not end it.
-module(bte_repl_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0, init_per_suite/1, end_per_suite/1, init_per_testcase/2]).
-export([end_per_testcase/2, looked/0]).
-export([
    values_are_shown/1, an_error_does_not_end_the_session/1, bindings_live_on/1,
    a_rename_is_told_in_a_line_of_its_own/1, a_rename_shows_its_candidates/1,
    a_plan_is_shown_and_changes_nothing/1, a_change_tells_what_its_plan_warned_of/1,
    what_is_taken_back_leaves_nothing_to_write/1, commands_stand_for_expressions/1,
    selectors_of_commands_are_quoted/1, destructive_commands_ask_first/1,
    unknown_commands_suggest_a_known_one/1, help_shows_the_library/1,
    every_library_method_has_help/1, help_of_changes_has_an_example_and_refusals/1,
    help_knows_the_workspace_by_name/1, help_of_a_selector_names_who_has_it/1,
    an_input_is_whole_or_not/1, a_pipe_is_read_to_its_end/1,
    misspelt_words_find_their_neighbour/1, misspelt_selectors_are_told/1,
    failing_look_is_told/1, endless_look_is_interrupted/1, looping_look_is_named/1,
    every_command_has_help/1, quit_leaves/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        F
     || {F, 1} <- ?MODULE:module_info(exports),
        not lists:member(F, [module_info, init_per_suite, end_per_suite])
    ].

init_per_suite(Config) ->
    {ok, _} = bt_embedded:start(#{}),
    Config.

end_per_suite(_) ->
    bt_embedded:stop().

init_per_testcase(_, Config) ->
    [{state, do_state(fun(_) -> true end)} | Config].

end_per_testcase(_, Config) ->
    #{session := Session} = proplists:get_value(state, Config),
    bte_session:close(Session).

do_state(Confirm) ->
    #{
        session => bte_session:open(#{}), palette => bte_ansi:plain(), last_load => nil,
        status => ok, confirm => Confirm
    }.

%% Handles inputs in turn; answers what the last one printed.
do_type(Inputs, Config) when is_list(Config) ->
    do_type(Inputs, proplists:get_value(state, Config));
do_type([Input], State) ->
    {go_on, Output, _} = bte_repl:handle(Input, State),
    unicode:characters_to_binary(Output);
do_type([Input | Inputs], State) ->
    {go_on, _, Next} = bte_repl:handle(Input, State),
    do_type(Inputs, Next).

values_are_shown(Config) ->
    ?assertEqual(<<"7\n">>, do_type([<<"3 + 4">>], Config)),
    ?assertEqual(<<"[1,\"a\",\"b\"]\n">>, do_type([<<"#(1, \"a\", #b)">>], Config)),
    ?assertEqual(<<>>, do_type([<<"  \n">>], Config)).

an_error_does_not_end_the_session(Config) ->
    ?assertEqual(
        <<"RuntimeError: Integer does not understand 'fly'\n"
          "Hint: Check spelling or use 'respondsTo:' to verify method exists\n">>,
        do_type([<<"3 fly">>], Config)
    ),
    ?assertEqual(<<"2\n">>, do_type([<<"1 / 0">>, <<"Nobody new">>, <<"(">>, <<"1 + 1">>], Config)).

bindings_live_on(Config) ->
    ?assertEqual(<<"9\n">>, do_type([<<"x := 4">>, <<"y := 5">>, <<"x + y">>], Config)),
    ?assertEqual(<<"x := 4\n">>, do_type([<<"x := 4">>, <<":bindings">>], Config)).

a_rename_is_told_in_a_line_of_its_own(Config) ->
    ?assertEqual(
        <<"Tally\nrenamed Counter → Tally: 2 sites in 1 file. "
          "In memory only: there is no file for it.\n"/utf8>>,
        do_type([
            <<"Object subclass: Counter\n  twin => Counter new">>, <<"Counter renameTo: #Tally">>
        ], Config)
    ),
    do_type([<<"Tally removeFromSystem">>], Config).

a_rename_shows_its_candidates(Config) ->
    Shown = do_type(do_vat() ++ [<<"Vat renameSelector: #drain to: #empty">>], Config),
    Candidates = do_type([<<":candidates">>], Config),
    do_type([<<"Vat removeFromSystem">>], Config),
    [<<"Vat">>, Summary | Told] = binary:split(Shown, <<"\n">>, [global, trim]),
    ?assertMatch({_, _}, binary:match(Summary, <<"7 candidates to review">>)),
    ?assertEqual(6, length(Told)),
    ?assertEqual(<<"  and 2 more: :candidates lists them.">>, lists:last(Told)),
    Lines = binary:split(Candidates, <<"\n">>, [global, trim]),
    ?assertEqual(7, length(Lines)),
    ?assertEqual(lists:sublist(Told, 5), lists:sublist(Lines, 5)),
    [?assertMatch({_, _}, binary:match(L, <<": certain: drain in Vat>>all: (">>)) || L <- Lines].

a_plan_is_shown_and_changes_nothing(Config) ->
    Changes = bt_refactor:changes(),
    Shown = do_type(do_vat() ++ [<<":plan Vat renameSelector: #drain to: #empty">>], Config),
    [
        ?assertMatch({_, _}, binary:match(Shown, Part))
     || Part <- [
            <<"rename method Vat >> drain">>, <<"7 candidates">>, <<"\n+  empty => 0\n">>,
            <<"(Vat planRenameSelector: #drain to: #empty) acceptCertain apply">>
        ]
    ],
    ?assertEqual(<<"0\n">>, do_type([<<"Vat new drain">>], Config)),
    ?assertEqual(
        <<"Class 'Vet' not found\n">>, do_type([<<":plan Vet renameTo: #Tub">>], Config)
    ),
    do_type([<<"Vat removeFromSystem">>], Config),
    ?assertEqual([], [E || #{kind := 'rename-method'} = E <- bt_refactor:changes() -- Changes]).

a_change_tells_what_its_plan_warned_of(Config) ->
    Shown = do_type(do_vat() ++ [
        <<"Vat subclass: Tub\n  drain => 1">>, <<"Vat renameSelector: #drain to: #empty">>
    ], Config),
    do_type([<<"Tub removeFromSystem">>, <<"Vat removeFromSystem">>], Config),
    ?assertMatch(
        {_, _},
        binary:match(Shown, <<"\nwarning: #drain is overridden by 1 below Vat, which keep it\n">>)
    ).

what_is_taken_back_leaves_nothing_to_write(Config) ->
    Shown = do_type(do_vat() ++ [<<"Vat renameTo: #Tub">>, <<":undo">>], Config),
    do_type([<<"Vat removeFromSystem">>], Config),
    ?assertMatch({_, _}, binary:match(Shown, <<"renamed Tub → Vat"/utf8>>)),
    ?assertEqual(nomatch, binary:match(Shown, <<"In memory only">>)).

%% A class with seven sends that a rename leaves to the one who asks.
do_vat() ->
    Sends = lists:duplicate(7, <<"    a drain\n">>),
    [iolist_to_binary([
        "Object subclass: Vat\n  drain => 0\n  all: a :: Vat =>\n", Sends
    ])].

commands_stand_for_expressions(_) ->
    ?assertEqual({evaluate, <<"A renameTo: #B">>}, bte_command:parse(<<":rename-class A B">>)),
    ?assertEqual(
        {evaluate, <<"C class removeSelector: #at:put:">>},
        bte_command:parse(<<" :remove-method C class #at:put: ">>)
    ),
    ?assertEqual({evaluate, <<"Workspace flush: #X">>}, bte_command:parse(<<":flush #X">>)),
    ?assertMatch(
        {usage, <<"Usage: :rename-class OLD NEW">>}, bte_command:parse(<<":rename-class A">>)
    ),
    ?assertEqual(none, bte_command:parse(<<"3 + 4">>)).

selectors_of_commands_are_quoted(_) ->
    ?assertEqual(
        {evaluate, <<"C renameSelector: #+ to: #plus:">>},
        bte_command:parse(<<":rename-method C + plus:">>)
    ),
    ?assertEqual(
        {evaluate, <<"C renameSelector: #'2x' to: #x">>},
        bte_command:parse(<<":rename-method C #2x x">>)
    ).

destructive_commands_ask_first(_) ->
    State = do_state(fun(_) -> false end),
    {go_on, Output, #{session := Session}} = bte_repl:handle(<<":flush-destructive">>, State),
    bte_session:close(Session),
    ?assertEqual(<<"Nothing was written.\n">>, unicode:characters_to_binary(Output)).

unknown_commands_suggest_a_known_one(Config) ->
    ?assertEqual(
        <<"There is no command :chnges. Did you mean :changes?\n">>,
        do_type([<<":chnges">>], Config)
    ).

help_shows_the_library(Config) ->
    Text = do_type([<<":help Behaviour renameTo:">>], Config),
    ?assertMatch({_, _}, binary:match(Text, <<"Behaviour>>renameTo:">>)),
    ?assertMatch({_, _}, binary:match(Text, <<"Counter renameTo: #Tally">>)),
    ?assertMatch({_, _}, binary:match(Text, <<"Refused">>)).

%% What changes the image tells how it is sent, and when it is refused.
help_of_changes_has_an_example_and_refusals(_) ->
    Changing = [
        {behaviour, 'renameTo:'}, {behaviour, 'renameSelector:to:'},
        {behaviour, 'removeSelector:'}, {behaviour, 'compile:source:'}, {class, removeFromSystem}
    ],
    Missing = [
        {Class, Selector, Part}
     || {Class, Selector} <- Changing,
        Identity <- [binary_to_atom(<<"bt@stdlib@", (atom_to_binary(Class))/binary>>)],
        {ok, Help} <- [bte_help:method({'$class', Identity}, Selector)],
        Part <- [<<"Refused">>, <<"```beamtalk">>],
        binary:match(Help, Part) =:= nomatch
    ],
    ?assertEqual([], Missing).

help_of_a_selector_names_who_has_it(Config) ->
    Text = do_type([<<":help moveClass:to:">>], Config),
    ?assertEqual(<<"moveClass:to: is a method of WorkspaceInterface.\n"
        ":help WorkspaceInterface moveClass:to: tells what it does there.\n">>, Text),
    ?assertMatch({_, _}, binary:match(do_type([<<":help Strng">>], Config), <<"not found">>)).

help_knows_the_workspace_by_name(Config) ->
    Text = do_type([<<":help Workspace bind:as:">>], Config),
    ?assertMatch({_, _}, binary:match(Text, <<"bind: value as: name :: Symbol">>)).

every_library_method_has_help(_) ->
    Undocumented = [
        {bte_view:print(Behaviour), Selector}
     || C <- bte_registry:classes(),
        {ok, #{origin := stdlib}} <- [bte_registry:class(C)],
        Behaviour <- [{'$class', C}, {'$meta', C}],
        {Selector, Row} <- do_written(Behaviour),
        %% What is made from a field has no text.
        is_binary(maps:get(source, Row, nil)),
        not is_binary(maps:get(doc, Row, nil)),
        not lists:member(internal, maps:get(modifiers, Row, []))
    ],
    ?assertEqual([], Undocumented).

do_written(Behaviour) ->
    {C, Side} = bte_prim_behaviour:sides(Behaviour),
    maps:to_list(maps:get(Side, bte_registry:methods(C), #{})).

an_input_is_whole_or_not(_) ->
    ?assertEqual(complete, bte_input:state(<<"3 + 4">>)),
    ?assertEqual(open, bte_input:state(<<"#(1,">>)),
    ?assertEqual(open, bte_input:state(<<"[:x |">>)),
    ?assertEqual(definition, bte_input:state(<<"Object subclass: A">>)),
    ?assertEqual(complete, bte_input:state(<<"A >> m => 1">>)),
    ?assertEqual(complete, bte_input:state(<<":help">>)),
    ?assert(bte_input:belongs(definition, <<"  m => 1\n">>)),
    ?assertNot(bte_input:belongs(definition, <<"A new\n">>)),
    ?assertNot(bte_input:belongs(definition, <<"\n">>)).

a_pipe_is_read_to_its_end(Config) ->
    File = filename:join(proplists:get_value(priv_dir, Config), "input.txt"),
    ok = file:write_file(File, <<
        "Object subclass: Piped\n  m => 41\nPiped new m + 1\n#(1,\n2) size\n:quit\n99\n"
    >>),
    {ok, Device} = file:open(File, [read, binary]),
    Reader0 = bte_reader:device(Device),
    {ok, <<"Object subclass: Piped\n  m => 41\n">>, Reader1} = bte_reader:input(Reader0, "> "),
    {ok, <<"Piped new m + 1\n">>, Reader2} = bte_reader:input(Reader1, "> "),
    {ok, <<"#(1,\n2) size\n">>, Reader3} = bte_reader:input(Reader2, "> "),
    {ok, <<":quit\n">>, Reader4} = bte_reader:input(Reader3, "> "),
    {ok, <<"99\n">>, Reader5} = bte_reader:input(Reader4, "> "),
    ?assertMatch({eof, _}, bte_reader:input(Reader5, "> ")),
    ok = file:close(Device).

misspelt_words_find_their_neighbour(_) ->
    Words = [<<"flush">>, <<"changes">>],
    ?assertEqual({ok, <<"changes">>}, bte_similar:closest(<<"chnages">>, Words)),
    ?assertEqual(none, bte_similar:closest(<<"zzz">>, [<<"flush">>, <<"changes">>])),
    ?assertEqual(1, bte_similar:distance(<<"abcd">>, <<"abdc">>)),
    ?assertEqual(3, bte_similar:distance(<<"kitten">>, <<"sitting">>)),
    ?assertEqual(0, bte_similar:distance(<<>>, <<>>)).

misspelt_selectors_are_told(Config) ->
    Tells = fun(Input, Text) ->
        ?assertMatch({_, _}, binary:match(do_type([Input], Config), Text))
    end,
    Tells(<<"\"abc\" sze">>, <<"\nDid you mean size?\n">>),
    Tells(<<"Workspace chnages">>, <<"\nDid you mean changes?\n">>),
    Tells(<<"String nw">>, <<"\nDid you mean new?\n">>),
    ?assertEqual(nomatch, binary:match(do_type([<<"3 fly">>], Config), <<"Did you">>)).

failing_look_is_told(Config) ->
    ?assertEqual(<<"a Shy whose printString fails: division by zero\n">>, do_type([
        <<"Object subclass: Shy\n  printString => 1 / 0">>, <<"Shy new">>
    ], Config)),
    ?assertEqual(<<"a List whose printString fails: division by zero\n">>,
        do_type([<<"#(Shy new)">>], Config)),
    do_type([<<"Shy removeFromSystem">>], Config).

endless_look_is_interrupted(Config) ->
    do_type([<<"Object subclass: Vain\n  printString => "
        "(Erlang bte_repl_SUITE) looked. [true] whileTrue: []">>], Config),
    true = register(?MODULE, self()),
    #{session := Session} = proplists:get_value(state, Config),
    Me = self(),
    Pid = spawn_link(fun() -> Me ! bte_session:evaluate(Session, <<"x := Vain new">>) end),
    ?AWAIT(looked, bte_prompt:interrupt(Pid)),
    ?AWAIT({error, Text, _}, ?assertEqual(<<"Interrupted">>, Text)),
    true = unregister(?MODULE),
    do_type([<<"Vain removeFromSystem">>], Config).

looping_look_is_named(Config) ->
    do_type([<<"Object subclass: Narcissus\n  printString => \"I, {self}\"">>], Config),
    ?assertEqual(<<"Narcissus>>printString calls itself without end\n">>,
        do_type([<<"Narcissus new">>], Config)),
    ?assertEqual(<<"8\n">>, do_type([<<"n := 7">>, <<"Narcissus new">>, <<"n + 1">>], Config)),
    do_type([<<"Narcissus removeFromSystem">>], Config).

every_command_has_help(Config) ->
    lists:foreach(
        fun(Name) ->
            Text = do_type([<<":help :", Name/binary>>], Config),
            ?assertMatch({0, _}, binary:match(Text, <<":", Name/binary>>)),
            ?assert(length(binary:split(Text, <<"\n">>, [global, trim])) >= 4)
        end,
        bte_command:names()
    ),
    ?assertMatch({_, _}, binary:match(do_type([<<":help :lod">>], Config), <<"mean :load">>)),
    ?assertMatch({0, _}, binary:match(do_type([<<":help :q">>], Config), <<":quit">>)).

%% Called from Beamtalk.
looked() ->
    ?MODULE ! looked.

quit_leaves(Config) ->
    ?assertMatch({quit, _, _}, bte_repl:handle(<<":quit">>, proplists:get_value(state, Config))).
