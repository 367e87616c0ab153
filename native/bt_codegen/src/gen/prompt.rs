//! Statements at the prompt.

use super::FnGen;
use crate::forms;
use crate::hir::{Body, Expr, Kind, VarId};
use crate::term::Term;

impl FnGen<'_> {
    /// Gives the session's bindings their variables.
    pub(crate) fn bind_params(&mut self, body: &Body) -> Vec<u32> {
        body.params.iter().map(|var| self.rename(*var)).collect()
    }

    /// Puts those bindings into cells that blocks of the input assign.
    pub(crate) fn cells_for_params(&mut self, body: &Body, seq: &mut Vec<Term>) {
        let params = body.params.iter().copied();
        let in_cells: Vec<_> = params.filter(|var| self.is_cell(*var)).collect();
        for var in in_cells {
            let value = forms::var(1, self.at(var));
            self.set(var, 0);
            self.store(1, var, value, seq);
        }
    }

    /// One statement. Answers the names that have new values and their variables, and whether the
    /// statement ends the input (`^`).
    pub(crate) fn top_statement(
        &mut self,
        stmt: &Expr,
        names: &[(String, VarId)],
        seq: &mut Vec<Term>,
    ) -> (Vec<(String, u32)>, bool) {
        let before = self.env.clone();
        let line = stmt.line;
        let (value, is_last) = match &stmt.kind {
            Kind::Return(value) => (self.expr(value, seq), true),
            _ => (self.expr(stmt, seq), false),
        };
        let mut changed = Vec::new();
        let mut reads = Vec::new();
        for (name, var) in names {
            let now = self.at(*var);
            if now == 0 {
                continue;
            }
            if self.is_cell(*var) {
                let number = self.fresh();
                let cell = forms::var(line, now);
                let read = forms::remote(line, "bte_cell", "get", vec![cell]);
                reads.push(forms::bind(line, forms::var(line, number), read));
                changed.push((name.clone(), number));
            } else if before.get(*var).copied() != Some(now) {
                changed.push((name.clone(), now));
            }
        }
        let value = match reads.is_empty() {
            true => value,
            false => self.simple(line, value, seq),
        };
        seq.append(&mut reads);
        seq.push(value);
        (changed, is_last)
    }
}
