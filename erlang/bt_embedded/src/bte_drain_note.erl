%% @doc What the prompt says of sends that still use the old name of a renamed method: candidates
%% that were not accepted are served while the rename drains, and fail after that. It is said once
%% a rename, when the first of them was served. Tested by `btr_drain_SUITE'.
-module(bte_drain_note).

-export([lines/0]).

-define(SHOWN, 3).

%% @doc Answers the lines to print.
-spec lines() -> [binary()].
lines() ->
    case bte_drain:take_served() of
        [] ->
            [];
        Served ->
            Entries = bt_refactor:changes(),
            [line(Entry, Places) || Info <- Served, {Entry, Places} <- left(Info, Entries)]
    end.

%% The rename's entry, with the sends that were left.
left(#{generation := Gen, old := Old}, Entries) ->
    [
        {Entry, Places}
     || #{generation := G, kind := 'rename-method', old_selector := S} = Entry <- Entries,
        G =:= Gen,
        S =:= Old,
        Places <- [[Site || #{kind := Kind} = Site <- candidates(Entry), is_send(Kind)]],
        Places =/= []
    ];
left(_, _) ->
    [].

candidates(Entry) -> maps:get(candidate_sites, Entry, []).

is_send(Kind) -> lists:member(Kind, [send, self_send, super_send]).

line(#{class := Class, side := Side, old_selector := Old, selector := New}, Places) ->
    Target = case Side of
        class -> [Class, " class"];
        instance -> Class
    end,
    {Shown, More} = lists:split(min(?SHOWN, length(Places)), Places),
    unicode:characters_to_binary([
        "note: ", Target, ">>", Old, " is called ", New, " now. Senders of the old name are ",
        "served for a while, then fail: ", lists:join(", ", [place(Place) || Place <- Shown]),
        [io_lib:format(" and ~b more", [length(More)]) || More =/= []]
    ]).

place(#{file := File, line := Line}) -> [File, $:, integer_to_list(Line)].
