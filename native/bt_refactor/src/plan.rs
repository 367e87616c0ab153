//! What a request would do: a value to show, store and apply.

use bt_syntax::Side;
use bt_xref::Site;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How sure it is that a candidate means the renamed thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// The receiver's static type is of the class's line and cannot be anything else.
    Certain,
    /// The receiver's type is unknown or partly related.
    Possible,
    /// A symbol of that name.
    Symbol,
    /// A name in a fenced example of a doc comment.
    Doc,
}

impl Evidence {
    /// Its name outside of this crate.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Possible => "possible",
            Self::Symbol => "symbol",
            Self::Doc => "doc",
        }
    }
}

/// A site that is rewritten only when the caller accepts it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Where.
    pub site: Site,
    /// How sure.
    pub evidence: Evidence,
    /// Why, in one line.
    pub because: String,
}

/// Something the caller should know; nothing that stops the plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// Stable code (docs/errors.md).
    pub code: &'static str,
    /// One line for people.
    pub message: String,
}

/// Mentions of a name in comments and strings; never edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    /// How many.
    pub count: usize,
    /// In how many files.
    pub files: usize,
    /// Each of them.
    pub mentions: Vec<Site>,
}

impl Prose {
    /// The mentions that are not in a file.
    pub(crate) fn outside(mut self, file: &str) -> Self {
        self.mentions.retain(|site| *site.file != *file);
        self.count = self.mentions.len();
        self.files = self.mentions.chunk_by(|a, b| a.file == b.file).count();
        self
    }
}

/// `1 sender`, `2 senders`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {what}{s}")
}

/// The new text of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    /// Its file.
    pub file: Arc<str>,
    /// Its new file, when it gets one.
    pub new_file: Option<String>,
    /// SHA-256 of the text that was planned on, in lower-case hexadecimal digits.
    pub old_digest: String,
    /// The new text; `None` when the file goes.
    pub text: Option<String>,
    /// Whether the new tree equals the old one but for planned names (proved, not assumed).
    pub names_only: bool,
}

/// Which operation a plan is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A class gets another name.
    RenameClass,
    /// A method gets another selector.
    RenameMethod,
    /// A method goes.
    RemoveMethod,
    /// A class goes.
    RemoveClass,
    /// A method comes or is replaced.
    PatchMethod,
}

impl Operation {
    /// Its name outside of this crate.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RenameClass => "rename_class",
            Self::RenameMethod => "rename_method",
            Self::RemoveMethod => "remove_method",
            Self::RemoveClass => "remove_class",
            Self::PatchMethod => "patch_method",
        }
    }
}

/// What a request would do. Sites and candidates are sorted by file and span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The operation.
    pub operation: Operation,
    /// The generation of the index it was planned on.
    pub generation: u64,
    /// The class asked about.
    pub class: String,
    /// The side asked about; `None` for a class rename.
    pub side: Option<Side>,
    /// The selector asked about; `None` for a class rename.
    pub selector: Option<String>,
    /// The new class name.
    pub new_name: Option<String>,
    /// The new selector.
    pub new_selector: Option<String>,
    /// What is rewritten (or removed).
    pub sites: Vec<Site>,
    /// What may mean the same thing.
    pub candidates: Vec<Candidate>,
    /// What is left out, counted by reason (`ffi`, `unrelated`, `other_side`, …).
    pub excluded: BTreeMap<&'static str, usize>,
    /// Mentions in comments and strings.
    pub prose: Prose,
    /// Places that could not be searched.
    pub not_searched: Vec<String>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
    /// The new texts; empty when nothing changes.
    pub files: Vec<PlanFile>,
    /// Classes that get another name: old and new.
    pub names: Vec<(String, String)>,
}
