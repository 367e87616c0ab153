//! Plans of refactorings: pure functions from an index and a request to the new texts.
//!
//! [`plan`] gives a [`Plan`] or a [`Refusal`] with every place that caused it. Nothing is changed:
//! a plan is a value. Every new text has been parsed again and compared with the old tree.

pub mod diff;
pub mod error;
pub mod plan;
pub mod request;

pub use error::Refusal;
pub use plan::{Candidate, Evidence, Operation, Plan, PlanFile, Prose, Warning};
pub use request::Request;

use bt_xref::Index;

/// Plans a request on an index.
///
/// # Errors
///
/// A [`Refusal`] when the request cannot be carried out; it names all places that caused it.
pub fn plan(_index: &Index, _generation: u64, _request: &Request) -> Result<Plan, Refusal> {
    Err(Refusal::new("plan.unsupported", "planning is not available in this build", ""))
}
