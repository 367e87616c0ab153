//! Classes and who is below whom.
//!
//! A hierarchy shares with its predecessor all that a change of headers does not touch. A class knows
//! its superclass, its depth and one far ancestor (its *jump*), so that "is this below that" climbs
//! a number of steps in the logarithm of the depth, and a class that moves takes only the classes
//! below it along ([`update`]).

mod update;

use crate::facts::ClassIdx;
use crate::ids::NameId;
use crate::posting::{PVec, UnitId};
use crate::snapshot::Origin;
use std::sync::Arc;
pub(crate) use update::UnitChange;

/// A class of an index's hierarchy. It keeps its number as long as its unit declares a class of its
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassIx(u32);

impl ClassIx {
    /// Stands for a declaration that is no class.
    const NONE: Self = Self(u32::MAX);

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
    /// Whether it has no source at all.
    pub is_opaque: bool,
    superclass: NameId,
    superclass_package: NameId,
    depth: u32,
    jump: ClassIx,
}

/// Some classes.
#[derive(Clone, Debug, Default)]
enum ClassList {
    #[default]
    Empty,
    One(ClassIx),
    Many(Arc<[ClassIx]>),
}

impl ClassList {
    fn as_slice(&self) -> &[ClassIx] {
        match self {
            Self::Empty => &[],
            Self::One(ix) => std::slice::from_ref(ix),
            Self::Many(many) => many,
        }
    }

    fn of(classes: &[ClassIx]) -> Self {
        match classes {
            [] => Self::Empty,
            [ix] => Self::One(*ix),
            many => Self::Many(many.into()),
        }
    }
}

type ClassTable = PVec<ClassList>;

fn listed(table: &ClassTable, at: usize) -> &[ClassIx] {
    table.get(at).map_or(&[], ClassList::as_slice)
}

/// All classes of an index.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    nodes: PVec<Option<ClassNode>>,
    /// Numbers in use, and below which all are.
    n_classes: usize,
    n_numbers: u32,
    unused: Arc<Vec<ClassIx>>,
    /// Direct subclasses, by class.
    children: ClassTable,
    /// Classes by name, those with a source before those without, in order of their files.
    by_name: ClassTable,
    /// Classes by the name of their superclass.
    heirs: ClassTable,
    /// Classes by unit and place; [`ClassIx::NONE`] for other declarations.
    by_unit: ClassTable,
    /// Classes with unknown bodies.
    unknown: Arc<Vec<ClassIx>>,
    /// Classes at which a cycle of superclasses is cut: the first of each in order of files.
    cut: Arc<Vec<ClassIx>>,
}

impl Hierarchy {
    /// Number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_classes
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_classes == 0
    }

    /// A class.
    #[must_use]
    pub fn node(&self, class: ClassIx) -> Option<&ClassNode> {
        self.nodes.get(class.at())?.as_ref()
    }

    /// All classes of a name, those with a source first, in order of their files.
    #[must_use]
    pub fn named(&self, name: NameId) -> &[ClassIx] {
        listed(&self.by_name, name.0 as usize)
    }

    /// The class at a place.
    #[must_use]
    pub fn at(&self, unit: UnitId, idx: ClassIdx) -> Option<ClassIx> {
        let class = listed(&self.by_unit, unit.at()).get(idx as usize).copied();
        class.filter(|ix| *ix != ClassIx::NONE)
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
        // The first of equals, which are in order of their files.
        let by_origin = || {
            named.iter().copied().min_by_key(|ix| {
                let origin = self.node(*ix).map(|node| node.origin);
                (origin == Some(Origin::Stdlib), origin)
            })
        };
        of_package(from).or_else(by_origin)
    }

    /// The direct subclasses, in no order.
    #[must_use]
    pub fn children(&self, class: ClassIx) -> &[ClassIx] {
        listed(&self.children, class.at())
    }

    /// All classes strictly below, each behind the one above it.
    pub fn descendants(&self, class: ClassIx) -> impl Iterator<Item = ClassIx> + '_ {
        let mut stack = vec![self.children(class)];
        std::iter::from_fn(move || {
            let (next, others) = loop {
                if let Some((next, others)) = stack.pop()?.split_first() {
                    break (*next, others);
                }
            };
            stack.extend([others, self.children(next)]);
            Some(next)
        })
    }

    /// All classes strictly below, unless there are more than so many.
    #[must_use]
    pub fn few_descendants(&self, class: ClassIx, limit: usize) -> Option<Vec<ClassIx>> {
        if self.children(class).len() > limit {
            return None;
        }
        let below: Vec<_> = self.descendants(class).take(limit.saturating_add(1)).collect();
        (below.len() <= limit).then_some(below)
    }

    /// The classes strictly above, from the nearest.
    pub fn ancestors(&self, class: ClassIx) -> impl Iterator<Item = ClassIx> + '_ {
        let parent = |ix: ClassIx| self.node(ix)?.parent;
        std::iter::successors(parent(class), move |ix| parent(*ix))
    }

    /// Whether a class is strictly below another.
    #[must_use]
    pub fn is_below(&self, class: ClassIx, other: ClassIx) -> bool {
        let (Some(mut node), Some(goal)) = (self.node(class), self.node(other)) else {
            return false;
        };
        let mut at = class;
        while node.depth > goal.depth {
            let jump = self.node(node.jump).filter(|far| far.depth >= goal.depth);
            let next = match jump {
                Some(far) => Some((node.jump, far)),
                None => node.parent.and_then(|ix| Some((ix, self.node(ix)?))),
            };
            let Some(next) = next else { return false };
            (at, node) = next;
        }
        at == other && class != other
    }

    /// Whether two classes are the same or one is below the other.
    #[must_use]
    pub fn is_in_line(&self, class: ClassIx, other: ClassIx) -> bool {
        class == other || self.is_below(class, other) || self.is_below(other, class)
    }

    /// Classes with (partly) unknown bodies, in no order.
    #[must_use]
    pub fn unknown(&self) -> &[ClassIx] {
        &self.unknown
    }

    /// Classes strictly below with (partly) unknown bodies, in no order. Goes over whichever is fewer:
    /// the classes below, or those with unknown bodies.
    #[must_use]
    pub fn unknown_below(&self, class: ClassIx) -> Vec<ClassIx> {
        if self.unknown.is_empty() {
            return Vec::new();
        }
        let is_unknown = |ix: &ClassIx| self.node(*ix).is_some_and(|node| node.is_unknown);
        match self.few_descendants(class, self.unknown.len()) {
            Some(below) => below.into_iter().filter(is_unknown).collect(),
            None => self.unknown.iter().copied().filter(|ix| self.is_below(*ix, class)).collect(),
        }
    }
}
