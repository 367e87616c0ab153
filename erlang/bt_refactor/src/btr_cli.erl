%% @doc The command line: commands that work on a project's files, without a workspace.
%%
%% `bin/bt' starts this module for every command and names the module that serves it (`-bt_main'):
%% this one for the commands below, the embedded workspace's for `repl', `run', `test', `script' and
%% `demo'. `run/2' answers what to print and the exit status: 0, 1 when something is wrong with the
%% input or the project, 2 for a wrong use. Results go to standard output, everything else to
%% standard error.
%% Tested by `btr_cli_SUITE'.
-module(btr_cli).

-export([start/0, run_and_halt/2, main/1, run/2]).
-export_type([context/0, answer/0]).

-type context() :: #{style := btr_view:style(), library := binary() | none}.
-type answer() :: {Status :: 0..2, Out :: iodata(), Err :: iodata()}.

-define(NO_OPTIONS, #{
    json => false, diff => false, yes => false, all => false, transitive => false,
    accept => none, class => none, allow => []
}).

%% @doc Runs the command of the command line in a process of its own, and ends the node with its
%% status.
-spec start() -> ok.
start() ->
    Main = list_to_atom(flag(bt_main, "btr_cli")),
    _ = [io:setopts(Device, [{encoding, unicode}]) || Device <- [standard_io, standard_error]],
    _ = spawn(?MODULE, run_and_halt, [Main, init:get_plain_arguments()]),
    ok.

%% @private
-spec run_and_halt(module(), [string() | tuple()]) -> no_return().
run_and_halt(Main, Args) ->
    case [Arg || Arg <- Args, not is_list(Arg)] of
        [] ->
            halt(status(Main, [btr_files:raw_name(Arg) || Arg <- Args]));
        _ ->
            %% What init cannot decode it hands over as a tuple.
            ok = io:put_chars(standard_error, "bt: an argument is not UTF-8\n"),
            halt(2)
    end.

status(Main, Args) ->
    try
        Main:main(Args)
    catch
        Class:Reason:Stack ->
            Text = io_lib:format("bt: internal error: ~tp~n~tp~n", [{Class, Reason}, Stack]),
            ok = io:put_chars(standard_error, Text),
            1
    end.

flag(Name, Default) ->
    case init:get_argument(Name) of
        {ok, Values} -> lists:last(lists:last(Values));
        error -> Default
    end.

%% @doc Runs one command and prints what it answers; answers the exit status.
-spec main([binary()]) -> 0..2.
main(Args) ->
    {Status, Out, Err} = run(Args, #{style => style(), library => library()}),
    ok = io:put_chars(standard_error, Err),
    ok = io:put_chars(standard_io, Out),
    Status.

style() ->
    case flag(bt_color, "no") of
        "yes" -> color;
        _ -> plain
    end.

%% Where the launcher says the standard library lies; without it the checks do without.
library() ->
    case flag(bt_library, "") of
        "" -> none;
        Dir -> btr_files:raw_name(Dir)
    end.

%% @doc Runs one command; answers the exit status and what to print.
-spec run([binary()], context()) -> answer().
run([], _) -> help();
run([<<"help">> | _], _) -> help();
run([<<"--help">> | _], _) -> help();
run([<<"-h">> | _], _) -> help();
run([<<"version">> | _], _) -> version();
run([<<"--version">> | _], _) -> version();
run([Command | Args], Context) ->
    case options(Args, maps:merge(Context, ?NO_OPTIONS), []) of
        {ok, Options, Rest} -> command(Command, Rest, Options);
        {error, Option} -> usage([<<"unknown option ">>, Option])
    end.

%% What follows `--' is no option.
options([], Options, Rest) -> {ok, Options, lists:reverse(Rest)};
options([<<"--">> | Args], Options, Rest) -> {ok, Options, lists:reverse(Rest, Args)};
options([<<"--json">> | Args], Options, Rest) -> options(Args, Options#{json := true}, Rest);
options([<<"--diff">> | Args], Options, Rest) -> options(Args, Options#{diff := true}, Rest);
options([<<"--yes">> | Args], Options, Rest) -> options(Args, Options#{yes := true}, Rest);
options([<<"--all">> | Args], Options, Rest) -> options(Args, Options#{all := true}, Rest);
options([<<"--transitive">> | Args], Options, Rest) ->
    options(Args, Options#{transitive := true}, Rest);
options([<<"--accept=certain">> | Args], Options, Rest) ->
    options(Args, Options#{accept := [certain]}, Rest);
options([<<"--accept=all">> | Args], Options, Rest) ->
    options(Args, Options#{accept := [certain, possible, symbol, doc]}, Rest);
options([<<"--allow=", Code/binary>> | Args], #{allow := Codes} = Options, Rest) ->
    case lists:keymember(Code, 1, btr_plan:allowable()) of
        true -> options(Args, Options#{allow := Codes ++ [Code]}, Rest);
        false -> {error, <<"--allow=", Code/binary>>}
    end;
options([<<"--of=", Class/binary>> | Args], Options, Rest) ->
    options(Args, Options#{class := class_and_side(Class)}, Rest);
options([<<"--", _, _/binary>> = Option | _], _, _) -> {error, Option};
options([Arg | Args], Options, Rest) -> options(Args, Options, [Arg | Rest]).

%% `Counter' or `Counter class'.
class_and_side(Text) ->
    case string:lexemes(Text, " ") of
        [Class, <<"class">>] -> {Class, class};
        _ -> {Text, instance}
    end.

command(<<"check">>, [Dir], Options) -> check(Dir, Options);
command(<<"plan">>, [Dir, Expression], Options) -> plan(Dir, Expression, Options);
command(<<"apply">>, [Dir, Expression], Options) -> apply_plan(Dir, Expression, Options);
command(<<"senders">>, [Dir, Selector], #{class := {Class, Side}} = Options) ->
    Ask = fun(Index) -> btr_nif:senders_of_class(Index, Selector, Class, Side) end,
    query(Dir, Options, fun(Index) -> of_selector(Index, Selector, Ask) end);
command(<<"senders">>, [Dir, Selector], Options) ->
    Ask = fun(Index) -> btr_nif:senders_of(Index, Selector) end,
    query(Dir, Options, fun(Index) -> of_selector(Index, Selector, Ask) end);
command(<<"implementors">>, [Dir, Selector], Options) ->
    Ask = fun(Index) -> btr_nif:implementors_of(Index, Selector) end,
    query(Dir, Options, fun(Index) -> of_selector(Index, Selector, Ask) end);
command(<<"references">>, [Dir, Class], Options) ->
    query(Dir, Options, fun(Index) -> of_class(Index, Class, references_to) end);
command(<<"subclasses">>, [Dir, Class], #{transitive := true} = Options) ->
    query(Dir, Options, fun(Index) -> of_class(Index, Class, all_subclasses_of) end);
command(<<"subclasses">>, [Dir, Class], Options) ->
    query(Dir, Options, fun(Index) -> of_class(Index, Class, subclasses_of) end);
command(<<"unused">>, [Dir], Options) ->
    query(Dir, Options, fun btr_nif:unused_definitions/1);
command(<<"unimplemented">>, [Dir], Options) ->
    query(Dir, Options, fun unimplemented/1);
command(<<"closure">>, [Dir, Class, Selector], Options) ->
    closure(Dir, Class, instance, Selector, Options);
command(<<"closure">>, [Dir, Class, <<"class">>, Selector], Options) ->
    closure(Dir, Class, class, Selector, Options);
command(Command, _, _) ->
    usage([<<"cannot run '">>, Command, <<"' like this">>]).

%% Commands.

%% The project as it is on disk, once a flush that was cut off is finished.
open(Dir, Manifest, #{library := Library}) ->
    Recovered = btr_journal:recover(filename:absname(Dir), btr_fs_posix),
    {Files, Problems} = btr_fileset:open(Dir, Manifest, Library),
    {Files, Problems, btr_view:recovered(Recovered)}.

check(Dir, #{style := Style} = Options) ->
    Start = erlang:monotonic_time(),
    {Files, Problems, Recovered} = open(Dir, optional, Options),
    Totals = (btr_fileset:totals(Files))#{
        ms => erlang:convert_time_unit(erlang:monotonic_time() - Start, native, millisecond)
    },
    Out =
        case Options of
            #{json := true} -> json(btr_view:check_map(Problems, Totals));
            _ -> btr_view:check(Problems, Totals, btr_fileset:texts(Files), Style)
        end,
    {status(Problems), Out, Recovered}.

query(Dir, Options, Ask) ->
    asked(Dir, Options, Ask, fun(Sites, Files) -> show_sites(Sites, Files, Options) end).

%% A class that is gone may still be named; one that neither is there nor is named is misspelt.
of_class(Index, Class, Question) ->
    case {btr_nif:Question(Index, Class), btr_nif:declarations_of(Index, Class)} of
        {[], []} ->
            {error, btr_error:new(<<"class.not_found">>, [<<"there is no class ">>, Class])};
        {Sites, _} ->
            Sites
    end.

%% What nobody defines, sends or names by a symbol is misspelt.
of_selector(Index, Selector, Ask) ->
    case {btr_nif:is_selector(Selector), Ask(Index)} of
        {false, _} -> {error, no_selector(Selector)};
        {true, []} -> nothing_of(Index, Selector);
        {true, Answer} -> Answer
    end.

nothing_of(Index, Selector) ->
    Questions = [senders_of, implementors_of, symbols_of],
    case [x || Question <- Questions, btr_nif:Question(Index, Selector) =/= []] of
        [] ->
            Message = [<<"nothing defines, sends or names #">>, Selector],
            {error, btr_error:new(<<"selector.not_found">>, Message)};
        _ ->
            []
    end.

no_selector(Text) ->
    Hint = <<"A selector is a word, an operator, or keywords such as at:put:.">>,
    Message = [$", Text, <<"\" is no selector">>],
    btr_error:new(<<"selector.invalid">>, Message, #{hint => Hint}).

%% The sends of selectors that nobody defines.
unimplemented(Index) ->
    Sends = [Sites || {_, Sites} <- btr_nif:unimplemented_sends(Index)],
    lists:sort(fun is_before/2, lists:append(Sends)).

is_before(#{file := File, start := A}, #{file := File, start := B}) -> A =< B;
is_before(#{file := A}, #{file := B}) -> A =< B.

show_sites(Sites, Files, #{style := Style} = Options) ->
    case Options of
        #{json := true} -> json(shown(Sites, Options));
        _ -> btr_view:sites(shown(Sites, Options), btr_fileset:texts(Files), Style)
    end.

%% The library's own sites are left out unless asked for.
shown(Sites, #{all := true}) -> Sites;
shown(Sites, _) -> [Site || #{file := File} = Site <- Sites, not btr_fileset:is_library(File)].

closure(Dir, Class, Side, Selector, Options) ->
    Ask = fun(Index) ->
        case btr_nif:is_selector(Selector) of
            true -> btr_nif:closure(Index, Class, Side, Selector);
            false -> {error, no_selector(Selector)}
        end
    end,
    asked(Dir, Options, Ask, fun(Closure, Files) -> show_closure(Closure, Files, Options) end).

show_closure(Closure, _, #{json := true}) -> json(Closure);
show_closure(Closure, Files, #{style := Style}) ->
    btr_view:closure(Closure, btr_fileset:texts(Files), Style).

%% Problems do not stop a question, but the status tells that the answer may lack something.
asked(Dir, Options, Ask, Show) ->
    {Files, Problems, Recovered} = open(Dir, optional, Options),
    case [Problem || {error, {btr, <<"project.no_folder">>, _} = Problem} <- Problems] of
        [NoFolder | _] ->
            failed(NoFolder, Options);
        [] ->
            Told = [Recovered, complaints(Files, Problems)],
            answered(Files, Problems, Told, {Ask, Show}, Options)
    end.

answered(Files, Problems, Told, {Ask, Show}, Options) ->
    case Ask(btr_fileset:index(Files)) of
        {error, Error} ->
            {Status, Out, Err} = failed(Error, Options),
            {Status, Out, [Told, Err]};
        Answer ->
            {status(Problems), Show(Answer, Files), Told}
    end.

plan(Dir, Expression, #{style := Style} = Options) ->
    case planned(Dir, Expression, Options) of
        {ok, Files, Plan, Told} ->
            Out =
                case Options of
                    #{json := true} -> json(btr_view:plan_map(Plan));
                    #{diff := true} -> diffs(Plan, Files, Style);
                    _ -> [summary(Plan, Style), btr_view:next_step(Plan, Dir, Expression)]
                end,
            {0, Out, Told};
        Refused ->
            Refused
    end.

apply_plan(_, _, #{yes := false}) ->
    usage(<<"apply writes files: say --yes (and look at `bt plan` first)">>);
apply_plan(Dir, Expression, Options) ->
    case planned(Dir, Expression, Options) of
        {ok, Files, Plan, Told} ->
            {Status, Out, Err} = write(btr_fileset:root(Files), Plan, Options),
            {Status, Out, [Told, Err]};
        Refused ->
            Refused
    end.

write(Root, Plan, #{style := Style} = Options) ->
    case btr_apply:write(Root, Plan) of
        {ok, Written} ->
            Map = #{plan => btr_view:plan_map(Plan), written => Written},
            case Options of
                #{json := true} -> {0, json(Map), []};
                _ -> {0, [summary(Plan, Style), btr_view:written(Written)], []}
            end;
        {error, Error} ->
            failed(Error, Options)
    end.

%% A plan needs a project without errors: what is not read cannot be searched.
planned(Dir, Expression, Options) ->
    {Files, Problems, Recovered} = open(Dir, required, Options),
    Told = [Recovered, complaints(Files, Problems)],
    case [Problem || {error, Problem} <- Problems] of
        [] ->
            case of_project(Files, request(Expression, btr_fileset:index(Files), Options)) of
                {ok, Plan} ->
                    {ok, Files, Plan, Told};
                {error, Error} ->
                    {Status, Out, Err} = failed(Error, Options),
                    {Status, Out, [Told, Err]}
            end;
        [First | _] ->
            {_, Out, _} = failed(First, Options),
            {1, Out, Told}
    end.

%% In a workspace a dependency's text can be changed for a trial; here nothing but files would be.
of_project(Fileset, {ok, #{files := Files}} = Planned) ->
    Packages = [{File, btr_fileset:package_of(File, Fileset)} || #{file := File} <- Files],
    case [Foreign || {_, Package} = Foreign <- Packages, Package =/= own] of
        [] ->
            Planned;
        [{File, Package} | _] ->
            Message = [File, <<" belongs to the package ">>, Package, <<", which is read-only">>],
            {error, btr_error:new(<<"scope.not_in_project">>, Message)}
    end;
of_project(_, Refused) ->
    Refused.

request(Expression, Index, #{accept := Accept, allow := Allow}) ->
    case btr_nif:read_request(Expression) of
        {ok, #{operation := rename_method} = Request} when Accept =/= none ->
            way_on(accepting(Index, Request#{allow => Allow}, Accept));
        {ok, Request} ->
            way_on(btr_plan:plan(Index, Request#{allow => Allow}));
        {error, _} = Error ->
            Error
    end.

%% A refusal that can be allowed is told with the option that goes on.
way_on({error, {btr, Code, Details} = Error}) ->
    case lists:keymember(Code, 1, btr_plan:allowable()) of
        true ->
            Hints = [Hint || Hint <- [btr_error:hint(Error)], Hint =/= nil],
            On = [<<"To go on: --allow=">>, Code],
            Hint = iolist_to_binary(lists:join($\s, Hints ++ [On])),
            {error, {btr, Code, Details#{hint => Hint}}};
        false ->
            {error, Error}
    end;
way_on(Answer) ->
    Answer.

%% Plans again with the candidates of the first plan whose evidence is accepted.
accepting(Index, Request, Accept) ->
    case btr_plan:plan(Index, Request) of
        {ok, #{candidates := Candidates}} ->
            Accepted = [
                {File, Start}
             || #{file := File, start := Start, evidence := Evidence} <- Candidates,
                lists:member(Evidence, Accept)
            ],
            btr_plan:plan(Index, Request#{accept => Accepted});
        {error, _} = Error ->
            Error
    end.

summary(Plan, Style) -> btr_view:plan(Plan, Style).

diffs(Plan, Files, Style) ->
    Texts = btr_fileset:texts(Files),
    btr_view:diffs(Plan, fun(File) -> maps:get(File, Texts) end, Style).

%% Output.

failed(Error, Options) ->
    Out =
        case Options of
            #{json := true} -> json(#{refusal => btr_view:error_map(Error)});
            _ -> []
        end,
    {1, Out, btr_view:error(Error)}.

complaints(Files, Problems) ->
    btr_view:problems(Problems, btr_fileset:texts(Files), plain).

json(Term) ->
    Text = btr_nif:json_encode(Term),
    true = is_binary(Text),
    [Text, $\n].

status(Problems) ->
    case [Problem || {error, Problem} <- Problems] of
        [] -> 0;
        _ -> 1
    end.

version() ->
    _ = application:load(bt_refactor),
    {ok, Version} = application:get_key(bt_refactor, vsn),
    {0, [<<"Beamtalk Refactor ">>, Version, $\n], []}.

usage(Message) ->
    {2, [], [<<"bt: ">>, Message, <<"\nbt: `bt help` lists the commands\n">>]}.

help() ->
    Text = <<
        "bt: live refactoring for Beamtalk\n"
        "\n"
        "On a project's files, without running it:\n"
        "  bt check DIR [--json]                     errors with their places, and totals\n"
        "  bt plan DIR 'EXPR' [--diff | --json]      what a change would do\n"
        "  bt apply DIR 'EXPR' --yes [--json]        do it to the files\n"
        "  bt senders DIR SELECTOR [--json]          who sends it; with --of=CLASS (or\n"
        "                                            --of='CLASS class') to whom it may go\n"
        "  bt implementors DIR SELECTOR [--json]     who defines it\n"
        "  bt references DIR CLASS [--json]          who names the class\n"
        "  bt subclasses DIR CLASS [--json]          its direct subclasses; with --transitive all\n"
        "  bt closure DIR CLASS [class] SELECTOR     who implements it below the class\n"
        "  bt unused DIR [--json]                    methods that nobody sends\n"
        "  bt unimplemented DIR [--json]             sends that nobody implements\n"
        "      --all shows the sites in the standard library too\n"
        "\n"
        "  --accept=certain (or all) rewrites candidates of a method's rename as well.\n"
        "  --allow=CODE makes a refusal a warning: name.capture, search.incomplete,\n"
        "  selector.capture, selector.hook or selector.overrides_library.\n"
        "\n"
        "  EXPR is one of\n"
        "      Counter renameTo: #Tally\n"
        "      Counter renameSelector: #increment to: #bump\n"
        "      Counter removeSelector: #reset\n"
        "      Counter removeFromSystem\n"
        "      Counter >> increment => self.value := self.value + 1\n"
        "  with `Counter class` in place of `Counter` for methods of the class side.\n"
        "\n"
        "In a workspace, with the project running:\n"
        "  bt repl [DIR]                             a prompt\n"
        "  bt run [DIR] -e 'EXPR' ...                evaluate, print, leave\n"
        "  bt test DIR                               the project's tests\n"
        "  bt script FILE ...                        scripts that check themselves\n"
        "  bt demo                                   see it work\n"
        "\n"
        "Exit status: 0 done, 1 refused or failed, 2 wrong use.\n"
    >>,
    {0, Text, []}.
