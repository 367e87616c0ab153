%% @doc Actors of a `native:' class: an Erlang module of one's own, a `gen_server', stands behind
%% each actor and answers the methods whose body is `self delegate'.
%%
%% The server is started by `Module:start_link(State)' when it is first asked, with the actor's
%% state as a map, and is linked to the actor: one ends with the other. It is called with
%% `{Selector, Arguments}'; it answers `{ok, Value}', `{error, Reason}', which is raised, or the
%% value as it is. Tested by `bte_native_SUITE'.
-module(bte_native).

-export([call/3, stop/0]).

-define(KEY, '$native').

%% @doc Asks the running actor's server.
-spec call(module(), atom(), [term()]) -> term().
call(Module, Selector, Args) ->
    Server = server(Module),
    Message = {Selector, [bte_ffi:to_erlang(A) || A <- Args]},
    try gen_server:call(Server, Message, infinity) of
        {ok, Value} -> Value;
        {error, Reason} -> failed(Module, Selector, Reason);
        Value -> Value
    catch
        exit:{Reason, {gen_server, call, _}} -> failed(Module, Selector, Reason)
    end.

server(Module) ->
    case erlang:get({?KEY, Module}) of
        Pid when is_pid(Pid) -> Pid;
        undefined -> started(Module)
    end.

started(Module) ->
    case start(Module) of
        {ok, Pid} when is_pid(Pid) ->
            _ = erlang:put({?KEY, Module}, Pid),
            Pid;
        {error, Reason} ->
            failed(Module, start_link, Reason);
        Other ->
            failed(Module, start_link, Other)
    end.

start(Module) ->
    State = erlang:get('$state'),
    try
        Module:start_link(State)
    catch
        error:undef ->
            bte_error:raise(native_module_missing, #{
                message => iolist_to_binary([
                    <<"there is no start_link/1 in the native module ">>, atom_to_binary(Module)
                ]),
                hint => <<"Compile the module, and put its folder on the code path.">>
            })
    end.

-spec failed(module(), atom(), term()) -> no_return().
failed(_, _, {bt_exception, Exception}) ->
    bte_error:signal(Exception);
failed(Module, Selector, Reason) ->
    Text = io_lib:format("~ts answered ~ts with the error ~0tp", [Module, Selector, Reason]),
    bte_error:raise(native_error, #{
        selector => Selector, message => unicode:characters_to_binary(Text), details => Reason
    }).

%% @doc Ends the servers of the running actor; for an actor that ends.
-spec stop() -> ok.
stop() ->
    lists:foreach(fun ended/1, [Pid || {{?KEY, _}, Pid} <- erlang:get()]).

ended(Pid) ->
    true = erlang:unlink(Pid),
    try
        gen_server:stop(Pid)
    catch
        exit:_ -> ok
    end.
