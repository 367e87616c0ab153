//! Static types of receivers (docs/receiver-types.md).
//!
//! What a unit says by itself is kept as expressions ([`Type`]) that name other classes and their
//! methods. They get a meaning only together with an index: so a change in one unit never touches
//! the facts of another.

pub(crate) mod build;
pub mod relation;
pub(crate) mod resolve;
pub(crate) mod table;

pub use relation::Relation;
pub use table::{Type, TypeId, TypeTable};
