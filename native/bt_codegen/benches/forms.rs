//! Forms of one class of fifty methods, from its parsed unit to the encoded term.

use bt_codegen::{compile_class, BlockIds, ClassInput, ClassKind, Names};
use criterion::{criterion_group, criterion_main, Criterion};
use std::fmt::Write;
use std::hint::black_box;

const METHODS: usize = 50;

/// Each method has sends, arithmetic, a conditional, a guarded return, a block and a literal.
fn text() -> String {
    let mut text = "Object subclass: Big\n".to_owned();
    for n in 0..METHODS {
        let _ = write!(
            text,
            "  m{n}: a =>\n    x := a size\n    y := self foo: x + {n}\n    \
             (y > 3 and: [x < 10]) ifTrue: [^y]\n    \
             #(1, 2) inject: 0 into: [:s :e | s + e + y]\n"
        );
    }
    text
}

fn forms(criterion: &mut Criterion) {
    let unit = bt_syntax::parse(&text());
    let (names, block_ids) = (Names::default(), BlockIds { next: 1, ..BlockIds::default() });
    let input = ClassInput {
        unit: &unit,
        file: "big.bt",
        class: "Big",
        identity: "bt@bench@big",
        superclass: Some("bt@stdlib@object"),
        kind: ClassKind::Object,
        class_state: false,
        fields: &[],
        class_fields: &[],
        names: &names,
        extensions: &[],
        block_ids: &block_ids,
        drains: &[],
        stdlib: false,
    };
    let mut group = criterion.benchmark_group("forms");
    group.sample_size(20);
    group.bench_function("a class of 50 methods", |bencher| {
        bencher.iter(|| black_box(compile_class(black_box(&input))));
    });
    group.finish();
}

criterion_group!(benches, forms);
criterion_main!(benches);
