//! Sends, references, symbols and receiver types of a body.

use super::builder::BuilderSend;
use super::scope::{unparenthesized, Binding, Narrowing, Scope};
use super::{Ctx, Place, Spanned};
use crate::facts::{Receiver, SendFact, SymbolFact};
use crate::ids::NameId;
use crate::site::SiteKind;
use crate::types::build::{annotation_type, literal_class, NIL};
use crate::types::table::{Type, TypeId, NO_ARGS, UNKNOWN};
use bt_syntax::ast::{self, Block, ClassName, Param};
use bt_syntax::tree::NodeId;
use bt_syntax::{Node, NodeKind, Selector, Side, Token, TokenKind};
use rustc_hash::FxHashMap;

/// Messages to `Erlang` that are no module names.
const GATEWAY_MESSAGES: [&str; 10] = [
    "new",
    "spawn",
    "class",
    "methods",
    "superclass",
    "subclasses",
    "allSubclasses",
    "class_name",
    "module_name",
    "printString",
];

/// The body being walked.
struct Walk<'u, 'p> {
    place: Place<'u, 'p>,
    scope: Scope<'u>,
    base: NodeId,
    /// Types of the nodes seen so far.
    node_types: Vec<TypeId>,
    /// Locals and parameters of the method.
    locals: FxHashMap<&'u str, u32>,
    side: Side,
}

impl<'u> Walk<'u, '_> {
    fn type_of(&self, node: Node<'u>) -> TypeId {
        let at = node.id().checked_sub(self.base);
        at.and_then(|at| self.node_types.get(at as usize)).copied().unwrap_or(UNKNOWN)
    }

    /// Whether `self` at a node is the receiver of the method, and no parameter.
    fn is_own(&self, node: Node<'u>) -> bool {
        !self.locals.contains_key("self") && self.scope.self_param(node).is_none()
    }

    fn set_type(&mut self, node: Node<'u>, ty: TypeId) {
        let at = node.id().checked_sub(self.base);
        if let Some(cell) = at.and_then(|at| self.node_types.get_mut(at as usize)) {
            *cell = ty;
        }
    }
}

impl<'u> Ctx<'u, '_> {
    /// Collects the facts of some nodes that share their variables.
    pub(super) fn walk(&mut self, nodes: &[Node<'u>], params: &[Param<'u>], place: Place<'u, '_>) {
        let base = nodes.first().map_or(0, |node| node.first_node());
        let n_nodes = nodes.last().map_or(0, |node| node.id() - base + 1) as usize;
        let side = self.owners.get(place.owner as usize).map_or(Side::Instance, |it| it.side);
        let scope = Scope::new(nodes);
        let locals = FxHashMap::default();
        let mut walk =
            Walk { place, scope, base, node_types: vec![UNKNOWN; n_nodes], locals, side };
        self.bind_params(&mut walk, params);
        let locals: Vec<_> = walk.scope.locals(self.unit).collect();
        for name in locals {
            let types = &mut self.types;
            walk.locals.entry(name).or_insert_with(|| types.add_local());
        }
        for node in nodes.iter().flat_map(|node| node.descendants()) {
            self.visit(&mut walk, node);
        }
    }

    fn bind_params(&mut self, walk: &mut Walk<'u, '_>, params: &[Param<'u>]) {
        for param in params {
            let ty = match param.annotation {
                Some(ty) => {
                    annotation_type(&mut self.types, self.names, ty, walk.place.type_params)
                }
                None => UNKNOWN,
            };
            let local = self.types.add_local();
            self.types.bind_local(local, ty);
            walk.locals.insert(param.name.text(), local);
        }
    }

    fn visit(&mut self, walk: &mut Walk<'u, '_>, node: Node<'u>) {
        match node.kind() {
            NodeKind::TypeName | NodeKind::TypeMeta => self.type_reference(walk, node),
            NodeKind::ClassRef => self.reference(node, walk.place.owner, SiteKind::Expression),
            NodeKind::TypePattern | NodeKind::ConstructorPattern => self.pattern(walk, node),
            NodeKind::Symbol | NodeKind::TypeSymbol | NodeKind::LiteralPattern => {
                self.symbol(walk, node);
            }
            NodeKind::Assign | NodeKind::TypedAssign => self.assignment(walk, node),
            NodeKind::Cascade => self.cascade(walk, node),
            kind if kind.is_send() => self.send(walk, node),
            _ => {}
        }
        if node.kind().is_expression() {
            let ty = self.expression_type(walk, node);
            walk.set_type(node, ty);
        }
    }

    // ---- references and symbols

    fn type_reference(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) {
        let Some(class_name) = node.child(NodeKind::ClassName).and_then(ClassName::cast) else {
            return;
        };
        let Some(text) = class_name.name().map(Token::text) else { return };
        let is_metatype_argument = node.kind() == NodeKind::TypeMeta
            && walk.place.type_kind == SiteKind::SuperclassArgument;
        let is_param = walk.place.type_params.contains(&text) && !is_metatype_argument;
        let is_unqualified = class_name.package().is_none();
        if is_unqualified && (text.len() == 1 || is_param) {
            return;
        }
        self.reference(class_name.node(), walk.place.owner, walk.place.type_kind);
    }

    fn pattern(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) {
        let class_name = node.child(NodeKind::ClassName);
        if let Some(class_name) = class_name {
            self.reference(class_name, walk.place.owner, SiteKind::Pattern);
        }
        if node.kind() != NodeKind::ConstructorPattern {
            return;
        }
        let keywords: Vec<_> = node
            .own_tokens()
            .into_iter()
            .filter(|token| token.kind() == TokenKind::Keyword)
            .collect();
        let selector: String = keywords.iter().map(|token| token.text()).collect();
        if keywords.is_empty() {
            return;
        }
        let ty = class_name.map_or(UNKNOWN, |name| self.class_object(name));
        let fact = SendFact::new(
            self.names.intern(&selector),
            node.id(),
            walk.place.owner,
            Receiver::Pattern,
            ty,
        );
        self.sends.push(Spanned::new(fact, &keywords));
    }

    fn symbol(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) {
        let tokens = node.own_tokens();
        let is_symbol = |token: &&Token<'_>| {
            matches!(token.kind(), TokenKind::Symbol | TokenKind::QuotedSymbol)
        };
        let Some(token) = tokens.iter().find(is_symbol) else { return };
        self.symbols.push(SymbolFact {
            name: self.names.intern(&ast::symbol_text(*token)),
            node: node.id(),
            start: token.span().start().into(),
            owner: walk.place.owner,
        });
    }

    // ---- sends

    fn send(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) {
        let Some(receiver) = ast::receiver_of(node) else { return };
        self.add_send(walk, node, receiver);
    }

    fn cascade(&mut self, walk: &mut Walk<'u, '_>, node: Node<'u>) {
        let Some(receiver) = ast::cascade_receiver(node) else { return };
        for part in node.children().into_iter().skip(1) {
            if part.kind().is_cascade_part() {
                self.add_send(walk, part, receiver);
            }
        }
        if let Some(builder) = BuilderSend::of(node, receiver) {
            self.builder(builder);
        }
    }

    /// A send, or a cascade part, to a receiver.
    fn add_send(&mut self, walk: &Walk<'u, '_>, node: Node<'u>, receiver: Node<'u>) {
        let Some(selector) = Selector::of_send(node).filter(|it| !it.parts.is_empty()) else {
            return;
        };
        let kind = match receiver.kind() {
            NodeKind::SelfRef if walk.is_own(receiver) => Receiver::SelfRef,
            NodeKind::SuperRef => Receiver::Super,
            _ if is_ffi(node, receiver) => Receiver::Ffi,
            _ => Receiver::Other,
        };
        let fact = SendFact::new(
            self.names.intern(&selector.name()),
            node.id(),
            walk.place.owner,
            kind,
            walk.type_of(receiver),
        );
        self.sends.push(Spanned::new(fact, &selector.parts));
    }

    // ---- types

    fn assignment(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) {
        let children = node.children();
        let (Some(target), Some(value)) = (children.first(), children.last()) else { return };
        let names = walk.scope.outer_names(node);
        let Some(name) = names.first() else { return };
        if node.kind() == NodeKind::TypedAssign {
            let annotation = children.iter().find(|child| child.kind().is_type());
            let ty = match annotation {
                Some(ty) => {
                    annotation_type(&mut self.types, self.names, *ty, walk.place.type_params)
                }
                None => UNKNOWN,
            };
            self.bind(walk, name, ty);
        } else if target.kind() == NodeKind::Variable {
            self.bind(walk, name, walk.type_of(*value));
        } else {
            names.iter().for_each(|name| self.bind(walk, name, UNKNOWN));
        }
    }

    fn bind(&mut self, walk: &Walk<'u, '_>, name: &str, ty: TypeId) {
        if let Some(local) = walk.locals.get(name) {
            self.types.bind_local(*local, ty);
        }
    }

    /// The class object that a class name stands for.
    fn class_object(&mut self, node: Node<'u>) -> TypeId {
        let ty = self.class_instance(node);
        self.types.add(Type::Meta(ty))
    }

    /// An instance of the class that a class name stands for.
    fn class_instance(&mut self, node: Node<'u>) -> TypeId {
        let Some(class_name) = ClassName::cast(node) else { return UNKNOWN };
        let name = self.name(class_name.name());
        let package = self.name(class_name.package());
        self.types.add(Type::Instance { name, package, args: NO_ARGS })
    }

    fn self_type(&mut self, walk: &Walk<'u, '_>) -> TypeId {
        self.receiver_self(walk, Type::SelfInstance)
    }

    fn receiver_self(&mut self, walk: &Walk<'u, '_>, instance: Type) -> TypeId {
        let instance = self.types.add(instance);
        match walk.side {
            Side::Instance => instance,
            Side::Class => self.types.add(Type::Meta(instance)),
        }
    }

    fn expression_type(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) -> TypeId {
        let last = |walk: &Walk<'u, '_>| {
            node.children_rev().next().map_or(UNKNOWN, |child| walk.type_of(child))
        };
        match node.kind() {
            NodeKind::Variable => self.variable(walk, node),
            NodeKind::SelfRef => match walk.scope.self_param(node) {
                Some((block, place)) => self.block_param(walk, block, place),
                None => match walk.locals.get("self") {
                    Some(param) => self.types.add(Type::Local(*param)),
                    None => self.self_type(walk),
                },
            },
            NodeKind::SuperRef => self.receiver_self(walk, Type::SuperInstance),
            NodeKind::ClassRef if is_gateway(node) => UNKNOWN,
            NodeKind::ClassRef => self.class_object(node),
            NodeKind::Paren | NodeKind::Assign | NodeKind::TypedAssign => last(walk),
            NodeKind::FieldAccess => {
                let is_own = node
                    .children_rev()
                    .next()
                    .is_some_and(|base| base.kind() == NodeKind::SelfRef && walk.is_own(base));
                let field = node.own_tokens().get(1).copied();
                if is_own {
                    let name = self.name(field);
                    self.types.add(Type::Field(name))
                } else {
                    UNKNOWN
                }
            }
            NodeKind::UnarySend | NodeKind::BinarySend | NodeKind::KeywordSend => {
                self.send_type(walk, node, ast::receiver_of(node))
            }
            NodeKind::Cascade => {
                let part = node.children_rev().next();
                part.map_or(UNKNOWN, |part| self.send_type(walk, part, ast::cascade_receiver(node)))
            }
            NodeKind::List | NodeKind::Array => self.collection(walk, node),
            NodeKind::Cast => {
                let nil = self.names.intern(NIL);
                self.types.instance(nil)
            }
            kind => match literal_class(kind) {
                Some(class) => {
                    let name = self.names.intern(class);
                    self.types.instance(name)
                }
                None => UNKNOWN,
            },
        }
    }

    fn send_type(
        &mut self,
        walk: &Walk<'u, '_>,
        send: Node<'u>,
        receiver: Option<Node<'u>>,
    ) -> TypeId {
        let Some(receiver) = receiver else { return UNKNOWN };
        let Some(selector) = Selector::of_send(send) else { return UNKNOWN };
        if is_ffi(send, receiver) {
            let is_module = is_gateway(unparenthesized(receiver));
            return if is_module { self.types.add(Type::Module) } else { UNKNOWN };
        }
        let ty = walk.type_of(receiver);
        let name = selector.name();
        if name == "yourself" {
            return ty;
        }
        if ty == UNKNOWN {
            return UNKNOWN;
        }
        let selector = self.names.intern(&name);
        self.types.add(Type::Return { receiver: ty, selector })
    }

    /// A literal list or array knows what its elements are, if all of them are known.
    fn collection(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) -> TypeId {
        let class = if node.kind() == NodeKind::List { "List" } else { "Array" };
        let name = self.names.intern(class);
        let elements: Vec<_> = node.children_rev().map(|element| walk.type_of(element)).collect();
        let args = match self.types.union(elements) {
            UNKNOWN => NO_ARGS,
            element => self.types.add_list(vec![element]),
        };
        self.types.add(Type::Instance { name, package: NameId::NONE, args })
    }

    fn variable(&mut self, walk: &Walk<'u, '_>, node: Node<'u>) -> TypeId {
        let name = node.text();
        let (binding, narrowing) = walk.scope.resolve(node, name);
        if let Some(Narrowing::IsA(class_name)) = narrowing {
            return self.class_instance(class_name.node());
        }
        let ty = match binding {
            Binding::BlockParam(node, _) | Binding::Arm(node, _)
                if walk.scope.is_assigned_within(name, node) =>
            {
                UNKNOWN
            }
            Binding::BlockParam(block, place) => self.block_param(walk, block, place),
            Binding::Arm(_, Some(class_name)) => self.class_instance(class_name.node()),
            Binding::Arm(_, None) => UNKNOWN,
            Binding::Outer => match walk.locals.get(name) {
                Some(local) => self.types.add(Type::Local(*local)),
                None => {
                    let name = self.names.intern(name);
                    self.types.add(Type::Field(name))
                }
            },
        };
        match narrowing {
            Some(Narrowing::NonNil) if ty != UNKNOWN => self.types.add(Type::NonNil(ty)),
            _ => ty,
        }
    }

    /// The type of a parameter of a literal block: its annotation, or what the method that the block
    /// is handed to passes.
    fn block_param(&mut self, walk: &Walk<'u, '_>, block: Node<'u>, place: usize) -> TypeId {
        let params = Block::cast(block).map(Block::params).unwrap_or_default();
        if let Some(ty) = params.get(place).and_then(|param| param.annotation) {
            return annotation_type(&mut self.types, self.names, ty, walk.place.type_params);
        }
        let Some(send) = walk.scope.parent(block) else { return UNKNOWN };
        let receiver = if send.kind().is_cascade_part() {
            walk.scope.parent(send).and_then(ast::cascade_receiver)
        } else {
            ast::receiver_of(send)
        };
        let (Some(receiver), Some(selector)) = (receiver, Selector::of_send(send)) else {
            return UNKNOWN;
        };
        let arguments = ast::arguments_of(send);
        let Some(argument) = arguments.iter().position(|it| *it == block) else { return UNKNOWN };
        let receiver_type = walk.type_of(receiver);
        match (selector.name().as_str(), argument) {
            ("on:do:", 1) => arguments.first().map_or(UNKNOWN, |class| {
                if class.kind() == NodeKind::ClassRef {
                    self.class_instance(*class)
                } else {
                    UNKNOWN
                }
            }),
            ("ifNotNil:" | "ifNotNil:ifNil:", 0) | ("ifNil:ifNotNil:", 1)
                if receiver_type != UNKNOWN =>
            {
                self.types.add(Type::NonNil(receiver_type))
            }
            _ if receiver_type == UNKNOWN => UNKNOWN,
            (name, _) => {
                let selector = self.names.intern(name);
                let place = (argument as u32) << 16 | (place as u32 & 0xffff);
                self.types.add(Type::BlockParam { receiver: receiver_type, selector, place })
            }
        }
    }

    pub(super) fn builder_reference(&self, node: Node<'u>) -> Option<(NameId, NameId)> {
        let class_name = ClassName::cast(node)?;
        Some((self.name(class_name.name()), self.name(class_name.package())))
    }
}

/// The class `Erlang`, without a package.
fn is_gateway(node: Node<'_>) -> bool {
    node.kind() == NodeKind::ClassRef
        && node.own_tokens().iter().map(|token| token.text()).eq(["Erlang"])
}

/// Whether a send looks an Erlang module up, or calls a function of one.
fn is_ffi(send: Node<'_>, receiver: Node<'_>) -> bool {
    let is_unary = matches!(send.kind(), NodeKind::UnarySend | NodeKind::UnaryPart);
    if is_gateway(receiver) {
        let is_message =
            send.own_tokens().first().is_some_and(|token| GATEWAY_MESSAGES.contains(&token.text()));
        return is_unary && !is_message;
    }
    let module = unparenthesized(receiver);
    module.kind() == NodeKind::UnarySend
        && ast::receiver_of(module)
            .is_some_and(|gateway| is_gateway(gateway) && is_ffi_module(module))
}

fn is_ffi_module(module: Node<'_>) -> bool {
    module.own_tokens().first().is_some_and(|token| !GATEWAY_MESSAGES.contains(&token.text()))
}
