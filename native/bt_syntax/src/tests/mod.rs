//! Tests of the crate, by subject.

mod catalogue;
mod depth;
mod extent;
mod facts;
mod incomplete;
mod laws;
mod position;
mod well_formed;
