//! Type expressions of one unit, each once.

use crate::ids::NameId;
use rustc_hash::FxHashMap;

/// Index of a [`Type`] in its unit's table; 0 is [`Type::Unknown`].
pub type TypeId = u32;

/// A type as far as one unit can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Could be anything.
    Unknown,
    /// An instance of a class; or a protocol, or an alias, by name.
    Instance {
        /// The name.
        name: NameId,
        /// The package before `@`.
        package: NameId,
        /// Its generic arguments, a list of the table.
        args: u32,
    },
    /// An instance of the class that `self` belongs to.
    SelfInstance,
    /// The same, asked from the superclass on.
    SuperInstance,
    /// The class object of a type.
    Meta(TypeId),
    /// One of the types of a list.
    Union(u32),
    /// All of the types of a list.
    Intersection(u32),
    /// A type without `nil`.
    NonNil(TypeId),
    /// A type parameter.
    Param(NameId),
    /// What a send answers.
    Return {
        /// The type of the receiver.
        receiver: TypeId,
        /// The selector.
        selector: NameId,
    },
    /// A field of `self`.
    Field(NameId),
    /// A parameter of a literal block.
    BlockParam {
        /// The type of the receiver of the send that the block is an argument of.
        receiver: TypeId,
        /// The selector of that send.
        selector: NameId,
        /// Place of the block among the arguments (high 16 bits), of the parameter in the block (low).
        place: u32,
    },
    /// A local variable: one of the types of [`TypeTable::local`].
    Local(u32),
    /// An Erlang module.
    Module,
}

/// Lists of types, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lists {
    /// Where each list ends.
    ends: Box<[u32]>,
    types: Box<[TypeId]>,
}

impl Lists {
    fn new<L: AsRef<[TypeId]>>(lists: &[L]) -> Self {
        let mut ends = Vec::with_capacity(lists.len());
        let mut types = Vec::new();
        for list in lists {
            types.extend_from_slice(list.as_ref());
            ends.push(types.len() as u32);
        }
        Self { ends: ends.into_boxed_slice(), types: types.into_boxed_slice() }
    }

    fn get(&self, at: u32) -> &[TypeId] {
        let end_of = |at: u32| self.ends.get(at as usize).map_or(0, |end| *end as usize);
        let start = at.checked_sub(1).map_or(0, end_of);
        self.types.get(start..end_of(at)).unwrap_or(&[])
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.types)
    }
}

/// The type expressions of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeTable {
    types: Box<[Type]>,
    lists: Lists,
    locals: Lists,
}

impl TypeTable {
    /// A type.
    #[must_use]
    pub fn get(&self, id: TypeId) -> Type {
        self.types.get(id as usize).copied().unwrap_or(Type::Unknown)
    }

    /// A list of types.
    #[must_use]
    pub fn list(&self, list: u32) -> &[TypeId] {
        self.lists.get(list)
    }

    /// The types a local variable is given.
    #[must_use]
    pub fn local(&self, local: u32) -> &[TypeId] {
        self.locals.get(local)
    }

    /// Bytes held by the table.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.types) + self.lists.memory_bytes() + self.locals.memory_bytes()
    }
}

/// A table under construction.
#[derive(Debug)]
pub(crate) struct TypeBuilder {
    types: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    lists: Vec<Box<[TypeId]>>,
    list_ids: FxHashMap<Box<[TypeId]>, u32>,
    locals: Vec<Vec<TypeId>>,
}

pub(crate) const UNKNOWN: TypeId = 0;
pub(crate) const NO_ARGS: u32 = 0;

impl TypeBuilder {
    pub(crate) fn new() -> Self {
        let mut builder = Self {
            types: Vec::new(),
            ids: FxHashMap::default(),
            lists: Vec::new(),
            list_ids: FxHashMap::default(),
            locals: Vec::new(),
        };
        builder.add(Type::Unknown);
        builder.add_list(Vec::new());
        builder
    }

    pub(crate) fn add(&mut self, ty: Type) -> TypeId {
        let types = &mut self.types;
        *self.ids.entry(ty).or_insert_with(|| {
            types.push(ty);
            types.len() as TypeId - 1
        })
    }

    pub(crate) fn get(&self, id: TypeId) -> Type {
        self.types.get(id as usize).copied().unwrap_or(Type::Unknown)
    }

    pub(crate) fn add_list(&mut self, list: Vec<TypeId>) -> u32 {
        let boxed = list.into_boxed_slice();
        if let Some(id) = self.list_ids.get(&boxed) {
            return *id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(boxed.clone());
        self.list_ids.insert(boxed, id);
        id
    }

    pub(crate) fn instance(&mut self, name: NameId) -> TypeId {
        self.add(Type::Instance { name, package: NameId::NONE, args: NO_ARGS })
    }

    /// One of some types; unknown when one of them is.
    pub(crate) fn union(&mut self, mut members: Vec<TypeId>) -> TypeId {
        members.sort_unstable();
        members.dedup();
        match members.as_slice() {
            [] | [UNKNOWN, ..] => UNKNOWN,
            [one] => *one,
            _ => {
                let list = self.add_list(members);
                self.add(Type::Union(list))
            }
        }
    }

    /// A new local variable.
    pub(crate) fn add_local(&mut self) -> u32 {
        self.locals.push(Vec::new());
        self.locals.len() as u32 - 1
    }

    /// Says that a local variable may have a type.
    pub(crate) fn bind_local(&mut self, local: u32, ty: TypeId) {
        if let Some(types) = self.locals.get_mut(local as usize) {
            if !types.contains(&ty) {
                types.push(ty);
            }
        }
    }

    /// The table, with only the types that can be reached from `roots`, and the new ids of the roots.
    pub(crate) fn finish(self, roots: &mut [&mut TypeId]) -> TypeTable {
        let mut pruned = Pruner { from: &self, to: Self::new(), moved: FxHashMap::default() };
        let mut locals = FxHashMap::default();
        pruned.moved.insert(UNKNOWN, UNKNOWN);
        for root in roots.iter_mut() {
            **root = pruned.copy(**root, &mut locals);
        }
        let to = pruned.to;
        TypeTable {
            types: to.types.into_boxed_slice(),
            lists: Lists::new(&to.lists),
            locals: Lists::new(&to.locals),
        }
    }
}

/// Copies what can be reached. Types only refer to smaller ids, except through locals; an explicit
/// stack keeps deep chains off the machine's.
struct Pruner<'b> {
    from: &'b TypeBuilder,
    to: TypeBuilder,
    moved: FxHashMap<TypeId, TypeId>,
}

impl Pruner<'_> {
    fn copy(&mut self, root: TypeId, locals: &mut FxHashMap<u32, u32>) -> TypeId {
        let mut stack = vec![root];
        let mut pending_locals: Vec<u32> = Vec::new();
        loop {
            while let Some(id) = stack.last().copied() {
                if self.moved.contains_key(&id) {
                    stack.pop();
                    continue;
                }
                let missing: Vec<_> = self
                    .parts(id)
                    .into_iter()
                    .filter(|part| !self.moved.contains_key(part))
                    .collect();
                if missing.is_empty() {
                    let moved = self.moved_type(id, locals, &mut pending_locals);
                    self.moved.insert(id, moved);
                    stack.pop();
                } else {
                    stack.extend(missing);
                }
            }
            let Some(local) = pending_locals.pop() else { break };
            let bound = self.from.locals.get(local as usize).cloned().unwrap_or_default();
            if bound.iter().all(|ty| self.moved.contains_key(ty)) {
                let target = locals.get(&local).copied().unwrap_or(0);
                for ty in bound {
                    let moved = self.moved.get(&ty).copied().unwrap_or(UNKNOWN);
                    self.to.bind_local(target, moved);
                }
            } else {
                stack.extend(bound);
                pending_locals.push(local);
            }
        }
        self.moved.get(&root).copied().unwrap_or(UNKNOWN)
    }

    fn parts(&self, id: TypeId) -> Vec<TypeId> {
        let list =
            |list: u32| self.from.lists.get(list as usize).map_or(Vec::new(), |l| l.to_vec());
        match self.from.get(id) {
            Type::Instance { args, .. } => list(args),
            Type::Union(members) | Type::Intersection(members) => list(members),
            Type::Meta(of) | Type::NonNil(of) => vec![of],
            Type::Return { receiver, .. } | Type::BlockParam { receiver, .. } => vec![receiver],
            Type::Unknown
            | Type::SelfInstance
            | Type::SuperInstance
            | Type::Param(_)
            | Type::Field(_)
            | Type::Local(_)
            | Type::Module => Vec::new(),
        }
    }

    fn moved_type(
        &mut self,
        id: TypeId,
        locals: &mut FxHashMap<u32, u32>,
        pending: &mut Vec<u32>,
    ) -> TypeId {
        let moved = |ty: TypeId| self.moved.get(&ty).copied().unwrap_or(UNKNOWN);
        let parts: Vec<_> = self.parts(id).into_iter().map(moved).collect();
        let first = parts.first().copied().unwrap_or(UNKNOWN);
        let ty = match self.from.get(id) {
            Type::Instance { name, package, .. } => {
                Type::Instance { name, package, args: self.to.add_list(parts) }
            }
            Type::Union(_) => Type::Union(self.to.add_list(parts)),
            Type::Intersection(_) => Type::Intersection(self.to.add_list(parts)),
            Type::Meta(_) => Type::Meta(first),
            Type::NonNil(_) => Type::NonNil(first),
            Type::Return { selector, .. } => Type::Return { receiver: first, selector },
            Type::BlockParam { selector, place, .. } => {
                Type::BlockParam { receiver: first, selector, place }
            }
            Type::Local(local) => {
                let to = &mut self.to;
                Type::Local(*locals.entry(local).or_insert_with(|| {
                    pending.push(local);
                    to.add_local()
                }))
            }
            plain => plain,
        };
        self.to.add(ty)
    }
}
