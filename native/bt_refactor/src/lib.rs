//! Plans of refactorings: pure functions from an index and a request to the new texts.
//!
//! [`plan`] gives a [`Plan`] or a [`Refusal`] with every place that caused it. Nothing is changed:
//! a plan is a value. Every new text has been parsed again and compared with the old tree.

pub mod diff;
pub mod digest;
pub mod edit;
pub mod error;
pub mod expression;
pub mod plan;
pub mod prose;
pub mod request;
pub mod rules;
pub mod splice;
pub mod verify;

mod draft;
mod incomplete;
mod members;
mod patch;
mod remove;
mod remove_class;
mod rename_class;
mod rename_selector;
mod symbols;

#[cfg(test)]
mod tests;

pub use error::Refusal;
pub use plan::{Candidate, Evidence, Operation, Plan, PlanFile, Prose, Warning};
pub use request::Request;

use bt_xref::Index;

/// Plans a request on an index.
///
/// # Errors
///
/// A [`Refusal`] when the request cannot be carried out; it names all places that caused it.
pub fn plan(index: &Index, generation: u64, request: &Request) -> Result<Plan, Refusal> {
    plan_allowing(index, generation, request, &[])
}

/// Plans a request on an index; refusals of these codes become warnings where they only say that
/// something would change its meaning (`selector.capture` and the like).
///
/// # Errors
///
/// A [`Refusal`] that is not allowed, or that cannot be.
pub fn plan_allowing(
    index: &Index,
    generation: u64,
    request: &Request,
    allow: &[String],
) -> Result<Plan, Refusal> {
    match request {
        Request::RenameClass { class, new_name } => {
            rename_class::plan(index, generation, (class, new_name), allow)
        }
        Request::RenameMethod { class, side, selector, new_selector, accept } => {
            let side = *side;
            let rename =
                rename_selector::Rename { class, side, selector, new_selector, accept, allow };
            rename_selector::plan(index, generation, &rename)
        }
        Request::RemoveMethod { class, side, selector } => {
            remove::plan(index, generation, class, *side, selector)
        }
        Request::RemoveClass { class } => remove_class::plan(index, generation, class),
        Request::PatchMethod { class, side, source } => {
            patch::plan(index, generation, class, *side, source)
        }
    }
}
