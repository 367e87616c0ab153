%% @doc Looks into the process dictionary of another process. One that is gone has nothing there.
-module(bte_dictionary).

-export([entries/1, find/2]).

%% @doc Answers all that a process has.
-spec entries(pid()) -> [{term(), term()}].
entries(Pid) ->
    case erlang:process_info(Pid, dictionary) of
        {dictionary, Entries} -> Entries;
        undefined -> []
    end.

%% @doc Answers what a process has under a key.
-spec find(term(), pid()) -> {ok, term()} | error.
find(Key, Pid) ->
    case lists:keyfind(Key, 1, entries(Pid)) of
        {_, Value} -> {ok, Value};
        false -> error
    end.
