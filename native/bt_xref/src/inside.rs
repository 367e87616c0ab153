//! Questions about the inside of one class: what a method sends, where a field is read and written.

use crate::facts::{DefFact, DefKind};
use crate::hierarchy::ClassIx;
use crate::ids::NameId;
use crate::site::{Site, SiteKind};
use crate::sites::SiteMaker;
use crate::snapshot::{Index, UnitEntry};
use bt_syntax::{Node, NodeKind, Side, Token};
use rustc_hash::FxHashSet;
use std::sync::Arc;

impl Index {
    /// The sends of the methods that a class itself has for a selector, in order of position.
    #[must_use]
    pub fn messages_sent_by(&self, class: &str, side: Side, selector: &str) -> Vec<Site> {
        let found = self.find_class(class).zip(self.names().lookup(selector));
        let Some((class, selector)) = found else { return Vec::new() };
        let mut sites = Vec::new();
        for (entry, def) in self.defs_of_class(class, side, selector) {
            let maker = SiteMaker::new(entry, self.names());
            let own = entry.facts.sends.iter().filter(|fact| fact.owner() == def.owner);
            sites.extend(own.map(|fact| maker.send(fact)));
        }
        sites.sort();
        sites
    }

    /// Where the methods of a class, extensions included, read a field (or write it), as `self.f` or
    /// by its bare name.
    #[must_use]
    pub fn field_uses(&self, class: &str, field: &str, is_write: bool) -> Vec<Site> {
        let Some(class) = self.find_class(class) else { return Vec::new() };
        let mut sites = Vec::new();
        for (entry, def) in self.methods_of(class) {
            let Some(owner) = entry.facts.owner(def.owner) else { continue };
            let maker = SiteMaker::new(entry, self.names());
            let uses = Uses::of(entry.unit.node(owner.node));
            let found = uses.of_field(field, is_write).into_iter();
            sites.extend(
                found.map(|token| maker.span(token.span(), SiteKind::Field, Some(def.owner))),
            );
        }
        sites.sort();
        sites
    }

    fn methods_of(&self, class: ClassIx) -> Vec<(&Arc<UnitEntry>, &DefFact)> {
        let Some((home, node)) = self.class(class) else { return Vec::new() };
        let units = self.posted(self.extensions.get(node.name)).chain([home]);
        let mut found: Vec<(&Arc<UnitEntry>, &DefFact)> = Vec::new();
        for entry in units {
            let is_own = |def: &&DefFact| {
                matches!(def.kind, DefKind::Method | DefKind::Extension)
                    && def.selector != NameId::NONE
                    && self.class_of_def(entry, def) == Some(class)
            };
            found.extend(entry.facts.defs.iter().filter(is_own).map(|def| (entry, def)));
        }
        found.sort_by_key(|(entry, def)| (entry.id, def.start));
        found.dedup_by_key(|(entry, def)| (entry.id, def.start));
        found
    }
}

/// The names in a method that may be a field's.
struct Uses<'u> {
    nodes: Vec<Node<'u>>,
    /// Targets of assignments.
    targets: FxHashSet<u32>,
    /// Names that are bound in the method: they hide fields.
    bound: FxHashSet<&'u str>,
}

impl<'u> Uses<'u> {
    fn of(method: Node<'u>) -> Self {
        let nodes: Vec<_> = method.descendants().collect();
        let mut targets = FxHashSet::default();
        let mut bound = FxHashSet::default();
        for node in &nodes {
            match node.kind() {
                NodeKind::Assign | NodeKind::TypedAssign => {
                    let target = node.children().first().copied();
                    targets.extend(target.map(Node::id));
                    bound.extend(
                        target.filter(|it| it.kind() == NodeKind::Variable).map(Node::text),
                    );
                }
                NodeKind::VariablePattern | NodeKind::Param | NodeKind::BlockParam => {
                    bound.extend(node.own_tokens().iter().map(|token| token.text()));
                }
                _ => {}
            }
        }
        Self { nodes, targets, bound }
    }

    fn of_field(&self, field: &str, is_write: bool) -> Vec<Token<'u>> {
        let named = |node: &&Node<'u>| match node.kind() {
            NodeKind::FieldAccess => {
                node.children().first().is_some_and(|it| it.kind() == NodeKind::SelfRef)
            }
            NodeKind::Variable => !self.bound.contains(field),
            _ => false,
        };
        let uses = self.nodes.iter().filter(named);
        uses.filter(|node| self.targets.contains(&node.id()) == is_write)
            .filter_map(|node| node.own_tokens().last().copied())
            .filter(|token| token.text() == field)
            .collect()
    }
}
