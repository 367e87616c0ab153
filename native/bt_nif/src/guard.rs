//! What every function is wrapped in: failures become error terms, and so do panics.

use crate::atoms;
use crate::encode::Fields;
use rustler::{Encoder, Env, Term};
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Why there is no result: a code of docs/errors.md and a map of details.
pub(crate) struct Failure<'a> {
    code: &'static str,
    details: Term<'a>,
}

/// What a function answers.
pub(crate) type Answer<'a> = Result<Term<'a>, Failure<'a>>;

impl<'a> Failure<'a> {
    /// A failure with the given details.
    pub(crate) fn with(code: &'static str, details: Term<'a>) -> Self {
        Self { code, details }
    }

    /// A failure that only has a message.
    pub(crate) fn new(env: Env<'a>, code: &'static str, message: &str) -> Self {
        Self::with(code, Fields::new(env).put(atoms::message(), message).done())
    }
}

/// Runs the work of one function; a failure or a panic becomes `{error, {btr, Code, Details}}`.
///
/// Nothing here can be seen half changed after a panic: units and snapshots are immutable, and the
/// state of an index is replaced as a whole.
pub(crate) fn answer<'a>(env: Env<'a>, work: impl FnOnce() -> Answer<'a>) -> Term<'a> {
    let failure = match catch(work) {
        Ok(Ok(term)) => return term,
        Ok(Err(failure)) => failure,
        Err(message) => Failure::new(env, "internal.panic", &message),
    };
    let error = (atoms::btr(), failure.code, failure.details).encode(env);
    (atoms::error(), error).encode(env)
}

/// Runs work whose recursion a dirty scheduler's stack (320 KB) would not bear, on a thread with
/// a large one. A panic there goes on here.
pub(crate) fn on_large_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    const STACK: usize = 64 << 20;
    let result = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        match builder.spawn_scoped(scope, || catch(work)) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(String::from("thread lost"))),
            Err(error) => Err(format!("no thread: {error}")),
        }
    });
    result.unwrap_or_else(|message| std::panic::panic_any(message))
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the message of a panic for [`answer`] instead of printing it.
pub(crate) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| String::from("panic"));
        let place = info.location().map_or_else(String::new, |at| format!(" ({at})"));
        PANIC.with(|slot| *slot.borrow_mut() = Some(format!("{text}{place}")));
    }));
}

fn catch<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        PANIC.with(|slot| slot.borrow_mut().take()).unwrap_or_else(|| String::from("panic"))
    })
}
