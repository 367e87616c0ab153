%% @doc The prompt on a terminal: line editing, history over restarts, completion, interrupt.
%%
%% Erlang's own terminal driver does the editing. The process that it talks to only reads and
%% prints; inputs are handled by another one, so that Ctrl-C can end an evaluation that does not
%% end by itself: its bindings stay. Tested on a pseudo terminal by `bte_terminal_SUITE'.
-module(bte_terminal).

-export([run/1, over_banner/0, shell/1, serve/1, complete/2]).

%% @doc Runs a function as the shell of the terminal; answers what it answers.
-spec run(fun(() -> Status)) -> Status when Status :: non_neg_integer().
run(Fun) ->
    ok = remember(),
    Self = self(),
    Ref = make_ref(),
    Start = {?MODULE, shell, [fun() -> Self ! {Ref, Fun()} end]},
    _ = start_driver(Start),
    receive
        {Ref, Status} ->
            %% The lines of the last seconds; where there is no history there is nothing to write.
            _ = disk_log:sync('$#group_history'),
            Status
    end.

%% OTP 26 has an official way to start a shell of one's own, OTP 25 the driver itself.
start_driver(Start) ->
    _ = code:ensure_loaded(shell),
    {Module, Function, Arg} =
        case erlang:function_exported(shell, start_interactive, 1) of
            true -> {shell, start_interactive, Start};
            false -> {user_drv, start, ['tty_sl -c -e', Start]}
        end,
    Module:Function(Arg).

%% @doc Answers what takes the driver's own banner off the screen: the driver of OTP 25 shows
%% Erlang's version before anything else. Nothing for a driver that does not.
-spec over_banner() -> iodata().
over_banner() ->
    case erlang:function_exported(shell, start_interactive, 1) of
        true ->
            "";
        false ->
            Length = string:length(string:trim(erlang:system_info(system_version))),
            Lines = (Length + columns() - 1) div columns() + 1,
            ["\e[", integer_to_list(Lines), "A\e[J"]
    end.

columns() ->
    case io:columns() of
        {ok, Columns} -> Columns;
        {error, _} -> 80
    end.

%% Lines typed are kept in the user's cache folder.
remember() ->
    case bte_cache:users_folder("beamtalk-refactor") of
        none -> ok;
        Dir -> remember(unicode:characters_to_list(filename:join(Dir, "history")))
    end.

remember(Path) ->
    ok = application:set_env(kernel, shell_history, enabled),
    ok = application:set_env(kernel, shell_history_drop, [":quit"]),
    application:set_env(kernel, shell_history_path, Path).

%% @private
-spec shell(fun(() -> term())) -> pid().
shell(Fun) ->
    erlang:spawn_link(?MODULE, serve, [Fun]).

%% @private
-spec serve(fun(() -> term())) -> no_return().
serve(Fun) ->
    _ = erlang:process_flag(trap_exit, true),
    ok = bte_keys:watch(),
    _ = io:setopts([{expand_fun, fun(Before) -> complete(Before, names()) end}]),
    _ = Fun(),
    %% The driver complains when its shell ends before the node does.
    receive
    after infinity -> exit(normal)
    end.

names() ->
    Classes = [binary_to_list(bte_registry:name_of(C)) || C <- bte_registry:classes()],
    Selectors = [
        atom_to_list(S)
     || C <- bte_registry:classes(),
        Behaviour <- [{'$class', C}, {'$meta', C}],
        S <- bte_prim_behaviour:methods(Behaviour)
    ],
    Commands = [[$: | binary_to_list(N)] || N <- bte_command:names()],
    Bindings = [binary_to_list(N) || N <- application:get_env(bt_embedded, prompt_bindings, [])],
    lists:usort(Classes ++ Selectors ++ Commands ++ Bindings).

%% @doc Completes the word before the cursor, which is given in reverse, from names.
-spec complete(string(), [string()]) -> {yes | no, string(), [string()]}.
complete(Before, Names) ->
    Word = lists:reverse(lists:takewhile(fun is_word/1, Before)),
    case Word =/= [] andalso [N || N <- Names, lists:prefix(Word, N)] of
        [One] -> {yes, lists:nthtail(length(Word), One), []};
        [_ | _] = Many -> several(Word, Many);
        _ -> {no, "", []}
    end.

several(Word, Many) ->
    case lists:nthtail(length(Word), common(Many)) of
        [] when length(Many) > 100 -> {no, "", []};
        [] -> {yes, "", Many};
        More -> {yes, More, []}
    end.

common([First | Names]) ->
    lists:foldl(fun shared/2, First, Names).

shared([C | A], [C | B]) -> [C | shared(A, B)];
shared(_, _) -> [].

is_word(C) ->
    (C >= $a andalso C =< $z) orelse (C >= $A andalso C =< $Z) orelse
        (C >= $0 andalso C =< $9) orelse C =:= $_ orelse C =:= $: orelse C =:= $-.
