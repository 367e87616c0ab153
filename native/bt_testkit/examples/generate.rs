//! Prints a generated project in the fixture form (`//- /path.bt` before each file's text).
//!
//! `cargo run --release -p bt_testkit --example generate -- SEED CLASSES`

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use bt_testkit::{fixture, gen};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let seed = numbers.next().unwrap_or(1);
    let classes = numbers.next().and_then(|n| usize::try_from(n).ok()).unwrap_or(10);
    let files: Vec<_> =
        gen::project(seed, classes).into_iter().map(|file| (file.path, file.text)).collect();
    print!("{}", fixture::print(&files));
}
