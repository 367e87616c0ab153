//! Questions to the current snapshot of an index: each function is the line that asks, [`ask`] does
//! the rest.
//!
//! Counts and pages run on a normal scheduler: they do work for the rows they answer, and those are
//! limited. Whole answers and questions over all selectors run on a dirty one; where only the size of
//! the matter can tell, a function answers `large`, and its twin answers on a dirty scheduler.

use crate::atoms;
use crate::decode::side;
use crate::encode::Fields;
use crate::guard::{answer, Answer, Failure};
use crate::index::sites;
use crate::resource::IndexRef;
use crate::rows::page;
use bt_syntax::Side;
use bt_xref::{ClassIx, Index, Site, Slice};
use rustler::{Atom, Encoder, Env, Term};

/// Rows of a page at most: a tenth of a millisecond.
const MAX_ROWS: usize = 1000;
/// Definitions up to which a normal scheduler looks through them.
const MAX_DEFINITIONS: usize = 1000;

/// Classes below or definitions up to which a normal scheduler answers a closure.
const FEW: usize = 128;

/// Asks the current snapshot.
fn ask<'a>(
    env: Env<'a>,
    index: &IndexRef,
    question: impl FnOnce(&Index) -> Answer<'a>,
) -> Term<'a> {
    answer(env, || question(&index.current().index))
}

/// Asks the current snapshot for sites.
fn ask_sites<'a>(
    env: Env<'a>,
    index: &IndexRef,
    question: impl FnOnce(&Index) -> Vec<Site>,
) -> Term<'a> {
    ask(env, index, |index| Ok(sites(env, &question(index))))
}

// ---- the inside of a class

#[rustler::nif(schedule = "DirtyCpu")]
fn messages_sent_by<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
) -> Term<'a> {
    ask(env, &index, |index| {
        let of = side_of(env, of)?;
        Ok(sites(env, &index.messages_sent_by(class, of, selector)))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn field_uses<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    field: &str,
    is_write: bool,
) -> Term<'a> {
    ask_sites(env, &index, |index| index.field_uses(class, field, is_write))
}

// ---- names

/// Whether a text is a selector: no index is asked.
#[rustler::nif]
fn is_selector(text: &str) -> bool {
    bt_syntax::shape_of(text).is_some()
}

// ---- counts and pages

#[rustler::nif]
fn stats(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask(env, &index, |index| {
        let stats = index.stats();
        Ok(Fields::new(env)
            .put(atoms::files(), stats.files)
            .put(atoms::bytes(), stats.bytes)
            .put(atoms::methods(), stats.methods)
            .put(atoms::sends(), stats.sends)
            .put(atoms::references(), stats.references)
            .done())
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn index_memory(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask(env, &index, |index| Ok(index.memory_bytes().encode(env)))
}

#[rustler::nif]
fn count_senders<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    ask(env, &index, |index| Ok(index.count_senders_of(selector).encode(env)))
}

#[rustler::nif]
fn count_references<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    ask(env, &index, |index| Ok(index.count_references_to(class).encode(env)))
}

#[rustler::nif]
fn senders_page<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    ask(env, &index, |index| {
        let slice = slice(offset, limit);
        Ok(page(env, index, slice, |slice, rows| index.sender_rows(selector, slice, rows)))
    })
}

#[rustler::nif]
fn references_page<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    ask(env, &index, |index| {
        let slice = slice(offset, limit);
        Ok(page(env, index, slice, |slice, rows| index.reference_rows(class, slice, rows)))
    })
}

#[rustler::nif]
fn implementors_page_small<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    offset: usize,
    limit: usize,
) -> Term<'a> {
    ask(env, &index, |index| {
        if index.count_definitions(selector) > MAX_DEFINITIONS {
            return Ok(atoms::large().encode(env));
        }
        let slice = slice(offset, limit);
        Ok(page(env, index, slice, |slice, rows| index.implementor_rows(selector, slice, rows)))
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
    ask(env, &index, |index| {
        let slice = slice(offset, limit);
        Ok(page(env, index, slice, |slice, rows| index.implementor_rows(selector, slice, rows)))
    })
}

fn slice(offset: usize, limit: usize) -> Slice {
    Slice { offset, limit: limit.min(MAX_ROWS) }
}

// ---- whole answers

#[rustler::nif(schedule = "DirtyCpu")]
fn senders_of<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.senders_of(selector))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn references_to<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.references_to(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn implementors_of<'a>(env: Env<'a>, index: IndexRef, selector: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.implementors_of(selector))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn symbols_of<'a>(env: Env<'a>, index: IndexRef, text: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.symbols_of(text))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn subclasses_of<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.subclasses_of(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn all_subclasses_of<'a>(env: Env<'a>, index: IndexRef, class: &str) -> Term<'a> {
    ask_sites(env, &index, |index| index.all_subclasses_of(class))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn declarations_of<'a>(env: Env<'a>, index: IndexRef, name: &str) -> Term<'a> {
    ask_sites(env, &index, |index| {
        index.declarations_of(name).into_iter().map(|(_, site)| site).collect()
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn senders_of_class<'a>(
    env: Env<'a>,
    index: IndexRef,
    selector: &str,
    class: &str,
    of: Atom,
) -> Term<'a> {
    ask(env, &index, |index| {
        let of = side_of(env, of)?;
        let _ = class_of(env, index, class)?;
        Ok(sites(env, &index.senders_of_class(selector, class, of)))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unused_definitions(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask_sites(env, &index, Index::unused_definitions)
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unimplemented_selectors(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask(env, &index, |index| Ok(index.unimplemented_selectors().encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unimplemented_sends(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask(env, &index, |index| {
        let sends = index.unimplemented_sends();
        let rows = sends.iter().map(|(selector, found)| (selector, sites(env, found)));
        Ok(rows.collect::<Vec<_>>().encode(env))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn not_searchable(env: Env<'_>, index: IndexRef) -> Term<'_> {
    ask(env, &index, |index| Ok(index.not_searchable().encode(env)))
}

// ---- the override closure

#[rustler::nif]
fn closure_page_small<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
    (offset, limit): (usize, usize),
) -> Term<'a> {
    ask(env, &index, |index| {
        let (class, hierarchy) = (class_of(env, index, class)?, index.hierarchy());
        let is_small = hierarchy.unknown().len() <= FEW
            && (index.count_definitions(selector) <= FEW
                || hierarchy.few_descendants(class, FEW).is_some());
        if is_small {
            closure_page(env, index, (class, side_of(env, of)?, selector), slice(offset, limit))
        } else {
            Ok(atoms::large().encode(env))
        }
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn closure_page_large<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
    (offset, limit): (usize, usize),
) -> Term<'a> {
    ask(env, &index, |index| {
        let class = class_of(env, index, class)?;
        closure_page(env, index, (class, side_of(env, of)?, selector), slice(offset, limit))
    })
}

fn closure_page<'a>(
    env: Env<'a>,
    index: &Index,
    (class, of, selector): (ClassIx, Side, &str),
    slice: Slice,
) -> Answer<'a> {
    let closure = index.closure_part(class, of, selector, slice);
    Ok(Fields::new(env)
        .put(atoms::free(), closure.free)
        .put(atoms::total(), closure.total)
        .put(atoms::implementors(), sites(env, &closure.implementors))
        .put(atoms::unknown(), closure.unknown)
        .done())
}

#[rustler::nif]
fn is_closure_free_small<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
) -> Term<'a> {
    ask(env, &index, |index| {
        let of = side_of(env, of)?;
        let class = class_of(env, index, class)?;
        let is_free = index.is_closure_free_within(class, of, selector, MAX_DEFINITIONS);
        Ok(is_free.map_or_else(|| atoms::large().encode(env), |free| free.encode(env)))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn is_closure_free_large<'a>(
    env: Env<'a>,
    index: IndexRef,
    class: &str,
    of: Atom,
    selector: &str,
) -> Term<'a> {
    ask(env, &index, |index| {
        let of = side_of(env, of)?;
        let class = class_of(env, index, class)?;
        Ok(index.is_closure_free(class, of, selector).encode(env))
    })
}

fn side_of(env: Env<'_>, of: Atom) -> Result<Side, Failure<'_>> {
    let wrong = || Failure::new(env, "request.invalid", "the side is instance or class");
    side(of).ok_or_else(wrong)
}

fn class_of<'a>(env: Env<'a>, index: &Index, class: &str) -> Result<ClassIx, Failure<'a>> {
    let missing = || Failure::new(env, "class.not_found", &format!("Class '{class}' not found"));
    index.find_class(class).ok_or_else(missing)
}
