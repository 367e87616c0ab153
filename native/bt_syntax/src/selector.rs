//! Selectors as they stand in a unit: one token for a unary or binary selector, one for each part
//! of a keyword selector.

use crate::tree::{Node, Token};

/// The shape of a selector; it fixes the number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An identifier, no argument.
    Unary,
    /// An operator, one argument.
    Binary,
    /// Keywords, one argument for each.
    Keyword,
}

/// A selector written in a unit.
#[derive(Clone, Debug)]
pub struct Selector<'u> {
    /// Its tokens in order; more than one only for keyword selectors. The tokens are disjoint and
    /// may be lines apart.
    pub parts: Vec<Token<'u>>,
}

impl<'u> Selector<'u> {
    pub(crate) fn new(parts: Vec<Token<'u>>) -> Self {
        Self { parts }
    }

    /// The selector of a send or a cascade part; `None` for any other node.
    #[must_use]
    pub fn of_send(node: Node<'u>) -> Option<Self> {
        let kind = node.kind();
        (kind.is_send() || kind.is_cascade_part()).then(|| Self::new(node.own_tokens()))
    }

    /// Its whole name: `at:put:`.
    #[must_use]
    pub fn name(&self) -> String {
        self.parts.iter().map(|part| part.text()).collect()
    }

    /// Number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        match shape_of(self.parts.first().map_or("", |part| part.text())) {
            Some(Shape::Keyword) => self.parts.len(),
            Some(Shape::Binary) => 1,
            Some(Shape::Unary) | None => 0,
        }
    }
}

/// The shape of a selector's name, or `None` when the text is no selector.
/// `at:put:` is a keyword selector, `at:put` is none.
#[must_use]
pub fn shape_of(name: &str) -> Option<Shape> {
    let first = name.bytes().next()?;
    if is_operator_byte(first) {
        return name.bytes().all(is_operator_byte).then_some(Shape::Binary);
    }
    if !name.contains(':') {
        return is_identifier(name).then_some(Shape::Unary);
    }
    let parts = name.strip_suffix(':')?;
    parts.split(':').all(is_identifier).then_some(Shape::Keyword)
}

/// Number of arguments of a selector's name, or `None` when the text is no selector.
#[must_use]
pub fn arity_of(name: &str) -> Option<usize> {
    Some(match shape_of(name)? {
        Shape::Unary => 0,
        Shape::Binary => 1,
        Shape::Keyword => name.bytes().filter(|byte| *byte == b':').count(),
    })
}

/// Whether a text is an identifier: `[A-Za-z_][A-Za-z0-9_]*`.
#[must_use]
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a text can name a class: an identifier that starts with `A`–`Z`.
#[must_use]
pub fn is_class_name(text: &str) -> bool {
    is_identifier(text) && text.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
}

/// The thirteen operator characters (language reference, 1.3).
#[must_use]
pub const fn is_operator_byte(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=' | b'~' | b'%' | b'&' | b'?' | b',' | b'\\'
    )
}
