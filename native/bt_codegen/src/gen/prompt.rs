//! Statements at the prompt.

use super::FnGen;
use crate::hir::{Body, Expr, Kind, VarId};
use crate::term::Term;

impl FnGen<'_> {
    /// Gives the session's bindings their variables.
    pub(crate) fn bind_params(&mut self, body: &Body) -> Vec<u32> {
        body.params.iter().map(|var| self.rename(*var)).collect()
    }

    /// One statement. Answers the names that have new values (or new cells) and their variables,
    /// and
    /// whether the statement ends the input (`^`).
    pub(crate) fn top_statement(
        &mut self,
        stmt: &Expr,
        names: &[(String, VarId)],
        seq: &mut Vec<Term>,
    ) -> (Vec<(String, u32)>, bool) {
        let before = self.env.clone();
        let (value, is_last) = match &stmt.kind {
            Kind::Return(value) => (self.expr(value, seq), true),
            _ => (self.expr(stmt, seq), false),
        };
        let mut changed = Vec::new();
        for (name, var) in names {
            let now = self.at(*var);
            if now != 0 && before.get(*var).copied() != Some(now) {
                changed.push((name.clone(), now));
            }
        }
        seq.push(value);
        (changed, is_last)
    }
}
