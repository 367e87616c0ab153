//! Places that a plan could not search: units and stretches with syntax errors.

use crate::draft::place;
use crate::prose::own_units;
use bt_syntax::{TextRange, TokenKind};
use bt_xref::{line_col, Index, Site, UnitEntry};

/// What is known about units with syntax errors.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    /// Names inside stretches that could not be parsed, sorted.
    pub(crate) mentions: Vec<Site>,
    /// A line for each unit with errors and each class without source.
    pub(crate) not_searched: Vec<String>,
}

/// Looks for a word (a class name, or the first part of a selector) where units could not be parsed.
pub(crate) fn incomplete(index: &Index, word: &str) -> Incomplete {
    let mut found = Incomplete::default();
    for entry in own_units(index) {
        let Some(error) = entry.unit.errors().first() else { continue };
        let (line, col) = line_col(entry.unit.text(), error.span.start().into());
        let file = &entry.file;
        found.not_searched.push(format!("{file}:{line}:{col}: {}", error.message));
        found.mentions.extend(degraded_mentions(index, entry, word));
    }
    let opaque = index.not_searchable().into_iter();
    found.not_searched.extend(opaque.map(|class| format!("{class}: it has no source")));
    found.mentions.sort();
    found
}

fn degraded_mentions(index: &Index, entry: &UnitEntry, word: &str) -> Vec<Site> {
    let names_it = |span: TextRange, text: &str, kind: TokenKind| {
        let is_whole = text == word || text.trim_start_matches('#') == word;
        // An error token may hold anything: an unterminated string, for one.
        let is_inside = kind == TokenKind::Error && text.contains(word);
        (is_whole || is_inside) && entry.facts.is_degraded(span)
    };
    entry
        .unit
        .tokens()
        .filter(|token| names_it(token.span(), token.text(), token.kind()))
        .map(|token| place(index, entry, token.span()))
        .collect()
}
