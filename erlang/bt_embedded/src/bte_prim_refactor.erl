%% @doc Primitives that change the image: they build a request, hand it to the refactoring
%% application and answer the receiver, or raise the application's error as an exception with its
%% kind, message and hint. What a rename touches is decided there, never here.
-module(bte_prim_refactor).

-export([compile/3, try_compile/3, remove_selector/2, remove_selector/3, rename_to/2]).
-export([rename_selector/3, rename_selector/4, plan_rename_to/2, plan_rename_to/3]).
-export([plan_rename_selector/3, plan_rename_selector/4]).
-export([plan_remove_selector/2, plan_remove_from_system/1, reload/1, remove_from_system/1]).
-export([patch_request/3]).
-export([plan_diff/1, plan_apply/1, plan_accept/2, preview/2, raise/3]).

%% @doc Adds or replaces a method.
-spec compile(term(), term(), term()) -> term().
compile(Self, Selector, Source) ->
    compile(Self, {'compile:source:', Selector}, Source, #{}).

%% @doc Adds or replaces a method for a trial.
-spec try_compile(term(), term(), term()) -> term().
try_compile(Self, Selector, Source) ->
    compile(Self, {'tryCompile:source:', Selector}, Source, #{intent => ephemeral}).

compile(Self, {Message, _} = Asked, Source, Opts) ->
    Request = patch_request(Self, Asked, Source),
    _ = done(Self, Message, bt_refactor:perform(Request, opts(Opts))),
    ok = after_durable(Opts),
    Self.

after_durable(#{intent := ephemeral}) -> ok;
after_durable(_) -> bte_autoflush:after_change().

%% @doc Answers the request of a patch, for the message that asks for it and its selector.
-spec patch_request(term(), {atom(), term()}, term()) -> map().
patch_request(Self, {Message, Selector0}, Source) when is_binary(Source) ->
    Selector = atom_to_binary(symbol(Self, Message, Selector0)),
    {Class, Side} = target(Self),
    case bte_method_source:definition(Selector, Source) of
        {ok, Definition} ->
            #{operation => patch_method, class => Class, side => Side, source => Definition};
        {error, Text} ->
            bte_prim:raise(compile_failed, Self, Message, Text, nil)
    end;
patch_request(Self, {Message, _}, Source) ->
    bte_prim:type_error(Self, Message, <<"String">>, Source).

%% @doc Removes a method of the class itself.
-spec remove_selector(term(), term()) -> term().
remove_selector(Self, Selector) ->
    Request = remove_request(Self, Selector),
    _ = done(Self, {'removeSelector:', Selector}, bt_refactor:perform(Request, opts(#{}))),
    ok = bte_autoflush:after_change(),
    Self.

%% @doc Removes a method of the class itself, or runs a block when there is none.
-spec remove_selector(term(), term(), term()) -> term().
remove_selector(Self, Selector, Block) ->
    Request = remove_request(Self, Selector),
    or_absent(Self, 'removeSelector:ifAbsent:', {Request, Block}).

remove_request(Self, Selector) ->
    {Class, Side} = target(Self),
    Name = atom_to_binary(symbol(Self, 'removeSelector:', Selector)),
    #{operation => remove_method, class => Class, side => Side, selector => Name}.

%% The block runs in the process of the sender, as any other block.
or_absent(Self, Message, {Request, Block}) ->
    case bt_refactor:perform(Request, opts(#{})) of
        {ok, _} ->
            ok = bte_autoflush:after_change(),
            Self;
        {error, Error} ->
            case btr_error:kind(Error) of
                selector_not_found -> bte_block:value(Block, []);
                _ -> raise(Self, Message, Error)
            end
    end.

%% @doc Renames the class.
-spec rename_to(term(), term()) -> term().
rename_to(Self, NewName) ->
    Request = rename_request(Self, NewName),
    _ = done(Self, 'renameTo:', way_on(Request, bt_refactor:perform(Request, opts(#{})))),
    Self.

rename_request({'$class', _} = Self, NewName) ->
    {Class, _} = target(Self),
    New = atom_to_binary(symbol(Self, 'renameTo:', NewName)),
    #{operation => rename_class, class => Class, new_name => New};
rename_request({'$meta', _} = Self, _) ->
    Hint = <<"Send it to the class: a metaclass has its class's name.">>,
    bte_prim:raise(type_error, Self, 'renameTo:', <<"a metaclass cannot be renamed">>, Hint).

%% @doc Renames a method of the class itself.
-spec rename_selector(term(), term(), term()) -> term().
rename_selector(Self, Old, New) ->
    Request = method_request(Self, Old, New),
    Answer = way_on(Request, bt_refactor:perform(Request, opts(#{}))),
    _ = done(Self, {'renameSelector:to:', Old}, Answer),
    Self.

%% @doc Renames a method of the class itself, or runs a block when there is none.
-spec rename_selector(term(), term(), term(), term()) -> term().
rename_selector(Self, Old, New, Block) ->
    Request = method_request(Self, Old, New),
    or_absent(Self, 'renameSelector:to:ifAbsent:', {Request, Block}).

method_request(Self, Old, New) ->
    {Class, Side} = target(Self),
    #{
        operation => rename_method,
        class => Class,
        side => Side,
        selector => atom_to_binary(symbol(Self, 'renameSelector:to:', Old)),
        new_selector => atom_to_binary(symbol(Self, 'renameSelector:to:', New)),
        accept => []
    }.

%% @doc Plans a class rename.
-spec plan_rename_to(term(), term()) -> map().
plan_rename_to(Self, NewName) ->
    planned(Self, 'planRenameTo:', rename_request(Self, NewName)).

%% @doc Plans a class rename that some refusals do not stop.
-spec plan_rename_to(term(), term(), term()) -> map().
plan_rename_to(Self, NewName, Kinds) ->
    Allow = allowed(Self, 'planRenameTo:allowing:', Kinds),
    planned(Self, 'planRenameTo:allowing:', (rename_request(Self, NewName))#{allow => Allow}).

%% @doc Plans a method rename.
-spec plan_rename_selector(term(), term(), term()) -> map().
plan_rename_selector(Self, Old, New) ->
    planned(Self, 'planRenameSelector:to:', method_request(Self, Old, New)).

%% @doc Plans a method rename that some refusals do not stop.
-spec plan_rename_selector(term(), term(), term(), term()) -> map().
plan_rename_selector(Self, Old, New, Kinds) ->
    Message = 'planRenameSelector:to:allowing:',
    Request = (method_request(Self, Old, New))#{allow => allowed(Self, Message, Kinds)},
    planned(Self, Message, Request).

%% Kinds of refusals that can be allowed; another is an error, for nothing would come of it.
allowed(Self, Message, Kinds) ->
    Known = [Kind || {_, Kind} <- btr_plan:allowable()],
    Wanted = bte_prim:list(Self, Message, Kinds),
    case [Kind || Kind <- Wanted, not lists:member(Kind, Known)] of
        [] ->
            Wanted;
        [Other | _] ->
            Text = [bte_view:print(Other), <<" cannot be allowed">>],
            Names = [[$#, atom_to_binary(Kind)] || Kind <- Known],
            Hint = iolist_to_binary(["Can be allowed: ", lists:join(", ", Names)]),
            bte_prim:raise(argument_error, Self, Message, Text, Hint)
    end.

%% @doc Plans a removal.
-spec plan_remove_selector(term(), term()) -> map().
plan_remove_selector(Self, Selector) ->
    planned(Self, 'planRemoveSelector:', remove_request(Self, Selector)).

planned(Self, Message, Request) ->
    Record = done(Self, Message, way_on(Request, bt_refactor:plan(Request))),
    #{'$class' => 'bt@stdlib@plan', record => maps:merge(Request, Record)}.

%% A refusal that can be allowed is told with the expression that goes on.
way_on(#{operation := Operation} = Request, {error, {btr, Code, Details} = Error}) when
    Operation =:= rename_class; Operation =:= rename_method
->
    case lists:keyfind(Code, 1, btr_plan:allowable()) of
        {Code, Kind} ->
            Kinds = maps:get(allow, Request, []) ++ [Kind],
            Hint = [told(btr_error:hint(Error)), <<"To go on: ">>, allowing(Request, Kinds)],
            {error, {btr, Code, Details#{hint => iolist_to_binary(Hint)}}};
        false ->
            {error, Error}
    end;
way_on(_, Answer) ->
    Answer.

told(nil) -> [];
told(Hint) -> [Hint, $\s].

allowing(#{operation := rename_class, class := Class, new_name := New}, Kinds) ->
    [$(, Class, <<" planRenameTo: ">>, bte_view:symbol(New), allowing(Kinds)];
allowing(#{operation := rename_method, class := Class, side := Side} = Request, Kinds) ->
    #{selector := Old, new_selector := New} = Request,
    Target = [Class | [<<" class">> || Side =:= class]],
    [$(, Target, renaming(Old, New), allowing(Kinds)].

renaming(Old, New) ->
    [<<" planRenameSelector: ">>, bte_view:symbol(Old), <<" to: ">>, bte_view:symbol(New)].

allowing(Kinds) ->
    Names = lists:join(", ", [[$#, atom_to_binary(Kind)] || Kind <- Kinds]),
    [<<" allowing: #(">>, Names, <<")) apply">>].

%% @doc Answers the plan's changes as a unified diff.
-spec plan_diff(map()) -> binary().
plan_diff(#{record := Record}) ->
    iolist_to_binary(btr_view:diffs(Record, fun text/1, plain)).

%% A file that the plan creates has no text yet.
text(File) ->
    case bte_host:unit(File) of
        {ok, #{text := Text}} -> Text;
        error -> <<>>
    end.

%% @doc Shows what a request, written as a message, would do: sites, candidates with what speaks for
%% them, and a diff.
-spec preview(binary(), btr_view:style()) -> {ok, iodata()} | {error, btr_error:error()}.
preview(Text, Style) ->
    case btr_nif:read_request(Text) of
        {ok, Request} -> previewed(bt_refactor:plan(Request), Style);
        {error, _} = Error -> Error
    end.

previewed({ok, Plan}, Style) ->
    Shown = [
        btr_view:plan(Plan, Style), $\n, btr_view:diffs(Plan, fun text/1, Style),
        "\nNothing was changed.", accepting(Plan), $\n
    ],
    {ok, Shown};
previewed({error, _} = Error, _) ->
    Error.

%% How to have candidates rewritten as well: only a method's rename can.
accepting(#{operation := rename_method, candidates := [_ | _]} = Plan) ->
    #{class := Class, side := Side, selector := Old, new_selector := New} = Plan,
    [
        " With the certain candidates: (", Class, [" class" || Side =:= class],
        renaming(Old, New), ") acceptCertain apply"
    ];
accepting(_) ->
    "".

%% @doc Applies a plan and answers the entry.
-spec plan_apply(map()) -> map().
plan_apply(#{record := Record} = Self) ->
    Entry = done(Self, apply, bt_refactor:apply(maps:without([accept], Record), opts(#{}))),
    bte_prim_workspace:entry(Entry).

%% @doc Answers the plan with some of its candidates as sites.
-spec plan_accept(map(), term()) -> map().
plan_accept(#{record := #{operation := rename_method} = Record} = Self, Candidates) ->
    Keys = [
        [File, Start]
     || #{file := File, start := Start} <- bte_prim:list(Self, 'accept:', Candidates)
    ],
    Request = maps:with([operation, class, side, selector, new_selector, allow], Record),
    planned(Self, 'accept:', Request#{accept => maps:get(accept, Record, []) ++ Keys});
plan_accept(Self, _) ->
    bte_prim:argument_error(Self, 'accept:', <<"only a method rename has candidates to accept">>).

%% @doc Reads the class's file again.
-spec reload(term()) -> term().
reload(Self) ->
    case bte_prim_behaviour:source_file(Self) of
        nil ->
            Message = [bte_view:print(Self), <<" has no source file">>],
            bte_prim:raise(no_source_file, Self, reload, Message, nil);
        File ->
            _ = done(Self, reload, bte_loader:load(bte_prim_workspace:path(File))),
            Self
    end.

%% @doc Removes a class, with its file. Its actors are stopped; the entry tells how many.
-spec remove_from_system(term()) -> nil.
remove_from_system(Self) ->
    Opts = opts(#{warnings => stopped_actors(Self)}),
    _ = done(Self, removeFromSystem, bt_refactor:perform(removal_request(Self), Opts)),
    nil.

stopped_actors(Self) ->
    {C, _} = bte_prim_behaviour:sides(Self),
    case length(bte_actor:instances(C)) of
        0 ->
            [];
        Count ->
            Name = bte_registry:name_of(C),
            [<<"actors of ", Name/binary, " that were running, and are stopped: ",
                (integer_to_binary(Count))/binary>>]
    end.

%% @doc Plans the removal of a class.
-spec plan_remove_from_system(term()) -> map().
plan_remove_from_system(Self) ->
    planned(Self, planRemoveFromSystem, removal_request(Self)).

removal_request(Self) ->
    {Class, _} = target(Self),
    #{operation => remove_class, class => Class}.

%% @doc Raises an error of the refactoring application as a Beamtalk exception.
-spec raise(term(), atom() | {atom(), atom()}, btr_error:error()) -> no_return().
raise(Self, Selector, {btr, Code, Details} = Error) ->
    Exception = bte_error:exception(btr_error:kind(Error), #{
        selector => named_selector(btr_error:kind(Error), Selector),
        message => message(Error),
        hint => btr_error:hint(Error),
        details => Details#{code => Code}
    }),
    bte_error:signal(Exception#{class := class_name(Self)}).

%% The text of an error without its hint, which stands in a field of its own.
message({btr, Code, Details}) ->
    btr_error:format({btr, Code, maps:remove(hint, Details)}).

%% The record of `selector_not_found' names the selector that was asked for, any other the message.
named_selector(selector_not_found, {_, Argument}) -> Argument;
named_selector(_, {Message, _}) -> Message;
named_selector(_, Message) -> Message.

class_name({'$class', C}) -> bte_prim_behaviour:name({'$class', C});
class_name({'$meta', C}) -> bte_prim_behaviour:name({'$class', C});
class_name(Self) -> bte_prim_behaviour:name({'$class', bte_send:class_of(Self)}).

done(_, _, {ok, Value}) -> Value;
done(Self, Selector, {error, {btr, _, _} = Error}) -> raise(Self, Selector, Error).

target(Self) ->
    {C, Side} = bte_prim_behaviour:sides(Self),
    {qualified(C, bte_registry:name_of(C)), Side}.

%% A class of another package may bear the name of one of this.
qualified(C, Name) ->
    case bte_registry:lookup(Name, application:get_env(bt_embedded, package, nil)) of
        {ok, C} ->
            Name;
        _ ->
            {ok, #{package := Package}} = bte_registry:class(C),
            <<Package/binary, "@", Name/binary>>
    end.

%% The asking process is told apart: code of its own that is old cannot be waited for.
opts(Opts) -> Opts#{asker => self()}.

symbol(_, _, Symbol) when is_atom(Symbol) -> Symbol;
symbol(Self, Message, Other) -> bte_prim:type_error(Self, Message, <<"Symbol">>, Other).
