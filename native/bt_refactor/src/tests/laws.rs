//! Laws over generated projects and edits.

use crate::edit::{Edit, EditSet};
use crate::splice::splice;
use crate::{plan, Plan, Request};
use bt_syntax::{parse, NodeKind, Side, TextRange, TextSize, TokenKind};
use bt_testkit::gen::project;
use bt_testkit::oracle::scan;
use bt_testkit::rng::Rng;
use bt_xref::facts::DefKind;
use bt_xref::{Change, Index, Origin, Site, SiteKind};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

pub(super) type Files = BTreeMap<String, String>;

fn files_of(seed: u64, n_classes: usize) -> Files {
    project(seed, n_classes).into_iter().map(|file| (file.path, file.text)).collect()
}

pub(super) fn put(file: &str, text: &str) -> Change {
    Change::Put {
        file: file.into(),
        unit: Arc::new(parse(text)),
        package: "harbour".into(),
        origin: Origin::Project,
        patched: Vec::new(),
    }
}

pub(super) fn index_of(files: &Files) -> Index {
    let changes: Vec<_> = files.iter().map(|(file, text)| put(file, text)).collect();
    Index::new().with_changes(&changes)
}

/// The files after a plan, and the changes that lead there.
fn applied(files: &Files, plan: &Plan) -> (Files, Vec<Change>) {
    let mut files = files.clone();
    let mut changes = Vec::new();
    for file in &plan.files {
        files.remove(&*file.file);
        changes.push(Change::Delete { file: file.file.clone() });
    }
    for file in &plan.files {
        let path = file.new_file.as_deref().unwrap_or(&file.file);
        changes.push(put(path, file.text.as_deref().unwrap()));
        files.insert(path.to_owned(), file.text.clone().unwrap());
    }
    (files, changes)
}

/// A text with the tokens of a name, where the scan sees them, replaced: print what was parsed,
/// token by token.
fn reprinted(text: &str, names: &BTreeMap<(u32, u32), String>) -> String {
    let unit = parse(text);
    let printed = unit.tokens().map(|token| {
        let span = (token.span().start().into(), token.span().end().into());
        names.get(&span).cloned().unwrap_or_else(|| token.text().to_owned())
    });
    printed.collect()
}

/// The files with `@expect` lines above some methods.
fn with_expects(files: &Files, rng: &mut Rng) -> Files {
    let mut files = files.clone();
    for text in files.values_mut() {
        let unit = parse(text);
        for method in unit.nodes().rev().filter(|node| node.kind() == NodeKind::Method) {
            let before = &text[..usize::from(method.span().start())];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            let indent = before[line_start..].to_owned();
            if indent.trim().is_empty() && rng.one_in(3) {
                text.insert_str(line_start, &format!("{indent}@expect dnu\n"));
            }
        }
    }
    files
}

/// File and text of each method, with the doc comment and the `@expect` lines above it.
fn methods_of(files: &Files) -> VecDeque<(String, String)> {
    let mut methods = VecDeque::new();
    for (file, text) in files {
        for node in parse(text).nodes().filter(|node| node.kind() == NodeKind::Method) {
            let whole = TextRange::new(bt_syntax::method_extent(node).start(), node.span().end());
            let text = text[Range::<usize>::from(whole)].trim_start();
            methods.push_back((file.clone(), text.to_owned()));
        }
    }
    methods
}

/// Some method of the project's own text.
fn some_method(index: &Index, rng: &mut Rng) -> Option<(String, Side, String)> {
    let mut methods = Vec::new();
    for entry in index.units() {
        for def in entry.facts.defs.iter().filter(|def| def.kind == DefKind::Method) {
            let owner = entry.facts.owner(def.owner).unwrap();
            let class = index.names().text(owner.name).to_owned();
            methods.push((class, def.side, index.names().text(def.selector).to_owned()));
        }
    }
    (!methods.is_empty()).then(|| methods[rng.below(methods.len())].clone())
}

/// A new selector of the same shape.
fn fresh(selector: &str) -> Option<String> {
    match bt_syntax::shape_of(selector)? {
        bt_syntax::Shape::Unary => Some(format!("{selector}Anew")),
        bt_syntax::Shape::Keyword => Some(selector.replace(':', "Anew:")),
        bt_syntax::Shape::Binary => None,
    }
}

fn edits_strategy() -> impl Strategy<Value = (String, EditSet)> {
    let text = "[a-zé🌍 \n]{0,40}";
    (text, prop::collection::vec((0_usize..41, 0_usize..5, "[x-zü]{0,4}"), 0..6)).prop_map(
        |(text, raw)| {
            let bounds: Vec<_> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut edits = Vec::new();
            let mut last = 0;
            let mut raw = raw;
            raw.sort();
            for (at, len, new) in raw {
                let (from, to) = (at.max(last), at.max(last) + len);
                if to >= bounds.len() || (from == to && new.is_empty()) {
                    continue;
                }
                let span = TextRange::new(
                    TextSize::new(bounds[from] as u32),
                    TextSize::new(bounds[to] as u32),
                );
                edits.push(Edit::replace(span, new));
                last = to + 1;
            }
            (text, EditSet::new(edits).unwrap())
        },
    )
}

proptest! {
    #[test]
    fn splicing_the_inverse_gives_the_text_back((text, edits) in edits_strategy()) {
        let there = splice(&text, &edits).unwrap();
        let back = splice(&there.text, &there.inverse).unwrap();
        prop_assert_eq!(&back.text, &text);
        // Bytes behind an edit are found again.
        for (at, _) in text.char_indices() {
            let is_edited = edits.iter().any(|edit| edit.span().contains(TextSize::new(at as u32)));
            if !is_edited {
                let new = there.map.to_new(at as u32) as usize;
                prop_assert_eq!(text[at..].chars().next(), there.text[new..].chars().next());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn a_class_renamed_there_and_back(seed in 0_u64..100_000) {
        let before = files_of(seed, 12);
        let index = index_of(&before);
        let mut rng = Rng::new(seed);
        let old = bt_testkit::gen::class_name(rng.below(12));
        let rename = |class: &str, new: &str| Request::RenameClass {
            class: class.to_owned(),
            new_name: new.to_owned(),
        };
        let there = plan(&index, 1, &rename(&old, "Renamed")).unwrap();

        // Parse, rename, print, with the places of the slow scan.
        let scanned = scan(&before);
        let mut names: BTreeMap<&str, BTreeMap<(u32, u32), String>> = BTreeMap::new();
        let decls = scanned.classes.iter().filter(|it| it.0 == old).map(|it| &it.2);
        for fact in scanned.refs.iter().filter(|fact| fact.name == old).chain(decls) {
            let spans = names.entry(&fact.file).or_default();
            spans.insert(fact.spans[0], "Renamed".to_owned());
        }
        prop_assert_eq!(there.files.len(), names.len());
        for file in &there.files {
            prop_assert_eq!(file.text.as_deref().unwrap(), &reprinted(&before[&*file.file], &names[&*file.file]));
            prop_assert!(file.names_only);
        }

        let (middle, changes) = applied(&before, &there);
        let after = index.with_changes(&changes);
        prop_assert!(after.references_to(&old).is_empty());
        prop_assert_eq!(after.stats(), index_of(&middle).stats());
        let back = plan(&after, 2, &rename("Renamed", &old)).unwrap();
        prop_assert_eq!(applied(&middle, &back).0, before);
    }

    #[test]
    fn a_method_renamed_there_and_back(seed in 0_u64..100_000) {
        let before = files_of(seed, 12);
        let index = index_of(&before);
        let mut rng = Rng::new(seed);
        let Some((class, side, old)) = some_method(&index, &mut rng) else { return Ok(()) };
        let Some(new) = fresh(&old) else { return Ok(()) };
        let rename = |from: &str, to: &str| Request::RenameMethod {
            class: class.clone(),
            side,
            selector: from.to_owned(),
            new_selector: to.to_owned(),
            accept: Vec::new(),
        };
        let there = match plan(&index, 1, &rename(&old, &new)) {
            Ok(there) => there,
            Err(refusal) => {
                prop_assert_ne!(refusal.code, "verify.failed", "{:?}", refusal);
                return Ok(());
            }
        };
        // Nothing but the old name's tokens changes, and each once.
        for file in &there.files {
            let old_unit = parse(&before[&*file.file]);
            let new_unit = parse(file.text.as_deref().unwrap());
            for (a, b) in old_unit.tokens().zip(new_unit.tokens()) {
                let is_name = matches!(a.kind(), TokenKind::Ident | TokenKind::Keyword);
                prop_assert!(a.text() == b.text() || is_name);
            }
        }
        let (middle, changes) = applied(&before, &there);
        let after = index.with_changes(&changes);
        prop_assert_eq!(after.senders_of(&new).len() + 1, there.sites.len());
        match plan(&after, 2, &rename(&new, &old)) {
            Ok(back) => prop_assert_eq!(applied(&middle, &back).0, before),
            // The extension took the place of the class's own method, which has the name again; or it
            // overrode another method, or another overrode it: going back would do so anew.
            Err(refusal) => {
                let is_definition = |it: &&Site| it.kind == SiteKind::Definition;
                let owner = there.sites.iter().find(is_definition).map(|it| &it.owner);
                let defined = index.implementors_of(&old);
                let n_own = defined.iter().filter(|it| Some(&it.owner) == owner).count();
                // A word such as `class` is no new name, though a method may be called so.
                let code = match crate::rules::name::selector(&new, &old) {
                    Err(unfit) => unfit.code,
                    Ok(()) if n_own > 1 => "selector.taken",
                    Ok(()) => "selector.capture",
                };
                prop_assert_eq!(refusal.code, code);
            }
        }
    }

    #[test]
    fn a_method_removed_leaves_the_other_members(seed in 0_u64..100_000) {
        let mut rng = Rng::new(seed);
        let before = with_expects(&files_of(seed, 8), &mut rng);
        let index = index_of(&before);
        let Some((class, side, selector)) = some_method(&index, &mut rng) else {
            return Ok(());
        };
        let remove =
            Request::RemoveMethod { class: class.clone(), side, selector: selector.clone() };
        let removal = match plan(&index, 1, &remove) {
            Ok(removal) => removal,
            Err(refusal) => {
                prop_assert_ne!(refusal.code, "verify.failed", "{:?}", refusal);
                return Ok(());
            }
        };
        let (middle, changes) = applied(&before, &removal);
        let after = index.with_changes(&changes);
        prop_assert_eq!(after.stats().methods + 1, index.stats().methods);
        let mut left = methods_of(&before);
        let mut removed = 0;
        for method in methods_of(&middle) {
            while left.pop_front().is_some_and(|it| it != method) {
                removed += 1;
            }
        }
        prop_assert_eq!(removed + left.len(), 1, "one method went, the others are as they were");
        let refused = plan(&after, 2, &remove).unwrap_err();
        prop_assert!(["selector.not_found", "selector.generated"].contains(&refused.code));
        for (path, text) in &middle {
            prop_assert!(parse(text).errors().is_empty(), "{path}");
        }
    }
}

#[test]
fn sr_05_equal_edits_merge_and_different_ones_refuse() {
    let span = TextRange::new(TextSize::new(1), TextSize::new(3));
    let twice = vec![Edit::replace(span, "x"), Edit::replace(span, "x")];
    assert_eq!(EditSet::new(twice).unwrap().len(), 1);
    let other = vec![Edit::replace(span, "x"), Edit::replace(span, "y")];
    assert!(EditSet::new(other).is_err());
    let wide = TextRange::new(TextSize::new(2), TextSize::new(5));
    assert!(EditSet::new(vec![Edit::replace(span, "x"), Edit::replace(wide, "y")]).is_err());
    let touching = TextRange::new(TextSize::new(3), TextSize::new(5));
    assert!(EditSet::new(vec![Edit::replace(span, "x"), Edit::delete(touching)]).is_ok());
    assert!(EditSet::new(vec![Edit::insert(1, "a"), Edit::insert(1, "b")]).is_err());
}

#[test]
fn sr_04_an_edit_of_anything_but_a_planned_token_is_caught() {
    let unit = parse("Object subclass: A\n  m => self k\n");
    let span = |from: u32, to: u32| TextRange::new(TextSize::new(from), TextSize::new(to));
    let check = |edits: Vec<Edit>| {
        let edits = EditSet::new(edits).unwrap();
        let text = splice(unit.text(), &edits).unwrap().text;
        crate::verify::names_only(&unit, &text, &edits)
    };
    assert!(check(vec![Edit::replace(span(31, 32), "other")]).is_ok());
    assert!(check(vec![Edit::replace(span(31, 32), "a b")]).is_err());
    assert!(check(vec![Edit::replace(span(26, 32), "k")]).is_err());
    assert!(check(vec![Edit::insert(31, "x ")]).is_err());
    assert!(check(vec![Edit::replace(span(31, 32), "k:")]).is_err());
}
