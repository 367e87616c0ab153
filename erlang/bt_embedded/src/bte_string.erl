%% @doc What string interpolation compiles to. Tested by `bte_send_SUITE'.
-module(bte_string).

-export([interpolate/1]).

%% @doc Joins the parts of an interpolated string; a part that is no string is shown by its
%% `displayString'.
-spec interpolate([term()]) -> binary().
interpolate(Parts) ->
    iolist_to_binary([part(P) || P <- Parts]).

part(P) when is_binary(P) ->
    P;
part(P) ->
    case bte_send:send(displayString, bte_registry:generation(), P) of
        Text when is_binary(Text) ->
            Text;
        _ ->
            bte_error:raise(type_error, #{
                class => bte_send:class_of(P),
                selector => displayString,
                message => <<"displayString did not answer a String">>
            })
    end.
