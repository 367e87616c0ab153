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
        dispatchers(Methods, Class, {Super, info(Identity, Class, Super, Generation)}),
        [body(M) || M <- Methods],
        blocks(maps:get(blocks, Class, []))
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

dispatchers(Methods, Class, {Super, Info}) ->
    HasState = maps:get(has_state, Class, false),
    [
        [clause("i", S, args(length(P)), false) || {instance, S, P, _} <- Methods],
        [drain(D, args(arity(New)), Super) || {_, New, _, _} = D <- maps:get(drains, Class, [])],
        root("i", Super),
        [clause("c", S, args(length(P)), HasState) || {class, S, P, _} <- Methods],
        told("'$info'", io_lib:format("~p", [Info])),
        defaults("'$fields'", maps:get(fields, Class, []), Super),
        defaults("'$class_state'", maps:get(class_state, Class, []), Super),
        root("c", Super)
    ].

arity(Selector) -> length([C || C <- atom_to_list(Selector), C =:= $:]).

args(N) -> ["A" ++ integer_to_list(I) || I <- lists:seq(1, N)].

%% Three places, of which the last may be free.
places(Args, Filler) when length(Args) =< 3 ->
    lists:join(", ", Args ++ lists:duplicate(3 - length(Args), Filler)).

clause("c", S, Args, true) ->
    io_lib:format("c(~p, _, Self, ~s) -> bte_class:run(Self, ?MODULE, 'c:~s', 0, [~s]);~n",
        [S, places(Args, "_"), S, lists:join(", ", ["Self" | Args])]);
clause(F, S, Args, _) ->
    io_lib:format("~s(~p, _, Self, ~s) -> '~s:~s'(~s);~n",
        [F, S, places(Args, "_"), F, S, lists:join(", ", ["Self" | Args])]).

drain({Old, New, Gen, Row}, Args, Super) ->
    io_lib:format(
        "i(~p, Gen, Self, ~s) when Gen < ~p -> case bte_drain:is_live(~p) of "
        "true -> 'i:~s'(~s); false -> ~p:i(~p, Gen, Self, ~s) end;~n",
        [Old, places(Args, "_"), Gen, Row, New, lists:join(", ", ["Self" | Args]), Super, Old,
            places(Args, "[]")]).

root(F, Super) ->
    Above =
        case {F, Super} of
            {"i", nil} -> "bte_send:miss";
            {"c", nil} -> "'bt@stdlib@class':i";
            _ -> io_lib:format("~p:~s", [Super, F])
        end,
    io_lib:format("~s(S, Gen, Self, A1, A2, A3) -> ~s(S, Gen, Self, A1, A2, A3).~n", [F, Above]).

body({Side, S, Params, Text}) ->
    Prefix = case Side of instance -> "i"; class -> "c" end,
    io_lib:format("'~s:~s'(Self~s) -> ~s.~n", [Prefix, S, [[", ", P] || P <- Params], Text]).

blocks(Blocks) ->
    [
        [
            io_lib:format("b(~p, Env, ~s) -> ~s;~n", [Id, places(Params, "_"), Text])
         || {Id, Params, Text} <- Blocks
        ],
        "b(Id, _, _, _, _) -> bte_block:outdated(?MODULE, Id).\n"
    ].

told(What, Text) ->
    io_lib:format("c(~s, _, _, _, _, _) -> ~s;~n", [What, Text]).

defaults(What, Fields, Super) ->
    Own = lists:join(", ", [io_lib:format("~p => ~s", [F, V]) || {F, V} <- Fields]),
    told(What, io_lib:format("(~s)#{~s}", [above(What, Super), Own])).

above(_, nil) -> "#{}";
above(What, Super) -> io_lib:format("~p:c(~s, [], [], [], [], [])", [Super, What]).
