//! The outline of a unit: its declarations, as docs/interfaces.md shapes them.

use crate::atoms;
use crate::encode::{or_nil, side, span, Fields};
use crate::places::Places;
use bt_syntax::ast::{
    doc_comment, Alias, Class, ClassName, Extension, Field, FieldKind, Header, Method, Protocol,
};
use bt_syntax::{method_extent, Node, NodeKind, Side, Token, Unit};
use rustler::{Atom, Encoder, Env, Term};
use std::collections::BTreeSet;

struct Ctx<'a, 'u> {
    env: Env<'a>,
    unit: &'u Unit,
    places: Places<'u>,
}

/// The outline of a unit.
pub(crate) fn outline_of<'a>(env: Env<'a>, unit: &Unit) -> Term<'a> {
    let ctx = Ctx { env, unit, places: Places::new(unit.text()) };
    let children = unit.root().children();
    let each = |cast: &dyn Fn(Node<'_>) -> Option<Term<'a>>| -> Vec<Term<'a>> {
        children.iter().filter_map(|node| cast(*node)).collect()
    };
    Fields::new(env)
        .put(atoms::classes(), each(&|node| Class::cast(node).map(|it| ctx.class(it))))
        .put(atoms::protocols(), each(&|node| Protocol::cast(node).map(|it| ctx.protocol(it))))
        .put(atoms::aliases(), each(&|node| Alias::cast(node).map(|it| ctx.alias(it))))
        .put(atoms::extensions(), each(&|node| Extension::cast(node).map(|it| ctx.extension(it))))
        .put(atoms::statements(), children.iter().filter(|node| is_statement(**node)).count())
        .put(atoms::references(), ctx.references())
        .done()
}

fn is_statement(node: Node<'_>) -> bool {
    node.kind().is_expression() && node.kind() != NodeKind::Directive
}

fn text(token: Option<Token<'_>>) -> &str {
    token.map_or("", Token::text)
}

impl<'a> Ctx<'a, '_> {
    fn class(&self, class: Class<'_>) -> Term<'a> {
        let superclass = class.superclass();
        let super_name = superclass.and_then(ClassName::name);
        let modifiers = [
            (atoms::abstract_(), "abstract"),
            (atoms::sealed(), "sealed"),
            (atoms::typed(), "typed"),
            (atoms::internal(), "internal"),
        ];
        let modifiers = modifiers.into_iter().filter(|(_, word)| class.has_modifier(word));
        let native = class.native_module().map(Token::text);
        let package = superclass.and_then(ClassName::package).map(Token::text);
        let fields = self
            .declaration(class.node(), class.name())
            .put(atoms::superclass(), or_nil(self.env, super_name.map(Token::text)))
            .put(atoms::superclass_package(), or_nil(self.env, package))
            .put(atoms::modifiers(), modifiers.map(|(atom, _)| atom).collect::<Vec<_>>())
            .put(atoms::native(), or_nil(self.env, native))
            .put(atoms::type_params(), texts(&class.type_params()))
            .put(atoms::fields(), self.fields(class))
            .put(atoms::methods(), self.methods(class));
        match super_name {
            Some(token) => {
                let (line, col) = self.places.line_col(token.span().start().into());
                fields.put(atoms::superclass_line(), line).put(atoms::superclass_col(), col).done()
            }
            None => fields.done(),
        }
    }

    fn fields(&self, class: Class<'_>) -> Vec<Term<'a>> {
        class.fields().into_iter().map(|field| self.field(field)).collect()
    }

    fn field(&self, field: Field<'_>) -> Term<'a> {
        let kind = match field.kind() {
            FieldKind::Field => atoms::field(),
            FieldKind::State => atoms::state(),
            FieldKind::ClassState => atoms::class_state(),
        };
        Fields::new(self.env)
            .put(atoms::name(), text(field.name()))
            .put(atoms::kind(), kind)
            .put(atoms::type_(), or_nil(self.env, field.annotation().map(Node::text)))
            .done()
    }

    fn methods(&self, class: Class<'_>) -> Vec<Term<'a>> {
        let methods = class.methods().into_iter();
        methods.map(|method| self.method(method, method.side()).done()).collect()
    }

    fn method(&self, method: Method<'_>, of: Side) -> Fields<'a> {
        let node = method.node();
        self.header(method.header(), of)
            .put(atoms::doc(), self.doc(node))
            .put(atoms::span(), span(method_extent(node)))
            .put(atoms::source(), node.text())
    }

    fn header(&self, header: Option<Header<'_>>, of: Side) -> Fields<'a> {
        let selector = header.map(Header::selector);
        let parts = selector.as_ref().map_or(&[][..], |selector| &selector.parts);
        let start = parts.first().map_or(0, |part| part.span().start().into());
        let (line, col) = self.places.line_col(start);
        let params = header.map(Header::params).unwrap_or_default();
        let params: Vec<&str> = params.iter().map(|param| param.name.text()).collect();
        let modifiers = [(atoms::sealed(), "sealed"), (atoms::internal(), "internal")];
        let modifiers = modifiers
            .into_iter()
            .filter(|(_, word)| header.is_some_and(|header| header.has_modifier(word)));
        Fields::new(self.env)
            .put(atoms::selector(), selector.as_ref().map(|it| it.name()).unwrap_or_default())
            .put(atoms::side(), side(of))
            .put(atoms::params(), params)
            .put(atoms::modifiers(), modifiers.map(|(atom, _)| atom).collect::<Vec<Atom>>())
            .put(
                atoms::name_spans(),
                parts.iter().map(|part| span(part.span())).collect::<Vec<_>>(),
            )
            .put(atoms::line(), line)
            .put(atoms::col(), col)
    }

    fn extension(&self, extension: Extension<'_>) -> Term<'a> {
        let target = extension.target();
        let package = target.and_then(ClassName::package).map(Token::text);
        let header = extension.method().and_then(Method::header);
        let node = extension.node();
        self.header(header, extension.side())
            .put(atoms::target(), text(target.and_then(ClassName::name)))
            .put(atoms::package(), or_nil(self.env, package))
            .put(atoms::doc(), self.doc(node))
            .put(atoms::span(), span(method_extent(node)))
            .put(atoms::source(), node.text())
            .done()
    }

    fn protocol(&self, protocol: Protocol<'_>) -> Term<'a> {
        let extending = protocol.extending().and_then(ClassName::name).map(Token::text);
        let requirements: Vec<_> = protocol
            .requirements()
            .into_iter()
            .filter_map(|requirement| requirement.header())
            .map(|header| {
                let of = if header.has_modifier("class") { Side::Class } else { Side::Instance };
                self.header(Some(header), of).done()
            })
            .collect();
        self.declaration(protocol.node(), protocol.name())
            .put(atoms::type_params(), texts(&protocol.type_params()))
            .put(atoms::extending(), or_nil(self.env, extending))
            .put(atoms::requirements(), requirements)
            .done()
    }

    fn alias(&self, alias: Alias<'_>) -> Term<'a> {
        self.declaration(alias.node(), alias.name()).done()
    }

    /// What classes, protocols and aliases have in common.
    fn declaration(&self, node: Node<'_>, name: Option<Token<'_>>) -> Fields<'a> {
        let name_span = name.map_or_else(|| node.span(), Token::span);
        let (line, col) = self.places.line_col(name_span.start().into());
        Fields::new(self.env)
            .put(atoms::name(), text(name))
            .put(atoms::span(), span(node.span()))
            .put(atoms::name_span(), span(name_span))
            .put(atoms::line(), line)
            .put(atoms::col(), col)
            .put(atoms::doc(), self.doc(node))
    }

    /// The doc comment without its slashes, or `nil`.
    fn doc(&self, node: Node<'_>) -> Term<'a> {
        let range = doc_comment(node);
        let raw = range
            .and_then(|it| self.unit.text().get(usize::from(it.start())..usize::from(it.end())));
        let lines = raw.map(|raw| {
            let line = |line: &str| {
                let bare = line.trim().trim_start_matches("///");
                bare.strip_prefix(' ').unwrap_or(bare).trim_end().to_owned()
            };
            raw.lines().map(line).collect::<Vec<_>>().join("\n")
        });
        or_nil(self.env, lines)
    }

    /// Every class name in an expression or pattern, each once, sorted.
    fn references(&self) -> Term<'a> {
        let mut names = BTreeSet::new();
        for node in self.unit.nodes() {
            let name = match node.kind() {
                NodeKind::ClassRef => ClassName::cast(node),
                NodeKind::Manifest => node.child(NodeKind::ClassName).and_then(ClassName::cast),
                NodeKind::TypePattern | NodeKind::ConstructorPattern => {
                    node.child(NodeKind::ClassName).and_then(ClassName::cast)
                }
                _ => None,
            };
            if let Some(name) = name {
                names.insert((name.package().map(Token::text), text(name.name())));
            }
        }
        let rows = names.into_iter();
        rows.map(|(package, name)| (or_nil(self.env, package), name))
            .collect::<Vec<_>>()
            .encode(self.env)
    }
}

fn texts<'u>(tokens: &[Token<'u>]) -> Vec<&'u str> {
    tokens.iter().map(|token| token.text()).collect()
}
