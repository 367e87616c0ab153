//! The resolved tree to abstract forms: one [`FnGen`] for each body.
//!
//! An expression answers a form that its user places next; what must have happened before goes to
//! the
//! sequence (`seq`). So evaluation keeps the order of the text although assignments may stand
//! anywhere.
//! Locals are renamed at each assignment; where branches or loops meet, the new values come out in
//! a
//! tuple. Locals that a block shares live in cells.

mod body;
mod control;
mod expr;
mod matching;
mod pattern;
mod prompt;

pub(crate) use expr::{number_function, question_function};

use crate::forms::{self, Line};
use crate::hir::{Body, Var, VarId, HOME, SELF};
use crate::term::Term;
use bt_syntax::Side;
use std::collections::BTreeSet;

/// Where the code is to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The class's module; `None` at the prompt.
    pub(crate) module: Option<&'a str>,
    pub(crate) superclass: Option<&'a str>,
}

/// The functions that bodies need beside themselves.
#[derive(Default)]
pub(crate) struct Emitted {
    /// Loops.
    pub(crate) functions: Vec<Term>,
    /// Clauses of blocks.
    pub(crate) blocks: Vec<Term>,
    /// Operators that are called, not in line: selector and Erlang's name.
    pub(crate) operators: BTreeSet<(&'static str, &'static str)>,
    /// Comparisons that conditionals ask by a call.
    pub(crate) questions: BTreeSet<(&'static str, &'static str)>,
}

/// Generates one body.
pub(crate) struct FnGen<'a> {
    target: Target<'a>,
    side: Side,
    /// Prefix of the names of loop functions.
    label: &'a str,
    vars: &'a [Var],
    block_ids: &'a [u64],
    /// For each variable the Erlang variable that holds it (or its cell) now; 0 for none.
    env: Vec<u32>,
    next: u32,
    n_loops: u32,
    /// Within a real block.
    in_block: bool,
    /// Within a loop in line.
    in_loop: bool,
    /// There is a method to return from.
    has_home: bool,
    /// A `^` leaves the method from a place that is not its end.
    leaves: bool,
    /// Cells to be freed when the running body ends.
    live: Vec<VarId>,
    out: &'a mut Emitted,
}

/// Whether the value of an expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Value,
    Effect,
}

impl<'a> FnGen<'a> {
    pub(crate) fn new(
        target: Target<'a>,
        side: Side,
        label: &'a str,
        body: &'a Body,
        block_ids: &'a [u64],
        out: &'a mut Emitted,
    ) -> Self {
        Self {
            target,
            side,
            label,
            vars: &body.vars,
            block_ids,
            env: vec![0; body.vars.len()],
            next: 0,
            n_loops: 0,
            in_block: false,
            in_loop: false,
            has_home: false,
            leaves: false,
            live: Vec::new(),
            out,
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// The Erlang variable of a variable; 0 for none.
    fn at(&self, var: VarId) -> u32 {
        self.env.get(var).copied().unwrap_or(0)
    }

    fn set(&mut self, var: VarId, number: u32) {
        if let Some(place) = self.env.get_mut(var) {
            *place = number;
        }
    }

    /// Gives a variable a new Erlang variable.
    fn rename(&mut self, var: VarId) -> u32 {
        let number = self.fresh();
        self.set(var, number);
        number
    }

    pub(crate) fn is_cell(&self, var: VarId) -> bool {
        self.vars.get(var).is_some_and(Var::is_cell)
    }

    fn escapes(&self, var: VarId) -> bool {
        self.vars.get(var).is_none_or(|data| data.escapes)
    }

    fn receiver(&self, line: Line) -> Term {
        forms::var(line, self.at(SELF))
    }

    /// The body of a method: the receiver, the parameters and the statements.
    pub(crate) fn method(mut self, body: &Body) -> (Vec<Term>, Vec<Term>) {
        self.has_home = true;
        let line = body.line;
        let mut params = vec![forms::var(line, self.rename(SELF))];
        for param in &body.params {
            params.push(forms::var(line, self.rename(*param)));
        }
        let from_block = self.vars.get(HOME).is_some_and(|home| home.first_capture.is_some());
        let home = if from_block { self.rename(HOME) } else { 0 };
        let mut seq = Vec::new();
        self.tail(&body.stmts, None, &mut seq);
        (params, self.with_returns(line, home, seq))
    }

    /// Catches what `^` throws, where a `^` throws at all.
    fn with_returns(&mut self, line: Line, home: u32, body: Vec<Term>) -> Vec<Term> {
        let mut catch = Vec::new();
        if home > 0 {
            let value = self.fresh();
            let tag = forms::atom(line, "$return");
            let thrown = vec![tag, forms::var(line, home), forms::var(line, value)];
            catch.push(self.catch_clause(line, thrown, value));
        }
        if self.leaves {
            let value = self.fresh();
            let thrown = vec![forms::atom(line, "$leave"), forms::var(line, value)];
            catch.push(self.catch_clause(line, thrown, value));
        }
        if catch.is_empty() {
            return body;
        }
        if home == 0 {
            return vec![forms::try_catch(line, body, catch, Vec::new())];
        }
        let leave = forms::remote(line, "bte_return", "leave", vec![forms::var(line, home)]);
        let enter = forms::remote(line, "bte_return", "enter", Vec::new());
        vec![
            forms::bind(line, forms::var(line, home), enter),
            forms::try_catch(line, body, catch, vec![leave]),
        ]
    }

    fn catch_clause(&self, line: Line, thrown: Vec<Term>, value: u32) -> Term {
        let pattern = forms::thrown(line, forms::tuple(line, thrown));
        forms::clause(line, vec![pattern], Vec::new(), vec![forms::var(line, value)])
    }

    /// The value of a field's default, with what must happen before.
    pub(crate) fn default_value(mut self, body: &Body, first: u32) -> (Vec<Term>, u32, u32) {
        self.next = first;
        let mut seq = Vec::new();
        let value = self.statements_value(&body.stmts, body.line, &mut seq);
        let number = self.fresh();
        seq.push(forms::bind(body.line, forms::var(body.line, number), value));
        (seq, number, self.next)
    }
}
