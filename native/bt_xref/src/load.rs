//! Facts of many units at once, on as many threads as the machine has cores.

use crate::extract::{extract, Extract};
use crate::ids::Interner;
use bt_syntax::Unit;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewer units are not worth a thread.
const MIN_UNITS: usize = 16;
/// Units that a thread takes at a time.
const BATCH: usize = 8;

/// The facts of units, in their order.
#[must_use]
pub fn extract_all(units: &[&Unit], names: &Interner) -> Vec<Extract> {
    let n_cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if units.len() < MIN_UNITS || n_cores == 1 {
        return units.iter().map(|unit| extract(unit, names)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let from = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(rest) = units.get(from..).filter(|rest| !rest.is_empty()) else { return done };
            let batch = rest.iter().take(BATCH).enumerate();
            done.extend(batch.map(|(at, unit)| (from + at, extract(unit, names))));
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
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, facts)| facts).collect()
}
