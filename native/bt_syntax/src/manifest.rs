//! A project's manifest, `beamtalk.toml`, as a unit: so much of it as names classes.
//!
//! Its tree is `File (Manifest (ClassName*))`: one class name for each value that binds a class.
//! Comments and strings are tokens of those kinds, so mentions in them are found like any other's.
//! What is wrong with the TOML is not told here: a manifest without such a name names no class.

use crate::kind::{NodeKind, TokenKind};
use crate::selector::is_class_name;
use crate::tree::{NodeData, NodeId, TokenId, Unit};
use crate::{parse, parse_bytes, InvalidUtf8};

/// What the file of a manifest is called.
const FILE: &str = "beamtalk.toml";

/// The keys whose values name a class.
const CLASS_KEYS: [&[&str]; 1] = [&["application", "supervisor"]];

/// Parses the text of a file as its name asks: a `beamtalk.toml` as a manifest, any other as
/// Beamtalk.
///
/// # Errors
/// [`InvalidUtf8`] with the offset of the first wrong byte.
pub fn parse_file(file: &str, bytes: &[u8]) -> Result<Unit, InvalidUtf8> {
    if file.rsplit('/').next() != Some(FILE) {
        return parse_bytes(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(parse_manifest(text)),
        Err(error) => Err(InvalidUtf8 { offset: error.valid_up_to() }),
    }
}

impl Unit {
    /// Whether it is a manifest.
    #[must_use]
    pub fn is_manifest(&self) -> bool {
        self.root().child(NodeKind::Manifest).is_some()
    }

    /// Parses another text in the language of this one.
    #[must_use]
    pub fn parse_alike(&self, text: &str) -> Unit {
        if self.is_manifest() {
            parse_manifest(text)
        } else {
            parse(text)
        }
    }
}

/// Parses a manifest. Never fails.
#[must_use]
pub fn parse_manifest(text: &str) -> Unit {
    let mut reader = Reader::new(text);
    while reader.at < text.len() {
        reader.step();
    }
    reader.finish()
}

/// What is open: tables and arrays.
enum Frame {
    /// The key of the table.
    Table(Vec<String>),
    Array,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    kinds: Vec<TokenKind>,
    starts: Vec<u32>,
    names: Vec<std::ops::Range<TokenId>>,
    /// The section, and inside of it inline tables and arrays.
    open: Vec<Frame>,
    /// Parts of a key, or of a section's name.
    key: Vec<String>,
    is_section: bool,
    /// Whether a value may come.
    is_value: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            kinds: Vec::new(),
            starts: Vec::new(),
            names: Vec::new(),
            open: vec![Frame::Table(Vec::new())],
            key: Vec::new(),
            is_section: false,
            is_value: false,
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn push(&mut self, kind: TokenKind, len: usize) {
        self.kinds.push(kind);
        self.starts.push(self.at as u32);
        self.at += len;
    }

    /// Bytes up to the first character that is not of a kind.
    fn run(&self, is_in: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|ch| !is_in(ch)).unwrap_or(rest.len())
    }

    /// Reads one token, or the tokens of one string.
    fn step(&mut self) {
        let Some(first) = self.rest().chars().next() else { return };
        match first {
            ' ' | '\t' | '\r' => self.push(TokenKind::Space, self.run(|ch| " \t\r".contains(ch))),
            '\n' => {
                self.push(TokenKind::Newline, 1);
                self.line_ends();
            }
            '#' => self.push(TokenKind::LineComment, self.run(|ch| ch != '\n')),
            '"' | '\'' => self.string(first),
            _ if is_bare(first) => {
                let len = self.run(is_bare);
                self.part(self.rest().get(..len).unwrap_or(""));
                self.push(TokenKind::Ident, len);
            }
            _ => {
                self.push(TokenKind::Op, first.len_utf8());
                self.punctuation(first);
            }
        }
    }

    /// A part of a key, or a value.
    fn part(&mut self, text: &str) {
        if self.is_value {
            self.is_value = false;
        } else {
            self.key.push(text.to_owned());
        }
    }

    fn string(&mut self, quote: char) {
        let inside = self.rest().get(1..).unwrap_or("");
        let len = string_length(inside, quote);
        let content = inside.get(..len).unwrap_or("");
        let is_closed = inside.get(len..).is_some_and(|rest| rest.starts_with(quote));
        if is_closed && self.is_value && self.names_class() && is_class_name(content) {
            self.push(TokenKind::StringStart, 1);
            let token = self.kinds.len() as TokenId;
            self.names.push(token..token + 1);
            self.push(TokenKind::Ident, len);
            self.push(TokenKind::StringEnd, 1);
        } else {
            self.push(TokenKind::String, 1 + len + usize::from(is_closed));
        }
        self.part(content);
    }

    /// Whether the value that may come is of a key whose values name a class.
    fn names_class(&self) -> bool {
        let Some(Frame::Table(table)) = self.open.last() else { return false };
        let path = table.iter().chain(&self.key).map(String::as_str);
        CLASS_KEYS.iter().any(|key| key.iter().copied().eq(path.clone()))
    }

    fn punctuation(&mut self, ch: char) {
        match ch {
            '=' => self.is_value = true,
            '{' if self.is_value => {
                let mut path = match self.open.last() {
                    Some(Frame::Table(table)) => table.clone(),
                    _ => Vec::new(),
                };
                path.append(&mut self.key);
                self.open.push(Frame::Table(path));
                self.is_value = false;
            }
            '[' if self.is_value => self.open.push(Frame::Array),
            '[' => {
                self.key.clear();
                self.is_section = true;
            }
            ']' if self.is_section => {
                self.open = vec![Frame::Table(std::mem::take(&mut self.key))];
                self.is_section = false;
            }
            '}' | ']' if self.open.len() > 1 => {
                self.open.pop();
                self.key.clear();
                self.is_value = matches!(self.open.last(), Some(Frame::Array));
            }
            ',' => {
                self.key.clear();
                self.is_value = matches!(self.open.last(), Some(Frame::Array));
            }
            _ => {}
        }
    }

    /// A line's end ends a key and its value, but for an array's.
    fn line_ends(&mut self) {
        if self.open.iter().any(|frame| matches!(frame, Frame::Array)) {
            return;
        }
        self.open.truncate(1);
        self.key.clear();
        self.is_section = false;
        self.is_value = false;
    }

    fn finish(self) -> Unit {
        let n_tokens = self.kinds.len() as TokenId;
        let n_names = self.names.len() as NodeId;
        let name = |(at, tokens): (usize, std::ops::Range<TokenId>)| {
            NodeData::new(NodeKind::ClassName, at as NodeId, tokens)
        };
        let mut nodes: Vec<_> = self.names.into_iter().enumerate().map(name).collect();
        nodes.push(NodeData::new(NodeKind::Manifest, 0, 0..n_tokens));
        nodes.push(NodeData::new(NodeKind::File, 0, 0..n_tokens));
        // Nodes with more tokens than fit into them: the two that hold all.
        let is_long = |(at, node): (usize, &NodeData)| {
            node.is_long().then_some((at as NodeId, n_tokens)).filter(|(at, _)| *at >= n_names)
        };
        let long = nodes.iter().enumerate().filter_map(is_long).collect();
        Unit {
            text: self.text.into(),
            kinds: self.kinds,
            starts: self.starts,
            nodes,
            long,
            errors: Vec::new(),
        }
    }
}

fn is_bare(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || ch == '_' || ch == '-'
}

/// Bytes of a string's content, up to its quote or the line's end.
fn string_length(inside: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, ch) in inside.char_indices() {
        if ch == '\n' || (ch == quote && !is_escaped) {
            return at;
        }
        is_escaped = quote == '"' && ch == '\\' && !is_escaped;
    }
    inside.len()
}
