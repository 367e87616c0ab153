//! Which methods a class has: those of its body and those of its extensions.

use super::Builder;
use crate::diag::Source;
use crate::lower::{MAX_ARGS, MAX_NAME};
use bt_syntax::ast::{Extension, Method};
use bt_syntax::{Node, NodeKind, Side, TextRange, Unit};
use rustc_hash::FxHashMap;

/// The equality operators are Erlang's and cannot be given another meaning.
const FIXED: [&str; 4] = ["==", "/=", "=:=", "=/="];

/// Sends of these are compiled in line whatever the receiver; a method of a user's class would not
/// be found by them.
const ASKED_OF_ALL: [&str; 6] =
    ["isNil", "notNil", "ifNil:", "ifNotNil:", "ifNil:ifNotNil:", "ifNotNil:ifNil:"];

/// Between numbers these are compiled in line.
const OF_NUMBERS: [&str; 7] = ["+", "-", "*", "<", ">", "<=", ">="];

/// A method to compile.
#[derive(Clone)]
pub(super) struct Definition<'a> {
    pub(super) side: Side,
    pub(super) selector: String,
    pub(super) method: Method<'a>,
    pub(super) source: &'a Source<'a>,
    is_extension: bool,
}

impl Definition<'_> {
    fn is_primitive(&self) -> bool {
        let body = self.method.body().map(Node::children).unwrap_or_default();
        body.first().is_some_and(|node| node.kind() == NodeKind::Directive)
    }

    /// The place to tell of: the selector's first token.
    pub(super) fn span(&self) -> TextRange {
        let header = self.method.header();
        let first = header.and_then(|header| header.selector().parts.first().copied());
        first.map_or_else(|| self.method.node().span(), |token| token.span())
    }
}

impl<'a> Builder<'a> {
    /// The methods in order; an extension's method stands where the body's stood.
    pub(super) fn definitions(&mut self, sources: &'a [Source<'a>]) -> Vec<Definition<'a>> {
        let mut found: Vec<Definition<'a>> = Vec::new();
        let mut places: FxHashMap<(Side, String), usize> = FxHashMap::default();
        let own = self.class.methods().into_iter().map(|method| Definition {
            side: method.side(),
            selector: method.selector(),
            method,
            source: self.source,
            is_extension: false,
        });
        let own: Vec<_> = own.collect();
        let added = self.extensions(sources);
        for definition in own.into_iter().chain(added) {
            if !self.is_definable(&definition) {
                continue;
            }
            let key = (definition.side, definition.selector.clone());
            match places.get(&key).copied() {
                None => {
                    places.insert(key, found.len());
                    found.push(definition);
                }
                Some(place) if definition.is_extension => {
                    if let Some(slot) = found.get_mut(place) {
                        *slot = definition;
                    }
                }
                Some(_) => {
                    let message = format!("method '{}' is defined twice", definition.selector);
                    self.error(&definition, "compile.duplicate_method", message);
                }
            }
        }
        found
    }

    fn extensions(&mut self, sources: &'a [Source<'a>]) -> Vec<Definition<'a>> {
        let mut definitions = Vec::new();
        for (input, source) in self.input.extensions.iter().zip(sources.iter().skip(1)) {
            let extension = extension_at(input.unit, input.span);
            let method = extension.and_then(Extension::method);
            match (extension, method) {
                (Some(extension), Some(method)) => definitions.push(Definition {
                    side: extension.side(),
                    selector: method.selector(),
                    method,
                    source,
                    is_extension: true,
                }),
                _ => {
                    let message = "no extension stands here".to_owned();
                    let code = "compile.extension_not_found";
                    self.findings.errors.push(source.diagnostic(input.span, code, message));
                }
            }
        }
        definitions
    }

    fn is_definable(&mut self, definition: &Definition<'a>) -> bool {
        let selector = definition.selector.as_str();
        if selector.is_empty() {
            let message = "a method without a selector".to_owned();
            self.error(definition, "compile.syntax", message);
            return false;
        }
        if FIXED.contains(&selector) {
            let message = format!("'{selector}' cannot be defined: its meaning is fixed");
            self.error(definition, "compile.reserved_selector", message);
            return false;
        }
        if self.is_in_line(definition) {
            let message =
                format!("'{selector}' cannot be defined here: sends of it are compiled in line");
            self.error(definition, "compile.reserved_selector", message);
            return false;
        }
        if selector.chars().count() > MAX_NAME {
            let message = format!("a selector of more than {MAX_NAME} characters");
            self.error(definition, "compile.name_too_long", message);
            return false;
        }
        if definition.method.header().map_or(0, |header| header.params().len()) > MAX_ARGS {
            let message = format!("a method with more than {MAX_ARGS} parameters");
            self.error(definition, "compile.unsupported", message);
            return false;
        }
        true
    }

    fn is_in_line(&self, definition: &Definition<'a>) -> bool {
        let selector = definition.selector.as_str();
        let of_library = self.input.stdlib && !definition.is_extension;
        match self.input.identity {
            _ if definition.side == Side::Class => false,
            "bt@stdlib@integer" | "bt@stdlib@float" if OF_NUMBERS.contains(&selector) => true,
            "bt@stdlib@number" if OF_NUMBERS.contains(&selector) => {
                !of_library || !definition.is_primitive()
            }
            _ => !of_library && ASKED_OF_ALL.contains(&selector),
        }
    }
}

/// The extension of a unit whose extent holds a span.
fn extension_at(unit: &Unit, span: TextRange) -> Option<Extension<'_>> {
    let holds = |node: &Node<'_>| node.span().contains_range(span);
    let extensions = unit.root().children_of(NodeKind::Extension);
    extensions.into_iter().find(holds).and_then(Extension::cast)
}
