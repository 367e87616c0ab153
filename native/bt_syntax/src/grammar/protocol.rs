//! Protocols and type aliases (language reference, 2.4).

use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{Parser, END};
use crate::word::Word as W;

impl Parser<'_> {
    /// `Protocol define: Name(T) extending: Other` and its requirements.
    pub(crate) fn protocol(&mut self) {
        let mark = self.mark();
        self.bump();
        self.bump();
        self.declared_name("a protocol name");
        if self.kind() == T::LParen && !self.nl() {
            self.type_params();
        }
        if self.word() == W::Extending {
            let mark = self.mark();
            self.bump();
            if self.kind() == T::Ident {
                self.class_name();
            } else {
                self.expected("the name of a protocol");
            }
            self.finish(N::Extending, mark);
        }
        self.requirements();
        self.finish(N::Protocol, mark);
    }

    fn requirements(&mut self) {
        while !self.is_protocol_end() {
            self.requirement();
            if self.kind() == END || self.nl() {
                continue;
            }
            if self.is_guarded() {
                if !self.is_echo() {
                    self.expected("a new line after the requirement");
                }
                self.skip_line();
            } else if self.kind() == T::FatArrow {
                self.expected("a requirement without a body");
            }
        }
    }

    fn is_protocol_end(&self) -> bool {
        let at = self.pos;
        match self.kind() {
            T::Ident => {
                self.column_at(at) == Some(0)
                    || self.is_declaration_at(at)
                    || self.is_alias_at(at)
                    || matches!(self.word(), W::Protocol | W::Abstract | W::Sealed | W::Typed)
            }
            T::Keyword | T::Op | T::Comma | T::Arrow | T::ShiftRight => {
                self.column_at(at) == Some(0)
            }
            END => true,
            // In a guarded parse a stray token costs its line, not the protocol.
            _ => !self.is_guarded() || self.column_at(at).is_none_or(|column| column == 0),
        }
    }

    fn requirement(&mut self) {
        let mark = self.mark();
        if self.is_class_marker() {
            self.bump();
        }
        match self.kind() {
            T::Ident => self.bump(),
            T::Keyword => {
                self.bump();
                self.param();
                while self.kind() == T::Keyword && !self.nl() {
                    self.bump();
                    self.param();
                }
            }
            T::Op | T::Comma | T::Arrow | T::ShiftRight => {
                self.bump();
                self.param();
            }
            _ => {
                self.expected("a requirement");
                return self.skip_line();
            }
        }
        self.finish(N::Header, mark);
        self.return_type();
        self.finish(N::Requirement, mark);
    }

    /// `class` before a selector on the same line; `class` alone is a selector.
    fn is_class_marker(&self) -> bool {
        let next = self.pos + 1;
        self.word() == W::Class
            && !self.nl_at(next)
            && matches!(self.kind_at(next), T::Ident | T::Keyword | T::Op | T::ShiftRight)
    }

    /// `[internal] type Name = type`.
    pub(crate) fn alias(&mut self) {
        let mark = self.mark();
        if self.word() == W::Internal {
            self.bump();
        }
        self.bump();
        if self.text_at(self.pos).len() == 1 {
            self.error("syntax.alias_name", |parser| {
                let name = parser.describe(parser.pos);
                format!("found {name}, expected a type name of more than one letter")
            });
        }
        self.declared_name("a type name");
        self.eat(T::Op);
        self.type_();
        self.finish(N::Alias, mark);
    }
}
