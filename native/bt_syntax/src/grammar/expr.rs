//! Statements and messages (language reference, 2.6 and 2.7).
//!
//! One function, [`Parser::expr`], parses an expression of any level; its loops do what the levels
//! of the grammar say, so that a level of nesting costs few stack frames.

use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{KeywordRule, Mark, Parser, END, MAX_CASCADE};
use crate::word::Word as W;

/// A receiver with its unary messages.
pub(crate) const UNARY: u8 = 0;
/// Binary messages of any operator; the numbers up to [`KEYWORD`] are precedences.
pub(crate) const BINARY: u8 = 1;
/// One keyword message or match.
pub(crate) const KEYWORD: u8 = 100;
/// A cascade, an assignment or a return.
pub(crate) const ASSIGN: u8 = 101;

/// Precedence of an operator that can be sent between operands, and the least precedence of its
/// right operand.
fn precedence(operator: &str) -> Option<(u8, u8)> {
    Some(match operator {
        "**" => (50, 50),
        "*" | "/" | "%" => (40, 41),
        "+" | "-" | "++" => (30, 31),
        "<" | ">" | "<=" | ">=" => (20, 21),
        "==" | "/=" | "=:=" | "=/=" => (10, 11),
        ">>" => (5, 6),
        "->" => (3, 4),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A statement; `true` when a `!` has ended it.
    pub(crate) fn statement(&mut self) -> bool {
        if self.is_expect_at(self.pos) {
            self.directive();
            return false;
        }
        let mark = self.mark();
        self.expr(ASSIGN);
        if self.kind() != T::Bang {
            return false;
        }
        if !self.last_kind().is_some_and(N::is_send) {
            self.error("syntax.cast", |_| {
                "found `!` behind something that is not a plain send".to_owned()
            });
        }
        if self.kind() == T::Bang {
            self.bump();
            self.finish(N::Cast, mark);
        }
        true
    }

    /// Whether an expression can start with the token at the position.
    pub(crate) fn starts_expression(&self) -> bool {
        matches!(
            self.kind(),
            T::Ident
                | T::Integer
                | T::Float
                | T::Char
                | T::String
                | T::StringStart
                | T::Symbol
                | T::QuotedSymbol
                | T::LParen
                | T::LBracket
                | T::LBrace
                | T::HashParen
                | T::HashBracket
                | T::HashBrace
                | T::Directive
                | T::Caret
        )
    }

    /// An expression of a level.
    pub(crate) fn expr(&mut self, level: u8) {
        if !self.enter() {
            return;
        }
        let mark = self.mark();
        if level == ASSIGN && matches!(self.kind(), T::Caret | T::LBrace) {
            self.prefixed(mark);
            return self.leave();
        }
        self.primary(mark);
        while self.kind() == T::Ident && !self.nl() {
            self.bump();
            self.finish(N::UnarySend, mark);
            self.set_height(self.height + 1);
        }
        if level != UNARY {
            let least = if level < KEYWORD { level } else { BINARY };
            while let Some(right) = self.operator(least) {
                self.bump();
                let height = self.height;
                self.expr(right);
                self.finish(N::BinarySend, mark);
                self.set_height(height.max(self.height) + 1);
            }
            if level >= KEYWORD && self.kind() == T::Keyword && self.keyword_goes_on(0, None) {
                self.keyword_or_match(mark);
            }
            if level == ASSIGN {
                if self.kind() == T::Semicolon {
                    self.cascade(mark);
                }
                if matches!(self.kind(), T::Assign | T::ColonColon) {
                    self.assignment(mark);
                }
            }
        }
        self.leave();
    }

    /// `^ expr`, or `{pattern} := expr`.
    fn prefixed(&mut self, mark: Mark) {
        if self.kind() == T::Caret {
            self.bump();
            self.expr(ASSIGN);
            self.finish(N::Return, mark);
        } else {
            self.pattern();
            let height = self.height;
            self.expect(T::Assign, "`:=` after a tuple pattern");
            self.expr(ASSIGN);
            self.finish(N::Assign, mark);
            self.height = self.height.max(height);
        }
        self.set_height(self.height + 1);
    }

    /// The level of the right operand, when an operator of at least this precedence stands here and
    /// goes on with the expression.
    #[inline]
    fn operator(&mut self, least: u8) -> Option<u8> {
        if !matches!(self.kind(), T::Op | T::Arrow | T::ShiftRight) {
            return None;
        }
        if self.nl() && (self.is_method_at(self.pos) || self.kind_at(self.pos + 1) == T::FatArrow) {
            return None;
        }
        let (own, right) = match precedence(self.text_at(self.pos)) {
            Some(found) => found,
            None if self.is_guarded() && least <= 2 => (2, 3),
            None => return None,
        };
        if own < least {
            return None;
        }
        if own == 2 {
            self.error("syntax.operator", |parser| {
                let operator = parser.describe(parser.pos);
                format!("found {operator}, which cannot be sent between operands")
            });
        }
        Some(right)
    }

    /// Whether the keyword at the position belongs to the message before it, of which `n_parts` are
    /// read; `first_column` is the column of its first keyword that starts a line.
    fn keyword_goes_on(&self, n_parts: usize, first_column: Option<u32>) -> bool {
        let Some(column) = self.column_at(self.pos) else { return true };
        match self.rule {
            KeywordRule::Member(header) => match first_column {
                None => column > header,
                Some(first) => column >= first,
            },
            KeywordRule::Default => {
                n_parts > 0 && !self.is_field_at(self.pos) && !self.is_method_at(self.pos)
            }
            KeywordRule::Free => !self.is_method_at(self.pos),
        }
    }

    fn keyword_or_match(&mut self, mark: Mark) {
        let is_match = self.kind_at(self.pos + 1) == T::LBracket
            && matches!(self.word(), W::Match | W::MatchExhaustive);
        if is_match {
            self.match_(mark);
        } else {
            self.keyword_message(N::KeywordSend, mark);
        }
    }

    /// The parts of a keyword message; the first is taken wherever it stands.
    fn keyword_message(&mut self, kind: N, mark: Mark) {
        let mut height = if kind == N::KeywordSend { self.height } else { 0 };
        let mut n_parts = 0;
        let mut first_column = None;
        while self.kind() == T::Keyword
            && (n_parts == 0 || self.keyword_goes_on(n_parts, first_column))
        {
            if first_column.is_none() {
                first_column = self.column_at(self.pos);
            }
            n_parts += 1;
            self.bump();
            self.expr(BINARY);
            height = height.max(self.height);
        }
        self.finish(kind, mark);
        self.set_height(height + 1);
    }

    fn cascade(&mut self, mark: Mark) {
        let mut height = self.height;
        let mut n_parts = 0;
        while self.eat(T::Semicolon) {
            n_parts += 1;
            if n_parts > MAX_CASCADE {
                self.too_deep();
                break;
            }
            self.cascade_part();
            height = height.max(self.height);
        }
        self.finish(N::Cascade, mark);
        self.set_height(height + 1);
    }

    fn cascade_part(&mut self) {
        let mark = self.mark();
        match self.kind() {
            T::Keyword => self.keyword_message(N::KeywordPart, mark),
            T::Ident => self.leaf(N::UnaryPart),
            T::Op | T::Comma | T::Arrow | T::ShiftRight => {
                self.bump();
                self.expr(UNARY);
                self.finish(N::BinaryPart, mark);
                self.set_height(self.height + 1);
            }
            _ => {
                self.expected("a message after `;`");
                self.missing();
            }
        }
    }

    /// `:= expr`, or `:: type := expr`, behind a target.
    fn assignment(&mut self, mark: Mark) {
        let target_height = self.height;
        let is_typed = self.kind() == T::ColonColon;
        let is_target = if is_typed { self.as_variable() } else { self.as_target(mark) };
        if !is_target {
            let is_message = self.last_kind() == Some(N::KeywordSend);
            self.error_at(mark.sig, "syntax.bad_target", |parser| {
                if is_message {
                    return "a message cannot be assigned to; put parentheses around an argument \
                            that is an assignment"
                        .to_owned();
                }
                let found = parser.describe(mark.sig);
                format!("found {found}, expected a variable, a field or a pattern to assign to")
            });
        }
        if self.kind() == END {
            return;
        }
        self.bump();
        let mut kind = N::Assign;
        if is_typed {
            kind = N::TypedAssign;
            self.type_();
            self.expect(T::Assign, "`:=` after a type");
        }
        let height = self.height.max(target_height);
        self.expr(ASSIGN);
        self.finish(kind, mark);
        self.set_height(self.height.max(height) + 1);
    }

    /// Whether the last node is a variable; a bare class name becomes one.
    fn as_variable(&mut self) -> bool {
        match self.last_kind() {
            Some(N::Variable) => true,
            Some(N::ClassRef) if self.kind_at(self.pos.wrapping_sub(2)) != T::At => {
                self.set_last_kind(N::Variable);
                true
            }
            _ => false,
        }
    }

    /// Whether the last node, which starts at a mark, can be assigned to; a collection literal
    /// becomes a pattern.
    pub(crate) fn as_target(&mut self, mark: Mark) -> bool {
        match self.last_kind() {
            Some(N::FieldAccess | N::TuplePattern) => true,
            Some(N::Array | N::List | N::Map) => self.as_pattern(mark),
            // Already reported where it stands.
            Some(N::Error) => true,
            _ => self.as_variable(),
        }
    }
}
