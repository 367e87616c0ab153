//! Runs of blanks and of identifier bytes, eight bytes at a time.
//!
//! A loop over single bytes ends where the processor does not expect it, once for each token; the
//! length of a run within eight bytes is a matter of arithmetic.

const ONES: u64 = u64::from_le_bytes([1; 8]);
/// The high bit of each byte.
const HIGH: u64 = ONES << 7;

/// Eight bytes from a place on, the first in the lowest bits; zeros behind the end.
#[inline(always)]
fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last_bytes(bytes, at),
    }
}

#[cold]
#[inline(never)]
fn last_bytes(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or(&[]);
    rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Behind the spaces from a place on.
#[inline(always)]
pub(super) fn spaces_end(bytes: &[u8], from: usize) -> usize {
    let mut end = from;
    loop {
        let n_spaces = (eight(bytes, end) ^ (ONES * b' ' as u64)).trailing_zeros() / 8;
        end += n_spaces as usize;
        if n_spaces < 8 {
            return end;
        }
    }
}

/// Behind the identifier bytes from a place on; and eight bytes from there.
#[inline(always)]
pub(super) fn ident(bytes: &[u8], from: usize) -> (usize, u64) {
    let first = eight(bytes, from);
    let mut n_bytes = n_ident_bytes(first);
    let mut end = from + n_bytes;
    while n_bytes == 8 {
        n_bytes = n_ident_bytes(eight(bytes, end));
        end += n_bytes;
    }
    (end, first)
}

/// The first `n_bytes` of eight bytes (at least one, at most all); zeros for the others.
#[inline(always)]
pub(super) const fn keep(first: u64, n_bytes: usize) -> u64 {
    if n_bytes < 8 {
        first & !(u64::MAX << (8 * n_bytes))
    } else {
        first
    }
}

#[inline(always)]
const fn n_ident_bytes(word: u64) -> usize {
    (!ident_bytes(word) & HIGH).trailing_zeros() as usize / 8
}

/// The high bit of each byte that is a letter, a digit or `_`.
#[inline(always)]
const fn ident_bytes(word: u64) -> u64 {
    let low = word & !HIGH;
    // Upper case to lower; nothing else becomes a letter.
    let lower = low | (ONES * 0x20);
    let letter = at_least(lower, b'a') & !at_least(lower, b'z' + 1);
    let digit = at_least(low, b'0') & !at_least(low, b'9' + 1);
    let underscore = at_least(low, b'_') & !at_least(low, b'_' + 1);
    (letter | digit | underscore) & !word
}

/// The high bit of each byte that is at least `least`; all bytes below 128.
#[inline(always)]
const fn at_least(word: u64, least: u8) -> u64 {
    word + ONES * (0x80 - least) as u64
}
