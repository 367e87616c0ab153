%% @doc How values look: `printString' as code would write them, and what a prompt shows.
%%
%% {@link print/1} is the default `printString' of every kind of value; elements within are asked
%% for their own `printString', so a class can have its own look at any depth. {@link show/1} is the
%% text of a result at the prompt and in scripts: Strings and Symbols bare, Lists as compact JSON,
%% places in the code in lines.
%% This module is the only one that decides about looks. Tested by `bte_library_SUITE'.
-module(bte_view).

-export([print/1, symbol/1, show/1, show_safely/1, error_text/1, pid_text/1]).

%% @doc Answers the default `printString' of a value.
-spec print(term()) -> binary().
print(V) when is_binary(V) -> print_string(V);
print(V) when is_atom(V) -> print_atom(V);
print(V) when is_integer(V) -> bte_prim_number:to_text(V);
print(V) when is_float(V) -> float_text(V);
print(V) when is_list(V) -> print_list(V);
print({'$array', Elements}) -> text(["#[", elements(tuple_to_list(Elements)), "]"]);
print({'$char', C}) -> <<"$", C/utf8>>;
print({'$class', C}) -> bte_registry:name_of(C);
print({'$meta', C}) -> <<(bte_registry:name_of(C))/binary, " class">>;
print({'$actor', C, Pid}) -> text(["Actor(", bte_registry:name_of(C), ", ", pid_text(Pid), ")"]);
print({'$block', _, _, Arity, _}) -> text(["Block/", integer_to_binary(Arity)]);
print({'$erlang', M}) -> text(["Erlang ", atom_to_binary(M)]);
print(V) when is_function(V) -> text(["Block/", integer_to_binary(bte_block:arity(V))]);
print(#{'$class' := C} = V) -> print_instance(C, V);
print(V) when is_map(V) -> print_map(V);
print(V) when is_tuple(V) -> print_tuple(V);
print(V) when is_pid(V) -> text(["Pid(", pid_text(V), ")"]);
print(V) -> text(io_lib:format("~tp", [V])).

print_string(S) ->
    text([$", string:replace(escaped_braces(S), "\"", "\"\"", all), $"]).

escaped_braces(S) ->
    binary:replace(S, [<<"{">>, <<"}">>], <<"\\">>, [global, {insert_replaced, 1}]).

print_atom(nil) -> <<"nil">>;
print_atom(true) -> <<"true">>;
print_atom(false) -> <<"false">>;
print_atom(A) -> symbol(atom_to_binary(A)).

%% @doc Writes a name as a symbol literal.
-spec symbol(binary()) -> binary().
symbol(Name) ->
    case re:run(Name, symbol_pattern(), [unicode, {capture, none}]) of
        match -> <<"#", Name/binary>>;
        nomatch -> text(["#'", string:replace(Name, "'", "''", all), "'"])
    end.

%% A name, keywords, or an operator: what needs no quotes.
symbol_pattern() ->
    "^([A-Za-z_][A-Za-z0-9_]*|([A-Za-z_][A-Za-z0-9_]*:)+|[-+*/<>=~%&?,\\\\]+)$".

float_text(F) ->
    Text = float_to_binary(F, [short]),
    case binary:match(Text, <<"e">>) of
        nomatch -> Text;
        _ -> plain_float(F, Text)
    end.

%% `short' writes 1.0e3 for a thousand; up to 15 digits a person writes 1000.0.
plain_float(F, _) when abs(F) >= 1.0, abs(F) < 1.0e15 ->
    float_to_binary(F, [{decimals, 10}, compact]);
plain_float(_, Text) ->
    Text.

print_list(List) ->
    case proper(List, []) of
        {Elements, []} -> text(["#(", elements(Elements), ")"]);
        {Elements, Tail} -> text(["#(", elements(Elements), " | ", bte_prim:quoted(Tail), ")"])
    end.

proper([E | Rest], Acc) -> proper(Rest, [E | Acc]);
proper(Tail, Acc) -> {lists:reverse(Acc), Tail}.

elements(Elements) ->
    lists:join(", ", [bte_prim:quoted(E) || E <- Elements]).

print_map(Map) ->
    Pairs = [
        [bte_prim:quoted(K), " => ", bte_prim:quoted(map_get(K, Map))]
     || K <- lists:sort(maps:keys(Map))
    ],
    text(["#{", lists:join(", ", Pairs), "}"]).

print_tuple(Tuple) ->
    text(["{", elements(tuple_to_list(Tuple)), "}"]).

print_instance(C, Self) ->
    Name = bte_registry:name_of(C),
    case {class_kind(C), bte_object:fields(C)} of
        {value, Fields} -> print_value(Name, [F || F <- Fields, is_map_key(F, Self)], Self);
        _ -> text([article(Name), Name])
    end.

class_kind(C) ->
    map_get(kind, bte_meta:info(C)).

print_value(Name, Fields, Self) ->
    Shown = [[atom_to_binary(F), ": ", bte_prim:quoted(map_get(F, Self))] || F <- Fields],
    text([Name, "(", lists:join(", ", Shown), ")"]).

article(<<C, _/binary>>) when C =:= $A; C =:= $E; C =:= $I; C =:= $O; C =:= $U -> <<"an ">>;
article(_) -> <<"a ">>.

%% @doc Answers the text of a result at the prompt and in scripts.
-spec show(term()) -> binary().
show(V) when is_binary(V) -> V;
show(V) when is_atom(V) -> atom_to_binary(V);
show([]) -> <<"[]">>;
show([#{'$class' := 'bt@stdlib@code_site'} | _] = Sites) -> show_places(Sites);
show(V) when is_list(V) -> show_list(V);
show({ok, V}) -> text(["Result ok: ", bte_prim:quoted(V)]);
show({error, V}) -> text(["Result error: ", bte_prim:quoted(V)]);
show({'$actor', _, _} = V) -> print(V);
show(V) -> bte_prim:quoted(V).

%% Places in the code, as tools show them: a line each.
show_places(Sites) ->
    text(lists:join($\n, [bte_prim:quoted(Site) || Site <- Sites])).

show_list(List) ->
    case {is_char_list(List), proper(List, [])} of
        {true, _} -> text(List);
        {false, {Elements, []}} -> text(["[", lists:join(",", [json(E) || E <- Elements]), "]"]);
        {false, _} -> print(List)
    end.

%% A list of code points that can be printed is what Erlang calls a string.
is_char_list(List) ->
    length_of(List) andalso lists:all(fun is_integer/1, List) andalso
        io_lib:printable_unicode_list(List) andalso lists:any(fun(C) -> C >= 32 end, List).

length_of(List) ->
    try length(List) of
        _ -> true
    catch
        error:badarg -> false
    end.

json(V) when is_number(V) -> print(V);
json(nil) -> <<"null">>;
json(V) when is_boolean(V) -> atom_to_binary(V);
json(V) when is_list(V) -> json_list(V);
json(V) -> json_string(show(V)).

json_list(List) ->
    case proper(List, []) of
        {Elements, []} -> ["[", lists:join(",", [json(E) || E <- Elements]), "]"];
        _ -> json_string(print(List))
    end.

json_string(Text) ->
    [$", [json_char(C) || <<C/utf8>> <= Text], $"].

json_char($") -> "\\\"";
json_char($\\) -> "\\\\";
json_char($\n) -> "\\n";
json_char($\r) -> "\\r";
json_char($\t) -> "\\t";
json_char(C) when C < 32 -> io_lib:format("\\u~4.16.0b", [C]);
json_char(C) -> <<C/utf8>>.

%% @doc Answers the text of a result; of a value whose own `printString' fails, or that of
%% something in it, what it is and why.
-spec show_safely(term()) -> binary().
show_safely(V) ->
    try
        show(V)
    catch
        Class:Reason:Stack ->
            Name = bte_registry:name_of(bte_send:class_of(V)),
            Why = bte_error:message(bte_error:from_erlang(Class, Reason, Stack)),
            text([article(Name), Name, " whose printString fails: ", Why])
    end.

%% @doc Answers the text of an exception: class, message and, on a line of its own, the hint.
-spec error_text(bte_error:exception()) -> binary().
error_text(Exception) ->
    bte_error:format(Exception).

%% @doc Answers the numbers of a pid: `0.123.0'.
-spec pid_text(pid()) -> iodata().
pid_text(Pid) ->
    string:trim(pid_to_list(Pid), both, "<>").

text(Chars) ->
    unicode:characters_to_binary(Chars).
