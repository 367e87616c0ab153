//! One construct each.

use super::{class_text, members, prompt_text};
use expect_test::{expect, Expect};

fn check(actual: &str, expected: &Expect) {
    expected.assert_eq(actual);
}

#[test]
fn arithmetic_is_called_and_sends_between_other_things() {
    check(
        &members("  sum: a and: b => a + (b size * 2)\n"),
        &expect![[r#"
            'i:sum:and:'(V1, V2, V3) ->
                'n:+'(V2, 'n:*'(bte_send:send(size, '$gen', V3), 2))
            'n:*'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 * V2); true -> bte_send:send('*', '$gen', V1, V2) end; true -> bte_send:send('*', '$gen', V1, V2) end
            'n:+'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 + V2); true -> bte_send:send('+', '$gen', V1, V2) end; true -> bte_send:send('+', '$gen', V1, V2) end"#]],
    );
}

#[test]
fn guarded_return_moves_the_rest_into_the_other_branch() {
    check(
        &members("  max: a => a > self ifTrue: [^a]. self foo\n"),
        &expect![[r#"
            'i:max:'(V1, V2) ->
                case 'q:>'(V2, V1, 'ifTrue:') of
                    true ->
                        V2;
                    _ ->
                        bte_send:send(foo, '$gen', V1)
                end
            'q:>'(V1, V2, V3) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 > V2); true -> bte_send:decide('>', '$gen', V1, V2, V3) end; true -> bte_send:decide('>', '$gen', V1, V2, V3) end"#]],
    );
}

#[test]
fn return_from_a_real_block_is_caught_by_its_method() {
    check(
        &members("  find: xs => xs do: [:e | e ifNil: [^e]]\n"),
        &expect![[r#"
            'i:find:'(V1, V2) ->
                V3 = bte_return:enter(),
                try
                    bte_send:send('do:', '$gen', V2, {'$block', bt@t@c, 1, 1, V3})
                catch
                    {throw, {'$return', V3, V7}, _} ->
                        V7
                after
                    bte_return:leave(V3)
                end
            b(1, V4, V5, _, _) ->
                case V5 of
                    nil ->
                        bte_return:return(V4, V5);
                    V6 ->
                        V6
                end"#]],
    );
}

#[test]
fn local_assigned_in_a_block_lives_in_a_cell() {
    check(
        &members("  sum: xs => z := 0\n    xs do: [:e | z := z + e]\n    z\n"),
        &expect![[r#"
            'i:sum:'(V1, V2) ->
                V3 = bte_cell:new(0),
                bte_send:send('do:', '$gen', V2, {'$block', bt@t@c, 1, 1, V3}),
                bte_cell:take(V3)
            'n:+'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 + V2); true -> bte_send:send('+', '$gen', V1, V2) end; true -> bte_send:send('+', '$gen', V1, V2) end
            b(1, V4, V5, _, _) ->
                bte_cell:set(V4, 'n:+'(bte_cell:get(V4), V5))"#]],
    );
}

#[test]
fn loop_threads_its_locals() {
    let text =
        "  sum: n => i := 0. s := 0\n    [i < n] whileTrue: [s := s + i. i := i + 1]\n    s\n";
    check(
        &members(text),
        &expect![[r#"
            'i:sum:'(V1, V2) ->
                V3 = 0,
                V4 = 0,
                {V11, V12} = 'i:sum:/1'(V2, V3, V4),
                V12
            'i:sum:/1'(V5, V6, V7) ->
                case if erlang:is_number(V6) -> if erlang:is_number(V5) -> (V6 < V5); true -> bte_send:send('<', '$gen', V6, V5) end; true -> bte_send:send('<', '$gen', V6, V5) end of
                    true ->
                        V9 = if erlang:is_number(V7) -> if erlang:is_number(V6) -> (V7 + V6); true -> bte_send:send('+', '$gen', V7, V6) end; true -> bte_send:send('+', '$gen', V7, V6) end,
                        V10 = if erlang:is_number(V6) -> (V6 + 1); true -> bte_send:send('+', '$gen', V6, 1) end,
                        'i:sum:/1'(V5, V10, V9);
                    false ->
                        {V6, V7};
                    V8 ->
                        bte_error:not_boolean('whileTrue:', V8)
                end"#]],
    );
}

#[test]
fn range_with_a_literal_step_asks_one_thing() {
    let text = "  m: n => 1 to: n by: 2 do: [:i | self a: i]\n    9 to: n by: -2 do: [:i | self b: i]\n    1 to: 9 by: n do: [:i | self c: i]\n";
    check(
        &members(text),
        &expect![[r#"
            'i:m:'(V1, V2) ->
                if erlang:is_number(V2) -> 'i:m:/1'(1, V2, 2, V1); true -> bte_error:not_number('to:by:do:', V2) end,
                if erlang:is_number(V2) -> 'i:m:/2'(9, V2, -2, V1); true -> bte_error:not_number('to:by:do:', V2) end,
                if erlang:is_number(V2) -> if (V2 /= 0) -> 'i:m:/3'(1, 9, V2, V1); true -> bte_error:not_number('to:by:do:', V2) end; true -> bte_error:not_number('to:by:do:', V2) end,
                nil
            'i:m:/1'(V3, V4, V5, V6) ->
                V7 = V3,
                if (V3 =< V4) -> bte_send:send('a:', '$gen', V6, V7),
                'i:m:/1'((V3 + V5), V4, V5, V6); true -> nil end
            'i:m:/2'(V8, V9, V10, V11) ->
                V12 = V8,
                if (V8 >= V9) -> bte_send:send('b:', '$gen', V11, V12),
                'i:m:/2'((V8 + V10), V9, V10, V11); true -> nil end
            'i:m:/3'(V13, V14, V15, V16) ->
                V17 = V13,
                if (((V15 > 0) andalso (V13 =< V14)) orelse ((V15 < 0) andalso (V13 >= V14))) -> bte_send:send('c:', '$gen', V16, V17),
                'i:m:/3'((V13 + V15), V14, V15, V16); true -> nil end"#]],
    );
}

#[test]
fn recursive_block_has_its_cell_before_its_value() {
    check(
        &members("  fib => f := [:k | f value: k - 1]. f value: 9\n"),
        &expect![[r#"
            'i:fib'(V1) ->
                V2 = bte_cell:new(nil),
                bte_cell:set(V2, {'$block', bt@t@c, 1, 1, V2}),
                bte_send:send('value:', '$gen', bte_cell:get(V2), 9)
            'n:-'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 - V2); true -> bte_send:send('-', '$gen', V1, V2) end; true -> bte_send:send('-', '$gen', V1, V2) end
            b(1, V3, V4, _, _) ->
                bte_send:send('value:', '$gen', bte_cell:get(V3), 'n:-'(V4, 1))"#]],
    );
}

#[test]
fn match_asks_guards_first_and_calls_where_it_must() {
    let text = "  m: x => x match: [\n    1 -> #one\n    {#ok, v} -> v\n    v :: Integer when: [v > 3] -> v\n    #[a, ...r] -> r\n    _ -> ^ #none\n  ]\n";
    check(
        &members(text),
        &expect![[r#"
            'i:m:'(V1, V2) ->
                case V2 of
                    1 ->
                        one;
                    {ok, V3} ->
                        V3;
                    _ ->
                        case case V2 of
                            V4 when erlang:is_integer(V4) ->
                                case 'n:>'(V4, 3) of
                                    true ->
                                        {true, V4};
                                    false ->
                                        false;
                                    V5 ->
                                        bte_error:not_boolean('when:', V5)
                                end;
                            _ ->
                                false
                        end of
                            {true, V6} ->
                                V6;
                            false ->
                                case case V2 of
                                    {'$array', V7} when (erlang:tuple_size(V7) >= 1) ->
                                        case bte_match:split(V7, 1) of
                                            {V9, V8} ->
                                                {true, V8, V9};
                                            _ ->
                                                false
                                        end;
                                    _ ->
                                        false
                                end of
                                    {true, V10, V11} ->
                                        V10;
                                    false ->
                                        case V2 of
                                            _ ->
                                                none
                                        end
                                end
                        end
                end
            'n:>'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 > V2); true -> bte_send:send('>', '$gen', V1, V2) end; true -> bte_send:send('>', '$gen', V1, V2) end"#]],
    );
}

#[test]
fn actor_state_is_one_map() {
    let text =
        "Actor subclass: A\n  state: n = 0\n  state: b = [:x | x]\n  inc => self.n := n + 1\n";
    check(
        &class_text(text),
        &expect![[r#"
            c('$fields', _, _, _, _, _) ->
                V1 = 0,
                V3 = {'$block', bt@t@c, 1, 1, {}},
                (bt@t@super:c('$fields', [], [], [], [], []))#{n => V1, b => V3}
            'i:inc'(V1) ->
                V2 = 'n:+'(erlang:map_get(n, erlang:get('$state')), 1),
                erlang:put('$state', (erlang:get('$state'))#{n := V2}),
                V2
            'n:+'(V1, V2) ->
                if erlang:is_number(V1) -> if erlang:is_number(V2) -> (V1 + V2); true -> bte_send:send('+', '$gen', V1, V2) end; true -> bte_send:send('+', '$gen', V1, V2) end
            b(1, {}, V2, _, _) ->
                V2"#]],
    );
}

#[test]
fn cascade_has_its_receiver_once() {
    check(
        &members("  say: n => Transcript show: \"a {n} b\"; cr\n"),
        &expect![[r#"
        'i:say:'(V1, V2) ->
            V3 = #{'$class' => bt@stdlib@transcript_stream},
            bte_send:send('show:', '$gen', V3, bte_string:interpolate([<<"a ">>, bte_send:send(displayString, '$gen', V2), <<" b">>])),
            bte_send:send(cr, '$gen', V3)"#]],
    );
}

#[test]
fn prompt_hands_values_back() {
    let text = "x := 3\nb := [:y | x := x + y]\n1 to: 3 do: [:i | x := i]\nx";
    check(
        &prompt_text(text, &["x"]),
        &expect![[r#"
            bte_cell:set(V1, 3).
            V4 = fun(V2) ->
                V3 = bte_cell:get(V1),
                bte_cell:set(V1, if erlang:is_number(V3) -> if erlang:is_number(V2) -> (V3 + V2); true -> bte_send:send('+', '$gen', V3, V2) end; true -> bte_send:send('+', '$gen', V3, V2) end)
            end,
            V4.
            (fun V8({V5, V6, V7}) ->
                V9 = V5,
                if (V5 =< V6) -> bte_cell:set(V7, V9),
                V8({(V5 + 1), V6, V7}); true -> nil end
            end)({1, 3, V1}),
            nil.
            bte_cell:get(V1).
        "#]],
    );
}
