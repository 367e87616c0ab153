//! Random texts, most of them broken: what a lexer and a parser must survive.

use crate::gen;
use crate::rng::Rng;

/// Fragments that mean something to the lexer or the parser.
pub const PIECES: &[&str] = &[
    "Object subclass: A\n",
    "  sail => ",
    "  at: x put: y =>\n    ",
    "\n",
    "\n  ",
    "  ",
    " ",
    "a",
    "B",
    "foo:",
    "+",
    "-1",
    "->",
    "=>",
    "<<",
    ">>",
    ":=",
    "::",
    ":",
    "^",
    ";",
    ".",
    "...",
    "!",
    "|",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#(",
    "#[",
    "#{",
    "#",
    "@",
    "p@C",
    "3.5",
    "16rFF",
    "$a",
    "\"s\"",
    "\"",
    "\"a{",
    "}b\"",
    "#sym",
    "#'q'",
    "#'",
    "@expect dnu\n",
    "@primitive",
    "// c\n",
    "/// d\n",
    "/* b */",
    "/*",
    "*/",
    "'",
    "é",
    "\u{feff}",
    "\r\n",
    "\t",
    "\0",
    "match: [",
    "_ -> ",
    "when: [",
    "super",
    "self.x",
    "nil",
    "class ",
    "sealed ",
    "Protocol define: P\n",
    "type T = ",
    "state: s",
    "internal ",
    "extending: Q",
    "A >> b => ",
    "A class >> c: d => ",
    "native: m",
    "7e",
    "$",
    "=",
    "&",
    "\\",
    "**",
    "subclass:",
    "[:x | ",
    "#{#a => ",
    "\\{",
    "\u{a0}",
    "🌍",
    "  @expect type \"r\"\n",
    "=:=",
    "$\"",
    "$}",
    "\"\"",
    "<<a:8/big, b/binary>>",
    "#a:b",
    "[:x :: T | ",
    "r",
    "e5",
];

/// Any bytes at all: pieces, a program with errors put in, or noise.
#[must_use]
pub fn any(rng: &mut Rng) -> Vec<u8> {
    match rng.below(8) {
        0 => (0..rng.below(200)).map(|_| rng.next_u64() as u8).collect(),
        1 => ascii(rng),
        2..=4 => pieces(rng).into_bytes(),
        5 => deep(rng).into_bytes(),
        _ => mutated(rng).into_bytes(),
    }
}

fn ascii(rng: &mut Rng) -> Vec<u8> {
    let letters = b" \n\t\"'(){}[]#:;.=-><+*/@^!|,$\\abcAB019_";
    (0..rng.below(120)).filter_map(|_| letters.get(rng.below(letters.len())).copied()).collect()
}

fn pieces(rng: &mut Rng) -> String {
    (0..rng.below(80)).map(|_| rng.pick(PIECES)).collect()
}

/// A few pieces again and again, beyond every limit.
fn deep(rng: &mut Rng) -> String {
    let unit: String = (0..1 + rng.below(3)).map(|_| rng.pick(PIECES)).collect();
    let close: String = (0..rng.below(3)).map(|_| rng.pick(PIECES)).collect();
    let n_times = 1 + rng.below(600);
    pieces(rng) + &unit.repeat(n_times) + "a" + &close.repeat(n_times)
}

/// A program with some places cut, doubled or filled.
fn mutated(rng: &mut Rng) -> String {
    let mut text = gen::program(rng.next_u64());
    for _ in 0..1 + rng.below(6) {
        edit(rng, &mut text);
    }
    text
}

/// Takes out, doubles or puts in something at a random place.
pub fn edit(rng: &mut Rng, text: &mut String) {
    let start = text.floor_char_boundary(rng.below(text.len() + 1));
    let end = text.floor_char_boundary((start + rng.below(40)).min(text.len())).max(start);
    match rng.below(4) {
        0 => text.replace_range(start..end, ""),
        1 => {
            let copy = text.get(start..end).unwrap_or("").to_owned();
            text.insert_str(start, &copy);
        }
        _ => text.insert_str(start, rng.pick(PIECES)),
    }
}
