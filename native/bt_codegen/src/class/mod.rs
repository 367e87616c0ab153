//! One class: its methods, its fields, its generated members, and the module that holds them.

mod definitions;
mod dispatch;
mod fields;
mod method;

use crate::api::{BlockIds, ClassInput, ClassKind, ClassOutput, Diagnostic};
use crate::convention;
use crate::diag::Source;
use crate::etf::Forms;
use crate::forms;
use crate::gen::{Emitted, Target};
use crate::lower::{Env, Findings};
use crate::term::Term;
use bt_syntax::ast::{Class, FieldKind};
use bt_syntax::{NodeKind, Side};
use definitions::Definition;

/// A method of the finished module.
pub(super) struct Member {
    pub(super) side: Side,
    pub(super) selector: String,
    pub(super) n_params: usize,
    /// It runs in the class server.
    pub(super) in_server: bool,
}

impl Member {
    /// The local function that holds the body.
    pub(super) fn function(&self) -> String {
        function_name(self.side, &self.selector)
    }
}

fn function_name(side: Side, selector: &str) -> String {
    match side {
        Side::Instance => format!("i:{selector}"),
        Side::Class => format!("c:{selector}"),
    }
}

/// The class while it is compiled.
pub(super) struct Builder<'a> {
    pub(super) input: &'a ClassInput<'a>,
    pub(super) class: Class<'a>,
    pub(super) source: &'a Source<'a>,
    pub(super) env: Env<'a>,
    pub(super) findings: Findings,
    pub(super) emitted: Emitted,
    pub(super) functions: Vec<Term>,
    pub(super) members: Vec<Member>,
    pub(super) block_ids: BlockIds,
}

/// Compiles a class to forms that are not encoded yet.
pub(crate) fn build(input: &ClassInput<'_>) -> Result<(Term, ClassOutput), Vec<Diagnostic>> {
    let sources = sources(input)?;
    let Some(source) = sources.first() else { return Err(Vec::new()) };
    let Some(class) = find_class(input) else {
        let span = input.unit.root().span();
        let message = format!("the file does not define class '{}'", input.class);
        return Err(vec![source.diagnostic(span, "compile.class_not_found", message)]);
    };
    let env = Env { names: input.names, fields: input.fields, class_fields: input.class_fields };
    let builder = Builder {
        input,
        class,
        source,
        env,
        findings: Findings::default(),
        emitted: Emitted::default(),
        functions: Vec::new(),
        members: Vec::new(),
        block_ids: BlockIds { next: input.block_ids.next, ..BlockIds::default() },
    };
    builder.build(&sources)
}

/// The unit of the class and those of its extensions; their syntax errors when they have any.
fn sources<'a>(input: &'a ClassInput<'a>) -> Result<Vec<Source<'a>>, Vec<Diagnostic>> {
    let mut sources = vec![Source::new(input.unit, input.file)];
    for extension in input.extensions {
        sources.push(Source::new(extension.unit, extension.file));
    }
    let mut errors: Vec<_> = sources.iter().flat_map(Source::syntax_errors).collect();
    errors.dedup();
    if errors.is_empty() {
        return Ok(sources);
    }
    Err(errors)
}

fn find_class<'a>(input: &'a ClassInput<'a>) -> Option<Class<'a>> {
    let classes = input.unit.root().children_of(NodeKind::Class);
    let mut classes = classes.into_iter().filter_map(Class::cast);
    classes.find(|class| class.name().is_some_and(|name| name.text() == input.class))
}

impl<'a> Builder<'a> {
    fn build(mut self, sources: &'a [Source<'a>]) -> Result<(Term, ClassOutput), Vec<Diagnostic>> {
        self.check_fields();
        let definitions = self.definitions(sources);
        for definition in &definitions {
            self.method(definition);
        }
        self.generated_members();
        let told = self.told();
        if !self.findings.errors.is_empty() {
            return Err(self.sorted_errors());
        }
        let mut forms = self.head();
        forms.push(self.dispatcher(Side::Instance, Vec::new()));
        forms.push(self.dispatcher(Side::Class, told));
        forms.push(self.block_function());
        forms.append(&mut self.functions);
        forms.append(&mut self.emitted.functions);
        forms.extend(self.number_functions());
        Ok((Term::List(forms), self.output()))
    }

    fn sorted_errors(self) -> Vec<Diagnostic> {
        let mut errors = self.findings.errors;
        errors.sort_by(|a, b| {
            (&a.file, a.span.start(), a.code).cmp(&(&b.file, b.span.start(), b.code))
        });
        errors
    }

    fn output(self) -> ClassOutput {
        let of = |side| {
            let members = self.members.iter().filter(move |member| member.side == side);
            members.map(|member| member.selector.clone()).collect::<Vec<_>>()
        };
        ClassOutput {
            forms: Forms::default(),
            instance_selectors: of(Side::Instance),
            class_selectors: of(Side::Class),
            block_ids: self.block_ids,
            late: self.findings.late.into_iter().collect(),
            warnings: self.findings.warnings,
        }
    }

    pub(super) fn target(&self) -> Target<'a> {
        Target { module: Some(self.input.identity), superclass: self.input.superclass }
    }

    /// The ids of a body's blocks: those it had, then new ones.
    pub(super) fn take_ids(&mut self, side: Side, selector: &str, n_blocks: usize) -> Vec<u64> {
        if n_blocks == 0 {
            return Vec::new();
        }
        let key = (side, selector.to_owned());
        let mut ids = self.input.block_ids.methods.get(&key).cloned().unwrap_or_default();
        ids.truncate(n_blocks);
        while ids.len() < n_blocks {
            ids.push(self.block_ids.next);
            self.block_ids.next += 1;
        }
        self.block_ids.methods.insert(key, ids.clone());
        ids
    }

    /// What the class tells of itself on its class side: what it is, and the defaults of its
    /// fields.
    fn told(&mut self) -> Vec<Term> {
        let mut clauses = vec![convention::told("$info", vec![self.info()])];
        clauses.extend(self.defaults(FieldKind::Field));
        clauses.extend(self.defaults(FieldKind::ClassState));
        clauses
    }

    fn info(&self) -> Term {
        let name = |text: &str| forms::name(1, text);
        let superclass = self.input.superclass.map_or_else(|| forms::atom(1, "nil"), name);
        let kind = match self.input.kind {
            ClassKind::Object => "object",
            ClassKind::Value => "value",
            ClassKind::Actor => "actor",
        };
        let own = self.class.fields().into_iter();
        let own = own.filter(|field| field.kind() != FieldKind::ClassState);
        let own = own.filter_map(|field| field.name()).map(|field| name(field.text()));
        let modifiers = ["abstract", "sealed", "typed", "internal"];
        let modifiers = modifiers.iter().filter(|word| self.class.has_modifier(word));
        let modifiers = modifiers.map(|word| forms::atom(1, word)).collect();
        let selectors = |side| {
            let members = self.members.iter().filter(|member| member.side == side);
            forms::list(1, members.map(|member| name(&member.selector)).collect(), None)
        };
        let methods = forms::map(
            1,
            vec![
                (forms::atom(1, "instance"), selectors(Side::Instance)),
                (forms::atom(1, "class"), selectors(Side::Class)),
            ],
        );
        let entries = vec![
            (forms::atom(1, "identity"), name(self.input.identity)),
            (forms::atom(1, "superclass"), superclass),
            (forms::atom(1, "kind"), forms::atom(1, kind)),
            (forms::atom(1, "generation"), forms::generation(1)),
            (forms::atom(1, "fields"), forms::list(1, own.collect(), None)),
            (forms::atom(1, "modifiers"), forms::list(1, modifiers, None)),
            (forms::atom(1, "methods"), methods),
        ];
        forms::map(1, entries)
    }

    /// Whether a member is defined already: by the user, then nothing is generated.
    pub(super) fn has_member(&self, side: Side, selector: &str) -> bool {
        self.members.iter().any(|member| member.side == side && member.selector == selector)
    }

    fn error(&mut self, definition: &Definition<'a>, code: &'static str, text: String) {
        let span = definition.span();
        self.findings.errors.push(definition.source.diagnostic(span, code, text));
    }
}
