//! What one unit says, compactly: definitions, sends, class references, symbols, and whom they belong
//! to. Facts refer to nodes of the unit's tree; texts and exact spans are read from it on demand.
//!
//! Facts of one kind are sorted by name and position, so those of one name are a slice.

use crate::ids::{Interner, NameId};
use crate::lines::LineTable;
use crate::rows::RowOwner;
use crate::site::SiteKind;
use crate::types::TypeTable;
use bt_syntax::tree::NodeId;
use bt_syntax::{Side, TextRange};

/// Index of an [`Owner`] in its unit.
pub type OwnerIdx = u32;
/// Index of a [`ClassFact`] in its unit.
pub type ClassIdx = u32;

/// What a fact belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnerKind {
    /// A statement outside of any definition.
    TopLevel,
    /// The header of a class.
    Class,
    /// A field, state or class state declaration.
    Field,
    /// A method in a class body.
    Method,
    /// A method behind an extension's target.
    Extension,
    /// A protocol, header or requirement.
    Protocol,
    /// A type alias.
    Alias,
    /// The project's manifest.
    Manifest,
}

/// What the body of a method is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// As the file has it, or a text typed at a prompt.
    Written,
    /// Patched live, and not in the file yet.
    Patched,
    /// The stub of a block that a class builder was given: its text is nobody's.
    Stub,
    /// A former one, of which blocks may still run.
    Orphan,
}

/// An owner of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// What it is.
    pub kind: OwnerKind,
    /// The side its `self` is on.
    pub side: Side,
    /// The class, extension target, protocol or alias; [`NameId::NONE`] at top level.
    pub name: NameId,
    /// The package before the extension target's name.
    pub package: NameId,
    /// The class in this unit, for `Class`, `Field` and `Method`; `u32::MAX` otherwise.
    pub class: ClassIdx,
    /// The selector of a method, extension or requirement; the name of a field.
    pub selector: NameId,
    /// Its node.
    pub node: NodeId,
    /// Whether its body hands its own selector to Erlang (`self delegate`, bare `@primitive`).
    pub is_bound_by_selector: bool,
    /// What its body is; [`Body::Written`] for all but methods.
    pub body: Body,
}

/// Whom a send goes to, by syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Receiver {
    /// `self`, not shadowed by a block parameter.
    SelfRef,
    /// `super`.
    Super,
    /// An Erlang module.
    Ffi,
    /// Anything else.
    Other,
    /// None: the selector of a constructor pattern.
    Pattern,
}

const RECEIVERS: [Receiver; 5] =
    [Receiver::SelfRef, Receiver::Super, Receiver::Ffi, Receiver::Other, Receiver::Pattern];

/// A send, a cascade part or a constructor pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendFact {
    /// Its selector.
    pub selector: NameId,
    /// The node whose own tokens are the selector.
    pub node: NodeId,
    owner_receiver: u32,
    /// The receiver's static type, in the unit's [`TypeTable`].
    pub receiver_type: u32,
}

impl SendFact {
    pub(crate) fn new(
        selector: NameId,
        node: NodeId,
        owner: OwnerIdx,
        receiver: Receiver,
        receiver_type: u32,
    ) -> Self {
        let owner_receiver = (owner << 3) | receiver as u32;
        Self { selector, node, owner_receiver, receiver_type }
    }

    /// What it belongs to.
    #[must_use]
    pub fn owner(&self) -> OwnerIdx {
        self.owner_receiver >> 3
    }

    /// Whom it goes to.
    #[must_use]
    pub fn receiver(&self) -> Receiver {
        let receiver = RECEIVERS.get((self.owner_receiver & 7) as usize);
        receiver.copied().unwrap_or(Receiver::Other)
    }

    /// What it shows as.
    #[must_use]
    pub fn site_kind(&self) -> SiteKind {
        match self.receiver() {
            Receiver::SelfRef => SiteKind::SelfSend,
            Receiver::Super => SiteKind::SuperSend,
            Receiver::Ffi | Receiver::Other | Receiver::Pattern => SiteKind::Send,
        }
    }
}

/// A name of a class, protocol or alias (never its declaration).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefFact {
    /// The name.
    pub name: NameId,
    /// The package before `@`.
    pub package: NameId,
    /// The `ClassName` or `ClassRef` node.
    pub node: NodeId,
    /// What it belongs to.
    pub owner: OwnerIdx,
    /// Where it stands.
    pub kind: SiteKind,
}

/// How a selector is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DefKind {
    /// A method in a class body.
    Method,
    /// An extension.
    Extension,
    /// A requirement of a protocol.
    Requirement,
    /// A getter, copy-setter or constructor that the compiler makes for a field, if the class turns
    /// out to be a value class.
    Generated,
    /// A method given to a class builder.
    Builder,
}

/// A definition of a selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DefFact {
    /// The selector.
    pub selector: NameId,
    /// The header; for a generated member the declared name of the field (or of the class, for the
    /// constructor); for a builder's method the symbol.
    pub node: NodeId,
    /// First byte of the selector.
    pub start: u32,
    /// The definition as an owner; for a generated member the class.
    pub owner: OwnerIdx,
    /// Its side.
    pub side: Side,
    /// How it is defined.
    pub kind: DefKind,
    /// The type of its return, in the unit's [`TypeTable`].
    pub returns: u32,
}

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFact {
    /// The text it stands for.
    pub name: NameId,
    /// The node that owns its token.
    pub node: NodeId,
    /// First byte, of the `#`.
    pub start: u32,
    /// What it belongs to.
    pub owner: OwnerIdx,
}

/// What a declared name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeclKind {
    /// A class.
    Class,
    /// A class that the text has a class builder make at run time.
    Builder,
    /// A class of the running system that has no source.
    Opaque,
    /// A protocol.
    Protocol,
    /// A type alias.
    Alias,
}

/// A declaration of a class, protocol or alias: they share one name space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFact {
    /// Its name.
    pub name: NameId,
    /// What it is.
    pub kind: DeclKind,
    /// The superclass, or the protocol that is extended; [`NameId::NONE`] for a root.
    pub superclass: NameId,
    /// The package before it.
    pub superclass_package: NameId,
    /// Its node.
    pub node: NodeId,
    /// First byte of its name.
    pub start: u32,
    /// It as an owner.
    pub owner: OwnerIdx,
    /// Its type parameters.
    pub type_params: Box<[NameId]>,
    /// The superclass's type arguments, in the unit's [`TypeTable`]; for an alias the one type.
    pub types: Box<[u32]>,
    /// Whether it is `native:`.
    pub is_native: bool,
    /// Whether it is `sealed`.
    pub is_sealed: bool,
    /// Whether a part of its body could not be parsed.
    pub is_degraded: bool,
}

/// A field, state or class state declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldFact {
    /// Its name.
    pub name: NameId,
    /// Its class.
    pub class: ClassIdx,
    /// Its kind.
    pub kind: bt_syntax::ast::FieldKind,
    /// Its `Field` node.
    pub node: NodeId,
    /// Its annotation, in the unit's [`TypeTable`]; 0 without one.
    pub annotation: u32,
}

/// A parameter of a method that is annotated as a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockParamFact {
    /// The method.
    pub owner: OwnerIdx,
    /// Place among the method's parameters.
    pub place: u32,
    /// The annotation, in the unit's [`TypeTable`].
    pub annotation: u32,
}

/// A fact with a name.
pub(crate) trait Named {
    /// Its name.
    fn name(&self) -> NameId;
}

macro_rules! named {
    ($($fact:ident . $field:ident),*) => {
        $(impl Named for $fact {
            fn name(&self) -> NameId {
                self.$field
            }
        })*
    };
}

named!(SendFact.selector, RefFact.name, DefFact.selector, SymbolFact.name);

/// The facts of one name among sorted ones.
fn facts_of<T: Named>(facts: &[T], name: NameId) -> &[T] {
    let from = facts.partition_point(|fact| fact.name() < name);
    let rest = facts.get(from..).unwrap_or(&[]);
    let n_facts = rest.partition_point(|fact| fact.name() == name);
    rest.get(..n_facts).unwrap_or(&[])
}

/// Everything one unit says.
#[derive(Clone, Debug, Default)]
pub struct UnitFacts {
    /// Owners, in order of position.
    pub owners: Box<[Owner]>,
    /// Sends, by selector and position.
    pub sends: Box<[SendFact]>,
    /// Class references, by name and position.
    pub refs: Box<[RefFact]>,
    /// Definitions, by selector and position.
    pub defs: Box<[DefFact]>,
    /// Symbols, by name and position.
    pub symbols: Box<[SymbolFact]>,
    /// Declared names, in order of position.
    pub classes: Box<[ClassFact]>,
    /// Fields, in order of position.
    pub fields: Box<[FieldFact]>,
    /// Parameters that are annotated as blocks, by owner and place.
    pub block_params: Box<[BlockParamFact]>,
    /// Static types of receivers.
    pub types: TypeTable,
    /// Members and stretches that could not be parsed; sorted, disjoint.
    pub degraded: Box<[TextRange]>,
    /// Where lines start.
    pub lines: LineTable,
}

impl UnitFacts {
    /// What is known of a class without source: a declaration, and nothing else.
    pub(crate) fn opaque(class: &str, superclass: Option<&str>, names: &Interner) -> Self {
        let name = names.intern(class);
        let (package, superclass) = match superclass.map(|it| it.split_once('@').ok_or(it)) {
            Some(Ok((package, superclass))) => (names.intern(package), names.intern(superclass)),
            Some(Err(superclass)) => (NameId::NONE, names.intern(superclass)),
            None => (NameId::NONE, NameId::NONE),
        };
        let owner = Owner {
            kind: OwnerKind::Class,
            side: Side::Instance,
            name,
            package: NameId::NONE,
            class: 0,
            selector: NameId::NONE,
            node: 0,
            is_bound_by_selector: false,
            body: Body::Written,
        };
        let declaration = ClassFact {
            name,
            kind: DeclKind::Opaque,
            superclass,
            superclass_package: package,
            node: 0,
            start: 0,
            owner: 0,
            type_params: Box::default(),
            types: Box::default(),
            is_native: false,
            is_sealed: false,
            is_degraded: false,
        };
        Self { owners: Box::new([owner]), classes: Box::new([declaration]), ..Self::default() }
    }

    /// The sends of a selector.
    #[must_use]
    pub fn sends_of(&self, selector: NameId) -> &[SendFact] {
        facts_of(&self.sends, selector)
    }

    /// The references to a name.
    #[must_use]
    pub fn refs_of(&self, name: NameId) -> &[RefFact] {
        facts_of(&self.refs, name)
    }

    /// The definitions of a selector.
    #[must_use]
    pub fn defs_of(&self, selector: NameId) -> &[DefFact] {
        facts_of(&self.defs, selector)
    }

    /// The symbols of a text.
    #[must_use]
    pub fn symbols_of(&self, name: NameId) -> &[SymbolFact] {
        facts_of(&self.symbols, name)
    }

    /// An owner.
    #[must_use]
    pub fn owner(&self, owner: OwnerIdx) -> Option<&Owner> {
        self.owners.get(owner as usize)
    }

    /// Whether an owner is the header of a declaration: of a class, a protocol or an alias.
    #[must_use]
    pub fn is_declaration(&self, owner: OwnerIdx) -> bool {
        self.classes.iter().any(|class| class.owner == owner)
    }

    /// An owner as rows and sites show it.
    #[must_use]
    pub fn row_owner(&self, owner: OwnerIdx) -> Option<RowOwner> {
        self.owner(owner).map(RowOwner::of)
    }

    /// Whether a span overlaps a stretch that could not be parsed.
    #[must_use]
    pub fn is_degraded(&self, span: TextRange) -> bool {
        let overlap = |region: &TextRange| region.intersect(span).is_some_and(|it| !it.is_empty());
        self.degraded.iter().any(overlap)
    }

    /// Bytes held by the facts.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.owners)
            + size_of_val(&*self.sends)
            + size_of_val(&*self.refs)
            + size_of_val(&*self.defs)
            + size_of_val(&*self.symbols)
            + size_of_val(&*self.classes)
            + size_of_val(&*self.fields)
            + size_of_val(&*self.block_params)
            + self.types.memory_bytes()
            + self.lines.memory_bytes()
    }
}
