//! The words that mean something to the parser. The lexer recognises them, once for each token, so
//! that the parser compares single bytes where it asks what starts here.

/// What a token says, as far as the parser cares. An identifier and a keyword are never the same
/// word: a keyword's text ends with its colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Word {
    /// Nothing of the below.
    Other,
    /// Any other name with an upper-case first letter.
    Upper,
    Protocol,
    SelfType,
    Underscore,
    SelfRef,
    Super,
    Nil,
    True,
    False,
    Abstract,
    Sealed,
    Typed,
    Internal,
    Class,
    Type,
    Subclass,
    Define,
    Extending,
    Native,
    HandleScope,
    State,
    Field,
    ClassState,
    Match,
    MatchExhaustive,
    When,
}

pub(crate) const WORDS: [(&str, Word); 25] = [
    ("Protocol", Word::Protocol),
    ("Self", Word::SelfType),
    ("_", Word::Underscore),
    ("self", Word::SelfRef),
    ("super", Word::Super),
    ("nil", Word::Nil),
    ("true", Word::True),
    ("false", Word::False),
    ("abstract", Word::Abstract),
    ("sealed", Word::Sealed),
    ("typed", Word::Typed),
    ("internal", Word::Internal),
    ("class", Word::Class),
    ("type", Word::Type),
    ("subclass:", Word::Subclass),
    ("define:", Word::Define),
    ("extending:", Word::Extending),
    ("native:", Word::Native),
    ("handleScope:", Word::HandleScope),
    ("state:", Word::State),
    ("field:", Word::Field),
    ("classState:", Word::ClassState),
    ("match:", Word::Match),
    ("matchExhaustive:", Word::MatchExhaustive),
    ("when:", Word::When),
];

impl Word {
    /// The word that a name or keyword is. `first` are its first eight bytes, the first in the
    /// lowest bits and zeros behind its end.
    #[inline(always)]
    pub(crate) fn of(text: &[u8], first: u64) -> Self {
        let (key, (known, word)) = slot(first);
        if key == first
            && text.len() == known.len()
            && (text.len() <= 8 || text == known.as_bytes())
        {
            word
        } else if text.first().is_some_and(u8::is_ascii_uppercase) {
            Self::Upper
        } else {
            Self::Other
        }
    }

    pub(crate) const fn is_upper(self) -> bool {
        matches!(self, Self::Upper | Self::Protocol | Self::SelfType)
    }

    pub(crate) const fn is_class_modifier(self) -> bool {
        matches!(self, Self::Abstract | Self::Sealed | Self::Typed | Self::Internal)
    }

    /// Whether it is `state:`, `field:` or `classState:`.
    pub(crate) const fn is_field(self) -> bool {
        matches!(self, Self::State | Self::Field | Self::ClassState)
    }

    pub(crate) const fn is_pseudo_variable(self) -> bool {
        matches!(self, Self::SelfRef | Self::Super | Self::Nil | Self::True | Self::False)
    }
}

type Slot = (u64, (&'static str, Word));

/// Spreads the words over the slots so that each has one of its own; found by trying.
const MULTIPLIER: u64 = 0xC090_8955_5AEF_988B;
const N_SLOTS: usize = 64;
const SLOTS: [Slot; N_SLOTS] = slots();

const fn place(first: u64) -> usize {
    (first.wrapping_mul(MULTIPLIER) >> (u64::BITS - N_SLOTS.ilog2())) as usize
}

#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a place is always within the slots")]
fn slot(first: u64) -> Slot {
    SLOTS[place(first)]
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn slots() -> [Slot; N_SLOTS] {
    let mut slots = [(0, ("", Word::Other)); N_SLOTS];
    let mut at = 0;
    while at < WORDS.len() {
        let text = WORDS[at].0.as_bytes();
        let mut first = 0;
        let mut n_bytes = 0;
        while n_bytes < 8 && n_bytes < text.len() {
            first |= (text[n_bytes] as u64) << (8 * n_bytes);
            n_bytes += 1;
        }
        assert!(slots[place(first)].0 == 0, "two words in one slot: try another multiplier");
        slots[place(first)] = (first, WORDS[at]);
        at += 1;
    }
    slots
}
