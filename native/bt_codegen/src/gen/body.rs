//! Lists of statements: with their last value at the end of a function, as a value, or for effect.

use super::{FnGen, Want};
use crate::forms::{self, Line};
use crate::hir::{Assign, Branch, Cond, Expr, Kind, Match, Question, VarId};
use crate::term::Term;

/// What is still to do after a list of statements.
pub(super) struct Rest<'r> {
    stmts: &'r [Expr],
    next: Option<&'r Rest<'r>>,
}

/// A branch of a conditional, before the branches meet.
pub(super) struct Outcome {
    pub(super) seq: Vec<Term>,
    pub(super) value: Term,
    env: Vec<u32>,
    diverges: bool,
}

impl FnGen<'_> {
    /// Statements at the end of a function: the value of the last one is the function's, and a `^`
    /// needs no throw.
    pub(super) fn tail(&mut self, stmts: &[Expr], rest: Option<&Rest<'_>>, seq: &mut Vec<Term>) {
        for (at, stmt) in stmts.iter().enumerate() {
            let after = stmts.get(at + 1..).unwrap_or(&[]);
            let is_last = after.is_empty() && rest.is_none();
            let todo = Rest { stmts: after, next: rest };
            let rest = if is_last { None } else { Some(&todo) };
            match &stmt.kind {
                Kind::Return(value) => return self.tail_return(value, seq),
                Kind::Seq(inner) => return self.tail(inner, rest, seq),
                Kind::Cond(cond) if is_last || cond_goes_on_once(cond) => {
                    return self.tail_cond(stmt.line, cond, rest, seq);
                }
                Kind::Match(found) if is_last || match_goes_on_once(found) => {
                    return self.tail_match(stmt.line, found, rest, seq);
                }
                _ if is_last => {
                    let value = self.expr(stmt, seq);
                    return self.end(stmt.line, value, seq);
                }
                _ => self.effect(stmt, seq),
            }
        }
        match rest {
            Some(rest) => self.tail(rest.stmts, rest.next, seq),
            None => seq.push(forms::atom(1, "nil")),
        }
    }

    fn tail_return(&mut self, value: &Expr, seq: &mut Vec<Term>) {
        if self.in_block || !self.has_home {
            let returned = self.return_expr(value.line, value, seq);
            seq.push(returned);
        } else {
            self.tail(std::slice::from_ref(value), None, seq);
        }
    }

    /// Ends a function with a value; cells that nothing else has are freed before.
    fn end(&mut self, line: Line, value: Term, seq: &mut Vec<Term>) {
        let cells = self.live.clone();
        seq.push(self.freeing(line, value, &cells));
    }

    fn freeing(&self, line: Line, value: Term, cells: &[VarId]) -> Term {
        let mut cells: Vec<_> = cells.iter().map(|cell| forms::var(line, self.at(*cell))).collect();
        let (function, args) = match (cells.len(), &value) {
            (0, _) => return value,
            (1, Term::RemoteForm(_, "bte_cell", "get", read)) if is_same(&cells, read) => {
                ("take", cells)
            }
            (1, _) => {
                cells.push(value);
                ("free", cells)
            }
            _ => ("free", vec![forms::list(line, cells, None), value]),
        };
        forms::remote(line, "bte_cell", function, args)
    }

    fn tail_cond(&mut self, line: Line, cond: &Cond, rest: Option<&Rest<'_>>, seq: &mut Vec<Term>) {
        let (subject, other) = self.cond_subject(cond, seq);
        let then = self.tail_branch(line, &cond.then, other, rest);
        let otherwise = self.tail_branch(line, &cond.otherwise, other, rest);
        seq.push(self.cond_case(line, cond, subject, other, then, otherwise));
    }

    fn tail_branch(
        &mut self,
        line: Line,
        branch: &Branch,
        subject: u32,
        rest: Option<&Rest<'_>>,
    ) -> Vec<Term> {
        let (env, live) = (self.env.clone(), self.live.len());
        let mut seq = Vec::new();
        match (branch, rest) {
            (Branch::Body(param, stmts), _) => {
                if let Some(param) = param {
                    self.set(*param, subject);
                }
                self.tail(stmts, rest, &mut seq);
            }
            (_, Some(rest)) => self.tail(rest.stmts, rest.next, &mut seq),
            (_, None) => {
                let value = self.branch_value(line, branch, subject);
                self.end(line, value, &mut seq);
            }
        }
        self.env = env;
        self.live.truncate(live);
        seq
    }

    fn tail_match(
        &mut self,
        line: Line,
        found: &Match,
        rest: Option<&Rest<'_>>,
        seq: &mut Vec<Term>,
    ) {
        let subject = self.expr(&found.subject, seq);
        let subject = self.simple(line, subject, seq);
        let mut arms = Vec::new();
        for arm in &found.arms {
            let (env, live) = (self.env.clone(), self.live.len());
            let mut body = Vec::new();
            let head = self.arm_head(arm, seq, &mut body);
            self.tail(&arm.body, rest, &mut body);
            self.env = env;
            self.live.truncate(live);
            arms.push((head, body));
        }
        seq.push(self.arms_case(line, subject, arms));
    }

    /// Statements whose last value is used, in the middle of a function.
    pub(super) fn statements_value(
        &mut self,
        stmts: &[Expr],
        line: Line,
        seq: &mut Vec<Term>,
    ) -> Term {
        let live = self.live.len();
        let Some((last, before)) = stmts.split_last() else { return forms::atom(line, "nil") };
        before.iter().for_each(|stmt| self.effect(stmt, seq));
        let value = self.expr(last, seq);
        self.end_scope(line, live, value)
    }

    /// Statements for their effect, in the middle of a function.
    pub(super) fn statements_effect(&mut self, stmts: &[Expr], line: Line, seq: &mut Vec<Term>) {
        let live = self.live.len();
        stmts.iter().for_each(|stmt| self.effect(stmt, seq));
        let end = self.end_scope(line, live, forms::atom(line, "nil"));
        if !is_simple(&end) {
            seq.push(end);
        }
    }

    fn end_scope(&mut self, line: Line, live: usize, value: Term) -> Term {
        let cells = self.live.split_off(live.min(self.live.len()));
        self.freeing(line, value, &cells)
    }

    /// An expression whose value is not used.
    pub(super) fn effect(&mut self, expr: &Expr, seq: &mut Vec<Term>) {
        match &expr.kind {
            Kind::Assign(assign) => {
                self.assign(expr.line, assign, Want::Effect, seq);
            }
            Kind::Seq(stmts) => stmts.iter().for_each(|stmt| self.effect(stmt, seq)),
            Kind::Cond(cond) => {
                self.cond(expr.line, cond, Want::Effect, seq);
            }
            Kind::Match(found) => {
                self.match_expr(expr.line, found, Want::Effect, seq);
            }
            _ => {
                let value = self.expr(expr, seq);
                if !is_simple(&value) {
                    seq.push(value);
                }
            }
        }
    }

    /// An assignment; answers the value when it is wanted.
    pub(super) fn assign(
        &mut self,
        line: Line,
        assign: &Assign,
        want: Want,
        seq: &mut Vec<Term>,
    ) -> Term {
        let var = assign.var;
        let is_cell = self.is_cell(var);
        if is_cell && assign.early && self.at(var) == 0 {
            self.new_cell(line, var, forms::atom(line, "nil"), seq);
        }
        let value = self.expr(&assign.value, seq);
        if is_cell && want == Want::Value && self.at(var) != 0 {
            return self.set_cell(line, var, value);
        }
        if is_cell && want == Want::Value {
            let value = self.simple(line, value, seq);
            self.store(line, var, value.clone(), seq);
            return value;
        }
        self.store(line, var, value, seq);
        forms::var(line, self.at(var))
    }

    /// Gives a variable a value.
    pub(super) fn store(&mut self, line: Line, var: VarId, value: Term, seq: &mut Vec<Term>) {
        if !self.is_cell(var) {
            let number = self.rename(var);
            seq.push(forms::bind(line, forms::var(line, number), value));
        } else if self.at(var) == 0 {
            self.new_cell(line, var, value, seq);
        } else {
            seq.push(self.set_cell(line, var, value));
        }
    }

    /// Puts a value into a cell; its own value is that value.
    fn set_cell(&self, line: Line, var: VarId, value: Term) -> Term {
        let cell = forms::var(line, self.at(var));
        forms::remote(line, "bte_cell", "set", vec![cell, value])
    }

    fn new_cell(&mut self, line: Line, var: VarId, value: Term, seq: &mut Vec<Term>) {
        let number = self.rename(var);
        let cell = forms::remote(line, "bte_cell", "new", vec![value]);
        seq.push(forms::bind(line, forms::var(line, number), cell));
        if !self.escapes(var) {
            self.live.push(var);
        }
    }

    /// Generates one branch in the middle of a function.
    pub(super) fn outcome(
        &mut self,
        line: Line,
        stmts: &[Expr],
        run: impl FnOnce(&mut Self, &mut Vec<Term>) -> Term,
    ) -> Outcome {
        let (env, live) = (self.env.clone(), self.live.len());
        let mut seq = Vec::new();
        let value = run(self, &mut seq);
        let value = self.end_scope(line, live, value);
        let env = std::mem::replace(&mut self.env, env);
        Outcome { seq, value, env, diverges: always_returns(stmts) }
    }

    /// Lets branches meet: `build` makes one expression of their bodies; variables that any of them
    /// has
    /// assigned come out of it together with the value.
    pub(super) fn join(
        &mut self,
        line: Line,
        outcomes: Vec<Outcome>,
        want: Want,
        seq: &mut Vec<Term>,
        build: impl FnOnce(&mut Self, Vec<Vec<Term>>) -> Term,
    ) -> Term {
        let changed = self.changed(&outcomes);
        let bodies = outcomes.into_iter().map(|it| closed(line, it, want, &changed)).collect();
        let joined = build(self, bodies);
        if changed.is_empty() {
            if want == Want::Value {
                return joined;
            }
            seq.push(joined);
            return forms::atom(line, "nil");
        }
        let value = (want == Want::Value).then(|| self.fresh());
        let mut parts: Vec<_> = value.iter().map(|number| forms::var(line, *number)).collect();
        for var in changed {
            parts.push(forms::var(line, self.rename(var)));
        }
        seq.push(forms::bind(line, together(line, parts), joined));
        value.map_or_else(|| forms::atom(line, "nil"), |number| forms::var(line, number))
    }

    fn changed(&self, outcomes: &[Outcome]) -> Vec<VarId> {
        let is_changed = |var: &VarId| {
            let before = self.at(*var);
            before != 0
                && !self.is_cell(*var)
                && outcomes.iter().any(|outcome| {
                    !outcome.diverges && outcome.env.get(*var).copied() != Some(before)
                })
        };
        (0..self.env.len()).filter(is_changed).collect()
    }
}

/// The body of a branch with what comes out of it at its end.
fn closed(line: Line, outcome: Outcome, want: Want, changed: &[VarId]) -> Vec<Term> {
    let Outcome { mut seq, value, env, diverges } = outcome;
    if diverges || changed.is_empty() {
        if want == Want::Value || diverges || seq.is_empty() || !is_simple(&value) {
            seq.push(value);
        }
        return seq;
    }
    let mut parts = Vec::new();
    if want == Want::Value {
        parts.push(value);
    } else if !is_simple(&value) {
        seq.push(value);
    }
    parts.extend(changed.iter().map(|var| forms::var(line, env.get(*var).copied().unwrap_or(0))));
    seq.push(together(line, parts));
    seq
}

/// Whether two lists hold the same variables.
fn is_same(left: &[Term], right: &[Term]) -> bool {
    let number = |term: &Term| match term {
        Term::VarForm(_, number) => Some(*number),
        _ => None,
    };
    left.iter().map(number).eq(right.iter().map(number))
}

/// One term, or a tuple of several.
pub(super) fn together(line: Line, mut parts: Vec<Term>) -> Term {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => forms::tuple(line, parts),
    }
}

/// Whether a form is a variable or a constant: it can be used twice, later, or not at all.
pub(super) fn is_simple(form: &Term) -> bool {
    match form {
        Term::AtomForm(..) | Term::VarForm(..) | Term::IntForm(..) | Term::NilForm(_) => true,
        Term::Tuple(items) => match (items.first(), items.get(2)) {
            (Some(Term::Atom(tag)), third) => match &**tag {
                "integer" | "float" => true,
                "op" => items.len() == 4 && matches!(third, Some(Term::Atom(op)) if op == "-"),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Whether the statements never go on to what follows them.
pub(super) fn always_returns(stmts: &[Expr]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        Kind::Return(_) => true,
        Kind::Seq(inner) => always_returns(inner),
        Kind::Cond(cond) => !goes_on(&cond.then) && !goes_on(&cond.otherwise),
        Kind::Match(found) => found.arms.iter().all(|arm| always_returns(&arm.body)),
        _ => false,
    })
}

fn goes_on(branch: &Branch) -> bool {
    !matches!(branch, Branch::Body(_, stmts) if always_returns(stmts))
}

/// Whether what follows can move into the one branch that goes on.
fn cond_goes_on_once(cond: &Cond) -> bool {
    cond.returns && !(goes_on(&cond.then) && goes_on(&cond.otherwise))
}

fn match_goes_on_once(found: &Match) -> bool {
    let n_going_on = found.arms.iter().filter(|arm| !always_returns(&arm.body)).count();
    found.returns && n_going_on <= 1
}

impl Question {
    /// The atom that the first branch is for.
    pub(super) fn first(self) -> &'static str {
        match self {
            Self::IsTrue => "true",
            Self::IsNil => "nil",
        }
    }
}
