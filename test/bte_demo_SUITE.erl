%% @doc The demonstration and its load generator.
-module(bte_demo_SUITE).

-include_lib("stdlib/include/assert.hrl").
-include("btr_wait.hrl").

-export([all/0, suite/0]).
-export([
    load_counts_every_answer/1,
    load_counts_and_names_failures/1,
    load_counts_what_is_never_answered/1,
    demonstration_is_as_told/1
]).

suite() -> [{timetrap, {minutes, 5}}].

all() ->
    [
        load_counts_every_answer,
        load_counts_and_names_failures,
        load_counts_what_is_never_answered,
        demonstration_is_as_told
    ].

load_counts_every_answer(_Config) ->
    Load = bte_demo_load:start(3, [{do_block(fun() -> 1 end), value}]),
    btr_wait:until(fun() -> maps:get(answered, bte_demo_load:figures(Load)) > 100 end),
    #{answered := Answered} = Figures = bte_demo_load:stop(Load),
    ?assert(Answered > 100),
    ?assertMatch(#{failed := 0, lost := 0, failures := []}, Figures).

load_counts_and_names_failures(_Config) ->
    Load = bte_demo_load:start(2, [{do_block(fun() -> error(fog) end), value}]),
    btr_wait:until(fun() -> maps:get(failed, bte_demo_load:figures(Load)) > 10 end),
    #{failed := Failed, failures := [First | _]} = Figures = bte_demo_load:stop(Load),
    ?assert(Failed > 10),
    ?assertMatch(#{answered := 0, lost := 0}, Figures),
    ?assertMatch({_, _}, binary:match(First, <<"fog">>)).

load_counts_what_is_never_answered(_Config) ->
    Self = self(),
    Wait = do_block(fun() ->
        Self ! waiting,
        receive
            never -> ok
        end
    end),
    Load = bte_demo_load:start(2, [{Wait, value}]),
    [?AWAIT(waiting, ok) || _ <- [1, 2]],
    ?assertMatch(#{answered := 0, failed := 0, lost := 2}, bte_demo_load:stop(Load, 50)).

demonstration_is_as_told(_Config) ->
    Root = do_root(filename:dirname(code:which(?MODULE))),
    Port = open_port({spawn_executable, filename:join([Root, "bin", "bt"])}, [
        {args, ["demo"]}, exit_status, stderr_to_stdout, binary
    ]),
    {Status, Output} = do_output(Port, <<>>),
    ?assertEqual({0, Output}, {Status, Output}),
    ?assertMatch({_, _}, binary:match(Output, <<"All was as told.">>)).

%% A block as the prompt makes it is a fun.
do_block(Fun) -> Fun.

do_output(Port, Acc) ->
    receive
        {Port, {data, Data}} -> do_output(Port, <<Acc/binary, Data/binary>>);
        {Port, {exit_status, Status}} -> {Status, Acc}
    end.

do_root(Dir) ->
    case filelib:is_file(filename:join(Dir, "rebar.config")) of
        true -> Dir;
        false -> do_root(filename:dirname(Dir))
    end.
