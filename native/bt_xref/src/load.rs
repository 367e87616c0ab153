//! Work on many things at once, on as many threads as the machine has cores.

use crate::extract::{extract_with, Extract, Marks};
use crate::ids::{Interner, LocalNames};
use bt_syntax::Unit;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// Units that a thread takes at a time.
const UNITS: usize = 8;

/// What units say, each with what is known beyond its text, in their order.
#[must_use]
pub fn extract_all(units: &[(&Unit, Marks<'_>)], names: &Interner) -> Vec<Extract> {
    let local = || LocalNames::new(names);
    map_all(units, UNITS, local, |names, (unit, marks)| extract_with(unit, *marks, names))
}

/// Does two jobs about so many units; at the same time, if they are worth a thread.
pub(crate) fn both(n_units: usize, one: impl FnOnce() + Send, other: impl FnOnce()) {
    if n_units < 2 * UNITS || n_cores() == 1 {
        one();
        other();
        return;
    }
    let waiting = Mutex::new(Some(one));
    let begin = || {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(job) = job {
            job();
        }
    };
    // A panic of the thread goes on here.
    std::thread::scope(|scope| {
        let _ = beside(scope, begin);
        other();
        begin();
    });
}

fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// A thread for some work; none where the system has no more, and then others do all of it.
fn beside<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> R + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, R>> {
    Builder::new().spawn_scoped(scope, work).ok()
}

/// Maps items, so many at a time, in their order; each thread has a state of its own. Fewer than two
/// batches are not worth a thread. A panic in one of the threads goes on in the caller.
pub fn map_all<T: Sync, S, R: Send>(
    items: &[T],
    batch: usize,
    state: impl Fn() -> S + Sync,
    map: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    // Asking for the number of cores reads files: a change of one unit does not.
    let is_small = items.len() < 2 * batch;
    let n_cores = if is_small { 1 } else { n_cores() };
    if n_cores == 1 {
        let mut state = state();
        return items.iter().map(|item| map(&mut state, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut state, mut done) = (state(), Vec::new());
        loop {
            let from = next.fetch_add(batch, Ordering::Relaxed);
            let Some(rest) = items.get(from..).filter(|rest| !rest.is_empty()) else { return done };
            let results = rest.iter().take(batch).map(|item| map(&mut state, item));
            done.push((from, results.collect::<Vec<_>>()));
        }
    };
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..n_cores).filter_map(|_| beside(scope, work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(from, _)| *from);
    all.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for n in [0, 1, 15, 16, 17, 1000] {
            let items: Vec<usize> = (0..n).collect();
            let expected: Vec<_> = items.iter().map(|it| it * 3).collect();
            assert_eq!(map_all(&items, 8, || 3, |times, it| it * *times), expected);
        }
    }

    #[test]
    fn both_jobs_are_done_once() {
        for n_units in [0, 1, 1000] {
            let (one, other) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let count = |job: &AtomicUsize| {
                job.fetch_add(1, Ordering::Relaxed);
            };
            both(n_units, || count(&one), || count(&other));
            assert_eq!((one.into_inner(), other.into_inner()), (1, 1));
        }
    }

    #[test]
    #[should_panic(expected = "item 700")]
    fn a_panic_goes_on_in_the_caller() {
        let items: Vec<usize> = (0..1000).collect();
        let _ = map_all(&items, 8, || (), |(), it| assert!(*it != 700, "item {it}"));
    }
}
