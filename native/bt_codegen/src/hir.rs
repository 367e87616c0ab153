//! The tree between units and forms: names are resolved, control selectors are recognised, and
//! every
//! variable knows whether it needs a cell.

use crate::api::QualifiedName;
use crate::forms::Line;
use crate::literal::Integer;
use std::collections::BTreeSet;

/// A variable of one method (or field default, or input at the prompt).
pub(crate) type VarId = usize;

/// The receiver; only where there is one.
pub(crate) const SELF: VarId = 0;
/// The reference of the method's activation, for returns out of real blocks.
pub(crate) const HOME: VarId = 1;

/// Variables in order of first use.
pub(crate) type VarSet = BTreeSet<VarId>;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    /// Parameters cannot be assigned.
    pub(crate) is_param: bool,
    /// How many boundaries (blocks, loops) it stands in.
    pub(crate) depth: usize,
    /// Moment of the first capture by a real block.
    pub(crate) first_capture: Option<u32>,
    /// Moment of the last assignment.
    pub(crate) last_assign: u32,
    /// Assigned in another block or loop than the one it stands in.
    pub(crate) assigned_inside: bool,
    /// Captured by a block that may outlive the method.
    pub(crate) escapes: bool,
}

impl Var {
    /// Whether it lives in a cell: a real block has it and it changes after that.
    pub(crate) fn is_cell(&self) -> bool {
        self.first_capture.is_some_and(|capture| self.assigned_inside || self.last_assign > capture)
    }
}

/// An expression with its line.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) line: Line,
    pub(crate) kind: Kind,
}

/// A class object, by identity or to be looked up when run.
#[derive(Clone, Debug)]
pub(crate) enum ClassTerm {
    Identity(String),
    Late(QualifiedName),
}

/// Operators that become Erlang operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// Equality: never sent.
    Equality(&'static str),
    /// Arithmetic or ordering: sent unless both sides are numbers. Selector and Erlang's name.
    Number(&'static str, &'static str),
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Nil,
    True,
    False,
    Int(Integer),
    Float(f64),
    Str(String),
    Symbol(String),
    Char(u32),
    Var(VarId),
    Class(ClassTerm),
    Singleton(String),
    ErlangModule(String),
    /// A field of the receiver in the map it is.
    MapField(String),
    /// A field in the state of the running actor or class.
    StateField(String),
    SetState(String, Box<Expr>),
    /// The whole state; an error in another process than the receiver's.
    OwnState,
    FieldOf(Box<Expr>, String),
    Send(Box<Expr>, String, Vec<Expr>),
    Super(String, Vec<Expr>),
    Cast(Box<Expr>, String, Vec<Expr>),
    Ffi(String, String, Vec<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `isNil`, or `notNil` when the flag is false.
    IsNil(Box<Expr>, bool),
    Interpolation(Vec<Piece>),
    List(Vec<Expr>, Option<Box<Expr>>),
    Array(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Block(Box<BlockLit>),
    /// Statements; the value is that of the last. Never empty.
    Seq(Vec<Expr>),
    Assign(Box<Assign>),
    Cond(Box<Cond>),
    Loop(Box<Loop>),
    Match(Box<Match>),
    Destructure(Box<Destructure>),
    /// `^ value`.
    Return(Box<Expr>),
    /// `module:function(Self, A…)` of the standard library.
    Primitive(String, String),
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    Value(Expr),
}

#[derive(Clone, Debug)]
pub(crate) struct Assign {
    pub(crate) var: VarId,
    pub(crate) value: Expr,
    /// A block in the value refers to the variable: its cell must be there before.
    pub(crate) early: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct BlockLit {
    pub(crate) params: Vec<VarId>,
    pub(crate) body: Vec<Expr>,
    /// What it has from outside.
    pub(crate) uses: VarSet,
    /// Its place among the real blocks of the method.
    pub(crate) index: usize,
}

/// What an inlined conditional asks its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// `then` for true, `otherwise` for false, an error for anything else.
    IsTrue,
    /// `then` for nil, `otherwise` for anything else.
    IsNil,
}

#[derive(Clone, Debug)]
pub(crate) struct Cond {
    pub(crate) question: Question,
    pub(crate) selector: String,
    pub(crate) subject: Expr,
    pub(crate) then: Branch,
    pub(crate) otherwise: Branch,
    /// A `^` stands in a branch.
    pub(crate) returns: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Branch {
    Nil,
    True,
    False,
    Subject,
    Body(Option<VarId>, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) selector: String,
    pub(crate) kind: LoopKind,
    /// Variables from outside, and those of them that are assigned.
    pub(crate) uses: VarSet,
    pub(crate) assigns: VarSet,
}

#[derive(Clone, Debug)]
pub(crate) enum LoopKind {
    /// `[cond] whileTrue: [body]`; `whileFalse:` when the flag is false.
    While(bool, Vec<Expr>, Vec<Expr>),
    /// `[body] repeat`.
    Repeat(Vec<Expr>),
    /// `count timesRepeat: [body]`.
    Times(Expr, Vec<Expr>),
    /// `from to: to by: by do: [:var | body]`.
    ToDo(Range, VarId, Vec<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) from: Expr,
    pub(crate) to: Expr,
    pub(crate) by: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) subject: Expr,
    pub(crate) arms: Vec<Arm>,
    pub(crate) returns: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) line: Line,
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct Destructure {
    pub(crate) pattern: Pattern,
    pub(crate) value: Expr,
    /// Pattern variable and the variable that gets its value.
    pub(crate) binds: Vec<(VarId, VarId)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Wildcard,
    Var(VarId),
    Literal(Expr),
    Type(Option<VarId>, ClassTerm),
    Constructor(ClassTerm, String, Vec<Pattern>),
    Tuple(Vec<Pattern>),
    /// The rest: absent, or perhaps bound.
    Array(Vec<Pattern>, Option<Option<VarId>>),
    List(Vec<Pattern>, Option<Box<Pattern>>),
    Map(Vec<(Expr, Pattern)>),
    Binary(Vec<Segment>),
}

#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) var: Option<VarId>,
    pub(crate) size: Option<Size>,
    pub(crate) types: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub(crate) enum Size {
    Bits(u32),
    Var(VarId),
}

/// A body with its variables: a method, a field default or an input at the prompt.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) line: Line,
    pub(crate) params: Vec<VarId>,
    pub(crate) stmts: Vec<Expr>,
    pub(crate) vars: Vec<Var>,
    pub(crate) n_blocks: usize,
}
