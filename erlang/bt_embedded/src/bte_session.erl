%% @doc What prompt, scripts and command line share: an input is evaluated, its value rendered, and
%% what it changed is told in lines that are no part of the value. Tested by `bte_repl_SUITE'.
-module(bte_session).

-export([open/1, close/1, evaluate/2, show/2, bindings/1, note_lines/1, left_open/0, unwritten/0]).
-export_type([session/0, outcome/0]).

%% How many candidates are told after a rename.
-define(SHOWN, 5).

-opaque session() :: #{prompt := bte_prompt:session()}.
-type outcome() ::
    {ok, Value :: term(), Text :: binary(), Notes :: [binary()], session()}
    | {error, Text :: binary(), session()}.

%% @doc Opens a session; options as of {@link bte_prompt:open/1}.
-spec open(map()) -> session().
open(Options) -> #{prompt => bte_prompt:open(Options)}.

%% @doc Closes a session.
-spec close(session()) -> ok.
close(#{prompt := Prompt}) -> bte_prompt:close(Prompt).

%% @doc Evaluates an input. An error ends the input, never the session.
-spec evaluate(session(), binary()) -> outcome().
evaluate(#{prompt := Prompt} = Session, Text) ->
    Before = newest(),
    Generation = bte_registry:generation(),
    case bte_prompt:evaluate(Prompt, Text) of
        {ok, Value, Next, Notes} ->
            Lines = warnings(Notes ++ compiled_since(Generation)) ++ lines(Before),
            shown(show(Session#{prompt := Next}, Value), Value, Lines);
        {error, ErrorText, Next} ->
            {error, suggested(typed(ErrorText)), Session#{prompt := Next}}
    end.

%% The units of what is typed have files of their own, which are nobody else's business.
typed(Text) ->
    binary:replace(Text, <<"$prompt/">>, <<>>, [global]).

shown({ok, Text, Session}, Value, Lines) -> {ok, Value, Text, Lines, Session};
shown({error, ErrorText, Session}, _, _) -> {error, ErrorText, Session}.

%% @doc Answers how a value looks, or why that cannot be told.
-spec show(session(), term()) -> {ok | error, binary(), session()}.
show(#{prompt := Prompt} = Session, Value) ->
    {Outcome, Text, Next} = bte_prompt:show(Prompt, Value),
    {Outcome, Text, Session#{prompt := Next}}.

%% A class name or selector that is not known may be a known one misspelt.
suggested(ErrorText) ->
    Class = "^Class '([^']+)' not found$",
    Message = "^RuntimeError: (\\w+)(?: class)? does not understand '([^']+)'",
    Options = [{capture, all_but_first, binary}],
    case {re:run(ErrorText, Class, Options), re:run(ErrorText, Message, Options)} of
        {{match, [Name]}, _} ->
            Known = [bte_registry:name_of(C) || C <- bte_registry:classes()],
            with_hint(ErrorText, bte_similar:closest(Name, Known), "\nHint: ");
        {nomatch, {match, [Name, Selector]}} ->
            with_hint(ErrorText, bte_similar:closest(Selector, selectors(Name)), "\n");
        {nomatch, nomatch} ->
            ErrorText
    end.

%% What an object that is told by a name may have been meant to be sent: the class and its
%% instances are told by the same one.
selectors(Name) ->
    Package = application:get_env(bt_embedded, package, nil),
    Named = [C || {N, C} <- bte_registry:singletons(), N =:= Name],
    Found = [C || {ok, C} <- [bte_registry:lookup(Name, Package)]],
    [
        atom_to_binary(Selector)
     || C <- Named ++ Found, Side <- [{'$class', C}, {'$meta', C}],
        Selector <- bte_prim_behaviour:all_methods(Side)
    ].

with_hint(ErrorText, {ok, Close}, Before) ->
    text([ErrorText, Before, "Did you mean ", Close, "?"]);
with_hint(ErrorText, none, _) ->
    ErrorText.

newest() ->
    lists:max([0 | [Seq || #{seq := Seq} <- bt_refactor:changes(), is_integer(Seq)]]).

lines(Before) ->
    Entries = [E || #{seq := Seq} = E <- bt_refactor:changes(), is_integer(Seq), Seq > Before],
    lists:append([note_lines(E) || E <- Entries]) ++ bte_drain_note:lines().

%% What the compiler warned of in the classes that were compiled since a generation.
compiled_since(Generation) ->
    case bte_registry:generation() of
        Generation ->
            [];
        _ ->
            [
                Warning#{kind => warning}
             || C <- bte_registry:classes(), is_newer(C, Generation),
                {ok, #{warnings := Warnings}} <- [bte_registry:code(C)], Warning <- Warnings
            ]
    end.

is_newer(C, Generation) -> maps:get(generation, bte_meta:info(C)) > Generation.

warnings(Notes) ->
    [
        text(["warning: ", place(Note), Message])
     || #{kind := warning, message := Message} = Note <- Notes
    ].

place(#{file := File, line := Line}) -> [typed(File), $:, integer_to_list(Line), ": "];
place(_) -> "".

%% @doc Answers the names that are bound, with their values.
-spec bindings(session()) -> #{binary() => term()}.
bindings(#{prompt := Prompt}) -> bte_prompt:bindings(Prompt).

%% @doc Answers the candidate sites of the newest change.
-spec left_open() -> [map()].
left_open() ->
    case [Sites || #{candidate_sites := Sites} <- bt_refactor:changes()] of
        [] -> [];
        All -> lists:last(All)
    end.

%% @doc Answers how many changes wait for a flush; those that no file can take do not count.
-spec unwritten() -> non_neg_integer().
unwritten() ->
    length([Seq || #{active := true, flushable := true, seq := Seq} <- bt_refactor:changes()]).

%% @doc Tells what an entry of the log changed, what its plan warned of, and what is left to do;
%% what a patch changed its value says. Candidates follow, as many as fit at a prompt.
-spec note_lines(map()) -> [binary()].
note_lines(Entry) ->
    Sites = maps:get(candidate_sites, Entry, []),
    {First, Others} = lists:split(min(?SHOWN, length(Sites)), Sites),
    Warnings = [text(["warning: ", Text]) || Text <- maps:get(warnings, Entry, [])],
    note_line(Entry) ++ Warnings ++ [candidate(Site) || Site <- First] ++ more(length(Others)).

candidate(Site) ->
    string:trim(text(btr_view:candidate(Site, plain)), trailing, "\n").

more(0) -> [];
more(Count) -> [text(["  and ", integer_to_list(Count), " more: :candidates lists them."])].

note_line(#{kind := 'rename-class', old_class := C, class := C, new_path := Path} = Entry) ->
    [text(["moved ", C, " to ", Path, $., in_memory(":flush-destructive", Entry)])];
note_line(#{kind := Kind} = Entry) when Kind =:= 'rename-class'; Kind =:= <<"rename-class">> ->
    #{old_class := Old, class := New} = Entry,
    What = [name(Old), " → ", name(New)],
    [text([renamed(What, Entry), in_memory(":flush-destructive", Entry)])];
note_line(#{kind := Kind} = Entry) when Kind =:= 'rename-method'; Kind =:= <<"rename-method">> ->
    #{old_selector := Old, selector := New} = Entry,
    What = [method_prefix(Entry), name(Old), " → ", name(New)],
    [text([renamed(What, Entry), in_memory(":flush-destructive", Entry)])];
note_line(#{kind := Kind} = Entry) when Kind =:= 'remove-method'; Kind =:= <<"remove-method">> ->
    #{selector := Selector} = Entry,
    [text(["removed ", method_prefix(Entry), name(Selector), ".", in_memory(":flush", Entry)])];
note_line(#{kind := Kind} = Entry) when Kind =:= 'remove-class'; Kind =:= <<"remove-class">> ->
    #{class := C} = Entry,
    [text(["removed ", name(C), ".", in_memory(":flush-destructive", Entry)])];
note_line(_) ->
    [].

method_prefix(#{class := Class, side := Side}) when Side =:= class; Side =:= <<"class">> ->
    [name(Class), " class>>"];
method_prefix(#{class := Class}) ->
    [name(Class), ">>"].

renamed(What, Entry) ->
    Summary = maps:get(summary, Entry, #{}),
    Get = fun(Key) -> maps:get(Key, Summary, 0) end,
    [
        "renamed ", What, ": ", count(Get(sites), "site", "sites"), " in ",
        count(Get(files), "file", "files"), review(Get(candidates), Get(mentions)), "."
    ].

review(0, 0) -> "";
review(Candidates, 0) -> ["; ", candidates(Candidates), " to review"];
review(0, Mentions) -> ["; ", mentions(Mentions), " to review"];
review(Candidates, Mentions) ->
    ["; ", candidates(Candidates), " and ", mentions(Mentions), " to review"].

candidates(N) -> count(N, "candidate", "candidates").
mentions(N) -> count(N, "mention", "mentions").

count(1, One, _) -> ["1 ", One];
count(N, _, Many) -> [integer_to_list(N), " ", Many].

%% What took back a change that was not written leaves nothing to write.
in_memory(_, #{active := false}) -> "";
in_memory(_, #{flushable := false}) -> " In memory only: there is no file for it.";
in_memory(Command, _) -> [" In memory only: ", Command, " writes it."].

name(Atom) when is_atom(Atom) -> atom_to_binary(Atom);
name(Name) -> Name.

text(Chars) -> unicode:characters_to_binary(Chars).
