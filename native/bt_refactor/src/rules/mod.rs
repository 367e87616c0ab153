//! What a request may not do, each rule by itself. All are pure.

pub(crate) mod allowed;
pub mod capture;
pub mod file;
pub mod name;
pub mod scope;
