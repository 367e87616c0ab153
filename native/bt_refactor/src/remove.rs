//! A method goes: its whole extent. Senders are reported, never a reason to refuse.

use crate::draft::{file_gone, file_of, place};
use crate::edit::{Edit, EditSet};
use crate::error::Refusal;
use crate::members::members;
use crate::plan::{counted, Candidate, Evidence, Operation, Plan, Warning};
use crate::prose::{mentions, Wanted};
use crate::rules;
use crate::rules::scope::{shown_class, Target};
use crate::splice::splice;
use bt_syntax::{parse, Node, NodeKind, Side};
use bt_xref::facts::{DefFact, SendFact};
use bt_xref::types::Relation;
use bt_xref::{ClassIx, Index, Origin, SiteMaker, UnitEntry};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) fn plan(
    index: &Index,
    generation: u64,
    class_name: &str,
    side: Side,
    selector: &str,
) -> Result<Plan, Refusal> {
    let class = rules::scope::class(index, class_name)?;
    let target = rules::scope::method(index, class, side, selector, "removing")?;
    let method = method_node(&target)?;
    let text = removed(index, &target, method)?;
    // A file of extensions goes with its last one; comments that are left keep it.
    let is_blank = target.entry.origin == Origin::Project && text.trim().is_empty();
    let heir = heir(index, &target, side, selector);
    let (candidates, excluded) = senders(index, &target, side, selector, method, heir.as_deref());
    let (prose, _) = mentions(index, Wanted::Selector(selector));
    Ok(Plan {
        operation: Operation::RemoveMethod,
        generation,
        class: index.class_name(class),
        side: Some(side),
        selector: Some(selector.to_owned()),
        new_name: None,
        new_selector: None,
        warnings: warnings(&shown_class(index, class, side), selector, &candidates, heir),
        sites: vec![target.site.clone()],
        candidates,
        excluded,
        prose: if is_blank { prose.outside(&target.entry.file) } else { prose },
        not_searched: crate::incomplete::incomplete(index, selector).not_searched,
        files: vec![if is_blank {
            file_gone(target.entry)
        } else {
            file_of(target.entry, text, false)
        }],
        names: Vec::new(),
    })
}

/// The `Method` or `Extension` node of a definition.
pub(crate) fn method_node<'a>(target: &Target<'a>) -> Result<Node<'a>, Refusal> {
    let owner = target.entry.facts.owner(target.def.owner);
    let node = owner.map(|owner| target.entry.unit.node(owner.node));
    node.ok_or_else(|| Refusal::new("span.stale", format!("{} has no text", target.site.owner), ""))
}

fn removed(index: &Index, target: &Target<'_>, method: Node<'_>) -> Result<String, Refusal> {
    let entry = target.entry;
    if entry.facts.is_degraded(method.span()) {
        return Err(Refusal::new(
            "search.incomplete",
            format!("{} could not be parsed", target.site.owner),
            "Correct the syntax errors first.",
        )
        .at(vec![target.site.clone()]));
    }
    let extent = bt_syntax::removal_extent(method);
    let failed = |why: String| {
        Refusal::new("verify.failed", format!("{}: {why}", entry.file), "")
            .at(vec![place(index, entry, extent)])
    };
    let edits = EditSet::new(vec![Edit::delete(extent)]).map_err(|it| failed(it.to_string()))?;
    let text = splice(entry.unit.text(), &edits).map_err(|it| failed(it.to_string()))?.text;
    let new = parse(&text);
    let mut expected = members(&entry.unit);
    // The method goes, and `@expect` lines that belong to it; nothing else may.
    expected.retain(|member| {
        let is_own = member.start == u32::from(method.span().start())
            || member.text.0 == NodeKind::Directive;
        !(is_own && extent.contains(member.start.into()))
    });
    let same = expected.iter().map(|it| &it.text).eq(members(&new).iter().map(|it| &it.text));
    if !same || new.errors().len() > entry.unit.errors().len() {
        return Err(failed("without the method the text would be read in another way".to_owned()));
    }
    Ok(text)
}

/// The class whose method answers instead: the class itself, when an extension goes that hid the
/// method of its text, or one above.
fn heir(index: &Index, target: &Target<'_>, side: Side, selector: &str) -> Option<String> {
    let id = index.names().lookup(selector)?;
    let own = index.defs_of_class(target.class, side, id);
    let is_other = |(entry, def): &(&Arc<UnitEntry>, &DefFact)| {
        (entry.id, def.start) != (target.entry.id, target.def.start)
    };
    if own.iter().any(is_other) {
        return Some(index.class_name(target.class));
    }
    let parent = index.hierarchy().node(target.class)?.parent?;
    let (heir, _, _) = index.lookup(parent, side, id)?;
    Some(index.class_name(heir))
}

/// The sends that reach the method today, except those inside it.
fn senders(
    index: &Index,
    target: &Target<'_>,
    side: Side,
    selector: &str,
    method: Node<'_>,
    heir: Option<&str>,
) -> (Vec<Candidate>, BTreeMap<&'static str, usize>) {
    let then = match heir {
        Some(heir) => format!("it will reach {heir}'s method"),
        None => "it will not be understood".to_owned(),
    };
    let mut candidates = Vec::new();
    let mut excluded = BTreeMap::new();
    for (entry, fact) in index.send_facts(selector) {
        let is_inside = entry.id == target.entry.id
            && method.span().contains_range(entry.unit.node(fact.node).span());
        if is_inside {
            continue;
        }
        match reach(index, entry, fact, target.class, side) {
            Ok((evidence, why)) => candidates.push(Candidate {
                site: SiteMaker::new(entry, index.names()).send(fact),
                evidence,
                because: format!("{why}; {then}"),
            }),
            Err(reason) => *excluded.entry(reason).or_default() += 1,
        }
    }
    candidates.sort();
    (candidates, excluded)
}

/// Whether a send may reach a method of a class, or why not.
fn reach(
    index: &Index,
    entry: &UnitEntry,
    fact: &SendFact,
    class: ClassIx,
    side: Side,
) -> Result<(Evidence, String), &'static str> {
    if entry.origin == Origin::Stdlib {
        return Err("not_in_project");
    }
    match index.reach(entry, fact, class, side) {
        Relation::Certain(why) => Ok((Evidence::Certain, why)),
        Relation::Possible(why) => Ok((Evidence::Possible, why)),
        Relation::Unrelated => Err("unrelated"),
        Relation::OtherSide => Err("other_side"),
        Relation::Module => Err("ffi"),
    }
}

fn warnings(
    name: &str,
    selector: &str,
    senders: &[Candidate],
    heir: Option<String>,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(heir) = heir {
        let of = if heir == name { "the extension's" } else { name };
        let of = if heir == name { of.to_owned() } else { format!("{of}'s") };
        let message = format!("behavior changes: {heir}'s #{selector} will run instead of {of}");
        warnings.push(Warning { code: "exposed", message });
    } else if !senders.is_empty() {
        let n_senders = counted(senders.len(), "sender");
        let message = format!("{n_senders} of #{selector} may find no method");
        warnings.push(Warning { code: "dangling_senders", message });
    }
    warnings
}
