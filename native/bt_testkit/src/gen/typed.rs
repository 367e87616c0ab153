//! Worlds in which receivers have types of every form that docs/receiver-types.md has a rule for.
//!
//! A few selectors, sent to everything and answered at many places of a small hierarchy, so that it
//! matters what a receiver is.

use super::SourceFile;
use crate::rng::Rng;

/// A library that is only large enough for the rules.
pub const LIBRARY: &str = "\
nil subclass: Object
  printString -> String => \"\"
  class class -> Class => nil
Object subclass: Behaviour
  name -> Symbol => #x
Behaviour subclass: Class
Object subclass: Value
Object subclass: Actor
Object subclass: UndefinedObject
Object subclass: Boolean
  ifTrue: block => nil
Object subclass: Integer
  + other -> Integer => 1
Object subclass: Float
Object subclass: String
Object subclass: Symbol
Object subclass: Character
Object subclass: Block
Object subclass: Collection(E)
  first -> E => nil
  select: block :: Block -> Self => self
  class new -> Self => nil
Collection(E) subclass: List(E)
Collection(E) subclass: Array(E)
Collection(V) subclass: Dictionary(K, V)
  at: key :: K -> V => nil
";

const CLASSES: [&str; 7] = ["Ant", "Bee", "Cat", "Dog", "Elk", "Fox", "Gnu"];
const SELECTORS: [&str; 4] = ["go", "hop", "twin", "peer"];
const LOCALS: [&str; 4] = ["a", "b", "c", "f"];

/// The files of a world: the library, a class in each, one of extensions, protocols and aliases.
#[must_use]
pub fn world(seed: u64) -> Vec<SourceFile> {
    let mut writer = Writer { rng: Rng::new(seed ^ 0x7e57), out: String::new() };
    let mut files = vec![file("stdlib/library.bt", LIBRARY.to_owned())];
    for n in 0..CLASSES.len() {
        writer.class(n);
        files.push(file(&format!("src/{n}.bt"), std::mem::take(&mut writer.out)));
    }
    writer.others();
    files.push(file("src/others.bt", writer.out));
    files
}

fn file(path: &str, text: String) -> SourceFile {
    SourceFile { path: path.to_owned(), text }
}

struct Writer {
    rng: Rng,
    out: String,
}

impl Writer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn class_name(&mut self) -> &'static str {
        self.rng.pick(&CLASSES)
    }

    fn selector(&mut self) -> &'static str {
        self.rng.pick(&SELECTORS)
    }

    fn local(&mut self) -> &'static str {
        self.rng.pick(&LOCALS)
    }

    // ---- declarations

    fn class(&mut self, n: usize) {
        let above = CLASSES.get(self.rng.below(n.max(1))).copied().unwrap_or("Ant");
        let kind = self.rng.below(4);
        let superclass = match kind {
            0 => "Value".to_owned(),
            1 => "Actor".to_owned(),
            2 => "Object".to_owned(),
            _ if n == 0 => "Object".to_owned(),
            _ if self.rng.one_in(3) => format!("{above}({})", self.type_(1)),
            _ => above.to_owned(),
        };
        let name = CLASSES.get(n).copied().unwrap_or("Gnu");
        let params = if self.rng.one_in(3) { "(T)" } else { "" };
        self.put(&format!("{superclass} subclass: {name}{params}\n"));
        let keyword = ["field:", "state:", "classState:"].get(kind).copied();
        for field in ["f", "g"] {
            let keyword = keyword.filter(|_| !self.rng.one_in(3));
            let Some(keyword) = keyword else { continue };
            let annotation = self.annotation();
            let default = if self.rng.one_in(4) { " = nil" } else { "" };
            self.put(&format!("  {keyword} {field}{annotation}{default}\n"));
        }
        for selector in SELECTORS {
            if self.rng.one_in(2) {
                self.method("  ", "", selector);
            }
            if self.rng.one_in(4) {
                self.method("  ", "class ", selector);
            }
        }
        if self.rng.one_in(4) {
            self.method("  ", "class ", "new");
        }
        for side in ["", "class "] {
            if self.rng.one_in(2) {
                let handed = self.type_(1);
                let header = format!("visit: block :: Block({handed}, nil)");
                self.method("  ", side, &header);
            }
        }
        let (one, other) = (self.annotation(), self.annotation());
        self.method("  ", "", &format!("use: a{one} with: b{other}"));
        if self.rng.one_in(4) {
            let annotation = self.annotation();
            self.method("  ", "", &format!("own: self{annotation}"));
        }
    }

    fn method(&mut self, indent: &str, side: &str, header: &str) {
        let returns = match self.rng.below(5) {
            0 => String::new(),
            1 => " -> Self".to_owned(),
            2 => " -> Self class".to_owned(),
            _ => format!(" -> {}", self.type_(2)),
        };
        self.put(&format!("{indent}{side}{header}{returns} =>\n"));
        for _ in 0..1 + self.rng.below(5) {
            let statement = self.statement();
            self.put(&format!("{indent}  {statement}\n"));
        }
    }

    fn others(&mut self) {
        for _ in 0..self.rng.below(4) {
            let (class, selector) = (self.class_name(), self.selector());
            let side = if self.rng.one_in(4) { " class" } else { "" };
            self.method("", &format!("{class}{side} >> "), selector);
        }
        for (name, extends) in [("Moving", ""), ("Paired", "\n  extending: Moving")] {
            self.put(&format!("Protocol define: {name}{extends}\n"));
            for _ in 0..1 + self.rng.below(2) {
                let (selector, ty) = (self.selector(), self.type_(1));
                self.put(&format!("  {selector} -> {ty}\n"));
            }
        }
        let (one, other) = (self.type_(1), self.type_(1));
        let same = self.class_name();
        self.put(&format!("type Either = {one} | {other}\ntype Same = {same}\n"));
        let (value, statement) = (self.expression(1), self.statement());
        self.put(&format!("a := {value}\n{statement}\n"));
    }

    fn class_name_text(&mut self) -> String {
        self.class_name().to_owned()
    }

    // ---- types

    fn annotation(&mut self) -> String {
        if self.rng.one_in(4) {
            return String::new();
        }
        format!(" :: {}", self.type_(2))
    }

    fn type_(&mut self, depth: usize) -> String {
        let n_forms = if depth == 0 { 6 } else { 14 };
        match self.rng.below(n_forms) {
            0 => "T".to_owned(),
            1 => self.rng.pick(&["Integer", "nil", "Self", "Dynamic", "#ready"]).to_owned(),
            2..=5 => self.class_name_text(),
            6 => format!("{} | {}", self.type_(depth - 1), self.type_(depth - 1)),
            7 => format!("{} | nil", self.type_(depth - 1)),
            8 => format!("{} & {}", self.class_name(), self.rng.pick(&["Moving", "Paired"])),
            9 => format!("List({})", self.type_(depth - 1)),
            10 => format!("Dictionary(Symbol, {})", self.type_(depth - 1)),
            11 => format!("{}({})", self.class_name(), self.type_(depth - 1)),
            12 => format!("{} class", self.class_name()),
            _ => self.rng.pick(&["Moving", "Paired", "Either", "Same", "Ant \\ Bee"]).to_owned(),
        }
    }

    // ---- statements and expressions

    fn statement(&mut self) -> String {
        let (local, selector, class) = (self.local(), self.selector(), self.class_name());
        let value = self.expression(2);
        match self.rng.below(20) {
            0 | 1 => format!("{local} := {value}"),
            2 => format!("{local} :: {} := {value}", self.type_(2)),
            3 => format!("{{{local}, d}} := {value}"),
            4 => format!("({value}) do: [:x | x {selector}]"),
            5 => format!("({value}) inject: 0 into: [:x :y | x {selector}. y {selector}]"),
            6 => format!("({value}) visit: [:x | x {selector}. {local} {selector}]"),
            7 => format!("({local} isKindOf: {class}) ifTrue: [{local} {selector}] ifFalse: [{local} hop]"),
            8 => format!("{local} isNil ifTrue: [^nil]"),
            9 => format!("({value}) ifNotNil: [:x | x {selector}]"),
            10 => format!("[{local} {selector}] on: {class} do: [:e | e {selector}]"),
            11 => format!(
                "({value}) match: [x :: {class} when: [x hop] -> x {selector}; {local} -> {local} go]"
            ),
            12 => format!("[:self | self {selector}. self.f {selector}] value: ({value})"),
            13 => format!("[{local} := {value}] value"),
            14 => format!("({value}) do: [:{local} | {local} := {}. {local} {selector}]", self.expression(1)),
            15 => format!("{local} notNil ifTrue: [{local} {selector}. ({value}) hop]"),
            16 => format!("({local} class =:= {class}) ifTrue: [{local} {selector}]"),
            17 => format!("({value}) do: [:{local} | {local} twin {selector}]; {selector}"),
            _ => format!("({value}) {selector}"),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        let (class, selector) = (self.class_name(), self.selector());
        if depth == 0 {
            return match self.rng.below(7) {
                0 => self
                    .rng
                    .pick(&["3", "\"s\"", "#s", "nil", "true", "$c", "[1]", "2.5"])
                    .to_owned(),
                1 => self
                    .rng
                    .pick(&["self", "super twin", "super peer", "self.f", "self.g", "g"])
                    .to_owned(),
                2 => format!("{class} new"),
                3 => format!("{class} spawn"),
                4 => class.to_owned(),
                _ => self.local().to_owned(),
            };
        }
        let inner = self.expression(depth - 1);
        match self.rng.below(15) {
            0 => inner,
            1 | 2 => format!("({inner}) {selector}"),
            3 => format!("#({inner}, {})", self.expression(0)),
            4 => format!("({class} f: {inner} g: {})", self.expression(0)),
            5 => format!("(({class} f: {inner}) withF: {})", self.expression(0)),
            6 => format!("(({inner}) {selector}; hop; yourself)"),
            7 => format!("(({inner}) yourself; {selector})"),
            8 => format!("({inner}) class"),
            9 => format!("(({inner}) withTimeout: 5)"),
            10 => format!("(({inner}) first)"),
            11 => format!("(({inner}) at: #x)"),
            12 => format!("(({inner}) select: [:x | x {selector}])"),
            13 => self
                .rng
                .pick(&["Erlang lists", "(Erlang lists reverse: #())", "(3 + 4)"])
                .to_owned(),
            _ => format!("(({inner}) == {})", self.expression(0)),
        }
    }
}
