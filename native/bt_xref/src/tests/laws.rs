//! Laws over generated projects: the index says what a full scan says, however it came about.

use crate::{Change, Index, Origin, Patched, Rows, Site, Slice, Spot};
use bt_syntax::{NodeKind, Side};
use bt_testkit::gen::{class_name, program, project, typed};
use bt_testkit::oracle::{scan, Fact, Scan};
use bt_testkit::repository;
use bt_testkit::rng::Rng;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type Files = BTreeMap<String, String>;

fn put(file: &str, text: &str) -> Change {
    put_from(Origin::Project, file, text)
}

fn put_from(origin: Origin, file: &str, text: &str) -> Change {
    let unit = Arc::new(bt_syntax::parse(text));
    let (file, package) = (file.into(), "harbour".into());
    Change::Put { file, unit, package, origin, patched: Vec::new() }
}

fn rebuilt(files: &Files) -> Index {
    let changes: Vec<_> = files.iter().map(|(file, text)| put(file, text)).collect();
    Index::new().with_changes(&changes)
}

/// An index in which the library is the library.
fn rebuilt_with_library(files: &Files) -> Index {
    let put = |(file, text): (&String, &String)| {
        let is_library = file.contains("stdlib/");
        put_from(if is_library { Origin::Stdlib } else { Origin::Project }, file, text)
    };
    Index::new().with_changes(&files.iter().map(put).collect::<Vec<_>>())
}

/// So many cases, or as many as `PROPTEST_CASES` says.
fn cases(n_cases: u32) -> ProptestConfig {
    const UNTOLD: u32 = 256;
    let told = ProptestConfig::default();
    ProptestConfig { cases: if told.cases == UNTOLD { n_cases } else { told.cases }, ..told }
}

fn facts(sites: Vec<Site>) -> Vec<Fact> {
    let fact = |site: Site| Fact {
        file: site.file.to_string(),
        spans: site.spans.iter().map(|span| (span.start, span.end)).collect(),
        kind: site.kind.name(),
        name: site.old,
        owner: site.owner,
    };
    let mut facts: Vec<_> = sites.into_iter().map(fact).collect();
    facts.sort();
    facts
}

fn is_sorted(sites: &[Site]) -> bool {
    sites
        .windows(2)
        .all(|pair| (&pair[0].file, pair[0].start()) <= (&pair[1].file, pair[1].start()))
}

/// Compares every answer about every name with the scan's.
fn assert_equal(index: &Index, scan: &Scan) {
    let selectors: BTreeSet<_> = scan
        .sends
        .iter()
        .map(|fact| &fact.name)
        .chain(scan.defs.iter().map(|def| &def.fact.name))
        .collect();
    for selector in &selectors {
        let senders = index.senders_of(selector);
        assert!(is_sorted(&senders));
        assert_eq!(index.count_senders_of(selector), senders.len());
        assert_eq!(facts(senders), scan.senders_of(selector), "senders of {selector}");
        let implementors = facts(index.implementors_of(selector));
        assert_eq!(implementors, scan.implementors_of(selector), "implementors of {selector}");
    }
    for name in scan.refs.iter().map(|fact| &fact.name).collect::<BTreeSet<_>>() {
        assert_eq!(facts(index.references_to(name)), scan.references_to(name), "{name}");
    }
    for (class, _, _) in &scan.classes {
        assert_eq!(facts(index.subclasses_of(class)), scan.subclasses_of(class), "below {class}");
        let mut below: Vec<_> =
            index.all_subclasses_of(class).into_iter().map(|site| site.old).collect();
        below.sort();
        assert_eq!(below, scan.below(class), "all below {class}");
    }
    for text in scan.symbols.iter().map(|fact| fact.name.trim_start_matches('#')) {
        let text = text.trim_matches('\'');
        assert_eq!(facts(index.symbols_of(text)), scan.symbols_of(text), "symbols {text}");
    }
    assert_eq!(facts(index.unused_definitions()), scan.unused(), "unused");
    assert_eq!(index.unimplemented_selectors(), scan.unimplemented(), "unimplemented");
    assert_eq!(index.stats().sends, scan.sends.len());
    assert_eq!(index.stats().references, scan.refs.len());
}

/// Narrowing by class takes from all senders, and decides about `self`, `super` and receivers whose
/// class is obvious as a plain reading does.
fn assert_narrowed(index: &Index, scan: &Scan) {
    let sent: BTreeSet<_> = scan.sends.iter().map(|fact| &fact.name).collect();
    for selector in sent {
        for (class, _, _) in &scan.classes {
            assert_narrowed_to(index, scan, selector, class);
        }
    }
}

fn assert_narrowed_to(index: &Index, scan: &Scan, selector: &str, class: &str) {
    let all = scan.senders_of(selector);
    for (side, is_class_side) in [(Side::Instance, false), (Side::Class, true)] {
        let narrowed = facts(index.senders_of_class(selector, class, side));
        assert!(narrowed.iter().all(|fact| all.contains(fact)), "{selector} {class}");
        for fact in &all {
            if let Some(expected) = scan.may_reach(fact, class, is_class_side) {
                let receiver = scan.receiver_of(fact);
                assert_eq!(narrowed.contains(fact), expected, "{fact:?} {receiver:?} to {class}");
            }
        }
    }
}

fn assert_closures(index: &Index, scan: &Scan) {
    let selectors: BTreeSet<_> = scan.defs.iter().map(|def| &def.fact.name).collect();
    for (class, _, _) in &scan.classes {
        for selector in &selectors {
            for (side, is_class_side) in [(Side::Instance, false), (Side::Class, true)] {
                let closure = index.closure(class, side, selector).unwrap();
                let expected = scan.closure(class, is_class_side, selector);
                assert_eq!(closure.free, expected.is_empty());
                let ix = index.find_class(class).unwrap();
                assert_eq!(index.is_closure_free(ix, side, selector), closure.free);
                let soon = index.is_closure_free_within(ix, side, selector, 2);
                assert!(soon.is_none_or(|free| free == closure.free));
                assert_eq!(facts(closure.implementors), expected, "{class} {selector}");
            }
        }
    }
}

/// A project in which each name of a class has one file, so that no class is declared twice.
fn files_of(seed: u64, n_classes: usize) -> Files {
    project(seed, n_classes).into_iter().map(|file| (file.path, file.text)).collect()
}

/// Some changes of a project: files replaced by another project's, removed, brought back.
fn change(files: &mut Files, rng: &mut Rng, n_classes: usize) -> Vec<Change> {
    let other = files_of(rng.next_u64() % 1000, n_classes);
    let mut changes = Vec::new();
    for _ in 0..=rng.below(4) {
        let paths: Vec<_> = other.keys().collect();
        let path = paths[rng.below(paths.len())].clone();
        if rng.one_in(3) && files.remove(&path).is_some() {
            changes.push(Change::Delete { file: path.as_str().into() });
        } else {
            let text = other[&path].clone();
            changes.push(put(&path, &text));
            files.insert(path, text);
        }
    }
    changes
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn index_after_changes_equals_index_rebuilt_and_full_scan(seed in 0_u64..100_000) {
        let n_classes = 14;
        let mut rng = Rng::new(seed);
        let mut files = files_of(seed, n_classes);
        let mut index = rebuilt(&files);
        let mut all = vec![(index.clone(), files.clone())];
        for _ in 0..4 {
            let changes = change(&mut files, &mut rng, n_classes);
            index = index.with_changes(&changes);
            all.push((index.clone(), files.clone()));
        }
        let last = scan(&files);
        assert_equal(&index, &last);
        assert_closures(&index, &last);
        assert_narrowed(&index, &last);
        assert_all_pages(&index, &last, 5);
        assert_equal(&rebuilt(&files), &last);
        // The snapshots on the way are what they were.
        for (index, files) in all.iter().take(2) {
            assert_equal(index, &scan(files));
        }
    }

    #[test]
    fn closure_equals_asking_every_class_below(seed in 0_u64..100_000) {
        let files = files_of(seed, 12);
        let (index, scan) = (rebuilt(&files), scan(&files));
        assert_closures(&index, &scan);
        assert_narrowed(&index, &scan);
    }

    #[test]
    fn every_construct_is_found(seed in 0_u64..1_000_000) {
        let files = Files::from([("a.bt".to_owned(), program(seed))]);
        assert_equal_sends(&rebuilt(&files), &scan(&files));
    }

    #[test]
    fn pages_are_parts_of_the_whole(seed in 0_u64..1000, limit in 1_usize..7) {
        let files = files_of(seed, 10);
        let index = rebuilt(&files);
        assert_all_pages(&index, &scan(&files), limit);
    }
}

/// A former method: its class, under the name it has now, and the text of its time.
type Former = BTreeMap<String, (String, String)>;

fn put_former(file: &str, class: &str, text: &str) -> Change {
    let unit = Arc::new(bt_syntax::parse(text));
    let selector = String::new();
    let former = Patched { class: class.to_owned(), side: Side::Instance, selector };
    Change::Put {
        file: file.into(),
        unit,
        package: "harbour".into(),
        origin: Origin::Orphan,
        patched: vec![former],
    }
}

/// The methods of a project as former ones: their classes had other names then.
fn former_methods(files: &Files) -> Vec<(String, String)> {
    let mut methods = Vec::new();
    for text in files.values() {
        let unit = bt_syntax::parse(text);
        for class in unit.root().children_of(NodeKind::Class) {
            let name = class.child(NodeKind::DeclName).unwrap().text().to_owned();
            for method in class.children_of(NodeKind::Method) {
                let header = method.child(NodeKind::Header).unwrap();
                let Some(source) = text.get(usize::from(header.span().start())..) else { continue };
                let len = method.span().end() - header.span().start();
                let source = source.get(..usize::from(len)).unwrap();
                let head = if source.starts_with("class ") { "Old class >> " } else { "Old >> " };
                let source = source.strip_prefix("class ").unwrap_or(source);
                methods.push((name.clone(), format!("{head}{source}\n")));
            }
        }
    }
    methods
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn former_methods_are_read_as_a_full_scan_reads_them(seed in 0_u64..100_000) {
        let mut rng = Rng::new(seed);
        let files = files_of(seed, 10);
        let methods = former_methods(&files);
        let mut index = rebuilt(&files);
        let mut former = Former::new();
        for _ in 0..30 {
            let file = format!("$orphans/{}", rng.below(12));
            let (class, text) = methods[rng.below(methods.len())].clone();
            if rng.one_in(4) && former.remove(&file).is_some() {
                index = index.with_changes(&[Change::Delete { file: file.as_str().into() }]);
            } else {
                index = index.with_changes(&[put_former(&file, &class, &text)]);
                former.insert(file, (class, text));
            }
        }
        let mut scan = scan(&files);
        for (file, (class, text)) in &former {
            scan.add_former(file, class, text);
        }
        assert_equal_sends(&index, &scan);
        for def in &scan.defs {
            let name = &def.fact.name;
            assert_eq!(facts(index.implementors_of(name)), scan.implementors_of(name), "{name}");
        }
        for fact in &scan.symbols {
            let text = fact.name.trim_start_matches('#').trim_matches('\'');
            assert_eq!(facts(index.symbols_of(text)), scan.symbols_of(text), "{text}");
        }
        assert_all_pages(&index, &scan, 5);
        assert_eq!(index.stats().sends, scan.sends.len());
        assert_eq!(index.stats().references, scan.refs.len());
        assert_eq!(index.stats().files, files.len());
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn receivers_of_every_form_are_what_a_plain_reading_says(seed in 0_u64..10_000_000) {
        let world = typed::world(seed);
        let files: Files = world.into_iter().map(|file| (file.path, file.text)).collect();
        for (file, text) in &files {
            let unit = bt_syntax::parse(text);
            prop_assert!(unit.errors().is_empty(), "{file}: {:?}\n{text}", unit.errors());
        }
        let (index, scan) = (rebuilt_with_library(&files), scan(&files));
        let decided = scan.sends.iter().filter(|send| scan.receiver_of(send).is_some()).count();
        prop_assert!(decided * 4 > scan.sends.len() * 3, "{decided} of {}", scan.sends.len());
        assert_narrowed(&index, &scan);
    }
}

fn assert_all_pages(index: &Index, scan: &Scan, limit: usize) {
    for selector in scan.sends.iter().map(|fact| &fact.name).take(40) {
        assert_pages(index, limit, &index.senders_of(selector), |slice, rows| {
            index.sender_rows(selector, slice, rows)
        });
    }
    for class in scan.refs.iter().map(|fact| &fact.name).take(20) {
        assert_pages(index, limit, &index.references_to(class), |slice, rows| {
            index.reference_rows(class, slice, rows)
        });
    }
    for def in scan.defs.iter().map(|def| &def.fact.name).take(40) {
        assert_pages(index, limit, &index.implementors_of(def), |slice, rows| {
            index.implementor_rows(def, slice, rows)
        });
    }
}

/// Compares pages of rows with all sites.
fn assert_pages(
    index: &Index,
    limit: usize,
    whole: &[Site],
    page: impl Fn(Slice, &mut Rows) -> usize,
) {
    let mut parts: Vec<_> = Vec::new();
    while parts.len() < whole.len() {
        let mut rows = Rows::default();
        assert_eq!(page(Slice { offset: parts.len(), limit }, &mut rows), whole.len());
        assert!(!rows.rows.is_empty() && rows.rows.len() <= limit);
        parts.extend(rows.rows);
    }
    for ((unit, owner, spot), site) in parts.into_iter().zip(whole) {
        let Spot { start, end, line, col, kind } = spot;
        let expected = (site.start(), site.end(), site.line, site.col, site.kind);
        assert_eq!((start, end, line, col, kind), expected);
        assert_eq!(index.file(unit), &*site.file);
        assert_eq!(owner.text(index.names()), site.owner);
        assert_eq!((owner.provenance, owner.side), (site.provenance, site.side));
    }
}

/// As `assert_equal`, for one text that may declare a class twice.
fn assert_equal_sends(index: &Index, scan: &Scan) {
    for selector in scan.sends.iter().map(|fact| &fact.name).collect::<BTreeSet<_>>() {
        assert_eq!(facts(index.senders_of(selector)), scan.senders_of(selector), "{selector}");
    }
    for name in scan.refs.iter().map(|fact| &fact.name).collect::<BTreeSet<_>>() {
        assert_eq!(facts(index.references_to(name)), scan.references_to(name), "{name}");
    }
}

#[test]
fn a_cycle_of_superclasses_ends() {
    let files = Files::from([
        ("a.bt".to_owned(), "B subclass: A\n  m => 1\n".to_owned()),
        ("b.bt".to_owned(), "C subclass: B\n  m => 1\n".to_owned()),
        ("c.bt".to_owned(), "A subclass: C\n".to_owned()),
        ("d.bt".to_owned(), "D subclass: D\n".to_owned()),
    ]);
    let index = rebuilt(&files);
    assert_eq!(index.all_subclasses_of("A").len(), 2);
    assert!(index.closure("D", Side::Instance, "m").unwrap().free);
    assert!(index.find_class(&class_name(1)).is_none());
}

/// Many units at once are shared out among the cores; one at a time never is.
#[test]
fn a_load_on_all_cores_equals_unit_by_unit() {
    let files = files_of(7, 60);
    assert!(files.len() > 40);
    let put = |(file, text): (&String, &String)| put(file, text);
    let one_by_one = |index: Index, change| index.with_changes(&[change]);
    let (at_once, slowly) = (rebuilt(&files), files.iter().map(put).fold(Index::new(), one_by_one));
    let scan = scan(&files);
    for index in [&at_once, &slowly] {
        assert_equal(index, &scan);
        assert_all_pages(index, &scan, 9);
    }
    assert_eq!(at_once.stats(), slowly.stats());
    assert_eq!(at_once.names().len(), slowly.names().len());
}

#[test]
fn the_repositorys_own_sources_equal_a_full_scan() {
    let library = repository::units("erlang/bt_embedded/priv/stdlib").unwrap();
    let mut files = repository::units("examples").unwrap();
    assert!(library.len() > 10 && files.len() > 10);
    files.extend(library);
    let (index, scan) = (rebuilt(&files), scan(&files));
    assert_equal(&index, &scan);
    let index = rebuilt_with_library(&files);
    let is_own = |file: &str| file.contains("examples");
    let own = scan.defs.iter().filter(|def| is_own(&def.fact.file) && !def.is_required);
    let asked: BTreeSet<_> = own.map(|def| (&def.fact.name, &def.class)).collect();
    assert!(asked.len() > 100);
    for (selector, class) in asked {
        assert_narrowed_to(&index, &scan, selector, class);
    }
    let is_decided = |send: &&Fact| scan.receiver_of(send).is_some();
    let decided = scan.sends.iter().filter(is_decided).count();
    assert!(decided * 20 > scan.sends.len() * 19, "{decided} of {}", scan.sends.len());
    let is_typed = |send: &&Fact| matches!(scan.receiver_of(send), Some(Some(_)));
    let typed = scan.sends.iter().filter(is_typed).count();
    assert!(typed * 2 > scan.sends.len(), "{typed} of {}", scan.sends.len());
}
