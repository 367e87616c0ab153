//! Inputs at the prompt: statements to expressions for `erl_eval`.

use crate::api::{Diagnostic, PromptInput, PromptOutput};
use crate::diag::Source;
use crate::forms;
use crate::gen::{Emitted, FnGen, Target};
use crate::hir::{Body, VarId};
use crate::lower::{Env, Findings, Lowerer, Place};
use crate::term::Term;
use bt_syntax::{Node, NodeKind, Side};

/// Compiles an input to expressions that are not encoded yet.
pub(crate) fn build(input: &PromptInput<'_>) -> Result<(Term, PromptOutput), Vec<Diagnostic>> {
    let source = Source::new(input.unit, input.file);
    let errors = source.syntax_errors();
    if !errors.is_empty() {
        return Err(errors);
    }
    let env = Env { names: input.names, fields: &[], class_fields: &[] };
    let mut findings = Findings::default();
    let nodes = statements(input);
    let mut lowerer = Lowerer::new(&env, &source, Place::Prompt, &mut findings);
    let bound: Vec<_> = input.bindings.iter().map(|name| lowerer.session_name(name)).collect();
    let stmts = lowerer.statements(&nodes);
    let names = lowerer.root_names();
    let mut body = lowerer.finish(1, bound, stmts);
    share_captured(&mut body, &names, input.cells);
    if !findings.errors.is_empty() {
        return Err(findings.errors);
    }
    Ok(generate(input, &body, &names, findings))
}

/// A later input may assign what a block of this one has captured: all such variables live in
/// cells,
/// and so do those of earlier inputs.
fn share_captured(body: &mut Body, names: &[(String, VarId)], cells: &[String]) {
    for (name, var) in names {
        if let Some(data) = body.vars.get_mut(*var) {
            if cells.contains(name) {
                data.first_capture = Some(0);
            }
            data.assigned_inside |= data.first_capture.is_some();
        }
    }
}

/// Definitions in an input are not its statements.
fn statements<'a>(input: &PromptInput<'a>) -> Vec<Node<'a>> {
    let is_statement = |node: &Node<'_>| {
        !matches!(
            node.kind(),
            NodeKind::Class | NodeKind::Protocol | NodeKind::Alias | NodeKind::Extension
        )
    };
    Lowerer::significant(input.unit.root().children().into_iter().filter(is_statement).collect())
}

fn generate(
    input: &PromptInput<'_>,
    body: &Body,
    names: &[(String, VarId)],
    findings: Findings,
) -> (Term, PromptOutput) {
    let mut emitted = Emitted::default();
    let target = Target { module: None, superclass: None };
    let mut gen = FnGen::new(target, Side::Instance, "", body, &[], &mut emitted);
    let numbers = gen.bind_params(body);
    let variables = input.bindings.iter().zip(numbers);
    let variables = variables.map(|(name, at)| (name.clone(), forms::var_name(at))).collect();
    let mut statements = Vec::new();
    let mut assigned = Vec::new();
    for stmt in &body.stmts {
        let mut seq = Vec::new();
        let (changed, is_last) = gen.top_statement(stmt, names, &mut seq);
        let changed = changed.into_iter().map(|(name, at)| (name, forms::var_name(at)));
        assigned.push(changed.collect());
        statements.push(Term::List(seq));
        if is_last {
            break;
        }
    }
    let cells = names.iter().filter(|(_, var)| gen.is_cell(*var));
    let cells = cells.map(|(name, _)| name.clone()).collect();
    let output = PromptOutput {
        exprs: Vec::new(),
        variables,
        assigned,
        cells,
        late: findings.late.into_iter().collect(),
        warnings: findings.warnings,
    };
    (Term::List(statements), output)
}
