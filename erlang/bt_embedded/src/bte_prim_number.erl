%% @doc Primitives of `Number', `Integer' and `Float'.
-module(bte_prim_number).

-export([add/2, subtract/2, multiply/2, divide/2, remainder/2, power/2]).
-export([less/2, greater/2, less_or_equal/2, greater_or_equal/2]).
-export([floor_divide/2, modulo/2, quotient/2]).
-export([sqrt/1, ln/1, log10/1, exp/1, sin/1, cos/1, tan/1, asin/1, acos/1, atan/1, pi/1]).
-export([rounded/1, truncated/1, floor/1, ceiling/1, as_float/1, round_to/2, print_digits/2]).
-export([bit_and/2, bit_or/2, bit_xor/2, bit_shift/2, print_in_base/2]).
-export([from_text/1, to_text/1]).

%% The largest result of a power or shift in bits: beyond it is a mistake, not a number.
-define(MAX_BITS, 4000000).
%% What one step reads or writes of a number in decimal digits. Erlang's own functions cannot be
%% interrupted, and take a minute for a million digits.
-define(STEP, 4096).

%% @doc Reads the decimal digits of an Integer, which may have a minus sign.
-spec from_text(binary()) -> integer().
from_text(Text) when byte_size(Text) =< ?STEP -> binary_to_integer(Text);
from_text(<<"-", Digits/binary>>) -> -from_text(Digits);
from_text(Digits) ->
    First = byte_size(Digits) rem ?STEP,
    <<Head:First/binary, Rest/binary>> = Digits,
    read_steps(Rest, binary_to_integer(<<"0", Head/binary>>), step_size()).

read_steps(<<Part:?STEP/binary, Rest/binary>>, Acc, Size) ->
    read_steps(Rest, Acc * Size + binary_to_integer(Part), Size);
read_steps(<<>>, Acc, _) ->
    Acc.

%% @doc Writes an Integer in decimal digits.
-spec to_text(integer()) -> binary().
to_text(N) when abs(N) < 1 bsl 64 -> integer_to_binary(N);
to_text(N) when N < 0 -> <<"-", (to_text(-N))/binary>>;
to_text(N) -> write_steps(N, step_size(), []).

write_steps(N, Size, Acc) when N < Size ->
    iolist_to_binary([integer_to_binary(N) | Acc]);
write_steps(N, Size, Acc) ->
    Part = integer_to_binary(N rem Size),
    Padding = binary:copy(<<"0">>, ?STEP - byte_size(Part)),
    write_steps(N div Size, Size, [Padding, Part | Acc]).

step_size() -> integer_power(10, ?STEP, 1).

%% @doc Adds.
-spec add(number(), term()) -> number().
add(A, B) when is_number(B) -> compute(A, '+', fun() -> A + B end);
add(A, B) -> expected(A, '+', B).

%% @doc Subtracts.
-spec subtract(number(), term()) -> number().
subtract(A, B) when is_number(B) -> compute(A, '-', fun() -> A - B end);
subtract(A, B) -> expected(A, '-', B).

%% @doc Multiplies.
-spec multiply(number(), term()) -> number().
multiply(A, B) when is_number(B) -> compute(A, '*', fun() -> A * B end);
multiply(A, B) -> expected(A, '*', B).

%% @doc Divides; the quotient is a float.
-spec divide(number(), term()) -> float().
divide(A, B) when is_number(B), B == 0 -> by_nought(A, '/');
divide(A, B) when is_number(B) -> compute(A, '/', fun() -> A / B end);
divide(A, B) -> expected(A, '/', B).

%% @doc Answers the remainder of a division toward nought.
-spec remainder(number(), term()) -> number().
remainder(A, B) when is_number(B), B == 0 -> by_nought(A, '%');
remainder(A, B) when is_integer(A), is_integer(B) -> A rem B;
remainder(A, B) when is_number(B) -> compute(A, '%', fun() -> math:fmod(A, B) end);
remainder(A, B) -> expected(A, '%', B).

%% @doc Raises to a power.
-spec power(number(), term()) -> number().
power(A, B) when is_integer(A), is_integer(B), B >= 0 ->
    check_bits(A, '**', bits(A) * B),
    integer_power(A, B, 1);
power(A, B) when is_number(B) ->
    compute(A, '**', fun() -> math:pow(A, B) end);
power(A, B) ->
    expected(A, '**', B).

integer_power(_, 0, Acc) -> Acc;
integer_power(A, N, Acc) when N band 1 =:= 1 -> integer_power(A, N - 1, Acc * A);
integer_power(A, N, Acc) -> integer_power(A * A, N bsr 1, Acc).

bits(A) when abs(A) < 2 -> 0;
bits(A) -> length(integer_to_list(abs(A), 16)) * 4.

check_bits(A, Selector, Bits) when Bits > ?MAX_BITS ->
    bte_prim:argument_error(A, Selector, <<"the result would be too large a number">>);
check_bits(_, _, _) ->
    ok.

%% @doc Compares.
-spec less(number(), term()) -> boolean().
less(A, B) when is_number(B) -> A < B;
less(A, B) -> expected(A, '<', B).

%% @doc Compares.
-spec greater(number(), term()) -> boolean().
greater(A, B) when is_number(B) -> A > B;
greater(A, B) -> expected(A, '>', B).

%% @doc Compares.
-spec less_or_equal(number(), term()) -> boolean().
less_or_equal(A, B) when is_number(B) -> A =< B;
less_or_equal(A, B) -> expected(A, '<=', B).

%% @doc Compares.
-spec greater_or_equal(number(), term()) -> boolean().
greater_or_equal(A, B) when is_number(B) -> A >= B;
greater_or_equal(A, B) -> expected(A, '>=', B).

%% @doc Divides, rounding down.
-spec floor_divide(number(), term()) -> integer().
floor_divide(A, B) when is_number(B), B == 0 -> by_nought(A, 'div:');
floor_divide(A, B) when is_integer(A), is_integer(B) -> (A - modulo(A, B)) div B;
floor_divide(A, B) when is_number(B) -> compute(A, 'div:', fun() -> erlang:floor(A / B) end);
floor_divide(A, B) -> expected(A, 'div:', B).

%% @doc Answers the remainder of a division that rounds down.
-spec modulo(number(), term()) -> number().
modulo(A, B) when is_number(B), B == 0 ->
    by_nought(A, 'mod:');
modulo(A, B) when is_number(B) ->
    case remainder(A, B) of
        R when R /= 0, (R < 0) =/= (B < 0) -> R + B;
        R -> R
    end;
modulo(A, B) ->
    expected(A, 'mod:', B).

%% @doc Divides, rounding toward nought.
-spec quotient(number(), term()) -> integer().
quotient(A, B) when is_number(B), B == 0 -> by_nought(A, 'quo:');
quotient(A, B) when is_integer(A), is_integer(B) -> A div B;
quotient(A, B) when is_number(B) -> compute(A, 'quo:', fun() -> trunc(A / B) end);
quotient(A, B) -> expected(A, 'quo:', B).

%% @doc Answers the square root.
-spec sqrt(number()) -> float().
sqrt(A) -> compute(A, sqrt, fun() -> math:sqrt(A) end).

%% @doc Answers the natural logarithm.
-spec ln(number()) -> float().
ln(A) -> compute(A, ln, fun() -> math:log(A) end).

%% @doc Answers the logarithm to base ten.
-spec log10(number()) -> float().
log10(A) -> compute(A, log, fun() -> math:log10(A) end).

%% @doc Answers e raised to the number.
-spec exp(number()) -> float().
exp(A) -> compute(A, exp, fun() -> math:exp(A) end).

%% @doc Answers the sine.
-spec sin(number()) -> float().
sin(A) -> compute(A, sin, fun() -> math:sin(A) end).

%% @doc Answers the cosine.
-spec cos(number()) -> float().
cos(A) -> compute(A, cos, fun() -> math:cos(A) end).

%% @doc Answers the tangent.
-spec tan(number()) -> float().
tan(A) -> compute(A, tan, fun() -> math:tan(A) end).

%% @doc Answers the arc sine.
-spec asin(number()) -> float().
asin(A) -> compute(A, arcSin, fun() -> math:asin(A) end).

%% @doc Answers the arc cosine.
-spec acos(number()) -> float().
acos(A) -> compute(A, arcCos, fun() -> math:acos(A) end).

%% @doc Answers the arc tangent.
-spec atan(number()) -> float().
atan(A) -> compute(A, arcTan, fun() -> math:atan(A) end).

%% @doc Answers pi.
-spec pi(term()) -> float().
pi(_) -> math:pi().

%% @doc Rounds, a half away from nought.
-spec rounded(number()) -> integer().
rounded(A) -> round(A).

%% @doc Rounds toward nought.
-spec truncated(number()) -> integer().
truncated(A) -> trunc(A).

%% @doc Rounds down.
-spec floor(number()) -> integer().
floor(A) -> erlang:floor(A).

%% @doc Rounds up.
-spec ceiling(number()) -> integer().
ceiling(A) -> erlang:ceil(A).

%% @doc Answers the number as a float.
-spec as_float(number()) -> float().
as_float(A) -> compute(A, asFloat, fun() -> float(A) end).

%% @doc Rounds to so many digits after the point.
-spec round_to(float(), term()) -> float().
round_to(A, Digits) ->
    binary_to_float(print_digits(A, Digits, 'roundTo:', 1)).

%% @doc Prints with so many digits after the point.
-spec print_digits(float(), term()) -> binary().
print_digits(A, Digits) ->
    print_digits(A, Digits, 'printDigits:', 0).

print_digits(A, Digits, Selector, Least) ->
    case bte_prim:integer(A, Selector, Digits) of
        N when N >= 0, N =< 250 -> float_to_binary(rounded_at(A, N), [{decimals, max(N, Least)}]);
        _ -> bte_prim:argument_error(A, Selector, <<"expects 0 to 250 digits">>)
    end.

%% `float_to_binary' with decimals cuts 2.675 by its binary value; that is what it is.
rounded_at(A, 0) -> float(round(A));
rounded_at(A, _) -> A.

%% @doc Answers the bits that both have.
-spec bit_and(integer(), term()) -> integer().
bit_and(A, B) -> A band bte_prim:integer(A, 'bitAnd:', B).

%% @doc Answers the bits that either has.
-spec bit_or(integer(), term()) -> integer().
bit_or(A, B) -> A bor bte_prim:integer(A, 'bitOr:', B).

%% @doc Answers the bits that exactly one has.
-spec bit_xor(integer(), term()) -> integer().
bit_xor(A, B) -> A bxor bte_prim:integer(A, 'bitXor:', B).

%% @doc Moves bits to the left, or with a negative number to the right.
-spec bit_shift(integer(), term()) -> integer().
bit_shift(A, B) ->
    Places = bte_prim:integer(A, 'bitShift:', B),
    check_bits(A, 'bitShift:', Places + bits(A)),
    A bsl Places.

%% @doc Prints in a base from 2 to 36.
-spec print_in_base(integer(), term()) -> binary().
print_in_base(A, Base) when is_integer(Base), Base >= 2, Base =< 36 -> integer_to_binary(A, Base);
print_in_base(A, Base) when is_integer(Base) ->
    bte_prim:argument_error(A, 'printString:', <<"a base is a number from 2 to 36">>);
print_in_base(A, Base) ->
    bte_prim:type_error(A, 'printString:', <<"Integer">>, Base).

compute(Self, Selector, Fun) ->
    try
        Fun()
    catch
        error:badarith ->
            Message = [atom_to_binary(Selector), <<" has no result for this number">>],
            bte_prim:argument_error(Self, Selector, Message);
        error:badarg ->
            bte_prim:argument_error(Self, Selector, <<"the number is too large for a Float">>);
        error:system_limit ->
            bte_prim:argument_error(Self, Selector, <<"the result would be too large a number">>)
    end.

-spec by_nought(term(), term()) -> no_return().
by_nought(Self, Selector) ->
    Hint = <<"Ask isZero of the divisor first.">>,
    bte_prim:raise(division_by_zero, Self, Selector, <<"division by zero">>, Hint).

-spec expected(term(), term(), term()) -> no_return().
expected(Self, Selector, Actual) ->
    bte_prim:type_error(Self, Selector, <<"Number">>, Actual).
