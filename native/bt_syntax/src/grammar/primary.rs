//! Literals, names, blocks and everything else that a message can be sent to.

use super::expr::{ASSIGN, BINARY, KEYWORD, UNARY};
use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{Mark, Parser, END};
use crate::word::Word as W;

const PAREN: usize = 0;
const BRACKET: usize = 1;
const BRACE: usize = 2;

impl Parser<'_> {
    /// The receiver of the first message; one token at least unless something is missing.
    pub(crate) fn primary(&mut self, mark: Mark) {
        match self.kind() {
            T::Ident => self.name(mark),
            T::Integer => self.number(N::Integer),
            T::Float => self.number(N::Float),
            T::Char => self.leaf(N::Character),
            T::String => self.leaf(N::String),
            T::Symbol | T::QuotedSymbol => self.leaf(N::Symbol),
            T::StringStart | T::InterpOpen => self.interpolation(mark),
            T::LParen => self.paren(mark),
            T::LBracket => self.block(mark),
            T::HashParen => self.elements(mark, N::List, PAREN, T::RParen),
            T::HashBracket => self.elements(mark, N::Array, BRACKET, T::RBracket),
            T::HashBrace => self.elements(mark, N::Map, BRACE, T::RBrace),
            T::Directive if !self.is_expect_at(self.pos) => self.directive(),
            _ => self.no_primary(),
        }
    }

    fn name(&mut self, mark: Mark) {
        let mut kind = match self.word() {
            W::SelfRef => N::SelfRef,
            W::Super => N::SuperRef,
            W::Nil => N::NilLit,
            W::True => N::TrueLit,
            W::False => N::FalseLit,
            W::Upper | W::Protocol | W::SelfType => N::ClassRef,
            _ => N::Variable,
        };
        self.bump();
        if self.kind() == T::At {
            self.bump();
            kind = N::ClassRef;
            if self.is_upper_at(self.pos) {
                self.bump();
            } else {
                self.expected("a class name after `@`");
            }
        }
        self.finish(kind, mark);
        self.height = 1;
        while self.kind() == T::Dot
            && self.kind_at(self.pos + 1) == T::Ident
            && self.glued_at(self.pos + 1)
        {
            self.bump();
            self.bump();
            self.finish(N::FieldAccess, mark);
            self.set_height(self.height + 1);
        }
    }

    fn number(&mut self, kind: N) {
        let text = self.text_at(self.pos);
        if !is_number(text) {
            self.error("syntax.bad_number", |parser| {
                let found = parser.describe(parser.pos);
                format!("found {found}, expected a number in range")
            });
        }
        if self.kind() != END {
            self.leaf(kind);
        }
    }

    /// Nothing that a message can be sent to stands here. A token that closes or separates
    /// something around stays where it is; any other becomes an error node, and messages to it are
    /// read.
    fn no_primary(&mut self) {
        self.expected("an expression");
        let [parens, brackets, braces] = self.open;
        let stays = match self.kind() {
            T::RParen => parens > 0,
            T::RBracket => brackets > 0,
            T::RBrace | T::FatArrow => braces > 0,
            T::InterpClose | T::StringPart | T::StringEnd | END => true,
            T::Dot | T::Semicolon | T::Bang | T::Comma | T::Pipe | T::Directive => true,
            _ => self.nl() && self.is_member_at(self.pos),
        };
        if stays {
            self.missing();
        } else {
            self.leaf(N::Error);
        }
    }

    /// `"text {expr} text"`.
    fn interpolation(&mut self, mark: Mark) {
        let outer = self.open;
        self.open = [0; 3];
        let mut height = 0;
        loop {
            match self.kind() {
                T::StringStart | T::StringPart => self.bump(),
                T::StringEnd => {
                    self.bump();
                    break;
                }
                T::InterpOpen => {
                    self.bump();
                    self.interpolated();
                    height = height.max(self.height);
                }
                _ => break,
            }
        }
        self.open = outer;
        self.finish(N::Interpolation, mark);
        self.set_height(height + 1);
    }

    /// The expression of an interpolation and its `}`.
    fn interpolated(&mut self) {
        if self.kind() == T::InterpClose {
            self.error("syntax.empty_interpolation", |_| {
                "expected an expression between `{` and `}`, found nothing".to_owned()
            });
            self.missing();
        } else {
            self.expr(KEYWORD);
        }
        if self.kind() == T::InterpClose {
            return self.bump();
        }
        self.expected("`}` after the expression of an interpolation");
        let mut place = self.pos;
        let mut depth = 0_usize;
        loop {
            match self.kind_at(place) {
                END => break,
                T::InterpOpen => depth += 1,
                T::InterpClose if depth == 0 => break,
                T::InterpClose => depth -= 1,
                _ => {}
            }
            place += 1;
        }
        self.skip_to(place);
        self.eat(T::InterpClose);
    }

    fn paren(&mut self, mark: Mark) {
        self.bump();
        self.opened(PAREN);
        self.expr(ASSIGN);
        if self.kind() != T::RParen {
            self.expected("`)`");
            self.skip_elements(true);
        }
        let height = self.height + 1;
        self.close(PAREN, T::RParen);
        self.finish(N::Paren, mark);
        self.set_height(height);
    }

    fn opened(&mut self, bracket: usize) {
        if let Some(n_open) = self.open.get_mut(bracket) {
            *n_open += 1;
        }
    }

    fn close(&mut self, bracket: usize, kind: T) {
        if let Some(n_open) = self.open.get_mut(bracket) {
            *n_open = n_open.saturating_sub(1);
        }
        self.eat(kind);
    }

    fn block(&mut self, mark: Mark) {
        self.bump();
        self.opened(BRACKET);
        let mut height = self.block_params();
        loop {
            match self.kind() {
                T::RBracket | END => break,
                T::Dot => self.bump(),
                _ => {
                    self.block_statement();
                    height = height.max(self.height);
                }
            }
        }
        if self.kind() != T::RBracket {
            self.unclosed(mark.sig, "`]`");
        }
        self.close(BRACKET, T::RBracket);
        self.finish(N::Block, mark);
        self.set_height(height + 1);
    }

    /// `:a :b :: T |`; the height of the highest type.
    fn block_params(&mut self) -> u32 {
        let mut height = 0;
        let mut has_params = false;
        while self.kind() == T::Colon {
            let mark = self.mark();
            has_params = true;
            self.bump();
            if !self.eat(T::Ident) {
                self.expected("a parameter name after `:`");
            }
            if self.eat(T::ColonColon) {
                self.type_atom();
                height = height.max(self.height + 1);
            }
            self.finish(N::BlockParam, mark);
        }
        if has_params && !self.eat(T::Pipe) {
            self.expected("`|` after the parameters of a block");
        }
        height
    }

    fn block_statement(&mut self) {
        let before = self.pos;
        let ended = self.statement();
        let separated = ended || self.nl() || matches!(self.kind(), T::Dot | T::RBracket | END);
        if !separated {
            if !self.is_echo() {
                self.expected("`.`, a new line or `]` after the statement");
            }
            if !self.starts_expression() && self.kind() != END {
                self.skip_in_block();
            }
        }
        if self.pos == before && self.kind() != END {
            self.leaf(N::Error);
        }
    }

    /// Skips up to the end of the line, or what ends the statement or the block before.
    fn skip_in_block(&mut self) {
        let mut place = self.pos;
        let mut depth = 0_usize;
        loop {
            let kind = self.kind_at(place);
            match kind {
                END => break,
                _ if depth == 0 && place > self.pos && self.nl_at(place) => break,
                T::Dot | T::RBracket if depth == 0 => break,
                T::LBracket | T::HashBracket => depth += 1,
                T::RBracket => depth -= 1,
                T::InterpClose if self.open == [0; 3] => break,
                _ => {}
            }
            place += 1;
        }
        self.skip_to(place);
    }

    /// Reports that the bracket at a place is never closed.
    fn unclosed(&mut self, opened: usize, what: &str) {
        self.error("syntax.unclosed", |parser| {
            let found = parser.describe(parser.pos);
            format!("expected {what} to close {}, found {found}", parser.describe(opened))
        });
    }

    /// A list, array or map.
    fn elements(&mut self, mark: Mark, kind: N, bracket: usize, close: T) {
        self.bump();
        self.opened(bracket);
        let mut height = 0;
        let mut has_rest = false;
        while self.kind() != close && self.kind() != END {
            let before = self.pos;
            has_rest |= self.element(kind);
            height = height.max(self.height);
            if self.kind() == close || self.eat(T::Comma) {
                continue;
            }
            let what = if close == T::RParen {
                "`,` or `)`"
            } else if close == T::RBracket {
                "`,` or `]`"
            } else {
                "`,` or `}`"
            };
            if !self.is_echo() {
                self.expected(what);
            }
            self.skip_elements(false);
            if self.kind() != close && self.kind() != T::Comma {
                break;
            }
            if !self.eat(T::Comma) && self.pos == before {
                break;
            }
        }
        if self.kind() != close {
            self.unclosed(mark.sig, "a bracket");
        }
        self.close(bracket, close);
        if has_rest && self.kind() != T::Assign {
            self.expected("`:=` after a pattern with `...`");
        }
        self.finish(kind, mark);
        self.set_height(height + 1);
    }

    /// One element; `true` when it is `...rest`.
    fn element(&mut self, kind: N) -> bool {
        let mark = self.mark();
        match (kind, self.kind()) {
            (N::Array, T::Ellipsis) => {
                self.rest_pattern();
                return true;
            }
            (N::List, T::Pipe) => {
                self.bump();
                self.expr(UNARY);
                self.finish(N::ListTail, mark);
                self.set_height(self.height + 1);
            }
            (N::Map, _) => self.map_entry(mark),
            _ => {
                self.expr(KEYWORD);
                if kind == N::List && self.kind() == T::Pipe {
                    let height = self.height;
                    self.element(N::List);
                    self.height = self.height.max(height);
                }
            }
        }
        false
    }

    fn map_entry(&mut self, mark: Mark) {
        let is_bare = self.kind() == T::Ident
            && self.kind_at(self.pos + 1) == T::FatArrow
            && !self.word().is_upper()
            && !self.word().is_pseudo_variable();
        if is_bare {
            self.error("syntax.bare_key", |parser| {
                let found = parser.text_at(parser.pos);
                format!("found the bare key `{found}`, expected `#{found}` or `({found})`")
            });
        }
        self.expr(UNARY);
        let height = self.height;
        if self.kind() == T::Op && self.is_guarded() {
            self.expr_rest_of_key(mark);
        }
        if !self.expect(T::FatArrow, "`=>` after a key") {
            return;
        }
        self.expr(KEYWORD);
        self.finish(N::MapEntry, mark);
        self.set_height(self.height.max(height) + 1);
    }

    /// In a guarded parse: a key that goes on with operators.
    fn expr_rest_of_key(&mut self, mark: Mark) {
        self.expected("`=>` after a key");
        while self.kind() == T::Op {
            self.bump();
            self.expr(BINARY);
        }
        self.finish(N::Error, mark);
    }

    /// Skips to the next comma or closer of the brackets that are open; with `line` not beyond the
    /// line.
    fn skip_elements(&mut self, line: bool) {
        let mut place = self.pos;
        let mut depth = 0_usize;
        loop {
            match self.kind_at(place) {
                END => break,
                T::Comma if depth == 0 && !line => break,
                T::Dot if depth == 0 => break,
                T::LParen | T::LBracket | T::LBrace => depth += 1,
                T::HashParen | T::HashBracket | T::HashBrace | T::InterpOpen => depth += 1,
                T::RParen | T::RBracket | T::RBrace | T::InterpClose => {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            place += 1;
            if self.nl_at(place) && depth == 0 {
                break;
            }
        }
        self.skip_to(place);
    }

    /// A directive with its arguments.
    pub(crate) fn directive(&mut self) {
        let mark = self.mark();
        let end = self.directive_end(self.pos);
        let word = self.text_at(self.pos);
        let has_argument = end > self.pos + 1;
        while self.pos < end && self.kind() != END {
            self.bump();
        }
        if !has_argument && word != "@primitive" {
            let what =
                if word == "@expect" { "a category" } else { "the name of a compiler intrinsic" };
            self.expected(what);
        }
        self.finish(N::Directive, mark);
        self.height = 1;
    }
}

/// Whether a number token is a number: a radix form with its base, digits and range; a finite
/// float.
fn is_number(text: &str) -> bool {
    if let Some((radix, digits)) = text.split_once('r') {
        let radix = radix.parse().unwrap_or(0);
        return (2..=36).contains(&radix) && i64::from_str_radix(digits, radix).is_ok();
    }
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    text.bytes().all(is_digit) || text.parse::<f64>().is_ok_and(f64::is_finite)
}
