%% @doc Orphans: bodies of blocks whose method has been changed or is gone. A block that was made
%% before goes on doing what it was made to do, so its body stays compiled in its class under its
%% own id, which is never used again. The number is bounded; the body of a dropped one raises
%% `block_outdated'. What an orphan sends it sends under the names of its time; the index knows it
%% by the text of its former method.
%% Tested by `bte_compiler_SUITE'.
-module(bte_orphans).

-export([collect/3, add/2, sources/4, index_change/3]).
-export_type([orphans/0, sources/0]).

%% A body is its clause of `b' and the local functions that it needs.
-type orphans() :: #{non_neg_integer() => {Clause :: term(), [term()]}}.

%% The method that an orphan was a block of, as it was.
-type sources() :: #{non_neg_integer() => {instance | class, Selector :: binary(), binary()}}.

-define(MAX, 100).

%% @doc Answers the orphans of a class that is compiled again: those it has, and the blocks of its
%% loaded code that the new ids do not hold any more.
-spec collect(Code :: {ok, map()} | error, NewIds :: map(), LoadedForms :: fun(() -> [term()])) ->
    orphans().
collect(error, _, _) ->
    #{};
collect({ok, #{block_ids := #{methods := Old}} = Code}, #{methods := New}, LoadedForms) ->
    Kept = maps:get(orphans, Code, #{}),
    case lists:append(maps:values(Old)) -- lists:append(maps:values(New)) of
        [] -> Kept;
        Lost -> bounded(maps:merge(Kept, bodies(Lost, LoadedForms())))
    end.

%% @doc Answers the former methods of orphans, given the methods of before.
-spec sources(Code :: {ok, map()} | error, map(), #{instance | class => map()}, orphans()) ->
    sources().
sources(error, _, _, _) ->
    #{};
sources({ok, #{block_ids := #{methods := Old}} = Code}, #{methods := New}, Methods, Orphans) ->
    Live = lists:append(maps:values(New)),
    Lost = maps:from_list([
        {Id, {Side, Selector, Source}}
     || {{Side, Selector}, Ids} <- maps:to_list(Old),
        #{source := Source} <- [maps:get(Selector, maps:get(Side, Methods), none)],
        is_binary(Source),
        Id <- Ids -- Live
    ]),
    maps:with(maps:keys(Orphans), maps:merge(maps:get(orphan_sources, Code, #{}), Lost)).

%% @doc Answers how the orphans of a class stand in the index: as extensions of which only the
%% blocks count. Nothing for a class that has none and had none.
-spec index_change(bte_registry:identity(), {Name :: binary(), Package :: binary()}, {
    Before :: sources(), Now :: sources()
}) -> [tuple()].
index_change(_, _, {Before, Now}) when map_size(Before) =:= 0, map_size(Now) =:= 0 ->
    [];
index_change(Identity, _, {_, Now}) when map_size(Now) =:= 0 ->
    [{delete, file(Identity)}];
index_change(Identity, {Name, Package}, {_, Now}) ->
    Texts = [[extension(Name, Method), $\n] || Method <- lists:usort(maps:values(Now))],
    {ok, Unit} = btr_nif:parse(iolist_to_binary(Texts)),
    [{put, file(Identity), Unit, #{package => Package, origin => orphan}}].

file(Identity) -> <<"$orphans/", (atom_to_binary(Identity))/binary>>.

%% The source of an extension has its head, that of a method of the class side its modifier.
extension(Name, {Side, _, Source}) ->
    case {re:run(Source, "^[A-Za-z0-9_@]+( +class)? *>> ", [{capture, none}]), Side, Source} of
        {match, _, _} -> Source;
        {_, instance, _} -> [Name, " >> ", Source];
        {_, class, <<"class ", Method/binary>>} -> [Name, " class >> ", Method];
        {_, class, _} -> [Name, " class >> ", Source]
    end.

bounded(Orphans) when map_size(Orphans) =< ?MAX ->
    Orphans;
bounded(Orphans) ->
    Newest = lists:sublist(lists:reverse(lists:sort(maps:keys(Orphans))), ?MAX),
    maps:with(Newest, Orphans).

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
