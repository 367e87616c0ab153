//! Patterns of `match:` and destructuring.

use super::expr::{class_term, literal};
use super::FnGen;
use crate::forms::{self, Line};
use crate::hir::{ClassTerm, Expr, Kind, Pattern, Segment, Size, VarId};
use crate::term::Term;

/// What a pattern asks besides its Erlang pattern.
#[derive(Default)]
pub(super) struct Asked {
    /// Guard tests.
    pub(super) tests: Vec<Term>,
    /// Questions that guards cannot ask, in order.
    pub(super) steps: Vec<Step>,
    /// The variables it binds, and the Erlang variables that have their values.
    pub(super) binds: Vec<(VarId, u32)>,
}

/// A call, and the pattern that its answer must match.
pub(super) struct Step {
    pub(super) call: Term,
    pub(super) pattern: Term,
    pub(super) tests: Vec<Term>,
}

/// Library classes whose instances a guard can tell.
const GUARDS: [(&str, &str); 4] = [
    ("bt@stdlib@integer", "is_integer"),
    ("bt@stdlib@float", "is_float"),
    ("bt@stdlib@number", "is_number"),
    ("bt@stdlib@string", "is_binary"),
];

/// The tags of values that are tuples in Erlang but not Tuples in Beamtalk, by number of elements.
fn tags(n_elements: usize) -> &'static [&'static str] {
    match n_elements {
        2 => &["$char", "$array", "$class", "$meta", "$erlang"],
        3 => &["$actor"],
        5 => &["$block"],
        _ => &[],
    }
}

impl FnGen<'_> {
    /// The Erlang pattern of a pattern; `seq` stands before the whole construct.
    pub(super) fn pattern(
        &mut self,
        line: Line,
        pattern: &Pattern,
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        match pattern {
            Pattern::Wildcard => forms::wildcard(line),
            Pattern::Var(var) => forms::var(line, self.bound(*var, asked)),
            Pattern::Literal(value) => literal(line, &value.kind),
            Pattern::Type(var, class) => self.type_pattern(line, *var, class, asked),
            Pattern::Constructor(class, selector, args) => {
                self.constructor(line, (class, selector), args, asked, seq)
            }
            Pattern::Tuple(items) => self.tuple_pattern(line, items, asked, seq),
            Pattern::Array(items, rest) => self.array_pattern(line, items, *rest, asked, seq),
            Pattern::List(items, tail) => {
                let items = self.patterns(line, items, asked, seq);
                let tail = tail.as_deref().map(|tail| self.pattern(line, tail, asked, seq));
                forms::list(line, items, tail)
            }
            Pattern::Map(entries) => self.map_pattern(line, entries, asked, seq),
            Pattern::Binary(segments) => self.binary_pattern(line, segments, asked, seq),
        }
    }

    fn patterns(
        &mut self,
        line: Line,
        patterns: &[Pattern],
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Vec<Term> {
        patterns.iter().map(|pattern| self.pattern(line, pattern, asked, seq)).collect()
    }

    fn bound(&mut self, var: VarId, asked: &mut Asked) -> u32 {
        let number = self.fresh();
        asked.binds.push((var, number));
        number
    }

    fn named(&mut self, var: Option<VarId>, asked: &mut Asked) -> u32 {
        match var {
            Some(var) => self.bound(var, asked),
            None => self.fresh(),
        }
    }

    fn type_pattern(
        &mut self,
        line: Line,
        var: Option<VarId>,
        class: &ClassTerm,
        asked: &mut Asked,
    ) -> Term {
        let number = self.named(var, asked);
        let value = forms::var(line, number);
        let guard = match class {
            ClassTerm::Identity(identity) => GUARDS.iter().find(|(known, _)| known == identity),
            ClassTerm::Late(_) => None,
        };
        match guard {
            Some((_, test)) => asked.tests.push(forms::bif(line, test, vec![value.clone()])),
            None => {
                let args = vec![value.clone(), class_term(line, class)];
                let call = forms::remote(line, "bte_match", "is_a", args);
                let pattern = forms::atom(line, "true");
                asked.steps.push(Step { call, pattern, tests: Vec::new() });
            }
        }
        value
    }

    fn constructor(
        &mut self,
        line: Line,
        (class, selector): (&ClassTerm, &str),
        args: &[Pattern],
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        let value = forms::var(line, self.fresh());
        let selector = forms::name(line, selector);
        let call = vec![value.clone(), class_term(line, class), selector];
        let call = forms::remote(line, "bte_match", "constructor", call);
        self.step(line, call, Some("match"), args, None, asked, seq);
        value
    }

    /// Adds a step whose answer is a tuple of the values to be matched.
    #[expect(clippy::too_many_arguments, reason = "all of it is needed to build one step")]
    fn step(
        &mut self,
        line: Line,
        call: Term,
        tag: Option<&'static str>,
        args: &[Pattern],
        last: Option<Term>,
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) {
        let mut inner = Asked::default();
        let mut items: Vec<_> = tag.iter().map(|tag| forms::atom(line, tag)).collect();
        items.extend(self.patterns(line, args, &mut inner, seq));
        items.extend(last);
        let pattern = forms::tuple(line, items);
        asked.steps.push(Step { call, pattern, tests: inner.tests });
        asked.steps.append(&mut inner.steps);
        asked.binds.append(&mut inner.binds);
    }

    fn tuple_pattern(
        &mut self,
        line: Line,
        items: &[Pattern],
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut forms = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let form = match (at, item) {
                (0, Pattern::Wildcard) => forms::var(line, self.fresh()),
                _ => self.pattern(line, item, asked, seq),
            };
            forms.push(form);
        }
        let plain =
            matches!(items.first(), Some(Pattern::Wildcard | Pattern::Var(_) | Pattern::Type(..)));
        if let (true, Some(first)) = (plain, forms.first()) {
            for tag in tags(items.len()) {
                let tag = forms::atom(line, tag);
                asked.tests.push(forms::op(line, "=/=", first.clone(), tag));
            }
        }
        forms::tuple(line, forms)
    }

    fn array_pattern(
        &mut self,
        line: Line,
        items: &[Pattern],
        rest: Option<Option<VarId>>,
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        let tag = forms::atom(line, "$array");
        let Some(rest) = rest else {
            let items = self.patterns(line, items, asked, seq);
            return forms::tuple(line, vec![tag, forms::tuple(line, items)]);
        };
        let elements = forms::var(line, self.fresh());
        let size = forms::bif(line, "tuple_size", vec![elements.clone()]);
        let n_items = forms::int(line, items.len() as i64);
        asked.tests.push(forms::op(line, ">=", size, n_items.clone()));
        let call = vec![elements.clone(), n_items];
        let call = forms::remote(line, "bte_match", "split", call);
        let rest = match rest {
            Some(var) => forms::var(line, self.bound(var, asked)),
            None => forms::wildcard(line),
        };
        self.step(line, call, None, items, Some(rest), asked, seq);
        forms::tuple(line, vec![tag, elements])
    }

    /// A dictionary: a map that is not an instance of a class.
    fn map_pattern(
        &mut self,
        line: Line,
        entries: &[(Expr, Pattern)],
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut pairs = Vec::new();
        for (key, pattern) in entries {
            let pattern = self.pattern(line, pattern, asked, seq);
            pairs.push((literal(line, &key.kind), pattern));
        }
        let whole = forms::var(line, self.fresh());
        let key = forms::atom(line, "$class");
        let tagged = forms::bif(line, "is_map_key", vec![key, whole.clone()]);
        asked.tests.push(forms::negate(line, tagged));
        forms::bind(line, forms::map_pattern(line, pairs), whole)
    }

    fn binary_pattern(
        &mut self,
        line: Line,
        segments: &[Segment],
        asked: &mut Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        let mut elements = Vec::new();
        for segment in segments {
            let size = segment.size.as_ref().map(|size| self.segment_size(line, size, asked, seq));
            let value = match segment.var {
                Some(var) => forms::var(line, self.bound(var, asked)),
                None => forms::wildcard(line),
            };
            let types = segment.types.iter().map(|name| Term::atom(name)).collect();
            elements.push(forms::bin_element(line, value, size, types));
        }
        forms::bin(line, elements)
    }

    /// A size is a number or a variable: one of this pattern, or one from outside.
    fn segment_size(
        &mut self,
        line: Line,
        size: &Size,
        asked: &Asked,
        seq: &mut Vec<Term>,
    ) -> Term {
        match size {
            Size::Bits(bits) => forms::int(line, i64::from(*bits)),
            Size::Var(var) => {
                let here = asked.binds.iter().find(|(known, _)| known == var);
                if let Some((_, number)) = here {
                    return forms::var(line, *number);
                }
                let value = self.expr(&Expr { line, kind: Kind::Var(*var) }, seq);
                self.simple(line, value, seq)
            }
        }
    }
}
