//! Lines and columns as people and messages count them.

use bt_syntax::{ColumnUnit, LineIndex};

/// The lines of one text.
pub(crate) struct Places<'t>(LineIndex<'t>);

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self(LineIndex::new(text))
    }

    /// Line and column (both from 1, the column in code points) of a byte offset.
    pub(crate) fn line_col(&self, offset: u32) -> (u32, u32) {
        let position = self.0.position(offset, ColumnUnit::CodePoint);
        position.map_or((1, 1), |position| (position.line + 1, position.column + 1))
    }
}
