%% @doc What the language means: expressions with their known values, evaluated in a workspace with
%% the classes of the data folder. A case is an input and, after `=> ', the printed value (`_' for
%% any); after `=> ! ' a part of the error's text. `docs/language-support.md' names the groups.
-module(bte_language_SUITE).

-include_lib("stdlib/include/assert.hrl").

-export([all/0, suite/0, init_per_suite/1, end_per_suite/1]).
-export([
    language_has_its_known_values/1, library_has_its_known_values/1, refused_constructs_say_so/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        language_has_its_known_values, library_has_its_known_values, refused_constructs_say_so
    ].

init_per_suite(Config) ->
    Dir = proplists:get_value(data_dir, Config),
    Files = filelib:wildcard("*.bt", Dir),
    bte_workspace:start([{list_to_binary(F), do_read(Dir, F)} || F <- Files]),
    Config.

end_per_suite(_) ->
    bte_workspace:stop().

language_has_its_known_values(Config) -> do_check(Config, "cases.txt", 350).

library_has_its_known_values(Config) -> do_check(Config, "library.txt", 100).

do_check(Config, File, AtLeast) ->
    Cases = do_cases(do_read(proplists:get_value(data_dir, Config), File)),
    Outcomes = [{Input, Expected, do_outcome(Input)} || {Input, Expected} <- Cases],
    Wrong = [Case || {_, Expected, Actual} = Case <- Outcomes, not do_fits(Expected, Actual)],
    [ct:pal("~ts~nexpected ~ts~nactual   ~ts", [I, E, A]) || {I, E, A} <- Wrong],
    ?assertEqual([], [Input || {Input, _, _} <- Wrong]),
    ?assert(length(Cases) >= AtLeast).

%% A member of a class and a part of the error it is refused with.
refused_constructs_say_so(_) ->
    Refused = [
        {<<"  m => @intrinsic foo\n">>, <<"@intrinsic is not supported">>},
        {<<"  m => @primitive \"a:b\"\n">>, <<"reserved for the standard library">>},
        {<<"  m =>\n  n => 1\n">>, <<"has no body">>},
        {<<"  m => unknown\n">>, <<"undefined variable 'unknown'">>},
        {<<"  m => self.nothing\n">>, <<"undeclared field 'nothing'">>},
        {<<"  m: a => a := 1\n">>, <<"parameter 'a' cannot be assigned">>},
        {<<"  == other => true\n">>, <<"cannot be defined">>},
        {<<"  m => 1\n  m => 2\n">>, <<"defined twice">>},
        {<<"  m => super\n">>, <<"super without a message is not supported">>},
        {<<"  m => super foo!\n">>, <<"! on a message to super">>},
        {<<"  m: o => o.x := 1\n">>, <<"assigning a field of another object">>},
        {<<"  m => #{#'$class' => 1}\n">>, <<"in a dictionary">>},
        {<<"  m: t => {a, a} := t\n">>, <<"bound twice">>},
        {<<"  m: __a => 1\n">>, <<"reserved">>}
    ],
    Missed = [{Member, Part, Errors}
        || {Member, Part} <- Refused,
           Errors <- [do_errors(<<"Object subclass: Refused\n", Member/binary>>)],
           binary:match(Errors, Part) =:= nomatch],
    ?assertEqual([], Missed),
    Value = <<"Value subclass: Refused\n  field: x\n  m => self.x := 1\n">>,
    ?assertNotEqual(nomatch, binary:match(do_errors(Value), <<"cannot be changed">>)).

do_errors(Text) ->
    case bte_workspace:load([{<<"refused.bt">>, Text}]) of
        ok -> <<"loaded">>;
        {error, Error} -> unicode:characters_to_binary(io_lib:format("~tp", [Error]))
    end.

do_read(Dir, File) ->
    {ok, Text} = file:read_file(filename:join(Dir, File)),
    Text.

do_cases(Text) ->
    do_cases(binary:split(Text, <<"\n">>, [global, trim_all]), []).

do_cases([<<"#", $\s, _/binary>> | Lines], []) -> do_cases(Lines, []);
do_cases([<<"=> ", Expected/binary>> | Lines], Input) ->
    Whole = iolist_to_binary(lists:join(<<"\n">>, lists:reverse(Input))),
    [{Whole, Expected} | do_cases(Lines, [])];
do_cases([<<"=> !">> | Lines], Input) ->
    do_cases([<<"=> ! ">> | Lines], Input);
do_cases([Line | Lines], Input) -> do_cases(Lines, [Line | Input]);
do_cases([], []) -> [].

do_outcome(Input) ->
    case bte_workspace:eval(Input) of
        {ok, Value, _} -> bte_view:print(Value);
        {error, Text} -> <<"! ", Text/binary>>
    end.

do_fits(<<"_">>, Actual) -> binary:first(Actual) =/= $!;
do_fits(<<"!">>, Actual) -> do_fits(<<"! ">>, Actual);
do_fits(<<"! ", Part/binary>>, <<"! ", Actual/binary>>) ->
    Part =:= <<>> orelse binary:match(Actual, Part) =/= nomatch;
do_fits(Expected, Actual) -> Expected =:= Actual.
