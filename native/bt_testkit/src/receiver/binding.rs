//! Who binds a variable, and what a test around it says about it: read from the shape of the tree, with
//! no look at any class.

use super::world::Body;
use bt_syntax::ast::{self, Block};
use bt_syntax::{Node, NodeKind, Selector};

/// What a test around a variable says about it.
pub(super) enum Tested<'u> {
    Is(Node<'u>),
    NotNil,
}

pub(super) fn below<'u>(path: &[Node<'u>], child: Node<'u>) -> Vec<Node<'u>> {
    path.iter().copied().chain([child]).collect()
}

/// The path to the receiver of a cascade that stands at the end of a path.
pub(super) fn cascade_receiver<'u>(path: &[Node<'u>]) -> Option<Vec<Node<'u>>> {
    let head = *path.last()?.children().first()?;
    let to_head = below(path, head);
    Some(match ast::receiver_of(head) {
        Some(receiver) => below(&to_head, receiver),
        None => to_head,
    })
}

/// Whether a block or an arm binds a name.
pub(super) fn binds(node: Node<'_>, name: &str) -> bool {
    match node.kind() {
        NodeKind::Block => {
            let params = Block::cast(node).map(Block::params).unwrap_or_default();
            params.iter().any(|param| param.name.text() == name)
        }
        NodeKind::Arm => node.children().first().is_some_and(|it| targets(*it).contains(&name)),
        _ => false,
    }
}

/// The names that a pattern or the target of an assignment binds.
pub(super) fn targets(target: Node<'_>) -> Vec<&str> {
    if target.kind() == NodeKind::FieldAccess {
        return Vec::new();
    }
    let name = |node: Node<'_>| match node.kind() {
        NodeKind::Variable | NodeKind::VariablePattern | NodeKind::TypePattern => Some(0),
        NodeKind::BinarySegment => Some(0),
        NodeKind::RestPattern => Some(1),
        _ => None,
    };
    let named = target.descendants().filter_map(|node| {
        let token = name(node).and_then(|at| node.own_tokens().get(at).copied())?;
        Some(token.text().trim_end_matches(':'))
    });
    named.collect()
}

/// The assignment at the end of a path, and the names that it binds.
pub(super) fn assignment<'u>(path: &[Node<'u>]) -> Option<(Node<'u>, Vec<&'u str>)> {
    let node = *path.last()?;
    let is_it = matches!(node.kind(), NodeKind::Assign | NodeKind::TypedAssign);
    is_it.then(|| (node, node.children().first().map_or(Vec::new(), |it| targets(*it))))
}

pub(super) fn is_assigned_in(body: &Body<'_>, around: Node<'_>, name: &str) -> bool {
    body.paths.iter().any(|path| {
        path.iter().any(|node| node.id() == around.id())
            && assignment(path).is_some_and(|(_, names)| names.contains(&name))
    })
}

/// What `parent` says about a variable inside its child.
pub(super) fn test_of<'u>(
    body: &Body<'u>,
    parent: Node<'u>,
    child: Node<'u>,
    name: &str,
) -> Option<Tested<'u>> {
    if matches!(parent.kind(), NodeKind::Body | NodeKind::Block) {
        return left_when_nil(body, parent, child, name).then_some(Tested::NotNil);
    }
    if parent.kind() != NodeKind::KeywordSend || child.kind() != NodeKind::Block {
        return None;
    }
    if is_assigned_in(body, child, name) {
        return None;
    }
    let children = parent.children();
    let place = children.iter().skip(1).position(|it| it.id() == child.id())?;
    let test = bare(*children.first()?);
    let asked = test.children();
    let is_about = |node: Option<&Node<'u>>| {
        node.is_some_and(|it| it.kind() == NodeKind::Variable && it.text() == name)
    };
    let when_true = match (name_of_send(parent).as_str(), place) {
        ("ifTrue:" | "ifTrue:ifFalse:" | "and:", 0) => true,
        ("ifFalse:" | "or:", 0) | ("ifTrue:ifFalse:", 1) => false,
        _ => return None,
    };
    match (name_of_send(test).as_str(), when_true) {
        ("notNil", true) | ("isNil", false) if is_about(asked.first()) => Some(Tested::NotNil),
        ("isKindOf:", true) if is_about(asked.first()) => class_name(asked.get(1)),
        ("=:=" | "==", true) => {
            let of = *asked.first()?;
            let is_class = name_of_send(of) == "class" && is_about(of.children().first());
            is_class.then(|| class_name(asked.get(1))).flatten()
        }
        _ => None,
    }
}

fn class_name<'u>(node: Option<&Node<'u>>) -> Option<Tested<'u>> {
    let class = node.filter(|it| it.kind() == NodeKind::ClassRef)?;
    Some(Tested::Is(*class))
}

/// Whether a statement before this one leaves when the variable is nil, and nothing assigns it after.
fn left_when_nil(body: &Body<'_>, parent: Node<'_>, child: Node<'_>, name: &str) -> bool {
    let statements = parent.children();
    let is_guard = |node: &Node<'_>| {
        let children = node.children();
        let [test, block] = children.as_slice() else { return false };
        let test = bare(*test);
        let asked = test.children();
        node.kind() == NodeKind::KeywordSend
            && name_of_send(*node) == "ifTrue:"
            && name_of_send(test) == "isNil"
            && asked.first().is_some_and(|it| it.kind() == NodeKind::Variable && it.text() == name)
            && Block::cast(*block)
                .and_then(|it| it.statements().last().copied())
                .is_some_and(|last| last.kind() == NodeKind::Return)
    };
    let before = statements.iter().position(|it| it.id() == child.id());
    let guards = statements.iter().take(before.unwrap_or(0)).enumerate();
    guards.filter(|(_, it)| is_guard(it)).any(|(at, _)| {
        !statements.iter().skip(at + 1).any(|after| is_assigned_in(body, *after, name))
    })
}

pub(super) fn name_of_send(node: Node<'_>) -> String {
    Selector::of_send(node).map(|it| it.name()).unwrap_or_default()
}

pub(super) fn bare(node: Node<'_>) -> Node<'_> {
    match node.children().last() {
        Some(inner) if node.kind() == NodeKind::Paren => bare(*inner),
        _ => node,
    }
}
