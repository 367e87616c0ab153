//! Plans on a generated project: everything from the request to the proven new texts.

use bt_refactor::{plan, Request};
use bt_testkit::gen;
use bt_xref::{Change, Index, Origin};
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;
use std::sync::Arc;

const CLASSES: usize = 300;

fn index() -> Index {
    let package: Arc<str> = Arc::from("bench");
    let changes: Vec<Change> = gen::project(7, CLASSES)
        .into_iter()
        .map(|file| Change::Put {
            file: Arc::from(file.path),
            unit: Arc::new(bt_syntax::parse(&file.text)),
            package: Arc::clone(&package),
            origin: Origin::Project,
            patched: Vec::new(),
        })
        .collect();
    Index::new().with_changes(&changes)
}

fn plans(criterion: &mut Criterion) {
    let index = index();
    // Class 0 is the superclass of many and named all over the project.
    let busy = Request::RenameClass { class: gen::class_name(0), new_name: "Renamed".to_owned() };
    let quiet = Request::RenameClass {
        class: gen::class_name(CLASSES - 1),
        new_name: "Renamed".to_owned(),
    };
    let mut group = criterion.benchmark_group("plan");
    group.sample_size(20);
    group.bench_function("rename a class named everywhere", |bencher| {
        bencher.iter(|| black_box(plan(&index, 1, black_box(&busy))));
    });
    group.bench_function("rename a class named once or twice", |bencher| {
        bencher.iter(|| black_box(plan(&index, 1, black_box(&quiet))));
    });
    group.finish();
}

criterion_group!(benches, plans);
criterion_main!(benches);
