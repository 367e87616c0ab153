//! Units to the resolved tree of [`crate::hir`]: one [`Lowerer`] for each body.

mod control;
mod expr;
mod message;
mod pattern;
mod scope;

pub(crate) use expr::capitalized;

use crate::api::{ClassKind, Diagnostic, Names, QualifiedName};
use crate::diag::Source;
use crate::forms::Line;
use crate::hir::{Body, Expr, Kind, Var, VarId};
use bt_syntax::{Node, TextRange};
use scope::{Boundary, Scope};
use std::collections::BTreeSet;

/// Deepest nesting that is compiled; the parser's own limit is lower.
const MAX_DEPTH: u32 = 2_000;

/// Most arguments of a message: Erlang functions take 255 and the dispatchers need three.
pub(crate) const MAX_ARGS: usize = 250;

/// Longest selector, and longest name of a field: an atom holds 255 characters, and local functions
/// carry a prefix before it and a loop's number behind it. Of classes, whose names are no business of
/// the generator, `bte_definitions` asks the same.
pub(crate) const MAX_NAME: usize = 240;

/// What a body can see of its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An instance method of a class of this kind.
    Instance(ClassKind),
    /// A class method.
    Class,
    /// A default of a field: no receiver.
    Default,
    /// The prompt: no receiver, unknown classes are errors.
    Prompt,
}

/// What stays the same over the bodies of one class.
pub(crate) struct Env<'a> {
    pub(crate) names: &'a Names,
    pub(crate) fields: &'a [String],
    pub(crate) class_fields: &'a [String],
}

/// What compiling finds besides code.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) late: BTreeSet<QualifiedName>,
}

/// Lowers one body.
pub(crate) struct Lowerer<'a, 'f> {
    env: &'a Env<'a>,
    source: &'a Source<'a>,
    place: Place,
    findings: &'f mut Findings,
    vars: Vec<Var>,
    scopes: Vec<Scope>,
    boundaries: Vec<Boundary>,
    /// Variables whose first assignment is being lowered: name, scope, and the variable if a block
    /// in
    /// the value has asked for it.
    pending: Vec<Pending>,
    clock: u32,
    depth: u32,
    n_blocks: usize,
    n_returns: u32,
    in_guard: bool,
    /// The line of the message being lowered, for what has no place of its own.
    line: Line,
}

struct Pending {
    name: String,
    scope: usize,
    var: Option<VarId>,
}

impl<'a, 'f> Lowerer<'a, 'f> {
    pub(crate) fn new(
        env: &'a Env<'a>,
        source: &'a Source<'a>,
        place: Place,
        findings: &'f mut Findings,
    ) -> Self {
        let mut lowerer = Self {
            env,
            source,
            place,
            findings,
            vars: Vec::new(),
            scopes: vec![Scope::default()],
            boundaries: Vec::new(),
            pending: Vec::new(),
            clock: 0,
            depth: 0,
            n_blocks: 0,
            n_returns: 0,
            in_guard: false,
            line: 1,
        };
        // The first two variables are SELF and HOME; no name in a unit finds them.
        lowerer.new_var(true);
        lowerer.new_var(true);
        lowerer
    }

    /// Declares a parameter of the body itself.
    pub(crate) fn param(&mut self, name: &str, span: TextRange) -> VarId {
        self.check_local_name(name, span);
        self.declare(name, true)
    }

    /// Declares a name of the session, which can be assigned.
    pub(crate) fn session_name(&mut self, name: &str) -> VarId {
        self.declare(name, false)
    }

    /// Lowers the statements; after it the lowerer holds the body's variables.
    pub(crate) fn statements(&mut self, nodes: &[Node<'a>]) -> Vec<Expr> {
        nodes.iter().filter_map(|node| self.statement(*node)).collect()
    }

    /// The variables of the outermost scope, in order of declaration.
    pub(crate) fn root_names(&self) -> Vec<(String, VarId)> {
        self.scopes.first().map(Scope::names).unwrap_or_default()
    }

    /// Ends the body.
    pub(crate) fn finish(self, line: Line, params: Vec<VarId>, stmts: Vec<Expr>) -> Body {
        Body { line, params, stmts, vars: self.vars, n_blocks: self.n_blocks }
    }

    pub(crate) fn line_of(&self, node: Node<'a>) -> Line {
        self.source.line(u32::from(node.span().start()))
    }

    fn expr_at(&self, node: Node<'a>, kind: Kind) -> Expr {
        Expr { line: self.line_of(node), kind }
    }

    /// Notes an error; what could not be lowered becomes nil, and nothing is generated in the end.
    fn error(&mut self, span: TextRange, code: &'static str, message: String) -> Kind {
        self.findings.errors.push(self.source.diagnostic(span, code, message));
        Kind::Nil
    }

    fn error_with_hint(
        &mut self,
        span: TextRange,
        code: &'static str,
        message: String,
        hint: &str,
    ) -> Kind {
        let mut error = self.source.diagnostic(span, code, message);
        error.hint = Some(hint.to_owned());
        self.findings.errors.push(error);
        Kind::Nil
    }

    fn unsupported(&mut self, span: TextRange, what: &str) -> Kind {
        self.error(span, "compile.unsupported", format!("{what} is not supported"))
    }
}
