%% @doc What a class module tells of itself: the one caller of its `$meta' (docs/conventions.md).
%% A call for a class that is not loaded, or was removed, raises `class_not_found'. Tested by
%% `bte_send_SUITE' and by all that runs.
-module(bte_meta).

-export([info/1, fields/1, class_state/1]).
-export_type([info/0]).

-type info() :: #{
    identity := bte_registry:identity(),
    superclass := bte_registry:identity() | nil,
    kind := object | value | actor,
    generation := bte_send:generation(),
    fields := [atom()],
    modifiers := [abstract | sealed | typed | internal],
    methods := #{instance | class => [bte_send:selector()]},
    removed => true
}.

%% @doc Answers what the class is.
-spec info(bte_registry:identity()) -> info().
info(C) -> C:'$meta'(info, #{}).

%% @doc Answers the fields of a new instance with their defaults, inherited ones included.
-spec fields(bte_registry:identity()) -> #{atom() => term()}.
fields(C) -> C:'$meta'(fields, #{}).

%% @doc Answers the class variables with their defaults, inherited ones included.
-spec class_state(bte_registry:identity()) -> #{atom() => term()}.
class_state(C) -> C:'$meta'(class_state, #{}).
