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

mod scan;
mod string;

use crate::anchor::Anchors;
use crate::kind::TokenKind;
use crate::selector::is_operator_byte;
use crate::word::Word;
use memchr::{memchr, memmem, memrchr};

/// A significant token, as the parser reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sig {
    /// Its id among all tokens.
    pub(crate) id: u32,
    pub(crate) kind: TokenKind,
    pub(crate) word: Word,
    /// Bytes between the line feed before it and the token, if it is the first token of its line.
    pub(crate) column: u16,
}

impl Sig {
    /// In place of a column: no line feed stands between the token before and this one.
    pub(crate) const SAME_LINE: u16 = u16::MAX;
    /// In place of this column and all beyond.
    pub(crate) const FAR: u16 = u16::MAX - 1;
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
    /// Behind the last line feed since the last significant token; [`usize::MAX`] if there is none.
    line_start: usize,
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
            line_start: usize::MAX,
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
    #[inline(always)]
    fn push(&mut self, kind: TokenKind, end: usize) {
        self.push_word(kind, Word::Other, end);
    }

    #[inline(always)]
    fn push_word(&mut self, kind: TokenKind, word: Word, end: usize) {
        let id = self.tokens.kinds.len() as u32;
        let column = match self.pos.checked_sub(self.line_start) {
            Some(column) => column.min(Sig::FAR as usize) as u16,
            None => Sig::SAME_LINE,
        };
        self.line_start = usize::MAX;
        self.tokens.sig.push(Sig { id, kind, word, column });
        self.push_trivia(kind, end);
    }

    #[inline(always)]
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
        loop {
            self.white_space();
            let Some(&byte) = self.bytes.get(self.pos) else { break };
            match kind_of_first(byte) {
                TokenKind::Ident => self.word(),
                TokenKind::Error => self.token(byte)?,
                mark => self.push(mark, self.pos + 1),
            }
        }
        if self.interpolations.is_empty() {
            Ok(())
        } else {
            Err(Unterminated)
        }
    }

    /// A token whose kind its first byte does not tell.
    fn token(&mut self, byte: u8) -> Result<(), Unterminated> {
        use TokenKind as T;
        let next = self.peek(1);
        let (kind, n_bytes) = match byte {
            b'0'..=b'9' => self.number(0),
            b'"' => return self.string(),
            b'{' => {
                self.open_brace();
                (T::LBrace, 1)
            }
            b'}' => return self.close_brace(),
            b'#' => return self.hash(),
            b'/' if matches!(next, b'/' | b'*') => return self.comment(next),
            b'$' => self.character(),
            b'@' => self.at(),
            b'\'' => self.single_quoted(),
            b'.' if next == b'.' && self.peek(2) == b'.' => (T::Ellipsis, 3),
            b'.' => (T::Dot, 1),
            b':' if next == b'=' => (T::Assign, 2),
            b':' if next == b':' => (T::ColonColon, 2),
            b':' => (T::Colon, 1),
            b'=' if next == b'>' => (T::FatArrow, 2),
            b'=' if matches!(next, b':' | b'/') && self.peek(2) == b'=' => (T::Op, 3),
            b'-' if next == b'>' => (T::Arrow, 2),
            b'-' if next.is_ascii_digit() => self.number(1),
            b'<' if next == b'<' => (T::ShiftLeft, 2),
            b'>' if next == b'>' => (T::ShiftRight, 2),
            b',' if !is_operator_byte(next) => (T::Comma, 1),
            _ if is_operator_byte(byte) => (T::Op, self.operators_end(self.pos) - self.pos),
            _ => (T::Error, self.char_len(self.pos)),
        };
        self.tokens.has_error |= kind == T::Error;
        self.push(kind, self.pos + n_bytes);
        Ok(())
    }

    /// The white space here, if there is any.
    #[inline(always)]
    fn white_space(&mut self) {
        let mut end = self.pos;
        let mut kind = TokenKind::Space;
        loop {
            end = scan::spaces_end(self.bytes, end);
            match self.bytes.get(end) {
                // First, as it is by far the most frequent.
                None | Some(b'!'..) => break,
                Some(b'\n') => {
                    kind = TokenKind::Newline;
                    self.line_start = end + 1;
                }
                Some(b'\t' | b'\r') => {}
                Some(_) => break,
            }
            end += 1;
        }
        if end > self.pos {
            self.push_trivia(kind, end);
        }
    }

    /// End of the identifier that starts at `from` (`from` itself when none does).
    #[inline(always)]
    fn ident_end(&self, from: usize) -> usize {
        scan::ident(self.bytes, from).0
    }

    /// An identifier or a keyword.
    #[inline(always)]
    fn word(&mut self) {
        let (ident_end, first) = scan::ident(self.bytes, self.pos);
        let byte_at = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let has_colon = byte_at(ident_end) == b':';
        let is_keyword = has_colon & !matches!(byte_at(ident_end + 1), b'=' | b':');
        let kind = if is_keyword { TokenKind::Keyword } else { TokenKind::Ident };
        let end = ident_end + usize::from(is_keyword);
        let text = self.bytes.get(self.pos..end).unwrap_or(&[]);
        self.push_word(kind, Word::of(text, scan::keep(first, text.len())), end);
    }

    /// A number whose digits start `sign` bytes after the position.
    fn number(&self, sign: usize) -> (TokenKind, usize) {
        let mut end = self.digits_end(self.pos + sign);
        if sign == 0 && self.bytes.get(end) == Some(&b'r') {
            let alnum = |byte: &u8| byte.is_ascii_alphanumeric();
            let n_digits = self.rest(end + 1).iter().take_while(|byte| alnum(byte)).count();
            return (TokenKind::Integer, end + 1 + n_digits - self.pos);
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
        (kind, end - self.pos)
    }

    fn digits_end(&self, from: usize) -> usize {
        from + self.rest(from).iter().take_while(|byte| byte.is_ascii_digit()).count()
    }

    fn character(&self) -> (TokenKind, usize) {
        let escaped = self.peek(1) == b'\\' && self.bytes.len() > self.pos + 2;
        let n_before = 1 + usize::from(escaped);
        match self.char_len(self.pos + n_before) {
            0 => (TokenKind::Error, n_before),
            n_bytes => (TokenKind::Char, n_before + n_bytes),
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

    fn at(&self) -> (TokenKind, usize) {
        let glued =
            self.pos > 0 && self.bytes.get(self.pos - 1).is_some_and(|byte| is_ident_byte(*byte));
        if glued {
            return (TokenKind::At, 1);
        }
        let end = self.ident_end(self.pos + 1);
        let kind = match self.bytes.get(self.pos + 1..end) {
            Some(b"primitive" | b"intrinsic" | b"expect") => TokenKind::Directive,
            _ => TokenKind::Error,
        };
        (kind, end - self.pos)
    }

    /// `'…'` is no token of the language: an error up to its closing quote, or to the line's end.
    fn single_quoted(&mut self) -> (TokenKind, usize) {
        let line_end = self.line_end(self.pos);
        (TokenKind::Error, self.bad_quote_end(self.pos + 1, line_end) - self.pos)
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

    fn operators_end(&self, from: usize) -> usize {
        from + self.rest(from).iter().take_while(|byte| is_operator_byte(**byte)).count()
    }

    fn hash(&mut self) -> Result<(), Unterminated> {
        match self.peek(1) {
            b'(' => self.push(TokenKind::HashParen, self.pos + 2),
            b'[' => self.push(TokenKind::HashBracket, self.pos + 2),
            b'{' => {
                self.open_brace();
                self.push(TokenKind::HashBrace, self.pos + 2);
            }
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

    /// A comment whose second byte is `next`.
    fn comment(&mut self, next: u8) -> Result<(), Unterminated> {
        if next == b'*' {
            return self.block_comment();
        }
        let is_doc = self.peek(2) == b'/' && self.peek(3) != b'/';
        let kind = if is_doc { TokenKind::DocComment } else { TokenKind::LineComment };
        let end = self.line_end(self.pos);
        self.push_trivia(kind, end);
        Ok(())
    }

    fn block_comment(&mut self) -> Result<(), Unterminated> {
        let from = self.pos + 2;
        let found = if self.no_comment_end { None } else { memmem::find(self.rest(from), b"*/") };
        if let Some(at) = found {
            let end = from + at + 2;
            let comment = self.bytes.get(self.pos..end).unwrap_or(&[]);
            if let Some(at) = memrchr(b'\n', comment) {
                self.line_start = self.pos + at + 1;
            }
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

pub(crate) const fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(crate) const fn is_ident_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The kinds of tokens that their first byte tells: names, taken for identifiers, and marks of one
/// byte. [`TokenKind::Error`] for all others.
const KINDS_OF_FIRST: [TokenKind; 256] = kinds_of_first();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn kinds_of_first() -> [TokenKind; 256] {
    let mut kinds = [TokenKind::Error; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'(' => TokenKind::LParen,
            b')' => TokenKind::RParen,
            b'[' => TokenKind::LBracket,
            b']' => TokenKind::RBracket,
            b'^' => TokenKind::Caret,
            b';' => TokenKind::Semicolon,
            b'!' => TokenKind::Bang,
            b'|' => TokenKind::Pipe,
            name if is_ident_start(name) => TokenKind::Ident,
            _ => TokenKind::Error,
        };
        byte += 1;
    }
    kinds
}

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a byte cannot exceed the table")]
const fn kind_of_first(byte: u8) -> TokenKind {
    KINDS_OF_FIRST[byte as usize]
}
