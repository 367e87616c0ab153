//! `match:` and destructuring: arms to nested cases.

use super::body::together;
use super::pattern::{Asked, Step};
use super::{FnGen, Want};
use crate::forms::{self, Line};
use crate::hir::{Arm, Destructure, Match};
use crate::term::Term;

/// An arm's question.
pub(super) struct Head {
    line: Line,
    pattern: Term,
    tests: Vec<Term>,
    /// What a guard of Erlang cannot ask; then the arm's values come out in a tuple.
    hard: Option<Hard>,
}

struct Hard {
    steps: Vec<Step>,
    /// The guard with what must happen before it, and the variable for values that are no Booleans.
    guard: Option<(Vec<Term>, Term, u32)>,
    /// What comes out, and the pattern that takes it.
    given: Term,
    taken: Term,
}

impl FnGen<'_> {
    pub(super) fn match_expr(
        &mut self,
        line: Line,
        found: &Match,
        want: Want,
        seq: &mut Vec<Term>,
    ) -> Term {
        let subject = self.expr(&found.subject, seq);
        let subject = self.simple(line, subject, seq);
        let mut heads = Vec::new();
        let mut outcomes = Vec::new();
        for arm in &found.arms {
            let mut head = None;
            let outcome = self.outcome(line, &arm.body, |this, body| {
                head = Some(this.arm_head(arm, seq, body));
                if want == Want::Value {
                    return this.statements_value(&arm.body, arm.line, body);
                }
                this.statements_effect(&arm.body, arm.line, body);
                forms::atom(line, "nil")
            });
            heads.extend(head);
            outcomes.push(outcome);
        }
        self.join(line, outcomes, want, seq, |this, bodies| {
            this.arms_case(line, subject, heads.into_iter().zip(bodies).collect())
        })
    }

    /// Generates the question of an arm. `seq` stands before the whole match, `body` is the arm's
    /// own.
    pub(super) fn arm_head(
        &mut self,
        arm: &Arm,
        seq: &mut Vec<Term>,
        body: &mut Vec<Term>,
    ) -> Head {
        let line = arm.line;
        let mut asked = Asked::default();
        let pattern = self.pattern(line, &arm.pattern, &mut asked, seq);
        let is_hard = arm.guard.is_some() || !asked.steps.is_empty();
        let guard = arm.guard.as_ref().map(|guard| {
            let mut before = Vec::new();
            self.bind_all(line, &asked, &mut before);
            let value = self.expr(guard, &mut before);
            (before, value, self.fresh())
        });
        if !is_hard {
            self.bind_all(line, &asked, body);
            return Head { line, pattern, tests: asked.tests, hard: None };
        }
        let given = self.given(line, &asked);
        for (_, number) in &mut asked.binds {
            *number = self.fresh();
        }
        let taken = self.given(line, &asked);
        for (var, _) in &asked.binds {
            // The guard had cells of its own.
            self.set(*var, 0);
        }
        self.bind_all(line, &asked, body);
        let hard = Some(Hard { steps: asked.steps, guard, given, taken });
        Head { line, pattern, tests: asked.tests, hard }
    }

    /// The bound values together; never the atom `false`.
    fn given(&self, line: Line, asked: &Asked) -> Term {
        let mut parts = vec![forms::atom(line, "true")];
        parts.extend(asked.binds.iter().map(|(_, number)| forms::var(line, *number)));
        together(line, parts)
    }

    /// Makes the names of a pattern known; those that need cells get them.
    fn bind_all(&mut self, line: Line, asked: &Asked, seq: &mut Vec<Term>) {
        for (var, number) in &asked.binds {
            if self.is_cell(*var) {
                self.set(*var, 0);
                self.store(line, *var, forms::var(line, *number), seq);
            } else {
                self.set(*var, *number);
            }
        }
    }

    /// All arms as one expression.
    pub(super) fn arms_case(
        &mut self,
        line: Line,
        subject: Term,
        arms: Vec<(Head, Vec<Term>)>,
    ) -> Term {
        let none = forms::remote(line, "bte_error", "no_match", vec![subject.clone()]);
        let any =
            |body: Vec<Term>| forms::clause(line, vec![forms::wildcard(line)], Vec::new(), body);
        // What stands after the arms seen so far: clauses, or one expression that asks a hard arm.
        let mut clauses = vec![any(vec![none])];
        let mut only: Option<Term> = None;
        for (head, body) in arms.into_iter().rev() {
            let Head { line, pattern, tests, hard } = head;
            let Some(hard) = hard else {
                if is_irrefutable(&pattern) && tests.is_empty() {
                    clauses.clear();
                    only = None;
                }
                clauses.extend(only.take().map(|only| any(vec![only])));
                clauses.push(forms::clause(line, vec![pattern], tests, body));
                continue;
            };
            let rest = match only.take() {
                Some(only) => only,
                None => {
                    clauses.reverse();
                    forms::case(line, subject.clone(), std::mem::take(&mut clauses))
                }
            };
            let taken = hard.taken.clone();
            let asked = self.asked(line, subject.clone(), (pattern, tests), hard);
            let no = forms::atom(line, "false");
            let yes = forms::clause(line, vec![taken], Vec::new(), body);
            let no = forms::clause(line, vec![no], Vec::new(), vec![rest]);
            only = Some(forms::case(line, asked, vec![yes, no]));
        }
        if let Some(only) = only {
            return only;
        }
        clauses.reverse();
        forms::case(line, subject, clauses)
    }

    /// The question of a hard arm: the values that come out, or `false`.
    fn asked(
        &mut self,
        line: Line,
        subject: Term,
        (pattern, tests): (Term, Vec<Term>),
        hard: Hard,
    ) -> Term {
        let mut body = vec![hard.given];
        if let Some((mut before, value, other)) = hard.guard {
            let clause =
                |name, body| forms::clause(line, vec![forms::atom(line, name)], Vec::new(), body);
            let error = self.not_boolean(line, "when:", other);
            let rest = forms::clause(line, vec![forms::var(line, other)], Vec::new(), vec![error]);
            let no = clause("false", vec![forms::atom(line, "false")]);
            before.push(forms::case(line, value, vec![clause("true", body), no, rest]));
            body = before;
        }
        for step in hard.steps.into_iter().rev() {
            body = vec![case_or_false(line, step.call, step.pattern, step.tests, body)];
        }
        case_or_false(line, subject, pattern, tests, body)
    }

    pub(super) fn destructure(
        &mut self,
        line: Line,
        parts: &Destructure,
        seq: &mut Vec<Term>,
    ) -> Term {
        let value = self.expr(&parts.value, seq);
        let value = self.simple(line, value, seq);
        let mut asked = Asked::default();
        let pattern = self.pattern(line, &parts.pattern, &mut asked, seq);
        let given = self.given(line, &asked);
        for (_, number) in &mut asked.binds {
            *number = self.fresh();
        }
        let taken = self.given(line, &asked);
        let hard = Hard { steps: asked.steps, guard: None, given, taken: taken.clone() };
        let found = self.asked(line, value.clone(), (pattern, asked.tests), hard);
        let none = forms::remote(line, "bte_error", "no_match", vec![value.clone()]);
        let no = forms::clause(line, vec![forms::atom(line, "false")], Vec::new(), vec![none]);
        let all = forms::var(line, self.fresh());
        let yes = forms::clause(line, vec![all.clone()], Vec::new(), vec![all]);
        seq.push(forms::bind(line, taken, forms::case(line, found, vec![no, yes])));
        for (from, to) in &parts.binds {
            let number = asked.binds.iter().find(|(var, _)| var == from).map(|(_, number)| *number);
            if let Some(number) = number {
                self.store(line, *to, forms::var(line, number), seq);
            }
        }
        value
    }
}

fn case_or_false(
    line: Line,
    subject: Term,
    pattern: Term,
    tests: Vec<Term>,
    body: Vec<Term>,
) -> Term {
    let total = is_irrefutable(&pattern) && tests.is_empty();
    let mut clauses = vec![forms::clause(line, vec![pattern], tests, body)];
    if !total {
        let no = vec![forms::atom(line, "false")];
        clauses.push(forms::clause(line, vec![forms::wildcard(line)], Vec::new(), no));
    }
    forms::case(line, subject, clauses)
}

/// Whether an Erlang pattern matches anything: a variable.
fn is_irrefutable(pattern: &Term) -> bool {
    matches!(pattern, Term::VarForm(..) | Term::AnyForm(_))
}
