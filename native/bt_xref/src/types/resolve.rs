//! The meaning of a type expression in an index.
//!
//! Unknown is unknown: whatever is not declared, or would take too long to find out, could be
//! anything. Depth and number of steps are bounded, whatever the sources look like.

use crate::facts::{ClassFact, DeclKind, DefFact, DefKind};
use crate::hierarchy::{ClassIx, ClassKind};
use crate::ids::NameId;
use crate::snapshot::{Index, Origin, UnitEntry};
use crate::types::build::NIL;
use crate::types::table::{Type, TypeId, UNKNOWN};
use bt_syntax::ast::FieldKind;
use bt_syntax::Side;
use std::cell::Cell;
use std::sync::Arc;

const MAX_DEPTH: u32 = 32;
const MAX_STEPS: u32 = 2_000;

/// Messages to a class that answer an instance of it, unless the class says otherwise.
const CONSTRUCTORS: [&str; 6] = ["new", "new:", "spawn", "spawnWith:", "spawnAs:", "basicNew"];

/// What a value can be.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Anything.
    Unknown,
    /// One of these.
    OneOf(Vec<Atom>),
}

/// One possibility.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) what: What,
    /// Generic arguments of an instance.
    args: Vec<Value>,
    /// Whether what it is sent is looked up from the superclass on.
    is_super: bool,
}

impl Atom {
    fn new(what: What) -> Self {
        Self { what, args: Vec::new(), is_super: false }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// An instance of a class or of one below it.
    Instance(ClassIx),
    /// The class object of a class or of one below it.
    Class(ClassIx),
    /// Anything that conforms to a protocol.
    Protocol(NameId),
    /// Something that is all of these.
    All(Vec<Value>),
    /// An Erlang module.
    Module,
}

impl Value {
    fn one(what: What) -> Self {
        Self::OneOf(vec![Atom::new(what)])
    }

    pub(crate) fn atoms(&self) -> &[Atom] {
        match self {
            Self::Unknown => &[],
            Self::OneOf(atoms) => atoms,
        }
    }
}

/// One of several values; unknown when one of them is, or when there is none.
fn union(values: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Vec::new();
    for value in values {
        match value {
            Value::Unknown => return Value::Unknown,
            Value::OneOf(atoms) => all.extend(atoms),
        }
    }
    if all.is_empty() {
        Value::Unknown
    } else {
        Value::OneOf(all)
    }
}

/// Where a type expression stands.
#[derive(Clone)]
pub(crate) struct Scene<'a> {
    entry: &'a UnitEntry,
    /// What `self` is, as an instance.
    own: Option<Atom>,
    side: Side,
    /// What type parameters stand for.
    params: Vec<(NameId, Value)>,
}

/// A class that answers a selector, and by what.
type Found<'a> = (ClassIx, &'a Arc<UnitEntry>, &'a DefFact);

/// Evaluates type expressions.
pub(crate) struct Resolver<'a> {
    index: &'a Index,
    steps: Cell<u32>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(index: &'a Index) -> Self {
        Self { index, steps: Cell::new(0) }
    }

    /// The value of a receiver's type, for an owner of the unit.
    pub(crate) fn receiver(&self, entry: &'a UnitEntry, owner: u32, ty: TypeId) -> Value {
        let class = self.index.class_of_owner(entry, owner);
        let side = entry.facts.owner(owner).map_or(Side::Instance, |owner| owner.side);
        let own = class.map(|ix| Atom::new(What::Instance(ix)));
        let scene = Scene { entry, own, side, params: Vec::new() };
        self.eval(&scene, ty, 0)
    }

    fn is_exhausted(&self, depth: u32) -> bool {
        self.steps.set(self.steps.get() + 1);
        depth > MAX_DEPTH || self.steps.get() > MAX_STEPS
    }

    /// Recursion is bounded by `MAX_DEPTH`, not by the source.
    fn eval(&self, scene: &Scene<'a>, ty: TypeId, depth: u32) -> Value {
        if ty == UNKNOWN || self.is_exhausted(depth) {
            return Value::Unknown;
        }
        let types = &scene.entry.facts.types;
        let depth = depth + 1;
        let list = |list: u32| {
            types.list(list).iter().map(|ty| self.eval(scene, *ty, depth)).collect::<Vec<_>>()
        };
        match types.get(ty) {
            Type::Unknown => Value::Unknown,
            Type::Instance { name, package, args } => {
                self.named(scene, name, package, list(args), depth)
            }
            Type::SelfInstance => match &scene.own {
                Some(own) => Value::OneOf(vec![own.clone()]),
                None => Value::Unknown,
            },
            Type::SuperInstance => match scene.own.clone() {
                Some(own) => Value::OneOf(vec![Atom { is_super: true, ..own }]),
                None => Value::Unknown,
            },
            Type::Meta(of) => self.class_object(&self.eval(scene, of, depth)),
            Type::Union(members) => union(list(members)),
            Type::Intersection(members) => {
                let known = list(members).into_iter().filter(|it| !it.atoms().is_empty());
                let known: Vec<_> = known.collect();
                if known.is_empty() {
                    Value::Unknown
                } else {
                    Value::one(What::All(known))
                }
            }
            Type::NonNil(of) => self.non_nil(self.eval(scene, of, depth)),
            Type::Param(name) => {
                let param = scene.params.iter().find(|(param, _)| *param == name);
                param.map_or(Value::Unknown, |(_, value)| value.clone())
            }
            Type::Return { receiver, selector } => {
                let receiver = self.eval(scene, receiver, depth);
                self.each(&receiver, |atom| self.answer(atom, selector, depth))
            }
            Type::Field(name) => self.field(scene, name, depth),
            Type::BlockParam { receiver, selector, place } => {
                let receiver = self.eval(scene, receiver, depth);
                self.each(&receiver, |atom| self.block_param(atom, selector, place, depth))
            }
            Type::Local(local) => {
                union(types.local(local).iter().map(|ty| self.eval(scene, *ty, depth)))
            }
            Type::Module => Value::one(What::Module),
        }
    }

    fn each(&self, value: &Value, answer: impl Fn(&Atom) -> Value) -> Value {
        union(value.atoms().iter().map(answer))
    }

    // ---- names

    /// What a name means: a class, a protocol, or whatever an alias stands for.
    fn named(
        &self,
        scene: &Scene<'a>,
        name: NameId,
        package: NameId,
        args: Vec<Value>,
        depth: u32,
    ) -> Value {
        let hierarchy = self.index.hierarchy();
        if let Some(ix) = hierarchy.resolve(name, package, scene.entry.package_id) {
            let what = What::Instance(ix);
            return Value::OneOf(vec![Atom { args, ..Atom::new(what) }]);
        }
        let Some((entry, decl)) = self.declared(name) else { return Value::Unknown };
        match decl.kind {
            DeclKind::Protocol => Value::one(What::Protocol(name)),
            DeclKind::Alias => {
                let scene = Scene { entry, own: None, side: Side::Instance, params: Vec::new() };
                decl.types.first().map_or(Value::Unknown, |ty| self.eval(&scene, *ty, depth))
            }
            DeclKind::Class | DeclKind::Builder | DeclKind::Opaque => Value::Unknown,
        }
    }

    /// The protocol or alias of a name.
    fn declared(&self, name: NameId) -> Option<(&'a UnitEntry, &'a ClassFact)> {
        self.index.posted(self.index.decls.get(name)).find_map(|entry| {
            let decl = entry.facts.classes.iter().find(|class| class.name == name)?;
            Some((&**entry, decl))
        })
    }

    fn instance_of(&self, class: &str) -> Value {
        match self.index.find_class(class) {
            Some(ix) => Value::one(What::Instance(ix)),
            None => Value::Unknown,
        }
    }

    fn class_object(&self, value: &Value) -> Value {
        self.each(value, |atom| match atom.what {
            What::Instance(ix) => {
                let class = Atom::new(What::Class(ix));
                Value::OneOf(vec![Atom { is_super: atom.is_super, ..class }])
            }
            _ => Value::Unknown,
        })
    }

    fn non_nil(&self, value: Value) -> Value {
        let nil = self.index.find_class(NIL);
        match value {
            Value::Unknown => Value::Unknown,
            Value::OneOf(mut atoms) => {
                atoms.retain(|atom| !matches!(atom.what, What::Instance(ix) if Some(ix) == nil));
                union([Value::OneOf(atoms)])
            }
        }
    }

    // ---- what sends answer

    fn answer(&self, atom: &Atom, selector: NameId, depth: u32) -> Value {
        if self.is_exhausted(depth) {
            return Value::Unknown;
        }
        match &atom.what {
            What::Instance(ix) => self.instance_answer(*ix, atom, selector, depth),
            What::Class(ix) => self.class_answer(*ix, atom, selector, depth),
            What::Protocol(name) => self.requirement(*name, atom, selector, depth),
            What::All(values) => {
                let answers = values
                    .iter()
                    .map(|value| self.each(value, |atom| self.answer(atom, selector, depth + 1)));
                let mut known = answers.filter(|answer| !answer.atoms().is_empty());
                known.next().unwrap_or(Value::Unknown)
            }
            What::Module => Value::Unknown,
        }
    }

    fn instance_answer(&self, ix: ClassIx, atom: &Atom, selector: NameId, depth: u32) -> Value {
        let kind = self.index.hierarchy().node(ix).map(|node| node.kind);
        match self.index.names().text(selector) {
            "class" => return Value::one(What::Class(ix)),
            "==" | "=:=" | "/=" | "=/=" => return self.instance_of("Boolean"),
            "withTimeout:" if kind == Some(ClassKind::Actor) => {
                return Value::OneOf(vec![atom.clone()]);
            }
            _ => {}
        }
        match self.found(ix, atom, Side::Instance, selector) {
            Some(found) => self.declared_answer(found, atom, Side::Instance, depth),
            None => Value::Unknown,
        }
    }

    /// The definition that a message to an atom of a class reaches.
    fn found(&self, ix: ClassIx, atom: &Atom, side: Side, selector: NameId) -> Option<Found<'a>> {
        let above = || self.index.hierarchy().node(ix).and_then(|node| node.parent);
        let from = if atom.is_super { above()? } else { ix };
        self.index.lookup(from, side, selector)
    }

    fn class_answer(&self, ix: ClassIx, atom: &Atom, selector: NameId, depth: u32) -> Value {
        let instance = Atom::new(What::Instance(ix));
        let found = self.found(ix, atom, Side::Class, selector);
        let is_written = found.as_ref().is_some_and(|(_, entry, _)| entry.origin != Origin::Stdlib);
        let is_constructor = CONSTRUCTORS.contains(&self.index.names().text(selector));
        if is_constructor && !is_written {
            return Value::OneOf(vec![instance]);
        }
        if let Some(found) = found {
            return self.declared_answer(found, &instance, Side::Class, depth);
        }
        let class = self.index.find_class("Class");
        match class.and_then(|class| self.index.lookup(class, Side::Instance, selector)) {
            Some(found) => {
                let object = Atom::new(What::Class(ix));
                self.declared_answer(found, &object, Side::Instance, depth)
            }
            None => Value::Unknown,
        }
    }

    /// What a definition says it answers, for a receiver.
    fn declared_answer(
        &self,
        (class, entry, def): Found<'a>,
        receiver: &Atom,
        side: Side,
        depth: u32,
    ) -> Value {
        let receiver = &Atom { is_super: false, ..receiver.clone() };
        let scene = self.scene(entry, class, receiver, side, depth);
        if def.kind == DefKind::Generated {
            return self.generated(&scene, def, receiver, depth);
        }
        self.eval(&scene, def.returns, depth + 1)
    }

    /// The scene of a definition in `class` for a receiver of it or below it.
    fn scene(
        &self,
        entry: &'a UnitEntry,
        class: ClassIx,
        receiver: &Atom,
        side: Side,
        depth: u32,
    ) -> Scene<'a> {
        let params = self.params_at(receiver, class, depth);
        Scene { entry, own: Some(receiver.clone()), side, params }
    }

    fn generated(&self, scene: &Scene<'a>, def: &DefFact, receiver: &Atom, depth: u32) -> Value {
        if def.side == Side::Class {
            return Value::OneOf(vec![receiver.clone()]);
        }
        let is_getter = scene.entry.facts.fields.iter().any(|field| field.name == def.selector);
        if is_getter {
            self.field(scene, def.selector, depth + 1)
        } else {
            Value::OneOf(vec![receiver.clone()])
        }
    }

    fn requirement(&self, name: NameId, atom: &Atom, selector: NameId, depth: u32) -> Value {
        for protocol in self.protocol_line(name) {
            let Some((entry, _)) = self.declared(protocol) else { continue };
            let required = entry.facts.defs_of(selector).iter().find(|def| {
                let owner = entry.facts.owner(def.owner).map(|owner| owner.name);
                def.kind == DefKind::Requirement && owner == Some(protocol)
            });
            if let Some(def) = required {
                let scene = Scene {
                    entry,
                    own: Some(atom.clone()),
                    side: Side::Instance,
                    params: Vec::new(),
                };
                return self.eval(&scene, def.returns, depth + 1);
            }
        }
        Value::Unknown
    }

    /// A protocol and those it extends.
    fn protocol_line(&self, name: NameId) -> Vec<NameId> {
        let mut line = Vec::new();
        let mut next = Some(name);
        while let Some(protocol) = next.filter(|it| !line.contains(it)) {
            line.push(protocol);
            next = self.declared(protocol).and_then(|(_, decl)| decl.superclass.some());
        }
        line
    }

    // ---- fields and generics

    fn field(&self, scene: &Scene<'a>, name: NameId, depth: u32) -> Value {
        let Some(own) = &scene.own else { return Value::Unknown };
        let (What::Instance(ix) | What::Class(ix)) = own.what else { return Value::Unknown };
        let hierarchy = self.index.hierarchy();
        for class in std::iter::once(ix).chain(hierarchy.ancestors(ix)) {
            let Some((entry, node)) = self.index.class(class) else { continue };
            let declared = entry.facts.fields.iter().find(|field| {
                let is_side = (field.kind == FieldKind::ClassState) == (scene.side == Side::Class);
                field.class == node.idx && field.name == name && is_side
            });
            if let Some(field) = declared {
                let scene = self.scene(entry, class, own, scene.side, depth);
                return self.eval(&scene, field.annotation, depth + 1);
            }
        }
        Value::Unknown
    }

    /// What the type parameters of a class stand for, seen from a receiver of it or below it.
    fn params_at(&self, receiver: &Atom, class: ClassIx, depth: u32) -> Vec<(NameId, Value)> {
        let What::Instance(mut at) = receiver.what else { return Vec::new() };
        let mut args = receiver.args.clone();
        loop {
            let Some((entry, node)) = self.index.class(at) else { return Vec::new() };
            let Some(fact) = entry.facts.classes.get(node.idx as usize) else { return Vec::new() };
            let params: Vec<_> = fact.type_params.iter().copied().zip(args).collect();
            if at == class || self.is_exhausted(depth) {
                return params;
            }
            let scene = Scene { entry, own: None, side: Side::Instance, params };
            args = fact.types.iter().map(|ty| self.eval(&scene, *ty, depth + 1)).collect();
            match node.parent {
                Some(parent) => at = parent,
                None => return Vec::new(),
            }
        }
    }

    /// What a method hands to the block it is given.
    fn block_param(&self, atom: &Atom, selector: NameId, place: u32, depth: u32) -> Value {
        if self.is_exhausted(depth) {
            return Value::Unknown;
        }
        let (argument, param) = (place >> 16, (place & 0xffff) as usize);
        let (ix, side) = match atom.what {
            What::Instance(ix) => (ix, Side::Instance),
            What::Class(ix) => (ix, Side::Class),
            _ => return Value::Unknown,
        };
        if let Some((class, entry, def)) = self.found(ix, atom, side, selector) {
            let is_it = |fact: &&crate::facts::BlockParamFact| {
                fact.owner == def.owner && fact.place == argument
            };
            if let Some(fact) = entry.facts.block_params.iter().find(is_it) {
                let own = match side {
                    Side::Instance => &Atom { is_super: false, ..atom.clone() },
                    Side::Class => &Atom::new(What::Instance(ix)),
                };
                let scene = self.scene(entry, class, own, side, depth);
                if let Value::OneOf(blocks) = self.eval(&scene, fact.annotation, depth + 1) {
                    // The last argument of `Block(A, B, R)` is what the block answers.
                    let args = blocks.first().map_or(&[][..], |block| &block.args);
                    if let Some(value) = args.get(param).filter(|_| param + 1 < args.len()) {
                        return value.clone();
                    }
                }
            }
        }
        match side {
            Side::Instance => self.element(ix, atom, selector, param, depth),
            Side::Class => Value::Unknown,
        }
    }

    /// Elements of a collection, for the selectors that hand them on one by one.
    fn element(
        &self,
        ix: ClassIx,
        atom: &Atom,
        selector: NameId,
        param: usize,
        depth: u32,
    ) -> Value {
        let place = match self.index.names().text(selector) {
            "do:" | "collect:" | "select:" | "reject:" | "detect:" | "detect:ifNone:"
            | "anySatisfy:" | "allSatisfy:" | "noneSatisfy:" | "reverseDo:" | "flatCollect:"
            | "count:" | "doSeparatedBy:" => 0,
            "doWithIndex:" | "eachWithIndex:" => 0,
            "inject:into:" => 1,
            _ => return Value::Unknown,
        };
        if place != param {
            return Value::Unknown;
        }
        let collection = self.index.find_class("Collection");
        let is_collection =
            |it: &ClassIx| Some(*it) == collection || self.index.hierarchy().is_below(ix, *it);
        if let Some(collection) = collection.filter(is_collection) {
            let params = self.params_at(atom, collection, depth);
            return params.into_iter().next().map_or(Value::Unknown, |(_, value)| value);
        }
        let name = self.index.class_name(ix);
        match (name.as_str(), atom.args.as_slice()) {
            ("List" | "Array" | "Set" | "Bag" | "Stream", [element]) => element.clone(),
            ("Dictionary", [_, value]) => value.clone(),
            _ => Value::Unknown,
        }
    }

    // ---- conformance

    /// Whether a class, or one below it, has everything a protocol requires. Protocols that are not
    /// in the index may be conformed to.
    pub(crate) fn may_conform(&self, class: ClassIx, protocol: NameId) -> bool {
        const MAX_CLASSES: usize = 256;
        let mut required = Vec::new();
        for name in self.protocol_line(protocol) {
            let Some((entry, _)) = self.declared(name) else { return true };
            let requirements = entry.facts.defs.iter().filter(|def| {
                let owner = entry.facts.owner(def.owner).map(|owner| owner.name);
                def.kind == DefKind::Requirement && owner == Some(name)
            });
            required.extend(requirements.map(|def| (def.selector, def.side)));
        }
        let hierarchy = self.index.hierarchy();
        let Some(below) = hierarchy.few_descendants(class, MAX_CLASSES) else { return true };
        let conforms = |ix: ClassIx| {
            required
                .iter()
                .all(|(selector, side)| self.index.lookup(ix, *side, *selector).is_some())
        };
        std::iter::once(class).chain(below).any(conforms)
    }
}
