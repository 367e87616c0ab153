%% @doc The prompt: reads inputs, shows values, carries out commands. It only reads and prints;
%% evaluation runs in the session's own worker process, so no error ends it.
%%
%% How lines come in is the reader's business ({@link bte_reader}): a terminal with editing and
%% history, or plain lines from a pipe. Tested by `bte_repl_SUITE'.
-module(bte_repl).

-export([run/0, run/1, handle/2]).
-export_type([state/0, answer/0]).

-type state() :: #{
    session := bte_session:session(),
    palette := bte_ansi:palette(),
    last_load := binary() | nil,
    %% Whether the last input went well.
    status := ok | error,
    confirm := fun((binary()) -> boolean())
}.
-type answer() :: {go_on, iodata(), state()} | {quit, iodata(), state()}.

%% @doc Runs a prompt on standard input until its end or `:quit'; answers the exit status.
-spec run() -> 0.
run() ->
    run(bte_reader:plain()).

%% @doc Runs a prompt on a reader.
-spec run(bte_reader:reader()) -> 0.
run(Reader) ->
    State = #{
        session => bte_session:open(#{}),
        palette => bte_ansi:palette(),
        last_load => nil,
        status => ok,
        confirm => fun(Question) -> bte_reader:confirm(Reader, Question) end
    },
    bte_reader:show(Reader, banner(bte_reader:is_terminal(Reader))),
    Handler = bte_evaluator:start(fun bte_repl:handle/2, State),
    loop(Reader, Handler).

banner(true) ->
    [bte_terminal:over_banner(), "Beamtalk. :help lists the commands, :quit leaves.\n"];
banner(false) -> "".

loop(Reader0, Handler) ->
    case bte_reader:input(Reader0, bte_ansi:paint(prompt, "bt> ", bte_ansi:palette())) of
        {ok, Input, Reader} -> handle_input(Reader, Handler, Input);
        {interrupted, Reader} -> loop(Reader, Handler);
        {eof, _} -> leave(Reader0, Handler)
    end.

handle_input(Reader, Handler, Input) ->
    case bte_evaluator:handle(Handler, Input) of
        {go_on, Output} ->
            bte_reader:show(Reader, Output),
            loop(Reader, Handler);
        {quit, Output} ->
            bte_reader:show(Reader, Output),
            leave(Reader, Handler)
    end.

leave(Reader, Handler) ->
    bte_reader:show(Reader, left_behind(bte_session:unwritten())),
    bte_evaluator:stop(Handler).

left_behind(0) -> "";
left_behind(1) -> "1 change was not written: the files are as they were.\n";
left_behind(N) -> [integer_to_list(N), " changes were not written: the files are as they were.\n"].

%% @doc Handles one input: answers what to print and how to go on. Prints nothing itself.
-spec handle(binary(), state()) -> answer().
handle(Input, State) ->
    case string:trim(Input) of
        <<>> -> {go_on, "", State};
        Text -> command(bte_command:parse(Text), Text, State#{status := ok})
    end.

command(none, Text, State) -> evaluate(Text, State);
command({evaluate, Expression}, _, State) -> evaluate(Expression, State);
command({confirm, Question, Declined, Expression}, _, #{confirm := Confirm} = State) ->
    case Confirm(Question) of
        true -> evaluate(Expression, State);
        false -> {go_on, [Declined, $\n], State}
    end;
command({load, Path}, _, State) -> load(Path, State, "Loaded: ");
command(reload, _, #{last_load := nil} = State) ->
    failed("Nothing has been loaded by :load yet.", State);
command(reload, _, #{last_load := Path} = State) -> load(Path, State, "Reloaded: ");
command(changes, _, State) -> changes(State);
command({plan, Expression}, _, State) -> plan(Expression, State);
command(candidates, _, State) -> candidates(State);
command(bindings, _, State) -> bindings(State);
command({help, Words}, _, State) -> help(Words, State);
command({explain, Text}, _, State) -> {go_on, Text, State};
command({usage, Text}, _, State) -> failed(Text, State);
command(quit, _, State) -> {quit, "", State}.

evaluate(Text, #{session := Session0, palette := Palette} = State) ->
    case bte_session:evaluate(Session0, Text) of
        {ok, _, Shown, Notes, Session} ->
            Lines = [[bte_ansi:paint(note, Note, Palette), $\n] || Note <- Notes],
            Output = [bte_ansi:paint(value, Shown, Palette), $\n, Lines],
            {go_on, Output, State#{session := Session}};
        {error, ErrorText, Session} ->
            failed(ErrorText, State#{session := Session})
    end.

failed(Text, #{palette := Palette} = State) ->
    {go_on, [bte_ansi:paint(bad, Text, Palette), $\n], State#{status := error}}.

load(Path, State, Title) ->
    case bte_loader:load(bte_prim_workspace:path(Path)) of
        {ok, #{classes := Classes}} ->
            Names = lists:sort([bte_registry:name_of(C) || C <- Classes]),
            {go_on, [Title, lists:join(", ", Names), $\n], State#{last_load := Path}};
        {error, Error} ->
            failed(btr_error:format(Error), State)
    end.

changes(State) ->
    {go_on, Output, Next} = evaluate(<<"Workspace changes">>, State),
    Lines = [
        [io_lib:format("  ~b  ", [Seq]), bte_view:show_safely(Entry), status(Entry), $\n]
     || #{seq := Seq} = Entry <- bte_prim_workspace:entries(), is_integer(Seq)
    ],
    {go_on, [Output, Lines], Next}.

status(#{flushed := true}) -> " (written)";
status(#{active := false}) -> " (not active)";
status(#{flushable := false, notFlushableReason := Reason}) when is_binary(Reason) ->
    [" (in memory only: ", Reason, ")"];
status(_) -> "".

plan(Expression, #{palette := Palette} = State) ->
    case bte_prim_refactor:preview(Expression, Palette) of
        {ok, Shown} -> {go_on, Shown, State};
        {error, Error} -> failed(btr_error:format(Error), State)
    end.

candidates(#{palette := Palette} = State) ->
    case bte_session:left_open() of
        [] -> {go_on, "The last change left no candidates.\n", State};
        Sites -> {go_on, [btr_view:candidate(Site, Palette) || Site <- Sites], State}
    end.

bindings(#{session := Session0, palette := Palette} = State) ->
    Bindings = lists:sort(maps:to_list(bte_session:bindings(Session0))),
    {Lines, Session} = lists:mapfoldl(
        fun({Name, Value}, Acc) ->
            {_, Text, Next} = bte_session:show(Acc, Value),
            {[bte_ansi:paint(name, Name, Palette), " := ", Text, $\n], Next}
        end,
        Session0,
        Bindings
    ),
    {go_on, Lines, State#{session := Session}}.

help([], State) ->
    {go_on, bte_command:help(), State};
help([Name | Rest], State) ->
    case class_of_name(Name) of
        {ok, C} -> class_help({'$class', C}, Rest, State);
        error -> selector_help(bare(Name), Rest, State)
    end.

%% A selector alone: who has it.
selector_help(Selector, Rest, State) ->
    Known = existing(Selector),
    Owners = [
        bte_view:print(Side)
     || Rest =:= [], C <- bte_registry:classes(), Side <- [{'$class', C}, {'$meta', C}],
        lists:member(Known, bte_prim_behaviour:methods(Side))
    ],
    case lists:sort(Owners) of
        [] ->
            failed(no_class(Selector), State);
        [First | _] = Sorted ->
            Hint = [":help ", First, $\s, Selector, " tells what it does there.\n"],
            {go_on, [Selector, " is a method of ", lists:join(", ", Sorted), ".\n", Hint], State}
    end.

%% An object with a name of its own stands for its class.
class_of_name(Name) ->
    case lists:keyfind(Name, 1, bte_registry:singletons()) of
        {Name, C} -> {ok, C};
        false -> bte_registry:lookup(Name, application:get_env(bt_embedded, package, nil))
    end.

class_help({_, C}, [<<"class">> | Rest], State) -> class_help({'$meta', C}, Rest, State);
class_help(Class, [], State) -> {go_on, bte_help:class(Class), State};
class_help(Class, [Selector | _], State) -> method_help(Class, bare(Selector), State).

bare(<<"#", Selector/binary>>) -> Selector;
bare(Selector) -> Selector.

%% A selector that is no atom is the selector of no method; none is made to look it up.
method_help({_, C} = Class, Selector, State) ->
    Known = existing(Selector),
    Found = [Text || Side <- [Class, {'$meta', C}], {ok, Text} <- [bte_help:method(Side, Known)]],
    case Found of
        [Text | _] -> {go_on, Text, State};
        [] -> failed(no_selector(Class, Selector), State)
    end.

existing(Selector) -> try binary_to_existing_atom(Selector) catch error:badarg -> none end.

no_selector(Class, Selector) ->
    Known = [atom_to_binary(S) || S <- bte_prim_behaviour:all_methods(Class)],
    suggest([bte_view:print(Class), " has no method #", Selector, "."], Selector, Known).

no_class(Name) ->
    Known = [bte_registry:name_of(C) || C <- bte_registry:classes()],
    suggest(["Class '", Name, "' not found."], Name, Known).

suggest(Text, Word, Known) ->
    case bte_similar:closest(Word, Known) of
        {ok, Close} -> [Text, " Did you mean ", Close, "?"];
        none -> Text
    end.
