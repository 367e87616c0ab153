%% @doc Primitives of `System'.
-module(bte_prim_system).

-export([get_env/2, os_platform/1, erlang_version/1, pid/1, monotonic_time/1, unique_integer/1]).

%% @doc Answers an environment variable, or nil.
-spec get_env(term(), term()) -> binary() | nil.
get_env(Self, Name) ->
    case os:getenv(unicode:characters_to_list(bte_prim:string(Self, 'getEnv:', Name))) of
        false -> nil;
        Value -> unicode:characters_to_binary(Value)
    end.

%% @doc Answers the kind of operating system.
-spec os_platform(term()) -> binary().
os_platform(_) ->
    {_, Name} = os:type(),
    atom_to_binary(Name).

%% @doc Answers the release of Erlang/OTP.
-spec erlang_version(term()) -> binary().
erlang_version(_) -> list_to_binary(erlang:system_info(otp_release)).

%% @doc Answers the number of the operating system's process.
-spec pid(term()) -> integer().
pid(_) -> list_to_integer(os:getpid()).

%% @doc Answers milliseconds of the monotonic clock.
-spec monotonic_time(term()) -> integer().
monotonic_time(_) -> erlang:monotonic_time(millisecond).

%% @doc Answers an integer that is new.
-spec unique_integer(term()) -> integer().
unique_integer(_) -> erlang:unique_integer([positive, monotonic]).
