//! Digests. Erlang's own come with a library that takes longer to load than most starts may last.

use crate::guard::answer;
use bt_refactor::digest::sha256_of_bytes;
use rustler::{Binary, Env, NewBinary, Term};

/// Of at most 64 KiB, which takes far less than a millisecond.
#[rustler::nif]
fn digest_small<'a>(env: Env<'a>, bytes: Binary<'a>) -> Term<'a> {
    digest(env, &bytes)
}

#[rustler::nif(schedule = "DirtyCpu")]
fn digest_large<'a>(env: Env<'a>, bytes: Binary<'a>) -> Term<'a> {
    digest(env, &bytes)
}

fn digest<'a>(env: Env<'a>, bytes: &Binary<'a>) -> Term<'a> {
    answer(env, || {
        let hex = sha256_of_bytes(bytes.as_slice());
        Ok(Binary::from(NewBinary::from_slice(env, hex.as_bytes())).to_term(env))
    })
}
