%% @doc The limit of memory for processes that run Beamtalk code: endless recursion ends its own
%% process, not the node. The application's `max_heap_words' sets it; 0 is no limit.
-module(bte_limits).

-export([spawn_options/0, start_options/0, killed/0]).

-define(MAX_HEAP_WORDS, 128 * 1024 * 1024).

%% @doc Answers options for `spawn_opt'.
-spec spawn_options() -> [{max_heap_size, map()}].
spawn_options() ->
    Words = application:get_env(bt_embedded, max_heap_words, ?MAX_HEAP_WORDS),
    [{max_heap_size, #{size => Words, kill => true, error_logger => false}}].

%% @doc Answers options for a `gen_server'.
-spec start_options() -> [{spawn_opt, list()}].
start_options() ->
    [{spawn_opt, spawn_options()}].

%% @doc Says why a process was killed that nobody has asked to end: what `kill' ends, ends with
%% `shutdown' first.
-spec killed() -> binary().
killed() -> <<"it needed too much memory (endless recursion?) or was killed from outside">>.
