%%% @doc Entries as lines of `changes.jsonl' and back. Pure, but for the JSON codec of the NIF.
%%%
%%% A line is one compact JSON object with the keys of the existing workspace (`sourceFile' beside
%%% `source_ref', as there). Bodies live in files of their own; a line holds their names and
%%% digests. Keys and kinds that this version does not know survive a rewrite: the decoded object is
%%% kept under `raw'. No atom is made from a line. Tested by btr_changelog_SUITE.
-module(btr_changelog_codec).

-export([encode/1, decode/1, bodies/1]).

-define(KINDS, [
    instance, class, 'new-class', 'remove-method', 'remove-class', 'rename-class', 'rename-method'
]).

%% @doc Answers the files of bodies an entry has: name and text.
-spec bodies(map()) -> [{binary(), binary()}].
bodies(#{seq := Seq, sites := Sites} = Entry) ->
    Own = [{source, name(Seq, <<"source">>)}, {prev_source, name(Seq, <<"prev">>)}],
    body_files(Own, Entry) ++
        lists:append([site_bodies(Seq, N, Site) || {N, Site} <- numbered(Sites)]).

site_bodies(Seq, N, Site) ->
    body_files(
        [{source, site_name(Seq, N, <<"source">>)}, {prev_source, site_name(Seq, N, <<"prev">>)}],
            Site
    ).

body_files(Keys, Map) ->
    [{Name, Text} || {Key, Name} <- Keys, Text <- [maps:get(Key, Map, nil)], is_binary(Text)].

name(Seq, What) ->
    iolist_to_binary([io_lib:format("~6..0b", [Seq]), $-, What, <<".bt">>]).

site_name(Seq, N, What) ->
    name(Seq, iolist_to_binary([<<"site-">>, io_lib:format("~2..0b", [N]), $-, What])).

numbered(List) ->
    lists:zip(lists:seq(0, length(List) - 1), List).

%% @doc Encodes an entry as one line, without the newline.
-spec encode(map()) -> binary().
encode(#{seq := Seq, sites := Sites} = Entry) ->
    Raw = maps:get(raw, Entry, #{}),
    {Source, SourceDigest} = ref(source, Entry, name(Seq, <<"source">>)),
    {Prev, PrevDigest} = ref(prev_source, Entry, name(Seq, <<"prev">>)),
    Known = plain(Entry, [
        ts, seq, epoch, class, selector, side, span, intent, flushable, not_flushable_reason,
            author,
        author_kind, flushed, reverted, old_class, old_selector, old_path, new_path, group, summary
    ]),
    Line = maps:merge(Raw, Known#{
        <<"kind">> => kind_text(Entry),
        <<"sourceFile">> => maps:get(source_file, Entry, nil),
        <<"source_ref">> => Source, <<"source_digest">> => SourceDigest,
        <<"prev_source_ref">> => Prev, <<"prev_source_digest">> => PrevDigest,
        <<"sites">> => [site(Seq, N, Site) || {N, Site} <- numbered(Sites)],
        <<"candidate_sites">> => [candidate(C) || C <- maps:get(candidate_sites, Entry, [])]
    }),
    iolist_to_binary(btr_nif:json_encode(Line)).

%% A kind this version does not know keeps its own text.
kind_text(#{kind := unknown, raw := #{<<"kind">> := Kind}}) -> Kind;
kind_text(#{kind := Kind}) -> atom_to_binary(Kind).

plain(Map, Keys) ->
    maps:from_list([{atom_to_binary(K), json(maps:get(K, Map, nil))} || K <- Keys]).

json(nil) -> nil;
json(Atom) when is_atom(Atom), not is_boolean(Atom) -> atom_to_binary(Atom);
json(Map) when is_map(Map) -> maps:map(fun(_, V) -> json(V) end, Map);
json(List) when is_list(List) -> [json(V) || V <- List];
json(Other) -> Other.

ref(Key, Map, Name) ->
    case maps:get(Key, Map, nil) of
        nil -> {nil, nil};
        {ref, Known, Digest} -> {Known, Digest};
        Text when is_binary(Text) -> {Name, btr_change:digest(Text)}
    end.

site(Seq, N, Site) ->
    {Source, SourceDigest} = ref(source, Site, site_name(Seq, N, <<"source">>)),
    {Prev, PrevDigest} = ref(prev_source, Site, site_name(Seq, N, <<"prev">>)),
    (plain(Site, [kind, class, selector, side, span, spans]))#{
        <<"sourceFile">> => maps:get(file, Site, nil),
        <<"source_ref">> => Source, <<"source_digest">> => SourceDigest,
        <<"prev_source_ref">> => Prev, <<"prev_source_digest">> => PrevDigest
    }.

candidate(#{file := File, spans := Spans} = Site) ->
    Span = #{start => maps:get(start, Site, nil), 'end' => maps:get('end', Site, nil)},
    (plain(Site, [line, col, kind, owner, evidence, because, old, new]))#{
        <<"sourceFile">> => File, <<"span">> => json(Span), <<"spans">> => json(Spans)
    }.

%% @doc Decodes a line.
-spec decode(binary()) -> {ok, map()} | {error, malformed}.
decode(Line) ->
    case btr_nif:json_decode(Line) of
        {ok, #{<<"seq">> := Seq, <<"epoch">> := Epoch, <<"kind">> := Kind} = Raw} when
            is_integer(Seq), is_integer(Epoch), is_binary(Kind)
        ->
            {ok, entry(Raw)};
        _ ->
            {error, malformed}
    end.

entry(Raw) ->
    Get = fun(Key) -> null_to_nil(maps:get(Key, Raw, nil)) end,
    Kind = atom(Get(<<"kind">>), ?KINDS, unknown),
    #{
        raw => Raw, seq => Get(<<"seq">>), epoch => Get(<<"epoch">>), ts => Get(<<"ts">>),
        kind => Kind, class => Get(<<"class">>), selector => Get(<<"selector">>),
        side => side(Kind, Get(<<"side">>)), source_file => Get(<<"sourceFile">>),
        source => as_ref(Raw, <<"source_ref">>, <<"source_digest">>),
        prev_source => as_ref(Raw, <<"prev_source_ref">>, <<"prev_source_digest">>),
        span => span(Get(<<"span">>)),
        intent => atom(Get(<<"intent">>), [durable, ephemeral], durable),
        flushable => Get(<<"flushable">>) =:= true,
        not_flushable_reason => Get(<<"not_flushable_reason">>),
        author => Get(<<"author">>),
        author_kind => atom(Get(<<"author_kind">>), [human, agent], human),
        flushed => Get(<<"flushed">>) =:= true, reverted => Get(<<"reverted">>) =:= true,
        old_class => Get(<<"old_class">>), old_selector => Get(<<"old_selector">>),
        old_path => Get(<<"old_path">>), new_path => Get(<<"new_path">>),
        group => group(Get(<<"group">>), Get(<<"seq">>)),
        summary => counts(Get(<<"summary">>)),
        sites => [decoded_site(S) || S <- list(Get(<<"sites">>)), is_map(S)],
        candidate_sites => [decoded_candidate(S) || S <- list(Get(<<"candidate_sites">>)),
            is_map(S)]
    }.

%% For the two patch kinds the kind is the side.
side(instance, _) -> instance;
side(class, _) -> class;
side(_, Side) -> atom(Side, [instance, class], nil).

group(nil, Seq) -> Seq;
group(Group, _) -> Group.

decoded_site(Raw) ->
    Get = fun(Key) -> null_to_nil(maps:get(Key, Raw, nil)) end,
    #{
        file => Get(<<"sourceFile">>), kind => atom(Get(<<"kind">>), [method, header], header),
        class => Get(<<"class">>), selector => Get(<<"selector">>),
        side => atom(Get(<<"side">>), [instance, class], nil), span => span(Get(<<"span">>)),
        source => as_ref(Raw, <<"source_ref">>, <<"source_digest">>),
        prev_source => as_ref(Raw, <<"prev_source_ref">>, <<"prev_source_digest">>),
        spans => [decoded_span(S) || S <- list(Get(<<"spans">>)), is_map(S)]
    }.

decoded_candidate(Raw) ->
    Get = fun(Key) -> null_to_nil(maps:get(Key, Raw, nil)) end,
    Span = span(Get(<<"span">>)),
    #{
        file => Get(<<"sourceFile">>), span => Span, line => Get(<<"line">>), col => Get(<<"col">>),
        owner => Get(<<"owner">>), because => Get(<<"because">>),
        evidence => atom(Get(<<"evidence">>), [certain, possible, symbol, doc], possible),
        spans => [decoded_span(S) || S <- list(Get(<<"spans">>)), is_map(S)]
    }.

decoded_span(Raw) ->
    Get = fun(Key) -> null_to_nil(maps:get(Key, Raw, nil)) end,
    #{
        start => Get(<<"start">>), 'end' => Get(<<"end">>), old => Get(<<"old">>),
        new => Get(<<"new">>)
    }.

as_ref(Raw, RefKey, DigestKey) ->
    case null_to_nil(maps:get(RefKey, Raw, nil)) of
        nil -> nil;
        Name -> {ref, Name, null_to_nil(maps:get(DigestKey, Raw, nil))}
    end.

span(#{<<"start">> := Start, <<"end">> := End}) when is_integer(Start), is_integer(End) ->
    #{start => Start, 'end' => End};
span(_) ->
    nil.

counts(Raw) when is_map(Raw) ->
    #{
        sites => maps:get(<<"sites">>, Raw, 0), files => maps:get(<<"files">>, Raw, 0),
        candidates => maps:get(<<"candidates">>, Raw, 0),
        mentions => maps:get(<<"mentions">>, Raw, 0)
    };
counts(_) ->
    #{sites => 0, files => 0, candidates => 0, mentions => 0}.

list(List) when is_list(List) -> List;
list(_) -> [].

null_to_nil(null) -> nil;
null_to_nil(Value) -> Value.

atom(Text, Known, Default) when is_binary(Text) ->
    case [Atom || Atom <- Known, atom_to_binary(Atom) =:= Text] of
        [Atom] -> Atom;
        [] -> Default
    end;
atom(_, _, Default) ->
    Default.
