//! What tests and benchmarks of all crates share: random but reproducible Beamtalk source.
//!
//! A development dependency only; nothing here is built into the engine.

pub mod gen;
pub mod rng;
