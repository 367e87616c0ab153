//! Whether a text can be a new name, by spelling alone.

use crate::error::Refusal;
use bt_syntax::{arity_of, is_class_name, shape_of, Shape};

const MAX_LENGTH: usize = 255;

/// Names that no class can have: objects of the workspace, the gateway to Erlang, built-in types.
const RESERVED: [&str; 9] = [
    "Beamtalk",
    "Dynamic",
    "Erlang",
    "Never",
    "Nil",
    "Protocol",
    "Self",
    "Transcript",
    "Workspace",
];

/// Words that the parser reads by position; as (a part of) a selector they change how a unit is read.
const CONTEXTUAL: [&str; 15] = [
    "class",
    "internal",
    "sealed",
    "delegate",
    "state:",
    "field:",
    "classState:",
    "match:",
    "matchExhaustive:",
    "when:",
    "subclass:",
    "define:",
    "extending:",
    "native:",
    "handleScope:",
];

/// Messages that are compiled in place when their blocks are literal, whatever the receiver
/// (docs/decisions/007); a send that gets such a name would no longer reach its method.
const IN_LINE: [&str; 17] = [
    "ifTrue:",
    "ifFalse:",
    "ifTrue:ifFalse:",
    "ifFalse:ifTrue:",
    "and:",
    "or:",
    "ifNil:",
    "ifNotNil:",
    "ifNil:ifNotNil:",
    "ifNotNil:ifNil:",
    "whileTrue",
    "whileFalse",
    "whileTrue:",
    "whileFalse:",
    "timesRepeat:",
    "to:do:",
    "to:by:do:",
];

/// Operators with a precedence, from the tightest; others cannot be sent infix.
const PRECEDENCE: [&[&str]; 7] = [
    &["**"],
    &["*", "/", "%"],
    &["+", "-", "++"],
    &["<", ">", "<=", ">="],
    &["==", "/=", "=:=", "=/="],
    &[">>"],
    &["->"],
];

const EQUALITY: [&str; 4] = ["==", "/=", "=:=", "=/="];

/// A new class name must be spelled like one.
///
/// # Errors
///
/// `name.invalid`.
pub fn class_name(name: &str) -> Result<(), Refusal> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if name.len() > MAX_LENGTH {
        "it is longer than 255 characters"
    } else if !is_class_name(name) {
        "a class name is one word of ASCII letters, digits and _ that starts with A-Z"
    } else if name.len() == 1 {
        "a single letter is a type parameter"
    } else if RESERVED.contains(&name) {
        "it is reserved"
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(40).flat_map(char::escape_default).collect();
    Err(Refusal::new(
        "name.invalid",
        format!("\"{shown}\" cannot be the name of a class: {problem}"),
        "Choose a name such as Tally.",
    ))
}

/// A new selector must be spelled like one, and take as many arguments as the old one.
///
/// # Errors
///
/// `selector.invalid`, `selector.arity`, `selector.permuted` or `operation.unsupported`.
pub fn selector(old: &str, new: &str) -> Result<(), Refusal> {
    let shown: String = new.chars().take(40).flat_map(char::escape_default).collect();
    let (Some(arity), true) = (arity_of(new), new.len() <= MAX_LENGTH) else {
        return Err(Refusal::new(
            "selector.invalid",
            format!("\"{shown}\" is no selector"),
            "A selector is a word, an operator, or keywords such as at:put:.",
        ));
    };
    if let Some(word) = contextual_word(new) {
        return Err(Refusal::new(
            "selector.invalid",
            format!(
                "#{shown} cannot be a new selector: {word} has a meaning of its own in Beamtalk"
            ),
            "Choose another name.",
        ));
    }
    if IN_LINE.contains(&new) && old != new {
        return Err(Refusal::new(
            "selector.invalid",
            format!(
                "#{shown} cannot be a new selector: with a block it is compiled in place, \
                 and no method is asked"
            ),
            "Choose another name.",
        ));
    }
    let old_arity = arity_of(old).unwrap_or(0);
    if arity != old_arity {
        return Err(Refusal::new(
            "selector.arity",
            format!("#{old} takes {old_arity} arguments and #{shown} takes {arity}"),
            "Choose a selector that takes as many.",
        ));
    }
    if shape_of(old) != shape_of(new) {
        return Err(Refusal::new(
            "operation.unsupported",
            format!("renaming the operator or keyword #{old} to #{shown} is not handled yet"),
            "It would change how expressions around it are read. Choose a selector of the same kind.",
        ));
    }
    if shape_of(new) == Some(Shape::Binary) {
        return operator(old, new);
    }
    if let Some(part) = moved_part(old, new) {
        return Err(Refusal::new(
            "selector.permuted",
            format!("{part} stands at another place in #{shown} than in #{old}"),
            "A rename keeps the arguments in their order. Choose other parts, \
             or change the order by hand.",
        ));
    }
    Ok(())
}

/// A keyword that goes from one argument to another.
fn moved_part<'a>(old: &'a str, new: &str) -> Option<&'a str> {
    let olds: Vec<&str> = old.split_inclusive(':').collect();
    let news: Vec<&str> = new.split_inclusive(':').collect();
    let changed = || olds.iter().zip(&news).filter(|(old, new)| old != new);
    changed().map(|(old, _)| *old).find(|part| changed().any(|(_, new)| new == part))
}

fn operator(old: &str, new: &str) -> Result<(), Refusal> {
    if EQUALITY.contains(&new) {
        return Err(Refusal::new(
            "selector.invalid",
            format!("#{new} is built in and cannot be defined"),
            "Choose another operator.",
        ));
    }
    let level = |name: &str| PRECEDENCE.iter().position(|names| names.contains(&name));
    if level(old) != level(new) {
        return Err(Refusal::new(
            "operation.unsupported",
            format!(
                "#{old} and #{new} bind differently; renaming one to the other is not handled yet"
            ),
            "Choose an operator of the same precedence.",
        ));
    }
    Ok(())
}

fn contextual_word(selector: &str) -> Option<&'static str> {
    let mut parts = selector.split_inclusive(':');
    let found = parts.find_map(|part| CONTEXTUAL.iter().find(|word| **word == part))?;
    Some(*found)
}
