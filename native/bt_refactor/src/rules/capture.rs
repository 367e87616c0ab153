//! Whether a new name would silently mean something else.

use crate::error::Refusal;
use crate::rules::scope::{shown_class, Target};
use bt_syntax::ast::{Class, Protocol};
use bt_syntax::{Node, Side, Token};
use bt_xref::facts::{DefFact, DefKind, RefFact};
use bt_xref::{ClassIx, Index, Origin, Site, SiteKind, SiteMaker, UnitEntry};
use std::sync::Arc;

/// Selectors that the runtime sends by itself (language reference, 4.7).
const INSTANCE_HOOKS: [&str; 12] = [
    "initialize",
    "terminate:",
    "handleInfo:",
    "doesNotUnderstand:args:",
    "printString",
    "displayString",
    "equals:",
    "hash",
    "setUp",
    "tearDown",
    "setUpOnce",
    "tearDownOnce",
];
const CLASS_HOOKS: [&str; 7] = [
    "children",
    "strategy",
    "maxRestarts",
    "restartWindow",
    "childClass",
    "supervisionPolicy",
    "isSupervisor",
];

/// The type parameter of that name which is in scope at a reference, if there is one.
#[must_use]
pub fn type_param(
    index: &Index,
    entry: &UnitEntry,
    fact: &RefFact,
    new_name: &str,
) -> Option<Site> {
    let is_type =
        matches!(fact.kind, SiteKind::Annotation | SiteKind::SuperclassArgument | SiteKind::Bound);
    let owner = entry.facts.owner(fact.owner)?;
    let class = entry.facts.classes.get(owner.class as usize).filter(|_| is_type)?;
    let node = entry.unit.node(class.node);
    let token = type_params(node).into_iter().find(|token| token.text() == new_name)?;
    let maker = SiteMaker::new(entry, index.names());
    Some(maker.span(token.span(), SiteKind::Declaration, Some(fact.owner)))
}

fn type_params(node: Node<'_>) -> Vec<Token<'_>> {
    let of_class = Class::cast(node).map(Class::type_params);
    of_class.or_else(|| Protocol::cast(node).map(Protocol::type_params)).unwrap_or_default()
}

type Found<'a> = (ClassIx, &'a Arc<UnitEntry>, &'a DefFact);

/// Who on the class's line, on that side, understands a selector by itself: the class, the classes
/// above (behind a class side also `Class` and what is above it), the classes below.
struct Line<'a> {
    own: Vec<Found<'a>>,
    above: Vec<Found<'a>>,
    below: Vec<Site>,
}

fn line<'a>(index: &'a Index, class: ClassIx, side: Side, selector: &str) -> Line<'a> {
    let Some(id) = index.names().lookup(selector) else {
        return Line { own: Vec::new(), above: Vec::new(), below: Vec::new() };
    };
    let of_class = |ix: ClassIx, side: Side| {
        index.defs_of_class(ix, side, id).into_iter().map(move |(entry, def)| (ix, entry, def))
    };
    let mut above: Vec<_> =
        index.hierarchy().ancestors(class).flat_map(|ix| of_class(ix, side)).collect();
    if side == Side::Class {
        let metaclass = index.find_class("Class").into_iter();
        let behind = metaclass.flat_map(|ix| {
            std::iter::once(ix).chain(index.hierarchy().ancestors(ix)).collect::<Vec<_>>()
        });
        above.extend(behind.flat_map(|ix| of_class(ix, Side::Instance)));
    }
    let below = index.closure_of(class, side, selector).implementors;
    Line { own: of_class(class, side).collect(), above, below }
}

fn site(index: &Index, (_, entry, def): &Found<'_>) -> Site {
    SiteMaker::new(entry, index.names()).definition(def)
}

/// A new selector must not exist on the class, above or below it.
///
/// # Errors
///
/// `selector.taken` when the class has it, `selector.capture` when a class above or below does.
pub fn selector(index: &Index, class: ClassIx, side: Side, new: &str) -> Result<(), Refusal> {
    let Line { own, above, below } = line(index, class, side, new);
    let name = shown_class(index, class, side);
    let mut places: Vec<_> = own.iter().chain(&above).map(|found| site(index, found)).collect();
    places.extend(below.iter().cloned());
    if let Some((_, _, def)) = own.first() {
        let how = match def.kind {
            DefKind::Extension => " in an extension",
            DefKind::Generated => " (made by the compiler)",
            _ => " locally",
        };
        return Err(Refusal::new(
            "selector.taken",
            format!("{name} already defines #{new}{how}"),
            format!("removeSelector: #{new} first or choose another name."),
        )
        .at(places));
    }
    let direction = match (above.is_empty(), below.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => "above",
        (true, false) => "below",
        (false, false) => "above and below",
    };
    Err(Refusal::new(
        "selector.capture",
        format!("#{new} is defined {direction} {name}: sends would reach another method"),
        "Choose another name.",
    )
    .at(places))
}

/// A selector that the runtime sends by itself cannot be renamed without a word.
///
/// # Errors
///
/// `selector.hook`.
pub fn hook(
    index: &Index,
    class: ClassIx,
    side: Side,
    old: &str,
    new: &str,
) -> Result<(), Refusal> {
    let is_test_class = index.find_class("TestCase").is_some_and(|test_case| {
        class == test_case || index.hierarchy().is_below(class, test_case)
    });
    let is_hook = |selector: &str| match side {
        Side::Instance => {
            INSTANCE_HOOKS.contains(&selector) || (is_test_class && selector.starts_with("test"))
        }
        Side::Class => CLASS_HOOKS.contains(&selector),
    };
    let is_rename_of_test = is_test_class && old.starts_with("test") && new.starts_with("test");
    let Some(hook) = [old, new].into_iter().find(|it| is_hook(it)).filter(|_| !is_rename_of_test)
    else {
        return Ok(());
    };
    let name = shown_class(index, class, side);
    Err(Refusal::new(
        "selector.hook",
        format!("#{hook} of {name} is sent by the runtime itself: renaming #{old} to #{new} changes when it runs"),
        "Change the method's text if that is what you want.",
    ))
}

/// What a method overrides.
pub struct Overridden {
    /// The class above.
    pub class: String,
    /// Its definition.
    pub site: Site,
    /// Whether it is the standard library's.
    pub is_library: bool,
    /// Whether it is the class's own, hidden by an extension.
    pub is_own: bool,
}

/// The method that a method hides: of the class's own text, for an extension, or above.
#[must_use]
pub fn overridden(
    index: &Index,
    target: &Target<'_>,
    side: Side,
    selector: &str,
) -> Option<Overridden> {
    let Line { own, above, .. } = line(index, target.class, side, selector);
    let is_hidden = |(_, _, def): &&Found<'_>| {
        target.def.kind == DefKind::Extension && def.kind != DefKind::Extension
    };
    let own = own.iter().find(is_hidden);
    let found = own.or_else(|| above.first())?;
    let (above_class, entry, _) = found;
    Some(Overridden {
        class: index.class_name(*above_class),
        site: site(index, found),
        is_library: entry.origin == Origin::Stdlib,
        is_own: own.is_some(),
    })
}

/// What overrides a method of the standard library is sent by the library, under that name.
///
/// # Errors
///
/// `selector.overrides_library`.
pub fn library(
    index: &Index,
    class: ClassIx,
    side: Side,
    selector: &str,
    overridden: Option<&Overridden>,
) -> Result<(), Refusal> {
    let Some(over) = overridden.filter(|over| over.is_library) else { return Ok(()) };
    let name = shown_class(index, class, side);
    Err(Refusal::new(
        "selector.overrides_library",
        format!(
            "#{selector} of {name} overrides {} of the stdlib: the library sends it by that name",
            over.class
        ),
        "Rename a method of your own, or change the method's text.",
    )
    .at(vec![over.site.clone()]))
}
