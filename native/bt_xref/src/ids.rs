//! Names as numbers: one copy of each text, ids that never change their meaning.
//!
//! An interner only grows. Looking a name up takes a shared lock for the time of one hash probe;
//! going from an id to its text takes no lock at all, because texts live in chunks that never move. Short
//! texts are in the chunks themselves.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::{OnceLock, PoisonError, RwLock};

/// A name of an [`Interner`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// No name.
    pub const NONE: Self = Self(u32::MAX);

    /// The name, unless it is [`NameId::NONE`].
    #[must_use]
    pub fn some(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }

    /// A place among so many, the same each time.
    #[must_use]
    pub fn remainder(self, n_places: usize) -> usize {
        self.0 as usize % n_places
    }
}

const FIRST_BITS: u32 = 8;
const N_CHUNKS: usize = 24;
/// Bytes of a text that needs no memory besides its cell.
const INLINE: usize = 23;

type Cell = OnceLock<SmolStr>;
type Chunk = OnceLock<Box<[Cell]>>;

/// Texts and their ids.
#[derive(Debug)]
pub struct Interner {
    /// Ids by the hash of their text; the texts themselves are in `chunks`.
    ids: RwLock<HashTable<NameId>>,
    chunks: [Chunk; N_CHUNKS],
}

impl Default for Interner {
    fn default() -> Self {
        Self { ids: RwLock::default(), chunks: std::array::from_fn(|_| OnceLock::new()) }
    }
}

impl Interner {
    /// The id of a text, if it has one. Never makes one.
    #[must_use]
    pub fn lookup(&self, text: &str) -> Option<NameId> {
        let ids = self.ids.read().unwrap_or_else(PoisonError::into_inner);
        ids.find(hash(text), |id| self.text(*id) == text).copied()
    }

    /// The id of a text; it gets one when it has none.
    pub fn intern(&self, text: &str) -> NameId {
        if let Some(id) = self.lookup(text) {
            return id;
        }
        let mut ids = self.ids.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = ids.find(hash(text), |id| self.text(*id) == text) {
            return *id;
        }
        let id = NameId(ids.len() as u32);
        if let Some(cell) = self.cell(id) {
            // The id is new and the lock is held: nobody else can have set this cell.
            let _ = cell.set(text.into());
        }
        ids.insert_unique(hash(text), id, |id| hash(self.text(*id)));
        id
    }

    /// The text of an id; empty for [`NameId::NONE`].
    #[must_use]
    pub fn text(&self, id: NameId) -> &str {
        let (chunk, at) = place(id);
        let cells = self.chunks.get(chunk).and_then(OnceLock::get);
        cells.and_then(|cells| cells.get(at)?.get()).map_or("", SmolStr::as_str)
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether it has no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes held by the names.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        // A slot of the table of ids, of which seven in eight may be taken, with its control byte.
        const PER_NAME: usize = size_of::<Cell>() + (size_of::<NameId>() + 1) * 8 / 7;
        let n_names = self.len() as u32;
        let on_heap = |id| {
            let text = self.text(NameId(id));
            if text.len() > INLINE {
                text.len() + 2 * size_of::<usize>()
            } else {
                0
            }
        };
        (0..n_names).map(|id| PER_NAME + on_heap(id)).sum()
    }

    fn cell(&self, id: NameId) -> Option<&Cell> {
        let (chunk, at) = place(id);
        let size = 1_usize << (FIRST_BITS as usize + chunk);
        self.chunks.get(chunk)?.get_or_init(|| (0..size).map(|_| OnceLock::new()).collect()).get(at)
    }
}

/// An interner with a memory of its own: names seen before take no lock.
#[derive(Debug)]
pub struct LocalNames<'i> {
    shared: &'i Interner,
    seen: RefCell<HashTable<NameId>>,
}

impl<'i> LocalNames<'i> {
    /// A memory in front of an interner.
    #[must_use]
    pub fn new(shared: &'i Interner) -> Self {
        Self { shared, seen: RefCell::default() }
    }

    /// The id of a text; it gets one when it has none.
    pub fn intern(&self, text: &str) -> NameId {
        let mut seen = self.seen.borrow_mut();
        let is_it = |id: &NameId| self.text(*id) == text;
        let rehash = |id: &NameId| hash(self.text(*id));
        let entry = seen.entry(hash(text), is_it, rehash);
        *entry.or_insert_with(|| self.shared.intern(text)).get()
    }

    /// The text of an id.
    #[must_use]
    pub fn text(&self, id: NameId) -> &'i str {
        self.shared.text(id)
    }
}

fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

/// Chunk and position of an id: chunk `k` holds `2^(8 + k)` names.
fn place(id: NameId) -> (usize, usize) {
    let shifted = u64::from(id.0) + (1 << FIRST_BITS);
    let bits = 63 - shifted.leading_zeros();
    ((bits - FIRST_BITS) as usize, (shifted - (1 << bits)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_keeps_its_id_over_chunk_borders() {
        let names = Interner::default();
        let ids: Vec<_> = (0..5000).map(|n| names.intern(&format!("name{n}"))).collect();
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(names.text(*id), format!("name{n}"));
            assert_eq!(names.lookup(&format!("name{n}")), Some(*id));
        }
        assert_eq!(names.len(), 5000);
    }

    #[test]
    fn looking_up_makes_no_name() {
        let names = Interner::default();
        assert_eq!(names.lookup("absent"), None);
        assert!(names.is_empty());
        assert_eq!(names.text(NameId::NONE), "");
    }
}
