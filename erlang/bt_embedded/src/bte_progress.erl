%% @doc Tells how far a long compilation is: `compiling 120 of 1,000 classes', on a line of its own
%% after a second, then each time when twice as long has passed. Nothing is told unless a program
%% asks for it ({@link show/1}); a library has no business on its user's standard error.
%%
%% Lines, not a bar: they stay right when the evaluation is interrupted, or the output is a file.
%% Tested by `bte_progress_SUITE'.
-module(bte_progress).

-export([show/1, hide/0, beside/1]).
-export_type([options/0]).

-type options() :: #{
    device := io:device(),
    %% Milliseconds before the first line.
    first => non_neg_integer()
}.

-define(FIRST, 1000).

%% @doc From now on compilations tell how far they are.
-spec show(options()) -> ok.
show(Options) ->
    application:set_env(bt_embedded, progress, Options).

%% @doc Ends that.
-spec hide() -> ok.
hide() ->
    application:unset_env(bt_embedded, progress).

%% @doc Answers a function that takes the steps of one compilation: it hands them on and tells them.
-spec beside(fun((map()) -> ok)) -> fun((map()) -> ok).
beside(Progress) ->
    case application:get_env(bt_embedded, progress) of
        {ok, Options} ->
            Told = telling(Options),
            fun(Step) ->
                ok = Progress(Step),
                Told(Step)
            end;
        undefined ->
            Progress
    end.

telling(Options) ->
    Began = now_ms(),
    Due = atomics:new(1, []),
    ok = atomics:put(Due, 1, maps:get(first, Options, ?FIRST)),
    fun(#{done := Done, total := Total}) ->
        Passed = now_ms() - Began,
        case Done < Total andalso Passed >= atomics:get(Due, 1) of
            true ->
                ok = atomics:put(Due, 1, 2 * Passed),
                tell(Done, Total, Options);
            false ->
                ok
        end
    end.

%% Where nobody reads any more nothing is told, and the compilation goes on.
tell(Done, Total, #{device := Device}) ->
    Line = ["compiling ", grouped(Done), " of ", grouped(Total), " classes"],
    _ = catch io:put_chars(Device, [Line, $\n]),
    ok.

grouped(N) when N < 1000 -> integer_to_list(N);
grouped(N) -> [grouped(N div 1000), $, | io_lib:format("~3..0b", [N rem 1000])].

now_ms() -> erlang:monotonic_time(millisecond).
