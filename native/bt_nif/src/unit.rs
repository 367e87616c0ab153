//! Parsing, and what a parsed text says about itself.

use crate::atoms;
use crate::encode::{ok, span, Fields};
use crate::guard::{answer, Answer, Failure};
use crate::outline::outline_of;
use crate::places::Places;
use crate::resource::{UnitRef, UnitResource};
use bt_syntax::Unit;
use bt_xref::load::map_all;
use rustler::{Binary, Encoder, Env, ResourceArc, Term};
use std::sync::Arc;

#[rustler::nif(schedule = "DirtyCpu")]
fn parse<'a>(env: Env<'a>, text: Binary<'a>) -> Term<'a> {
    answer(env, || parsed(env, parse_bytes("", text.as_slice())))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn parse_file<'a>(env: Env<'a>, file: &str, text: Binary<'a>) -> Term<'a> {
    answer(env, || parsed(env, parse_bytes(file, text.as_slice())))
}

/// Fewer bytes than this are parsed where the call runs.
const PARALLEL_FROM: usize = 64 << 10;

#[rustler::nif(schedule = "DirtyCpu")]
fn parse_many<'a>(env: Env<'a>, files: Vec<(Term<'a>, Binary<'a>)>) -> Term<'a> {
    answer(env, || {
        let name = |file: &Term<'a>| file.decode::<&str>().unwrap_or("");
        let texts: Vec<_> =
            files.iter().map(|(file, text)| (name(file), text.as_slice())).collect();
        let units = parse_all(&texts);
        let rows: Vec<_> = files
            .iter()
            .zip(units)
            .map(|((file, _), unit)| {
                let result = answer(env, || parsed(env, unit));
                (*file, result).encode(env)
            })
            .collect();
        Ok(rows.encode(env))
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unit_errors(env: Env<'_>, unit: UnitRef) -> Term<'_> {
    answer(env, || Ok(errors_of(env, &unit.0)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unit_incomplete(env: Env<'_>, unit: UnitRef) -> Term<'_> {
    answer(env, || Ok(bt_syntax::is_incomplete(&unit.0).encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn unit_text(env: Env<'_>, unit: UnitRef) -> Term<'_> {
    answer(env, || Ok(unit.0.text().encode(env)))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn outline(env: Env<'_>, unit: UnitRef) -> Term<'_> {
    answer(env, || Ok(outline_of(env, &unit.0)))
}

/// A parsed text, or the offset of its first byte that is not UTF-8.
type Parsed = Result<Unit, usize>;

fn parse_bytes(file: &str, text: &[u8]) -> Parsed {
    bt_syntax::parse_file(file, text).map_err(|error| error.offset)
}

fn parsed<'a>(env: Env<'a>, unit: Parsed) -> Answer<'a> {
    match unit {
        Ok(unit) => Ok(ok(env, ResourceArc::new(UnitResource(Arc::new(unit))))),
        Err(offset) => {
            let message = format!("not UTF-8: the byte at offset {offset} is out of place");
            let details = Fields::new(env)
                .put(atoms::offset(), offset)
                .put(atoms::message(), message.as_str())
                .done();
            Err(Failure::with("text.not_utf8", details))
        }
    }
}

/// Parses texts, in order; on all cores if they are long.
fn parse_all(texts: &[(&str, &[u8])]) -> Vec<Parsed> {
    let parse = |(file, text): &(&str, &[u8])| parse_bytes(file, text);
    let n_bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    if n_bytes < PARALLEL_FROM {
        return texts.iter().map(parse).collect();
    }
    map_all(texts, 1, || (), |(), text| parse(text))
}

fn errors_of<'a>(env: Env<'a>, unit: &Unit) -> Term<'a> {
    let places = Places::new(unit.text());
    let errors: Vec<_> = unit
        .errors()
        .iter()
        .map(|error| {
            let (line, col) = places.line_col(error.span.start().into());
            Fields::new(env)
                .put(atoms::span(), span(error.span))
                .put(atoms::line(), line)
                .put(atoms::col(), col)
                .put(atoms::code(), error.code)
                .put(atoms::message(), error.message.as_str())
                .done()
        })
        .collect();
    errors.encode(env)
}
