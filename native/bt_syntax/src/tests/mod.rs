//! Tests of the crate, by subject.

mod catalogue;
mod extent;
mod facts;
mod position;
mod well_formed;
