//! The writer behind the generator: declarations, statements and expressions at random.

use super::class_name;
use crate::rng::Rng;
use std::fmt::Write as _;

const UNARY: &[&str] = &[
    "size",
    "isEmpty",
    "first",
    "last",
    "name",
    "reset",
    "status",
    "total",
    "current",
    "refresh",
    "printString",
    "value",
    "keys",
    "owner",
    "capacity",
    "isNil",
    "notNil",
    "reversed",
    "asString",
    "increment",
];
const KEYWORDS: &[&str] = &[
    "add:",
    "at:put:",
    "remove:",
    "notify:",
    "includes:",
    "schedule:after:",
    "from:to:",
    "move:to:",
    "record:",
    "assign:to:priority:",
    "at:ifAbsent:",
    "register:",
    "accept:",
    "value:",
];
const BLOCK_SENDS: &[&str] =
    &["do:", "collect:", "select:", "reject:", "detect:", "ifNotNil:", "timesRepeat:", "ensure:"];
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "<", ">", "<=", ">=", "==", "/=", "=:=", "=/=", "->", "++", "%", "**"];
const NAMES: &[&str] = &[
    "item", "count", "amount", "result", "entry", "next", "cargo", "deadline", "limit", "reply",
    "index", "key", "total", "ship", "place",
];
const FIELDS: &[&str] = &[
    "count", "items", "owner", "limit", "state", "ledger", "names", "deadline", "history", "rate",
];
const WORDS: &[&str] = &[
    "the", "cargo", "of", "a", "ship", "is", "kept", "until", "it", "leaves", "every", "berth",
    "answers", "how", "many", "are", "free", "when", "tide", "turns", "and", "its", "order",
    "unknown", "waiting", "no", "longer", "pilot", "returns", "nil", "for",
];
const TYPES: &[&str] = &[
    "Integer",
    "String",
    "Boolean",
    "Symbol",
    "Float",
    "List(Integer)",
    "Dictionary(Symbol, String)",
];

/// Writes source at random.
pub(super) struct Writer {
    pub(super) out: String,
    pub(super) rng: Rng,
    n_classes: usize,
    /// Column of the statements that are being written.
    indent: usize,
}

impl Writer {
    pub(super) fn new(rng: Rng, n_classes: usize) -> Self {
        Self { out: String::with_capacity(12_288), rng, n_classes, indent: 0 }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn line(&mut self, indent: usize) {
        self.out.push('\n');
        for _ in 0..indent {
            self.out.push(' ');
        }
    }

    pub(super) fn blank_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        self.rng.pick(items)
    }

    fn put_pick(&mut self, items: &[&'static str]) {
        let text = self.pick(items);
        self.put(text);
    }

    fn class_ref(&mut self) {
        let n = self.rng.below(self.n_classes);
        let name = class_name(n);
        self.put(&name);
    }

    fn prose(&mut self, n_words: usize) {
        for at in 0..n_words {
            if at > 0 {
                self.put(" ");
            }
            self.put_pick(WORDS);
        }
    }

    fn doc(&mut self, indent: usize) {
        for _ in 0..1 + self.rng.below(3) {
            let n_words = 6 + self.rng.below(8);
            self.put("/// ");
            self.prose(n_words);
            self.put(".");
            self.line(indent);
        }
    }

    fn type_(&mut self) {
        match self.rng.below(8) {
            0 => self.class_ref(),
            1 => {
                self.class_ref();
                self.put(" | nil");
            }
            2 => {
                self.put("List(");
                self.class_ref();
                self.put(")");
            }
            3 => self.put("Self"),
            4 => {
                self.class_ref();
                self.put(" class");
            }
            _ => self.put_pick(TYPES),
        }
    }

    fn annotation(&mut self) {
        if self.rng.one_in(2) {
            self.put(" :: ");
            self.type_();
        }
    }

    // ---- declarations

    /// Class `n` with so many methods.
    pub(super) fn class(&mut self, n: usize, n_methods: usize) {
        self.doc(0);
        if self.rng.one_in(5) {
            self.put_pick(&["sealed ", "abstract ", "typed ", "internal "]);
        }
        let is_root = n == 0 || self.rng.one_in(2);
        let (superclass, keyword) = match self.rng.below(3) {
            0 => ("Actor", "state: "),
            1 => ("Value", "field: "),
            _ => ("Object", "classState: "),
        };
        if is_root {
            self.put(superclass);
        } else {
            let parent = self.rng.below(n);
            self.put(&class_name(parent));
        }
        let name = class_name(n);
        let _ = writeln!(self.out, " subclass: {name}");
        if is_root {
            self.fields(keyword);
        }
        for at in 0..n_methods {
            self.put("\n  ");
            self.method(at);
            self.put("\n");
        }
    }

    fn fields(&mut self, keyword: &str) {
        let first = self.rng.below(FIELDS.len());
        for at in 0..1 + self.rng.below(4) {
            let field = FIELDS.get((first + at) % FIELDS.len()).copied().unwrap_or("count");
            self.put("  ");
            self.put(keyword);
            self.put(field);
            self.annotation();
            if self.rng.one_in(2) {
                self.put(" = ");
                self.literal();
            }
            self.put("\n");
        }
    }

    fn method(&mut self, n: usize) {
        if self.rng.one_in(2) {
            self.doc(2);
        }
        if self.rng.one_in(25) {
            self.put("@expect type \"kept for the old client\"");
            self.line(2);
        }
        if self.rng.one_in(6) {
            self.put("class ");
        }
        self.header(n);
        self.indent = 4;
        if self.rng.one_in(3) {
            self.put(" ");
            self.expr(2);
            return;
        }
        let n_statements = 1 + self.rng.below(6);
        for _ in 0..n_statements {
            if self.rng.one_in(9) {
                self.line(4);
                self.put("// ");
                self.prose(7);
            }
            self.line(4);
            self.statement();
        }
        if self.rng.one_in(2) {
            self.line(4);
            self.put("^ ");
            self.expr(2);
        }
    }

    fn header(&mut self, n: usize) {
        match self.rng.below(10) {
            0 => {
                self.put_pick(OPERATORS);
                self.put(" other");
                self.annotation();
            }
            1..=4 => {
                self.put_pick(UNARY);
                let _ = write!(self.out, "{n}");
            }
            _ => {
                let selector = self.pick(KEYWORDS);
                for (at, part) in selector.split_inclusive(':').enumerate() {
                    if at > 0 {
                        self.put(" ");
                    }
                    self.put(part);
                    self.put(" ");
                    let name = NAMES.get((n + at) % NAMES.len()).copied().unwrap_or("item");
                    self.put(name);
                    self.annotation();
                }
            }
        }
        if self.rng.one_in(2) {
            self.put(" -> ");
            self.type_();
        }
        self.put(" =>");
    }

    pub(super) fn extension(&mut self) {
        if self.rng.one_in(2) {
            self.doc(0);
        }
        self.class_ref();
        if self.rng.one_in(4) {
            self.put(" class");
        }
        self.put(" >> ");
        let n = self.rng.below(9);
        self.header(n);
        self.indent = 2;
        for _ in 0..1 + self.rng.below(3) {
            self.line(2);
            self.statement();
        }
        self.put("\n");
    }

    pub(super) fn protocol(&mut self) {
        let n = self.rng.below(1000);
        let _ = write!(self.out, "Protocol define: Shape{n}");
        if self.rng.one_in(3) {
            self.put("(T)");
        }
        for _ in 0..1 + self.rng.below(5) {
            self.line(2);
            if self.rng.one_in(3) {
                self.doc(2);
            }
            if self.rng.one_in(4) {
                self.put("class ");
            }
            let unary = self.rng.one_in(2);
            self.put_pick(if unary { UNARY } else { &["add: item", "at: key put: entry"] });
            self.put(" -> ");
            self.type_();
        }
        self.put("\n");
    }

    pub(super) fn alias(&mut self) {
        let n = self.rng.below(1000);
        let _ = write!(self.out, "type Kind{n} = ");
        self.type_();
        self.put(" | #open | List(");
        self.class_ref();
        self.put(")\n");
    }

    pub(super) fn top_level(&mut self) {
        self.indent = 0;
        for _ in 0..1 + self.rng.below(4) {
            self.statement();
            self.put("\n");
        }
    }

    // ---- statements

    fn statement(&mut self) {
        match self.rng.below(14) {
            0..=2 => {
                self.put_pick(NAMES);
                self.put(" := ");
                self.expr(3);
            }
            3 | 4 => {
                self.put("self.");
                self.put_pick(FIELDS);
                self.put(" := ");
                self.expr(2);
            }
            5 => self.multi_line_send(),
            6 => self.cascade(),
            7 => self.conditional(),
            8 => self.block_send(),
            9 => self.match_(),
            10 => self.odd_statement(),
            _ => {
                self.put("self ");
                self.message(2);
            }
        }
    }

    /// Statements that are rarely written.
    fn odd_statement(&mut self) {
        match self.rng.below(6) {
            0 => self.put("#[first, _, ...rest] := self.items"),
            1 => self.put("{#ok, reply} := self fetch"),
            2 => {
                self.put("ship :: ");
                self.class_ref();
                self.put(" := self next");
            }
            3 => {
                self.put("self.owner ");
                self.put_pick(UNARY);
                self.put("!");
            }
            4 => self.put("#{#name => name, \"berth\" => _} := self.ledger"),
            _ => {
                self.put("m := ");
                self.class_ref();
                self.put(" >> #");
                self.put_pick(UNARY);
            }
        }
    }

    fn multi_line_send(&mut self) {
        self.put_pick(NAMES);
        let deeper = self.indent + 2;
        for part in ["assign: ", "to: ", "priority: "] {
            self.line(deeper);
            self.put(part);
            self.binary(1);
        }
    }

    fn cascade(&mut self) {
        let deeper = self.indent + 2;
        self.put("Transcript show: ");
        self.interpolation();
        for _ in 0..1 + self.rng.below(3) {
            self.put(";");
            self.line(deeper);
            if self.rng.one_in(2) {
                self.put("show: ");
                self.unary(1);
            } else {
                self.put("cr");
            }
        }
    }

    fn conditional(&mut self) {
        self.binary(2);
        self.put(" ifTrue: [");
        self.expr(2);
        self.put("] ifFalse: [");
        self.expr(1);
        self.put("]");
    }

    fn block_send(&mut self) {
        self.unary(1);
        self.put(" ");
        self.put_pick(BLOCK_SENDS);
        self.put(" [:each |");
        let outer = self.indent;
        self.indent += 2;
        for _ in 0..1 + self.rng.below(3) {
            let indent = self.indent;
            self.line(indent);
            self.put("each ");
            self.message(1);
        }
        self.put("]");
        self.indent = outer;
    }

    fn match_(&mut self) {
        let (outer, inner) = (self.indent, self.indent + 2);
        self.put_pick(NAMES);
        self.put(" match: [");
        self.line(inner);
        self.put("#open -> ");
        self.unary(1);
        self.line(inner);
        self.put("Result ok: found when: [found > 1] -> found ");
        self.put_pick(UNARY);
        self.line(inner);
        self.put("b :: ");
        self.class_ref();
        self.put(" -> b ");
        self.put_pick(UNARY);
        self.line(inner);
        self.put("_ -> nil");
        self.line(outer);
        self.put("]");
    }

    // ---- expressions

    fn expr(&mut self, depth: usize) {
        if self.rng.one_in(2) {
            return self.binary(depth);
        }
        self.unary(depth.min(1));
        self.put(" ");
        self.message(depth);
    }

    fn message(&mut self, depth: usize) {
        if self.rng.one_in(2) {
            return self.put_pick(UNARY);
        }
        let selector = self.pick(KEYWORDS);
        for (at, part) in selector.split_inclusive(':').enumerate() {
            if at > 0 {
                self.put(" ");
            }
            self.put(part);
            self.put(" ");
            self.binary(depth.saturating_sub(1));
        }
    }

    fn binary(&mut self, depth: usize) {
        self.unary(depth);
        if depth > 0 && self.rng.one_in(3) {
            self.put(" ");
            self.put_pick(OPERATORS);
            self.put(" ");
            self.unary(depth - 1);
        }
    }

    fn unary(&mut self, depth: usize) {
        self.primary(depth);
        if self.rng.one_in(3) {
            self.put(" ");
            self.put_pick(UNARY);
        }
    }

    fn primary(&mut self, depth: usize) {
        match self.rng.below(if depth == 0 { 9 } else { 13 }) {
            0..=2 => self.put_pick(NAMES),
            3 => self.put("self"),
            4 => {
                self.put("self.");
                self.put_pick(FIELDS);
            }
            5 => self.class_ref(),
            6..=8 => self.literal(),
            9 | 10 => {
                self.put("(");
                self.expr(depth - 1);
                self.put(")");
            }
            11 => {
                self.put("[:x | x ");
                self.message(depth - 1);
                self.put("]");
            }
            _ => self.collection(depth - 1),
        }
    }

    fn literal(&mut self) {
        match self.rng.below(11) {
            0 | 1 => {
                let n = self.rng.below(1000);
                let _ = write!(self.out, "{n}");
            }
            2 => self.put("\"cargo \"\"fragile\"\" on deck\""),
            3 => self.put("nil"),
            4 => self.put("true"),
            5 => {
                self.put("#");
                self.put_pick(KEYWORDS);
            }
            6 => {
                self.put("#");
                self.put_pick(UNARY);
            }
            7 => self.interpolation(),
            8 => self.put_pick(&["3.14", "-17", "16rFF", "1e9", "$a", "$}", "#'two words'", "#+ "]),
            9 => {
                self.put("\"");
                self.prose(4);
                self.put("\"");
            }
            _ => self.put_pick(&["#()", "#{}", "#[]", "\"prix: 3 €\"", "\"\"", "0"]),
        }
    }

    fn interpolation(&mut self) {
        self.put("\"");
        self.prose(2);
        self.put(": {");
        self.put_pick(NAMES);
        self.put(" ");
        self.put_pick(UNARY);
        self.put("} ");
        self.prose(1);
        self.put("\"");
    }

    fn collection(&mut self, depth: usize) {
        let (open, close) = match self.rng.below(3) {
            0 => ("#(", ")"),
            1 => ("#[", "]"),
            _ => {
                self.put("#{#");
                self.put_pick(UNARY);
                self.put(" => ");
                self.binary(depth);
                self.put(", \"b\" => ");
                self.unary(0);
                return self.put("}");
            }
        };
        self.put(open);
        self.binary(depth);
        self.put(", ");
        self.unary(0);
        self.put(close);
    }
}
