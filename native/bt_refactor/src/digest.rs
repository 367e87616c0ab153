//! Digests.

use sha2::{Digest, Sha256};

/// SHA-256 of a text in lower-case hexadecimal digits.
#[must_use]
pub fn sha256(text: &str) -> String {
    sha256_of_bytes(text.as_bytes())
}

/// The same of any bytes.
#[must_use]
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
