//! Manifests as units.

use crate::{parse_file, parse_manifest, NodeKind, TokenKind, Unit};

/// The class names of a manifest, with their offsets.
fn names(text: &str) -> Vec<(String, u32)> {
    let unit = parse_manifest(text);
    tiles(&unit);
    let names = unit.nodes().filter(|node| node.kind() == NodeKind::ClassName);
    names.map(|node| (node.text().to_owned(), node.span().start().into())).collect()
}

fn tiles(unit: &Unit) {
    let text: String = unit.tokens().map(|token| token.text()).collect();
    assert_eq!(text, unit.text());
    assert!(unit.errors().is_empty());
    assert_eq!(unit.root().kind(), NodeKind::File);
}

#[test]
fn the_supervisor_is_a_class_name_wherever_toml_lets_it_stand() {
    let named = |text: &str| names(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(named("[application]\nsupervisor = \"Ferry\"\n"), ["Ferry"]);
    assert_eq!(named("[ application ] # Tug\n\"supervisor\"='Ferry' # Tug\n"), ["Ferry"]);
    assert_eq!(named("application.supervisor = \"Ferry\""), ["Ferry"]);
    assert_eq!(named("application = { a = [1, {b = 2}], supervisor = \"Ferry\" }\n"), ["Ferry"]);
    assert_eq!(named("x = [\n \"a\", # b\n 'c',\n]\n[application]\nsupervisor=\"F\"\n"), ["F"]);
    assert_eq!(named("[application]\r\nsupervisor = \"Ferry\"\r\n"), ["Ferry"]);
}

#[test]
fn other_strings_name_no_class() {
    let none = [
        "[package]\nsupervisor = \"Ferry\"\n",
        "supervisor = \"Ferry\"\n",
        "[application]\nname = \"Ferry\"\n",
        "[application]\nsupervisor = [\"Ferry\"]\n",
        "[application]\nsupervisor = \"ferry\"\n",
        "[application]\nsupervisor = \"A B\"\n",
        "[application]\nsupervisor = \"Ferry\n",
        "[application.more]\nsupervisor = \"Ferry\"\n",
        "[application]\n# supervisor = \"Ferry\"\nx = \"supervisor = 'Ferry'\"\n",
        "[application]\nsupervisor = { supervisor = \"Ferry\" }\n",
    ];
    for text in none {
        assert_eq!(names(text), [], "{text}");
    }
}

#[test]
fn spans_are_bytes_without_the_quotes() {
    let text = "name = \"Fähre\"\n[application]\nsupervisor = \"Ferry\"\n";
    let at = text.find("Ferry").map(|at| at as u32);
    assert_eq!(names(text), [("Ferry".to_owned(), at.unwrap())]);
}

#[test]
fn comments_and_strings_are_told_apart() {
    let unit = parse_manifest("# Ferry\nname = \"the Ferry\"\n");
    let of_kind = |kind| unit.tokens().filter(|token| token.kind() == kind).count();
    assert_eq!((of_kind(TokenKind::LineComment), of_kind(TokenKind::String)), (1, 1));
}

#[test]
fn any_text_is_tiled() {
    for text in ["", "[", "]", "=", "\"", "'\\", "[[a]]\n}{,.\u{e9}\u{0}", "a = \"\\\"\" }", "]]]"]
    {
        tiles(&parse_manifest(text));
    }
}

#[test]
fn the_name_of_the_file_decides() {
    let text = b"[application]\nsupervisor = \"Ferry\"\n";
    for (file, is_manifest) in
        [("beamtalk.toml", true), ("../lib/beamtalk.toml", true), ("beamtalk.toml.bt", false)]
    {
        assert_eq!(parse_file(file, text).map(|unit| unit.is_manifest()), Ok(is_manifest));
    }
    assert_eq!(parse_file("beamtalk.toml", b"a\xff").map_err(|it| it.offset).err(), Some(1));
}
