//! The grammar (docs/grammar.md), one module for each part of it. Each adds methods to
//! [`crate::parser::Parser`].

mod class;
mod expr;
mod lookahead;
mod method;
mod pattern;
mod primary;
mod protocol;
mod types;
