//! Tests of the generator on printed forms. The suites of `test/` run what it generates.

mod classes;
mod forms;
mod laws;

use crate::{
    print_class, print_prompt, BlockIds, ClassInput, ClassKind, Diagnostic, Names, PromptInput,
    Resolved,
};
use bt_syntax::{parse, Unit};

/// What a test class can see: a few library names.
pub(crate) fn names() -> Names {
    let mut names = Names::default();
    for (name, stem) in [
        ("Object", "object"),
        ("Integer", "integer"),
        ("String", "string"),
        ("List", "list"),
        ("Result", "result"),
        ("Error", "error"),
        ("Counter", "counter"),
    ] {
        names.insert(None, name, Resolved::Class(format!("bt@stdlib@{stem}")));
    }
    let transcript = "bt@stdlib@transcript_stream".to_owned();
    names.insert(None, "Transcript", Resolved::Singleton(transcript));
    names
}

/// The options of a test class, by what stands in its text.
pub(crate) struct World {
    pub(crate) unit: Unit,
    pub(crate) names: Names,
    pub(crate) fields: Vec<String>,
    pub(crate) class_fields: Vec<String>,
    pub(crate) block_ids: BlockIds,
    pub(crate) kind: ClassKind,
    pub(crate) class: String,
}

impl World {
    pub(crate) fn new(text: &str) -> Self {
        let unit = parse(text);
        let kind = match text {
            text if text.contains("Value subclass:") => ClassKind::Value,
            text if text.contains("Actor subclass:") => ClassKind::Actor,
            _ => ClassKind::Object,
        };
        let declared = |word: &str| {
            let after = text.split(word).skip(1);
            after.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned).collect()
        };
        let mut fields: Vec<String> = declared(" field: ");
        fields.extend(declared(" state: "));
        let class_fields = declared(" classState: ");
        let class = text.split("subclass: ").nth(1).and_then(|rest| rest.split_whitespace().next());
        let class = class.unwrap_or("").to_owned();
        let block_ids = BlockIds { next: 1, ..BlockIds::default() };
        Self { unit, names: names(), fields, class_fields, block_ids, kind, class }
    }

    pub(crate) fn input(&self) -> ClassInput<'_> {
        ClassInput {
            unit: &self.unit,
            file: "t.bt",
            class: &self.class,
            identity: "bt@t@c",
            superclass: Some("bt@t@super"),
            kind: self.kind,
            class_state: !self.class_fields.is_empty(),
            fields: &self.fields,
            class_fields: &self.class_fields,
            names: &self.names,
            extensions: &[],
            block_ids: &self.block_ids,
            drains: &[],
            stdlib: false,
        }
    }
}

fn shown(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| format!("{error} ({})\n", error.code)).collect()
}

/// The functions of the class's own bodies, blocks and loops: what does not depend on it is left
/// out.
pub(crate) fn class_text(text: &str) -> String {
    let world = World::new(text);
    match print_class(&world.input()) {
        Err(errors) => shown(&errors),
        Ok(text) => own_parts(&text),
    }
}

fn own_parts(text: &str) -> String {
    let starts = ["'i:", "'c:", "'n:", "'q:", "'$default"];
    let is_own = |part: &&str| starts.iter().any(|start| part.starts_with(start));
    let defaults = text.split("\nc(").filter(|part| part.starts_with("'$fields',"));
    let defaults = defaults.map(|part| format!("c({}", part.trim_end_matches(';')));
    let blocks = text.split("b(").filter(|part| part.starts_with(char::is_numeric));
    let blocks: Vec<_> =
        blocks.map(|block| format!("b({}", block.trim_end_matches([';', '\n']))).collect();
    let own = text.split(".\n\n").filter(is_own).map(str::to_owned);
    defaults.chain(own).chain(blocks).collect::<Vec<_>>().join("\n")
}

/// The functions of an object class with these members.
pub(crate) fn members(text: &str) -> String {
    class_text(&format!("Object subclass: C\n{text}"))
}

/// The statements of an input at the prompt.
pub(crate) fn prompt_text(text: &str, bindings: &[&str]) -> String {
    let unit = parse(text);
    let bindings: Vec<_> = bindings.iter().map(|name| (*name).to_owned()).collect();
    let names = names();
    let input = PromptInput {
        unit: &unit,
        file: "prompt",
        names: &names,
        bindings: &bindings,
        cells: &[],
        generation: 7,
    };
    print_prompt(&input).unwrap_or_else(|errors| shown(&errors))
}
