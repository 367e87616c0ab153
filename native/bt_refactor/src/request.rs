//! What can be asked for.

use bt_syntax::Side;

/// A request for a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Give a class another name, everywhere.
    RenameClass {
        /// Its name.
        class: String,
        /// The name it gets.
        new_name: String,
    },
    /// Give a method of a class another selector.
    RenameMethod {
        /// The class that defines it.
        class: String,
        /// Its side.
        side: Side,
        /// Its selector.
        selector: String,
        /// The selector it gets.
        new_selector: String,
        /// Candidates to rewrite as well: file and first byte.
        accept: Vec<(String, u32)>,
    },
    /// Take a method out of a class.
    RemoveMethod {
        /// The class that defines it.
        class: String,
        /// Its side.
        side: Side,
        /// Its selector.
        selector: String,
    },
    /// Take a class out of the project.
    RemoveClass {
        /// Its name.
        class: String,
    },
    /// Put a method into a class, replacing the one with that selector.
    PatchMethod {
        /// The class.
        class: String,
        /// The side.
        side: Side,
        /// A whole definition, header included.
        source: String,
    },
}
