//! Types (language reference, 2.5).

use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{Mark, Parser};
use crate::word::Word as W;

impl Parser<'_> {
    /// `diff { "|" diff }`.
    pub(crate) fn type_(&mut self) {
        if !self.enter() {
            return;
        }
        let mark = self.mark();
        self.type_operand();
        let mut height = self.height;
        let mut is_union = false;
        while self.kind() == T::Pipe {
            self.bump();
            is_union = true;
            self.type_operand();
            height = height.max(self.height);
        }
        if is_union {
            self.finish(N::TypeUnion, mark);
            height += 1;
        }
        self.set_height(height);
        self.leave();
    }

    /// `atom { "\" atom }` or `atom { "&" atom }`.
    fn type_operand(&mut self) {
        let mark = self.mark();
        self.type_atom();
        let mut first = "";
        while self.kind() == T::Op {
            let operator = self.text_at(self.pos);
            let kind = match operator {
                "&" => N::TypeIntersection,
                "\\" | "\\\\" => N::TypeDifference,
                _ => break,
            };
            if self.nl() && self.is_method_at(self.pos) {
                break;
            }
            if operator == "\\\\" {
                self.error("syntax.type_operator", |_| "found `\\\\`, expected `\\`".to_owned());
            } else if !first.is_empty() && first != operator {
                self.error("syntax.type_operator", |_| {
                    "found `&` and `\\` side by side, expected parentheses".to_owned()
                });
            }
            if self.kind() != T::Op {
                break;
            }
            first = operator;
            self.bump();
            let height = self.height;
            self.type_atom();
            self.finish(kind, mark);
            self.set_height(height.max(self.height) + 1);
        }
    }

    /// A type without operators outside parentheses.
    pub(crate) fn type_atom(&mut self) {
        let mark = self.mark();
        match self.kind() {
            T::LParen => {
                self.bump();
                self.type_();
                let height = self.height + 1;
                self.expect(T::RParen, "`)`");
                self.finish(N::TypeParen, mark);
                self.set_height(height);
            }
            T::Symbol | T::QuotedSymbol => self.leaf(N::TypeSymbol),
            T::Ident if self.word() == W::SelfType => {
                self.bump();
                if self.is_class_suffix() {
                    self.bump();
                }
                self.finish(N::TypeSelf, mark);
                self.height = 1;
            }
            T::Ident => self.type_name(mark),
            _ => {
                self.expected("a type");
                self.missing();
            }
        }
    }

    fn is_class_suffix(&self) -> bool {
        !self.nl() && self.word() == W::Class
    }

    fn type_name(&mut self, mark: Mark) {
        self.class_name();
        if self.kind() == T::LParen && !self.nl() {
            self.bump();
            let height = self.type_list();
            self.finish(N::TypeName, mark);
            self.set_height(height + 1);
        } else if self.is_class_suffix() {
            self.bump();
            self.finish(N::TypeMeta, mark);
            self.height = 2;
        } else {
            self.finish(N::TypeName, mark);
            self.height = 2;
        }
    }

    /// Types between commas up to `)`, which is taken; the height of the highest.
    pub(crate) fn type_list(&mut self) -> u32 {
        let mut height = 1;
        while !matches!(self.kind(), T::RParen | T::Keyword) && self.kind() != crate::parser::END {
            self.type_();
            height = height.max(self.height);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::RParen, "`,` or `)`");
        height
    }

    /// `[package @] Name`, an identifier being here.
    pub(crate) fn class_name(&mut self) {
        let mark = self.mark();
        self.bump();
        if self.kind() == T::At {
            self.bump();
            if self.kind() == T::Ident {
                self.bump();
            } else {
                self.expected("a class name after `@`");
            }
        }
        self.finish(N::ClassName, mark);
    }

    /// `::` and a type, if they are here.
    pub(crate) fn annotation(&mut self) {
        if self.eat(T::ColonColon) {
            self.type_();
        }
    }
}
