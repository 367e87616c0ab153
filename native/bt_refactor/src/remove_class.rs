//! A class goes, and its file with it. What still names it is reported, never a reason to refuse;
//! subclasses and extensions in other files, which could not be loaded without it, are one.

use crate::draft::file_gone;
use crate::error::Refusal;
use crate::incomplete::incomplete;
use crate::plan::{counted, Candidate, Evidence, Operation, Plan, Warning};
use crate::prose::{is_changed, mentions, Wanted};
use crate::rules;
use crate::symbols::{because, Role};
use bt_xref::facts::OwnerKind;
use bt_xref::{ClassIx, Index, Origin, Site, SiteKind, SiteMaker, UnitEntry};
use std::collections::BTreeMap;

pub(crate) fn plan(index: &Index, generation: u64, class_name: &str) -> Result<Plan, Refusal> {
    let class = rules::scope::class(index, class_name)?;
    let name = index.class_name(class);
    may_remove(index, class, &name)?;
    let (entry, _) = index.class(class).ok_or_else(|| rules::scope::not_found(&name))?;
    let mut left = Left::collect(index, class, &name, entry);
    let (prose, examples) = mentions(index, Wanted::Class(&name));
    left.candidates.extend(examples);
    left.candidates.retain(|candidate| candidate.site.file != entry.file);
    left.candidates.sort();
    Ok(Plan {
        operation: Operation::RemoveClass,
        generation,
        side: None,
        selector: None,
        new_name: None,
        new_selector: None,
        sites: index.declaration_sites(&[class]),
        warnings: warnings(index, entry, class, &name, left.n_references),
        candidates: left.candidates,
        excluded: left.excluded,
        prose: prose.outside(&entry.file),
        not_searched: incomplete(index, &name).not_searched,
        files: vec![file_gone(entry)],
        names: Vec::new(),
        class: name,
    })
}

fn may_remove(index: &Index, class: ClassIx, name: &str) -> Result<(), Refusal> {
    match index.origin_of(class) {
        Some(Origin::Stdlib) => {
            return Err(Refusal::new(
                "scope.not_in_project",
                format!("cannot remove the stdlib class '{name}'"),
                "Classes of the stdlib are protected.",
            )
            .at(index.declaration_sites(&[class])));
        }
        Some(Origin::Dependency) => {
            let package = index.class(class).map_or("", |(entry, _)| &entry.package);
            return Err(Refusal::new(
                "scope.not_in_project",
                format!("cannot remove '{name}' of the dependency {package}"),
                "Dependencies are read-only.",
            )
            .at(index.declaration_sites(&[class])));
        }
        _ => rules::scope::in_project(index, class, "remove")?,
    }
    let subclasses = index.declaration_sites(index.hierarchy().children(class));
    if !subclasses.is_empty() {
        let names: Vec<_> = subclasses.iter().map(|site| site.old.as_str()).collect();
        return Err(Refusal::new(
            "class.has_subclasses",
            format!("cannot remove '{name}' because it has subclasses"),
            format!("Remove the subclasses first: {}", names.join(", ")),
        )
        .at(subclasses));
    }
    let extensions = extensions_elsewhere(index, class, name);
    if !extensions.is_empty() {
        let place = |it: &Site| format!("{}:{}", it.file, it.line);
        let places: Vec<_> = extensions.iter().map(place).collect();
        return Err(Refusal::new(
            "class.has_extensions",
            format!("cannot remove '{name}' because other files extend it"),
            format!("Remove the extensions first: {}", places.join(", ")),
        )
        .at(extensions));
    }
    Ok(())
}

/// Extensions in other files: without the class the project would not load.
fn extensions_elsewhere(index: &Index, class: ClassIx, name: &str) -> Vec<Site> {
    let home = index.class(class).map(|(entry, _)| entry.id);
    let mut sites: Vec<_> = references(index, class, name)
        .filter(|(entry, site)| site.kind == SiteKind::ExtensionTarget && Some(entry.id) != home)
        .map(|(_, site)| site)
        .collect();
    sites.sort();
    sites
}

/// The places that name the class.
fn references<'a>(
    index: &'a Index,
    class: ClassIx,
    name: &str,
) -> impl Iterator<Item = (&'a UnitEntry, Site)> {
    let facts = index.ref_facts(name).into_iter();
    facts.filter_map(move |(entry, fact)| {
        let meant = index.hierarchy().resolve(fact.name, fact.package, entry.package_id);
        let site = || SiteMaker::new(entry, index.names()).reference(fact);
        (meant == Some(class)).then(|| (&**entry, site()))
    })
}

/// What would still name the class.
struct Left {
    candidates: Vec<Candidate>,
    n_references: usize,
    excluded: BTreeMap<&'static str, usize>,
}

impl Left {
    fn collect(index: &Index, class: ClassIx, name: &str, home: &UnitEntry) -> Self {
        let mut left = Self { candidates: Vec::new(), n_references: 0, excluded: BTreeMap::new() };
        let goes = |entry: &UnitEntry| entry.id == home.id || is_former_of(index, entry, class);
        for (entry, site) in references(index, class, name).filter(|(entry, _)| !goes(entry)) {
            if !is_changed(entry) {
                let is_relic = entry.origin == Origin::Relic;
                let reason = if is_relic { "orphan" } else { "not_in_project" };
                *left.excluded.entry(reason).or_default() += 1;
                continue;
            }
            left.n_references += 1;
            left.candidates.push(Candidate {
                site,
                evidence: Evidence::Certain,
                because: "it names the class; it will find none".to_owned(),
            });
        }
        for suffix in ["", " class"] {
            let facts = index.symbol_facts(&format!("{name}{suffix}")).into_iter();
            left.candidates.extend(
                facts.filter(|(entry, _)| is_changed(entry) && !goes(entry)).map(
                    |(entry, fact)| Candidate {
                        site: SiteMaker::new(entry, index.names()).symbol(fact),
                        evidence: Evidence::Symbol,
                        because: because(entry, fact, Role::Class),
                    },
                ),
            );
        }
        left
    }
}

/// Whether a unit is a former method of the class: its blocks go with the class.
fn is_former_of(index: &Index, entry: &UnitEntry, class: ClassIx) -> bool {
    entry.origin.is_former() && index.class_of_owner(entry, 0) == Some(class)
}

fn warnings(
    index: &Index,
    home: &UnitEntry,
    class: ClassIx,
    name: &str,
    n_references: usize,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if n_references > 0 {
        let message =
            format!("{} to {name} will find no class", counted(n_references, "reference"));
        warnings.push(Warning { code: "dangling_references", message });
    }
    for other in others(index, home, class) {
        let message = format!("{other} stands in {} too and goes with it", home.file);
        warnings.push(Warning { code: "lost_with_file", message });
    }
    warnings
}

/// What else the class's file defines: it goes with the file.
fn others(index: &Index, home: &UnitEntry, class: ClassIx) -> Vec<String> {
    let owners = home.facts.owners.iter().enumerate();
    let is_other = |at: usize, kind: OwnerKind| {
        let is_definition =
            matches!(kind, OwnerKind::Class | OwnerKind::Extension | OwnerKind::Alias)
                || (kind == OwnerKind::Protocol && home.facts.is_declaration(at as u32));
        is_definition && index.class_of_owner(home, at as u32) != Some(class)
    };
    owners
        .filter(|(at, owner)| is_other(*at, owner.kind))
        .filter_map(|(at, _)| home.facts.row_owner(at as u32))
        .map(|owner| owner.text(index.names()))
        .collect()
}
