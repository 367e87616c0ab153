//! Which units hold facts about a name, persistently: changing one unit copies only the neighbours of
//! its shares in the lists of its names.

use crate::bytes::{put_number, Reader};
use crate::ids::NameId;
use crate::load::map_all;
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
pub(crate) struct Share<'r> {
    pub(crate) unit: UnitId,
    /// Number of facts.
    pub(crate) count: u32,
    /// The facts as rows ([`crate::row_list`]); empty in lists that are not shown as rows.
    pub(crate) rows: &'r [u8],
}

/// Shares in order of their paths, one after the other: unit, count, length of the rows, the rows.
#[derive(Debug)]
pub(crate) struct Chunk {
    n_facts: u32,
    n_units: u32,
    bytes: Box<[u8]>,
}

/// Bytes of a chunk, about, at most.
const CHUNK_BYTES: usize = 4096;

impl Chunk {
    fn new(shares: &[Share<'_>]) -> Self {
        let mut bytes = Vec::with_capacity(shares.iter().map(Share::size).sum());
        shares.iter().for_each(|share| share.put(&mut bytes));
        Self {
            n_facts: shares.iter().map(|share| share.count).sum(),
            n_units: shares.len() as u32,
            bytes: bytes.into_boxed_slice(),
        }
    }

    fn shares(&self) -> impl Iterator<Item = Share<'_>> {
        let mut rest = Reader::new(&self.bytes);
        (0..self.n_units).map(move |_| Share::read(&mut rest))
    }

    /// The chunk with a unit's share replaced by another of that unit, if it has one and neither grows
    /// too large by that nor loses it: what is before and behind it is copied as it is.
    fn spliced(&self, share: &Share<'_>) -> Option<Self> {
        let n_bytes = self.bytes.len() + share.size();
        if share.count == 0 || n_bytes > 2 * CHUNK_BYTES {
            return None;
        }
        let mut rest = Reader::new(&self.bytes);
        for _ in 0..self.n_units {
            let start = self.bytes.len() - rest.len();
            let old = Share::read(&mut rest);
            if old.unit == share.unit {
                let mut bytes = Vec::with_capacity(n_bytes);
                bytes.extend_from_slice(self.bytes.get(..start)?);
                share.put(&mut bytes);
                bytes.extend_from_slice(rest.take(rest.len()));
                let n_facts = self.n_facts - old.count + share.count;
                return Some(Self { n_facts, n_units: self.n_units, bytes: bytes.into() });
            }
        }
        None
    }
}

/// A chunk, and what is asked of chunks that are passed by.
#[derive(Clone, Debug)]
struct Slot {
    first: UnitId,
    n_facts: u32,
    chunk: Arc<Chunk>,
}

impl Slot {
    fn new(chunk: Arc<Chunk>) -> Self {
        let first = UnitId(Reader::new(&chunk.bytes).number());
        Self { first, n_facts: chunk.n_facts, chunk }
    }
}

impl<'r> Share<'r> {
    /// Bytes in a chunk, about.
    fn size(&self) -> usize {
        self.rows.len() + 8
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        put_number(bytes, self.unit.0);
        put_number(bytes, self.count);
        put_number(bytes, self.rows.len() as u32);
        bytes.extend_from_slice(self.rows);
    }

    fn read(reader: &mut Reader<'r>) -> Self {
        let (unit, count) = (UnitId(reader.number()), reader.number());
        let n_bytes = reader.number();
        Self { unit, count, rows: reader.take(n_bytes as usize) }
    }
}

/// The units that hold facts about one name, in order of their paths.
#[derive(Clone, Debug, Default)]
pub(crate) enum Posting {
    #[default]
    Empty,
    /// One unit, in a list without rows.
    One {
        unit: UnitId,
        count: u32,
    },
    Few(Arc<Chunk>),
    Many(Arc<Many>),
}

#[derive(Debug)]
pub(crate) struct Many {
    n_facts: usize,
    n_units: usize,
    slots: Box<[Slot]>,
}

impl Posting {
    /// All shares.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Share<'_>> {
        let (one, few, slots): (_, _, &[Slot]) = match self {
            Self::Empty => (None, None, &[]),
            Self::One { unit, count } => {
                (Some(Share { unit: *unit, count: *count, rows: &[] }), None, &[])
            }
            Self::Few(chunk) => (None, Some(&**chunk), &[]),
            Self::Many(many) => (None, None, &many.slots),
        };
        let chunks = few.into_iter().chain(slots.iter().map(|slot| &*slot.chunk));
        one.into_iter().chain(chunks.flat_map(Chunk::shares))
    }

    /// The shares from that of a fact on, and the fact's place in its share.
    pub(crate) fn shares_from(&self, fact: usize) -> (usize, impl Iterator<Item = Share<'_>>) {
        let mut n_before = fact;
        let mut is_before = |n_facts: u32| match n_before.checked_sub(n_facts as usize) {
            Some(rest) => {
                n_before = rest;
                true
            }
            None => false,
        };
        let (few, slots): (_, &[Slot]) = match self {
            Self::Many(many) => (None, &many.slots),
            other => (Some(other.shares()), &[]),
        };
        let n_slots = slots.iter().take_while(|slot| is_before(slot.n_facts)).count();
        let slots = slots.get(n_slots..).unwrap_or(&[]).iter();
        let many = slots.flat_map(|slot| slot.chunk.shares());
        let mut shares = few.into_iter().flatten().chain(many);
        let first = shares.find(|share| !is_before(share.count));
        (n_before, first.into_iter().chain(shares))
    }

    /// Number of facts over all units.
    pub(crate) fn total(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One { count, .. } => *count as usize,
            Self::Few(chunk) => chunk.n_facts as usize,
            Self::Many(many) => many.n_facts,
        }
    }

    /// Number of units.
    pub(crate) fn n_units(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One { .. } => 1,
            Self::Few(chunk) => chunk.n_units as usize,
            Self::Many(many) => many.n_units,
        }
    }

    fn of(mut slots: Vec<Slot>) -> Self {
        if slots.len() > 1 {
            return Self::Many(Arc::new(Many {
                n_facts: slots.iter().map(|slot| slot.n_facts as usize).sum(),
                n_units: slots.iter().map(|slot| slot.chunk.n_units as usize).sum(),
                slots: slots.into_boxed_slice(),
            }));
        }
        let Some(Slot { chunk, .. }) = slots.pop() else { return Self::Empty };
        let mut shares = chunk.shares();
        match (shares.next(), shares.next()) {
            (Some(Share { unit, count, rows: [] }), None) => Self::One { unit, count },
            _ => {
                drop(shares);
                Self::Few(chunk)
            }
        }
    }

    /// The list with some shares replaced; the deltas are in order of their paths. Chunks that no
    /// delta falls into are shared.
    fn merged<'p>(&self, deltas: &[Delta<'_>], path_of: &impl Fn(UnitId) -> &'p str) -> Self {
        let few;
        let mut rest: &[Slot] = match self {
            Self::Empty | Self::One { .. } => {
                let shares: Vec<_> = self.shares().collect();
                let mut slots = Vec::new();
                pack(&replaced(&shares, deltas, path_of), &mut slots);
                return Self::of(slots);
            }
            Self::Few(chunk) => {
                few = Slot::new(Arc::clone(chunk));
                std::slice::from_ref(&few)
            }
            Self::Many(many) => &many.slots,
        };
        let mut slots = Vec::with_capacity(rest.len() + 1);
        let mut deltas = deltas;
        while let Some(delta) = deltas.first() {
            let path = path_of(delta.share.unit);
            let n_upto = rest.partition_point(|slot| path_of(slot.first) <= path);
            let (before, behind) = rest.split_at(n_upto.saturating_sub(1));
            slots.extend_from_slice(before);
            let Some((slot, behind)) = behind.split_first() else { break };
            let n_here = behind.first().map_or(deltas.len(), |next| {
                let end = path_of(next.first);
                deltas.partition_point(|delta| path_of(delta.share.unit) < end)
            });
            let (here, others) = deltas.split_at(n_here);
            let spliced = match here {
                [Delta { share, .. }] => slot.chunk.spliced(share),
                _ => None,
            };
            if let Some(chunk) = spliced {
                slots.push(Slot::new(Arc::new(chunk)));
            } else {
                let shares: Vec<_> = slot.chunk.shares().collect();
                pack(&replaced(&shares, here, path_of), &mut slots);
            }
            (rest, deltas) = (behind, others);
        }
        slots.extend_from_slice(rest);
        Self::of(slots)
    }

    fn memory_bytes(&self) -> usize {
        const COUNTS: usize = 2 * size_of::<usize>();
        let of_chunk = |chunk: &Chunk| COUNTS + size_of::<Chunk>() + size_of_val(&*chunk.bytes);
        let beside = match self {
            Self::Empty | Self::One { .. } => 0,
            Self::Few(chunk) => of_chunk(chunk),
            Self::Many(many) => {
                let chunks: usize = many.slots.iter().map(|slot| of_chunk(&slot.chunk)).sum();
                COUNTS + size_of::<Many>() + size_of_val(&*many.slots) + chunks
            }
        };
        size_of::<Self>() + beside
    }
}

/// Shares in order with some of them replaced.
fn replaced<'a, 'p>(
    old: &[Share<'a>],
    deltas: &[Delta<'a>],
    path_of: &impl Fn(UnitId) -> &'p str,
) -> Vec<Share<'a>> {
    let mut shares = Vec::with_capacity(old.len() + deltas.len());
    let mut rest = old;
    for Delta { share, .. } in deltas {
        let path = path_of(share.unit);
        let n_before = rest.partition_point(|other| path_of(other.unit) < path);
        let (before, behind) = rest.split_at(n_before);
        shares.extend_from_slice(before);
        rest = match behind.split_first() {
            Some((other, others)) if other.unit == share.unit => others,
            _ => behind,
        };
        if share.count > 0 {
            shares.push(*share);
        }
    }
    shares.extend_from_slice(rest);
    shares
}

/// Packs shares into chunks of about the same size.
fn pack(shares: &[Share<'_>], slots: &mut Vec<Slot>) {
    let n_bytes: usize = shares.iter().map(Share::size).sum();
    let goal = n_bytes / n_bytes.div_ceil(CHUNK_BYTES).max(1);
    let mut rest = shares;
    while !rest.is_empty() {
        let mut filled = 0;
        let mut is_room = |share: &Share<'_>| {
            let fits = filled < goal;
            filled += share.size();
            fits
        };
        let n_shares = rest.iter().take_while(|share| is_room(share)).count();
        let (here, behind) = rest.split_at(n_shares.max(1));
        slots.push(Slot::new(Arc::new(Chunk::new(here))));
        rest = behind;
    }
}

/// A changed share (count 0: none).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delta<'r> {
    pub(crate) name: NameId,
    pub(crate) share: Share<'r>,
}

/// Sorts by name and unit. Deltas come in the order of their units, so it is enough to
/// sort numbers.
fn sort(deltas: &mut Vec<Delta<'_>>) {
    let key = |(at, delta): (usize, &Delta<'_>)| (u64::from(delta.name.0) << 32) | at as u64;
    let mut keys: Vec<u64> = deltas.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let sorted = keys.iter().filter_map(|key| deltas.get((key & u64::from(u32::MAX)) as usize));
    *deltas = sorted.copied().collect();
}

/// Lists that a thread makes at a time.
const LISTS: usize = 128;

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
        self.lists.iter().map(Posting::memory_bytes).sum()
    }

    /// Applies deltas, which are in the order of their units; `path_of` gives it. There is at most one
    /// delta for each name and unit.
    pub(crate) fn apply<'p>(
        &mut self,
        mut deltas: Vec<Delta<'_>>,
        path_of: &(impl Fn(UnitId) -> &'p str + Sync),
    ) {
        sort(&mut deltas);
        let groups: Vec<_> = deltas.chunk_by(|a, b| a.name == b.name).collect();
        let merged = |_: &mut (), group: &&[Delta<'_>]| {
            let name = group.first().map_or(NameId::NONE, |delta| delta.name);
            (name, self.get(name).merged(group, path_of))
        };
        for (name, list) in map_all(&groups, LISTS, || (), merged) {
            if let Some(cell) = self.lists.cell(name.0 as usize) {
                *cell = list;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const NAME: NameId = NameId(300);

    /// Paths whose order is not that of the numbers.
    fn paths() -> Vec<String> {
        (0..1000).map(|n| format!("{:03}.bt", n * 7 % 1000)).collect()
    }

    fn contents(posting: &Posting) -> Vec<(u32, u32, Vec<u8>)> {
        posting.shares().map(|it| (it.unit.0, it.count, it.rows.to_vec())).collect()
    }

    /// The unit and the place in its share of each fact.
    fn facts(posting: &Posting) -> impl Iterator<Item = (UnitId, usize)> + '_ {
        posting.shares().flat_map(|share| (0..share.count as usize).map(move |at| (share.unit, at)))
    }

    fn fact_from(posting: &Posting, fact: u32) -> Option<(UnitId, usize)> {
        let (at, mut shares) = posting.shares_from(fact as usize);
        shares.next().map(|share| (share.unit, at))
    }

    fn delta(unit: u32, count: u32, rows: &[u8]) -> Delta<'_> {
        Delta { name: NAME, share: Share { unit: UnitId(unit), count, rows } }
    }

    proptest! {
        /// Whatever is replaced, the shares are those put last, in order, and older lists stay.
        #[test]
        fn lists_hold_what_was_put_last(
            rounds in prop::collection::vec(
                prop::collection::btree_map(0..1000_u32, (0..3_u32, 0..300_usize), 1..60),
                1..12,
            ),
        ) {
            let paths = paths();
            let path_of = |unit: UnitId| paths[unit.at()].as_str();
            let mut table = Table::default();
            let mut model: BTreeMap<&str, (u32, u32, Vec<u8>)> = BTreeMap::new();
            for round in &rounds {
                let before = (table.clone(), contents(table.get(NAME)));
                let mut puts: Vec<_> = round
                    .iter()
                    .map(|(unit, (count, len))| (*unit, *count, vec![*unit as u8; *len]))
                    .collect();
                puts.sort_by_key(|(unit, _, _)| path_of(UnitId(*unit)));
                let deltas = puts.iter().map(|(unit, count, rows)| delta(*unit, *count, rows));
                let deltas = deltas.collect();
                table.apply(deltas, &path_of);
                for put in &puts {
                    let path = path_of(UnitId(put.0));
                    if put.1 == 0 {
                        model.remove(path);
                    } else {
                        model.insert(path, put.clone());
                    }
                }
                let posting = table.get(NAME);
                prop_assert_eq!(contents(posting), model.values().cloned().collect::<Vec<_>>());
                let total: u32 = model.values().map(|(_, count, _)| count).sum();
                prop_assert_eq!(posting.total(), total as usize);
                prop_assert_eq!(posting.n_units(), model.len());
                for fact in [0, total / 3, total / 2, total.saturating_sub(1), total] {
                    prop_assert_eq!(fact_from(posting, fact), facts(posting).nth(fact as usize));
                }
                prop_assert_eq!(contents(before.0.get(NAME)), before.1);
            }
        }
    }

    #[test]
    fn one_unit_without_rows_takes_no_memory_of_its_own() {
        let mut table = Table::default();
        table.apply(vec![delta(5, 2, &[])], &|_| "a.bt");
        assert!(matches!(table.get(NAME), Posting::One { unit: UnitId(5), count: 2 }));
        assert!(matches!(table.get(NameId(299)), Posting::Empty));
    }
}
