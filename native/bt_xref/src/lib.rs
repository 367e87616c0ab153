//! The cross-reference index: who sends what, who names which class, who implements it, who is
//! below whom, with exact spans.
//!
//! [`Index`] is an immutable snapshot over units; [`Index::with_changes`] makes the next one. The
//! crate reads no files and knows no Erlang: a unit is named by its file's path as a text.

pub mod audit;
mod bytes;
pub mod closure;
pub mod extract;
pub mod facts;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
pub mod hierarchy;
pub mod ids;
pub mod inside;
pub mod lines;
pub mod load;
pub mod posting;
pub mod query;
pub mod row_list;
pub mod rows;
pub mod site;
pub mod sites;
pub mod snapshot;
pub mod types;

pub use closure::Closure;
pub use extract::Marks;
pub use hierarchy::{ClassIx, ClassKind};
pub use rows::{Provenance, RowOwner, RowVisitor, Rows, Slice, Spot};
pub use site::{line_col, Site, SiteKind, SiteSpan};
pub use sites::SiteMaker;
pub use snapshot::{Change, Index, Opaque, Origin, Patched, Stats, UnitEntry};

#[cfg(test)]
mod tests;
