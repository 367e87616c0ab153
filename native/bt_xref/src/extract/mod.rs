//! From a tree to facts: methods here, other declarations in `declaration`, bodies in `body`, types
//! in `types::build`.
//!
//! Everything is a loop over the flat tree; nothing recurses. Extraction needs the one unit only.

mod body;
mod builder;
mod declaration;
mod scope;

use crate::facts::{
    BlockParamFact, Body, ClassFact, ClassIdx, DefFact, DefKind, FieldFact, Named, Owner, OwnerIdx,
    OwnerKind, RefFact, SendFact, SymbolFact, UnitFacts,
};
use crate::ids::{Interner, LocalNames, NameId};
use crate::lines::LineTable;
use crate::row_list::RowLists;
use crate::rows::{RowOwner, Spot};
use crate::site::SiteKind;
use crate::snapshot::Patched;
use crate::types::build::annotation_type;
use crate::types::table::{TypeBuilder, UNKNOWN};
use bt_syntax::ast::{Alias, Class, ClassName, Extension, Header, Method, Param, Protocol};
use bt_syntax::{Node, NodeKind, Side, TextRange, Token, Unit};

/// What a unit adds to an index.
#[derive(Debug, Default)]
pub struct Extract {
    /// Its facts.
    pub facts: UnitFacts,
    /// Its sends as rows, by selector.
    pub send_rows: RowLists,
    /// Its class references as rows, by name.
    pub ref_rows: RowLists,
}

/// What a running system knows of a unit beyond its text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks<'a> {
    /// Methods that were patched live; of a former method what it was.
    pub patched: &'a [Patched],
    /// Whether the unit holds former methods, as extensions, of which only blocks are left. They
    /// define nothing, and their heads name nothing: the class may have another name by now.
    pub is_orphan: bool,
}

/// The facts of a unit, and those as rows that are shown as rows.
#[must_use]
pub fn extract(unit: &Unit, marks: Marks<'_>, names: &Interner) -> Extract {
    extract_with(unit, marks, &LocalNames::new(names))
}

/// As [`extract`], for one of many units.
pub(crate) fn extract_with(unit: &Unit, marks: Marks<'_>, names: &LocalNames<'_>) -> Extract {
    let mut ctx = Ctx::new(unit, marks, names);
    let mut statements = Vec::new();
    for child in unit.root().children() {
        if !ctx.declaration(child) {
            statements.push(child);
        }
    }
    ctx.statements(&statements);
    ctx.finish()
}

/// A fact and where the name in it starts and ends.
struct Spanned<T> {
    fact: T,
    start: u32,
    end: u32,
}

impl<T> Spanned<T> {
    /// A fact whose name is these tokens.
    fn new(fact: T, parts: &[Token<'_>]) -> Self {
        let start = parts.first().map_or(0, |part| part.span().start().into());
        let end = parts.last().map_or(start, |part| part.span().end().into());
        Self { fact, start, end }
    }
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
    marks: Marks<'i>,
    names: &'i LocalNames<'i>,
    owners: Vec<Owner>,
    sends: Vec<Spanned<SendFact>>,
    refs: Vec<Spanned<RefFact>>,
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
    fn new(unit: &'u Unit, marks: Marks<'i>, names: &'i LocalNames<'i>) -> Self {
        Self {
            unit,
            marks,
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
        } else if node.kind() == NodeKind::Manifest {
            self.manifest(node);
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
            body: Body::Written,
        });
        self.members.extend(statements.iter().map(|node| node.span()));
        let place = Place { owner, type_params: &[], type_kind: SiteKind::Annotation };
        self.walk(statements, &[], place);
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
            body: Body::Written,
        };
        self.definition(method, owner, DefKind::Method, params);
        self.members.push(method.node().span());
    }

    fn extension(&mut self, extension: Extension<'u>) {
        let Some(method) = extension.method() else { return };
        let target = extension.target();
        let (name, package) = match self.marks.patched.first().filter(|_| self.marks.is_orphan) {
            Some(former) => (self.names.intern(&former.class), NameId::NONE),
            None => (
                self.name(target.and_then(ClassName::name)),
                self.name(target.and_then(ClassName::package)),
            ),
        };
        let owner = Owner {
            kind: OwnerKind::Extension,
            side: extension.side(),
            name,
            package,
            class: NO_CLASS,
            selector: NameId::NONE,
            node: extension.node().id(),
            is_bound_by_selector: false,
            body: Body::Written,
        };
        let idx = self.definition(method, owner, DefKind::Extension, &[]);
        if let Some(target) = target.filter(|_| !self.marks.is_orphan) {
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
        owner.body = self.body_of(method, &owner);
        let side = owner.side;
        let idx = self.add_owner(owner);
        let returns = match method.return_type() {
            Some(ty) => annotation_type(&mut self.types, self.names, ty, params),
            None => UNKNOWN,
        };
        if let Some(header) = header.filter(|_| owner.body != Body::Orphan) {
            self.header_def(header, idx, side, kind, returns);
        }
        let place = Place { owner: idx, type_params: params, type_kind: SiteKind::Annotation };
        let method_params = header.map(Header::params).unwrap_or_default();
        self.block_annotations(&method_params, idx, params);
        let before = (self.sends.len(), self.refs.len(), self.symbols.len());
        if owner.body != Body::Stub {
            self.walk(&[node], &method_params, place);
        }
        if owner.body == Body::Orphan {
            self.keep_blocks(node, before);
        }
        idx
    }

    /// Forgets what stands in no block of a former method: only its blocks may still run.
    fn keep_blocks(&mut self, method: Node<'u>, before: (usize, usize, usize)) {
        let blocks: Vec<_> =
            method.descendants().filter(|node| node.kind() == NodeKind::Block).collect();
        let is_inside =
            |id: u32| blocks.iter().any(|block| (block.first_node()..block.id()).contains(&id));
        let (n_sends, n_refs, n_symbols) = before;
        let sends: Vec<_> = self.sends.drain(n_sends..).collect();
        self.sends.extend(sends.into_iter().filter(|it| is_inside(it.fact.node)));
        let refs: Vec<_> = self.refs.drain(n_refs..).collect();
        self.refs.extend(refs.into_iter().filter(|it| is_inside(it.fact.node)));
        let symbols: Vec<_> = self.symbols.drain(n_symbols..).collect();
        self.symbols.extend(symbols.into_iter().filter(|it| is_inside(it.node)));
    }

    /// What a method's body is, for an owner whose selector is known.
    fn body_of(&self, method: Method<'u>, owner: &Owner) -> Body {
        let is_marked = |it: &Patched| {
            it.side == owner.side
                && it.class == self.names.text(owner.name)
                && it.selector == self.names.text(owner.selector)
        };
        if self.marks.is_orphan {
            Body::Orphan
        } else if builder::is_stub(method) {
            Body::Stub
        } else if owner.kind == OwnerKind::Method && self.marks.patched.iter().any(is_marked) {
            Body::Patched
        } else {
            Body::Written
        }
    }

    /// Remembers what a method hands to the blocks it is given.
    fn block_annotations(
        &mut self,
        params: &[Param<'u>],
        owner: OwnerIdx,
        type_params: &[&'u str],
    ) {
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

    // ---- references

    /// A class name that is a reference wherever it stands.
    fn reference(&mut self, node: Node<'u>, owner: OwnerIdx, kind: SiteKind) {
        let Some(class_name) = ClassName::cast(node) else { return };
        let Some(token) = class_name.name() else { return };
        if !bt_syntax::is_class_name(token.text()) {
            return;
        }
        let fact = RefFact {
            name: self.names.intern(token.text()),
            package: self.name(class_name.package()),
            node: node.id(),
            owner,
            kind,
        };
        self.refs.push(Spanned::new(fact, &[token]));
    }

    // ---- the end

    fn finish(mut self) -> Extract {
        let degraded = self.degraded();
        let is_degraded = |span: TextRange| degraded.iter().any(|it| it.intersect(span).is_some());
        for class in &mut self.classes {
            class.is_degraded = is_degraded(self.unit.node(class.node).span());
        }
        for stub in self.owners.iter().filter(|owner| owner.body == Body::Stub) {
            if let Some(class) = self.classes.get_mut(stub.class as usize) {
                class.is_degraded = true;
            }
        }
        self.sends.sort_unstable_by_key(|it| (it.fact.selector, it.start));
        self.refs.sort_unstable_by_key(|it| (it.fact.name, it.start));
        let lines = LineTable::new(self.unit.text());
        let send_rows = self.rows(&self.sends, &lines, |fact| (fact.site_kind(), fact.owner()));
        let ref_rows = self.rows(&self.refs, &lines, |fact| (fact.kind, fact.owner));
        self.defs.sort_unstable_by_key(|fact| (fact.selector, fact.start, fact.kind));
        self.symbols.sort_unstable_by_key(|fact| (fact.name, fact.start));
        let receivers = self.sends.iter_mut().map(|it| &mut it.fact.receiver_type);
        let defs = self.defs.iter_mut().map(|fact| &mut fact.returns);
        let fields = self.fields.iter_mut().map(|fact| &mut fact.annotation);
        let classes = self.classes.iter_mut().flat_map(|fact| fact.types.iter_mut());
        let blocks = self.block_params.iter_mut().map(|fact| &mut fact.annotation);
        let mut roots: Vec<_> =
            receivers.chain(defs).chain(fields).chain(classes).chain(blocks).collect();
        let types = self.types.finish(&mut roots);
        let facts = UnitFacts {
            owners: self.owners.into_boxed_slice(),
            sends: self.sends.into_iter().map(|it| it.fact).collect(),
            refs: self.refs.into_iter().map(|it| it.fact).collect(),
            defs: self.defs.into_boxed_slice(),
            symbols: self.symbols.into_boxed_slice(),
            classes: self.classes.into_boxed_slice(),
            fields: self.fields.into_boxed_slice(),
            block_params: self.block_params.into_boxed_slice(),
            types,
            degraded: degraded.into_boxed_slice(),
            lines,
        };
        Extract { facts, send_rows, ref_rows }
    }

    /// Sorted facts as rows.
    fn rows<T: Named>(
        &self,
        facts: &[Spanned<T>],
        lines: &LineTable,
        shown: impl Fn(&T) -> (SiteKind, OwnerIdx),
    ) -> RowLists {
        let row = |it: &Spanned<T>| {
            let (line, col) = lines.line_col(self.unit.text(), it.start);
            let (kind, owner) = shown(&it.fact);
            let owner = self.owners.get(owner as usize).map_or(RowOwner::STATEMENT, RowOwner::of);
            (Spot { start: it.start, end: it.end, line, col, kind }, owner)
        };
        let mut lists = RowLists::default();
        for group in facts.chunk_by(|a, b| a.fact.name() == b.fact.name()) {
            let Some(name) = group.first().map(|it| it.fact.name()) else { continue };
            lists.push(name, self.names.text(name).len(), group.iter().map(row));
        }
        lists
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
