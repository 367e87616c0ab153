//! Anchors in plain text: lines that look like the header of a declaration or a member.
//!
//! Only the cautious lexer asks, in a text whose strings do not close: there are no tokens to look
//! at yet. The test errs on the strict side: a whole header up to its `=>` must start on the line.
//! A header that goes on over other lines is followed for a bounded number of bytes.

use crate::lexer::{is_ident_byte, is_ident_start};
use crate::selector::is_operator_byte;

/// How far a header is followed.
const MAX_HEADER: usize = 1024;

/// The places where an unclosed string or comment has to end, in order.
pub(crate) struct Anchors {
    stops: Vec<usize>,
    next: usize,
    end: usize,
}

impl Anchors {
    /// Reads all lines of a text.
    pub(crate) fn of_lines(text: &[u8]) -> Self {
        let mut stops = Vec::new();
        let mut member_column = None;
        let mut start = 0;
        // End of the last line that is neither blank nor a comment.
        let mut code_end = 0;
        for line in text.split(|byte| *byte == b'\n') {
            let column = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let words = line.get(column..).unwrap_or(&[]);
            let from = start + column;
            let ahead = text.get(from..(from + MAX_HEADER).min(text.len())).unwrap_or(&[]);
            let is_member = column <= member_column.unwrap_or(usize::MAX)
                && !is_blank_or_comment(words)
                && is_member_line(ahead);
            if column == 0 && !words.is_empty() && is_declaration_line(ahead) {
                stops.push(code_end);
                member_column = None;
            } else if is_member {
                stops.push(code_end);
                member_column = member_column.or(Some(column));
            }
            if !is_blank_or_comment(words) {
                code_end = start + line.len();
            }
            start += line.len() + 1;
        }
        Self { stops, next: 0, end: text.len() }
    }

    /// The first stop behind a place; places only grow.
    pub(crate) fn stop_after(&mut self, place: usize) -> usize {
        while self.stops.get(self.next).is_some_and(|stop| *stop <= place) {
            self.next += 1;
        }
        self.stops.get(self.next).copied().unwrap_or(self.end)
    }
}

fn is_blank_or_comment(words: &[u8]) -> bool {
    words.is_empty() || words == b"\r" || words.starts_with(b"//") || words.starts_with(b"@expect")
}

/// A reader of the text from a line on.
struct Line<'l> {
    rest: &'l [u8],
}

impl<'l> Line<'l> {
    /// Skips white space, line ends and line comments.
    fn blanks(&mut self) {
        loop {
            let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let n_blanks = self.rest.iter().take_while(is_blank).count();
            self.advance(n_blanks);
            if !self.rest.starts_with(b"//") {
                break;
            }
            let n_bytes = self.rest.iter().take_while(|byte| **byte != b'\n').count();
            self.advance(n_bytes);
        }
    }

    fn advance(&mut self, n_bytes: usize) {
        self.rest = self.rest.get(n_bytes..).unwrap_or(&[]);
    }

    fn word(&mut self) -> Option<&'l [u8]> {
        self.blanks();
        if !self.rest.first().is_some_and(|byte| is_ident_start(*byte)) {
            return None;
        }
        let n_bytes = self.rest.iter().take_while(|byte| is_ident_byte(**byte)).count();
        let word = self.rest.get(..n_bytes);
        self.advance(n_bytes);
        word
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        self.blanks();
        let found = self.rest.starts_with(text);
        if found {
            self.advance(text.len());
        }
        found
    }

    /// `::` and a type, if they stand here: every byte a type can have.
    fn annotation(&mut self) {
        if self.eat(b"::") {
            self.type_bytes();
        }
    }

    fn type_bytes(&mut self) {
        let in_type = |byte: &u8| {
            is_ident_byte(*byte) || matches!(byte, b' ' | b'(' | b')' | b',' | b'|' | b'#' | b'@')
        };
        let mut n_bytes = self.rest.iter().take_while(|byte| in_type(byte)).count();
        // The type has taken a keyword of the next parameter with it: give the word back.
        if self.rest.get(n_bytes) == Some(&b':') && self.rest.get(n_bytes + 1) != Some(&b':') {
            while n_bytes > 0 && self.rest.get(n_bytes - 1).is_some_and(|byte| is_ident_byte(*byte))
            {
                n_bytes -= 1;
            }
        }
        self.advance(n_bytes);
    }

    fn arrow(&mut self) -> bool {
        if self.eat(b"->") {
            self.blanks();
            self.type_bytes();
        }
        self.eat(b"=>")
    }
}

fn is_member_line(words: &[u8]) -> bool {
    let mut line = Line { rest: words };
    let mut last = line.word();
    for field in [b"state".as_slice(), b"field", b"classState"] {
        if last == Some(field) && line.rest.first() == Some(&b':') {
            line.advance(1);
            return line.word().is_some();
        }
    }
    let mut is_modifier = false;
    while matches!(last, Some(b"class" | b"sealed" | b"internal")) {
        let mut ahead = Line { rest: line.rest };
        is_modifier = true;
        let Some(word) = ahead.word() else { break };
        is_modifier = false;
        last = Some(word);
        line = ahead;
    }
    match last {
        Some(_) if line.rest.first() == Some(&b':') => keyword_header(&mut line),
        // A word such as `class` may be the selector, or stand before an operator.
        Some(_) => {
            let operator = line.rest;
            line.arrow() || (is_modifier && binary_header(&mut Line { rest: operator }))
        }
        None => binary_header(&mut line),
    }
}

fn keyword_header(line: &mut Line<'_>) -> bool {
    while line.rest.first() == Some(&b':') {
        line.advance(1);
        if line.word().is_none() {
            return false;
        }
        line.annotation();
        if line.arrow() {
            return true;
        }
        if line.word().is_none() {
            return false;
        }
    }
    false
}

fn binary_header(line: &mut Line<'_>) -> bool {
    line.blanks();
    let n_bytes = line.rest.iter().take_while(|byte| is_operator_byte(**byte)).count();
    line.advance(n_bytes);
    if line.rest.starts_with(b":=") {
        // The rest of `=:=`.
        line.advance(2);
    }
    if n_bytes == 0 || line.word().is_none() {
        return false;
    }
    line.annotation();
    line.arrow()
}

fn is_declaration_line(words: &[u8]) -> bool {
    let mut line = Line { rest: words };
    let Some(mut word) = line.word() else { return false };
    while matches!(word, b"abstract" | b"sealed" | b"typed" | b"internal") {
        let Some(next) = line.word() else { return false };
        word = next;
    }
    let is_upper = word.first().is_some_and(u8::is_ascii_uppercase);
    match word {
        b"Protocol" => line.eat(b"define:"),
        b"type" => {
            line.word().is_some_and(|name| name.first().is_some_and(u8::is_ascii_uppercase))
                && line.eat(b"=")
        }
        b"nil" => line.eat(b"subclass:"),
        _ => {
            let qualified = line.rest.first() == Some(&b'@');
            if qualified {
                line.advance(1);
                if line.word().is_none() {
                    return false;
                }
            }
            if line.rest.first() == Some(&b'(') {
                line.type_bytes();
                // The type bytes reach over blanks into `subclass`.
                return line.rest.starts_with(b"subclass:") && (is_upper || qualified);
            }
            let mut after = Line { rest: line.rest };
            if after.word() == Some(b"subclass") && after.rest.first() == Some(&b':') {
                return is_upper || qualified;
            }
            let mut after = Line { rest: line.rest };
            if after.word() == Some(b"class") {
                line = after;
            }
            (is_upper || qualified) && line.eat(b">>") && is_member_line(line.rest)
        }
    }
}
