//! Edits of one text: sorted and disjoint by construction.

use bt_syntax::{TextRange, TextSize};

/// A replacement of some bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    start: u32,
    end: u32,
    new: String,
}

impl Edit {
    /// Puts a text in the place of another.
    #[must_use]
    pub fn replace(span: TextRange, new: impl Into<String>) -> Self {
        Self { start: span.start().into(), end: span.end().into(), new: new.into() }
    }

    /// Puts a text between two bytes.
    #[must_use]
    pub fn insert(at: u32, new: impl Into<String>) -> Self {
        Self { start: at, end: at, new: new.into() }
    }

    /// Takes a text away.
    #[must_use]
    pub fn delete(span: TextRange) -> Self {
        Self::replace(span, "")
    }

    /// The bytes it replaces.
    #[must_use]
    pub fn span(&self) -> TextRange {
        TextRange::new(TextSize::new(self.start), TextSize::new(self.end.max(self.start)))
    }

    /// What it puts there.
    #[must_use]
    pub fn new_text(&self) -> &str {
        &self.new
    }
}

/// Two different edits want the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two edits overlap: {first:?} and {second:?}")]
pub struct Overlap {
    /// The one that starts first.
    pub first: Edit,
    /// The other one.
    pub second: Edit,
}

/// The edits of one text. Invariant: sorted by position, no two overlap, no two insert at the same
/// place; equal edits have become one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    edits: Vec<Edit>,
}

impl EditSet {
    /// Sorts edits and merges equal ones.
    ///
    /// # Errors
    ///
    /// [`Overlap`] when two different edits touch the same bytes.
    pub fn new(mut edits: Vec<Edit>) -> Result<Self, Overlap> {
        edits.sort();
        edits.dedup();
        for pair in edits.windows(2) {
            if let [first, second] = pair {
                let is_same_place = first.start == second.start;
                if first.end > second.start || (is_same_place && first.end == second.start) {
                    return Err(Overlap { first: first.clone(), second: second.clone() });
                }
            }
        }
        Ok(Self { edits })
    }

    /// The edits in order.
    pub fn iter(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Number of edits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// The edits inside a span.
    #[must_use]
    pub fn within(&self, span: TextRange) -> &[Edit] {
        let (start, end) = (u32::from(span.start()), u32::from(span.end()));
        let from = self.edits.partition_point(|edit| edit.start < start);
        let rest = self.edits.get(from..).unwrap_or(&[]);
        let n_inside = rest.partition_point(|edit| edit.start < end && edit.end <= end);
        rest.get(..n_inside).unwrap_or(&[])
    }
}
