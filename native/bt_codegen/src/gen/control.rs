//! Conditionals and loops in line.

use super::body::together;
use super::{FnGen, Want};
use crate::forms::{self, Line};
use crate::hir::{Branch, Cond, Expr, Kind, Loop, LoopKind, Operator, Question, Range, VarId};
use crate::literal::Integer;
use crate::lower::MAX_ARGS;
use crate::term::Term;

/// Which of the counters of a range is its step.
const STEP: usize = 2;

/// A loop while its function is generated.
struct Looping {
    /// All arguments go in one tuple: funs of the prompt take few, and functions of a module at
    /// most 255.
    packed: bool,
    /// The name of the loop's function; at the prompt the number of the variable that holds it.
    name: String,
    number: u32,
    /// The function's parameters, and the same values outside.
    params: Vec<Term>,
    outside: Vec<Term>,
    /// What the loop has from outside, in the order of the parameters after the counters.
    uses: Vec<VarId>,
    /// What it changes of that, and hands out at its end.
    threaded: Vec<VarId>,
}

impl Looping {
    /// The arguments as the loop's function takes them.
    fn pack(&self, line: Line, args: Vec<Term>) -> Vec<Term> {
        if self.packed {
            return vec![forms::tuple(line, args)];
        }
        args
    }
}

impl FnGen<'_> {
    pub(super) fn cond(
        &mut self,
        line: Line,
        cond: &Cond,
        want: Want,
        seq: &mut Vec<Term>,
    ) -> Term {
        let (subject, other) = self.cond_subject(cond, seq);
        let then = self.branch(line, &cond.then, other, want);
        let otherwise = self.branch(line, &cond.otherwise, other, want);
        self.join(line, vec![then, otherwise], want, seq, |this, mut bodies| {
            let otherwise = bodies.pop().unwrap_or_default();
            let then = bodies.pop().unwrap_or_default();
            this.cond_case(line, cond, subject, other, then, otherwise)
        })
    }

    /// The subject, and the variable that holds it in the clause for all other values.
    pub(super) fn cond_subject(&mut self, cond: &Cond, seq: &mut Vec<Term>) -> (Term, u32) {
        let subject = self.question(cond, seq);
        (subject, self.fresh())
    }

    pub(super) fn cond_case(
        &mut self,
        line: Line,
        cond: &Cond,
        subject: Term,
        other: u32,
        then: Vec<Term>,
        otherwise: Vec<Term>,
    ) -> Term {
        let first = forms::atom(line, cond.question.first());
        let mut clauses = vec![forms::clause(line, vec![first], Vec::new(), then)];
        let rest = forms::var(line, other);
        match cond.question {
            Question::IsNil => {
                clauses.push(forms::clause(line, vec![rest], Vec::new(), otherwise));
            }
            Question::IsTrue if is_boolean(&cond.subject) || self.is_asked_apart(cond) => {
                let no = forms::wildcard(line);
                clauses.push(forms::clause(line, vec![no], Vec::new(), otherwise));
            }
            Question::IsTrue => {
                let no = forms::atom(line, "false");
                clauses.push(forms::clause(line, vec![no], Vec::new(), otherwise));
                let error = self.not_boolean(line, &cond.selector, other);
                clauses.push(forms::clause(line, vec![rest], Vec::new(), vec![error]));
            }
        }
        forms::case(line, subject, clauses)
    }

    pub(super) fn not_boolean(&self, line: Line, selector: &str, value: u32) -> Term {
        let args = vec![forms::name(line, selector), forms::var(line, value)];
        forms::remote(line, "bte_error", "not_boolean", args)
    }

    fn branch(
        &mut self,
        line: Line,
        branch: &Branch,
        subject: u32,
        want: Want,
    ) -> super::body::Outcome {
        let Branch::Body(param, stmts) = branch else {
            return self.outcome(line, &[], |this, _| this.branch_value(line, branch, subject));
        };
        self.outcome(line, stmts, |this, seq| {
            if let Some(param) = param {
                this.set(*param, subject);
            }
            if want == Want::Value {
                return this.statements_value(stmts, line, seq);
            }
            this.statements_effect(stmts, line, seq);
            forms::atom(line, "nil")
        })
    }

    /// The value of a branch without statements.
    pub(super) fn branch_value(&self, line: Line, branch: &Branch, subject: u32) -> Term {
        match branch {
            Branch::True => forms::atom(line, "true"),
            Branch::False => forms::atom(line, "false"),
            Branch::Subject => forms::var(line, subject),
            Branch::Nil | Branch::Body(..) => forms::atom(line, "nil"),
        }
    }

    /// A loop; its value is nil.
    pub(super) fn looping(&mut self, line: Line, looping: &Loop, seq: &mut Vec<Term>) -> Term {
        let counters = self.counters(line, &looping.kind, seq);
        let outer = (self.env.clone(), std::mem::take(&mut self.live));
        let mut state = self.open_loop(line, looping, &counters);
        let in_loop = std::mem::replace(&mut self.in_loop, true);
        let body = self.loop_body(line, looping, &mut state);
        self.in_loop = in_loop;
        let result = self.close_loop(line, body, &state);
        (self.env, self.live) = outer;
        let result = self.checked(line, looping, &counters, result);
        if state.threaded.is_empty() {
            seq.push(result);
            return forms::atom(line, "nil");
        }
        let mut parts = Vec::new();
        for var in &state.threaded {
            parts.push(forms::var(line, self.rename(*var)));
        }
        seq.push(forms::bind(line, together(line, parts), result));
        forms::atom(line, "nil")
    }

    /// The numbers a loop starts with, in order of the text.
    fn counters(&mut self, line: Line, kind: &LoopKind, seq: &mut Vec<Term>) -> Vec<Term> {
        let exprs = match kind {
            LoopKind::While(..) | LoopKind::Repeat(_) => Vec::new(),
            LoopKind::Times(count, _) => self.exprs([count], seq),
            LoopKind::ToDo(range, ..) => {
                self.exprs([&range.from, &range.to].into_iter().chain(&range.by), seq)
            }
        };
        exprs.into_iter().map(|form| self.simple(line, form, seq)).collect()
    }

    fn open_loop(&mut self, line: Line, looping: &Loop, counters: &[Term]) -> Looping {
        let uses: Vec<_> = looping.uses.iter().copied().filter(|var| self.at(*var) != 0).collect();
        let mut outside = counters.to_vec();
        outside.extend(uses.iter().map(|var| forms::var(line, self.at(*var))));
        let mut params = Vec::new();
        for _ in counters {
            params.push(forms::var(line, self.fresh()));
        }
        for var in &uses {
            params.push(forms::var(line, self.rename(*var)));
        }
        let changes = looping.assigns.iter().copied();
        let threaded = changes.filter(|var| !self.is_cell(*var) && self.at(*var) != 0).collect();
        self.n_loops += 1;
        let name = format!("{}/{}", self.label, self.n_loops);
        let number = if self.target.module.is_some() { 0 } else { self.fresh() };
        let packed = self.target.module.is_none() || params.len() > MAX_ARGS;
        Looping { packed, name, number, params, outside, uses, threaded }
    }

    fn loop_body(&mut self, line: Line, looping: &Loop, state: &mut Looping) -> Vec<Term> {
        let mut seq = Vec::new();
        match &looping.kind {
            LoopKind::Repeat(body) => {
                self.statements_effect(body, line, &mut seq);
                seq.push(self.again(line, Vec::new(), state));
            }
            LoopKind::While(wanted, cond, body) => {
                let cond = self.statements_value(cond, line, &mut seq);
                self.while_case(line, looping, cond, (*wanted, body), state, &mut seq);
            }
            LoopKind::Times(_, body) => {
                let count = state.params.first().cloned();
                let count = count.unwrap_or_else(|| forms::atom(line, "nil"));
                let goes = forms::op(line, ">", count.clone(), forms::int(line, 0));
                let next = vec![forms::op(line, "-", count, forms::int(line, 1))];
                self.counted_case(line, goes, body, next, state, &mut seq);
            }
            LoopKind::ToDo(range, var, body) => {
                self.range_case(line, range, (*var, body), state, &mut seq);
            }
        }
        seq
    }

    fn while_case(
        &mut self,
        line: Line,
        looping: &Loop,
        cond: Term,
        (wanted, body): (bool, &[Expr]),
        state: &Looping,
        seq: &mut Vec<Term>,
    ) {
        let done = self.handed_out(line, state);
        let other = self.fresh();
        let mut again = Vec::new();
        self.statements_effect(body, line, &mut again);
        again.push(self.again(line, Vec::new(), state));
        let answer = |wanted: bool| forms::atom(line, if wanted { "true" } else { "false" });
        let error = self.not_boolean(line, &looping.selector, other);
        let clauses = vec![
            forms::clause(line, vec![answer(wanted)], Vec::new(), again),
            forms::clause(line, vec![answer(!wanted)], Vec::new(), vec![done]),
            forms::clause(line, vec![forms::var(line, other)], Vec::new(), vec![error]),
        ];
        seq.push(forms::case(line, cond, clauses));
    }

    fn counted_case(
        &mut self,
        line: Line,
        goes: Term,
        body: &[Expr],
        next: Vec<Term>,
        state: &Looping,
        seq: &mut Vec<Term>,
    ) {
        let done = self.handed_out(line, state);
        let mut again = Vec::new();
        self.statements_effect(body, line, &mut again);
        again.push(self.again(line, next, state));
        seq.push(forms::choose(line, goes, again, vec![done]));
    }

    fn range_case(
        &mut self,
        line: Line,
        range: &Range,
        (var, body): (VarId, &[Expr]),
        state: &Looping,
        seq: &mut Vec<Term>,
    ) {
        let counter = self.fresh();
        let [now, to, by @ ..] = &state.params[..] else { return };
        let by = if range.by.is_some() { by.first() } else { None };
        let step = by.cloned().unwrap_or_else(|| forms::int(line, 1));
        let up = forms::op(line, "=<", now.clone(), to.clone());
        let down = forms::op(line, ">=", now.clone(), to.clone());
        let goes = match range.by.as_ref().map(|by| &by.kind) {
            None => up,
            Some(Kind::Int(Integer::Small(1..))) => up,
            Some(Kind::Int(Integer::Small(..=-1))) => down,
            Some(_) => {
                let zero = || forms::int(line, 0);
                let rises = forms::op(line, ">", step.clone(), zero());
                let falls = forms::op(line, "<", step.clone(), zero());
                let up = forms::op(line, "andalso", rises, up);
                let down = forms::op(line, "andalso", falls, down);
                forms::op(line, "orelse", up, down)
            }
        };
        seq.push(forms::bind(line, forms::var(line, counter), now.clone()));
        self.set(var, counter);
        let mut next = vec![forms::op(line, "+", now.clone(), step), to.clone()];
        next.extend(by.cloned());
        self.counted_case(line, goes, body, next, state, seq);
    }

    /// The call of the next round.
    fn again(&self, line: Line, counters: Vec<Term>, state: &Looping) -> Term {
        let mut args = counters;
        args.extend(state.uses.iter().map(|var| forms::var(line, self.at(*var))));
        self.loop_call(line, state, args)
    }

    fn loop_call(&self, line: Line, state: &Looping, args: Vec<Term>) -> Term {
        let function = match self.target.module {
            Some(_) => forms::name(line, &state.name),
            None => forms::var(line, state.number),
        };
        forms::call(line, function, state.pack(line, args))
    }

    /// What the loop hands out when it ends.
    fn handed_out(&self, line: Line, state: &Looping) -> Term {
        let parts: Vec<_> =
            state.threaded.iter().map(|var| forms::var(line, self.at(*var))).collect();
        if parts.is_empty() {
            return forms::atom(line, "nil");
        }
        together(line, parts)
    }

    /// Puts the loop's function in its place and answers its first call.
    fn close_loop(&mut self, line: Line, body: Vec<Term>, state: &Looping) -> Term {
        let params = state.pack(line, state.params.clone());
        let outside = state.pack(line, state.outside.clone());
        let n_params = params.len();
        let clause = forms::clause(line, params, Vec::new(), body);
        if self.target.module.is_none() {
            return forms::call(line, forms::named_fun(line, state.number, vec![clause]), outside);
        }
        self.out.functions.push(forms::function(line, &state.name, n_params, vec![clause]));
        forms::call(line, forms::name(line, &state.name), outside)
    }

    /// Refuses counters that are no numbers, and a step of nought, before the loop starts.
    fn checked(&self, line: Line, looping: &Loop, counters: &[Term], result: Term) -> Term {
        let (test, exprs): (_, Vec<&Expr>) = match &looping.kind {
            LoopKind::While(..) | LoopKind::Repeat(_) => return result,
            LoopKind::Times(count, _) => ("is_integer", vec![count]),
            LoopKind::ToDo(range, ..) => {
                let ends = [&range.from, &range.to].into_iter().chain(&range.by);
                ("is_number", ends.collect())
            }
        };
        let mut checked = result;
        for (place, (expr, counter)) in exprs.iter().zip(counters).enumerate() {
            let is_step = place == STEP;
            let is_nought = matches!(expr.kind, Kind::Int(Integer::Small(0)));
            if matches!(expr.kind, Kind::Int(_)) && !(is_step && is_nought) {
                continue;
            }
            let mut tests = vec![forms::bif(line, test, vec![counter.clone()])];
            if is_step {
                tests.push(forms::op(line, "/=", counter.clone(), forms::int(line, 0)));
            }
            let args = vec![forms::name(line, &looping.selector), counter.clone()];
            let error = forms::remote(line, "bte_error", "not_number", args);
            checked = forms::when(line, tests, checked, &error);
        }
        checked
    }
}

/// Whether an expression can only give a Boolean.
fn is_boolean(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        Kind::True | Kind::False | Kind::IsNil(..) | Kind::Binary(Operator::Equality(_), ..)
    )
}
