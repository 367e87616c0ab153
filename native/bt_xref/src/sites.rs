//! From facts to sites: exact spans, line and column, owner.

use crate::facts::{
    ClassFact, DeclKind, DefFact, DefKind, Owner, OwnerIdx, OwnerKind, RefFact, SendFact,
    SymbolFact,
};
use crate::ids::{Interner, NameId};
use crate::site::{Site, SiteKind, SiteSpan};
use crate::snapshot::UnitEntry;
use bt_syntax::ast::{ClassName, Header};
use bt_syntax::tree::NodeId;
use bt_syntax::{Node, NodeKind, Selector, Side, TextRange, Token, TokenKind};
use std::cell::Cell;
use std::sync::Arc;

/// Makes the sites of one unit. Lines are counted from the last site on, so that sites in order cost
/// one pass over the text.
pub struct SiteMaker<'a> {
    entry: &'a UnitEntry,
    names: &'a Interner,
    /// An offset at the start of a line, and the number of line ends before it.
    counted: Cell<(usize, u32)>,
}

impl<'a> SiteMaker<'a> {
    /// A maker for a unit.
    #[must_use]
    pub fn new(entry: &'a UnitEntry, names: &'a Interner) -> Self {
        Self { entry, names, counted: Cell::new((0, 0)) }
    }

    /// The site of a send.
    #[must_use]
    pub fn send(&self, fact: &SendFact) -> Site {
        self.at_node(fact.node, fact.site_kind(), self.owner_text(fact.owner()))
    }

    /// The site of a class reference.
    #[must_use]
    pub fn reference(&self, fact: &RefFact) -> Site {
        self.at_node(fact.node, fact.kind, self.owner_text(fact.owner))
    }

    /// The site of a definition.
    #[must_use]
    pub fn definition(&self, fact: &DefFact) -> Site {
        let owner = match self.entry.facts.owner(fact.owner) {
            Some(owner) if matches!(fact.kind, DefKind::Generated | DefKind::Builder) => {
                self.method_text(owner.name, fact.side, fact.selector)
            }
            _ => self.owner_text(fact.owner),
        };
        let mut site = self.at_node(fact.node, SiteKind::Definition, owner);
        if fact.kind == DefKind::Generated {
            self.names.text(fact.selector).clone_into(&mut site.old);
        }
        site
    }

    /// The site of a symbol.
    #[must_use]
    pub fn symbol(&self, fact: &SymbolFact) -> Site {
        self.at_node(fact.node, SiteKind::Symbol, self.owner_text(fact.owner))
    }

    /// The site of a declared name.
    #[must_use]
    pub fn declaration(&self, fact: &ClassFact) -> Site {
        let node = self.entry.unit.node(fact.node);
        let name = match fact.kind {
            DeclKind::Builder => node.id(),
            _ => node.child(NodeKind::DeclName).map_or(node.id(), Node::id),
        };
        self.at_node(name, SiteKind::Declaration, self.owner_text(fact.owner))
    }

    /// A site of one span.
    #[must_use]
    pub fn span(&self, range: TextRange, kind: SiteKind, owner: String) -> Site {
        let text = self.entry.unit.text();
        let old = text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or("");
        let span = SiteSpan {
            start: range.start().into(),
            end: range.end().into(),
            old: old.to_owned(),
            new: None,
        };
        self.site(vec![span], kind, owner)
    }

    fn at_node(&self, node: NodeId, kind: SiteKind, owner: String) -> Site {
        let spans = name_tokens(self.entry.unit.node(node))
            .into_iter()
            .map(|token| SiteSpan {
                start: token.span().start().into(),
                end: token.span().end().into(),
                old: token.text().to_owned(),
                new: None,
            })
            .collect();
        self.site(spans, kind, owner)
    }

    fn site(&self, spans: Vec<SiteSpan>, kind: SiteKind, owner: String) -> Site {
        let old = spans.iter().map(|span| span.old.as_str()).collect();
        let (line, col) = self.line_col(spans.first().map_or(0, |span| span.start));
        Site { file: Arc::clone(&self.entry.file), spans, kind, old, new: None, line, col, owner }
    }

    /// Line and column of an offset, both from 1, the column in code points.
    #[must_use]
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        let text = self.entry.unit.text();
        let (counted, n_lines) = self.counted.get();
        let (from, n_lines) = if counted <= offset as usize { (counted, n_lines) } else { (0, 0) };
        let between = text.as_bytes().get(from..offset as usize).unwrap_or(&[]);
        let n_between = memchr::memchr_iter(b'\n', between).count() as u32;
        let line_start = memchr::memrchr(b'\n', between).map_or(from, |at| from + at + 1);
        self.counted.set((line_start, n_lines + n_between));
        let before = text.get(line_start..offset as usize).unwrap_or("");
        (n_lines + n_between + 1, before.chars().count() as u32 + 1)
    }

    /// How an owner is shown.
    #[must_use]
    pub fn owner_text(&self, owner: OwnerIdx) -> String {
        let Some(owner) = self.entry.facts.owner(owner) else { return String::new() };
        self.shown(owner)
    }

    fn shown(&self, owner: &Owner) -> String {
        let name = self.names.text(owner.name);
        match owner.kind {
            OwnerKind::TopLevel => "top level".to_owned(),
            OwnerKind::Class | OwnerKind::Field => name.to_owned(),
            OwnerKind::Method | OwnerKind::Extension => {
                self.method_text(owner.name, owner.side, owner.selector)
            }
            OwnerKind::Protocol => format!("Protocol {name}"),
            OwnerKind::Alias => format!("type {name}"),
        }
    }

    fn method_text(&self, class: NameId, side: Side, selector: NameId) -> String {
        let class = self.names.text(class);
        let selector = self.names.text(selector);
        match side {
            Side::Instance => format!("{class}>>{selector}"),
            Side::Class => format!("{class} class>>{selector}"),
        }
    }
}

/// The tokens that are the name at a node.
#[must_use]
pub fn name_tokens(node: Node<'_>) -> Vec<Token<'_>> {
    let kind = node.kind();
    if kind.is_send() || kind.is_cascade_part() {
        return Selector::of_send(node).map(|selector| selector.parts).unwrap_or_default();
    }
    let of_kind = |wanted: &[TokenKind]| {
        let mut tokens = node.own_tokens();
        tokens.retain(|token| wanted.contains(&token.kind()));
        tokens
    };
    match kind {
        NodeKind::Header => {
            Header::cast(node).map(|header| header.selector().parts).unwrap_or_default()
        }
        NodeKind::ConstructorPattern => of_kind(&[TokenKind::Keyword]),
        NodeKind::ClassName | NodeKind::ClassRef => {
            ClassName::cast(node).and_then(ClassName::name).into_iter().collect()
        }
        NodeKind::LiteralPattern | NodeKind::TypeSymbol => {
            of_kind(&[TokenKind::Symbol, TokenKind::QuotedSymbol])
        }
        _ => node.own_tokens(),
    }
}
