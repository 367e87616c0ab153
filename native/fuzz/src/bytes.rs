//! Any bytes: refused with the right offset, or a unit that keeps all its promises.

use bt_syntax::ast;
use bt_syntax::{
    is_incomplete, method_extent, parse_bytes, removal_extent, ColumnUnit, LineIndex, Node,
    NodeKind, Unit, MAX_TREE_DEPTH,
};
use bt_testkit::rng::Rng;
use bt_testkit::text;

pub(crate) fn run(case: u64) -> usize {
    let bytes = text::any(&mut Rng::new(case));
    match parse_bytes(&bytes) {
        Ok(unit) => check(&bytes, &unit),
        Err(error) => {
            let valid = bytes.get(..error.offset).is_some_and(|it| std::str::from_utf8(it).is_ok());
            assert!(valid && std::str::from_utf8(&bytes).is_err());
        }
    }
    bytes.len()
}

fn check(bytes: &[u8], unit: &Unit) {
    let printed: String = unit.tokens().map(|token| token.text()).collect();
    assert_eq!(printed.as_bytes(), bytes, "lossless");
    let mut heights = vec![0_u32; unit.n_nodes() as usize];
    let mut n_owned = 0;
    for node in unit.nodes() {
        n_owned += node.own_tokens().len();
        let below = node.children_rev().filter_map(|it| heights.get(it.id() as usize).copied());
        let height = below.max().unwrap_or(0) + 1;
        assert!(height <= MAX_TREE_DEPTH, "height");
        if let Some(slot) = heights.get_mut(node.id() as usize) {
            *slot = height;
        }
        ask(node);
    }
    let n_significant = unit.tokens().filter(|token| !token.kind().is_trivia()).count();
    assert_eq!(n_owned, n_significant, "every significant token belongs to one node");
    let index = LineIndex::new(unit.text());
    for error in unit.errors() {
        assert!(!error.message.contains('\n'), "one line");
        let place = index.position(error.span.start().into(), ColumnUnit::Utf16);
        assert!(place.is_some_and(|place| index.offset(place, ColumnUnit::Utf16).is_some()));
    }
    let _ = is_incomplete(unit);
}

/// Asks a node everything that the views can tell; the answers must not panic and lie in the text.
fn ask(node: Node<'_>) {
    assert!(node.unit().text().get(std::ops::Range::<usize>::from(node.span())).is_some());
    if node.kind() == NodeKind::Method {
        let (extent, removal) = (method_extent(node), removal_extent(node));
        // A removal reaches over blank lines behind, or leaves the blanks before.
        assert!(removal.contains_range(node.span()) && extent.contains_range(node.span()));
        assert!(removal.start() >= extent.start() && removal.end() >= extent.end());
        assert!(node.unit().text().get(std::ops::Range::<usize>::from(removal)).is_some());
    }
    let _ = ast::doc_comment(node);
    let _ = ast::arguments_of(node).len();
    let _ = ast::cascade_receiver(node);
    if let Some(method) = ast::Method::cast(node) {
        let _ = (method.selector(), method.side(), method.return_type(), method.body());
    }
    if let Some(class) = ast::Class::cast(node) {
        let _ = (class.name(), class.superclass(), class.type_params(), class.native_module());
        let _ = (class.fields().len(), class.methods().len(), class.has_modifier("sealed"));
    }
    if let Some(header) = ast::Header::cast(node) {
        let _ = (header.selector().arity(), header.params().len());
    }
    if let Some(protocol) = ast::Protocol::cast(node) {
        let _ = (protocol.name(), protocol.extending(), protocol.requirements().len());
    }
}
