//! What a query or a plan shows: one named thing at one place.

use crate::rows::Provenance;
use bt_syntax::Side;
use std::sync::Arc;
use text_size::{TextRange, TextSize};

/// What stands at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum SiteKind {
    /// The name in the declaration of a class, protocol or alias.
    Declaration,
    /// The class before `subclass:`.
    Superclass,
    /// A type argument of the superclass.
    SuperclassArgument,
    /// The bound of a type parameter.
    Bound,
    /// The protocol after `extending:`.
    Extending,
    /// The class before `>>`.
    ExtensionTarget,
    /// A class name in an expression.
    Expression,
    /// A class name in a type annotation.
    Annotation,
    /// A class name in a pattern.
    Pattern,
    /// A class name in the body of a type alias.
    Alias,
    /// A name in the project's manifest.
    Manifest,
    /// The selector in the header of a method, extension or protocol requirement.
    Definition,
    /// A send to `self`.
    SelfSend,
    /// A send to `super`.
    SuperSend,
    /// A send to anything else; also the selector of a constructor pattern.
    Send,
    /// A field's name where it is read or written.
    Field,
    /// A symbol.
    Symbol,
    /// A name in a fenced example of a doc comment.
    Doc,
    /// A mention in a comment, a doc comment or a string; never edited.
    Prose,
}

impl SiteKind {
    /// All, by their number.
    pub(crate) const ALL: [Self; 19] = [
        Self::Declaration,
        Self::Superclass,
        Self::SuperclassArgument,
        Self::Bound,
        Self::Extending,
        Self::ExtensionTarget,
        Self::Expression,
        Self::Annotation,
        Self::Pattern,
        Self::Alias,
        Self::Manifest,
        Self::Definition,
        Self::SelfSend,
        Self::SuperSend,
        Self::Send,
        Self::Field,
        Self::Symbol,
        Self::Doc,
        Self::Prose,
    ];

    /// Its name outside of this crate (docs/interfaces.md).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Declaration => "declaration",
            Self::Superclass => "superclass",
            Self::SuperclassArgument => "superclass_argument",
            Self::Bound => "bound",
            Self::Extending => "extending",
            Self::ExtensionTarget => "extension_target",
            Self::Expression => "expression",
            Self::Annotation => "annotation",
            Self::Pattern => "pattern",
            Self::Alias => "alias",
            Self::Manifest => "manifest",
            Self::Definition => "definition",
            Self::SelfSend => "self_send",
            Self::SuperSend => "super_send",
            Self::Send => "send",
            Self::Field => "field",
            Self::Symbol => "symbol",
            Self::Doc => "doc",
            Self::Prose => "prose",
        }
    }
}

/// One part of a site: a token that is (a part of) the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteSpan {
    /// First byte.
    pub start: u32,
    /// Byte after the last one.
    pub end: u32,
    /// What stands there.
    pub old: String,
    /// What will stand there; `None` in the result of a query.
    pub new: Option<String>,
}

impl SiteSpan {
    /// The span as a range.
    #[must_use]
    pub fn range(&self) -> TextRange {
        TextRange::new(TextSize::new(self.start), TextSize::new(self.end.max(self.start)))
    }
}

/// One named thing at one place: a class name, or a selector with all its parts.
///
/// Ordered by file and span.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The unit's file, relative to the project.
    pub file: Arc<str>,
    /// The parts in order, one for each keyword.
    pub spans: Vec<SiteSpan>,
    /// What stands there.
    pub kind: SiteKind,
    /// The whole name.
    pub old: String,
    /// The whole new name; `None` in the result of a query.
    pub new: Option<String>,
    /// Line of the first part, from 1.
    pub line: u32,
    /// Column of the first part in code points, from 1.
    pub col: u32,
    /// Where it belongs: `Counter>>sel`, `Counter class>>sel`, `Counter`, `type Light`,
    /// `Protocol Named`; `top level` for a statement outside of a definition.
    pub owner: String,
    /// The class, extension target, protocol or alias of the owner.
    pub owner_name: Option<String>,
    /// The selector of the owner, if that is a method or a requirement.
    pub owner_selector: Option<String>,
    /// The side that the owner's `self` is on.
    pub side: Side,
    /// How the owner came to be.
    pub provenance: Provenance,
}

impl Site {
    /// First byte of the first part.
    #[must_use]
    pub fn start(&self) -> u32 {
        self.spans.first().map_or(0, |span| span.start)
    }

    /// Byte after the last part.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.spans.last().map_or(0, |span| span.end)
    }
}

/// Line and column (both from 1, the column in code points) of a byte offset.
#[must_use]
pub fn line_col(text: &str, offset: u32) -> (u32, u32) {
    let before = text.get(..offset as usize).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
    let col = before.get(line_start..).unwrap_or("").chars().count() as u32 + 1;
    (line, col)
}
