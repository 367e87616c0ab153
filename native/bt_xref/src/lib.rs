//! The cross-reference index: who sends what, who names which class, who implements it, who is
//! below whom, with exact spans.
//!
//! [`Index`] is an immutable snapshot over units; [`Index::with_changes`] makes the next one. The
//! crate reads no files and knows no Erlang: a unit is named by its file's path as a text.

pub mod site;
pub mod snapshot;

pub use site::{line_col, Site, SiteKind, SiteSpan};
pub use snapshot::{Change, Closure, Index, Origin, Stats};
