//! Generated source is read without errors, and in full.

use crate::{parse, NodeKind};
use bt_testkit::gen;

fn assert_clean(text: &str, name: &str) {
    let unit = parse(text);
    let Some(error) = unit.errors().first() else { return };
    let at = usize::from(error.span.start());
    let line_start = text[..at].rfind('\n').map_or(0, |nl| nl + 1);
    let line = text[line_start..].lines().next().unwrap();
    panic!("{name}: {} {}\n{line}", error.code, error.message);
}

#[test]
fn a_generated_project_has_no_errors() {
    for file in gen::project(7, 200) {
        assert_clean(&file.text, &file.path);
    }
}

#[test]
fn generated_programs_have_no_errors() {
    for seed in 0..2000 {
        assert_clean(&gen::program(seed), &format!("program {seed}"));
    }
}

#[test]
fn every_method_of_a_generated_class_is_found() {
    for file in gen::corpus(3, 200_000) {
        let unit = parse(&file.text);
        let n_arrows =
            unit.root().descendants().filter(|node| node.kind() == NodeKind::Method).count();
        let n_headers = file
            .text
            .lines()
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter(|line| line.contains(" =>"))
            .count();
        assert_eq!(n_arrows, n_headers, "{}", file.path);
    }
}

#[test]
fn columns_beyond_what_a_token_can_hold_decide_like_others() {
    for header in [2, 65_533, 65_534, 65_535, 70_000] {
        for (column, is_one_message) in [(header + 1, true), (header, false), (header - 1, false)] {
            let (a, b) = (" ".repeat(header), " ".repeat(column));
            let text = format!("Object subclass: A\n{a}a => self\n{b}foo: b => 1\n");
            let unit = parse(&text.replace("b => 1", if is_one_message { "1" } else { "b => 1" }));
            assert!(unit.errors().is_empty(), "{header} {column}: {:?}", unit.errors());
            let has_send = unit.nodes().any(|node| node.kind() == NodeKind::KeywordSend);
            assert_eq!(has_send, is_one_message, "{header} {column}");
        }
    }
}
