%%% @doc The plan of a move: a class's file gets another path, and no text changes. It has the shape
%%% of a class rename from a name to itself, so that the transaction, the log, flush and revert know
%%% it already; only its destination is not made of a name. Pure. Tested by btr_move_SUITE.
-module(btr_move).

-export([plan/2]).

%% @doc Plans `#{operation := move_class, class, path}' on the index and units of a host.
-spec plan(map(), module()) -> {ok, map()} | {error, btr_error:error()}.
plan(#{class := Class, path := Path}, Host) ->
    Sites = btr_nif:declarations_of(Host:index(), Class),
    case [S || #{kind := declaration} = S <- Sites] of
        [#{file := File} = Site] -> planned(Site, Host:unit(File), {Path, Host});
        [] -> {error, btr_error:new(<<"class.not_found">>, [quoted(Class), <<" not found">>])};
        [_ | _] -> {error, btr_error:new(<<"class.ambiguous">>, [
            <<"more than one class is called ">>, Class
        ])}
    end.

quoted(Class) -> [<<"Class '">>, Class, <<"'">>].

planned(#{old := Class}, {ok, #{origin := Origin}}, _) when Origin =/= project ->
    refused(<<"scope.not_in_project">>, [<<"cannot move ">>, Class, <<": it ">>, whose(Origin)]);
planned(#{file := File} = Site, {ok, #{text := Text, digest := Digest}}, {Path, Host}) ->
    case File =:= Path orelse Host:unit(Path) =:= error of
        true ->
            %% To where it is on disk: an earlier move is taken back.
            Moved = #{
                file => File, new_file => Path, old_digest => Digest, text => Text,
                names_only => true
            },
            {ok, rename(Site, Moved)};
        false ->
            refused(<<"file.taken">>, [Path, <<" already exists">>])
    end.

whose(stdlib) -> <<"belongs to the stdlib">>;
whose(dependency) -> <<"belongs to a dependency">>;
whose(prompt) -> <<"has no file">>.

refused(Code, Message) -> {error, btr_error:new(Code, Message)}.

rename(#{old := Class, spans := Spans} = Site, Moved) ->
    Kept = Site#{new := Class, spans := [Span#{new := Class} || Span <- Spans]},
    #{
        operation => rename_class, class => Class, new_name => Class, names => [],
        sites => [Kept], candidates => [], excluded => #{}, warnings => [],
        prose => #{count => 0, files => 0, mentions => []}, not_searched => [], files => [Moved]
    }.
