//! Lex and parse, on one core: throughput on generated files of 1 to 10 KB, on the project's own
//! Beamtalk files, and on one text of 5 MB.

use bt_testkit::gen;
use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use std::hint::black_box;

/// The texts of all `.bt` files of the library and the examples.
#[expect(clippy::disallowed_methods, reason = "a benchmark reads its input")]
fn own_files() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("erlang/bt_embedded/priv"), root.join("examples")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bt") {
                texts.extend(std::fs::read_to_string(path));
            }
        }
    }
    texts
}

fn parse(criterion: &mut Criterion) {
    let files = gen::corpus(1, 2_500_000);
    let n_bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let large = gen::large(1, 5_000_000);

    let mut group = criterion.benchmark_group("parse");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(n_bytes as u64));
    group.bench_function("files", |bencher| {
        bencher.iter(|| {
            for file in &files {
                black_box(bt_syntax::parse(black_box(&file.text)));
            }
        });
    });
    let own = own_files();
    group.throughput(Throughput::Bytes(own.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("own", |bencher| {
        bencher.iter(|| {
            for text in &own {
                black_box(bt_syntax::parse(black_box(text)));
            }
        });
    });
    group.throughput(Throughput::Bytes(large.len() as u64));
    group.bench_function("large", |bencher| {
        bencher.iter(|| black_box(bt_syntax::parse(black_box(&large))));
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
