//! Reading terms: each part that is not as it must be is a failure that names it.

use crate::atoms;
use crate::guard::Failure;
use bt_syntax::Side;
use rustler::{Atom, Decoder, Encoder, Term};

/// The value of a key that must be there.
pub(crate) fn field<'a, T: Decoder<'a>>(map: Term<'a>, key: Atom) -> Result<T, Failure<'a>> {
    map.map_get(key).and_then(Term::decode).map_err(|_| wrong(map, key))
}

/// The value of a key, or what stands for it when the key is not there.
pub(crate) fn field_or<'a, T: Decoder<'a>>(
    map: Term<'a>,
    key: Atom,
    default: T,
) -> Result<T, Failure<'a>> {
    match map.map_get(key) {
        Ok(term) => term.decode().map_err(|_| wrong(map, key)),
        Err(_) => Ok(default),
    }
}

/// The failure for a key whose value is missing or wrong.
pub(crate) fn wrong<'a>(map: Term<'a>, key: Atom) -> Failure<'a> {
    let env = map.get_env();
    let name = key.encode(env).atom_to_string().unwrap_or_default();
    let message = format!("the key '{name}' is missing or its value is wrong");
    Failure::new(env, "request.invalid", &message)
}

/// `instance` or `class`.
pub(crate) fn side(atom: Atom) -> Option<Side> {
    if atom == atoms::instance() {
        Some(Side::Instance)
    } else if atom == atoms::class() {
        Some(Side::Class)
    } else {
        None
    }
}

/// The side under the key `side`.
pub(crate) fn side_field(map: Term<'_>) -> Result<Side, Failure<'_>> {
    side(field(map, atoms::side())?).ok_or_else(|| wrong(map, atoms::side()))
}
