//! An immutable index over units, and how the next one is made from it.
//!
//! An index shares everything with its predecessor but the changed units and the posting lists their
//! names are in, and the classes whose line of ancestors changes ([`crate::hierarchy`]).

use crate::by_name::Named;
use crate::facts::{DefKind, UnitFacts};
use crate::hierarchy::{Hierarchy, UnitChange};
use crate::ids::{Interner, NameId};
use crate::load::extract_all;
use crate::posting::{Delta, Entry, PVec, Posting, Table, UnitId};
use bt_syntax::Unit;
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
        Stats {
            files: 1,
            bytes: self.unit.text().len(),
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
        let mut deltas = Deltas::default();
        let mut versions = Vec::with_capacity(changes.len());
        let mut order = Reordered::default();
        let mut facts = self.facts_of(changes).into_iter();
        for (seq, change) in changes.iter().enumerate() {
            let id = UnitId(self.files.intern(change.file()).0);
            let old = self.entry(id).cloned();
            let new = self.made(change, id, &mut facts);
            match (&old, &new) {
                (None, Some(_)) => order.added.push(id),
                (Some(_), None) => order.removed.push(id),
                _ => {}
            }
            let sides =
                Sides { old: old.as_deref(), new: new.as_deref(), unit: id, seq: seq as u32 };
            deltas.add(sides);
            self.count(old.as_deref(), new.as_deref());
            if let Some(cell) = self.units.cell(id.at()) {
                cell.clone_from(&new);
            }
            versions.push((id, old, new));
        }
        self.reorder(&order);
        let files = Arc::clone(&self.files);
        let path_of = |unit: UnitId| files.text(NameId(unit.0));
        let headers: Vec<_> = versions
            .iter()
            .map(|(unit, old, new)| UnitChange {
                unit: *unit,
                old: old.as_deref(),
                new: new.as_deref(),
            })
            .filter(|change| !change.keeps_headers())
            .collect();
        if !headers.is_empty() {
            Arc::make_mut(&mut self.hierarchy).update(&headers, &self.names, &path_of);
        }
        self.sends.apply(deltas.sends, &path_of);
        self.refs.apply(deltas.refs, &path_of);
        self.defs.apply(deltas.defs, &path_of);
        self.symbols.apply(deltas.symbols, &path_of);
        self.decls.apply(deltas.decls, &path_of);
        self.extensions.apply(deltas.extensions, &path_of);
    }

    /// The facts of the new units, in order.
    fn facts_of(&self, changes: &[&Change]) -> Vec<UnitFacts> {
        let units: Vec<&Unit> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Put { unit, .. } => Some(&**unit),
                Change::Opaque(_) | Change::Delete { .. } => None,
            })
            .collect();
        extract_all(&units, &self.names)
    }

    fn made(
        &self,
        change: &Change,
        id: UnitId,
        facts: &mut impl Iterator<Item = UnitFacts>,
    ) -> Option<Arc<UnitEntry>> {
        let (package, origin, unit, facts) = match change {
            Change::Put { unit, package, origin, .. } => {
                (package, *origin, Arc::clone(unit), facts.next()?)
            }
            Change::Opaque(opaque) => {
                let superclass = opaque.superclass.as_deref();
                let facts = UnitFacts::opaque(&opaque.class, superclass, &self.names);
                (&opaque.package, opaque.origin, Arc::new(bt_syntax::parse("")), facts)
            }
            Change::Delete { .. } => return None,
        };
        Some(Arc::new(UnitEntry {
            file: Arc::clone(change.file()),
            id,
            unit,
            package: Arc::clone(package),
            package_id: self.names.intern(package),
            origin,
            facts,
        }))
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
        posting.entries().iter().filter_map(|entry| self.entry(entry.unit))
    }
}

/// Units up to which each is put in its place on its own.
const FEW: usize = 32;

#[derive(Default)]
struct Reordered {
    added: Vec<UnitId>,
    removed: Vec<UnitId>,
}

/// The old and the new version of a unit.
#[derive(Clone, Copy)]
struct Sides<'a> {
    old: Option<&'a UnitEntry>,
    new: Option<&'a UnitEntry>,
    unit: UnitId,
    seq: u32,
}

/// Changes of all tables.
#[derive(Default)]
struct Deltas {
    sends: Vec<Delta>,
    refs: Vec<Delta>,
    defs: Vec<Delta>,
    symbols: Vec<Delta>,
    decls: Vec<Delta>,
    extensions: Vec<Delta>,
}

impl Deltas {
    fn add(&mut self, sides: Sides<'_>) {
        fn named<T: Named>(facts: Option<&[T]>) -> Vec<NameId> {
            facts.unwrap_or(&[]).iter().map(Named::name).collect()
        }
        macro_rules! add {
            ($table:ident) => {
                let old = named(sides.old.map(|entry| &*entry.facts.$table));
                let new = named(sides.new.map(|entry| &*entry.facts.$table));
                push_deltas(&mut self.$table, sides, &old, &new);
            };
        }
        add!(sends);
        add!(refs);
        add!(defs);
        add!(symbols);
        let decls = |entry: Option<&UnitEntry>| {
            let classes = entry.map_or(&[][..], |entry| &entry.facts.classes);
            sorted(classes.iter().map(|class| class.name).collect())
        };
        push_deltas(&mut self.decls, sides, &decls(sides.old), &decls(sides.new));
        let extensions = |entry: Option<&UnitEntry>| sorted(extended_names(entry));
        push_deltas(&mut self.extensions, sides, &extensions(sides.old), &extensions(sides.new));
    }
}

fn extended_names(entry: Option<&UnitEntry>) -> Vec<NameId> {
    let Some(entry) = entry else { return Vec::new() };
    let defs = entry.facts.defs.iter().filter(|def| def.kind == DefKind::Extension);
    defs.filter_map(|def| entry.facts.owner(def.owner)).map(|owner| owner.name).collect()
}

fn sorted(mut names: Vec<NameId>) -> Vec<NameId> {
    names.sort_unstable();
    names
}

/// A delta for each name whose count differs; both lists are sorted.
fn push_deltas(deltas: &mut Vec<Delta>, sides: Sides<'_>, old: &[NameId], new: &[NameId]) {
    let mut old_groups = old.chunk_by(|a, b| a == b).peekable();
    let mut new_groups = new.chunk_by(|a, b| a == b).peekable();
    let head = |group: Option<&&[NameId]>| group.and_then(|names| names.first()).copied();
    loop {
        let (old_name, new_name) = (head(old_groups.peek()), head(new_groups.peek()));
        let name = match (old_name, new_name) {
            (Some(old), Some(new)) => old.min(new),
            (Some(name), None) | (None, Some(name)) => name,
            (None, None) => break,
        };
        let n_old =
            if old_name == Some(name) { old_groups.next().map_or(0, <[_]>::len) } else { 0 };
        let n_new =
            if new_name == Some(name) { new_groups.next().map_or(0, <[_]>::len) } else { 0 };
        if n_old != n_new && name != NameId::NONE {
            let entry = Entry { unit: sides.unit, count: n_new as u32 };
            deltas.push(Delta { name, seq: sides.seq, entry });
        }
    }
}
