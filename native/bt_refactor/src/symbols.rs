//! What a symbol's position says about the thing it may name (language reference, 3.4).

use bt_syntax::ast::arguments_of;
use bt_syntax::{Node, Selector};
use bt_xref::facts::SymbolFact;
use bt_xref::UnitEntry;

/// What a symbol is suspected to name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A class.
    Class,
    /// A selector.
    Selector,
}

const CLASS_ARGUMENTS: [(&str, usize); 8] = [
    ("classNamed:", 0),
    ("findClass:", 0),
    ("packageNameFor:", 0),
    ("conformsTo:", 0),
    ("isProtocol:", 0),
    ("requiredMethods:", 0),
    ("conformingClasses:", 0),
    ("name:", 0),
];

const SELECTOR_ARGUMENTS: [(&str, usize); 28] = [
    ("perform:", 0),
    ("perform:withArguments:", 0),
    ("perform:withArguments:timeout:", 0),
    ("performLocally:withArguments:", 0),
    ("respondsTo:", 0),
    ("canUnderstand:", 0),
    ("includesSelector:", 0),
    ("whichClassIncludesSelector:", 0),
    (">>", 0),
    ("docForMethod:", 0),
    ("removeSelector:", 0),
    ("removeSelector:ifAbsent:", 0),
    ("setDocForMethod:to:", 0),
    ("compile:source:", 0),
    ("tryCompile:source:", 0),
    ("precheckCompile:source:", 0),
    ("implementorsOf:", 0),
    ("sendersOf:", 0),
    ("when:send:to:", 1),
    ("help:selector:", 1),
    ("run:method:", 1),
    ("tracesFor:selector:", 1),
    ("signalKind:class:selector:hint:", 2),
    ("addMethod:body:", 0),
    ("addClassMethod:body:", 0),
    ("removeMethod:", 0),
    ("removeClassMethod:", 0),
    ("withClassMethod:", 0),
];

/// Why a symbol is a candidate.
pub(crate) fn because(entry: &UnitEntry, fact: &SymbolFact, role: Role) -> String {
    let node = entry.unit.node(fact.node);
    let known = match role {
        Role::Class => &CLASS_ARGUMENTS[..],
        Role::Selector => &SELECTOR_ARGUMENTS[..],
    };
    let names = match role {
        Role::Class => "a class",
        Role::Selector => "a selector",
    };
    match argument_of(node) {
        Some(place)
            if known.iter().any(|(selector, at)| (*selector, *at) == (&*place.0, place.1)) =>
        {
            format!("argument of #{}, which names {names}", place.0)
        }
        _ => format!("a symbol of that name; whether it names {names} is unknown"),
    }
}

/// The selector and place when a node is an argument of a send.
fn argument_of(node: Node<'_>) -> Option<(String, usize)> {
    // The parent is the first node behind it that holds it.
    let unit = node.unit();
    let mut id = node.id() + 1;
    while id < unit.n_nodes() {
        let parent = unit.node(id);
        if parent.first_node() <= node.id() {
            let selector = Selector::of_send(parent)?;
            let at = arguments_of(parent).iter().position(|argument| *argument == node)?;
            return Some((selector.name(), at));
        }
        id += 1;
    }
    None
}
