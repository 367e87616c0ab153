//! From facts to sites: exact spans, line and column, owner.

use crate::facts::{
    ClassFact, DeclKind, DefFact, DefKind, OwnerIdx, RefFact, SendFact, SymbolFact,
};
use crate::ids::{Interner, NameId};
use crate::rows::RowOwner;
use crate::site::{Site, SiteKind, SiteSpan};
use crate::snapshot::UnitEntry;
use bt_syntax::ast::{ClassName, Header};
use bt_syntax::tree::NodeId;
use bt_syntax::{Node, NodeKind, Selector, TextRange, Token, TokenKind};
use std::sync::Arc;

/// Makes the sites of one unit.
pub struct SiteMaker<'a> {
    entry: &'a UnitEntry,
    names: &'a Interner,
}

impl<'a> SiteMaker<'a> {
    /// A maker for a unit.
    #[must_use]
    pub fn new(entry: &'a UnitEntry, names: &'a Interner) -> Self {
        Self { entry, names }
    }

    /// The site of a send.
    #[must_use]
    pub fn send(&self, fact: &SendFact) -> Site {
        self.at_node(fact.node, fact.site_kind(), self.owner(fact.owner()))
    }

    /// The site of a class reference.
    #[must_use]
    pub fn reference(&self, fact: &RefFact) -> Site {
        self.at_node(fact.node, fact.kind, self.owner(fact.owner))
    }

    /// The site of a definition.
    #[must_use]
    pub fn definition(&self, fact: &DefFact) -> Site {
        let owner = RowOwner::of_def(&self.entry.facts, fact).unwrap_or(RowOwner::STATEMENT);
        let mut site = self.at_node(fact.node, SiteKind::Definition, owner);
        if fact.kind == DefKind::Generated {
            self.names.text(fact.selector).clone_into(&mut site.old);
        }
        site
    }

    /// The site of a symbol.
    #[must_use]
    pub fn symbol(&self, fact: &SymbolFact) -> Site {
        self.at_node(fact.node, SiteKind::Symbol, self.owner(fact.owner))
    }

    /// The site of a declared name.
    #[must_use]
    pub fn declaration(&self, fact: &ClassFact) -> Site {
        let node = self.entry.unit.node(fact.node);
        let name = match fact.kind {
            DeclKind::Builder | DeclKind::Opaque => node.id(),
            _ => node.child(NodeKind::DeclName).map_or(node.id(), Node::id),
        };
        let mut site = self.at_node(name, SiteKind::Declaration, self.owner(fact.owner));
        if fact.kind == DeclKind::Opaque {
            self.names.text(fact.name).clone_into(&mut site.old);
        }
        site
    }

    /// A site of one span, of an owner or of none.
    #[must_use]
    pub fn span(&self, range: TextRange, kind: SiteKind, owner: Option<OwnerIdx>) -> Site {
        let text = self.entry.unit.text();
        let old = text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or("");
        let span = SiteSpan {
            start: range.start().into(),
            end: range.end().into(),
            old: old.to_owned(),
            new: None,
        };
        let owner = owner.map_or(RowOwner::STATEMENT, |owner| self.owner(owner));
        self.site(vec![span], kind, owner)
    }

    fn at_node(&self, node: NodeId, kind: SiteKind, owner: RowOwner) -> Site {
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

    fn site(&self, spans: Vec<SiteSpan>, kind: SiteKind, owner: RowOwner) -> Site {
        let old = spans.iter().map(|span| span.old.as_str()).collect();
        let (line, col) = self.line_col(spans.first().map_or(0, |span| span.start));
        Site {
            file: Arc::clone(&self.entry.file),
            spans,
            kind,
            old,
            new: None,
            line,
            col,
            owner: owner.text(self.names),
            owner_name: self.some_name(owner.name),
            owner_selector: self.some_name(owner.selector),
            side: owner.side,
            provenance: owner.provenance,
        }
    }

    /// Line and column of an offset, both from 1, the column in code points.
    #[must_use]
    pub fn line_col(&self, offset: u32) -> (u32, u32) {
        self.entry.facts.lines.line_col(self.entry.unit.text(), offset)
    }

    fn some_name(&self, name: NameId) -> Option<String> {
        name.some().map(|name| self.names.text(name).to_owned())
    }

    fn owner(&self, owner: OwnerIdx) -> RowOwner {
        self.entry.facts.row_owner(owner).unwrap_or(RowOwner::STATEMENT)
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
