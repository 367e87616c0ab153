//! Unified diffs, for people.

use similar::TextDiff;

/// The unified diff of two texts; empty when they are equal.
#[must_use]
pub fn unified(old: &str, new: &str, name: &str) -> String {
    if old == new {
        return String::new();
    }
    let old_name = format!("a/{name}");
    let new_name = format!("b/{name}");
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .header(&old_name, &new_name)
        .to_string()
}
