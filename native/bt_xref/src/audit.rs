//! Questions over all selectors: what is sent but defined nowhere, what is defined but never sent.

use crate::facts::{DefFact, DefKind};
use crate::ids::NameId;
use crate::site::Site;
use crate::sites::SiteMaker;
use crate::snapshot::{Index, Origin, UnitEntry};
use bt_syntax::Side;

/// Operators that are no messages: nobody can define them (language reference, 4.6).
const BUILT_IN: [&str; 4] = ["==", "/=", "=:=", "=/="];

/// Selectors that the runtime sends by itself (language reference, 4.7); the library defines the
/// others of them.
const SENT_BY_RUNTIME: [&str; 14] = [
    "initialize",
    "terminate:",
    "handleInfo:",
    "doesNotUnderstand:args:",
    "setUp",
    "tearDown",
    "setUpOnce",
    "tearDownOnce",
    "children",
    "strategy",
    "maxRestarts",
    "restartWindow",
    "childClass",
    "supervisionPolicy",
];

impl Index {
    /// The sends of a selector whose receiver may be of a class's line: a send stays unless its
    /// receiver's type rules the class out.
    #[must_use]
    pub fn senders_of_class(&self, selector: &str, class: &str, side: Side) -> Vec<Site> {
        let Some(class) = self.find_class(class) else { return Vec::new() };
        let facts = self.send_facts(selector).into_iter();
        facts
            .filter(|(entry, fact)| self.reach(entry, fact, class, side).may_reach())
            .map(|(entry, fact)| SiteMaker::new(entry, self.names()).send(fact))
            .collect()
    }

    /// Selectors that the user's units send and nobody defines, sorted, with the number of sends. Calls
    /// of Erlang functions do not count.
    #[must_use]
    pub fn unimplemented_selectors(&self) -> Vec<(String, usize)> {
        let sends = self.unimplemented_sends().into_iter();
        sends.map(|(selector, sites)| (selector, sites.len())).collect()
    }

    /// As [`Self::unimplemented_selectors`], with the sends.
    #[must_use]
    pub fn unimplemented_sends(&self) -> Vec<(String, Vec<Site>)> {
        let mut missing: Vec<_> = self
            .all_names()
            .filter(|name| self.sends.get(*name).total() > 0)
            .filter(|name| !BUILT_IN.contains(&self.names().text(*name)))
            .filter(|name| self.def_facts(self.names().text(*name)).is_empty())
            .map(|name| (self.names().text(name).to_owned(), self.own_sends(name)))
            .filter(|(_, sends)| !sends.is_empty())
            .collect();
        missing.sort();
        missing
    }

    /// The sends of the user's units but for calls of Erlang functions, sorted.
    fn own_sends(&self, name: NameId) -> Vec<Site> {
        let own = self.posted(self.sends.get(name)).filter(|entry| is_own(entry.origin));
        let sends =
            own.flat_map(|entry| entry.facts.sends_of(name).iter().map(move |it| (entry, it)));
        let mut sites: Vec<_> = sends
            .filter(|(entry, fact)| !self.is_call(entry, fact))
            .map(|(entry, fact)| SiteMaker::new(entry, self.names()).send(fact))
            .collect();
        sites.sort();
        sites
    }

    /// Definitions in the user's units whose selector is neither sent, nor a symbol, nor required by a
    /// protocol, nor defined by the library, nor sent by the runtime or the test runner; sorted.
    #[must_use]
    pub fn unused_definitions(&self) -> Vec<Site> {
        let mut sites = Vec::new();
        for name in self.all_names() {
            let is_used = self.sends.get(name).total() > 0
                || self.symbols.get(name).total() > 0
                || SENT_BY_RUNTIME.contains(&self.names().text(name));
            if is_used || self.defs.get(name).total() == 0 {
                continue;
            }
            let defs = self.def_facts(self.names().text(name));
            let is_expected =
                |kind: DefKind, origin: Origin| kind == DefKind::Requirement || !is_own(origin);
            if defs.iter().any(|(entry, def)| is_expected(def.kind, entry.origin)) {
                continue;
            }
            let written = defs
                .into_iter()
                .filter(|(_, def)| matches!(def.kind, DefKind::Method | DefKind::Extension))
                .filter(|(entry, def)| !self.is_test(entry, def));
            sites.extend(
                written.map(|(entry, def)| SiteMaker::new(entry, self.names()).definition(def)),
            );
        }
        sites.sort();
        sites
    }

    /// Whether the test runner sends it: `test…` of a class below `TestCase`.
    fn is_test(&self, entry: &UnitEntry, def: &DefFact) -> bool {
        let is_named = self.names().text(def.selector).starts_with("test");
        let class = self.class_of_def(entry, def).filter(|_| is_named);
        let mut above = class.into_iter().flat_map(|class| self.hierarchy().ancestors(class));
        above.any(|above| self.class_name(above) == "TestCase")
    }

    fn all_names(&self) -> impl Iterator<Item = NameId> {
        (0..self.names().len() as u32).map(NameId)
    }
}

fn is_own(origin: Origin) -> bool {
    matches!(origin, Origin::Project | Origin::Prompt)
}
