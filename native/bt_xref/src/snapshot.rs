//! An immutable index over units, and how the next one is made from it.

use crate::site::Site;
use bt_syntax::{Side, Unit};
use std::sync::Arc;

/// Where a unit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A file of the project.
    Project,
    /// A file of a dependency.
    Dependency,
    /// A file of the standard library.
    Stdlib,
    /// Text typed at a prompt.
    Prompt,
}

/// A change of the set of units.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new or changed unit.
    Put {
        /// Its file, relative to the project.
        file: Arc<str>,
        /// The parsed text.
        unit: Arc<Unit>,
        /// The package it belongs to.
        package: Arc<str>,
        /// Where it comes from.
        origin: Origin,
    },
    /// A unit that is gone.
    Delete {
        /// Its file.
        file: Arc<str>,
    },
}

/// How much an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Units.
    pub files: usize,
    /// Bytes of text.
    pub bytes: usize,
    /// Methods, extensions included.
    pub methods: usize,
    /// Sends.
    pub sends: usize,
    /// Class references, declarations not counted.
    pub references: usize,
}

/// Who implements a selector strictly below a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// Whether nobody does, and no class below has an unknown body.
    pub free: bool,
    /// The definitions, extensions included, sorted.
    pub implementors: Vec<Site>,
    /// Classes below whose bodies are not (wholly) known, sorted.
    pub unknown: Vec<String>,
}

/// An immutable index. Cloning is cheap; a changed index shares what did not change.
#[derive(Clone, Debug, Default)]
pub struct Index {}

impl Index {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The index after some changes, applied in order.
    #[must_use]
    pub fn with_changes(&self, _changes: &[Change]) -> Self {
        Self {}
    }

    /// How much it holds.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::default()
    }

    /// All sends of a selector.
    #[must_use]
    pub fn senders_of(&self, _selector: &str) -> Vec<Site> {
        Vec::new()
    }

    /// All references to a class, protocol or alias (its declaration not included).
    #[must_use]
    pub fn references_to(&self, _class: &str) -> Vec<Site> {
        Vec::new()
    }

    /// All definitions of a selector: methods, extensions, protocol requirements.
    #[must_use]
    pub fn implementors_of(&self, _selector: &str) -> Vec<Site> {
        Vec::new()
    }

    /// The declarations of the direct subclasses.
    #[must_use]
    pub fn subclasses_of(&self, _class: &str) -> Vec<Site> {
        Vec::new()
    }

    /// The declarations of all classes below.
    #[must_use]
    pub fn all_subclasses_of(&self, _class: &str) -> Vec<Site> {
        Vec::new()
    }

    /// Who implements a selector strictly below a class; `None` when there is no such class.
    #[must_use]
    pub fn closure(&self, _class: &str, _side: Side, _selector: &str) -> Option<Closure> {
        None
    }
}
