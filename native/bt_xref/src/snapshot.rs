//! An immutable index over units, and how the next one is made from it.
//!
//! An index shares everything with its predecessor but the changed units and the posting lists their
//! names are in, and the classes whose line of ancestors changes ([`crate::hierarchy`]).

use crate::extract::{Extract, Marks};
use crate::facts::{DefKind, Named, UnitFacts};
use crate::hierarchy::{Hierarchy, UnitChange};
use crate::ids::{Interner, NameId};
use crate::load::{both, extract_all};
use crate::posting::{Delta, PVec, Posting, Share, Table, UnitId};
use crate::row_list::RowLists;
use bt_syntax::{Side, Unit};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where a unit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A file of the project.
    Project,
    /// A file of a dependency.
    Dependency,
    /// A file of the standard library.
    Stdlib,
    /// Text typed at a prompt.
    Prompt,
    /// A former method, of which blocks may still run. It has no file; a rename changes its text in
    /// memory.
    Orphan,
    /// The same, where the text cannot be compiled anew: it keeps the names of its time.
    Relic,
}

impl Origin {
    /// Whether it is a former method.
    #[must_use]
    pub fn is_former(self) -> bool {
        matches!(self, Self::Orphan | Self::Relic)
    }
}

/// A change of the set of units.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new or changed unit.
    Put {
        /// Its file, relative to the project.
        file: Arc<str>,
        /// The parsed text.
        unit: Arc<Unit>,
        /// The package it belongs to.
        package: Arc<str>,
        /// Where it comes from.
        origin: Origin,
        /// Its methods that were patched live and are not in the file yet; for a former method what
        /// it was, under the name that its class has now.
        patched: Vec<Patched>,
    },
    /// A class of the running system that has no source.
    Opaque(Opaque),
    /// A unit that is gone.
    Delete {
        /// Its file.
        file: Arc<str>,
    },
}

impl Change {
    /// The file it is about.
    #[must_use]
    pub fn file(&self) -> &Arc<str> {
        match self {
            Self::Put { file, .. } | Self::Delete { file } => file,
            Self::Opaque(opaque) => &opaque.file,
        }
    }
}

/// A method that was patched live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// Its class.
    pub class: String,
    /// Its side.
    pub side: Side,
    /// Its selector.
    pub selector: String,
}

/// A class without source: it is known by name and line of ancestors, and its methods are not.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// What stands for its file; no text has it.
    pub file: Arc<str>,
    /// Its name.
    pub class: Arc<str>,
    /// Its superclass, perhaps with its package before an `@`.
    pub superclass: Option<Arc<str>>,
    /// The package it belongs to.
    pub package: Arc<str>,
    /// Where it comes from.
    pub origin: Origin,
}

/// How much an index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Units.
    pub files: usize,
    /// Bytes of text.
    pub bytes: usize,
    /// Methods, extensions included.
    pub methods: usize,
    /// Sends.
    pub sends: usize,
    /// Class references, declarations not counted.
    pub references: usize,
}

/// A unit with its facts.
#[derive(Debug)]
pub struct UnitEntry {
    /// Its file, relative to the project.
    pub file: Arc<str>,
    /// Its number in the index.
    pub id: UnitId,
    /// The parsed text.
    pub unit: Arc<Unit>,
    /// The package it belongs to.
    pub package: Arc<str>,
    /// The package's name in the index.
    pub package_id: NameId,
    /// Where it comes from.
    pub origin: Origin,
    /// What it says.
    pub facts: UnitFacts,
}

impl UnitEntry {
    fn stats(&self) -> Stats {
        let is_method = |kind: DefKind| matches!(kind, DefKind::Method | DefKind::Extension);
        // A manifest is no source, and what is left of a former one is none any more.
        let is_source = !self.unit.is_manifest() && !self.origin.is_former();
        let n_files = usize::from(is_source);
        Stats {
            files: n_files,
            bytes: n_files * self.unit.text().len(),
            methods: self.facts.defs.iter().filter(|def| is_method(def.kind)).count(),
            sends: self.facts.sends.len(),
            references: self.facts.refs.len(),
        }
    }
}

/// An immutable index. Cloning is cheap; a changed index shares what did not change.
#[derive(Clone, Debug, Default)]
pub struct Index {
    names: Arc<Interner>,
    files: Arc<Interner>,
    units: PVec<Option<Arc<UnitEntry>>>,
    /// Units in order of their files.
    order: Arc<Vec<UnitId>>,
    pub(crate) sends: Table,
    pub(crate) refs: Table,
    pub(crate) defs: Table,
    pub(crate) symbols: Table,
    /// Declared names of classes, protocols and aliases.
    pub(crate) decls: Table,
    /// Extensions by the name of their target.
    pub(crate) extensions: Table,
    stats: Stats,
    hierarchy: Arc<Hierarchy>,
}

impl Index {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The index after some changes, applied in order. This one stays as it is.
    #[must_use]
    pub fn with_changes(&self, changes: &[Change]) -> Self {
        let mut last: FxHashMap<&Arc<str>, usize> = FxHashMap::default();
        for (at, change) in changes.iter().enumerate() {
            last.insert(change.file(), at);
        }
        let mut effective: Vec<&Change> = changes
            .iter()
            .enumerate()
            .filter(|(at, change)| last.get(change.file()) == Some(at))
            .map(|(_, change)| change)
            .collect();
        effective.sort_by(|a, b| a.file().cmp(b.file()));
        let mut next = self.clone();
        next.replace(&effective);
        next
    }

    /// Applies changes, sorted by file and one for each file.
    fn replace(&mut self, changes: &[&Change]) {
        let mut order = Reordered::default();
        let mut extracts = self.extracts(changes).into_iter();
        let mut versions = Vec::with_capacity(changes.len());
        for change in changes {
            let id = UnitId(self.files.intern(change.file()).0);
            let version = self.version(change, id, &mut extracts);
            match (&version.old, &version.new) {
                (None, Some(_)) => order.added.push(id),
                (Some(_), None) => order.removed.push(id),
                _ => {}
            }
            self.count(version.old.as_deref(), version.new.as_deref());
            if let Some(cell) = self.units.cell(id.at()) {
                cell.clone_from(&version.new);
            }
            versions.push(version);
        }
        self.reorder(&order);
        let files = Arc::clone(&self.files);
        let path_of = |unit: UnitId| files.text(NameId(unit.0));
        let headers: Vec<_> = versions
            .iter()
            .map(|version| UnitChange {
                unit: version.unit,
                old: version.old.as_deref(),
                new: version.new.as_deref(),
            })
            .filter(|change| !change.keeps_headers())
            .collect();
        let Self { names, sends, refs, defs, symbols, decls, extensions, hierarchy, .. } = self;
        let names: &Interner = names;
        // The sends are as much work as all the rest.
        let apply_sends = || sends.apply(deltas(&versions, sends_of), &path_of);
        let apply_others = || {
            if !headers.is_empty() {
                Arc::make_mut(hierarchy).update(&headers, names, &path_of);
            }
            refs.apply(deltas(&versions, refs_of), &path_of);
            defs.apply(deltas(&versions, defs_of), &path_of);
            symbols.apply(deltas(&versions, symbols_of), &path_of);
            decls.apply(deltas(&versions, decls_of), &path_of);
            extensions.apply(deltas(&versions, extensions_of), &path_of);
        };
        both(versions.len(), apply_sends, apply_others);
    }

    /// What the new units say, in order.
    fn extracts(&self, changes: &[&Change]) -> Vec<Extract> {
        let units: Vec<(&Unit, Marks<'_>)> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Put { unit, patched, origin, .. } => {
                    Some((&**unit, Marks { patched, is_orphan: origin.is_former() }))
                }
                Change::Opaque(_) | Change::Delete { .. } => None,
            })
            .collect();
        extract_all(&units, &self.names)
    }

    fn version(
        &self,
        change: &Change,
        id: UnitId,
        extracts: &mut impl Iterator<Item = Extract>,
    ) -> Version {
        let old = self.entry(id).cloned();
        let (package, origin, unit, extract) = match change {
            Change::Put { unit, package, origin, .. } => {
                (package, *origin, Arc::clone(unit), extracts.next().unwrap_or_default())
            }
            Change::Opaque(opaque) => {
                let superclass = opaque.superclass.as_deref();
                let facts = UnitFacts::opaque(&opaque.class, superclass, &self.names);
                let extract = Extract { facts, ..Extract::default() };
                (&opaque.package, opaque.origin, Arc::new(bt_syntax::parse("")), extract)
            }
            Change::Delete { .. } => {
                let (send_rows, ref_rows) = Default::default();
                return Version { unit: id, old, new: None, send_rows, ref_rows };
            }
        };
        let Extract { facts, send_rows, ref_rows } = extract;
        let new = Some(Arc::new(UnitEntry {
            file: Arc::clone(change.file()),
            id,
            unit,
            package: Arc::clone(package),
            package_id: self.names.intern(package),
            origin,
            facts,
        }));
        Version { unit: id, old, new, send_rows, ref_rows }
    }

    fn count(&mut self, old: Option<&UnitEntry>, new: Option<&UnitEntry>) {
        let old = old.map(UnitEntry::stats).unwrap_or_default();
        let new = new.map(UnitEntry::stats).unwrap_or_default();
        let stats = &mut self.stats;
        stats.files = stats.files + new.files - old.files;
        stats.bytes = stats.bytes + new.bytes - old.bytes;
        stats.methods = stats.methods + new.methods - old.methods;
        stats.sends = stats.sends + new.sends - old.sends;
        stats.references = stats.references + new.references - old.references;
    }

    fn reorder(&mut self, changed: &Reordered) {
        if changed.added.is_empty() && changed.removed.is_empty() {
            return;
        }
        let files = Arc::clone(&self.files);
        let path = |unit: UnitId| files.text(NameId(unit.0));
        let order = Arc::make_mut(&mut self.order);
        if !changed.removed.is_empty() {
            order.retain(|unit| !changed.removed.contains(unit));
        }
        if changed.added.len() > FEW {
            order.extend(&changed.added);
            order.sort_by(|a, b| path(*a).cmp(path(*b)));
            return;
        }
        for unit in &changed.added {
            let at = order.partition_point(|other| path(*other) < path(*unit));
            order.insert(at, *unit);
        }
    }

    // ---- reading

    /// How much it holds.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The names that facts refer to.
    #[must_use]
    pub fn names(&self) -> &Interner {
        &self.names
    }

    /// A unit by its number.
    #[must_use]
    pub fn entry(&self, id: UnitId) -> Option<&Arc<UnitEntry>> {
        self.units.get(id.at())?.as_ref()
    }

    /// The file of a unit.
    #[must_use]
    pub fn file(&self, id: UnitId) -> &str {
        self.files.text(NameId(id.0))
    }

    /// A unit by its file.
    #[must_use]
    pub fn unit(&self, file: &str) -> Option<&Arc<UnitEntry>> {
        self.entry(UnitId(self.files.lookup(file)?.0))
    }

    /// Bytes held by facts, posting lists and names; the units' texts and trees are not counted.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let facts: usize = self.units().map(|entry| entry.facts.memory_bytes()).sum();
        let tables =
            [&self.sends, &self.refs, &self.defs, &self.symbols, &self.decls, &self.extensions];
        let postings: usize = tables.iter().map(|table| table.memory_bytes()).sum();
        facts + postings + self.names.memory_bytes() + self.files.memory_bytes()
    }

    /// All units in order of their files.
    pub fn units(&self) -> impl Iterator<Item = &Arc<UnitEntry>> {
        self.order.iter().filter_map(|id| self.entry(*id))
    }

    /// The classes and who is below whom.
    #[must_use]
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The units of a posting list.
    pub(crate) fn posted<'a>(
        &'a self,
        posting: &'a Posting,
    ) -> impl Iterator<Item = &'a Arc<UnitEntry>> + 'a {
        posting.shares().filter_map(|share| self.entry(share.unit))
    }
}

/// Units up to which each is put in its place on its own.
const FEW: usize = 32;

#[derive(Default)]
struct Reordered {
    added: Vec<UnitId>,
    removed: Vec<UnitId>,
}

/// The old and the new version of a unit, and the new one's rows.
struct Version {
    unit: UnitId,
    old: Option<Arc<UnitEntry>>,
    new: Option<Arc<UnitEntry>>,
    send_rows: RowLists,
    ref_rows: RowLists,
}

/// The changes of one table, of all units in order.
fn deltas<'r>(
    versions: &'r [Version],
    of: impl Fn(&'r Version, &mut Vec<Delta<'r>>),
) -> Vec<Delta<'r>> {
    let mut deltas = Vec::new();
    versions.iter().for_each(|version| of(version, &mut deltas));
    deltas
}

fn sends_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    let old = version.old.as_deref().map_or(&[][..], |entry| &entry.facts.sends);
    push(version.unit, deltas, &names_of(old), version.send_rows.iter());
}

fn refs_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    let old = version.old.as_deref().map_or(&[][..], |entry| &entry.facts.refs);
    push(version.unit, deltas, &names_of(old), version.ref_rows.iter());
}

fn defs_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    push_counted(version, deltas, |entry| names_of(&entry.facts.defs));
}

fn symbols_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    push_counted(version, deltas, |entry| names_of(&entry.facts.symbols));
}

fn decls_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    push_counted(version, deltas, declared_names);
}

fn extensions_of<'r>(version: &'r Version, deltas: &mut Vec<Delta<'r>>) {
    push_counted(version, deltas, extended_names);
}

fn names_of<T: Named>(facts: &[T]) -> Vec<NameId> {
    facts.iter().map(Named::name).collect()
}

fn declared_names(entry: &UnitEntry) -> Vec<NameId> {
    sorted(entry.facts.classes.iter().map(|class| class.name).collect())
}

fn extended_names(entry: &UnitEntry) -> Vec<NameId> {
    let defs = entry.facts.defs.iter().filter(|def| def.kind == DefKind::Extension);
    sorted(defs.filter_map(|def| entry.facts.owner(def.owner)).map(|owner| owner.name).collect())
}

fn sorted(mut names: Vec<NameId>) -> Vec<NameId> {
    names.sort_unstable();
    names
}

/// Sorted names with their number, as lists without rows.
fn counted<'n, 'r>(
    names: &'n [NameId],
) -> impl Iterator<Item = (NameId, u32, &'r [u8])> + use<'n, 'r> {
    let groups = names.chunk_by(|a, b| a == b);
    groups.filter_map(|group| Some((*group.first()?, group.len() as u32, &[][..])))
}

/// As [`push`], for a table without rows.
fn push_counted<'r>(
    version: &'r Version,
    deltas: &mut Vec<Delta<'r>>,
    names: impl Fn(&UnitEntry) -> Vec<NameId>,
) {
    let names = |entry: Option<&UnitEntry>| entry.map(&names).unwrap_or_default();
    let (old, new) = (names(version.old.as_deref()), names(version.new.as_deref()));
    push(version.unit, deltas, &old, counted(&new));
}

/// A delta of a unit for each name whose share differs, or may: `old` are the sorted names of the old
/// facts, `new` the names, numbers and rows of the new ones in the same order.
fn push<'r>(
    unit: UnitId,
    deltas: &mut Vec<Delta<'r>>,
    old: &[NameId],
    new: impl Iterator<Item = (NameId, u32, &'r [u8])>,
) {
    let mut old = counted(old).peekable();
    let mut push = |name: NameId, count, rows: &'r [u8]| {
        if name != NameId::NONE {
            deltas.push(Delta { name, share: Share { unit, count, rows } });
        }
    };
    for (name, count, rows) in new {
        while let Some((gone, _, _)) = old.next_if(|(other, _, _)| *other < name) {
            push(gone, 0, &[]);
        }
        let n_old = old.next_if(|(other, _, _)| *other == name).map_or(0, |(_, count, _)| count);
        if n_old != count || !rows.is_empty() {
            push(name, count, rows);
        }
    }
    for (gone, _, _) in old {
        push(gone, 0, &[]);
    }
}
