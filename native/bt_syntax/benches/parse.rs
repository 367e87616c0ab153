//! Lex and parse, on one core: throughput on realistic files of 1 to 10 KB, and on one of 5 MB.

use bt_testkit::gen;
use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use std::hint::black_box;

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
    group.throughput(Throughput::Bytes(large.len() as u64));
    group.bench_function("large", |bencher| {
        bencher.iter(|| black_box(bt_syntax::parse(black_box(&large))));
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
