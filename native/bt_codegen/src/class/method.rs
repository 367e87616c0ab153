//! One method: what kind of body it has, and its function.

use super::definitions::Definition;
use super::{function_name, Builder, Member};
use crate::api::ClassKind;
use crate::forms;
use crate::gen::FnGen;
use crate::hir::{Body, Expr, Kind};
use crate::lower::{Lowerer, Place};
use bt_syntax::ast::receiver_of;
use bt_syntax::{Node, NodeKind, Side, TokenKind};

impl<'a> Builder<'a> {
    pub(super) fn method(&mut self, definition: &Definition<'a>) {
        let nodes = definition.method.body().map(Node::children).unwrap_or_default();
        let nodes = Lowerer::significant(nodes);
        if nodes.is_empty() {
            let message = format!("method '{}' has no body", definition.selector);
            return self.error(definition, "compile.empty_body", message);
        }
        let Some(body) = self.lowered(definition, &nodes) else { return };
        let n_params = body.params.len();
        let ids = self.take_ids(definition.side, &definition.selector, body.n_blocks);
        let label = function_name(definition.side, &definition.selector);
        let target = self.target();
        let gen = FnGen::new(target, definition.side, &label, &body, &ids, &mut self.emitted);
        let (params, code) = gen.method(&body);
        let clause = forms::clause(body.line, params, Vec::new(), code);
        self.functions.push(forms::function(body.line, &label, n_params + 1, vec![clause]));
        self.members.push(Member {
            side: definition.side,
            selector: definition.selector.clone(),
            n_params,
            in_server: definition.side == Side::Class && self.input.class_state,
        });
    }

    fn lowered(&mut self, definition: &Definition<'a>, nodes: &[Node<'a>]) -> Option<Body> {
        let line = definition.source.line(u32::from(definition.span().start()));
        let special = self.special(definition, nodes)?;
        let place = match definition.side {
            Side::Instance => Place::Instance(self.input.kind),
            Side::Class => Place::Class,
        };
        let (env, source) = (&self.env, definition.source);
        let mut lowerer = Lowerer::new(env, source, place, &mut self.findings);
        let header = definition.method.header()?;
        let params = header.params();
        let params: Vec<_> =
            params.iter().map(|p| lowerer.param(p.name.text(), p.name.span())).collect();
        let stmts = match special {
            Special::Delegate(module) => vec![delegate(line, module, definition, &params)],
            Special::Server(module) => vec![ask_server(line, module, definition, &params)],
            Special::Primitive(module, function) => {
                vec![Expr { line, kind: Kind::Primitive(module, function) }]
            }
            Special::None => lowerer.statements(nodes),
        };
        Some(lowerer.finish(line, params, stmts))
    }

    /// What a body stands for that is not code; `None` with an error noted when it cannot be
    /// compiled.
    fn special(&mut self, definition: &Definition<'a>, nodes: &[Node<'a>]) -> Option<Special> {
        let [only] = nodes else { return Some(Special::None) };
        if only.kind() == NodeKind::Directive {
            return self.directive(definition, *only);
        }
        if let (true, Some(module)) = (is_delegate(*only), self.class.native_module()) {
            if self.input.kind == ClassKind::Actor && definition.side == Side::Instance {
                return Some(Special::Server(module.text().to_owned()));
            }
            return Some(Special::Delegate(module.text().to_owned()));
        }
        Some(Special::None)
    }

    fn directive(&mut self, definition: &Definition<'a>, node: Node<'a>) -> Option<Special> {
        let tokens = node.own_tokens();
        let word = tokens.first().map_or("", |token| token.text());
        if word != "@primitive" {
            let message = format!("{word} is not supported");
            self.error(definition, "compile.unsupported", message);
            return None;
        }
        if !self.input.stdlib {
            let message = "@primitive is reserved for the standard library".to_owned();
            self.error(definition, "compile.primitive", message);
            return None;
        }
        let named = tokens.get(1).filter(|token| token.kind() == TokenKind::String);
        let text = named.map_or("", |token| token.text().trim_matches('"'));
        let Some((module, function)) = text.split_once(':') else {
            let message = "@primitive needs \"module:function\"".to_owned();
            self.error(definition, "compile.primitive", message);
            return None;
        };
        Some(Special::Primitive(module.to_owned(), function.to_owned()))
    }
}

enum Special {
    None,
    /// `self delegate` in a class with a native module.
    Delegate(String),
    /// The same in an actor class: a message to the server that the module implements.
    Server(String),
    Primitive(String, String),
}

fn is_delegate(node: Node<'_>) -> bool {
    node.kind() == NodeKind::UnarySend
        && receiver_of(node).is_some_and(|receiver| receiver.kind() == NodeKind::SelfRef)
        && node.own_tokens().first().is_some_and(|token| token.text() == "delegate")
}

/// The call of the native module: only the first keyword names the function.
fn delegate(line: u32, module: String, definition: &Definition<'_>, params: &[usize]) -> Expr {
    let function = definition.selector.split(':').next().unwrap_or("").to_owned();
    let args = params.iter().map(|var| Expr { line, kind: Kind::Var(*var) }).collect();
    Expr { line, kind: Kind::Ffi(module, function, args) }
}

/// The message to the actor's native server, by its whole selector.
fn ask_server(line: u32, module: String, definition: &Definition<'_>, params: &[usize]) -> Expr {
    let expr = |kind| Expr { line, kind };
    let args = params.iter().map(|var| expr(Kind::Var(*var))).collect();
    let args = vec![
        expr(Kind::Symbol(module)),
        expr(Kind::Symbol(definition.selector.clone())),
        expr(Kind::List(args, None)),
    ];
    expr(Kind::Ffi("bte_native".to_owned(), "call".to_owned(), args))
}
