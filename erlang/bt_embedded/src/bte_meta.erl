%% @doc What a class module tells of itself on its class side, under selectors that no message has
%% (docs/conventions.md): they are sent from here and by class modules only. For a class that is not
%% loaded, or was removed, `class_not_found' is raised. Tested by `bte_send_SUITE' and by all that
%% runs.
-module(bte_meta).

-export([info/1, fields/1, class_state/1, is_told/1]).
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
info(C) -> ask(C, '$info').

%% @doc Answers the fields of a new instance with their defaults, inherited ones included.
-spec fields(bte_registry:identity()) -> #{atom() => term()}.
fields(C) -> ask(C, '$fields').

%% @doc Answers the class variables with their defaults, inherited ones included.
-spec class_state(bte_registry:identity()) -> #{atom() => term()}.
class_state(C) -> ask(C, '$class_state').

ask(C, What) -> C:c(What, [], [], [], [], []).

%% @doc Tells whether a symbol stands for what a class tells, so that it is no selector.
-spec is_told(atom()) -> boolean().
is_told(Symbol) -> lists:member(Symbol, ['$info', '$fields', '$class_state']).
