%% @doc What Erlang's own errors say in Beamtalk terms. Tested by `bte_send_SUITE'.
-module(bte_error_erlang).

-export([exception/2]).

%% @doc Makes an exception of an Erlang error reason and its stack trace.
-spec exception(term(), list()) -> bte_error:exception().
exception(badarith, Stack) ->
    arithmetic(operands(Stack));
exception({badkey, Key}, _) ->
    make(key_error, "key ~0tp not found", [Key], Key, <<"Use at:ifAbsent: to supply a value.">>);
exception({badmap, Value}, _) ->
    make(type_error, "~0tp is not a Dictionary", [short(Value)], Value, nil);
exception({case_clause, Value}, _) ->
    make(match_error, "no pattern fits ~0tp", [short(Value)], Value, nil);
exception({badmatch, Value}, _) ->
    make(match_error, "~0tp does not fit the pattern", [short(Value)], Value, nil);
exception({badfun, Value}, _) ->
    make(type_error, "~0tp is not a block", [short(Value)], Value, nil);
exception({badarity, _}, _) ->
    make(arity_mismatch, "a function was given the wrong number of arguments", [], nil, nil);
exception(system_limit, _) ->
    make(runtime_error, "a limit of the system was reached", [], nil, nil);
exception(undef, [{M, F, Args, _} | _]) ->
    undefined(M, F, Args);
exception(function_clause, [{M, F, Args, _} | _]) ->
    clause(M, F, Args);
exception(badarg, [{M, F, Args, _} | _]) ->
    make(argument_error, "bad argument to ~ts:~ts/~b", [M, F, count(Args)], args(Args), nil);
exception(badarg, _) ->
    make(argument_error, "bad argument", [], nil, nil);
exception(Reason, _) ->
    make(runtime_error, "Erlang error: ~0tp", [short(Reason)], Reason, nil).

arithmetic([_, Zero]) when Zero == 0 ->
    make(division_by_zero, "division by zero", [], nil, <<"Check the divisor first.">>);
arithmetic([A, B]) when is_number(A), is_number(B) ->
    make(argument_error, "the result would be too large a number", [], nil, nil);
arithmetic(Operands) ->
    make(type_error, "arithmetic needs numbers", [], Operands, nil).

operands([{erlang, _, Args, _} | _]) when is_list(Args) -> Args;
operands(_) -> [].

undefined(M, F, Args) ->
    case bte_registry:is_identity(M) of
        true when is_list(Args), F =:= b ->
            bte_block:outdated_exception(M, hd(Args));
        true ->
            make(class_not_found, "Class '~ts' not found", [bte_registry:name_of(M)], nil, nil);
        false ->
            make(does_not_understand, "Erlang module ~ts has no function ~ts/~b",
                [M, F, count(Args)], nil, <<"Check the name and the number of arguments.">>)
    end.

clause(M, F, Args) ->
    make(argument_error, "no clause of ~ts:~ts/~b fits the arguments", [M, F, count(Args)],
        args(Args), nil).

count(Args) when is_list(Args) -> length(Args);
count(Arity) -> Arity.

args(Args) when is_list(Args) -> Args;
args(_) -> nil.

short(Value) ->
    %% Long terms are cut: an error text is for people.
    case erts_debug:flat_size(Value) > 200 of
        true -> '(long term)';
        false -> Value
    end.

make(Kind, Format, Args, Details, Hint) ->
    bte_error:exception(Kind, #{
        message => unicode:characters_to_binary(io_lib:format(Format, Args)),
        details => Details,
        hint => Hint
    }).
