%% @doc The process that handles a prompt's inputs, apart from the one that reads and prints: it
%% owns the session, and an evaluation in it can be interrupted. Tested by `bte_repl_SUITE'.
-module(bte_evaluator).

-export([start/2, handle/2, stop/1]).
-export_type([handler/0]).

-type handler() :: pid().

%% @doc Starts a handler of inputs with the state of a prompt.
-spec start(fun((binary(), bte_repl:state()) -> bte_repl:answer()), bte_repl:state()) -> handler().
start(Handle, State) ->
    Owner = self(),
    erlang:spawn(fun() -> loop(erlang:monitor(process, Owner), Handle, State) end).

loop(Owner, Handle, State0) ->
    receive
        {handle, From, Input} ->
            {Next, Output, State} = Handle(Input, State0),
            ok = publish(State),
            From ! {self(), {Next, Output}},
            loop(Owner, Handle, State);
        {stop, From} ->
            ok = bte_session:close(maps:get(session, State0)),
            From ! {self(), stopped};
        {'DOWN', Owner, process, _, _} ->
            ok
    end.

%% What completion may offer.
publish(#{session := Session}) ->
    Names = lists:sort(maps:keys(bte_session:bindings(Session))),
    application:set_env(bt_embedded, prompt_bindings, Names).

%% @doc Handles an input; an interrupt from the terminal ends its evaluation.
-spec handle(handler(), binary()) -> {go_on | quit, iodata()}.
handle(Handler, Input) ->
    Ref = erlang:monitor(process, Handler),
    Handler ! {handle, self(), Input},
    wait(Handler, Ref).

wait(Handler, Ref) ->
    receive
        {Handler, Answer} ->
            true = erlang:demonitor(Ref, [flush]),
            Answer;
        {'EXIT', _, interrupt} ->
            ok = bte_prompt:interrupt(Handler),
            wait(Handler, Ref);
        {'DOWN', Ref, process, _, Reason} ->
            {quit, io_lib:format("the prompt's session has ended: ~0tp~n", [Reason])}
    end.

%% @doc Ends the handler and its session; answers the status of a prompt that has ended.
-spec stop(handler()) -> 0.
stop(Handler) ->
    Ref = erlang:monitor(process, Handler),
    Handler ! {stop, self()},
    receive
        {Handler, stopped} -> true = erlang:demonitor(Ref, [flush]);
        {'DOWN', Ref, process, _, _} -> true
    end,
    0.
