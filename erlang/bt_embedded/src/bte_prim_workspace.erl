%% @doc Primitives of `Workspace', `Beamtalk', `ChangeLog': the image and its changes as objects.
-module(bte_prim_workspace).

-export([flush_kinds/2, flush_kinds/3]).
-export([changes/1, clear_changes/1, revert/2, flush/1, flush/2, flush/3, flush_destructive/1]).
-export([load/2, classes/1, all_classes/1, class_named/2, test_classes/1, new_class/3]).
-export([actors_of/2, package_name/1, generation/1, version/1, help/2, help/3]).
-export([entry/1, path/1, entries/0, refactorings/1]).

%% @doc Answers the changes made so far.
-spec changes(term()) -> map().
changes(_) ->
    #{'$class' => 'bt@stdlib@change_log', entries => entries()}.

%% @doc Answers all entries as objects, oldest first.
-spec entries() -> [map()].
entries() ->
    [entry(E) || E <- bt_refactor:changes()].

%% @doc Makes an object of an entry of the log.
-spec entry(map()) -> map().
entry(Entry) ->
    Get = fun(Key) -> maps:get(Key, Entry, nil) end,
    Active = maps:get(active, Entry, not maps:get(flushed, Entry, false)),
    #{
        '$class' => 'bt@stdlib@change_entry',
        seq => Get(seq),
        className => symbol(Get(class)),
        selector => symbol(Get(selector)),
        kind => symbol(Get(kind)),
        side => symbol(side(Entry)),
        intent => Get(intent),
        flushable => maps:get(flushable, Entry, false),
        notFlushableReason => Get(not_flushable_reason),
        author => Get(author),
        authorKind => Get(author_kind),
        sourceFile => Get(source_file),
        orphan => maps:get(orphan, Entry, false),
        priorEpoch => maps:get(prior_epoch, Entry, false),
        active => Active,
        shadowed => maps:get(shadowed, Entry, false),
        clean => maps:get(clean, Entry, false),
        flushed => maps:get(flushed, Entry, false),
        diff => Get(diff),
        oldClassName => symbol(Get(old_class)),
        oldSelector => symbol(Get(old_selector)),
        oldPath => Get(old_path),
        newPath => Get(new_path),
        sites => maps:get(sites, Entry, []),
        candidateSites => maps:get(candidate_sites, Entry, [])
    }.

side(#{side := Side}) when Side =/= nil -> Side;
side(#{kind := Kind}) when Kind =:= instance; Kind =:= class -> Kind;
side(_) -> nil.

symbol(nil) -> nil;
symbol(Name) when is_atom(Name) -> Name;
symbol(Name) when is_binary(Name) -> bte_prim_string:as_symbol(Name).

%% @doc Forgets all entries.
-spec clear_changes(term()) -> term().
clear_changes(Self) ->
    case bt_refactor:clear_changes() of
        ok -> Self;
        {error, Error} -> bte_prim_refactor:raise(Self, clear, Error)
    end.

%% @doc Undoes an entry, with its group; answers the class it was about, or nil when it is gone.
-spec revert(term(), term()) -> term().
revert(Self, #{'$class' := 'bt@stdlib@change_entry', seq := Seq}) when is_integer(Seq) ->
    case bt_refactor:revert(Seq, #{asker => self()}) of
        {ok, #{class := Name}} -> class_or_nil(Name);
        {error, Error} -> bte_prim_refactor:raise(Self, 'revert:', Error)
    end;
revert(Self, Other) ->
    bte_prim:type_error(Self, 'revert:', <<"ChangeEntry">>, Other).

class_or_nil(Name) ->
    case bte_registry:lookup(Name, application:get_env(bt_embedded, package, nil)) of
        {ok, Identity} -> {'$class', Identity};
        error -> nil
    end.

%% @doc Answers what still drains, each as a Dictionary.
-spec refactorings(term()) -> [map()].
refactorings(_) ->
    [D#{class := symbol(Class), old := symbol(Old), new := symbol(New)}
     || #{class := Class, old := Old, new := New} = D <- bt_refactor:refactorings()].

%% @doc Writes what is not destructive.
-spec flush(term()) -> map().
flush(Self) -> flushed(Self, flush, #{destructive => false}).

%% @doc Writes some of what is not destructive.
-spec flush(term(), term()) -> map().
flush(Self, Filter) -> flush(Self, Filter, false).

%% @doc Writes some changes, with consent also destructive ones.
-spec flush(term(), term(), term()) -> map().
flush(Self, Filter, Confirm) when is_boolean(Confirm) ->
    Test = bte_flush_filter:of_value(Self, Filter),
    flushed(Self, 'flush:', #{destructive => Confirm, filter => Test});
flush(Self, _, Confirm) ->
    bte_prim:type_error(Self, 'flush:confirmDestructive:', <<"Boolean">>, Confirm).

%% @doc Writes changes of some kinds that are not destructive.
-spec flush_kinds(term(), term()) -> map().
flush_kinds(Self, Kinds) -> flush_kinds(Self, Kinds, false).

%% @doc Writes changes of some kinds, with consent also destructive ones.
-spec flush_kinds(term(), term(), term()) -> map().
flush_kinds(Self, Kinds, Confirm) when is_boolean(Confirm) ->
    Test = bte_flush_filter:of_kinds(Self, Kinds),
    flushed(Self, 'flushKinds:', #{destructive => Confirm, filter => Test});
flush_kinds(Self, _, Confirm) ->
    bte_prim:type_error(Self, 'flushKinds:confirmDestructive:', <<"Boolean">>, Confirm).

%% @doc Writes all changes.
-spec flush_destructive(term()) -> map().
flush_destructive(Self) ->
    flushed(Self, flushIncludingDestructive, #{destructive => true}).

flushed(Self, Selector, Opts) ->
    case bt_refactor:flush(Opts) of
        {ok, Result} -> flush_result(Result);
        {error, Error} -> bte_prim_refactor:raise(Self, Selector, Error)
    end.

flush_result(Result) ->
    Get = fun(Key, Default) -> maps:get(Key, Result, Default) end,
    #{
        '$class' => 'bt@stdlib@flush_result',
        flushed => Get(flushed, 0),
        files => Get(files, []),
        newClasses => Get(new_classes, 0),
        removedClasses => Get(removed_classes, 0),
        renamedClasses => Get(renamed_classes, 0),
        renamedMethods => Get(renamed_methods, 0),
        skipped => Get(skipped, []),
        conflicts => Get(conflicts, [])
    }.

%% @doc Loads a file or a folder.
-spec load(term(), term()) -> [term()].
load(Self, Path) when is_binary(Path) ->
    case bte_loader:load(path(Path)) of
        {ok, #{classes := Identities}} ->
            bte_prim_behaviour:by_name([{'$class', C} || C <- Identities]);
        {error, Error} ->
            bte_prim_refactor:raise(Self, 'load:', Error)
    end;
load(Self, Path) ->
    bte_prim:type_error(Self, 'load:', <<"String">>, Path).

%% @doc Answers a path as the file system wants it: relative to the project's root, where that
%% names something, else to the folder the workspace was started in.
-spec path(binary()) -> file:filename_all().
path(Path) ->
    case application:get_env(bt_embedded, root) of
        {ok, Root} when Root =/= undefined ->
            Inside = filename:join(Root, Path),
            case filelib:is_file(Inside) of
                true -> Inside;
                false -> Path
            end;
        _ ->
            Path
    end.

%% @doc Answers the classes that are not the library's.
-spec classes(term()) -> [term()].
classes(_) ->
    bte_prim_behaviour:by_name([{'$class', C} || C <- bte_registry:classes(), is_own(C)]).

is_own(C) ->
    case bte_registry:class(C) of
        {ok, #{origin := stdlib}} -> false;
        {ok, _} -> true;
        error -> false
    end.

%% @doc Answers all classes.
-spec all_classes(term()) -> [term()].
all_classes(_) ->
    bte_prim_behaviour:by_name([{'$class', C} || C <- bte_registry:classes()]).

%% @doc Answers the class of a name, or nil.
-spec class_named(term(), term()) -> term().
class_named(_, Name) when is_atom(Name) ->
    Package = application:get_env(bt_embedded, package, nil),
    case bte_registry:lookup(atom_to_binary(Name), Package) of
        {ok, Identity} -> {'$class', Identity};
        error -> nil
    end;
class_named(Self, Name) ->
    bte_prim:type_error(Self, 'classNamed:', <<"Symbol">>, Name).

%% @doc Answers the test classes that have tests to run.
-spec test_classes(term()) -> [term()].
test_classes(_) ->
    bte_prim_behaviour:by_name([{'$class', C} || C <- bte_test:classes()]).

%% @doc Adds a class from its source.
-spec new_class(term(), term(), term()) -> [term()].
new_class(Self, Source, Path) -> bte_new_class:add(Self, Source, Path).

%% @doc Answers the running actors of a class and of classes below it.
-spec actors_of(term(), term()) -> [term()].
actors_of(_, {'$class', C}) ->
    [A || {'$actor', Actual, _} = A <- bte_actor:instances(), bte_registry:inherits(Actual, C)];
actors_of(Self, Other) ->
    bte_prim:type_error(Self, 'actorsOf:', <<"Class">>, Other).

%% @doc Answers the name of the project's package.
-spec package_name(term()) -> binary() | nil.
package_name(_) -> application:get_env(bt_embedded, package, nil).

%% @doc Answers the generation.
-spec generation(term()) -> non_neg_integer().
generation(_) -> bte_registry:generation().

%% @doc Answers the version.
-spec version(term()) -> binary().
version(_) ->
    case application:get_key(bt_embedded, vsn) of
        {ok, Version} -> list_to_binary(Version);
        undefined -> <<"unknown">>
    end.

%% @doc Answers what is known of a class.
-spec help(term(), term()) -> binary().
help(_, {Tag, _} = Class) when Tag =:= '$class'; Tag =:= '$meta' -> bte_help:class(Class);
help(Self, Other) -> bte_prim:type_error(Self, 'help:', <<"Class">>, Other).

%% @doc Answers what is known of a method.
-spec help(term(), term(), term()) -> binary().
help(_, {Tag, _} = Class, Selector) when
    is_atom(Selector), Tag =:= '$class'; is_atom(Selector), Tag =:= '$meta'
->
    case bte_help:method(Class, Selector) of
        {ok, Text} -> Text;
        error -> bte_help:no_method(Class, Selector)
    end;
help(Self, Other, _) ->
    bte_prim:type_error(Self, 'help:selector:', <<"Class">>, Other).
