%%% @doc Taking a logged change back: an entry, with its group, gives the change that undoes exactly
%%% its edits and keeps all later ones. Pure.
%%%
%%% Nothing is searched again: the recorded edits are turned round and carried over what came later.
%%% Refused, with the entry that stands in the way, where a later one overlaps or uses the name that
%%% would go. What undoes is logged as an entry of the opposite kind, which is inactive like the one
%%% it undid. Tested by btr_revert_SUITE.
-module(btr_revert).

-export([plan/3]).

-type reader() :: fun((btr_host:file()) -> {ok, btr_host:unit()} | error).
-type former() :: #{btr_host:file() => btr_host:unit()}.

%% @doc Answers the change that takes back an entry's group, given how to read a unit and the former
%% methods among the units.
-spec plan(pos_integer(), [map()], {reader(), former()}) ->
    {ok, btr_host:change()} | {error, btr_error:error()}.
plan(Seq, Entries, Texts) ->
    case [E || #{seq := S} = E <- Entries, S =:= Seq] of
        [#{active := true, group := Group} = Entry] ->
            Members = [E || #{group := G} = E <- Entries, G =:= Group],
            #{seq := Last} = lists:last(Members),
            Later = [E || #{seq := S} = E <- Entries, S > Last],
            independent(Entry, Members, Later, Texts);
        [#{flushed := true} = Entry] ->
            refused([btr_changelog:title(Entry), <<" was written to disk">>]);
        [Entry] ->
            refused([btr_changelog:title(Entry), <<" is not active any more">>]);
        [] ->
            refused(missing(Seq, Entries))
    end.

missing(Seq, Entries) ->
    Number = integer_to_binary(Seq),
    case [S || #{seq := S} <- Entries, Seq > 0, S > Seq] of
        [] -> [<<"there is no entry ">>, Number];
        _ -> [<<"entry ">>, Number, <<" is not in the log: what is done with is put away">>]
    end.

independent(Entry, Members, Later, Texts) ->
    case dependents(Members, Later) of
        [] -> change(Entry, Members, Later, Texts);
        Users -> refused([title(Entry), <<" is used by ">>, titles(Users)], Users)
    end.

change(Entry, Members, Later, {Reader, Former}) ->
    Files = lists:usort([F || E <- Members, F <- maps:keys(maps:get(edits, E, #{}))]),
    Units = [unit(File, Members, Later, Reader) || File <- Files, not is_dropped(File, Reader)],
    case [Why || {error, Why} <- Units] of
        [] ->
            Seqs = [S || #{seq := S} <- Members],
            {ok, #{
                operation => revert,
                units => [Unit || {ok, Unit} <- Units] ++
                    copies(maps:without(Files, Former), Members, Later),
                names => [
                    {class, New, Old}
                 || #{kind := 'rename-class', class := New, old_class := Old} <-
                        lists:reverse(Members)
                ],
                drains => lists:append([drains(E, Later) || E <- Members]),
                entries => [opposite(E, Seqs) || E <- lists:reverse(Members)]
            }};
        [{later, Blocking} | _] ->
            refused([title(Entry), <<" was changed again by ">>, titles([Blocking])], [Blocking]);
        [{file, File} | _] ->
            refused([File, <<" is not what ">>, title(Entry), <<" left">>])
    end.

%% A former method whose blocks are no more.
is_dropped(<<"$orphans/", _/binary>> = File, Reader) -> Reader(File) =:= error;
is_dropped(_, _) -> false.

title(Entry) -> btr_changelog:title(Entry).
titles(Entries) -> lists:join(<<", ">>, [title(E) || E <- Entries]).

%% By the name that the class bears now.
drains(#{kind := 'rename-method', class := Class, side := Side} = Entry, Later) ->
    #{selector := New, old_selector := Old} = Entry,
    Name = lists:foldl(fun renamed/2, Class, Later),
    [#{class => Name, side => Side, old => New, new => Old}];
drains(_, _) ->
    [].

renamed(#{active := true, kind := 'rename-class', old_class := Name, class := New}, Name) -> New;
renamed(_, Name) -> Name.

%% Texts ----------------------------------------------------------------------------------------

unit(File, Members, Later, Reader) ->
    Own = [{E, edits(File, E)} || E <- Members, edits(File, E) =/= none],
    After = made_to(File, Later),
    {_, First} = hd(Own),
    {_, Final} = lists:last(Own),
    case {First, Final, Reader(File)} of
        {_, {deleted, #{text := Text} = Was}, error} ->
            {ok, (unit_change(File, Was, Text))#{old_digest => absent}};
        {{created, _}, _, {ok, #{text := Text} = Unit}} ->
            case undone(Own, After, Text) of
                {ok, _} -> {ok, unit_change(File, Unit, deleted)};
                Error -> Error
            end;
        {_, _, {ok, #{text := Text} = Unit}} ->
            case undone(Own, After, Text) of
                {ok, Old} -> {ok, (unit_change(File, Unit, Old))#{names_only => names_only(Own)}};
                Error -> Error
            end;
        _ ->
            {error, {file, File}}
    end.

made_to(File, Entries) ->
    uncancelled([{E, edits(File, E)} || E <- Entries, edits(File, E) =/= none]).

edits(File, Entry) -> maps:get(File, maps:get(edits, Entry, #{}), none).

names_only(Own) ->
    lists:all(fun({#{kind := K}, _}) -> K =:= 'rename-class' orelse K =:= 'rename-method' end, Own).

unit_change(File, Unit, Text) ->
    (maps:with([package, origin, base_digest], Unit))#{
        file => File, text => Text, names_only => false, old_digest => maps:get(digest, Unit)
    }.

%% The newest own edits first, each carried over all that came after it and still stands.
undone(Own, Later, Text) ->
    lists:foldr(
        fun
            (One, {ok, Now}) -> undo(One, Later, Now);
            (_, Error) -> Error
        end,
        {ok, Text},
        Own
    ).

undo({_, {created, Text}}, [], Text) ->
    {ok, Text};
undo({Entry, {created, _}}, [], _Text) ->
    {error, {file, title(Entry)}};
undo({_, {created, _}}, [{Blocking, _} | _], _Text) ->
    {error, {later, Blocking}};
undo({Entry, Edits}, Later, Text) ->
    case carry(btr_edits:inverted(Edits), Later) of
        {ok, Carried} ->
            case btr_edits:apply_edits(lists:sort(Carried), Text) of
                {ok, Old} -> {ok, Old};
                error -> {error, {file, title(Entry)}}
            end;
        Error ->
            Error
    end.

carry(Edits, []) ->
    {ok, Edits};
carry(Edits, [{Entry, Later} | Rest]) when is_list(Later) ->
    case btr_edits:carried(Edits, Later) of
        {ok, Carried} -> carry(Carried, Rest);
        error -> {error, {later, Entry}}
    end;
carry(_, [{Entry, _} | _]) ->
    {error, {later, Entry}}.

%% An entry, or a group, followed at once by what undid it left nothing behind.
uncancelled(Entries) ->
    lists:reverse(lists:foldl(fun cancel/2, [], Entries)).

cancel({#{reverts := Seqs}, _} = Undo, Stack) ->
    case lists:dropwhile(fun({#{seq := Seq}, _}) -> lists:member(Seq, Seqs) end, Stack) of
        Stack -> [Undo | Stack];
        Rest -> Rest
    end;
cancel(Entry, Stack) ->
    [Entry | Stack].

%% Former methods that were copied from a file after the renames that are taken back: as if what was
%% done to the part of the file before had been done to the copy. Where that cannot be undone the
%% copy stays as it is.
copies(Former, Members, Later) ->
    [
        (unit_change(File, Unit, Old))#{names_only => true}
     || {File, #{text := Text, born := Born} = Unit} <- lists:sort(maps:to_list(Former)),
        {Before, After} <- [lists:partition(fun(E) -> is_before(E, Born) end, Members ++ Later)],
        {Own, Others} <- [
            lists:partition(
                fun({E, _}) -> lists:member(E, Members) end,
                copied(Born, Before) ++ [{E, edits(File, E)} || E <- After, edits(File, E) =/= none]
            )
        ],
        names_only(Own),
        {ok, Old} <- [undone(Own, uncancelled(Others), Text)],
        Old =/= Text
    ].

is_before(#{prior_epoch := true}, _) -> true;
is_before(#{generation := Generation}, #{generation := Born}) -> Generation =< Born.

%% The newest first: with each entry the part's place in its file becomes that of before.
copied(#{file := From} = Born, Entries) ->
    {Copied, _} = lists:foldr(
        fun(Entry, {Acc, At}) ->
            case edits(From, Entry) of
                Edits when is_list(Edits) ->
                    Inverted = btr_edits:inverted(Edits),
                    Own = btr_edits:inverted(inside(Inverted, At)),
                    {[{Entry, Own} | Acc], placed(Inverted, At)};
                _ ->
                    {Acc, At}
            end
        end,
        {[], Born},
        Entries
    ),
    Copied.

inside(Edits, #{start := Start, 'end' := End, at := At}) ->
    [
        {Place - Start + At, Before, After}
     || {Place, Before, After} <- Edits, Place >= Start, Place + byte_size(Before) =< End
    ].

placed(Edits, #{start := Start, 'end' := End} = Born) ->
    Shift = fun(Place) ->
        lists:sum([byte_size(A) - byte_size(B) || {P, B, A} <- Edits, P + byte_size(B) =< Place])
    end,
    Born#{start := Start + Shift(Start), 'end' := End + Shift(End)}.

%% Dependents -----------------------------------------------------------------------------------

%% Later active entries whose own text uses a name that would go.
dependents(Members, Later) ->
    Names = [N || E <- Members, N <- going(E)],
    [E || #{active := true, source := Source} = E <- Later, is_binary(Source),
          lists:any(fun(N) -> uses(Source, N) end, Names)].

going(#{kind := 'rename-class', class := Name}) -> [Name];
going(#{kind := 'new-class', class := Name}) -> [Name];
going(#{kind := 'rename-method', selector := Selector}) -> [hd(binary:split(Selector, <<":">>))];
going(_) -> [].

uses(Source, Name) ->
    re:run(Source, ["(?<![\\w#])\\Q", Name, "\\E(?!\\w)"]) =/= nomatch.

%% The entry that tells of the undoing ----------------------------------------------------------

opposite(Entry, Seqs) ->
    Get = fun(Key) -> maps:get(Key, Entry, nil) end,
    #{
        kind => opposite_kind(Entry),
        class => or_else(Get(old_class), Get(class)), old_class => old(Get(old_class), Get(class)),
        selector => or_else(Get(old_selector), Get(selector)),
        old_selector => old(Get(old_selector), Get(selector)),
        old_path => Get(new_path), new_path => Get(old_path), side => Get(side),
        source => Get(prev_source), prev_source => Get(source), source_file => Get(source_file),
        sites => [S#{source => P, prev_source => N}
                  || #{source := N, prev_source := P} = S <- maps:get(sites, Entry, [])],
        summary => maps:get(summary, Entry), flushable => Get(flushable),
        not_flushable_reason => Get(not_flushable_reason),
        reverted => true, reverts => Seqs, author => <<"repl/revert">>
    }.

opposite_kind(#{kind := 'new-class'}) -> 'remove-class';
opposite_kind(#{kind := 'remove-class'}) -> 'new-class';
opposite_kind(#{kind := 'remove-method', side := Side}) -> Side;
opposite_kind(#{kind := Side, side := Side, prev_source := nil}) -> 'remove-method';
opposite_kind(#{kind := Kind}) -> Kind.

or_else(nil, Other) -> Other;
or_else(Value, _) -> Value.

old(nil, _) -> nil;
old(_, Now) -> Now.

refused(Message) ->
    refused(Message, []).

refused(Message, Blocking) ->
    Hint = case Blocking of
        [] -> nil;
        _ -> iolist_to_binary([<<"revert first: ">>, titles(Blocking)])
    end,
    {error,
        btr_error:new(<<"revert.not_possible">>, [<<"cannot revert: ">>, Message], #{
            hint => Hint, blocking => [S || #{seq := S} <- Blocking]
        })}.
