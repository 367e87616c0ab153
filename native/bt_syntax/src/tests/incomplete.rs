//! When the prompt asks for another line.

use crate::{is_incomplete, parse};

#[test]
fn a_text_that_stops_in_the_middle_is_incomplete() {
    for text in [
        "x foo: [:a |",
        "x foo: [:a |\n  a bar\n",
        "(1 + 2",
        "#(1, 2,",
        "#{#a => 1",
        "x := ",
        "x at: 1 put:",
        "3 +",
        "a sail;",
        "^",
        "\"abc",
        "\"abc {x foo",
        "/* comment",
        "x /* comment\n more",
        "#'abc",
        "Counter >> sail =>",
        "Counter >> sail => [",
        "{a, b",
        "x ->",
    ] {
        assert!(is_incomplete(&parse(text)), "{text:?}");
    }
}

#[test]
fn a_text_that_is_whole_or_wrong_is_not_incomplete() {
    for text in [
        "",
        "// only\n",
        "x foo",
        "x foo: [:a | a]",
        "\"abc\"",
        "\"a {b} c\"",
        "x foo: )",
        "[(]",
        "x ]",
        "3 + 4.",
        "Counter >> sail => 1",
        "'single'",
    ] {
        assert!(!is_incomplete(&parse(text)), "{text:?}");
    }
}
