//! Classes and who is below whom: numbered in pre-order, so that the classes below one are a range.

use crate::facts::{ClassFact, ClassIdx, DeclKind};
use crate::ids::NameId;
use crate::posting::UnitId;
use crate::snapshot::{Index, Origin};
use rustc_hash::FxHashMap;

/// A class of an index's hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassIx(u32);

impl ClassIx {
    fn at(self) -> usize {
        self.0 as usize
    }
}

/// What the instances of a class are (language reference, 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// Below `Actor`.
    Actor,
    /// Below `Value`.
    Value,
    /// Anything else.
    Object,
}

/// A class in the hierarchy.
#[derive(Clone, Copy, Debug)]
pub struct ClassNode {
    /// Its unit.
    pub unit: UnitId,
    /// Its place among the unit's declarations.
    pub idx: ClassIdx,
    /// Its name.
    pub name: NameId,
    /// Its package.
    pub package: NameId,
    /// Where it comes from.
    pub origin: Origin,
    /// Its superclass, if the index has it.
    pub parent: Option<ClassIx>,
    /// What its instances are.
    pub kind: ClassKind,
    /// Whether a part of its body is unknown.
    pub is_unknown: bool,
    superclass: NameId,
    superclass_package: NameId,
    pre: u32,
    end: u32,
}

/// All classes of an index.
#[derive(Debug, Default)]
pub struct Hierarchy {
    nodes: Vec<ClassNode>,
    by_name: FxHashMap<NameId, Vec<ClassIx>>,
    by_place: FxHashMap<(UnitId, ClassIdx), ClassIx>,
    /// Classes in pre-order.
    preorder: Vec<ClassIx>,
    /// Classes with unknown bodies, in pre-order.
    unknown: Vec<ClassIx>,
    /// Children in one array; those of class `i` are `child_starts[i]..child_starts[i + 1]`.
    children: Vec<ClassIx>,
    child_starts: Vec<u32>,
}

impl Hierarchy {
    pub(crate) fn new(index: &Index) -> Self {
        let mut hierarchy = Self::default();
        for entry in index.units() {
            for (idx, class) in entry.facts.classes.iter().enumerate() {
                if matches!(class.kind, DeclKind::Class | DeclKind::Builder) {
                    hierarchy.add(class, entry.id, idx as ClassIdx, entry.package_id, entry.origin);
                }
            }
        }
        hierarchy.link();
        hierarchy.number(index);
        hierarchy
    }

    fn add(
        &mut self,
        class: &ClassFact,
        unit: UnitId,
        idx: ClassIdx,
        package: NameId,
        origin: Origin,
    ) {
        let ix = ClassIx(self.nodes.len() as u32);
        self.nodes.push(ClassNode {
            unit,
            idx,
            name: class.name,
            package,
            origin,
            parent: None,
            kind: ClassKind::Object,
            is_unknown: class.is_degraded || class.kind == DeclKind::Builder,
            superclass: class.superclass,
            superclass_package: class.superclass_package,
            pre: u32::MAX,
            end: u32::MAX,
        });
        self.by_name.entry(class.name).or_default().push(ix);
        self.by_place.insert((unit, idx), ix);
    }

    fn link(&mut self) {
        let parents: Vec<_> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| {
                let superclass = node.superclass.some()?;
                let parent = self.resolve(superclass, node.superclass_package, node.package)?;
                (parent.at() != at).then_some(parent)
            })
            .collect();
        let mut counts = vec![0_u32; self.nodes.len() + 1];
        for (node, parent) in self.nodes.iter_mut().zip(parents) {
            node.parent = parent;
            if let Some(count) = parent.and_then(|it| counts.get_mut(it.at() + 1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut counts {
            sum += *count;
            *count = sum;
        }
        let mut next = counts.clone();
        let mut children = vec![ClassIx(0); sum as usize];
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(slot) = node.parent.and_then(|parent| next.get_mut(parent.at())) else {
                continue;
            };
            if let Some(cell) = children.get_mut(*slot as usize) {
                *cell = ClassIx(at as u32);
            }
            *slot += 1;
        }
        self.children = children;
        self.child_starts = counts;
    }

    /// Numbers in pre-order. A cycle of superclasses is cut at its first class.
    fn number(&mut self, index: &Index) {
        let actor = index.names().lookup("Actor");
        let value = index.names().lookup("Value");
        let roots = (0..self.nodes.len()).filter(|at| self.nodes.get(*at).is_some_and(is_root));
        let starts: Vec<_> = roots.chain(0..self.nodes.len()).collect();
        for start in starts {
            let start = ClassIx(start as u32);
            let Some(node) = self.nodes.get_mut(start.at()) else { continue };
            if node.pre != u32::MAX {
                continue;
            }
            node.parent = node.parent.filter(|_| false);
            self.descend(start, actor, value);
        }
        self.unknown = self
            .preorder
            .iter()
            .copied()
            .filter(|ix| self.node(*ix).is_some_and(|node| node.is_unknown))
            .collect();
    }

    fn descend(&mut self, root: ClassIx, actor: Option<NameId>, value: Option<NameId>) {
        let mut stack = vec![(root, false)];
        while let Some((ix, is_left)) = stack.pop() {
            let n_seen = self.preorder.len() as u32;
            let Some(node) = self.nodes.get(ix.at()).copied() else { continue };
            if is_left {
                if let Some(node) = self.nodes.get_mut(ix.at()) {
                    node.end = n_seen;
                }
                continue;
            }
            if node.pre != u32::MAX {
                continue;
            }
            let kind = self.kind(&node, actor, value);
            if let Some(node) = self.nodes.get_mut(ix.at()) {
                node.pre = n_seen;
                node.kind = kind;
            }
            self.preorder.push(ix);
            stack.push((ix, true));
            stack.extend(self.children(ix).iter().rev().map(|child| (*child, false)));
        }
    }

    fn kind(&self, node: &ClassNode, actor: Option<NameId>, value: Option<NameId>) -> ClassKind {
        let by_name = |name: NameId| match Some(name) {
            it if it == actor => Some(ClassKind::Actor),
            it if it == value => Some(ClassKind::Value),
            _ => None,
        };
        by_name(node.name)
            .or_else(|| Some(self.node(node.parent?)?.kind))
            .or_else(|| by_name(node.superclass))
            .unwrap_or(ClassKind::Object)
    }

    // ---- reading

    /// Number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A class.
    #[must_use]
    pub fn node(&self, class: ClassIx) -> Option<&ClassNode> {
        self.nodes.get(class.at())
    }

    /// All classes of a name, in order of their files.
    #[must_use]
    pub fn named(&self, name: NameId) -> &[ClassIx] {
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// The class at a place.
    #[must_use]
    pub fn at(&self, unit: UnitId, idx: ClassIdx) -> Option<ClassIx> {
        self.by_place.get(&(unit, idx)).copied()
    }

    /// The class that a name means in a package: with `package@`, that package's; otherwise the
    /// package's own, then the project's, a dependency's, the library's.
    #[must_use]
    pub fn resolve(&self, name: NameId, package: NameId, from: NameId) -> Option<ClassIx> {
        let named = self.named(name);
        let of_package = |wanted: NameId| {
            let is_wanted =
                |ix: &&ClassIx| self.node(**ix).is_some_and(|node| node.package == wanted);
            named.iter().find(is_wanted).copied()
        };
        if let Some(package) = package.some() {
            return of_package(package);
        }
        if let [only] = named {
            return Some(*only);
        }
        let by_origin = || {
            named.iter().copied().min_by_key(|ix| {
                let origin = self.node(*ix).map(|node| node.origin);
                (origin == Some(Origin::Stdlib), origin, *ix)
            })
        };
        of_package(from).or_else(by_origin)
    }

    /// The direct subclasses.
    #[must_use]
    pub fn children(&self, class: ClassIx) -> &[ClassIx] {
        let start = self.child_starts.get(class.at()).copied().unwrap_or(0) as usize;
        let end = self.child_starts.get(class.at() + 1).copied().unwrap_or(0) as usize;
        self.children.get(start..end).unwrap_or(&[])
    }

    /// All classes strictly below.
    #[must_use]
    pub fn descendants(&self, class: ClassIx) -> &[ClassIx] {
        let Some(node) = self.node(class) else { return &[] };
        self.preorder.get(node.pre as usize + 1..node.end as usize).unwrap_or(&[])
    }

    /// The classes strictly above, from the nearest.
    pub fn ancestors(&self, class: ClassIx) -> impl Iterator<Item = ClassIx> + '_ {
        let parent = |ix: ClassIx| self.node(ix)?.parent;
        std::iter::successors(parent(class), move |ix| parent(*ix))
    }

    /// Whether a class is strictly below another.
    #[must_use]
    pub fn is_below(&self, class: ClassIx, other: ClassIx) -> bool {
        let (Some(class), Some(other)) = (self.node(class), self.node(other)) else { return false };
        other.pre < class.pre && class.pre < other.end
    }

    /// Whether two classes are the same or one is below the other.
    #[must_use]
    pub fn is_in_line(&self, class: ClassIx, other: ClassIx) -> bool {
        class == other || self.is_below(class, other) || self.is_below(other, class)
    }

    /// Classes strictly below with (partly) unknown bodies.
    #[must_use]
    pub fn unknown_below(&self, class: ClassIx) -> &[ClassIx] {
        let Some(node) = self.node(class) else { return &[] };
        let pre = |ix: &ClassIx| self.node(*ix).map_or(0, |node| node.pre);
        let from = self.unknown.partition_point(|ix| pre(ix) <= node.pre);
        let to = self.unknown.partition_point(|ix| pre(ix) < node.end);
        self.unknown.get(from..to).unwrap_or(&[])
    }
}

fn is_root(node: &ClassNode) -> bool {
    node.parent.is_none()
}
