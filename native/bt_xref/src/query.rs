//! Questions that an index answers, as sorted sites.

use crate::facts::{
    Body, DeclKind, DefFact, DefKind, Owner, OwnerKind, RefFact, SendFact, SymbolFact,
};
use crate::hierarchy::{ClassIx, ClassKind, ClassNode};
use crate::ids::NameId;
use crate::site::Site;
use crate::sites::SiteMaker;
use crate::snapshot::{Index, Origin, UnitEntry};
use bt_syntax::Side;
use std::sync::Arc;

/// Units up to which a look-up goes over the definitions of a selector, not up the line of classes.
const FEW_UNITS: usize = 8;

impl Index {
    /// All sends of a selector.
    #[must_use]
    pub fn senders_of(&self, selector: &str) -> Vec<Site> {
        self.collect(self.send_facts(selector), |maker, fact| maker.send(fact))
    }

    /// Number of sends of a selector; no site is made.
    #[must_use]
    pub fn count_senders_of(&self, selector: &str) -> usize {
        self.names().lookup(selector).map_or(0, |name| self.sends.get(name).total())
    }

    /// All references to a class, protocol or alias of this name (its declarations not included).
    #[must_use]
    pub fn references_to(&self, class: &str) -> Vec<Site> {
        self.collect(self.ref_facts(class), |maker, fact| maker.reference(fact))
    }

    /// All definitions of a selector: methods, extensions, protocol requirements, generated members of
    /// value classes and methods given to class builders.
    #[must_use]
    pub fn implementors_of(&self, selector: &str) -> Vec<Site> {
        self.collect(self.def_facts(selector), |maker, fact| maker.definition(fact))
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

    /// All symbols of a text.
    #[must_use]
    pub fn symbols_of(&self, text: &str) -> Vec<Site> {
        self.collect(self.symbol_facts(text), |maker, fact| maker.symbol(fact))
    }

    /// The declarations of the direct subclasses.
    #[must_use]
    pub fn subclasses_of(&self, class: &str) -> Vec<Site> {
        let Some(class) = self.find_class(class) else { return Vec::new() };
        self.declaration_sites(self.hierarchy().children(class))
    }

    /// The declarations of all classes below.
    #[must_use]
    pub fn all_subclasses_of(&self, class: &str) -> Vec<Site> {
        let Some(class) = self.find_class(class) else { return Vec::new() };
        self.declaration_sites(&self.hierarchy().descendants(class).collect::<Vec<_>>())
    }

    /// All declarations of a name: class, protocol, alias.
    #[must_use]
    pub fn declarations_of(&self, name: &str) -> Vec<(DeclKind, Site)> {
        let Some(name) = self.names().lookup(name) else { return Vec::new() };
        let mut sites = Vec::new();
        for entry in self.posted(self.decls.get(name)) {
            let maker = SiteMaker::new(entry, self.names());
            let classes = entry.facts.classes.iter().filter(|class| class.name == name);
            sites.extend(classes.map(|class| (class.kind, maker.declaration(class))));
        }
        sites
    }

    // ---- facts, in order of file and span

    /// The sends of a selector.
    #[must_use]
    pub fn send_facts(&self, selector: &str) -> Vec<(&Arc<UnitEntry>, &SendFact)> {
        let Some(name) = self.names().lookup(selector) else { return Vec::new() };
        let mut facts = Vec::with_capacity(self.sends.get(name).total());
        for entry in self.posted(self.sends.get(name)) {
            facts.extend(entry.facts.sends_of(name).iter().map(|fact| (entry, fact)));
        }
        facts
    }

    /// The references to a name.
    #[must_use]
    pub fn ref_facts(&self, class: &str) -> Vec<(&Arc<UnitEntry>, &RefFact)> {
        let Some(name) = self.names().lookup(class) else { return Vec::new() };
        let mut facts = Vec::with_capacity(self.refs.get(name).total());
        for entry in self.posted(self.refs.get(name)) {
            facts.extend(entry.facts.refs_of(name).iter().map(|fact| (entry, fact)));
        }
        facts
    }

    /// The symbols of a text.
    #[must_use]
    pub fn symbol_facts(&self, text: &str) -> Vec<(&Arc<UnitEntry>, &SymbolFact)> {
        let Some(name) = self.names().lookup(text) else { return Vec::new() };
        let mut facts = Vec::new();
        for entry in self.posted(self.symbols.get(name)) {
            facts.extend(entry.facts.symbols_of(name).iter().map(|fact| (entry, fact)));
        }
        facts
    }

    /// The definitions of a selector. A generated member counts where its class is a value class that
    /// does not define the selector itself.
    #[must_use]
    pub fn def_facts(&self, selector: &str) -> Vec<(&Arc<UnitEntry>, &DefFact)> {
        let Some(name) = self.names().lookup(selector) else { return Vec::new() };
        let mut facts = Vec::new();
        for entry in self.posted(self.defs.get(name)) {
            let defs = entry.facts.defs_of(name).iter();
            facts.extend(defs.filter(|def| self.exists(entry, def)).map(|def| (entry, def)));
        }
        facts
    }

    /// Whether a definition is one: false for a generated member that the compiler does not make.
    pub(crate) fn exists(&self, entry: &UnitEntry, def: &DefFact) -> bool {
        if def.kind != DefKind::Generated {
            return true;
        }
        let Some(owner) = entry.facts.owner(def.owner) else { return false };
        let hierarchy = self.hierarchy();
        let class = hierarchy.at(entry.id, owner.class).and_then(|ix| hierarchy.node(ix));
        let is_value = class.is_some_and(|class| class.kind == ClassKind::Value);
        is_value && !self.is_written(entry, owner.class, def)
    }

    /// Whether the class's own text defines the selector of a generated member.
    fn is_written(&self, entry: &UnitEntry, class: u32, generated: &DefFact) -> bool {
        entry.facts.defs_of(generated.selector).iter().any(|def| {
            def.kind == DefKind::Method
                && def.side == generated.side
                && entry.facts.owner(def.owner).is_some_and(|owner| owner.class == class)
        })
    }

    // ---- classes

    /// The class of a name, perhaps with its package before an `@`. Of several, the project's.
    #[must_use]
    pub fn find_class(&self, name: &str) -> Option<ClassIx> {
        let (package, name) = match name.split_once('@') {
            Some((package, name)) => (self.names().lookup(package)?, name),
            None => (NameId::NONE, name),
        };
        self.hierarchy().resolve(self.names().lookup(name)?, package, NameId::NONE)
    }

    /// The unit and declaration of a class.
    #[must_use]
    pub fn class(&self, class: ClassIx) -> Option<(&Arc<UnitEntry>, &ClassNode)> {
        let node = self.hierarchy().node(class)?;
        Some((self.entry(node.unit)?, node))
    }

    /// The class that a definition is in, or extends.
    #[must_use]
    pub fn class_of_def(&self, entry: &UnitEntry, def: &DefFact) -> Option<ClassIx> {
        self.class_of_owner(entry, def.owner)
    }

    /// The class that an owner is (in), or extends.
    #[must_use]
    pub fn class_of_owner(&self, entry: &UnitEntry, owner: u32) -> Option<ClassIx> {
        let owner = entry.facts.owner(owner)?;
        match owner.kind {
            OwnerKind::Class | OwnerKind::Field | OwnerKind::Method => {
                self.hierarchy().at(entry.id, owner.class)
            }
            OwnerKind::Extension => {
                self.hierarchy().resolve(owner.name, owner.package, entry.package_id)
            }
            OwnerKind::TopLevel | OwnerKind::Protocol | OwnerKind::Alias | OwnerKind::Manifest => {
                None
            }
        }
    }

    /// What a class itself understands by a selector on a side, extensions included; in order of file
    /// and span.
    #[must_use]
    pub fn defs_of_class(
        &self,
        class: ClassIx,
        side: Side,
        selector: NameId,
    ) -> Vec<(&Arc<UnitEntry>, &DefFact)> {
        let Some((home, node)) = self.class(class) else { return Vec::new() };
        let mut found = Vec::new();
        for entry in self.posted(self.extensions.get(node.name)).chain([home]) {
            for def in entry.facts.defs_of(selector) {
                let is_own = def.side == side
                    && def.kind != DefKind::Requirement
                    && self.class_of_def(entry, def) == Some(class)
                    && (def.kind == DefKind::Extension || entry.id == home.id);
                if is_own && self.exists(entry, def) {
                    found.push((entry, def));
                }
            }
        }
        found.sort_by(|(a, x), (b, y)| (&a.file, x.start, x.kind).cmp(&(&b.file, y.start, y.kind)));
        found.dedup_by_key(|(entry, def)| (entry.id, def.start, def.kind));
        found
    }

    /// The definition that answers a selector sent to an instance of a class (or to the class itself),
    /// looked up along its ancestors.
    #[must_use]
    pub fn lookup(
        &self,
        class: ClassIx,
        side: Side,
        selector: NameId,
    ) -> Option<(ClassIx, &Arc<UnitEntry>, &DefFact)> {
        // An extension answers instead of the body.
        let answer = |ix: ClassIx| {
            let defs = self.defs_of_class(ix, side, selector);
            let (entry, def) = *defs
                .iter()
                .find(|(_, def)| def.kind == DefKind::Extension)
                .or_else(|| defs.first())?;
            Some((ix, entry, def))
        };
        let hierarchy = self.hierarchy();
        if self.defs.get(selector).n_units() > FEW_UNITS {
            return std::iter::once(class).chain(hierarchy.ancestors(class)).find_map(answer);
        }
        let answering = self.defs_named(selector).filter_map(|found| self.answering(found, side));
        let above = answering.filter(|ix| *ix == class || hierarchy.is_below(class, *ix));
        let nearest = above.reduce(|a, b| if hierarchy.is_below(b, a) { b } else { a });
        nearest.and_then(answer)
    }

    /// How a class is called in messages: with its package when the plain name means another.
    #[must_use]
    pub fn class_name(&self, class: ClassIx) -> String {
        self.class(class).map_or(String::new(), |(_, node)| self.names().text(node.name).to_owned())
    }

    /// The declarations of classes, sorted.
    #[must_use]
    pub fn declaration_sites(&self, classes: &[ClassIx]) -> Vec<Site> {
        let mut sites: Vec<_> = classes
            .iter()
            .filter_map(|ix| {
                let (entry, node) = self.class(*ix)?;
                let class = entry.facts.classes.get(node.idx as usize)?;
                Some(SiteMaker::new(entry, self.names()).declaration(class))
            })
            .collect();
        sites.sort();
        sites
    }

    /// The classes that have no source, or methods made of blocks without one, sorted: no answer
    /// tells what is in them.
    #[must_use]
    pub fn not_searchable(&self) -> Vec<String> {
        let unknown = self.hierarchy().unknown().iter();
        let classes = unknown.filter(|ix| self.has_no_source(**ix));
        let mut names: Vec<_> = classes.map(|ix| self.class_name(*ix)).collect();
        names.sort();
        names.dedup();
        names
    }

    fn has_no_source(&self, class: ClassIx) -> bool {
        let Some((entry, node)) = self.class(class) else { return false };
        let is_stub = |owner: &Owner| owner.body == Body::Stub && owner.class == node.idx;
        node.is_opaque || entry.facts.owners.iter().any(is_stub)
    }

    /// Whether a class may be changed: it is in the project or was typed at a prompt.
    #[must_use]
    pub fn origin_of(&self, class: ClassIx) -> Option<Origin> {
        self.class(class).map(|(_, node)| node.origin)
    }

    fn collect<T>(
        &self,
        facts: Vec<(&Arc<UnitEntry>, &T)>,
        site: impl Fn(&SiteMaker<'_>, &T) -> Site,
    ) -> Vec<Site> {
        let mut sites = Vec::with_capacity(facts.len());
        for group in facts.chunk_by(|(a, _), (b, _)| a.id == b.id) {
            let Some((entry, _)) = group.first() else { continue };
            let maker = SiteMaker::new(entry, self.names());
            sites.extend(group.iter().map(|(_, fact)| site(&maker, fact)));
        }
        sites
    }
}
