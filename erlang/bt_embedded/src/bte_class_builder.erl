%% @doc Classes made while a program runs: the primitives of `ClassBuilder'.
%%
%% A built class has a text like any other, so it is compiled, replaced, renamed and removed by the
%% one transaction there is. Its methods are stubs: each runs the block that was given for it, which
%% stands under a number of its own in a table that the application owns. A number is never used
%% again, so a text that a revert brings back finds its blocks. A builder that is never sent
%% `register' ends when many younger ones are there.
%% Tested by test/scripts/class_builder.btscript.
-module(bte_class_builder).

-export([create/0, new/1, register/1, run/3, value_at/2, is_stub/1]).

-define(TABLE, bte_class_builder).
-define(BUILDERS, bte_class_builder_open).
%% So many builders may be without their class.
-define(MOST, 1000).
-define(STUB, "ClassBuilder run: ").
-define(FOLDER, "$built/").

-type spec() :: #{atom() => term()}.

%% @doc Makes the tables; their owner is the calling process.
-spec create() -> ok.
create() ->
    ?BUILDERS = ets:new(?BUILDERS, [named_table, public, ordered_set]),
    ?TABLE = ets:new(?TABLE, [named_table, public, set, {read_concurrency, true}]),
    ok.

%% @doc Answers a builder of classes below a class.
-spec new({'$class', bte_registry:identity()}) -> bte_actor:actor().
new(Superclass) ->
    Builder = bte_actor:spawn('bt@stdlib@class_builder', #{superclassRef => Superclass}),
    true = ets:insert(?BUILDERS, {erlang:unique_integer([monotonic]), Builder}),
    ok = end_oldest(ets:info(?BUILDERS, size)),
    Builder.

end_oldest(Count) when Count =< ?MOST ->
    ok;
end_oldest(_) ->
    case ets:take(?BUILDERS, ets:first(?BUILDERS)) of
        [{_, Oldest}] -> bte_actor:kill(Oldest);
        [] -> ok
    end.

%% @doc Runs the block under a number.
-spec run(term(), term(), term()) -> term().
run(_, Number, [_ | Args] = All) ->
    case ets:lookup(?TABLE, Number) of
        [{_, receiver, Block}] -> bte_block:value(Block, All);
        [{_, plain, Block}] -> bte_block:value(Block, Args);
        [] -> missing(Number)
    end;
run(_, Number, _) ->
    missing(Number).

%% @doc Answers the value under a number.
-spec value_at(term(), term()) -> term().
value_at(_, Number) ->
    case ets:lookup(?TABLE, Number) of
        [{_, value, Value}] -> Value;
        _ -> missing(Number)
    end.

-spec missing(term()) -> no_return().
missing(Number) ->
    Message = [<<"no class was built with a block ">>, bte_view:print(Number)],
    bte_prim:raise(not_found, {'$class', 'bt@stdlib@class_builder'}, 'run:with:', Message, nil).

%% @doc Tells whether a method's text is that of a stub, which is nobody's source.
-spec is_stub(binary() | nil) -> boolean().
is_stub(nil) -> false;
is_stub(Source) -> binary:match(Source, <<" => ", ?STUB>>) =/= nomatch.

%% @doc Makes the class and ends the builder; in the builder's process.
-spec register(bte_actor:actor()) -> {'$class', bte_registry:identity()}.
register(Self) ->
    Spec = erlang:get('$state'),
    Name = class_name(Self, maps:get(className, Spec)),
    ok = free(Self, Name),
    Change = #{operation => load, units => [unit(Self, Name, Spec)], names => []},
    case bt_refactor:change(Change, #{log => false, asker => self()}) of
        {ok, _} ->
            true = ets:match_delete(?BUILDERS, {'_', Self}),
            ok = bte_actor:stop(Self),
            {ok, Identity} = bte_registry:lookup(Name, package()),
            {'$class', Identity};
        {error, Error} ->
            bte_prim_refactor:raise(Self, register, Error)
    end.

package() -> application:get_env(bt_embedded, package, <<"workspace">>).

unit(Self, Name, Spec) ->
    File = <<?FOLDER, Name/binary>>,
    Old =
        case bte_host:unit(File) of
            {ok, #{digest := Digest}} -> Digest;
            error -> absent
        end,
    #{
        file => File, text => text(Self, Name, Spec), package => package(), origin => prompt,
        names_only => false, old_digest => Old
    }.

%% A class with a text of its own is not overwritten.
free(Self, Name) ->
    case bte_registry:lookup(Name, package()) of
        {ok, Identity} -> built_before(Self, Name, bte_registry:class(Identity));
        error -> ok
    end.

built_before(Self, Name, {ok, #{file := File, line := Line}}) ->
    case File of
        <<?FOLDER, _/binary>> ->
            ok;
        _ ->
            Message = [
                <<"the class ">>, Name, <<" is there already (">>, File, $:,
                integer_to_binary(Line), $)
            ],
            Hint = <<"Choose another name, or remove the existing class first.">>,
            bte_prim:raise(class_already_exists, Self, register, Message, Hint)
    end;
built_before(_, _, error) ->
    ok.

class_name(Self, nil) ->
    bte_prim:argument_error(Self, register, <<"a class needs a name: send name: first">>);
class_name(Self, Symbol) ->
    named(Self, 'name:', {Symbol, "^[A-Z][A-Za-z0-9_]*$", <<"a class name">>}).

%% The text.

-spec text(bte_actor:actor(), binary(), spec()) -> binary().
text(Self, Name, Spec) ->
    {'$class', Above} = Super = superclass(Self, maps:get(superclassRef, Spec)),
    iolist_to_binary([
        <<"// Built while the workspace ran: the methods are blocks without a source.\n">>,
        [[modifier(Self, M), $\s] || M <- map_get(modifiers, Spec)],
        bte_view:print(Super), <<" subclass: ">>, Name, $\n,
        [field(Self, Above, F) || F <- pairs(Self, 'fields:', map_get(fieldSpecs, Spec))],
        [method(Self, <<>>, M) || M <- pairs(Self, 'methods:', map_get(methodSpecs, Spec))],
        [
            method(Self, <<"class ">>, M)
         || M <- pairs(Self, 'classMethods:', map_get(classMethodSpecs, Spec))
        ]
    ]).

superclass(_, {'$class', _} = Class) -> Class;
superclass(Self, Other) -> bte_prim:type_error(Self, 'superclass:', <<"Class">>, Other).

modifier(_, M) when M =:= abstract; M =:= sealed; M =:= typed; M =:= internal ->
    atom_to_binary(M);
modifier(Self, Other) ->
    Message = [bte_prim:quoted(Other), <<" is no modifier of a class">>],
    bte_prim:argument_error(Self, 'modifier:', Message).

pairs(_, _, Map) when is_map(Map), not is_map_key('$class', Map) -> lists:sort(maps:to_list(Map));
pairs(Self, Message, Other) -> bte_prim:type_error(Self, Message, <<"Dictionary">>, Other).

field(Self, Above, {Symbol, Default}) ->
    Name = named(Self, 'fields:', {Symbol, "^[a-z_][A-Za-z0-9_]*$", <<"a field name">>}),
    Word =
        case bte_meta:info(Above) of
            #{kind := actor} -> <<"state: ">>;
            _ -> <<"field: ">>
        end,
    Number = keep(value, Default),
    [<<"  ">>, Word, Name, <<" = ClassBuilder valueAt: ">>, integer_to_binary(Number), $\n].

method(Self, Side, {Symbol, Block}) ->
    Pattern = "^([A-Za-z_][A-Za-z0-9_]*|([A-Za-z_][A-Za-z0-9_]*:)+|[-+*/<>=~%&?,\\\\]+)$",
    Selector = named(Self, 'methods:', {Symbol, Pattern, <<"a selector">>}),
    Params = params(Selector),
    Number = keep(takes(Self, Symbol, {Block, length(Params)}), Block),
    [
        <<"  ">>, Side, header(Selector, Params), <<" => " ?STUB>>, integer_to_binary(Number),
        <<" with: #(">>, lists:join(<<", ">>, [<<"self">> | Params]), <<")\n">>
    ].

params(Selector) ->
    Count =
        case {binary:matches(Selector, <<":">>), re:run(Selector, "^[A-Za-z_]")} of
            {[], {match, _}} -> 0;
            {[], nomatch} -> 1;
            {Colons, _} -> length(Colons)
        end,
    [<<"a", (integer_to_binary(N))/binary>> || N <- lists:seq(1, Count)].

header(Selector, []) ->
    Selector;
header(Selector, Params) ->
    case binary:split(Selector, <<":">>, [global, trim]) of
        [Selector] -> [Selector, $\s, Params];
        Keywords -> lists:join($\s, [[K, ": ", P] || {K, P} <- lists:zip(Keywords, Params)])
    end.

%% Whether a block wants the receiver as well.
takes(Self, Selector, {Block, Count}) ->
    case bte_block:is_block(Block) andalso bte_block:arity(Block) of
        false -> bte_prim:type_error(Self, 'methods:', <<"Block">>, Block);
        Arity when Arity =:= Count + 1 -> receiver;
        Count -> plain;
        Arity -> wrong_arity(Self, Selector, {Arity, Count})
    end.

-spec wrong_arity(term(), atom(), {arity(), arity()}) -> no_return().
wrong_arity(Self, Selector, {Arity, Count}) ->
    Message = io_lib:format("the block for #~ts takes ~b arguments", [Selector, Arity]),
    Hint = io_lib:format("It is given the receiver and the ~b of the message.", [Count]),
    bte_prim:raise(
        arity_mismatch, Self, 'methods:', unicode:characters_to_binary(Message),
        iolist_to_binary(Hint)
    ).

named(Self, Message, {Symbol, Pattern, What}) when is_atom(Symbol) ->
    Name = atom_to_binary(Symbol),
    case re:run(Name, Pattern, [{capture, none}]) of
        match -> Name;
        nomatch -> bte_prim:argument_error(Self, Message, [Name, <<" is not ">>, What])
    end;
named(Self, Message, {Other, _, _}) ->
    bte_prim:type_error(Self, Message, <<"Symbol">>, Other).

keep(What, Value) ->
    Number = erlang:unique_integer([positive]),
    true = ets:insert(?TABLE, {Number, What, Value}),
    Number.
