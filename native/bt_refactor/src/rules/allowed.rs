//! Refusals that the one who asks may set aside: the plan then warns instead.

use crate::error::Refusal;
use crate::plan::Warning;

/// The codes of refusals that can be allowed. The others say that a request cannot be carried out
/// at all.
const ALLOWABLE: [&str; 5] = [
    "name.capture",
    "search.incomplete",
    "selector.capture",
    "selector.hook",
    "selector.overrides_library",
];

/// What is allowed, and what of it was needed.
pub(crate) struct Allowed<'a> {
    codes: &'a [String],
    warnings: Vec<Warning>,
}

impl<'a> Allowed<'a> {
    pub(crate) fn new(codes: &'a [String]) -> Self {
        Self { codes, warnings: Vec::new() }
    }

    /// Lets an allowed refusal pass as a warning.
    pub(crate) fn pass(&mut self, checked: Result<(), Refusal>) -> Result<(), Refusal> {
        match checked {
            Err(refusal) if self.holds(refusal.code) => {
                let Refusal { code, message, .. } = refusal;
                self.warnings.push(Warning { code, message });
                Ok(())
            }
            other => other,
        }
    }

    fn holds(&self, code: &str) -> bool {
        ALLOWABLE.contains(&code) && self.codes.iter().any(|allowed| allowed == code)
    }

    /// The warnings, in the order of the checks.
    pub(crate) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }
}
