//! Whether a send can reach a class's method, by the static type of its receiver.

use crate::facts::SendFact;
use crate::hierarchy::ClassIx;
use crate::snapshot::{Index, UnitEntry};
use bt_syntax::Side;

/// What the type of a receiver says about a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is of the class's line and cannot be anything else.
    Certain(String),
    /// It may be; the type is unknown, or partly related.
    Possible(String),
    /// It cannot be.
    Unrelated,
    /// It is of the line, but on the other side.
    OtherSide,
    /// It is an Erlang module.
    Module,
}

impl Index {
    /// How a send's receiver relates to a class's side.
    #[must_use]
    pub fn relation(
        &self,
        _entry: &UnitEntry,
        _fact: &SendFact,
        _class: ClassIx,
        _side: Side,
    ) -> Relation {
        Relation::Possible("the receiver's type is unknown".to_owned())
    }
}
