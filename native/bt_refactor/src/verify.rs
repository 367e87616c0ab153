//! The proof behind a rename: the new text, parsed again, is the old tree with exactly the planned
//! names replaced.

use crate::edit::EditSet;
use bt_syntax::Unit;

/// The new text is not what was planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The number of tokens changed.
    #[error("the new text has {new} tokens instead of {old}")]
    TokenCount {
        /// Tokens of the old text.
        old: u32,
        /// Tokens of the new text.
        new: u32,
    },
    /// A token is another one than planned.
    #[error("the token at byte {offset} became {found:?} instead of {planned:?}")]
    Token {
        /// Where it stands in the old text.
        offset: u32,
        /// What it should be.
        planned: String,
        /// What it is.
        found: String,
    },
    /// An edit is not inside one token.
    #[error("an edit at byte {offset} is not inside one token")]
    Stray {
        /// Where it starts in the old text.
        offset: u32,
    },
    /// The tree has another shape.
    #[error("the new text is read in another way at byte {offset}")]
    Shape {
        /// Where, in the old text.
        offset: u32,
    },
    /// The new text has other syntax errors.
    #[error("the new text has {new} syntax errors instead of {old}")]
    Errors {
        /// Errors of the old text.
        old: usize,
        /// Errors of the new text.
        new: usize,
    },
}

impl Mismatch {
    /// Where in the old text, if at one place.
    #[must_use]
    pub fn offset(&self) -> Option<u32> {
        match self {
            Self::Token { offset, .. } | Self::Stray { offset } | Self::Shape { offset } => {
                Some(*offset)
            }
            Self::TokenCount { .. } | Self::Errors { .. } => None,
        }
    }
}

/// Checks that a new text differs from a unit by the planned names only.
///
/// # Errors
///
/// [`Mismatch`]: the first difference that was not planned.
pub fn names_only(old: &Unit, new_text: &str, edits: &EditSet) -> Result<(), Mismatch> {
    let new = old.parse_alike(new_text);
    same_tokens(old, &new, edits)?;
    same_shape(old, &new)?;
    let (n_old, n_new) = (old.errors().len(), new.errors().len());
    let same_codes =
        old.errors().iter().map(|it| it.code).eq(new.errors().iter().map(|it| it.code));
    if same_codes {
        Ok(())
    } else {
        Err(Mismatch::Errors { old: n_old, new: n_new })
    }
}

fn same_tokens(old: &Unit, new: &Unit, edits: &EditSet) -> Result<(), Mismatch> {
    let mut n_edits = 0;
    for (old_token, new_token) in old.tokens().zip(new.tokens()) {
        let offset = u32::from(old_token.span().start());
        let mut planned = String::new();
        let mut done = offset;
        for edit in edits.within(old_token.span()) {
            n_edits += 1;
            let kept = u32::from(edit.span().start()).saturating_sub(offset) as usize;
            planned.push_str(old_token.text().get((done - offset) as usize..kept).unwrap_or(""));
            planned.push_str(edit.new_text());
            done = edit.span().end().into();
        }
        planned.push_str(old_token.text().get((done - offset) as usize..).unwrap_or(""));
        if new_token.text() != planned || new_token.kind() != old_token.kind() {
            let found = new_token.text().to_owned();
            return Err(Mismatch::Token { offset, planned, found });
        }
    }
    if old.n_tokens() != new.n_tokens() {
        return Err(Mismatch::TokenCount { old: old.n_tokens(), new: new.n_tokens() });
    }
    if n_edits != edits.len() {
        let stray = edits.iter().find(|edit| {
            let is_inside =
                |token: bt_syntax::tree::Token<'_>| token.span().contains_range(edit.span());
            !old.tokens().any(is_inside)
        });
        let offset = stray.map_or(0, |edit| edit.span().start().into());
        return Err(Mismatch::Stray { offset });
    }
    Ok(())
}

fn same_shape(old: &Unit, new: &Unit) -> Result<(), Mismatch> {
    let differs = |(old, new): &(bt_syntax::Node<'_>, bt_syntax::Node<'_>)| {
        old.kind() != new.kind()
            || old.token_range() != new.token_range()
            || old.first_node() != new.first_node()
    };
    match old.nodes().zip(new.nodes()).find(differs) {
        Some((node, _)) => Err(Mismatch::Shape { offset: node.span().start().into() }),
        None if old.n_nodes() != new.n_nodes() => Err(Mismatch::Shape { offset: 0 }),
        None => Ok(()),
    }
}
