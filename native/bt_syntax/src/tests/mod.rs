//! Tests of the crate, by subject.

mod catalogue;
mod cost;
mod depth;
mod extent;
mod facts;
mod grammar;
mod incomplete;
mod laws;
mod manifest;
mod position;
mod tolerance;
mod well_formed;
mod word;
