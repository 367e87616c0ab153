//! Headers, fields, protocols and aliases; the members that the compiler makes for fields.

use super::{Ctx, Place};
use crate::facts::{
    Body, ClassFact, ClassIdx, DeclKind, DefFact, DefKind, FieldFact, Owner, OwnerIdx, OwnerKind,
};
use crate::ids::NameId;
use crate::site::SiteKind;
use crate::types::build::annotation_type;
use crate::types::table::UNKNOWN;
use bt_syntax::ast::{Alias, Class, ClassName, Field, FieldKind, Method, Protocol, Requirement};
use bt_syntax::{Node, NodeKind, Side, Token};

impl<'u> Ctx<'u, '_> {
    /// The owner of what stands in the header of the declaration that comes next.
    pub(super) fn header_owner(
        &mut self,
        kind: OwnerKind,
        name: NameId,
        node: Node<'u>,
    ) -> OwnerIdx {
        let class = self.classes.len() as ClassIdx;
        self.add_owner(Owner {
            kind,
            side: Side::Instance,
            name,
            package: NameId::NONE,
            class,
            selector: NameId::NONE,
            node: node.id(),
            is_bound_by_selector: false,
            body: Body::Written,
        })
    }

    // ---- the manifest

    pub(super) fn manifest(&mut self, node: Node<'u>) {
        let owner = self.header_owner(OwnerKind::Manifest, NameId::NONE, node);
        for name in node.children() {
            self.reference(name, owner, SiteKind::Manifest);
        }
    }

    // ---- classes

    pub(super) fn class(&mut self, class: Class<'u>) {
        let node = class.node();
        let name = self.name(class.name());
        let idx = self.classes.len() as ClassIdx;
        let owner = self.header_owner(OwnerKind::Class, name, node);
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
            body: Body::Written,
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
            let Some((token, declared)) = field.name().zip(field.node().child(NodeKind::DeclName))
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

    // ---- protocols and aliases

    pub(super) fn protocol(&mut self, protocol: Protocol<'u>) {
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
            body: Body::Written,
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

    pub(super) fn alias(&mut self, alias: Alias<'u>) {
        let node = alias.node();
        let name = self.name(alias.name());
        let owner = self.header_owner(OwnerKind::Alias, name, node);
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
}

/// `withFuel:` for `fuel`: only the first letter changes.
fn copy_setter(field: &str) -> String {
    let mut chars = field.chars();
    let first = chars.next().map_or('_', |first| first.to_ascii_uppercase());
    format!("with{first}{}:", chars.as_str())
}
