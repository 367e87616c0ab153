//! Whether a send can reach a class's method, by the static type of its receiver.

use crate::facts::{Receiver, SendFact};
use crate::hierarchy::ClassIx;
use crate::ids::NameId;
use crate::snapshot::{Index, UnitEntry};
use crate::types::resolve::{Atom, Resolver, Value, What};
use bt_syntax::Side;

/// What is known about a send's receiver and a class's method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is of the class's line and cannot be anything else.
    Certain(String),
    /// It may be; the type is unknown, or partly related.
    Possible(String),
    /// It cannot be.
    Unrelated,
    /// It is of the line, but on the other side.
    OtherSide,
    /// It is an Erlang module.
    Module,
}

impl Relation {
    /// Whether the send may reach the method.
    #[must_use]
    pub fn may_reach(&self) -> bool {
        matches!(self, Self::Certain(_) | Self::Possible(_))
    }
}

impl Index {
    /// How a send relates to the method that a class answers to its selector.
    #[must_use]
    pub fn reach(
        &self,
        entry: &UnitEntry,
        fact: &SendFact,
        class: ClassIx,
        side: Side,
    ) -> Relation {
        let owner = self.class_of_owner(entry, fact.owner());
        let own_side = entry.facts.owner(fact.owner()).is_some_and(|owner| owner.side == side);
        let hierarchy = self.hierarchy();
        match (fact.receiver(), owner) {
            (Receiver::Ffi, _) => Relation::Module,
            (Receiver::SelfRef | Receiver::Super, Some(_)) if !own_side => Relation::OtherSide,
            (Receiver::SelfRef, Some(owner)) => self.self_reach(owner, class, side, fact.selector),
            (Receiver::Super, Some(owner)) => {
                let parent = hierarchy.node(owner).and_then(|node| node.parent);
                let answering = parent.and_then(|it| self.lookup(it, side, fact.selector));
                match answering {
                    Some((found, ..)) if hierarchy.is_below(found, class) => Relation::Unrelated,
                    _ if hierarchy.is_below(owner, class) => {
                        Relation::Certain("sent to super".to_owned())
                    }
                    _ => Relation::Unrelated,
                }
            }
            _ => self.relation(entry, fact, class, side),
        }
    }

    fn self_reach(&self, owner: ClassIx, class: ClassIx, side: Side, selector: NameId) -> Relation {
        let hierarchy = self.hierarchy();
        if hierarchy.is_below(class, owner) {
            let above = self.class_name(owner);
            return Relation::Possible(format!("sent to self in {above}, above the class"));
        }
        if owner != class && !hierarchy.is_below(owner, class) {
            return Relation::Unrelated;
        }
        match self.lookup(owner, side, selector) {
            Some((found, ..)) if hierarchy.is_below(found, class) => Relation::Unrelated,
            _ => Relation::Certain("sent to self".to_owned()),
        }
    }

    /// How the static type of a send's receiver relates to a class's side. Not for sends to `self`
    /// and `super`.
    #[must_use]
    pub fn relation(
        &self,
        entry: &UnitEntry,
        fact: &SendFact,
        class: ClassIx,
        side: Side,
    ) -> Relation {
        let resolver = Resolver::new(self);
        let value = resolver.receiver(entry, fact.owner(), fact.receiver_type);
        let judge =
            Judge { index: self, resolver: &resolver, class, side, selector: fact.selector };
        judge.value(&value)
    }
}

impl Index {
    /// Whether a send is a call of an Erlang function: told by its form, or by the type of its
    /// receiver.
    pub(crate) fn is_call(&self, entry: &UnitEntry, fact: &SendFact) -> bool {
        if fact.receiver() != Receiver::Other {
            return fact.receiver() == Receiver::Ffi;
        }
        let value = Resolver::new(self).receiver(entry, fact.owner(), fact.receiver_type);
        let atoms = value.atoms();
        !atoms.is_empty() && atoms.iter().all(|atom| matches!(atom.what, What::Module))
    }
}

struct Judge<'a> {
    index: &'a Index,
    resolver: &'a Resolver<'a>,
    class: ClassIx,
    side: Side,
    selector: NameId,
}

impl Judge<'_> {
    fn value(&self, value: &Value) -> Relation {
        let Value::OneOf(atoms) = value else {
            return Relation::Possible("the receiver's type is unknown".to_owned());
        };
        let verdicts: Vec<_> = atoms.iter().map(|atom| self.atom(atom)).collect();
        let Some(first) = verdicts.first().cloned() else {
            return Relation::Possible("the receiver's type is unknown".to_owned());
        };
        let n_certain = verdicts.iter().filter(|it| matches!(it, Relation::Certain(_))).count();
        if n_certain == verdicts.len() {
            return first;
        }
        let reaching: Vec<_> = verdicts.iter().filter(|it| it.may_reach()).collect();
        match reaching.first() {
            Some(Relation::Certain(why)) => Relation::Possible(format!("{why}, or something else")),
            Some(possible) => (*possible).clone(),
            None if verdicts.iter().all(|it| *it == first) => first,
            None => Relation::Unrelated,
        }
    }

    fn atom(&self, atom: &Atom) -> Relation {
        match &atom.what {
            What::Module => Relation::Module,
            What::Instance(ix) if self.side == Side::Instance => self.line(*ix),
            What::Class(ix) if self.side == Side::Class => self.line(*ix),
            What::Instance(ix) => self.other_side(*ix),
            What::Class(ix) => self.class_object(*ix),
            What::Protocol(name) => self.protocol(*name),
            What::All(values) => self.all(values),
        }
    }

    fn shown(&self, ix: ClassIx) -> String {
        let name = self.index.class_name(ix);
        match self.side {
            Side::Instance => format!("the receiver's type is {name}"),
            Side::Class => format!("the receiver is the class {name}"),
        }
    }

    fn line(&self, ix: ClassIx) -> Relation {
        let hierarchy = self.index.hierarchy();
        if hierarchy.is_below(self.class, ix) {
            return Relation::Possible(format!("{}, which may be one below it", self.shown(ix)));
        }
        if ix != self.class && !hierarchy.is_below(ix, self.class) {
            return Relation::Unrelated;
        }
        match self.index.lookup(ix, self.side, self.selector) {
            // A class between answers it: this one's method is never reached.
            Some((found, ..)) if hierarchy.is_below(found, self.class) => Relation::Unrelated,
            _ => Relation::Certain(self.shown(ix)),
        }
    }

    fn other_side(&self, ix: ClassIx) -> Relation {
        if self.index.hierarchy().is_in_line(ix, self.class) {
            Relation::OtherSide
        } else {
            Relation::Unrelated
        }
    }

    /// A class object answers instance-side methods of `Class` and the classes above it.
    fn class_object(&self, ix: ClassIx) -> Relation {
        let hierarchy = self.index.hierarchy();
        let class = self.index.find_class("Class");
        let answers = class.is_some_and(|class| hierarchy.is_in_line(class, self.class));
        let has_own = || self.index.lookup(ix, Side::Class, self.selector).is_some();
        if answers && !has_own() {
            return Relation::Possible("the receiver is a class".to_owned());
        }
        self.other_side(ix)
    }

    fn protocol(&self, name: NameId) -> Relation {
        if self.resolver.may_conform(self.class, name) {
            let name = self.index.names().text(name);
            Relation::Possible(format!("the receiver conforms to {name}"))
        } else {
            Relation::Unrelated
        }
    }

    /// Something that is all of several types: one that is of the line decides, then one that is not.
    fn all(&self, values: &[Value]) -> Relation {
        let verdicts: Vec<_> = values.iter().map(|value| self.value(value)).collect();
        let certain = verdicts.iter().find(|it| matches!(it, Relation::Certain(_)));
        let unrelated = verdicts.iter().find(|it| !it.may_reach());
        let best = certain.or(unrelated).or_else(|| verdicts.first());
        best.cloned().unwrap_or(Relation::Unrelated)
    }
}
