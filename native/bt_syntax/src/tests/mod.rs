//! Tests of the crate, by subject.

mod catalogue;
mod facts;
mod well_formed;
