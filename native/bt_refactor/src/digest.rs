//! Digests of texts.

use sha2::{Digest, Sha256};

/// SHA-256 of a text in lower-case hexadecimal digits.
#[must_use]
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
