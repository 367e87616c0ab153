//! Extents of methods: each case shows the text with the extent between `⟦` and `⟧`.

use crate::{method_extent, parse, removal_extent, Node, NodeKind, TextRange, Unit};

/// The method with this selector.
fn method<'u>(unit: &'u Unit, selector: &str) -> Node<'u> {
    let found = unit.nodes().find(|node| {
        crate::ast::Method::cast(*node).is_some_and(|method| method.selector() == selector)
    });
    found.unwrap_or_else(|| panic!("no method {selector}"))
}

/// The marked text says what the extent of `selector` is.
fn check(extent: fn(Node<'_>) -> TextRange, selector: &str, marked: &str) {
    let text = marked.replace(['⟦', '⟧'], "");
    let unit = parse(&text);
    let range = extent(method(&unit, selector));
    let mut found = text.clone();
    found.insert(range.end().into(), '⟧');
    found.insert(range.start().into(), '⟦');
    assert_eq!(found, marked);
}

#[test]
fn a_method_is_its_lines() {
    check(method_extent, "b", "Object subclass: A\n  a => 1\n⟦  b =>\n    2\n⟧  c => 3\n");
}

#[test]
fn doc_comment_modifiers_and_trailing_comment_belong() {
    check(
        method_extent,
        "b",
        "Object subclass: A\n  a => 1\n\n⟦  /// One.\n  /// Two.\n  sealed class b => 2 // why\n⟧\n  c => 3\n",
    );
}

#[test]
fn an_expect_line_directly_above_belongs_with_its_doc_comment() {
    check(
        method_extent,
        "b",
        "Object subclass: A\n  a => 1\n⟦  /// Doc.\n  @expect type \"old\"\n  b => 2\n⟧",
    );
    check(
        method_extent,
        "b",
        "Object subclass: A\n  a => 1\n⟦  @expect dnu\n  @expect type\n  /// Doc.\n  b => 2\n⟧",
    );
}

#[test]
fn what_a_blank_line_or_a_plain_comment_sets_apart_stays() {
    check(
        method_extent,
        "b",
        "Object subclass: A\n  @expect dnu\n\n  /// Apart.\n\n⟦  b => 2\n⟧  // below\n",
    );
    check(
        method_extent,
        "b",
        "Object subclass: A\n  /// Old.\n  // plain\n⟦  /// New.\n  b => 2\n⟧\n  // below\n",
    );
}

#[test]
fn a_comment_behind_the_method_before_stays() {
    check(method_extent, "b", "Object subclass: A\n  a => 1 /// not of b\n⟦  b => 2\n⟧");
}

#[test]
fn the_extent_ends_with_the_text() {
    check(method_extent, "b", "Object subclass: A\n  a => 1\n⟦  b => 2 // last⟧");
}

#[test]
fn carriage_returns_stay_with_their_lines() {
    check(
        method_extent,
        "b",
        "Object subclass: A\r\n  a => 1\r\n\r\n⟦  /// Doc.\r\n  b => 2\r\n⟧\r\n  c => 3\r\n",
    );
    check(
        removal_extent,
        "b",
        "Object subclass: A\r\n  a => 1\r\n\r\n⟦  b => 2\r\n\r\n⟧  c => 3\r\n",
    );
}

#[test]
fn a_dot_behind_the_last_statement_belongs() {
    check(method_extent, "b", "Object subclass: A\n⟦  b => 2.\n⟧  c => 3\n");
}

#[test]
fn methods_on_one_line_are_kept_apart() {
    check(method_extent, "a", "Object subclass: A\n⟦  a => 1. ⟧b => 2\n  c => 3\n");
    check(method_extent, "b", "Object subclass: A\n  a => 1.⟦ b => 2⟧\n  c => 3\n");
    check(removal_extent, "b", "Object subclass: A\n\n  a => 1.⟦ b => 2⟧\n\n  c => 3\n");
    check(method_extent, "a", "Object subclass: A⟦ a => 1⟧\n  b => 2\n");
}

#[test]
fn what_follows_a_removed_method_on_its_line_keeps_the_blanks_before() {
    check(removal_extent, "a", "Object subclass: A ⟦a => 1. ⟧b => 2. c => 3\n");
    check(removal_extent, "b", "Object subclass: A a => 1. ⟦b => 2. ⟧c => 3\n");
    check(removal_extent, "c", "Object subclass: A a => 1. b => 2.⟦ c => 3⟧\n");
    check(removal_extent, "a", "Object subclass: A\n\n  ⟦/// Doc.\n  a => 1. ⟧b => 2\n");
}

#[test]
fn an_extension_is_taken_whole() {
    check(
        method_extent,
        "sail",
        "A >> a => 1\n\n⟦/// Doc.\n@expect dnu\npier@Ferry class >> sail =>\n  1\n  2 // end\n⟧\nA >> b => 3\n",
    );
    check(method_extent, "a", "⟦A >> a => 1\n⟧\n");
}

#[test]
fn the_byte_order_mark_stays() {
    check(method_extent, "a", "\u{feff}⟦A >> a => 1\n⟧A >> b => 2\n");
}

#[test]
fn blank_lines_on_both_sides_become_those_of_one_side() {
    check(removal_extent, "b", "Object subclass: A\n  a => 1\n\n⟦  b => 2\n\n \n⟧  c => 3\n");
    check(removal_extent, "b", "Object subclass: A\n  a => 1\n⟦  b => 2\n⟧\n  c => 3\n");
    check(removal_extent, "b", "Object subclass: A\n  a => 1\n\n⟦  b => 2\n⟧  c => 3\n");
    check(removal_extent, "b", "Object subclass: A\n  a => 1\n\n⟦  b => 2\n⟧");
}

#[test]
fn a_section_comment_set_apart_stays() {
    check(
        removal_extent,
        "b",
        "Object subclass: A\n  a => 1\n\n  // ---- second part\n\n⟦  /// Doc.\n  b => 2\n\n⟧  c => 3\n",
    );
}

#[test]
fn removing_a_method_leaves_the_others_as_they_were() {
    for file in bt_testkit::gen::corpus(11, 60_000) {
        let unit = parse(&file.text);
        let methods: Vec<_> = unit.nodes().filter(|node| node.kind() == NodeKind::Method).collect();
        let texts: Vec<_> = methods.iter().map(|node| node.text()).collect();
        for (at, removed) in methods.iter().enumerate() {
            let mut text = file.text.clone();
            let extent = removal_extent(*removed);
            text.replace_range(std::ops::Range::<usize>::from(extent), "");
            let after = parse(&text);
            assert!(after.errors().is_empty(), "{:?}", after.errors());
            let mut expected = texts.clone();
            expected.remove(at);
            let left: Vec<_> = after
                .nodes()
                .filter(|node| node.kind() == NodeKind::Method)
                .map(Node::text)
                .collect();
            assert_eq!(left, expected);
        }
    }
}

#[test]
fn a_doc_comment_is_the_run_directly_above() {
    let check = |selector: &str, text: &str, expected: Option<&str>| {
        let unit = parse(text);
        let doc = crate::ast::doc_comment(method(&unit, selector));
        assert_eq!(doc.map(|range| &text[std::ops::Range::<usize>::from(range)]), expected);
    };
    let class = |lines: &str| format!("Object subclass: A\n  a => 1 /// no\n{lines}  b => 2\n");
    check("b", &class(""), None);
    check("b", &class("  /// One.\n  /// Two.\n"), Some("/// One.\n  /// Two."));
    check("b", &class("  /// Old.\n\n  /// New.\n"), Some("/// New."));
    check("b", &class("  /// Old.\n  // plain\n"), None);
    check("b", &class("  /// Doc.\n  @expect dnu\n"), Some("/// Doc."));
    check("b", &class("  @expect dnu\n  /// Doc.\n"), Some("/// Doc."));
    check("sail", "/// Doc.\nA >> sail => 1\n", Some("/// Doc."));
}
