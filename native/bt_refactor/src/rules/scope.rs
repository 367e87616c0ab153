//! Whether the thing asked about is there, and ours to change.

use crate::error::Refusal;
use crate::prose::is_own;
use bt_syntax::Side;
use bt_xref::facts::{DefFact, DefKind};
use bt_xref::{ClassIx, Index, Origin, Site, SiteMaker, UnitEntry};
use std::sync::Arc;

/// Hint of a missing selector; scripts match it literally (workspace.md, 1.4).
const NOT_FOUND_HINT: &str =
    "Use includesSelector: or whichClassIncludesSelector: to check first, \
                              or removeSelector:ifAbsent: to supply a fallback.";

/// The class of a name.
///
/// # Errors
///
/// `class.not_found`, or `class.ambiguous` when one package declares it twice.
pub fn class(index: &Index, name: &str) -> Result<ClassIx, Refusal> {
    let Some(class) = index.find_class(name) else { return Err(not_found(name)) };
    let Some((_, node)) = index.class(class) else { return Ok(class) };
    let package = node.package;
    let twins: Vec<_> = index
        .hierarchy()
        .named(node.name)
        .iter()
        .copied()
        .filter(|ix| {
            let twin = index.class(*ix);
            twin.is_some_and(|(_, twin)| twin.package == package && !twin.is_opaque)
        })
        .collect();
    if twins.len() > 1 {
        return Err(Refusal::new(
            "class.ambiguous",
            format!("{name} is declared more than once"),
            "Remove or rename the other declarations first.",
        )
        .at(index.declaration_sites(&twins)));
    }
    Ok(class)
}

/// There is no class of a name.
#[must_use]
pub fn not_found(name: &str) -> Refusal {
    Refusal::new("class.not_found", format!("Class '{name}' not found"), "")
}

/// Whether a class belongs to the project.
///
/// # Errors
///
/// `scope.not_in_project`, naming the package.
pub fn in_project(index: &Index, class: ClassIx, verb: &str) -> Result<(), Refusal> {
    let Some((entry, node)) = index.class(class) else { return Ok(()) };
    let name = index.class_name(class);
    if node.is_opaque {
        return Err(Refusal::new(
            "operation.unsupported",
            format!("cannot {verb} {name}: it has no source"),
            "It was made by a class builder; make it anew in the form you want.",
        ));
    }
    let owner = match entry.origin {
        Origin::Project | Origin::Prompt | Origin::Orphan | Origin::Relic => return Ok(()),
        Origin::Stdlib => "the stdlib".to_owned(),
        Origin::Dependency => format!("the package {}", entry.package),
    };
    Err(Refusal::new(
        "scope.not_in_project",
        format!("cannot {verb} {name}: it belongs to {owner}"),
        "Only classes of this project can be changed in this way.",
    )
    .at(index.declaration_sites(&[class])))
}

/// Whether the unit that makes an extension belongs to the project.
///
/// # Errors
///
/// `scope.not_in_project`, naming the package.
pub fn extension_in_project(target: &Target<'_>, verb: &str) -> Result<(), Refusal> {
    let entry = target.entry;
    if is_own(entry) {
        return Ok(());
    }
    Err(Refusal::new(
        "scope.not_in_project",
        format!(
            "cannot {verb} {}: it is an extension of the package {}",
            target.site.owner, entry.package
        ),
        "Only methods of this project can be changed in this way.",
    )
    .at(vec![target.site.clone()]))
}

/// A method of a class.
pub struct Target<'a> {
    /// The class.
    pub class: ClassIx,
    /// Its unit.
    pub entry: &'a Arc<UnitEntry>,
    /// The definition.
    pub def: &'a DefFact,
    /// Where its selector stands.
    pub site: Site,
}

/// The method that answers a class: an extension of it, or else the one its own text defines.
///
/// # Errors
///
/// `selector.not_found` when there is none, `selector.generated` when the compiler makes it,
/// `operation.unsupported` when it is a class builder's, or there twice.
pub fn method<'a>(
    index: &'a Index,
    class: ClassIx,
    side: Side,
    selector: &str,
    verb: &str,
) -> Result<Target<'a>, Refusal> {
    let name = shown_class(index, class, side);
    let found = match index.names().lookup(selector) {
        Some(id) => index.defs_of_class(class, side, id),
        None => Vec::new(),
    };
    let places: Vec<_> = found
        .iter()
        .map(|(entry, def)| SiteMaker::new(entry, index.names()).definition(def))
        .collect();
    let kind = |kind: DefKind| found.iter().position(|(_, def)| def.kind == kind);
    let unsupported = |what: &str| {
        Refusal::new(
            "operation.unsupported",
            format!("#{selector} of {name} is {what}; {verb} it is not handled yet"),
            "",
        )
        .at(places.clone())
    };
    let target = |at: usize| {
        let (entry, def) = found.get(at).copied()?;
        let site = SiteMaker::new(entry, index.names()).definition(def);
        Some(Target { class, entry, def, site })
    };
    if let Some(extension) = answering_extension(&found).and_then(target) {
        return Ok(extension);
    }
    if kind(DefKind::Builder).is_some() {
        return Err(unsupported("made by a class builder"));
    }
    if found.iter().filter(|(_, def)| def.kind == DefKind::Method).count() > 1 {
        return Err(unsupported("defined more than once"));
    }
    if let Some(method) = kind(DefKind::Method).and_then(target) {
        return Ok(method);
    }
    if kind(DefKind::Generated).is_some() {
        return Err(Refusal::new(
            "selector.generated",
            format!("#{selector} of {name} is made by the compiler from a field"),
            "Change the field instead.",
        )
        .at(places));
    }
    let name = index.class_name(class);
    Err(Refusal::new(
        "selector.not_found",
        format!("{name} does not define #{selector} locally (or as an extension)"),
        NOT_FOUND_HINT,
    ))
}

/// Of several packages' extensions the one that answers: the project's, which is loaded last.
pub(crate) fn answering_extension(found: &[(&Arc<UnitEntry>, &DefFact)]) -> Option<usize> {
    let extensions =
        || found.iter().enumerate().filter(|(_, (_, def))| def.kind == DefKind::Extension);
    let own = extensions().find(|(_, (entry, _))| is_own(entry));
    own.or_else(|| extensions().next_back()).map(|(at, _)| at)
}

/// How a class's side is shown: `Counter` or `Counter class`.
#[must_use]
pub fn shown_class(index: &Index, class: ClassIx, side: Side) -> String {
    let name = index.class_name(class);
    match side {
        Side::Instance => name,
        Side::Class => format!("{name} class"),
    }
}
