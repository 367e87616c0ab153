//! Beamtalk to Erlang abstract forms.
//!
//! Pure functions from a unit's tree to forms in external term format; `docs/conventions.md` says
//! what
//! the forms call and export. The crate loads nothing and knows no files. Forms do not depend on
//! the
//! names of classes or files: renaming a class gives equal forms.
//!
//! The road: `lower` resolves names and recognises control selectors ([`hir`]), `gen` makes forms
//! of
//! that, `class` and `prompt` put them together, `etf` encodes. Tested in `src/tests/` on the
//! printed
//! forms and by Common Test suites that run what was compiled.

mod api;
mod class;
mod convention;
mod diag;
mod etf;
mod forms;
mod gen;
mod hir;
mod literal;
mod lower;
mod pretty;
mod prompt;
mod term;
#[cfg(test)]
mod tests;

pub use api::{
    BlockIds, ClassInput, ClassKind, ClassOutput, CompileError, Diagnostic, Drain, ExtensionInput,
    Names, PromptInput, PromptOutput, QualifiedName, Resolved,
};
pub use etf::Forms;

/// Stack of the thread that generates: the passes recurse over the tree, and a list of guarded
/// returns
/// nests as deep as it is long. Only what is used is ever mapped.
const STACK_BYTES: usize = 512 << 20;

/// Compiles one class.
///
/// # Errors
/// All the problems found, in order of position.
pub fn compile_class(input: &ClassInput<'_>) -> Result<ClassOutput, Vec<CompileError>> {
    on_own_stack(|| {
        let (forms, output) = class::build(input)?;
        Ok(ClassOutput { forms: etf::encode(&forms), ..output })
    })
}

/// Compiles the statements of an input at the prompt.
///
/// # Errors
/// All the problems found, in order of position.
pub fn compile_prompt(input: &PromptInput<'_>) -> Result<PromptOutput, Vec<CompileError>> {
    on_own_stack(|| {
        let (exprs, output) = prompt::build(input)?;
        Ok(PromptOutput { exprs: etf::encode(&exprs).in_generation(input.generation), ..output })
    })
}

/// The forms of a class as Erlang text, for people and tests.
///
/// # Errors
/// Those of [`compile_class`].
pub fn print_class(input: &ClassInput<'_>) -> Result<String, Vec<CompileError>> {
    on_own_stack(|| class::build(input).map(|(forms, _)| pretty::forms(&forms)))
}

/// The expressions of an input at the prompt as Erlang text, a line for each statement.
///
/// # Errors
/// Those of [`compile_prompt`].
pub fn print_prompt(input: &PromptInput<'_>) -> Result<String, Vec<CompileError>> {
    on_own_stack(|| prompt::build(input).map(|(exprs, _)| pretty::statements(&exprs)))
}

/// Runs the passes where deep trees cannot overflow the caller's stack; a scheduler's is small.
fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, work).map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => std::panic::panic_any(format!("no thread to compile in: {error}")),
        }
    })
}
