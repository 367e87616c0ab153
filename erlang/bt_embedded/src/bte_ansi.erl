%% @doc Colour on a terminal, plain text elsewhere. Pure but for asking what the output is.
-module(bte_ansi).

-export([palette/0, plain/0, paint/3]).
-export_type([palette/0, role/0]).

-type palette() :: color | plain.
-type role() :: good | bad | note | name | value | prompt.

%% @doc Answers the palette for standard output: plain unless it is a terminal that shows colour.
-spec palette() -> palette().
palette() ->
    case {io:columns(), os:getenv("NO_COLOR"), os:getenv("TERM")} of
        {{ok, _}, false, Term} when Term =/= "dumb", Term =/= false -> color;
        _ -> plain
    end.

%% @doc Answers the palette without colour.
-spec plain() -> palette().
plain() -> plain.

%% @doc Paints a text for its role.
-spec paint(role(), iodata(), palette()) -> iodata().
paint(_, Text, plain) -> Text;
paint(Role, Text, color) -> [code(Role), Text, "\e[0m"].

code(good) -> "\e[32m";
code(bad) -> "\e[31m";
code(note) -> "\e[33m";
code(name) -> "\e[1m";
code(value) -> "\e[36m";
code(prompt) -> "\e[35m".
