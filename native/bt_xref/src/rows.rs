//! Answers as rows: what a fact itself says, with the numbers of the names it refers to.
//!
//! A row is made from facts alone; the tree is looked at only for the end of a name of several
//! parts. Rows are made as they are taken, so a page costs its own rows and no others, and whoever
//! shows them makes the text of each name once a page.

use crate::by_name::Named;
use crate::facts::{DefFact, DefKind, Owner, OwnerKind, Place, RefFact, SendFact, UnitFacts};
use crate::ids::{Interner, NameId};
use crate::posting::Posting;
use crate::site::SiteKind;
use crate::sites::name_tokens;
use crate::snapshot::{Index, UnitEntry};
use bt_syntax::tree::NodeId;
use bt_syntax::Side;

/// Which part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Rows to leave out at the front.
    pub offset: usize,
    /// Rows to return at most.
    pub limit: usize,
}

/// A part of an answer.
pub struct Page<Rows> {
    /// Number of rows in the whole answer.
    pub total: usize,
    /// The rows asked for, in order of file and position.
    pub rows: Rows,
}

/// How an owner came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provenance {
    /// A method in a class body.
    Body,
    /// A method behind an extension's target.
    Extension,
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
    /// A statement outside of any definition.
    Statement,
}

impl Provenance {
    /// Its name outside of this crate (docs/interfaces.md).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Extension => "extension",
            Self::Builder => "builder",
            Self::Generated => "generated",
            Self::Header => "header",
            Self::Field => "field",
            Self::Protocol => "protocol",
            Self::Alias => "alias",
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
            OwnerKind::Method => (Provenance::Body, owner.selector),
            OwnerKind::Extension => (Provenance::Extension, owner.selector),
            OwnerKind::Protocol => (Provenance::Protocol, owner.selector),
            OwnerKind::Alias => (Provenance::Alias, NameId::NONE),
        };
        Self { provenance, name: owner.name, side: owner.side, selector }
    }

    pub(crate) fn of_def(facts: &UnitFacts, def: &DefFact) -> Option<Self> {
        let owner = facts.owner(def.owner)?;
        let provenance = match def.kind {
            DefKind::Generated => Provenance::Generated,
            DefKind::Builder => Provenance::Builder,
            DefKind::Method | DefKind::Extension | DefKind::Requirement => {
                return Some(Self::of(owner))
            }
        };
        let (name, side, selector) = (owner.name, def.side, def.selector);
        Some(Self { provenance, name, side, selector })
    }
}

/// One named thing at one place.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its unit.
    pub entry: &'a UnitEntry,
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
    /// Whom it belongs to. Equal numbers in one unit are the same owner, but for definitions.
    pub owner: RowOwner,
}

/// A fact that rows are made of.
trait RowFact: Named {
    fn place(&self, entry: &UnitEntry) -> Place;
    fn node(&self) -> NodeId;
    fn site_kind(&self) -> SiteKind;
    fn row_owner(&self, facts: &UnitFacts) -> Option<RowOwner>;
}

impl RowFact for SendFact {
    fn place(&self, _: &UnitEntry) -> Place {
        self.at
    }

    fn node(&self) -> NodeId {
        self.node
    }

    fn site_kind(&self) -> SiteKind {
        self.site_kind()
    }

    fn row_owner(&self, facts: &UnitFacts) -> Option<RowOwner> {
        facts.row_owner(self.owner())
    }
}

impl RowFact for RefFact {
    fn place(&self, _: &UnitEntry) -> Place {
        self.at
    }

    fn node(&self) -> NodeId {
        self.node
    }

    fn site_kind(&self) -> SiteKind {
        self.kind
    }

    fn row_owner(&self, facts: &UnitFacts) -> Option<RowOwner> {
        facts.row_owner(self.owner)
    }
}

impl RowFact for DefFact {
    fn place(&self, entry: &UnitEntry) -> Place {
        let mut at = Place::new(self.start);
        at.find(&entry.facts.lines, entry.unit.text());
        at
    }

    fn node(&self) -> NodeId {
        self.node
    }

    fn site_kind(&self) -> SiteKind {
        SiteKind::Definition
    }

    fn row_owner(&self, facts: &UnitFacts) -> Option<RowOwner> {
        RowOwner::of_def(facts, self)
    }
}

/// What all rows of one answer share.
#[derive(Clone, Copy)]
struct RowMaker {
    /// Bytes of the name, where it is one token wherever it stands.
    len: Option<u32>,
}

impl RowMaker {
    fn new(name: &str) -> Self {
        let is_one_token = !name.contains(':');
        Self { len: is_one_token.then_some(name.len() as u32) }
    }

    fn row<'a, T: RowFact>(self, entry: &'a UnitEntry, fact: &T) -> Option<Row<'a>> {
        let owner = fact.row_owner(&entry.facts)?;
        let Place { start, line, col } = fact.place(entry);
        let end = match self.len.filter(|_| owner.provenance != Provenance::Generated) {
            Some(len) => start + len,
            None => {
                let tokens = name_tokens(entry.unit.node(fact.node()));
                tokens.last().map_or(start, |token| token.span().end().into())
            }
        };
        Some(Row { entry, start, end, line, col, kind: fact.site_kind(), owner })
    }
}

impl Index {
    /// A page of the sends of a selector.
    pub fn sender_rows(&self, selector: &str, slice: Slice) -> Page<impl Iterator<Item = Row<'_>>> {
        let name = self.names().lookup(selector).unwrap_or(NameId::NONE);
        self.page(self.sends.get(name), slice, RowMaker::new(selector), move |entry| {
            entry.facts.sends_of(name)
        })
    }

    /// A page of the references to a name.
    pub fn reference_rows(&self, class: &str, slice: Slice) -> Page<impl Iterator<Item = Row<'_>>> {
        let name = self.names().lookup(class).unwrap_or(NameId::NONE);
        self.page(self.refs.get(name), slice, RowMaker::new(class), move |entry| {
            entry.facts.refs_of(name)
        })
    }

    /// A page of the definitions of a selector.
    pub fn implementor_rows(
        &self,
        selector: &str,
        slice: Slice,
    ) -> Page<impl Iterator<Item = Row<'_>>> {
        let maker = RowMaker::new(selector);
        let facts = self.def_facts(selector);
        let total = facts.len();
        let part = facts.into_iter().skip(slice.offset).take(slice.limit);
        Page { total, rows: part.filter_map(move |(entry, fact)| maker.row(entry, fact)) }
    }

    /// Reads what the rows of a unit will need.
    fn read_ahead<T: RowFact>(&self, entry: &UnitEntry, facts: &[T]) -> u32 {
        let first = |text: &str| text.bytes().next().map_or(0, u32::from);
        let class = entry.facts.row_owners.first().map_or(NameId::NONE, |owner| owner.name);
        let place = facts.first().map_or(0, RowFact::node);
        first(&entry.file) ^ first(self.names().text(class)) ^ place
    }

    fn page<'a, T: RowFact + 'a>(
        &'a self,
        posting: &'a Posting,
        slice: Slice,
        maker: RowMaker,
        facts: impl Fn(&'a UnitEntry) -> &'a [T] + 'a,
    ) -> Page<impl Iterator<Item = Row<'a>>> {
        let (mut n_before, mut n_units) = (0, 0);
        for share in posting.entries() {
            let n_upto = n_before + share.count as usize;
            if n_upto > slice.offset {
                break;
            }
            (n_before, n_units) = (n_upto, n_units + 1);
        }
        let n_skipped = slice.offset.saturating_sub(n_before);
        let mut n_left = slice.limit.saturating_add(n_skipped);
        // All are found before the first row is made: the searches wait for memory side by side.
        let mut units = Vec::new();
        let mut read = 0;
        for share in posting.entries().get(n_units..).unwrap_or(&[]) {
            if n_left == 0 {
                break;
            }
            n_left = n_left.saturating_sub(share.count as usize);
            let Some(entry) = self.entry(share.unit) else { continue };
            let facts = facts(entry);
            read ^= self.read_ahead(entry, facts);
            units.push((&**entry, facts));
        }
        std::hint::black_box(read);
        let pairs =
            units.into_iter().flat_map(|(entry, facts)| facts.iter().map(move |it| (entry, it)));
        let part = pairs.skip(n_skipped).take(slice.limit);
        let rows = part.filter_map(move |(entry, fact)| maker.row(entry, fact));
        Page { total: posting.total(), rows }
    }
}
