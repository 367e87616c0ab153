//! Facts sorted by name, with a directory of the names: finding those of one name reads a few bytes a
//! step, wherever the facts are.

use crate::facts::{DefFact, RefFact, SendFact, SymbolFact};
use crate::ids::NameId;
use std::ops::Deref;

/// A fact with a name.
pub trait Named {
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
pub(crate) fn facts_of<T: Named>(facts: &[T], name: NameId) -> &[T] {
    let from = facts.partition_point(|fact| fact.name() < name);
    let rest = facts.get(from..).unwrap_or(&[]);
    let n_facts = rest.partition_point(|fact| fact.name() == name);
    rest.get(..n_facts).unwrap_or(&[])
}

/// Facts by name and position.
#[derive(Clone, Debug)]
pub struct ByName<T> {
    names: Box<[NameId]>,
    /// Where the facts of each name end.
    ends: Box<[u32]>,
    facts: Box<[T]>,
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self { names: Box::default(), ends: Box::default(), facts: Box::default() }
    }
}

impl<T> Deref for ByName<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.facts
    }
}

impl<T: Named> ByName<T> {
    /// From facts sorted by name and position.
    pub(crate) fn new(facts: Vec<T>) -> Self {
        let (mut names, mut ends) = (Vec::new(), Vec::new());
        for (at, fact) in facts.iter().enumerate() {
            if names.last() != Some(&fact.name()) {
                names.push(fact.name());
                ends.push(at as u32);
            }
            if let Some(end) = ends.last_mut() {
                *end = at as u32 + 1;
            }
        }
        Self {
            names: names.into_boxed_slice(),
            ends: ends.into_boxed_slice(),
            facts: facts.into_boxed_slice(),
        }
    }

    /// The facts of a name.
    #[must_use]
    pub fn of(&self, name: NameId) -> &[T] {
        let Ok(at) = self.names.binary_search(&name) else { return &[] };
        let end = self.ends.get(at).copied().unwrap_or(0);
        let start = at.checked_sub(1).and_then(|at| self.ends.get(at)).copied().unwrap_or(0);
        self.facts.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.names) + size_of_val(&*self.ends) + size_of_val(&*self.facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_facts() {
        let fact =
            |name: u32, start: u32| SymbolFact { name: NameId(name), node: 0, start, owner: 0 };
        let facts = vec![fact(1, 5), fact(3, 1), fact(3, 9), fact(7, 2)];
        let by_name = ByName::new(facts.clone());
        for name in 0..9 {
            assert_eq!(by_name.of(NameId(name)), facts_of(&facts, NameId(name)));
        }
        assert_eq!(by_name.of(NameId(3)).len(), 2);
        assert_eq!(&*by_name, &facts[..]);
    }
}
