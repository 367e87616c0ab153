%%% @doc Plans as the native planner makes them: asking for one, and reading it.
-module(btr_plan).

-export([make/2, plan/2, allowable/0, scratch/1, outline/1, generation/1, operation/1, files/1]).
-export_type([planner/0, scratch/0]).

-type planner() :: fun((term(), map()) -> {ok, map()} | {error, btr_error:error()}).
-type scratch() :: fun((#{btr_host:file() => btr_host:unit()}) -> term()).

%% @doc Plans a request, or a list of requests as a group, on the image of a host.
-spec make(map() | [map()], #{
    host := module(), planner := planner(), scratch := scratch(), _ => _
}) -> {ok, map()} | {error, btr_error:error()}.
make(Requests, #{host := Host, planner := Planner, scratch := Scratch}) when is_list(Requests) ->
    btr_group:plan(Requests, #{
        generation => Host:generation(), units => Host:units(), planner => Planner,
        scratch => Scratch
    });
make(#{operation := move_class} = Request, #{host := Host}) ->
    Generation = Host:generation(),
    case btr_move:plan(Request, Host) of
        {ok, Plan} -> {ok, Plan#{generation => Generation}};
        {error, _} = Error -> Error
    end;
make(Request, #{host := Host, planner := Planner}) ->
    %% Taken before the index is read: a plan never claims a generation newer than its image.
    Generation = Host:generation(),
    case Planner(Host:index(), Request) of
        {ok, Plan} -> {ok, Plan#{generation => Generation}};
        {error, _} = Error -> Error
    end.

%% @doc Makes an index of its own over units.
-spec scratch(#{btr_host:file() => btr_host:unit()}) -> term().
scratch(Units) ->
    Index = btr_nif:index_new(),
    Puts = [
        {put, File, parsed(File, Text), #{
            package => Package, origin => Origin, patched => maps:get(patched, Unit, [])
        }}
     || {File, #{text := Text, package := Package, origin := Origin} = Unit} <- maps:to_list(Units)
    ],
    ok = btr_nif:index_stage(Index, 1, Puts),
    ok = btr_nif:index_publish(Index, 1),
    Index.

parsed(File, Text) ->
    {ok, Unit} = btr_nif:parse_file(File, Text),
    Unit.

%% @doc Plans a request on an index. Pure. What the request's `allow' names, by code or by kind, is
%% a warning instead of a refusal, where that is possible.
-spec plan(term(), map()) -> {ok, map()} | {error, btr_error:error()}.
plan(Index, Request) ->
    Allowed = maps:get(allow, Request, []),
    Codes = [C || {C, Kind} <- allowable(), Name <- [C, Kind], lists:member(Name, Allowed)],
    btr_nif:plan(Index, Request#{allow => Codes}).

%% @doc Lists the refusals that can be allowed, with their kinds: those that only say that a rename
%% would change what some send means, or leave something behind.
-spec allowable() -> [{Code :: binary(), Kind :: atom()}].
allowable() ->
    [
        {Code, btr_error:kind({btr, Code, #{}})}
     || Code <- [
            <<"name.capture">>, <<"search.incomplete">>, <<"selector.capture">>,
            <<"selector.hook">>, <<"selector.overrides_library">>
        ]
    ].

%% @doc Answers the outline of a text.
-spec outline(binary()) -> {ok, map()} | {error, btr_error:error()}.
outline(Text) ->
    case btr_nif:parse(Text) of
        {ok, Unit} -> {ok, btr_nif:outline(Unit)};
        {error, _} = Error -> Error
    end.

%% @doc Answers the generation a plan was made on.
-spec generation(map()) -> btr_host:generation().
generation(#{generation := Generation}) -> Generation.

%% @doc Answers the operation.
-spec operation(map()) -> atom().
operation(#{operation := Operation}) -> Operation.

%% @doc Answers the files that a plan would change.
-spec files(map()) -> [btr_host:file()].
files(#{files := Files}) -> [File || #{file := File} <- Files].
