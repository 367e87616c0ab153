//! What literal tokens stand for (language reference, 1.4).

use crate::etf::trim;

/// Longest integer literal, in digits: reading one takes quadratic time.
const MAX_DIGITS: usize = 10_000;

/// The value of an integer literal: its sign and its size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Integer {
    /// Fits a machine word.
    Small(i64),
    /// Does not: sign and bytes, least significant first.
    Big(bool, Vec<u8>),
}

/// Reads `42`, `-42`, `16rFF`.
pub(crate) fn integer(text: &str) -> Result<Integer, &'static str> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (radix, digits) = match digits.split_once('r') {
        Some((radix, digits)) => (radix.parse().unwrap_or(0), digits),
        None => (10, digits),
    };
    if !(2..=36).contains(&radix) {
        return Err("the base of an integer is a number from 2 to 36");
    }
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err("a digit does not belong to the base of the integer");
    }
    if let Ok(value) = i64::from_str_radix(digits, radix) {
        return Ok(Integer::Small(if negative { -value } else { value }));
    }
    if digits.len() > MAX_DIGITS {
        return Err("an integer literal has more than 10000 digits");
    }
    Ok(Integer::Big(negative, big_bytes(digits, radix)))
}

fn big_bytes(digits: &str, radix: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
        let mut carry = digit;
        for byte in &mut bytes {
            carry += u32::from(*byte) * radix;
            *byte = (carry & 0xff) as u8;
            carry >>= 8;
        }
        while carry > 0 {
            bytes.push((carry & 0xff) as u8);
            carry >>= 8;
        }
    }
    trim(&mut bytes);
    bytes
}

/// Reads `1.5`, `-1e3`, `2.5e-3`.
pub(crate) fn float(text: &str) -> Result<f64, &'static str> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match compact.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("a float literal is too large"),
        Err(_) => Err("a float needs digits after its exponent"),
    }
}

/// The code point of `$c` or `$\n`.
pub(crate) fn character(text: &str) -> Option<u32> {
    let mut chars = text.strip_prefix('$')?.chars();
    let code = match chars.next()? {
        '\\' => match chars.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some(other) => other,
            None => '\\',
        },
        other => other,
    };
    Some(u32::from(code))
}

/// The text of a string token or of a piece of an interpolated string, its marks removed.
pub(crate) fn string(text: &str, opens: bool, closes: bool) -> String {
    let text = if opens { text.strip_prefix('"').unwrap_or(text) } else { text };
    let text = if closes { text.strip_suffix('"').unwrap_or(text) } else { text };
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('"', Some('"')) => {
                chars.next();
                out.push('"');
            }
            ('\\', Some(brace @ ('{' | '}'))) => {
                chars.next();
                out.push(brace);
            }
            ('\\', Some(other)) => {
                chars.next();
                out.push('\\');
                out.push(other);
            }
            _ => out.push(c),
        }
    }
    out
}
