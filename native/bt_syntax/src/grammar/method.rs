//! Methods: headers, bodies and where they end; extensions (language reference, 2.3 and 2.4).

use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{KeywordRule, Mark, Parser, END};
use crate::word::Word as W;

/// The column of members where a header does not start its line.
const DEFAULT_COLUMN: u32 = 2;

/// The place of a body: it decides what ends it.
#[derive(Clone, Copy)]
struct Place {
    in_class: bool,
    column: u32,
}

impl Parser<'_> {
    /// A method whose header the predicate has seen.
    pub(crate) fn method(&mut self, in_class: bool) {
        let mark = self.mark();
        let column = self.column_at(self.pos).unwrap_or(DEFAULT_COLUMN);
        self.header(in_class);
        self.return_type();
        self.expect(T::FatArrow, "`=>`");
        self.body(Place { in_class, column });
        self.finish(N::Method, mark);
    }

    /// `Target [class] >> method`.
    pub(crate) fn extension(&mut self) {
        let mark = self.mark();
        self.class_name();
        if self.word() == W::Class {
            self.bump();
        }
        self.expect(T::ShiftRight, "`>>`");
        self.method(false);
        self.finish(N::Extension, mark);
    }

    fn header(&mut self, in_class: bool) {
        let mark = self.mark();
        for _ in 0..self.n_method_modifiers(self.pos, in_class) {
            self.bump();
        }
        match self.kind() {
            T::Ident => self.bump(),
            T::Keyword => {
                while self.kind() == T::Keyword {
                    self.bump();
                    self.param();
                }
            }
            T::Op | T::Comma | T::Arrow | T::ShiftRight => {
                self.bump();
                self.param();
            }
            _ => {
                self.expected("a selector");
                self.missing();
            }
        }
        self.finish(N::Header, mark);
    }

    /// A parameter's name and type. A legacy `name: Type` is read, with an error.
    pub(crate) fn param(&mut self) {
        let mark = self.mark();
        match self.kind() {
            T::Ident => {
                self.bump();
                if self.kind() == T::Colon {
                    self.legacy_annotation();
                } else if self.kind_at(self.pos + 1) != T::Arrow {
                    self.annotation();
                }
            }
            T::Keyword if self.is_upper_at(self.pos + 1) => self.legacy_annotation(),
            _ => {
                self.expected("a parameter name");
                return self.missing();
            }
        }
        self.finish(N::Param, mark);
    }

    fn legacy_annotation(&mut self) {
        self.error("syntax.legacy_annotation", |parser| {
            format!("found {}, expected `::` before a type", parser.describe(parser.pos))
        });
        if self.kind() != END {
            self.bump();
            self.type_();
        }
    }

    /// `-> type` or `:: -> type`, if it is here.
    pub(crate) fn return_type(&mut self) {
        if self.kind() == T::ColonColon && self.kind_at(self.pos + 1) == T::Arrow {
            self.bump();
        }
        if self.eat(T::Arrow) {
            self.type_();
        }
    }

    fn body(&mut self, place: Place) {
        let mark = self.mark();
        self.rule =
            if place.in_class { KeywordRule::Member(place.column) } else { KeywordRule::Free };
        while !self.is_body_end(self.pos, place) {
            let before = self.pos;
            let ended = self.statement();
            if self.kind() == END {
                break;
            }
            if ended {
                if self.is_member_after(self.pos) {
                    break;
                }
            } else if self.kind() == T::Dot {
                // A dot behind the last statement separates nothing: it is not part of the body.
                if self.is_member_after(self.pos + 1) || self.is_body_end(self.pos + 1, place) {
                    break;
                }
                self.bump();
            } else if self.nl() {
                if self.column_at(self.pos) == Some(0) {
                    break;
                }
            } else if self.is_member_at(self.pos) {
                break;
            } else {
                self.unseparated();
            }
            if self.pos == before && self.kind() != END {
                self.expected("a statement");
                self.skip_line();
            }
        }
        self.finish(N::Body, mark);
    }

    /// Behind a `.` or `!` a member may start in any column.
    fn is_member_after(&self, at: usize) -> bool {
        self.is_method_at(at) || self.is_field_at(at)
    }

    fn is_body_end(&self, at: usize, place: Place) -> bool {
        let kind = self.kind_at(at);
        if kind == END {
            return true;
        }
        let column = self.column_at(at);
        let shallow = !place.in_class || column.is_none_or(|column| column <= place.column);
        if place.in_class && column == Some(0) {
            return true;
        }
        match kind {
            T::Ident => {
                self.is_declaration_at(at)
                    || (shallow && (self.is_alias_at(at) || self.is_method_at(at)))
                    || (shallow && self.is_guarded() && self.is_nameless_header_at(at))
            }
            T::Keyword => {
                self.is_field_at(at)
                    || (shallow && (self.is_method_at(at) || self.is_arrowless_header_at(at)))
            }
            T::Directive => place.in_class && shallow && self.is_expect_at(at),
            _ => shallow && (self.is_method_at(at) || self.is_arrowless_header_at(at)),
        }
    }

    /// In a guarded parse: a keyword or an operator at the start of a line that goes on with
    /// nothing. No statement starts so; a header does.
    fn is_arrowless_header_at(&self, at: usize) -> bool {
        self.is_guarded() && self.nl_at(at) && matches!(self.kind_at(at), T::Keyword | T::Op)
    }

    /// Modifiers and then, where the selector should stand, `=>` or `->`.
    fn is_nameless_header_at(&self, at: usize) -> bool {
        let n_modifiers = self.n_method_modifiers(at, true);
        n_modifiers > 0
            && self.nl_at(at)
            && matches!(self.kind_at(at + n_modifiers), T::FatArrow | T::Arrow)
    }

    /// Something follows a statement on its line. Upstream ends the body and the class there,
    /// without a word when nothing comes after; here it is an error. What can start a statement is
    /// read as one; the rest of the line is skipped otherwise.
    fn unseparated(&mut self) {
        if !self.is_echo() {
            self.expected("`.` or a new line after the statement");
        }
        if !self.starts_expression() {
            self.skip_line();
        }
    }

    /// In a guarded parse: a header without its `=>`, with the body that follows it. `false`, and
    /// nothing taken, when it does not look like one.
    pub(crate) fn broken_method(&mut self, mark: Mark) -> bool {
        let column = self.column_at(self.pos).unwrap_or(DEFAULT_COLUMN);
        let selector = self.pos + self.n_method_modifiers(self.pos, true);
        let is_header = match self.kind_at(selector) {
            T::Keyword | T::Op => {
                matches!(self.kind_at(selector + 1), T::Ident | T::Keyword | T::FatArrow | T::Arrow)
            }
            T::Ident => {
                self.nl_at(selector + 1)
                    || matches!(self.kind_at(selector + 1), T::Arrow | T::ColonColon | T::FatArrow)
                    || self.kind_at(selector + 1) == END
            }
            T::FatArrow => selector > self.pos,
            _ => false,
        };
        if !is_header {
            return false;
        }
        self.header(true);
        self.return_type();
        self.expect(T::FatArrow, "`=>` after the header of a method");
        self.body(Place { in_class: true, column });
        self.finish(N::Method, mark);
        true
    }
}
