//! Lossless, error-tolerant syntax of Beamtalk.
//!
//! [`parse`] gives a [`Unit`]: tokens that tile the text, a tree with exact spans, and the errors
//! beside it. The crate knows no project, no file and no Erlang.

pub mod ast;
pub mod extent;
pub mod kind;
pub mod position;
pub mod selector;
pub mod tree;

mod anchor;
mod grammar;
mod incomplete;
mod lexer;
mod manifest;
mod parser;
mod word;

#[cfg(test)]
mod tests;

pub use ast::Side;
pub use extent::{method_extent, removal_extent};
pub use incomplete::is_incomplete;
pub use kind::{NodeKind, TokenKind};
pub use manifest::{parse_file, parse_manifest};
pub use parser::{
    parse, parse_bytes, parse_counting, InvalidUtf8, MAX_CASCADE, MAX_DEPTH, MAX_TREE_DEPTH,
};
pub use position::{ColumnUnit, LineIndex, Position};
pub use selector::{arity_of, is_class_name, is_identifier, shape_of, Selector, Shape};
pub use text_size::{TextRange, TextSize};
pub use tree::{Node, NodeId, SyntaxError, Token, TokenId, Unit};
