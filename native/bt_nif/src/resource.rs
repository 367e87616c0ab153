//! What Erlang holds references to: units and indexes.

use crate::janitor::drop_later;
use bt_syntax::Unit;
use bt_xref::{Change, Index};
use parking_lot::RwLock;
use rustler::{Resource, ResourceArc};
use std::sync::Arc;

/// A parsed text. Immutable.
pub(crate) struct UnitResource(pub(crate) Arc<Unit>);

#[rustler::resource_impl]
impl Resource for UnitResource {}

/// A reference to a parsed text.
pub(crate) type UnitRef = ResourceArc<UnitResource>;

/// What an index is after some changes, made ahead of staging it. Immutable.
pub(crate) struct NextResource {
    base: Arc<Index>,
    changes: Vec<Change>,
    index: Arc<Index>,
}

#[rustler::resource_impl]
impl Resource for NextResource {}

/// A reference to what an index will be.
pub(crate) type NextRef = ResourceArc<NextResource>;

impl NextResource {
    /// An index with changes.
    pub(crate) fn new(base: Arc<Index>, changes: Vec<Change>) -> Self {
        let index = Arc::new(base.with_changes(&changes));
        Self { base, changes, index }
    }

    /// What was made, if it was made on this index.
    pub(crate) fn made_on(&self, base: &Arc<Index>) -> Option<Arc<Index>> {
        Arc::ptr_eq(&self.base, base).then(|| Arc::clone(&self.index))
    }

    /// The same changes on this index.
    pub(crate) fn on(&self, base: &Arc<Index>) -> Arc<Index> {
        self.made_on(base).unwrap_or_else(|| Arc::new(base.with_changes(&self.changes)))
    }
}

impl Drop for NextResource {
    fn drop(&mut self) {
        let empty = Arc::new(Index::new());
        let index = std::mem::replace(&mut self.index, Arc::clone(&empty));
        let base = std::mem::replace(&mut self.base, empty);
        drop_later((index, base, std::mem::take(&mut self.changes)));
    }
}

/// A snapshot and its generation.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) generation: u64,
    pub(crate) index: Arc<Index>,
}

/// The snapshots of an index.
struct Snapshots {
    current: Snapshot,
    previous: Option<Snapshot>,
    staged: Option<Snapshot>,
}

/// An index: its current and previous snapshot, and one that is staged.
///
/// The lock is held only to copy or replace references; no snapshot is made, read or freed under
/// it.
pub(crate) struct IndexResource(RwLock<Snapshots>);

#[rustler::resource_impl]
impl Resource for IndexResource {}

/// A reference to an index.
pub(crate) type IndexRef = ResourceArc<IndexResource>;

impl IndexResource {
    /// An index of nothing, at generation 0.
    pub(crate) fn new() -> Self {
        let current = Snapshot { generation: 0, index: Arc::new(Index::new()) };
        Self(RwLock::new(Snapshots { current, previous: None, staged: None }))
    }

    /// The snapshot that readers see.
    pub(crate) fn current(&self) -> Snapshot {
        self.0.read().current.clone()
    }

    /// Keeps a snapshot for [`Self::publish`], in place of what was staged before.
    pub(crate) fn stage(&self, snapshot: Snapshot) {
        let old = self.0.write().staged.replace(snapshot);
        drop_later(old);
    }

    /// Makes the staged snapshot the current one; `false` when none of that generation is staged.
    /// Publishing a generation again changes nothing.
    pub(crate) fn publish(&self, generation: u64) -> bool {
        let mut snapshots = self.0.write();
        match snapshots.staged.take() {
            Some(staged) if staged.generation == generation => {
                let old = std::mem::replace(&mut snapshots.current, staged);
                let older = snapshots.previous.replace(old);
                drop(snapshots);
                drop_later(older);
                true
            }
            other => {
                snapshots.staged = other;
                snapshots.current.generation == generation
            }
        }
    }

    /// Forgets what was staged.
    pub(crate) fn drop_staged(&self) {
        let old = self.0.write().staged.take();
        drop_later(old);
    }
}

impl Drop for IndexResource {
    fn drop(&mut self) {
        let empty = Snapshot { generation: 0, index: Arc::new(Index::new()) };
        let snapshots = self.0.get_mut();
        let current = std::mem::replace(&mut snapshots.current, empty);
        drop_later((current, snapshots.previous.take(), snapshots.staged.take()));
    }
}
