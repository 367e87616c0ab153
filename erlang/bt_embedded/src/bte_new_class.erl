%% @doc `Workspace newClass: source at: path': checks in the order that scripts rely on, then one
%% change that adds the unit. Nothing is written to disk: a flush does that.
%% Tested by `bte_script_SUITE'.
-module(bte_new_class).

-export([add/3]).

-define(SELECTOR, 'newClass:at:').

%% @doc Adds the class that the source defines; answers it in a list.
-spec add(term(), term(), term()) -> [term()].
add(Self, Source, Path) ->
    Text = expect_string(Self, Source, <<"expects a String source">>),
    Given = expect_string(Self, Path, <<"expects a String path">>),
    File = inside(Self, Given),
    absent(Self, Given, File),
    {Name, _} = declared(Self, Text),
    matches(Self, Name, File),
    not_loaded(Self, Name),
    Unit = #{
        file => File, text => Text, package => package(), origin => project, names_only => false,
        old_digest => absent
    },
    Change = #{operation => new_class, units => [Unit], names => []},
    case bt_refactor:change(Change, #{asker => self()}) of
        {ok, _} ->
            ok = bte_autoflush:after_change(),
            [bte_prim_workspace:class_named(Self, binary_to_atom(Name))];
        {error, Error} -> bte_prim_refactor:raise(Self, ?SELECTOR, Error)
    end.

expect_string(_, Text, _) when is_binary(Text) -> Text;
expect_string(Self, _, Message) -> refuse(Self, type_error, [<<"newClass:at: ">>, Message]).

package() ->
    application:get_env(bt_embedded, package, <<"workspace">>).

%% The path as the unit's name: relative to the root of the project, without `..'.
inside(Self, Path) ->
    case application:get_env(bt_embedded, root) of
        {ok, Root} when Root =/= undefined ->
            Parts = filename:split(filename:join(Root, Path)),
            case {lists:member(<<"..">>, Parts), under(filename:split(Root), Parts)} of
                {false, {ok, Relative}} -> filename:join(Relative);
                _ -> outside(Self, Path)
            end;
        _ ->
            outside(Self, Path)
    end.

under([Part | Root], [Part | Parts]) -> under(Root, Parts);
under([], [_ | _] = Parts) -> {ok, Parts};
under(_, _) -> error.

-spec outside(term(), term()) -> no_return().
outside(Self, Path) ->
    refuse(Self, target_outside_project, [Path, <<" is outside the project source tree">>]).

absent(Self, Path, File) ->
    {ok, Root} = application:get_env(bt_embedded, root),
    case {file:read_link_info(filename:join(Root, File)), bte_host:unit(File)} of
        {{error, enoent}, error} -> ok;
        {_, _} -> refuse(Self, target_exists, [Path, <<" already exists">>])
    end.

declared(Self, Text) ->
    case btr_nif:parse(Text) of
        {ok, Unit} ->
            Errors = btr_nif:unit_errors(Unit),
            one_class(Self, Errors, btr_nif:outline(Unit));
        {error, Error} ->
            bte_prim_refactor:raise(Self, ?SELECTOR, Error)
    end.

one_class(Self, [#{line := Line, col := Col, message := Message} | _], _) ->
    refuse(Self, compile_failed, io_lib:format("~b:~b: ~ts", [Line, Col, Message]));
one_class(_, [], #{classes := [#{name := Name} = Class]}) ->
    {Name, Class};
one_class(Self, [], #{classes := []}) ->
    refuse(Self, no_class_declared, <<"the source declares no class">>);
one_class(Self, [], _) ->
    refuse(Self, multiple_classes_declared, <<"the source declares more than one class">>).

matches(Self, Name, File) ->
    Stem = filename:basename(File, <<".bt">>),
    case lists:member(Stem, [Name, snake_case(Name)]) of
        true ->
            ok;
        false ->
            Expected = snake_case(Name),
            Message = [<<"the file of ">>, Name, <<" must be called ">>, Expected, <<".bt">>],
            refuse(Self, class_name_mismatch, Message)
    end.

snake_case(Name) ->
    iolist_to_binary(
        string:lowercase(re:replace(Name, "([a-z])([A-Z])", "\\1_\\2", [global]))
    ).

not_loaded(Self, Name) ->
    case bte_registry:lookup(Name, package()) of
        error -> ok;
        {ok, _} -> refuse(Self, class_already_loaded, [<<"the class ">>, Name, <<" is loaded">>])
    end.

-spec refuse(term(), term(), term()) -> no_return().
refuse(Self, Kind, Message) ->
    bte_prim:raise(Kind, Self, ?SELECTOR, unicode:characters_to_binary(Message), nil).
