%% @doc Help: what doc comments say of classes and methods, as text for the prompt.
%% Tested by `bte_library_SUITE'.
-module(bte_help).

-export([class/1, method/2, no_method/2]).

-type behaviour_object() :: {'$class' | '$meta', bte_registry:identity()}.

%% @doc Answers the name, place in the hierarchy, comment and methods of a class.
-spec class(behaviour_object()) -> binary().
class({_, C} = Self) ->
    Class = {'$class', C},
    text([
        heading(Self), $\n,
        comment(bte_prim_behaviour:doc(Class)),
        section(<<"Class side">>, {'$meta', C}),
        section(<<"Instance side">>, Class),
        <<"\n:help ">>, bte_view:print(Class), <<" <selector> tells more of one.\n">>
    ]).

heading({_, C}) ->
    Class = {'$class', C},
    case bte_prim_behaviour:superclass(Class) of
        nil -> bte_view:print(Class);
        Super -> [bte_view:print(Class), <<" (below ">>, bte_view:print(Super), <<")">>]
    end.

comment(nil) -> <<>>;
comment(Doc) -> [$\n, Doc, $\n].

section(Title, Self) ->
    case bte_prim_behaviour:methods(Self) of
        [] -> <<>>;
        Selectors -> [$\n, Title, $\n, [line(Self, S) || S <- Selectors]]
    end.

line(Self, Selector) ->
    [<<"  ">>, pad(atom_to_binary(Selector)), first_line(doc(Self, Selector)), $\n].

pad(Text) -> string:pad(Text, 30, trailing).

first_line(nil) -> <<>>;
first_line(Doc) -> [<<" ">>, hd(binary:split(Doc, <<"\n">>))].

doc(Self, Selector) -> bte_prim_behaviour:doc_for_method(Self, Selector).

%% @doc Answers the header and comment of the method that instances would run.
-spec method(behaviour_object(), atom()) -> {ok, binary()} | error.
method(Self, Selector) ->
    case bte_prim_behaviour:which_class_includes_selector(Self, Selector) of
        nil -> error;
        Owner -> {ok, method_text(Owner, Selector)}
    end.

method_text(Owner, Selector) ->
    #{source := Source} = bte_prim_behaviour:method(Owner, Selector),
    text([
        bte_view:print(Owner), <<">>">>, atom_to_binary(Selector), $\n,
        header(Source), comment(doc(Owner, Selector))
    ]).

%% The signature: the first line that is no comment, up to the arrow of the body.
header(nil) ->
    <<"  (made from a field)\n">>;
header(Source) ->
    Lines = [string:trim(L) || L <- binary:split(Source, <<"\n">>, [global])],
    case [L || L <- Lines, L =/= <<>>, not is_comment(L)] of
        [Line | _] -> [<<"  ">>, string:trim(hd(binary:split(Line, <<"=>">>))), $\n];
        [] -> <<>>
    end.

is_comment(<<"//", _/binary>>) -> true;
is_comment(_) -> false.

%% @doc Answers the text for a selector that is not there, with one that looks like it.
-spec no_method(behaviour_object(), atom()) -> binary().
no_method(Self, Selector) ->
    Known = [atom_to_binary(S) || S <- bte_prim_behaviour:all_methods(Self)],
    Hint =
        case bte_similar:closest(atom_to_binary(Selector), Known) of
            {ok, Close} -> [<<" Did you mean #">>, Close, <<"?">>];
            none -> <<>>
        end,
    text([bte_view:print(Self), <<" has no method #">>, atom_to_binary(Selector), $., Hint]).

text(Chars) -> unicode:characters_to_binary(Chars).
