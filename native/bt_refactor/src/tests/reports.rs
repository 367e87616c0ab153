//! Laws over generated projects and the examples: what a removal reports, and what the index says after
//! renames and removals, is what a plain reading of the texts says.

use super::laws::{index_of, put, Files};
use crate::{plan, Plan, Request};
use bt_syntax::Side;
use bt_testkit::gen::project;
use bt_testkit::oracle::{scan, Fact, Scan};
use bt_testkit::repository;
use bt_testkit::rng::Rng;
use bt_xref::{Change, Index, Site};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn fact(site: &Site) -> Fact {
    Fact {
        file: site.file.to_string(),
        spans: site.spans.iter().map(|span| (span.start, span.end)).collect(),
        kind: site.kind.name(),
        name: site.old.clone(),
        owner: site.owner.clone(),
    }
}

/// The methods that a class has once, in its body or by an extension: of two, a send tells by its owner
/// not which it is in.
fn methods(scan: &Scan) -> BTreeSet<(String, bool, String)> {
    let written = scan.defs.iter().filter(|def| !def.is_generated && !def.is_required);
    let key = |class: &str, is_class_side: bool, name: &str| {
        (class.to_owned(), is_class_side, name.to_owned())
    };
    let mut counts = BTreeMap::new();
    for def in written {
        *counts.entry(key(&def.class, def.is_class_side, &def.fact.name)).or_insert(0) += 1;
    }
    counts.into_iter().filter(|(_, n)| *n == 1).map(|(method, _)| method).collect()
}

fn side(is_class_side: bool) -> Side {
    if is_class_side {
        Side::Class
    } else {
        Side::Instance
    }
}

/// Compares what the removal of a method reports; answers whether there is a plan.
fn assert_report(index: &Index, scan: &Scan, method: &(String, bool, String)) -> bool {
    let (class, is_class_side, selector) = method;
    let request = Request::RemoveMethod {
        class: class.clone(),
        side: side(*is_class_side),
        selector: selector.clone(),
    };
    let Ok(plan) = plan(index, 1, &request) else { return false };
    let (dead, open) = scan.dead_senders(class, *is_class_side, selector);
    let reported: BTreeSet<_> = plan.candidates.iter().map(|it| fact(&it.site)).collect();
    for send in &dead {
        assert!(reported.contains(send), "{method:?} lacks {send:?} {:?}", scan.receiver_of(send));
    }
    for send in &reported {
        assert!(dead.contains(send) || open.contains(send), "{method:?} reports {send:?}");
    }
    let n_left_out: usize = plan.excluded.values().sum();
    let n_outside = scan.senders_of(selector).iter().filter(|send| !is_inside(&plan, send)).count();
    assert_eq!(plan.candidates.len() + n_left_out, n_outside, "{method:?}");
    let heir = scan.heir(class, *is_class_side, selector);
    let codes: Vec<_> = plan.warnings.iter().map(|it| it.code).collect();
    let expected = match (heir, plan.candidates.len()) {
        (Some(_), _) => vec!["exposed"],
        (None, 0) => vec![],
        (None, _) => vec!["dangling_senders"],
    };
    assert_eq!(codes, expected, "{method:?}");
    true
}

/// Whether a send is in the removed method.
fn is_inside(plan: &Plan, send: &Fact) -> bool {
    plan.sites.iter().any(|site| site.owner == send.owner && *site.file == *send.file)
}

fn assert_reports(index: &Index, files: &Files, is_asked: impl Fn(&str) -> bool) -> usize {
    let scan = scan(files);
    let asked = methods(&scan).into_iter().filter(|(class, _, _)| is_asked(class));
    asked.filter(|method| assert_report(index, &scan, method)).count()
}

fn applied(index: &Index, files: &mut Files, plan: &Plan) -> Index {
    let mut changes = Vec::new();
    for file in &plan.files {
        files.remove(&*file.file);
        changes.push(Change::Delete { file: file.file.clone() });
    }
    for file in &plan.files {
        let path = file.new_file.as_deref().unwrap_or(&file.file);
        if let Some(text) = &file.text {
            changes.push(put(path, text));
            files.insert(path.to_owned(), text.clone());
        }
    }
    index.with_changes(&changes)
}

/// Any request about a world, one that may be refused.
fn some_request(scan: &Scan, rng: &mut Rng) -> Option<Request> {
    let methods: Vec<_> = methods(scan).into_iter().collect();
    let (class, is_class_side, selector) = methods.get(rng.below(methods.len().max(1)))?.clone();
    let side = side(is_class_side);
    Some(match rng.below(4) {
        0 => Request::RenameClass { class, new_name: format!("Fresh{}", rng.below(1000)) },
        1 => Request::RemoveMethod { class, side, selector },
        2 => Request::RemoveClass { class },
        _ => {
            let new_selector = if selector.contains(':') {
                selector.replacen(':', "Anew:", 1)
            } else {
                format!("{selector}Anew")
            };
            Request::RenameMethod { class, side, selector, new_selector, accept: Vec::new() }
        }
    })
}

fn assert_same_answers(index: &Index, scan: &Scan) {
    let facts = |sites: Vec<Site>| {
        let mut facts: Vec<_> = sites.iter().map(fact).collect();
        facts.sort();
        facts
    };
    for selector in scan.sends.iter().map(|send| &send.name).collect::<BTreeSet<_>>() {
        assert_eq!(facts(index.senders_of(selector)), scan.senders_of(selector));
        for (class, _, _) in &scan.classes {
            for is_class_side in [false, true] {
                let narrowed = index.senders_of_class(selector, class, side(is_class_side));
                let narrowed: BTreeSet<_> = narrowed.iter().map(fact).collect();
                for send in scan.senders_of(selector) {
                    if let Some(expected) = scan.may_reach(&send, class, is_class_side) {
                        assert_eq!(narrowed.contains(&send), expected, "{send:?} to {class}");
                    }
                }
            }
        }
    }
    for def in &scan.defs {
        let name = &def.fact.name;
        assert_eq!(facts(index.implementors_of(name)), scan.implementors_of(name));
    }
    for name in scan.refs.iter().map(|fact| &fact.name) {
        assert_eq!(facts(index.references_to(name)), scan.references_to(name));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_removal_reports_the_senders_that_a_scan_finds(seed in 0_u64..100_000) {
        let files: Files = project(seed, 12).into_iter().map(|it| (it.path, it.text)).collect();
        prop_assert!(assert_reports(&index_of(&files), &files, |_| true) > 0);
    }

    #[test]
    fn renames_and_removals_leave_what_a_scan_finds(seed in 0_u64..100_000) {
        let mut files: Files = project(seed, 10).into_iter().map(|it| (it.path, it.text)).collect();
        let mut index = index_of(&files);
        let mut rng = Rng::new(seed);
        for _ in 0..12 {
            let Some(request) = some_request(&scan(&files), &mut rng) else { break };
            if let Ok(plan) = plan(&index, 1, &request) {
                index = applied(&index, &mut files, &plan);
            }
        }
        assert_same_answers(&index, &scan(&files));
        assert_reports(&index, &files, |_| true);
    }
}

#[test]
fn removals_in_the_examples_report_what_a_scan_finds() {
    let mut files = repository::units("erlang/bt_embedded/priv/stdlib").unwrap();
    let example = repository::units("examples/harbour").unwrap();
    let own: BTreeSet<_> = scan(&example).classes.into_iter().map(|(name, _, _)| name).collect();
    files.extend(example);
    assert!(assert_reports(&index_of(&files), &files, |class| own.contains(class)) > 50);
}
