//! Places and problems.

use crate::api::Diagnostic;
use crate::forms::Line;
use bt_syntax::{TextRange, Unit};

/// A unit with what is needed to name a place in it.
pub(crate) struct Source<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) file: &'a str,
    line_starts: Vec<u32>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(unit: &'a Unit, file: &'a str) -> Self {
        let ends = unit.text().bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        Self { unit, file, line_starts }
    }

    /// The line of an offset, from 1.
    pub(crate) fn line(&self, offset: u32) -> Line {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// A problem at a place of this unit.
    pub(crate) fn diagnostic(
        &self,
        span: TextRange,
        code: &'static str,
        message: String,
    ) -> Diagnostic {
        let start = u32::from(span.start());
        let line = self.line(start);
        let from = self.line_starts.get(line as usize - 1).copied().unwrap_or(0);
        let before = self.unit.text().get(from as usize..start as usize).unwrap_or("");
        let col = before.chars().count() as u32 + 1;
        Diagnostic { file: self.file.to_owned(), span, line, col, code, message, hint: None }
    }

    /// The syntax errors of the unit: nothing is generated from a broken text.
    pub(crate) fn syntax_errors(&self) -> Vec<Diagnostic> {
        let errors = self.unit.errors().iter();
        errors.map(|error| self.diagnostic(error.span, error.code, error.message.clone())).collect()
    }
}
