%% @doc The prompt's own commands: lines that begin with a colon. Each stands for one Beamtalk
%% expression, or for something only a prompt has. Pure. Tested by `bte_repl_SUITE'.
-module(bte_command).

-export([parse/1, names/0, help/0]).
-export_type([command/0]).

-type command() ::
    none
    | {evaluate, Expression :: binary()}
    | {confirm, Question :: binary(), Declined :: binary(), Expression :: binary()}
    | {load, Path :: binary()}
    | {help, [binary()]}
    | {explain, binary()}
    | {plan, Expression :: binary()}
    | changes
    | candidates
    | bindings
    | reload
    | quit
    | {usage, binary()}.

%% @doc Reads a line; `none' for one that is no command.
-spec parse(binary()) -> command().
parse(Line) ->
    case string:trim(Line) of
        <<":", Rest/binary>> -> command(split(Rest));
        _ -> none
    end.

split(Text) ->
    [Name | Rest] = string:split(Text, " "),
    {Name, string:trim(iolist_to_binary(Rest))}.

command({<<"help">>, <<":", Name/binary>>}) -> explain(Name);
command({<<"help">>, Arg}) -> {help, words(Arg)};
command({<<"h">>, Arg}) -> command({<<"help">>, Arg});
command({Quit, _}) when Quit =:= <<"quit">>; Quit =:= <<"q">>; Quit =:= <<"exit">> -> quit;
command({<<"changes">>, _}) -> changes;
command({<<"candidates">>, _}) -> candidates;
command({<<"plan">>, <<>>}) -> usage(<<"plan">>);
command({<<"plan">>, Expression}) -> {plan, Expression};
command({<<"undo">>, _}) -> {evaluate, <<"Workspace changes undo">>};
command({<<"redo">>, _}) -> {evaluate, <<"Workspace changes redo">>};
command({<<"recheck">>, Arg}) when Arg =:= <<>>; Arg =:= <<"image">> ->
    {evaluate, <<"Workspace recheckImage">>};
command({<<"recheck">>, _}) -> usage(<<"recheck">>);
command({<<"sync">>, _}) -> {evaluate, <<"Workspace sync">>};
command({<<"autoflush">>, <<>>}) -> {evaluate, <<"Workspace autoflush">>};
command({<<"autoflush">>, <<"on">>}) -> {evaluate, <<"Workspace autoflush: true">>};
command({<<"autoflush">>, <<"off">>}) -> {evaluate, <<"Workspace autoflush: false">>};
command({<<"autoflush">>, _}) -> usage(<<"autoflush">>);
command({<<"dirty">>, _}) -> {evaluate, <<"Workspace changes dirtyMethods">>};
command({<<"bindings">>, _}) -> bindings;
command({<<"b">>, _}) -> bindings;
command({<<"flush">>, <<>>}) -> {evaluate, <<"Workspace flush">>};
command({<<"flush">>, Arg}) -> {evaluate, <<"Workspace flush: ", Arg/binary>>};
command({<<"flush-destructive">>, Arg}) -> destructive(Arg);
command({<<"load">>, <<>>}) -> usage(<<"load">>);
command({<<"load">>, Path}) -> {load, unquoted(Path)};
command({<<"reload">>, <<>>}) -> reload;
command({<<"reload">>, Class}) -> {evaluate, <<Class/binary, " reload">>};
command({<<"test">>, <<>>}) -> {evaluate, <<"Workspace test">>};
command({<<"test">>, Class}) -> {evaluate, <<"Workspace test: ", Class/binary>>};
command({<<"remove-method">>, Arg}) -> remove_method(words(Arg));
command({<<"remove-class">>, Arg}) -> remove_class(words(Arg));
command({<<"rename-class">>, Arg}) -> rename_class(words(Arg));
command({<<"rename-method">>, Arg}) -> rename_method(words(Arg));
command({<<"unload">>, _}) -> {usage, <<":unload is gone: use :remove-class CLASS">>};
command({Name, _}) -> unknown(Name).

words(Text) -> string:lexemes(Text, " \t").

destructive(Arg) ->
    Expression =
        case Arg of
            <<>> -> <<"Workspace flushIncludingDestructive">>;
            _ -> <<"Workspace flush: ", Arg/binary, " confirmDestructive: true">>
        end,
    Question = <<"This renames or deletes files. Write all pending changes?">>,
    {confirm, Question, <<"Nothing was written.">>, Expression}.

remove_method([Class, <<"class">>, Selector]) ->
    {evaluate, expression([Class, " class removeSelector: ", symbol(Selector)])};
remove_method([Class, Selector]) ->
    {evaluate, expression([Class, " removeSelector: ", symbol(Selector)])};
remove_method(_) ->
    usage(<<"remove-method">>).

remove_class([Class]) ->
    Question = expression(["Remove ", Class, " from the workspace?"]),
    {confirm, Question, <<"Nothing was removed.">>, expression([Class, " removeFromSystem"])};
remove_class(_) ->
    usage(<<"remove-class">>).

rename_class([Old, New]) -> {evaluate, expression([Old, " renameTo: ", symbol(New)])};
rename_class(_) -> usage(<<"rename-class">>).

rename_method([Class, <<"class">>, Old, New]) ->
    {evaluate, expression([Class, " class", rename_selector(Old, New)])};
rename_method([Class, Old, New]) ->
    {evaluate, expression([Class, rename_selector(Old, New)])};
rename_method(_) ->
    usage(<<"rename-method">>).

rename_selector(Old, New) ->
    [" renameSelector: ", symbol(Old), " to: ", symbol(New)].

%% With or without the number sign.
symbol(<<"#", Name/binary>>) -> symbol(Name);
symbol(Name) -> bte_view:symbol(Name).

unquoted(<<"\"", Rest/binary>>) -> string:trim(Rest, trailing, "\"");
unquoted(Path) -> Path.

expression(Chars) -> unicode:characters_to_binary(Chars).

%% By its short name, too.
explain(Short) when Short =:= <<"h">>; Short =:= <<"b">>; Short =:= <<"q">>; Short =:= <<"exit">> ->
    explain(map_get(Short, #{
        <<"h">> => <<"help">>, <<"b">> => <<"bindings">>,
        <<"q">> => <<"quit">>, <<"exit">> => <<"quit">>
    }));
explain(Name) ->
    case lists:keyfind(Name, 1, table()) of
        {_, Usage, Text} ->
            {explain, expression([Usage, "\n  ", Text, "\n\n", bte_command_help:more(Name)])};
        false ->
            unknown(Name)
    end.

unknown(Name) ->
    Hint =
        case bte_similar:closest(Name, names()) of
            {ok, Close} -> [" Did you mean :", Close, "?"];
            none -> " :help lists the commands."
        end,
    {usage, expression(["There is no command :", Name, ".", Hint])}.

usage(Name) ->
    [Usage | _] = [U || {N, U, _} <- table(), N =:= Name],
    {usage, expression(["Usage: ", Usage])}.

%% @doc Answers the names of the commands.
-spec names() -> [binary()].
names() -> [Name || {Name, _, _} <- table()].

%% @doc Answers the list of commands for people.
-spec help() -> binary().
help() ->
    Width = 2 + lists:max([length(Usage) || {_, Usage, _} <- table()]),
    expression([
        [["  ", string:pad(Usage, Width, trailing), Text, "\n"] || {_, Usage, Text} <- table()],
        "Anything else is Beamtalk: expressions, class definitions, Counter >> name => body.\n"
    ]).

table() ->
    [
        {<<"help">>, ":help [:COMMAND | CLASS [SELECTOR]]", "this list, or what one of them does"},
        {<<"bindings">>, ":bindings", "the names bound in this session"},
        {<<"load">>, ":load PATH", "load a file or a folder"},
        {<<"reload">>, ":reload [CLASS]", "load a class's file again, or the last path"},
        {<<"test">>, ":test [CLASS]", "run tests as they are in memory"},
        {<<"plan">>, ":plan EXPRESSION", "what a rename or removal would do, with a diff"},
        {<<"candidates">>, ":candidates", "places that the last rename left to you"},
        {<<"changes">>, ":changes", "the changes made so far"},
        {<<"dirty">>, ":dirty", "selectors with pending changes, by class"},
        {<<"undo">>, ":undo", "take the newest change back"},
        {<<"redo">>, ":redo", "make the change last taken back again"},
        {<<"recheck">>, ":recheck [image]", "compile all texts again and list what is wrong"},
        {<<"sync">>, ":sync", "read the project's files again"},
        {<<"autoflush">>, ":autoflush [on | off]", "write each change at once, except renames"},
        {<<"flush">>, ":flush [FILTER]", "write changes that rename or delete no file"},
        {<<"flush-destructive">>, ":flush-destructive [FILTER]", "write all changes; asks first"},
        {<<"rename-class">>, ":rename-class OLD NEW", "rename a class wherever it is named"},
        {<<"rename-method">>, ":rename-method CLASS [class] OLD NEW", "rename a method"},
        {<<"remove-method">>, ":remove-method CLASS [class] SELECTOR", "remove a method"},
        {<<"remove-class">>, ":remove-class CLASS", "remove a class; asks first"},
        {<<"quit">>, ":quit", "leave"}
    ].
