%% @doc The state that a block reads or changes: that of the actor or class the block was made in,
%% and only while it runs in that one's process. Methods need no check: they run nowhere else.
%% Tested by `bte_language_SUITE'.
-module(bte_state).

-export([own/1]).

%% @doc Answers the state of the receiver; raises `block_context_lost' in another process than the
%% receiver's.
-spec own(term()) -> map().
own({'$actor', _, Pid} = Self) when Pid =:= self() ->
    running(Self);
own({'$class', Identity} = Self) ->
    case erlang:get('$class_server') of
        Identity -> running(Self);
        _ -> lost(Self)
    end;
own(Self) ->
    lost(Self).

running(Self) ->
    case erlang:get('$state') of
        State when is_map(State) -> State;
        undefined -> lost(Self)
    end.

-spec lost(term()) -> no_return().
lost({_, Identity}) -> lost_of(Identity);
lost({_, Identity, _}) -> lost_of(Identity).

-spec lost_of(term()) -> no_return().
lost_of(Identity) ->
    bte_error:raise(block_context_lost, #{
        class => Identity,
        message => <<
            "a block of ", (bte_registry:name_of(Identity))/binary,
            " used its fields in another process"
        >>,
        hint => <<
            "Read the field into a local variable before the block, or send self a message in it."
        >>
    }).
