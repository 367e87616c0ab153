//! Why there is no plan.

use bt_xref::Site;

/// A refusal: a stable code, texts for people, and every place that caused it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Stable code, `area.reason` (docs/errors.md).
    pub code: &'static str,
    /// One line: what is wrong.
    pub message: String,
    /// What to do next; may be empty.
    pub hint: String,
    /// Every place that caused it, sorted.
    pub places: Vec<Site>,
}

impl Refusal {
    /// A refusal without places.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into(), places: Vec::new() }
    }

    /// The same refusal with the places that caused it.
    #[must_use]
    pub fn at(mut self, mut places: Vec<Site>) -> Self {
        places.sort();
        places.dedup();
        self.places = places;
        self
    }
}
