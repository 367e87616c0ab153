%%% @doc What the refactoring engine asks of the running system: the only door to it.
%%%
%%% The embedded workspace implements it (bte_host); tests use a double (btr_host_fake). The
%%% coordinator is the only caller of the callbacks that change something, one transaction at a
%%% time, in this order: `compile', `old_code', `stage', `switch', `publish', `purge'. Nothing is
%%% visible to others before `switch' answered `ok'. `unstage' is the way back from `stage', and
%%% must be harmless when called twice. docs/interfaces.md, section 2, is the same in prose.
-module(btr_host).

-export_type([
    change/0, unit/0, born/0, unit_change/0, prepared/0, staged/0, generation/0, file/0, digest/0
]).

%% An `orphan' is a former method whose blocks may still run, a `relic' one that no rename edits.
%% Neither has a file, and neither is ever written.
-type origin() :: project | dependency | stdlib | prompt | orphan | relic.
-type generation() :: non_neg_integer().
-type file() :: binary().
-type digest() :: binary().
-type unit() :: #{
    text := binary(),
    digest := digest(),
    package := binary(),
    origin := origin(),
    base_digest := digest() | absent,
    %% The methods that were patched live and are not in the file yet; of an orphan or a relic the
    %% method it was.
    patched => [method()],
    %% Of an orphan: which part of which file's text, in which generation, it was copied from, and
    %% where that stands in its own.
    born => born(),
    _ => _
}.
-type born() :: #{
    generation := generation(), file := file(),
    start := non_neg_integer(), 'end' := non_neg_integer(), at := non_neg_integer()
}.
-type method() :: {Class :: binary(), instance | class, Selector :: binary()}.
-type unit_change() :: #{
    file := file(),
    text := binary() | deleted,
    package := binary(),
    origin := origin(),
    names_only := boolean(),
    old_digest := digest() | absent,
    _ => _
}.
-type change() :: #{
    operation := atom(),
    units := [unit_change()],
    names := [{class, Old :: binary(), New :: binary()}],
    _ => _
}.
-type prepared() :: term().
-type staged() :: term().

-callback generation() -> generation().
-callback index() -> term().
-callback units() -> #{file() => unit()}.
-callback unit(file()) -> {ok, unit()} | error.
-callback compile(change(), Progress :: fun((map()) -> ok)) ->
    {ok, prepared()} | {error, btr_error:error()}.
-callback modules(prepared()) -> [module()].
-callback old_code([module()]) -> [{module(), [{pid(), What :: binary()}]}].
-callback stage(prepared(), generation()) -> {ok, staged()} | {error, btr_error:error()}.
-callback switch(staged()) -> ok | {error, {not_purged, [module()]}} | {error, btr_error:error()}.
%% Did `switch' take place? Asked by a coordinator whose forerunner died inside `switch'. A staged
%% set without modules answers `false': nothing was switched, so nothing needs completing.
-callback switched(staged()) -> boolean().
-callback publish(staged()) -> ok.
%% `any' stands for whatever is staged, perhaps nothing.
-callback unstage(staged() | any) -> ok.
%% Renamed methods whose old selector is still served for senders compiled before, and why.
-callback drains() ->
    [#{class := binary(), side := instance | class, old := binary(), new := binary(),
       generation := generation(), served := non_neg_integer(), because := binary()}].
-callback purge([module()]) -> ok.
-callback rebase([#{file := file(), new_file := file() | nil, digest := digest() | absent}]) -> ok.
