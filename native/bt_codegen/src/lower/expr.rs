//! Expressions other than messages.

use super::scope::BoundaryKind;
use super::{Lowerer, Place, MAX_DEPTH};
use crate::api::{ClassKind, QualifiedName, Resolved};
use crate::hir::{Assign, BlockLit, ClassTerm, Expr, Kind, Piece, VarId};
use crate::literal;
use bt_syntax::ast::{symbol_text, Block, ClassName};
use bt_syntax::{Node, NodeKind, TokenKind};

/// Erlang's limit on the length of an atom.
const MAX_ATOM: usize = 255;

impl<'a> Lowerer<'a, '_> {
    /// A statement, or nothing for a directive that only instructs tools.
    pub(super) fn statement(&mut self, node: Node<'a>) -> Option<Expr> {
        if node.kind() == NodeKind::Directive && is_expect(node) {
            return None;
        }
        Some(self.expr(node))
    }

    /// An expression.
    pub(super) fn expr(&mut self, node: Node<'a>) -> Expr {
        if self.depth >= MAX_DEPTH {
            let kind = self.error(node.span(), "compile.too_deep", "nested too deeply".to_owned());
            return self.expr_at(node, kind);
        }
        self.depth += 1;
        let kind = self.kind(node);
        self.depth -= 1;
        self.expr_at(node, kind)
    }

    fn kind(&mut self, node: Node<'a>) -> Kind {
        match node.kind() {
            NodeKind::NilLit => Kind::Nil,
            NodeKind::TrueLit => Kind::True,
            NodeKind::FalseLit => Kind::False,
            NodeKind::Integer
            | NodeKind::Float
            | NodeKind::Character
            | NodeKind::String
            | NodeKind::Symbol => self.literal(node),
            NodeKind::Interpolation => self.interpolation(node),
            NodeKind::Variable | NodeKind::SelfRef => self.variable(node),
            NodeKind::ClassRef => self.class_ref(node),
            NodeKind::FieldAccess => self.field_access(node),
            NodeKind::Block => self.real_block(node, true),
            NodeKind::Paren => node.children().first().map_or(Kind::Nil, |child| self.kind(*child)),
            NodeKind::List => self.list(node),
            NodeKind::Array => Kind::Array(self.exprs(&node.children())),
            NodeKind::Map => self.map(node),
            NodeKind::Assign => self.assign(node),
            NodeKind::TypedAssign => self.typed_assign(node),
            NodeKind::Return => self.return_value(node),
            NodeKind::Match => self.match_expr(node),
            NodeKind::UnarySend | NodeKind::BinarySend | NodeKind::KeywordSend => self.send(node),
            NodeKind::Cascade => self.cascade(node),
            NodeKind::Cast => self.cast(node),
            NodeKind::SuperRef => self.unsupported(node.span(), "super without a message"),
            NodeKind::Directive => self.directive(node),
            _ => self.error(node.span(), "compile.syntax", "not an expression".to_owned()),
        }
    }

    pub(super) fn exprs(&mut self, nodes: &[Node<'a>]) -> Vec<Expr> {
        nodes.iter().map(|node| self.expr(*node)).collect()
    }

    /// A literal of one token.
    pub(super) fn literal(&mut self, node: Node<'a>) -> Kind {
        let Some(token) = node.own_tokens().last().copied() else { return Kind::Nil };
        let text = token.text();
        let value = match node.kind() {
            NodeKind::Integer => literal::integer(text).map(Kind::Int),
            NodeKind::Float => literal::float(text).map(Kind::Float),
            NodeKind::Character => {
                literal::character(text).map(Kind::Char).ok_or("a character is missing")
            }
            NodeKind::String => Ok(Kind::Str(literal::string(text, true, true))),
            _ => {
                let symbol = symbol_text(token);
                self.check_atom(&symbol, MAX_ATOM, node.span());
                Ok(Kind::Symbol(symbol))
            }
        };
        value.unwrap_or_else(|why| self.error(node.span(), "compile.literal", why.to_owned()))
    }

    fn interpolation(&mut self, node: Node<'a>) -> Kind {
        let mut pieces = Vec::new();
        let mut children = node.children().into_iter();
        for token in node.own_tokens() {
            let (opens, closes) = match token.kind() {
                TokenKind::StringStart => (true, false),
                TokenKind::StringPart => (false, false),
                TokenKind::StringEnd => (false, true),
                TokenKind::InterpOpen => {
                    if let Some(child) = children.next() {
                        let value = self.expr(child);
                        pieces.push(Piece::Value(value));
                    }
                    continue;
                }
                _ => continue,
            };
            let text = literal::string(token.text(), opens, closes);
            if !text.is_empty() {
                pieces.push(Piece::Text(text));
            }
        }
        Kind::Interpolation(pieces)
    }

    fn variable(&mut self, node: Node<'a>) -> Kind {
        let name = node.text();
        if let Some(var) = self.use_name(name) {
            return Kind::Var(var);
        }
        if node.kind() == NodeKind::SelfRef {
            return self.receiver(node.span());
        }
        if self.visible_fields().iter().any(|field| field == name) {
            return self.read_field(name, node);
        }
        if let Some(var) = self.use_pending(name) {
            return Kind::Var(var);
        }
        let message = format!("undefined variable '{name}'");
        let hint = "Assign it first, or check the spelling.";
        self.error_with_hint(node.span(), "compile.unknown_variable", message, hint)
    }

    /// The value of a field of the receiver.
    fn read_field(&mut self, name: &str, node: Node<'a>) -> Kind {
        match self.place {
            Place::Instance(ClassKind::Actor) | Place::Class => {
                self.use_state();
                Kind::StateField(name.to_owned())
            }
            _ => {
                self.receiver(node.span());
                Kind::MapField(name.to_owned())
            }
        }
    }

    fn field_access(&mut self, node: Node<'a>) -> Kind {
        let Some(base) = node.children().first().copied() else { return Kind::Nil };
        let Some(token) = node.own_tokens().last().copied() else { return Kind::Nil };
        let name = token.text();
        if base.kind() == NodeKind::SuperRef {
            return self.unsupported(node.span(), "a field of super");
        }
        if base.kind() == NodeKind::SelfRef && self.use_name("self").is_none() {
            return match self.own_field(name, node) {
                true => self.read_field(name, node),
                false => Kind::Nil,
            };
        }
        self.check_atom(name, MAX_ATOM, node.span());
        let base = self.expr(base);
        Kind::FieldOf(Box::new(base), name.to_owned())
    }

    /// Whether the receiver declares the field; notes an error when it does not.
    fn own_field(&mut self, name: &str, node: Node<'a>) -> bool {
        if matches!(self.place, Place::Default | Place::Prompt) {
            self.receiver(node.span());
            return false;
        }
        if self.visible_fields().iter().any(|field| field == name) {
            return true;
        }
        let side = if self.place == Place::Class { "class " } else { "" };
        let message = format!("undeclared {side}field '{name}'");
        let hint = if self.place == Place::Class {
            "Class methods see the fields declared with classState:."
        } else {
            "Declare it in the class with field: or state:."
        };
        self.error_with_hint(node.span(), "compile.unknown_field", message, hint);
        false
    }

    /// What a class name stands for; `None` with an error noted at the prompt.
    pub(super) fn class_term(&mut self, name: ClassName<'a>) -> Option<Kind> {
        let token = name.name()?;
        let package = name.package().map(|package| package.text().to_owned());
        let qualified = QualifiedName { package, name: token.text().to_owned() };
        Some(match self.env.names.get(&qualified) {
            Some(Resolved::Class(identity)) => Kind::Class(ClassTerm::Identity(identity.clone())),
            Some(Resolved::Singleton(identity)) => Kind::Singleton(identity.clone()),
            None if self.place == Place::Prompt => {
                let message = format!("Class '{}' not found", qualified.name);
                self.error(name.node().span(), "compile.class_not_found", message)
            }
            None => {
                self.findings.late.insert(qualified.clone());
                Kind::Class(ClassTerm::Late(qualified))
            }
        })
    }

    fn class_ref(&mut self, node: Node<'a>) -> Kind {
        let Some(name) = ClassName::cast(node) else { return Kind::Nil };
        if let Some(var) = self.bound_name(name) {
            return Kind::Var(var);
        }
        self.class_term(name).unwrap_or(Kind::Nil)
    }

    /// What a name that no class bears stands for at the prompt, if the workspace has bound it.
    fn bound_name(&mut self, name: ClassName<'a>) -> Option<VarId> {
        let token = name.name()?;
        let qualified = QualifiedName { package: None, name: token.text().to_owned() };
        let is_free = self.place == Place::Prompt
            && name.package().is_none()
            && self.env.names.get(&qualified).is_none();
        if is_free {
            self.use_name(token.text())
        } else {
            None
        }
    }

    fn list(&mut self, node: Node<'a>) -> Kind {
        let mut children = node.children();
        let tail = match children.last() {
            Some(last) if last.kind() == NodeKind::ListTail => {
                children.pop().and_then(|tail| tail.children().first().copied())
            }
            _ => None,
        };
        let items = self.exprs(&children);
        let tail = tail.map(|tail| Box::new(self.expr(tail)));
        Kind::List(items, tail)
    }

    fn map(&mut self, node: Node<'a>) -> Kind {
        let mut entries = Vec::new();
        for entry in node.children() {
            let [key, value] = entry.children()[..] else { continue };
            let key_expr = self.expr(key);
            if matches!(&key_expr.kind, Kind::Symbol(text) if text == "$class") {
                self.unsupported(key.span(), "the key #'$class' in a dictionary");
            }
            let value = self.expr(value);
            entries.push((key_expr, value));
        }
        Kind::Map(entries)
    }

    fn return_value(&mut self, node: Node<'a>) -> Kind {
        self.n_returns += 1;
        let value = node.children().first().copied().map(|child| self.expr(child));
        if self.in_real_block() {
            self.use_home();
        }
        Kind::Return(Box::new(value.unwrap_or_else(|| self.expr_at(node, Kind::Nil))))
    }

    fn assign(&mut self, node: Node<'a>) -> Kind {
        let [target, value] = node.children()[..] else { return Kind::Nil };
        match target.kind() {
            NodeKind::Variable => self.assign_local(target, value),
            NodeKind::FieldAccess => self.assign_field(target, value),
            NodeKind::SelfRef
            | NodeKind::SuperRef
            | NodeKind::NilLit
            | NodeKind::TrueLit
            | NodeKind::FalseLit => {
                let message = format!("'{}' cannot be assigned", target.text());
                self.error(target.span(), "compile.assign_pseudo", message)
            }
            NodeKind::ClassRef => {
                let message = format!("'{}' names a class and cannot be assigned", target.text());
                self.error(target.span(), "compile.assign_class", message)
            }
            _ => self.destructure(target, value),
        }
    }

    fn typed_assign(&mut self, node: Node<'a>) -> Kind {
        let children = node.children();
        match (children.first(), children.last()) {
            (Some(target), Some(value)) if children.len() > 1 => self.assign_local(*target, *value),
            _ => Kind::Nil,
        }
    }

    fn assign_local(&mut self, target: Node<'a>, value: Node<'a>) -> Kind {
        let name = target.text();
        self.check_target(name, target);
        let (value, var, early) = self.assign_name(name, |this| this.expr(value));
        Kind::Assign(Box::new(Assign { var, value, early }))
    }

    fn assign_field(&mut self, target: Node<'a>, value: Node<'a>) -> Kind {
        let own = target.children().first().is_some_and(|base| base.kind() == NodeKind::SelfRef)
            && self.use_name("self").is_none();
        let name = target.own_tokens().last().map_or("", |token| token.text());
        if !own {
            return self
                .unsupported(target.span(), "assigning a field of another object than self");
        }
        let value = self.expr(value);
        if !self.own_field(name, target) {
            return Kind::Nil;
        }
        match self.place {
            Place::Instance(ClassKind::Actor) | Place::Class => {
                self.use_state();
                Kind::SetState(name.to_owned(), Box::new(value))
            }
            _ => {
                let message = format!("field '{name}' of a value cannot be changed");
                let hint = format!("Make a changed copy: self with{}: …", capitalized(name));
                self.error_with_hint(target.span(), "compile.immutable_field", message, &hint)
            }
        }
    }

    /// A block that becomes an object of its own.
    pub(super) fn real_block(&mut self, node: Node<'a>, kept: bool) -> Kind {
        let Some(block) = Block::cast(node) else { return Kind::Nil };
        let index = self.n_blocks;
        self.n_blocks += 1;
        let ((params, body), uses, _) = self.in_boundary(BoundaryKind::Block { kept }, |this| {
            let params = this.block_params(block);
            (params, this.statements(&block.statements()))
        });
        self.clock += 1;
        Kind::Block(Box::new(BlockLit { params, body, uses, index }))
    }

    pub(super) fn block_params(&mut self, block: Block<'a>) -> Vec<usize> {
        let params = block.params();
        params.iter().map(|param| self.param(param.name.text(), param.name.span())).collect()
    }

    fn directive(&mut self, node: Node<'a>) -> Kind {
        let text = node.own_tokens().first().map_or("", |token| token.text());
        match text {
            "@primitive" => self.unsupported(node.span(), "@primitive within an expression"),
            "@intrinsic" => self.unsupported(node.span(), "@intrinsic"),
            _ => Kind::Nil,
        }
    }
}

/// Whether a directive is `@expect`, which has no effect on code.
pub(super) fn is_expect(node: Node<'_>) -> bool {
    node.own_tokens().first().is_some_and(|token| token.text() == "@expect")
}

/// The name with its first letter in upper case, as copy-setters have it.
pub(crate) fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}
