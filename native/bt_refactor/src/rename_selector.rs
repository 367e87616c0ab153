//! A method gets another selector (design.md, *Soundness of a method rename*).
//!
//! Rewritten without asking: the definition; and, when nobody below overrides it, the `self` sends of
//! the class and the classes below and the `super` sends of the classes below. Everything else that
//! may reach the method is a candidate; what certainly does not is counted.

use crate::draft::{rename_site, renamed_files, selector_parts};
use crate::error::Refusal;
use crate::incomplete::incomplete;
use crate::plan::{counted, Candidate, Evidence, Operation, Plan, Prose, Warning};
use crate::prose::{is_changed, mentions, Wanted};
use crate::rules;
use crate::rules::allowed::Allowed;
use crate::rules::scope::{shown_class, Target};
use crate::symbols::{because, Role};
use bt_syntax::{NodeKind, Side};
use bt_xref::facts::{DefKind, Receiver, SendFact};
use bt_xref::types::Relation;
use bt_xref::{ClassIx, Closure, Index, Origin, Site, SiteMaker, UnitEntry};
use std::collections::BTreeMap;

/// What is asked for.
pub(crate) struct Rename<'a> {
    pub(crate) class: &'a str,
    pub(crate) side: Side,
    pub(crate) selector: &'a str,
    pub(crate) new_selector: &'a str,
    pub(crate) accept: &'a [(String, u32)],
    /// Codes of refusals to let pass.
    pub(crate) allow: &'a [String],
}

pub(crate) fn plan(index: &Index, generation: u64, rename: &Rename<'_>) -> Result<Plan, Refusal> {
    let Rename { side, selector, new_selector, .. } = *rename;
    let class = rules::scope::class(index, rename.class)?;
    let target = rules::scope::method(index, class, side, selector, "renaming")?;
    let mut plan = empty(generation, index.class_name(class), rename);
    if selector == new_selector {
        return Ok(plan);
    }
    rules::name::selector(selector, new_selector)?;
    in_project(index, &target, selector)?;
    let mut allowed = Allowed::new(rename.allow);
    allowed.pass(rules::capture::hook(index, class, side, selector, new_selector))?;
    allowed.pass(rules::capture::selector(index, class, side, new_selector))?;
    let overridden = rules::capture::overridden(index, &target, side, selector);
    allowed.pass(rules::capture::library(index, class, side, selector, overridden.as_ref()))?;

    let closure = index.closure_of(class, side, selector);
    let mut found = Found::new(index, class, rename, &closure);
    found.sites.push(target.site.clone());
    found.sends();
    found.requirements();
    found.symbols();
    let searched = incomplete(index, first_part(selector));
    let spoiled: Vec<_>;
    (spoiled, found.sites) = found.sites.into_iter().partition(|it| is_degraded(index, it));
    allowed.pass(all_parsed(selector, spoiled))?;
    let (prose, examples) = mentions(index, Wanted::Selector(selector));
    found.candidates.extend(examples);

    plan.prose = prose;
    plan.excluded = found.excluded;
    (plan.sites, plan.candidates) =
        decided(found.sites, found.candidates, rename.accept, &selector_parts(new_selector))?;
    plan.files = renamed_files(index, &plan.sites)?;
    plan.not_searched = not_searched(searched.not_searched, &searched.mentions, &closure, selector);
    plan.warnings = allowed.into_warnings();
    plan.warnings.extend(warnings(index, &target, rename, &closure, overridden));
    plan.warnings.extend(orphans(selector, plan.excluded.get("orphan").copied()));
    Ok(plan)
}

fn all_parsed(selector: &str, spoiled: Vec<Site>) -> Result<(), Refusal> {
    if spoiled.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(
        "search.incomplete",
        format!("#{selector} is sent where the text could not be parsed"),
        "Correct the syntax errors first.",
    )
    .at(spoiled))
}

fn first_part(selector: &str) -> &str {
    selector.find(':').map_or(selector, |at| selector.get(..=at).unwrap_or(selector))
}

fn empty(generation: u64, class: String, rename: &Rename<'_>) -> Plan {
    Plan {
        operation: Operation::RenameMethod,
        generation,
        class,
        side: Some(rename.side),
        selector: Some(rename.selector.to_owned()),
        new_name: None,
        new_selector: Some(rename.new_selector.to_owned()),
        sites: Vec::new(),
        candidates: Vec::new(),
        excluded: BTreeMap::new(),
        prose: Prose::default(),
        not_searched: Vec::new(),
        warnings: Vec::new(),
        files: Vec::new(),
        names: Vec::new(),
    }
}

/// An extension belongs to the unit that makes it, any other method to its class.
fn in_project(index: &Index, target: &Target<'_>, selector: &str) -> Result<(), Refusal> {
    let checked = if target.def.kind == DefKind::Extension {
        rules::scope::extension_in_project(target, "rename")
    } else {
        rules::scope::in_project(index, target.class, "rename a method of")
    };
    checked.map_err(|refusal| Refusal {
        code: "operation.unsupported",
        message: format!("{}; renaming #{selector} there is not handled yet", refusal.message),
        ..refusal
    })
}

fn is_degraded(index: &Index, site: &Site) -> bool {
    let Some(entry) = index.unit(&site.file) else { return false };
    site.spans.iter().any(|span| entry.facts.is_degraded(span.range()))
}

/// Sites and candidates under construction.
struct Found<'a> {
    index: &'a Index,
    class: ClassIx,
    side: Side,
    selector: &'a str,
    closure: &'a Closure,
    sites: Vec<Site>,
    candidates: Vec<Candidate>,
    excluded: BTreeMap<&'static str, usize>,
}

/// What becomes of a send.
enum Verdict {
    Site,
    Candidate(Evidence, String),
    Excluded(&'static str),
}

impl Verdict {
    /// What a block sends whose method cannot be compiled anew keeps the old name.
    fn unless_relic(self, entry: &UnitEntry) -> Self {
        match self {
            Self::Site | Self::Candidate(..) if entry.origin == Origin::Relic => {
                Self::Excluded("orphan")
            }
            other => other,
        }
    }
}

impl<'a> Found<'a> {
    fn new(index: &'a Index, class: ClassIx, rename: &Rename<'a>, closure: &'a Closure) -> Self {
        Self {
            index,
            class,
            side: rename.side,
            selector: rename.selector,
            closure,
            sites: Vec::new(),
            candidates: Vec::new(),
            excluded: BTreeMap::new(),
        }
    }

    fn sends(&mut self) {
        for (entry, fact) in self.index.send_facts(self.selector) {
            let verdict = if matches!(entry.origin, Origin::Stdlib | Origin::Dependency) {
                Verdict::Excluded("not_in_project")
            } else {
                self.verdict(entry, fact).unless_relic(entry)
            };
            let maker = SiteMaker::new(entry, self.index.names());
            match verdict {
                Verdict::Site => self.sites.push(maker.send(fact)),
                Verdict::Candidate(evidence, because) => {
                    let site = maker.send(fact);
                    self.candidates.push(Candidate { site, evidence, because });
                }
                Verdict::Excluded(reason) => *self.excluded.entry(reason).or_default() += 1,
            }
        }
    }

    fn verdict(&self, entry: &UnitEntry, fact: &SendFact) -> Verdict {
        let owner = entry.facts.owner(fact.owner());
        let owner_class = self.index.class_of_owner(entry, fact.owner());
        let own_side = owner.is_some_and(|owner| owner.side == self.side);
        match (fact.receiver(), owner_class) {
            (Receiver::Ffi, _) => Verdict::Excluded("ffi"),
            (Receiver::SelfRef | Receiver::Super, Some(_)) if !own_side => {
                Verdict::Excluded("other_side")
            }
            (Receiver::SelfRef, Some(owner)) => self.self_send(owner),
            (Receiver::Super, Some(owner)) => self.super_send(owner),
            _ => self.other_send(entry, fact),
        }
    }

    fn self_send(&self, owner: ClassIx) -> Verdict {
        let hierarchy = self.index.hierarchy();
        if owner == self.class || hierarchy.is_below(owner, self.class) {
            return self.confirmed();
        }
        if hierarchy.is_below(self.class, owner) {
            let name = self.index.class_name(owner);
            let why = format!("sent to self in {name}, above the class");
            return Verdict::Candidate(Evidence::Possible, why);
        }
        Verdict::Excluded("unrelated")
    }

    fn super_send(&self, owner: ClassIx) -> Verdict {
        if self.index.hierarchy().is_below(owner, self.class) {
            return self.confirmed();
        }
        // In the class itself and above it, super means a method further up.
        let is_above = owner == self.class || self.index.hierarchy().is_below(self.class, owner);
        Verdict::Excluded(if is_above { "above" } else { "unrelated" })
    }

    /// A `self` or `super` send on the line, if nobody below overrides the method.
    fn confirmed(&self) -> Verdict {
        if self.closure.free {
            return Verdict::Site;
        }
        let why = match (self.closure.implementors.first(), self.closure.unknown.first()) {
            (Some(site), _) => format!("overridden below, by {}", site.owner),
            (None, Some(class)) => format!("{class}, below the class, is not wholly known"),
            (None, None) => String::new(),
        };
        Verdict::Candidate(Evidence::Possible, why)
    }

    fn other_send(&self, entry: &UnitEntry, fact: &SendFact) -> Verdict {
        let relation = self.index.relation(entry, fact, self.class, self.side);
        match relation {
            Relation::Unrelated => Verdict::Excluded("unrelated"),
            Relation::Module => Verdict::Excluded("ffi"),
            Relation::OtherSide => Verdict::Excluded("other_side"),
            Relation::Possible(why) => Verdict::Candidate(Evidence::Possible, why),
            Relation::Certain(why) if self.closure.free => {
                Verdict::Candidate(Evidence::Certain, why)
            }
            Relation::Certain(why) => Verdict::Candidate(
                Evidence::Possible,
                format!("{why}, but the method is overridden below"),
            ),
        }
    }

    /// Requirements of protocols: the class may have to conform.
    fn requirements(&mut self) {
        for (entry, def) in self.index.def_facts(self.selector) {
            if def.kind != DefKind::Requirement || def.side != self.side {
                continue;
            }
            if matches!(entry.origin, Origin::Stdlib | Origin::Dependency) {
                *self.excluded.entry("not_in_project").or_default() += 1;
                continue;
            }
            let site = SiteMaker::new(entry, self.index.names()).definition(def);
            let because = format!("{} requires it", site.owner);
            self.candidates.push(Candidate { site, evidence: Evidence::Possible, because });
        }
    }

    fn symbols(&mut self) {
        for (entry, fact) in self.index.symbol_facts(self.selector) {
            if !is_changed(entry) {
                continue;
            }
            let site = SiteMaker::new(entry, self.index.names()).symbol(fact);
            let because = because(entry, fact, Role::Selector);
            self.candidates.push(Candidate { site, evidence: Evidence::Symbol, because });
        }
    }
}

/// Gives everything its new name and moves the accepted candidates to the sites.
fn decided(
    mut sites: Vec<Site>,
    candidates: Vec<Candidate>,
    accept: &[(String, u32)],
    parts: &[String],
) -> Result<(Vec<Site>, Vec<Candidate>), Refusal> {
    let accepts = |site: &Site| {
        accept.iter().any(|(file, start)| **file == *site.file && *start == site.start())
    };
    let unknown = accept.iter().find(|(file, start)| {
        let is_it = |site: &Site| **file == *site.file && *start == site.start();
        !candidates.iter().any(|candidate| is_it(&candidate.site)) && !sites.iter().any(is_it)
    });
    if let Some((file, start)) = unknown {
        return Err(Refusal::new(
            "request.invalid",
            format!("there is no candidate at byte {start} of {file}"),
            "Accept candidates of the plan by their file and start.",
        ));
    }
    let mut left = Vec::new();
    for mut candidate in candidates {
        if accepts(&candidate.site) {
            sites.push(candidate.site);
        } else {
            rename_any(&mut candidate.site, parts);
            left.push(candidate);
        }
    }
    for site in &mut sites {
        rename_any(site, parts);
    }
    sites.sort();
    sites.dedup();
    left.sort();
    Ok((sites, left))
}

fn rename_any(site: &mut Site, parts: &[String]) {
    let whole = parts.concat();
    let new = if site.old.starts_with("#'") {
        vec![format!("#'{whole}'")]
    } else if site.old.starts_with('#') {
        vec![format!("#{whole}")]
    } else {
        parts.to_vec()
    };
    rename_site(site, &new);
}

fn not_searched(
    mut lines: Vec<String>,
    mentions: &[Site],
    closure: &Closure,
    selector: &str,
) -> Vec<String> {
    for Site { file, line, col, .. } in mentions {
        lines.push(format!("{file}:{line}:{col}: #{selector} in a text that could not be parsed"));
    }
    for class in &closure.unknown {
        lines.push(format!("{class}: not all of its methods are known"));
    }
    lines.sort();
    lines
}

// ---- warnings

fn orphans(selector: &str, n_sends: Option<usize>) -> Option<Warning> {
    let sends = counted(n_sends?, "send");
    let message =
        format!("{sends} of #{selector} in blocks of former methods will ask for that name");
    Some(Warning { code: "orphans", message })
}

fn warnings(
    index: &Index,
    target: &Target<'_>,
    rename: &Rename<'_>,
    closure: &Closure,
    overridden: Option<rules::capture::Overridden>,
) -> Vec<Warning> {
    let Rename { side, selector, new_selector, .. } = *rename;
    let name = shown_class(index, target.class, side);
    let mut warnings = Vec::new();
    let mut warn = |code: &'static str, message: String| warnings.push(Warning { code, message });
    if let Some(over) = overridden {
        let place = format!("{}:{}", over.site.file, over.site.line);
        let (hides, hidden) = if over.is_own {
            ("is an extension in place of", "the method in the class's own text".to_owned())
        } else {
            ("overrides", format!("{}'s", over.class))
        };
        warn("overrides", format!("#{selector} of {name} {hides} {hidden} ({place})"));
        warn(
            "exposed",
            format!("senders of #{selector} that are left reach {hidden} instead of failing"),
        );
    }
    if !closure.implementors.is_empty() {
        let n_below = closure.implementors.len();
        warn(
            "overridden",
            format!("#{selector} is overridden by {n_below} below {name}, which keep it"),
        );
    }
    let is_bound =
        target.entry.facts.owner(target.def.owner).is_some_and(|owner| owner.is_bound_by_selector);
    if is_bound {
        warn(
            "bound_to_erlang",
            format!(
                "the method hands its selector to Erlang, which will be asked for {new_selector}"
            ),
        );
    }
    let computing = match computed_sends(index) {
        0 => return warnings,
        1 => "1 send computes its selector".to_owned(),
        n => format!("{n} sends compute their selectors"),
    };
    warn("computed_selectors", format!("{computing}: the search cannot be complete"));
    warnings
}

/// Sends whose selector is no literal.
fn computed_sends(index: &Index) -> usize {
    const SENDS: [&str; 4] = [
        "perform:",
        "perform:withArguments:",
        "perform:withArguments:timeout:",
        "performLocally:withArguments:",
    ];
    let ids: Vec<_> = SENDS.iter().filter_map(|name| index.names().lookup(name)).collect();
    let mut n_computed = 0;
    for entry in index.units().filter(|entry| is_changed(entry)) {
        for id in &ids {
            let is_computed = |fact: &&SendFact| {
                let arguments = bt_syntax::ast::arguments_of(entry.unit.node(fact.node));
                arguments.first().is_some_and(|it| it.kind() != NodeKind::Symbol)
            };
            n_computed += entry.facts.sends_of(*id).iter().filter(is_computed).count();
        }
    }
    n_computed
}
