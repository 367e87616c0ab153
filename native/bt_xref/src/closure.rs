//! The override closure: who implements a selector strictly below a class.

use crate::facts::{DefFact, DefKind};
use crate::hierarchy::ClassIx;
use crate::ids::NameId;
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
    /// The definitions, extensions included, sorted.
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
        let mut implementors = Vec::new();
        if let Some(selector) = self.names().lookup(selector) {
            self.overrides(class, side, selector, &mut |(entry, def)| {
                implementors.push(SiteMaker::new(entry, self.names()).definition(def));
                true
            });
        }
        implementors.sort();
        implementors.dedup();
        let mut unknown: Vec<_> =
            self.hierarchy().unknown_below(class).iter().map(|ix| self.class_name(*ix)).collect();
        unknown.sort();
        unknown.dedup();
        Closure { free: implementors.is_empty() && unknown.is_empty(), implementors, unknown }
    }

    /// Whether nobody implements a selector strictly below a class, and no class below has an unknown
    /// body. Stops at the first that does.
    #[must_use]
    pub fn is_closure_free(&self, class: ClassIx, side: Side, selector: &str) -> bool {
        let mut is_free = self.hierarchy().unknown_below(class).is_empty();
        if let Some(selector) = self.names().lookup(selector).filter(|_| is_free) {
            self.overrides(class, side, selector, &mut |_| {
                is_free = false;
                false
            });
        }
        is_free
    }

    /// Visits the definitions below a class, until the visitor says no. Goes over whichever is fewer:
    /// the classes below, or the units that define the selector.
    fn overrides<'a>(
        &'a self,
        class: ClassIx,
        side: Side,
        selector: NameId,
        visit: &mut dyn FnMut(Found<'a>) -> bool,
    ) {
        let hierarchy = self.hierarchy();
        let posting = self.defs.get(selector);
        if let Some(below) = hierarchy.few_descendants(class, posting.entries().len()) {
            for ix in below {
                for found in self.defs_of_class(ix, side, selector) {
                    if !visit(found) {
                        return;
                    }
                }
            }
            return;
        }
        for entry in self.posted(posting) {
            for def in entry.facts.defs_of(selector) {
                let is_override = def.side == side
                    && def.kind != DefKind::Requirement
                    && self
                        .class_of_def(entry, def)
                        .is_some_and(|ix| hierarchy.is_below(ix, class))
                    && self.exists(entry, def);
                if is_override && !visit((entry, def)) {
                    return;
                }
            }
        }
    }
}
