%% @doc What code typed at the prompt calls. A block that a session keeps is older than each method
%% that is renamed later, and no drain row could wait for it: it may lie in a binding, an actor or a
%% timer for days. So a send in such code asks the history of renames what its selector, of the
%% generation it was typed in, is called now ({@link bte_drain:current/4}), before it is sent.
%% Code that is as new as the image, and compiled code, asks nothing. Tested by `btr_drain_SUITE'.
-module(bte_prompt_send).

-export([call/2]).

%% @doc Makes a call for `erl_eval', of a function of a module or of a fun.
-spec call({module(), atom()} | fun(), [term()]) -> term().
call({bte_send, Function}, [Selector, Gen, Receiver | Args]) when
    Function =:= send; Function =:= send_n; Function =:= cast
->
    {Now, Since} = current(Receiver, Selector, Gen),
    apply(bte_send, Function, [Now, Since, Receiver | Args]);
call({Module, Function}, Args) ->
    apply(Module, Function, Args);
call(Fun, Args) ->
    apply(Fun, Args).

current({'$erlang', _}, Selector, Gen) ->
    {Selector, Gen};
current({'$class', C}, Selector, Gen) ->
    bte_drain:current(C, class, Selector, Gen);
current(Receiver, Selector, Gen) ->
    bte_drain:current(bte_send:class_of(Receiver), instance, Selector, Gen).
