//! The neutral term tree: what forms are made of before they are encoded.

use std::borrow::Cow;

/// An Erlang term. Only the kinds that abstract forms need.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// An atom, at most 255 characters (checked where user text becomes one).
    Atom(Cow<'static, str>),
    /// A small integer.
    Int(i64),
    /// A non-negative integer of any size: its bytes, least significant first.
    Big(Vec<u8>),
    /// A float.
    Float(f64),
    /// A list of bytes: the text of a binary literal.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Term>),
    /// A proper list.
    List(Vec<Term>),
}

impl Term {
    /// An atom known to the generator.
    pub(crate) const fn atom(name: &'static str) -> Self {
        Self::Atom(Cow::Borrowed(name))
    }

    /// An atom made from a name of the program.
    pub(crate) fn name(name: &str) -> Self {
        Self::Atom(Cow::Owned(name.to_owned()))
    }
}
