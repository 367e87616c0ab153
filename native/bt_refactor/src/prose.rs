//! Names in comments, strings and examples: counted and shown, never edited without being asked.

use crate::plan::{Candidate, Evidence, Prose};
use bt_syntax::{parse, TextRange, TextSize, Token, TokenKind};
use bt_xref::extract::extract;
use bt_xref::ids::Interner;
use bt_xref::{Index, Marks, Origin, Site, SiteKind, SiteMaker, UnitEntry};

/// What is looked for: a class name, or a selector.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// A class name.
    Class(&'a str),
    /// A selector.
    Selector(&'a str),
}

impl<'a> Wanted<'a> {
    /// The word that a mention must hold: the class name, or the first part of the selector.
    fn word(self) -> &'a str {
        match self {
            Self::Class(name) => name,
            Self::Selector(selector) => {
                selector.find(':').map_or(selector, |at| selector.get(..=at).unwrap_or(selector))
            }
        }
    }
}

/// Whether a unit belongs to the user.
#[must_use]
pub fn is_own(entry: &UnitEntry) -> bool {
    matches!(entry.origin, Origin::Project | Origin::Prompt)
}

/// Whether a rename changes a unit: it belongs to the user, or is a former method of which blocks may
/// still run.
#[must_use]
pub fn is_changed(entry: &UnitEntry) -> bool {
    is_own(entry) || entry.origin == Origin::Orphan
}

/// The units that belong to the user.
pub fn own_units(index: &Index) -> impl Iterator<Item = &UnitEntry> {
    index.units().map(|entry| &**entry).filter(|entry| is_own(entry))
}

/// All mentions in the user's units: prose, and examples in doc comments as candidates.
#[must_use]
pub fn mentions(index: &Index, wanted: Wanted<'_>) -> (Prose, Vec<Candidate>) {
    let mut prose = Prose::default();
    let mut examples = Vec::new();
    for entry in own_units(index) {
        if !entry.unit.text().contains(wanted.word()) {
            continue;
        }
        let maker = SiteMaker::new(entry, index.names());
        let found = in_examples(entry, &maker, wanted);
        let mut sites = in_prose(entry, &maker, wanted);
        sites.retain(|site| {
            let is_inside = |example: &Site| {
                example.spans.iter().any(|span| span.range().contains_range(range_of(site)))
            };
            !found.iter().any(is_inside)
        });
        prose.files += usize::from(!sites.is_empty());
        prose.mentions.extend(sites);
        examples.extend(found.into_iter().map(|site| Candidate {
            site,
            evidence: Evidence::Doc,
            because: "an example in a doc comment".to_owned(),
        }));
    }
    prose.count = prose.mentions.len();
    (prose, examples)
}

fn range_of(site: &Site) -> TextRange {
    TextRange::new(TextSize::new(site.start()), TextSize::new(site.end()))
}

fn is_prose(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::LineComment
            | TokenKind::DocComment
            | TokenKind::BlockComment
            | TokenKind::String
            | TokenKind::StringStart
            | TokenKind::StringPart
            | TokenKind::StringEnd
    )
}

fn in_prose(entry: &UnitEntry, maker: &SiteMaker<'_>, wanted: Wanted<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    for token in entry.unit.tokens().filter(|token| is_prose(token.kind())) {
        for at in words(token.text(), wanted.word()) {
            let start = token.span().start() + TextSize::new(at as u32);
            let range = TextRange::at(start, TextSize::of(wanted.word()));
            sites.push(maker.span(range, SiteKind::Prose, owner_at(entry, range)));
        }
    }
    sites
}

/// Where a word stands by itself: no letter, digit or `_` touches it.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |ch: Option<char>| ch.is_some_and(|ch| ch.is_alphanumeric() || ch == '_');
    let starts_like_word = is_word(word.chars().next());
    let ends_like_word = is_word(word.chars().next_back());
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        let is_touched =
            (starts_like_word && is_word(before)) || (ends_like_word && is_word(behind));
        !is_touched
    })
}

/// The innermost owner around a span; for what stands before a definition, that definition.
fn owner_at(entry: &UnitEntry, range: TextRange) -> Option<u32> {
    let mut around: Option<(TextSize, u32)> = None;
    let mut behind: Option<(TextSize, u32)> = None;
    for (at, owner) in entry.facts.owners.iter().enumerate() {
        let span = entry.unit.node(owner.node).span();
        let start = span.start();
        if span.contains_range(range) {
            if around.is_none_or(|(best, _)| best <= start) {
                around = Some((start, at as u32));
            }
        } else if range.end() <= start && behind.is_none_or(|(best, _)| start < best) {
            behind = Some((start, at as u32));
        }
    }
    around.or(behind).map(|(_, owner)| owner)
}

// ---- examples in doc comments

/// The names in fenced examples. The code of a run of doc lines is parsed with everything else
/// blanked out, so that its spans are those of the unit.
fn in_examples(entry: &UnitEntry, maker: &SiteMaker<'_>, wanted: Wanted<'_>) -> Vec<Site> {
    let mut sites = Vec::new();
    for run in doc_runs(entry) {
        if !run.iter().any(|token| token.text().contains(wanted.word())) {
            continue;
        }
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let (start, end) = (first.span().start(), last.span().end());
        let text = entry.unit.text();
        let whole = text.get(usize::from(start)..usize::from(end)).unwrap_or("");
        let code = example_code(whole);
        let owner = owner_at(entry, first.span());
        for spans in named_spans(&code, wanted) {
            let mut parts =
                spans.into_iter().map(|span| maker.span(span + start, SiteKind::Doc, owner));
            let Some(mut site) = parts.next() else { continue };
            for part in parts {
                site.old.push_str(&part.old);
                site.spans.extend(part.spans);
            }
            sites.push(site);
        }
    }
    sites
}

/// Doc comments on adjacent lines.
fn doc_runs(entry: &UnitEntry) -> Vec<Vec<Token<'_>>> {
    let mut runs: Vec<Vec<Token<'_>>> = Vec::new();
    let mut is_open = false;
    for token in entry.unit.tokens() {
        match token.kind() {
            TokenKind::DocComment => match runs.last_mut().filter(|_| is_open) {
                Some(run) => run.push(token),
                None => runs.push(vec![token]),
            },
            TokenKind::Space => continue,
            TokenKind::Newline if token.text().matches('\n').count() == 1 => continue,
            _ => {
                is_open = false;
                continue;
            }
        }
        is_open = true;
    }
    runs
}

/// The text with everything but the code between fences turned to blanks; the length stays.
fn example_code(run: &str) -> String {
    let mut code = String::with_capacity(run.len());
    let mut is_inside = false;
    for line in run.split_inclusive('\n') {
        let content = line.trim_start().trim_start_matches('/');
        let is_fence = content.trim_start().starts_with("```");
        let indent = line.len() - content.len();
        if is_fence {
            is_inside = !is_inside;
        }
        for (at, ch) in line.char_indices() {
            let is_kept = ch == '\n' || (is_inside && !is_fence && at >= indent);
            if is_kept {
                code.push(ch);
            } else {
                code.extend(std::iter::repeat_n(' ', ch.len_utf8()));
            }
        }
    }
    code
}

fn named_spans(code: &str, wanted: Wanted<'_>) -> Vec<Vec<TextRange>> {
    let unit = parse(code);
    let names = Interner::default();
    let facts = extract(&unit, Marks::default(), &names).facts;
    let node_spans = |node: u32| -> Vec<TextRange> {
        let tokens = bt_xref::sites::name_tokens(unit.node(node));
        tokens.into_iter().map(Token::span).collect()
    };
    match wanted {
        Wanted::Class(name) => {
            let id = names.lookup(name);
            let refs = id.map_or(&[][..], |id| facts.refs_of(id));
            refs.iter().map(|fact| node_spans(fact.node)).collect()
        }
        Wanted::Selector(selector) => {
            let id = names.lookup(selector);
            let sends = id.map_or(&[][..], |id| facts.sends_of(id));
            sends.iter().map(|fact| node_spans(fact.node)).collect()
        }
    }
}
