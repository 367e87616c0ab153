%% @doc Non-local return: a throw with a reference that the home method made and registered while
%% it runs. A block whose home is gone, or in another process, raises `block_cannot_return' where
%% it stands. Tested by `bte_send_SUITE'.
-module(bte_return).

-export([enter/0, leave/1, return/2]).

%% @doc Registers a running home method.
-spec enter() -> reference().
enter() ->
    Ref = make_ref(),
    _ = erlang:put({'$home', Ref}, true),
    Ref.

%% @doc Ends a home method.
-spec leave(reference()) -> ok.
leave(Ref) ->
    _ = erlang:erase({'$home', Ref}),
    ok.

%% @doc Returns a value from the home method.
-spec return(reference(), term()) -> no_return().
return(Ref, V) ->
    case erlang:get({'$home', Ref}) of
        true -> erlang:throw({'$return', Ref, V});
        undefined -> cannot()
    end.

-spec cannot() -> no_return().
cannot() ->
    bte_error:raise(block_cannot_return, #{
        class => 'bt@stdlib@block',
        message => <<"the method that this block would return from has ended">>,
        hint => <<
            "A block with ^ can return only while its method runs, and in the same process. "
            "Answer the block's value instead."
        >>
    }).
