//! JSON: terms are made while the text is read, and written while the term is walked.
//!
//! Objects are maps with binary keys (the last of equal keys wins), `null` is `nil`. The keys of
//! written objects are sorted: equal terms give equal texts. Nesting is limited to 128, both ways.
//! An integer beyond 64 bits is `{integer, Text}`, both ways: Erlang has the numbers for it.

use crate::atoms;
use crate::encode::ok;
use crate::guard::{answer, Failure};
use rustler::{Atom, Binary, Encoder, Env, ListIterator, MapIterator, NewBinary, Term, TermType};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

const MAX_DEPTH: usize = 128;
/// Numbers with fewer digits fit 64 bits, with their sign.
const LONG_NUMBER: usize = 19;

#[rustler::nif(schedule = "DirtyCpu")]
fn json_encode<'a>(env: Env<'a>, term: Term<'a>) -> Term<'a> {
    answer(env, || match serde_json::to_vec(&Json { term, depth: 0 }) {
        Ok(text) => Ok(Binary::from(NewBinary::from_slice(env, &text)).to_term(env)),
        Err(error) => Err(Failure::new(env, "json.unsupported", &error.to_string())),
    })
}

#[rustler::nif(schedule = "DirtyCpu")]
fn json_decode<'a>(env: Env<'a>, text: Binary<'a>) -> Term<'a> {
    answer(env, || {
        let mut reader = serde_json::Deserializer::from_slice(text.as_slice());
        let is_exact = has_long_number(text.as_slice());
        let term = Terms { env, is_exact, depth: 0 }.deserialize(&mut reader);
        match term.and_then(|term| reader.end().map(|()| term)) {
            Ok(term) => Ok(ok(env, term)),
            Err(error) => Err(Failure::new(env, "json.invalid", &error.to_string())),
        }
    })
}

// ---- reading

#[derive(Clone, Copy)]
struct Terms<'a> {
    env: Env<'a>,
    /// Whether each value is looked at as text first: only its text tells a long integer from a
    /// float. What is nested is looked at again for each level, so few texts are read like this.
    is_exact: bool,
    depth: usize,
}

impl<'a, 'de> DeserializeSeed<'de> for Terms<'a> {
    type Value = Term<'a>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Term<'a>, D::Error> {
        if !self.is_exact {
            return reader.deserialize_any(self);
        }
        if self.depth > MAX_DEPTH {
            return Err(serde::de::Error::custom("nested too deeply"));
        }
        let text = <&RawValue>::deserialize(reader)?.get();
        match long_integer(text) {
            Some(digits) => Ok((atoms::integer(), digits).encode(self.env)),
            None => serde_json::Deserializer::from_str(text)
                .deserialize_any(Terms { depth: self.depth + 1, ..self })
                .map_err(serde::de::Error::custom),
        }
    }
}

/// Whether there are so many digits in a row, in a string perhaps.
fn has_long_number(text: &[u8]) -> bool {
    let mut n_digits = 0;
    text.iter().any(|byte| {
        n_digits = if byte.is_ascii_digit() { n_digits + 1 } else { 0 };
        n_digits >= LONG_NUMBER
    })
}

/// The text, if it is that of an integer beyond 64 bits.
fn long_integer(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_long = digits.len() >= LONG_NUMBER
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<i64>().is_err()
        && text.parse::<u64>().is_err();
    is_long.then_some(text)
}

impl<'a, 'de> Visitor<'de> for Terms<'a> {
    type Value = Term<'a>;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_str<E>(self, value: &str) -> Result<Term<'a>, E> {
        Ok(value.encode(self.env))
    }

    fn visit_unit<E>(self) -> Result<Term<'a>, E> {
        Ok(atoms::nil().encode(self.env))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Term<'a>, A::Error> {
        let mut terms = Vec::new();
        while let Some(term) = seq.next_element_seed(self)? {
            terms.push(term);
        }
        Ok(terms.encode(self.env))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Term<'a>, A::Error> {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        while let Some(key) = object.next_key_seed(self)? {
            keys.push(key);
            values.push(object.next_value_seed(self)?);
        }
        Term::map_from_term_arrays(self.env, &keys, &values)
            .or_else(|_| self.put_all(&keys, &values))
    }
}

impl<'a> Terms<'a> {
    /// For an object with equal keys.
    fn put_all<E: serde::de::Error>(
        self,
        keys: &[Term<'a>],
        values: &[Term<'a>],
    ) -> Result<Term<'a>, E> {
        let pairs = keys.iter().zip(values);
        pairs
            .into_iter()
            .try_fold(Term::map_new(self.env), |map, (key, value)| map.map_put(key, value))
            .map_err(|_| E::custom("an object that is no map"))
    }
}

// ---- writing

struct Json<'a> {
    term: Term<'a>,
    depth: usize,
}

impl Json<'_> {
    fn below<'b>(&self, term: Term<'b>) -> Json<'b> {
        Json { term, depth: self.depth + 1 }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if self.depth > MAX_DEPTH {
            return Err(S::Error::custom("nested too deeply"));
        }
        match self.term.get_type() {
            TermType::Map => self.map(out),
            TermType::List => self.list(out),
            TermType::Binary => text(self.term)?.serialize(out),
            TermType::Atom => self.atom(out),
            TermType::Integer => self.integer(out),
            TermType::Tuple => self.long_integer(out),
            TermType::Float => {
                self.term.decode::<f64>().map_err(|_| unsupported(self.term))?.serialize(out)
            }
            _ => Err(unsupported(self.term)),
        }
    }
}

impl Json<'_> {
    fn map<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let pairs = MapIterator::new(self.term).ok_or_else(|| unsupported(self.term))?;
        let mut pairs = pairs
            .map(|(key, value)| Ok((name(key)?, value)))
            .collect::<Result<Vec<(String, Term<'_>)>, S::Error>>()?;
        pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut map = out.serialize_map(Some(pairs.len()))?;
        for (key, value) in pairs {
            map.serialize_entry(&key, &self.below(value))?;
        }
        map.end()
    }

    fn list<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // An improper list has no length.
        self.term.list_length().map_err(|_| unsupported(self.term))?;
        let rows: ListIterator<'_> = self.term.decode().map_err(|_| unsupported(self.term))?;
        let mut seq = out.serialize_seq(None)?;
        for row in rows {
            seq.serialize_element(&self.below(row))?;
        }
        seq.end()
    }

    fn atom<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match name(self.term)?.as_str() {
            "true" => out.serialize_bool(true),
            "false" => out.serialize_bool(false),
            "nil" | "null" => out.serialize_unit(),
            other => out.serialize_str(other),
        }
    }

    fn integer<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if let Ok(value) = self.term.decode::<i64>() {
            return out.serialize_i64(value);
        }
        let value = self.term.decode::<u64>();
        out.serialize_u64(value.map_err(|_| S::Error::custom("an integer beyond 64 bits"))?)
    }

    fn long_integer<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let (kind, digits): (Atom, Binary<'_>) =
            self.term.decode().map_err(|_| unsupported(self.term))?;
        let digits = std::str::from_utf8(digits.as_slice()).ok().and_then(long_integer);
        match digits.filter(|_| kind == atoms::integer()) {
            Some(digits) => {
                RawValue::from_string(digits.to_owned()).map_err(S::Error::custom)?.serialize(out)
            }
            None => Err(unsupported(self.term)),
        }
    }
}

/// A key: the text of a binary or an atom.
fn name<E: serde::ser::Error>(term: Term<'_>) -> Result<String, E> {
    match term.get_type() {
        TermType::Atom => term.atom_to_string().map_err(|_| unsupported(term)),
        _ => text(term).map(str::to_owned),
    }
}

fn text<'a, E: serde::ser::Error>(term: Term<'a>) -> Result<&'a str, E> {
    let binary: Binary<'a> = term.decode().map_err(|_| unsupported(term))?;
    std::str::from_utf8(binary.as_slice()).map_err(|_| E::custom("a binary that is not UTF-8"))
}

fn unsupported<E: serde::ser::Error>(term: Term<'_>) -> E {
    E::custom(format!("a {:?} has no JSON form", term.get_type()))
}
