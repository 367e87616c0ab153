//! Speed of the index on worlds of many classes.
//!
//! `BT_BENCH_SITES` gives the number of send sites (default 100,000). A world has 100 sends a class,
//! one selector with a tenth of them and the rest by a Zipf distribution; classes form a tree in
//! which each has five below it.

#![allow(clippy::indexing_slicing, reason = "a benchmark that panics has shown its bug")]

use bt_syntax::{parse, Side, Unit};
use bt_xref::{Change, Index, Origin, Rows, Slice};
use criterion::{criterion_group, criterion_main, Criterion};
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;

const SENDS_A_CLASS: usize = 100;

#[expect(clippy::disallowed_methods, reason = "a benchmark is steered from outside")]
fn n_sites() -> usize {
    std::env::var("BT_BENCH_SITES").ok().and_then(|it| it.parse().ok()).unwrap_or(100_000)
}

/// A small generator of numbers; the same world every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Small numbers often, large ones seldom.
    fn zipf(&mut self, bound: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((bound as f64).powf(unit) as usize).saturating_sub(1).min(bound - 1)
    }
}

/// About 200 lines: ten methods of ten sends.
fn class_text(n: usize, n_selectors: usize, salt: u64) -> String {
    let mut numbers = Numbers(0x9e37_79b9 + (n as u64) * 7919 + salt * 104_729);
    let mut text = String::with_capacity(6_000);
    let superclass = if n == 0 { "Object".to_owned() } else { format!("Class{}", (n - 1) / 5) };
    let _ =
        writeln!(text, "{superclass} subclass: Class{n}\n  state: value :: Class{} = nil", n / 2);
    for method in 0..SENDS_A_CLASS / 10 {
        let _ = writeln!(text, "\n  /// Method {method}.\n  own{n}x{method}: x =>\n    y := x hot");
        for send in 0..9 {
            let selector = numbers.zipf(n_selectors);
            let receiver = ["self", "x", "y", "self.value"][send % 4];
            let _ = writeln!(text, "    {receiver} sel{selector}");
        }
        let _ = writeln!(text, "    y");
    }
    text
}

fn put(n: usize, unit: &Arc<Unit>) -> Change {
    Change::Put {
        file: format!("src/class{n}.bt").into(),
        unit: Arc::clone(unit),
        package: "bench".into(),
        origin: Origin::Project,
        patched: Vec::new(),
    }
}

fn world(n_classes: usize) -> Index {
    let n_selectors = n_classes * 10;
    let changes: Vec<_> =
        (0..n_classes).map(|n| put(n, &Arc::new(parse(&class_text(n, n_selectors, 0))))).collect();
    Index::new().with_changes(&changes)
}

fn rows(index: &Index, selector: &str, slice: Slice) -> usize {
    let mut rows = Rows::default();
    index.sender_rows(black_box(selector), slice, &mut rows);
    black_box(&rows).rows.len()
}

fn queries(c: &mut Criterion) {
    let n_classes = n_sites() / SENDS_A_CLASS;
    let index = world(n_classes);
    let stats = index.stats();
    eprintln!(
        "{} sites, {} classes, {:.1} bytes of facts a site",
        stats.sends,
        stats.files,
        index.memory_bytes() as f64 / stats.sends as f64
    );
    let first = Slice { offset: 0, limit: 100 };
    let is_sent = |selector: &String| index.count_senders_of(selector) > 0;
    let cold =
        (0..n_classes * 10).rev().map(|n| format!("sel{n}")).find(is_sent).unwrap_or_default();
    c.bench_function("senders of an absent selector", |b| {
        b.iter(|| rows(&index, "absent", first));
    });
    c.bench_function("senders of a cold selector", |b| {
        b.iter(|| rows(&index, &cold, first));
    });
    c.bench_function("count of a hot selector", |b| {
        b.iter(|| black_box(index.count_senders_of(black_box("hot"))));
    });
    c.bench_function("first 100 senders of a hot selector", |b| {
        b.iter(|| rows(&index, "hot", first));
    });
    let all = Slice { offset: 0, limit: usize::MAX };
    c.bench_function("all rows of a hot selector", |b| {
        b.iter(|| rows(&index, "hot", all));
    });
    c.bench_function("all senders of a hot selector", |b| {
        b.iter(|| black_box(index.senders_of(black_box("hot"))));
    });
    c.bench_function("implementors of a cold selector", |b| {
        b.iter(|| black_box(index.implementors_of(black_box("own7x3:"))));
    });
    let root = index.find_class("Class0").expect("the root");
    let leaf = index.find_class(&format!("Class{}", n_classes - 1)).expect("a leaf");
    c.bench_function("closure at the root, free", |b| {
        b.iter(|| black_box(index.closure_of(root, Side::Instance, black_box("own0x1:"))));
    });
    c.bench_function("closure at a leaf", |b| {
        b.iter(|| black_box(index.closure_of(leaf, Side::Instance, black_box("own7x3:"))));
    });
    c.bench_function("senders of a frequent selector narrowed by class", |b| {
        b.iter(|| black_box(index.senders_of_class(black_box("sel1"), "Class1", Side::Instance)));
    });
}

fn replacement(c: &mut Criterion) {
    let n_classes = n_sites() / SENDS_A_CLASS;
    let n_selectors = n_classes * 10;
    let index = world(n_classes);
    let units: Vec<_> =
        (0..2).map(|salt| Arc::new(parse(&class_text(n_classes / 2, n_selectors, salt)))).collect();
    let mut turn = 0;
    let mut current = index.clone();
    c.bench_function("replacing a unit", |b| {
        b.iter(|| {
            turn += 1;
            current = current.with_changes(&[put(n_classes / 2, &units[turn % 2])]);
        });
    });
}

/// From the number of a class to that of its parent.
type Parent = fn(usize) -> usize;

/// A five-ary tree, a chain-like tree and a flat one.
const HIERARCHIES: [(&str, Parent); 3] = [
    ("five-ary", |n| (n - 1) / 5),
    ("skewed", |n| if n % 10 == 0 { n - 10 } else { n - 1 - n % 10 / 2 }),
    ("flat", |_| 0),
];

fn closures(c: &mut Criterion) {
    const N_CLASSES: usize = 100_000;
    for (name, parent) in HIERARCHIES {
        let changes: Vec<_> = (0..N_CLASSES)
            .map(|n| {
                let above =
                    if n == 0 { "Object".to_owned() } else { format!("Class{}", parent(n)) };
                let text = format!("{above} subclass: Class{n}\n  own{n} => nil\n  all => nil\n");
                put(n, &Arc::new(parse(&text)))
            })
            .collect();
        let index = Index::new().with_changes(&changes);
        let root = index.find_class("Class0").expect("the root");
        let leaf = index.find_class("Class99999").expect("a leaf");
        for (place, class) in [("root", root), ("leaf", leaf)] {
            for selector in ["own0", "own50000", "all"] {
                c.bench_function(&format!("closure, {name}, {place}, {selector}"), |b| {
                    b.iter(|| black_box(index.is_closure_free(class, Side::Instance, selector)));
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(1_500));
    targets = queries, replacement, closures
}
criterion_main!(benches);
