//! External term format, the part of it that [`Term`] needs (Erlang's `binary_to_term/1` reads it).

use crate::term::Term;

const VERSION: u8 = 131;
const NEW_FLOAT: u8 = 70;
const SMALL_INTEGER: u8 = 97;
const INTEGER: u8 = 98;
const SMALL_TUPLE: u8 = 104;
const LARGE_TUPLE: u8 = 105;
const NIL: u8 = 106;
const STRING: u8 = 107;
const LIST: u8 = 108;
const SMALL_BIG: u8 = 110;
const LARGE_BIG: u8 = 111;
const ATOM_UTF8: u8 = 118;
const SMALL_ATOM_UTF8: u8 = 119;

/// Heads of the most frequent forms: a tuple of three and its tag.
const ATOM: &[u8] = b"\x68\x03\x77\x04atom";
const VAR: &[u8] = b"\x68\x03\x77\x03var";
const INT: &[u8] = b"\x68\x03\x77\x07integer";

/// Bytes of a generation, least significant first: `binary_to_term/1` reads a number of this width
/// as the integer that it is.
const HOLE: usize = 8;

/// Encodes a term.
pub(crate) fn encode(term: &Term) -> Forms {
    let mut forms = Forms { bytes: Vec::with_capacity(16 * 1024), holes: Vec::new() };
    forms.bytes.push(VERSION);
    put(term, &mut forms);
    forms
}

/// Encoded forms in which the generation they are compiled in is still to be filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    bytes: Vec<u8>,
    /// Where the generation stands: places of [`HOLE`] bytes.
    holes: Vec<usize>,
}

impl Forms {
    /// The encoding with zeros for the generation: two forms are equal here when they are the same
    /// code, whenever it is compiled.
    #[must_use]
    pub fn without_generation(&self) -> &[u8] {
        &self.bytes
    }

    /// The encoding as compiled in a generation.
    #[must_use]
    pub fn in_generation(mut self, generation: u64) -> Vec<u8> {
        for at in self.holes {
            if let Some(hole) = self.bytes.get_mut(at..at + HOLE) {
                hole.copy_from_slice(&generation.to_le_bytes());
            }
        }
        self.bytes
    }
}

fn put(term: &Term, forms: &mut Forms) {
    let out = &mut forms.bytes;
    match term {
        Term::Atom(name) => put_atom(name, out),
        Term::Int(value) => put_int(*value, out),
        Term::Big(bytes) => put_big(0, bytes, out),
        Term::Float(value) => {
            out.push(NEW_FLOAT);
            out.extend_from_slice(&value.to_be_bytes());
        }
        Term::Bytes(bytes) => put_bytes(bytes, out),
        Term::Tuple(items) => {
            match u8::try_from(items.len()) {
                Ok(len) => out.extend_from_slice(&[SMALL_TUPLE, len]),
                Err(_) => put_tag_len(LARGE_TUPLE, items.len(), out),
            }
            items.iter().for_each(|item| put(item, forms));
        }
        Term::List(items) => put_list(items, forms),
        Term::AtomForm(line, name) => {
            put_leaf(ATOM, *line, out);
            put_atom(name, out);
        }
        Term::VarForm(line, number) => {
            put_leaf(VAR, *line, out);
            put_var_name(*number, out);
        }
        Term::AnyForm(line) => {
            put_leaf(VAR, *line, out);
            put_atom("_", out);
        }
        Term::IntForm(line, value) => {
            put_leaf(INT, *line, out);
            put_int(*value, out);
        }
        Term::GenerationForm(line) => {
            put_leaf(INT, *line, out);
            out.extend_from_slice(&[SMALL_BIG, HOLE as u8, 0]);
            forms.holes.push(out.len());
            out.extend_from_slice(&[0; HOLE]);
        }
        Term::RemoteForm(line, module, function, args) => {
            put_node(&[SMALL_TUPLE, 4], "call", *line, out);
            put_node(&[SMALL_TUPLE, 4], "remote", *line, out);
            for name in [module, function] {
                put_leaf(ATOM, *line, out);
                put_atom(name, out);
            }
            put_list(args, forms);
        }
        Term::NilForm(line) => put_node(&[SMALL_TUPLE, 2], "nil", *line, out),
    }
}

fn put_list(items: &[Term], forms: &mut Forms) {
    if !items.is_empty() {
        put_tag_len(LIST, items.len(), &mut forms.bytes);
        items.iter().for_each(|item| put(item, forms));
    }
    forms.bytes.push(NIL);
}

/// The beginning of `{Tag, Line, Value}`: its head and the line.
fn put_leaf(head: &[u8], line: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(head);
    put_int(i64::from(line), out);
}

/// The beginning of any other form.
fn put_node(tuple: &[u8; 2], tag: &str, line: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(tuple);
    put_atom(tag, out);
    put_int(i64::from(line), out);
}

/// Lengths are bounded by the size of a unit, which is below 4 GiB.
fn put_tag_len(tag: u8, len: usize, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&(len as u32).to_be_bytes());
}

fn put_atom(name: &str, out: &mut Vec<u8>) {
    match u8::try_from(name.len()) {
        Ok(len) => out.extend_from_slice(&[SMALL_ATOM_UTF8, len]),
        Err(_) => {
            out.push(ATOM_UTF8);
            out.extend_from_slice(&(name.len() as u16).to_be_bytes());
        }
    }
    out.extend_from_slice(name.as_bytes());
}

/// The atom `V1` … of a variable, by hand: half of all forms are variables.
fn put_var_name(number: u32, out: &mut Vec<u8>) {
    let mut name = [0; 10];
    let (mut len, mut rest) = (0, number);
    for place in name.iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        (len, rest) = (len + 1, rest / 10);
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&[SMALL_ATOM_UTF8, len as u8 + 1, b'V']);
    out.extend_from_slice(name.get(name.len() - len..).unwrap_or_default());
}

fn put_int(value: i64, out: &mut Vec<u8>) {
    if let Ok(small) = u8::try_from(value) {
        out.extend_from_slice(&[SMALL_INTEGER, small]);
    } else if let Ok(int) = i32::try_from(value) {
        out.push(INTEGER);
        out.extend_from_slice(&int.to_be_bytes());
    } else {
        let mut bytes = value.unsigned_abs().to_le_bytes().to_vec();
        trim(&mut bytes);
        put_big(u8::from(value < 0), &bytes, out);
    }
}

fn put_big(sign: u8, bytes: &[u8], out: &mut Vec<u8>) {
    match u8::try_from(bytes.len()) {
        Ok(len) => out.extend_from_slice(&[SMALL_BIG, len, sign]),
        Err(_) => {
            put_tag_len(LARGE_BIG, bytes.len(), out);
            out.push(sign);
        }
    }
    out.extend_from_slice(bytes);
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    match u16::try_from(bytes.len()) {
        Ok(0) => out.push(NIL),
        Ok(len) => {
            out.push(STRING);
            out.extend_from_slice(&len.to_be_bytes());
            out.extend_from_slice(bytes);
        }
        Err(_) => {
            put_tag_len(LIST, bytes.len(), out);
            for byte in bytes {
                out.extend_from_slice(&[SMALL_INTEGER, *byte]);
            }
            out.push(NIL);
        }
    }
}

/// Drops leading zeros of a little-endian number.
pub(crate) fn trim(bytes: &mut Vec<u8>) {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
}
