%% @doc Which methods of a unit were patched live: those whose text in memory is not what their file
%% held when it was last read or written. The index shows them with the provenance `patch'.
%%
%% A mark holds what the method was before the first patch, so a patch that is taken back leaves
%% none. A rename moves marks along, for it is no patch. Pure. Tested by `bte_navigation_SUITE'.
-module(bte_patches).

-export([marks/2, methods/1]).
-export_type([marks/0, method/0]).

-type method() :: {Class :: binary(), instance | class, Selector :: binary()}.
-type marks() :: #{method() => Source :: binary() | absent}.

%% @doc Answers the marks of a unit's new row, given the row it replaces.
-spec marks(map(), {ok, map()} | error) -> marks().
marks(#{digest := Digest, base_digest := Digest}, _) ->
    #{};
marks(#{base_digest := absent}, _) ->
    #{};
marks(#{names_only := true} = New, {ok, Old}) ->
    Known = known(Old),
    maps:from_list([
        {Key, map_get(Former, Known)}
     || {{Former, _}, {Key, _}} <- lists:zip(sources(Old), sources(New)), is_map_key(Former, Known)
    ]);
marks(New, {ok, Old}) ->
    Before = maps:merge(maps:from_list(sources(Old)), known(Old)),
    maps:from_list([
        {Key, Base}
     || {Key, Source} <- sources(New), Base <- [maps:get(Key, Before, absent)], Base =/= Source
    ]);
marks(_, error) ->
    #{}.

known(Row) -> maps:get(patched, Row, #{}).

sources(Row) ->
    #{classes := Classes} = bte_packed:outline(Row),
    [
        {{Class, Side, Selector}, Source}
     || #{name := Class, methods := Methods} <- Classes,
        #{side := Side, selector := Selector, source := Source} <- Methods
    ].

%% @doc Answers the methods that are marked in a unit's row.
-spec methods(map()) -> [method()].
methods(Row) -> lists:sort(maps:keys(known(Row))).
