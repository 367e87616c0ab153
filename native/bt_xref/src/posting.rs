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
        for share in shares {
            put_number(&mut bytes, share.unit.0);
            put_number(&mut bytes, share.count);
            put_number(&mut bytes, share.rows.len() as u32);
            bytes.extend_from_slice(share.rows);
        }
        Self {
            n_facts: shares.iter().map(|share| share.count).sum(),
            n_units: shares.len() as u32,
            bytes: bytes.into_boxed_slice(),
        }
    }

    pub(crate) fn n_facts(&self) -> usize {
        self.n_facts as usize
    }

    pub(crate) fn shares(&self) -> impl Iterator<Item = Share<'_>> {
        let mut rest = Reader::new(&self.bytes);
        (0..self.n_units).map(move |_| {
            let (unit, count) = (UnitId(rest.number()), rest.number());
            let n_bytes = rest.number();
            Share { unit, count, rows: rest.take(n_bytes as usize) }
        })
    }

    fn first(&self) -> UnitId {
        UnitId(Reader::new(&self.bytes).number())
    }
}

impl Share<'_> {
    /// Bytes in a chunk, about.
    fn size(&self) -> usize {
        self.rows.len() + 8
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
    chunks: Box<[Arc<Chunk>]>,
}

impl Posting {
    /// All shares.
    pub(crate) fn shares(&self) -> impl Iterator<Item = Share<'_>> {
        let one = match self {
            Self::One { unit, count } => Some(Share { unit: *unit, count: *count, rows: &[] }),
            Self::Empty | Self::Few(_) | Self::Many(_) => None,
        };
        one.into_iter().chain(self.chunks().iter().flat_map(|chunk| chunk.shares()))
    }

    /// The chunks; all shares of a list with rows are in them.
    pub(crate) fn chunks(&self) -> &[Arc<Chunk>] {
        match self {
            Self::Empty | Self::One { .. } => &[],
            Self::Few(chunk) => std::slice::from_ref(chunk),
            Self::Many(many) => &many.chunks,
        }
    }

    /// Number of facts over all units.
    pub(crate) fn total(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::One { count, .. } => *count as usize,
            Self::Few(chunk) => chunk.n_facts(),
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

    fn of(mut chunks: Vec<Arc<Chunk>>) -> Self {
        if chunks.len() > 1 {
            return Self::Many(Arc::new(Many {
                n_facts: chunks.iter().map(|chunk| chunk.n_facts()).sum(),
                n_units: chunks.iter().map(|chunk| chunk.n_units as usize).sum(),
                chunks: chunks.into_boxed_slice(),
            }));
        }
        let Some(chunk) = chunks.pop() else { return Self::Empty };
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
        let old = self.chunks();
        let mut chunks = Vec::with_capacity(old.len() + 1);
        if old.is_empty() {
            let shares: Vec<_> = self.shares().collect();
            pack(&replaced(&shares, deltas, path_of), &mut chunks);
            return Self::of(chunks);
        }
        let mut rest = old;
        let mut deltas = deltas;
        while let Some(delta) = deltas.first() {
            let path = path_of(delta.share.unit);
            let n_upto = rest.partition_point(|chunk| path_of(chunk.first()) <= path);
            let (before, behind) = rest.split_at(n_upto.saturating_sub(1));
            chunks.extend_from_slice(before);
            let Some((chunk, behind)) = behind.split_first() else { break };
            let n_here = behind.first().map_or(deltas.len(), |next| {
                let end = path_of(next.first());
                deltas.partition_point(|delta| path_of(delta.share.unit) < end)
            });
            let (here, others) = deltas.split_at(n_here);
            let shares: Vec<_> = chunk.shares().collect();
            pack(&replaced(&shares, here, path_of), &mut chunks);
            (rest, deltas) = (behind, others);
        }
        chunks.extend_from_slice(rest);
        Self::of(chunks)
    }

    fn memory_bytes(&self) -> usize {
        const COUNTS: usize = 2 * size_of::<usize>();
        let chunks: usize = self
            .chunks()
            .iter()
            .map(|chunk| COUNTS + size_of::<Chunk>() + size_of_val(&*chunk.bytes))
            .sum();
        let many = match self {
            Self::Many(many) => COUNTS + size_of::<Many>() + size_of_val(&*many.chunks),
            Self::Empty | Self::One { .. } | Self::Few(_) => 0,
        };
        size_of::<Self>() + chunks + many
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
fn pack(shares: &[Share<'_>], chunks: &mut Vec<Arc<Chunk>>) {
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
        chunks.push(Arc::new(Chunk::new(here)));
        rest = behind;
    }
}

/// A changed share (count 0: none).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delta<'r> {
    pub(crate) name: NameId,
    /// Place of the unit among the changed units in order of their paths.
    pub(crate) seq: u32,
    pub(crate) share: Share<'r>,
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

    /// Applies deltas; `path_of` gives the order of units. There is at most one delta for each name
    /// and unit.
    pub(crate) fn apply<'p>(
        &mut self,
        mut deltas: Vec<Delta<'_>>,
        path_of: &(impl Fn(UnitId) -> &'p str + Sync),
    ) {
        deltas.sort_unstable_by_key(|delta| (delta.name, delta.seq));
        let groups: Vec<_> = deltas.chunk_by(|a, b| a.name == b.name).collect();
        let lists = map_all(&groups, LISTS, |group| {
            let name = group.first().map_or(NameId::NONE, |delta| delta.name);
            (name, self.get(name).merged(group, path_of))
        });
        for (name, list) in lists {
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

    fn delta(seq: u32, unit: u32, count: u32, rows: &[u8]) -> Delta<'_> {
        Delta { name: NAME, seq, share: Share { unit: UnitId(unit), count, rows } }
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
                let deltas = puts.iter().enumerate();
                let deltas: Vec<_> = deltas
                    .map(|(seq, (unit, count, rows))| delta(seq as u32, *unit, *count, rows))
                    .collect();
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
                prop_assert_eq!(contents(before.0.get(NAME)), before.1);
            }
        }
    }

    #[test]
    fn one_unit_without_rows_takes_no_memory_of_its_own() {
        let mut table = Table::default();
        table.apply(vec![delta(0, 5, 2, &[])], &|_| "a.bt");
        assert!(matches!(table.get(NAME), Posting::One { unit: UnitId(5), count: 2 }));
        assert!(matches!(table.get(NameId(299)), Posting::Empty));
    }
}
