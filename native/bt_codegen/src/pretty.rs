//! Forms as Erlang text, for tests and for looking at. Never read back by a program.

use crate::forms::var_name;
use crate::term::Term;
use std::fmt::Write;

/// A module's forms.
pub(crate) fn forms(forms: &Term) -> String {
    let mut out = String::new();
    for form in items(Some(forms)) {
        form_text(form, &mut out);
        out.push('\n');
    }
    out
}

/// A prompt input's statements.
pub(crate) fn statements(statements: &Term) -> String {
    let mut out = String::new();
    for statement in items(Some(statements)) {
        body(items(Some(statement)), 0, &mut out);
        out.push_str(".\n");
    }
    out
}

fn items(term: Option<&Term>) -> &[Term] {
    match term {
        Some(Term::List(items) | Term::Tuple(items)) => items,
        _ => &[],
    }
}

fn tag(term: &Term) -> &str {
    match items(Some(term)).first() {
        Some(Term::Atom(name)) => name,
        _ => "",
    }
}

fn form_text(form: &Term, out: &mut String) {
    let parts = items(Some(form));
    match (tag(form), parts.get(2..)) {
        ("function", Some([name, _, clauses])) => {
            let name = raw(name);
            for (at, clause) in items(Some(clauses)).iter().enumerate() {
                out.push_str(if at > 0 { ";\n" } else { "" });
                out.push_str(&name);
                function_clause(clause, 0, out);
            }
            out.push_str(".\n");
        }
        ("attribute", Some([name, value])) => {
            let _ = writeln!(out, "-{}({}).", raw(name), raw(value));
        }
        _ => out.push_str(&raw(form)),
    }
}

/// A term that is no form.
fn raw(term: &Term) -> String {
    match term {
        Term::Atom(name) => quoted(name),
        Term::Int(value) => value.to_string(),
        Term::Big(bytes) => {
            bytes.iter().rev().fold("16#".to_owned(), |text, byte| format!("{text}{byte:02x}"))
        }
        Term::Float(value) => format!("{value:?}"),
        Term::Bytes(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Term::Tuple(items) => match &items[..] {
            [Term::Atom(name), Term::Int(arity)] => format!("{}/{arity}", quoted(name)),
            _ => format!("{{{}}}", joined(items)),
        },
        Term::List(items) => format!("[{}]", joined(items)),
        Term::AtomForm(_, name) => quoted(name),
        Term::VarForm(_, number) => var_name(*number),
        Term::AnyForm(_) => "_".to_owned(),
        Term::IntForm(_, value) => value.to_string(),
        Term::GenerationForm(_) => "'$gen'".to_owned(),
        Term::NilForm(_) => "[]".to_owned(),
        Term::RemoteForm(_, module, function, args) => {
            format!("{}:{}({})", quoted(module), quoted(function), joined(args))
        }
    }
}

fn joined(items: &[Term]) -> String {
    items.iter().map(raw).collect::<Vec<_>>().join(",")
}

fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '@');
    if plain {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn newline(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("    ", depth));
}

fn body(exprs: &[Term], depth: usize, out: &mut String) {
    for (at, item) in exprs.iter().enumerate() {
        if at > 0 {
            out.push(',');
            newline(depth, out);
        }
        expr(item, depth, out);
    }
}

fn list(exprs: &[Term], depth: usize, out: &mut String) {
    for (at, item) in exprs.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        expr(item, depth, out);
    }
}

/// `(Patterns) when Guard -> Body`.
fn function_clause(clause: &Term, depth: usize, out: &mut String) {
    out.push('(');
    list(items(items(Some(clause)).get(2)), depth, out);
    out.push(')');
    clause_rest(clause, depth, out);
}

/// `Pattern when Guard -> Body`.
fn case_clause(clause: &Term, depth: usize, out: &mut String) {
    list(items(items(Some(clause)).get(2)), depth, out);
    clause_rest(clause, depth, out);
}

fn clause_rest(clause: &Term, depth: usize, out: &mut String) {
    let parts = items(Some(clause));
    if let Some(guard) = items(parts.get(3)).first() {
        out.push_str(" when ");
        list(items(Some(guard)), depth, out);
    }
    out.push_str(" ->");
    newline(depth + 1, out);
    body(items(parts.get(4)), depth + 1, out);
}

fn clauses(clauses: &[Term], depth: usize, out: &mut String) {
    for (at, clause) in clauses.iter().enumerate() {
        out.push_str(if at > 0 { ";" } else { "" });
        newline(depth + 1, out);
        case_clause(clause, depth + 1, out);
    }
    newline(depth, out);
    out.push_str("end");
}

fn if_clauses(clauses: &[Term], depth: usize, out: &mut String) {
    for (at, clause) in clauses.iter().enumerate() {
        out.push_str(if at > 0 { "; " } else { " " });
        let parts = items(Some(clause));
        let guard = items(parts.get(3)).first();
        list(items(guard), depth, out);
        out.push_str(" -> ");
        body(items(parts.get(4)), depth, out);
    }
    out.push_str(" end");
}

fn expr(form: &Term, depth: usize, out: &mut String) {
    if let Term::RemoteForm(_, module, function, args) = form {
        let _ = write!(out, "{}:{}(", quoted(module), quoted(function));
        list(args, depth, out);
        return out.push(')');
    }
    let parts = items(Some(form));
    let rest = parts.get(2..).unwrap_or(&[]);
    match (tag(form), rest) {
        ("integer" | "float", [value]) => out.push_str(&raw(value)),
        ("string", [value]) => out.push_str(&raw(value)),
        ("cons", _) => cons(form, depth, out),
        ("tuple", [elements]) => {
            out.push('{');
            list(items(Some(elements)), depth, out);
            out.push('}');
        }
        ("bin", [elements]) => {
            out.push_str("<<");
            list(items(Some(elements)), depth, out);
            out.push_str(">>");
        }
        ("bin_element", [value, size, types]) => bin_element(value, size, types, depth, out),
        ("map", [fields]) => map(None, fields, depth, out),
        ("map", [base, fields]) => map(Some(base), fields, depth, out),
        ("map_field_assoc", [key, value]) => infix(key, "=>", value, depth, out),
        ("map_field_exact", [key, value]) => infix(key, ":=", value, depth, out),
        ("match", [pattern, value]) => infix(pattern, "=", value, depth, out),
        ("op", [Term::Atom(name), value]) => {
            let _ = write!(out, "{name}{}", if name == "not" { " " } else { "" });
            expr(value, depth, out);
        }
        ("op", [Term::Atom(name), left, right]) => {
            out.push('(');
            infix(left, name, right, depth, out);
            out.push(')');
        }
        ("call", [function, args]) => call(function, args, depth, out),
        ("remote", [module, function]) => {
            expr(module, depth, out);
            out.push(':');
            expr(function, depth, out);
        }
        ("case", [subject, arms]) => {
            out.push_str("case ");
            expr(subject, depth, out);
            out.push_str(" of");
            clauses(items(Some(arms)), depth, out);
        }
        ("if", [arms]) => {
            out.push_str("if");
            if_clauses(items(Some(arms)), depth, out);
        }
        ("try", [tried, _, caught, after]) => try_text(tried, caught, after, depth, out),
        ("fun", [Term::Tuple(shape)]) => {
            out.push_str("fun");
            funs(items(shape.get(1)), "", depth, out);
        }
        ("named_fun", [Term::Atom(name), arms]) => {
            let _ = write!(out, "fun {name}");
            funs(items(Some(arms)), name, depth, out);
        }
        _ => out.push_str(&raw(form)),
    }
}

fn infix(left: &Term, operator: &str, right: &Term, depth: usize, out: &mut String) {
    expr(left, depth, out);
    let _ = write!(out, " {operator} ");
    expr(right, depth, out);
}

fn cons(form: &Term, depth: usize, out: &mut String) {
    out.push('[');
    let mut rest = form;
    let mut first = true;
    while let ("cons", Some([item, tail])) = (tag(rest), items(Some(rest)).get(2..)) {
        out.push_str(if first { "" } else { ", " });
        first = false;
        expr(item, depth, out);
        rest = tail;
    }
    if !matches!(rest, Term::NilForm(_)) {
        out.push_str(" | ");
        expr(rest, depth, out);
    }
    out.push(']');
}

fn bin_element(value: &Term, size: &Term, types: &Term, depth: usize, out: &mut String) {
    expr(value, depth, out);
    if *size != Term::atom("default") {
        out.push(':');
        expr(size, depth, out);
    }
    if let Term::List(types) = types {
        out.push('/');
        out.push_str(&types.iter().map(raw).collect::<Vec<_>>().join("-"));
    }
}

fn map(base: Option<&Term>, fields: &Term, depth: usize, out: &mut String) {
    if let Some(base) = base {
        out.push('(');
        expr(base, depth, out);
        out.push(')');
    }
    out.push_str("#{");
    list(items(Some(fields)), depth, out);
    out.push('}');
}

fn call(function: &Term, args: &Term, depth: usize, out: &mut String) {
    let is_fun = matches!(tag(function), "fun" | "named_fun");
    out.push_str(if is_fun { "(" } else { "" });
    expr(function, depth, out);
    out.push_str(if is_fun { ")(" } else { "(" });
    list(items(Some(args)), depth, out);
    out.push(')');
}

fn funs(arms: &[Term], name: &str, depth: usize, out: &mut String) {
    for (at, clause) in arms.iter().enumerate() {
        out.push_str(if at > 0 { ";" } else { "" });
        out.push_str(if at > 0 { name } else { "" });
        function_clause(clause, depth, out);
    }
    newline(depth, out);
    out.push_str("end");
}

fn try_text(tried: &Term, caught: &Term, after: &Term, depth: usize, out: &mut String) {
    out.push_str("try");
    newline(depth + 1, out);
    body(items(Some(tried)), depth + 1, out);
    newline(depth, out);
    out.push_str("catch");
    for (at, clause) in items(Some(caught)).iter().enumerate() {
        out.push_str(if at > 0 { ";" } else { "" });
        newline(depth + 1, out);
        case_clause(clause, depth + 1, out);
    }
    newline(depth, out);
    if !items(Some(after)).is_empty() {
        out.push_str("after");
        newline(depth + 1, out);
        body(items(Some(after)), depth + 1, out);
        newline(depth, out);
    }
    out.push_str("end");
}
