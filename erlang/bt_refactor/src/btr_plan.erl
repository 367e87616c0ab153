%%% @doc Plans as the native planner makes them: asking for one, and reading it.
-module(btr_plan).

-export([plan/2, outline/1, generation/1, operation/1, files/1]).

%% @doc Plans a request on an index. Pure.
-spec plan(term(), map()) -> {ok, map()} | {error, btr_error:error()}.
plan(Index, Request) ->
    btr_nif:plan(Index, Request).

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
