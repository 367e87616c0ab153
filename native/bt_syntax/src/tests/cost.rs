//! Cost grows with the text and no faster: counted steps and bytes, not time.

use crate::{parse, parser::parse_counting};
use bt_testkit::gen;

/// Steps for each byte of a text.
fn steps_per_byte(text: &str) -> f64 {
    let (_, steps) = parse_counting(text);
    steps as f64 / text.len() as f64
}

#[test]
fn steps_are_linear_up_to_five_megabytes() {
    let large = gen::large(5, 5_000_000);
    let whole = steps_per_byte(&large);
    for n_bytes in [50_000, 500_000] {
        let cut = large[..n_bytes].rfind("\n\n/// ").unwrap();
        let part = steps_per_byte(&large[..cut]);
        assert!(whole < 1.2 * part, "{n_bytes} bytes: {part} steps a byte, all: {whole}");
    }
    assert!(whole < 1.0, "{whole} steps a byte");
}

#[test]
fn a_parsed_unit_takes_at_most_six_bytes_for_each_of_its_text() {
    for file in gen::corpus(17, 1_000_000) {
        let unit = parse(&file.text);
        let ratio = unit.memory_bytes() as f64 / file.text.len() as f64;
        assert!(ratio <= 6.0, "{}: {ratio}", file.path);
    }
}

/// Texts made to be looked at again and again, each of about so many bytes.
fn hostile(n_bytes: usize) -> Vec<String> {
    let units = [
        "a: b ",
        "a: b\n",
        "a: b c: d\n",
        "sealed ",
        "sealed\n",
        "internal\n",
        "class\n",
        "a(",
        "a (\n",
        "a(b, ",
        "a\n-> (b | ",
        "a -> b(\n",
        "& a :: X\n",
        ", a :: T(X\n",
        "- a :: (\n",
        "\"",
        "\"{",
        "\"a {b\" c\n",
        "\"{\"\n",
        "'",
        "#'",
        "#'\n",
        "/*",
        "/*\n",
        "{",
        "}",
        "=> 1\n",
        "  x => [\n",
        "  x => \"\n",
        "  x: y => \"{\n",
        "Object subclass: A\n",
        "  sail\n",
        "@expect\n",
        "@expect dnu\n",
        "é",
        "\u{0}",
        "\n",
        ".",
        "a.b",
        "[:x",
        "x match: [\n",
        "{a, ",
        "#{a => ",
        "(a 3 ",
        "#(1 2 ",
        "x ]\n",
        "$",
        "::",
        "a\n",
        "A >>\n",
        "A >> sealed\n",
        "A class >> b\n",
        "type A = B |\n",
        "Protocol define: P\n  x\n",
        "  state: a = b at: 1\n",
        "Object subclass: A\n  a => \"b {c\"\n",
    ];
    units.iter().map(|unit| unit.repeat(n_bytes / unit.len())).collect()
}

#[test]
fn hostile_texts_cost_no_more_than_others() {
    let small = hostile(4_000);
    for (small, large) in small.iter().zip(hostile(64_000)) {
        let inside = format!("Object subclass: A\n  a =>\n    {large}");
        for text in [&large, &inside] {
            let (of_small, of_large) = (steps_per_byte(small), steps_per_byte(text));
            let name: String = large.chars().take(24).collect();
            assert!(of_large < 3.0 * of_small + 2.0, "{name:?}: {of_small}, then {of_large}");
            assert!(of_large < 80.0, "{name:?}: {of_large} steps a byte");
        }
    }
}
