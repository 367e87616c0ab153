//! The examples of docs/grammar.md are what it says they are.

use crate::parse;

const GRAMMAR: &str = include_str!("../../../../docs/grammar.md");

/// The fenced examples with this word behind the fence, and their lines.
fn examples(fence: &str) -> Vec<(usize, String)> {
    let mut examples = Vec::new();
    let mut open: Option<(usize, String, bool)> = None;
    for (at, line) in GRAMMAR.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(word)) => open = Some((at + 1, String::new(), word == fence)),
            (Some(_), Some(_)) => {
                let (at, text, wanted) = open.take().unwrap();
                if wanted {
                    examples.push((at, text));
                }
            }
            (Some((_, text, _)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    examples
}

#[test]
fn examples_of_the_grammar_parse() {
    let examples = examples("beamtalk");
    assert!(examples.len() >= 7);
    for (line, text) in examples {
        assert_eq!(parse(&text).errors().first(), None, "docs/grammar.md:{line}");
    }
}

#[test]
fn examples_of_errors_have_one() {
    let examples = examples("beamtalk error");
    assert!(examples.len() > 6);
    for (line, text) in examples {
        assert!(!parse(&text).errors().is_empty(), "docs/grammar.md:{line}");
    }
}

#[test]
fn every_error_code_is_in_the_grammar() {
    let sources = [
        include_str!("../parser.rs"),
        include_str!("../grammar/class.rs"),
        include_str!("../grammar/expr.rs"),
        include_str!("../grammar/method.rs"),
        include_str!("../grammar/pattern.rs"),
        include_str!("../grammar/primary.rs"),
        include_str!("../grammar/protocol.rs"),
        include_str!("../grammar/types.rs"),
    ];
    for source in sources {
        for code in source.split("\"syntax.").skip(1) {
            let code = code.split('"').next().unwrap();
            assert!(GRAMMAR.contains(&format!("| `syntax.{code}` |")), "{code}");
        }
    }
}
