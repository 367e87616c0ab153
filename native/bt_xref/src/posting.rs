//! Which units hold facts about a name, persistently: changing one unit copies only what that unit's
//! names touch.

use crate::ids::NameId;
use std::sync::Arc;

/// Index of a unit; units keep it for the life of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub(crate) u32);

impl UnitId {
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

const CHUNK: usize = 256;

/// A vector that shares its chunks with the vectors it was made from. Chunks that nothing was put in
/// are empty.
#[derive(Clone, Debug)]
pub(crate) struct PVec<T> {
    chunks: Arc<Vec<Arc<Vec<T>>>>,
}

impl<T> Default for PVec<T> {
    fn default() -> Self {
        Self { chunks: Arc::default() }
    }
}

impl<T: Clone + Default> PVec<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// The cell at an index; chunks that are shared are copied first.
    pub(crate) fn cell(&mut self, at: usize) -> Option<&mut T> {
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.len() <= at / CHUNK {
            chunks.resize(at / CHUNK + 1, Arc::default());
        }
        let chunk = Arc::make_mut(chunks.get_mut(at / CHUNK)?);
        if chunk.is_empty() {
            chunk.resize(CHUNK, T::default());
        }
        chunk.get_mut(at % CHUNK)
    }
}

/// One unit's share of a posting list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) unit: UnitId,
    pub(crate) count: u32,
}

/// The units that hold facts about one name, in order of their paths.
#[derive(Clone, Debug, Default)]
pub(crate) enum Posting {
    #[default]
    Empty,
    One(Entry),
    Many(Arc<Many>),
}

#[derive(Debug)]
pub(crate) struct Many {
    total: u32,
    entries: Box<[Entry]>,
}

impl Posting {
    pub(crate) fn entries(&self) -> &[Entry] {
        match self {
            Self::Empty => &[],
            Self::One(entry) => std::slice::from_ref(entry),
            Self::Many(many) => &many.entries,
        }
    }

    /// Number of facts over all units.
    pub(crate) fn total(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One(entry) => entry.count as usize,
            Self::Many(many) => many.total as usize,
        }
    }

    fn of(entries: Vec<Entry>) -> Self {
        match entries.as_slice() {
            [] => Self::Empty,
            [entry] => Self::One(*entry),
            _ => Self::Many(Arc::new(Many {
                total: entries.iter().map(|entry| entry.count).sum(),
                entries: entries.into_boxed_slice(),
            })),
        }
    }
}

/// A changed share: the unit now holds `count` facts about the name (0: none).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delta {
    pub(crate) name: NameId,
    /// Place of the unit among the changed units in order of their paths.
    pub(crate) seq: u32,
    pub(crate) entry: Entry,
}

/// From a name to its posting list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    lists: PVec<Posting>,
}

impl Table {
    pub(crate) fn get(&self, name: NameId) -> &Posting {
        static EMPTY: Posting = Posting::Empty;
        self.lists.get(name.0 as usize).unwrap_or(&EMPTY)
    }

    /// Bytes held by the lists.
    pub(crate) fn memory_bytes(&self) -> usize {
        let of_list = |posting: &Posting| match posting {
            Posting::Empty | Posting::One(_) => size_of::<Posting>(),
            Posting::Many(many) => {
                size_of::<Posting>() + size_of::<Many>() + size_of_val(&*many.entries)
            }
        };
        self.lists.iter().map(of_list).sum()
    }

    /// Applies deltas; `path_of` gives the order of units. There is at most one delta for each name
    /// and unit.
    pub(crate) fn apply<'p>(
        &mut self,
        mut deltas: Vec<Delta>,
        path_of: &impl Fn(UnitId) -> &'p str,
    ) {
        deltas.sort_unstable_by_key(|delta| (delta.name, delta.seq));
        for group in deltas.chunk_by(|a, b| a.name == b.name) {
            let Some(name) = group.first().map(|delta| delta.name) else { continue };
            if let Some(cell) = self.lists.cell(name.0 as usize) {
                *cell = merged(cell.entries(), group, path_of);
            }
        }
    }
}

/// An ordered list of entries with some of them replaced.
fn merged<'p>(old: &[Entry], deltas: &[Delta], path_of: &impl Fn(UnitId) -> &'p str) -> Posting {
    let mut entries = Vec::with_capacity(old.len() + deltas.len());
    let mut rest = old;
    for delta in deltas {
        let path = path_of(delta.entry.unit);
        let n_before = rest.partition_point(|entry| path_of(entry.unit) < path);
        let (before, behind) = rest.split_at(n_before);
        entries.extend_from_slice(before);
        rest = match behind.split_first() {
            Some((entry, others)) if entry.unit == delta.entry.unit => others,
            _ => behind,
        };
        if delta.entry.count > 0 {
            entries.push(delta.entry);
        }
    }
    entries.extend_from_slice(rest);
    Posting::of(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 5] = ["d.bt", "a.bt", "c.bt", "b.bt", "e.bt"];

    fn path_of(unit: UnitId) -> &'static str {
        PATHS[unit.0 as usize]
    }

    fn delta(unit: u32, seq: u32, count: u32) -> Delta {
        Delta { name: NameId(300), seq, entry: Entry { unit: UnitId(unit), count } }
    }

    fn units(table: &Table) -> Vec<(&'static str, u32)> {
        let entries = table.get(NameId(300)).entries();
        entries.iter().map(|entry| (path_of(entry.unit), entry.count)).collect()
    }

    #[test]
    fn entries_stay_in_path_order_and_old_tables_stay_as_they_were() {
        let mut first = Table::default();
        first.apply(vec![delta(1, 0, 2), delta(2, 1, 1), delta(0, 2, 5)], &path_of);
        assert_eq!(units(&first), [("a.bt", 2), ("c.bt", 1), ("d.bt", 5)]);
        let mut second = first.clone();
        second.apply(vec![delta(3, 0, 7), delta(2, 1, 0), delta(4, 2, 1)], &path_of);
        assert_eq!(units(&second), [("a.bt", 2), ("b.bt", 7), ("d.bt", 5), ("e.bt", 1)]);
        assert_eq!(second.get(NameId(300)).total(), 15);
        assert_eq!(units(&first), [("a.bt", 2), ("c.bt", 1), ("d.bt", 5)]);
        assert_eq!(first.get(NameId(299)).total(), 0);
    }
}
