//! Building terms.

use crate::atoms;
use bt_syntax::{Side, TextRange};
use rustler::{Atom, Encoder, Env, Term};

/// Keys that most maps have room for.
const N_KEYS: usize = 12;

/// A map under construction; its keys are atoms.
pub(crate) struct Fields<'a> {
    env: Env<'a>,
    keys: Vec<Term<'a>>,
    values: Vec<Term<'a>>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(env: Env<'a>) -> Self {
        Self { env, keys: Vec::with_capacity(N_KEYS), values: Vec::with_capacity(N_KEYS) }
    }

    /// Adds a key.
    pub(crate) fn put(mut self, key: Atom, value: impl Encoder) -> Self {
        self.keys.push(key.encode(self.env));
        self.values.push(value.encode(self.env));
        self
    }

    /// The map. (Keys are written once each; twice would answer `nil`.)
    pub(crate) fn done(self) -> Term<'a> {
        Term::map_from_term_arrays(self.env, &self.keys, &self.values)
            .unwrap_or_else(|_| atoms::nil().encode(self.env))
    }
}

/// `{Start, End}`.
pub(crate) fn span(range: TextRange) -> (u32, u32) {
    (range.start().into(), range.end().into())
}

/// A value or `nil`.
pub(crate) fn or_nil<'a, T: Encoder>(env: Env<'a>, value: Option<T>) -> Term<'a> {
    value.map_or_else(|| atoms::nil().encode(env), |value| value.encode(env))
}

/// `instance` or `class`.
pub(crate) fn side(side: Side) -> Atom {
    match side {
        Side::Instance => atoms::instance(),
        Side::Class => atoms::class(),
    }
}

/// `{ok, Value}`.
pub(crate) fn ok<'a>(env: Env<'a>, value: impl Encoder) -> Term<'a> {
    (atoms::ok(), value).encode(env)
}
