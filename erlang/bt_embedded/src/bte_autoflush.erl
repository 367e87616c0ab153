%% @doc `Workspace autoflush': whether each durable change is written at once, as far as it removes
%% and renames no file. The choice is kept beside the log, for later sessions of the project.
%% Tested by `bte_workspace_SUITE'.
-module(bte_autoflush).

-include_lib("kernel/include/logger.hrl").

-export([is_on/1, switch/2, after_change/0]).

%% @doc Answers whether it is on; it is off unless somebody has switched it on.
-spec is_on(term()) -> boolean().
is_on(_) ->
    maps:get(<<"autoflush">>, settings(), false) =:= true.

%% @doc Switches it on or off; answers what was chosen.
-spec switch(term(), term()) -> boolean().
switch(_, On) when is_boolean(On) ->
    ok = keep((settings())#{<<"autoflush">> => On}),
    On;
switch(Self, Other) ->
    bte_prim:type_error(Self, 'autoflush:', <<"Boolean">>, Other).

%% @doc Flushes after a change, if that is wanted. What cannot be written stays pending: the change
%% itself has been made.
-spec after_change() -> ok.
after_change() ->
    case is_on(nil) andalso bt_refactor:flush(#{destructive => false}) of
        {error, Error} ->
            ?LOG_WARNING("autoflush: ~ts", [btr_error:format(Error)], #{domain => [bte, flush]});
        _ ->
            ok
    end.

settings() ->
    case place() of
        memory ->
            application:get_env(bt_embedded, settings, #{});
        File ->
            case file:read_file(File) of
                {ok, Text} -> decoded(btr_nif:json_decode(Text));
                {error, _} -> #{}
            end
    end.

decoded({ok, Settings}) when is_map(Settings) -> Settings;
decoded(_) -> #{}.

keep(Settings) ->
    case place() of
        memory ->
            application:set_env(bt_embedded, settings, Settings);
        File ->
            {ok, #{fs := Fs}} = btr_coordinator:config(),
            ok = Fs:make_dir(filename:dirname(File)),
            ok = Fs:write(File, btr_nif:json_encode(Settings))
    end.

place() ->
    case btr_coordinator:config() of
        {ok, #{log := Log}} when Log =/= memory ->
            filename:join(filename:dirname(Log), "metadata.json");
        _ ->
            memory
    end.
