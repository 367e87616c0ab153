//! An error spoils its own method, not its neighbors.

use super::laws::check_unit;
use crate::ast::Method;
use crate::{parse, Node, NodeKind, Unit};
use bt_testkit::gen;
use bt_testkit::rng::Rng;

fn methods(unit: &Unit) -> Vec<Node<'_>> {
    unit.nodes().filter(|node| node.kind() == NodeKind::Method).collect()
}

fn selectors(unit: &Unit) -> Vec<String> {
    methods(unit).into_iter().filter_map(Method::cast).map(Method::selector).collect()
}

/// A class with `broken` between two methods, another class and an extension.
fn around(broken: &str) -> String {
    format!(
        "Object subclass: A\n  state: x = 1\n\n  before: x => \"s\" size\n\n{broken}\n\n  \
         /// Doc.\n  @expect dnu\n  after => self before: \"t\"\n\nObject subclass: B\n  \
         lone => [:y | y]\n\nA >> added: z =>\n  z foo: \"u\"\n"
    )
}

/// The methods around a broken one are found, whole.
#[track_caller]
fn check_around(broken: &str) {
    let text = around(broken);
    let unit = parse(&text);
    check_unit(&text, &unit);
    assert!(!unit.errors().is_empty(), "no error in {broken:?}");
    for (selector, expected) in [
        ("before:", "before: x => \"s\" size"),
        ("after", "after => self before: \"t\""),
        ("lone", "lone => [:y | y]"),
        ("added:", "added: z =>\n  z foo: \"u\""),
    ] {
        let found = methods(&unit)
            .into_iter()
            .find(|node| Method::cast(*node).is_some_and(|method| method.selector() == selector));
        let found = found.unwrap_or_else(|| panic!("{broken:?} lost {selector}"));
        assert_eq!(found.text(), expected, "{broken:?} changed {selector}");
    }
    let after = unit
        .nodes()
        .find(|node| Method::cast(*node).is_some_and(|method| method.selector() == "after"));
    let extent = crate::method_extent(after.unwrap());
    assert!(text[std::ops::Range::<usize>::from(extent)].starts_with("  /// Doc.\n"), "{broken:?}");
    let place = text.find(broken).unwrap();
    for error in unit.errors() {
        let span = std::ops::Range::<usize>::from(error.span);
        assert!(
            place <= span.start && span.end <= place + broken.len() + 2,
            "{broken:?} has its error elsewhere: {error:?}"
        );
    }
}

#[test]
fn unclosed_brackets_stay_in_their_method() {
    for body in [
        "x do: [:y |",
        "x do: [:y |\n      y foo",
        "(1 + 2",
        "((1 + 2)",
        "#(1, 2",
        "#[1, 2",
        "#{#a => 1,",
        "#{#a => [:x | (x",
        "x match: [",
        "x match: [1 -> 2",
        "x match: [{1, 2 -> 3]",
        "x match: [<<a:8 -> 3]",
        "{a, b := 3",
        "\"{x foo: [\"",
        "\"{(x\"",
        "x foo: [ (\n      y bar: #(",
    ] {
        check_around(&format!("  broken =>\n    {body}"));
        check_around(&format!("  broken => {body}"));
    }
}

#[test]
fn stray_closers_stay_in_their_method() {
    for body in
        ["x ]", "x )", "x }", "x foo: ) bar: 2", "x foo: ] bar: 2\n    y", "[x)] foo", "(x])"]
    {
        check_around(&format!("  broken =>\n    {body}\n    y z"));
    }
}

#[test]
fn unclosed_strings_stay_in_their_method() {
    for body in [
        "\"abc",
        "\"abc\n    more text",
        "x foo: \"abc",
        "x foo: \"abc {y",
        "x foo: \"abc {y\" bar",
        "x foo: \"abc {y} bar",
        "x foo: \"abc {\"def} bar",
        "x foo: 'single",
        "x foo: 'it''s'",
        "x foo: #'abc",
        "x foo: y /* never closed",
        "\"\"\"",
        "x foo: \"a\" bar: \"b",
        "x foo: \"no {next first ' } waiting\" >= count",
        "x foo: \"no {next first #' } waiting\" >= count",
        "x move:  }\" self capacity to: 3",
        "x match: [\n      _ -> nil\n    @expect",
    ] {
        check_around(&format!("  broken =>\n    {body}"));
    }
}

#[test]
fn stray_tokens_stay_in_their_method() {
    for body in [
        "3-2",
        "x 3",
        "x := ",
        "x foo:",
        "x + ",
        "^",
        ":= 3",
        "=> 3",
        "x => 3",
        "-> 3",
        "x & y",
        "| x",
        ", x",
        "; x",
        "x;",
        "x; ; y",
        "x ! y",
        "3 := 4",
        "self := 4",
        "x foo := 3",
        "é",
        "a # b",
        "@foo",
        "@intrinsic",
        "x @Foo",
        "#(1 2)",
        "#[1,-2]",
        "#{a => 1}",
        "#{#a 1}",
        "[:x]",
        "[: | x]",
        "[:x y | z]",
        "\"{}\"",
        "\"{{x}}\"",
        "\"{x; y}\"",
        "x match: [1 2]",
        "x match: [true -> 1]",
        "x :: -> 3",
        "7e",
        "99r1",
        "16rXYZ",
        "1e999",
        "...",
        "x zip: 1\n  zap: 2",
        "a :: B",
        "p@q foo",
        "x. . . y ]",
        "foo: 3",
    ] {
        check_around(&format!("  broken =>\n    {body}"));
        // Some of them take the next line for their operand.
        let is_open = ["x := ", "x foo:", "x + ", "^", "; x", ":= 3", "-> 3", "=> 3", "foo: 3"]
            .contains(&body);
        if !is_open {
            check_around(&format!("  broken => x\n    {body}\n    y z"));
        }
    }
}

#[test]
fn broken_headers_stay_with_themselves() {
    for broken in [
        "  sealed => 2",
        "  class sealed => 2",
        "  broken: => 2",
        "  broken: x",
        "  broken: x\n    x foo",
        "  broken: x put: => 3",
        "  broken: x : Integer => 3",
        "  broken: x: Integer => 3",
        "  broken: x :: => 3",
        "  broken -> => 3",
        "  broken: x :: A & B \\ C => 3",
        "  broken: x :: A \\\\ C => 3",
        "  + => 3",
        "  broken -> 3 => 4",
        "  => 3",
        "  3 => 4",
        "  state: => 3",
        "  state: y = ",
        "  state: y = [",
        "  state: y :: = 3",
        "  state: y = 1 2",
        "  field: 3",
        "  @expect\n  broken => 1",
    ] {
        check_around(broken);
    }
}

#[test]
fn a_broken_first_line_costs_itself_only() {
    for line in
        ["=> 1", ") x", "x foo: [", "\"abc", "Object subclass:", "Object subclass: #A", "A >> 3 =>"]
    {
        let text = format!("{line}\nObject subclass: A\n  a => \"s\"\n  b => 2\n");
        let unit = parse(&text);
        assert_eq!(selectors(&unit), ["a", "b"], "{line:?}");
        assert!(!unit.errors().is_empty());
    }
}

#[test]
fn a_string_with_code_in_it_is_left_alone_when_another_method_is_broken() {
    let text = "Object subclass: A\n  a => x compile: \"Object subclass: Q\n  dock => 1\n\"\n  \
                b => 3-2\n  c => \"t\"\n";
    let unit = parse(text);
    assert_eq!(selectors(&unit), ["a", "b", "c"]);
    assert_eq!(unit.errors().len(), 1);
}

#[test]
fn an_odd_quote_among_characters_and_comments_stays_in_its_method() {
    let text = "Object subclass: A\n  a => \"s\"\n  b => x foo: \"abc\n  c => \"t\" at: $\"\n  \
                d => \"u\" size\n  e => 5\n";
    let unit = parse(text);
    assert_eq!(selectors(&unit), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_forgotten_quote_does_not_swallow_a_header_with_an_operator() {
    for header in
        ["class -> other :: T -> S", "sealed + other", "=:= other", "internal class >> x :: T"]
    {
        let text = format!(
            "Object subclass: A\n  a => x }}\" self y\n\n  {header} => \"t {{u}}\" v\n  b => \"w\"\n"
        );
        let unit = parse(&text);
        assert_eq!(methods(&unit).len(), 3, "{header}");
    }
}

#[test]
fn a_forgotten_quote_does_not_swallow_a_header_of_many_lines() {
    let text = "Object subclass: A\n  a => x foo: \"y\n\n  at: k :: K // key\n    // more\n    put: v\n    \
                -> T\n    =>\n      \"s\"\n  next\n    => \"t\" size\n";
    let unit = parse(text);
    assert_eq!(selectors(&unit), ["a", "at:put:", "next"]);
}

#[test]
fn what_follows_the_last_statement_on_its_line_is_an_error() {
    for text in [
        "Object subclass: A\n  a => 3-2\n",
        "Object subclass: A\n  a => \"x\" \"y\"",
        "A >> a => n-1\n",
        "Object subclass: A\n  state: a = 1 2\n",
        "Object subclass: A [x]\n",
    ] {
        let unit = parse(text);
        assert_eq!(unit.errors().len(), 1, "{text:?}: {:?}", unit.errors());
        check_unit(text, &unit);
    }
}

const JUNK: &[&str] = &[
    "[", "]", "(", ")", "{", "}", "#(", "#[", "#{", "\"", "'", "\"{", "}\"", "^", ";", ":=", "::",
    ":", "!", "|", ",", "=", "&", "-1", "3", "#", "@", "é", "foo:", "->", ">>", "$", "...", "#'",
    "\\", "7e", "\"a\"", "x", "X", "@expect", "match: [", "when: [",
];

/// Puts something wrong at a random place of a random body.
fn break_one(rng: &mut Rng, text: &str, unit: &Unit) -> Option<(String, usize)> {
    let methods = methods(unit);
    let at = rng.below(methods.len());
    let body = methods.get(at)?.child(NodeKind::Body)?;
    let tokens: Vec<_> =
        body.token_range().map(|id| unit.token(id)).filter(|t| !t.kind().is_trivia()).collect();
    let token = tokens.get(rng.below(tokens.len()))?;
    let span = std::ops::Range::<usize>::from(token.span());
    let mut text = text.to_owned();
    match rng.below(3) {
        0 => text.replace_range(span, ""),
        1 => text.replace_range(span, rng.pick(JUNK)),
        _ => text.insert_str(span.start, &format!(" {} ", rng.pick(JUNK))),
    }
    Some((text, at))
}

#[test]
fn a_random_error_leaves_all_other_methods_alone() {
    let mut rng = Rng::new(42);
    let mut n_broken = 0;
    for file in gen::project(21, 60) {
        let unit = parse(&file.text);
        let expected: Vec<_> = methods(&unit).iter().map(|node| node.text()).collect();
        for _ in 0..40 {
            let Some((text, at)) = break_one(&mut rng, &file.text, &unit) else { continue };
            let broken = parse(&text);
            if broken.errors().is_empty() {
                continue;
            }
            n_broken += 1;
            let found: Vec<_> = methods(&broken).iter().map(|node| node.text()).collect();
            let lost: Vec<_> = expected
                .iter()
                .enumerate()
                .filter(|(n, text)| *n != at && !found.contains(text))
                .map(|(_, text)| text)
                .collect();
            assert!(
                lost.is_empty() && found.len() >= expected.len(),
                "{}: broken\n{}\nlost {lost:#?}\nerrors {:#?}",
                file.path,
                broken_part(&text, &file.text),
                broken.errors()
            );
        }
    }
    assert!(n_broken > 1000, "{n_broken}");
}

/// The lines in which two texts differ.
fn broken_part(text: &str, original: &str) -> String {
    let same = text.lines().zip(original.lines()).take_while(|(a, b)| a == b).count();
    let lines: Vec<_> = text.lines().skip(same.saturating_sub(6)).take(14).collect();
    lines.join("\n")
}
