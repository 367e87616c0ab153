//! The members of a unit as texts: to prove that an edit of one leaves the others as they are.

use bt_syntax::{NodeKind, Unit};

/// A declaration's part that stands by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its first byte.
    pub(crate) start: u32,
    /// Its kind and text.
    pub(crate) text: (NodeKind, String),
}

/// Class headers, fields, methods and whatever else stands in a unit, in order.
pub(crate) fn members(unit: &Unit) -> Vec<Member> {
    let mut members = Vec::new();
    for child in unit.root().children() {
        if child.kind() != NodeKind::Class {
            members.push(member(child.kind(), child.span().start().into(), child.text()));
            continue;
        }
        let parts = child.children();
        for part in parts {
            members.push(member(part.kind(), part.span().start().into(), part.text()));
        }
    }
    members
}

fn member(kind: NodeKind, start: u32, text: &str) -> Member {
    Member { start, text: (kind, text.to_owned()) }
}
