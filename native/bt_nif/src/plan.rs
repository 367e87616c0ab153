//! Plans and diffs.

use crate::atoms;
use crate::atoms::fixed;
use crate::decode::{field, field_or, side_field, wrong};
use crate::encode::{ok, or_nil, side, Fields};
use crate::guard::{answer, on_large_stack, Failure};
use crate::index::{site_fields, sites};
use crate::resource::IndexRef;
use bt_refactor::{Candidate, Plan, PlanFile, Prose, Refusal, Request, Warning};
use rustler::{Atom, Encoder, Env, Term};

#[rustler::nif(schedule = "DirtyCpu")]
fn plan<'a>(env: Env<'a>, index: IndexRef, request: Term<'a>) -> Term<'a> {
    answer(env, || {
        let allow: Vec<String> = field_or(request, atoms::allow(), Vec::new())?;
        let request = request_of(request)?;
        let snapshot = index.current();
        let plan =
            || bt_refactor::plan_allowing(&snapshot.index, snapshot.generation, &request, &allow);
        match on_large_stack(plan) {
            Ok(plan) => Ok(ok(env, plan_term(env, &plan))),
            Err(refusal) => Err(refused(env, &refusal)),
        }
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn diff<'a>(env: Env<'a>, old: &str, new: &str, name: &str) -> Term<'a> {
    answer(env, || Ok(bt_refactor::diff::unified(old, new, name).encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn read_request<'a>(env: Env<'a>, text: &str) -> Term<'a> {
    answer(env, || match bt_refactor::expression::read(text) {
        Ok(request) => Ok(ok(env, request_term(env, request))),
        Err(refusal) => Err(refused(env, &refusal)),
    })
}

// ---- decode

fn request_of(map: Term<'_>) -> Result<Request, Failure<'_>> {
    let operation: Atom = field(map, atoms::operation())?;
    let class = field(map, atoms::class())?;
    if operation == atoms::rename_class() {
        Ok(Request::RenameClass { class, new_name: field(map, atoms::new_name())? })
    } else if operation == atoms::rename_method() {
        Ok(Request::RenameMethod {
            class,
            side: side_field(map)?,
            selector: field(map, atoms::selector())?,
            new_selector: field(map, atoms::new_selector())?,
            accept: accepted(map)?,
        })
    } else if operation == atoms::remove_method() {
        let selector = field(map, atoms::selector())?;
        Ok(Request::RemoveMethod { class, side: side_field(map)?, selector })
    } else if operation == atoms::remove_class() {
        Ok(Request::RemoveClass { class })
    } else if operation == atoms::patch_method() {
        let source = field(map, atoms::source())?;
        Ok(Request::PatchMethod { class, side: side_field(map)?, source })
    } else {
        Err(wrong(map, atoms::operation()))
    }
}

/// `[{File, Start}]` or `[[File, Start]]`.
fn accepted(map: Term<'_>) -> Result<Vec<(String, u32)>, Failure<'_>> {
    let rows: Vec<Term<'_>> = field_or(map, atoms::accept(), Vec::new())?;
    let pair = |row: Term<'_>| -> Option<(String, u32)> {
        if let Ok(pair) = row.decode::<(String, u32)>() {
            return Some(pair);
        }
        let cells: Vec<Term<'_>> = row.decode().ok()?;
        match cells.as_slice() {
            [file, start] => Some((file.decode().ok()?, start.decode().ok()?)),
            _ => None,
        }
    };
    rows.into_iter().map(|row| pair(row).ok_or_else(|| wrong(map, atoms::accept()))).collect()
}

// ---- encode

fn request_term(env: Env<'_>, request: Request) -> Term<'_> {
    let fields = |operation: Atom, class: String| {
        Fields::new(env).put(atoms::operation(), operation).put(atoms::class(), class)
    };
    match request {
        Request::RenameClass { class, new_name } => {
            fields(atoms::rename_class(), class).put(atoms::new_name(), new_name)
        }
        Request::RenameMethod { class, side: of, selector, new_selector, accept } => {
            fields(atoms::rename_method(), class)
                .put(atoms::side(), side(of))
                .put(atoms::selector(), selector)
                .put(atoms::new_selector(), new_selector)
                .put(atoms::accept(), accept)
        }
        Request::RemoveMethod { class, side: of, selector } => {
            fields(atoms::remove_method(), class)
                .put(atoms::side(), side(of))
                .put(atoms::selector(), selector)
        }
        Request::RemoveClass { class } => fields(atoms::remove_class(), class),
        Request::PatchMethod { class, side: of, source } => fields(atoms::patch_method(), class)
            .put(atoms::side(), side(of))
            .put(atoms::source(), source),
    }
    .done()
}

fn refused<'a>(env: Env<'a>, refusal: &Refusal) -> Failure<'a> {
    let hint = Some(refusal.hint.as_str()).filter(|hint| !hint.is_empty());
    let details = Fields::new(env)
        .put(atoms::message(), &refusal.message)
        .put(atoms::hint(), or_nil(env, hint))
        .put(atoms::places(), sites(env, &refusal.places))
        .done();
    Failure::with(refusal.code, details)
}

fn plan_term<'a>(env: Env<'a>, plan: &Plan) -> Term<'a> {
    let excluded = plan.excluded.iter().fold(Term::map_new(env), |map, (reason, count)| {
        map.map_put(fixed(env, reason), count).unwrap_or(map)
    });
    let names: Vec<_> =
        plan.names.iter().map(|(old, new)| (atoms::class(), old, new).encode(env)).collect();
    Fields::new(env)
        .put(atoms::operation(), fixed(env, plan.operation.name()))
        .put(atoms::generation(), plan.generation)
        .put(atoms::class(), &plan.class)
        .put(atoms::side(), or_nil(env, plan.side.map(side)))
        .put(atoms::selector(), or_nil(env, plan.selector.as_ref()))
        .put(atoms::new_name(), or_nil(env, plan.new_name.as_ref()))
        .put(atoms::new_selector(), or_nil(env, plan.new_selector.as_ref()))
        .put(atoms::sites(), sites(env, &plan.sites))
        .put(atoms::candidates(), each(env, &plan.candidates, candidate))
        .put(atoms::excluded(), excluded)
        .put(atoms::prose(), prose(env, &plan.prose))
        .put(atoms::not_searched(), &plan.not_searched)
        .put(atoms::warnings(), each(env, &plan.warnings, warning))
        .put(atoms::files(), each(env, &plan.files, plan_file))
        .put(atoms::names(), names)
        .done()
}

fn each<'a, T>(env: Env<'a>, rows: &[T], row: fn(Env<'a>, &T) -> Term<'a>) -> Term<'a> {
    rows.iter().map(|it| row(env, it)).collect::<Vec<_>>().encode(env)
}

fn candidate<'a>(env: Env<'a>, candidate: &Candidate) -> Term<'a> {
    site_fields(env, &candidate.site)
        .put(atoms::evidence(), fixed(env, candidate.evidence.name()))
        .put(atoms::because(), &candidate.because)
        .done()
}

fn prose<'a>(env: Env<'a>, prose: &Prose) -> Term<'a> {
    Fields::new(env)
        .put(atoms::count(), prose.count)
        .put(atoms::files(), prose.files)
        .put(atoms::mentions(), sites(env, &prose.mentions))
        .done()
}

fn warning<'a>(env: Env<'a>, warning: &Warning) -> Term<'a> {
    Fields::new(env).put(atoms::code(), warning.code).put(atoms::message(), &warning.message).done()
}

fn plan_file<'a>(env: Env<'a>, file: &PlanFile) -> Term<'a> {
    let text = file.text.as_ref().map_or(atoms::deleted().encode(env), |text| text.encode(env));
    Fields::new(env)
        .put(atoms::file(), &*file.file)
        .put(atoms::new_file(), or_nil(env, file.new_file.as_ref()))
        .put(atoms::old_digest(), &file.old_digest)
        .put(atoms::text(), text)
        .put(atoms::names_only(), file.names_only)
        .done()
}
