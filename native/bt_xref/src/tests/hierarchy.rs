//! The hierarchy after any changes of headers equals the one made anew, and what a plain reading of
//! all headers says: superclasses changed, classes added, removed, renamed, cycles, unknown
//! superclasses, several packages, extensions, classes without source.

use crate::{Change, ClassIx, ClassKind, Index, Opaque, Origin, Site};
use bt_syntax::Side;
use bt_testkit::rng::Rng;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const NAMES: [&str; 12] =
    ["Actor", "Value", "A", "B", "C", "D", "E", "F", "G", "H", "Ghost", "Phantom"];
const SELECTORS: [&str; 3] = ["m", "n", "o"];
const PACKAGES: [(&str, Origin); 3] =
    [("own", Origin::Project), ("dep", Origin::Dependency), ("std", Origin::Stdlib)];

/// The header of a class, and what it defines.
#[derive(Clone, Debug)]
struct Header {
    name: &'static str,
    package: Option<&'static str>,
    superclass: &'static str,
    methods: BTreeSet<&'static str>,
    is_broken: bool,
}

/// One file of a world; with `opaque`, a class without source.
#[derive(Clone, Debug)]
struct File {
    package: usize,
    opaque: bool,
    headers: Vec<Header>,
    extensions: BTreeSet<(&'static str, &'static str)>,
}

type World = BTreeMap<String, File>;
/// A class of a world: its file and its place there.
type Key = (String, usize);

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len())]
}

fn header(rng: &mut Rng) -> Header {
    // Ghost and Phantom are never declared.
    let name = NAMES[rng.below(NAMES.len() - 2)];
    let package = rng.one_in(6).then(|| PACKAGES[rng.below(3)].0);
    let methods = SELECTORS.into_iter().filter(|_| rng.one_in(3)).collect();
    let superclass = pick(rng, &NAMES);
    Header { name, package, superclass, methods, is_broken: rng.one_in(8) }
}

fn file(rng: &mut Rng) -> File {
    let opaque = rng.one_in(8);
    let n_headers = if opaque { 1 } else { rng.below(4) };
    let mut headers: Vec<_> = (0..n_headers).map(|_| header(rng)).collect();
    if opaque {
        headers.iter_mut().for_each(|it| it.methods.clear());
    }
    let extensions = (0..rng.below(3)).map(|_| (pick(rng, &NAMES), pick(rng, &SELECTORS)));
    let extensions = if opaque { BTreeSet::new() } else { extensions.collect() };
    File { package: rng.below(3), opaque, headers, extensions }
}

impl Header {
    fn written_superclass(&self) -> String {
        let package = self.package.map_or(String::new(), |package| format!("{package}@"));
        format!("{package}{}", self.superclass)
    }
}

fn text(file: &File) -> String {
    let mut text = String::new();
    for header in &file.headers {
        text.push_str(&format!("{} subclass: {}\n", header.written_superclass(), header.name));
        for method in &header.methods {
            text.push_str(&format!("  {method} => 1\n"));
        }
        if header.is_broken {
            text.push_str("  broken => (1 + \n");
        }
        text.push('\n');
    }
    for (target, selector) in &file.extensions {
        text.push_str(&format!("{target} >> {selector} => 2\n"));
    }
    text
}

fn put(path: &str, file: &File) -> Change {
    let (package, origin) = PACKAGES[file.package];
    match file.headers.first().filter(|_| file.opaque) {
        Some(header) => Change::Opaque(Opaque {
            file: path.into(),
            class: header.name.into(),
            superclass: Some(header.written_superclass().into()),
            package: package.into(),
            origin,
        }),
        None => Change::Put {
            file: path.into(),
            unit: Arc::new(bt_syntax::parse(&text(file))),
            package: package.into(),
            origin,
            patched: Vec::new(),
        },
    }
}

/// Some changes of a world, as one step.
fn step(rng: &mut Rng, world: &mut World) -> Vec<Change> {
    let mut changes = Vec::new();
    for _ in 0..=rng.below(3) {
        let path = format!("f{}.bt", rng.below(9));
        match world.get_mut(&path) {
            Some(_) if rng.one_in(5) => {
                world.remove(&path);
                changes.push(Change::Delete { file: path.as_str().into() });
                continue;
            }
            Some(file) if !file.headers.is_empty() && !rng.one_in(4) => {
                let at = rng.below(file.headers.len());
                let changed = header(rng);
                let old = &mut file.headers[at];
                match rng.below(4) {
                    0 => old.superclass = changed.superclass,
                    1 => old.name = changed.name,
                    2 if !file.opaque => old.methods = changed.methods,
                    _ => old.is_broken = changed.is_broken,
                }
            }
            _ => {
                world.insert(path.clone(), file(rng));
            }
        }
        changes.push(put(&path, &world[&path]));
    }
    changes
}

fn rebuilt(world: &World) -> Index {
    let changes: Vec<_> = world.iter().map(|(path, file)| put(path, file)).collect();
    Index::new().with_changes(&changes)
}

// ---- the plain reading

/// A world's classes, each with its superclass.
struct Plain<'w> {
    world: &'w World,
    parents: BTreeMap<Key, Option<Key>>,
}

impl<'w> Plain<'w> {
    fn new(world: &'w World) -> Self {
        let mut plain = Self { world, parents: BTreeMap::new() };
        let keys: Vec<Key> = world
            .iter()
            .flat_map(|(path, file)| (0..file.headers.len()).map(|at| (path.clone(), at)))
            .collect();
        for key in &keys {
            let header = plain.header(key);
            let from = PACKAGES[world[&key.0].package].0;
            let found = plain.resolve(header.superclass, header.package, from);
            plain.parents.insert(key.clone(), found.filter(|found| found != key));
        }
        for key in &keys {
            // Of a cycle, the first class loses its superclass.
            let line = plain.above(key);
            let is_cycle = line.last() == Some(key);
            if is_cycle && line.iter().min() == Some(key) {
                plain.parents.insert(key.clone(), None);
            }
        }
        plain
    }

    fn header(&self, key: &Key) -> &'w Header {
        &self.world[&key.0].headers[key.1]
    }

    fn resolve(&self, name: &str, package: Option<&str>, from: &str) -> Option<Key> {
        let mut named = Vec::new();
        for (path, file) in self.world {
            for (at, header) in file.headers.iter().enumerate() {
                if header.name == name {
                    named.push(((file.opaque, path.clone(), at), PACKAGES[file.package]));
                }
            }
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        let key = |(order, _): &((bool, String, usize), (&str, Origin))| (order.1.clone(), order.2);
        let of = |wanted: &str| named.iter().find(|(_, (it, _))| *it == wanted).map(key);
        if let Some(package) = package {
            return of(package);
        }
        let rank = |origin: Origin| (origin == Origin::Stdlib, origin);
        of(from).or_else(|| named.iter().min_by_key(|(_, (_, it))| rank(*it)).map(key))
    }

    /// The classes above, up to and including the first that comes again.
    fn above(&self, key: &Key) -> Vec<Key> {
        let mut line: Vec<Key> = Vec::new();
        let mut at = key.clone();
        while let Some(Some(parent)) = self.parents.get(&at) {
            let is_again = parent == key || line.contains(parent);
            if is_again && parent != key {
                break;
            }
            line.push(parent.clone());
            if is_again {
                break;
            }
            at = parent.clone();
        }
        line
    }

    fn kind(&self, key: &Key) -> ClassKind {
        let by_name = |name: &str| match name {
            "Actor" => Some(ClassKind::Actor),
            "Value" => Some(ClassKind::Value),
            _ => None,
        };
        let line: Vec<_> = std::iter::once(key.clone()).chain(self.above(key)).collect();
        let named = line.iter().find_map(|it| by_name(self.header(it).name));
        let last = line.last().and_then(|it| by_name(self.header(it).superclass));
        named.or(last).unwrap_or(ClassKind::Object)
    }

    fn below(&self, key: &Key) -> BTreeSet<Key> {
        self.parents.keys().filter(|it| self.above(it).contains(key)).cloned().collect()
    }

    fn is_unknown(&self, key: &Key) -> bool {
        self.world[&key.0].opaque || self.header(key).is_broken
    }

    /// Files and owners of the definitions of a selector below a class.
    fn closure(&self, key: &Key, selector: &str) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        let below = self.below(key);
        for class in &below {
            let header = self.header(class);
            if header.methods.contains(selector) {
                found.insert((class.0.clone(), format!("{}>>{selector}", header.name)));
            }
        }
        for (path, file) in self.world {
            for (target, _) in file.extensions.iter().filter(|(_, it)| *it == selector) {
                let meant = self.resolve(target, None, PACKAGES[file.package].0);
                if meant.is_some_and(|class| below.contains(&class)) {
                    found.insert((path.clone(), format!("{target}>>{selector}")));
                }
            }
        }
        found
    }
}

// ---- comparison

fn key(index: &Index, ix: ClassIx) -> Key {
    let (entry, node) = index.class(ix).unwrap();
    (entry.file.to_string(), node.idx as usize)
}

fn assert_world(index: &Index, world: &World) {
    let plain = Plain::new(world);
    let hierarchy = index.hierarchy();
    assert_eq!(hierarchy.len(), plain.parents.len());
    let ix_of = |(path, at): &Key| {
        let entry = index.unit(path).unwrap();
        hierarchy.at(entry.id, *at as u32).unwrap()
    };
    for (class, parent) in &plain.parents {
        let ix = ix_of(class);
        let node = hierarchy.node(ix).unwrap();
        assert_eq!(key(index, ix), *class);
        assert_eq!(index.names().text(node.name), plain.header(class).name);
        assert_eq!(node.parent.map(|ix| key(index, ix)), *parent, "above {class:?}");
        assert_eq!(node.kind, plain.kind(class), "kind of {class:?}");
        assert_eq!(node.is_unknown, plain.is_unknown(class), "{class:?} unknown");
        let above: Vec<_> = hierarchy.ancestors(ix).map(|ix| key(index, ix)).collect();
        assert_eq!(above, plain.above(class), "all above {class:?}");
        let below = plain.below(class);
        let found: Vec<_> = hierarchy.descendants(ix).map(|ix| key(index, ix)).collect();
        assert_eq!(found.len(), below.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), below, "below {class:?}");
        let unknown: BTreeSet<_> =
            hierarchy.unknown_below(ix).into_iter().map(|ix| key(index, ix)).collect();
        let expected: BTreeSet<_> =
            below.iter().filter(|it| plain.is_unknown(it)).cloned().collect();
        assert_eq!(unknown, expected, "unknown below {class:?}");
        for other in plain.parents.keys() {
            let is_below = hierarchy.is_below(ix_of(other), ix);
            assert_eq!(is_below, below.contains(other), "{other:?} below {class:?}");
        }
        assert_closures(index, &plain, class, ix);
    }
    for name in NAMES {
        for (package, _) in PACKAGES {
            let found = index.find_class(&format!("{package}@{name}"));
            assert_eq!(found.map(|ix| key(index, ix)), plain.resolve(name, Some(package), ""));
        }
        let found = index.find_class(name).map(|ix| key(index, ix));
        assert_eq!(found, plain.resolve(name, None, ""));
    }
}

fn assert_closures(index: &Index, plain: &Plain<'_>, class: &Key, ix: ClassIx) {
    for selector in SELECTORS {
        let closure = index.closure_of(ix, Side::Instance, selector);
        let found = |site: &Site| (site.file.to_string(), site.owner.clone());
        let found: BTreeSet<_> = closure.implementors.iter().map(found).collect();
        assert_eq!(found, plain.closure(class, selector), "{selector} below {class:?}");
        assert_eq!(index.is_closure_free(ix, Side::Instance, selector), closure.free);
        assert_eq!(closure.free, found.is_empty() && closure.unknown.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn hierarchy_after_header_changes_is_the_one_made_anew(seed in 0_u64..1_000_000) {
        let mut rng = Rng::new(seed);
        let mut world = World::new();
        let mut index = Index::new();
        let mut first = None;
        for _ in 0..12 {
            let changes = step(&mut rng, &mut world);
            index = index.with_changes(&changes);
            assert_world(&index, &world);
            first.get_or_insert_with(|| (index.clone(), world.clone()));
        }
        assert_world(&rebuilt(&world), &world);
        // The snapshots on the way are what they were.
        let (index, world) = first.unwrap();
        assert_world(&index, &world);
    }
}

/// A chain and a flat tree, changed at the top, in the middle and at the end.
#[test]
fn long_lines_and_wide_trees_move() {
    let class = |path: &str, name: &str, superclass: &str| {
        let text = format!("{superclass} subclass: {name}\n");
        Change::Put {
            file: path.into(),
            unit: Arc::new(bt_syntax::parse(&text)),
            package: "own".into(),
            origin: Origin::Project,
            patched: Vec::new(),
        }
    };
    let link = |n: usize| class(&format!("c{n}.bt"), &format!("C{n}"), &format!("C{}", n + 1));
    let leaf = |n: usize| class(&format!("l{n}.bt"), &format!("L{n}"), "C500");
    let mut index = Index::new();
    for change in (0..1000).map(link).chain((0..1000).map(leaf)) {
        index = index.with_changes(&[change]);
    }
    let find = |index: &Index, name: &str| index.find_class(name).unwrap();
    let is_below = |index: &Index, a: &str, b: &str| {
        index.hierarchy().is_below(find(index, a), find(index, b))
    };
    assert!(is_below(&index, "C0", "C999") && is_below(&index, "L7", "C999"));
    assert!(!is_below(&index, "C999", "C0") && !is_below(&index, "L7", "C499"));
    let cut = index.with_changes(&[class("c700.bt", "C700", "Ghost")]);
    assert!(!is_below(&cut, "L7", "C999") && is_below(&cut, "L7", "C700"));
    assert_eq!(cut.hierarchy().descendants(find(&cut, "C999")).count(), 298);
    let closed = cut.with_changes(&[class("c999.bt", "C999", "C500")]);
    let closed = closed.with_changes(&[link(700)]);
    // C500 to C999 are a cycle, cut above the first of them.
    assert!(is_below(&closed, "C999", "C500") && is_below(&closed, "C0", "C500"));
    let open = closed.with_changes(&[link(999)]);
    assert!(is_below(&open, "C0", "C999") && !is_below(&open, "C999", "C0"));
    assert_eq!(open.hierarchy().descendants(find(&open, "C999")).count(), 1999);
}
