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
    /// The form `{atom, Line, Name}`. Most forms are leaves; these have no list of their own.
    AtomForm(u32, Cow<'static, str>),
    /// The form `{var, Line, 'V1'}`.
    VarForm(u32, u32),
    /// The form `{var, Line, '_'}`.
    AnyForm(u32),
    /// The form `{integer, Line, Value}`.
    IntForm(u32, i64),
    /// The form `{integer, Line, Generation}`: the generation the code is compiled in, which the
    /// generator does not know.
    GenerationForm(u32),
    /// The form `{nil, Line}`.
    NilForm(u32),
    /// The form of `Module:Function(Args)`, a call of the runtime.
    RemoteForm(u32, &'static str, &'static str, Vec<Term>),
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
