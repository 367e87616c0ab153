//! Matches and patterns (language reference, 2.8), and literals that become patterns.

use super::expr::{ASSIGN, KEYWORD};
use crate::kind::{NodeKind as N, TokenKind as T};
use crate::parser::{Mark, Parser, END};
use crate::word::Word as W;

impl Parser<'_> {
    /// `match: [ arms ]` behind its scrutinee.
    pub(crate) fn match_(&mut self, mark: Mark) {
        let mut height = self.height;
        self.bump();
        let bracket = self.pos;
        self.bump();
        self.open[1] += 1;
        loop {
            match self.kind() {
                T::RBracket | END => break,
                T::Semicolon => self.bump(),
                _ => {
                    self.arm();
                    height = height.max(self.height);
                }
            }
        }
        if self.kind() != T::RBracket {
            self.error("syntax.unclosed", |parser| {
                let found = parser.describe(parser.pos);
                format!("expected `]` to close {}, found {found}", parser.describe(bracket))
            });
        }
        self.open[1] = self.open[1].saturating_sub(1);
        self.eat(T::RBracket);
        self.finish(N::Match, mark);
        self.set_height(height + 1);
    }

    fn arm(&mut self) {
        let mark = self.mark();
        self.pattern();
        let mut height = self.height;
        if self.word() == W::When {
            self.guard_clause();
            height = height.max(self.height);
        }
        if !self.eat(T::Arrow) {
            self.expected("`->` after a pattern");
            self.skip_arm();
            if self.pos == mark.sig && self.kind() != END {
                return self.leaf(N::Error);
            }
            self.finish(N::Error, mark);
            return;
        }
        self.arm_body();
        self.finish(N::Arm, mark);
        self.set_height(height.max(self.height) + 1);
        let separated = self.nl() || matches!(self.kind(), T::Semicolon | T::RBracket | END);
        if !separated {
            if !self.is_echo() {
                self.expected("`;`, a new line or `]` after an arm");
            }
            self.skip_arm();
        }
    }

    fn guard_clause(&mut self) {
        let mark = self.mark();
        self.bump();
        if self.expect(T::LBracket, "`[` after `when:`") {
            self.open[1] += 1;
            self.expr(ASSIGN);
            self.expect(T::RBracket, "`]` after a guard");
            self.open[1] = self.open[1].saturating_sub(1);
        }
        self.finish(N::Guard, mark);
        self.set_height(self.height + 1);
    }

    fn arm_body(&mut self) {
        let mark = self.mark();
        if self.eat(T::Caret) {
            self.expr(KEYWORD);
            self.finish(N::Return, mark);
            return self.set_height(self.height + 1);
        }
        self.expr(KEYWORD);
        if self.kind() == T::Assign {
            if !self.as_target(mark) {
                self.error_at(mark.sig, "syntax.bad_target", |parser| {
                    let found = parser.describe(mark.sig);
                    format!("found {found}, expected a variable or a field to assign to")
                });
            }
            if self.eat(T::Assign) {
                let height = self.height;
                self.expr(KEYWORD);
                self.finish(N::Assign, mark);
                self.set_height(self.height.max(height) + 1);
            }
        }
    }

    /// Skips to what ends the arm: a line, `;` or the closing bracket.
    fn skip_arm(&mut self) {
        let mut place = self.pos;
        let mut depth = 0_usize;
        loop {
            match self.kind_at(place) {
                END | T::InterpClose => break,
                T::Semicolon | T::RBracket if depth == 0 => break,
                _ if depth == 0 && place > self.pos && self.nl_at(place) => break,
                T::LBracket | T::HashBracket => depth += 1,
                T::RBracket => depth -= 1,
                _ => {}
            }
            place += 1;
        }
        self.skip_to(place);
    }

    /// A pattern of a match arm or of a tuple.
    pub(crate) fn pattern(&mut self) {
        if !self.enter() {
            return;
        }
        let mark = self.mark();
        self.height = 1;
        match self.kind() {
            T::Ident => self.named_pattern(mark),
            T::LBrace => self.pattern_list(mark, N::TuplePattern, T::RBrace),
            T::HashBracket => self.pattern_list(mark, N::ArrayPattern, T::RBracket),
            T::HashParen => self.pattern_list(mark, N::ListPattern, T::RParen),
            T::HashBrace => self.pattern_list(mark, N::MapPattern, T::RBrace),
            T::ShiftLeft => self.pattern_list(mark, N::BinaryPattern, T::ShiftRight),
            _ => self.literal_pattern(mark),
        }
        self.leave();
    }

    fn named_pattern(&mut self, mark: Mark) {
        match self.kind_at(self.pos + 1) {
            T::ColonColon => {
                self.bump();
                self.bump();
                if self.kind() == T::Ident {
                    self.class_name();
                } else {
                    self.expected("a class name after `::`");
                }
                self.finish(N::TypePattern, mark);
            }
            T::Keyword | T::At if self.is_constructor_at(self.pos) => {
                self.class_name();
                while self.kind() == T::Keyword && self.word() != W::When {
                    self.bump();
                    self.binding();
                }
                self.finish(N::ConstructorPattern, mark);
            }
            _ => self.bare_pattern(),
        }
    }

    /// An upper-case name (perhaps with a package) and a keyword that is not `when:`.
    fn is_constructor_at(&self, at: usize) -> bool {
        let name = if self.kind_at(at + 1) == T::At { at + 2 } else { at };
        self.is_upper_at(name)
            && self.kind_at(name + 1) == T::Keyword
            && self.word_at(name + 1) != W::When
    }

    fn bare_pattern(&mut self) {
        let word = self.word();
        if matches!(word, W::True | W::False) {
            self.error("syntax.pattern", |parser| {
                let found = parser.describe(parser.pos);
                format!("found {found}, expected a pattern (compare it in a guard)")
            });
        }
        if self.kind() == END {
            return;
        }
        self.leaf(match word {
            W::Underscore => N::WildcardPattern,
            W::Nil | W::True | W::False => N::LiteralPattern,
            _ => N::VariablePattern,
        });
    }

    /// What stands behind a keyword of a constructor pattern, or for a key of a map pattern.
    fn binding(&mut self) {
        let mark = self.mark();
        if self.kind() == T::Ident {
            self.bare_pattern();
        } else {
            self.literal_pattern(mark);
        }
    }

    fn literal_pattern(&mut self, mark: Mark) {
        let is_minus = self.kind() == T::Op
            && self.text_at(self.pos) == "-"
            && matches!(self.kind_at(self.pos + 1), T::Integer | T::Float);
        if is_minus {
            self.bump();
        }
        match self.kind() {
            T::Integer | T::Float | T::String | T::Char | T::Symbol | T::QuotedSymbol => {
                self.bump();
                self.finish(N::LiteralPattern, mark);
                self.height = 1;
            }
            _ => {
                self.expected("a pattern");
                self.missing();
            }
        }
    }

    fn pattern_list(&mut self, mark: Mark, kind: N, close: T) {
        self.bump();
        let mut height = 0;
        while self.kind() != close && self.kind() != END {
            self.pattern_element(kind);
            height = height.max(self.height);
            if kind == N::ListPattern && self.kind() == T::Pipe {
                let tail = self.mark();
                self.bump();
                self.pattern();
                self.finish(N::ListTailPattern, tail);
                height = height.max(self.height + 1);
            }
            if !self.eat(T::Comma) {
                break;
            }
        }
        if !self.eat(close) {
            self.expected("`,` or the end of the pattern");
        }
        self.finish(kind, mark);
        self.set_height(height + 1);
    }

    fn pattern_element(&mut self, kind: N) {
        let mark = self.mark();
        match (kind, self.kind()) {
            (N::ArrayPattern, T::Ellipsis) => self.rest_pattern(),
            (N::MapPattern, T::Symbol | T::QuotedSymbol | T::String) => {
                let is_string = self.kind() == T::String;
                self.leaf(if is_string { N::String } else { N::Symbol });
                if self.expect(T::FatArrow, "`=>` after a key") {
                    self.binding();
                    self.finish(N::MapPatternEntry, mark);
                    self.height = 2;
                }
            }
            (N::MapPattern, _) => {
                self.expected("a symbol or a string as a key");
                self.missing();
            }
            (N::BinaryPattern, _) => self.segment(),
            _ => self.pattern(),
        }
    }

    /// `...rest`.
    pub(crate) fn rest_pattern(&mut self) {
        let mark = self.mark();
        self.bump();
        if !self.eat(T::Ident) {
            self.expected("a name after `...`");
        }
        self.finish(N::RestPattern, mark);
        self.height = 1;
    }

    /// `name:size/spec-spec` of a binary pattern.
    fn segment(&mut self) {
        let mark = self.mark();
        let has_size = match self.kind() {
            T::Keyword => {
                self.bump();
                true
            }
            T::Ident => {
                self.bump();
                self.eat(T::Colon)
            }
            _ => {
                self.expected("a segment");
                return self.missing();
            }
        };
        if has_size && !self.eat(T::Integer) && !self.eat(T::Ident) {
            self.expected("a size after `:`");
        }
        if self.kind() == T::Op && self.text_at(self.pos) == "/" {
            self.bump();
            loop {
                self.specifier();
                if self.kind() != T::Op || self.text_at(self.pos) != "-" {
                    break;
                }
                self.bump();
            }
        }
        self.finish(N::BinarySegment, mark);
        self.height = 1;
    }

    fn specifier(&mut self) {
        let known = [
            "integer", "float", "binary", "bytes", "utf8", "signed", "unsigned", "big", "little",
            "native",
        ];
        if self.kind() == T::Ident && known.contains(&self.text_at(self.pos)) {
            self.bump();
        } else {
            self.expected("a specifier such as `integer` or `binary`");
        }
    }

    /// Turns the collection literal that ended last, and everything in it since the mark, into
    /// patterns; `false` when something in it is none.
    pub(crate) fn as_pattern(&mut self, mark: Mark) -> bool {
        let nodes = self.built.nodes.get_mut(mark.node as usize..).unwrap_or(&mut []);
        let last = nodes.len().saturating_sub(1);
        // Keys of a map stay literals: they come directly before their value.
        let mut is_pattern = true;
        let mut in_map = false;
        if let Some(whole) = nodes.last() {
            in_map = whole.kind == N::Map;
        }
        let mut is_key = in_map;
        for (at, node) in nodes.iter_mut().enumerate() {
            let key = is_key;
            if in_map {
                is_key = node.kind == N::MapEntry;
            }
            node.kind = match node.kind {
                kind @ (N::Symbol | N::String) if key => kind,
                _ if key && at != last => {
                    is_pattern = false;
                    continue;
                }
                N::Variable | N::ClassRef => N::VariablePattern,
                N::Integer
                | N::Float
                | N::Character
                | N::String
                | N::Symbol
                | N::NilLit
                | N::TrueLit
                | N::FalseLit => N::LiteralPattern,
                N::Array if at == last => N::ArrayPattern,
                N::List if at == last => N::ListPattern,
                N::Map if at == last => N::MapPattern,
                N::MapEntry => N::MapPatternEntry,
                N::ListTail => N::ListTailPattern,
                kind @ (N::RestPattern | N::Error) => kind,
                kind => {
                    is_pattern = false;
                    kind
                }
            };
        }
        self.name_wildcards(mark);
        is_pattern
    }

    /// `_` in a literal that has become a pattern.
    fn name_wildcards(&mut self, mark: Mark) {
        let first = self.sig.get(mark.sig).map_or(0, |sig| sig.id);
        let sig = self.sig;
        let n_nodes = self.built.nodes.len();
        for at in mark.node as usize..n_nodes {
            let Some(node) = self.built.nodes.get(at).copied() else { continue };
            if node.kind != N::VariablePattern || node.first_token() < first {
                continue;
            }
            let place = sig.partition_point(|sig| sig.id < node.first_token());
            if self.word_at(place) == W::Underscore {
                if let Some(node) = self.built.nodes.get_mut(at) {
                    node.kind = N::WildcardPattern;
                }
            }
        }
    }
}
