//! Text to tokens.
//!
//! The tokens tile the text: every byte belongs to exactly one. There is no recursion; the open
//! interpolations of nested strings stand on an explicit stack.
//!
//! A text is read *trusting* first: strings and comments run as far as their closing mark. When one
//! has none, or the tokens do not parse, the text is read again *cautiously*: no string then
//! crosses an anchor, a line that looks like the header of a declaration or a member (see
//! [`crate::anchor`]), so that one forgotten quote spoils its own method only. Both readings take
//! time linear in the text.

mod string;

use crate::anchor::Anchors;
use crate::kind::TokenKind;
use crate::selector::is_operator_byte;
use memchr::{memchr, memmem};

/// A significant token, as the parser reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sig {
    /// Its id among all tokens.
    pub(crate) id: u32,
    pub(crate) kind: TokenKind,
    /// Whether a line feed stands between the token before and this one.
    pub(crate) nl: bool,
}

/// The tokens of a text.
pub(crate) struct Tokens {
    pub(crate) kinds: Vec<TokenKind>,
    pub(crate) starts: Vec<u32>,
    pub(crate) sig: Vec<Sig>,
    /// Whether there is an error token.
    pub(crate) has_error: bool,
    /// Bytes looked at beyond the token at hand.
    pub(crate) n_ahead: u64,
}

/// A string, symbol or comment without its closing mark.
struct Unterminated;

/// Reads all tokens of a text that is shorter than 2 GiB, trusting; `None` when a string, symbol,
/// comment or interpolation is never closed.
pub(crate) fn lex_trusting(text: &str) -> Option<Tokens> {
    let mut lexer = Lexer::new(text, None);
    lexer.run().ok()?;
    Some(lexer.tokens)
}

/// Reads all tokens of a text that is shorter than 2 GiB, cautiously.
pub(crate) fn lex_cautious(text: &str) -> Tokens {
    let anchors = Anchors::of_lines(text.as_bytes());
    let mut lexer = Lexer::new(text, Some(anchors));
    // A cautious lexer makes error tokens where a trusting one gives up.
    let _always_ok = lexer.run();
    lexer.tokens
}

struct Lexer<'t> {
    bytes: &'t [u8],
    pos: usize,
    tokens: Tokens,
    /// A line feed was seen since the last significant token.
    nl: bool,
    /// Depth of braces in each open interpolation.
    interpolations: Vec<u32>,
    /// Present in the cautious reading.
    anchors: Option<Anchors>,
    /// Interpolated strings that start before this place are known good.
    trusted_until: usize,
    /// Up to here an interpolation is looked for on one line only.
    weak_until: usize,
    /// Up to here none is looked for.
    plain_until: usize,
    /// End of the line that was asked for last; 0 before.
    known_line_end: usize,
    /// No `*/` stands behind this place.
    no_comment_end: bool,
}

impl<'t> Lexer<'t> {
    fn new(text: &'t str, anchors: Option<Anchors>) -> Self {
        let n_guess = text.len() / 3 + 8;
        Self {
            bytes: text.as_bytes(),
            pos: 0,
            tokens: Tokens {
                kinds: Vec::with_capacity(n_guess),
                starts: Vec::with_capacity(n_guess),
                sig: Vec::with_capacity(n_guess / 2 + 8),
                has_error: false,
                n_ahead: 0,
            },
            nl: false,
            interpolations: Vec::new(),
            anchors,
            trusted_until: 0,
            weak_until: 0,
            plain_until: 0,
            known_line_end: 0,
            no_comment_end: false,
        }
    }

    #[inline]
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.bytes.get(from..).unwrap_or(&[])
    }

    /// The token `self.pos..end`, significant.
    #[inline]
    fn push(&mut self, kind: TokenKind, end: usize) {
        let id = self.tokens.kinds.len() as u32;
        self.tokens.kinds.push(kind);
        self.tokens.starts.push(self.pos as u32);
        self.tokens.sig.push(Sig { id, kind, nl: self.nl });
        self.nl = false;
        self.pos = end;
    }

    #[inline]
    fn push_trivia(&mut self, kind: TokenKind, end: usize) {
        self.tokens.kinds.push(kind);
        self.tokens.starts.push(self.pos as u32);
        self.pos = end;
    }

    fn push_error(&mut self, end: usize) {
        self.tokens.has_error = true;
        self.push(TokenKind::Error, end);
    }

    fn run(&mut self) -> Result<(), Unterminated> {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.push_trivia(TokenKind::Bom, 3);
        }
        while let Some(&byte) = self.bytes.get(self.pos) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.white_space(byte),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                _ => self.token(byte)?,
            }
        }
        if self.interpolations.is_empty() {
            Ok(())
        } else {
            Err(Unterminated)
        }
    }

    fn token(&mut self, byte: u8) -> Result<(), Unterminated> {
        match byte {
            b'0'..=b'9' => self.number(0),
            b'"' => return self.string(),
            b'{' => self.open_brace(TokenKind::LBrace, 1),
            b'}' => return self.close_brace(),
            b'#' => return self.hash(),
            b'/' => return self.slash(),
            b'$' => self.character(),
            b'@' => self.at(),
            b'\'' => self.single_quoted(),
            _ => self.punctuation(byte),
        }
        Ok(())
    }

    #[inline(always)]
    fn white_space(&mut self, first: u8) {
        let rest = self.rest(self.pos + 1);
        let more = rest.iter().position(|byte| !is_blank(*byte)).unwrap_or(rest.len());
        let has_nl =
            first == b'\n' || (more > 0 && rest.get(..more).is_some_and(|it| it.contains(&b'\n')));
        self.nl |= has_nl;
        let kind = if has_nl { TokenKind::Newline } else { TokenKind::Space };
        self.push_trivia(kind, self.pos + 1 + more);
    }

    /// End of the identifier that starts at `from` (`from` itself when none does).
    #[inline(always)]
    fn ident_end(&self, from: usize) -> usize {
        let rest = self.rest(from);
        from + rest.iter().position(|byte| !is_ident_byte(*byte)).unwrap_or(rest.len())
    }

    #[inline(always)]
    fn word(&mut self) {
        let end = self.ident_end(self.pos + 1);
        if self.bytes.get(end) == Some(&b':')
            && !matches!(self.bytes.get(end + 1), Some(b'=' | b':'))
        {
            self.push(TokenKind::Keyword, end + 1);
        } else {
            self.push(TokenKind::Ident, end);
        }
    }

    /// A number whose digits start `sign` bytes after the position.
    fn number(&mut self, sign: usize) {
        let mut end = self.digits_end(self.pos + sign);
        if sign == 0 && self.bytes.get(end) == Some(&b'r') {
            let alnum = |byte: &u8| byte.is_ascii_alphanumeric();
            let n_digits = self.rest(end + 1).iter().take_while(|byte| alnum(byte)).count();
            return self.push(TokenKind::Integer, end + 1 + n_digits);
        }
        let mut kind = TokenKind::Integer;
        if self.bytes.get(end) == Some(&b'.')
            && self.bytes.get(end + 1).is_some_and(u8::is_ascii_digit)
        {
            kind = TokenKind::Float;
            end = self.digits_end(end + 1);
        }
        if matches!(self.bytes.get(end), Some(b'e' | b'E')) {
            kind = TokenKind::Float;
            let signed = matches!(self.bytes.get(end + 1), Some(b'+' | b'-'));
            end = self.digits_end(end + 1 + usize::from(signed));
        }
        self.push(kind, end);
    }

    fn digits_end(&self, from: usize) -> usize {
        from + self.rest(from).iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn character(&mut self) {
        let escaped = self.peek(1) == b'\\' && self.bytes.len() > self.pos + 2;
        let at = self.pos + 1 + usize::from(escaped);
        match self.char_len(at) {
            0 => self.push_error(at),
            n_bytes => self.push(TokenKind::Char, at + n_bytes),
        }
    }

    /// Bytes of the character at a place; 0 at the end.
    fn char_len(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            None => 0,
            Some(0..=0x7F) => 1,
            Some(0..=0xDF) => 2,
            Some(0..=0xEF) => 3,
            Some(_) => 4,
        }
    }

    fn at(&mut self) {
        let glued =
            self.pos > 0 && self.bytes.get(self.pos - 1).is_some_and(|byte| is_ident_byte(*byte));
        if glued {
            return self.push(TokenKind::At, self.pos + 1);
        }
        let end = self.ident_end(self.pos + 1);
        match self.bytes.get(self.pos + 1..end) {
            Some(b"primitive" | b"intrinsic" | b"expect") => self.push(TokenKind::Directive, end),
            _ => self.push_error(end),
        }
    }

    /// `'…'` is no token of the language: an error up to its closing quote, or to the line's end.
    fn single_quoted(&mut self) {
        let line_end = self.line_end(self.pos);
        let end = self.bad_quote_end(self.pos + 1, line_end);
        self.push_error(end);
    }

    /// Where quoted text that is an error ends: behind its quote, or where its line ends; in an
    /// interpolation also before what may end that.
    fn bad_quote_end(&self, from: usize, line_end: usize) -> usize {
        let mut end = from;
        while end < line_end {
            match self.bytes.get(end) {
                Some(b'\'') => return end + 1,
                Some(b'\\') => end += 1 + self.char_len(end + 1),
                Some(b'"' | b'}') if !self.interpolations.is_empty() => return end,
                _ => end += 1,
            }
        }
        line_end
    }

    fn punctuation(&mut self, byte: u8) {
        use TokenKind as T;
        let next = self.peek(1);
        let (kind, n_bytes) = match byte {
            b'(' => (T::LParen, 1),
            b')' => (T::RParen, 1),
            b'[' => (T::LBracket, 1),
            b']' => (T::RBracket, 1),
            b'^' => (T::Caret, 1),
            b';' => (T::Semicolon, 1),
            b'!' => (T::Bang, 1),
            b'|' => (T::Pipe, 1),
            b'.' if next == b'.' && self.peek(2) == b'.' => (T::Ellipsis, 3),
            b'.' => (T::Dot, 1),
            b':' if next == b'=' => (T::Assign, 2),
            b':' if next == b':' => (T::ColonColon, 2),
            b':' => (T::Colon, 1),
            b'=' if next == b'>' => (T::FatArrow, 2),
            b'=' if matches!(next, b':' | b'/') && self.peek(2) == b'=' => (T::Op, 3),
            b'-' if next == b'>' => (T::Arrow, 2),
            b'-' if next.is_ascii_digit() => return self.number(1),
            b'<' if next == b'<' => (T::ShiftLeft, 2),
            b'>' if next == b'>' => (T::ShiftRight, 2),
            _ if is_operator_byte(byte) => match self.operators_end(self.pos) - self.pos {
                1 if byte == b',' => (T::Comma, 1),
                n_bytes => (T::Op, n_bytes),
            },
            _ => return self.push_error(self.pos + self.char_len(self.pos)),
        };
        self.push(kind, self.pos + n_bytes);
    }

    fn operators_end(&self, from: usize) -> usize {
        from + self.rest(from).iter().take_while(|byte| is_operator_byte(**byte)).count()
    }

    fn hash(&mut self) -> Result<(), Unterminated> {
        match self.peek(1) {
            b'(' => self.push(TokenKind::HashParen, self.pos + 2),
            b'[' => self.push(TokenKind::HashBracket, self.pos + 2),
            b'{' => self.open_brace(TokenKind::HashBrace, 2),
            b'\'' => return self.quoted_symbol(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let end = self.symbol_end();
                self.push(TokenKind::Symbol, end);
            }
            byte if is_operator_byte(byte) => {
                let end = self.operators_end(self.pos + 1);
                self.push(TokenKind::Symbol, end);
            }
            _ => self.push(TokenKind::Hash, self.pos + 1),
        }
        Ok(())
    }

    fn symbol_end(&self) -> usize {
        let mut end = self.ident_end(self.pos + 1);
        while self.bytes.get(end) == Some(&b':') && self.bytes.get(end + 1) != Some(&b'=') {
            end += 1;
            if !self.bytes.get(end).is_some_and(|byte| is_ident_start(*byte)) {
                break;
            }
            end = self.ident_end(end);
        }
        end
    }

    /// In the cautious reading a quoted symbol ends on its line.
    fn quoted_symbol(&mut self) -> Result<(), Unterminated> {
        let stop = match &self.anchors {
            Some(_) => self.line_end(self.pos),
            None => self.bytes.len(),
        };
        if let Some(end) = symbol_quote_end(self.bytes, self.pos + 2, stop) {
            self.push(TokenKind::QuotedSymbol, end);
            return Ok(());
        }
        if self.anchors.is_none() {
            return Err(Unterminated);
        }
        let end = self.bad_quote_end(self.pos + 2, stop);
        self.push_error(end);
        Ok(())
    }

    /// End of the line that a place is on. Places only grow, so that a long line is read once.
    fn line_end(&mut self, from: usize) -> usize {
        if from > self.known_line_end || self.known_line_end == 0 {
            self.known_line_end =
                memchr(b'\n', self.rest(from)).map_or(self.bytes.len(), |at| from + at);
        }
        self.known_line_end
    }

    fn slash(&mut self) -> Result<(), Unterminated> {
        match self.peek(1) {
            b'/' => {
                let is_doc = self.peek(2) == b'/' && self.peek(3) != b'/';
                let kind = if is_doc { TokenKind::DocComment } else { TokenKind::LineComment };
                let end = self.line_end(self.pos);
                self.push_trivia(kind, end);
                Ok(())
            }
            b'*' => self.block_comment(),
            _ => {
                let end = self.operators_end(self.pos);
                self.push(TokenKind::Op, end);
                Ok(())
            }
        }
    }

    fn block_comment(&mut self) -> Result<(), Unterminated> {
        let from = self.pos + 2;
        let found = if self.no_comment_end { None } else { memmem::find(self.rest(from), b"*/") };
        if let Some(at) = found {
            let end = from + at + 2;
            let comment = self.bytes.get(self.pos..end).unwrap_or(&[]);
            self.nl |= memchr(b'\n', comment).is_some();
            self.push_trivia(TokenKind::BlockComment, end);
            return Ok(());
        }
        let Some(anchors) = &mut self.anchors else { return Err(Unterminated) };
        self.no_comment_end = true;
        let end = anchors.stop_after(self.pos);
        self.push_error(end);
        Ok(())
    }
}

/// Behind the closing quote of a symbol whose text starts at `from`, if it stands before `stop`.
fn symbol_quote_end(bytes: &[u8], from: usize, stop: usize) -> Option<usize> {
    let bytes = bytes.get(..stop)?;
    let mut end = from;
    loop {
        end += memchr(b'\'', bytes.get(end..)?)? + 1;
        if bytes.get(end) != Some(&b'\'') {
            return Some(end);
        }
        end += 1;
    }
}

#[inline]
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

pub(crate) const fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

const IDENT_BYTES: [bool; 256] = ident_bytes();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn ident_bytes() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_ident_start(byte as u8) || (byte as u8).is_ascii_digit();
        byte += 1;
    }
    table
}

#[inline]
#[expect(clippy::indexing_slicing, reason = "a byte cannot exceed the table")]
pub(crate) const fn is_ident_byte(byte: u8) -> bool {
    IDENT_BYTES[byte as usize]
}
