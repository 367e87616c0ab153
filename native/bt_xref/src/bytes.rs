//! Small numbers in few bytes: seven bits a byte, the lowest first.

/// Appends a number.
pub(crate) fn put_number(bytes: &mut Vec<u8>, number: u32) {
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Reads what was written; what is missing at the end reads as zeros.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'r> {
    rest: &'r [u8],
}

impl<'r> Reader<'r> {
    pub(crate) fn new(bytes: &'r [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Number of bytes left.
    pub(crate) fn len(&self) -> usize {
        self.rest.len()
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        *byte
    }

    /// The next bytes as one number, the lowest first; zero where there are not so many left.
    #[inline(always)]
    pub(crate) fn word<const N: usize>(&mut self) -> u64 {
        let Some((bytes, rest)) = self.rest.split_first_chunk::<N>() else { return 0 };
        self.rest = rest;
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
    }

    #[inline(always)]
    pub(crate) fn number(&mut self) -> u32 {
        let byte = self.byte();
        if byte < 0x80 {
            return byte.into();
        }
        let (number, rest) = self.long_number(byte);
        *self = rest;
        number
    }

    /// A number with its first byte, and what comes behind it. (Nothing takes a reader's address, so
    /// that it stays in registers.)
    fn long_number(mut self, first: u8) -> (u32, Self) {
        let (mut byte, mut number, mut shift) = (first, 0, 0);
        while byte >= 0x80 && shift < 28 {
            number |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            byte = self.byte();
        }
        (number | (u32::from(byte) << shift), self)
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, n_bytes: usize) -> &'r [u8] {
        let (bytes, rest) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, &[]));
        self.rest = rest;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read_as_they_were_written() {
        let around = (0..32).flat_map(|bit| [(1_u32 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let numbers: Vec<u32> = around.chain([u32::MAX - 1, u32::MAX]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| put_number(&mut bytes, *number));
        let mut reader = Reader::new(&bytes);
        for number in numbers {
            assert_eq!(reader.number(), number);
        }
        assert_eq!((reader.byte(), reader.number(), reader.take(3)), (0, 0, &[][..]));
    }
}
