//! Positions come back from every character of a text.

use crate::position::{ColumnUnit, LineIndex, Position};
use proptest::prelude::*;

const UNITS: [ColumnUnit; 3] = [ColumnUnit::Utf8, ColumnUnit::Utf16, ColumnUnit::CodePoint];

fn check_round_trip(text: &str) {
    let index = LineIndex::new(text);
    let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for offset in offsets {
        for unit in UNITS {
            let position = index.position(offset as u32, unit).unwrap();
            assert_eq!(index.offset(position, unit), Some(offset as u32), "{text:?} {unit:?}");
        }
    }
}

#[test]
fn columns_count_what_the_unit_says() {
    let index = LineIndex::new("ab\né🌍 x\n");
    let at = |unit| index.position(9, unit).unwrap();
    assert_eq!(at(ColumnUnit::Utf8), Position { line: 1, column: 6 });
    assert_eq!(at(ColumnUnit::Utf16), Position { line: 1, column: 3 });
    assert_eq!(at(ColumnUnit::CodePoint), Position { line: 1, column: 2 });
}

#[test]
fn a_place_inside_a_character_has_no_position() {
    let index = LineIndex::new("🌍");
    assert_eq!(index.position(2, ColumnUnit::Utf8), None);
    assert_eq!(index.position(9, ColumnUnit::Utf8), None);
    assert_eq!(index.offset(Position { line: 0, column: 1 }, ColumnUnit::Utf16), None);
    assert_eq!(index.offset(Position { line: 0, column: 1 }, ColumnUnit::Utf8), None);
    assert_eq!(index.offset(Position { line: 7, column: 0 }, ColumnUnit::CodePoint), None);
    assert_eq!(index.offset(Position { line: 0, column: 9 }, ColumnUnit::CodePoint), None);
}

#[test]
fn a_line_is_shown_without_its_end() {
    let index = LineIndex::new("a\r\nb\n");
    assert_eq!(index.n_lines(), 3);
    assert_eq!(index.line(0), Some("a"));
    assert_eq!(index.line(1), Some("b"));
    assert_eq!(index.line(2), Some(""));
    assert_eq!(index.line(3), None);
}

#[test]
fn positions_round_trip_in_awkward_texts() {
    for text in ["", "\n", "\r\n\r\n", "\u{feff}a\n", "é🌍\n日本", "a\tb\u{0}\n\n", "x"] {
        check_round_trip(text);
    }
}

proptest! {
    #[test]
    fn positions_round_trip_at_every_character(text in "[a-c\\n\\ré🌍日]{0,60}") {
        check_round_trip(&text);
    }
}
