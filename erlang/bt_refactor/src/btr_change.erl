%%% @doc Change sets: made from a plan, checked in shape, verified against the image.
%%%
%%% A change is what a transaction applies, whatever planned it (docs/interfaces.md, section 2).
%%% Nothing here changes anything. Tested by btr_coordinator_SUITE.
-module(btr_change).

-export([from_plan/2, drains/1, checked/1, verify/3, digest/1, files/1]).

-type reader() :: fun((btr_host:file()) -> {ok, btr_host:unit()} | error).

%% @doc Makes the change that a plan asks for; a file the host does not know makes it outdated.
-spec from_plan(map(), reader()) -> {ok, btr_host:change()} | {error, btr_error:error()}.
from_plan(#{operation := Operation, files := Files} = Plan, Reader) ->
    Names = maps:get(names, Plan, []),
    case lists:partition(fun(#{file := F}) -> Reader(F) =:= error end, Files) of
        {[], _} ->
            Units = [unit_change(File, Reader) || File <- Files],
            Change = #{
                operation => Operation, units => Units, names => Names, drains => drains(Plan)
            },
            {ok, completed(Plan, Change)};
        {[#{file := File} | _], _} ->
            {error, outdated([<<"file ">>, File, <<" is no longer part of the workspace">>], #{})}
    end.

completed(#{operation := group} = Plan, Change) -> btr_group:change(Plan, Change);
completed(_, Change) -> Change.

%% @doc Answers what a plan wants served on: sends of an old selector that are on their way.
-spec drains(map()) -> [map()].
drains(#{
    operation := rename_method, class := Class, side := Side, selector := Old, new_selector := New
}) ->
    [#{class => Class, side => Side, old => Old, new => New}];
drains(_) ->
    [].

unit_change(#{file := File, old_digest := Digest, text := Text} = Planned, Reader) ->
    {ok, #{package := Package, origin := Origin}} = Reader(File),
    #{
        file => File, text => Text, package => Package, origin => Origin, old_digest => Digest,
        names_only => maps:get(names_only, Planned, false),
        new_file => maps:get(new_file, Planned, nil)
    }.

%% @doc Checks the shape of a hand-made change.
-spec checked(term()) -> {ok, btr_host:change()} | {error, btr_error:error()}.
checked(#{operation := Operation, units := Units} = Change) when is_atom(Operation),
    is_list(Units) ->
    Files = [File || #{file := File} <- Units],
    case {lists:all(fun is_unit_change/1, Units), length(lists:usort(Files)) =:= length(Units)} of
        {true, true} -> {ok, maps:merge(#{names => []}, Change)};
        {true, false} -> {error, invalid(<<"a change names a file twice">>)};
        {false, _} -> {error, invalid(<<"a change holds a unit without its keys">>)}
    end;
checked(_) ->
    {error, invalid(<<"a change is a map with an operation and units">>)}.

is_unit_change(#{
    file := File, text := Text, package := Package, origin := Origin, names_only := NamesOnly,
    old_digest := Digest
}) ->
    is_binary(File) andalso (is_binary(Text) orelse Text =:= deleted) andalso
        is_binary(Package) andalso is_boolean(NamesOnly) andalso
        lists:member(Origin, [project, dependency, stdlib, prompt]) andalso
        (is_binary(Digest) orelse Digest =:= absent);
is_unit_change(_) ->
    false.

%% @doc Checks that the image is still the one the change was made for.
-spec verify(btr_host:change(), btr_host:generation(), module()) ->
    ok | {error, btr_error:error()}.
verify(#{units := Units}, Generation, Host) ->
    Stale = lists:sort([File || #{file := File} = U <- Units, not is_current(U, Host)]),
    case {Host:generation(), Stale} of
        {Generation, []} ->
            ok;
        {Generation, _} ->
            {error, outdated([told(Stale), <<" changed since the plan was made">>],
                #{files => Stale})};
        {Now, _} ->
            Details = #{planned => Generation, generation => Now, files => Stale},
            Files = [[<<", in ">>, told(Stale)] || Stale =/= []],
            Message = [<<"the workspace changed since the plan was made">>, Files],
            {error, outdated(Message, Details)}
    end.

told(Files) -> lists:join(<<", ">>, Files).

is_current(#{file := File, old_digest := Planned}, Host) ->
    case Host:unit(File) of
        {ok, #{digest := Digest}} -> Digest =:= Planned;
        error -> Planned =:= absent
    end.

%% @doc Answers the digest of a text given in parts.
-spec digest(iodata()) -> btr_host:digest().
digest(Text) -> btr_project:digest(iolist_to_binary(Text)).

%% @doc Lists the files a change touches, sorted.
-spec files(btr_host:change()) -> [btr_host:file()].
files(#{units := Units}) ->
    lists:sort([File || #{file := File} <- Units]).

outdated(Message, Details) ->
    Hint = <<"make the plan again">>,
    btr_error:new(<<"plan.outdated">>, Message, Details#{hint => Hint}).

invalid(Message) ->
    btr_error:new(<<"request.invalid">>, Message).
