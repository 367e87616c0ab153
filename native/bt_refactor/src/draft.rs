//! From planned sites to new texts: edits by unit, spliced and proved.

use crate::digest::sha256;
use crate::edit::{Edit, EditSet};
use crate::error::Refusal;
use crate::plan::PlanFile;
use crate::splice::splice;
use crate::verify::names_only;
use bt_syntax::{TextRange, TextSize};
use bt_xref::{Index, Site, SiteKind, SiteMaker, UnitEntry};
use std::collections::BTreeMap;

/// Gives a site its new name: one text for each of its spans.
pub(crate) fn rename_site(site: &mut Site, parts: &[String]) {
    for (span, new) in site.spans.iter_mut().zip(parts) {
        span.new = Some(new.clone());
    }
    site.new = Some(parts.concat());
}

/// The parts of a selector: one for each keyword.
pub(crate) fn selector_parts(selector: &str) -> Vec<String> {
    if selector.contains(':') {
        selector.split_inclusive(':').map(str::to_owned).collect()
    } else {
        vec![selector.to_owned()]
    }
}

/// The new texts that some renamed sites make, in order of their files.
///
/// # Errors
///
/// A refusal when sites contradict each other or the proof fails.
pub(crate) fn renamed_files(index: &Index, sites: &[Site]) -> Result<Vec<PlanFile>, Refusal> {
    let mut files = Vec::new();
    let mut glued = Vec::new();
    for group in sites.chunk_by(|a, b| a.file == b.file) {
        let Some(first) = group.first() else { continue };
        let Some(entry) = index.unit(&first.file) else { continue };
        match renamed_file(index, entry, group) {
            Ok(file) => files.push(file),
            Err(Failed::Glued(places)) => glued.extend(places),
            Err(Failed::Refused(refusal)) => return Err(refusal),
        }
    }
    match glued.first() {
        None => Ok(files),
        Some(site) => {
            let new = site.new.as_deref().unwrap_or("");
            Err(Refusal::new(
                "selector.glued",
                format!("#{new} would be read as one with what stands beside it"),
                "Put a blank between the two first.",
            )
            .at(glued))
        }
    }
}

/// Why a file cannot be renamed in.
enum Failed {
    /// New names would grow together with their neighbours.
    Glued(Vec<Site>),
    Refused(Refusal),
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn renamed_file(index: &Index, entry: &UnitEntry, sites: &[Site]) -> Result<PlanFile, Failed> {
    let mut edits = Vec::new();
    for span in sites.iter().flat_map(|site| &site.spans) {
        if slice(entry.unit.text(), span.range()) != span.old {
            return Err(stale(index, entry, span.range()).into());
        }
        if let Some(new) = span.new.as_ref().filter(|new| **new != span.old) {
            edits.push(Edit::replace(span.range(), new.as_str()));
        }
    }
    let edits = EditSet::new(edits).map_err(|overlap| {
        Refusal::new("edit.overlap", format!("{}: {overlap}", entry.file), "").at(vec![place(
            index,
            entry,
            overlap.second.span(),
        )])
    })?;
    let spliced = splice(entry.unit.text(), &edits)
        .map_err(|misfit| stale(index, entry, misfit.edit.span()))?;
    names_only(&entry.unit, &spliced.text, &edits).map_err(|mismatch| {
        let glued = glued(entry, &spliced.text, sites);
        if !glued.is_empty() {
            return Failed::Glued(glued);
        }
        let at = TextRange::empty(TextSize::new(mismatch.offset().unwrap_or(0)));
        Refusal::new(
            "verify.failed",
            format!("{}: the new text would be read in another way: {mismatch}", entry.file),
            "Choose another name.",
        )
        .at(vec![place(index, entry, at)])
        .into()
    })?;
    Ok(file_of(entry, spliced.text, true))
}

/// The sites whose new names are no tokens of their own in the new text: `+1` is an operator and a
/// number, `-1` a number.
fn glued(entry: &UnitEntry, new_text: &str, sites: &[Site]) -> Vec<Site> {
    let new = entry.unit.parse_alike(new_text);
    let tokens: BTreeMap<u32, u32> = new
        .tokens()
        .map(|token| (token.span().start().into(), token.span().end().into()))
        .collect();
    let mut glued = Vec::new();
    let mut shift = 0_i64;
    let spans = sites.iter().flat_map(|site| site.spans.iter().map(move |span| (site, span)));
    for (site, span) in spans {
        let new = span.new.as_deref().unwrap_or(&span.old);
        let start = i64::from(span.start) + shift;
        let end = start + new.len() as i64;
        let token = u32::try_from(start).ok().and_then(|start| tokens.get(&start));
        if token.is_none_or(|token| i64::from(*token) != end) {
            glued.push(site.clone());
        }
        shift += new.len() as i64 - i64::from(span.end - span.start);
    }
    glued
}

/// A plan's file.
pub(crate) fn file_of(entry: &UnitEntry, text: String, names_only: bool) -> PlanFile {
    PlanFile {
        file: entry.file.clone(),
        new_file: None,
        old_digest: sha256(entry.unit.text()),
        text: Some(text),
        names_only,
    }
}

/// A plan's file that goes.
pub(crate) fn file_gone(entry: &UnitEntry) -> PlanFile {
    PlanFile { text: None, ..file_of(entry, String::new(), false) }
}

/// A place in a unit, for a refusal.
pub(crate) fn place(index: &Index, entry: &UnitEntry, span: TextRange) -> Site {
    let site = SiteMaker::new(entry, index.names()).span(span, SiteKind::Prose, None);
    Site { owner: String::new(), owner_name: None, owner_selector: None, ..site }
}

fn stale(index: &Index, entry: &UnitEntry, span: TextRange) -> Refusal {
    Refusal::new("span.stale", format!("{} is not the text that was indexed", entry.file), "")
        .at(vec![place(index, entry, span)])
}

pub(crate) fn slice(text: &str, span: TextRange) -> &str {
    text.get(usize::from(span.start())..usize::from(span.end())).unwrap_or("")
}
