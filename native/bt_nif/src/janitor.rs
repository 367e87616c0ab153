//! Frees large structures away from the schedulers.
//!
//! The last owner of a snapshot is often a process's garbage collection; taking a hundred thousand
//! small parts down there would stop a normal scheduler for milliseconds. The library is linked so
//! that it is never unmapped under this thread (see `build.rs`).

use crossbeam::channel::{unbounded, Sender};
use std::any::Any;
use std::sync::OnceLock;

type Garbage = Box<dyn Any + Send>;

static JANITOR: OnceLock<Option<Sender<Garbage>>> = OnceLock::new();

/// Drops a value, soon and elsewhere.
pub(crate) fn drop_later(garbage: impl Any + Send) {
    match JANITOR.get_or_init(start) {
        // What cannot be sent comes back and is dropped here.
        Some(janitor) => drop(janitor.send(Box::new(garbage))),
        None => drop(garbage),
    }
}

fn start() -> Option<Sender<Garbage>> {
    let (sender, receiver) = unbounded::<Garbage>();
    std::thread::Builder::new()
        .name(String::from("bt_janitor"))
        .spawn(move || receiver.into_iter().for_each(drop))
        .ok()
        .map(|_| sender)
}
