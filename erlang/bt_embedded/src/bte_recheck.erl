%% @doc Checks without a change: a patch before it is made (`precheckCompile:source:'), and the
%% whole image (`Workspace recheckImage'). Nothing is installed and nothing is logged.
%%
%% Both answer a Dictionary: `findings' (each with class, selector, file, line, severity, message),
%% how many units were `checked', how many there are in all (`totalCandidates'), the files that were
%% `notChecked' and `checkedOwners', the classes looked at.
%% Tested by test/scripts/workspace.btscript.
-module(bte_recheck).

-export([image/1, patch/3]).

%% @doc Compiles all texts of the project again, and lists the sends that nothing answers.
-spec image(term()) -> map().
image(_) ->
    Own = [{File, Unit} || {File, #{origin := O} = Unit} <- maps:to_list(bte_host:units()),
        O =:= project orelse O =:= prompt, File =/= btr_project:manifest_file()],
    Units = [unit(File, Unit) || {File, Unit} <- lists:sort(Own)],
    Change = #{operation => load, units => Units, names => []},
    Files = [File || {File, _} <- Own],
    answer(compiled(Change) ++ unanswered(Files), Files).

unit(File, #{text := Text, digest := Digest} = Unit) ->
    (maps:with([package, origin], Unit))#{
        file => File, text => Text, names_only => false, old_digest => Digest
    }.

%% @doc Plans and compiles a patch.
-spec patch(term(), term(), term()) -> map().
patch(Self, Selector, Source) ->
    Request = bte_prim_refactor:patch_request(Self, {'precheckCompile:source:', Selector}, Source),
    case bt_refactor:plan(Request) of
        {ok, #{files := Files}} -> planned(Files);
        {error, Error} -> bte_prim_refactor:raise(Self, 'precheckCompile:source:', Error)
    end.

planned(Files) ->
    Units = [
        (unit(File, Unit))#{text := Text}
     || #{file := File, text := Text} <- Files, {ok, Unit} <- [bte_host:unit(File)]
    ],
    Change = #{operation => patch_method, units => Units, names => []},
    Names = [File || #{file := File} <- Files],
    case compiled(Change) of
        [#{severity := error} | _] = Errors -> answer(Errors, Names);
        Warnings -> answer(Warnings ++ unanswered_in(Units), Names)
    end.

%% The texts are not in the index of the image: they are asked in one of their own.
unanswered_in(Units) ->
    Index = btr_plan:scratch(maps:from_list([{File, U} || #{file := File} = U <- Units])),
    [
        unanswered(Selector, Site)
     || {Selector, Sends} <- btr_nif:unimplemented_sends(Index),
        btr_nif:implementors_of(bte_host:index(), Selector) =:= [],
        Site <- Sends
    ].

compiled(Change) ->
    case bte_compiler:prepare(Change, fun(_) -> ok end) of
        {ok, #{warnings := Warnings}} ->
            [finding(warning, W) || W <- Warnings];
        {error, {btr, _, #{errors := Errors}}} ->
            [finding(error, E) || E <- Errors];
        {error, Error} ->
            [finding(error, #{message => btr_error:message(Error)})]
    end.

finding(Severity, Problem) ->
    #{
        class => nil, selector => nil, severity => Severity,
        file => maps:get(file, Problem, nil), line => maps:get(line, Problem, nil),
        message => maps:get(message, Problem, <<>>)
    }.

%% Sends of what no class has a method for, in the files that were asked about.
unanswered(Files) ->
    [
        unanswered(Selector, Site)
     || {Selector, Sends} <- btr_nif:unimplemented_sends(bte_host:index()),
        #{file := File} = Site <- Sends,
        lists:member(File, Files)
    ].

unanswered(Selector, #{file := File, line := Line} = Site) ->
    {Class, Method} = bte_prim_navigation:owner(Site),
    #{
        class => Class, selector => Method, severity => warning, file => File, line => Line,
        message => <<"nothing implements #", Selector/binary>>
    }.

answer(Findings, Files) ->
    Owners = [{'$class', C} || C <- bte_registry:classes(), is_of(C, Files)],
    #{
        findings => Findings, checked => length(Files), totalCandidates => length(Files),
        notChecked => [], capNote => nil, checkedOwners => bte_prim_behaviour:by_name(Owners)
    }.

is_of(C, Files) ->
    case bte_registry:class(C) of
        {ok, #{file := File}} -> lists:member(File, Files);
        error -> false
    end.
