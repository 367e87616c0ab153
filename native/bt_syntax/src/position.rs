//! Byte offsets to lines and columns, and back.
//!
//! Lines end at `\n` only, as in the language; the `\r` of a CRLF belongs to the line before it.
//! Lines and columns count from 0 here; what is shown to people counts from 1.

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnUnit {
    /// Bytes of UTF-8.
    Utf8,
    /// 16-bit units of UTF-16, as editors count.
    Utf16,
    /// Code points.
    CodePoint,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 0.
    pub line: u32,
    /// The column, from 0.
    pub column: u32,
}

/// The line starts of one text.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> LineIndex<'t> {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        let starts = std::iter::once(0).chain(ends.map(|end| end as u32 + 1)).collect();
        Self { text, starts }
    }

    /// Number of lines; a text that ends in a line feed has an empty last one.
    #[must_use]
    pub fn n_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The text of a line without its line feed, and without a carriage return before that.
    #[must_use]
    pub fn line(&self, line: u32) -> Option<&'t str> {
        let start = *self.starts.get(line as usize)? as usize;
        let end =
            self.starts.get(line as usize + 1).map_or(self.text.len(), |next| *next as usize - 1);
        let line = self.text.get(start..end)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The place of a byte offset; `None` beyond the end or inside a character.
    #[must_use]
    pub fn position(&self, offset: u32, unit: ColumnUnit) -> Option<Position> {
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let start = *self.starts.get(line)?;
        let before = self.text.get(start as usize..offset as usize)?;
        Some(Position { line: line as u32, column: width(before, unit) })
    }

    /// The byte offset of a place; `None` when there is none: beyond the line's end or inside a
    /// character.
    #[must_use]
    pub fn offset(&self, position: Position, unit: ColumnUnit) -> Option<u32> {
        let start = *self.starts.get(position.line as usize)?;
        let end = match self.starts.get(position.line as usize + 1) {
            Some(next) => *next - 1,
            None => self.text.len() as u32,
        };
        let line = self.text.get(start as usize..end as usize)?;
        if unit == ColumnUnit::Utf8 {
            return line
                .is_char_boundary(position.column as usize)
                .then_some(start + position.column);
        }
        let mut column = 0;
        for (at, letter) in line.char_indices() {
            if column >= position.column {
                return (column == position.column).then_some(start + at as u32);
            }
            column += letter_width(letter, unit);
        }
        (column == position.column).then_some(end)
    }
}

fn letter_width(letter: char, unit: ColumnUnit) -> u32 {
    match unit {
        ColumnUnit::Utf8 => letter.len_utf8() as u32,
        ColumnUnit::Utf16 => letter.len_utf16() as u32,
        ColumnUnit::CodePoint => 1,
    }
}

fn width(text: &str, unit: ColumnUnit) -> u32 {
    match unit {
        ColumnUnit::Utf8 => text.len() as u32,
        ColumnUnit::Utf16 => text.encode_utf16().count() as u32,
        ColumnUnit::CodePoint => text.chars().count() as u32,
    }
}
