//! From a tree to facts: declarations here, bodies in `body`, receiver types in `types::build`.
//!
//! Everything is a loop over the flat tree; nothing recurses. Extraction needs the one unit only.

mod body;
mod builder;
mod scope;

use crate::facts::{
    BlockParamFact, ClassFact, ClassIdx, DeclKind, DefFact, DefKind, FieldFact, Owner, OwnerIdx, OwnerKind, RefFact,
    SendFact, SymbolFact, UnitFacts,
};
use crate::ids::{Interner, NameId};
use crate::site::SiteKind;
use crate::types::build::annotation_type;
use crate::types::table::{TypeBuilder, UNKNOWN};
use bt_syntax::ast::{
    Alias, Class, ClassName, Extension, Field, FieldKind, Header, Method, Param, Protocol,
    Requirement,
};
use bt_syntax::{Node, NodeKind, Side, TextRange, Token, Unit};

/// The facts of a unit.
#[must_use]
pub fn extract(unit: &Unit, names: &Interner) -> UnitFacts {
    let mut ctx = Ctx::new(unit, names);
    let mut statements = Vec::new();
    for child in unit.root().children() {
        if !ctx.declaration(child) {
            statements.push(child);
        }
    }
    ctx.statements(&statements);
    ctx.finish()
}

/// The declaration that facts are collected for.
#[derive(Clone, Copy)]
struct Place<'u, 'p> {
    owner: OwnerIdx,
    /// Type parameters in scope.
    type_params: &'p [&'u str],
    /// What a class name in a type counts as.
    type_kind: SiteKind,
}

struct Ctx<'u, 'i> {
    unit: &'u Unit,
    names: &'i Interner,
    owners: Vec<Owner>,
    sends: Vec<SendFact>,
    refs: Vec<RefFact>,
    defs: Vec<DefFact>,
    symbols: Vec<SymbolFact>,
    classes: Vec<ClassFact>,
    fields: Vec<FieldFact>,
    block_params: Vec<BlockParamFact>,
    types: TypeBuilder,
    /// Members and statements, to tell how far an error reaches.
    members: Vec<TextRange>,
}

const NO_CLASS: ClassIdx = ClassIdx::MAX;

impl<'u, 'i> Ctx<'u, 'i> {
    fn new(unit: &'u Unit, names: &'i Interner) -> Self {
        Self {
            unit,
            names,
            owners: Vec::new(),
            sends: Vec::new(),
            refs: Vec::new(),
            defs: Vec::new(),
            symbols: Vec::new(),
            classes: Vec::new(),
            fields: Vec::new(),
            block_params: Vec::new(),
            types: TypeBuilder::new(),
            members: Vec::new(),
        }
    }

    fn name(&self, token: Option<Token<'u>>) -> NameId {
        token.map_or(NameId::NONE, |token| self.names.intern(token.text()))
    }

    fn add_owner(&mut self, owner: Owner) -> OwnerIdx {
        self.owners.push(owner);
        self.owners.len() as OwnerIdx - 1
    }

    /// One child of the file, if it is a declaration.
    fn declaration(&mut self, node: Node<'u>) -> bool {
        if let Some(class) = Class::cast(node) {
            self.class(class);
        } else if let Some(protocol) = Protocol::cast(node) {
            self.protocol(protocol);
        } else if let Some(alias) = Alias::cast(node) {
            self.alias(alias);
        } else if let Some(extension) = Extension::cast(node) {
            self.extension(extension);
        } else {
            return false;
        }
        true
    }

    /// The statements outside of definitions; they share their variables.
    fn statements(&mut self, statements: &[Node<'u>]) {
        let Some(first) = statements.first() else { return };
        let owner = self.add_owner(Owner {
            kind: OwnerKind::TopLevel,
            side: Side::Instance,
            name: NameId::NONE,
            package: NameId::NONE,
            class: NO_CLASS,
            selector: NameId::NONE,
            node: first.id(),
            is_bound_by_selector: false,
        });
        self.members.extend(statements.iter().map(|node| node.span()));
        let place = Place { owner, type_params: &[], type_kind: SiteKind::Annotation };
        self.walk(statements, &[], place);
    }

    // ---- classes

    fn class(&mut self, class: Class<'u>) {
        let node = class.node();
        let name = self.name(class.name());
        let idx = self.classes.len() as ClassIdx;
        let owner = self.add_owner(Owner {
            kind: OwnerKind::Class,
            side: Side::Instance,
            name,
            package: NameId::NONE,
            class: idx,
            selector: NameId::NONE,
            node: node.id(),
            is_bound_by_selector: false,
        });
        let param_tokens = class.type_params();
        let type_params: Vec<&str> = param_tokens.iter().map(|token| token.text()).collect();
        let superclass = class.superclass();
        let types = self.class_header(node, owner, &type_params);
        self.classes.push(ClassFact {
            name,
            kind: DeclKind::Class,
            superclass: self.name(superclass.and_then(ClassName::name)),
            superclass_package: self.name(superclass.and_then(ClassName::package)),
            node: node.id(),
            start: class.name().map_or(node.span().start(), |token| token.span().start()).into(),
            owner,
            type_params: param_tokens.into_iter().map(|token| self.name(Some(token))).collect(),
            types: types.into_boxed_slice(),
            is_native: class.native_module().is_some(),
            is_sealed: class.has_modifier("sealed"),
            is_degraded: false,
        });
        for member in node.children() {
            if let Some(field) = Field::cast(member) {
                self.field(field, idx, name, &type_params);
            } else if let Some(method) = Method::cast(member) {
                self.method(method, idx, name, &type_params);
            }
        }
        self.generated(class, owner);
    }

    /// The references of a class header: superclass, its arguments, bounds. Gives the arguments' types.
    fn class_header(
        &mut self,
        node: Node<'u>,
        owner: OwnerIdx,
        type_params: &[&'u str],
    ) -> Vec<u32> {
        let mut types = Vec::new();
        for child in node.children() {
            match child.kind() {
                NodeKind::Superclass => {
                    for part in child.children() {
                        if part.kind() == NodeKind::ClassName {
                            self.reference(part, owner, SiteKind::Superclass);
                        } else if part.kind().is_type() {
                            let type_kind = SiteKind::SuperclassArgument;
                            self.walk(&[part], &[], Place { owner, type_params, type_kind });
                            types.push(annotation_type(
                                &mut self.types,
                                self.names,
                                part,
                                type_params,
                            ));
                        }
                    }
                }
                NodeKind::TypeParam => {
                    if let Some(bound) = child.child(NodeKind::ClassName) {
                        self.reference(bound, owner, SiteKind::Bound);
                    }
                }
                _ => {}
            }
        }
        types
    }

    fn field(&mut self, field: Field<'u>, class: ClassIdx, name: NameId, params: &[&'u str]) {
        let node = field.node();
        let kind = field.kind();
        let side = if kind == FieldKind::ClassState { Side::Class } else { Side::Instance };
        let owner = self.add_owner(Owner {
            kind: OwnerKind::Field,
            side,
            name,
            package: NameId::NONE,
            class,
            selector: self.name(field.name()),
            node: node.id(),
            is_bound_by_selector: false,
        });
        let annotation = match field.annotation() {
            Some(ty) => annotation_type(&mut self.types, self.names, ty, params),
            None => UNKNOWN,
        };
        self.fields.push(FieldFact {
            name: self.name(field.name()),
            class,
            kind,
            node: node.id(),
            annotation,
        });
        self.members.push(node.span());
        let place = Place { owner, type_params: params, type_kind: SiteKind::Annotation };
        self.walk(&[node], &[], place);
    }

    /// Getter, copy-setter and constructor of `field:` declarations. Whether they exist is decided by
    /// the class's line of ancestors, when asked.
    fn generated(&mut self, class: Class<'u>, owner: OwnerIdx) {
        let mut constructor = String::new();
        let fields: Vec<_> =
            class.fields().into_iter().filter(|field| field.kind() == FieldKind::Field).collect();
        for field in fields {
            let Some((token, declared)) =
                field.name().zip(field.node().child(NodeKind::DeclName))
            else {
                continue;
            };
            constructor.push_str(token.text());
            constructor.push(':');
            let getter = token.text().to_owned();
            for selector in [getter, copy_setter(token.text())] {
                self.generated_def(&selector, declared, token, owner, Side::Instance);
            }
        }
        let named = class.name().zip(class.node().child(NodeKind::DeclName));
        if let Some((token, declared)) = named.filter(|_| !constructor.is_empty()) {
            self.generated_def(&constructor, declared, token, owner, Side::Class);
        }
    }

    fn generated_def(
        &mut self,
        selector: &str,
        node: Node<'u>,
        token: Token<'u>,
        owner: OwnerIdx,
        side: Side,
    ) {
        self.defs.push(DefFact {
            selector: self.names.intern(selector),
            node: node.id(),
            start: token.span().start().into(),
            owner,
            side,
            kind: DefKind::Generated,
            returns: UNKNOWN,
        });
    }

    // ---- methods

    fn method(&mut self, method: Method<'u>, class: ClassIdx, name: NameId, params: &[&'u str]) {
        let side = method.side();
        let owner = Owner {
            kind: OwnerKind::Method,
            side,
            name,
            package: NameId::NONE,
            class,
            selector: NameId::NONE,
            node: method.node().id(),
            is_bound_by_selector: false,
        };
        self.definition(method, owner, DefKind::Method, params);
        self.members.push(method.node().span());
    }

    fn extension(&mut self, extension: Extension<'u>) {
        let Some(method) = extension.method() else { return };
        let target = extension.target();
        let owner = Owner {
            kind: OwnerKind::Extension,
            side: extension.side(),
            name: self.name(target.and_then(ClassName::name)),
            package: self.name(target.and_then(ClassName::package)),
            class: NO_CLASS,
            selector: NameId::NONE,
            node: extension.node().id(),
            is_bound_by_selector: false,
        };
        let idx = self.definition(method, owner, DefKind::Extension, &[]);
        if let Some(target) = target {
            self.reference(target.node(), idx, SiteKind::ExtensionTarget);
        }
        self.members.push(extension.node().span());
    }

    /// A method with its body: the owner, its definition and everything in it.
    fn definition(
        &mut self,
        method: Method<'u>,
        mut owner: Owner,
        kind: DefKind,
        params: &[&'u str],
    ) -> OwnerIdx {
        let node = method.node();
        let header = method.header();
        owner.selector = header.map_or(NameId::NONE, |header| self.selector_of(header));
        owner.is_bound_by_selector = is_bound_by_selector(method);
        let side = owner.side;
        let idx = self.add_owner(owner);
        let returns = match method.return_type() {
            Some(ty) => annotation_type(&mut self.types, self.names, ty, params),
            None => UNKNOWN,
        };
        if let Some(header) = header {
            self.header_def(header, idx, side, kind, returns);
        }
        let place = Place { owner: idx, type_params: params, type_kind: SiteKind::Annotation };
        let method_params = header.map(Header::params).unwrap_or_default();
        self.block_annotations(&method_params, idx, params);
        self.walk(&[node], &method_params, place);
        idx
    }

    /// Remembers what a method hands to the blocks it is given.
    fn block_annotations(&mut self, params: &[Param<'u>], owner: OwnerIdx, type_params: &[&'u str]) {
        for (place, param) in params.iter().enumerate() {
            let Some(annotation) = param.annotation else { continue };
            let is_block = annotation.first_token().text() == "Block";
            if annotation.kind() != NodeKind::TypeName || !is_block {
                continue;
            }
            let annotation = annotation_type(&mut self.types, self.names, annotation, type_params);
            self.block_params.push(BlockParamFact { owner, place: place as u32, annotation });
        }
    }

    fn selector_of(&self, header: Header<'u>) -> NameId {
        let name = header.selector().name();
        if name.is_empty() {
            NameId::NONE
        } else {
            self.names.intern(&name)
        }
    }

    fn header_def(
        &mut self,
        header: Header<'u>,
        owner: OwnerIdx,
        side: Side,
        kind: DefKind,
        returns: u32,
    ) {
        let selector = header.selector();
        let Some(first) = selector.parts.first() else { return };
        self.defs.push(DefFact {
            selector: self.names.intern(&selector.name()),
            node: header.node().id(),
            start: first.span().start().into(),
            owner,
            side,
            kind,
            returns,
        });
    }

    // ---- protocols and aliases

    fn protocol(&mut self, protocol: Protocol<'u>) {
        let node = protocol.node();
        let name = self.name(protocol.name());
        let idx = self.classes.len() as ClassIdx;
        let owner = self.protocol_owner(name, idx, Side::Instance, NameId::NONE, node);
        let param_tokens = protocol.type_params();
        let type_params: Vec<&str> = param_tokens.iter().map(|token| token.text()).collect();
        let extending = protocol.extending();
        self.class_header(node, owner, &type_params);
        if let Some(extending) = extending {
            self.reference(extending.node(), owner, SiteKind::Extending);
        }
        let name_start = protocol.name().map_or(node.span().start(), |token| token.span().start());
        self.classes.push(ClassFact {
            name,
            kind: DeclKind::Protocol,
            superclass: self.name(extending.and_then(ClassName::name)),
            superclass_package: self.name(extending.and_then(ClassName::package)),
            node: node.id(),
            start: name_start.into(),
            owner,
            type_params: param_tokens.into_iter().map(|token| self.name(Some(token))).collect(),
            types: Box::default(),
            is_native: false,
            is_sealed: false,
            is_degraded: false,
        });
        for requirement in protocol.requirements() {
            self.requirement(requirement, name, idx, &type_params);
        }
    }

    fn protocol_owner(
        &mut self,
        name: NameId,
        class: ClassIdx,
        side: Side,
        selector: NameId,
        node: Node<'u>,
    ) -> OwnerIdx {
        self.add_owner(Owner {
            kind: OwnerKind::Protocol,
            side,
            name,
            package: NameId::NONE,
            class,
            selector,
            node: node.id(),
            is_bound_by_selector: false,
        })
    }

    fn requirement(
        &mut self,
        requirement: Requirement<'u>,
        protocol: NameId,
        class: ClassIdx,
        params: &[&'u str],
    ) {
        let node = requirement.node();
        self.members.push(node.span());
        let Some(header) = requirement.header() else { return };
        let is_class_side = header.has_modifier("class");
        let side = if is_class_side { Side::Class } else { Side::Instance };
        let selector = self.selector_of(header);
        let owner = self.protocol_owner(protocol, class, side, selector, node);
        let returns = match requirement.return_type() {
            Some(ty) => annotation_type(&mut self.types, self.names, ty, params),
            None => UNKNOWN,
        };
        self.header_def(header, owner, side, DefKind::Requirement, returns);
        let place = Place { owner, type_params: params, type_kind: SiteKind::Annotation };
        self.walk(&[node], &[], place);
    }

    fn alias(&mut self, alias: Alias<'u>) {
        let node = alias.node();
        let name = self.name(alias.name());
        let idx = self.classes.len() as ClassIdx;
        let owner = self.add_owner(Owner {
            kind: OwnerKind::Alias,
            side: Side::Instance,
            name,
            package: NameId::NONE,
            class: idx,
            selector: NameId::NONE,
            node: node.id(),
            is_bound_by_selector: false,
        });
        let types = alias
            .aliased()
            .map(|ty| annotation_type(&mut self.types, self.names, ty, &[]))
            .into_iter()
            .collect();
        self.classes.push(ClassFact {
            name,
            kind: DeclKind::Alias,
            superclass: NameId::NONE,
            superclass_package: NameId::NONE,
            node: node.id(),
            start: alias.name().map_or(node.span().start(), |token| token.span().start()).into(),
            owner,
            type_params: Box::default(),
            types,
            is_native: false,
            is_sealed: false,
            is_degraded: false,
        });
        self.members.push(node.span());
        self.walk(&[node], &[], Place { owner, type_params: &[], type_kind: SiteKind::Alias });
    }

    // ---- references

    /// A class name that is a reference wherever it stands.
    fn reference(&mut self, node: Node<'u>, owner: OwnerIdx, kind: SiteKind) {
        let Some(class_name) = ClassName::cast(node) else { return };
        let Some(token) = class_name.name() else { return };
        if !bt_syntax::is_class_name(token.text()) {
            return;
        }
        self.refs.push(RefFact {
            name: self.names.intern(token.text()),
            package: self.name(class_name.package()),
            node: node.id(),
            start: token.span().start().into(),
            owner,
            kind,
        });
    }

    // ---- the end

    fn finish(mut self) -> UnitFacts {
        let degraded = self.degraded();
        let is_degraded = |span: TextRange| degraded.iter().any(|it| it.intersect(span).is_some());
        for class in &mut self.classes {
            class.is_degraded = is_degraded(self.unit.node(class.node).span());
        }
        self.sends.sort_unstable_by_key(|fact| (fact.selector, fact.start));
        self.refs.sort_unstable_by_key(|fact| (fact.name, fact.start));
        self.defs.sort_unstable_by_key(|fact| (fact.selector, fact.start, fact.kind));
        self.symbols.sort_unstable_by_key(|fact| (fact.name, fact.start));
        let sends = self.sends.iter_mut().map(|fact| &mut fact.receiver_type);
        let defs = self.defs.iter_mut().map(|fact| &mut fact.returns);
        let fields = self.fields.iter_mut().map(|fact| &mut fact.annotation);
        let classes = self.classes.iter_mut().flat_map(|fact| fact.types.iter_mut());
        let blocks = self.block_params.iter_mut().map(|fact| &mut fact.annotation);
        let mut roots: Vec<_> =
            sends.chain(defs).chain(fields).chain(classes).chain(blocks).collect();
        let types = self.types.finish(&mut roots);
        UnitFacts {
            owners: self.owners.into_boxed_slice(),
            sends: self.sends.into_boxed_slice(),
            refs: self.refs.into_boxed_slice(),
            defs: self.defs.into_boxed_slice(),
            symbols: self.symbols.into_boxed_slice(),
            classes: self.classes.into_boxed_slice(),
            fields: self.fields.into_boxed_slice(),
            block_params: self.block_params.into_boxed_slice(),
            types,
            degraded: degraded.into_boxed_slice(),
        }
    }

    /// Every error spoils the member it stands in; outside of one, just the bytes it skipped.
    fn degraded(&self) -> Vec<TextRange> {
        let mut regions = Vec::new();
        for error in self.unit.errors() {
            let spoiled = self.members.iter().filter(|span| span.intersect(error.span).is_some());
            regions.extend(spoiled);
            regions.push(error.span);
        }
        for node in self.unit.nodes().filter(|node| node.kind() == NodeKind::Error) {
            regions.push(node.span());
        }
        regions.sort_unstable_by_key(|span| (span.start(), span.end()));
        let mut merged: Vec<TextRange> = Vec::new();
        for region in regions {
            match merged.last_mut() {
                Some(last) if region.start() <= last.end() => *last = last.cover(region),
                _ => merged.push(region),
            }
        }
        merged
    }
}

/// `withFuel:` for `fuel`: only the first letter changes.
fn copy_setter(field: &str) -> String {
    let mut chars = field.chars();
    let first = chars.next().map_or('_', |first| first.to_ascii_uppercase());
    format!("with{first}{}:", chars.as_str())
}

/// Whether the body is exactly `self delegate` or a bare `@primitive`: the selector is then the name
/// of something in Erlang.
fn is_bound_by_selector(method: Method<'_>) -> bool {
    let Some(body) = method.body() else { return false };
    let statements = body.children();
    let [statement] = statements.as_slice() else { return false };
    match statement.kind() {
        NodeKind::Directive => {
            statement.own_tokens().iter().map(|token| token.text()).eq(["@primitive"])
        }
        NodeKind::UnarySend => {
            statement.own_tokens().iter().map(|token| token.text()).eq(["delegate"])
                && bt_syntax::ast::receiver_of(*statement)
                    .is_some_and(|receiver| receiver.kind() == NodeKind::SelfRef)
        }
        _ => false,
    }
}
