%% @doc `Workspace newClass: source at: path' and `moveClass: class to: path': checks in the order
%% that scripts rely on, then one change. Nothing is written to disk: a flush does that.
%% Tested by `bte_script_SUITE' and `btr_move_SUITE'.
-module(bte_new_class).

-export([add/3, move/3]).

-define(NEW, 'newClass:at:').
-define(MOVE, 'moveClass:to:').

%% @doc Adds the class that the source defines; answers it in a list.
-spec add(term(), term(), term()) -> [term()].
add(Self, Source, Path) ->
    Asked = {Self, ?NEW},
    Text = expect_string(Asked, Source, <<"expects a String source">>),
    Given = expect_string(Asked, Path, <<"expects a String path">>),
    File = inside(Asked, Given),
    absent(Asked, Given, File),
    {Name, _} = declared(Asked, Text),
    matches(Asked, Name, File),
    not_loaded(Asked, Name),
    Unit = #{
        file => File, text => Text, package => package(), origin => project, names_only => false,
        old_digest => absent
    },
    Change = #{operation => new_class, units => [Unit], names => []},
    case bt_refactor:change(Change, #{asker => self()}) of
        {ok, _} ->
            ok = bte_autoflush:after_change(),
            [bte_prim_workspace:class_named(Self, binary_to_atom(Name))];
        {error, Error} -> bte_prim_refactor:raise(Self, ?NEW, Error)
    end.

%% @doc Moves a class's file to another path; answers the class.
-spec move(term(), term(), term()) -> term().
move(Self, {'$class', Identity} = Class, Path) ->
    Asked = {Self, ?MOVE},
    Given = expect_string(Asked, Path, <<"expects a String path">>),
    ok = has_file(Asked, Class),
    File = inside(Asked, Given),
    Name = bte_registry:name_of(Identity),
    Own = file(Class),
    _ = [absent(Asked, Given, File) || File =/= Own],
    matches(Asked, Name, File),
    case btr_flush:new_path(Own, [E || #{active := true} = E <- bt_refactor:changes()]) of
        File -> Class;
        _ -> moved(Self, Class, #{operation => move_class, class => Name, path => File})
    end;
move(Self, Other, _) ->
    bte_prim:type_error(Self, ?MOVE, <<"Class">>, Other).

%% That a class of the library or of a dependency has a file of its own is no help: the plan says
%% whose it is.
has_file(Asked, {_, Identity} = Class) ->
    {ok, #{origin := Origin}} = bte_registry:class(Identity),
    case Origin =/= stdlib andalso bte_prim_behaviour:source_file(Class) =:= nil of
        true -> refuse(Asked, no_source_file, [bte_view:print(Class), <<" has no source file">>]);
        false -> ok
    end.

file({_, Identity}) ->
    {ok, #{file := File}} = bte_registry:class(Identity),
    File.

moved(Self, Class, Request) ->
    case bt_refactor:perform(Request, #{asker => self()}) of
        {ok, _} -> Class;
        {error, Error} -> bte_prim_refactor:raise(Self, ?MOVE, Error)
    end.

expect_string(_, Text, _) when is_binary(Text) ->
    Text;
expect_string({_, Selector} = Asked, _, Message) ->
    refuse(Asked, type_error, [atom_to_binary(Selector), $\s, Message]).

package() ->
    application:get_env(bt_embedded, package, <<"workspace">>).

%% The path as the unit's name: relative to the root of the project, without `.' and `..', in a
%% folder that is read when the project is opened next.
inside(Asked, Path) ->
    case application:get_env(bt_embedded, root) of
        {ok, Root} when Root =/= undefined ->
            Parts = [P || P <- filename:split(filename:join(Root, Path)), P =/= <<".">>],
            case {lists:member(<<"..">>, Parts), under(filename:split(Root), Parts)} of
                {false, {ok, Relative}} -> is_read(Asked, Path, Root, filename:join(Relative));
                _ -> outside(Asked, Path)
            end;
        _ ->
            outside(Asked, Path)
    end.

is_read(Asked, Path, Root, File) ->
    Out = btr_bounds:leading_out([File], Root),
    case {Out, btr_files:would_find(Root, File, btr_project:manifest_file())} of
        {#{File := Way}, _} -> refuse(Asked, target_outside_project, btr_bounds:text(Way));
        {_, true} -> File;
        {_, false} -> outside(Asked, Path)
    end.

under([Part | Root], [Part | Parts]) -> under(Root, Parts);
under([], [_ | _] = Parts) -> {ok, Parts};
under(_, _) -> error.

-spec outside(term(), term()) -> no_return().
outside(Asked, Path) ->
    refuse(Asked, target_outside_project, [Path, <<" is outside the project source tree">>]).

absent(Asked, Path, File) ->
    {ok, Root} = application:get_env(bt_embedded, root),
    case {file:read_link_info(filename:join(Root, File)), bte_host:unit(File)} of
        {{error, enoent}, error} -> ok;
        {_, _} -> refuse(Asked, target_exists, [Path, <<" already exists">>])
    end.

declared(Asked, Text) ->
    case btr_nif:parse(Text) of
        {ok, Unit} ->
            Errors = btr_nif:unit_errors(Unit),
            one_class(Asked, Errors, btr_nif:outline(Unit));
        {error, Error} ->
            {Receiver, Selector} = Asked,
            bte_prim_refactor:raise(Receiver, Selector, Error)
    end.

one_class(Asked, [#{line := Line, col := Col, message := Message} | _], _) ->
    refuse(Asked, compile_failed, io_lib:format("~b:~b: ~ts", [Line, Col, Message]));
one_class(_, [], #{classes := [#{name := Name} = Class]}) ->
    {Name, Class};
one_class(Asked, [], #{classes := []}) ->
    refuse(Asked, no_class_declared, <<"the source declares no class">>);
one_class(Asked, [], _) ->
    refuse(Asked, multiple_classes_declared, <<"the source declares more than one class">>).

matches(Asked, Name, File) ->
    Allowed = [<<Stem/binary, ".bt">> || Stem <- [Name, snake_case(Name)]],
    case lists:member(filename:basename(File), Allowed) of
        true ->
            ok;
        false ->
            Expected = snake_case(Name),
            Message = [<<"the file of ">>, Name, <<" must be called ">>, Expected, <<".bt">>],
            refuse(Asked, class_name_mismatch, Message)
    end.

snake_case(Name) ->
    iolist_to_binary(
        string:lowercase(re:replace(Name, "([a-z])([A-Z])", "\\1_\\2", [global]))
    ).

not_loaded(Asked, Name) ->
    case bte_registry:lookup(Name, package()) of
        error -> ok;
        {ok, _} -> refuse(Asked, class_already_loaded, [<<"the class ">>, Name, <<" is loaded">>])
    end.

-spec refuse(term(), term(), term()) -> no_return().
refuse({Self, Selector}, Kind, Message) ->
    bte_prim:raise(Kind, Self, Selector, unicode:characters_to_binary(Message), nil).
