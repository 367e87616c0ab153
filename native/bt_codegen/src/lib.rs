//! Beamtalk to Erlang abstract forms.
//!
//! Pure functions from a unit's tree to forms in external term format; `docs/conventions.md` says what
//! the forms call and export. The crate loads nothing and knows no files. Forms do not depend on the
//! names of classes or files: renaming a class gives equal forms.

mod api;

pub use api::{
    BlockIds, ClassInput, ClassKind, ClassOutput, CompileError, Diagnostic, Drain, ExtensionInput,
    Names, PromptInput, PromptOutput, QualifiedName, Resolved,
};

/// Compiles one class.
///
/// # Errors
/// All the problems found, in order of position.
pub fn compile_class(input: &ClassInput<'_>) -> Result<ClassOutput, Vec<CompileError>> {
    let _ = input;
    Err(Vec::new())
}

/// Compiles the statements of an input at the prompt.
///
/// # Errors
/// All the problems found, in order of position.
pub fn compile_prompt(input: &PromptInput<'_>) -> Result<PromptOutput, Vec<CompileError>> {
    let _ = input;
    Err(Vec::new())
}
