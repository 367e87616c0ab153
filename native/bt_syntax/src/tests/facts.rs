//! What a text says, in the vocabulary of the conformance catalogue (language reference, 5): one
//! line of facts in order of their first byte. A second, independent reading of the tree: it looks
//! at tokens and nodes only, not at the typed views.

use crate::kind::NodeKind as N;
use crate::tree::{Node, Token, Unit};
use crate::{parse, TextRange};
use std::fmt::Write as _;

/// The facts of a text, separated by ` · `.
pub(crate) fn facts(text: &str) -> String {
    let unit = parse(text);
    facts_of(&unit)
}

pub(crate) fn facts_of(unit: &Unit) -> String {
    let mut facts: Vec<(u32, String)> = Vec::new();
    let parents = parents(unit);
    for node in unit.nodes() {
        let parent = parents[node.id() as usize].map(|id| unit.node(id));
        let grand = parent.and_then(|node| parents[node.id() as usize]).map(|id| unit.node(id));
        fact(&mut facts, node, parent, grand);
    }
    facts.sort_by_key(|(at, _)| *at);
    facts.into_iter().map(|(_, fact)| fact).collect::<Vec<_>>().join(" · ")
}

fn parents(unit: &Unit) -> Vec<Option<u32>> {
    let mut parents = vec![None; unit.n_nodes() as usize];
    for node in unit.nodes() {
        for child in node.children_rev() {
            parents[child.id() as usize] = Some(node.id());
        }
    }
    parents
}

fn at(span: TextRange) -> String {
    format!("{}-{}", u32::from(span.start()), u32::from(span.end()))
}

/// `selector[span,span]`.
fn selector(tokens: &[Token<'_>]) -> String {
    let name: String = tokens.iter().map(|token| token.text()).collect();
    let spans: Vec<_> = tokens.iter().map(|token| at(token.span())).collect();
    format!("{name}[{}]", spans.join(","))
}

/// The tokens of a header behind its modifiers.
fn header_selector(header: Node<'_>) -> Vec<Token<'_>> {
    let tokens = header.own_tokens();
    let n_words = tokens.iter().take_while(|t| t.kind() == crate::TokenKind::Ident).count();
    if header.children_rev().any(|child| child.kind() == N::Error) {
        return Vec::new();
    }
    let n_modifiers = if n_words == tokens.len() && n_words > 0 { n_words - 1 } else { n_words };
    tokens[n_modifiers..].to_vec()
}

fn push(facts: &mut Vec<(u32, String)>, place: TextRange, fact: String) {
    facts.push((place.start().into(), fact));
}

fn class_name(facts: &mut Vec<(u32, String)>, what: &str, node: Node<'_>) {
    let tokens = node.own_tokens();
    if tokens.len() > 1 {
        let package = tokens[0];
        push(facts, package.span(), format!("pkg {}[{}]", package.text(), at(package.span())));
    }
    if let Some(name) = tokens.last() {
        push(facts, name.span(), format!("{what} {}[{}]", name.text(), at(name.span())));
    }
}

fn fact(
    facts: &mut Vec<(u32, String)>,
    node: Node<'_>,
    parent: Option<Node<'_>>,
    grand: Option<Node<'_>>,
) {
    let tokens = node.own_tokens();
    let name = |what: &str| format!("{what} {}[{}]", tokens[0].text(), at(tokens[0].span()));
    let parent_kind = parent.map(Node::kind);
    match node.kind() {
        N::UnarySend | N::BinarySend | N::KeywordSend => {
            let receiver = node.children()[0].kind();
            let what = match receiver {
                N::SelfRef => "selfsend",
                N::SuperRef => "supersend",
                _ => "send",
            };
            let cast = if parent_kind == Some(N::Cast) { "!" } else { "" };
            push(facts, tokens[0].span(), format!("{what}{cast} {}", selector(&tokens)));
        }
        N::UnaryPart | N::BinaryPart | N::KeywordPart => {
            push(facts, tokens[0].span(), format!("cascade {}", selector(&tokens)));
        }
        N::ClassRef => class_name(facts, "class", node),
        N::ClassName => {
            let what = match parent_kind {
                Some(N::Superclass) => "super",
                Some(N::TypeParam) => "bound",
                Some(N::Extending) => "extending",
                Some(N::Extension) => "ext",
                Some(N::TypeMeta) => "metatype",
                Some(N::TypePattern) => "pattype",
                Some(N::ConstructorPattern) => "patctor",
                _ => "type",
            };
            class_name(facts, what, node);
        }
        N::TypeSymbol => push(facts, node.span(), name("symtype")),
        N::TypeParam => push(facts, node.span(), name("tparam")),
        N::DeclName => {
            let what = match parent_kind {
                Some(N::Protocol) => "declproto",
                Some(N::Alias) => "declalias",
                Some(N::Field) => "declfield",
                _ => "declclass",
            };
            push(facts, node.span(), name(what));
        }
        N::ConstructorPattern => {
            push(facts, tokens[0].span(), format!("patsel {}", selector(&tokens)));
        }
        N::Header => header(facts, node, parent, grand),
        N::Symbol => symbol(facts, tokens[0]),
        N::LiteralPattern if matches!(tokens[0].text().as_bytes()[0], b'#') => {
            symbol(facts, tokens[0]);
        }
        N::FieldAccess => {
            let field = tokens[1];
            push(facts, field.span(), format!("field {}[{}]", field.text(), at(field.span())));
        }
        N::Error if !tokens.is_empty() => {
            push(facts, node.span(), format!("ERROR[{}]", at(node.span())));
        }
        _ => {}
    }
}

fn symbol(facts: &mut Vec<(u32, String)>, token: Token<'_>) {
    let text = crate::ast::symbol_text(token);
    push(facts, token.span(), format!("sym #{text}[{}]", at(token.span())));
}

fn header(
    facts: &mut Vec<(u32, String)>,
    node: Node<'_>,
    parent: Option<Node<'_>>,
    grand: Option<Node<'_>>,
) {
    let extension = grand.filter(|grand| grand.kind() == N::Extension);
    let tokens = header_selector(node);
    let Some(first) = tokens.first() else { return };
    let method = parent.unwrap();
    if method.kind() == N::Requirement {
        return push(facts, first.span(), format!("req {}", selector(&tokens)));
    }
    let is_class = match extension {
        Some(extension) => extension.own_tokens().iter().any(|token| token.text() == "class"),
        None => {
            let modifiers = node.own_tokens().len() - tokens.len();
            node.own_tokens()[..modifiers].iter().any(|token| token.text() == "class")
        }
    };
    let mut side = if extension.is_some() { "ext-" } else { "" }.to_owned();
    side.push_str(if is_class { "cls" } else { "inst" });
    let mut text = String::new();
    let _ = write!(text, "def {side} {} span[{}]", selector(&tokens), at(method.span()));
    push(facts, first.span(), text);
}
