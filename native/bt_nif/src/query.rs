//! Questions to the current snapshot of an index.
//!
//! Counts and pages run on a normal scheduler: they do work for the rows they answer, and those are
//! limited. Whole answers and questions over all selectors run on a dirty one.

use crate::atoms;
use crate::atoms::fixed;
use crate::decode::side;
use crate::encode::Fields;
use crate::guard::{answer, Answer, Failure};
use crate::index::sites;
use crate::resource::IndexRef;
use bt_syntax::Side;
use bt_xref::{Index, Page, Site, Slice};
use rustler::{Atom, Encoder, Env, Term};

/// Rows of a page at most: about half a millisecond.
const MAX_ROWS: usize = 200;
/// Definitions up to which a page of them is made on a normal scheduler.
const MAX_DEFINITIONS: usize = 500;

#[rustler::nif(schedule = "DirtyCpu")]
fn senders_of<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    query(env, &index, |index| index.senders_of(selector))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn senders_of_class<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    class: &str,
    of: Atom,
) -> Term<'a> {
    answer(env, || {
        let of = side_of(env, of)?;
        let index = index.current().index;
        if index.find_class(class).is_none() {
            return Err(no_class(env, class));
        }
        Ok(sites(env, &index.senders_of_class(selector, class, of)))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn references_to<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    query(env, &index, |index| index.references_to(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn implementors_of<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    query(env, &index, |index| index.implementors_of(selector))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn symbols_of<'a>(env: Env<'a>, index: IndexRef, text: &str) -> Term<'a> {
    query(env, &index, |index| index.symbols_of(text))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn declarations_of<'a>(env: Env<'a>, index: IndexRef, name: &str) -> Term<'a> {
    query(env, &index, |index| {
        index.declarations_of(name).into_iter().map(|(_, site)| site).collect()
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn subclasses_of<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    query(env, &index, |index| index.subclasses_of(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn all_subclasses_of<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    query(env, &index, |index| index.all_subclasses_of(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unused_definitions(env: Env<'_>, index: IndexRef) -> Term<'_> {
    query(env, &index, Index::unused_definitions)
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unimplemented_selectors(env: Env<'_>, index: IndexRef) -> Term<'_> {
    answer(env, || Ok(index.current().index.unimplemented_selectors().encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn closure<'a>(env: Env<'a>, index: IndexRef, class: &str, of: Atom, selector: &str) -> Term<'a> {
    answer(env, || {
        let of = side_of(env, of)?;
        let closure = index.current().index.closure(class, of, selector);
        let closure = closure.ok_or_else(|| no_class(env, class))?;
        Ok(Fields::new(env)
            .put(atoms::free(), closure.free)
            .put(atoms::implementors(), sites(env, &closure.implementors))
            .put(atoms::unknown(), closure.unknown)
            .done())
    })
}

#[rustler::nif]
fn is_closure_free<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
) -> Term<'a> {
    answer(env, || {
        let of = side_of(env, of)?;
        let index = index.current().index;
        let class_ix = index.find_class(class).ok_or_else(|| no_class(env, class))?;
        Ok(index.is_closure_free(class_ix, of, selector).encode(env))
    })
}

#[rustler::nif]
fn stats(env: Env<'_>, index: IndexRef) -> Term<'_> {
    answer(env, || {
        let stats = index.current().index.stats();
        Ok(Fields::new(env)
            .put(atoms::files(), stats.files)
            .put(atoms::bytes(), stats.bytes)
            .put(atoms::methods(), stats.methods)
            .put(atoms::sends(), stats.sends)
            .put(atoms::references(), stats.references)
            .done())
    })
}

#[rustler::nif]
fn count_senders<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    answer(env, || Ok(index.current().index.count_senders_of(selector).encode(env)))
}

#[rustler::nif]
fn count_references<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    answer(env, || Ok(index.current().index.count_references_to(class).encode(env)))
}

#[rustler::nif]
fn senders_page<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    page(env, &index, |index| index.senders_page(selector, slice(offset, limit)))
}

#[rustler::nif]
fn references_page<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    page(env, &index, |index| index.references_page(class, slice(offset, limit)))
}

/// `large` when the selector has so many definitions that the other function must serve.
#[rustler::nif]
fn implementors_page_small<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    answer(env, || {
        let index = index.current().index;
        if index.count_definitions(selector) > MAX_DEFINITIONS {
            return Ok(atoms::large().encode(env));
        }
        Ok(page_term(env, &index.implementors_page(selector, slice(offset, limit))))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn implementors_page_large<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    page(env, &index, |index| index.implementors_page(selector, slice(offset, limit)))
}

fn slice(offset: usize, limit: usize) -> Slice {
    Slice { offset, limit: limit.min(MAX_ROWS) }
}

fn query<'a>(env: Env<'a>, index: &IndexRef, ask: impl FnOnce(&Index) -> Vec<Site>) -> Term<'a> {
    answer(env, || Ok(sites(env, &ask(&index.current().index))))
}

fn page<'a>(env: Env<'a>, index: &IndexRef, ask: impl FnOnce(&Index) -> Page) -> Term<'a> {
    answer(env, || -> Answer<'a> { Ok(page_term(env, &ask(&index.current().index))) })
}

/// `{Total, [{File, Line, Col, Kind, Owner, [{Start, End}]}]}`.
fn page_term<'a>(env: Env<'a>, page: &Page) -> Term<'a> {
    let row = |site: &Site| {
        let spans: Vec<_> = site.spans.iter().map(|span| (span.start, span.end)).collect();
        let kind = fixed(env, site.kind.name());
        (&*site.file, site.line, site.col, kind, &site.owner, spans).encode(env)
    };
    (page.total, page.sites.iter().map(row).collect::<Vec<_>>()).encode(env)
}

fn side_of(env: Env<'_>, of: Atom) -> Result<Side, Failure<'_>> {
    let wrong = || Failure::new(env, "request.invalid", "the side is instance or class");
    side(of).ok_or_else(wrong)
}

fn no_class<'a>(env: Env<'a>, class: &str) -> Failure<'a> {
    Failure::new(env, "class.not_found", &format!("Class '{class}' not found"))
}
