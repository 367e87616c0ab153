//! What starts here? The predicates of the language reference, 2.1, and the anchors made of them.
//!
//! They look ahead without building anything and without recursion. Repeated modifiers and types
//! in headers are followed for a bounded number of tokens, far beyond what anyone writes, so that
//! no text makes them look at the same tokens again and again.

use crate::kind::TokenKind as T;
use crate::parser::Parser;
use crate::word::Word as W;

const MAX_MODIFIERS: usize = 32;
const MAX_TYPE_TOKENS: usize = 512;
const MAX_TYPE_DEPTH: usize = 24;

/// Which header a method predicate looks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Class,
    Extension,
}

impl Parser<'_> {
    /// Whether a class, protocol or extension starts at a place.
    pub(crate) fn is_declaration_at(&self, at: usize) -> bool {
        if self.kind_at(at) != T::Ident {
            return false;
        }
        match self.kind_at(at + 1) {
            T::Keyword => self.is_class_at(at) || self.is_protocol_at(at),
            T::At | T::Ident => self.is_class_at(at) || self.is_extension_at(at),
            T::LParen => self.is_class_at(at),
            T::ShiftRight => self.is_extension_at(at),
            _ => false,
        }
    }

    /// Whether a type alias starts at a place.
    pub(crate) fn is_alias_at(&self, at: usize) -> bool {
        // Quick answer for most statements: the `=`.
        if self.kind_at(at + 2) != T::Op && self.kind_at(at + 3) != T::Op {
            return false;
        }
        let at = if self.word_at(at) == W::Internal { at + 1 } else { at };
        self.word_at(at) == W::Type
            && self.is_upper_at(at + 1)
            && self.kind_at(at + 2) == T::Op
            && self.text_at(at + 2) == "="
    }

    pub(crate) fn is_protocol_at(&self, at: usize) -> bool {
        self.word_at(at) == W::Protocol && self.word_at(at + 1) == W::Define
    }

    pub(crate) fn is_class_at(&self, at: usize) -> bool {
        let mut at = at;
        for _ in 0..MAX_MODIFIERS {
            if self.kind_at(at + 1) != T::Ident || !self.word_at(at).is_class_modifier() {
                break;
            }
            at += 1;
        }
        if self.kind_at(at) != T::Ident {
            return false;
        }
        at += 1;
        if self.kind_at(at) == T::At && self.kind_at(at + 1) == T::Ident {
            at += 2;
        }
        if self.kind_at(at) == T::LParen {
            match self.skip_type(at, true) {
                Some(end) => at = end,
                None => return false,
            }
        }
        self.word_at(at) == W::Subclass
    }

    pub(crate) fn is_extension_at(&self, at: usize) -> bool {
        let mut at = at;
        if self.kind_at(at + 1) == T::At {
            at += 2;
        }
        if !self.is_upper_at(at) {
            return false;
        }
        at += 1;
        if self.word_at(at) == W::Class {
            at += 1;
        }
        self.kind_at(at) == T::ShiftRight && self.is_header_at(at + 1, Place::Extension)
    }

    /// Whether a method of a class starts at a place: a whole header up to its `=>`.
    pub(crate) fn is_method_at(&self, at: usize) -> bool {
        self.is_header_at(at, Place::Class)
    }

    /// Whether `state:`, `field:` or `classState:` stands at a place.
    pub(crate) fn is_field_at(&self, at: usize) -> bool {
        self.word_at(at).is_field()
    }

    /// Whether `@expect` stands at a place.
    pub(crate) fn is_expect_at(&self, at: usize) -> bool {
        self.kind_at(at) == T::Directive && self.text_at(at) == "@expect"
    }

    /// Behind the directive at a place: its argument and reason stand on its line.
    pub(crate) fn directive_end(&self, at: usize) -> usize {
        let on_line = |at: usize, kind: T| self.kind_at(at) == kind && !self.nl_at(at);
        let mut end = at + 1;
        if on_line(end, T::Ident) {
            end += 1;
            if self.is_expect_at(at) && on_line(end, T::String) {
                end += 1;
            }
        } else if on_line(end, T::String) {
            end += 1;
        }
        end
    }

    /// Whether a member starts at a place, directives before it included.
    pub(crate) fn is_member_at(&self, at: usize) -> bool {
        let at = self.directives_end(at);
        self.is_field_at(at) || self.is_method_at(at)
    }

    /// Behind the `@expect` directives at a place.
    fn directives_end(&self, at: usize) -> usize {
        let mut at = at;
        while self.is_expect_at(at) {
            at = self.directive_end(at);
        }
        at
    }

    /// Number of modifiers of the method header at a place.
    pub(crate) fn n_method_modifiers(&self, at: usize, allow_class: bool) -> usize {
        let mut n_modifiers = 0;
        while n_modifiers < MAX_MODIFIERS {
            let is_modifier = match self.word_at(at + n_modifiers) {
                W::Sealed => true,
                W::Class => allow_class && !self.is_arrow_at(at + n_modifiers + 1),
                W::Internal => !self.is_arrow_at(at + n_modifiers + 1),
                _ => false,
            };
            if !is_modifier {
                break;
            }
            n_modifiers += 1;
        }
        n_modifiers
    }

    fn is_header_at(&self, at: usize, place: Place) -> bool {
        self.step();
        let kind = self.kind_at(at);
        if !matches!(kind, T::Ident | T::Keyword | T::Op | T::Comma | T::Arrow | T::ShiftRight) {
            return false;
        }
        let mut at = at;
        if kind == T::Ident {
            // Quick answer for most statements.
            if !matches!(
                self.kind_at(at + 1),
                T::FatArrow
                    | T::Arrow
                    | T::ColonColon
                    | T::Ident
                    | T::Keyword
                    | T::Op
                    | T::Comma
                    | T::ShiftRight
            ) {
                return false;
            }
            at += self.n_method_modifiers(at, place == Place::Class);
        }
        match self.kind_at(at) {
            T::Ident => match self.kind_at(at + 1) {
                T::ColonColon => place == Place::Extension && self.is_separated_arrow_at(at + 1),
                T::FatArrow | T::Arrow => self.is_arrow_at(at + 1),
                _ => false,
            },
            T::Keyword => self.is_keyword_header_at(at),
            T::Op | T::Comma | T::Arrow | T::ShiftRight => self
                .skip_parameter(at + 1)
                .is_some_and(|(end, typed)| self.is_header_end_at(end, typed)),
            _ => false,
        }
    }

    fn is_keyword_header_at(&self, at: usize) -> bool {
        let (first, last, known) = self.header_memo.get();
        if first <= at && at <= last {
            return known;
        }
        let mut part = at;
        let found = loop {
            self.step();
            let Some((end, typed)) = self.skip_parameter(part + 1) else { break false };
            if self.kind_at(end) != T::Keyword {
                break self.is_header_end_at(end, typed);
            }
            part = end;
        };
        self.header_memo.set((at, part, found));
        found
    }

    fn is_header_end_at(&self, at: usize, typed: bool) -> bool {
        self.is_arrow_at(at) || (typed && self.is_separated_arrow_at(at))
    }

    /// Behind the parameter name at a place and its type; and whether it has one.
    fn skip_parameter(&self, at: usize) -> Option<(usize, bool)> {
        match self.kind_at(at) {
            T::Ident => match self.kind_at(at + 1) {
                T::ColonColon if self.kind_at(at + 2) == T::Arrow => Some((at + 1, false)),
                T::ColonColon | T::Colon => Some((self.skip_type(at + 2, false)?, true)),
                _ => Some((at + 1, false)),
            },
            // A legacy `name: Type`.
            T::Keyword if self.is_upper_at(at + 1) => Some((self.skip_type(at + 1, false)?, true)),
            _ => None,
        }
    }

    /// `:: -> type =>`.
    fn is_separated_arrow_at(&self, at: usize) -> bool {
        self.kind_at(at) == T::ColonColon
            && self.kind_at(at + 1) == T::Arrow
            && self.is_arrow_at(at + 1)
    }

    /// `=>`, or `-> type =>`.
    fn is_arrow_at(&self, at: usize) -> bool {
        match self.kind_at(at) {
            T::FatArrow => true,
            T::Arrow => {
                self.kind_at(at + 1) == T::FatArrow
                    || self
                        .skip_type(at + 1, false)
                        .is_some_and(|end| self.kind_at(end) == T::FatArrow)
            }
            _ => false,
        }
    }

    /// Behind the type at a place. With `group`, only a parenthesized one, commas allowed.
    fn skip_type(&self, at: usize, group: bool) -> Option<usize> {
        let mut at = at;
        let mut depth = 0_usize;
        // Whether an operand is due.
        let mut due = true;
        for _ in 0..MAX_TYPE_TOKENS {
            self.step();
            match self.kind_at(at) {
                T::LParen if due => depth += 1,
                T::Ident if due => {
                    due = false;
                    if self.kind_at(at + 1) == T::At && self.kind_at(at + 2) == T::Ident {
                        at += 2;
                    }
                    if self.kind_at(at + 1) == T::LParen && !self.nl_at(at + 1) {
                        depth += 1;
                        due = true;
                        at += 1;
                        if self.kind_at(at + 1) == T::RParen {
                            depth -= 1;
                            due = false;
                            at += 1;
                        }
                    } else if self.word_at(at + 1) == W::Class && !self.nl_at(at + 1) {
                        at += 1;
                    }
                }
                T::Symbol | T::QuotedSymbol if due => due = false,
                T::Pipe if !due => due = true,
                T::Op if !due && matches!(self.text_at(at), "\\" | "&" | "\\\\") => due = true,
                T::Comma if !due && depth > 0 => due = true,
                T::RParen if !due && depth > 0 => {
                    depth -= 1;
                    // `List(T) class` is no type; behind `(T)` a `class` is none either.
                }
                _ => return (!due && depth == 0).then_some(at),
            }
            at += 1;
            if group && depth == 0 {
                return Some(at);
            }
            if depth > MAX_TYPE_DEPTH {
                break;
            }
        }
        None
    }

    // ---- anchors

    /// The places where a declaration (`true`) or a member (`false`) surely starts: a declaration
    /// header in column 0, and in a class a member header in the class's member column, or a line
    /// there that has a `=>` and so means to be one. Places inside an interpolation do not count.
    pub(crate) fn find_anchors(&self) -> Vec<(usize, bool)> {
        let mut anchors = Vec::new();
        // Members of the class that is open: place, column, and whether the header is whole.
        let mut members: Vec<(usize, u32, bool)> = Vec::new();
        let mut in_class = false;
        let mut n_interpolations = 0_usize;
        // The member that the last directive stands before: the directive is the anchor of both.
        let mut after_directive = 0;
        for at in 0..self.sig.len() {
            match self.kind_at(at) {
                T::InterpOpen => n_interpolations += 1,
                T::InterpClose => n_interpolations = n_interpolations.saturating_sub(1),
                _ => {}
            }
            let column = self.column_at(at).or((at == 0).then_some(0));
            let (Some(column), 0) = (column, n_interpolations) else { continue };
            if column == 0 && (self.is_declaration_at(at) || self.is_alias_at(at)) {
                close_class(&mut anchors, &mut members);
                anchors.push((at, true));
                in_class = self.is_class_at(at);
            } else if in_class && at >= after_directive && self.is_anchor_member_at(at) {
                after_directive = self.directives_end(at) + 1;
                members.push((at, column, true));
            } else if in_class && at >= after_directive && self.has_arrow_on_line(at) {
                members.push((at, column, false));
            }
        }
        close_class(&mut anchors, &mut members);
        anchors
    }

    /// Whether a line that does not start like a map entry has a `=>` outside brackets.
    fn has_arrow_on_line(&self, at: usize) -> bool {
        let is_start = matches!(
            self.kind_at(at),
            T::Ident | T::Keyword | T::Op | T::FatArrow | T::Integer | T::Float
        );
        if !is_start {
            return false;
        }
        let mut depth = 0_usize;
        let mut at = at;
        loop {
            self.step();
            match self.kind_at(at) {
                T::FatArrow if depth == 0 => return true,
                T::LParen | T::LBracket | T::LBrace => depth += 1,
                T::HashParen | T::HashBracket | T::HashBrace | T::InterpOpen => depth += 1,
                T::RParen | T::RBracket | T::RBrace | T::InterpClose => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            at += 1;
            if at >= self.limit || self.nl_at(at) {
                return false;
            }
        }
    }

    fn is_anchor_member_at(&self, at: usize) -> bool {
        if self.is_expect_at(at) {
            // In the member's column, or on its line.
            let column = self.column_at(self.directives_end(at));
            return self.is_member_at(at) && (column.is_none() || column == self.column_at(at));
        }
        (self.is_field_at(at) && self.kind_at(at + 1) == T::Ident) || self.is_method_at(at)
    }
}

/// Keeps the members that stand in the least column of a whole header, or of any when none is
/// whole.
fn close_class(anchors: &mut Vec<(usize, bool)>, members: &mut Vec<(usize, u32, bool)>) {
    let least = |only_whole: bool| {
        let columns = members.iter().filter(|(_, _, whole)| *whole || !only_whole);
        columns.map(|(_, column, _)| *column).min()
    };
    let column = least(true).or(least(false));
    let kept = members.iter().filter(|(_, at, _)| Some(*at) == column);
    anchors.extend(kept.map(|(at, _, _)| (*at, false)));
    members.clear();
}
