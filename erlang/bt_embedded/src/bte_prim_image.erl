%% @doc Primitives of `Workspace' about what is there besides classes: names, actors, supervisors,
%% the project's files.
-module(bte_prim_image).

-export([sync/1, globals/1, actors/1, actor_at/2, supervisor/1, supervisors/1]).

%% @doc Reads the project's files again.
-spec sync(term()) -> [term()].
sync(Self) ->
    case application:get_env(bt_embedded, root) of
        {ok, Root} when Root =/= undefined ->
            bte_prim_workspace:load(Self, Root);
        _ ->
            Hint = <<"Workspace load: loads a file or a folder.">>,
            bte_prim:raise(no_project, Self, sync, <<"the workspace has no project">>, Hint)
    end.

%% @doc Answers all names that any session can use.
-spec globals(term()) -> #{atom() => term()}.
globals(Self) ->
    Singletons = [
        {binary_to_atom(Name), #{'$class' => Identity}}
     || {Name, Identity} <- bte_registry:singletons()
    ],
    Bound = [{binary_to_atom(Name), V} || {Name, V} <- maps:to_list(bte_bindings:all())],
    Classes = [{bte_prim_behaviour:name(C), C} || C <- bte_prim_workspace:classes(Self)],
    maps:from_list(Singletons ++ Bound ++ Classes).

%% @doc Answers the running actors.
-spec actors(term()) -> [bte_actor:actor()].
actors(_) -> bte_actor:instances().

%% @doc Answers the actor whose process has that text.
-spec actor_at(term(), term()) -> bte_actor:actor() | nil.
actor_at(_, Text) when is_binary(Text) ->
    Wanted = string:trim(Text, both, "<>"),
    case [A || {'$actor', _, Pid} = A <- bte_actor:instances(), pid_text(Pid) =:= Wanted] of
        [Actor | _] -> Actor;
        [] -> nil
    end;
actor_at(Self, Other) ->
    bte_prim:type_error(Self, 'actorAt:', <<"String">>, Other).

pid_text(Pid) -> string:trim(list_to_binary(pid_to_list(Pid)), both, "<>").

%% @doc Answers the running supervisors.
-spec supervisors(term()) -> [map()].
supervisors(_) -> bte_supervisor:all().

%% @doc Answers the running supervisor of the project.
-spec supervisor(term()) -> map() | nil.
supervisor(_) ->
    Package = application:get_env(bt_embedded, package, nil),
    case bte_registry:lookup(supervisor_name(), Package) of
        {ok, Identity} -> bte_supervisor:current({'$class', Identity});
        error -> nil
    end.

%% The manifest in memory knows it: a rename of the class changes it there.
supervisor_name() ->
    File = btr_project:manifest_file(),
    case bte_host:unit(File) of
        {ok, #{text := Text}} ->
            {ok, Manifest} = btr_nif:parse_file(File, Text),
            #{references := Names} = btr_nif:outline(Manifest),
            hd([Name || {_, Name} <- Names] ++ [<<>>]);
        error ->
            <<>>
    end.
