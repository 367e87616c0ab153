//! What a receiver is, as far as that is obvious: the part of the receiver types
//! (docs/receiver-types.md) that can be told without following anything.

use crate::oracle::{Definition, Fact, Scan};
use bt_syntax::ast::Method;
use bt_syntax::{Node, NodeKind, Selector};
use std::collections::BTreeMap;

/// What is known about a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// It could be anything: a parameter without annotation.
    Unknown,
    /// An instance of a class.
    Instance(String),
    /// What a class answers to `new` or `spawn`.
    Made(String),
    /// A class object.
    Class(String),
}

/// Parameters of a method and what they are, where nothing in the method could change that.
pub(crate) fn params(method: Method<'_>) -> BTreeMap<String, Option<String>> {
    let text = method.node().text();
    let narrows = ["isKindOf:", "isNil", "notNil", "ifNil", "ifNotNil", "class", "on:", "match"];
    if narrows.iter().any(|word| text.contains(word)) {
        return BTreeMap::new();
    }
    let bound: Vec<_> = method.node().descendants().flat_map(bound_by).collect();
    let header = method.header().map(|header| header.params()).unwrap_or_default();
    let annotated = |node: Node<'_>| {
        let tokens = node.own_tokens().len() + node.children().len();
        let is_plain = node.kind() == NodeKind::TypeName && tokens == 1;
        is_plain.then(|| node.text().to_owned())
    };
    let mut params = BTreeMap::new();
    for param in header {
        let name = param.name.text().to_owned();
        let ty = match param.annotation {
            None => Some(None),
            Some(node) => annotated(node).map(Some),
        };
        if let Some(ty) = ty.filter(|_| !bound.contains(&name)) {
            params.insert(name, ty);
        }
    }
    params
}

/// Names that a node inside a method binds or assigns.
fn bound_by(node: Node<'_>) -> Vec<String> {
    match node.kind() {
        NodeKind::Assign | NodeKind::TypedAssign => {
            node.children().first().map(|target| target.text().to_owned()).into_iter().collect()
        }
        NodeKind::BlockParam | NodeKind::VariablePattern | NodeKind::TypePattern => {
            node.own_tokens().iter().map(|token| token.text().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// What a receiver is, if that is obvious.
pub(crate) fn receiver(
    node: Node<'_>,
    params: &BTreeMap<String, Option<String>>,
) -> Option<Receiver> {
    let literal = match node.kind() {
        NodeKind::Integer => "Integer",
        NodeKind::Float => "Float",
        NodeKind::String | NodeKind::Interpolation => "String",
        NodeKind::Symbol => "Symbol",
        NodeKind::Character => "Character",
        NodeKind::Array => "Array",
        NodeKind::List => "List",
        NodeKind::Map => "Dictionary",
        NodeKind::Block => "Block",
        NodeKind::Paren => return receiver(*node.children().first()?, params),
        NodeKind::ClassRef => return class_ref(node).map(Receiver::Class),
        NodeKind::UnarySend => {
            let selector = Selector::of_send(node)?.name();
            let made = class_ref(*node.children().first()?)?;
            let is_made = ["new", "spawn"].contains(&selector.as_str());
            return is_made.then_some(Receiver::Made(made));
        }
        NodeKind::Variable => {
            return params.get(node.text()).map(|ty| match ty {
                Some(class) => Receiver::Instance(class.clone()),
                None => Receiver::Unknown,
            });
        }
        _ => return None,
    };
    Some(Receiver::Instance(literal.to_owned()))
}

fn class_ref(node: Node<'_>) -> Option<String> {
    let is_plain = node.kind() == NodeKind::ClassRef && node.own_tokens().len() == 1;
    (is_plain && node.text() != "Erlang").then(|| node.text().to_owned())
}

/// Classes whose instances are class objects.
const OF_CLASSES: [&str; 5] = ["Class", "Metaclass", "Behaviour", "Object", "ProtoObject"];

impl Scan {
    /// Whether a send to an obvious receiver may reach what a class answers to it; `None` for any
    /// other send.
    pub(crate) fn typed_may_reach(
        &self,
        send: &Fact,
        class: &str,
        is_class_side: bool,
    ) -> Option<bool> {
        // What a class that defines `new` itself answers to it, is whatever that declares.
        let is_maker = |def: &&Definition| {
            def.is_class_side && ["new", "spawn"].contains(&def.fact.name.as_str())
        };
        let (of, is_of_class_side) = match self.receivers.get(send)? {
            Receiver::Unknown => return Some(true),
            Receiver::Instance(of) => (of, false),
            Receiver::Class(of) => (of, true),
            Receiver::Made(of) => {
                let mut makers = self.defs.iter().filter(is_maker);
                if makers.any(|def| !def.is_library()) {
                    return None;
                }
                (of, false)
            }
        };
        let is_plain = self.classes.iter().filter(|(name, _, _)| name == of).count() == 1;
        if !is_plain || OF_CLASSES.contains(&of.as_str()) {
            return None;
        }
        if is_of_class_side && !is_class_side && OF_CLASSES.contains(&class) {
            return None;
        }
        if is_of_class_side != is_class_side {
            return Some(false);
        }
        let is_below =
            |low: &str, high: &str| low != high && self.line(low).iter().any(|it| it == high);
        if of == class || is_below(of, class) {
            let answering = self.answering(of, is_class_side, &send.name);
            return Some(!answering.is_some_and(|it| is_below(&it, class)));
        }
        Some(is_below(class, of))
    }

    /// The sends that a method's removal may leave without a method, but for those inside it: those
    /// that surely count, and those that nothing obvious decides about.
    #[must_use]
    pub fn dead_senders(
        &self,
        class: &str,
        is_class_side: bool,
        selector: &str,
    ) -> (Vec<Fact>, Vec<Fact>) {
        let side = if is_class_side { " class" } else { "" };
        let own = format!("{class}{side}>>{selector}");
        let outside = self.senders_of(selector).into_iter().filter(|send| send.owner != own);
        let (mut dead, mut open) = (Vec::new(), Vec::new());
        for send in outside {
            match self.may_reach(&send, class, is_class_side) {
                Some(true) => dead.push(send),
                Some(false) => {}
                None => open.push(send),
            }
        }
        (dead, open)
    }

    /// Who answers a selector instead, when one method of a class is gone: the class itself, when an
    /// extension stands in for its own.
    #[must_use]
    pub fn heir(&self, class: &str, is_class_side: bool, selector: &str) -> Option<String> {
        let is_own = |def: &&Definition| {
            def.class == class
                && def.is_class_side == is_class_side
                && def.fact.name == selector
                && !def.is_required
                && self.is_real(def)
        };
        if self.defs.iter().filter(is_own).count() > 1 {
            return Some(class.to_owned());
        }
        let mut above = self.line(class).into_iter().skip(1);
        above.find(|it| self.implements(it, is_class_side, selector))
    }
}
