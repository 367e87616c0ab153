%% @doc Orphans: bodies of blocks whose method has been changed or is gone. A block that was made
%% before goes on doing what it was made to do, so its body stays compiled in its class under its
%% own id, which is never used again. The number is bounded; the body of a dropped one raises
%% `block_outdated'.
%%
%% The former method is a unit like any other, without a file: `$orphans/Identity/Id', with its text
%% as an extension of the class. So the index finds what its blocks say, and a rename edits the text
%% as it edits all others. The bodies are then generated anew from the text, under their old ids,
%% in the context of their time: the superclass and the fields that the class had. That this gives
%% the bodies that are there is checked when a method becomes a former one; where it does not, or
%% where the method was not the project's, the unit is a `relic', which no rename touches.
%% Tested by `bte_orphans_SUITE' and `bte_compiler_SUITE'.
-module(bte_orphans).

-export([settle/4, add/2, write/4, remove/3, index_changes/3]).
-export_type([orphans/0, settled/0]).

%% A body is its clause of `b' and the local functions that it needs.
-type body() :: {Clause :: term(), [term()]}.
-type orphans() :: #{non_neg_integer() => body()}.
-type units() :: #{File :: binary() => Row :: map()}.
-type settled() :: #{orphans := orphans(), orphan_units := units()}.

-define(MAX, 100).
%% An extension's head.
-define(HEAD, "^([a-z0-9_]+@)?[A-Z][A-Za-z0-9_]*(\\s+class)?\\s*>>").
%% Words before a method's selector, and what is between them. One before an arrow is the selector.
-define(MODIFIERS,
    "^(?:(?:sealed|internal|class)(?:\\s|//[^\\n]*+\\n|/\\*.*?\\*/)++(?!=>|->))*+"
).

%% @doc Answers the orphans of a class that is generated again: those it has, compiled anew where
%% the change edits their text, and the blocks of its loaded code that the new ids do not hold any
%% more. `Forms' are those of the loaded code.
-spec settle(bte_registry:identity(), NewIds :: map(), Gen :: non_neg_integer(), #{
    before := bte_world:world(), world := bte_world:world(), forms := fun(() -> [term()])
}) -> settled().
settle(Identity, Ids, Gen, #{before := Before, world := World} = Context) ->
    case bte_world:read(Before, code, Identity) of
        error ->
            #{orphans => #{}, orphan_units => #{}};
        {ok, Code} ->
            {Kept, KeptUnits} = kept(Code, Gen, Context),
            {Lost, LostUnits} = lost(Identity, Code, Ids, Context),
            Orphans = bounded(maps:merge(Kept, Lost)),
            Name = name(Identity, World),
            Units = maps:map(
                fun(_, Row) -> marked(Row, Name) end,
                maps:filter(
                    fun(_, Row) -> has_any(Row, Orphans) end, maps:merge(KeptUnits, LostUnits)
                )
            ),
            #{orphans => Orphans, orphan_units => Units}
    end.

name(Identity, World) ->
    {ok, #{name := Name}} = bte_world:read(World, class, Identity),
    Name.

has_any(#{former := #{ids := Ids}}, Orphans) ->
    lists:any(fun(Id) -> is_map_key(Id, Orphans) end, Ids).

%% What it was, under the name that its class has now.
marked(#{patched := Patched} = Row, Name) ->
    Renamed = [{{Name, Side, S}, Source} || {{_, Side, S}, Source} <- maps:to_list(Patched)],
    Row#{patched := maps:from_list(Renamed)}.

bounded(Orphans) when map_size(Orphans) =< ?MAX ->
    Orphans;
bounded(Orphans) ->
    Newest = lists:sublist(lists:reverse(lists:sort(maps:keys(Orphans))), ?MAX),
    maps:with(Newest, Orphans).

%% Those the class has.

kept(#{orphans := Orphans, orphan_units := Files}, Gen, Context) ->
    lists:foldl(
        fun(File, {Bodies, Units}) ->
            {New, Row} = again(File, Orphans, Gen, Context),
            {maps:merge(Bodies, New), Units#{File => Row}}
        end,
        {Orphans, #{}},
        Files
    );
kept(_, _, _) ->
    {#{}, #{}}.

%% Bodies that stay the same but for names that compiled code does not hold are not compiled again.
again(File, Orphans, Gen, #{before := Before, world := World}) ->
    {ok, #{text := Old}} = bte_world:read(Before, unit, File),
    case bte_world:read(World, unit, File) of
        {ok, #{text := Old} = Row} ->
            {#{}, Row};
        {ok, #{former := #{ids := Ids, generation := Compiled} = Former} = Row} ->
            Mine = maps:with(Ids, Orphans),
            case is_same(generated(File, Row, Compiled, World), Mine) of
                true ->
                    {#{}, Row};
                false ->
                    New = generated(File, Row, Gen, World),
                    {maps:with(maps:keys(Mine), New), Row#{former := Former#{generation := Gen}}}
            end
    end.

%% Lines aside: those of the unit are not those of the former file.
is_same(Bodies, Others) ->
    without_lines(maps:with(maps:keys(Others), Bodies)) =:= without_lines(Others).

without_lines(Bodies) ->
    maps:map(
        fun(_, {Clause, Helpers}) ->
            [erl_parse:map_anno(fun(_) -> 0 end, Form) || Form <- [Clause | Helpers]]
        end,
        Bodies
    ).

generated(File, Row, Gen, World) ->
    case bte_codegen:former(File, Row, Gen, World) of
        {ok, Forms} -> bodies(maps:get(ids, maps:get(former, Row)), Forms);
        {error, Errors} -> throw({problems, Errors})
    end.

%% Those that become orphans.

lost(Identity, #{block_ids := #{methods := Old}} = Code, #{methods := New}, Context) ->
    Live = lists:append(maps:values(New)),
    case [{Key, Ids} || {Key, Ids} <- maps:to_list(Old), Ids -- Live =:= Ids, Ids =/= []] of
        [] ->
            {#{}, #{}};
        Lost ->
            #{before := Before, forms := Forms} = Context,
            Bodies = bodies(lists:append([Ids || {_, Ids} <- Lost]), Forms()),
            Methods = bte_codegen:methods(Identity, Before),
            Units = [
                unit(Identity, Ids, Method, {Code, Bodies, Before})
             || {{Side, Selector}, Ids} <- Lost,
                #{source := Source} = Method <- [maps:get(Selector, maps:get(Side, Methods), none)],
                is_binary(Source),
                lists:all(fun(Id) -> is_map_key(Id, Bodies) end, Ids)
            ],
            {Bodies, maps:from_list(Units)}
    end.

unit(Identity, Ids, Method, {#{generation := Gen, late := Late}, Bodies, Before}) ->
    #{side := Side, selector := Selector, source := Source, owner := Package} = Method,
    Name = name(Identity, Before),
    {Head, Body} = extension(Name, Side, Source),
    Text = iolist_to_binary([Head, Body, $\n]),
    {ok, Unit} = btr_nif:parse(Text),
    Row = #{
        text => Text,
        digest => btr_project:digest(Text),
        base_digest => absent,
        package => Package,
        origin => orphan,
        unit => Unit,
        outline => bte_packed:pack(btr_nif:outline(Unit)),
        patched => #{{Name, Side, Selector} => Source},
        born => born(Method, {iolist_size(Head), Body}, Before),
        former => #{
            identity => Identity,
            side => Side,
            selector => Selector,
            ids => Ids,
            generation => Gen,
            late => Late,
            context => bte_codegen:former_context(Identity, Before)
        }
    },
    File = file(Identity, hd(Ids)),
    case is_ours(Method, Before) andalso is_faithful(File, Row, maps:with(Ids, Bodies), Before) of
        true -> {File, Row};
        false -> {File, Row#{origin := relic}}
    end.

%% Where the text was copied from, and from which generation's: what was done to it there before may
%% be taken back here (`btr_revert').
born(#{file := File, span := {From, To}}, {At, Body}, World) ->
    {ok, #{text := Text}} = bte_world:read(World, unit, File),
    {Start, Length} = binary:match(Text, Body, [{scope, {From, To - From}}]),
    #{
        generation => bte_world:generation(World), file => File, start => Start,
        'end' => Start + Length, at => At
    }.

file(Identity, Id) ->
    <<"$orphans/", (atom_to_binary(Identity))/binary, $/, (integer_to_binary(Id))/binary>>.

is_ours(#{file := File}, World) ->
    case bte_world:read(World, unit, File) of
        {ok, #{origin := Origin}} -> lists:member(Origin, [project, prompt]);
        error -> false
    end.

is_faithful(File, #{former := #{generation := Gen}} = Row, Bodies, World) ->
    try
        is_same(generated(File, Row, Gen, World), Bodies)
    catch
        throw:{problems, _} -> false
    end.

%% The head of an extension and what follows it. The source of an extension has one. What modifies a
%% method of the class side is left out: one of the modifiers is `class', at any place among them.
extension(Name, Side, Source) ->
    case {re:run(Source, ?HEAD, [{capture, none}]), Side} of
        {match, _} -> {"", Source};
        {nomatch, instance} -> {[Name, " >> "], Source};
        {nomatch, class} -> {[Name, " class >> "], unmodified(Source)}
    end.

unmodified(Source) ->
    {match, [{0, Length}]} = re:run(Source, ?MODIFIERS, [{capture, first}, dotall]),
    binary:part(Source, Length, byte_size(Source) - Length).

%% Bodies.

bodies(Lost, Forms) ->
    Functions = maps:from_list([{{F, A}, Form} || {function, _, F, A, _} = Form <- Forms]),
    maps:from_list([
        {Id, body(Id, Clause, Functions)}
     || {function, _, b, _, Clauses} <- Forms,
        {clause, _, [{integer, _, Id} | _], _, _} = Clause <- Clauses, lists:member(Id, Lost)
    ]).

%% Local functions get names of their own: the method may come back with others of theirs.
body(Id, Clause, Functions) ->
    Needed = reachable([Clause], Functions, #{}),
    Names = maps:map(fun({F, _}, _) -> own_name(Id, F) end, Needed),
    Helpers = [
        {function, Line, map_get(Key, Names), A, renamed(Clauses, Names)}
     || {{_, A} = Key, {function, Line, _, _, Clauses}} <- lists:sort(maps:to_list(Needed))
    ],
    {renamed(Clause, Names), Helpers}.

own_name(Id, Function) ->
    binary_to_atom(<<"o:", (integer_to_binary(Id))/binary, $:, (short(Function))/binary>>).

%% An atom holds 255 characters at most.
short(Function) ->
    Text = atom_to_binary(Function),
    case string:length(Text) > 200 of
        true -> <<(string:slice(Text, 0, 150))/binary, (btr_project:digest(Text))/binary>>;
        false -> Text
    end.

reachable([], _, Found) ->
    Found;
reachable([Term | Terms], Functions, Found) ->
    New = [K || K <- calls(Term), is_map_key(K, Functions), not is_map_key(K, Found)],
    More = maps:with(New, Functions),
    reachable(maps:values(More) ++ Terms, Functions, maps:merge(Found, More)).

calls({call, _, {atom, _, F}, Args}) -> [{F, length(Args)} | calls(Args)];
calls(Term) when is_tuple(Term) -> calls(tuple_to_list(Term));
calls([Head | Tail]) -> calls(Head) ++ calls(Tail);
calls(_) -> [].

renamed({call, Line, {atom, At, F}, Args}, Names) ->
    Name = maps:get({F, length(Args)}, Names, F),
    {call, Line, {atom, At, Name}, renamed(Args, Names)};
renamed(Term, Names) when is_tuple(Term) ->
    list_to_tuple(renamed(tuple_to_list(Term), Names));
renamed([Head | Tail], Names) ->
    [renamed(Head, Names) | renamed(Tail, Names)];
renamed(Term, _) ->
    Term.

%% @doc Puts orphans into the forms of their class, before the last clause of the block function.
-spec add(orphans(), [term()]) -> [term()].
add(Orphans, Forms) when map_size(Orphans) =:= 0 ->
    Forms;
add(Orphans, Forms) ->
    Bodies = [Body || {_, Body} <- lists:sort(maps:to_list(Orphans))],
    Helpers = lists:append([H || {_, H} <- Bodies]),
    {Functions, Rest} = lists:splitwith(fun(Form) -> element(1, Form) =/= eof end, Forms),
    Added = [Clause || {Clause, _} <- Bodies],
    [with_clauses(Form, Added) || Form <- Functions] ++ Helpers ++ Rest.

with_clauses({function, Line, b, A, Clauses}, Added) ->
    {First, [Last]} = lists:split(length(Clauses) - 1, Clauses),
    {function, Line, b, A, First ++ Added ++ [Last]};
with_clauses(Form, _) ->
    Form.

%% Rows.

%% @doc Writes the units of a class's orphans to a world, in place of those it had.
-spec write(bte_registry:identity(), units(), Before :: bte_world:world(), bte_world:world()) ->
    bte_world:world().
write(Identity, Units, Before, World) ->
    Gone = files(Identity, Before) -- maps:keys(Units),
    Left = lists:foldl(fun(File, W) -> bte_world:delete(W, unit, File) end, World, Gone),
    maps:fold(fun write_row/3, Left, Units).

write_row(File, Row, World) ->
    case bte_world:read(World, unit, File) of
        {ok, Row} -> World;
        _ -> bte_world:write(World, unit, File, Row)
    end.

%% @doc Takes the units of a removed class's orphans out of a world.
-spec remove(bte_registry:identity(), Before :: bte_world:world(), bte_world:world()) ->
    bte_world:world().
remove(Identity, Before, World) ->
    write(Identity, #{}, Before, World).

files(Identity, World) ->
    case bte_world:read(World, code, Identity) of
        {ok, Code} -> maps:get(orphan_units, Code, []);
        error -> []
    end.

%% @doc Answers what changes in the index for the orphans of a class.
-spec index_changes(bte_registry:identity(), Before :: bte_world:world(), bte_world:world()) ->
    [tuple()].
index_changes(Identity, Before, World) ->
    lists:append([
        index_change(File, bte_world:read(Before, unit, File), bte_world:read(World, unit, File))
     || File <- lists:umerge(files(Identity, Before), files(Identity, World))
    ]).

index_change(_, {ok, #{text := T, patched := P}}, {ok, #{text := T, patched := P}}) -> [];
index_change(File, _, {ok, Row}) -> [bte_rebase:index_change(File, Row)];
index_change(File, _, error) -> [{delete, File}].
