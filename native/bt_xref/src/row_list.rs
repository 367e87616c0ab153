//! The facts of one unit about one name as rows, in a few bytes each: a posting list holds them one
//! unit after the other, so that an answer of many rows is read from front to back.
//!
//! A row is six bytes, little-endian: a tag of eight bits (kind, [`SAME_OWNER`], [`HAS_LENGTH`],
//! [`IS_WIDE`]), the bytes from the start of the row before (16), the lines from its line (10) and the
//! column (14). Where one does not fit, the row is wide: the three follow as numbers. Then come the
//! length if it is not the name's, and the owner if it is another: a tag (provenance, side,
//! [`SAME_NAME`]), name and selector.

use crate::bytes::{put_number, Reader};
use crate::ids::NameId;
use crate::posting::Share;
use crate::rows::{Provenance, RowOwner, RowVisitor, Spot};
use crate::site::SiteKind;
use bt_syntax::Side;

const KIND: u8 = 0x1f;
const SAME_OWNER: u8 = 0x20;
const HAS_LENGTH: u8 = 0x40;
const IS_WIDE: u8 = 0x80;

const START_BITS: u32 = 16;
const LINE_BITS: u32 = 10;
const COL_BITS: u32 = 14;
const START_AT: u32 = 8;
const LINE_AT: u32 = START_AT + START_BITS;
const COL_AT: u32 = LINE_AT + LINE_BITS;
const PLACE_BYTES: usize = 6;

const PROVENANCE: u8 = 0x0f;
const CLASS_SIDE: u8 = 0x10;
const SAME_NAME: u8 = 0x20;

/// What a list's first row is told against.
const ORIGIN: Spot = Spot { start: 0, end: 0, line: 1, col: 1, kind: SiteKind::Send };

/// The lists of one unit, by name.
#[derive(Debug, Default)]
pub struct RowLists {
    /// Name, number of rows, end of the bytes.
    lists: Vec<(NameId, u32, u32)>,
    bytes: Vec<u8>,
}

impl RowLists {
    /// Appends a list; rows are in order of position, and `len` is the length of the name.
    pub(crate) fn push(
        &mut self,
        name: NameId,
        len: usize,
        rows: impl Iterator<Item = (Spot, RowOwner)>,
    ) {
        let mut last = (ORIGIN, RowOwner::STATEMENT);
        let mut count = 0;
        for row in rows {
            self.put(row, last, len as u32);
            last = row;
            count += 1;
        }
        self.lists.push((name, count, self.bytes.len() as u32));
    }

    fn put(&mut self, row: (Spot, RowOwner), last: (Spot, RowOwner), len: u32) {
        let ((spot, owner), (last, last_owner)) = (row, last);
        let bytes = &mut self.bytes;
        let (is_same, is_long) = (owner == last_owner, spot.end - spot.start != len);
        let flags = (u8::from(is_same) * SAME_OWNER) | (u8::from(is_long) * HAS_LENGTH);
        put_place(
            bytes,
            spot.kind as u8 | flags,
            (spot.start - last.start, spot.line - last.line, spot.col),
        );
        if is_long {
            put_number(bytes, spot.end - spot.start);
        }
        if !is_same {
            put_owner(bytes, owner, last_owner.name);
        }
    }

    /// Name, number of rows and bytes of each list.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NameId, u32, &[u8])> {
        let mut start = 0;
        self.lists.iter().map(move |(name, count, end)| {
            let rows = self.bytes.get(start..*end as usize).unwrap_or(&[]);
            start = *end as usize;
            (*name, *count, rows)
        })
    }
}

/// A row's tag, and where it stands, told from the row before.
fn put_place(bytes: &mut Vec<u8>, tag: u8, (start, line, col): (u32, u32, u32)) {
    if start >> START_BITS | line >> LINE_BITS | col >> COL_BITS == 0 {
        let word = u64::from(tag)
            | u64::from(start) << START_AT
            | u64::from(line) << LINE_AT
            | u64::from(col) << COL_AT;
        bytes.extend(word.to_le_bytes().iter().take(PLACE_BYTES));
    } else {
        put_place(bytes, tag | IS_WIDE, (0, 0, 0));
        for number in [start, line, col] {
            put_number(bytes, number);
        }
    }
}

#[inline(always)]
fn read_place(reader: &mut Reader<'_>) -> (u8, u32, u32, u32) {
    let word = reader.word::<PLACE_BYTES>();
    let tag = word as u8;
    if tag & IS_WIDE == 0 {
        let part = |at: u32, bits: u32| (word >> at) as u32 & ((1 << bits) - 1);
        let (start, line) = (part(START_AT, START_BITS), part(LINE_AT, LINE_BITS));
        return (tag, start, line, part(COL_AT, COL_BITS));
    }
    (tag, reader.number(), reader.number(), reader.number())
}

fn put_owner(bytes: &mut Vec<u8>, owner: RowOwner, last_name: NameId) {
    let is_same = owner.name == last_name;
    let is_class = owner.side == Side::Class;
    let flags = (u8::from(is_same) * SAME_NAME) | (u8::from(is_class) * CLASS_SIDE);
    bytes.push(owner.provenance as u8 | flags);
    if !is_same {
        put_name(bytes, owner.name);
    }
    put_name(bytes, owner.selector);
}

/// Names are one more than their number; [`NameId::NONE`] is zero.
fn put_name(bytes: &mut Vec<u8>, name: NameId) {
    put_number(bytes, name.0.wrapping_add(1));
}

#[inline(always)]
fn read_name(reader: &mut Reader<'_>) -> NameId {
    NameId(reader.number().wrapping_sub(1))
}

#[inline(always)]
fn read_owner(reader: &mut Reader<'_>, last_name: NameId) -> RowOwner {
    let tag = reader.byte();
    let side = if tag & CLASS_SIDE == 0 { Side::Instance } else { Side::Class };
    let name = if tag & SAME_NAME == 0 { read_name(reader) } else { last_name };
    let provenance = Provenance::ALL.get(usize::from(tag & PROVENANCE)).copied();
    let provenance = provenance.unwrap_or(Provenance::Statement);
    RowOwner { provenance, name, side, selector: read_name(reader) }
}

/// Shows the rows of a share whose places in it are in a range; `len` is the length of the name.
pub(crate) fn show(
    share: Share<'_>,
    len: usize,
    range: std::ops::Range<usize>,
    visitor: &mut impl RowVisitor,
) {
    visitor.unit(share.unit);
    let mut reader = Reader::new(share.rows);
    let Spot { mut start, mut line, .. } = ORIGIN;
    let (mut owner, mut is_told) = (RowOwner::STATEMENT, false);
    for at in 0..range.end.min(share.count as usize) {
        let (tag, n_bytes, n_lines, col) = read_place(&mut reader);
        (start, line) = (start + n_bytes, line + n_lines);
        let len = if tag & HAS_LENGTH == 0 { len as u32 } else { reader.number() };
        if tag & SAME_OWNER == 0 {
            (owner, is_told) = (read_owner(&mut reader, owner.name), false);
        }
        if at < range.start {
            continue;
        }
        if !is_told {
            visitor.owner(owner);
            is_told = true;
        }
        let kind = SiteKind::ALL.get(usize::from(tag & KIND)).copied();
        let kind = kind.unwrap_or(SiteKind::Send);
        visitor.row(Spot { start, end: start + len, line, col, kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posting::UnitId;
    use crate::rows::Rows;
    use proptest::prelude::*;

    prop_compose! {
        fn owner()(
            provenance in 0..Provenance::ALL.len(),
            name in prop_oneof![Just(u32::MAX), 0..3_u32, 0..1_000_000_u32],
            is_class in any::<bool>(),
            selector in prop_oneof![Just(u32::MAX), 0..1_000_000_u32],
        ) -> RowOwner {
            RowOwner {
                provenance: Provenance::ALL[provenance],
                name: NameId(name),
                side: if is_class { Side::Class } else { Side::Instance },
                selector: NameId(selector),
            }
        }
    }

    type Step = (u32, u32, u32, u32, SiteKind, Option<RowOwner>);

    prop_compose! {
        /// Steps from row to row, and what else it says.
        fn step()(
            start in prop_oneof![0..200_u32, 0..100_000_u32],
            len in prop_oneof![Just(4_u32), 1..100_000_u32],
            line in prop_oneof![0..300_u32, 0..3_000_u32],
            col in prop_oneof![1..80_u32, 1..1_000_000_u32],
            kind in 0..SiteKind::ALL.len(),
            owner in prop::option::of(owner()),
        ) -> Step {
            (start, len, line, col, SiteKind::ALL[kind], owner)
        }
    }

    fn rows(steps: &[Step]) -> Vec<(Spot, RowOwner)> {
        let mut last = (ORIGIN, RowOwner::STATEMENT);
        let mut rows = Vec::new();
        for (start, len, line, col, kind, owner) in steps.iter().copied() {
            let start = last.0.start + start;
            let spot = Spot { start, end: start + len, line: last.0.line + line, col, kind };
            last = (spot, owner.unwrap_or(last.1));
            rows.push(last);
        }
        rows
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_written(
            lists in prop::collection::vec(prop::collection::vec(step(), 1..20), 0..5),
            skipped in 0..25_usize,
            limit in 0..25_usize,
        ) {
            let lists: Vec<_> = lists.iter().map(|steps| rows(steps)).collect();
            let mut written = RowLists::default();
            for (at, rows) in lists.iter().enumerate() {
                written.push(NameId(at as u32), 4, rows.iter().copied());
            }
            prop_assert_eq!(written.iter().count(), lists.len());
            for (list, (name, count, rows)) in lists.iter().zip(written.iter()) {
                let share = Share { unit: UnitId(name.0), count, rows };
                let mut shown = Rows::default();
                show(share, 4, skipped..skipped + limit, &mut shown);
                let expected = list.iter().skip(skipped).take(limit);
                let expected: Vec<_> =
                    expected.map(|(spot, owner)| (share.unit, *owner, *spot)).collect();
                prop_assert_eq!(shown.rows, expected);
            }
        }
    }
}
