//! From annotations and literals to type expressions.

use crate::ids::{LocalNames, NameId};
use crate::types::table::{Type, TypeBuilder, TypeId, UNKNOWN};
use bt_syntax::ast::ClassName;
use bt_syntax::{Node, NodeKind};
use rustc_hash::FxHashMap;

/// The class of `nil`, in types called `Nil` too.
pub(crate) const NIL: &str = "UndefinedObject";

/// The class of a literal.
pub(crate) fn literal_class(kind: NodeKind) -> Option<&'static str> {
    Some(match kind {
        NodeKind::Integer => "Integer",
        NodeKind::Float => "Float",
        NodeKind::Character => "Character",
        NodeKind::String | NodeKind::Interpolation => "String",
        NodeKind::Symbol => "Symbol",
        NodeKind::NilLit => NIL,
        NodeKind::TrueLit | NodeKind::FalseLit => "Boolean",
        NodeKind::Block => "Block",
        NodeKind::Map => "Dictionary",
        _ => return None,
    })
}

/// The type an annotation stands for; `type_params` are in scope.
pub(crate) fn annotation_type(
    types: &mut TypeBuilder,
    names: &LocalNames<'_>,
    annotation: Node<'_>,
    type_params: &[&str],
) -> TypeId {
    let mut done: FxHashMap<u32, TypeId> = FxHashMap::default();
    for node in annotation.descendants().filter(|node| node.kind().is_type()) {
        let mut parts: Vec<TypeId> = node
            .children_rev()
            .filter(|child| child.kind().is_type())
            .map(|child| done.get(&child.id()).copied().unwrap_or(UNKNOWN))
            .collect();
        parts.reverse();
        let ty = composed(types, names, node, parts, type_params);
        done.insert(node.id(), ty);
    }
    done.get(&annotation.id()).copied().unwrap_or(UNKNOWN)
}

fn composed(
    types: &mut TypeBuilder,
    names: &LocalNames<'_>,
    node: Node<'_>,
    parts: Vec<TypeId>,
    type_params: &[&str],
) -> TypeId {
    let first = parts.first().copied().unwrap_or(UNKNOWN);
    match node.kind() {
        NodeKind::TypeName => named(types, names, node, parts, type_params),
        NodeKind::TypeMeta => {
            let instance = named(types, names, node, Vec::new(), type_params);
            types.add(Type::Meta(instance))
        }
        NodeKind::TypeSelf => {
            let instance = types.add(Type::SelfInstance);
            if node.own_tokens().len() > 1 {
                types.add(Type::Meta(instance))
            } else {
                instance
            }
        }
        NodeKind::TypeSymbol => types.instance(names.intern("Symbol")),
        NodeKind::TypeUnion => types.union(parts),
        NodeKind::TypeIntersection => {
            let list = types.add_list(parts);
            types.add(Type::Intersection(list))
        }
        NodeKind::TypeDifference | NodeKind::TypeParen => first,
        _ => UNKNOWN,
    }
}

fn named(
    types: &mut TypeBuilder,
    names: &LocalNames<'_>,
    node: Node<'_>,
    args: Vec<TypeId>,
    type_params: &[&str],
) -> TypeId {
    let Some(class_name) = node.child(NodeKind::ClassName).and_then(ClassName::cast) else {
        return UNKNOWN;
    };
    let Some(name) = class_name.name() else { return UNKNOWN };
    let package = class_name.package().map_or(NameId::NONE, |token| names.intern(token.text()));
    let text = name.text();
    let is_param = text.len() == 1 || type_params.contains(&text);
    if package == NameId::NONE && is_param {
        return types.add(Type::Param(names.intern(text)));
    }
    let class = match text {
        "nil" | "Nil" => NIL,
        "true" | "false" => "Boolean",
        "Dynamic" | "Never" => return UNKNOWN,
        _ => text,
    };
    let args = types.add_list(args);
    types.add(Type::Instance { name: names.intern(class), package, args })
}
