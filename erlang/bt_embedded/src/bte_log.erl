%% @doc Keeps OTP's reports about our own processes and applications off the terminal: that an actor
%% ended is told to whoever asks it, as a Beamtalk exception. A process of the user's own that dies
%% of such an exception is told in its words. The application's `verbose' lets all through as it is.
%% Tested by `bte_supervisor_SUITE'.
-module(bte_log).

-export([install/0, filter/2, call_it/2]).

-define(OURS, [bte_actor, bte_class, bte_supervisor]).

%% @doc Installs the filter; installing it twice is harmless.
-spec install() -> ok.
install() ->
    case logger:add_primary_filter(?MODULE, {fun ?MODULE:filter/2, []}) of
        ok -> ok;
        {error, {already_exist, _}} -> ok
    end.

%% @doc Gives this process a name in `observer' and `i()', where a process without a registered one
%% goes by the call it began with: the class, and what it is of it.
-spec call_it(bte_registry:identity(), initialize | class | supervise) -> ok.
call_it(Identity, What) ->
    _ = erlang:put('$initial_call', {Identity, What, 0}),
    ok.

%% @doc Stops reports of supervisors and crashes about our own processes.
-spec filter(logger:log_event(), term()) -> logger:filter_return().
filter(#{msg := {report, #{label := {supervisor, _}, report := Report}}}, _) ->
    verdict(offender(Report));
filter(#{msg := {report, #{label := {proc_lib, crash}, report := [Info | _]}}}, _) ->
    verdict(proplists:get_value(initial_call, Info));
filter(#{msg := {report, #{label := {application_controller, exit}, report := Report}}}, _) ->
    stopped(proplists:get_value(application, Report), proplists:get_value(exited, Report));
filter(#{meta := #{error_logger := #{emulator := true}}, msg := {_, Args}} = Event, _) when
    is_list(Args)
->
    died(is_verbose(), Args, Event);
filter(_, _) ->
    ignore.

stopped(Application, stopped) when Application =:= bt_embedded; Application =:= bt_refactor ->
    stop;
stopped(_, _) ->
    ignore.

died(false, [Pid, {{bt_exception, Exception}, Stack}], Event) when is_list(Stack) ->
    Event#{msg := {"process ~tp ended with ~ts", [Pid, bte_error:format(Exception)]}};
died(_, _, _) ->
    ignore.

offender(Report) ->
    Offender = proplists:get_value(offender, Report, []),
    proplists:get_value(mfargs, Offender).

verdict(Call) when is_tuple(Call) ->
    Module = element(1, Call),
    IsOurs = lists:member(Module, ?OURS) orelse bte_registry:is_identity(Module),
    case IsOurs andalso not is_verbose() of
        true -> stop;
        false -> ignore
    end;
verdict(_) ->
    ignore.

is_verbose() -> application:get_env(bt_embedded, verbose, false).
