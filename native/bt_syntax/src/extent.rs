//! Which bytes a declaration is, for taking it out or putting another in its place.
//!
//! A node's span runs from its first to its last significant token. Its *extent* is what a
//! programmer means by "the method": whole lines, with the doc comment and an `@expect` line
//! directly above, and with a comment behind it on its last line. Not in it: plain comments above,
//! a doc comment behind a blank line, comments and blank lines below.
//!
//! Where two declarations share a line, the extent is cut between them, so that removing one never
//! takes a byte of the other.

use crate::kind::{NodeKind, TokenKind};
use crate::tree::{Node, Token, Unit};
use text_size::{TextRange, TextSize};

/// The extent of a method of a class, or of the extension that a method belongs to.
#[must_use]
pub fn method_extent(method: Node<'_>) -> TextRange {
    declaration_extent(whole_declaration(method))
}

/// What to delete to remove a method: its extent, and where blank lines stand on both sides, those
/// behind it. What follows on its last line keeps the blanks before the method.
#[must_use]
pub fn removal_extent(method: Node<'_>) -> TextRange {
    let extent = method_extent(method);
    let text = method.unit().text();
    let removed = text.get(std::ops::Range::<usize>::from(extent)).unwrap_or("");
    let behind = text.get(usize::from(extent.end())..).unwrap_or("");
    if !removed.ends_with('\n') && behind.starts_with(|next: char| !next.is_whitespace()) {
        let n_blanks = removed.len() - removed.trim_start_matches([' ', '\t']).len();
        return TextRange::new(extent.start() + size(n_blanks), extent.end());
    }
    with_blank_lines(text, extent)
}

/// The extent of any declaration: class, protocol, alias, extension, method or field.
#[must_use]
pub fn declaration_extent(declaration: Node<'_>) -> TextRange {
    let unit = declaration.unit();
    let tokens = declaration.token_range();
    let first = first_token(declaration);
    let start = start_of(unit, first);
    let end = end_of(unit, tokens.end, start);
    TextRange::new(size(start.min(end)), size(end))
}

/// The extension that a method is part of, or the method itself.
fn whole_declaration(method: Node<'_>) -> Node<'_> {
    let next = method.unit().node(method.id() + 1);
    if next.kind() == NodeKind::Extension && next.first_node() <= method.id() {
        next
    } else {
        method
    }
}

fn size(offset: usize) -> TextSize {
    TextSize::new(offset as u32)
}

/// The first token that belongs to a declaration: of its doc comment or its `@expect` line, or its
/// own.
fn first_token(declaration: Node<'_>) -> u32 {
    doc_runs(declaration).last().map_or(declaration.token_range().start, |run| run.first)
}

/// The first and the last token of a declaration's doc comment.
pub(crate) fn doc_lines(declaration: Node<'_>) -> Option<(u32, u32)> {
    let runs = doc_runs(whole_declaration(declaration));
    let run = runs.into_iter().rev().find(|run| run.first < run.below)?;
    let unit = declaration.unit();
    let last =
        (run.first..run.below).rev().find(|id| unit.token(*id).kind() == TokenKind::DocComment)?;
    Some((run.first, last))
}

/// `///` lines: those from token `first` to the one before token `below`; none when they are equal.
struct DocRun {
    first: u32,
    below: u32,
}

/// The run of `///` lines directly above a declaration, then the one above each `@expect` line that
/// stands directly above that; some may be empty.
fn doc_runs(declaration: Node<'_>) -> Vec<DocRun> {
    let unit = declaration.unit();
    let below = declaration.token_range().start;
    let mut first = first_doc_line(unit, below);
    let mut runs = vec![DocRun { first, below }];
    let mut node = declaration.first_node();
    while let Some(before) = node.checked_sub(1).map(|id| unit.node(id)) {
        let is_expect = before.kind() == NodeKind::Directive
            && before.first_token().text() == "@expect"
            && is_directly_above(unit, before.token_range().end, first);
        if !is_expect {
            break;
        }
        let below = before.token_range().start;
        first = first_doc_line(unit, below);
        runs.push(DocRun { first, below });
        node = before.first_node();
    }
    runs
}

/// Whether only white space with at most one line feed stands between two tokens.
fn is_directly_above(unit: &Unit, end: u32, next: u32) -> bool {
    (end..next).map(|id| unit.token(id)).all(|token| match token.kind() {
        TokenKind::Space => true,
        TokenKind::Newline => n_line_feeds(token.text()) == 1,
        _ => false,
    })
}

fn n_line_feeds(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The first `///` line of the run that ends directly above a token; the token itself without one.
fn first_doc_line(unit: &Unit, token: u32) -> u32 {
    let mut first = token;
    while let Some(doc) = first.checked_sub(2).map(|id| unit.token(id)) {
        let is_above = doc.kind() == TokenKind::DocComment
            && is_directly_above(unit, doc.id() + 1, first)
            && starts_line(unit, doc);
        if !is_above {
            break;
        }
        first = doc.id();
    }
    first
}

/// Whether a token is the first on its line.
fn starts_line(unit: &Unit, token: Token<'_>) -> bool {
    let Some(before) = token.id().checked_sub(1).map(|id| unit.token(id)) else { return true };
    match before.kind() {
        TokenKind::Newline | TokenKind::Bom => true,
        TokenKind::Space => {
            before.id() == 0 || unit.token(before.id() - 1).kind() == TokenKind::Bom
        }
        _ => false,
    }
}

/// Where the extent starts: its line's first byte when nothing stands before it there, otherwise
/// directly behind what does.
fn start_of(unit: &Unit, first: u32) -> usize {
    let token = unit.token(first);
    let Some(before) = first.checked_sub(1).map(|id| unit.token(id)) else { return 0 };
    let at = usize::from(token.span().start());
    if !before.kind().is_trivia() {
        return at;
    }
    let text = before.text();
    match before.kind() {
        TokenKind::Newline => {
            usize::from(before.span().start()) + text.rfind('\n').map_or(0, |nl| nl + 1)
        }
        TokenKind::Space => usize::from(before.span().start()),
        _ => at,
    }
}

/// Where the extent ends: behind the line feed of the last token's line. When something else
/// follows on that line, where that starts; when something else stands before on the first line,
/// before the line feed, which that keeps.
fn end_of(unit: &Unit, end_token: u32, start: usize) -> usize {
    let shares_line = !unit
        .text()
        .get(..start)
        .is_some_and(|text| text.is_empty() || text == "\u{feff}" || text.ends_with('\n'));
    for id in end_token..unit.n_tokens() {
        let token = unit.token(id);
        let offset = usize::from(token.span().start());
        match token.kind() {
            TokenKind::Newline if shares_line => return offset,
            TokenKind::Newline => {
                return offset + token.text().find('\n').map_or(0, |nl| nl + 1);
            }
            TokenKind::Space
            | TokenKind::LineComment
            | TokenKind::DocComment
            | TokenKind::BlockComment
            | TokenKind::Dot => {}
            _ => return offset,
        }
    }
    unit.text().len()
}

/// Extends an extent of whole lines over the blank lines behind it, if a blank line stands before
/// it too.
fn with_blank_lines(text: &str, extent: TextRange) -> TextRange {
    let (start, end) = (usize::from(extent.start()), usize::from(extent.end()));
    let before = text.get(..start).unwrap_or("");
    let Some(lines_before) = before.strip_suffix('\n') else { return extent };
    let line_before = lines_before.rsplit('\n').next().unwrap_or("");
    let ends_line = text.get(..end).is_some_and(|text| text.ends_with('\n'));
    if !is_blank(line_before) || !ends_line {
        return extent;
    }
    let mut new_end = end;
    for line in text.get(end..).unwrap_or("").split_inclusive('\n') {
        if !is_blank(line) {
            break;
        }
        new_end += line.len();
    }
    TextRange::new(extent.start(), size(new_end))
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}
