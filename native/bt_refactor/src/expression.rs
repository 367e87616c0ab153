//! Reads a request from the expression that would make it at a prompt: `Counter renameTo: #Tally`.
//!
//! The language's own parser reads it, so what stands for a selector here is what stands for one there.

use crate::error::Refusal;
use crate::request::Request;
use bt_syntax::ast::{arguments_of, receiver_of, symbol_text, ClassName, Extension, Method};
use bt_syntax::{Node, NodeKind, Selector, Side, Token};

const HINT: &str =
    "write one of: Counter renameTo: #Tally; Counter renameSelector: #old to: #new; \
    Counter removeSelector: #old; Counter removeFromSystem; Counter >> selector => body; for the class side Counter class";

/// Reads the request of an expression.
///
/// # Errors
///
/// `request.invalid` when the text is no expression, or one that asks for nothing known here.
pub fn read(text: &str) -> Result<Request, Refusal> {
    let unit = bt_syntax::parse(text);
    if let Some(error) = unit.errors().first() {
        let (line, col) = bt_xref::line_col(text, error.span.start().into());
        return Err(invalid(format!("{line}:{col}: {}", error.message)));
    }
    match unit.root().children().as_slice() {
        [] => Err(invalid("the expression is empty")),
        [one] => statement(*one),
        _ => Err(invalid("this is more than one expression")),
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new("request.invalid", message, HINT)
}

fn statement(node: Node<'_>) -> Result<Request, Refusal> {
    if let Some(extension) = Extension::cast(node) {
        return patch(extension);
    }
    let selector = Selector::of_send(node);
    let (Some(selector), Some(receiver)) = (selector, receiver_of(node)) else {
        return Err(invalid("this asks for no change"));
    };
    let selector = selector.name();
    if node.kind() != NodeKind::KeywordSend && selector != "removeFromSystem" {
        return Err(invalid("this asks for no change"));
    }
    let (class, side) = target(receiver)?;
    let arguments = arguments_of(node);
    match (selector.as_str(), arguments.as_slice()) {
        ("removeFromSystem", []) if side == Side::Instance => Ok(Request::RemoveClass { class }),
        ("removeFromSystem", _) => Err(invalid("only a class can be removed, not its class side")),
        ("renameTo:", [new]) if side == Side::Instance => {
            Ok(Request::RenameClass { class, new_name: name(*new)? })
        }
        ("renameTo:", _) => Err(invalid("only a class can be renamed, not its class side")),
        ("renameSelector:to:", [old, new]) => Ok(Request::RenameMethod {
            class,
            side,
            selector: name(*old)?,
            new_selector: name(*new)?,
            accept: Vec::new(),
        }),
        ("removeSelector:", [old]) => {
            Ok(Request::RemoveMethod { class, side, selector: name(*old)? })
        }
        (other, _) => Err(invalid(format!("'{other}' asks for no change that is known here"))),
    }
}

fn patch(extension: Extension<'_>) -> Result<Request, Refusal> {
    let class = extension.target().ok_or_else(|| invalid("the class is missing"))?;
    let method = extension.method().map(Method::node);
    let method = method.ok_or_else(|| invalid("the method is missing"))?;
    Ok(Request::PatchMethod {
        class: class_name(class)?,
        side: extension.side(),
        source: method.text().to_owned(),
    })
}

/// `Counter` or `Counter class`.
fn target(node: Node<'_>) -> Result<(String, Side), Refusal> {
    if let Some(class) = ClassName::cast(node) {
        return Ok((class_name(class)?, Side::Instance));
    }
    let selector = Selector::of_send(node).map(|selector| selector.name());
    let class = receiver_of(node).and_then(ClassName::cast);
    match (selector.as_deref(), class) {
        (Some("class"), Some(class)) => Ok((class_name(class)?, Side::Class)),
        _ => Err(invalid(format!("'{}' is no class", node.text()))),
    }
}

fn class_name(class: ClassName<'_>) -> Result<String, Refusal> {
    match (class.package(), class.name()) {
        (None, Some(name)) => Ok(name.text().to_owned()),
        _ => Err(invalid(format!("'{}' is not of this project", class.node().text()))),
    }
}

/// A symbol, or a string without interpolation.
fn name(node: Node<'_>) -> Result<String, Refusal> {
    let text = match node.kind() {
        NodeKind::Symbol => node.own_tokens().first().map(|token| symbol_text(*token)),
        NodeKind::String => node.own_tokens().first().and_then(|token| string_text(*token)),
        _ => None,
    };
    text.ok_or_else(|| invalid(format!("'{}' is no symbol", node.text())))
}

fn string_text(token: Token<'_>) -> Option<String> {
    let text = token.text().strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains(['"', '\\'])).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let actual = match read(text) {
            Ok(request) => format!("{request:?}"),
            Err(refusal) => format!("{}: {}", refusal.code, refusal.message),
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn class_rename() {
        let expected = r#"RenameClass { class: "Counter", new_name: "Tally" }"#;
        check("Counter renameTo: #Tally", expected);
        check("Counter renameTo: \"Tally\".\n", expected);
        check("Counter renameTo: #'Tally'", expected);
    }

    #[test]
    fn method_rename() {
        check(
            "Counter renameSelector: #at:put: to: #in:set:",
            "RenameMethod { class: \"Counter\", side: Instance, selector: \"at:put:\", \
             new_selector: \"in:set:\", accept: [] }",
        );
        check(
            "Counter class renameSelector: #+ to: #-",
            "RenameMethod { class: \"Counter\", side: Class, selector: \"+\", \
             new_selector: \"-\", accept: [] }",
        );
    }

    #[test]
    fn removal() {
        let expected = r#"RemoveMethod { class: "Counter", side: Instance, selector: "reset" }"#;
        check("Counter removeSelector: #reset", expected);
        check("Counter removeFromSystem", r#"RemoveClass { class: "Counter" }"#);
        check(
            "Counter class removeFromSystem",
            "request.invalid: only a class can be removed, not its class side",
        );
    }

    #[test]
    fn patch_by_definition() {
        check(
            "Counter class >> start: n => self new: n",
            "PatchMethod { class: \"Counter\", side: Class, source: \"start: n => self new: n\" }",
        );
    }

    #[test]
    fn anything_else_is_refused() {
        check("", "request.invalid: the expression is empty");
        check("1. 2", "request.invalid: this is more than one expression");
        check("Counter new", "request.invalid: this asks for no change");
        check(
            "Counter frobnicate: 1",
            "request.invalid: 'frobnicate:' asks for no change that is known here",
        );
        check("counter renameTo: #A", "request.invalid: 'counter' is no class");
        check("Counter renameTo: Tally", "request.invalid: 'Tally' is no symbol");
        check("Counter renameTo: \"a{b}\"", "request.invalid: '\"a{b}\"' is no symbol");
        check("x@Counter renameTo: #A", "request.invalid: 'x@Counter' is not of this project");
        check(
            "Counter class renameTo: #A",
            "request.invalid: only a class can be renamed, not its class side",
        );
    }
}
