//! What receivers are (docs/receiver-types.md), told by a plain reading of the trees: every question
//! is followed to its end again each time, with nothing kept and nothing numbered.
//!
//! Written apart from `bt_xref::types`, as the rest of the oracle is.

mod binding;
mod reader;
mod world;

use crate::oracle::{calls_erlang, Definition, Fact, Scan};
use binding::cascade_receiver;
use bt_syntax::{ast, Node, NodeKind, Selector, TokenKind, Unit};
use reader::Reader;
use std::collections::BTreeMap;
use world::{Body, World};

/// What a value can be: one of these; `None` is anything.
pub type Ty = Option<Vec<Kind>>;

/// One thing that a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instance of a class, or of one below it, with what its type parameters stand for.
    Instance(String, Vec<Ty>),
    /// A class object, of a class or of one below it.
    Class(String),
    /// Anything that conforms to a protocol.
    Conforming(String),
    /// Something that is all of these.
    All(Vec<Ty>),
    /// An Erlang module.
    Module,
}

/// The types of the receivers of all sends, by file and first byte of the selector; without those
/// that the reading does not decide about.
pub(crate) fn receivers(units: &[(String, Unit)]) -> BTreeMap<(String, u32), Ty> {
    let world = World::of(units);
    let reader = Reader::new(&world);
    let mut receivers = BTreeMap::new();
    for (file, body) in &world.bodies {
        for path in &body.paths {
            let Some(start) = path.last().and_then(|node| selector_start(*node)) else { continue };
            if let Some(ty) = receiver(&reader, body, path) {
                receivers.insert(((*file).to_owned(), start), ty);
            }
        }
    }
    receivers
}

fn selector_start(node: Node<'_>) -> Option<u32> {
    let tokens = match node.kind() {
        NodeKind::ConstructorPattern => {
            let mut tokens = node.own_tokens();
            tokens.retain(|token| token.kind() == TokenKind::Keyword);
            tokens
        }
        _ => Selector::of_send(node)?.parts,
    };
    Some(tokens.first()?.span().start().into())
}

fn receiver<'u>(reader: &Reader<'_, 'u>, body: &Body<'u>, path: &[Node<'u>]) -> Option<Ty> {
    let (node, above) = path.split_last()?;
    if node.kind() == NodeKind::ConstructorPattern {
        let class = node.child(NodeKind::ClassName)?;
        return reader.class_named(class.text());
    }
    let receiver = if node.kind().is_cascade_part() {
        cascade_receiver(above)?
    } else {
        path.iter().copied().chain([ast::receiver_of(*node)?]).collect()
    };
    let selector = Selector::of_send(*node)?.name();
    if calls_erlang(receiver.last()?.text(), &selector) {
        return Some(Some(vec![Kind::Module]));
    }
    reader.read(body, &receiver)
}

/// Whether a send reaches a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Surely,
    Perhaps,
    Never,
}

impl Scan {
    /// What the receiver of a send is; outer `None` when the reading does not decide.
    #[must_use]
    pub fn receiver_of(&self, send: &Fact) -> Option<&Ty> {
        let (start, _) = send.spans.first()?;
        self.receivers.get(&(send.file.clone(), *start))
    }

    /// Whether a send that is not to `self` or `super` may reach what a class answers to it.
    pub(crate) fn typed_may_reach(
        &self,
        send: &Fact,
        class: &str,
        is_class_side: bool,
    ) -> Option<bool> {
        let ty = self.receiver_of(send)?;
        let judge = Judge { scan: self, class, is_class_side, selector: &send.name };
        Some(judge.ty(ty) != Verdict::Never)
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

/// Judges types by the method that a class has for a selector.
struct Judge<'a> {
    scan: &'a Scan,
    class: &'a str,
    is_class_side: bool,
    selector: &'a str,
}

impl Judge<'_> {
    fn ty(&self, ty: &Ty) -> Verdict {
        let Some(kinds) = ty else { return Verdict::Perhaps };
        let verdicts: Vec<_> = kinds.iter().map(|kind| self.kind(kind)).collect();
        if verdicts.iter().all(|it| *it == Verdict::Surely) {
            Verdict::Surely
        } else if verdicts.iter().all(|it| *it == Verdict::Never) {
            Verdict::Never
        } else {
            Verdict::Perhaps
        }
    }

    fn kind(&self, kind: &Kind) -> Verdict {
        match kind {
            Kind::Instance(of, _) if !self.is_class_side => self.line(of),
            Kind::Class(of) if self.is_class_side => self.line(of),
            Kind::Class(of) => {
                let is_class = self.is_line("Class", self.class);
                let is_own = self.scan.answering(of, true, self.selector).is_some();
                if is_class && !is_own {
                    Verdict::Perhaps
                } else {
                    Verdict::Never
                }
            }
            Kind::Instance(..) | Kind::Module => Verdict::Never,
            Kind::Conforming(protocol) => self.protocol(protocol),
            Kind::All(types) => {
                let verdicts: Vec<_> = types.iter().map(|ty| self.ty(ty)).collect();
                if verdicts.contains(&Verdict::Surely) {
                    Verdict::Surely
                } else if verdicts.contains(&Verdict::Never) {
                    Verdict::Never
                } else {
                    Verdict::Perhaps
                }
            }
        }
    }

    fn is_below(&self, low: &str, high: &str) -> bool {
        low != high && self.scan.line(low).iter().any(|it| it == high)
    }

    fn is_line(&self, one: &str, other: &str) -> bool {
        let is_known = self.scan.classes.iter().any(|(name, _, _)| name == one);
        is_known && (one == other || self.is_below(one, other) || self.is_below(other, one))
    }

    fn line(&self, of: &str) -> Verdict {
        if self.is_below(self.class, of) {
            return Verdict::Perhaps;
        }
        if of != self.class && !self.is_below(of, self.class) {
            return Verdict::Never;
        }
        match self.scan.answering(of, self.is_class_side, self.selector) {
            Some(found) if self.is_below(&found, self.class) => Verdict::Never,
            _ => Verdict::Surely,
        }
    }

    fn protocol(&self, protocol: &str) -> Verdict {
        let mut required: Vec<(bool, &str)> = Vec::new();
        let mut line: Vec<&str> = vec![protocol];
        while let Some(name) = line.last().copied() {
            let Some((_, extends)) = self.scan.protocols.iter().find(|(it, _)| it == name) else {
                return Verdict::Perhaps;
            };
            let defs = self.scan.defs.iter().filter(|it| it.is_required && it.class == name);
            required.extend(defs.map(|it| (it.is_class_side, it.fact.name.as_str())));
            match extends.as_deref().filter(|it| !line.contains(it)) {
                Some(extended) => line.push(extended),
                None => break,
            }
        }
        let mut may_be = self.scan.below(self.class);
        may_be.push(self.class.to_owned());
        let has = |class: &String, (is_class_side, selector): &(bool, &str)| {
            self.scan.answering(class, *is_class_side, selector).is_some()
        };
        let conforms = |class: &String| required.iter().all(|it| has(class, it));
        if may_be.iter().any(conforms) {
            Verdict::Perhaps
        } else {
            Verdict::Never
        }
    }
}
