//! A class gets another name: every place that names it, in every unit of the user's.

use crate::draft::{rename_site, renamed_files};
use crate::error::Refusal;
use crate::incomplete::incomplete;
use crate::plan::{counted, Candidate, Evidence, Operation, Plan, PlanFile, Warning};
use crate::prose::{is_changed, mentions, Wanted};
use crate::rules;
use crate::rules::allowed::Allowed;
use bt_xref::facts::{DeclKind, RefFact};
use bt_xref::{ClassIx, Index, Origin, Site, SiteKind, SiteMaker, UnitEntry};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) fn plan(
    index: &Index,
    generation: u64,
    (class_name, new_name): (&str, &str),
    allow: &[String],
) -> Result<Plan, Refusal> {
    let class = rules::scope::class(index, class_name)?;
    let old_name = index.class_name(class);
    let mut plan = empty(generation, &old_name, new_name);
    if new_name == old_name {
        return Ok(plan);
    }
    rules::name::class_name(new_name)
        .map_err(|refusal| captured(index, class, new_name, refusal))?;
    rules::scope::in_project(index, class, "rename")?;
    not_taken(index, &old_name, new_name)?;
    let mut found = Found::collect(index, class);
    let mut allowed = Allowed::new(allow);
    allowed.pass(found.not_captured(index, new_name))?;
    allowed.pass(found.all_parsed(index, &old_name))?;

    let new_parts = [new_name.to_owned()];
    plan.sites = found.sites;
    for site in &mut plan.sites {
        rename_site(site, &new_parts);
    }
    plan.sites.sort();
    plan.files = renamed_files(index, &plan.sites)?;
    give_new_file(index, class, &old_name, new_name, &mut plan.files)?;

    let (prose, mut examples) = mentions(index, Wanted::Class(&old_name));
    for candidate in &mut examples {
        rename_site(&mut candidate.site, &new_parts);
    }
    plan.prose = prose;
    plan.candidates = symbols(index, &old_name, new_name);
    plan.candidates.append(&mut examples);
    plan.candidates.sort();
    plan.not_searched = incomplete(index, &old_name).not_searched;
    plan.warnings = allowed.into_warnings();
    plan.warnings.extend(warnings(index, &old_name, new_name, &found.foreign));
    plan.names = vec![(old_name, new_name.to_owned())];
    Ok(plan)
}

fn empty(generation: u64, class: &str, new_name: &str) -> Plan {
    Plan {
        operation: Operation::RenameClass,
        generation,
        class: class.to_owned(),
        side: None,
        selector: None,
        new_name: Some(new_name.to_owned()),
        new_selector: None,
        sites: Vec::new(),
        candidates: Vec::new(),
        excluded: BTreeMap::new(),
        prose: crate::plan::Prose::default(),
        not_searched: Vec::new(),
        warnings: Vec::new(),
        files: Vec::new(),
        names: Vec::new(),
    }
}

/// A one-letter name is invalid anyway; where it is a type parameter in scope, that is the better
/// reason.
fn captured(index: &Index, class: ClassIx, new_name: &str, refusal: Refusal) -> Refusal {
    let captures = Found::collect(index, class).captures(index, new_name);
    if captures.is_empty() {
        return refusal;
    }
    capture_refusal(new_name, captures)
}

fn capture_refusal(new_name: &str, places: Vec<Site>) -> Refusal {
    Refusal::new(
        "name.capture",
        format!("{new_name} is a type parameter where the class is named"),
        "Choose another name, or rename the type parameter first.",
    )
    .at(places)
}

/// A name is taken by a class, protocol or alias in any unit.
fn not_taken(index: &Index, old_name: &str, new_name: &str) -> Result<(), Refusal> {
    let declarations = index.declarations_of(new_name);
    let Some((kind, site)) = declarations.first() else { return Ok(()) };
    let what = match kind {
        DeclKind::Class | DeclKind::Builder | DeclKind::Opaque => "a class",
        DeclKind::Protocol => "a protocol",
        DeclKind::Alias => "a type alias",
    };
    let Site { file, line, col, .. } = site;
    let message = format!(
        "cannot rename {old_name} to {new_name} — {new_name} already exists ({what}, {file}:{line}:{col})"
    );
    let hint = "Remove or rename the existing class first.";
    let places = declarations.iter().map(|(_, site)| site.clone()).collect();
    Err(Refusal::new("name.taken", message, hint).at(places))
}

/// The places that name a class.
struct Found<'a> {
    sites: Vec<Site>,
    refs: Vec<(&'a Arc<UnitEntry>, &'a RefFact)>,
    /// References in packages that are not the user's.
    foreign: Vec<Site>,
}

impl<'a> Found<'a> {
    fn collect(index: &'a Index, class: ClassIx) -> Self {
        let mut found = Self {
            sites: index.declaration_sites(&[class]),
            refs: Vec::new(),
            foreign: Vec::new(),
        };
        let name = index.class_name(class);
        for (entry, fact) in index.ref_facts(&name) {
            let meant = index.hierarchy().resolve(fact.name, fact.package, entry.package_id);
            if meant != Some(class) {
                continue;
            }
            let site = SiteMaker::new(entry, index.names()).reference(fact);
            if is_changed(entry) {
                found.sites.push(site);
                found.refs.push((entry, fact));
            } else if entry.origin != Origin::Relic {
                found.foreign.push(site);
            }
        }
        found.sites.sort();
        found.sites.dedup();
        found
    }

    fn captures(&self, index: &Index, new_name: &str) -> Vec<Site> {
        let refs = self.refs.iter();
        refs.filter_map(|(entry, fact)| rules::capture::type_param(index, entry, fact, new_name))
            .collect()
    }

    fn not_captured(&self, index: &Index, new_name: &str) -> Result<(), Refusal> {
        let captures = self.captures(index, new_name);
        if captures.is_empty() {
            return Ok(());
        }
        Err(capture_refusal(new_name, captures))
    }

    /// Takes the sites out that stand where the text could not be parsed, and refuses because of
    /// them and of other mentions there.
    fn all_parsed(&mut self, index: &Index, name: &str) -> Result<(), Refusal> {
        let (mut spoiled, sites) =
            std::mem::take(&mut self.sites).into_iter().partition(|site| is_degraded(index, site));
        self.sites = sites;
        spoiled.extend(incomplete(index, name).mentions);
        if spoiled.is_empty() {
            return Ok(());
        }
        spoiled.sort_by_key(|site: &Site| (site.file.clone(), site.start()));
        spoiled.dedup_by_key(|site| (site.file.clone(), site.start()));
        Err(Refusal::new(
            "search.incomplete",
            format!("{name} is named where the text could not be parsed"),
            "Correct the syntax errors first.",
        )
        .at(spoiled))
    }
}

fn is_degraded(index: &Index, site: &Site) -> bool {
    let Some(entry) = index.unit(&site.file) else { return false };
    site.kind != SiteKind::Declaration
        && site.spans.iter().any(|span| entry.facts.is_degraded(span.range()))
}

/// The file of the class follows its name, if it was called like the class.
fn give_new_file(
    index: &Index,
    class: ClassIx,
    old_name: &str,
    new_name: &str,
    files: &mut [PlanFile],
) -> Result<(), Refusal> {
    let Some((entry, _)) = index.class(class) else { return Ok(()) };
    let new_file = rules::file::renamed(index, &entry.file, old_name, new_name)?;
    if let Some(file) = files.iter_mut().find(|file| file.file == entry.file) {
        file.new_file = new_file;
    }
    Ok(())
}

/// Symbols that spell the class, or its metaclass.
fn symbols(index: &Index, old_name: &str, new_name: &str) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for suffix in ["", " class"] {
        for (entry, fact) in index.symbol_facts(&format!("{old_name}{suffix}")) {
            if !is_changed(entry) {
                continue;
            }
            let mut site = SiteMaker::new(entry, index.names()).symbol(fact);
            let new = site.old.replacen(old_name, new_name, 1);
            rename_site(&mut site, &[new]);
            let because = crate::symbols::because(entry, fact, crate::symbols::Role::Class);
            candidates.push(Candidate { site, evidence: Evidence::Symbol, because });
        }
    }
    candidates
}

fn warnings(index: &Index, old_name: &str, new_name: &str, foreign: &[Site]) -> Vec<Warning> {
    let mut warnings: Vec<_> = rules::file::extension_files(index, old_name)
        .into_iter()
        .map(|file| Warning {
            code: "extension_file",
            message: format!("{file} keeps its name; move it to match {new_name} if you like"),
        })
        .collect();
    if let Some(first) = foreign.first() {
        let Site { file, line, col, .. } = first;
        warnings.push(Warning {
            code: "breaks_dependency",
            message: format!(
                "{} outside of the project will not find {old_name} (first: {file}:{line}:{col})",
                counted(foreign.len(), "reference")
            ),
        });
    }
    warnings
}
