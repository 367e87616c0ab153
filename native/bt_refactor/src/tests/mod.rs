//! Tests of plans, through `check` and `check_refused`.

mod class_removals;
mod class_renames;
mod extensions;
mod laws;
mod methods;
mod reports;
mod selector_refusals;
mod selector_renames;

use crate::{plan, Plan, Refusal, Request};
use bt_syntax::Side;
pub(crate) use bt_xref::fixture::index;
use bt_xref::Site;
use expect_test::Expect;

/// A request as people write it: `Counter renameTo: Tally`, `Counter class renameSelector: a to: b`,
/// `Counter removeSelector: a`, `Counter >> source`.
pub(crate) fn request(text: &str) -> Request {
    if let Some((target, source)) = text.split_once(" >> ") {
        let (class, side) = sided(target);
        return Request::PatchMethod { class, side, source: source.to_owned() };
    }
    let (target, rest) = text.split_at(text.find(" re").unwrap());
    let (class, side) = sided(target);
    let words: Vec<_> = rest.split_whitespace().collect();
    match words.as_slice() {
        ["renameTo:"] => Request::RenameClass { class, new_name: String::new() },
        ["renameTo:", ..] => {
            let new_name = rest.strip_prefix(" renameTo: ").unwrap().to_owned();
            Request::RenameClass { class, new_name }
        }
        ["renameSelector:", old, "to:", new] => Request::RenameMethod {
            class,
            side,
            selector: (*old).to_owned(),
            new_selector: (*new).to_owned(),
            accept: Vec::new(),
        },
        ["removeFromSystem"] => Request::RemoveClass { class },
        ["removeSelector:", selector] => {
            Request::RemoveMethod { class, side, selector: (*selector).to_owned() }
        }
        _ => panic!("no request: {text}"),
    }
}

fn sided(target: &str) -> (String, Side) {
    match target.strip_suffix(" class") {
        Some(class) => (class.to_owned(), Side::Class),
        None => (target.to_owned(), Side::Instance),
    }
}

pub(crate) fn planned(before: &str, wanted: &str) -> Plan {
    plan(&index(before), 1, &request(wanted)).unwrap()
}

/// The changed files after a request.
#[track_caller]
pub(crate) fn check(before: &str, wanted: &str, after: Expect) {
    after.assert_eq(&after_text(&planned(before, wanted)));
}

pub(crate) fn after_text(plan: &Plan) -> String {
    let shown = |file: &crate::PlanFile| {
        let path = file.new_file.as_deref().unwrap_or(&file.file);
        (path.to_owned(), file.text.clone().unwrap_or_else(|| "(gone)\n".to_owned()))
    };
    bt_testkit::fixture::print(&plan.files.iter().map(shown).collect::<Vec<_>>())
}

/// Everything else a plan says.
#[track_caller]
pub(crate) fn check_report(before: &str, wanted: &str, report: Expect) {
    report.assert_eq(&report_text(&planned(before, wanted)));
}

pub(crate) fn report_text(plan: &Plan) -> String {
    let mut out = String::new();
    for site in &plan.sites {
        out.push_str(&format!("site {}\n", line(site)));
    }
    for candidate in &plan.candidates {
        let evidence = candidate.evidence.name();
        out.push_str(&format!("{evidence} {}: {}\n", line(&candidate.site), candidate.because));
    }
    for (reason, count) in &plan.excluded {
        out.push_str(&format!("excluded {reason}: {count}\n"));
    }
    if plan.prose.count > 0 {
        out.push_str(&format!("prose {} in {} files\n", plan.prose.count, plan.prose.files));
    }
    for line in &plan.not_searched {
        out.push_str(&format!("not searched {line}\n"));
    }
    for warning in &plan.warnings {
        out.push_str(&format!("warning {}: {}\n", warning.code, warning.message));
    }
    out
}

fn line(site: &Site) -> String {
    let Site { file, line, col, kind, owner, old, new, .. } = site;
    let kind = kind.name();
    match new {
        Some(new) => format!("{file}:{line}:{col} {kind} {owner}: {old} -> {new}"),
        None => format!("{file}:{line}:{col} {kind} {owner}: {old}"),
    }
}

#[track_caller]
pub(crate) fn check_refused(before: &str, wanted: &str, refusal: Expect) {
    let found = plan(&index(before), 1, &request(wanted)).expect_err("a refusal");
    refusal.assert_eq(&refusal_text(&found));
}

pub(crate) fn refusal_text(refusal: &Refusal) -> String {
    let mut out = format!("{}: {}\n", refusal.code, refusal.message);
    for place in &refusal.places {
        out.push_str(&format!("at {}:{}:{}: {}\n", place.file, place.line, place.col, place.old));
    }
    out
}
