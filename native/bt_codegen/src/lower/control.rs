//! Control selectors with literal blocks: they are compiled in line.

use super::message::Receiver;
use super::scope::BoundaryKind;
use super::Lowerer;
use crate::hir::{Assign, Branch, Cond, Expr, Kind, Loop, LoopKind, Question, Range, VarId};
use bt_syntax::ast::Block;
use bt_syntax::{Node, NodeKind};

/// What a branch of a conditional is made of.
enum Part<'a> {
    /// A literal block with as many parameters as are allowed.
    Block(Block<'a>),
    Fixed(Branch),
}

impl<'a> Lowerer<'a, '_> {
    /// The inlined form of a message, when it has one.
    pub(super) fn control(
        &mut self,
        receiver: &Receiver<'a>,
        selector: &str,
        args: &[Node<'a>],
    ) -> Option<Kind> {
        if let Receiver::Node(node) = receiver {
            if let Some(block) = literal(*node) {
                if let Some(kind) = self.block_control(block, selector, args) {
                    return Some(kind);
                }
            }
        }
        self.conditional(receiver, selector, args)
            .or_else(|| self.counting(receiver, selector, args))
    }

    /// Messages to a literal block: `value…`, `whileTrue…`, `repeat`.
    fn block_control(
        &mut self,
        block: Block<'a>,
        selector: &str,
        args: &[Node<'a>],
    ) -> Option<Kind> {
        let n_params = block.params().len();
        match selector {
            "whileTrue:" | "whileFalse:" => {
                let body = literal(*args.first()?).filter(|body| body.params().is_empty())?;
                (n_params == 0).then(|| self.while_loop(selector, block, Some(body)))
            }
            "whileTrue" | "whileFalse" if n_params == 0 => {
                Some(self.while_loop(selector, block, None))
            }
            "repeat" if n_params == 0 => {
                Some(self.looping(selector, |this| LoopKind::Repeat(this.inline_body(block))))
            }
            _ => is_value(selector, n_params).then(|| self.inline_value(block, args)),
        }
    }

    fn inline_value(&mut self, block: Block<'a>, args: &[Node<'a>]) -> Kind {
        let values = self.exprs(args);
        let stmts = self.in_scope(|this| {
            let params = this.block_params(block);
            let bind = |(var, value): (VarId, Expr)| Expr {
                line: value.line,
                kind: Kind::Assign(Box::new(Assign { var, value, early: false })),
            };
            let mut stmts: Vec<_> = params.into_iter().zip(values).map(bind).collect();
            stmts.extend(this.body_of(block));
            stmts
        });
        Kind::Seq(stmts)
    }

    /// The statements of a block, at least one.
    fn body_of(&mut self, block: Block<'a>) -> Vec<Expr> {
        let mut stmts = self.statements(&block.statements());
        if stmts.is_empty() {
            stmts.push(self.expr_at(block.node(), Kind::Nil));
        }
        stmts
    }

    fn inline_body(&mut self, block: Block<'a>) -> Vec<Expr> {
        self.in_scope(|this| this.body_of(block))
    }

    fn looping(&mut self, selector: &str, kind: impl FnOnce(&mut Self) -> LoopKind) -> Kind {
        let (kind, uses, assigns) = self.in_boundary(BoundaryKind::Loop, kind);
        Kind::Loop(Box::new(Loop { selector: selector.to_owned(), kind, uses, assigns }))
    }

    fn while_loop(&mut self, selector: &str, cond: Block<'a>, body: Option<Block<'a>>) -> Kind {
        let wanted = selector.starts_with("whileTrue");
        self.looping(selector, |this| {
            let cond = this.inline_body(cond);
            let body = body.map(|body| this.inline_body(body)).unwrap_or_default();
            LoopKind::While(wanted, cond, body)
        })
    }

    /// `timesRepeat:` and the loops over a range of numbers.
    fn counting(
        &mut self,
        receiver: &Receiver<'a>,
        selector: &str,
        args: &[Node<'a>],
    ) -> Option<Kind> {
        let Receiver::Node(node) = receiver else { return None };
        let block = literal(*args.last()?)?;
        let n_params = block.params().len();
        match (selector, n_params) {
            ("timesRepeat:", 0) => {
                let count = self.expr(*node);
                Some(self.looping(selector, |this| LoopKind::Times(count, this.inline_body(block))))
            }
            ("to:do:" | "to:by:do:", 1) if is_number(*node) => {
                Some(self.range_loop(selector, *node, args, block))
            }
            _ => None,
        }
    }

    fn range_loop(
        &mut self,
        selector: &str,
        from: Node<'a>,
        args: &[Node<'a>],
        block: Block<'a>,
    ) -> Kind {
        let from = self.expr(from);
        let mut ends = args.iter().take(args.len() - 1).map(|arg| self.expr(*arg));
        let to = ends.next();
        let by = ends.next();
        drop(ends);
        let to = to.unwrap_or_else(|| self.expr_at(block.node(), Kind::Nil));
        self.looping(selector, |this| {
            let var = this.block_params(block).first().copied();
            let var = var.unwrap_or_else(|| this.hidden_var());
            LoopKind::ToDo(Range { from, to, by }, var, this.body_of(block))
        })
    }

    fn conditional(
        &mut self,
        receiver: &Receiver<'a>,
        selector: &str,
        args: &[Node<'a>],
    ) -> Option<Kind> {
        if matches!(selector, "isNil" | "notNil") {
            let subject = self.subject(receiver);
            return Some(Kind::IsNil(Box::new(subject), selector == "isNil"));
        }
        let (question, then, otherwise) = parts(selector, args)?;
        let subject = self.subject(receiver);
        let n_returns = self.n_returns;
        let then = self.branch(then);
        let otherwise = self.branch(otherwise);
        Some(Kind::Cond(Box::new(Cond {
            question,
            selector: selector.to_owned(),
            subject,
            then,
            otherwise,
            returns: self.n_returns > n_returns,
        })))
    }

    fn subject(&mut self, receiver: &Receiver<'a>) -> Expr {
        match receiver {
            Receiver::Node(node) => self.expr(*node),
            Receiver::Var(var) => self.receiver_value(Receiver::Var(*var), false),
            Receiver::Super => self.receiver_value(Receiver::Super, false),
            Receiver::Module(module) => {
                self.receiver_value(Receiver::Module(module.clone()), false)
            }
        }
    }

    fn branch(&mut self, part: Part<'a>) -> Branch {
        match part {
            Part::Fixed(branch) => branch,
            Part::Block(block) => self.in_scope(|this| {
                let param = this.block_params(block).first().copied();
                Branch::Body(param, this.body_of(block))
            }),
        }
    }
}

/// The branches of a conditional: for true or nil, and for the rest.
fn parts<'a>(selector: &str, args: &[Node<'a>]) -> Option<(Question, Part<'a>, Part<'a>)> {
    use Question::{IsNil, IsTrue};
    let plain = |at: usize| {
        let block = literal(*args.get(at)?).filter(|block| block.params().is_empty())?;
        Some(Part::Block(block))
    };
    let given = |at: usize| {
        let block = literal(*args.get(at)?).filter(|block| block.params().len() <= 1)?;
        Some(Part::Block(block))
    };
    let fixed = Part::Fixed;
    Some(match selector {
        "ifTrue:" => (IsTrue, plain(0)?, fixed(Branch::Nil)),
        "ifFalse:" => (IsTrue, fixed(Branch::Nil), plain(0)?),
        "ifTrue:ifFalse:" => (IsTrue, plain(0)?, plain(1)?),
        "ifFalse:ifTrue:" => (IsTrue, plain(1)?, plain(0)?),
        "and:" => (IsTrue, plain(0)?, fixed(Branch::False)),
        "or:" => (IsTrue, fixed(Branch::True), plain(0)?),
        "ifNil:" => (IsNil, plain(0)?, fixed(Branch::Subject)),
        "ifNotNil:" => (IsNil, fixed(Branch::Nil), given(0)?),
        "ifNil:ifNotNil:" => (IsNil, plain(0)?, given(1)?),
        "ifNotNil:ifNil:" => (IsNil, plain(1)?, given(0)?),
        _ => return None,
    })
}

fn literal(node: Node<'_>) -> Option<Block<'_>> {
    Block::cast(node)
}

fn is_number(node: Node<'_>) -> bool {
    matches!(node.kind(), NodeKind::Integer | NodeKind::Float)
}

/// Whether the selector runs a block with so many arguments.
fn is_value(selector: &str, n_args: usize) -> bool {
    match n_args {
        0 => selector == "value",
        _ => selector.len() == n_args * 6 && selector.split("value:").all(str::is_empty),
    }
}
