%% @doc When an input is whole: the one rule for the prompt and for scripts.
%%
%% Brackets, strings and keyword messages that are open ask for another line: the parser says so. A
%% class, a protocol or a method whose body is on further lines goes on as long as lines are
%% indented, because a header alone would do. Pure. Tested by `bte_repl_SUITE'.
-module(bte_input).

-export([state/1, belongs/2]).
-export_type([state/0]).

-type state() ::
    %% Nothing can follow.
    complete
    %% Something must follow.
    | open
    %% Indented lines may follow.
    | definition.

%% @doc Tells whether an input needs, or may have, further lines.
-spec state(binary()) -> state().
state(Text) ->
    case string:trim(Text) of
        <<>> -> complete;
        <<":", _/binary>> -> complete;
        Trimmed -> parsed(btr_nif:parse(Trimmed), Trimmed)
    end.

parsed({error, _}, _) ->
    complete;
parsed({ok, Unit}, Text) ->
    Outline = btr_nif:outline(Unit),
    case btr_nif:unit_incomplete(Unit) of
        true -> open;
        false -> of_outline(Outline, Text)
    end.

of_outline(#{statements := 0, classes := [], protocols := [], extensions := [_ | _]}, Text) ->
    case has_lines(Text) of
        true -> definition;
        false -> complete
    end;
of_outline(#{statements := 0, classes := Classes, protocols := Protocols}, Text) ->
    case Classes ++ Protocols of
        [] -> only_comments(Text);
        _ -> definition
    end;
of_outline(_, _) ->
    complete.

%% Doc comments belong to the definition below them.
only_comments(<<"//", _/binary>>) -> open;
only_comments(_) -> complete.

%% A body on the header's line is whole; one that has begun on a line of its own may go on.
has_lines(Text) ->
    case binary:split(Text, <<"\n">>, [global]) of
        [_] -> binary:last(Text) =:= $>;
        _ -> true
    end.

%% @doc Tells whether a further line belongs to an input in a state.
-spec belongs(state(), binary()) -> boolean().
belongs(complete, _) -> false;
belongs(open, Line) -> string:trim(Line) =/= <<>>;
belongs(definition, <<C, _/binary>> = Line) when C =:= $\s; C =:= $\t ->
    string:trim(Line) =/= <<>>;
belongs(definition, _) -> false.
