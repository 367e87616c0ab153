//! Fields: their checks, their defaults, and the members that a value class gets for them.

use super::{function_name, Builder, Member};
use crate::api::ClassKind;
use crate::convention;
use crate::forms::{self, Line};
use crate::gen::FnGen;
use crate::lower::{capitalized, Lowerer, Place, MAX_ARGS, MAX_NAME};
use crate::term::Term;
use bt_syntax::ast::{Field, FieldKind};
use bt_syntax::Side;

impl<'a> Builder<'a> {
    pub(super) fn check_fields(&mut self) {
        let mut seen: Vec<(bool, &str)> = Vec::new();
        for field in self.class.fields() {
            let Some(name) = field.name() else { continue };
            let key = (field.kind() == FieldKind::ClassState, name.text());
            if seen.contains(&key) {
                let message = format!("field '{}' is declared twice", name.text());
                self.field_error(field, "compile.duplicate_field", message);
            }
            seen.push(key);
            if name.text().starts_with("__") {
                let message = format!("field name '{}' is reserved", name.text());
                self.field_error(field, "compile.reserved_name", message);
            }
            if name.text().len() > MAX_NAME {
                let message = format!("a field name of more than {MAX_NAME} characters");
                self.field_error(field, "compile.name_too_long", message);
            }
            self.check_field_kind(field);
        }
    }

    fn check_field_kind(&mut self, field: Field<'a>) {
        let (wanted, what) = match self.input.kind {
            ClassKind::Value => (Some(FieldKind::Field), "a value class declares field:"),
            ClassKind::Actor => (Some(FieldKind::State), "an actor class declares state:"),
            ClassKind::Object => (None, "a class of objects has no data of its own"),
        };
        if field.kind() != FieldKind::ClassState && wanted != Some(field.kind()) {
            self.field_error(field, "compile.field_kind", what.to_owned());
        }
    }

    fn field_error(&mut self, field: Field<'a>, code: &'static str, message: String) {
        let span = field.name().map_or_else(|| field.node().span(), |name| name.span());
        self.findings.errors.push(self.source.diagnostic(span, code, message));
    }

    fn own_fields(&self, kind: FieldKind) -> Vec<Field<'a>> {
        let fields = self.class.fields().into_iter();
        let is_class_side = kind == FieldKind::ClassState;
        fields.filter(|field| (field.kind() == FieldKind::ClassState) == is_class_side).collect()
    }

    /// The clause for the defaults of one side, where the class has fields there: the inherited
    /// map with the own defaults put in. A root has it in any case, since nobody stands above it.
    pub(super) fn defaults(&mut self, kind: FieldKind) -> Option<Term> {
        let (side, name) = match kind {
            FieldKind::ClassState => (Side::Class, "$class_state"),
            _ => (Side::Instance, "$fields"),
        };
        let mut code = Vec::new();
        let mut next = 0;
        let mut entries = Vec::new();
        let kept = self.input.block_ids.methods.get(&(side, name.to_owned()));
        let kept = kept.cloned().unwrap_or_default();
        let mut used: Vec<u64> = Vec::new();
        for field in self.own_fields(kind) {
            let Some(declared) = field.name() else { continue };
            let line = self.source.line(u32::from(declared.span().start()));
            let (before, value, after) = self.default(field, line, next, &kept, &mut used);
            next = after;
            code.extend(before);
            entries.push((forms::name(line, declared.text()), value));
        }
        if !used.is_empty() {
            self.block_ids.methods.insert((side, name.to_owned()), used);
        }
        match self.input.superclass {
            None => code.push(forms::map(1, entries)),
            Some(_) if entries.is_empty() => return None,
            Some(superclass) => {
                let inherited = convention::ask(superclass, name);
                code.push(forms::map_put(1, inherited, entries));
            }
        }
        Some(convention::told(name, code))
    }

    fn default(
        &mut self,
        field: Field<'a>,
        line: Line,
        next: u32,
        kept: &[u64],
        used: &mut Vec<u64>,
    ) -> (Vec<Term>, Term, u32) {
        let Some(node) = field.default() else {
            return (Vec::new(), forms::atom(line, "nil"), next);
        };
        let mut lowerer = Lowerer::new(&self.env, self.source, Place::Default, &mut self.findings);
        let stmts = lowerer.statements(&[node]);
        let body = lowerer.finish(line, Vec::new(), stmts);
        let first = used.len();
        for at in first..first + body.n_blocks {
            let id = kept.get(at).copied().unwrap_or_else(|| {
                self.block_ids.next += 1;
                self.block_ids.next - 1
            });
            used.push(id);
        }
        let name = field.name().map_or("", |name| name.text());
        let label = format!("$default:{name}");
        let ids = used.get(first..).unwrap_or(&[]);
        let target = self.target();
        let gen = FnGen::new(target, Side::Instance, &label, &body, ids, &mut self.emitted);
        let (before, value, next) = gen.default_value(&body, next);
        (before, forms::var(line, value), next)
    }

    /// Getters, copy-setters and the keyword constructor of a value class, where the user has none.
    pub(super) fn generated_members(&mut self) {
        if self.input.kind != ClassKind::Value {
            return;
        }
        let fields = self.own_fields(FieldKind::Field);
        let names = fields.into_iter().filter_map(|field| {
            let name = field.name()?;
            Some((name.text(), self.source.line(u32::from(name.span().start()))))
        });
        let names: Vec<_> = names.collect();
        for (name, line) in &names {
            self.getter(name, *line);
            self.copy_setter(name, *line);
        }
        self.constructor(&names);
    }

    fn getter(&mut self, name: &str, line: Line) {
        let receiver = forms::var(line, 1);
        let value = forms::bif(line, "map_get", vec![forms::name(line, name), receiver]);
        self.generate(Side::Instance, name.to_owned(), 0, line, value);
    }

    fn copy_setter(&mut self, name: &str, line: Line) {
        let entry = (forms::name(line, name), forms::var(line, 2));
        let copy = forms::map_update(line, forms::var(line, 1), vec![entry]);
        self.generate(Side::Instance, format!("with{}:", capitalized(name)), 1, line, copy);
    }

    fn constructor(&mut self, names: &[(&str, Line)]) {
        let Some((_, line)) = names.first() else { return };
        let selector: String = names.iter().map(|(name, _)| format!("{name}:")).collect();
        let n_names = names.len();
        if selector.len() > MAX_NAME || n_names > MAX_ARGS {
            return;
        }
        let entries = names
            .iter()
            .enumerate()
            .map(|(at, (name, _))| (forms::name(*line, name), forms::var(*line, at as u32 + 2)));
        let fields = forms::map(*line, entries.collect());
        let args = vec![forms::var(*line, 1), fields];
        let made = forms::remote(*line, "bte_object", "construct", args);
        self.generate(Side::Class, selector, n_names, *line, made);
    }

    fn generate(&mut self, side: Side, selector: String, n_params: usize, line: Line, code: Term) {
        if self.has_member(side, &selector) {
            return;
        }
        let params = (1..=n_params as u32 + 1).map(|number| forms::var(line, number)).collect();
        let clause = forms::clause(line, params, Vec::new(), vec![code]);
        let name = function_name(side, &selector);
        self.functions.push(forms::function(line, &name, n_params + 1, vec![clause]));
        self.members.push(Member { side, selector, n_params, in_server: false });
    }
}
