%% @doc The index as seen from Erlang, against the way it is done today: an ETS bag of maps keyed by
%% selector, filtered by a map of the classes' generations that is read twice a query.
-module(bench_index).

-export([rows/0]).

%% As `bt_refactor' asks.
-define(PAGE, 700).

%% @doc Rows for each size.
-spec rows() -> [bench:row()].
rows() ->
    lists:append([rows(Sites) || Sites <- sizes()]) ++ [memory_of_names(100000)] ++
        bench_closure:rows() ++ bench_load:rows().

sizes() ->
    case bench:is_quick() of
        true -> [10000, 100000];
        false -> [10000, 100000, 1000000]
    end.

rows(Sites) ->
    bench:progress("index of ~b sends", [Sites]),
    Files = bench_world:senders(Sites),
    {LoadTime, Units} = bench_clock:once(fun() -> parse(Files) end),
    {StageTime, Index} = bench_clock:once(fun() -> index(Units) end),
    {FillTime, Today} = bench_clock:once(fun() -> today(Files) end),
    Cold = bench_world:cold(),
    Size = io_lib:format("~b sends", [Sites]),
    Bytes = lists:sum([byte_size(Text) || {_, Text} <- Files]),
    Rows = [
        bench:row("parse all, one core", Size, {Bytes * 1000 / LoadTime, mb_s}, none),
        (bench:row("index all", Size, {StageTime, ns}, none))#{
            reference := {"ETS", {FillTime, ns}}
        },
        against("count senders, absent", Size, count(Index, bench_world:absent()),
            Today, bench_world:absent(), few()),
        against("senders, cold", Size, page(Index, Cold), Today, Cold, few()),
        against("count senders, hot", Size, count(Index, bench_world:hot()),
            Today, bench_world:hot(), few()),
        against("senders, hot, first page", Size, page(Index, bench_world:hot()),
            Today, bench_world:hot(), none),
        against("senders, hot, all pages", Size, pages(Index, bench_world:hot()),
            Today, bench_world:hot(), hot_target(Sites)),
        memory("memory a site", Size, Index, Sites),
        replace(Size, Index, hd(Files), Today)
    ],
    delete(Today),
    Rows.

hot_target(Sites) when Sites >= 1000000 -> {times_reference, 1 / 10};
hot_target(Sites) when Sites >= 100000 -> {times_reference, 1 / 5};
hot_target(_) -> none.

few() -> {at_most, 5000, ns}.

against(What, Size, Query, Today, Selector, Target) ->
    Ours = bench_clock:apart(Query, 200),
    Atom = binary_to_atom(Selector),
    Theirs = bench_clock:apart(fun() -> today_senders(Today, Atom) end, 200),
    (bench:row(What, Size, {Ours, ns}, Target))#{reference := {"ETS", {Theirs, ns}}}.

count(Index, Selector) -> fun() -> btr_nif:count_senders(Index, Selector) end.

page(Index, Selector) -> fun() -> {_, _} = btr_nif:senders_page(Index, Selector, 0, ?PAGE) end.

pages(Index, Selector) -> fun() -> pages(Index, Selector, 0) end.

pages(Index, Selector, Offset) ->
    case btr_nif:senders_page(Index, Selector, Offset, ?PAGE) of
        {Total, _} when Offset + ?PAGE >= Total -> Total;
        {_, _} -> pages(Index, Selector, Offset + ?PAGE)
    end.

memory(What, Size, Index, Sites) ->
    bench:row(What, Size, {btr_nif:index_memory(Index) / Sites, bytes}, {at_most, 64, bytes}).

%% Where each method has a name of its own.
memory_of_names(Sites) ->
    Index = index(parse(bench_world:senders(Sites, unique))),
    Size = io_lib:format("~b sends", [Sites]),
    memory("memory a site, all methods named apart", Size, Index, Sites).

%% One unit of 220 lines in place of itself with other sends, made visible.
replace(Size, Index, {File, Text}, Today) ->
    Long = doubled(Text),
    Texts = {Long, binary:replace(Long, <<"x hot">>, <<"x cold">>, [global])},
    Turn = counters:new(1, []),
    Generation = btr_nif:index_generation(Index),
    Next = fun() ->
        ok = counters:add(Turn, 1, 1),
        counters:get(Turn, 1)
    end,
    Ours = bench_clock:apart(
        fun() ->
            N = Next(),
            {ok, Unit} = btr_nif:parse(element(N rem 2 + 1, Texts)),
            ok = btr_nif:index_stage(Index, Generation + N, [put_unit(File, Unit)]),
            ok = btr_nif:index_publish(Index, Generation + N)
        end,
        200
    ),
    Sends = {[binary_to_atom(S) || {_, S} <- bench_world:sends([{File, Long}])], [cold]},
    Theirs = bench_clock:apart(
        fun() -> today_replace(Today, 1, element(Next() rem 2 + 1, Sends)) end, 200
    ),
    Row = bench:row("replace a unit of 220 lines", Size, {Ours, ns}, {at_most, 2000000, ns}),
    Row#{reference := {"ETS", {Theirs, ns}}}.

%% With each method twice.
doubled(Text) ->
    [_, Methods] = binary:split(Text, <<"\n">>),
    <<Text/binary, (binary:replace(Methods, <<"  m">>, <<"  n">>, [global]))/binary>>.

parse(Files) ->
    [
        {File, Unit}
     || {File, Text} <- Files,
        {ok, Unit} <- [btr_nif:parse(Text)]
    ].

index(Units) ->
    Index = btr_nif:index_new(),
    ok = btr_nif:index_stage(Index, 1, [put_unit(File, Unit) || {File, Unit} <- Units]),
    ok = btr_nif:index_publish(Index, 1),
    Index.

put_unit(File, Unit) -> {put, File, Unit, #{package => <<"bench">>, origin => project}}.

%% Today's way (workspace.md, sections 8.1 and 8.2): selectors are atoms; a row has the eight fields
%% of a site, which takes the 224 bytes that issue 4 tells of; generations are a set with a row for
%% each class, of which a reader makes a map before and after. (That is most of the 0.21 and 3.6 ms
%% that the issue tells of a cold selector among 1,000 and 10,000 classes: one map as one row would
%% be read in a tenth of it.)

today(Files) ->
    Rows = ets:new(today, [duplicate_bag, public, {read_concurrency, true}]),
    Generations = ets:new(generations, [set, public, {read_concurrency, true}]),
    Sends = bench_world:sends(Files),
    true = ets:insert(Generations, lists:usort([{N, 1} || {N, _} <- Sends])),
    lists:foreach(
        fun({N, Selector}) ->
            true = ets:insert(Rows, {binary_to_atom(Selector), today_row(N, 1)})
        end,
        Sends
    ),
    {Rows, Generations}.

today_row(Class, Generation) ->
    #{
        owner => Class, class_side => false, method => m1, line => 1, recv_kind => other,
        target_module => undefined, recv_type => dynamic, gen => Generation
    }.

today_replace({Rows, Generations}, Class, Sends) ->
    Next = ets:lookup_element(Generations, Class, 2) + 1,
    true = ets:match_delete(Rows, {'_', #{owner => Class}}),
    true = ets:insert(Rows, [{Selector, today_row(Class, Next)} || Selector <- Sends]),
    true = ets:insert(Generations, {Class, Next}).

today_senders({Rows, Generations} = Today, Selector) ->
    Before = maps:from_list(ets:tab2list(Generations)),
    Found = [
        Row
     || {_, #{owner := Class, gen := G} = Row} <- ets:lookup(Rows, Selector),
        map_get(Class, Before) =:= G
    ],
    case maps:from_list(ets:tab2list(Generations)) of
        Before -> Found;
        _ -> today_senders(Today, Selector)
    end.

delete({Rows, Generations}) ->
    true = ets:delete(Rows),
    true = ets:delete(Generations).
