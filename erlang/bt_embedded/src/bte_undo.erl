%% @doc `Workspace changes undo' and `redo': the newest change taken back, and the change last taken
%% back made again. What can be made again is read off the log: a new change that is not the one to
%% be made again ends it, as in an editor. Tested by test/scripts/workspace.btscript.
-module(bte_undo).

-export([undo/1, redo/1]).

%% @doc Takes the newest active change back, with its group. Answers the change.
-spec undo(term()) -> map().
undo(Self) ->
    case [E || #{active := true} = E <- bt_refactor:changes()] of
        [] ->
            nothing(Self, undo, <<"there is no change to undo">>);
        Active ->
            #{seq := Seq} = Entry = lists:last(Active),
            Object = bte_prim_workspace:entry(Entry),
            say(<<"undoing ">>, Object),
            case bt_refactor:revert(Seq, #{asker => self()}) of
                {ok, _} -> Object;
                {error, Error} -> bte_prim_refactor:raise(Self, undo, Error)
            end
    end.

%% @doc Makes the change last taken back again, with its group. Answers it as the new entry it is.
-spec redo(term()) -> map().
redo(Self) ->
    Entries = bt_refactor:changes(),
    case undone(Entries) of
        [] ->
            nothing(Self, redo, <<"there is no change to redo">>);
        [Seqs | _] ->
            Again = [E || #{seq := Seq} = E <- Entries, lists:member(Seq, Seqs)],
            say(<<"redoing ">>, bte_prim_workspace:entry(hd(Again))),
            made_again(Self, Again)
    end.

-spec nothing(term(), atom(), binary()) -> no_return().
nothing(Self, Selector, Message) ->
    bte_prim:raise(revert_not_possible, Self, Selector, Message, nil).

say(What, Entry) ->
    Transcript = #{'$class' => 'bt@stdlib@transcript_stream'},
    _ = bte_prim:send(Transcript, 'showLine:', [<<What/binary, (bte_prim:quoted(Entry))/binary>>]),
    ok.

%% The groups that were taken back and not made again, last first.
undone(Entries) ->
    lists:foldl(fun(E, Stack) -> undone(E, Stack, Entries) end, [], Entries).

undone(#{reverts := [_ | _] = Seqs}, [Seqs | _] = Stack, _) -> Stack;
undone(#{reverts := [_ | _] = Seqs}, Stack, _) -> [Seqs | Stack];
undone(Entry, [Seqs | Stack], Entries) ->
    Members = [E || #{seq := Seq} = E <- Entries, lists:member(Seq, Seqs)],
    case [E || E <- Members, title(E) =:= title(Entry)] of
        [] -> [];
        _ -> without_group(Entry, Seqs, Stack)
    end;
undone(_, [], _) ->
    [].

%% Every entry of a group that was made again is one of the group's; only the first counts.
without_group(#{seq := Seq, group := Seq}, _, Stack) -> Stack;
without_group(#{group := Group, seq := Seq}, Seqs, Stack) when Group < Seq -> [Seqs | Stack];
without_group(_, _, Stack) -> Stack.

title(Entry) ->
    [maps:get(Key, Entry, nil) || Key <- [kind, class, selector, old_class, old_selector]].

%% Making a change again.

made_again(Self, Entries) ->
    Requests = [request(Self, E) || E <- Entries],
    Outcome =
        case Requests of
            [{change, Change}] -> bt_refactor:change(Change, #{asker => self()});
            [Only] -> bt_refactor:perform(Only, #{asker => self()});
            Several -> bt_refactor:perform(Several, #{asker => self()})
        end,
    case Outcome of
        {ok, Entry} -> bte_prim_workspace:entry(Entry);
        {error, Error} -> bte_prim_refactor:raise(Self, redo, Error)
    end.

request(_, #{kind := 'rename-class', old_class := Class, class := Class, new_path := Path}) ->
    #{operation => move_class, class => Class, path => Path};
request(_, #{kind := 'rename-class', old_class := Old, class := New}) ->
    #{operation => rename_class, class => Old, new_name => New};
request(_, #{kind := 'rename-method', old_selector := Old, selector := New} = Entry) ->
    #{class := Class, side := Side} = Entry,
    #{
        operation => rename_method, class => Class, side => Side, selector => Old,
        new_selector => New, accept => []
    };
request(_, #{kind := 'remove-method', class := Class, side := Side, selector := Selector}) ->
    #{operation => remove_method, class => Class, side => Side, selector => Selector};
request(Self, #{kind := Side, class := Class} = Entry) when Side =:= instance; Side =:= class ->
    #{operation => patch_method, class => Class, side => Side, source => source(Self, Entry)};
request(_, #{kind := 'remove-class', class := Class}) ->
    #{operation => remove_class, class => Class};
request(Self, #{kind := 'new-class', source_file := File} = Entry) ->
    {change, change(new_class, #{
        file => File, text => source(Self, Entry), origin => project, old_digest => absent,
        package => application:get_env(bt_embedded, package, <<"workspace">>)
    })}.

change(Operation, Unit) ->
    #{operation => Operation, units => [Unit#{names_only => false}], names => []}.

source(Self, Entry) ->
    case btr_changelog:body(source, Entry) of
        {ok, Text} when is_binary(Text) -> string:trim(Text, both, "\n");
        {ok, nil} -> nothing(Self, redo, <<"the change has no source any more">>);
        {error, Error} -> bte_prim_refactor:raise(Self, redo, Error)
    end.
