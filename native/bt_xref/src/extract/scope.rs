//! The names of one body: which block, arm or method binds a variable, and where its type is narrowed.

use bt_syntax::ast::{self, Block, ClassName};
use bt_syntax::tree::NodeId;
use bt_syntax::{Node, NodeKind, Unit};
use rustc_hash::FxHashSet;

/// Where a variable comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding<'u> {
    /// A parameter of a block, by its place.
    BlockParam(Node<'u>, usize),
    /// A pattern of a match arm, and the class it is tested for, if it is.
    Arm(Node<'u>, Option<ClassName<'u>>),
    /// The method, the statements or the class: a parameter, a local or a field.
    Outer,
}

/// What a test around a variable says about it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Narrowing<'u> {
    /// It is an instance of a class (or a class below it).
    IsA(ClassName<'u>),
    /// It is not `nil`.
    NonNil,
}

/// Parents and assignments of some nodes that share their variables.
pub(super) struct Scope<'u> {
    base: NodeId,
    parents: Vec<NodeId>,
    /// Names that are assigned, and the assignment.
    assigned: Vec<(&'u str, NodeId)>,
    assigned_names: FxHashSet<&'u str>,
    /// `x isNil ifTrue: [^…]`: the name, and the statement.
    guards: Vec<(&'u str, Node<'u>)>,
    has_self_param: bool,
}

impl<'u> Scope<'u> {
    pub(super) fn new(nodes: &[Node<'u>]) -> Self {
        let base = nodes.first().map_or(0, |node| node.first_node());
        let end = nodes.last().map_or(0, |node| node.id());
        let mut scope = Self {
            base,
            parents: vec![NodeId::MAX; (end - base) as usize + 1],
            assigned: Vec::new(),
            assigned_names: FxHashSet::default(),
            guards: Vec::new(),
            has_self_param: false,
        };
        for node in nodes.iter().flat_map(|node| node.descendants()) {
            scope.node(node);
        }
        scope
    }

    fn node(&mut self, node: Node<'u>) {
        for child in node.children_rev() {
            if let Some(parent) = self.parents.get_mut((child.id() - self.base) as usize) {
                *parent = node.id();
            }
        }
        match node.kind() {
            NodeKind::Assign | NodeKind::TypedAssign => {
                let target = node.children().first().copied();
                for name in target.into_iter().flat_map(bound_names) {
                    self.assigned.push((name, node.id()));
                    self.assigned_names.insert(name);
                }
            }
            NodeKind::KeywordSend => self.guards.extend(guard(node)),
            NodeKind::BlockParam => {
                let is_self = node.own_tokens().get(1).is_some_and(|token| token.text() == "self");
                self.has_self_param |= is_self;
            }
            _ => {}
        }
    }

    pub(super) fn parent(&self, node: Node<'u>) -> Option<Node<'u>> {
        let parent = *self.parents.get(node.id().checked_sub(self.base)? as usize)?;
        (parent != NodeId::MAX).then(|| node.unit().node(parent))
    }

    fn is_assigned(&self, name: &str) -> bool {
        self.assigned_names.contains(name)
    }

    /// The names that an assignment gives a value, where they belong to no block or arm around it.
    pub(super) fn outer_names(&self, assignment: Node<'u>) -> Vec<&'u str> {
        let Some(target) = assignment.children().first().copied() else { return Vec::new() };
        let mut names = bound_names(target);
        names.retain(|name| matches!(self.resolve(target, name).0, Binding::Outer));
        names
    }

    /// All locals: what is assigned somewhere and belongs to no block or arm.
    pub(super) fn locals(&self, unit: &'u Unit) -> impl Iterator<Item = &'u str> + '_ {
        self.assigned.iter().filter_map(|(name, at)| {
            self.outer_names(unit.node(*at)).contains(name).then_some(*name)
        })
    }

    /// Whether something inside a node assigns a name.
    pub(super) fn is_assigned_within(&self, name: &str, node: Node<'u>) -> bool {
        let range = node.first_node()..=node.id();
        self.is_assigned(name)
            && self.assigned.iter().any(|(it, at)| *it == name && range.contains(at))
    }

    /// Whether `self` at a node is a parameter of a block.
    pub(super) fn self_param(&self, node: Node<'u>) -> Option<(Node<'u>, usize)> {
        if !self.has_self_param {
            return None;
        }
        match self.resolve(node, "self").0 {
            Binding::BlockParam(block, place) => Some((block, place)),
            _ => None,
        }
    }

    /// Who binds a name at a node, and what is known about it there.
    pub(super) fn resolve(&self, at: Node<'u>, name: &str) -> (Binding<'u>, Option<Narrowing<'u>>) {
        let mut narrowing = None;
        let mut child = at;
        while let Some(parent) = self.parent(child) {
            if narrowing.is_none() {
                narrowing = self.narrowing(parent, child, name);
            }
            match parent.kind() {
                NodeKind::Block => {
                    let params = Block::cast(parent).map(Block::params).unwrap_or_default();
                    if let Some(place) = params.iter().position(|it| it.name.text() == name) {
                        return (Binding::BlockParam(parent, place), narrowing);
                    }
                }
                NodeKind::Arm => {
                    if let Some(binding) = arm_binding(parent, name) {
                        return (binding, narrowing);
                    }
                }
                _ => {}
            }
            child = parent;
        }
        (Binding::Outer, narrowing)
    }

    /// What `parent` says about a name inside its child.
    fn narrowing(&self, parent: Node<'u>, child: Node<'u>, name: &str) -> Option<Narrowing<'u>> {
        match parent.kind() {
            NodeKind::KeywordSend if child.kind() == NodeKind::Block => {
                let narrowing = tested(parent, child, name)?;
                (!self.is_assigned_within(name, child)).then_some(narrowing)
            }
            NodeKind::Body | NodeKind::Block if !self.guards.is_empty() => {
                let is_guarded = self.guards.iter().any(|(guarded, statement)| {
                    *guarded == name
                        && statement.id() < child.first_node()
                        && self.parent(*statement) == Some(parent)
                        && !self.is_assigned_between(name, statement.id(), parent.id())
                });
                is_guarded.then_some(Narrowing::NonNil)
            }
            _ => None,
        }
    }

    fn is_assigned_between(&self, name: &str, after: NodeId, before: NodeId) -> bool {
        self.assigned.iter().any(|(it, at)| *it == name && (after..before).contains(at))
    }
}

/// The names that an assignment's target or a pattern binds.
pub(super) fn bound_names(target: Node<'_>) -> Vec<&str> {
    let mut names = Vec::new();
    for node in target.descendants() {
        let token = match node.kind() {
            NodeKind::Variable | NodeKind::VariablePattern | NodeKind::TypePattern => {
                node.own_tokens().first().copied()
            }
            NodeKind::RestPattern => node.own_tokens().get(1).copied(),
            NodeKind::BinarySegment => node.own_tokens().first().copied(),
            _ => None,
        };
        names.extend(token.map(|token| token.text().trim_end_matches(':')));
    }
    if target.kind() == NodeKind::FieldAccess {
        names.clear();
    }
    names
}

fn arm_binding<'u>(arm: Node<'u>, name: &str) -> Option<Binding<'u>> {
    let pattern = arm.children().first().copied()?;
    if !bound_names(pattern).contains(&name) {
        return None;
    }
    let tested = pattern.descendants().find(|node| {
        node.kind() == NodeKind::TypePattern
            && node.own_tokens().first().is_some_and(|token| token.text() == name)
    });
    let tested = tested.and_then(|node| ClassName::cast(node.child(NodeKind::ClassName)?));
    Some(Binding::Arm(arm, tested))
}

/// `x isNil ifTrue: [^…]` as a statement: `x` is not nil behind it.
fn guard<'u>(send: Node<'u>) -> Option<(&'u str, Node<'u>)> {
    let name = selector_text(send);
    let children = send.children();
    let [receiver, block] = children.as_slice() else { return None };
    if name != "ifTrue:" || block.kind() != NodeKind::Block {
        return None;
    }
    let returns = Block::cast(*block)?.statements().last()?.kind() == NodeKind::Return;
    let tested = unparenthesized(*receiver);
    (returns && selector_text(tested) == "isNil").then_some(())?;
    Some((variable_text(ast::receiver_of(tested)?)?, send))
}

/// What a send with a literal block says about a name inside that block.
fn tested<'u>(send: Node<'u>, block: Node<'u>, name: &str) -> Option<Narrowing<'u>> {
    let children = send.children();
    let (receiver, arguments) = children.split_first()?;
    let selector = selector_text(send);
    let place = arguments.iter().position(|it| *it == block)?;
    let test = unparenthesized(*receiver);
    let subject = variable_text(ast::receiver_of(test)?);
    match (selector.as_str(), place) {
        ("ifTrue:" | "ifTrue:ifFalse:" | "and:", 0) => positive(test, subject, name),
        ("ifFalse:" | "or:", 0) | ("ifTrue:ifFalse:", 1) => {
            let is_nil_test = selector_text(test) == "isNil" && subject == Some(name);
            is_nil_test.then_some(Narrowing::NonNil)
        }
        _ => None,
    }
}

/// What a true test says about a name.
fn positive<'u>(test: Node<'u>, subject: Option<&str>, name: &str) -> Option<Narrowing<'u>> {
    match selector_text(test).as_str() {
        "notNil" => (subject == Some(name)).then_some(Narrowing::NonNil),
        "isKindOf:" if subject == Some(name) => {
            ClassName::cast(*test.children().get(1)?).map(Narrowing::IsA)
        }
        "=:=" | "==" => {
            let children = test.children();
            let [left, right] = children.as_slice() else { return None };
            let is_class_of_name = selector_text(*left) == "class"
                && variable_text(ast::receiver_of(*left)?) == Some(name);
            is_class_of_name.then(|| ClassName::cast(*right).map(Narrowing::IsA)).flatten()
        }
        _ => None,
    }
}

fn selector_text(send: Node<'_>) -> String {
    bt_syntax::Selector::of_send(send).map(|selector| selector.name()).unwrap_or_default()
}

fn variable_text(node: Node<'_>) -> Option<&str> {
    (node.kind() == NodeKind::Variable).then(|| node.text())
}

pub(super) fn unparenthesized(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == NodeKind::Paren {
        match node.children_rev().next() {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}
