//! The module around the methods: attributes, dispatchers, drain clauses, blocks.

use super::{Builder, Member};
use crate::api::Drain;
use crate::forms;
use crate::gen::{number_function, super_call, MAX_DIRECT};
use crate::term::Term;
use bt_syntax::{arity_of, Side};

/// Variables of a dispatcher: selector, generation, receiver, then the arguments.
const SELECTOR: u32 = 1;
const GENERATION: u32 = 2;
const RECEIVER: u32 = 3;

impl Builder<'_> {
    /// `-module` and `-export`.
    pub(super) fn head(&self) -> Vec<Term> {
        let mut exports = Vec::new();
        let mut export = |name: &str, arity: usize| {
            exports.push(Term::Tuple(vec![Term::name(name), Term::Int(arity as i64)]));
        };
        for n_args in 0..=MAX_DIRECT {
            export("i", n_args + 3);
            export("c", n_args + 3);
        }
        export("i_n", 4);
        export("c_n", 4);
        for n_params in 0..=MAX_DIRECT {
            export("b", n_params + 2);
        }
        export("b_n", 3);
        export("$fields", 1);
        export("$class_state", 1);
        export("$info", 0);
        for member in self.members.iter().filter(|member| member.in_server) {
            export(&member.function(), member.n_params + 1);
        }
        vec![
            forms::attribute("module", Term::name(self.input.identity)),
            forms::attribute("export", Term::List(exports)),
        ]
    }

    /// `b/2` … `b_n/3`: the bodies of the blocks.
    pub(super) fn block_functions(&mut self) -> Vec<Term> {
        let mut functions = Vec::new();
        for n_params in 0..=MAX_DIRECT {
            let mut clauses = self.emitted.blocks.remove(&n_params).unwrap_or_default();
            clauses.push(self.outdated(n_params));
            functions.push(forms::function(1, "b", n_params + 2, clauses));
        }
        let mut clauses = std::mem::take(&mut self.emitted.long_blocks);
        clauses.push(self.outdated(1));
        functions.push(forms::function(1, "b_n", 3, clauses));
        functions
    }

    /// `'n:+'/2` …: the operators that bodies call.
    pub(super) fn number_functions(&self) -> Vec<Term> {
        let generation = || forms::int(1, i64::try_from(self.input.generation).unwrap_or(i64::MAX));
        let operators = self.emitted.operators.iter();
        operators.map(|(selector, name)| number_function(selector, name, generation())).collect()
    }

    fn outdated(&self, n_params: usize) -> Term {
        let mut patterns = vec![forms::var(1, SELECTOR)];
        patterns.extend((0..=n_params).map(|_| forms::wildcard(1)));
        let args = vec![forms::name(1, self.input.identity), forms::var(1, SELECTOR)];
        let outdated = forms::remote(1, "bte_block", "outdated", args);
        forms::clause(1, patterns, Vec::new(), vec![outdated])
    }

    /// `i/3` … `i_n/4` and `c/3` … `c_n/4`.
    pub(super) fn dispatchers(&self) -> Vec<Term> {
        let mut functions = Vec::new();
        for side in [Side::Instance, Side::Class] {
            for n_args in 0..=MAX_DIRECT {
                functions.push(self.dispatcher(side, n_args));
            }
            functions.push(self.list_dispatcher(side));
        }
        functions
    }

    fn dispatcher(&self, side: Side, n_args: usize) -> Term {
        let args: Vec<_> = (0..n_args).map(|at| forms::var(1, RECEIVER + 1 + at as u32)).collect();
        let patterns = |selector: Term, generation: Term| {
            let mut patterns = vec![selector, generation, forms::var(1, RECEIVER)];
            patterns.extend(args.iter().cloned());
            patterns
        };
        let mut clauses = Vec::new();
        for drain in self.drains(side, |arity| arity == n_args) {
            let patterns = patterns(forms::name(1, &drain.old), forms::var(1, GENERATION));
            clauses.push(self.drain_clause(drain, patterns, &args));
        }
        for member in self.members_of(side, |arity| arity == n_args) {
            let patterns = patterns(forms::name(1, &member.selector), forms::wildcard(1));
            let call = self.member_call(member, args.clone());
            clauses.push(forms::clause(1, patterns, Vec::new(), vec![call]));
        }
        let last = patterns(forms::var(1, SELECTOR), forms::var(1, GENERATION));
        let up = self.up(side, forms::var(1, SELECTOR), args.clone(), false);
        clauses.push(forms::clause(1, last, Vec::new(), vec![up]));
        forms::function(1, letter(side), n_args + 3, clauses)
    }

    /// The dispatcher of messages with more arguments: they come in a list.
    fn list_dispatcher(&self, side: Side) -> Term {
        let list = forms::var(1, RECEIVER + 1);
        let patterns =
            |selector, generation, args| vec![selector, generation, forms::var(1, RECEIVER), args];
        let args_of = |arity: usize| -> Vec<_> {
            (0..arity).map(|at| forms::var(1, RECEIVER + 1 + at as u32)).collect()
        };
        let mut clauses = Vec::new();
        for drain in self.drains(side, |arity| arity > MAX_DIRECT) {
            let args = args_of(arity_of(&drain.old).unwrap_or(0));
            let whole = forms::list(1, args.clone(), None);
            let selector = forms::name(1, &drain.old);
            let patterns = patterns(selector, forms::var(1, GENERATION), whole);
            clauses.push(self.drain_clause(drain, patterns, &args));
        }
        for member in self.members_of(side, |arity| arity > MAX_DIRECT) {
            let args = args_of(member.n_params);
            let whole = forms::list(1, args.clone(), None);
            let selector = forms::name(1, &member.selector);
            let call = self.member_call(member, args);
            let patterns = patterns(selector, forms::wildcard(1), whole);
            clauses.push(forms::clause(1, patterns, Vec::new(), vec![call]));
        }
        let (selector, generation) = (forms::var(1, SELECTOR), forms::var(1, GENERATION));
        let last = patterns(selector.clone(), generation, list.clone());
        let up = self.up(side, selector, vec![list], true);
        clauses.push(forms::clause(1, last, Vec::new(), vec![up]));
        let name = if side == Side::Instance { "i_n" } else { "c_n" };
        forms::function(1, name, 4, clauses)
    }

    fn members_of(
        &self,
        side: Side,
        fits: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = &Member> {
        let members = self.members.iter();
        members.filter(move |member| member.side == side && fits(member.n_params))
    }

    fn drains(&self, side: Side, fits: impl Fn(usize) -> bool) -> impl Iterator<Item = &Drain> {
        let drains = self.input.drains.iter();
        drains.filter(move |drain| drain.side == side && arity_of(&drain.old).is_some_and(&fits))
    }

    /// The call of a member's function, in the class server where it must be.
    fn member_call(&self, member: &Member, args: Vec<Term>) -> Term {
        let receiver = forms::var(1, RECEIVER);
        let function = forms::name(1, &member.function());
        let args = std::iter::once(receiver.clone()).chain(args).collect();
        if !member.in_server {
            return forms::call(1, function, args);
        }
        let module = forms::name(1, self.input.identity);
        let generation = forms::int(1, i64::try_from(self.input.generation).unwrap_or(i64::MAX));
        let call = vec![receiver, module, function, generation, forms::list(1, args, None)];
        forms::remote(1, "bte_class", "run", call)
    }

    /// The call that goes on in the superclass.
    fn up(&self, side: Side, selector: Term, args: Vec<Term>, listed: bool) -> Term {
        let mut call = vec![selector, forms::var(1, GENERATION), forms::var(1, RECEIVER)];
        let (module, function) = match (self.input.superclass, side, listed) {
            (Some(module), Side::Instance, false) => (module, "i"),
            (Some(module), Side::Instance, true) => (module, "i_n"),
            (Some(module), Side::Class, false) => (module, "c"),
            (Some(module), Side::Class, true) => (module, "c_n"),
            (None, Side::Class, false) => ("bt@stdlib@class", "i"),
            (None, Side::Class, true) => ("bt@stdlib@class", "i_n"),
            (None, Side::Instance, _) => {
                let args = match listed {
                    true => args.into_iter().next(),
                    false => Some(forms::list(1, args, None)),
                };
                call.extend(args);
                return forms::remote(1, "bte_send", "miss", call);
            }
        };
        call.extend(args);
        forms::call_remote(1, forms::name(1, module), forms::atom(1, function), call)
    }

    /// Serves the old selector of a renamed method to senders older than the rename.
    fn drain_clause(&self, drain: &Drain, patterns: Vec<Term>, args: &[Term]) -> Term {
        let since = forms::int(1, i64::try_from(drain.generation).unwrap_or(i64::MAX));
        let older = forms::op(1, "<", forms::var(1, GENERATION), since);
        let row = forms::int(1, i64::try_from(drain.row).unwrap_or(i64::MAX));
        let live = forms::remote(1, "bte_drain", "is_live", vec![row]);
        let on = self.local_or_up(drain.side, &drain.new, args);
        let off = self.local_or_up(drain.side, &drain.old, args);
        let yes = forms::clause(1, vec![forms::atom(1, "true")], Vec::new(), vec![on]);
        let no = forms::clause(1, vec![forms::atom(1, "false")], Vec::new(), vec![off]);
        forms::clause(1, patterns, vec![older], vec![forms::case(1, live, vec![yes, no])])
    }

    fn local_or_up(&self, side: Side, selector: &str, args: &[Term]) -> Term {
        let mut members = self.members.iter();
        let own = members.find(|member| member.side == side && member.selector == selector);
        if let Some(member) = own {
            return self.member_call(member, args.to_vec());
        }
        let (generation, receiver) = (forms::var(1, GENERATION), forms::var(1, RECEIVER));
        let superclass = self.input.superclass;
        super_call(1, superclass, side, selector, generation, receiver, args.to_vec())
    }
}

fn letter(side: Side) -> &'static str {
    match side {
        Side::Instance => "i",
        Side::Class => "c",
    }
}
