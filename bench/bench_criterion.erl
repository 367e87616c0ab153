%% @doc Rows from what criterion measured in this run.
-module(bench_criterion).

-export([rows/0]).

%% @doc One row for each benchmark, in the order of their names.
-spec rows() -> [bench:row()].
rows() ->
    [row(filename:dirname(File)) || File <- lists:sort(files())].

files() -> filelib:wildcard("target/criterion/**/new/estimates.json").

row(Dir) ->
    #{<<"median">> := #{<<"point_estimate">> := Nanoseconds}} = json(Dir, "estimates.json"),
    Benchmark = json(Dir, "benchmark.json"),
    #{<<"group_id">> := Group} = Benchmark,
    Name = name(Group, maps:get(<<"function_id">>, Benchmark, null)),
    Size = size_text(maps:get(<<"value_str">>, Benchmark, null)),
    Ours = figure(Nanoseconds, maps:get(<<"throughput">>, Benchmark, null)),
    bench:row(Name, Size, Ours, target(Group, Name, Ours)).

json(Dir, File) ->
    {ok, Text} = file:read_file(filename:join(Dir, File)),
    {ok, Value} = btr_nif:json_decode(Text),
    Value.

name(Group, Function) when is_binary(Function) -> <<Group/binary, "/", Function/binary>>;
name(Group, _) -> Group.

size_text(Value) when is_binary(Value) -> Value;
size_text(_) -> "".

figure(Nanoseconds, #{<<"Bytes">> := Bytes}) -> {Bytes * 1000 / Nanoseconds, mb_s};
figure(Nanoseconds, _) -> {Nanoseconds, ns}.

%% Lex and parse at least 100 MB/s, closure over 1e5 classes at most 1 ms, and so on.
target(<<"parse", _/binary>>, _, {_, mb_s}) -> {at_least, 100, mb_s};
target(<<"forms">>, _, {_, ns}) -> {at_most, 2.0e6, ns};
target(<<"closure", _/binary>>, _, {_, ns}) -> {at_most, 1.0e6, ns};
target(<<"replacing a unit">>, _, {_, ns}) -> {at_most, 2.0e6, ns};
target(_, _, _) -> none.
