//! What tests and benchmarks of all crates share: fixtures, random but reproducible Beamtalk
//! source and broken texts, slow and obvious answers.
//!
//! A development dependency only; nothing here is built into the engine.

pub mod fixture;
pub mod gen;
#[cfg(feature = "oracle")]
pub mod oracle;
#[cfg(feature = "oracle")]
pub mod receiver;
pub mod repository;
pub mod rng;
pub mod text;
