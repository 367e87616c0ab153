//! Where the lines of a text start, kept with a unit's facts so that no query reads the text for it.

/// The line starts of one text.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    /// First bytes of all lines but the first.
    starts: Box<[u32]>,
    /// Whether columns are bytes.
    is_ascii: bool,
}

impl LineTable {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        Self { starts: ends.map(|end| end as u32 + 1).collect(), is_ascii: text.is_ascii() }
    }

    /// Line and column (both from 1, the column in code points) of a byte offset of that text.
    #[must_use]
    pub fn line_col(&self, text: &str, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(0);
        let col = if self.is_ascii {
            offset - start
        } else {
            let before = text.get(start as usize..offset as usize).unwrap_or("");
            before.chars().count() as u32
        };
        (line as u32 + 1, col + 1)
    }

    /// Bytes held by the table.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::line_col;

    #[test]
    fn every_offset_has_the_place_that_counting_gives() {
        for text in ["", "a", "\n", "a\nbc\n\nd", "ä\nöü x\n", "\r\na"] {
            let lines = LineTable::new(text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let expected = line_col(text, offset as u32);
                assert_eq!(lines.line_col(text, offset as u32), expected, "{text:?} {offset}");
            }
        }
    }
}
