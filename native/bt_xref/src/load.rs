//! Work on many things at once, on as many threads as the machine has cores.

use crate::extract::{extract, Extract};
use crate::ids::Interner;
use crate::snapshot::Patched;
use bt_syntax::Unit;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Units that a thread takes at a time.
const UNITS: usize = 8;

/// What units say, each with its methods that were patched live, in their order.
#[must_use]
pub fn extract_all(units: &[(&Unit, &[Patched])], names: &Interner) -> Vec<Extract> {
    map_all(units, UNITS, |(unit, patched)| extract(unit, patched, names))
}

/// Maps items, so many at a time, in their order. Fewer than two batches are not worth a thread.
pub(crate) fn map_all<T: Sync, R: Send>(
    items: &[T],
    batch: usize,
    map: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if items.len() < 2 * batch || n_cores == 1 {
        return items.iter().map(map).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(batch, Ordering::Relaxed);
            let Some(rest) = items.get(from..).filter(|rest| !rest.is_empty()) else { return done };
            done.push((from, rest.iter().take(batch).map(&map).collect::<Vec<_>>()));
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
            assert_eq!(map_all(&items, 8, |it| it * 3), expected);
        }
    }
}
