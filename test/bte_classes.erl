%% @doc Class modules written by hand for suites of the runtime: what the generator would make of
%% a class, from a short description. Loaded modules are taken out again by {@link unload/0}.
-module(bte_classes).

-export([load/2, load/3, unload/0, root/0]).

%% @doc Loads a root class and the few library classes that the dispatch falls back to.
root() ->
    load('bt@stdlib@object', #{super => nil}),
    load('bt@stdlib@class', #{super => 'bt@stdlib@object'}),
    ok.

%% @doc Loads a class: `super', `kind', `modifiers', `fields' ([{Name, DefaultText}]),
%% `class_state', `methods' ([{Side, Selector, Params, BodyText}]), `blocks' ([{Id, Params, Text}]),
%% `drains' ([{Old, New, Generation, Row}]).
load(Identity, Class) ->
    load(Identity, Class, 0).

load(Identity, Class, Generation) ->
    Raw = lists:flatten(source(Identity, Class, Generation)),
    Name = lists:flatten(io_lib:format("~p", [Identity])),
    Text = lists:flatten(string:replace(Raw, "?MODULE", Name, all)),
    {ok, Tokens, _} = erl_scan:string(Text),
    Forms = [parse(Form) || Form <- split(Tokens, [], [])],
    {ok, Identity, Beam} = compile:forms(Forms, [binary, nowarn_unused_vars]),
    _ = code:purge(Identity),
    {module, Identity} = code:load_binary(Identity, "", Beam),
    put(?MODULE, [Identity | loaded()]),
    ok.

unload() ->
    lists:foreach(
        fun(M) ->
            code:purge(M),
            code:delete(M),
            code:purge(M)
        end,
        loaded()
    ).

loaded() ->
    case get(?MODULE) of
        undefined -> [];
        Modules -> Modules
    end.

parse(Tokens) ->
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

split([], [], Forms) -> lists:reverse(Forms);
split([{dot, _} = Dot | Rest], Form, Forms) ->
    split(Rest, [], [lists:reverse([Dot | Form]) | Forms]);
split([Token | Rest], Form, Forms) -> split(Rest, [Token | Form], Forms).

source(Identity, Class, Generation) ->
    Methods = maps:get(methods, Class, []),
    Super = maps:get(super, Class, 'bt@stdlib@object'),
    [
        io_lib:format("-module(~p).~n", [Identity]),
        "-compile([export_all, nowarn_export_all]).\n",
        [dispatcher(N, Methods, Class, Super) || N <- lists:seq(0, 3)],
        many(i_n, Super),
        many(c_n, Super),
        [body(M) || M <- Methods],
        [blocks(N, maps:get(blocks, Class, [])) || N <- lists:seq(0, 3)],
        defaults("'$fields'", maps:get(fields, Class, []), Super),
        defaults("'$class_state'", maps:get(class_state, Class, []), Super),
        io_lib:format("'$info'() -> ~p.~n", [info(Identity, Class, Super, Generation)])
    ].

info(Identity, Class, Super, Generation) ->
    Methods = maps:get(methods, Class, []),
    Of = fun(Side) -> [S || {D, S, _, _} <- Methods, D =:= Side] end,
    #{
        identity => Identity,
        superclass => Super,
        kind => maps:get(kind, Class, object),
        modifiers => maps:get(modifiers, Class, []),
        generation => Generation,
        fields => [F || {F, _} <- maps:get(fields, Class, [])],
        methods => #{instance => Of(instance), class => Of(class)}
    }.

dispatcher(N, Methods, Class, Super) ->
    Args = args(N),
    HasState = maps:get(has_state, Class, false),
    [
        [clause("i", S, Args, false) || {instance, S, P, _} <- Methods, length(P) =:= N],
        [drain(D, Args, Super) || {_, New, _, _} = D <- maps:get(drains, Class, []),
            arity(New) =:= N],
        root("i", Super, Args),
        [clause("c", S, Args, HasState) || {class, S, P, _} <- Methods, length(P) =:= N],
        root("c", Super, Args)
    ].

arity(Selector) -> length([C || C <- atom_to_list(Selector), C =:= $:]).

args(N) -> [[", A", integer_to_list(I)] || I <- lists:seq(1, N)].

clause("c", S, Args, true) ->
    io_lib:format("c(~p, _, Self~s) -> bte_class:run(Self, ?MODULE, 'c:~s', 0, [Self~s]);~n",
        [S, Args, S, Args]);
clause(F, S, Args, _) ->
    io_lib:format("~s(~p, _, Self~s) -> '~s:~s'(Self~s);~n", [F, S, Args, F, S, Args]).

drain({Old, New, Gen, Row}, Args, Super) ->
    io_lib:format(
        "i(~p, Gen, Self~s) when Gen < ~p -> case bte_drain:is_live(~p) of "
        "true -> 'i:~s'(Self~s); false -> ~p:i(~p, Gen, Self~s) end;~n",
        [Old, Args, Gen, Row, New, Args, Super, Old, Args]).

root("i", nil, Args) ->
    io_lib:format("i(S, Gen, Self~s) -> bte_send:miss(S, Gen, Self, [~s]).~n",
        [Args, list(Args)]);
root("c", nil, Args) ->
    io_lib:format("c(S, Gen, Self~s) -> 'bt@stdlib@class':i(S, Gen, Self~s).~n", [Args, Args]);
root(F, Super, Args) ->
    io_lib:format("~s(S, Gen, Self~s) -> ~p:~s(S, Gen, Self~s).~n", [F, Args, Super, F, Args]).

list(Args) -> string:trim(lists:flatten(Args), leading, ", ").

many(i_n, nil) -> "i_n(S, Gen, Self, Args) -> bte_send:miss(S, Gen, Self, Args).\n";
many(c_n, nil) -> "c_n(S, Gen, Self, Args) -> 'bt@stdlib@class':i_n(S, Gen, Self, Args).\n";
many(F, Super) ->
    io_lib:format("~s(S, Gen, Self, Args) -> ~p:~s(S, Gen, Self, Args).~n", [F, Super, F]).

body({Side, S, Params, Text}) ->
    Prefix = case Side of instance -> "i"; class -> "c" end,
    io_lib:format("'~s:~s'(Self~s) -> ~s.~n", [Prefix, S, [[", ", P] || P <- Params], Text]).

blocks(N, Blocks) ->
    [
        [
            io_lib:format("b(~p, Env~s) -> ~s;~n", [Id, [[", ", P] || P <- Params], Text])
         || {Id, Params, Text} <- Blocks, length(Params) =:= N
        ],
        io_lib:format("b(Id, _~s) -> bte_block:outdated(?MODULE, Id).~n",
            [[", _" || _ <- lists:seq(1, N)]])
    ].

defaults(Name, Fields, Super) ->
    Above = case Super of nil -> "M"; _ -> io_lib:format("~p:~s(M)", [Super, Name]) end,
    Own = lists:join(", ", [io_lib:format("~p => ~s", [F, V]) || {F, V} <- Fields]),
    io_lib:format("~s(M) -> (~s)#{~s}.~n", [Name, Above, Own]).
