%% @doc Primitives of `DateTime' and `Timer'.
%%
%% A timer is a process that waits and runs the block; the instance holds its pid.
-module(bte_prim_time).

-export([monotonic/1, clock/2, from_parts/7, from_string/2, parts/1, day_of_week/1, print/1]).
-export([milliseconds_of/3, milliseconds_of_length/3]).
-export([timer_after/3, timer_every/3, sleep/2, timer_cancel/1, timer_is_active/1]).

-define(EPOCH, 62167219200).
%% Erlang waits no longer, which is 49 days.
-define(MAX_WAIT, 16#FFFFFFFF).
-define(DATE_TIME, 'bt@stdlib@date_time').
-define(DURATION, 'bt@stdlib@duration').

%% @doc Answers a clock that never goes back, in nanoseconds.
-spec monotonic(term()) -> integer().
monotonic(_) -> erlang:monotonic_time(nanosecond).

%% @doc Answers the present in milliseconds.
-spec clock(term(), term()) -> integer().
clock(_, _) -> erlang:system_time(millisecond).

%% @doc Makes a moment of its parts.
-spec from_parts(term(), term(), term(), term(), term(), term(), term()) -> map().
from_parts(Self, Year, Month, Day, Hour, Minute, Second) ->
    make(Self, {{Year, Month, Day}, {Hour, Minute, Second}}).

make(Self, {{Y, Mo, D} = Date, {H, Mi, S} = Time}) when
    is_integer(Y), is_integer(Mo), is_integer(D), is_integer(H), is_integer(Mi), is_integer(S),
    Y >= 0, Y =< 9999
->
    Valid =
        calendar:valid_date(Date) andalso H >= 0 andalso H < 24 andalso Mi >= 0 andalso
            Mi < 60 andalso S >= 0 andalso S < 60,
    case Valid of
        true ->
            Seconds = calendar:datetime_to_gregorian_seconds({Date, Time}) - ?EPOCH,
            #{'$class' => ?DATE_TIME, milliseconds => Seconds * 1000};
        false ->
            no_moment(Self)
    end;
make(Self, _) ->
    no_moment(Self).

-spec no_moment(term()) -> no_return().
no_moment(Self) ->
    bte_prim:argument_error(Self, 'year:month:day:', <<"there is no such day or time">>).

%% @doc Reads `2026-03-01T12:30:00Z' or a date alone.
-spec from_string(term(), term()) -> map().
from_string(Self, Text) ->
    Pattern = "^(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d):(\\d\\d)Z?)?$",
    Subject = bte_prim:string(Self, 'fromString:', Text),
    case re:run(Subject, Pattern, [{capture, all_but_first, list}]) of
        {match, [Y, Mo, D]} ->
            make(Self, {numbers([Y, Mo, D]), {0, 0, 0}});
        {match, [Y, Mo, D, H, Mi, S]} ->
            make(Self, {numbers([Y, Mo, D]), numbers([H, Mi, S])});
        nomatch ->
            Message = [bte_prim:quoted(Text), <<" is no date">>],
            bte_prim:argument_error(Self, 'fromString:', Message)
    end.

numbers(Texts) -> list_to_tuple([list_to_integer(T) || T <- Texts]).

%% @doc Answers year, month, day, hour, minute, second.
-spec parts(map()) -> [integer()].
parts(Self) ->
    {{Y, Mo, D}, {H, Mi, S}} = date_time(Self),
    [Y, Mo, D, H, Mi, S].

date_time(#{milliseconds := Ms}) ->
    calendar:gregorian_seconds_to_datetime(?EPOCH + erlang:floor(Ms / 1000)).

%% @doc Answers the day of the week, 1 for Monday.
-spec day_of_week(map()) -> 1..7.
day_of_week(Self) ->
    {Date, _} = date_time(Self),
    calendar:day_of_the_week(Date).

%% @doc Prints the moment.
-spec print(map()) -> binary().
print(Self) ->
    iolist_to_binary(
        io_lib:format("~4..0b-~2..0b-~2..0bT~2..0b:~2..0b:~2..0bZ", parts(Self))
    ).

%% @doc Answers the milliseconds of an argument that must be of the receiver's kind, Duration or
%% DateTime.
-spec milliseconds_of(map(), term(), atom()) -> integer().
milliseconds_of(Self, Other, Selector) ->
    Kinds = [K || K <- [?DATE_TIME, ?DURATION], bte_prim_object:is_kind_of(Self, {'$class', K})],
    milliseconds_of_kind(hd(Kinds), Self, Other, Selector).

%% @doc Answers the milliseconds of an argument that must be a Duration.
-spec milliseconds_of_length(map(), term(), atom()) -> integer().
milliseconds_of_length(Self, Other, Selector) ->
    milliseconds_of_kind(?DURATION, Self, Other, Selector).

milliseconds_of_kind(Kind, Self, Other, Selector) ->
    case bte_prim_object:is_kind_of(Other, {'$class', Kind}) of
        true -> map_get(milliseconds, Other);
        false -> bte_prim:type_error(Self, Selector, bte_registry:name_of(Kind), Other)
    end.

%% @doc Runs a block after a time.
-spec timer_after(term(), term(), term()) -> map().
timer_after(Self, Milliseconds, Block) ->
    Ms = wait(Self, 'after:do:', Milliseconds),
    Run = bte_prim:block(Self, 'after:do:', Block),
    timer(Self, fun() -> once(Ms, Run) end).

once(Ms, Block) ->
    receive
        cancel -> ok
    after Ms -> bte_block:value(Block, [])
    end.

%% @doc Runs a block again and again.
-spec timer_every(term(), term(), term()) -> map().
timer_every(Self, Milliseconds, Block) ->
    Ms = wait(Self, 'every:do:', Milliseconds, 1),
    Run = bte_prim:block(Self, 'every:do:', Block),
    timer(Self, fun() -> again(Ms, Run) end).

again(Ms, Block) ->
    receive
        cancel -> ok
    after Ms ->
        _ = bte_block:value(Block, []),
        again(Ms, Block)
    end.

timer({'$class', C}, Fun) ->
    #{'$class' => C, process => erlang:spawn(Fun)}.

wait(Self, Selector, Milliseconds) -> wait(Self, Selector, Milliseconds, 0).

wait(Self, Selector, Milliseconds, Least) ->
    case bte_prim:integer(Self, Selector, Milliseconds) of
        Ms when Ms >= Least, Ms =< ?MAX_WAIT ->
            Ms;
        Ms ->
            Message = io_lib:format("~ts expects ~b to ~b milliseconds, not ~b",
                [Selector, Least, ?MAX_WAIT, Ms]),
            bte_prim:argument_error(Self, Selector, Message)
    end.

%% @doc Waits.
-spec sleep(term(), term()) -> nil.
sleep(Self, Milliseconds) ->
    receive
    after wait(Self, 'sleep:', Milliseconds) -> nil
    end.

%% @doc Stops a timer.
-spec timer_cancel(map()) -> nil.
timer_cancel(#{process := Pid}) ->
    Pid ! cancel,
    nil.

%% @doc Tells whether a timer's process runs.
-spec timer_is_active(map()) -> boolean().
timer_is_active(#{process := Pid}) -> is_process_alive(Pid).
