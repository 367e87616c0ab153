//! What an expression is, read from the inside out: a variable is followed to whoever binds it, a
//! send to the method that is found for it.

use super::binding::{
    assignment, bare, below, binds, cascade_receiver, is_assigned_in, test_of, Tested,
};
use super::world::{Body, ClassDecl, FieldDecl, MethodDecl, World};
use super::{Kind, Ty};
use crate::oracle::calls_erlang;
use bt_syntax::ast::{self, Block, FieldKind};
use bt_syntax::{Node, NodeKind, Selector};
use std::cell::{Cell, RefCell};

/// A reading that goes further than this is given up.
const MAX_STEPS: u32 = 150;
const MAX_DEPTH: u32 = 9;

const MAKERS: [&str; 6] = ["new", "new:", "spawn", "spawnWith:", "spawnAs:", "basicNew"];

/// Messages of collections whose block gets the elements, as its only or first parameter.
const OVER_ELEMENTS: [&str; 15] = [
    "do:",
    "collect:",
    "select:",
    "reject:",
    "detect:",
    "detect:ifNone:",
    "anySatisfy:",
    "allSatisfy:",
    "noneSatisfy:",
    "reverseDo:",
    "flatCollect:",
    "count:",
    "doSeparatedBy:",
    "doWithIndex:",
    "eachWithIndex:",
];

/// What type parameters stand for.
type Bound<'u> = Vec<(&'u str, Ty)>;

pub(super) struct Reader<'w, 'u> {
    pub(super) world: &'w World<'u>,
    /// Whether something was met that this reading does not decide about.
    is_open: Cell<bool>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    /// The locals that are being followed.
    following: RefCell<Vec<String>>,
}

/// What answers a message.
enum Answer<'w, 'u> {
    Method(&'w MethodDecl<'u>),
    Getter(&'w FieldDecl<'u>),
    /// The constructor of a value class, or one of its `with…:`.
    Maker,
}

impl<'w, 'u> Reader<'w, 'u> {
    pub(super) fn new(world: &'w World<'u>) -> Self {
        let (is_open, steps, depth) = (Cell::new(false), Cell::new(0), Cell::new(0));
        Self { world, is_open, steps, depth, following: RefCell::default() }
    }

    /// The type of the node at the end of a path; `None` when nothing here decides about it.
    pub(super) fn read(&self, body: &Body<'u>, path: &[Node<'u>]) -> Option<Ty> {
        self.is_open.set(false);
        self.steps.set(0);
        let ty = self.expression(body, path);
        (!self.is_open.get()).then_some(ty)
    }

    /// The class object that a name stands for; `None` as above.
    pub(super) fn class_named(&self, name: &str) -> Option<Ty> {
        self.is_open.set(false);
        let ty = self.class_object(self.name(name, Vec::new()));
        (!self.is_open.get()).then_some(ty)
    }

    fn give_up(&self) -> Ty {
        self.is_open.set(true);
        None
    }

    fn expression(&self, body: &Body<'u>, path: &[Node<'u>]) -> Ty {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > MAX_STEPS || self.depth.get() > MAX_DEPTH {
            return self.give_up();
        }
        self.depth.set(self.depth.get() + 1);
        let ty = self.expression_within(body, path);
        self.depth.set(self.depth.get() - 1);
        ty
    }

    fn expression_within(&self, body: &Body<'u>, path: &[Node<'u>]) -> Ty {
        let node = *path.last()?;
        match node.kind() {
            NodeKind::Integer => self.instance("Integer"),
            NodeKind::Float => self.instance("Float"),
            NodeKind::String | NodeKind::Interpolation => self.instance("String"),
            NodeKind::Symbol => self.instance("Symbol"),
            NodeKind::Character => self.instance("Character"),
            NodeKind::TrueLit | NodeKind::FalseLit => self.instance("Boolean"),
            NodeKind::NilLit | NodeKind::Cast => self.instance("UndefinedObject"),
            NodeKind::Map => self.instance("Dictionary"),
            NodeKind::Block => self.instance("Block"),
            NodeKind::List => self.collection(body, path, "List"),
            NodeKind::Array => self.collection(body, path, "Array"),
            NodeKind::ClassRef if node.text() == "Erlang" => None,
            NodeKind::ClassRef => self.class_object(self.name(node.text(), Vec::new())),
            NodeKind::Paren | NodeKind::Assign | NodeKind::TypedAssign => {
                self.expression(body, &below(path, *node.children().last()?))
            }
            NodeKind::SelfRef | NodeKind::Variable => self.variable(body, path, node.text()),
            NodeKind::SuperRef => self.own(body),
            NodeKind::FieldAccess => {
                let base = *node.children().first()?;
                let is_own = base.kind() == NodeKind::SelfRef
                    && !has_self_param(body)
                    && self.binder(&below(path, base), "self").is_none();
                let name = node.own_tokens().get(1)?.text();
                if is_own {
                    self.field_of_self(body, name)
                } else {
                    None
                }
            }
            NodeKind::UnarySend | NodeKind::BinarySend | NodeKind::KeywordSend => {
                self.sent(body, &below(path, ast::receiver_of(node)?), node)
            }
            NodeKind::Cascade => {
                self.sent(body, &cascade_receiver(path)?, *node.children().last()?)
            }
            _ => None,
        }
    }

    // ---- names

    fn instance(&self, class: &str) -> Ty {
        self.name(class, Vec::new())
    }

    /// What a name means as a type.
    fn name(&self, name: &str, args: Vec<Ty>) -> Ty {
        if name.contains('@') || self.world.classes.iter().filter(|it| it.name == name).count() > 1
        {
            return self.give_up();
        }
        if self.world.class_named(name).is_some() {
            return Some(vec![Kind::Instance(name.to_owned(), args)]);
        }
        if self.world.protocols.iter().any(|it| it.name == name) {
            return Some(vec![Kind::Conforming(name.to_owned())]);
        }
        let (_, aliased) = *self.world.aliases.iter().find(|(it, _)| *it == name)?;
        self.depth.set(self.depth.get() + 1);
        let is_deep = self.depth.get() > MAX_DEPTH;
        let ty = if is_deep { self.give_up() } else { self.annotation(aliased, &[], None, &[]) };
        self.depth.set(self.depth.get() - 1);
        ty
    }

    fn class_object(&self, ty: Ty) -> Ty {
        let class = |kind: Kind| match kind {
            Kind::Instance(class, _) => Some(Kind::Class(class)),
            _ => None,
        };
        ty?.into_iter().map(class).collect()
    }

    /// What an annotation says; `own` is what `Self` means there.
    fn annotation(
        &self,
        node: Node<'u>,
        type_params: &[&str],
        own: Option<&Kind>,
        bound: &[(&'u str, Ty)],
    ) -> Ty {
        let inner = |node: Node<'u>| self.annotation(node, type_params, own, bound);
        let parts: Vec<_> = node.children().into_iter().filter(|it| it.kind().is_type()).collect();
        match node.kind() {
            NodeKind::TypeName => {
                let args = parts.into_iter().map(inner).collect();
                self.type_name(node, args, type_params, bound)
            }
            NodeKind::TypeMeta => {
                self.class_object(self.type_name(node, Vec::new(), type_params, bound))
            }
            NodeKind::TypeSelf => {
                let own = own.map(|own| vec![own.clone()]);
                if node.own_tokens().len() > 1 {
                    self.class_object(own)
                } else {
                    own
                }
            }
            NodeKind::TypeSymbol => self.instance("Symbol"),
            NodeKind::TypeUnion => either(parts.into_iter().map(inner)),
            NodeKind::TypeIntersection => {
                let known: Vec<_> = parts.into_iter().map(inner).filter(Option::is_some).collect();
                (!known.is_empty()).then(|| vec![Kind::All(known)])
            }
            NodeKind::TypeDifference | NodeKind::TypeParen => inner(*parts.first()?),
            _ => None,
        }
    }

    fn type_name(
        &self,
        node: Node<'u>,
        args: Vec<Ty>,
        type_params: &[&str],
        bound: &[(&'u str, Ty)],
    ) -> Ty {
        let name = node.child(NodeKind::ClassName)?.text();
        if name.len() == 1 || type_params.contains(&name) {
            return bound.iter().find(|(param, _)| *param == name)?.1.clone();
        }
        match name {
            "nil" | "Nil" => self.instance("UndefinedObject"),
            "true" | "false" => self.instance("Boolean"),
            "Dynamic" | "Never" => None,
            _ => self.name(name, args),
        }
    }

    fn own(&self, body: &Body<'u>) -> Ty {
        let instance = self.own_instance(body).map(|own| vec![own]);
        if body.is_class_side {
            self.class_object(instance)
        } else {
            instance
        }
    }

    fn own_instance(&self, body: &Body<'u>) -> Option<Kind> {
        let class = self.world.class_named(body.class?)?;
        Some(Kind::Instance(class.name.to_owned(), Vec::new()))
    }

    // ---- variables

    fn variable(&self, body: &Body<'u>, path: &[Node<'u>], name: &str) -> Ty {
        let (binder, tested) = self.followed(body, path, name);
        if let Some(Tested::Is(class)) = tested {
            return self.name(class.text(), Vec::new());
        }
        let ty = match binder {
            Some(at) => self.bound_within(body, path.get(..=at)?, name),
            None if name == "self" && !has_self_param(body) => self.own(body),
            None => self.local(body, name).unwrap_or_else(|| self.field_of_self(body, name)),
        };
        match tested {
            Some(_) => not_nil(ty),
            None => ty,
        }
    }

    /// Where on its path a variable is bound, inside the body.
    fn binder(&self, path: &[Node<'u>], name: &str) -> Option<usize> {
        let around = path.split_last().map_or(&[][..], |(_, around)| around);
        around.iter().rposition(|node| binds(*node, name))
    }

    /// The binder of a variable, and the nearest test that tells something about it.
    fn followed(
        &self,
        body: &Body<'u>,
        path: &[Node<'u>],
        name: &str,
    ) -> (Option<usize>, Option<Tested<'u>>) {
        let mut tested = None;
        for (at, pair) in path.windows(2).enumerate().rev() {
            let [parent, child] = pair else { continue };
            tested = tested.or_else(|| test_of(body, *parent, *child, name));
            if binds(*parent, name) {
                return (Some(at), tested);
            }
        }
        (None, tested)
    }

    /// A parameter of the block, or a pattern of the arm, at the end of a path.
    fn bound_within(&self, body: &Body<'u>, path: &[Node<'u>], name: &str) -> Ty {
        let node = *path.last()?;
        if is_assigned_in(body, node, name) {
            return None;
        }
        if node.kind() == NodeKind::Block {
            return self.block_param(body, path, name);
        }
        let pattern = *node.children().first()?;
        let typed = pattern.descendants().find(|it| {
            it.kind() == NodeKind::TypePattern
                && it.own_tokens().first().is_some_and(|token| token.text() == name)
        });
        self.name(typed?.child(NodeKind::ClassName)?.text(), Vec::new())
    }

    /// Everything that is ever assigned to a parameter or local; outer `None` when it is neither.
    fn local(&self, body: &Body<'u>, name: &str) -> Option<Ty> {
        if self.following.borrow().iter().any(|it| it == name) {
            return Some(None);
        }
        self.following.borrow_mut().push(name.to_owned());
        let annotated = |node| self.annotated(body, node);
        let params = body.params.iter().filter(|it| it.name.text() == name);
        let mut values: Vec<Ty> = params.map(|it| annotated(it.annotation)).collect();
        for path in &body.paths {
            let Some((node, targets)) = assignment(path) else { continue };
            let target = node.children().first().copied();
            let is_here = target.is_some_and(|it| self.binder(&below(path, it), name).is_none());
            if !targets.contains(&name) || !is_here {
                continue;
            }
            let types: Vec<_> = node.children().into_iter().filter(|it| is_type(*it)).collect();
            values.push(match (node.kind(), target.map(Node::kind)) {
                (NodeKind::TypedAssign, _) => annotated(types.first().copied()),
                (_, Some(NodeKind::Variable)) => {
                    let value = node.children().last().copied();
                    value.and_then(|value| self.expression(body, &below(path, value)))
                }
                _ => None,
            });
        }
        self.following.borrow_mut().pop();
        (!values.is_empty()).then(|| either(values))
    }

    fn annotated(&self, body: &Body<'u>, annotation: Option<Node<'u>>) -> Ty {
        let own = self.own_instance(body);
        self.annotation(annotation?, &body.type_params, own.as_ref(), &[])
    }

    fn field_of_self(&self, body: &Body<'u>, name: &str) -> Ty {
        let own = self.own_instance(body)?;
        self.field(&own, name, body.is_class_side)
    }

    fn field(&self, own: &Kind, name: &str, is_class_side: bool) -> Ty {
        let (Kind::Instance(class, _) | Kind::Class(class)) = own else { return None };
        let is_side = |field: &&FieldDecl<'_>| {
            field.name == name && (field.kind == FieldKind::ClassState) == is_class_side
        };
        let found = self.world.line(class).into_iter().find_map(|class| {
            let fields = self.world.fields.iter().filter(|it| it.class == class.name);
            fields.clone().find(is_side).map(|field| (class, field))
        });
        let (class, field) = found?;
        let bound = self.bound_at(own, class.name);
        self.annotation(field.annotation?, &class.type_params, Some(own), &bound)
    }

    fn collection(&self, body: &Body<'u>, path: &[Node<'u>], class: &str) -> Ty {
        let n_following = self.following.borrow().len();
        let elements = path.last()?.children();
        let element = either(elements.iter().map(|it| self.expression(body, &below(path, *it))));
        // A list that holds itself is a list of something: the rules do not say of what.
        if n_following > 0 && element.is_none() {
            self.is_open.set(true);
        }
        self.name(class, element.map(|it| vec![Some(it)]).unwrap_or_default())
    }

    // ---- sends

    /// What a send, or a part of a cascade, answers; the path leads to its receiver.
    fn sent(&self, body: &Body<'u>, receiver: &[Node<'u>], send: Node<'u>) -> Ty {
        let selector = Selector::of_send(send)?.name();
        let node = *receiver.last()?;
        if calls_erlang(node.text(), &selector) {
            return (bare(node).text() == "Erlang").then(|| vec![Kind::Module]);
        }
        let ty = self.expression(body, receiver);
        if selector == "yourself" {
            return ty;
        }
        let is_super = node.kind() == NodeKind::SuperRef;
        either(ty?.iter().map(|kind| self.answer(kind, &selector, is_super)))
    }

    fn answer(&self, kind: &Kind, selector: &str, is_super: bool) -> Ty {
        let same = ["==", "=:=", "/=", "=/="];
        match kind {
            Kind::Instance(class, _) if selector == "class" => {
                Some(vec![Kind::Class(class.clone())])
            }
            Kind::Instance(..) if same.contains(&selector) => self.instance("Boolean"),
            Kind::Instance(class, _)
                if selector == "withTimeout:" && self.world.is_kind_of(class, "Actor") =>
            {
                Some(vec![kind.clone()])
            }
            Kind::Instance(class, _) => {
                let (home, answer) = self.found(class, false, selector, is_super)?;
                self.declared(home, &answer, kind, false)
            }
            Kind::Class(class) => {
                let instance = Kind::Instance(class.clone(), Vec::new());
                let found = self.found(class, true, selector, is_super);
                let is_own = found.as_ref().is_some_and(|(_, answer)| !is_of_library(answer));
                if MAKERS.contains(&selector) && !is_own {
                    return Some(vec![instance]);
                }
                if let Some((home, answer)) = found {
                    return self.declared(home, &answer, &instance, true);
                }
                let (home, answer) = self.found("Class", false, selector, false)?;
                self.declared(home, &answer, kind, false)
            }
            Kind::Conforming(protocol) => {
                let line = self.world.protocol_line(protocol);
                let mut required = line.iter().flat_map(|it| &it.requirements);
                let required = required.find(|it| it.selector == selector)?;
                self.annotation(required.returns?, &[], Some(kind), &[])
            }
            Kind::All(types) => types.iter().find_map(|ty| {
                either(ty.iter().flatten().map(|kind| self.answer(kind, selector, false)))
            }),
            Kind::Module => None,
        }
    }

    /// The class that answers a message sent to a class's instance or itself, and by what.
    fn found(
        &self,
        class: &str,
        is_class_side: bool,
        selector: &str,
        is_super: bool,
    ) -> Option<(&'w ClassDecl<'u>, Answer<'w, 'u>)> {
        let line = self.world.line(class).into_iter().skip(usize::from(is_super));
        line.into_iter().find_map(|class| {
            let name = class.name;
            self.own_answer(name, is_class_side, selector).map(|answer| {
                let class = self.world.classes.iter().find(|it| it.name == name);
                class.map(|class| (class, answer))
            })?
        })
    }

    /// How a class itself answers: an extension comes before the body, the body before what the
    /// compiler makes.
    fn own_answer(
        &self,
        class: &str,
        is_class_side: bool,
        selector: &str,
    ) -> Option<Answer<'w, 'u>> {
        let methods = self.world.methods.iter().filter(|it| {
            it.class == class && it.is_class_side == is_class_side && it.selector == selector
        });
        let methods: Vec<_> = methods.collect();
        let extensions: Vec<_> = methods.iter().filter(|it| it.is_extension).collect();
        let bodies: Vec<_> = methods.iter().filter(|it| !it.is_extension).collect();
        if extensions.len() > 1 || bodies.len() > 1 {
            self.is_open.set(true);
        }
        if let Some(method) = extensions.first().or(bodies.first()) {
            return Some(Answer::Method(method));
        }
        if !self.world.is_kind_of(class, "Value") {
            return None;
        }
        let is_field = |it: &&FieldDecl<'_>| it.class == class && it.kind == FieldKind::Field;
        let fields: Vec<_> = self.world.fields.iter().filter(is_field).collect();
        if is_class_side {
            let maker: String = fields.iter().map(|it| format!("{}:", it.name)).collect();
            return (maker == selector && !fields.is_empty()).then_some(Answer::Maker);
        }
        let with = |name: &str| {
            let (first, rest) = name.split_at(1);
            format!("with{}{rest}:", first.to_uppercase())
        };
        if let Some(field) = fields.iter().find(|it| it.name == selector) {
            return Some(Answer::Getter(field));
        }
        fields.iter().any(|it| with(it.name) == selector).then_some(Answer::Maker)
    }

    fn declared(
        &self,
        home: &ClassDecl<'u>,
        answer: &Answer<'w, 'u>,
        receiver: &Kind,
        is_class_side: bool,
    ) -> Ty {
        match answer {
            Answer::Maker => Some(vec![receiver.clone()]),
            Answer::Getter(field) => self.field(receiver, field.name, is_class_side),
            Answer::Method(method) => {
                let bound = self.bound_at(receiver, home.name);
                let params = if method.is_extension { &[][..] } else { &home.type_params };
                self.annotation(method.returns?, params, Some(receiver), &bound)
            }
        }
    }

    /// What the type parameters of a class mean to a receiver of it or below it.
    fn bound_at(&self, receiver: &Kind, class: &str) -> Bound<'u> {
        let Kind::Instance(name, args) = receiver else { return Vec::new() };
        let mut args = args.clone();
        for decl in self.world.line(name) {
            let bound: Bound<'u> = decl.type_params.iter().copied().zip(args).collect();
            if decl.name == class {
                return bound;
            }
            let argument =
                |node: &Node<'u>| self.annotation(*node, &decl.type_params, None, &bound);
            args = decl.arguments.iter().map(argument).collect();
        }
        Vec::new()
    }

    // ---- parameters of blocks

    fn block_param(&self, body: &Body<'u>, path: &[Node<'u>], name: &str) -> Ty {
        let block = *path.last()?;
        let params = Block::cast(block)?.params();
        let place = params.iter().position(|param| param.name.text() == name)?;
        if let Some(annotation) = params.get(place)?.annotation {
            return self.annotated(body, Some(annotation));
        }
        let send = *path.get(path.len().checked_sub(2)?)?;
        let upto = path.get(..path.len() - 1)?;
        let receiver = if send.kind().is_cascade_part() {
            cascade_receiver(upto.get(..upto.len() - 1)?)?
        } else {
            below(upto, ast::receiver_of(send)?)
        };
        let selector = Selector::of_send(send)?.name();
        let arguments = ast::arguments_of(send);
        let argument = arguments.iter().position(|it| it.id() == block.id())?;
        match (selector.as_str(), argument) {
            ("on:do:", 1) => {
                let class = *arguments.first()?;
                (class.kind() == NodeKind::ClassRef)
                    .then(|| self.name(class.text(), Vec::new()))
                    .flatten()
            }
            ("ifNotNil:" | "ifNotNil:ifNil:", 0) | ("ifNil:ifNotNil:", 1) => {
                not_nil(self.expression(body, &receiver))
            }
            _ => {
                let is_super = receiver.last()?.kind() == NodeKind::SuperRef;
                let ty = self.expression(body, &receiver)?;
                let handed = |kind| self.handed(kind, &selector, argument, place, is_super);
                either(ty.iter().map(handed))
            }
        }
    }

    /// What a method hands to a block that it gets as its argument.
    fn handed(
        &self,
        kind: &Kind,
        selector: &str,
        argument: usize,
        place: usize,
        is_super: bool,
    ) -> Ty {
        let (class, is_class_side) = match kind {
            Kind::Instance(class, _) => (class, false),
            Kind::Class(class) => (class, true),
            _ => return None,
        };
        let found = self.found(class, is_class_side, selector, is_super);
        if let Some((home, Answer::Method(method))) = found {
            let bound = self.bound_at(kind, home.name);
            let annotation = method.params.get(argument).and_then(|it| it.annotation);
            let params = if method.is_extension { &[][..] } else { &home.type_params };
            let own = Kind::Instance(class.clone(), Vec::new());
            let own = if is_class_side { &own } else { kind };
            let block = annotation.and_then(|it| self.annotation(it, params, Some(own), &bound));
            for kind in block.into_iter().flatten() {
                if let Kind::Instance(name, args) = kind {
                    if name == "Block" && place + 1 < args.len() {
                        return args.get(place)?.clone();
                    }
                }
            }
        }
        let Kind::Instance(class, args) = kind else { return None };
        let element = usize::from(selector == "inject:into:");
        if element != place || (element == 0 && !OVER_ELEMENTS.contains(&selector)) {
            return None;
        }
        if self.world.line(class).iter().any(|it| it.name == "Collection") {
            return self.bound_at(kind, "Collection").into_iter().next()?.1;
        }
        match (class.as_str(), args.as_slice()) {
            ("List" | "Array" | "Set" | "Bag" | "Stream", [element]) => element.clone(),
            ("Dictionary", [_, value]) => value.clone(),
            _ => None,
        }
    }
}

/// Whether the method has a parameter of the name `self`.
fn has_self_param(body: &Body<'_>) -> bool {
    body.params.iter().any(|param| param.name.text() == "self")
}

fn is_of_library(answer: &Answer<'_, '_>) -> bool {
    matches!(answer, Answer::Method(method) if method.is_library)
}

fn is_type(node: Node<'_>) -> bool {
    node.kind().is_type()
}

/// One of several types.
fn either(types: impl IntoIterator<Item = Ty>) -> Ty {
    let all: Vec<Kind> = types.into_iter().collect::<Option<Vec<_>>>()?.concat();
    (!all.is_empty()).then_some(all)
}

fn not_nil(ty: Ty) -> Ty {
    let is_nil = |kind: &Kind| matches!(kind, Kind::Instance(it, _) if it == "UndefinedObject");
    let rest: Vec<_> = ty?.into_iter().filter(|kind| !is_nil(kind)).collect();
    (!rest.is_empty()).then_some(rest)
}
