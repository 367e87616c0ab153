//! Units from a fixture, for the tests of this crate and of those above it.

use crate::{Change, Index, Origin};
use std::sync::Arc;

/// The units of a text with `//- /path.bt` headers (see [`bt_testkit::fixture`]). A tag behind the
/// path gives a unit another origin: `stdlib`, `dep:name`, or `prompt`.
#[must_use]
pub fn changes(text: &str) -> Vec<Change> {
    let files = bt_testkit::fixture::parse(text).into_iter();
    files
        .map(|file| {
            let (origin, package) = match file.tag.as_str() {
                "" => (Origin::Project, "app"),
                "stdlib" => (Origin::Stdlib, "stdlib"),
                "prompt" => (Origin::Prompt, "app"),
                tag => match tag.strip_prefix("dep:") {
                    Some(package) => (Origin::Dependency, package),
                    None => panic!("no origin: {tag}"),
                },
            };
            let unit = bt_syntax::parse_file(&file.path, file.text.as_bytes());
            Change::Put {
                file: file.path.into(),
                unit: Arc::new(unit.unwrap_or_else(|error| panic!("{error}"))),
                package: package.into(),
                origin,
                patched: Vec::new(),
            }
        })
        .collect()
}

/// The index of a fixture.
#[must_use]
pub fn index(text: &str) -> Index {
    Index::new().with_changes(&changes(text))
}
