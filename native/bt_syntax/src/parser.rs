//! Tokens to tree: the entry points, and the machine that the grammar modules drive.
//!
//! A unit is parsed *literally* first, by the rules of the language. The first error ends that
//! attempt, and the unit is parsed again *guarded*: the places where a declaration or a member
//! surely starts (its anchors) are found beforehand, and nothing crosses one. So a well-formed unit
//! costs one pass and means exactly what the language says, and in a broken one each error stays in
//! the member that has it.
//!
//! Nodes are pushed when they end, children first. A [`Mark`] taken where an expression starts is
//! all that is needed to wrap a node round it later; left recursion in the grammar is a loop here.

use crate::kind::{NodeKind, TokenKind};
use crate::lexer::{lex_cautious, lex_trusting, Sig, Tokens};
use crate::tree::{NodeData, NodeId, SyntaxError, TokenId, Unit};
use crate::word::Word;
use text_size::{TextRange, TextSize};

/// How high a tree of expressions, types or patterns may be. Bounds the parser's own stack too.
pub const MAX_DEPTH: u32 = 256;

/// No tree of a unit, with errors or without, has more levels than this.
pub const MAX_TREE_DEPTH: u32 = 4 * MAX_DEPTH;

/// How many messages one cascade may have.
pub const MAX_CASCADE: u32 = 4096;

/// What [`Parser::kind`] gives at the end: no significant token is a byte order mark.
pub(crate) const END: TokenKind = TokenKind::Bom;

/// A text that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid UTF-8 at byte {offset}")]
pub struct InvalidUtf8 {
    /// Offset of the first byte that is wrong.
    pub offset: usize,
}

/// Parses bytes that ought to be UTF-8.
///
/// # Errors
/// [`InvalidUtf8`] with the offset of the first wrong byte.
pub fn parse_bytes(bytes: &[u8]) -> Result<Unit, InvalidUtf8> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(parse(text)),
        Err(error) => Err(InvalidUtf8 { offset: error.valid_up_to() }),
    }
}

/// Parses a text. Never fails: errors are values beside the tree.
#[must_use]
pub fn parse(text: &str) -> Unit {
    parse_counting(text).0
}

/// Parses a text and counts the parser's steps (tokens consumed and looked at), for tests that show
/// that cost is linear.
#[must_use]
pub fn parse_counting(text: &str) -> (Unit, u64) {
    if text.len() > (u32::MAX / 2) as usize {
        return (too_large(), 0);
    }
    let mut steps = 0;
    let trusting = lex_trusting(text);
    if let Some(tokens) = trusting.as_ref().filter(|tokens| !tokens.has_error) {
        let mut parser = Parser::new(text, tokens);
        parser.file();
        steps += parser.n_steps();
        if !parser.built.failed {
            let built = parser.built;
            return (
                trusting.map_or_else(too_large, |tokens| built.into_unit(text, tokens)),
                steps,
            );
        }
    }
    (parse_broken(text, trusting, &mut steps), steps)
}

/// A text with errors: read both ways where that differs, guarded; the reading with fewer errors
/// wins, the cautious one when they are equal. So a string that holds code stays one although
/// something else is wrong (cut in two it costs more errors), and a forgotten quote does not turn
/// all strings behind it inside out.
fn parse_broken(text: &str, trusting: Option<Tokens>, steps: &mut u64) -> Unit {
    let cautious = lex_cautious(text);
    let Some(trusting) = trusting else {
        return parse_guarded(text, &cautious, steps).into_unit(text, cautious);
    };
    let built = parse_guarded(text, &trusting, steps);
    if trusting.starts != cautious.starts || trusting.kinds != cautious.kinds {
        let other = parse_guarded(text, &cautious, steps);
        if has_long_symbol(text, &trusting) || other.errors.len() <= built.errors.len() {
            return other.into_unit(text, cautious);
        }
    }
    built.into_unit(text, trusting)
}

/// Whether a quoted symbol runs over a line's end: allowed, but in a broken text surely an
/// accident.
fn has_long_symbol(text: &str, tokens: &Tokens) -> bool {
    let symbols = tokens.sig.iter().filter(|sig| sig.kind == TokenKind::QuotedSymbol);
    symbols.into_iter().any(|sig| {
        let start = tokens.starts.get(sig.id as usize).map_or(0, |at| *at as usize);
        let end = tokens.starts.get(sig.id as usize + 1).map_or(text.len(), |at| *at as usize);
        text.get(start..end).is_some_and(|symbol| symbol.contains('\n'))
    })
}

fn parse_guarded(text: &str, tokens: &Tokens, steps: &mut u64) -> Built {
    let mut parser = Parser::new(text, tokens);
    parser.guard();
    parser.file();
    parser.report_error_tokens();
    *steps += parser.n_steps() + tokens.n_ahead;
    parser.built
}

fn too_large() -> Unit {
    let mut built = Built::default();
    built.nodes.push(NodeData::new(NodeKind::File, 0, 0..0));
    built.errors.push(SyntaxError {
        span: TextRange::empty(TextSize::new(0)),
        code: "syntax.too_large",
        message: "the text is larger than 2 GiB".to_owned(),
    });
    let tokens = Tokens {
        kinds: Vec::new(),
        starts: Vec::new(),
        sig: Vec::new(),
        has_error: false,
        n_ahead: 0,
    };
    built.into_unit("", tokens)
}

/// What a parse has made so far.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) nodes: Vec<NodeData>,
    long: Vec<(NodeId, TokenId)>,
    errors: Vec<SyntaxError>,
    /// A literal parse met an error: its result is worth nothing.
    failed: bool,
}

impl Built {
    fn into_unit(mut self, text: &str, mut tokens: Tokens) -> Unit {
        tokens.kinds.shrink_to_fit();
        tokens.starts.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.errors.sort_by_key(|error| error.span.start());
        self.errors.shrink_to_fit();
        Unit {
            text: text.into(),
            kinds: tokens.kinds,
            starts: tokens.starts,
            nodes: self.nodes,
            long: self.long,
            errors: self.errors,
        }
    }
}

/// Where a node starts: the number of nodes and the token then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) node: u32,
    pub(crate) sig: usize,
}

/// When a keyword at the start of a line goes on with the message before it
/// (language reference, 2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeywordRule {
    /// In a method of a class whose header stands in this column: deeper than the header.
    Member(u32),
    /// In a default value: never the first keyword of a message.
    Default,
    /// Elsewhere: unless a method starts there.
    Free,
}

pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    starts: &'t [u32],
    pub(crate) sig: &'t [Sig],
    pub(crate) pos: usize,
    /// Tokens from here on are out of reach: the end, or the next anchor.
    pub(crate) limit: usize,
    /// The tokens in reach: `sig[..limit]`.
    reach: &'t [Sig],
    pub(crate) built: Built,
    /// Present in a guarded parse: anchors in order, and whether each is a declaration.
    pub(crate) anchors: Option<Vec<(usize, bool)>>,
    pub(crate) rule: KeywordRule,
    depth: u32,
    /// Height of the tree of the last expression, type or pattern.
    pub(crate) height: u32,
    /// Brackets, parentheses and braces that are open here.
    pub(crate) open: [u32; 3],
    /// After "nested too deeply", up to the next anchor.
    quiet: bool,
    last_error: usize,
    /// The last keyword header looked for: its keywords' places, and whether it was one.
    pub(crate) header_memo: std::cell::Cell<(usize, usize, bool)>,
    n_ahead: std::cell::Cell<u64>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t Tokens) -> Self {
        let mut built = Built::default();
        built.nodes.reserve(tokens.sig.len());
        Self {
            text,
            starts: &tokens.starts,
            sig: &tokens.sig,
            pos: 0,
            limit: tokens.sig.len(),
            reach: &tokens.sig,
            built,
            anchors: None,
            rule: KeywordRule::Free,
            depth: 0,
            height: 0,
            open: [0; 3],
            quiet: false,
            last_error: usize::MAX,
            header_memo: std::cell::Cell::new((1, 0, false)),
            n_ahead: std::cell::Cell::new(0),
        }
    }

    /// Makes this a guarded parse.
    fn guard(&mut self) {
        self.anchors = Some(self.find_anchors());
    }

    pub(crate) fn is_guarded(&self) -> bool {
        self.anchors.is_some()
    }

    // ---- looking

    /// Kind of the token at the position.
    #[inline]
    pub(crate) fn kind(&self) -> TokenKind {
        self.kind_at(self.pos)
    }

    #[inline]
    pub(crate) fn kind_at(&self, at: usize) -> TokenKind {
        self.reach.get(at).map_or(END, |sig| sig.kind)
    }

    /// Whether the token at a place is the first of its line.
    #[inline]
    pub(crate) fn nl_at(&self, at: usize) -> bool {
        self.sig.get(at).is_some_and(|sig| sig.column != Sig::SAME_LINE)
    }

    /// Whether the token at the position is the first of its line.
    #[inline]
    pub(crate) fn nl(&self) -> bool {
        self.nl_at(self.pos)
    }

    /// Whether nothing stands between a token and the one before it.
    pub(crate) fn glued_at(&self, at: usize) -> bool {
        let id = |at: usize| self.sig.get(at).map(|sig| sig.id);
        at > 0 && id(at) == id(at - 1).map(|id| id + 1)
    }

    pub(crate) fn span_at(&self, at: usize) -> (usize, usize) {
        let Some(sig) = self.sig.get(at) else { return (self.text.len(), self.text.len()) };
        let start = |id: usize| self.starts.get(id).map_or(self.text.len(), |at| *at as usize);
        (start(sig.id as usize), start(sig.id as usize + 1))
    }

    #[inline]
    pub(crate) fn text_at(&self, at: usize) -> &'t str {
        let (start, end) = self.span_at(at);
        self.text.get(start..end).unwrap_or("")
    }

    /// The word that the token at the position is.
    #[inline]
    pub(crate) fn word(&self) -> Word {
        self.word_at(self.pos)
    }

    #[inline]
    pub(crate) fn word_at(&self, at: usize) -> Word {
        self.reach.get(at).map_or(Word::Other, |sig| sig.word)
    }

    /// Whether the token at a place is an identifier with an upper-case first letter.
    pub(crate) fn is_upper_at(&self, at: usize) -> bool {
        self.kind_at(at) == TokenKind::Ident && self.word_at(at).is_upper()
    }

    /// Bytes between the line feed before a token and the token; `None` when it does not start a
    /// line.
    pub(crate) fn column_at(&self, at: usize) -> Option<u32> {
        match self.sig.get(at)?.column {
            Sig::SAME_LINE => None,
            Sig::FAR => Some(self.far_column_at(at)),
            column => Some(column.into()),
        }
    }

    #[cold]
    fn far_column_at(&self, at: usize) -> u32 {
        let (start, _) = self.span_at(at);
        let before = self.text.as_bytes().get(..start).unwrap_or(&[]);
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |nl| nl + 1);
        (start - line_start) as u32
    }

    /// Counts a look ahead.
    pub(crate) fn step(&self) {
        self.n_ahead.set(self.n_ahead.get() + 1);
    }

    /// Tokens taken and looked at; the position never goes back.
    fn n_steps(&self) -> u64 {
        self.pos as u64 + self.n_ahead.get()
    }

    // ---- building

    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark { node: self.built.nodes.len() as u32, sig: self.pos }
    }

    /// Takes the token at the position.
    #[inline]
    pub(crate) fn bump(&mut self) {
        debug_assert!(self.pos < self.limit || self.built.failed, "nothing to take");
        self.pos += 1;
    }

    /// Takes the token at the position if it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Ends a node: its tokens run from the mark to the position, its descendants are all nodes
    /// since.
    #[inline]
    pub(crate) fn finish(&mut self, kind: NodeKind, mark: Mark) {
        let id_at = |at: usize| self.sig.get(at).map_or(0, |sig| sig.id);
        let end = self.pos.checked_sub(1).map_or(0, |last| id_at(last) + 1);
        let start = if self.pos > mark.sig { id_at(mark.sig) } else { end };
        let node = NodeData::new(kind, mark.node, start..end);
        if node.is_long() {
            self.built.long.push((self.built.nodes.len() as u32, end));
        }
        self.built.nodes.push(node);
    }

    /// A node of one token, which is taken.
    pub(crate) fn leaf(&mut self, kind: NodeKind) {
        let mark = self.mark();
        self.bump();
        self.finish(kind, mark);
        self.height = 1;
    }

    /// A node for something that is missing.
    pub(crate) fn missing(&mut self) {
        let mark = self.mark();
        self.finish(NodeKind::Error, mark);
        self.height = 1;
    }

    /// Kind of the node that ended last.
    pub(crate) fn last_kind(&self) -> Option<NodeKind> {
        self.built.nodes.last().map(|node| node.kind)
    }

    pub(crate) fn set_last_kind(&mut self, kind: NodeKind) {
        if let Some(node) = self.built.nodes.last_mut() {
            node.kind = kind;
        }
    }

    // ---- depth

    /// Goes one construct deeper; `false`, with an error, when that is too deep.
    pub(crate) fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            self.too_deep();
            return false;
        }
        true
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The tree has grown to this height.
    #[inline]
    pub(crate) fn set_height(&mut self, height: u32) {
        self.height = height;
        if height > MAX_DEPTH {
            self.height = 1;
            self.too_deep();
        }
    }

    /// Reports "nested too deeply" and gives up everything up to the next anchor.
    pub(crate) fn too_deep(&mut self) {
        self.error("syntax.too_deep", |_| "nested too deeply".to_owned());
        self.quiet = true;
        self.skip_to(self.limit);
        self.height = 1;
    }

    // ---- trouble

    /// Reports an error at the position. In a literal parse it ends the parse.
    pub(crate) fn error(&mut self, code: &'static str, message: impl FnOnce(&Self) -> String) {
        self.error_at(self.pos, code, message);
    }

    pub(crate) fn error_at(
        &mut self,
        at: usize,
        code: &'static str,
        message: impl FnOnce(&Self) -> String,
    ) {
        if !self.is_guarded() {
            self.built.failed = true;
            self.set_limit(0);
            return;
        }
        // Error tokens are reported by themselves; one error for one place is enough.
        let repeated = self.last_error == at || self.kind_at(at) == TokenKind::Error;
        self.last_error = at;
        if self.quiet || repeated {
            return;
        }
        let message = message(self);
        let (start, end) = self.span_at(at);
        let span = if at < self.limit {
            (start, end)
        } else {
            let before = at.checked_sub(1).map_or(0, |before| self.span_at(before).1);
            (before, before)
        };
        self.push_error(span, code, message);
    }

    fn push_error(&mut self, (start, end): (usize, usize), code: &'static str, message: String) {
        let span = TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32));
        self.built.errors.push(SyntaxError { span, code, message });
    }

    /// Reports that something else was expected here.
    pub(crate) fn expected(&mut self, what: &str) {
        self.error("syntax.expected", |parser| {
            format!("expected {what}, found {}", parser.describe(parser.pos))
        });
    }

    /// Takes a token of this kind, or reports that it is missing.
    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected(what);
        }
        found
    }

    /// The token at a place in words.
    pub(crate) fn describe(&self, at: usize) -> String {
        if at >= self.sig.len() {
            return "the end of the text".to_owned();
        }
        let text = self.text_at(at);
        let line = text.lines().next().unwrap_or("");
        let mut short: String = line.chars().take(24).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        if at >= self.limit {
            format!("the declaration at `{short}`")
        } else {
            format!("`{short}`")
        }
    }

    /// An error node over the tokens up to a place; none when there are none.
    pub(crate) fn skip_to(&mut self, place: usize) {
        if place > self.pos {
            let mark = self.mark();
            self.pos = place;
            self.finish(NodeKind::Error, mark);
        }
    }

    /// An error node over the tokens up to the next that starts a line (at least one token).
    pub(crate) fn skip_line(&mut self) {
        let mut place = self.pos + 1;
        while place < self.limit && !self.nl_at(place) {
            place += 1;
        }
        self.skip_to(place.min(self.limit));
    }

    /// Whether no line has started since the last error: what follows it is likely its echo.
    pub(crate) fn is_echo(&self) -> bool {
        let from = self.last_error;
        from <= self.pos && self.pos - from <= 64 && (from + 1..=self.pos).all(|at| !self.nl_at(at))
    }

    /// In a guarded parse: sets the limit to the next anchor behind the position and forgets what
    /// was open. `true` when the position is an anchor that is a declaration.
    pub(crate) fn resync(&mut self) -> bool {
        let Some(anchors) = &self.anchors else { return false };
        let next = anchors.partition_point(|(at, _)| *at <= self.pos);
        let limit = anchors.get(next).map_or(self.sig.len(), |(at, _)| *at);
        let is_declaration = next > 0 && anchors.get(next - 1) == Some(&(self.pos, true));
        self.set_limit(limit);
        self.open = [0; 3];
        self.quiet = false;
        self.header_memo.set((1, 0, false));
        is_declaration
    }

    fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.reach = self.sig.get(..limit).unwrap_or(&[]);
    }

    fn report_error_tokens(&mut self) {
        let mut end_before = usize::MAX;
        for at in 0..self.sig.len() {
            if self.sig.get(at).is_none_or(|sig| sig.kind != TokenKind::Error) {
                continue;
            }
            let (start, end) = self.span_at(at);
            let text = self.text.get(start..end).unwrap_or("");
            if start != end_before {
                let (code, message) = describe_error_token(text);
                self.push_error((start, end), code, message);
            }
            end_before = end;
        }
    }
}

/// What is wrong with an error token.
fn describe_error_token(text: &str) -> (&'static str, String) {
    let first = text.chars().next().unwrap_or(' ');
    match first {
        '"' if text.contains('{') => {
            ("syntax.unterminated", "the string or an interpolation in it is not closed".to_owned())
        }
        '"' => ("syntax.unterminated", "the string has no closing `\"`".to_owned()),
        '/' => ("syntax.unterminated", "the comment has no closing `*/`".to_owned()),
        '#' => ("syntax.unterminated", "the symbol has no closing `'`".to_owned()),
        '$' => ("syntax.unterminated", "expected a character after `$`, found the end".to_owned()),
        '\'' => (
            "syntax.bad_token",
            "found text in single quotes, expected a string in double quotes".to_owned(),
        ),
        '@' => (
            "syntax.bad_token",
            format!(
                "found `{text}`, expected `@primitive`, `@intrinsic`, `@expect` or `package@Name`"
            ),
        ),
        other => ("syntax.bad_token", format!("found the character {other:?}, expected a token")),
    }
}
