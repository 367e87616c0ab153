//! Lossless, error-tolerant syntax of Beamtalk.
//!
//! [`parse`] gives a [`Unit`]: tokens that tile the text, a tree with exact spans, and the errors
//! beside it. The crate knows no project, no file and no Erlang.

pub mod ast;
pub mod kind;
pub mod selector;
pub mod tree;

mod lexer;
mod parser;

pub use ast::Side;
pub use kind::{NodeKind, TokenKind};
pub use parser::parse;
pub use selector::{arity_of, is_class_name, is_identifier, shape_of, Selector, Shape};
pub use text_size::{TextRange, TextSize};
pub use tree::{Node, NodeId, SyntaxError, Token, TokenId, Unit};
