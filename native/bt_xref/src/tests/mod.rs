//! Tests of the index.

mod audit;
mod hierarchy;
mod laws;
mod memory;
mod queries;
mod receiver_types;

pub(crate) use crate::fixture::index;
use crate::Site;

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
