%%% @doc Whether what lies in a project by its name lies there on the disk as well.
%%%
%%% A symbolic link may lead out of the project's folder. What is written through it would change
%%% what belongs to somebody else, so it is not written: the link and where it leads are told.
%%% A path that names a place outside (`../lib/a.bt', `/tmp/a.bt') hides nothing and is not judged
%%% here. Tested by btr_move_SUITE and
%%% btr_cli_plan_SUITE.
-module(btr_bounds).

-export([leading_out/2, text/1]).
-export_type([way_out/0]).

%% The link, below the project's folder, and the place that it leads to.
-type way_out() :: {Link :: btr_host:file(), To :: btr_fs:path()}.

%% @doc Answers those of the files that a link leads out of the project's folder, each with the
%% outermost such link.
-spec leading_out([btr_host:file()], file:filename_all() | undefined) ->
    #{btr_host:file() => way_out()}.
leading_out(_, undefined) ->
    #{};
leading_out(Files, Root0) ->
    Root = btr_files:raw_name(filename:absname(Root0)),
    Home = btr_files:real_path(Root),
    Paths = lists:usort(lists:append([paths(File) || File <- Files])),
    Out = maps:from_list([
        {Path, To}
     || Path <- Paths, {out, To} <- [leads(Home, btr_files:real_path(filename:join(Root, Path)))]
    ]),
    maps:from_list([
        {File, {hd(Links), map_get(hd(Links), Out)}}
     || File <- Files, Links <- [[P || P <- paths(File), is_map_key(P, Out)]], Links =/= []
    ]).

%% What is not there leads nowhere, and no file is created through a link.
leads({ok, Home}, {ok, To}) ->
    case lists:prefix(filename:split(Home), filename:split(To)) of
        true -> in;
        false -> {out, To}
    end;
leads(_, _) ->
    in.

%% The folders on the way to a file, from the outside in, and the file.
paths(File) ->
    Parts = filename:split(File),
    case filename:pathtype(File) =:= relative andalso not lists:member(<<"..">>, Parts) of
        true -> [filename:join(lists:sublist(Parts, N)) || N <- lists:seq(1, length(Parts))];
        false -> []
    end.

%% @doc Says what leads out, and where to.
-spec text(way_out()) -> binary().
text({Link, To}) ->
    iolist_to_binary([Link, <<" is a link that leads out of the project, to ">>, To]).
