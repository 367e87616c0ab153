//! The door between Erlang and the pure crates: decode, call, encode, and nothing else.
//!
//! Each function is exported by `erlang/bt_refactor/src/btr_nif.erl`, which documents it. A panic
//! in anything called from here becomes `{error, {btr, <<"internal.panic">>, …}}` and leaves all
//! resources usable (see [`guard`]). Names from outside stay binaries: the only atoms made here are
//! the fixed ones of this library. What may take over a millisecond runs on a dirty scheduler.

mod atoms;
mod codegen;
mod decode;
mod digest;
mod encode;
mod guard;
mod index;
mod janitor;
mod json;
mod outline;
mod places;
mod plan;
mod query;
mod resource;
mod rows;
mod unit;

/// Trees and facts are many small boxes, made on all cores at once: the C library's allocator takes a
/// fifth more time for them, and page faults for each thread that comes and goes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn load(_env: rustler::Env<'_>, _info: rustler::Term<'_>) -> bool {
    guard::install_panic_hook();
    true
}

rustler::init!("btr_nif", load = load);
