%% @doc Definitions typed at a prompt: classes, protocols and aliases become units of their own (or
%% take the place of the definition they replace), a method definition is a live patch. Each goes
%% through the coordinator's transaction.
-module(bte_prompt_definitions).

-export([define/2]).

%% @doc Carries out the definitions of an input. Answers the value to show (`nil' without any) and
%% the notes of the changes. Throws the error of the first that is refused.
-spec define(#{text := binary(), unit := term(), outline := map()}, map()) ->
    {term(), [bte_prompt:note()]}.
define(#{outline := Outline} = Input, Session) ->
    #{classes := Classes, protocols := Protocols, aliases := Aliases} = Outline,
    Kinds = [{class, Classes}, {protocol, Protocols}, {alias, Aliases}],
    Named = Classes ++ Protocols ++ Aliases,
    Units = [unit(Kind, Item, Input, Session) || {Kind, Items} <- Kinds, Item <- Items],
    {Value0, Notes0} = named(Units, Named, Session),
    lists:foldl(
        fun(Method, {_, Notes}) ->
            {Value, Note} = patch(Method, Input, Session),
            {Value, Notes ++ [Note]}
        end,
        {Value0, Notes0},
        maps:get(extensions, Outline)
    ).

named([], _, _) ->
    {nil, []};
named(Units, Named, #{package := Package}) ->
    Change = #{operation => load, units => Units, names => []},
    Entry = done(bt_refactor:change(Change, #{log => false})),
    #{name := Name} = lists:last(Named),
    Value =
        case bte_registry:lookup(Name, Package) of
            {ok, Identity} -> {'$class', Identity};
            error -> binary_to_atom(Name)
        end,
    {Value, [#{kind => change, entry => Entry}]}.

unit(Kind, #{name := Name, span := Span} = Item, #{text := Text}, #{package := Package}) ->
    New = documented(Item, slice(Text, Span)),
    case existing(Kind, Name, Package) of
        {ok, File, Old} -> replacement(File, Old, {Name, New});
        error -> new_unit(Name, New, Package)
    end.

%% A definition replaces one of its own kind; a name that something else bears is taken.
existing(Kind, Name, Package) ->
    Found = [
        {K, F}
     || {ok, Bearers} <- [bte_registry:read(name, Name)],
        {K, P, Where} <- Bearers,
        P =:= Package,
        {ok, F} <- [file_of(K, Where)]
    ],
    case Found of
        [{Kind, File} | _] ->
            {ok, Row} = bte_registry:read(unit, File),
            {ok, File, Row};
        [{Other, _} | _] ->
            throw(taken(Kind, Name, Other));
        [] ->
            error
    end.

taken(Kind, Name, Other) ->
    Message = [
        <<"the name ">>, Name, <<" is taken by the ">>, atom_to_binary(Other),
        <<" of that name: it cannot be defined as a ">>, atom_to_binary(Kind)
    ],
    btr_error:new(<<"name.taken">>, Message, #{hint => <<"Choose another name.">>}).

file_of(vacant, _) -> error;
file_of(class, Identity) ->
    case bte_registry:class(Identity) of
        {ok, #{file := File}} -> {ok, File};
        error -> error
    end;
file_of(_, File) -> {ok, File}.

%% The definition takes the place of the one it replaces; the rest of the file stays.
replacement(File, #{text := Text, digest := Digest} = Row, {Name, New}) ->
    #{classes := Classes, protocols := Protocols, aliases := Aliases} = bte_packed:outline(Row),
    Items = Classes ++ Protocols ++ Aliases,
    [{Start, End} | _] = [S || #{name := N, span := S} <- Items, N =:= Name],
    <<Before:Start/binary, _:(End - Start)/binary, After/binary>> = Text,
    (maps:with([package, origin], Row))#{
        file => File,
        text => <<Before/binary, New/binary, After/binary>>,
        names_only => false,
        old_digest => Digest
    }.

new_unit(Name, New, Package) ->
    #{
        file => <<"$prompt/", Name/binary>>,
        text => <<New/binary, "\n">>,
        package => Package,
        origin => prompt,
        names_only => false,
        old_digest => absent
    }.

patch(#{target := Target, side := Side, selector := Selector} = Method, #{text := Text}, _) ->
    Request = #{
        operation => patch_method, class => Target, side => Side, source => source(Method, Text)
    },
    Entry = done(bt_refactor:perform(Request)),
    ok = bte_autoflush:after_change(),
    {method_name(Target, Side, Selector), #{kind => change, entry => Entry}}.

method_name(Target, instance, Selector) -> <<Target/binary, ">>", Selector/binary>>;
method_name(Target, class, Selector) -> <<Target/binary, " class>>", Selector/binary>>.

%% The definition without its target: from the selector to the end, with what stands above it.
source(#{span := {_, End}, name_spans := [{Start, _} | _]} = Method, Text) ->
    documented(Method, slice(Text, {Start, End})).

documented(#{doc := Doc}, Text) when is_binary(Doc) -> doc_lines(Doc, Text);
documented(_, Text) -> Text.

doc_lines(Doc, Body) ->
    Lines = [[<<"/// ">>, Line, $\n] || Line <- binary:split(Doc, <<"\n">>, [global])],
    iolist_to_binary([Lines, Body]).

slice(Text, {Start, End}) ->
    string:trim(binary:part(Text, Start, End - Start), trailing).

done({ok, Entry}) -> Entry;
done({error, Error}) -> throw(Error).
