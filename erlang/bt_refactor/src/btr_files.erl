%% @doc Finds files below a folder, and the true names of paths.
%%
%% Names are raw bytes (binaries) throughout, so that what is found can be opened whatever the
%% locale. Hidden folders and files, `_build', `deps' and `node_modules' are left out. A file that
%% can be reached by several ways (symbolic links) is found once: under its own place when that is
%% below the folder, else under the first link in path order. Reads only.
%% Tested by `btr_project_SUITE'.
-module(btr_files).

-export([find/3, would_find/3, raw_name/1, plain_path/1, real_path/1]).

-include_lib("kernel/include/file.hrl").

-define(MAX_LINKS, 40).

%% A folder or file still to be looked at, named from the root.
-type entry() :: {Relative :: binary(), Path :: binary()}.

%% State of a search: real paths seen, files found, links left for later, what could not be read.
-record(search, {
    suffix :: binary(),
    border :: binary() | none,
    seen = #{} :: #{binary() => true},
    found = [] :: [entry()],
    links = [] :: [entry()],
    wrong = [] :: [{binary(), atom()}]
}).

%% @doc Finds the files below a folder whose names end in a suffix, sorted by path. Left out are
%% folders in `skip' (absolute) and folders below the root that hold a file named `border': they
%% belong to somebody else. Answers what could not be read beside them.
-spec find(binary(), binary(), #{skip := [binary()], border := binary() | none}) ->
    {[entry()], [{File :: binary(), Reason :: atom()}]}.
find(Root, Suffix, #{skip := Skip, border := Border}) ->
    Seen = maps:from_list([{real_or_same(Path), true} || Path <- Skip]),
    Start = #search{suffix = Suffix, border = Border, seen = Seen},
    Search = folders([{<<>>, real_or_same(Root)}], Start),
    #search{found = Found, wrong = Wrong} = links(Search),
    {lists:sort(Found), lists:sort(Wrong)}.

%% @doc Whether `find/3' looks into the folder of a file named from the root; it need not be there.
-spec would_find(binary(), binary(), binary() | none) -> boolean().
would_find(Root, Relative, Border) ->
    Parts = filename:split(Relative),
    not lists:any(fun is_left_out/1, Parts) andalso is_within(Root, lists:droplast(Parts), Border).

is_within(_, _, none) ->
    true;
is_within(_, [], _) ->
    true;
is_within(Root, [Part | Parts], Border) ->
    Folder = join(Root, Part),
    case file:read_link_info(join(Folder, Border), [raw]) of
        {ok, _} -> false;
        {error, _} -> is_within(Folder, Parts, Border)
    end.

real_or_same(Path) ->
    case real_path(Path) of
        {ok, Real} -> Real;
        {error, _} -> Path
    end.

%% Links wait until everything that is really there has been seen.
links(#search{links = []} = Search) ->
    Search;
links(#search{links = Links} = Search0) ->
    Follow = fun({Relative, Path}, Search) ->
        case real_path(Path) of
            {ok, Real} -> visit(Relative, Real, Search);
            {error, Reason} -> wrong_file(Relative, Reason, Search)
        end
    end,
    links(lists:foldl(Follow, Search0#search{links = []}, lists:sort(Links))).

visit(Relative, Real, Search) ->
    case file:read_file_info(Real) of
        {ok, #file_info{type = directory}} -> folders([{Relative, Real}], Search);
        {ok, #file_info{type = regular}} -> found(Relative, Real, Search);
        {ok, _} -> wrong_file(Relative, not_regular, Search);
        {error, Reason} -> wrong_file(Relative, Reason, Search)
    end.

folders([], Search) ->
    Search;
folders([{Relative, Path} | Rest], #search{seen = Seen} = Search) when is_map_key(Path, Seen) ->
    _ = Relative,
    folders(Rest, Search);
folders([{Relative, Path} | Rest], #search{seen = Seen} = Search0) ->
    Search = Search0#search{seen = Seen#{Path => true}},
    case file:list_dir_all(Path) of
        {ok, Raw} ->
            Names = [raw_name(Name) || Name <- Raw],
            case Relative =/= <<>> andalso lists:member(Search#search.border, Names) of
                true -> folders(Rest, Search);
                false -> folder({Relative, Path}, Names, Rest, Search)
            end;
        {error, Reason} ->
            folders(Rest, wrong(join(Relative, <<>>), Reason, Search))
    end.

folder({Relative, Path}, Names, Rest, Search0) ->
    {Below, Search} = lists:foldl(
        fun(Name, Acc) -> entry(join(Relative, Name), join(Path, Name), Acc) end,
        {[], Search0},
        lists:sort([Name || Name <- Names, not is_left_out(Name)])
    ),
    folders(lists:reverse(Below) ++ Rest, Search).

entry(Relative, Path, {Folders, Search}) ->
    case file:read_link_info(Path, [raw, {time, posix}]) of
        {ok, #file_info{type = directory}} ->
            {[{Relative, Path} | Folders], Search};
        {ok, #file_info{type = symlink}} ->
            {Folders, Search#search{links = [{Relative, Path} | Search#search.links]}};
        {ok, #file_info{type = regular}} ->
            {Folders, found(Relative, Path, Search)};
        {ok, _} ->
            {Folders, wrong_file(Relative, not_regular, Search)};
        {error, Reason} ->
            {Folders, wrong_file(Relative, Reason, Search)}
    end.

found(Relative, Path, #search{seen = Seen, found = Found} = Search) ->
    case is_wanted(Relative, Search) andalso not is_map_key(Path, Seen) of
        true ->
            Next = Search#search{seen = Seen#{Path => true}},
            case unicode:characters_to_binary(Relative) of
                Relative -> Next#search{found = [{Relative, Path} | Found]};
                _ -> wrong(shown(Relative), not_utf8_name, Next)
            end;
        false ->
            Search
    end.

%% What is not a wanted file (a socket, a link to nowhere) is nobody's business.
wrong_file(Relative, Reason, Search) ->
    case is_wanted(Relative, Search) of
        true -> wrong(Relative, Reason, Search);
        false -> Search
    end.

wrong(Relative, Reason, #search{wrong = Wrong} = Search) ->
    Search#search{wrong = [{shown(Relative), Reason} | Wrong]}.

is_wanted(Name, #search{suffix = Suffix}) ->
    Size = byte_size(Name) - byte_size(Suffix),
    Size > 0 andalso binary:part(Name, Size, byte_size(Suffix)) =:= Suffix.

is_left_out(<<".", _/binary>>) -> true;
is_left_out(<<"_build">>) -> true;
is_left_out(<<"deps">>) -> true;
is_left_out(<<"node_modules">>) -> true;
is_left_out(_) -> false.

join(<<>>, Name) -> Name;
join(Path, <<>>) -> Path;
join(<<"/">>, Name) -> <<"/", Name/binary>>;
join(Path, Name) -> <<Path/binary, "/", Name/binary>>.

shown(<<>>) -> <<".">>;
shown(Name) ->
    case unicode:characters_to_binary(Name) of
        Name -> Name;
        _ -> << <<C/utf8>> || <<C>> <= Name >>
    end.

%% @doc The raw bytes of a file name as Erlang's file functions and the command line give it.
-spec raw_name(file:filename_all()) -> binary().
raw_name(Name) when is_binary(Name) -> Name;
raw_name(Name) ->
    case unicode:characters_to_binary(Name, unicode, file:native_name_encoding()) of
        Raw when is_binary(Raw) -> Raw;
        _ -> unicode:characters_to_binary(Name)
    end.

%% @doc A path without `.' and `..' that can be taken out by reading it (links are not followed).
-spec plain_path(binary()) -> binary().
plain_path(Path) ->
    Step = fun
        (<<".">>, Acc) -> Acc;
        (<<"..">>, [Last | Acc]) when Last =/= <<"..">>, Last =/= <<"/">> -> Acc;
        (<<"..">>, [<<"/">>]) -> [<<"/">>];
        (Part, Acc) -> [Part | Acc]
    end,
    case lists:reverse(lists:foldl(Step, [], filename:split(Path))) of
        [] -> <<".">>;
        Parts -> filename:join(Parts)
    end.

%% @doc The path of what an absolute path leads to, all links followed.
-spec real_path(binary()) -> {ok, binary()} | {error, atom()}.
real_path(Path) -> real_path(filename:split(Path), <<"/">>, 0).

real_path(_, _, Links) when Links > ?MAX_LINKS -> {error, eloop};
real_path([], Real, _) -> {ok, Real};
real_path([<<"/">> | Rest], _, Links) -> real_path(Rest, <<"/">>, Links);
real_path([<<".">> | Rest], Real, Links) -> real_path(Rest, Real, Links);
real_path([<<"..">> | Rest], Real, Links) -> real_path(Rest, filename:dirname(Real), Links);
real_path([Name | Rest], Real, Links) ->
    Path = join(Real, Name),
    case file:read_link_all(Path) of
        {ok, Target} -> real_path(filename:split(raw_name(Target)) ++ Rest, Real, Links + 1);
        {error, einval} -> real_path(Rest, Path, Links);
        {error, Reason} -> {error, Reason}
    end.
