//! Laws that hold for every text.

use crate::{parse, parse_bytes, Node, NodeKind, TokenKind, Unit};
use bt_testkit::gen;
use bt_testkit::rng::Rng;
use bt_testkit::text::{edit, PIECES};
use proptest::prelude::*;

/// What a unit promises, whatever its text.
pub(crate) fn check_unit(text: &str, unit: &Unit) {
    check_tokens(text, unit);
    check_tree(unit);
    for error in unit.errors() {
        assert!(!error.message.contains('\n'), "{error:?}");
        assert!(usize::from(error.span.end()) <= text.len());
        assert!(text.get(std::ops::Range::<usize>::from(error.span)).is_some());
        assert!(error.code.starts_with("syntax."));
    }
    let starts: Vec<_> = unit.errors().iter().map(|error| error.span.start()).collect();
    assert!(starts.is_sorted());
    let has_error_token = unit.tokens().any(|token| token.kind() == TokenKind::Error);
    let has_error_node = unit.root().has_error();
    if has_error_token || has_error_node {
        assert!(!unit.errors().is_empty(), "trouble without an error: {text:?}");
    }
}

fn check_tokens(text: &str, unit: &Unit) {
    let printed: String = unit.tokens().map(|token| token.text()).collect();
    assert_eq!(printed, text);
    assert_eq!(unit.text(), text);
    assert!(unit.tokens().all(|token| !token.text().is_empty()), "{text:?}");
}

fn check_tree(unit: &Unit) {
    let root = unit.root();
    assert_eq!(root.kind(), NodeKind::File);
    assert_eq!(root.first_node(), 0);
    let mut n_reached = 0;
    for node in unit.nodes() {
        check_node(node);
        n_reached += node.children_rev().count() as u32;
    }
    assert_eq!(n_reached + 1, unit.n_nodes(), "every node but the root is a child once");
    let significant: Vec<_> =
        unit.tokens().filter(|token| !token.kind().is_trivia()).map(|token| token.id()).collect();
    let mut owned: Vec<_> =
        unit.nodes().flat_map(|node| node.own_tokens()).map(|token| token.id()).collect();
    owned.sort_unstable();
    assert_eq!(owned, significant, "every significant token belongs to one node");
}

fn check_node(node: Node<'_>) {
    let range = node.token_range();
    let mut at = range.start;
    for child in node.children() {
        let inner = child.token_range();
        // A node for something missing stands behind the last token taken: trivia may follow it.
        if inner.is_empty() {
            continue;
        }
        assert!(
            at <= inner.start && inner.end <= range.end,
            "{:?} in {:?}",
            child.kind(),
            node.kind()
        );
        at = inner.end;
    }
    if !range.is_empty() {
        assert!(!node.first_token().kind().is_trivia());
        assert!(!node.unit().token(range.end - 1).kind().is_trivia());
    }
}

fn check(text: &str) {
    check_unit(text, &parse(text));
}

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_kept(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_mix_of_pieces_is_kept(text in pieces()) {
        check(&text);
    }

    #[test]
    fn any_bytes_are_kept_or_refused_with_the_offset(bytes in any::<Vec<u8>>()) {
        match parse_bytes(&bytes) {
            Ok(unit) => check_unit(std::str::from_utf8(&bytes).unwrap(), &unit),
            Err(error) => {
                prop_assert!(std::str::from_utf8(&bytes[..error.offset]).is_ok());
                prop_assert!(std::str::from_utf8(&bytes).is_err());
            }
        }
    }

    #[test]
    fn generated_programs_keep_the_laws(seed in any::<u64>()) {
        let text = gen::program(seed);
        let unit = parse(&text);
        check_unit(&text, &unit);
        prop_assert_eq!(unit.errors().first(), None);
    }

    #[test]
    fn random_edits_of_programs_keep_the_laws(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let mut text = gen::program(seed);
        for _ in 0..1 + rng.below(4) {
            edit(&mut rng, &mut text);
            check(&text);
        }
    }
}

#[test]
fn invalid_utf8_is_refused_with_its_offset() {
    let error = parse_bytes(b"a \xFF b").unwrap_err();
    assert_eq!(error.offset, 2);
    assert_eq!(error.to_string(), "invalid UTF-8 at byte 2");
    assert_eq!(parse_bytes(b"abc \xE2\x82").unwrap_err().offset, 4);
}

#[test]
fn awkward_texts_are_kept() {
    for text in [
        "",
        "\u{feff}",
        "\u{feff}\u{feff}a",
        "a\r\nb\rc\n",
        "\t\ta",
        "a",
        "\"",
        "'",
        "#'",
        "$",
        "$\\",
        "$é",
        "\u{0}\u{1}\u{7f}",
        "\"{\"",
        "\"{\"{\"",
        "\"{}\"",
        "\"{{a}}\"",
        "}}}",
        "@",
        "a@",
        "@@",
        "/*",
        "/*/",
        "/**/",
        "////",
        "///",
        "#",
        "##",
        "1r",
        "1e",
        "1.",
        "...",
        "..",
        "a.b.",
        "\"{#'\n'}\"\n } x",
        "\"{'} a\" b\n} \"c",
        "\"{x ' }\" ]",
        "\"{x #' }\" ] 'y'",
    ] {
        check(text);
    }
}
