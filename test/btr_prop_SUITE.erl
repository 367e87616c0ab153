%%% The PropEr models. BTR_COMMANDS sets how many commands the serial model runs (default 10,000),
%%% BTR_IMAGES how many lists of 15 inputs are typed at the prompt of a real workspace (default 12).
-module(btr_prop_SUITE).
-compile(export_all).

suite() -> [{timetrap, {minutes, 10}}].

all() -> [serial_model, concurrent_model, whole_image].

init_per_suite(Config) ->
    ok = btr_toy:bear_restarts(1000000),
    #{level := Level} = logger:get_primary_config(),
    logger:set_primary_config(level, none),
    [{level, Level} | Config].

end_per_suite(Config) ->
    application:stop(bt_refactor),
    application:unset_env(bt_refactor, restart_intensity),
    logger:set_primary_config(level, proplists:get_value(level, Config)).

serial_model(_) ->
    Commands = list_to_integer(os:getenv("BTR_COMMANDS", "10000")),
    do_check(prop_txn:prop_serial(100), Commands div 100).

concurrent_model(_) ->
    do_check(prop_txn:prop_concurrent(12), 100).

whole_image(Config) ->
    Dir = filename:join(proplists:get_value(priv_dir, Config), "image"),
    Images = list_to_integer(os:getenv("BTR_IMAGES", "12")),
    do_check(prop_image:prop_image(15, unicode:characters_to_binary(Dir)), Images).

do_check(Property, Tests) ->
    case proper:quickcheck(Property, [{numtests, Tests}, quiet, {max_shrinks, 60}]) of
        true -> ok;
        Wrong -> ct:fail({Wrong, proper:counterexample()})
    end.
