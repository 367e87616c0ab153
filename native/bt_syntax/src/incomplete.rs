//! Whether a prompt should ask for another line.

use crate::kind::TokenKind as T;
use crate::tree::Unit;

/// Whether a text stops in the middle of something: inside a bracket, a string or a comment, or
/// behind an operator, a keyword or another token that wants an operand. A text with a closer too
/// many is wrong rather than incomplete.
#[must_use]
pub fn is_incomplete(unit: &Unit) -> bool {
    let mut open = Vec::new();
    let mut last = None;
    for token in unit.tokens().filter(|token| !token.kind().is_trivia()) {
        last = Some(token);
        match token.kind() {
            T::LParen | T::HashParen => open.push(T::RParen),
            T::LBracket | T::HashBracket => open.push(T::RBracket),
            T::LBrace | T::HashBrace => open.push(T::RBrace),
            closer @ (T::RParen | T::RBracket | T::RBrace) if open.pop() != Some(closer) => {
                return false;
            }
            _ => {}
        }
    }
    let Some(last) = last else { return false };
    let text = last.text();
    match last.kind() {
        T::Error => {
            let is_string = text.starts_with('"') && !text.get(1..).unwrap_or("").contains('"');
            is_string || text.starts_with("/*") || text.starts_with("#'")
        }
        T::Keyword
        | T::Op
        | T::Arrow
        | T::FatArrow
        | T::ShiftLeft
        | T::ShiftRight
        | T::Assign
        | T::ColonColon
        | T::Colon
        | T::Caret
        | T::Semicolon
        | T::Pipe
        | T::Comma => true,
        _ => !open.is_empty(),
    }
}
