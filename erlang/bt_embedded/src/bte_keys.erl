%% @doc Ctrl-D on an empty line of the terminal leaves the prompt, as in other shells: it is typed
%% as `:quit'. The line editor of OTP 25 knows it only as "delete the character under the cursor",
%% so the keys of its terminal port come here first. Tested by `bte_terminal_SUITE'.
-module(bte_keys).

-export([watch/0, typed/2]).
-export_type([line/0]).

-define(INTERRUPT, 3).
-define(END, 4).
-define(BACKSPACE, 8).
-define(DELETE, 127).

%% How many characters the line under way has; what an escape sequence made of it is not known.
-type line() :: non_neg_integer() | unknown.

%% @doc Starts to watch the keys of the terminal; nothing where the editor has no port.
-spec watch() -> ok.
watch() ->
    case whereis(user_drv) of
        undefined -> ok;
        Driver -> watch_ports(Driver, erlang:process_info(Driver, links))
    end.

watch_ports(Driver, {links, Links}) ->
    Ports = [P || P <- Links, is_port(P), is_terminal(erlang:port_info(P, name))],
    lists:foreach(fun(Port) -> watch_port(Driver, Port) end, Ports);
watch_ports(_, undefined) ->
    ok.

is_terminal({name, "tty_sl" ++ _}) -> true;
is_terminal(_) -> false.

watch_port(Driver, Port) ->
    Watcher = erlang:spawn_link(fun() -> loop(Driver, Port, 0) end),
    true = erlang:port_connect(Port, Watcher),
    ok.

loop(Driver, Port, Line0) ->
    receive
        {Port, {data, Data}} ->
            {Keys, Line} = typed(iolist_to_binary(Data), Line0),
            Driver ! {Port, {data, binary_to_list(Keys)}},
            loop(Driver, Port, Line);
        {Port, _} = Message ->
            Driver ! Message,
            loop(Driver, Port, Line0)
    end.

%% @doc Answers what keys stand for, given the line they are typed into, and the line behind them.
-spec typed(binary(), line()) -> {binary(), line()}.
typed(Keys, Line) ->
    typed(Keys, Line, <<>>).

typed(<<>>, Line, Acc) ->
    {Acc, Line};
typed(<<?END, Keys/binary>>, 0, Acc) ->
    typed(Keys, 0, <<Acc/binary, ":quit\r">>);
typed(<<Key, Keys/binary>>, Line, Acc) ->
    typed(Keys, behind(Key, Line), <<Acc/binary, Key>>).

behind(Key, _) when Key =:= $\r; Key =:= $\n; Key =:= ?INTERRUPT -> 0;
behind(_, unknown) -> unknown;
behind(Key, Line) when Key =:= ?BACKSPACE; Key =:= ?DELETE -> max(0, Line - 1);
%% The first byte of a character counts.
behind(Key, Line) when Key >= 16#80, Key < 16#C0 -> Line;
behind(Key, Line) when Key >= $\s -> Line + 1;
behind(_, _) -> unknown.
