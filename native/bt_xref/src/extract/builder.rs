//! Classes that a class builder makes at run time, as far as their text is literal.

use super::Ctx;
use crate::facts::{ClassFact, DeclKind, DefFact, DefKind, OwnerKind};
use crate::ids::NameId;
use crate::types::table::UNKNOWN;
use bt_syntax::ast::{self, Method};
use bt_syntax::{Node, NodeKind, Selector, Side, Token};

/// `… classBuilder name: #Tug; superclass: Ferry; methods: #{…}; register`.
pub(super) struct BuilderSend<'u> {
    name: Node<'u>,
    superclass: Option<Node<'u>>,
    methods: Vec<(Side, Node<'u>)>,
}

impl<'u> BuilderSend<'u> {
    /// The builder that a cascade describes, if it does and gives a literal name.
    pub(super) fn of(cascade: Node<'u>, receiver: Node<'u>) -> Option<Self> {
        let is_builder = receiver.kind() == NodeKind::UnarySend
            && receiver.own_tokens().iter().map(|token| token.text()).eq(["classBuilder"]);
        if !is_builder {
            return None;
        }
        let mut name = None;
        let mut superclass = ast::receiver_of(receiver);
        let mut methods = Vec::new();
        for message in cascade.children() {
            let selector = Selector::of_send(message).map(|it| it.name()).unwrap_or_default();
            let Some(argument) = ast::arguments_of(message).first().copied() else { continue };
            match selector.as_str() {
                "name:" => name = Some(argument),
                "superclass:" => superclass = Some(argument),
                "methods:" | "methodSource:" => methods.extend(keys(argument, Side::Instance)),
                "classMethods:" | "classMethodSource:" => {
                    methods.extend(keys(argument, Side::Class));
                }
                "addMethod:body:" => methods.push((Side::Instance, argument)),
                "addClassMethod:body:" => methods.push((Side::Class, argument)),
                _ => {}
            }
        }
        let name = name.filter(|node| node.kind() == NodeKind::Symbol)?;
        methods.retain(|(_, node)| node.kind() == NodeKind::Symbol);
        Some(Self { name, superclass, methods })
    }
}

/// The keys of a literal map.
fn keys(map: Node<'_>, side: Side) -> Vec<(Side, Node<'_>)> {
    if map.kind() != NodeKind::Map {
        return Vec::new();
    }
    let entries = map.children_of(NodeKind::MapEntry);
    entries.into_iter().filter_map(|entry| Some((side, *entry.children().first()?))).collect()
}

fn symbol_of(node: Node<'_>) -> Option<Token<'_>> {
    node.own_tokens().first().copied()
}

/// Whether a method is the stub of a block that a class builder was given: its body is exactly
/// `ClassBuilder run: 7 with: #(self, …)`.
pub(super) fn is_stub(method: Method<'_>) -> bool {
    let statements = method.body().map(Node::children).unwrap_or_default();
    let [statement] = statements.as_slice() else { return false };
    let is_run = Selector::of_send(*statement).is_some_and(|it| it.name() == "run:with:")
        && ast::receiver_of(*statement).is_some_and(|it| it.text() == "ClassBuilder");
    let arguments = ast::arguments_of(*statement);
    match arguments.as_slice() {
        [number, values] if is_run => {
            let first = values.children().first().map(|it| it.kind());
            number.kind() == NodeKind::Integer && first == Some(NodeKind::SelfRef)
        }
        _ => false,
    }
}

impl<'u> Ctx<'u, '_> {
    pub(super) fn builder(&mut self, builder: BuilderSend<'u>) {
        let Some(token) = symbol_of(builder.name) else { return };
        let name = self.names.intern(&ast::symbol_text(token));
        let owner = self.header_owner(OwnerKind::Class, name, builder.name);
        let superclass = builder.superclass.and_then(|node| self.builder_reference(node));
        let (superclass, superclass_package) = superclass.unwrap_or((NameId::NONE, NameId::NONE));
        self.classes.push(ClassFact {
            name,
            kind: DeclKind::Builder,
            superclass,
            superclass_package,
            node: builder.name.id(),
            start: token.span().start().into(),
            owner,
            type_params: Box::default(),
            types: Box::default(),
            is_native: false,
            is_sealed: false,
            is_degraded: false,
        });
        for (side, method) in builder.methods {
            let Some(token) = symbol_of(method) else { continue };
            self.defs.push(DefFact {
                selector: self.names.intern(&ast::symbol_text(token)),
                node: method.id(),
                start: token.span().start().into(),
                owner,
                side,
                kind: DefKind::Builder,
                returns: UNKNOWN,
            });
        }
    }
}
