//! The words that the lexer recognises, and names that come close to them.

use crate::lexer::lex_trusting;
use crate::word::{Word, WORDS};

/// The word of a text that is one token.
fn word_of(text: &str) -> Word {
    let tokens = lex_trusting(text).unwrap();
    assert_eq!(tokens.sig.len(), 1, "{text}");
    tokens.sig[0].word
}

#[test]
fn each_word_is_recognised_and_nothing_close_to_it() {
    for (text, word) in WORDS {
        assert_eq!(word_of(text), word, "{text}");
        let name = text.trim_end_matches(':');
        let upper = name.starts_with(|first: char| first.is_ascii_uppercase());
        let plain = if upper { Word::Upper } else { Word::Other };
        let longer = format!("{name}x");
        let colon = if text.ends_with(':') { name.to_owned() } else { format!("{name}:") };
        for other in [longer.clone(), format!("{longer}:"), format!("x{text}"), colon] {
            let expected = if other.starts_with('x') { Word::Other } else { plain };
            assert_eq!(word_of(&other), expected, "{other}");
        }
    }
}

#[test]
fn names_of_every_length_up_to_forty_bytes_are_one_token() {
    for n_bytes in 1..=40 {
        for first in ["a", "Z", "_"] {
            let name = format!("{first}{}", "x9_Z".repeat(10).split_at(n_bytes - 1).0);
            for text in [name.clone(), format!("{name}:")] {
                let expected = if first == "Z" { Word::Upper } else { Word::Other };
                if text != "_" {
                    assert_eq!(word_of(&text), expected, "{text}");
                }
            }
        }
    }
}
