//! The lossless tree of one unit.
//!
//! Two flat arrays hold everything: the tokens, which tile the text, and the nodes in post-order (a
//! node stands behind all its descendants). A node knows its first descendant, so the children of
//! node `i` are found from the last (`i - 1`) to the first without pointers, a walk over all nodes
//! is a loop over an array, and dropping a tree needs no recursion.

use crate::kind::{NodeKind, TokenKind};
use std::ops::Range;
use text_size::{TextRange, TextSize};

/// Index of a token in its unit.
pub type TokenId = u32;
/// Index of a node in its unit.
pub type NodeId = u32;

/// One node, packed in twelve bytes: its tokens are `first_token..first_token + n_tokens`, its
/// descendants `first_node..id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeData {
    first_token: TokenId,
    first_node: NodeId,
    /// Little-endian; all ones: the end stands in [`Unit::long`].
    n_tokens: [u8; 3],
    pub(crate) kind: NodeKind,
}

const LONG: u32 = 0x00FF_FFFF;

impl NodeData {
    pub(crate) fn new(kind: NodeKind, first_node: NodeId, tokens: Range<TokenId>) -> Self {
        let n_tokens = tokens.end.saturating_sub(tokens.start).min(LONG);
        let [a, b, c, _] = n_tokens.to_le_bytes();
        Self { first_token: tokens.start, first_node, n_tokens: [a, b, c], kind }
    }

    pub(crate) fn is_long(self) -> bool {
        self.n_tokens() == LONG
    }

    pub(crate) fn first_token(self) -> TokenId {
        self.first_token
    }

    fn n_tokens(self) -> u32 {
        let [a, b, c] = self.n_tokens;
        u32::from_le_bytes([a, b, c, 0])
    }
}

/// A syntax error: a value beside the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where, in bytes, half-open; never longer than the offending token.
    pub span: TextRange,
    /// Stable code, `syntax.…` (docs/errors.md).
    pub code: &'static str,
    /// One line: what was found and what was expected.
    pub message: String,
}

/// A parsed file: its text, tokens, nodes and errors. Immutable.
#[derive(Debug)]
pub struct Unit {
    pub(crate) text: Box<str>,
    pub(crate) kinds: Vec<TokenKind>,
    pub(crate) starts: Vec<u32>,
    pub(crate) nodes: Vec<NodeData>,
    /// Ends of the nodes with more tokens than [`NodeData`] can count; ascending.
    pub(crate) long: Vec<(NodeId, TokenId)>,
    pub(crate) errors: Vec<SyntaxError>,
}

impl Unit {
    /// The text, byte for byte as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The errors in order of position. Empty for a well-formed unit.
    #[must_use]
    pub fn errors(&self) -> &[SyntaxError] {
        &self.errors
    }

    /// Number of tokens, trivia included.
    #[must_use]
    pub fn n_tokens(&self) -> u32 {
        self.kinds.len() as u32
    }

    /// Number of nodes.
    #[must_use]
    pub fn n_nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Bytes held by this unit, its text included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.text.len()
            + self.kinds.capacity()
            + self.starts.capacity() * size_of::<u32>()
            + self.nodes.capacity() * size_of::<NodeData>()
            + self.long.capacity() * size_of::<(NodeId, TokenId)>()
            + self.errors.capacity() * size_of::<SyntaxError>()
    }

    /// The token with this id.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Token<'_> {
        Token { unit: self, id }
    }

    /// All tokens in order.
    pub fn tokens(&self) -> impl DoubleEndedIterator<Item = Token<'_>> {
        (0..self.n_tokens()).map(|id| self.token(id))
    }

    /// The node with this id.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { unit: self, id }
    }

    /// All nodes in post-order; the last one is the root.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        (0..self.n_nodes()).map(|id| self.node(id))
    }

    /// The root: a node of kind [`NodeKind::File`].
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(self.n_nodes().saturating_sub(1))
    }

    fn start_of(&self, token: TokenId) -> u32 {
        self.starts.get(token as usize).copied().unwrap_or(self.text.len() as u32)
    }
}

/// A token of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Token<'u> {
    unit: &'u Unit,
    id: TokenId,
}

impl PartialEq for Token<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.unit, other.unit) && self.id == other.id
    }
}

impl<'u> Token<'u> {
    /// Its index.
    #[must_use]
    pub fn id(self) -> TokenId {
        self.id
    }

    /// Its kind; [`TokenKind::Error`] past the end.
    #[must_use]
    pub fn kind(self) -> TokenKind {
        self.unit.kinds.get(self.id as usize).copied().unwrap_or(TokenKind::Error)
    }

    /// Its bytes, half-open.
    #[must_use]
    pub fn span(self) -> TextRange {
        TextRange::new(
            TextSize::new(self.unit.start_of(self.id)),
            TextSize::new(self.unit.start_of(self.id + 1)),
        )
    }

    /// Its text.
    #[must_use]
    pub fn text(self) -> &'u str {
        slice(&self.unit.text, self.span())
    }

    /// Its unit.
    #[must_use]
    pub fn unit(self) -> &'u Unit {
        self.unit
    }
}

/// A node of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Node<'u> {
    unit: &'u Unit,
    id: NodeId,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.unit, other.unit) && self.id == other.id
    }
}

impl Eq for Node<'_> {}

impl<'u> Node<'u> {
    fn data(self) -> NodeData {
        self.unit.nodes.get(self.id as usize).copied().unwrap_or(NodeData {
            first_token: 0,
            first_node: self.id,
            n_tokens: [0; 3],
            kind: NodeKind::Error,
        })
    }

    fn end_token(self) -> TokenId {
        let data = self.data();
        if !data.is_long() {
            return data.first_token + data.n_tokens();
        }
        let long = &self.unit.long;
        let found = long.binary_search_by_key(&self.id, |(id, _)| *id);
        found.ok().and_then(|at| long.get(at)).map_or(data.first_token + LONG, |(_, end)| *end)
    }

    /// Its index; larger than that of every descendant.
    #[must_use]
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Its unit.
    #[must_use]
    pub fn unit(self) -> &'u Unit {
        self.unit
    }

    /// Its kind.
    #[must_use]
    pub fn kind(self) -> NodeKind {
        self.data().kind
    }

    /// Id of its first descendant (its own id for a leaf): it and its descendants are
    /// `first_node()..=id()`.
    #[must_use]
    pub fn first_node(self) -> NodeId {
        self.data().first_node
    }

    /// First token.
    #[must_use]
    pub fn first_token(self) -> Token<'u> {
        self.unit.token(self.data().first_token)
    }

    /// Its tokens, half-open, trivia between them included.
    #[must_use]
    pub fn token_range(self) -> Range<TokenId> {
        self.data().first_token..self.end_token()
    }

    /// Its bytes from the first significant token to the last, half-open; empty for a node without
    /// tokens.
    #[must_use]
    pub fn span(self) -> TextRange {
        let tokens = self.token_range();
        let start = self.unit.start_of(tokens.start);
        let end = if tokens.is_empty() { start } else { self.unit.start_of(tokens.end) };
        TextRange::new(TextSize::new(start), TextSize::new(end))
    }

    /// Its text.
    #[must_use]
    pub fn text(self) -> &'u str {
        slice(&self.unit.text, self.span())
    }

    /// Its children from last to first, without allocating.
    pub fn children_rev(self) -> impl Iterator<Item = Node<'u>> {
        let unit = self.unit;
        let first = self.first_node();
        let mut next = self.id;
        std::iter::from_fn(move || {
            if next <= first {
                return None;
            }
            let child = unit.node(next - 1);
            next = child.first_node();
            Some(child)
        })
    }

    /// Its children in order.
    #[must_use]
    pub fn children(self) -> Vec<Node<'u>> {
        let mut children: Vec<_> = self.children_rev().collect();
        children.reverse();
        children
    }

    /// Its first child of a kind.
    #[must_use]
    pub fn child(self, kind: NodeKind) -> Option<Node<'u>> {
        self.children_rev().filter(|child| child.kind() == kind).last()
    }

    /// Its children of a kind, in order.
    #[must_use]
    pub fn children_of(self, kind: NodeKind) -> Vec<Node<'u>> {
        let mut children: Vec<_> =
            self.children_rev().filter(|child| child.kind() == kind).collect();
        children.reverse();
        children
    }

    /// Itself and all its descendants, in post-order.
    pub fn descendants(self) -> impl DoubleEndedIterator<Item = Node<'u>> {
        let unit = self.unit;
        (self.first_node()..=self.id).map(move |id| unit.node(id))
    }

    /// Its own significant tokens in order: those in none of its children.
    #[must_use]
    pub fn own_tokens(self) -> Vec<Token<'u>> {
        let mut tokens = Vec::new();
        let own = self.token_range();
        let mut end = own.end;
        let mut collect = |from: TokenId, to: TokenId| {
            for id in (from..to).rev() {
                let token = self.unit.token(id);
                if !token.kind().is_trivia() {
                    tokens.push(token);
                }
            }
        };
        for child in self.children_rev() {
            let range = child.token_range();
            collect(range.end, end);
            end = range.start;
        }
        collect(own.start, end);
        tokens.reverse();
        tokens
    }

    /// Its first own token of a kind.
    #[must_use]
    pub fn own_token(self, kind: TokenKind) -> Option<Token<'u>> {
        self.own_tokens().into_iter().find(|token| token.kind() == kind)
    }

    /// Whether it or a descendant is an error node.
    #[must_use]
    pub fn has_error(self) -> bool {
        self.descendants().any(|node| node.kind() == NodeKind::Error)
    }
}

fn slice(text: &str, span: TextRange) -> &str {
    text.get(usize::from(span.start())..usize::from(span.end())).unwrap_or("")
}
