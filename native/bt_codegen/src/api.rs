//! What goes into the generator and what comes out. The shapes mirror `docs/interfaces.md`.

use crate::etf::Forms;
use bt_syntax::{Side, TextRange, Unit};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What the instances of a class are; decided by its chain of ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// A class without data of its own.
    Object,
    /// An immutable value.
    Value,
    /// A process.
    Actor,
}

/// What a class name stands for. Both hold the identity of a class: its module atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The class itself.
    Class(String),
    /// The only instance of the class (`Transcript`).
    Singleton(String),
}

/// A class name as it stands in a unit: perhaps with a package before `@`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedName {
    /// The package before `@`.
    pub package: Option<String>,
    /// The name.
    pub name: String,
}

/// What the class names of a unit stand for.
#[derive(Clone, Debug, Default)]
pub struct Names {
    map: FxHashMap<QualifiedName, Resolved>,
}

impl Names {
    /// Adds a name.
    pub fn insert(&mut self, package: Option<&str>, name: &str, resolved: Resolved) {
        let package = package.map(str::to_owned);
        self.map.insert(QualifiedName { package, name: name.to_owned() }, resolved);
    }

    /// What a name stands for, if it is known.
    #[must_use]
    pub fn get(&self, name: &QualifiedName) -> Option<&Resolved> {
        self.map.get(name)
    }
}

/// Ids of the literal blocks of a class.
///
/// Keys are a side and a selector; the blocks in field defaults stand under the selectors `$fields`
/// (instance) and `$class_state` (class).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockIds {
    /// The next id that was never used.
    pub next: u64,
    /// The ids of a method's blocks in order of appearance, nested ones after the one they stand
    /// in;
    /// blocks that are compiled in line have none.
    pub methods: BTreeMap<(Side, String), Vec<u64>>,
}

/// A method of another unit that is compiled into the class.
#[derive(Clone, Debug)]
pub struct ExtensionInput<'a> {
    /// The unit it stands in.
    pub unit: &'a Unit,
    /// The unit's file, for errors.
    pub file: &'a str,
    /// Any span within the extension's header (its name's, usually).
    pub span: TextRange,
}

/// A renamed method that still answers to its old selector when the sender is older than the
/// rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drain {
    /// The side of the method.
    pub side: Side,
    /// The selector before the rename.
    pub old: String,
    /// The selector it has now.
    pub new: String,
    /// The generation of the rename: older senders are served.
    pub generation: u64,
    /// The key of the row that says whether it is still needed.
    pub row: u64,
}

/// One class to compile.
#[derive(Clone, Debug)]
pub struct ClassInput<'a> {
    /// The unit that defines the class.
    pub unit: &'a Unit,
    /// The unit's file, for errors only: forms do not depend on it.
    pub file: &'a str,
    /// The name of the class in the unit.
    pub class: &'a str,
    /// The class's module atom.
    pub identity: &'a str,
    /// The superclass's module atom; `None` for a root.
    pub superclass: Option<&'a str>,
    /// What the instances are.
    pub kind: ClassKind,
    /// Whether the class or an ancestor declares class state.
    pub class_state: bool,
    /// All fields of the instances, inherited ones first.
    pub fields: &'a [String],
    /// All class-side fields, inherited ones first.
    pub class_fields: &'a [String],
    /// What class names stand for.
    pub names: &'a Names,
    /// Methods of other units, in the order they are to be put in.
    pub extensions: &'a [ExtensionInput<'a>],
    /// Ids to keep.
    pub block_ids: &'a BlockIds,
    /// Old selectors to serve.
    pub drains: &'a [Drain],
    /// Whether the class belongs to the standard library and may name primitives.
    pub stdlib: bool,
}

/// A compiled class.
#[derive(Clone, Debug)]
pub struct ClassOutput {
    /// The abstract forms in external term format: a list of forms.
    pub forms: Forms,
    /// The ids that the blocks have got, and the next one.
    pub block_ids: BlockIds,
    /// Names that are looked up when run, sorted, each once.
    pub late: Vec<QualifiedName>,
    /// Selectors of the instance side in order of clauses, generated ones included.
    pub instance_selectors: Vec<String>,
    /// The same of the class side.
    pub class_selectors: Vec<String>,
    /// What does not stop the compilation.
    pub warnings: Vec<Diagnostic>,
}

/// The statements of one input at the prompt.
#[derive(Clone, Debug)]
pub struct PromptInput<'a> {
    /// The parsed input.
    pub unit: &'a Unit,
    /// The name of the input, for errors.
    pub file: &'a str,
    /// What class names stand for.
    pub names: &'a Names,
    /// The names bound in the session.
    pub bindings: &'a [String],
    /// Those of them that live in cells already.
    pub cells: &'a [String],
    /// The generation the code is compiled in.
    pub generation: u64,
}

/// A compiled input.
#[derive(Clone, Debug)]
pub struct PromptOutput {
    /// In external term format: a list with a list of expressions for each statement.
    pub exprs: Vec<u8>,
    /// The Erlang variables that must be bound before the first statement, for the names given as
    /// bindings
    /// that the input uses: name and variable.
    pub variables: Vec<(String, String)>,
    /// For each statement the names it has given a new value, and the variable that holds it
    /// afterwards.
    pub assigned: Vec<Vec<(String, String)>>,
    /// The names whose variables hold cells, before and after: a block of the input has captured
    /// them.
    pub cells: Vec<String>,
    /// Names that are looked up when run. Always empty so far: an unknown class is an error here.
    pub late: Vec<QualifiedName>,
    /// What does not stop the compilation.
    pub warnings: Vec<Diagnostic>,
}

/// Something to tell about a place in a unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{col}: {message}")]
pub struct Diagnostic {
    /// The file given with the unit.
    pub file: String,
    /// The place, in bytes.
    pub span: TextRange,
    /// Its line, from 1.
    pub line: u32,
    /// Its column in code points, from 1.
    pub col: u32,
    /// Stable code, `compile.…` or `syntax.…`.
    pub code: &'static str,
    /// One line for people.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// An error: nothing was generated.
pub type CompileError = Diagnostic;
