//! Answers as rows: sites in short, with the numbers of the names they refer to.
//!
//! Rows of sends and references are read from their posting list alone ([`crate::row_list`]); no unit
//! is looked at. A page costs its own rows and no others, and whoever is shown them makes the text of
//! each name once a page, or nearly.

use crate::facts::{Body, DefFact, DefKind, Owner, OwnerKind, UnitFacts};
use crate::ids::{Interner, NameId};
use crate::posting::{Posting, UnitId};
use crate::row_list::show;
use crate::site::SiteKind;
use crate::sites::name_tokens;
use crate::snapshot::{Index, UnitEntry};
use bt_syntax::Side;

/// Which part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Rows to leave out at the front.
    pub offset: usize,
    /// Rows to return at most.
    pub limit: usize,
}

/// How an owner came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Provenance {
    /// A method in a class body.
    Body,
    /// A method in a class body that was patched live and is not in its file yet.
    Patch,
    /// A method behind an extension's target.
    Extension,
    /// A block of a method that has been changed or is gone: it may still run.
    Orphan,
    /// A method given to a class builder.
    Builder,
    /// A getter, copy-setter or constructor that the compiler makes.
    Generated,
    /// The header of a class.
    Header,
    /// A field, state or class state declaration.
    Field,
    /// A protocol, its header or a requirement.
    Protocol,
    /// A type alias.
    Alias,
    /// The project's manifest.
    Manifest,
    /// A statement outside of any definition.
    Statement,
}

impl Provenance {
    /// All, by their number.
    pub(crate) const ALL: [Self; 12] = [
        Self::Body,
        Self::Patch,
        Self::Extension,
        Self::Orphan,
        Self::Builder,
        Self::Generated,
        Self::Header,
        Self::Field,
        Self::Protocol,
        Self::Alias,
        Self::Manifest,
        Self::Statement,
    ];

    /// Its name outside of this crate (docs/interfaces.md).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Patch => "patch",
            Self::Extension => "extension",
            Self::Orphan => "orphan",
            Self::Builder => "builder",
            Self::Generated => "generated",
            Self::Header => "header",
            Self::Field => "field",
            Self::Protocol => "protocol",
            Self::Alias => "alias",
            Self::Manifest => "manifest",
            Self::Statement => "statement",
        }
    }
}

/// Whom a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowOwner {
    /// How it came to be.
    pub provenance: Provenance,
    /// The class, extension target, protocol or alias; [`NameId::NONE`] for a statement.
    pub name: NameId,
    /// The side its `self` is on.
    pub side: Side,
    /// The selector of a method or requirement; [`NameId::NONE`] for anything else.
    pub selector: NameId,
}

impl RowOwner {
    /// None: a statement outside of any definition.
    pub const STATEMENT: Self = Self {
        provenance: Provenance::Statement,
        name: NameId::NONE,
        side: Side::Instance,
        selector: NameId::NONE,
    };

    /// How it is shown: `Counter>>sel`, `Counter class>>sel`, `Counter`, `type Light`, …
    #[must_use]
    pub fn text(&self, names: &Interner) -> String {
        let (name, selector) = (names.text(self.name), names.text(self.selector));
        match (self.provenance, self.side) {
            (Provenance::Statement, _) => "top level".to_owned(),
            (Provenance::Manifest, _) => "manifest".to_owned(),
            (Provenance::Header | Provenance::Field, _) => name.to_owned(),
            (Provenance::Protocol, _) => format!("Protocol {name}"),
            (Provenance::Alias, _) => format!("type {name}"),
            (_, Side::Instance) => format!("{name}>>{selector}"),
            (_, Side::Class) => format!("{name} class>>{selector}"),
        }
    }

    /// An owner of facts as one of rows.
    #[must_use]
    pub fn of(owner: &Owner) -> Self {
        let (provenance, selector) = match owner.kind {
            OwnerKind::TopLevel => (Provenance::Statement, NameId::NONE),
            OwnerKind::Class => (Provenance::Header, NameId::NONE),
            OwnerKind::Field => (Provenance::Field, NameId::NONE),
            OwnerKind::Method => {
                let provenance = match owner.body {
                    Body::Written => Provenance::Body,
                    Body::Patched => Provenance::Patch,
                    Body::Stub => Provenance::Builder,
                    Body::Orphan => Provenance::Orphan,
                };
                (provenance, owner.selector)
            }
            OwnerKind::Extension if owner.body == Body::Orphan => {
                (Provenance::Orphan, owner.selector)
            }
            OwnerKind::Extension => (Provenance::Extension, owner.selector),
            OwnerKind::Protocol => (Provenance::Protocol, owner.selector),
            OwnerKind::Alias => (Provenance::Alias, NameId::NONE),
            OwnerKind::Manifest => (Provenance::Manifest, NameId::NONE),
        };
        Self { provenance, name: owner.name, side: owner.side, selector }
    }

    pub(crate) fn of_def(facts: &UnitFacts, def: &DefFact) -> Option<Self> {
        let owner = facts.owner(def.owner)?;
        let provenance = match def.kind {
            DefKind::Generated => Provenance::Generated,
            DefKind::Builder => Provenance::Builder,
            DefKind::Method | DefKind::Extension | DefKind::Requirement => {
                return Some(Self::of(owner));
            }
        };
        let (name, side, selector) = (owner.name, def.side, def.selector);
        Some(Self { provenance, name, side, selector })
    }
}

/// Where a row is, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// First byte of the name.
    pub start: u32,
    /// Byte after the name's last part.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in code points, from 1.
    pub col: u32,
    /// What stands there.
    pub kind: SiteKind,
}

/// Who is shown the rows of an answer, in order of file and position.
pub trait RowVisitor {
    /// The next rows are in this unit ([`Index::file`] tells its file); their owner is told anew.
    fn unit(&mut self, unit: UnitId);
    /// The next rows belong to this owner.
    fn owner(&mut self, owner: RowOwner);
    /// A row.
    fn row(&mut self, spot: Spot);
}

/// Rows in full, each with its unit and owner.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows so far.
    pub rows: Vec<(UnitId, RowOwner, Spot)>,
    of: Option<(UnitId, RowOwner)>,
}

impl RowVisitor for Rows {
    fn unit(&mut self, unit: UnitId) {
        self.of = Some((unit, RowOwner::STATEMENT));
    }

    fn owner(&mut self, owner: RowOwner) {
        self.of = self.of.map(|(unit, _)| (unit, owner));
    }

    fn row(&mut self, spot: Spot) {
        self.rows.extend(self.of.map(|(unit, owner)| (unit, owner, spot)));
    }
}

impl Index {
    /// Shows a part of the sends of a selector; answers the number of all.
    pub fn sender_rows(
        &self,
        selector: &str,
        slice: Slice,
        visitor: &mut impl RowVisitor,
    ) -> usize {
        let name = self.names().lookup(selector).unwrap_or(NameId::NONE);
        show_slice(self.sends.get(name), slice, selector.len(), visitor)
    }

    /// Shows a part of the references to a name; answers the number of all.
    pub fn reference_rows(
        &self,
        class: &str,
        slice: Slice,
        visitor: &mut impl RowVisitor,
    ) -> usize {
        let name = self.names().lookup(class).unwrap_or(NameId::NONE);
        show_slice(self.refs.get(name), slice, class.len(), visitor)
    }

    /// Shows a part of the definitions of a selector; answers the number of all.
    pub fn implementor_rows(
        &self,
        selector: &str,
        slice: Slice,
        visitor: &mut impl RowVisitor,
    ) -> usize {
        let facts = self.def_facts(selector);
        let mut last = None;
        for (entry, fact) in facts.iter().skip(slice.offset).take(slice.limit) {
            if last.replace(entry.id) != Some(entry.id) {
                visitor.unit(entry.id);
            }
            visitor.owner(RowOwner::of_def(&entry.facts, fact).unwrap_or(RowOwner::STATEMENT));
            visitor.row(definition_spot(entry, fact));
        }
        facts.len()
    }
}

fn show_slice(posting: &Posting, slice: Slice, len: usize, visitor: &mut impl RowVisitor) -> usize {
    let mut n_left = slice.limit;
    let (mut from, shares) = posting.shares_from(slice.offset);
    for share in shares {
        if n_left == 0 {
            break;
        }
        let range = from..from.saturating_add(n_left).min(share.count as usize);
        (from, n_left) = (0, n_left - range.len());
        show(share, len, range, visitor);
    }
    posting.total()
}

fn definition_spot(entry: &UnitEntry, fact: &DefFact) -> Spot {
    let (line, col) = entry.facts.lines.line_col(entry.unit.text(), fact.start);
    let tokens = name_tokens(entry.unit.node(fact.node));
    let end = tokens.last().map_or(fact.start, |token| token.span().end().into());
    Spot { start: fact.start, end, line, col, kind: SiteKind::Definition }
}
