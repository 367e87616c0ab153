//! Slow, obvious answers: every question is a walk over all trees, by recursion, with nothing kept.
//!
//! Written apart from `bt_xref`, so that a mistake there does not hide itself here. Only for texts
//! without syntax errors.

use crate::receiver::{receivers, Kind, Ty};
use bt_syntax::ast::{self, Class, ClassName, Extension, Field, FieldKind, Method, Protocol};
use bt_syntax::{parse, Node, NodeKind, Selector, Side, Token, TokenKind, Unit};
use std::collections::BTreeMap;

/// A place with a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The file.
    pub file: String,
    /// First and last byte of each part, half-open.
    pub spans: Vec<(u32, u32)>,
    /// What it is, as in docs/interfaces.md.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// Whom it belongs to.
    pub owner: String,
}

/// A definition of a selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Definition {
    /// Where.
    pub fact: Fact,
    /// The class, extension target or protocol.
    pub class: String,
    /// The side.
    pub is_class_side: bool,
    /// Whether the compiler makes it.
    pub is_generated: bool,
    /// Whether it only is required.
    pub is_required: bool,
}

/// Everything that some texts say.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Sends.
    pub sends: Vec<Fact>,
    /// The sends among them that call Erlang.
    pub calls: Vec<Fact>,
    /// What the receivers of sends are, by file and first byte of the selector.
    pub(crate) receivers: BTreeMap<(String, u32), Ty>,
    /// Protocols, and which they extend.
    pub(crate) protocols: Vec<(String, Option<String>)>,
    /// Symbols, by the text of their tokens.
    pub symbols: Vec<Fact>,
    /// Class references.
    pub refs: Vec<Fact>,
    /// Definitions, also those of value classes that are none.
    pub defs: Vec<Definition>,
    /// Classes: name, superclass, place.
    pub classes: Vec<(String, Option<String>, Fact)>,
}

/// Selectors that the runtime and the test runner send.
const RUNTIME: [&str; 14] = [
    "initialize",
    "terminate:",
    "handleInfo:",
    "doesNotUnderstand:args:",
    "setUp",
    "tearDown",
    "setUpOnce",
    "tearDownOnce",
    "children",
    "strategy",
    "maxRestarts",
    "restartWindow",
    "childClass",
    "supervisionPolicy",
];

/// Scans texts.
#[must_use]
pub fn scan(files: &BTreeMap<String, String>) -> Scan {
    let mut scan = Scan::default();
    let units: Vec<_> = files.iter().map(|(file, text)| (file.clone(), parse(text))).collect();
    for (file, unit) in &units {
        Walk { scan: &mut scan, file, unit }.file();
    }
    scan.receivers = receivers(&units);
    scan
}

impl Scan {
    /// Adds what a former method says, whose text is an extension of what its class was called:
    /// what stands in one of its blocks, as if the class, under its name of now, had it still.
    pub fn add_former(&mut self, file: &str, class: &str, text: &str) {
        let unit = parse(text);
        let mut whole = Self::default();
        Walk { scan: &mut whole, file, unit: &unit }.file();
        let blocks: Vec<_> = unit
            .nodes()
            .filter(|node| node.kind() == NodeKind::Block)
            .map(|node| (u32::from(node.span().start()), u32::from(node.span().end())))
            .collect();
        let kept = |facts: Vec<Fact>| {
            let mut facts = facts;
            facts.retain(|fact| {
                let (first, last) = (fact.spans.first(), fact.spans.last());
                let (start, end) = (first.map_or(0, |it| it.0), last.map_or(0, |it| it.1));
                blocks.iter().any(|block| block.0 < start && end < block.1)
            });
            for fact in &mut facts {
                let rest = fact.owner.find([' ', '>']).unwrap_or(0);
                fact.owner.replace_range(..rest, class);
            }
            facts
        };
        self.sends.extend(kept(whole.sends));
        self.calls.extend(kept(whole.calls));
        self.refs.extend(kept(whole.refs));
        self.symbols.extend(kept(whole.symbols));
    }

    /// The sends of a selector.
    #[must_use]
    pub fn senders_of(&self, selector: &str) -> Vec<Fact> {
        sorted(self.sends.iter().filter(|fact| fact.name == selector).cloned())
    }

    /// The references to a name.
    #[must_use]
    pub fn references_to(&self, class: &str) -> Vec<Fact> {
        sorted(self.refs.iter().filter(|fact| fact.name == class).cloned())
    }

    /// The definitions of a selector.
    #[must_use]
    pub fn implementors_of(&self, selector: &str) -> Vec<Fact> {
        let defs = self.defs.iter().filter(|def| def.fact.name == selector && self.is_real(def));
        sorted(defs.map(|def| def.fact.clone()))
    }

    /// The classes below a class.
    #[must_use]
    pub fn below(&self, class: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for (name, _, _) in &self.classes {
            if name != class && self.line(name).iter().skip(1).any(|it| it == class) {
                found.push(name.clone());
            }
        }
        found.sort();
        found
    }

    /// The declarations of the classes directly below a class.
    #[must_use]
    pub fn subclasses_of(&self, class: &str) -> Vec<Fact> {
        let below =
            self.classes.iter().filter(|(_, superclass, _)| superclass.as_deref() == Some(class));
        sorted(below.map(|(_, _, fact)| fact.clone()))
    }

    /// Who implements a selector strictly below a class, asked class by class.
    #[must_use]
    pub fn closure(&self, class: &str, is_class_side: bool, selector: &str) -> Vec<Fact> {
        let mut found = Vec::new();
        for below in self.below(class) {
            found.extend(self.defs.iter().filter(|def| {
                def.class == below
                    && def.is_class_side == is_class_side
                    && def.fact.name == selector
                    && !def.is_required
                    && self.is_real(def)
            }));
        }
        sorted(found.into_iter().map(|def| def.fact.clone()))
    }

    /// The symbols of a text.
    #[must_use]
    pub fn symbols_of(&self, text: &str) -> Vec<Fact> {
        let plain = |name: &str| name.trim_start_matches('#').trim_matches('\'').to_owned();
        sorted(self.symbols.iter().filter(|fact| plain(&fact.name) == text).cloned())
    }

    /// Selectors that are sent and defined nowhere, with the number of sends.
    #[must_use]
    pub fn unimplemented(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for fact in self.sends.iter().filter(|fact| !self.is_call(fact)) {
            let is_operator = ["==", "/=", "=:=", "=/="].contains(&fact.name.as_str());
            if !is_operator && self.implementors_of(&fact.name).is_empty() {
                *counts.entry(fact.name.clone()).or_default() += 1;
            }
        }
        counts.into_iter().collect()
    }

    fn is_call(&self, send: &Fact) -> bool {
        let is_module = |kinds: &Vec<Kind>| kinds.iter().all(|kind| *kind == Kind::Module);
        let ty = self.receiver_of(send).and_then(Option::as_ref);
        self.calls.contains(send) || ty.is_some_and(|kinds| !kinds.is_empty() && is_module(kinds))
    }

    /// Methods that nothing sends, names or requires.
    #[must_use]
    pub fn unused(&self) -> Vec<Fact> {
        let is_test = |def: &Definition| {
            def.fact.name.starts_with("test")
                && self.line(&def.class).iter().skip(1).any(|it| it == "TestCase")
        };
        let is_used = |def: &&Definition| {
            let name = &def.fact.name;
            RUNTIME.contains(&name.as_str())
                || self.sends.iter().any(|send| send.name == *name)
                || !self.symbols_of(name).is_empty()
                || self.defs.iter().any(|other| other.is_required && other.fact.name == *name)
                || is_test(def)
        };
        let written = self.defs.iter().filter(|def| !def.is_generated && !def.is_required);
        sorted(written.filter(|def| !is_used(def)).map(|def| def.fact.clone()))
    }

    /// Whether a send may reach what a class answers to it; `None` when this reading does not decide.
    #[must_use]
    pub fn may_reach(&self, send: &Fact, class: &str, is_class_side: bool) -> Option<bool> {
        if send.kind == "send" {
            return self.typed_may_reach(send, class, is_class_side);
        }
        let Some((owner, _)) = send.owner.split_once(">>") else {
            return self.typed_may_reach(send, class, is_class_side);
        };
        let (owner, own_side) = match owner.strip_suffix(" class") {
            Some(owner) => (owner, true),
            None => (owner, false),
        };
        let known = self.classes.iter().find(|(name, _, _)| name == owner);
        let Some((_, superclass, _)) = known else { return Some(true) };
        let answering = |from: &str| self.answering(from, is_class_side, &send.name);
        let is_below =
            |low: &str, high: &str| low != high && self.line(low).iter().any(|it| it == high);
        let overrides = |from: &str| answering(from).is_some_and(|it| is_below(&it, class));
        match send.kind {
            "self_send" => Some(
                own_side == is_class_side
                    && (is_below(class, owner)
                        || ((owner == class || is_below(owner, class)) && !overrides(owner))),
            ),
            "super_send" => Some(
                own_side == is_class_side
                    && is_below(owner, class)
                    && !superclass.as_deref().is_some_and(overrides),
            ),
            _ => None,
        }
    }

    /// The nearest class from one upward that has a method of its own.
    pub(crate) fn answering(
        &self,
        from: &str,
        is_class_side: bool,
        selector: &str,
    ) -> Option<String> {
        self.line(from).into_iter().find(|it| self.implements(it, is_class_side, selector))
    }

    /// Whether a class itself has a method.
    pub(crate) fn implements(&self, class: &str, is_class_side: bool, selector: &str) -> bool {
        self.defs.iter().any(|def| {
            def.class == class
                && def.is_class_side == is_class_side
                && def.fact.name == selector
                && !def.is_required
                && self.is_real(def)
        })
    }

    /// A class and its ancestors.
    pub(crate) fn line(&self, class: &str) -> Vec<String> {
        let mut line = vec![class.to_owned()];
        while let Some(name) = line.last() {
            let superclass = self.classes.iter().find(|(it, _, _)| it == name);
            let Some((_, Some(superclass), _)) = superclass else { break };
            if line.contains(superclass) {
                break;
            }
            line.push(superclass.clone());
        }
        line
    }

    pub(crate) fn is_real(&self, def: &Definition) -> bool {
        let is_value = || self.line(&def.class).iter().any(|it| it == "Value");
        let is_written = || {
            self.defs.iter().any(|other| {
                !other.is_generated
                    && !other.is_required
                    && other.fact.file == def.fact.file
                    && other.class == def.class
                    && other.is_class_side == def.is_class_side
                    && other.fact.name == def.fact.name
                    && !other.fact.owner.is_empty()
                    && other.fact.kind == "definition"
            })
        };
        !def.is_generated || (is_value() && !is_written())
    }
}

fn sorted(facts: impl Iterator<Item = Fact>) -> Vec<Fact> {
    let mut facts: Vec<_> = facts.collect();
    facts.sort();
    facts
}

struct Walk<'a> {
    scan: &'a mut Scan,
    file: &'a str,
    unit: &'a Unit,
}

/// Where the walk is.
#[derive(Clone)]
struct Within {
    owner: String,
    params: Vec<String>,
    type_kind: &'static str,
    is_self_shadowed: bool,
}

impl Within {
    fn new(owner: &str, params: &[String]) -> Self {
        Self {
            owner: owner.to_owned(),
            params: params.to_vec(),
            type_kind: "annotation",
            is_self_shadowed: false,
        }
    }
}

fn text(token: Option<Token<'_>>) -> String {
    token.map_or("", Token::text).to_owned()
}

impl Walk<'_> {
    fn fact(&self, tokens: &[Token<'_>], kind: &'static str, owner: &str) -> Fact {
        Fact {
            file: self.file.to_owned(),
            spans: tokens
                .iter()
                .map(|token| (token.span().start().into(), token.span().end().into()))
                .collect(),
            kind,
            name: tokens.iter().map(|token| token.text()).collect(),
            owner: owner.to_owned(),
        }
    }

    fn file(&mut self) {
        for node in self.unit.root().children() {
            match node.kind() {
                NodeKind::Class => self.class(node),
                NodeKind::Protocol => self.protocol(node),
                NodeKind::Extension => self.extension(node),
                NodeKind::Alias => {
                    let owner = format!("type {}", name_of(node));
                    let within = Within { type_kind: "alias", ..Within::new(&owner, &[]) };
                    self.walk(node, &within);
                }
                _ => self.walk(node, &Within::new("top level", &[])),
            }
        }
    }

    fn class(&mut self, node: Node<'_>) {
        let Some(class) = Class::cast(node) else { return };
        let name = name_of(node);
        let params: Vec<_> = class.type_params().iter().map(|it| it.text().to_owned()).collect();
        let superclass = class.superclass().map(|it| text(it.name()));
        let tokens: Vec<_> = class.name().into_iter().collect();
        let place = self.fact(&tokens, "declaration", &name);
        self.scan.classes.push((name.clone(), superclass, place));
        let mut constructor = String::new();
        for child in node.children() {
            match child.kind() {
                NodeKind::Superclass => {
                    for part in child.children() {
                        if part.kind() == NodeKind::ClassName {
                            self.reference(part, "superclass", &name);
                        } else {
                            let type_kind = "superclass_argument";
                            self.walk(part, &Within { type_kind, ..Within::new(&name, &params) });
                        }
                    }
                }
                NodeKind::TypeParam => {
                    if let Some(bound) = child.child(NodeKind::ClassName) {
                        self.reference(bound, "bound", &name);
                    }
                }
                NodeKind::Field => {
                    self.walk(child, &Within::new(&name, &params));
                    constructor.push_str(&self.accessors(child, &name));
                }
                NodeKind::Method => {
                    let Some(method) = Method::cast(child) else { continue };
                    self.method(method, &name, method.side(), &params);
                }
                _ => {}
            }
        }
        if !constructor.is_empty() {
            self.generated(&constructor, &tokens, &name, true);
        }
    }

    /// The part that a field gives to the constructor.
    fn accessors(&mut self, node: Node<'_>, class: &str) -> String {
        let Some(field) = Field::cast(node) else { return String::new() };
        let Some(token) = field.name().filter(|_| field.kind() == FieldKind::Field) else {
            return String::new();
        };
        let name = token.text();
        let (first, rest) = name.split_at(1);
        self.generated(name, &[token], class, false);
        self.generated(&format!("with{}{rest}:", first.to_uppercase()), &[token], class, false);
        format!("{name}:")
    }

    fn generated(&mut self, selector: &str, at: &[Token<'_>], class: &str, is_class_side: bool) {
        let side = if is_class_side { " class" } else { "" };
        let owner = format!("{class}{side}>>{selector}");
        let mut fact = self.fact(at, "definition", &owner);
        selector.clone_into(&mut fact.name);
        let class = class.to_owned();
        let is_generated = true;
        let is_required = false;
        self.scan.defs.push(Definition { fact, class, is_class_side, is_generated, is_required });
    }

    fn method(&mut self, method: Method<'_>, class: &str, side: Side, type_params: &[String]) {
        let Some(header) = method.header() else { return };
        let selector = header.selector();
        let owner = match side {
            Side::Instance => format!("{class}>>{}", selector.name()),
            Side::Class => format!("{class} class>>{}", selector.name()),
        };
        self.define(&selector, class, side, &owner, false);
        let is_self_shadowed = header.params().iter().any(|param| param.name.text() == "self");
        let within = Within { is_self_shadowed, ..Within::new(&owner, type_params) };
        self.walk(method.node(), &within);
    }

    fn define(
        &mut self,
        selector: &Selector<'_>,
        class: &str,
        side: Side,
        owner: &str,
        is_required: bool,
    ) {
        let fact = self.fact(&selector.parts, "definition", owner);
        self.scan.defs.push(Definition {
            fact,
            class: class.to_owned(),
            is_class_side: side == Side::Class,
            is_generated: false,
            is_required,
        });
    }

    fn extension(&mut self, node: Node<'_>) {
        let Some(extension) = Extension::cast(node) else { return };
        let (Some(target), Some(method)) = (extension.target(), extension.method()) else { return };
        let class = text(target.name());
        let selector = method.selector();
        let owner = match extension.side() {
            Side::Instance => format!("{class}>>{selector}"),
            Side::Class => format!("{class} class>>{selector}"),
        };
        self.reference(target.node(), "extension_target", &owner);
        self.method(method, &class, extension.side(), &[]);
    }

    fn protocol(&mut self, node: Node<'_>) {
        let Some(protocol) = Protocol::cast(node) else { return };
        let name = name_of(node);
        let owner = format!("Protocol {name}");
        let extends = protocol.extending().map(|it| text(it.name()));
        self.scan.protocols.push((name.clone(), extends));
        let params: Vec<_> = protocol.type_params().iter().map(|it| it.text().to_owned()).collect();
        for child in node.children() {
            match child.kind() {
                NodeKind::TypeParam => {
                    if let Some(bound) = child.child(NodeKind::ClassName) {
                        self.reference(bound, "bound", &owner);
                    }
                }
                NodeKind::Extending => {
                    if let Some(extended) = child.child(NodeKind::ClassName) {
                        self.reference(extended, "extending", &owner);
                    }
                }
                _ => {}
            }
        }
        for requirement in protocol.requirements() {
            let Some(header) = requirement.header() else { continue };
            let side = if header.has_modifier("class") { Side::Class } else { Side::Instance };
            self.define(&header.selector(), &name, side, &owner, true);
            self.walk(requirement.node(), &Within::new(&owner, &params));
        }
    }

    fn reference(&mut self, node: Node<'_>, kind: &'static str, owner: &str) {
        let Some(token) = ClassName::cast(node).and_then(ClassName::name) else { return };
        if token.text().starts_with(|first: char| first.is_ascii_uppercase()) {
            let fact = self.fact(&[token], kind, owner);
            self.scan.refs.push(fact);
        }
    }

    // ---- bodies

    fn walk(&mut self, node: Node<'_>, within: &Within) {
        let mut within = within.clone();
        match node.kind() {
            NodeKind::Block => {
                let params = node.children_of(NodeKind::BlockParam);
                within.is_self_shadowed |= params
                    .iter()
                    .any(|it| it.own_tokens().iter().any(|token| token.text() == "self"));
            }
            NodeKind::ClassRef => self.reference(node, "expression", &within.owner),
            NodeKind::Symbol | NodeKind::TypeSymbol | NodeKind::LiteralPattern => {
                let mut tokens = node.own_tokens();
                tokens.retain(|it| it.text().starts_with('#') && it.text().len() > 1);
                if let [token] = tokens.as_slice() {
                    let fact = self.fact(&[*token], "symbol", &within.owner);
                    self.scan.symbols.push(fact);
                }
            }
            NodeKind::TypeName | NodeKind::TypeMeta => self.type_name(node, &within),
            NodeKind::TypePattern | NodeKind::ConstructorPattern => self.pattern(node, &within),
            NodeKind::Cascade => {
                let receiver = ast::cascade_receiver(node);
                for part in node.children().into_iter().skip(1) {
                    self.send(part, receiver, &within);
                }
            }
            kind if kind.is_send() => self.send(node, ast::receiver_of(node), &within),
            _ => {}
        }
        for child in node.children() {
            self.walk(child, &within);
        }
    }

    fn type_name(&mut self, node: Node<'_>, within: &Within) {
        let Some(name) = node.child(NodeKind::ClassName) else { return };
        let tokens = name.own_tokens();
        let word = text(tokens.last().copied());
        let is_free_metatype =
            node.kind() == NodeKind::TypeMeta && within.type_kind == "superclass_argument";
        let is_param = within.params.contains(&word) && !is_free_metatype;
        if tokens.len() > 1 || (word.len() > 1 && !is_param) {
            self.reference(name, within.type_kind, &within.owner);
        }
    }

    fn pattern(&mut self, node: Node<'_>, within: &Within) {
        if let Some(name) = node.child(NodeKind::ClassName) {
            self.reference(name, "pattern", &within.owner);
        }
        if node.kind() == NodeKind::ConstructorPattern {
            let mut tokens = node.own_tokens();
            tokens.retain(|token| token.kind() == TokenKind::Keyword);
            let fact = self.fact(&tokens, "send", &within.owner);
            self.scan.sends.push(fact);
        }
    }

    fn send(&mut self, node: Node<'_>, receiver: Option<Node<'_>>, within: &Within) {
        let kind = match receiver.map(Node::kind) {
            Some(NodeKind::SelfRef) if !within.is_self_shadowed => "self_send",
            Some(NodeKind::SuperRef) => "super_send",
            _ => "send",
        };
        let fact = self.fact(&node.own_tokens(), kind, &within.owner);
        if receiver.is_some_and(|receiver| calls_erlang(receiver.text(), &fact.name)) {
            self.scan.calls.push(fact.clone());
        }
        self.scan.sends.push(fact);
    }
}

/// What `Erlang` answers itself instead of taking it for a module.
const GATEWAY: [&str; 10] = [
    "new",
    "spawn",
    "class",
    "methods",
    "superclass",
    "subclasses",
    "allSubclasses",
    "class_name",
    "module_name",
    "printString",
];

/// `Erlang lists` and `Erlang lists reverse: x`.
pub(crate) fn calls_erlang(receiver: &str, selector: &str) -> bool {
    let bare = receiver.trim_start_matches('(').trim_end_matches(')');
    match bare.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["Erlang"] => bt_syntax::is_identifier(selector) && !GATEWAY.contains(&selector),
        ["Erlang", module] => bt_syntax::is_identifier(module) && !GATEWAY.contains(module),
        _ => false,
    }
}

fn name_of(node: Node<'_>) -> String {
    node.child(NodeKind::DeclName).map_or("", Node::text).to_owned()
}
