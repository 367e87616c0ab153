//! Expressions.

use super::body::{is_simple, together};
use super::{FnGen, Want};
use crate::convention;
use crate::forms::{self, Line};
use crate::hir::{BlockLit, ClassTerm, Cond, Expr, Kind, Operator, Piece, Question, HOME};
use crate::literal::Integer;
use crate::term::Term;

impl FnGen<'_> {
    /// An expression: a form to be placed next. What must happen before goes to `seq`.
    pub(super) fn expr(&mut self, expr: &Expr, seq: &mut Vec<Term>) -> Term {
        let line = expr.line;
        match &expr.kind {
            Kind::Var(var) => self.read(line, *var),
            Kind::Class(class) => class_term(line, class),
            Kind::MapField(name) => {
                let args = vec![forms::name(line, name), self.receiver(line)];
                forms::bif(line, "map_get", args)
            }
            Kind::StateField(name) => {
                forms::bif(line, "map_get", vec![forms::name(line, name), self.state(line)])
            }
            Kind::OwnState => self.state(line),
            Kind::SetState(name, value) => self.set_state(line, name, value, seq),
            Kind::FieldOf(base, name) => {
                let base = self.expr(base, seq);
                forms::remote(line, "bte_object", "field", vec![base, forms::name(line, name)])
            }
            Kind::Send(receiver, selector, args) => self.send(line, receiver, selector, args, seq),
            Kind::Super(selector, args) => {
                let args = self.exprs(args, seq);
                self.super_send(line, selector, args)
            }
            Kind::Cast(receiver, selector, args) => self.cast(line, receiver, selector, args, seq),
            Kind::Ffi(module, function, args) => {
                let args = self.exprs(args, seq);
                let args = forms::list(line, args, None);
                let call = vec![forms::name(line, module), forms::name(line, function), args];
                forms::remote(line, "bte_ffi", "call", call)
            }
            Kind::Primitive(module, function) => self.primitive(line, module, function),
            Kind::Binary(operator, left, right) => self.binary(line, *operator, left, right, seq),
            Kind::IsNil(subject, positive) => {
                let subject = self.expr(subject, seq);
                let operator = if *positive { "=:=" } else { "=/=" };
                forms::op(line, operator, subject, forms::atom(line, "nil"))
            }
            Kind::Interpolation(pieces) => self.interpolation(line, pieces, seq),
            Kind::List(items, tail) => self.list(line, items, tail.as_deref(), seq),
            Kind::Array(items) => {
                let items = self.exprs(items, seq);
                tagged(line, "$array", forms::tuple(line, items))
            }
            Kind::Map(entries) => self.map(line, entries, seq),
            Kind::Block(block) => self.block(line, block),
            Kind::Seq(stmts) => self.sequence(line, stmts, seq),
            Kind::Assign(assign) => self.assign(line, assign, Want::Value, seq),
            Kind::Cond(cond) => self.cond(line, cond, Want::Value, seq),
            Kind::Loop(looping) => self.looping(line, looping, seq),
            Kind::Match(found) => self.match_expr(line, found, Want::Value, seq),
            Kind::Destructure(parts) => self.destructure(line, parts, seq),
            Kind::Return(value) => self.return_expr(line, value, seq),
            constant => literal(line, constant),
        }
    }

    /// Expressions that are evaluated in order and used together.
    pub(super) fn exprs<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        seq: &mut Vec<Term>,
    ) -> Vec<Term> {
        let mut forms = Vec::new();
        let mut marks = Vec::new();
        for expr in exprs {
            let form = self.expr(expr, seq);
            forms.push(form);
            marks.push((seq.len(), expr.line));
        }
        let end = seq.len();
        // A form before which later ones have put something into the sequence must go there first.
        for (form, (mark, line)) in forms.iter_mut().zip(marks).rev() {
            if end > mark && !is_simple(form) {
                let number = self.fresh();
                let value = std::mem::replace(form, forms::var(line, number));
                seq.insert(mark, forms::bind(line, forms::var(line, number), value));
            }
        }
        forms
    }

    /// A form that can be used more than once.
    pub(super) fn simple(&mut self, line: Line, form: Term, seq: &mut Vec<Term>) -> Term {
        if is_simple(&form) {
            return form;
        }
        let number = self.fresh();
        seq.push(forms::bind(line, forms::var(line, number), form));
        forms::var(line, number)
    }

    fn read(&self, line: Line, var: usize) -> Term {
        let value = forms::var(line, self.at(var));
        if self.is_cell(var) {
            return forms::remote(line, "bte_cell", "get", vec![value]);
        }
        value
    }

    fn sequence(&mut self, line: Line, stmts: &[Expr], seq: &mut Vec<Term>) -> Term {
        let Some((last, before)) = stmts.split_last() else { return forms::atom(line, "nil") };
        before.iter().for_each(|stmt| self.effect(stmt, seq));
        self.expr(last, seq)
    }

    /// The state of the running actor or class. A block may run elsewhere, so it asks.
    fn state(&self, line: Line) -> Term {
        if self.in_block {
            return forms::remote(line, "bte_state", "own", vec![self.receiver(line)]);
        }
        forms::bif(line, "get", vec![forms::atom(line, "$state")])
    }

    fn set_state(&mut self, line: Line, name: &str, value: &Expr, seq: &mut Vec<Term>) -> Term {
        let value = self.expr(value, seq);
        let value = self.simple(line, value, seq);
        let entry = (forms::name(line, name), value.clone());
        let changed = forms::map_update(line, self.state(line), vec![entry]);
        seq.push(forms::bif(line, "put", vec![forms::atom(line, "$state"), changed]));
        value
    }

    fn send(
        &mut self,
        line: Line,
        receiver: &Expr,
        selector: &str,
        args: &[Expr],
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut forms = self.exprs(std::iter::once(receiver).chain(args), seq);
        let args = forms.split_off(1);
        match forms.pop() {
            Some(receiver) => self.send_form(line, selector, receiver, args),
            None => forms::atom(line, "nil"),
        }
    }

    pub(super) fn send_form(
        &self,
        line: Line,
        selector: &str,
        receiver: Term,
        args: Vec<Term>,
    ) -> Term {
        convention::send(line, selector, receiver, args)
    }

    fn super_send(&self, line: Line, selector: &str, args: Vec<Term>) -> Term {
        let mut call =
            vec![forms::name(line, selector), forms::generation(line), self.receiver(line)];
        call.extend(convention::places(line, args, &forms::nil(line)));
        convention::above(line, self.target.superclass, self.side, call)
    }

    fn cast(
        &mut self,
        line: Line,
        receiver: &Expr,
        selector: &str,
        args: &[Expr],
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut forms = self.exprs(std::iter::once(receiver).chain(args), seq);
        let args = forms::list(line, forms.split_off(1), None);
        let mut call = vec![forms::name(line, selector), forms::generation(line)];
        call.append(&mut forms);
        call.push(args);
        seq.push(forms::remote(line, "bte_send", "cast", call));
        forms::atom(line, "nil")
    }

    /// The receiver and the parameters, in order.
    fn primitive(&self, line: Line, module: &str, function: &str) -> Term {
        let n_params = self.vars.iter().skip(HOME + 1).take_while(|var| var.is_param).count();
        let params = (HOME + 1..=HOME + n_params).map(|var| forms::var(line, self.at(var)));
        let args = std::iter::once(self.receiver(line)).chain(params).collect();
        forms::call_remote(line, forms::name(line, module), forms::name(line, function), args)
    }

    fn binary(
        &mut self,
        line: Line,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut sides = self.exprs([left, right], seq);
        let (Some(right), Some(left)) = (sides.pop(), sides.pop()) else {
            return forms::atom(line, "nil");
        };
        match operator {
            Operator::Equality(name) => forms::op(line, name, left, right),
            Operator::Number(selector, name) => {
                self.number_op(line, (selector, name), left, right, seq)
            }
        }
    }

    /// An operator between what may be numbers: in line where it is run again and again, and at the
    /// prompt, which has no functions; elsewhere by a function of the module, because every guard
    /// with a send behind it costs the compiler as much as three sends.
    fn number_op(
        &mut self,
        line: Line,
        operator: (&'static str, &'static str),
        left: Term,
        right: Term,
        seq: &mut Vec<Term>,
    ) -> Term {
        let (selector, name) = operator;
        if is_number(&left) && is_number(&right) {
            return forms::op(line, name, left, right);
        }
        if !self.in_loop && self.target.module.is_some() {
            self.out.operators.insert(operator);
            return forms::call(line, forms::name(line, &number_name(selector)), vec![left, right]);
        }
        let left = self.simple(line, left, seq);
        let right = self.simple(line, right, seq);
        let unknown = [&left, &right].into_iter().filter(|side| !is_number(side));
        let tests = unknown.map(|side| forms::bif(line, "is_number", vec![side.clone()])).collect();
        let sum = forms::op(line, name, left.clone(), right.clone());
        forms::when(line, tests, sum, &self.send_form(line, selector, left, vec![right]))
    }

    /// What a conditional asks. A comparison is asked by a function that answers a Boolean.
    pub(super) fn question(&mut self, cond: &Cond, seq: &mut Vec<Term>) -> Term {
        let Kind::Binary(Operator::Number(selector, name), left, right) = &cond.subject.kind else {
            return self.expr(&cond.subject, seq);
        };
        if !self.is_asked_apart(cond) {
            return self.expr(&cond.subject, seq);
        }
        let line = cond.subject.line;
        let mut args = self.exprs([&**left, &**right], seq);
        args.push(forms::name(line, &cond.selector));
        self.out.questions.insert((*selector, *name));
        forms::call(line, forms::name(line, &question_name(selector)), args)
    }

    /// Whether the subject is a comparison that a function of the module answers.
    pub(super) fn is_asked_apart(&self, cond: &Cond) -> bool {
        let is_comparison = matches!(
            cond.subject.kind,
            Kind::Binary(Operator::Number(_, "<" | ">" | "=<" | ">="), ..)
        );
        let asks = cond.question == Question::IsTrue;
        asks && is_comparison && !self.in_loop && self.target.module.is_some()
    }

    fn interpolation(&mut self, line: Line, pieces: &[Piece], seq: &mut Vec<Term>) -> Term {
        let values = pieces.iter().filter_map(|piece| match piece {
            Piece::Value(value) => Some(value),
            Piece::Text(_) => None,
        });
        let mut values = self.exprs(values, seq).into_iter();
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => parts.push(forms::binary(line, text.as_bytes())),
                Piece::Value(_) => {
                    let shown = values.next().map(|value| self.displayed(line, value));
                    parts.extend(shown);
                }
            }
        }
        forms::remote(line, "bte_string", "interpolate", vec![forms::list(line, parts, None)])
    }

    fn displayed(&self, line: Line, value: Term) -> Term {
        self.send_form(line, "displayString", value, Vec::new())
    }

    fn list(
        &mut self,
        line: Line,
        items: &[Expr],
        tail: Option<&Expr>,
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut items_and_tail = self.exprs(items.iter().chain(tail), seq);
        let tail = tail.and_then(|_| items_and_tail.pop());
        forms::list(line, items_and_tail, tail)
    }

    fn map(&mut self, line: Line, entries: &[(Expr, Expr)], seq: &mut Vec<Term>) -> Term {
        let flat = entries.iter().flat_map(|(key, value)| [key, value]);
        let mut flat = self.exprs(flat, seq).into_iter();
        let mut pairs = Vec::new();
        while let (Some(key), Some(value)) = (flat.next(), flat.next()) {
            pairs.push((key, value));
        }
        forms::map(line, pairs)
    }

    /// `^` where it is not the end of the method.
    pub(super) fn return_expr(&mut self, line: Line, value: &Expr, seq: &mut Vec<Term>) -> Term {
        let value = self.expr(value, seq);
        if self.has_home && !self.in_block {
            self.leaves = true;
            let thrown = forms::tuple(line, vec![forms::atom(line, "$leave"), value]);
            return forms::bif(line, "throw", vec![thrown]);
        }
        let home = match self.at(HOME) {
            // No method to return from: a reference that nobody has entered.
            0 => forms::bif(line, "make_ref", Vec::new()),
            home => forms::var(line, home),
        };
        forms::remote(line, "bte_return", "return", vec![home, value])
    }

    fn block(&mut self, line: Line, block: &BlockLit) -> Term {
        let captured: Vec<_> =
            block.uses.iter().copied().filter(|var| self.at(*var) != 0).collect();
        let outside = captured.iter().map(|var| forms::var(line, self.at(*var))).collect();
        let Some(module) = self.target.module else { return self.lambda(line, block) };
        let id = self.block_ids.get(block.index).copied().unwrap_or(0);
        let id = forms::int(line, i64::try_from(id).unwrap_or(i64::MAX));
        let (inside, params, body) = self.block_body(line, block, |this| {
            captured.iter().map(|var| forms::var(line, this.rename(*var))).collect()
        });
        let n_params = block.params.len();
        let mut patterns = vec![id.clone(), together(line, inside)];
        patterns.extend(convention::places(line, params, &forms::wildcard(line)));
        self.out.blocks.push(forms::clause(line, patterns, Vec::new(), body));
        let arity = forms::int(line, n_params as i64);
        let env = together(line, outside);
        let module = forms::name(line, module);
        forms::tuple(line, vec![forms::atom(line, "$block"), module, id, arity, env])
    }

    /// A block at the prompt is a fun.
    fn lambda(&mut self, line: Line, block: &BlockLit) -> Term {
        let (_, params, body) = self.block_body(line, block, |_| Vec::new());
        forms::lambda(line, vec![forms::clause(line, params, Vec::new(), body)])
    }

    /// Generates the inside of a block; `capture` gives new places to what it has from outside.
    fn block_body(
        &mut self,
        line: Line,
        block: &BlockLit,
        capture: impl FnOnce(&mut Self) -> Vec<Term>,
    ) -> (Vec<Term>, Vec<Term>, Vec<Term>) {
        let env = self.env.clone();
        let live = std::mem::take(&mut self.live);
        let in_block = std::mem::replace(&mut self.in_block, true);
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        let inside = capture(self);
        let mut params = Vec::new();
        for param in &block.params {
            params.push(forms::var(line, self.rename(*param)));
        }
        let mut body = Vec::new();
        self.tail(&block.body, None, &mut body);
        self.env = env;
        self.live = live;
        self.in_block = in_block;
        self.in_loop = in_loop;
        (inside, params, body)
    }
}

/// `'n:+'/2` … of a module: an operator between numbers, otherwise the send.
pub(crate) fn number_function(selector: &str, name: &'static str) -> Term {
    let send = convention::send(1, selector, forms::var(1, 1), vec![forms::var(1, 2)]);
    let sides = vec![forms::var(1, 1), forms::var(1, 2)];
    between_numbers(&number_name(selector), name, sides, &send)
}

/// `'q:<'/3` … of a module: the same for a comparison that a conditional asks, named by the third
/// argument. It answers a Boolean, so that the conditional need not look for anything else.
pub(crate) fn question_function(selector: &str, name: &'static str) -> Term {
    let params: Vec<_> = (1..=3).map(|number| forms::var(1, number)).collect();
    let mut call = vec![forms::name(1, selector), forms::generation(1)];
    call.extend(params.iter().cloned());
    let decide = forms::remote(1, "bte_send", "decide", call);
    between_numbers(&question_name(selector), name, params, &decide)
}

fn between_numbers(function: &str, name: &'static str, params: Vec<Term>, other: &Term) -> Term {
    let sides = || [forms::var(1, 1), forms::var(1, 2)];
    let tests = sides().into_iter().map(|side| forms::bif(1, "is_number", vec![side])).collect();
    let [left, right] = sides();
    let body = forms::when(1, tests, forms::op(1, name, left, right), other);
    let arity = params.len();
    forms::function(1, function, arity, vec![forms::clause(1, params, Vec::new(), vec![body])])
}

fn number_name(selector: &str) -> String {
    format!("n:{selector}")
}

fn question_name(selector: &str) -> String {
    format!("q:{selector}")
}

fn tagged(line: Line, tag: &'static str, value: Term) -> Term {
    forms::tuple(line, vec![forms::atom(line, tag), value])
}

/// A class object.
pub(super) fn class_term(line: Line, class: &ClassTerm) -> Term {
    match class {
        ClassTerm::Identity(identity) => tagged(line, "$class", forms::name(line, identity)),
        ClassTerm::Late(name) => {
            let package = match &name.package {
                Some(package) => forms::binary(line, package.as_bytes()),
                None => forms::atom(line, "nil"),
            };
            let name = forms::binary(line, name.name.as_bytes());
            forms::remote(line, "bte_registry", "late", vec![name, package])
        }
    }
}

/// A literal; also right as a pattern.
pub(super) fn literal(line: Line, kind: &Kind) -> Term {
    match kind {
        Kind::True => forms::atom(line, "true"),
        Kind::False => forms::atom(line, "false"),
        Kind::Int(Integer::Small(value)) => forms::int(line, *value),
        Kind::Int(Integer::Big(negative, bytes)) => {
            let size = forms::big(line, bytes.clone());
            if *negative {
                forms::negative(line, size)
            } else {
                size
            }
        }
        Kind::Float(value) => forms::float(line, *value),
        Kind::Str(text) => forms::binary(line, text.as_bytes()),
        Kind::Symbol(text) => forms::name(line, text),
        Kind::Char(code) => tagged(line, "$char", forms::int(line, i64::from(*code))),
        Kind::Singleton(identity) => {
            let key = forms::atom(line, "$class");
            forms::map(line, vec![(key, forms::name(line, identity))])
        }
        Kind::ErlangModule(module) => tagged(line, "$erlang", forms::name(line, module)),
        _ => forms::atom(line, "nil"),
    }
}

/// Whether a form is a number, perhaps with a minus.
fn is_number(form: &Term) -> bool {
    match form {
        Term::IntForm(..) => true,
        Term::Tuple(_) => is_simple(form),
        _ => false,
    }
}
