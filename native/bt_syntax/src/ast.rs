//! Typed views over [`Node`]: what a declaration or a send says, by name.
//!
//! A view is a copyable wrapper; it owns nothing. Constructors (`cast`) check the kind.

use crate::kind::{NodeKind, TokenKind};
use crate::selector::Selector;
use crate::tree::{Node, Token};
use text_size::TextRange;

/// Which method table: instance or class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// Methods of the instances.
    Instance,
    /// Methods of the class object.
    Class,
}

macro_rules! view {
    ($(#[$doc:meta])* $name:ident = $($kind:ident)|+) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name<'u>(Node<'u>);
        impl<'u> $name<'u> {
            /// The view of a node, if it is of the right kind.
            #[must_use]
            pub fn cast(node: Node<'u>) -> Option<Self> {
                matches!(node.kind(), $(NodeKind::$kind)|+).then_some(Self(node))
            }
            /// The node behind the view.
            #[must_use]
            pub fn node(self) -> Node<'u> {
                self.0
            }
        }
    };
}

view!(/// A class definition.
    Class = Class);
view!(/// A method, in a class body or behind an extension's target.
    Method = Method);
view!(/// The modifiers, selector and parameters of a method or requirement.
    Header = Header);
view!(/// `Target >> method`.
    Extension = Extension);
view!(/// A protocol definition.
    Protocol = Protocol);
view!(/// One requirement of a protocol.
    Requirement = Requirement);
view!(/// A type alias.
    Alias = Alias);
view!(/// A `field:`, `state:` or `classState:` declaration.
    Field = Field);
view!(/// A class name, perhaps with a package: `pkg@Name`.
    ClassName = ClassName | ClassRef);
view!(/// A block.
    Block = Block);

fn texts<'u>(node: Node<'u>) -> impl Iterator<Item = &'u str> {
    node.own_tokens().into_iter().map(Token::text)
}

/// The declared name of a class, protocol, alias or field.
fn declared_name(node: Node<'_>) -> Option<Token<'_>> {
    node.child(NodeKind::DeclName)?.own_tokens().first().copied()
}

impl<'u> ClassName<'u> {
    /// The name's token (the package is not part of it).
    #[must_use]
    pub fn name(self) -> Option<Token<'u>> {
        self.0.own_tokens().last().copied()
    }

    /// The package before `@`.
    #[must_use]
    pub fn package(self) -> Option<Token<'u>> {
        let tokens = self.0.own_tokens();
        (tokens.len() > 1).then(|| tokens.first().copied()).flatten()
    }
}

/// How a field is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// `field:` of a value.
    Field,
    /// `state:` of an actor.
    State,
    /// `classState:` of a class.
    ClassState,
}

impl<'u> Field<'u> {
    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Token<'u>> {
        declared_name(self.0)
    }

    /// The keyword it is declared with.
    #[must_use]
    pub fn kind(self) -> FieldKind {
        match texts(self.0).next() {
            Some("state:") => FieldKind::State,
            Some("classState:") => FieldKind::ClassState,
            _ => FieldKind::Field,
        }
    }

    /// Its annotation.
    #[must_use]
    pub fn annotation(self) -> Option<Node<'u>> {
        self.0.children_rev().find(|child| child.kind().is_type())
    }

    /// Its default value.
    #[must_use]
    pub fn default(self) -> Option<Node<'u>> {
        self.0
            .children_rev()
            .find(|child| child.kind().is_expression() || child.kind() == NodeKind::Error)
    }
}

impl<'u> Class<'u> {
    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Token<'u>> {
        declared_name(self.0)
    }

    /// Its superclass; `None` for a root (`nil subclass: …`).
    #[must_use]
    pub fn superclass(self) -> Option<ClassName<'u>> {
        self.0.child(NodeKind::Superclass)?.child(NodeKind::ClassName).and_then(ClassName::cast)
    }

    /// Whether a modifier (`abstract`, `sealed`, `typed`, `internal`) stands in the header.
    #[must_use]
    pub fn has_modifier(self, word: &str) -> bool {
        texts(self.0).take_while(|text| *text != "subclass:").any(|text| text == word)
    }

    /// The names of its type parameters.
    #[must_use]
    pub fn type_params(self) -> Vec<Token<'u>> {
        type_params(self.0)
    }

    /// The Erlang module after `native:`.
    #[must_use]
    pub fn native_module(self) -> Option<Token<'u>> {
        self.0.child(NodeKind::Native)?.own_tokens().get(1).copied()
    }

    /// Its fields in order, class state included.
    #[must_use]
    pub fn fields(self) -> Vec<Field<'u>> {
        self.0.children_of(NodeKind::Field).into_iter().filter_map(Field::cast).collect()
    }

    /// Its methods in order, both sides.
    #[must_use]
    pub fn methods(self) -> Vec<Method<'u>> {
        self.0.children_of(NodeKind::Method).into_iter().filter_map(Method::cast).collect()
    }
}

fn type_params(node: Node<'_>) -> Vec<Token<'_>> {
    node.children_of(NodeKind::TypeParam)
        .into_iter()
        .filter_map(|param| param.own_tokens().first().copied())
        .collect()
}

/// A parameter of a method.
#[derive(Clone, Copy, Debug)]
pub struct Param<'u> {
    /// Its name.
    pub name: Token<'u>,
    /// Its annotation.
    pub annotation: Option<Node<'u>>,
}

impl<'u> Header<'u> {
    /// Its selector (the tokens behind the modifiers).
    #[must_use]
    pub fn selector(self) -> Selector<'u> {
        let mut tokens = self.0.own_tokens();
        let n_modifiers = self.n_modifiers(&tokens);
        tokens.drain(..n_modifiers.min(tokens.len()));
        Selector::new(tokens)
    }

    /// Its parameters in order.
    #[must_use]
    pub fn params(self) -> Vec<Param<'u>> {
        self.0
            .children_of(NodeKind::Param)
            .into_iter()
            .filter_map(|param| {
                Some(Param {
                    name: param.own_tokens().first().copied()?,
                    annotation: param.children_rev().find(|child| child.kind().is_type()),
                })
            })
            .collect()
    }

    /// Whether a modifier (`class`, `sealed`, `internal`) stands before the selector.
    #[must_use]
    pub fn has_modifier(self, word: &str) -> bool {
        let tokens = self.0.own_tokens();
        let n_modifiers = self.n_modifiers(&tokens);
        tokens.iter().take(n_modifiers).any(|token| token.text() == word)
    }

    /// Own tokens are `modifier* selector`; a unary selector is the last identifier alone. Where
    /// the selector is missing an error node stands in its place.
    fn n_modifiers(self, tokens: &[Token<'u>]) -> usize {
        if self.0.child(NodeKind::Error).is_some() && self.0.children_rev().count() == 1 {
            return tokens.len();
        }
        let is_ident = |token: &Token<'u>| token.kind() == TokenKind::Ident;
        let n_leading = tokens.iter().take_while(|token| is_ident(token)).count();
        if n_leading == tokens.len() {
            n_leading.saturating_sub(1)
        } else {
            n_leading
        }
    }
}

impl<'u> Method<'u> {
    /// Its header.
    #[must_use]
    pub fn header(self) -> Option<Header<'u>> {
        self.0.child(NodeKind::Header).and_then(Header::cast)
    }

    /// Its selector's name; empty when the header is broken.
    #[must_use]
    pub fn selector(self) -> String {
        self.header().map(|header| header.selector().name()).unwrap_or_default()
    }

    /// Its side by the `class` modifier. For a method of an extension ask [`Extension::side`].
    #[must_use]
    pub fn side(self) -> Side {
        if self.header().is_some_and(|header| header.has_modifier("class")) {
            Side::Class
        } else {
            Side::Instance
        }
    }

    /// Its return annotation.
    #[must_use]
    pub fn return_type(self) -> Option<Node<'u>> {
        self.0.children_rev().find(|child| child.kind().is_type())
    }

    /// Its statements.
    #[must_use]
    pub fn body(self) -> Option<Node<'u>> {
        self.0.child(NodeKind::Body)
    }
}

impl<'u> Extension<'u> {
    /// The class it extends.
    #[must_use]
    pub fn target(self) -> Option<ClassName<'u>> {
        self.0.child(NodeKind::ClassName).and_then(ClassName::cast)
    }

    /// The method it adds.
    #[must_use]
    pub fn method(self) -> Option<Method<'u>> {
        self.0.child(NodeKind::Method).and_then(Method::cast)
    }

    /// The side it extends: class for `Target class >> …`.
    #[must_use]
    pub fn side(self) -> Side {
        if texts(self.0).any(|text| text == "class") {
            Side::Class
        } else {
            Side::Instance
        }
    }
}

impl<'u> Protocol<'u> {
    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Token<'u>> {
        declared_name(self.0)
    }

    /// The names of its type parameters.
    #[must_use]
    pub fn type_params(self) -> Vec<Token<'u>> {
        type_params(self.0)
    }

    /// The protocol it extends.
    #[must_use]
    pub fn extending(self) -> Option<ClassName<'u>> {
        self.0.child(NodeKind::Extending)?.child(NodeKind::ClassName).and_then(ClassName::cast)
    }

    /// Its requirements in order.
    #[must_use]
    pub fn requirements(self) -> Vec<Requirement<'u>> {
        self.0
            .children_of(NodeKind::Requirement)
            .into_iter()
            .filter_map(Requirement::cast)
            .collect()
    }
}

impl<'u> Requirement<'u> {
    /// Its header.
    #[must_use]
    pub fn header(self) -> Option<Header<'u>> {
        self.0.child(NodeKind::Header).and_then(Header::cast)
    }

    /// Its return annotation.
    #[must_use]
    pub fn return_type(self) -> Option<Node<'u>> {
        self.0.children_rev().find(|child| child.kind().is_type())
    }
}

impl<'u> Alias<'u> {
    /// Its name.
    #[must_use]
    pub fn name(self) -> Option<Token<'u>> {
        declared_name(self.0)
    }

    /// The type it stands for.
    #[must_use]
    pub fn aliased(self) -> Option<Node<'u>> {
        self.0.children_rev().find(|child| child.kind().is_type())
    }
}

impl<'u> Block<'u> {
    /// Its parameters in order.
    #[must_use]
    pub fn params(self) -> Vec<Param<'u>> {
        self.0
            .children_of(NodeKind::BlockParam)
            .into_iter()
            .filter_map(|param| {
                Some(Param {
                    name: param.own_tokens().get(1).copied()?,
                    annotation: param.children_rev().find(|child| child.kind().is_type()),
                })
            })
            .collect()
    }

    /// Its statements in order.
    #[must_use]
    pub fn statements(self) -> Vec<Node<'u>> {
        self.0.children().into_iter().filter(|child| child.kind() != NodeKind::BlockParam).collect()
    }
}

/// The receiver of a send, or of a cascade part when `cascade` is its cascade.
#[must_use]
pub fn receiver_of(send: Node<'_>) -> Option<Node<'_>> {
    send.kind().is_send().then(|| send.children().first().copied()).flatten()
}

/// The receiver that the parts of a cascade go to: the receiver of the head when the head is a
/// send, otherwise the head (language reference, 2.7).
#[must_use]
pub fn cascade_receiver(cascade: Node<'_>) -> Option<Node<'_>> {
    let head = cascade.children().first().copied()?;
    receiver_of(head).or(Some(head))
}

/// The arguments of a send or cascade part, in order.
#[must_use]
pub fn arguments_of(send: Node<'_>) -> Vec<Node<'_>> {
    let skip = usize::from(send.kind().is_send());
    send.children().into_iter().skip(skip).collect()
}

/// The text a symbol stands for: `#at:put:` and `#'it''s'` without their marks.
#[must_use]
pub fn symbol_text(token: Token<'_>) -> String {
    let text = token.text();
    match token.kind() {
        TokenKind::QuotedSymbol => text
            .strip_prefix("#'")
            .and_then(|rest| rest.strip_suffix('\''))
            .unwrap_or("")
            .replace("''", "'"),
        _ => text.strip_prefix('#').unwrap_or(text).to_owned(),
    }
}

/// The doc comment of a declaration: the unbroken run of `///` lines directly above it; above its
/// `@expect` lines when it has some and the run stands there. One span; `None` without one.
#[must_use]
pub fn doc_comment(declaration: Node<'_>) -> Option<TextRange> {
    let unit = declaration.unit();
    let (first, last) = crate::extent::doc_lines(declaration)?;
    Some(unit.token(first).span().cover(unit.token(last).span()))
}
