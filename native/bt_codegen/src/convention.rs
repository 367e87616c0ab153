//! How messages and their arguments are handed over (docs/conventions.md): dispatchers, blocks and
//! those who call them agree here.

use crate::forms::{self, Line};
use crate::term::Term;
use bt_syntax::Side;

/// So many places have dispatchers and blocks for arguments; more arguments than that come as a
/// list in the first.
const PLACES: usize = 3;

/// What stands before the arguments: selector, generation, receiver.
const HEAD: usize = 3;

/// Arity of the dispatchers.
pub(crate) const DISPATCHER: usize = HEAD + PLACES;

/// Arity of the function of the blocks: id and environment stand first.
pub(crate) const BLOCKS: usize = 2 + PLACES;

/// Arguments, or their patterns, in their places; `filler` in those that stay free.
pub(crate) fn places(line: Line, args: Vec<Term>, filler: &Term) -> Vec<Term> {
    let mut args = match args.len() {
        0..=PLACES => args,
        _ => vec![forms::list(line, args, None)],
    };
    args.resize(PLACES, filler.clone());
    args
}

/// A send of the runtime's: it has functions for as many arguments as there are places.
pub(crate) fn send(line: Line, selector: &str, receiver: Term, args: Vec<Term>) -> Term {
    let mut call = vec![forms::name(line, selector), forms::generation(line), receiver];
    if args.len() <= PLACES {
        call.extend(args);
        return forms::remote(line, "bte_send", "send", call);
    }
    call.push(forms::list(line, args, None));
    forms::remote(line, "bte_send", "send_n", call)
}

/// A call of the dispatcher above a class, or of what stands behind a root; `call` has the six
/// arguments.
pub(crate) fn above(line: Line, superclass: Option<&str>, side: Side, call: Vec<Term>) -> Term {
    let (module, function) = match (superclass, side) {
        (Some(module), _) => (module, letter(side)),
        (None, Side::Class) => ("bt@stdlib@class", "i"),
        (None, Side::Instance) => ("bte_send", "miss"),
    };
    forms::call_remote(line, forms::name(line, module), forms::atom(line, function), call)
}

/// The clause of the class side by which a class tells something of itself, whatever the rest of
/// the call: its selector is one that no text can hold.
pub(crate) fn told(what: &str, code: Vec<Term>) -> Term {
    let mut patterns = vec![forms::name(1, what)];
    patterns.resize(DISPATCHER, forms::wildcard(1));
    forms::clause(1, patterns, Vec::new(), code)
}

/// The question to a class that such a clause answers.
pub(crate) fn ask(class: &str, what: &str) -> Term {
    let mut call = vec![forms::name(1, what)];
    call.resize(DISPATCHER, forms::nil(1));
    above(1, Some(class), Side::Class, call)
}

/// The name of a side's dispatcher.
pub(crate) const fn letter(side: Side) -> &'static str {
    match side {
        Side::Instance => "i",
        Side::Class => "c",
    }
}
