%% @doc Keeps OTP's reports about our own processes off the terminal: that an actor ended is told
%% to whoever asks it, as a Beamtalk exception. The application's `verbose' lets them through.
%% Tested by `bte_supervisor_SUITE'.
-module(bte_log).

-export([install/0, filter/2]).

-define(OURS, [bte_actor, bte_class, bte_supervisor]).

%% @doc Installs the filter; installing it twice is harmless.
-spec install() -> ok.
install() ->
    case logger:add_primary_filter(?MODULE, {fun ?MODULE:filter/2, []}) of
        ok -> ok;
        {error, {already_exist, _}} -> ok
    end.

%% @doc Stops reports of supervisors and crashes about our own processes.
-spec filter(logger:log_event(), term()) -> stop | ignore.
filter(#{msg := {report, #{label := {supervisor, _}, report := Report}}}, _) ->
    verdict(offender(Report));
filter(#{msg := {report, #{label := {proc_lib, crash}, report := [Info | _]}}}, _) ->
    verdict(proplists:get_value(initial_call, Info));
filter(_, _) ->
    ignore.

offender(Report) ->
    Offender = proplists:get_value(offender, Report, []),
    proplists:get_value(mfargs, Offender).

verdict(Call) when is_tuple(Call) ->
    Verbose = application:get_env(bt_embedded, verbose, false),
    case lists:member(element(1, Call), ?OURS) of
        true when not Verbose -> stop;
        _ -> ignore
    end;
verdict(_) ->
    ignore.
