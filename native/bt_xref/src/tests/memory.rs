//! What an index holds for a site.

use crate::{Change, Index, Origin};
use bt_testkit::rng::Rng;
use std::sync::Arc;

const N_CLASSES: usize = 1000;
const N_SELECTORS: usize = 2000;

/// Ten methods of ten sends: a tenth of one selector, the rest by Zipf's law, some of keywords.
fn class_text(n: usize, method_name: fn(usize, usize) -> String, rng: &mut Rng) -> String {
    let mut text = format!("Class{} subclass: Class{n}\n", n / 5);
    for method in 0..10 {
        let name = method_name(n, method);
        text.push_str(&format!("\n  /// Method {method}.\n  {name}: x =>\n    x hot\n"));
        for _ in 0..9 {
            let bound = 1 + rng.below(N_SELECTORS);
            let receiver = ["self", "x", "Class7 new", "super"][rng.below(4)];
            text.push_str(&format!("    {receiver} sel{}: x\n", rng.below(bound)));
        }
    }
    text
}

/// Bytes a site in a world whose methods are named so.
fn bytes_a_site(method_name: fn(usize, usize) -> String) -> f64 {
    let mut rng = Rng::new(7);
    let put = |n: usize| Change::Put {
        file: format!("src/class{n}.bt").into(),
        unit: Arc::new(bt_syntax::parse(&class_text(n, method_name, &mut rng))),
        package: "app".into(),
        origin: Origin::Project,
        patched: Vec::new(),
    };
    let index = Index::new().with_changes(&(0..N_CLASSES).map(put).collect::<Vec<_>>());
    let n_sends = index.stats().sends;
    assert!(n_sends >= 100 * N_CLASSES);
    index.memory_bytes() as f64 / n_sends as f64
}

#[test]
fn a_site_takes_at_most_64_bytes() {
    let shared = bytes_a_site(|_, method| format!("m{method}"));
    assert!(shared <= 64.0, "{shared:.1} bytes a site");
    let unique = bytes_a_site(|class, method| format!("own{class}x{method}"));
    assert!(unique <= 64.0, "{unique:.1} bytes a site where every method has a name of its own");
}
