//! Rows as tuples. The terms of names are made once a page and shared by its rows.

use crate::atoms;
use crate::encode::side;
use bt_xref::ids::{Interner, NameId};
use bt_xref::{Index, Page, Provenance, Row, RowOwner, SiteKind};
use rustc_hash::FxHashMap;
use rustler::{Atom, Encoder, Env, Term};

/// `{Total, [{File, Line, Col, Start, End, Kind, {Provenance, Name, Side, Selector}}]}`.
pub(crate) fn page<'a, 'i>(
    env: Env<'a>,
    index: &'i Index,
    page: Page<impl Iterator<Item = Row<'i>>>,
) -> Term<'a> {
    let mut terms = Terms::new(env, index.names());
    let mut rows = Vec::with_capacity(page.rows.size_hint().1.unwrap_or(0).min(page.total));
    page.rows.for_each(|row| rows.push(terms.row(&row)));
    (page.total, rows).encode(env)
}

/// The last value of something and its term.
type Last<'a, T> = Option<(T, Term<'a>)>;

struct Terms<'a, 'i> {
    env: Env<'a>,
    names: &'i Interner,
    made: FxHashMap<NameId, Term<'a>>,
    unit: Last<'a, bt_xref::posting::UnitId>,
    owner: Last<'a, RowOwner>,
}

impl<'a, 'i> Terms<'a, 'i> {
    fn new(env: Env<'a>, names: &'i Interner) -> Self {
        Self { env, names, made: FxHashMap::default(), unit: None, owner: None }
    }

    fn row(&mut self, row: &Row<'_>) -> Term<'a> {
        let env = self.env;
        let file = kept(&mut self.unit, row.entry.id, |_| row.entry.file.encode(env));
        let kind = kind(row.kind);
        let owner = match self.owner {
            Some((owner, term)) if owner == row.owner => term,
            _ => self.owner(row.owner),
        };
        (file, row.line, row.col, row.start, row.end, kind, owner).encode(env)
    }

    fn owner(&mut self, owner: RowOwner) -> Term<'a> {
        let env = self.env;
        let provenance = provenance(owner.provenance);
        let (name, selector) = (self.name(owner.name), self.name(owner.selector));
        let term = (provenance, name, side(owner.side), selector).encode(env);
        self.owner = Some((owner, term));
        term
    }

    fn name(&mut self, name: NameId) -> Term<'a> {
        if name == NameId::NONE {
            return atoms::nil().encode(self.env);
        }
        let (env, names) = (self.env, self.names);
        *self.made.entry(name).or_insert_with(|| names.text(name).encode(env))
    }
}

fn kept<'a, T: Copy + PartialEq>(
    last: &mut Last<'a, T>,
    value: T,
    make: impl FnOnce(T) -> Term<'a>,
) -> Term<'a> {
    match *last {
        Some((it, term)) if it == value => term,
        _ => {
            let term = make(value);
            *last = Some((value, term));
            term
        }
    }
}

/// A kind as an atom.
pub(crate) fn kind(kind: SiteKind) -> Atom {
    match kind {
        SiteKind::Declaration => atoms::declaration(),
        SiteKind::Superclass => atoms::superclass(),
        SiteKind::SuperclassArgument => atoms::superclass_argument(),
        SiteKind::Bound => atoms::bound(),
        SiteKind::Extending => atoms::extending(),
        SiteKind::ExtensionTarget => atoms::extension_target(),
        SiteKind::Expression => atoms::expression(),
        SiteKind::Annotation => atoms::annotation(),
        SiteKind::Pattern => atoms::pattern(),
        SiteKind::Alias => atoms::alias(),
        SiteKind::Manifest => atoms::manifest(),
        SiteKind::Definition => atoms::definition(),
        SiteKind::SelfSend => atoms::self_send(),
        SiteKind::SuperSend => atoms::super_send(),
        SiteKind::Send => atoms::send(),
        SiteKind::Symbol => atoms::symbol(),
        SiteKind::Doc => atoms::doc(),
        SiteKind::Prose => atoms::prose(),
    }
}

/// A provenance as an atom.
pub(crate) fn provenance(provenance: Provenance) -> Atom {
    match provenance {
        Provenance::Body => atoms::body(),
        Provenance::Extension => atoms::extension(),
        Provenance::Builder => atoms::builder(),
        Provenance::Generated => atoms::generated(),
        Provenance::Header => atoms::header(),
        Provenance::Field => atoms::field(),
        Provenance::Protocol => atoms::protocol(),
        Provenance::Alias => atoms::alias(),
        Provenance::Statement => atoms::statement(),
    }
}
