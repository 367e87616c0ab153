//! Work on many things at once, on as many threads as the machine has cores.

use crate::extract::{extract_with, Extract, Marks};
use crate::ids::{Interner, LocalNames};
use bt_syntax::Unit;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    // A panic of the thread goes on here.
    std::thread::scope(|scope| {
        scope.spawn(one);
        other();
    });
}

fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Maps items, so many at a time, in their order; each thread has a state of its own. Fewer than two
/// batches are not worth a thread.
pub(crate) fn map_all<T: Sync, S, R: Send>(
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
        let others: Vec<_> = (1..n_cores).map(|_| scope.spawn(work)).collect();
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
}
