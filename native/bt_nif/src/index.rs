//! The index and its snapshots; sites as terms. (Questions to it: [`crate::query`].)

use crate::atoms;
use crate::decode::{field, field_or, side as side_of, wrong};
use crate::encode::{ok, or_nil, side, Fields};
use crate::guard::{answer, Failure};
use crate::resource::{IndexRef, IndexResource, NextRef, NextResource, Snapshot, UnitRef};
use crate::rows::{kind, provenance};
use bt_xref::{Change, Index, Opaque, Origin, Patched, Site, SiteSpan};
use rustler::{Atom, Decoder, Encoder, Env, NifResult, ResourceArc, Term};
use std::sync::Arc;

#[rustler::nif]
fn index_new(env: Env<'_>) -> Term<'_> {
    answer(env, || Ok(ResourceArc::new(IndexResource::new()).encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn index_next<'a>(env: Env<'a>, index: IndexRef, changes: Vec<Term<'a>>) -> Term<'a> {
    answer(env, || {
        let next = NextResource::new(index.current().index, decoded(changes)?);
        Ok(ok(env, ResourceArc::new(next)))
    })
}

/// `large` when the snapshot has still to be made.
#[rustler::nif]
fn index_stage_small<'a>(env: Env<'a>, index: IndexRef, gen: u64, next: Next<'a>) -> Term<'a> {
    staged(env, &index, gen, |current| match &next {
        Next::Made(next) => Ok(next.made_on(current)),
        Next::Changes(_) => Ok(None),
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn index_stage_large<'a>(env: Env<'a>, index: IndexRef, gen: u64, next: Next<'a>) -> Term<'a> {
    staged(env, &index, gen, |current| match next {
        Next::Made(next) => Ok(Some(next.on(current))),
        Next::Changes(changes) => Ok(Some(Arc::new(current.with_changes(&decoded(changes)?)))),
    })
}

fn staged<'a>(
    env: Env<'a>,
    index: &IndexRef,
    generation: u64,
    next: impl FnOnce(&Arc<Index>) -> Result<Option<Arc<Index>>, Failure<'a>>,
) -> Term<'a> {
    answer(env, || {
        let current = index.current();
        if generation < current.generation {
            let message = format!("generation {generation} is older than {}", current.generation);
            return Err(Failure::new(env, "request.invalid", &message));
        }
        let Some(next) = next(&current.index)? else { return Ok(atoms::large().encode(env)) };
        index.stage(Snapshot { generation, index: next });
        Ok(atoms::ok().encode(env))
    })
}

#[rustler::nif]
fn index_publish(env: Env<'_>, index: IndexRef, generation: u64) -> Term<'_> {
    answer(env, || {
        if index.publish(generation) {
            return Ok(atoms::ok().encode(env));
        }
        let message = format!("no snapshot of generation {generation} is staged");
        Err(Failure::new(env, "request.invalid", &message))
    })
}

#[rustler::nif]
fn index_drop(env: Env<'_>, index: IndexRef) -> Term<'_> {
    answer(env, || {
        index.drop_staged();
        Ok(atoms::ok().encode(env))
    })
}

#[rustler::nif]
fn index_generation(env: Env<'_>, index: IndexRef) -> Term<'_> {
    answer(env, || Ok(index.current().generation.encode(env)))
}

// ---- decode

/// What is to be staged: changes, or what [`index_next`] made of them.
enum Next<'a> {
    Made(NextRef),
    Changes(Vec<Term<'a>>),
}

impl<'a> Decoder<'a> for Next<'a> {
    fn decode(term: Term<'a>) -> NifResult<Self> {
        term.decode().map(Self::Made).or_else(|_| term.decode().map(Self::Changes))
    }
}

fn decoded(changes: Vec<Term<'_>>) -> Result<Vec<Change>, Failure<'_>> {
    changes.into_iter().map(change).collect()
}

/// `{put, File, Unit, #{package, origin}}`, `{opaque, File, #{class, superclass, package, origin}}` or
/// `{delete, File}`.
fn change(term: Term<'_>) -> Result<Change, Failure<'_>> {
    if let Ok((tag, file, unit, of)) = term.decode::<(Atom, &str, UnitRef, Term<'_>)>() {
        if tag == atoms::put() {
            let (file, unit) = (Arc::from(file), Arc::clone(&unit.0));
            let (package, origin) = (package(of)?, origin(of)?);
            return Ok(Change::Put { file, unit, package, origin, patched: patched(of)? });
        }
    }
    if let Ok((tag, file, of)) = term.decode::<(Atom, &str, Term<'_>)>() {
        if tag == atoms::opaque() {
            return opaque(file, of);
        }
    }
    match term.decode::<(Atom, &str)>() {
        Ok((tag, file)) if tag == atoms::delete() => Ok(Change::Delete { file: Arc::from(file) }),
        _ => {
            let message = "a change of an index is {put, File, Unit, Map}, {opaque, File, Map} or {delete, File}";
            Err(Failure::new(term.get_env(), "request.invalid", message))
        }
    }
}

fn opaque<'a>(file: &str, of: Term<'a>) -> Result<Change, Failure<'a>> {
    let superclass: Term<'_> = field(of, atoms::superclass())?;
    let superclass = match superclass.decode::<&str>() {
        Ok(name) => Some(Arc::from(name)),
        Err(_) if atoms::nil() == superclass => None,
        Err(_) => return Err(wrong(of, atoms::superclass())),
    };
    Ok(Change::Opaque(Opaque {
        file: Arc::from(file),
        class: Arc::from(field::<&str>(of, atoms::class())?),
        superclass,
        package: package(of)?,
        origin: origin(of)?,
    }))
}

/// The methods that were patched live, or what a former method was: `patched => [{Class, Side,
/// Selector}]`, or nothing.
fn patched(of: Term<'_>) -> Result<Vec<Patched>, Failure<'_>> {
    let methods: Vec<(String, Atom, String)> = field_or(of, atoms::patched(), Vec::new())?;
    let method = |(class, atom, selector)| Some(Patched { class, side: side_of(atom)?, selector });
    let marked: Option<Vec<_>> = methods.into_iter().map(method).collect();
    marked.ok_or_else(|| wrong(of, atoms::patched()))
}

/// The package.
fn package(of: Term<'_>) -> Result<Arc<str>, Failure<'_>> {
    Ok(Arc::from(field::<&str>(of, atoms::package())?))
}

fn origin(map: Term<'_>) -> Result<Origin, Failure<'_>> {
    let origin: Atom = field(map, atoms::origin())?;
    if origin == atoms::project() {
        Ok(Origin::Project)
    } else if origin == atoms::dependency() {
        Ok(Origin::Dependency)
    } else if origin == atoms::stdlib() {
        Ok(Origin::Stdlib)
    } else if origin == atoms::prompt() {
        Ok(Origin::Prompt)
    } else if origin == atoms::orphan() {
        Ok(Origin::Orphan)
    } else if origin == atoms::relic() {
        Ok(Origin::Relic)
    } else {
        Err(wrong(map, atoms::origin()))
    }
}

// ---- encode

/// Sites as maps.
pub(crate) fn sites<'a>(env: Env<'a>, sites: &[Site]) -> Term<'a> {
    sites.iter().map(|site| site_fields(env, site).done()).collect::<Vec<_>>().encode(env)
}

/// The map of one site, open for more keys.
pub(crate) fn site_fields<'a>(env: Env<'a>, site: &Site) -> Fields<'a> {
    let span = |span: &SiteSpan| {
        Fields::new(env)
            .put(atoms::start(), span.start)
            .put(atoms::end(), span.end)
            .put(atoms::old(), &span.old)
            .put(atoms::new(), or_nil(env, span.new.as_ref()))
            .done()
    };
    Fields::new(env)
        .put(atoms::file(), &*site.file)
        .put(atoms::spans(), site.spans.iter().map(span).collect::<Vec<_>>())
        .put(atoms::start(), site.start())
        .put(atoms::end(), site.end())
        .put(atoms::old(), &site.old)
        .put(atoms::new(), or_nil(env, site.new.as_ref()))
        .put(atoms::line(), site.line)
        .put(atoms::col(), site.col)
        .put(atoms::kind(), kind(site.kind))
        .put(atoms::owner(), &site.owner)
        .put(atoms::owner_name(), or_nil(env, site.owner_name.as_ref()))
        .put(atoms::owner_selector(), or_nil(env, site.owner_selector.as_ref()))
        .put(atoms::side(), side(site.side))
        .put(atoms::provenance(), provenance(site.provenance))
}
