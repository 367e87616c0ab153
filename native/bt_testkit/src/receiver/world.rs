//! What texts declare, as plain lists: classes, methods, fields, protocols, aliases.

use bt_syntax::ast::{Alias, Class, Extension, Field, FieldKind, Method, Param, Protocol};
use bt_syntax::{Node, NodeKind, Side, Unit};

/// A class: its names, and what it hands to its superclass.
pub(super) struct ClassDecl<'u> {
    pub(super) name: &'u str,
    pub(super) superclass: Option<&'u str>,
    pub(super) arguments: Vec<Node<'u>>,
    pub(super) type_params: Vec<&'u str>,
}

/// A method of a class body or an extension, or what a protocol requires.
#[derive(Clone)]
pub(super) struct MethodDecl<'u> {
    pub(super) class: &'u str,
    pub(super) is_class_side: bool,
    pub(super) is_extension: bool,
    pub(super) is_library: bool,
    pub(super) selector: String,
    pub(super) params: Vec<Param<'u>>,
    pub(super) returns: Option<Node<'u>>,
}

/// A field.
pub(super) struct FieldDecl<'u> {
    pub(super) class: &'u str,
    pub(super) name: &'u str,
    pub(super) kind: FieldKind,
    pub(super) annotation: Option<Node<'u>>,
}

/// A protocol.
pub(super) struct ProtocolDecl<'u> {
    pub(super) name: &'u str,
    pub(super) extends: Option<&'u str>,
    pub(super) requirements: Vec<MethodDecl<'u>>,
}

/// Nodes that share their variables, and whom they belong to.
pub(super) struct Body<'u> {
    pub(super) class: Option<&'u str>,
    pub(super) is_class_side: bool,
    pub(super) type_params: Vec<&'u str>,
    pub(super) params: Vec<Param<'u>>,
    /// Every node of the body, each with all nodes around it, outermost first.
    pub(super) paths: Vec<Vec<Node<'u>>>,
}

/// All of it.
#[derive(Default)]
pub(super) struct World<'u> {
    pub(super) classes: Vec<ClassDecl<'u>>,
    pub(super) methods: Vec<MethodDecl<'u>>,
    pub(super) fields: Vec<FieldDecl<'u>>,
    pub(super) protocols: Vec<ProtocolDecl<'u>>,
    pub(super) aliases: Vec<(&'u str, Node<'u>)>,
    /// With the file of each.
    pub(super) bodies: Vec<(&'u str, Body<'u>)>,
}

impl<'u> World<'u> {
    pub(super) fn of(units: &'u [(String, Unit)]) -> Self {
        let mut world = Self::default();
        for (file, unit) in units {
            world.file(file, unit);
        }
        world
    }

    fn file(&mut self, file: &'u str, unit: &'u Unit) {
        let mut statements = Vec::new();
        for node in unit.root().children() {
            match node.kind() {
                NodeKind::Class => self.class(file, node),
                NodeKind::Extension => self.extension(file, node),
                NodeKind::Protocol => self.protocol(node),
                NodeKind::Alias => {
                    let alias = Alias::cast(node);
                    let aliased = alias.and_then(Alias::aliased);
                    self.aliases.extend(aliased.map(|aliased| (name_of(node), aliased)));
                }
                _ => statements.push(node),
            }
        }
        let body = Body::new(None, false, Vec::new(), Vec::new(), &statements);
        self.bodies.push((file, body));
    }

    fn class(&mut self, file: &'u str, node: Node<'u>) {
        let Some(class) = Class::cast(node) else { return };
        let name = name_of(node);
        let type_params: Vec<_> = class.type_params().iter().map(|it| it.text()).collect();
        let above = node.child(NodeKind::Superclass);
        self.classes.push(ClassDecl {
            name,
            superclass: class.superclass().and_then(|it| it.name()).map(|it| it.text()),
            arguments: above
                .map(|above| above.children())
                .unwrap_or_default()
                .into_iter()
                .filter(|it| it.kind().is_type())
                .collect(),
            type_params: type_params.clone(),
        });
        for field in class.fields() {
            self.field(file, name, field, &type_params);
        }
        for method in class.methods() {
            let is_class_side = method.side() == Side::Class;
            self.method(file, method, name, is_class_side, false, &type_params);
        }
    }

    fn field(&mut self, file: &'u str, class: &'u str, field: Field<'u>, type_params: &[&'u str]) {
        let kind = field.kind();
        let is_class_side = kind == FieldKind::ClassState;
        let name = field.name().map_or("", |token| token.text());
        self.fields.push(FieldDecl { class, name, kind, annotation: field.annotation() });
        let default: Vec<_> = field.default().into_iter().collect();
        let params = type_params.to_vec();
        let body = Body::new(Some(class), is_class_side, params, Vec::new(), &default);
        self.bodies.push((file, body));
    }

    fn extension(&mut self, file: &'u str, node: Node<'u>) {
        let Some(extension) = Extension::cast(node) else { return };
        let (Some(target), Some(method)) = (extension.target(), extension.method()) else { return };
        let class = target.name().map_or("", |token| token.text());
        self.method(file, method, class, extension.side() == Side::Class, true, &[]);
    }

    fn method(
        &mut self,
        file: &'u str,
        method: Method<'u>,
        class: &'u str,
        is_class_side: bool,
        is_extension: bool,
        type_params: &[&'u str],
    ) {
        let params = method.header().map(|header| header.params()).unwrap_or_default();
        self.methods.push(MethodDecl {
            class,
            is_class_side,
            is_extension,
            is_library: is_library(file),
            selector: method.selector(),
            params,
            returns: method.return_type(),
        });
        let params = method.header().map(|header| header.params()).unwrap_or_default();
        let statements = method.body().map(|body| vec![body]).unwrap_or_default();
        let type_params = type_params.to_vec();
        let body = Body::new(Some(class), is_class_side, type_params, params, &statements);
        self.bodies.push((file, body));
    }

    fn protocol(&mut self, node: Node<'u>) {
        let Some(protocol) = Protocol::cast(node) else { return };
        let name = name_of(node);
        let required = protocol.requirements().into_iter().filter_map(|requirement| {
            let header = requirement.header()?;
            Some(MethodDecl {
                class: name,
                is_class_side: header.has_modifier("class"),
                is_extension: false,
                is_library: false,
                selector: header.selector().name(),
                params: header.params(),
                returns: requirement.return_type(),
            })
        });
        self.protocols.push(ProtocolDecl {
            name,
            extends: protocol.extending().and_then(|it| it.name()).map(|it| it.text()),
            requirements: required.collect(),
        });
    }

    pub(super) fn class_named(&self, name: &str) -> Option<&ClassDecl<'u>> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// A class and its ancestors.
    pub(super) fn line(&self, name: &str) -> Vec<&ClassDecl<'u>> {
        let mut line: Vec<&ClassDecl<'u>> = Vec::new();
        let mut next = self.class_named(name);
        while let Some(class) = next.filter(|it| !line.iter().any(|seen| seen.name == it.name)) {
            line.push(class);
            next = class.superclass.and_then(|above| self.class_named(above));
        }
        line
    }

    /// Whether a class is of a built-in kind, which need not be among the texts.
    pub(super) fn is_kind_of(&self, name: &str, kind: &str) -> bool {
        let is_it = |class: &&ClassDecl<'_>| class.name == kind || class.superclass == Some(kind);
        self.line(name).iter().any(is_it)
    }

    /// A protocol and those it extends.
    pub(super) fn protocol_line(&self, name: &str) -> Vec<&ProtocolDecl<'u>> {
        let mut line: Vec<&ProtocolDecl<'u>> = Vec::new();
        let named = |name: &str| self.protocols.iter().find(|it| it.name == name);
        let mut next = named(name);
        while let Some(it) = next.filter(|it| !line.iter().any(|seen| seen.name == it.name)) {
            line.push(it);
            next = it.extends.and_then(named);
        }
        line
    }
}

impl<'u> Body<'u> {
    fn new(
        class: Option<&'u str>,
        is_class_side: bool,
        type_params: Vec<&'u str>,
        params: Vec<Param<'u>>,
        roots: &[Node<'u>],
    ) -> Self {
        let mut paths = Vec::new();
        for root in roots {
            add_paths(&[], *root, &mut paths);
        }
        Self { class, is_class_side, type_params, params, paths }
    }
}

fn add_paths<'u>(above: &[Node<'u>], node: Node<'u>, paths: &mut Vec<Vec<Node<'u>>>) {
    let path: Vec<_> = above.iter().copied().chain([node]).collect();
    paths.push(path.clone());
    for child in node.children() {
        add_paths(&path, child, paths);
    }
}

fn is_library(file: &str) -> bool {
    file.contains("stdlib/")
}

fn name_of(node: Node<'_>) -> &str {
    node.child(NodeKind::DeclName).map_or("", Node::text)
}
