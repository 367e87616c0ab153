//! A program parsed, printed and parsed again.

use bt_syntax::{parse, Node, Unit};
use bt_testkit::rng::Rng;
use bt_testkit::{gen, text};

pub(crate) fn run(case: u64) -> usize {
    let mut rng = Rng::new(case);
    let text = if rng.one_in(2) {
        gen::program(case)
    } else {
        String::from_utf8(text::any(&mut rng)).unwrap_or_default()
    };
    let unit = parse(&text);
    let printed = print(&unit);
    assert_eq!(printed, text, "the tree prints its text");
    assert!(same_tree(&unit, &parse(&printed)), "the same text gives the same tree");
    if unit.errors().is_empty() {
        let spaced = print_spaced(&unit);
        let again = parse(&spaced);
        assert!(
            again.errors().is_empty() && same_tree(&unit, &again),
            "wider blanks change nothing"
        );
    }
    text.len()
}

/// The text of a unit from its tree: every node's own tokens, and the trivia between them.
fn print(unit: &Unit) -> String {
    let mut own: Vec<_> = unit.nodes().flat_map(Node::own_tokens).map(|token| token.id()).collect();
    own.extend(unit.tokens().filter(|token| token.kind().is_trivia()).map(|token| token.id()));
    own.sort_unstable();
    own.into_iter().map(|id| unit.token(id).text()).collect()
}

/// Prints with every blank between two significant tokens of a line doubled. Columns of tokens
/// that start a line stay, so the layout rules see the same.
fn print_spaced(unit: &Unit) -> String {
    let mut out = String::new();
    let mut after_significant = false;
    for token in unit.tokens() {
        out.push_str(token.text());
        let is_trivia = token.kind().is_trivia();
        if is_trivia && after_significant && token.text() == " " {
            out.push(' ');
        }
        after_significant = !is_trivia;
    }
    out
}

fn same_tree(a: &Unit, b: &Unit) -> bool {
    a.n_nodes() == b.n_nodes()
        && a.nodes().zip(b.nodes()).all(|(a, b)| {
            let texts = |node: Node<'_>| -> Vec<String> {
                node.own_tokens().into_iter().map(|token| token.text().to_owned()).collect()
            };
            a.kind() == b.kind() && a.first_node() == b.first_node() && texts(a) == texts(b)
        })
}
