//! Answers in pages: sites are made only for the rows that are returned.

use crate::facts::{DefFact, RefFact, SendFact};
use crate::ids::NameId;
use crate::posting::Posting;
use crate::site::Site;
use crate::sites::SiteMaker;
use crate::snapshot::{Index, UnitEntry};
use std::sync::Arc;

/// A part of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Number of sites in the whole answer.
    pub total: usize,
    /// The sites asked for, sorted.
    pub sites: Vec<Site>,
}

/// Which part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Sites to leave out at the front.
    pub offset: usize,
    /// Sites to return at most.
    pub limit: usize,
}

impl Index {
    /// A page of the sends of a selector.
    #[must_use]
    pub fn senders_page(&self, selector: &str, slice: Slice) -> Page {
        let name = self.names().lookup(selector);
        self.page(
            name.map(|name| (name, self.sends.get(name))),
            slice,
            |entry, name| entry.facts.sends_of(name),
            |maker, fact: &SendFact| maker.send(fact),
        )
    }

    /// A page of the references to a name.
    #[must_use]
    pub fn references_page(&self, class: &str, slice: Slice) -> Page {
        let name = self.names().lookup(class);
        self.page(
            name.map(|name| (name, self.refs.get(name))),
            slice,
            |entry, name| entry.facts.refs_of(name),
            |maker, fact: &RefFact| maker.reference(fact),
        )
    }

    /// A page of the definitions of a selector.
    #[must_use]
    pub fn implementors_page(&self, selector: &str, slice: Slice) -> Page {
        let facts = self.def_facts(selector);
        let total = facts.len();
        let rows = facts.into_iter().skip(slice.offset).take(slice.limit);
        let site = |(entry, fact): (&Arc<UnitEntry>, &DefFact)| {
            SiteMaker::new(entry, self.names()).definition(fact)
        };
        Page { total, sites: rows.map(site).collect() }
    }

    /// Number of references to a name; no site is made.
    #[must_use]
    pub fn count_references_to(&self, class: &str) -> usize {
        self.names().lookup(class).map_or(0, |name| self.refs.get(name).total())
    }

    /// Number of definitions of a selector at most: members that the compiler may make are counted
    /// whether it does or not; no site is made.
    #[must_use]
    pub fn count_definitions(&self, selector: &str) -> usize {
        self.names().lookup(selector).map_or(0, |name| self.defs.get(name).total())
    }

    fn page<'a, T: 'a>(
        &'a self,
        found: Option<(NameId, &'a Posting)>,
        slice: Slice,
        facts: impl Fn(&'a UnitEntry, NameId) -> &'a [T],
        site: impl Fn(&SiteMaker<'_>, &T) -> Site,
    ) -> Page {
        let Some((name, posting)) = found else { return Page::default() };
        let mut page = Page { total: posting.total(), sites: Vec::new() };
        let mut n_skipped = 0;
        for share in posting.entries() {
            let n_left = slice.limit.saturating_sub(page.sites.len());
            if n_left == 0 {
                break;
            }
            let count = share.count as usize;
            if n_skipped + count <= slice.offset {
                n_skipped += count;
                continue;
            }
            let Some(entry) = self.entry(share.unit) else { continue };
            let maker = SiteMaker::new(entry, self.names());
            let rows = facts(entry, name).iter().skip(slice.offset.saturating_sub(n_skipped));
            page.sites.extend(rows.take(n_left).map(|fact| site(&maker, fact)));
            n_skipped += count;
        }
        page
    }
}
