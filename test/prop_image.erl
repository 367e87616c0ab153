%%% @doc The whole tool against its promises: random renames, removals, patches, new classes,
%%% reverts and flushes at the prompt of a real workspace over a real folder.
%%%
%%% After each input: a refusal changed nothing; the index answers as one that is built anew from
%%% all texts; a full flush leaves on disk what is in memory. In the end a cold start from the
%%% folder has the same classes and methods, and its program the same result.
-module(prop_image).

-export([prop_image/2, command/0]).

-include("prop.hrl").

-define(NAMES, [<<"Shape">>, <<"Circle">>, <<"Square">>, <<"Tally">>, <<"User">>, <<"Pier">>]).
-define(UNARY, [<<"area">>, <<"name">>, <<"sides">>, <<"bump">>, <<"extra">>, <<"run">>]).
-define(KEYWORD, [<<"scale:">>, <<"grow:">>, <<"of:">>]).

%% Commands: numbers that mean the n-th of what there is when the command runs ---------------------

command() ->
    N = proper_types:integer(0, 30),
    Name = proper_types:elements(?NAMES),
    proper_types:frequency([
        {6, proper_types:tuple([rename_class, N, Name])},
        {6, proper_types:tuple([rename_method, N, N, N])},
        {3, proper_types:tuple([accept_certain, N, N, N])},
        {3, proper_types:tuple([remove_method, N, N])},
        {4, proper_types:tuple([patch, N, N, N])},
        {1, proper_types:tuple([remove_class, N])},
        {1, proper_types:tuple([new_class, Name, N])},
        {4, proper_types:tuple([revert, N])},
        {1, flush},
        {2, flush_all}
    ]).

%% @doc Lists of commands over a project that is made in a folder for each.
prop_image(Size, Dir) ->
    ?FORALL(
        Commands,
        proper_types:vector(Size, command()),
        begin
            fresh(Dir),
            start(Dir),
            {Result, Said} =
                try run(Commands, Dir, [])
                catch Class:Reason:Stack -> {{Class, Reason, Stack}, []}
                end,
            bte_workspace:stop(),
            ?WHENFAIL(
                io:format(user, "~ts~n~tp~n", [lists:join("\n", lists:reverse(Said)), Result]),
                Result =:= ok
            )
        end
    ).

fresh(Dir) ->
    _ = file:del_dir_r(Dir),
    maps:foreach(
        fun(File, Text) ->
            Path = filename:join(Dir, File),
            ok = filelib:ensure_dir(Path),
            ok = file:write_file(Path, Text)
        end,
        files()
    ).

files() ->
    #{
        "beamtalk.toml" => "[package]\nname = \"image\"\n",
        "src/shape.bt" => [
            "/// A shape; `Shape new area`.\n",
            "Object subclass: Shape\n",
            "  area => 0\n\n",
            "  /// In words.\n",
            "  name => \"a shape of {self area}\"\n",
            "  scale: n :: Integer => self area * n\n",
            "  class of: n => self new scale: n\n"
        ],
        "src/circle.bt" => [
            "Shape subclass: Circle\n",
            "  area => 3 // about\n",
            "  name => \"round \" ++ super name\n",
            "  class of: n => (super of: n) + 1\n"
        ],
        "src/square.bt" => [
            "// A square.\n\n",
            "Shape subclass: Square\n",
            "  sides => 4\n",
            "  area => self sides\n",
            "  grow: n => Square of: n\n"
        ],
        "src/user.bt" => [
            "Object subclass: User\n",
            "  pick: s :: Shape => s name\n",
            "  run => #(Circle of: 2, Shape of: 3, (self pick: Square new), Square new extra)\n",
            "  any: x => x respondsTo: #area\n"
        ],
        "src/more.bt" => "Shape >> extra => self area + 1\n\nCircle class >> unit => self of: 1\n"
    }.

start(Dir) ->
    {ok, _} = bt_embedded:start(#{project => Dir}),
    ok.

run([], Dir, Said) ->
    {cold_start(Dir), Said};
run([Command | Commands], Dir, Said0) ->
    Text = iolist_to_binary(text(Command)),
    Before = image(),
    Outcome = outcome(bt_embedded:eval(Text)),
    Said = [[Text, "  ==> ", io_lib:format("~tp", [Outcome])] | Said0],
    Checked = [Check(Command, Outcome, Before, Dir) || Check <- checks()],
    case [Wrong || Wrong <- Checked, Wrong =/= ok] of
        [] -> run(Commands, Dir, Said);
        [Wrong | _] -> {Wrong, Said}
    end.

outcome({ok, _, _}) -> ok;
outcome({error, Error}) -> {refused, Error}.

%% Inputs -----------------------------------------------------------------------------------------

text({rename_class, C, Name}) ->
    [behaviour(2 * C), " renameTo: #", Name];
text({rename_method, C, M, N}) ->
    {Behaviour, Old} = method(C, M),
    [Behaviour, " renameSelector: #", Old, " to: #", new_selector(Old, N)];
text({accept_certain, C, M, N}) ->
    {Behaviour, Old} = method(C, M),
    [
        "(", Behaviour, " planRenameSelector: #", Old, " to: #", new_selector(Old, N),
        ") acceptCertain apply"
    ];
text({remove_method, C, M}) ->
    {Behaviour, Selector} = method(C, M),
    [Behaviour, " removeSelector: #", Selector];
text({patch, C, M, N}) ->
    %% Sends to be found, never to be run: methods that are put together at random may not end.
    Send = nth(N, [
        "self area", "Circle new area + 1", "super name", "(Square of: 2) + 1", "self bump"
    ]),
    Body = ["1 > 2 ifTrue: [", Send, "] ifFalse: [", integer_to_list(N), "]"],
    [behaviour(C), " >> ", nth(M, ?UNARY), " => ", Body];
text({remove_class, C}) ->
    [behaviour(2 * C), " removeFromSystem"];
text({new_class, Name, N}) ->
    [
        "Workspace newClass: \"Shape subclass: ", Name, "\n  area => ", integer_to_list(N),
        "\n\" at: \"src/", string:lowercase(Name), ".bt\""
    ];
text({revert, N}) ->
    Entry = integer_to_list(N rem max(1, length(bt_refactor:changes())) + 1),
    ["Workspace changes revert: (Workspace changes allEntries at: ", Entry, ")"];
text(flush) ->
    "Workspace flush";
text(flush_all) ->
    "Workspace flushIncludingDestructive".

nth(N, List) -> lists:nth(N rem length(List) + 1, List).

%% Instance sides have even numbers.
behaviour(N) ->
    Names = names(),
    nth(N div 2, Names) ++ lists:nth(N rem 2 + 1, ["", " class"]).

names() -> lists:sort([binary_to_list(bte_registry:name_of(C)) || C <- project_classes()]).

project_classes() ->
    [C || C <- bte_registry:classes(), {ok, #{origin := project}} <- [bte_registry:class(C)]].

method(C, M) ->
    All = lists:sort([
        {[bte_registry:name_of(Class), [" class" || Side =:= class]], Selector}
     || Class <- project_classes(),
        {Side, Methods} <- maps:to_list(bte_registry:methods(Class)),
        Selector <- maps:keys(Methods)
    ]),
    nth(31 * C + M, All).

new_selector(Old, N) ->
    case binary:last(Old) of
        $: -> nth(N, ?KEYWORD);
        _ -> nth(N, ?UNARY)
    end.

%% Promises ---------------------------------------------------------------------------------------

checks() -> [fun refusal_is_total/4, fun index_is_whole/4, fun flushed_is_on_disk/4].

image() ->
    {texts(), bt_refactor:changes(), btr_nif:stats(bte_host:index()), methods()}.

texts() ->
    maps:from_list([
        {F, T}
     || {F, #{text := T, origin := project}} <- maps:to_list(bte_host:units())
    ]).

methods() ->
    lists:sort([
        {bte_registry:name_of(C), superclass(Super), [
            {Side, S, maps:get(source, Row, nil)}
         || {Side, Methods} <- lists:sort(maps:to_list(bte_registry:methods(C))),
            {S, Row} <- lists:sort(maps:to_list(Methods))
        ]}
     || C <- project_classes(), {ok, #{superclass := Super}} <- [bte_registry:class(C)]
    ]).

superclass(nil) -> nil;
superclass(C) -> bte_registry:name_of(C).

refusal_is_total(_, ok, _, _) ->
    ok;
refusal_is_total(_, {refused, _}, Before, _) ->
    case image() of
        Before -> ok;
        After -> {refusal_changed, Before, After}
    end.

index_is_whole(_, _, _, _) ->
    Live = bte_host:index(),
    Fresh = btr_nif:index_new(),
    Changes = [
        begin
            {ok, Unit} = btr_nif:parse_file(File, Text),
            bte_rebase:index_change(File, Row#{unit := Unit})
        end
     || File <- lists:sort(bte_registry:keys(unit)),
        {ok, #{text := Text} = Row} <- [bte_registry:read(unit, File)]
    ],
    ok = btr_nif:index_stage(Fresh, 1, Changes),
    ok = btr_nif:index_publish(Fresh, 1),
    Questions =
        [{senders_of, S} || S <- ?UNARY ++ ?KEYWORD] ++
            [{implementors_of, S} || S <- ?UNARY ++ ?KEYWORD] ++
            [{Q, N} || Q <- [references_to, all_subclasses_of], N <- ?NAMES],
    Differ = [
        {Q, Arg, A, B}
     || {Q, Arg} <- Questions,
        A <- [btr_nif:Q(Live, Arg)],
        B <- [btr_nif:Q(Fresh, Arg)],
        A =/= B
    ],
    case Differ of
        [] -> ok;
        [First | _] -> {index_differs, First}
    end.

flushed_is_on_disk(flush_all, ok, _, Dir) ->
    case {disk(Dir), texts(), [E || #{active := true} = E <- bt_refactor:changes()]} of
        {Same, Same, []} -> ok;
        {Disk, Memory, Pending} -> {not_flushed, Disk, Memory, Pending}
    end;
flushed_is_on_disk(flush_all, {refused, Error}, _, _) ->
    {flush_refused, Error};
flushed_is_on_disk(_, _, _, _) ->
    ok.

disk(Dir) ->
    maps:from_list([
        {unicode:characters_to_binary(File), element(2, file:read_file(filename:join(Dir, File)))}
     || File <- filelib:wildcard("**/*.{bt,toml}", binary_to_list(Dir))
    ]).

cold_start(Dir) ->
    {ok, _, _} = bt_embedded:eval("Workspace flushIncludingDestructive"),
    Before = {disk(Dir), texts(), methods(), result()},
    bte_workspace:stop(),
    start(Dir),
    case {Before, {disk(Dir), texts(), methods(), result()}} of
        {Same, Same} -> ok;
        {_, After} -> {cold_start_differs, Before, After}
    end.

result() ->
    case bt_embedded:eval("User new run") of
        {ok, Value, _} -> {ok, Value};
        {error, _} -> error
    end.
