%%% @doc A host for tests that loads real code: a ring of modules that call each other and carry a
%%% version, made from one template by writing the version into the binary. A change to version V is
%%% a unit with the text V; all modules are switched together.
-module(btr_host_code).
-behaviour(btr_host).

-export([start/1, stop/0, chain/1, slow_chain/1, change/1]).
-export([generation/0, index/0, units/0, unit/1, compile/2, modules/1, old_code/1, stage/2,
    switch/1]).
-export([switched/1, publish/1, unstage/1, purge/1, rebase/1, drains/0]).

-define(KEY, ?MODULE).
-define(MARK, 16#5A5A5A5A).

%% Compiles and loads `N' modules in version 1.
start(N) ->
    Names = [binary_to_atom(<<"btr_ring_", (integer_to_binary(I))/binary>>)
        || I <- lists:seq(1, N)],
    Nexts = tl(Names) ++ [none],
    Templates = [{M, template(M, Next)} || {M, Next} <- lists:zip(Names, Nexts)],
    persistent_term:put(?KEY, {atomics:new(2, []), Templates}),
    put_cell(2, 1),
    {ok, Handle} = code:prepare_loading(version(1)),
    ok = code:finish_loading(Handle).

stop() ->
    {_, Templates} = persistent_term:get(?KEY),
    [begin code:purge(M), code:delete(M), code:purge(M) end || {M, _} <- Templates],
    persistent_term:erase(?KEY),
    ok.

%% The versions that one walk through all modules sees, within one time slice.
chain(First) -> First:chain([]).
%% The same, giving up the time slice in the middle.
slow_chain(First) -> First:slow([]).

template(Module, Next) ->
    Last = case Next of
        none -> {"chain(Acc) -> [version() | Acc].", "slow(Acc) -> [version() | Acc]."};
        _ ->
            {io_lib:format("chain(Acc) -> ~p:chain([version() | Acc]).", [Next]),
             io_lib:format("slow(Acc) -> V = version(), erlang:yield(), ~p:slow([V | Acc]).",
                 [Next])}
    end,
    {Chain, Slow} = Last,
    Forms = [
        form(F)
     || F <- [
            io_lib:format("-module(~p).", [Module]), "-export([chain/1, slow/1]).", Chain, Slow,
            io_lib:format("version() -> ~b.", [?MARK])
        ]
    ],
    {ok, Module, Beam} = compile:forms(Forms, [no_ssa_opt]),
    Beam.

form(Text) ->
    {ok, Tokens, _} = erl_scan:string(lists:flatten(Text)),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

version(V) ->
    {_, Templates} = persistent_term:get(?KEY),
    [
        {M, atom_to_list(M), binary:replace(Beam, <<?MARK:32>>, <<(?MARK + V):32>>, [global])}
     || {M, Beam} <- Templates
    ].

change(V) ->
    {ok, #{digest := Digest}} = unit(<<"ring">>),
    #{operation => load, names => [], units => [
        #{file => <<"ring">>, text => integer_to_binary(V), package => <<"ring">>,
            origin => project,
          names_only => false, old_digest => Digest}
    ]}.

cell(I) -> atomics:get(element(1, persistent_term:get(?KEY)), I).
put_cell(I, V) -> atomics:put(element(1, persistent_term:get(?KEY)), I, V).

generation() -> cell(1).
index() -> none.
units() -> #{<<"ring">> => element(2, unit(<<"ring">>))}.

unit(<<"ring">>) ->
    Text = integer_to_binary(cell(2)),
    Digest = btr_change:digest(Text),
    {ok, #{text => Text, digest => Digest, package => <<"ring">>, origin => project,
        base_digest => Digest}}.

compile(#{units := [#{text := Text}]}, _Progress) ->
    V = binary_to_integer(Text),
    {ok, #{version => V, code => version(V)}}.

modules(#{code := Code}) -> [M || {M, _, _} <- Code].

old_code(Modules) ->
    [
        {M, [{P, <<"a chain">>} || P <- processes(), erlang:check_process_code(P, M)]}
     || M <- Modules, erlang:check_old_code(M), not code:soft_purge(M)
    ].

stage(#{code := Code} = Prepared, Gen) ->
    {ok, Handle} = code:prepare_loading(Code),
    {ok, Prepared#{handle => Handle, generation => Gen}}.

switch(#{handle := Handle}) ->
    case code:finish_loading(Handle) of
        ok -> ok;
        {error, Reasons} -> {error, {not_purged, [M || {M, not_purged} <- Reasons]}}
    end.

switched(#{code := [{M, _, Beam} | _]}) -> M:module_info(md5) =:= code:module_md5(Beam).
publish(#{generation := Gen, version := V}) -> put_cell(1, Gen), put_cell(2, V), ok.
unstage(_) -> ok.
purge(Modules) ->
    lists:foreach(fun code:soft_purge/1, [M || M <- Modules, erlang:check_old_code(M)]).
rebase(_) -> ok.

drains() -> [].
