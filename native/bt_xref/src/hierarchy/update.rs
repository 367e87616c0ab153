//! From one hierarchy to the next. What is done is proportional to the changed declarations and to the
//! classes below those whose line of ancestors changes.

use super::{listed, ClassIx, ClassKind, ClassList, ClassNode, ClassTable, Hierarchy};
use crate::facts::{ClassFact, ClassIdx, DeclKind};
use crate::ids::{Interner, NameId};
use crate::posting::UnitId;
use crate::snapshot::UnitEntry;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The old and the new version of a unit.
#[derive(Clone, Copy)]
pub(crate) struct UnitChange<'a> {
    pub(crate) unit: UnitId,
    pub(crate) old: Option<&'a UnitEntry>,
    pub(crate) new: Option<&'a UnitEntry>,
}

/// Not labelled yet.
const UNLABELLED: u32 = u32::MAX;

/// Additions to and removals from the lists of a table.
#[derive(Default)]
struct ListEdits(Vec<(u32, ClassIx, bool)>);

impl ListEdits {
    fn add(&mut self, key: u32, class: ClassIx) {
        self.0.push((key, class, true));
    }

    fn remove(&mut self, key: u32, class: ClassIx) {
        self.0.push((key, class, false));
    }

    /// Does them; lists come out in order of their classes' numbers. A class that is both removed and
    /// added stays. Answers the lists that were touched.
    fn apply(mut self, table: &mut ClassTable) -> Vec<u32> {
        self.0.sort_unstable();
        for group in self.0.chunk_by(|a, b| a.0 == b.0) {
            let Some((key, ..)) = group.first() else { continue };
            let Some(list) = table.cell(*key as usize) else { continue };
            let mut all = list.as_slice().to_vec();
            if !all.is_sorted() {
                all.sort_unstable();
            }
            if group.len() <= FEW {
                for (_, class, is_added) in group {
                    edit_sorted(&mut all, *class, *is_added);
                }
            } else {
                all = merged(&all, group);
            }
            *list = ClassList::of(&all);
        }
        let mut touched: Vec<_> = self.0.into_iter().map(|(key, ..)| key).collect();
        touched.dedup();
        touched
    }
}

/// Edits up to which each is put in its place on its own.
const FEW: usize = 32;

fn edit_sorted(classes: &mut Vec<ClassIx>, class: ClassIx, is_added: bool) {
    match (classes.binary_search(&class), is_added) {
        (Ok(at), false) => {
            classes.remove(at);
        }
        (Err(at), true) => classes.insert(at, class),
        (Ok(_), true) | (Err(_), false) => {}
    }
}

/// Sorted classes after edits, which are sorted with a class's removal before its addition.
fn merged(classes: &[ClassIx], edits: &[(u32, ClassIx, bool)]) -> Vec<ClassIx> {
    let last: FxHashMap<_, _> = edits.iter().map(|(_, class, is_in)| (*class, *is_in)).collect();
    let kept = classes.iter().filter(|class| !last.contains_key(class)).copied();
    let added = edits.iter().filter(|(_, _, is_in)| *is_in).map(|(_, class, _)| *class);
    let mut all: Vec<_> = kept.chain(added).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// An update under way.
struct Update<'h, 'p, PathOf> {
    hierarchy: &'h mut Hierarchy,
    path_of: &'p PathOf,
    actor: Option<NameId>,
    value: Option<NameId>,
    names: ListEdits,
    heirs: ListEdits,
    children: ListEdits,
    removed: Vec<ClassIx>,
    /// Classes whose superclass is to be found (again).
    open: FxHashSet<ClassIx>,
    unknown: Vec<(ClassIx, bool)>,
}

impl Hierarchy {
    /// Takes over the declarations of changed units. `path_of` gives the order of units.
    pub(crate) fn update<'p>(
        &mut self,
        changes: &[UnitChange<'_>],
        names: &Interner,
        path_of: &impl Fn(UnitId) -> &'p str,
    ) {
        let mut update = Update {
            actor: names.lookup("Actor"),
            value: names.lookup("Value"),
            hierarchy: self,
            path_of,
            names: ListEdits::default(),
            heirs: ListEdits::default(),
            children: ListEdits::default(),
            removed: Vec::new(),
            open: FxHashSet::default(),
            unknown: Vec::new(),
        };
        for change in changes {
            update.unit(*change);
        }
        update.link();
    }
}

/// Whether a declaration is a class.
fn is_class(fact: &ClassFact) -> bool {
    matches!(fact.kind, DeclKind::Class | DeclKind::Builder | DeclKind::Opaque)
}

impl UnitChange<'_> {
    /// Whether both versions declare the same classes with the same headers.
    pub(crate) fn keeps_headers(&self) -> bool {
        let headers = |entry: Option<&UnitEntry>| {
            let classes = entry.map_or(&[][..], |entry| &entry.facts.classes);
            let of = entry.map(|entry| (entry.package_id, entry.origin));
            let headers = classes.iter().map(move |class| {
                let links = (class.name, class.superclass, class.superclass_package);
                (class.kind, links, class.is_degraded, of)
            });
            headers.collect::<Vec<_>>()
        };
        headers(self.old) == headers(self.new)
    }
}

impl<'p, PathOf: Fn(UnitId) -> &'p str> Update<'_, '_, PathOf> {
    // ---- declarations

    fn unit(&mut self, change: UnitChange<'_>) {
        let mut rest: FxHashMap<NameId, Vec<ClassIx>> = FxHashMap::default();
        let old = listed(&self.hierarchy.by_unit, change.unit.at()).to_vec();
        for ix in old.into_iter().rev() {
            if let Some(node) = self.hierarchy.node(ix) {
                rest.entry(node.name).or_default().push(ix);
            }
        }
        let mut places = Vec::new();
        for (idx, fact) in change.new.iter().flat_map(|it| it.facts.classes.iter().enumerate()) {
            let Some(entry) = change.new.filter(|_| is_class(fact)) else {
                places.push(ClassIx::NONE);
                continue;
            };
            let node = node_of(fact, idx as ClassIdx, entry);
            let kept = rest.get_mut(&fact.name).and_then(|twins| {
                twins.pop_if(|ix| self.hierarchy.node(*ix).is_some_and(|old| is_same(old, &node)))
            });
            places.push(match kept {
                Some(ix) => self.keep(ix, node),
                None => self.add(node),
            });
        }
        let mut gone: Vec<_> = rest.into_values().flatten().collect();
        gone.sort_unstable();
        gone.into_iter().for_each(|ix| self.remove(ix));
        if let Some(cell) = self.hierarchy.by_unit.cell(change.unit.at()) {
            *cell = ClassList::of(&places);
        }
    }

    /// The class stays; its superclass may be another.
    fn keep(&mut self, ix: ClassIx, node: ClassNode) -> ClassIx {
        let Some(old) = self.hierarchy.node(ix).copied() else { return ix };
        let is_relinked =
            (old.superclass, old.superclass_package) != (node.superclass, node.superclass_package);
        if is_relinked {
            self.leave_heirs(ix, &old);
            self.join_heirs(ix, &node);
            self.open.insert(ix);
        }
        if old.is_unknown != node.is_unknown {
            self.unknown.push((ix, node.is_unknown));
        }
        let ClassNode { parent, kind, depth, jump, .. } = old;
        self.set(ix, Some(ClassNode { parent, kind, depth, jump, ..node }));
        ix
    }

    fn add(&mut self, node: ClassNode) -> ClassIx {
        let ix = match Arc::make_mut(&mut self.hierarchy.unused).pop() {
            Some(ix) => ix,
            None => {
                self.hierarchy.n_numbers += 1;
                ClassIx(self.hierarchy.n_numbers - 1)
            }
        };
        self.hierarchy.n_classes += 1;
        self.names.add(node.name.0, ix);
        self.join_heirs(ix, &node);
        if node.is_unknown {
            self.unknown.push((ix, true));
        }
        self.open.insert(ix);
        self.set(ix, Some(node));
        ix
    }

    fn remove(&mut self, ix: ClassIx) {
        let Some(old) = self.hierarchy.node(ix).copied() else { return };
        self.hierarchy.n_classes -= 1;
        self.names.remove(old.name.0, ix);
        self.leave_heirs(ix, &old);
        if old.is_unknown {
            self.unknown.push((ix, false));
        }
        if let Some(parent) = old.parent {
            self.children.remove(parent.0, ix);
        }
        self.set(ix, None);
        self.removed.push(ix);
    }

    fn join_heirs(&mut self, ix: ClassIx, node: &ClassNode) {
        if let Some(superclass) = node.superclass.some() {
            self.heirs.add(superclass.0, ix);
        }
    }

    fn leave_heirs(&mut self, ix: ClassIx, node: &ClassNode) {
        if let Some(superclass) = node.superclass.some() {
            self.heirs.remove(superclass.0, ix);
        }
    }

    fn set(&mut self, ix: ClassIx, node: Option<ClassNode>) {
        if let Some(cell) = self.hierarchy.nodes.cell(ix.at()) {
            *cell = node;
        }
    }

    fn edit(&mut self, ix: ClassIx, edit: impl FnOnce(&mut ClassNode)) {
        if let Some(Some(node)) = self.hierarchy.nodes.cell(ix.at()) {
            edit(node);
        }
    }

    // ---- superclasses

    fn link(mut self) {
        std::mem::take(&mut self.heirs).apply(&mut self.hierarchy.heirs);
        for name in std::mem::take(&mut self.names).apply(&mut self.hierarchy.by_name) {
            self.sort_twins(name);
            self.open.extend(listed(&self.hierarchy.heirs, name as usize));
        }
        self.unknown_classes();
        // What was cut to break a cycle is looked at again whenever anything moves.
        self.open.extend(self.hierarchy.cut.iter());
        self.hierarchy.cut = Arc::default();
        let mut open: Vec<_> =
            self.open.iter().copied().filter(|ix| self.hierarchy.node(*ix).is_some()).collect();
        open.sort_unstable();
        let moved: Vec<_> = open.into_iter().filter(|ix| self.is_moved(*ix)).collect();
        std::mem::take(&mut self.children).apply(&mut self.hierarchy.children);
        self.label(&moved);
        std::mem::take(&mut self.children).apply(&mut self.hierarchy.children);
        Arc::make_mut(&mut self.hierarchy.unused).append(&mut self.removed);
    }

    /// Classes of one name: with a source first, then in order of files and places.
    fn sort_twins(&mut self, name: u32) {
        let mut twins = listed(&self.hierarchy.by_name, name as usize).to_vec();
        if twins.len() > 1 {
            let is_opaque = |ix| self.hierarchy.node(ix).map(|node| node.is_opaque);
            let order = |ix| (is_opaque(ix), self.place(ix));
            twins.sort_by(|a, b| order(*a).cmp(&order(*b)));
            if let Some(cell) = self.hierarchy.by_name.cell(name as usize) {
                *cell = ClassList::of(&twins);
            }
        }
    }

    /// Its file and its place there.
    fn place(&self, ix: ClassIx) -> Option<(&'p str, ClassIdx)> {
        let node = self.hierarchy.node(ix)?;
        Some(((self.path_of)(node.unit), node.idx))
    }

    fn unknown_classes(&mut self) {
        if self.unknown.is_empty() {
            return;
        }
        let last: FxHashMap<_, _> = self.unknown.iter().copied().collect();
        let mut unknown: Vec<_> = self.hierarchy.unknown.iter().copied().collect();
        unknown.retain(|ix| !last.contains_key(ix));
        unknown.extend(self.unknown.iter().filter(|(_, is_in)| *is_in).map(|(ix, _)| *ix));
        unknown.retain(|ix| last.get(ix).copied().unwrap_or(true));
        self.hierarchy.unknown = Arc::new(unknown);
    }

    /// Finds the superclass again. Whether the class's line must be labelled.
    fn is_moved(&mut self, ix: ClassIx) -> bool {
        let Some(node) = self.hierarchy.node(ix).copied() else { return false };
        let found = node.superclass.some().and_then(|superclass| {
            self.hierarchy.resolve(superclass, node.superclass_package, node.package)
        });
        let parent = found.filter(|parent| *parent != ix);
        if parent != node.parent {
            if let Some(old) = node.parent {
                self.children.remove(old.0, ix);
            }
            if let Some(new) = parent {
                self.children.add(new.0, ix);
            }
            self.edit(ix, |node| node.parent = parent);
            return true;
        }
        // A new class, or one with another superclass that the index does not have either.
        node.depth == UNLABELLED || parent.is_none()
    }

    // ---- depths, jumps, kinds

    fn label(&mut self, moved: &[ClassIx]) {
        let stale = self.stale(moved);
        for ix in &stale {
            self.edit(*ix, |node| node.depth = UNLABELLED);
        }
        for ix in moved {
            let Some(node) = self.hierarchy.node(*ix) else { continue };
            let above = node.parent.and_then(|parent| self.hierarchy.node(parent));
            if above.is_none_or(|above| above.depth != UNLABELLED) {
                self.descend(*ix);
            }
        }
        self.cut_cycles(&stale);
    }

    /// The classes that moved and all below them.
    fn stale(&self, moved: &[ClassIx]) -> Vec<ClassIx> {
        let mut seen: FxHashSet<_> = moved.iter().copied().collect();
        let mut stale = moved.to_vec();
        let mut next = 0;
        while let Some(ix) = stale.get(next).copied() {
            next += 1;
            let children = self.hierarchy.children(ix).iter().copied();
            stale.extend(children.filter(|child| seen.insert(*child)));
        }
        stale
    }

    /// Labels a class whose superclass is labelled, and what is below it.
    fn descend(&mut self, ix: ClassIx) {
        let mut stack = vec![ix];
        while let Some(ix) = stack.pop() {
            let Some(node) = self.hierarchy.node(ix).copied() else { continue };
            if node.depth != UNLABELLED {
                continue;
            }
            let above = node.parent.and_then(|parent| self.hierarchy.node(parent)).copied();
            let kind = self.kind(&node, above.as_ref());
            let (depth, jump) = match (node.parent, above) {
                (Some(parent), Some(above)) => (above.depth + 1, self.jump(parent, &above)),
                _ => (0, ix),
            };
            self.edit(ix, |node| (node.depth, node.jump, node.kind) = (depth, jump, kind));
            stack.extend_from_slice(self.hierarchy.children(ix));
        }
    }

    /// The jump of a class below `parent`: as far again as the last two jumps, if they are equally far.
    fn jump(&self, parent: ClassIx, above: &ClassNode) -> ClassIx {
        let far = self.hierarchy.node(above.jump);
        let farther = far.and_then(|far| self.hierarchy.node(far.jump));
        match (far, farther) {
            (Some(far), Some(farther)) if above.depth - far.depth == far.depth - farther.depth => {
                far.jump
            }
            _ => parent,
        }
    }

    fn kind(&self, node: &ClassNode, above: Option<&ClassNode>) -> ClassKind {
        let by_name = |name: NameId| match Some(name) {
            it if it == self.actor => Some(ClassKind::Actor),
            it if it == self.value => Some(ClassKind::Value),
            _ => None,
        };
        by_name(node.name)
            .or_else(|| above.map(|above| above.kind))
            .or_else(|| by_name(node.superclass))
            .unwrap_or(ClassKind::Object)
    }

    // ---- cycles

    /// Cuts each cycle above the first of its classes in order of files.
    fn cut_cycles(&mut self, stale: &[ClassIx]) {
        let mut walk_of: FxHashMap<ClassIx, usize> = FxHashMap::default();
        let mut cut = Vec::new();
        for (walk, start) in stale.iter().enumerate() {
            let mut at = *start;
            while let Some(node) = self.hierarchy.node(at).filter(|it| it.depth == UNLABELLED) {
                match walk_of.get(&at) {
                    Some(earlier) if *earlier == walk => {
                        cut.push(self.first_of_cycle(at));
                        break;
                    }
                    Some(_) => break,
                    None => walk_of.insert(at, walk),
                };
                let Some(parent) = node.parent else { break };
                at = parent;
            }
        }
        for ix in &cut {
            if let Some(parent) = self.hierarchy.node(*ix).and_then(|node| node.parent) {
                self.children.remove(parent.0, *ix);
            }
            self.edit(*ix, |node| node.parent = None);
        }
        for ix in &cut {
            self.descend(*ix);
        }
        self.hierarchy.cut = Arc::new(cut);
    }

    fn first_of_cycle(&self, start: ClassIx) -> ClassIx {
        let parent = |ix: ClassIx| self.hierarchy.node(ix).and_then(|node| node.parent);
        let others = std::iter::successors(parent(start), |ix| parent(*ix));
        let others = others.take_while(|ix| *ix != start);
        others.chain([start]).min_by_key(|ix| self.place(*ix)).unwrap_or(start)
    }
}

fn node_of(fact: &ClassFact, idx: ClassIdx, entry: &UnitEntry) -> ClassNode {
    let is_opaque = fact.kind == DeclKind::Opaque;
    ClassNode {
        unit: entry.id,
        idx,
        name: fact.name,
        package: entry.package_id,
        origin: entry.origin,
        parent: None,
        kind: ClassKind::Object,
        is_unknown: fact.is_degraded || is_opaque || fact.kind == DeclKind::Builder,
        is_opaque,
        superclass: fact.superclass,
        superclass_package: fact.superclass_package,
        depth: UNLABELLED,
        jump: ClassIx::NONE,
    }
}

/// Whether names mean the class as before.
fn is_same(old: &ClassNode, new: &ClassNode) -> bool {
    (old.package, old.origin, old.is_opaque) == (new.package, new.origin, new.is_opaque)
}
