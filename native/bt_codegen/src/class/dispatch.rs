//! The module around the methods: attributes, dispatchers, drain clauses, blocks.

use super::{Builder, Member};
use crate::api::Drain;
use crate::convention::{above, letter, places, BLOCKS, DISPATCHER};
use crate::forms;
use crate::gen::{number_function, question_function};
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
        export("i", DISPATCHER);
        export("c", DISPATCHER);
        export("b", BLOCKS);
        for member in self.members.iter().filter(|member| member.in_server) {
            export(&member.function(), member.n_params + 1);
        }
        vec![
            forms::attribute("module", Term::name(self.input.identity)),
            forms::attribute("export", Term::List(exports)),
        ]
    }

    /// `b/5`: the bodies of the blocks.
    pub(super) fn block_function(&mut self) -> Term {
        let mut clauses = std::mem::take(&mut self.emitted.blocks);
        let mut patterns = vec![forms::var(1, SELECTOR)];
        patterns.resize(BLOCKS, forms::wildcard(1));
        let args = vec![forms::name(1, self.input.identity), forms::var(1, SELECTOR)];
        let outdated = forms::remote(1, "bte_block", "outdated", args);
        clauses.push(forms::clause(1, patterns, Vec::new(), vec![outdated]));
        forms::function(1, "b", BLOCKS, clauses)
    }

    /// `'n:+'/2`, `'q:<'/3` …: the operators that bodies call.
    pub(super) fn number_functions(&self) -> Vec<Term> {
        let operators = self.emitted.operators.iter();
        let operators = operators.map(|(selector, name)| number_function(selector, name));
        let questions = self.emitted.questions.iter();
        let questions = questions.map(|(selector, name)| question_function(selector, name));
        operators.chain(questions).collect()
    }

    /// `i/6` or `c/6`: drain clauses, methods, what else it answers, and the way up.
    pub(super) fn dispatcher(&self, side: Side, others: Vec<Term>) -> Term {
        let drains = self.input.drains.iter().filter(|drain| drain.side == side);
        let mut clauses: Vec<_> = drains.filter_map(|drain| self.drain_clause(drain)).collect();
        for member in self.members.iter().filter(|member| member.side == side) {
            let args = arguments(member.n_params);
            let call = self.member_call(member, args.clone());
            let patterns = patterns(&member.selector, forms::wildcard(1), args);
            clauses.push(forms::clause(1, patterns, Vec::new(), vec![call]));
        }
        clauses.extend(others);
        let all: Vec<_> = (SELECTOR..).take(DISPATCHER).map(|at| forms::var(1, at)).collect();
        let up = above(1, self.input.superclass, side, all.clone());
        clauses.push(forms::clause(1, all, Vec::new(), vec![up]));
        forms::function(1, letter(side), DISPATCHER, clauses)
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
        let args = forms::list(1, args, None);
        let call = vec![receiver, module, function, forms::generation(1), args];
        forms::remote(1, "bte_class", "run", call)
    }

    /// Serves the old selector of a renamed method to senders older than the rename.
    fn drain_clause(&self, drain: &Drain) -> Option<Term> {
        let args = arguments(arity_of(&drain.old)?);
        let since = forms::int(1, i64::try_from(drain.generation).unwrap_or(i64::MAX));
        let older = forms::op(1, "<", forms::var(1, GENERATION), since);
        let row = forms::int(1, i64::try_from(drain.row).unwrap_or(i64::MAX));
        let live = forms::remote(1, "bte_drain", "is_live", vec![row]);
        let on = self.local_or_up(drain.side, &drain.new, &args);
        let off = self.local_or_up(drain.side, &drain.old, &args);
        let yes = forms::clause(1, vec![forms::atom(1, "true")], Vec::new(), vec![on]);
        let no = forms::clause(1, vec![forms::atom(1, "false")], Vec::new(), vec![off]);
        let patterns = patterns(&drain.old, forms::var(1, GENERATION), args);
        Some(forms::clause(1, patterns, vec![older], vec![forms::case(1, live, vec![yes, no])]))
    }

    fn local_or_up(&self, side: Side, selector: &str, args: &[Term]) -> Term {
        let mut members = self.members.iter();
        let own = members.find(|member| member.side == side && member.selector == selector);
        if let Some(member) = own {
            return self.member_call(member, args.to_vec());
        }
        let mut call =
            vec![forms::name(1, selector), forms::var(1, GENERATION), forms::var(1, RECEIVER)];
        call.extend(places(1, args.to_vec(), &forms::nil(1)));
        above(1, self.input.superclass, side, call)
    }
}

/// The variables of so many arguments.
fn arguments(n_args: usize) -> Vec<Term> {
    (RECEIVER + 1..).take(n_args).map(|at| forms::var(1, at)).collect()
}

/// The head of a dispatcher's clause.
fn patterns(selector: &str, generation: Term, args: Vec<Term>) -> Vec<Term> {
    let mut patterns = vec![forms::name(1, selector), generation, forms::var(1, RECEIVER)];
    patterns.extend(places(1, args, &forms::wildcard(1)));
    patterns
}
