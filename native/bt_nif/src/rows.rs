//! Rows as tuples. The terms of names are made once a page, or nearly, and shared by its rows.

use crate::atoms;
use crate::encode::side;
use bt_syntax::Side;
use bt_xref::ids::NameId;
use bt_xref::posting::UnitId;
use bt_xref::{Index, Provenance, RowOwner, RowVisitor, SiteKind, Slice, Spot};
use rustler::{Atom, Encoder, Env, Term};

/// `{Total, [{File, Line, Col, Start, End, Kind, {Provenance, Name, Side, Selector}}]}`, of the rows
/// that a function shows and the number of all that it answers.
pub(crate) fn page<'a>(
    env: Env<'a>,
    index: &Index,
    slice: Slice,
    show: impl FnOnce(Slice, &mut Terms<'a, '_>) -> usize,
) -> Term<'a> {
    let nil = atoms::nil().encode(env);
    let mut terms = Terms {
        env,
        index,
        name: (NameId::NONE, nil),
        selectors: [(NameId::NONE, nil); N_KEPT],
        numbers: std::array::from_fn(|number| (number as u32).encode(env)),
        sides: [Side::Instance, Side::Class].map(side),
        kind: (SiteKind::Send, atoms::send()),
        provenance: (Provenance::Body, atoms::body()),
        file: nil,
        owner: nil,
        rows: Vec::with_capacity(slice.limit),
    };
    let total = show(slice, &mut terms);
    (total, terms.rows).encode(env)
}

/// Numbers from nought whose terms are kept: lines and columns.
const N_NUMBERS: usize = 128;

/// Selectors whose terms are kept, one for each remainder of their numbers.
const N_KEPT: usize = 64;

/// The rows of a page so far, and what the next has in common with the last.
pub(crate) struct Terms<'a, 'i> {
    env: Env<'a>,
    index: &'i Index,
    name: (NameId, Term<'a>),
    selectors: [(NameId, Term<'a>); N_KEPT],
    numbers: [Term<'a>; N_NUMBERS],
    sides: [Atom; 2],
    kind: (SiteKind, Atom),
    provenance: (Provenance, Atom),
    file: Term<'a>,
    owner: Term<'a>,
    rows: Vec<Term<'a>>,
}

impl RowVisitor for Terms<'_, '_> {
    fn unit(&mut self, unit: UnitId) {
        self.file = self.index.file(unit).encode(self.env);
    }

    #[inline(always)]
    fn owner(&mut self, owner: RowOwner) {
        if owner.provenance != self.provenance.0 {
            self.provenance = (owner.provenance, provenance(owner.provenance));
        }
        if owner.name != self.name.0 {
            self.name = (owner.name, self.text(owner.name));
        }
        let selector = self.selector(owner.selector);
        let [instance, class] = self.sides;
        let side = if owner.side == Side::Instance { instance } else { class };
        self.owner = (self.provenance.1, &self.name.1, side, selector).encode(self.env);
    }

    #[inline(always)]
    fn row(&mut self, spot: Spot) {
        if spot.kind != self.kind.0 {
            self.kind = (spot.kind, kind(spot.kind));
        }
        let Spot { start, end, .. } = spot;
        let (line, col) = (self.number(spot.line), self.number(spot.col));
        // By reference: a processor waits when it copies a term that has just been written.
        let row = (&self.file, line, col, start, end, self.kind.1, &self.owner);
        self.rows.push(row.encode(self.env));
    }
}

impl<'a> Terms<'a, '_> {
    #[inline(always)]
    fn number(&self, number: u32) -> Term<'a> {
        match self.numbers.get(number as usize) {
            Some(kept) => *kept,
            None => number.encode(self.env),
        }
    }

    #[inline(always)]
    fn selector(&mut self, name: NameId) -> Term<'a> {
        match self.selectors.get(name.remainder(N_KEPT)) {
            Some((of, term)) if *of == name => *term,
            _ => self.other_selector(name),
        }
    }

    #[cold]
    fn other_selector(&mut self, name: NameId) -> Term<'a> {
        let term = self.text(name);
        if let Some(kept) = self.selectors.get_mut(name.remainder(N_KEPT)) {
            *kept = (name, term);
        }
        term
    }

    fn text(&self, name: NameId) -> Term<'a> {
        match name {
            NameId::NONE => atoms::nil().encode(self.env),
            name => self.index.names().text(name).encode(self.env),
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
        SiteKind::Field => atoms::field(),
        SiteKind::Symbol => atoms::symbol(),
        SiteKind::Doc => atoms::doc(),
        SiteKind::Prose => atoms::prose(),
    }
}

/// A provenance as an atom.
pub(crate) fn provenance(provenance: Provenance) -> Atom {
    match provenance {
        Provenance::Body => atoms::body(),
        Provenance::Patch => atoms::patch(),
        Provenance::Extension => atoms::extension(),
        Provenance::Orphan => atoms::orphan(),
        Provenance::Builder => atoms::builder(),
        Provenance::Generated => atoms::generated(),
        Provenance::Header => atoms::header(),
        Provenance::Field => atoms::field(),
        Provenance::Protocol => atoms::protocol(),
        Provenance::Alias => atoms::alias(),
        Provenance::Manifest => atoms::manifest(),
        Provenance::Statement => atoms::statement(),
    }
}
