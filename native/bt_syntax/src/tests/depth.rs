//! Nesting far beyond reason: an error with its place, and no stack used up.

use crate::{parse, Unit, MAX_CASCADE, MAX_TREE_DEPTH};

const N: usize = 50_000;

/// Less than what a dirty scheduler of the Erlang VM has, with room for the caller's frames.
const STACK: usize = 200 * 1024;

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    thread.join().unwrap()
}

/// Parses on a small stack, walks and drops the tree there.
fn parse_small(text: String) -> Unit {
    on_a_small_stack(move || {
        let unit = parse(&text);
        let printed: String = unit.tokens().map(|token| token.text()).collect();
        assert_eq!(printed, text);
        assert!(height(&unit) <= MAX_TREE_DEPTH, "the tree is too high: {}", height(&unit));
        unit
    })
}

fn height(unit: &Unit) -> u32 {
    let mut heights = vec![0_u32; unit.n_nodes() as usize];
    for node in unit.nodes() {
        let below = node.children_rev().map(|child| heights[child.id() as usize]).max();
        heights[node.id() as usize] = below.unwrap_or(0) + 1;
    }
    heights.last().copied().unwrap_or(0)
}

#[track_caller]
fn check_too_deep(text: String) {
    let unit = parse_small(text);
    let error = unit.errors().iter().find(|error| error.code == "syntax.too_deep");
    let error = error.unwrap_or_else(|| panic!("no error; {:?}", unit.errors().first()));
    assert_eq!(error.message, "nested too deeply");
    assert!(error.span.len() < 16.into());
    assert!(unit.errors().len() < 4, "{:?}", unit.errors());
}

fn nested(open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(N), close.repeat(N))
}

#[test]
fn brackets_of_every_kind_are_limited() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("[:a | ", "]"),
        ("#(", ")"),
        ("#[", "]"),
        ("#{#a => ", "}"),
        ("#{#[", "] => 1}"),
        ("x foo: (", ")"),
        ("x + (", ")"),
        ("^(", ")"),
        ("x := [", "]"),
        ("x match: [_ -> ", "]"),
        ("(a b: c; d: ", ")"),
        ("#(1 | ", ")"),
    ] {
        check_too_deep(nested(open, "a", close));
        check_too_deep(format!("Object subclass: A\n  a => {}\n", nested(open, "a", close)));
    }
}

#[test]
fn brackets_that_are_never_closed_are_limited() {
    for open in ["(", "[", "#(", "#[", "#{#a => ", "x match: [_ -> ", "[:x | y foo: ("] {
        check_too_deep(open.repeat(N));
    }
}

#[test]
fn interpolations_are_limited() {
    check_too_deep(nested("\"{", "a", "}\""));
}

#[test]
fn chains_are_limited() {
    check_too_deep(format!("a{}", " b".repeat(N)));
    check_too_deep(format!("a{}", " + b".repeat(N)));
    check_too_deep(format!("a{}", " ** b".repeat(N)));
    check_too_deep(format!("a{}", "; b".repeat(N)));
    check_too_deep(format!("a{}", ".b".repeat(N)));
    check_too_deep(format!("{}1", "a := ".repeat(N)));
    check_too_deep(format!("{}1", "^ ".repeat(N)));
    check_too_deep(format!("{}1", "a :: T := ".repeat(N)));
    check_too_deep(format!("a{}", " == b + c ** (d".repeat(N)));
}

#[test]
fn patterns_are_limited() {
    check_too_deep(format!("{} := t", nested("{", "a", "}")));
    check_too_deep(format!("x match: [{} -> 1]", nested("#[", "a", "]")));
}

#[test]
fn types_are_limited() {
    check_too_deep(format!("type Big = {}\n", nested("(", "A", ")")));
    check_too_deep(format!("type Big = {}\n", nested("List(", "A", ")")));
    check_too_deep(format!("type Big = A{}\n", " & B".repeat(N)));
    check_too_deep(format!("Object subclass: A\n  state: a :: {}\n", nested("L(", "A", ")")));
}

#[test]
fn what_is_flat_is_not_limited() {
    for text in [
        format!("a{}", " foo: b".repeat(N)),
        format!("#(1{})", ", 1".repeat(N)),
        format!("[{}]", "a b. ".repeat(N)),
        format!("type Big = A{}\n", " | B".repeat(N)),
        format!("a{}", "; b: 1".repeat(MAX_CASCADE as usize)),
        format!("\"{}\"", "{a} ".repeat(N)),
        "a b\n".repeat(N),
    ] {
        let unit = parse_small(text);
        assert_eq!(unit.errors().first(), None);
    }
}

#[test]
fn two_hundred_levels_are_fine() {
    for (open, close) in [("(", ")"), ("[", "]"), ("#(", ")"), ("\"{", "}\"")] {
        let text = format!("{}a{}", open.repeat(200), close.repeat(200));
        assert_eq!(parse_small(text).errors().first(), None);
    }
}

#[test]
fn a_method_nested_too_deeply_leaves_its_neighbors_alone() {
    let deep = nested("(", "a", ")");
    let text = format!("Object subclass: A\n  a => 1\n  b => {deep}\n  c: x => x d\nA >> e => 2\n");
    let unit = parse_small(text);
    let found: Vec<_> =
        unit.nodes().filter_map(crate::ast::Method::cast).map(|method| method.selector()).collect();
    assert_eq!(found, ["a", "b", "c:", "e"]);
    assert_eq!(unit.errors().len(), 1);
}
