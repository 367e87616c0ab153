%%% @doc Live refactoring: the page to read.
%%%
%%% A workspace is a running system behind a host (btr_host) with its log. `plan/1' tells what an
%%% operation would do; `apply/1' does exactly that or refuses; `perform/1' does both; `change/1'
%%% takes a change set made by hand. Each is one transaction: all or nothing in memory, and it
%%% returns when the change is current and logged. `flush/1' writes to disk. docs/interfaces.md,
%%% section 3, has the shapes.
-module(bt_refactor).

-export([start/1, stop/0]).
-export([plan/1, apply/1, apply/2, perform/1, perform/2, change/1, change/2]).
-export([changes/0, entry/1, clear_changes/0, revert/1, revert/2, flush/0, flush/1]).
-export([refactorings/0]).
-export([senders_of/1, senders_of/2, references_to/1, references_to/2, implementors_of/1]).
-export([implementors_of/2, all_rows/3, subclasses_of/1, closure/3, closure/4, not_searchable/0]).
-export_type([opts/0, query/0, page_fun/0]).

%% Rows asked for at a time. Of 64 to 1,000 these cost the caller the least: its heap grows in
%% steps, and takes four pages of 700 rows between two collections, but not three of 1,000.
-define(PAGE, 700).

-type opts() :: #{
    author => binary(), author_kind => human | agent, intent => durable | ephemeral,
    progress => fun((map()) -> ok), timeout => timeout(), queue_timeout => timeout(),
    log => boolean(), asker => pid(), warnings => [binary()]
}.
-type query() :: #{offset => non_neg_integer(), limit => non_neg_integer()}.
-type page_fun() :: fun(
    (btr_nif:index(), binary(), non_neg_integer(), non_neg_integer()) ->
        btr_nif:page() | {error, btr_error:error()}
).
-type answer() :: {ok, map()} | {error, btr_error:error()}.

%% @doc Starts the workspace of this node. `planner', `outline' and `fs' are for tests.
-spec start(map()) -> {ok, pid()} | {error, term()}.
start(#{host := _} = Options) ->
    case application:ensure_all_started(bt_refactor) of
        {ok, _} -> start_owned(maps:merge(defaults(), Options));
        {error, _} = Error -> Error
    end.

%% Who logs on disk owns the folder; without a log nothing is written unless it is asked for.
start_owned(#{root := Root, log := Log} = Config) when Root =:= undefined; Log =:= memory ->
    btr_sup:start_workspace(Config);
start_owned(#{root := Root} = Config) ->
    case btr_owner:claim(Root) of
        ok -> started(btr_sup:start_workspace(Config), Root);
        {error, _} = Error -> Error
    end.

started({ok, _} = Started, _) ->
    Started;
started({error, {already_started, _}} = Error, _) ->
    Error;
started(Failed, Root) ->
    ok = btr_owner:release(Root),
    Failed.

defaults() ->
    #{
        root => undefined, log => memory, fs => btr_fs_posix,
        planner => fun btr_plan:plan/2, scratch => fun btr_plan:scratch/1,
        outline => fun btr_plan:outline/1
    }.

%% @doc Stops the workspace; what is on disk stays.
-spec stop() -> ok.
stop() ->
    case whereis(btr_sup) of
        undefined ->
            ok;
        _ ->
            Config = btr_coordinator:config(),
            ok = btr_sup:stop_workspace(),
            give_back(Config)
    end.

give_back({ok, #{root := Root}}) when Root =/= undefined -> btr_owner:release(Root);
give_back(_) -> ok.

%% @doc Plans an operation on the current image. Changes nothing; any process may ask. A list of
%% requests is planned as one: each on the image the former would leave.
-spec plan(map() | [map()]) -> answer().
plan(Request) ->
    case btr_coordinator:config() of
        {ok, Config} -> btr_plan:make(Request, Config);
        {error, _} = Error -> Error
    end.

%% @doc Applies a plan, exactly; refuses when the image moved since.
-spec apply(map()) -> answer().
apply(Plan) ->
    ?MODULE:apply(Plan, #{}).

%% @doc The same with options.
-spec apply(map(), opts()) -> answer().
apply(Plan, Opts) ->
    first(transact({plan, Plan}, Opts)).

%% @doc Plans and applies, on whatever the image is when its turn comes. A list of requests is one
%% transaction, whose entries share their `group'.
-spec perform(map() | [map()]) -> answer().
perform(Request) ->
    perform(Request, #{}).

%% @doc The same with options.
-spec perform(map() | [map()], opts()) -> answer().
perform(Request, Opts) ->
    first(transact({request, Request}, Opts)).

%% @doc Applies a change set made by hand.
-spec change(btr_host:change()) -> answer().
change(Change) ->
    change(Change, #{}).

%% @doc The same with options.
-spec change(btr_host:change(), opts()) -> answer().
change(Change, Opts) ->
    first(transact({change, Change}, Opts)).

transact(Source, Opts) ->
    btr_coordinator:transact(Source, Opts, maps:get(asker, Opts, self())).

%% A change may leave several entries, which share their group; the first stands for them. One that
%% leaves none (a load, a rename to itself, `log => false') is answered as an entry without seq.
first({ok, [Entry | _]}) ->
    {ok, Entry};
first({ok, []}) ->
    Summary = #{sites => 0, files => 0, candidates => 0, mentions => 0},
    {ok, #{seq => nil, sites => [], candidate_sites => [], summary => Summary}};
first({error, _} = Error) ->
    Error.

%% Questions to the index of the current image. Names are binaries, and none becomes an atom.

%% @doc Answers all sends of a selector.
-spec senders_of(binary()) -> [btr_nif:row()] | {error, btr_error:error()}.
senders_of(Selector) -> whole(fun btr_nif:senders_page/4, Selector).

%% @doc Answers a page of them, with their number; the first hundred unless told otherwise.
-spec senders_of(binary(), query()) -> btr_nif:page() | {error, btr_error:error()}.
senders_of(Selector, Query) -> page(fun btr_nif:senders_page/4, Selector, Query).

%% @doc Answers all references to a class, protocol or alias.
-spec references_to(binary()) -> [btr_nif:row()] | {error, btr_error:error()}.
references_to(Name) -> whole(fun btr_nif:references_page/4, Name).

%% @doc Answers a page of them.
-spec references_to(binary(), query()) -> btr_nif:page() | {error, btr_error:error()}.
references_to(Name, Query) -> page(fun btr_nif:references_page/4, Name, Query).

%% @doc Answers all definitions of a selector.
-spec implementors_of(binary()) -> [btr_nif:row()] | {error, btr_error:error()}.
implementors_of(Selector) -> whole(fun btr_nif:implementors_page/4, Selector).

%% @doc Answers a page of them.
-spec implementors_of(binary(), query()) -> btr_nif:page() | {error, btr_error:error()}.
implementors_of(Selector, Query) -> page(fun btr_nif:implementors_page/4, Selector, Query).

%% @doc Answers the declarations of the direct subclasses.
-spec subclasses_of(binary()) -> [btr_nif:site()] | {error, btr_error:error()}.
subclasses_of(Class) -> ask(fun(Index) -> btr_nif:subclasses_of(Index, Class) end).

%% @doc Answers who implements a selector strictly below a class, and the classes there whose bodies
%% are not known.
-spec closure(binary(), instance | class, binary()) ->
    btr_nif:closure() | {error, btr_error:error()}.
closure(Class, Side, Selector) ->
    ask(fun(Index) -> btr_nif:closure(Index, Class, Side, Selector) end).

%% @doc Answers the same with a page of the implementors.
-spec closure(binary(), instance | class, binary(), query()) ->
    btr_nif:closure() | {error, btr_error:error()}.
closure(Class, Side, Selector, Query) ->
    {Offset, Limit} = slice(Query),
    ask(fun(Index) -> btr_nif:closure_page(Index, Class, Side, Selector, Offset, Limit) end).

%% @doc Answers the classes that have no source to search.
-spec not_searchable() -> [binary()] | {error, btr_error:error()}.
not_searchable() -> ask(fun btr_nif:not_searchable/1).

%% @doc Answers all rows that an index has, page by page.
-spec all_rows(btr_nif:index(), page_fun(), binary()) -> [btr_nif:row()].
all_rows(Index, Page, Name) -> lists:append(pages(Index, Page, Name, 0)).

pages(Index, Page, Name, Offset) ->
    case Page(Index, Name, Offset, ?PAGE) of
        {Total, Rows} when Offset + length(Rows) >= Total -> [Rows];
        {_, []} -> [];
        {_, Rows} -> [Rows | pages(Index, Page, Name, Offset + length(Rows))]
    end.

whole(Page, Name) -> ask(fun(Index) -> all_rows(Index, Page, Name) end).

page(Page, Name, Query) ->
    {Offset, Limit} = slice(Query),
    ask(fun(Index) -> Page(Index, Name, Offset, Limit) end).

slice(Query) -> {maps:get(offset, Query, 0), maps:get(limit, Query, 100)}.

ask(Question) ->
    case btr_coordinator:config() of
        {ok, #{host := Host}} -> Question(Host:index());
        {error, _} = Error -> Error
    end.

%% @doc Lists all entries, oldest first.
-spec changes() -> [map()].
changes() ->
    case btr_coordinator:config() of
        {ok, _} -> btr_changelog:entries();
        {error, _} -> []
    end.

%% @doc Answers one entry.
-spec entry(pos_integer()) -> {ok, map()} | error.
entry(Seq) ->
    case btr_coordinator:config() of
        {ok, _} -> btr_changelog:entry(Seq);
        {error, _} -> error
    end.

%% @doc Drops all entries; the image stays as it is.
-spec clear_changes() -> ok | {error, btr_error:error()}.
clear_changes() ->
    btr_coordinator:clear().

%% @doc Takes back an entry, with its group; later changes stay. Answers the entry that tells of it.
-spec revert(pos_integer()) -> answer().
revert(Seq) ->
    revert(Seq, #{}).

%% @doc The same with options.
-spec revert(pos_integer(), opts()) -> answer().
revert(Seq, Opts) ->
    perform(#{operation => revert, seq => Seq}, Opts).

%% @doc Lists the renamed methods that still drain: whose old selector is served for senders that
%% were compiled before, how often it was, and what is waited for.
-spec refactorings() -> [map()].
refactorings() ->
    case btr_coordinator:config() of
        {ok, #{host := Host}} -> Host:drains();
        {error, _} -> []
    end.

%% @doc Writes what is not destructive.
-spec flush() -> answer().
flush() ->
    flush(#{}).

%% @doc Writes pending changes; `destructive' consents to renames and removals of classes, `filter'
%% (a fun on entries) narrows.
-spec flush(#{destructive => boolean(), filter => fun((map()) -> boolean())}) -> answer().
flush(Opts) ->
    case btr_coordinator:config() of
        {ok, #{root := Root}} when Root =/= undefined ->
            case btr_owner:check(Root) of
                ok -> btr_coordinator:flush(Opts);
                {error, _} = Error -> Error
            end;
        _ ->
            btr_coordinator:flush(Opts)
    end.
