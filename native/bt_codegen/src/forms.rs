//! Constructors of Erlang's abstract format. Every one takes the line first.

use crate::term::Term;
use std::borrow::Cow;

/// A line of a unit's text, from 1.
pub(crate) type Line = u32;

fn node<const N: usize>(tag: &'static str, line: Line, rest: [Term; N]) -> Term {
    let mut items = Vec::with_capacity(N + 2);
    items.push(Term::atom(tag));
    items.push(Term::Int(i64::from(line)));
    items.extend(rest);
    Term::Tuple(items)
}

/// `'name'`, known to the generator.
pub(crate) fn atom(line: Line, name: &'static str) -> Term {
    Term::AtomForm(line, Cow::Borrowed(name))
}

/// `'name'`, from the program.
pub(crate) fn name(line: Line, name: &str) -> Term {
    Term::AtomForm(line, Cow::Owned(name.to_owned()))
}

/// A generated variable.
pub(crate) fn var(line: Line, number: u32) -> Term {
    Term::VarForm(line, number)
}

/// The name of a generated variable.
pub(crate) fn var_name(number: u32) -> String {
    format!("V{number}")
}

/// `_`.
pub(crate) fn wildcard(line: Line) -> Term {
    Term::AnyForm(line)
}

/// An integer.
pub(crate) fn int(line: Line, value: i64) -> Term {
    if value < 0 && value != i64::MIN {
        return node("op", line, [Term::atom("-"), int(line, -value)]);
    }
    Term::IntForm(line, value)
}

/// The generation the code is compiled in.
pub(crate) fn generation(line: Line) -> Term {
    Term::GenerationForm(line)
}

/// A non-negative integer of any size.
pub(crate) fn big(line: Line, bytes: Vec<u8>) -> Term {
    node("integer", line, [Term::Big(bytes)])
}

/// A float.
pub(crate) fn float(line: Line, value: f64) -> Term {
    if value.is_sign_negative() {
        return node("op", line, [Term::atom("-"), float(line, -value)]);
    }
    node("float", line, [Term::Float(value)])
}

/// `-X`, for literals.
pub(crate) fn negative(line: Line, value: Term) -> Term {
    node("op", line, [Term::atom("-"), value])
}

/// `<<"text"/utf8>>`, its bytes written out.
pub(crate) fn binary(line: Line, bytes: &[u8]) -> Term {
    if bytes.is_empty() {
        return node("bin", line, [Term::List(Vec::new())]);
    }
    let string = node("string", line, [Term::Bytes(bytes.to_vec())]);
    let (default, size) = (Term::atom("default"), Term::atom("default"));
    let element = node("bin_element", line, [string, size, default]);
    node("bin", line, [Term::List(vec![element])])
}

/// `<<…>>`.
pub(crate) fn bin(line: Line, elements: Vec<Term>) -> Term {
    node("bin", line, [Term::List(elements)])
}

/// One segment of `<<…>>`.
pub(crate) fn bin_element(line: Line, value: Term, size: Option<Term>, types: Vec<Term>) -> Term {
    let types = if types.is_empty() { Term::atom("default") } else { Term::List(types) };
    node("bin_element", line, [value, size.unwrap_or(Term::atom("default")), types])
}

/// `{…}`.
pub(crate) fn tuple(line: Line, items: Vec<Term>) -> Term {
    node("tuple", line, [Term::List(items)])
}

/// `[… | Tail]`.
pub(crate) fn list(line: Line, items: Vec<Term>, tail: Option<Term>) -> Term {
    let end = tail.unwrap_or(nil(line));
    items.into_iter().rev().fold(end, |rest, item| node("cons", line, [item, rest]))
}

/// `[]`.
pub(crate) fn nil(line: Line) -> Term {
    Term::NilForm(line)
}

/// `#{K => V, …}` with `=>`.
pub(crate) fn map(line: Line, entries: Vec<(Term, Term)>) -> Term {
    node("map", line, [fields("map_field_assoc", line, entries)])
}

/// `Map#{K => V, …}`.
pub(crate) fn map_put(line: Line, base: Term, entries: Vec<(Term, Term)>) -> Term {
    node("map", line, [base, fields("map_field_assoc", line, entries)])
}

/// `Map#{K := V, …}`.
pub(crate) fn map_update(line: Line, base: Term, entries: Vec<(Term, Term)>) -> Term {
    node("map", line, [base, fields("map_field_exact", line, entries)])
}

/// `#{K := V, …}`, a pattern.
pub(crate) fn map_pattern(line: Line, entries: Vec<(Term, Term)>) -> Term {
    node("map", line, [fields("map_field_exact", line, entries)])
}

fn fields(tag: &'static str, line: Line, entries: Vec<(Term, Term)>) -> Term {
    Term::List(entries.into_iter().map(|(key, value)| node(tag, line, [key, value])).collect())
}

/// `Module:Function(…)` of the runtime.
pub(crate) fn remote(
    line: Line,
    module: &'static str,
    function: &'static str,
    args: Vec<Term>,
) -> Term {
    Term::RemoteForm(line, module, function, args)
}

/// `erlang:Function(…)`.
pub(crate) fn bif(line: Line, function: &'static str, args: Vec<Term>) -> Term {
    remote(line, "erlang", function, args)
}

/// `M:F(…)`.
pub(crate) fn call_remote(line: Line, module: Term, function: Term, args: Vec<Term>) -> Term {
    call(line, node("remote", line, [module, function]), args)
}

/// `F(…)`, a function of the module or an expression.
pub(crate) fn call(line: Line, function: Term, args: Vec<Term>) -> Term {
    node("call", line, [function, Term::List(args)])
}

/// `Pattern = Value`.
pub(crate) fn bind(line: Line, pattern: Term, value: Term) -> Term {
    node("match", line, [pattern, value])
}

/// `Left Op Right`.
pub(crate) fn op(line: Line, operator: &'static str, left: Term, right: Term) -> Term {
    node("op", line, [Term::atom(operator), left, right])
}

/// `not Test`.
pub(crate) fn negate(line: Line, test: Term) -> Term {
    node("op", line, [Term::atom("not"), test])
}

/// A clause with at most one guard (a conjunction).
pub(crate) fn clause(line: Line, patterns: Vec<Term>, tests: Vec<Term>, body: Vec<Term>) -> Term {
    let guard = if tests.is_empty() { Vec::new() } else { vec![Term::List(tests)] };
    node("clause", line, [Term::List(patterns), Term::List(guard), Term::List(body)])
}

/// `case Subject of … end`.
pub(crate) fn case(line: Line, subject: Term, clauses: Vec<Term>) -> Term {
    node("case", line, [subject, Term::List(clauses)])
}

/// `if Test -> Yes; true -> No end`, one in the other for several tests: what asks one thing at a
/// time needs no pass of the compiler that takes conjunctions apart.
pub(crate) fn when(line: Line, tests: Vec<Term>, yes: Term, no: &Term) -> Term {
    let inner_first = tests.into_iter().rev();
    inner_first.fold(yes, |yes, test| choose(line, test, vec![yes], vec![no.clone()]))
}

/// The same for one test, with bodies.
pub(crate) fn choose(line: Line, test: Term, yes: Vec<Term>, no: Vec<Term>) -> Term {
    let yes = clause(line, Vec::new(), vec![test], yes);
    let no = clause(line, Vec::new(), vec![atom(line, "true")], no);
    node("if", line, [Term::List(vec![yes, no])])
}

/// `try Body catch Clauses after After end`.
pub(crate) fn try_catch(line: Line, body: Vec<Term>, catch: Vec<Term>, after: Vec<Term>) -> Term {
    let of = Term::List(Vec::new());
    node("try", line, [Term::List(body), of, Term::List(catch), Term::List(after)])
}

/// The pattern `throw:Pattern:_` of a catch clause.
pub(crate) fn thrown(line: Line, pattern: Term) -> Term {
    tuple(line, vec![atom(line, "throw"), pattern, wildcard(line)])
}

/// `fun (…) -> … end`; only for the prompt.
pub(crate) fn lambda(line: Line, clauses: Vec<Term>) -> Term {
    node("fun", line, [Term::Tuple(vec![Term::atom("clauses"), Term::List(clauses)])])
}

/// `fun Name(…) -> … end`; only for the prompt.
pub(crate) fn named_fun(line: Line, number: u32, clauses: Vec<Term>) -> Term {
    let name = Term::Atom(var_name(number).into());
    node("named_fun", line, [name, Term::List(clauses)])
}

/// A function of the module.
pub(crate) fn function(line: Line, name: &str, arity: usize, clauses: Vec<Term>) -> Term {
    let arity = Term::Int(arity as i64);
    node("function", line, [Term::name(name), arity, Term::List(clauses)])
}

/// `-Attribute(Value).`
pub(crate) fn attribute(name: &'static str, value: Term) -> Term {
    node("attribute", 1, [Term::atom(name), value])
}
