//! Well-formed Beamtalk source from a seed.
//!
//! [`project`] gives files as people write them: a class in each, documented, with fields and
//! methods that send messages to the project's other classes, and now and then an extension file, a
//! protocol or a type alias. Superclasses come before their subclasses, so there is no cycle; a
//! class `n` always has the name [`class_name`]`(n)`. [`program`] gives one file that mixes every
//! construct of the grammar. Both parse without errors; a test of `bt_syntax` says so.

mod code;
pub mod typed;

use crate::rng::Rng;
use code::Writer;

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path in the project, such as `src/harbour_crane.bt`.
    pub path: String,
    /// Its text.
    pub text: String,
}

const NOUNS: &[&str] = &[
    "Harbour",
    "Crane",
    "Cargo",
    "Ledger",
    "Beacon",
    "Pilot",
    "Berth",
    "Ferry",
    "Barge",
    "Tug",
    "Dock",
    "Fleet",
    "Anchor",
    "Signal",
    "Channel",
    "Manifest",
    "Customs",
    "Tide",
    "Buoy",
    "Mooring",
    "Winch",
    "Captain",
    "Convoy",
    "Compass",
    "Lantern",
    "Voyage",
    "Warehouse",
    "Freight",
    "Radar",
    "Weather",
    "Engine",
    "Rudder",
    "Keel",
    "Logbook",
    "Passage",
    "Quay",
];
const ROLES: &[&str] = &[
    "", "Registry", "Queue", "Planner", "Monitor", "Report", "Session", "Policy", "Index",
    "Builder", "Cache", "Gateway", "Schedule", "Counter", "Store", "Worker",
];

/// The name of the n-th class of every generated project.
#[must_use]
pub fn class_name(n: usize) -> String {
    let noun = NOUNS.get(n % NOUNS.len()).copied().unwrap_or("Class");
    let role = ROLES.get((n / NOUNS.len()) % ROLES.len()).copied().unwrap_or("");
    match n / (NOUNS.len() * ROLES.len()) {
        0 => format!("{noun}{role}"),
        round => format!("{noun}{role}{round}"),
    }
}

/// The path of the file that holds the n-th class.
#[must_use]
pub fn class_path(n: usize) -> String {
    let mut path = "src/".to_owned();
    for (at, letter) in class_name(n).chars().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 {
            path.push('_');
        }
        path.push(letter.to_ascii_lowercase());
    }
    path + ".bt"
}

/// A project of `n_classes` classes, and a few files of other kinds, 1 to 10 KB each.
#[must_use]
pub fn project(seed: u64, n_classes: usize) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for n in 0..n_classes {
        files.push(class_file(seed, n, n_classes));
        if n % 12 == 11 {
            files.push(other_file(seed, n, n_classes));
        }
    }
    files
}

/// Files of a project, at least `n_bytes` in all.
#[must_use]
pub fn corpus(seed: u64, n_bytes: usize) -> Vec<SourceFile> {
    let n_classes = n_bytes / 2500 + 20;
    let mut files = Vec::new();
    let mut n_done = 0;
    for n in 0.. {
        if n_done >= n_bytes {
            break;
        }
        let file = class_file(seed, n, n_classes);
        n_done += file.text.len();
        files.push(file);
    }
    files
}

/// One text of at least `n_bytes`: many classes in one file.
#[must_use]
pub fn large(seed: u64, n_bytes: usize) -> String {
    let mut text = String::with_capacity(n_bytes + 16_384);
    for file in corpus(seed, n_bytes) {
        text.push_str(&file.text);
        text.push('\n');
    }
    text
}

/// A file that mixes every construct of the grammar, small.
#[must_use]
pub fn program(seed: u64) -> String {
    let mut writer = Writer::new(Rng::new(seed ^ 0x5EED), 40);
    let n_items = 1 + writer.rng.below(4);
    for _ in 0..n_items {
        match writer.rng.below(8) {
            0 => writer.protocol(),
            1 => writer.alias(),
            2 | 3 => writer.extension(),
            4 => writer.top_level(),
            n => {
                writer.class(n + 3, 3);
            }
        }
        writer.blank_line();
    }
    writer.out
}

fn class_file(seed: u64, n: usize, n_classes: usize) -> SourceFile {
    let rng = Rng::new(seed.wrapping_mul(31).wrapping_add(n as u64));
    let mut writer = Writer::new(rng, n_classes);
    let n_methods = 3 + writer.rng.below(18);
    writer.class(n, n_methods);
    SourceFile { path: class_path(n), text: writer.out }
}

fn other_file(seed: u64, n: usize, n_classes: usize) -> SourceFile {
    let rng = Rng::new(seed.wrapping_mul(37).wrapping_add(n as u64));
    let mut writer = Writer::new(rng, n_classes);
    if n % 24 == 11 {
        for _ in 0..6 {
            writer.extension();
            writer.blank_line();
        }
        let target = class_name(n);
        return SourceFile { path: format!("src/{target}+Extra.bt"), text: writer.out };
    }
    writer.protocol();
    writer.blank_line();
    writer.alias();
    SourceFile { path: format!("src/protocol_{n}.bt"), text: writer.out }
}
