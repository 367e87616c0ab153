%% @doc The native side: parsing, code generation, index, plans, JSON.
%%
%% All functions are pure but for the snapshots that an index holds, and safe to call from any
%% process at any time; a fault of the native side is answered as
%% `{error, {btr, <<"internal.panic">>, #{message := Text}}}'. Arguments of a wrong type raise
%% `badarg'. Names are binaries, and no function makes an atom from its input. The shapes are those
%% of docs/interfaces.md; the Rust side is `native/bt_nif'. Tested by `btr_nif_SUITE'.
-module(btr_nif).

-on_load(on_load/0).

-export([parse/1, parse_file/2, parse_many/1, unit_text/1, unit_errors/1, unit_incomplete/1]).
-export([outline/1]).
-export([codegen_class/2, codegen_prompt/2]).
-export([index_new/0, index_next/2, index_stage/3, index_publish/2, index_drop/1]).
-export([index_generation/1]).
-export([senders_of/2, references_to/2, implementors_of/2, subclasses_of/2]).
-export([senders_of_class/4, all_subclasses_of/2, symbols_of/2, declarations_of/2]).
-export([closure/4, closure_page/6, is_closure_free/4, unused_definitions/1]).
-export([unimplemented_selectors/1, unimplemented_sends/1, stats/1, is_selector/1]).
-export([index_memory/1]).
-export([count_senders/2, count_references/2, senders_page/4, references_page/4]).
-export([messages_sent_by/4, field_uses/4]).
-export([implementors_page/4, not_searchable/1]).
-export([plan/2, read_request/1, diff/3, json_encode/1, json_decode/1, digest/1]).
-export_type([unit/0, index/0, next/0, span/0, site/0, page/0, row/0, change/0, diagnostic/0]).
-export_type([plan/0, request/0, closure/0]).

-nifs([
    parse/1, parse_file/2, parse_many/1, unit_text/1, unit_errors/1, unit_incomplete/1, outline/1,
    codegen_class/2, codegen_prompt/2,
    index_new/0, index_next/2, index_stage_small/3, index_stage_large/3,
    index_publish/2, index_drop/1, index_generation/1,
    senders_of/2, references_to/2, implementors_of/2, subclasses_of/2,
    senders_of_class/4, all_subclasses_of/2, symbols_of/2, declarations_of/2,
    closure_page_small/5, closure_page_large/5, is_closure_free_small/4, is_closure_free_large/4,
    unused_definitions/1, unimplemented_selectors/1, unimplemented_sends/1, stats/1,
    index_memory/1,
    count_senders/2, count_references/2, senders_page/4, references_page/4,
    implementors_page_small/4, implementors_page_large/4, not_searchable/1,
    messages_sent_by/4, field_uses/4,
    plan/2, read_request/1, diff/3, json_encode/1, json_decode/1,
    digest_small/1, digest_large/1, is_selector/1
]).

%% Rows of a page at most.
-define(PAGE, 1000).

-opaque unit() :: reference().
-opaque index() :: reference().
-opaque next() :: reference().
-type span() :: {Start :: non_neg_integer(), End :: non_neg_integer()}.
%% Keys: file, spans, start, end, old, new, line, col, kind, owner, owner_name, owner_selector,
%% side, provenance.
-type site() :: map().
%% One part of an answer, with the number of rows in the whole. A limit above 1000 is taken as 1000.
-type page() :: {Total :: non_neg_integer(), [row()]}.
%% `Start' and `End' are those of the whole name: a keyword selector's first and last part. The name
%% in an owner is that of its class, extension target, protocol or alias.
-type row() :: {
    File :: binary(),
    Line :: pos_integer(),
    Col :: pos_integer(),
    Start :: non_neg_integer(),
    End :: non_neg_integer(),
    Kind :: atom(),
    Owner :: {
        Provenance :: atom(),
        Name :: binary() | nil,
        instance | class,
        Selector :: binary() | nil
    }
}.
-type change() ::
    {put, File :: binary(), unit(), #{package := binary(), origin := origin()}}
    | {opaque, File :: binary(), #{
        class := binary(), superclass := binary() | nil, package := binary(), origin := origin()
    }}
    | {delete, File :: binary()}.
-type origin() :: project | dependency | stdlib | prompt | orphan | relic.
%% Keys: span, line, col, code, message.
-type diagnostic() :: map().
%% `free' and `total' tell of all implementors, of which a page has a part; `unknown' are the
%% classes below whose bodies are not known.
-type closure() :: #{
    free := boolean(),
    total := non_neg_integer(),
    implementors := [site()],
    unknown := [Class :: binary()]
}.
-type request() :: #{operation := atom(), class := binary(), atom() => term()}.
-type plan() :: #{operation := atom(), generation := non_neg_integer(), atom() => term()}.
-type failure() :: {error, btr_error:error()}.

-spec on_load() -> ok | {error, term()}.
on_load() -> erlang:load_nif(library(), 0).

%% Without ".so", which load_nif adds. The application may not be in the code path under its own
%% name (a bare ebin folder): then the library is beside the beam's folder.
library() ->
    case code:priv_dir(bt_refactor) of
        {error, bad_name} ->
            Ebin = filename:dirname(filename:absname(code:which(?MODULE))),
            filename:join([filename:dirname(Ebin), "priv", "bt_nif"]);
        Dir ->
            filename:join(Dir, "bt_nif")
    end.

%% @doc Parses a text. A text with syntax errors is a unit too; only one that is not UTF-8 fails.
-spec parse(binary()) -> {ok, unit()} | failure().
parse(_Text) -> not_loaded().

%% @doc Parses the text of a file as its name asks: a `beamtalk.toml' as a manifest.
-spec parse_file(File :: binary(), binary()) -> {ok, unit()} | failure().
parse_file(_File, _Text) -> not_loaded().

%% @doc Parses many texts on all cores; answers in the order given. What stands for a file's name
%% is handed back as it is.
-spec parse_many([{File, binary()}]) -> [{File, {ok, unit()} | failure()}] | failure().
parse_many(_Files) -> not_loaded().

%% @doc Answers the text that was parsed, byte for byte.
-spec unit_text(unit()) -> binary() | failure().
unit_text(_Unit) -> not_loaded().

%% @doc Answers the syntax errors in order.
-spec unit_errors(unit()) -> [diagnostic()] | failure().
unit_errors(_Unit) -> not_loaded().

%% @doc Tells whether the text is the beginning of something: a prompt asks for another line.
-spec unit_incomplete(unit()) -> boolean() | failure().
unit_incomplete(_Unit) -> not_loaded().

%% @doc Answers what the unit declares: classes, protocols, aliases, extensions, statements.
-spec outline(unit()) -> map() | failure().
outline(_Unit) -> not_loaded().

%% @doc Compiles one class of a unit to Erlang forms (external term format).
-spec codegen_class(unit(), Options :: map()) -> {ok, map()} | failure().
codegen_class(_Unit, _Options) -> not_loaded().

%% @doc Compiles the statements of an input at the prompt to Erlang expressions.
-spec codegen_prompt(unit(), Options :: map()) -> {ok, map()} | failure().
codegen_prompt(_Unit, _Options) -> not_loaded().

%% @doc Makes an index of nothing, at generation 0.
-spec index_new() -> index() | failure().
index_new() -> not_loaded().

%% @doc Makes what the current snapshot is after some changes, ahead of staging it; the index stays
%% as it is.
-spec index_next(index(), [change()]) -> {ok, next()} | failure().
index_next(_Index, _Changes) -> not_loaded().

%% @doc Keeps the snapshot of a generation unseen; one staged before is forgotten. It is the
%% current one with the changes, which are given as such or made ahead by `index_next/2'.
-spec index_stage(index(), Generation :: non_neg_integer(), [change()] | next()) ->
    ok | failure().
index_stage(Index, Generation, Next) ->
    case index_stage_small(Index, Generation, Next) of
        large -> index_stage_large(Index, Generation, Next);
        Answer -> Answer
    end.

%% On a normal scheduler; `large' when the snapshot has still to be made.
index_stage_small(_Index, _Generation, _Next) -> not_loaded().

index_stage_large(_Index, _Generation, _Next) -> not_loaded().

%% @doc Makes the staged snapshot the current one. Publishing a generation again changes nothing.
-spec index_publish(index(), Generation :: non_neg_integer()) -> ok | failure().
index_publish(_Index, _Generation) -> not_loaded().

%% @doc Forgets what was staged.
-spec index_drop(index()) -> ok | failure().
index_drop(_Index) -> not_loaded().

%% @doc Answers the generation of the current snapshot.
-spec index_generation(index()) -> non_neg_integer() | failure().
index_generation(_Index) -> not_loaded().

%% @doc Answers all sends of a selector.
-spec senders_of(index(), Selector :: binary()) -> [site()] | failure().
senders_of(_Index, _Selector) -> not_loaded().

%% @doc Answers the sends of a selector that may reach a class's line: one whose receiver's type
%% rules the class out is left out.
-spec senders_of_class(index(), Selector, Class, instance | class) -> [site()] | failure() when
    Selector :: binary(), Class :: binary().
senders_of_class(_Index, _Selector, _Class, _Side) -> not_loaded().

%% @doc Answers all references to a class, protocol or alias.
-spec references_to(index(), Name :: binary()) -> [site()] | failure().
references_to(_Index, _Name) -> not_loaded().

%% @doc Answers all definitions of a selector.
-spec implementors_of(index(), Selector :: binary()) -> [site()] | failure().
implementors_of(_Index, _Selector) -> not_loaded().

%% @doc Answers the declarations of the direct subclasses.
-spec subclasses_of(index(), Class :: binary()) -> [site()] | failure().
subclasses_of(_Index, _Class) -> not_loaded().

%% @doc Answers the declarations of all classes below.
-spec all_subclasses_of(index(), Class :: binary()) -> [site()] | failure().
all_subclasses_of(_Index, _Class) -> not_loaded().

%% @doc Answers all symbols of a text.
-spec symbols_of(index(), Text :: binary()) -> [site()] | failure().
symbols_of(_Index, _Text) -> not_loaded().

%% @doc Answers all declarations of a name: class, protocol, alias.
-spec declarations_of(index(), Name :: binary()) -> [site()] | failure().
declarations_of(_Index, _Name) -> not_loaded().

%% @doc Answers the definitions of the project whose selector nobody sends, names or requires.
-spec unused_definitions(index()) -> [site()] | failure().
unused_definitions(_Index) -> not_loaded().

%% @doc Answers the selectors that the project sends and nobody defines, with the number of sends.
-spec unimplemented_selectors(index()) -> [{Selector :: binary(), pos_integer()}] | failure().
unimplemented_selectors(_Index) -> not_loaded().

%% @doc As `unimplemented_selectors/1', with the sends.
-spec unimplemented_sends(index()) -> [{Selector :: binary(), [site()]}] | failure().
unimplemented_sends(_Index) -> not_loaded().

%% @doc Tells whether nobody implements a selector strictly below a class.
-spec is_closure_free(index(), Class :: binary(), instance | class, Selector :: binary()) ->
    boolean() | failure().
is_closure_free(Index, Class, Side, Selector) ->
    case is_closure_free_small(Index, Class, Side, Selector) of
        large -> is_closure_free_large(Index, Class, Side, Selector);
        Answer -> Answer
    end.

%% On a normal scheduler; `large' when there is too much to look through for it.
is_closure_free_small(_Index, _Class, _Side, _Selector) -> not_loaded().

is_closure_free_large(_Index, _Class, _Side, _Selector) -> not_loaded().

%% @doc Answers the number of sends of a selector.
-spec count_senders(index(), Selector :: binary()) -> non_neg_integer() | failure().
count_senders(_Index, _Selector) -> not_loaded().

%% @doc Answers the number of references to a name.
-spec count_references(index(), Name :: binary()) -> non_neg_integer() | failure().
count_references(_Index, _Name) -> not_loaded().

%% @doc Answers a page of the sends of a selector.
-spec senders_page(index(), Selector, Offset, Limit) -> page() | failure() when
    Selector :: binary(), Offset :: non_neg_integer(), Limit :: non_neg_integer().
senders_page(_Index, _Selector, _Offset, _Limit) -> not_loaded().

%% @doc Answers a page of the references to a name.
-spec references_page(index(), Name, Offset, Limit) -> page() | failure() when
    Name :: binary(), Offset :: non_neg_integer(), Limit :: non_neg_integer().
references_page(_Index, _Name, _Offset, _Limit) -> not_loaded().

%% @doc Answers a page of the definitions of a selector.
-spec implementors_page(index(), Selector, Offset, Limit) -> page() | failure() when
    Selector :: binary(), Offset :: non_neg_integer(), Limit :: non_neg_integer().
implementors_page(Index, Selector, Offset, Limit) ->
    case implementors_page_small(Index, Selector, Offset, Limit) of
        large -> implementors_page_large(Index, Selector, Offset, Limit);
        Page -> Page
    end.

%% On a normal scheduler; `large' when there are too many definitions for it.
implementors_page_small(_Index, _Selector, _Offset, _Limit) -> not_loaded().

implementors_page_large(_Index, _Selector, _Offset, _Limit) -> not_loaded().

%% @doc Answers the sends of the methods that a class itself has for a selector, in order.
-spec messages_sent_by(index(), Class :: binary(), instance | class, Selector :: binary()) ->
    [site()] | failure().
messages_sent_by(_Index, _Class, _Side, _Selector) -> not_loaded().

%% @doc Answers where the methods of a class read a field, or write it.
-spec field_uses(index(), Class :: binary(), Field :: binary(), IsWrite :: boolean()) ->
    [site()] | failure().
field_uses(_Index, _Class, _Field, _IsWrite) -> not_loaded().

%% @doc Answers the classes that have no source, whose methods no answer tells of.
-spec not_searchable(index()) -> [Class :: binary()] | failure().
not_searchable(_Index) -> not_loaded().

%% @doc Answers who implements a selector strictly below a class, asked page by page.
-spec closure(index(), Class :: binary(), instance | class, Selector :: binary()) ->
    closure() | failure().
closure(Index, Class, Side, Selector) ->
    Page = fun(Offset) -> closure_page(Index, Class, Side, Selector, Offset, ?PAGE) end,
    case Page(0) of
        #{total := Total, implementors := First} = Closure when Total > length(First) ->
            Rest = [maps:get(implementors, Page(At)) || At <- lists:seq(?PAGE, Total - 1, ?PAGE)],
            Closure#{implementors := lists:append([First | Rest])};
        Answer ->
            Answer
    end.

%% @doc Answers a page of who implements a selector strictly below a class, and their number.
-spec closure_page(index(), Class, instance | class, Selector, Offset, Limit) ->
    closure() | failure()
when
    Class :: binary(),
    Selector :: binary(),
    Offset :: non_neg_integer(),
    Limit :: non_neg_integer().
closure_page(Index, Class, Side, Selector, Offset, Limit) ->
    case closure_page_small(Index, Class, Side, Selector, {Offset, Limit}) of
        large -> closure_page_large(Index, Class, Side, Selector, {Offset, Limit});
        Answer -> Answer
    end.

%% On a normal scheduler; `large' when there are too many classes below for it.
closure_page_small(_Index, _Class, _Side, _Selector, _Slice) -> not_loaded().

closure_page_large(_Index, _Class, _Side, _Selector, _Slice) -> not_loaded().

%% @doc Tells whether a text is a selector.
-spec is_selector(binary()) -> boolean().
is_selector(_Text) -> not_loaded().

%% @doc Answers how much the index holds.
-spec stats(index()) ->
    #{
        files := non_neg_integer(),
        bytes := non_neg_integer(),
        methods := non_neg_integer(),
        sends := non_neg_integer(),
        references := non_neg_integer()
    }
    | failure().
stats(_Index) -> not_loaded().

%% @doc Answers the bytes that the index holds beside the units' texts and trees.
-spec index_memory(index()) -> non_neg_integer() | failure().
index_memory(_Index) -> not_loaded().

%% @doc Plans a request on the current snapshot; nothing is changed.
-spec plan(index(), request()) -> {ok, plan()} | failure().
plan(_Index, _Request) -> not_loaded().

%% @doc Reads the request of an expression such as `Counter renameTo: #Tally'.
-spec read_request(binary()) -> {ok, request()} | failure().
read_request(_Text) -> not_loaded().

%% @doc Answers the unified diff of two texts; empty when they are equal.
-spec diff(Old :: binary(), New :: binary(), Name :: binary()) -> binary() | failure().
diff(_Old, _New, _Name) -> not_loaded().

%% @doc Writes a term as JSON; keys are sorted, `nil' is `null', other atoms are strings.
-spec json_encode(term()) -> binary() | failure().
json_encode(_Term) -> not_loaded().

%% @doc Reads JSON; keys are binaries, `null' is `nil'.
-spec json_decode(binary()) -> {ok, term()} | failure().
json_decode(_Text) -> not_loaded().

%% @doc Answers the SHA-256 of bytes in lower-case hex.
-spec digest(binary()) -> binary().
digest(Bytes) when byte_size(Bytes) =< 65536 -> digest_small(Bytes);
digest(Bytes) -> digest_large(Bytes).

digest_small(_Bytes) -> not_loaded().

digest_large(_Bytes) -> not_loaded().

-spec not_loaded() -> term().
not_loaded() -> erlang:nif_error(nif_not_loaded).
