//! From a text and its edits to the new text, in one pass from front to back.

use crate::edit::{Edit, EditSet, Overlap};
use bt_syntax::{TextRange, TextSize};

/// An edit does not fit the text: it ends behind it or cuts a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an edit does not fit the text: {edit:?}")]
pub struct Misfit {
    /// The edit.
    pub edit: Edit,
}

/// A spliced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The new text.
    pub text: String,
    /// From old offsets to new ones.
    pub map: OffsetMap,
    /// The edits of the new text that give the old one back.
    pub inverse: EditSet,
}

/// Where offsets of the old text are in the new one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    /// End of an edit in the old text, and in the new text.
    steps: Vec<(u32, u32)>,
}

impl OffsetMap {
    /// The new place of an offset that is not inside an edit's old text; an offset inside goes to the
    /// end of the edit's new text at most.
    #[must_use]
    pub fn to_new(&self, offset: u32) -> u32 {
        let n_before = self.steps.partition_point(|(old_end, _)| *old_end <= offset);
        let last = n_before.checked_sub(1).and_then(|at| self.steps.get(at)).copied();
        let (old_end, new_end) = last.unwrap_or((0, 0));
        new_end + (offset - old_end)
    }
}

/// Applies edits to a text.
///
/// # Errors
///
/// [`Misfit`] when an edit lies outside of the text or cuts a character.
pub fn splice(text: &str, edits: &EditSet) -> Result<Spliced, Misfit> {
    let mut new = String::with_capacity(text.len());
    let mut steps = Vec::with_capacity(edits.len());
    let mut inverse = Vec::with_capacity(edits.len());
    let mut done = 0;
    for edit in edits.iter() {
        let (start, end) = (usize::from(edit.span().start()), usize::from(edit.span().end()));
        let misfit = || Misfit { edit: edit.clone() };
        new.push_str(text.get(done..start).ok_or_else(misfit)?);
        let old = text.get(start..end).ok_or_else(misfit)?;
        let new_start = new.len() as u32;
        new.push_str(edit.new_text());
        let new_end = new.len() as u32;
        let span = TextRange::new(TextSize::new(new_start), TextSize::new(new_end));
        inverse.push(Edit::replace(span, old));
        steps.push((end as u32, new_end));
        done = end;
    }
    new.push_str(text.get(done..).unwrap_or(""));
    let inverse = EditSet::new(inverse).map_err(|Overlap { first, .. }| Misfit { edit: first })?;
    Ok(Spliced { text: new, map: OffsetMap { steps }, inverse })
}
