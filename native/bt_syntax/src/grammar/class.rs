//! Files, classes and their fields (language reference, 2.1 and 2.2).

use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{KeywordRule, Mark, Parser, END};
use crate::word::Word as W;

impl Parser<'_> {
    /// The whole unit.
    pub(crate) fn file(&mut self) {
        let mark = self.mark();
        loop {
            self.resync();
            if self.kind() == END {
                break;
            }
            let before = self.pos;
            self.item();
            if self.pos == before && self.kind() != END {
                self.expected("a declaration or a statement");
                self.skip_line();
            }
        }
        self.finish(N::File, mark);
    }

    fn item(&mut self) {
        if self.kind() == T::Ident {
            if self.is_alias_at(self.pos) {
                return self.alias();
            }
            if self.is_protocol_at(self.pos) {
                return self.protocol();
            }
            if self.is_class_at(self.pos) {
                return self.class();
            }
            if self.is_extension_at(self.pos) {
                return self.extension();
            }
        }
        if self.eat(T::Dot) {
            return;
        }
        self.rule = KeywordRule::Free;
        self.statement();
        self.eat(T::Dot);
    }

    fn class(&mut self) {
        let mark = self.mark();
        while self.kind_at(self.pos + 1) == T::Ident && self.word().is_class_modifier() {
            self.bump();
        }
        if self.word() == W::Nil && self.kind_at(self.pos + 1) == T::Keyword {
            self.bump();
        } else {
            self.superclass();
        }
        // `subclass:`: the predicate has seen it; only a bad argument list can hide it.
        if self.kind() == T::Keyword {
            self.bump();
        } else {
            self.expected("`subclass:`");
        }
        self.declared_name("a class name");
        if self.kind() == T::LParen && !self.nl() {
            self.type_params();
        }
        self.header_clauses();
        self.members();
        self.finish(N::Class, mark);
    }

    fn superclass(&mut self) {
        let mark = self.mark();
        self.class_name();
        if self.eat(T::LParen) {
            self.type_list();
        }
        self.finish(N::Superclass, mark);
    }

    /// The name that a declaration declares.
    pub(crate) fn declared_name(&mut self, what: &str) {
        if self.kind() == T::Ident {
            self.leaf(N::DeclName);
        } else {
            self.expected(what);
            self.missing();
        }
    }

    /// `( T, E :: Bound )`.
    pub(crate) fn type_params(&mut self) {
        self.bump();
        while self.kind() == T::Ident {
            let mark = self.mark();
            self.bump();
            if self.eat(T::ColonColon) {
                if self.kind() == T::Ident {
                    self.class_name();
                } else {
                    self.expected("the name of a bound");
                }
            }
            self.finish(N::TypeParam, mark);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::RParen, "`,` or `)` after a type parameter");
    }

    fn header_clauses(&mut self) {
        let mark = self.mark();
        if self.word() == W::Native {
            self.bump();
            if self.kind() == T::Ident && !self.nl() {
                self.bump();
            } else {
                self.expected("the name of an Erlang module on the line of `native:`");
            }
            self.finish(N::Native, mark);
        }
        let mark = self.mark();
        if self.word() == W::HandleScope {
            self.bump();
            if !self.eat(T::Symbol) && !self.eat(T::QuotedSymbol) {
                self.expected("a symbol after `handleScope:`");
            }
            self.finish(N::HandleScope, mark);
        }
    }

    fn members(&mut self) {
        loop {
            let at_declaration = self.resync();
            if at_declaration || self.kind() == END || self.is_class_end() {
                break;
            }
            if self.eat(T::Dot) {
                continue;
            }
            let before = self.pos;
            if self.is_expect_at(self.pos) && self.is_member_at(self.pos) {
                self.directive();
            } else if self.is_field_at(self.pos) {
                self.field();
            } else if self.is_method_at(self.pos) {
                self.method(true);
            } else if self.column_at(self.pos) == Some(0) || (self.nl() && !self.is_guarded()) {
                break;
            } else {
                self.broken_member();
            }
            if self.pos == before && self.kind() != END {
                self.skip_line();
            }
        }
    }

    fn is_class_end(&self) -> bool {
        self.is_declaration_at(self.pos) || self.is_alias_at(self.pos)
    }

    /// `state: name :: type = default`.
    fn field(&mut self) {
        let mark = self.mark();
        self.bump();
        self.declared_name("a field name");
        self.annotation();
        let has_default = self.kind() == T::Op
            && self.text_at(self.pos) == "="
            && !(self.nl() && self.is_method_at(self.pos));
        if has_default {
            self.bump();
            self.rule = KeywordRule::Default;
            self.expr(super::expr::ASSIGN);
        }
        self.finish(N::Field, mark);
    }

    /// In a guarded parse: what stands where a member should.
    fn broken_member(&mut self) {
        let mark = self.mark();
        let is_header = matches!(self.kind(), T::Ident | T::Keyword | T::Op);
        if self.nl() && is_header && self.broken_method(mark) {
            return;
        }
        if !self.is_echo() {
            self.expected("a field or a method");
        }
        self.rest_of_member(mark);
    }

    /// Statements up to a line that is no deeper than this one, as one error node: sends in them
    /// can still be seen.
    fn rest_of_member(&mut self, mark: Mark) {
        let column = self.column_at(self.pos).unwrap_or(u32::MAX);
        self.rule = KeywordRule::Free;
        loop {
            let before = self.pos;
            if self.kind() == T::FatArrow {
                self.bump();
            } else {
                self.statement();
                self.eat(T::Dot);
            }
            if self.pos == before && self.kind() != END {
                self.bump();
            }
            let is_deeper = self.column_at(self.pos).is_none_or(|at| at > column);
            if self.kind() == END || !is_deeper {
                break;
            }
        }
        self.finish(N::Error, mark);
    }
}
