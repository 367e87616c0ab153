//! Messages: sends, cascades, casts, calls of Erlang.

use super::expr::is_expect;
use super::{Lowerer, Place, MAX_ARGS, MAX_NAME};
use crate::api::ClassKind;
use crate::hir::{Assign, Expr, Kind, Operator, VarId};
use bt_syntax::ast::{arguments_of, receiver_of, ClassName};
use bt_syntax::{Node, NodeKind, Selector};

/// Unary messages that `Erlang` answers itself; any other names a module (language reference, 3.5).
const ERLANG_SELECTORS: [&str; 10] = [
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

/// Selectors of the library whose blocks have run, if at all, when the message is answered. Cells
/// that
/// only such blocks have are freed when the method ends; should a class keep such a block all the
/// same,
/// using it later raises `block_context_lost`.
const TRANSIENT: [&str; 22] = [
    "do:",
    "do:separatedBy:",
    "doWithIndex:",
    "eachWithIndex:",
    "reverseDo:",
    "keysDo:",
    "valuesDo:",
    "keysAndValuesDo:",
    "inject:into:",
    "detect:",
    "detect:ifNone:",
    "anySatisfy:",
    "allSatisfy:",
    "at:ifAbsent:",
    "timesRepeat:",
    "to:do:",
    "to:by:do:",
    "on:do:",
    "ensure:",
    "ifCurtailed:",
    "ifTrue:",
    "ifFalse:",
];

/// Who gets a message.
pub(super) enum Receiver<'a> {
    /// An expression of the unit, not lowered yet.
    Node(Node<'a>),
    /// The value of a cascade's receiver.
    Var(VarId),
    Super,
    /// A module behind `Erlang`.
    Module(String),
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn send(&mut self, node: Node<'a>) -> Kind {
        let Some(receiver) = receiver_of(node) else { return Kind::Nil };
        if let Some(module) = erlang_module(node) {
            return Kind::ErlangModule(module.to_owned());
        }
        self.message(self.receiver_kind(receiver), node, &arguments_of(node))
    }

    fn receiver_kind(&self, node: Node<'a>) -> Receiver<'a> {
        if node.kind() == NodeKind::SuperRef {
            return Receiver::Super;
        }
        match erlang_module(peel(node)) {
            Some(module) => Receiver::Module(module.to_owned()),
            None => Receiver::Node(node),
        }
    }

    /// A message; `node` is the send or cascade part that holds the selector.
    fn message(&mut self, receiver: Receiver<'a>, node: Node<'a>, args: &[Node<'a>]) -> Kind {
        let Some(selector) = Selector::of_send(node) else { return Kind::Nil };
        let selector = selector.name();
        self.check_selector(&selector, args.len(), node);
        self.line = self.line_of(node);
        match receiver {
            Receiver::Super => {
                self.receiver(node.span());
                let args = self.exprs(args);
                self.super_send(node, Kind::Super(selector, args))
            }
            Receiver::Module(module) if operator(&selector).is_none() => {
                self.check_atom(&module, MAX_NAME, node.span());
                let function = selector.split(':').next().unwrap_or("").to_owned();
                Kind::Ffi(module, function, self.exprs(args))
            }
            receiver => self.ordinary(receiver, selector, args),
        }
    }

    /// A super send of a block first makes sure that it runs in the receiver's process, where the
    /// receiver has one.
    fn super_send(&mut self, node: Node<'a>, send: Kind) -> Kind {
        let has_state = match self.place {
            Place::Instance(kind) => kind == ClassKind::Actor,
            _ => !self.env.class_fields.is_empty(),
        };
        if !has_state || !self.in_real_block() {
            return send;
        }
        let check = self.expr_at(node, Kind::OwnState);
        Kind::Seq(vec![check, self.expr_at(node, send)])
    }

    fn ordinary(&mut self, receiver: Receiver<'a>, selector: String, args: &[Node<'a>]) -> Kind {
        if let Some(kind) = self.control(&receiver, &selector, args) {
            return kind;
        }
        let transient = TRANSIENT.contains(&selector.as_str());
        let receiver = Box::new(self.receiver_value(receiver, transient));
        match (operator(&selector), args) {
            (Some(operator), [arg]) => Kind::Binary(operator, receiver, Box::new(self.expr(*arg))),
            _ => {
                let args = args.iter().map(|arg| self.argument(*arg, transient)).collect();
                Kind::Send(receiver, selector, args)
            }
        }
    }

    /// The value of a receiver that is known not to be `super`.
    pub(super) fn receiver_value(&mut self, receiver: Receiver<'a>, transient: bool) -> Expr {
        match receiver {
            Receiver::Node(node) => self.argument(node, transient),
            Receiver::Var(var) => {
                self.touch(var);
                Expr { line: self.line, kind: Kind::Var(var) }
            }
            Receiver::Module(module) => Expr { line: self.line, kind: Kind::ErlangModule(module) },
            Receiver::Super => Expr { line: self.line, kind: Kind::Nil },
        }
    }

    fn argument(&mut self, node: Node<'a>, transient: bool) -> Expr {
        if node.kind() == NodeKind::Block {
            let kind = self.real_block(node, !transient);
            return self.expr_at(node, kind);
        }
        self.expr(node)
    }

    fn check_selector(&mut self, selector: &str, n_args: usize, node: Node<'a>) {
        self.check_atom(selector, MAX_NAME, node.span());
        if n_args > MAX_ARGS {
            self.unsupported(node.span(), "a message with more than 250 arguments");
        }
    }

    pub(super) fn cascade(&mut self, node: Node<'a>) -> Kind {
        let children = node.children();
        let Some((head, parts)) = children.split_first() else { return Kind::Nil };
        let base = receiver_of(*head);
        let mut stmts = Vec::new();
        let shared = match self.receiver_kind(base.unwrap_or(*head)) {
            Receiver::Node(receiver) => {
                let var = self.hidden_var();
                let value = self.expr(receiver);
                let assign = Assign { var, value, early: false };
                stmts.push(self.expr_at(receiver, Kind::Assign(Box::new(assign))));
                Receiver::Var(var)
            }
            other => other,
        };
        if base.is_some() && erlang_module(*head).is_none() {
            let kind = self.message(shared.again(), *head, &arguments_of(*head));
            stmts.push(self.expr_at(*head, kind));
        }
        for part in parts {
            let kind = self.message(shared.again(), *part, &arguments_of(*part));
            stmts.push(self.expr_at(*part, kind));
        }
        Kind::Seq(stmts)
    }

    pub(super) fn cast(&mut self, node: Node<'a>) -> Kind {
        let Some(send) = node.children().first().copied() else { return Kind::Nil };
        let receiver = receiver_of(send).map(|receiver| self.receiver_kind(receiver));
        let (Some(Receiver::Node(receiver)), Some(selector)) = (receiver, Selector::of_send(send))
        else {
            return self.unsupported(node.span(), "! on a message to super or to Erlang");
        };
        let args = arguments_of(send);
        let selector = selector.name();
        self.check_selector(&selector, args.len(), node);
        let receiver = Box::new(self.expr(receiver));
        Kind::Cast(receiver, selector, self.exprs(&args))
    }

    /// The statements of a method without those that only instruct tools.
    pub(crate) fn significant(nodes: Vec<Node<'a>>) -> Vec<Node<'a>> {
        let is_code = |node: &Node<'a>| node.kind() != NodeKind::Directive || !is_expect(*node);
        nodes.into_iter().filter(is_code).collect()
    }
}

impl<'a> Receiver<'a> {
    /// The same receiver for another part of a cascade.
    fn again(&self) -> Self {
        match self {
            Self::Node(node) => Self::Node(*node),
            Self::Var(var) => Self::Var(*var),
            Self::Super => Self::Super,
            Self::Module(module) => Self::Module(module.clone()),
        }
    }
}

/// The expression within parentheses.
fn peel(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while node.kind() == NodeKind::Paren {
        match node.children().first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// The module that `Erlang m` names.
fn erlang_module(node: Node<'_>) -> Option<&str> {
    if node.kind() != NodeKind::UnarySend {
        return None;
    }
    let receiver = receiver_of(node).and_then(ClassName::cast)?;
    if receiver.package().is_some() || receiver.name()?.text() != "Erlang" {
        return None;
    }
    let module = node.own_tokens().first()?.text();
    (!ERLANG_SELECTORS.contains(&module)).then_some(module)
}

fn operator(selector: &str) -> Option<Operator> {
    Some(match selector {
        "==" => Operator::Equality("=="),
        "/=" => Operator::Equality("/="),
        "=:=" => Operator::Equality("=:="),
        "=/=" => Operator::Equality("=/="),
        "+" => Operator::Number("+", "+"),
        "-" => Operator::Number("-", "-"),
        "*" => Operator::Number("*", "*"),
        "<" => Operator::Number("<", "<"),
        ">" => Operator::Number(">", ">"),
        "<=" => Operator::Number("<=", "=<"),
        ">=" => Operator::Number(">=", ">="),
        _ => return None,
    })
}
