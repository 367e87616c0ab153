//! `match:` and destructuring.

use super::Lowerer;
use crate::hir::{Arm, ClassTerm, Destructure, Expr, Kind, Match, Pattern, Segment, Size, VarId};
use crate::literal::{self, Integer};
use bt_syntax::ast::{symbol_text, ClassName};
use bt_syntax::{Node, NodeKind, TokenKind};

/// The specifiers of a binary segment, as Erlang names them.
const SPECIFIERS: [&str; 9] =
    ["integer", "float", "binary", "bytes", "utf8", "signed", "unsigned", "big", "little"];

impl<'a> Lowerer<'a, '_> {
    pub(super) fn match_expr(&mut self, node: Node<'a>) -> Kind {
        let children = node.children();
        let Some((subject, arms)) = children.split_first() else { return Kind::Nil };
        let subject = self.expr(*subject);
        let n_returns = self.n_returns;
        let arms = arms.iter().filter_map(|arm| self.arm(*arm)).collect();
        Kind::Match(Box::new(Match { subject, arms, returns: self.n_returns > n_returns }))
    }

    fn arm(&mut self, node: Node<'a>) -> Option<Arm> {
        let children = node.children();
        let (pattern, rest) = children.split_first()?;
        let body = *rest.last()?;
        let guard = rest.first().filter(|child| child.kind() == NodeKind::Guard).copied();
        let line = self.line_of(node);
        Some(self.in_scope(|this| {
            let mut bound = Vec::new();
            let pattern = this.pattern(*pattern, &mut bound);
            let guard = guard.and_then(|guard| this.guard(guard));
            let body = this.in_scope(|this| vec![this.expr(body)]);
            Arm { line, pattern, guard, body }
        }))
    }

    fn guard(&mut self, node: Node<'a>) -> Option<Expr> {
        let inner = node.children().first().copied()?;
        let outer = std::mem::replace(&mut self.in_guard, true);
        let guard = self.expr(inner);
        self.in_guard = outer;
        Some(guard)
    }

    pub(super) fn destructure(&mut self, target: Node<'a>, value: Node<'a>) -> Kind {
        let value = self.expr(value);
        let mut bound = Vec::new();
        let pattern = self.in_scope(|this| this.pattern(target, &mut bound));
        let binds = bound
            .into_iter()
            .map(|(name, from)| {
                self.check_target(&name, target);
                let ((), var, _) = self.assign_name(&name, |_| ());
                (from, var)
            })
            .collect();
        Kind::Destructure(Box::new(Destructure { pattern, value, binds }))
    }

    /// A pattern; `bound` gets the names it binds.
    fn pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        match node.kind() {
            NodeKind::WildcardPattern => Pattern::Wildcard,
            NodeKind::VariablePattern | NodeKind::Variable => self.binding(node, bound),
            NodeKind::LiteralPattern
            | NodeKind::NilLit
            | NodeKind::Integer
            | NodeKind::Float
            | NodeKind::String
            | NodeKind::Character
            | NodeKind::Symbol => Pattern::Literal(self.literal_pattern(node)),
            NodeKind::TypePattern => self.type_pattern(node, bound),
            NodeKind::ConstructorPattern => self.constructor_pattern(node, bound),
            NodeKind::TuplePattern => Pattern::Tuple(self.patterns(&node.children(), bound)),
            NodeKind::ArrayPattern => self.array_pattern(node, bound),
            NodeKind::ListPattern => self.list_pattern(node, bound),
            NodeKind::MapPattern => self.map_pattern(node, bound),
            NodeKind::BinaryPattern => self.binary_pattern(node, bound),
            _ => {
                self.error(node.span(), "compile.syntax", "not a pattern".to_owned());
                Pattern::Wildcard
            }
        }
    }

    fn patterns(&mut self, nodes: &[Node<'a>], bound: &mut Vec<(String, VarId)>) -> Vec<Pattern> {
        nodes.iter().map(|node| self.pattern(*node, bound)).collect()
    }

    fn binding(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let name = node.text();
        match self.bind_name(name, node, bound) {
            Some(var) => Pattern::Var(var),
            None => Pattern::Wildcard,
        }
    }

    fn bind_name(
        &mut self,
        name: &str,
        node: Node<'a>,
        bound: &mut Vec<(String, VarId)>,
    ) -> Option<VarId> {
        if name == "_" {
            return None;
        }
        if bound.iter().any(|(known, _)| known == name) {
            let message = format!("'{name}' is bound twice in one pattern");
            self.error(node.span(), "compile.duplicate_binding", message);
        }
        self.check_local_name(name, node.span());
        let var = self.declare(name, false);
        bound.push((name.to_owned(), var));
        Some(var)
    }

    fn literal_pattern(&mut self, node: Node<'a>) -> Expr {
        if node.kind() != NodeKind::LiteralPattern {
            let kind = if node.kind() == NodeKind::NilLit { Kind::Nil } else { self.literal(node) };
            return self.expr_at(node, kind);
        }
        let tokens = node.own_tokens();
        let negative = tokens.len() > 1;
        let Some(token) = tokens.last().copied() else { return self.expr_at(node, Kind::Nil) };
        let text = token.text();
        let value = match token.kind() {
            TokenKind::Integer => literal::integer(text).map(Kind::Int),
            TokenKind::Float => literal::float(text).map(Kind::Float),
            TokenKind::Char => literal::character(text).map(Kind::Char).ok_or("no character"),
            TokenKind::String => Ok(Kind::Str(literal::string(text, true, true))),
            TokenKind::Symbol | TokenKind::QuotedSymbol => {
                let symbol = symbol_text(token);
                self.check_atom(&symbol, 255, node.span());
                Ok(Kind::Symbol(symbol))
            }
            _ => Ok(match text {
                "true" => Kind::True,
                "false" => Kind::False,
                _ => Kind::Nil,
            }),
        };
        let value = value.map(|value| if negative { negated(value) } else { value });
        let kind =
            value.unwrap_or_else(|why| self.error(node.span(), "compile.literal", why.to_owned()));
        self.expr_at(node, kind)
    }

    /// The class named in a pattern; a singleton's name stands for its class.
    fn class_of_pattern(&mut self, node: Node<'a>) -> ClassTerm {
        let name = node.child(NodeKind::ClassName).and_then(ClassName::cast);
        match name.and_then(|name| self.class_term(name)) {
            Some(Kind::Class(class)) => class,
            Some(Kind::Singleton(identity)) => ClassTerm::Identity(identity),
            _ => ClassTerm::Identity(String::new()),
        }
    }

    fn type_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let name = node.own_tokens().first().map_or("_", |token| token.text());
        let class = self.class_of_pattern(node);
        Pattern::Type(self.bind_name(name, node, bound), class)
    }

    fn constructor_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let class = self.class_of_pattern(node);
        let selector: String = node.own_tokens().iter().map(|token| token.text()).collect();
        self.check_atom(&selector, super::MAX_NAME, node.span());
        let children = node.children();
        let args = children.get(1..).unwrap_or(&[]);
        Pattern::Constructor(class, selector, self.patterns(args, bound))
    }

    fn array_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let mut children = node.children();
        let rest = match children.last() {
            Some(last) if matches!(last.kind(), NodeKind::RestPattern) => children.pop(),
            _ => None,
        };
        let items = self.patterns(&children, bound);
        let rest = rest.map(|rest| {
            let name = rest.own_tokens().get(1).map_or("_", |token| token.text());
            self.bind_name(name, rest, bound)
        });
        Pattern::Array(items, rest)
    }

    fn list_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let mut children = node.children();
        let tail = match children.last() {
            Some(last) if last.kind() == NodeKind::ListTailPattern => {
                children.pop().and_then(|tail| tail.children().first().copied())
            }
            _ => None,
        };
        let items = self.patterns(&children, bound);
        let tail = tail.map(|tail| Box::new(self.pattern(tail, bound)));
        Pattern::List(items, tail)
    }

    fn map_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let mut entries = Vec::new();
        for entry in node.children() {
            if let [key, value] = entry.children()[..] {
                let key = self.expr(key);
                entries.push((key, self.pattern(value, bound)));
            }
        }
        Pattern::Map(entries)
    }

    fn binary_pattern(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Pattern {
        let segments = node.children();
        Pattern::Binary(segments.iter().map(|segment| self.segment(*segment, bound)).collect())
    }

    /// Own tokens: the name (perhaps glued to its colon), `:`, the size, `/` and specifiers with
    /// `-`.
    fn segment(&mut self, node: Node<'a>, bound: &mut Vec<(String, VarId)>) -> Segment {
        let text: String = node.own_tokens().iter().map(|token| token.text()).collect();
        let (head, types) = match text.split_once('/') {
            Some((head, types)) => (head, types),
            None => (text.as_str(), ""),
        };
        let (name, size) = match head.split_once(':') {
            Some((name, size)) => (name, Some(size)),
            None => (head, None),
        };
        let size = size.and_then(|size| self.segment_size(size, node));
        let types = types.split('-').filter(|word| !word.is_empty());
        let types = types.filter_map(|word| self.specifier(word, node)).collect();
        Segment { var: self.bind_name(name, node, bound), size, types }
    }

    fn segment_size(&mut self, size: &str, node: Node<'a>) -> Option<Size> {
        if let Ok(Integer::Small(bits)) = literal::integer(size) {
            let bits = u32::try_from(bits).unwrap_or(u32::MAX);
            return Some(Size::Bits(bits));
        }
        let var = self.use_name(size);
        if var.is_none() {
            let message = format!("undefined variable '{size}'");
            self.error(node.span(), "compile.unknown_variable", message);
        }
        var.map(Size::Var)
    }

    fn specifier(&mut self, word: &str, node: Node<'a>) -> Option<&'static str> {
        if word == "native" {
            return Some("native");
        }
        let known = SPECIFIERS.iter().find(|known| **known == word).copied();
        if known.is_none() {
            let message = format!("'{word}' is no specifier of a binary segment");
            self.error(node.span(), "compile.syntax", message);
        }
        known
    }
}

fn negated(value: Kind) -> Kind {
    match value {
        Kind::Int(Integer::Small(value)) => Kind::Int(Integer::Small(-value)),
        Kind::Int(Integer::Big(negative, bytes)) => Kind::Int(Integer::Big(!negative, bytes)),
        Kind::Float(value) => Kind::Float(-value),
        other => other,
    }
}
