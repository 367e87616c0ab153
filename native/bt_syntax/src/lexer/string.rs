//! Strings and their interpolations.
//!
//! A string with interpolations is several tokens; what stands between its braces is read like any
//! other source, so the lexer only has to remember which `}` goes on with a string. In the cautious
//! reading a string is first followed to its end ([`Lexer::trust_string`]), each stretch of text by
//! a bounded number of attempts.

use super::{symbol_quote_end, Lexer, Unterminated};
use crate::kind::TokenKind;
use memchr::{memchr, memchr2, memchr3, memmem};

impl Lexer<'_> {
    /// Counts a brace in an interpolation.
    pub(super) fn open_brace(&mut self) {
        if let Some(depth) = self.interpolations.last_mut() {
            *depth += 1;
        }
    }

    pub(super) fn close_brace(&mut self) -> Result<(), Unterminated> {
        match self.interpolations.last_mut() {
            Some(0) => {
                self.interpolations.pop();
                self.push(TokenKind::InterpClose, self.pos + 1);
                self.string_rest(self.pos, TokenKind::StringPart, TokenKind::StringEnd)
            }
            Some(depth) => {
                *depth -= 1;
                self.push(TokenKind::RBrace, self.pos + 1);
                Ok(())
            }
            None => {
                self.push(TokenKind::RBrace, self.pos + 1);
                Ok(())
            }
        }
    }

    pub(super) fn string(&mut self) -> Result<(), Unterminated> {
        if self.anchors.is_some() && self.pos >= self.trusted_until && !self.trust_string() {
            return Ok(());
        }
        self.string_rest(self.pos + 1, TokenKind::StringStart, TokenKind::String)
    }

    /// The piece of a string from `self.pos`, its text from `from`: up to an interpolation
    /// (`open`), or to the closing quote (`whole`).
    fn string_rest(
        &mut self,
        from: usize,
        open: TokenKind,
        whole: TokenKind,
    ) -> Result<(), Unterminated> {
        let end = string_stop(self.bytes, from);
        match self.bytes.get(end) {
            Some(b'{') => {
                if end > self.pos {
                    self.push(open, end);
                }
                self.interpolations.push(0);
                self.push(TokenKind::InterpOpen, end + 1);
                Ok(())
            }
            Some(_) => {
                self.push(whole, end + 1);
                Ok(())
            }
            None => match &mut self.anchors {
                None => Err(Unterminated),
                Some(anchors) => {
                    // Followed to its end before, and yet not closed: cut it here.
                    let end = anchors.stop_after(self.pos);
                    self.interpolations.clear();
                    self.push_error(end);
                    Ok(())
                }
            },
        }
    }

    /// In the cautious reading: whether the string here closes before the next anchor. If not, it
    /// has become an error token.
    fn trust_string(&mut self) -> bool {
        let start = self.pos;
        let section = self.anchors.as_mut().map_or(self.bytes.len(), |it| it.stop_after(start));
        let line_end = self.line_end(start).min(section);
        let stop = if start < self.weak_until { line_end } else { section };
        if start >= self.plain_until {
            let found = self.matching_quote(start, stop);
            self.tokens.n_ahead += (found.unwrap_or(stop) - start) as u64;
            if let Some(end) = found {
                self.trusted_until = end;
                return true;
            }
            if start < self.weak_until {
                self.plain_until = line_end;
            }
            self.weak_until = self.weak_until.max(section);
        }
        let plain = plain_string_end(self.bytes, start + 1, line_end);
        match plain {
            Some((end, false)) => self.push(TokenKind::String, end),
            Some((end, true)) => self.push_error(end),
            None => self.push_error(if start < self.plain_until { line_end } else { stop }),
        }
        false
    }

    /// End of the string that starts here, interpolations and strings in them included, if it
    /// ends before `stop`.
    fn matching_quote(&self, start: usize, stop: usize) -> Option<usize> {
        let bytes = self.bytes.get(..stop)?;
        let mut depths: Vec<u32> = Vec::new();
        let mut in_string = true;
        let mut line_end = 0;
        let mut at = start + 1;
        loop {
            if in_string {
                at = string_stop(bytes, at);
                match bytes.get(at)? {
                    b'{' => depths.push(0),
                    _ if depths.is_empty() => return Some(at + 1),
                    _ => {}
                }
                in_string = false;
                at += 1;
                continue;
            }
            match bytes.get(at)? {
                b'"' => in_string = true,
                b'{' => *depths.last_mut()? += 1,
                b'}' => match depths.last_mut()? {
                    0 => {
                        depths.pop();
                        in_string = true;
                    }
                    depth => *depth -= 1,
                },
                b'$' => at += usize::from(bytes.get(at + 1) == Some(&b'\\')) + 1,
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at += memchr(b'\n', bytes.get(at..)?)?;
                }
                b'/' if bytes.get(at + 1) == Some(&b'*') => {
                    at += 3 + memmem::find(bytes.get(at + 2..)?, b"*/")?;
                }
                b'#' if bytes.get(at + 1) == Some(&b'\'') => {
                    if line_end <= at {
                        let nl = memchr(b'\n', bytes.get(at..)?);
                        line_end = nl.map_or(stop, |nl| at + nl);
                    }
                    // Not closed on its line: an error token, read like other text here.
                    let end = symbol_quote_end(bytes, at + 2, line_end);
                    at = end.map_or(at + 1, |end| end - 1);
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// From inside a string: the place of its closing quote or of an opening `{`; the end if neither.
fn string_stop(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr3(b'"', b'{', b'\\', rest)) {
        at += found;
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') if bytes.get(at + 1) == Some(&b'"') => at += 2,
            _ => return at,
        }
    }
    bytes.len()
}

/// From inside a string, braces counting for nothing: behind its closing quote, and whether there
/// was a brace.
fn plain_string_end(bytes: &[u8], from: usize, stop: usize) -> Option<(usize, bool)> {
    let bytes = bytes.get(..stop)?;
    let mut at = from;
    let mut has_brace = false;
    loop {
        let found = memchr2(b'"', b'\\', bytes.get(at..)?)?;
        has_brace |= bytes.get(at..at + found)?.contains(&b'{');
        at += found;
        match bytes.get(at) {
            Some(b'"') if bytes.get(at + 1) != Some(&b'"') => return Some((at + 1, has_brace)),
            _ => at += 2,
        }
    }
}
