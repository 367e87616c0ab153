%% @doc The drain clauses of a change: for each renamed method the old selector that is served on,
%% and for a class that is compiled again the ones it still has.
-module(bte_drains).

-export([of_change/3, by_class/3]).

-type drain() :: #{
    identity := bte_registry:identity(),
    side := instance | class,
    old := binary(),
    new := binary(),
    generation := non_neg_integer(),
    row := non_neg_integer()
}.

%% @doc Answers the drains that a change opens: its `drains', each with `class' (a name), `side',
%% `old' and `new'.
-spec of_change(map(), bte_world:world(), non_neg_integer()) -> [drain()].
of_change(Change, World, Gen) ->
    Wanted = maps:get(drains, Change, []),
    Numbered = lists:zip(lists:seq(1, length(Wanted)), Wanted),
    [
        #{
            identity => Identity,
            side => Side,
            old => Old,
            new => New,
            generation => Gen,
            row => Gen * 1000000 + N
        }
     || {N, #{class := Class, side := Side, old := Old, new := New} = Drain} <- Numbered,
        {ok, Identity} <- [bte_world:lookup(World, Class, maps:get(package, Drain, nil))]
    ].

%% @doc Answers the drains of each class: those it has whose row is open, and the new ones. What was
%% renamed to a name that is now renamed in turn is served by the method of the newest name; what
%% got its old name back needs no serving.
-spec by_class([drain()], [bte_registry:identity()], bte_world:world()) ->
    #{bte_registry:identity() => [map()]}.
by_class(New, Affected, World) ->
    maps:from_list([{I, of_class(open(I, World), own(I, New))} || I <- Affected]).

of_class(Open, New) ->
    [D || #{old := Old, new := Last} = D <- [followed(D, New) || D <- Open], Old =/= Last] ++ New.

followed(#{side := Side, new := Name} = Drain, New) ->
    case [Next || #{side := S, old := Old, new := Next} <- New, {S, Old} =:= {Side, Name}] of
        [Next] -> Drain#{new := Next};
        [] -> Drain
    end.

own(Identity, Drains) ->
    [maps:without([identity], D) || #{identity := I} = D <- Drains, I =:= Identity].

open(Identity, World) ->
    case bte_world:read(World, code, Identity) of
        {ok, #{drains := Drains}} -> [D || #{row := Row} = D <- Drains, bte_drain:is_open(Row)];
        _ -> []
    end.
