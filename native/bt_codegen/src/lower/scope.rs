//! Names of variables: scopes, captures and assignments.

use super::{Lowerer, Pending, Place};
use crate::hir::{Kind, Var, VarId, VarSet, HOME, SELF};
use bt_syntax::{Node, TextRange};

/// The variables declared in one list of statements, one block or one arm.
#[derive(Default)]
pub(super) struct Scope {
    names: Vec<(String, VarId)>,
    /// How many boundaries stood around it when it was opened.
    depth: usize,
}

impl Scope {
    pub(super) fn names(&self) -> Vec<(String, VarId)> {
        self.names.clone()
    }
}

/// A construct whose code is a function of its own.
pub(super) struct Boundary {
    kind: BoundaryKind,
    pub(super) uses: VarSet,
    pub(super) assigns: VarSet,
    start: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundaryKind {
    /// A loop in line.
    Loop,
    /// A real block; kept is whether it may outlive the message it is an argument of.
    Block { kept: bool },
}

impl<'a> Lowerer<'a, '_> {
    pub(super) fn new_var(&mut self, is_param: bool) -> VarId {
        self.vars.push(Var {
            is_param,
            depth: self.boundaries.len(),
            first_capture: None,
            last_assign: 0,
            assigned_inside: false,
            escapes: false,
        });
        self.vars.len() - 1
    }

    /// A variable that no name in the unit finds.
    pub(super) fn hidden_var(&mut self) -> VarId {
        self.new_var(true)
    }

    pub(super) fn declare(&mut self, name: &str, is_param: bool) -> VarId {
        let var = self.new_var(is_param);
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.push((name.to_owned(), var));
        }
        var
    }

    pub(super) fn in_scope<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope { names: Vec::new(), depth: self.boundaries.len() });
        let value = body(self);
        self.scopes.pop();
        value
    }

    /// Runs `body` as the inside of a block or loop; answers what it has from outside and what of
    /// that
    /// it assigns.
    pub(super) fn in_boundary<T>(
        &mut self,
        kind: BoundaryKind,
        body: impl FnOnce(&mut Self) -> T,
    ) -> (T, VarSet, VarSet) {
        let start = self.clock;
        let (uses, assigns) = (VarSet::new(), VarSet::new());
        self.boundaries.push(Boundary { kind, uses, assigns, start });
        let value = self.in_scope(body);
        match self.boundaries.pop() {
            Some(boundary) => (value, boundary.uses, boundary.assigns),
            None => (value, VarSet::new(), VarSet::new()),
        }
    }

    pub(super) fn in_real_block(&self) -> bool {
        self.boundaries.iter().any(|boundary| boundary.kind != BoundaryKind::Loop)
    }

    fn lookup(&self, name: &str) -> Option<VarId> {
        let names = self.scopes.iter().rev().flat_map(|scope| scope.names.iter().rev());
        names.into_iter().find(|(known, _)| known == name).map(|(_, var)| *var)
    }

    /// The variable of a name, as a use of it at this point.
    pub(super) fn use_name(&mut self, name: &str) -> Option<VarId> {
        let var = self.lookup(name)?;
        self.touch(var);
        Some(var)
    }

    /// A variable whose first value is being computed, for a block in that value.
    pub(super) fn use_pending(&mut self, name: &str) -> Option<VarId> {
        let at = self.pending.iter().rposition(|pending| pending.name == name)?;
        let (scope, known) = self.pending.get(at).map(|p| (p.scope, p.var))?;
        let depth = self.scopes.get(scope).map_or(0, |scope| scope.depth);
        let crossed = self.boundaries.get(depth..).unwrap_or(&[]);
        if !crossed.iter().any(|boundary| boundary.kind != BoundaryKind::Loop) {
            return None;
        }
        let var = known.unwrap_or_else(|| self.declare_early(name, scope, depth));
        if let Some(pending) = self.pending.get_mut(at) {
            pending.var = Some(var);
        }
        self.touch(var);
        Some(var)
    }

    fn declare_early(&mut self, name: &str, scope: usize, depth: usize) -> VarId {
        let var = self.new_var(false);
        if let Some(data) = self.vars.get_mut(var) {
            data.depth = depth;
        }
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.names.push((name.to_owned(), var));
        }
        var
    }

    /// Notes a use of a variable for all boundaries between here and where it stands.
    pub(super) fn touch(&mut self, var: VarId) {
        let Some(data) = self.vars.get_mut(var) else { return };
        for boundary in self.boundaries.iter_mut().skip(data.depth) {
            boundary.uses.insert(var);
            if let BoundaryKind::Block { kept } = boundary.kind {
                data.escapes |= kept;
                let first = data.first_capture.unwrap_or(boundary.start);
                data.first_capture = Some(first.min(boundary.start));
            }
        }
    }

    /// Notes an assignment.
    pub(super) fn assigned(&mut self, var: VarId) {
        self.touch(var);
        self.clock += 1;
        let Some(data) = self.vars.get_mut(var) else { return };
        data.last_assign = self.clock;
        for boundary in self.boundaries.iter_mut().skip(data.depth) {
            boundary.assigns.insert(var);
            data.assigned_inside = true;
        }
    }

    /// The receiver, where there is one.
    pub(super) fn receiver(&mut self, span: TextRange) -> Kind {
        match self.place {
            Place::Instance(_) | Place::Class => {
                self.touch(SELF);
                Kind::Var(SELF)
            }
            Place::Default => {
                let message = "self is not available in the default of a field".to_owned();
                self.error(span, "compile.no_self", message)
            }
            Place::Prompt => {
                let message = "self is not available at the prompt".to_owned();
                self.error(span, "compile.no_self", message)
            }
        }
    }

    /// A use of the receiver's state: a real block needs the receiver, to check that it still runs
    /// in the
    /// receiver's process.
    pub(super) fn use_state(&mut self) {
        if self.in_real_block() {
            self.touch(SELF);
        }
    }

    /// The reference of the method's activation, as a use of it in a real block.
    pub(super) fn use_home(&mut self) {
        self.touch(HOME);
    }

    /// Runs `value` as the first value of a name that may be new; answers the variable and whether
    /// a
    /// block in the value has it.
    pub(super) fn assign_name<T>(
        &mut self,
        name: &str,
        value: impl FnOnce(&mut Self) -> T,
    ) -> (T, VarId, bool) {
        let known = self.lookup(name);
        let scope = self.scopes.len() - 1;
        let pending = self.pending.len();
        if known.is_none() {
            self.pending.push(Pending { name: name.to_owned(), scope, var: None });
        }
        let value = value(self);
        let early = self.pending.get(pending).and_then(|p| p.var);
        self.pending.truncate(pending);
        let var = match (early, known.or_else(|| self.lookup(name))) {
            (Some(var), _) | (None, Some(var)) => var,
            (None, None) => self.declare(name, false),
        };
        self.assigned(var);
        (value, var, early.is_some())
    }

    /// Refuses a target that cannot be assigned.
    pub(super) fn check_target(&mut self, name: &str, node: Node<'a>) {
        self.check_local_name(name, node.span());
        if name.starts_with(|first: char| first.is_ascii_uppercase()) {
            let message = format!("'{name}' reads as a class and cannot be assigned");
            let hint = "The name of a variable starts with a lower-case letter.";
            self.error_with_hint(node.span(), "compile.assign_class", message, hint);
            return;
        }
        let Some(var) = self.lookup(name) else {
            if self.in_guard {
                self.unsupported(node.span(), "an assignment in a guard");
            }
            return self.warn_shadow(name, node.span());
        };
        if self.in_guard {
            self.unsupported(node.span(), "an assignment in a guard");
        }
        if self.vars.get(var).is_some_and(|data| data.is_param) {
            let message = format!("parameter '{name}' cannot be assigned");
            let hint = "Use a local variable with another name.";
            self.error_with_hint(node.span(), "compile.assign_parameter", message, hint);
        }
    }

    fn warn_shadow(&mut self, name: &str, span: TextRange) {
        if self.visible_fields().iter().any(|field| field == name) {
            let message = format!("'{name}' is a new local variable here, not the field");
            let mut warning = self.source.diagnostic(span, "compile.shadows_field", message);
            warning.hint = Some(format!("Write self.{name} := … to change the field."));
            self.findings.warnings.push(warning);
        }
    }

    pub(super) fn visible_fields(&self) -> &'a [String] {
        match self.place {
            Place::Instance(_) => self.env.fields,
            Place::Class => self.env.class_fields,
            Place::Default | Place::Prompt => &[],
        }
    }

    pub(super) fn check_local_name(&mut self, name: &str, span: TextRange) {
        if name.starts_with("__") {
            let message = format!("'{name}' starts with two underscores, which is reserved");
            self.error(span, "compile.reserved_name", message);
        }
    }

    /// Checks that a text can become an atom.
    pub(super) fn check_atom(&mut self, text: &str, limit: usize, span: TextRange) {
        if text.chars().count() > limit {
            let message = format!("a name of more than {limit} characters");
            self.error(span, "compile.name_too_long", message);
        }
    }
}
