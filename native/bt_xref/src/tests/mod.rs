//! Tests of the index.

mod audit;
mod laws;
mod queries;
mod receiver_types;

use crate::{Change, Index, Origin, Site};
use std::sync::Arc;

/// Units from a fixture: texts with `//- /path.bt` headers. `//- /path.bt stdlib` and
/// `//- /path.bt dep:name` give a unit another origin.
pub(crate) fn fixture(text: &str) -> Vec<Change> {
    bt_testkit::fixture::parse(text)
        .into_iter()
        .map(|file| {
            let (origin, package) = match file.tag.as_str() {
                "stdlib" => (Origin::Stdlib, "stdlib"),
                "" => (Origin::Project, "app"),
                other => match other.strip_prefix("dep:") {
                    Some(package) => (Origin::Dependency, package),
                    None => (Origin::Prompt, "app"),
                },
            };
            Change::Put {
                file: file.path.into(),
                unit: Arc::new(bt_syntax::parse(&file.text)),
                package: package.into(),
                origin,
            }
        })
        .collect()
}

pub(crate) fn index(text: &str) -> Index {
    Index::new().with_changes(&fixture(text))
}

/// One line a site: `file:line:col kind owner name[spans]`.
pub(crate) fn shown(sites: &[Site]) -> String {
    sites.iter().map(|site| format!("{}\n", line(site))).collect()
}

fn line(site: &Site) -> String {
    let spans: Vec<_> =
        site.spans.iter().map(|span| format!("{}-{}", span.start, span.end)).collect();
    let spans = spans.join(",");
    let Site { file, line, col, kind, owner, old, .. } = site;
    format!("{file}:{line}:{col} {} {owner} {old}[{spans}]", kind.name())
}
