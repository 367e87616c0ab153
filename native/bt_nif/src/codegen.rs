//! Compiling classes and prompt input.

use crate::atoms;
use crate::decode::{field, field_or, side, side_field, wrong};
use crate::encode::{ok, or_nil, side as side_atom, span, Fields};
use crate::guard::{answer, on_large_stack, Answer, Failure};
use crate::resource::UnitRef;
use bt_codegen::{
    compile_class, compile_prompt, BlockIds, ClassInput, ClassKind, ClassOutput, Diagnostic, Drain,
    ExtensionInput, Names, PromptInput, PromptOutput, QualifiedName, Resolved,
};
use bt_refactor::digest::sha256_of_bytes;
use bt_syntax::{Side, TextRange, TextSize};
use rustler::{Atom, Binary, Encoder, Env, MapIterator, NewBinary, Term};
use std::collections::BTreeMap;

#[rustler::nif(schedule = "DirtyCpu")]
fn codegen_class<'a>(env: Env<'a>, unit: UnitRef, options: Term<'a>) -> Term<'a> {
    answer(env, || class(env, &unit, options))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn codegen_prompt<'a>(env: Env<'a>, unit: UnitRef, options: Term<'a>) -> Term<'a> {
    answer(env, || prompt(env, &unit, options))
}

fn class<'a>(env: Env<'a>, unit: &UnitRef, options: Term<'a>) -> Answer<'a> {
    let extensions = extensions(options)?;
    let inputs: Vec<_> = extensions
        .iter()
        .map(|(unit, file, span)| ExtensionInput { unit: &unit.0, file, span: *span })
        .collect();
    let (names, block_ids, drains) = (names(options)?, block_ids(options)?, drains(options)?);
    let fields: Vec<String> = field(options, atoms::fields())?;
    let class_fields: Vec<String> = field(options, atoms::class_fields())?;
    let input = ClassInput {
        unit: &unit.0,
        file: field_or(options, atoms::file(), "")?,
        class: field(options, atoms::class())?,
        identity: field(options, atoms::identity())?,
        superclass: field(options, atoms::superclass())?,
        kind: kind(options)?,
        class_state: field(options, atoms::class_state())?,
        fields: &fields,
        class_fields: &class_fields,
        names: &names,
        extensions: &inputs,
        block_ids: &block_ids,
        drains: &drains,
        stdlib: field_or(options, atoms::stdlib(), false)?,
    };
    let generation = field(options, atoms::generation())?;
    match on_large_stack(|| compile_class(&input)) {
        Ok(output) => Ok(ok(env, class_output(env, output, generation))),
        Err(errors) => Err(failed(env, &errors)),
    }
}

fn prompt<'a>(env: Env<'a>, unit: &UnitRef, options: Term<'a>) -> Answer<'a> {
    let names = names(options)?;
    let bindings: Vec<String> = field(options, atoms::bindings())?;
    let cells: Vec<String> = field_or(options, atoms::cells(), Vec::new())?;
    let input = PromptInput {
        unit: &unit.0,
        file: field_or(options, atoms::file(), "")?,
        names: &names,
        bindings: &bindings,
        cells: &cells,
        generation: field(options, atoms::generation())?,
    };
    match on_large_stack(|| compile_prompt(&input)) {
        Ok(output) => Ok(ok(env, prompt_output(env, &output))),
        Err(errors) => Err(failed(env, &errors)),
    }
}

// ---- decode

fn kind(options: Term<'_>) -> Result<ClassKind, Failure<'_>> {
    let kind: Atom = field(options, atoms::kind())?;
    if kind == atoms::object() {
        Ok(ClassKind::Object)
    } else if kind == atoms::value() {
        Ok(ClassKind::Value)
    } else if kind == atoms::actor() {
        Ok(ClassKind::Actor)
    } else {
        Err(wrong(options, atoms::kind()))
    }
}

/// `#{Name | {Package, Name} => {class | singleton, Identity}}`.
fn names(options: Term<'_>) -> Result<Names, Failure<'_>> {
    let map: Term<'_> = field(options, atoms::names())?;
    let bad = || wrong(options, atoms::names());
    let mut names = Names::default();
    for (key, value) in MapIterator::new(map).ok_or_else(bad)? {
        let (tag, identity): (Atom, String) = value.decode().map_err(|_| bad())?;
        let resolved = if tag == atoms::class() {
            Resolved::Class(identity)
        } else if tag == atoms::singleton() {
            Resolved::Singleton(identity)
        } else {
            return Err(bad());
        };
        if let Ok(name) = key.decode::<&str>() {
            names.insert(None, name, resolved);
        } else {
            let (package, name): (&str, &str) = key.decode().map_err(|_| bad())?;
            names.insert(Some(package), name, resolved);
        }
    }
    Ok(names)
}

type Extension<'a> = (UnitRef, &'a str, TextRange);

/// `[{Unit, File, {Start, End}}]`.
fn extensions(options: Term<'_>) -> Result<Vec<Extension<'_>>, Failure<'_>> {
    let rows: Vec<(UnitRef, &str, (u32, u32))> =
        field_or(options, atoms::extensions(), Vec::new())?;
    let range = |(start, end): (u32, u32)| {
        TextRange::new(TextSize::new(start), TextSize::new(end.max(start)))
    };
    Ok(rows.into_iter().map(|(unit, file, span)| (unit, file, range(span))).collect())
}

/// `#{next, methods := #{{Side, Selector} => [Id]}}`.
fn block_ids(options: Term<'_>) -> Result<BlockIds, Failure<'_>> {
    let Ok(ids) = options.map_get(atoms::block_ids()) else { return Ok(BlockIds::default()) };
    let bad = || wrong(options, atoms::block_ids());
    let map: Term<'_> = field(ids, atoms::methods())?;
    let mut methods = BTreeMap::new();
    for (key, value) in MapIterator::new(map).ok_or_else(bad)? {
        let (of, selector): (Atom, String) = key.decode().map_err(|_| bad())?;
        let of = side(of).ok_or_else(bad)?;
        methods.insert((of, selector), value.decode().map_err(|_| bad())?);
    }
    Ok(BlockIds { next: field(ids, atoms::next())?, methods })
}

/// `[#{side, old, new, generation, row}]`.
fn drains(options: Term<'_>) -> Result<Vec<Drain>, Failure<'_>> {
    let rows: Vec<Term<'_>> = field_or(options, atoms::drains(), Vec::new())?;
    rows.into_iter()
        .map(|row| {
            Ok(Drain {
                side: side_field(row)?,
                old: field(row, atoms::old())?,
                new: field(row, atoms::new())?,
                generation: field(row, atoms::generation())?,
                row: field(row, atoms::row())?,
            })
        })
        .collect()
}

// ---- encode

fn class_output(env: Env<'_>, output: ClassOutput, generation: u64) -> Term<'_> {
    let digest = sha256_of_bytes(output.forms.without_generation());
    let selectors = Fields::new(env)
        .put(atoms::instance(), &output.instance_selectors)
        .put(atoms::class(), &output.class_selectors)
        .done();
    Fields::new(env)
        .put(atoms::digest(), digest)
        .put(atoms::forms(), binary(env, &output.forms.in_generation(generation)))
        .put(atoms::block_ids(), block_ids_term(env, &output.block_ids))
        .put(atoms::late(), late(env, &output.late))
        .put(atoms::selectors(), selectors)
        .put(atoms::warnings(), diagnostics(env, &output.warnings))
        .done()
}

fn prompt_output<'a>(env: Env<'a>, output: &PromptOutput) -> Term<'a> {
    Fields::new(env)
        .put(atoms::exprs(), binary(env, &output.exprs))
        .put(atoms::variables(), &output.variables)
        .put(atoms::assigned(), &output.assigned)
        .put(atoms::cells(), &output.cells)
        .put(atoms::late(), late(env, &output.late))
        .put(atoms::warnings(), diagnostics(env, &output.warnings))
        .done()
}

fn binary<'a>(env: Env<'a>, bytes: &[u8]) -> Term<'a> {
    Binary::from(NewBinary::from_slice(env, bytes)).to_term(env)
}

fn block_ids_term<'a>(env: Env<'a>, ids: &BlockIds) -> Term<'a> {
    let methods = ids.methods.iter().fold(Term::map_new(env), |map, ((of, selector), ids)| {
        let of: Side = *of;
        map.map_put((side_atom(of), selector), ids).unwrap_or(map)
    });
    Fields::new(env).put(atoms::next(), ids.next).put(atoms::methods(), methods).done()
}

fn late<'a>(env: Env<'a>, names: &[QualifiedName]) -> Term<'a> {
    let row = |name: &QualifiedName| match &name.package {
        Some(package) => (package, &name.name).encode(env),
        None => name.name.encode(env),
    };
    names.iter().map(row).collect::<Vec<_>>().encode(env)
}

fn failed<'a>(env: Env<'a>, errors: &[Diagnostic]) -> Failure<'a> {
    let message = match errors.first() {
        Some(first) => format!("{first}"),
        None => String::from("the code could not be generated"),
    };
    let details = Fields::new(env)
        .put(atoms::message(), message)
        .put(atoms::errors(), diagnostics(env, errors))
        .done();
    Failure::with("compile.failed", details)
}

fn diagnostics<'a>(env: Env<'a>, all: &[Diagnostic]) -> Term<'a> {
    let row = |it: &Diagnostic| {
        Fields::new(env)
            .put(atoms::file(), &it.file)
            .put(atoms::span(), span(it.span))
            .put(atoms::line(), it.line)
            .put(atoms::col(), it.col)
            .put(atoms::code(), it.code)
            .put(atoms::message(), &it.message)
            .put(atoms::hint(), or_nil(env, it.hint.as_ref()))
            .done()
    };
    all.iter().map(row).collect::<Vec<_>>().encode(env)
}
