//! The override closure: who implements a selector strictly below a class.

use crate::facts::{DefFact, DefKind};
use crate::hierarchy::ClassIx;
use crate::ids::NameId;
use crate::rows::Slice;
use crate::site::Site;
use crate::sites::SiteMaker;
use crate::snapshot::{Index, UnitEntry};
use bt_syntax::Side;
use std::sync::Arc;

/// Who implements a selector strictly below a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// Whether nobody does, and no class below has an unknown body.
    pub free: bool,
    /// Number of definitions in all.
    pub total: usize,
    /// The definitions that were asked for, extensions included, sorted.
    pub implementors: Vec<Site>,
    /// Classes below whose bodies are not (wholly) known, sorted.
    pub unknown: Vec<String>,
}

type Found<'a> = (&'a Arc<UnitEntry>, &'a DefFact);

impl Index {
    /// Who implements a selector strictly below a class; `None` when there is no such class.
    #[must_use]
    pub fn closure(&self, class: &str, side: Side, selector: &str) -> Option<Closure> {
        let class = self.find_class(class)?;
        Some(self.closure_of(class, side, selector))
    }

    /// Who implements a selector strictly below a class.
    #[must_use]
    pub fn closure_of(&self, class: ClassIx, side: Side, selector: &str) -> Closure {
        self.closure_part(class, side, selector, Slice { offset: 0, limit: usize::MAX })
    }

    /// As [`Self::closure_of`], with a part of the definitions: no site is made of any other.
    #[must_use]
    pub fn closure_part(
        &self,
        class: ClassIx,
        side: Side,
        selector: &str,
        slice: Slice,
    ) -> Closure {
        let selector = self.names().lookup(selector);
        let mut found = selector.map_or(Vec::new(), |it| self.overrides(class, side, it));
        found.sort_by_key(|(entry, def)| (&entry.file, def.start, def.kind));
        found.dedup_by_key(|(entry, def)| (entry.id, def.start, def.kind));
        let total = found.len();
        let site = |(entry, def): Found<'_>| SiteMaker::new(entry, self.names()).definition(def);
        let asked = found.into_iter().skip(slice.offset).take(slice.limit);
        let implementors = asked.map(site).collect();
        let mut unknown: Vec<_> =
            self.hierarchy().unknown_below(class).iter().map(|ix| self.class_name(*ix)).collect();
        unknown.sort();
        unknown.dedup();
        Closure { free: total == 0 && unknown.is_empty(), total, implementors, unknown }
    }

    /// Whether nobody implements a selector strictly below a class, and no class below has an unknown
    /// body. Stops at the first that does.
    #[must_use]
    pub fn is_closure_free(&self, class: ClassIx, side: Side, selector: &str) -> bool {
        self.is_closure_free_within(class, side, selector, usize::MAX) == Some(true)
    }

    /// As [`Self::is_closure_free`], unless it takes more than so many steps. Goes over the definitions
    /// of the selector and over the classes below, a step each in turn: whichever ends first tells.
    #[must_use]
    pub fn is_closure_free_within(
        &self,
        class: ClassIx,
        side: Side,
        selector: &str,
        n_steps: usize,
    ) -> Option<bool> {
        if self.hierarchy().unknown().len() > n_steps {
            return None;
        }
        if !self.hierarchy().unknown_below(class).is_empty() {
            return Some(false);
        }
        let Some(selector) = self.names().lookup(selector) else { return Some(true) };
        let mut defs = self.defs_named(selector);
        let mut below = self.hierarchy().descendants(class);
        for _ in 0..n_steps {
            let (Some(def), Some(ix)) = (defs.next(), below.next()) else { return Some(true) };
            let is_overridden = self.is_override(def, class, side)
                || !self.defs_of_class(ix, side, selector).is_empty();
            if is_overridden {
                return Some(false);
            }
        }
        None
    }

    /// Definitions of a selector, generated members included whether the compiler makes them or not.
    pub(crate) fn defs_named(&self, selector: NameId) -> impl Iterator<Item = Found<'_>> {
        let entries = self.posted(self.defs.get(selector));
        entries
            .flat_map(move |entry| entry.facts.defs_of(selector).iter().map(move |it| (entry, it)))
    }

    /// The class that answers by a definition on a side.
    pub(crate) fn answering(&self, (entry, def): Found<'_>, side: Side) -> Option<ClassIx> {
        let is_method =
            def.side == side && def.kind != DefKind::Requirement && self.exists(entry, def);
        self.class_of_def(entry, def).filter(|_| is_method)
    }

    /// Whether a definition is strictly below a class.
    fn is_override(&self, found: Found<'_>, class: ClassIx, side: Side) -> bool {
        self.answering(found, side).is_some_and(|ix| self.hierarchy().is_below(ix, class))
    }

    /// The definitions below a class. Goes over whichever is less work: the classes below, or the units
    /// that define the selector, of which one takes about half the time.
    fn overrides(&self, class: ClassIx, side: Side, selector: NameId) -> Vec<Found<'_>> {
        let n_units = self.defs.get(selector).n_units();
        match self.hierarchy().few_descendants(class, n_units / 2) {
            Some(below) => {
                below.into_iter().flat_map(|ix| self.defs_of_class(ix, side, selector)).collect()
            }
            None => {
                self.defs_named(selector).filter(|it| self.is_override(*it, class, side)).collect()
            }
        }
    }
}
