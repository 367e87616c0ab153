//! A method comes into a class: in the place of the one that answers its selector, which may be an
//! extension in another file, or behind the last member.
//!
//! Only the method's own bytes change; the source is indented like the class's other members, except
//! for lines that begin inside a string.

use crate::draft::{file_of, place};
use crate::edit::{Edit, EditSet};
use crate::error::Refusal;
use crate::members::members;
use crate::plan::{Operation, Plan, Prose};
use crate::remove::method_node;
use crate::rules;
use crate::rules::scope::Target;
use crate::splice::splice;
use bt_syntax::ast::{self, Class, Extension, Method};
use bt_syntax::{parse, Node, NodeKind, Side, TextRange, TextSize, TokenKind, Unit};
use bt_xref::facts::DefKind;
use bt_xref::{Index, Site, SiteMaker, UnitEntry};
use std::collections::BTreeMap;
use std::sync::Arc;

const DEFAULT_INDENT: usize = 2;

pub(crate) fn plan(
    index: &Index,
    generation: u64,
    class_name: &str,
    side: Side,
    source: &str,
) -> Result<Plan, Refusal> {
    let class_ix = rules::scope::class(index, class_name)?;
    let not_found = || rules::scope::not_found(class_name);
    let (home, node) = index.class(class_ix).ok_or_else(not_found)?;
    let fact = home.facts.classes.get(node.idx as usize).ok_or_else(not_found)?;
    let class = Class::cast(home.unit.node(fact.node));
    let given = Given::read(source, side)?;
    let old = own_method(index, class_ix, side, &given.selector);
    let (entry, edit) = match (&old, class) {
        (Some(target), _) => (target.entry, replacement(target, &given)?),
        (None, Some(class)) => (home, addition(home, class, &given)),
        (None, None) => {
            return Err(Refusal::new(
                "operation.unsupported",
                format!("{class_name} was made by a class builder and has no text to patch"),
                "",
            ));
        }
    };
    let text = patched(index, entry, old.as_ref(), &given, edit)?;
    let kind = old.as_ref().map_or(DefKind::Method, |target| target.def.kind);
    let sites = new_site(index, entry, &text, (class_name, side, &given.selector, kind));
    Ok(Plan {
        operation: Operation::PatchMethod,
        generation,
        class: index.class_name(class_ix),
        side: Some(side),
        warnings: Vec::new(),
        selector: Some(given.selector),
        new_name: None,
        new_selector: None,
        sites,
        candidates: Vec::new(),
        excluded: BTreeMap::new(),
        prose: Prose::default(),
        not_searched: Vec::new(),
        files: if text == entry.unit.text() {
            Vec::new()
        } else {
            vec![file_of(entry, text, false)]
        },
        names: Vec::new(),
    })
}

/// A source that was read as one method.
struct Given {
    /// The source without its common indentation, with the `class` modifier its side asks for.
    text: String,
    selector: String,
    /// Lines before the one on which the method itself starts: a doc comment, `@expect` lines.
    n_head: usize,
    has_doc: bool,
    n_expects: usize,
}

impl Given {
    fn read(source: &str, side: Side) -> Result<Self, Refusal> {
        let mut text = dedented(source.trim_end().trim_start_matches(['\n', '\r']));
        let header = "Object subclass: Patched\n";
        let mut unit = parse(&format!("{header}{}\n", indented(&text, DEFAULT_INDENT, "\n")));
        let mut method = only_method(&unit, &text)?;
        if method.side() == Side::Class && side == Side::Instance {
            return Err(Refusal::new(
                "request.invalid",
                "the source is a class-side method, the receiver is not a class side",
                "Send it to the class side: Counter class >> …",
            ));
        }
        if method.side() == Side::Instance && side == Side::Class {
            text = with_class_modifier(&text, method)?;
            unit = parse(&format!("{header}{}\n", indented(&text, DEFAULT_INDENT, "\n")));
            method = only_method(&unit, &text)?;
        }
        let has_doc = ast::doc_comment(method.node()).is_some();
        let n_expects = unit.nodes().filter(|it| is_expect_line(*it, method.node())).count();
        let (n_head, _) = place_in_source(method.node());
        let selector = method.selector();
        Ok(Self { text, selector, n_head, has_doc, n_expects })
    }

    /// The source as an extension: the method without its `class` modifier behind a head, which has
    /// the side.
    fn behind(&self, head: &str) -> String {
        let at = lines(&self.text).nth(self.n_head).map_or(0, |(at, _)| at);
        let (before, method) = self.text.split_at(at);
        let method = method.trim_start_matches([' ', '\t']);
        format!("{before}{head}{}", method.strip_prefix("class ").unwrap_or(method))
    }
}

/// The one method of the synthetic class around a source.
fn only_method<'u>(unit: &'u Unit, source: &str) -> Result<Method<'u>, Refusal> {
    let invalid = |message: String| {
        Refusal::new(
            "request.invalid",
            message,
            "A definition looks like: increment => self.value + 1",
        )
    };
    if let Some(error) = unit.errors().first() {
        let (line, col) = bt_xref::line_col(unit.text(), error.span.start().into());
        let col = col.saturating_sub(DEFAULT_INDENT as u32).max(1);
        let line = line.saturating_sub(1).max(1);
        return Err(invalid(format!("{line}:{col}: {}", error.message)));
    }
    let items = unit.root().children();
    let class = match items.as_slice() {
        [class] => Class::cast(*class),
        _ => None,
    };
    let members = class.map(|class| class.node().children()).unwrap_or_default();
    let is_member = |node: &&Node<'u>| {
        !matches!(node.kind(), NodeKind::Superclass | NodeKind::DeclName | NodeKind::Directive)
    };
    let mut found = members.iter().filter(is_member);
    match (found.next().copied().and_then(Method::cast), found.next()) {
        (Some(method), None) if !method.selector().is_empty() => Ok(method),
        _ => {
            let shown: String = source.lines().next().unwrap_or("").chars().take(60).collect();
            Err(invalid(format!("\"{shown}\" is not one method definition")))
        }
    }
}

/// Whether a node is an `@expect` that stands before a method.
fn is_expect_line(node: Node<'_>, method: Node<'_>) -> bool {
    node.kind() == NodeKind::Directive && node.span().end() <= method.span().start()
}

/// Where the method of the synthetic class starts in its source: the line, from 0, and the byte.
fn place_in_source(method: Node<'_>) -> (usize, usize) {
    let start = usize::from(method.span().start());
    let before = method.unit().text().get(..start).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let n_lines = before.matches('\n').count();
    (n_lines.saturating_sub(1), (start - line_start).saturating_sub(DEFAULT_INDENT))
}

/// Puts `class` before the method's first token.
fn with_class_modifier(text: &str, method: Method<'_>) -> Result<String, Refusal> {
    let (line, column) = place_in_source(method.node());
    let at = lines(text).nth(line).map(|(start, _)| start + column);
    match at.and_then(|at| text.split_at_checked(at)) {
        Some((before, behind)) => Ok(format!("{before}class {behind}")),
        None => Err(Refusal::new("request.invalid", "the source has no method header", "")),
    }
}

// ---- layout

/// Offsets of lines that begin inside a string; their blanks belong to the value.
fn lines_inside_strings(text: &str) -> Vec<usize> {
    let unit = parse(text);
    let mut inside = Vec::new();
    let is_string = |kind: TokenKind| {
        matches!(
            kind,
            TokenKind::String
                | TokenKind::StringStart
                | TokenKind::StringPart
                | TokenKind::StringEnd
                | TokenKind::QuotedSymbol
        )
    };
    for token in unit.tokens().filter(|token| is_string(token.kind())) {
        let start = usize::from(token.span().start());
        inside.extend(token.text().match_indices('\n').map(|(at, _)| start + at + 1));
    }
    inside
}

/// Lines with their offsets, without their line ends.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches('\n').trim_end_matches('\r'))
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A text without the indentation of its first line.
fn dedented(text: &str) -> String {
    let inside = lines_inside_strings(text);
    let common = lines(text).next().map_or(0, |(_, line)| indent_of(line));
    let mut out: Vec<&str> = Vec::new();
    for (start, line) in lines(text) {
        let n_cut = if inside.contains(&start) { 0 } else { common.min(indent_of(line)) };
        out.push(line.get(n_cut..).unwrap_or(line));
    }
    out.join("\n")
}

/// A text with every line that is not blank moved to the right.
fn indented(text: &str, indent: usize, newline: &str) -> String {
    let inside = lines_inside_strings(text);
    let blanks = " ".repeat(indent);
    let mut out = Vec::new();
    for (start, line) in lines(text) {
        let is_kept = line.is_empty() || inside.contains(&start);
        out.push(if is_kept { line.to_owned() } else { format!("{blanks}{line}") });
    }
    out.join(newline)
}

/// The line end of a unit: `\r\n` if its first line has it.
fn newline_of(unit: &Unit) -> &'static str {
    let text = unit.text();
    let first = text.find('\n').and_then(|at| text.get(..at));
    if first.is_some_and(|line| line.ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

/// Members in order: fields and methods.
fn class_members<'u>(class: Class<'u>) -> Vec<Node<'u>> {
    let mut members = class.node().children();
    members.retain(|node| matches!(node.kind(), NodeKind::Field | NodeKind::Method));
    members
}

fn member_indent(unit: &Unit, class: Class<'_>) -> usize {
    let first = class_members(class).first().copied();
    first.map_or(DEFAULT_INDENT, |member| indent_before(unit, member))
}

/// The column at which a declaration starts, if it starts its line.
fn indent_before(unit: &Unit, declaration: Node<'_>) -> usize {
    let start = usize::from(declaration.span().start());
    let before = unit.text().get(..start).unwrap_or("");
    let line = before.rfind('\n').map_or(before, |at| before.get(at + 1..).unwrap_or(""));
    if line.trim().is_empty() {
        line.len()
    } else {
        DEFAULT_INDENT
    }
}

// ---- the edit

/// The method to replace: the one that answers the class, if it has one itself.
fn own_method<'a>(
    index: &'a Index,
    class: bt_xref::ClassIx,
    side: Side,
    selector: &str,
) -> Option<Target<'a>> {
    let id = index.names().lookup(selector)?;
    let defs = index.defs_of_class(class, side, id);
    let method = || defs.iter().position(|(_, def)| def.kind == DefKind::Method);
    let at = rules::scope::answering_extension(&defs).or_else(method)?;
    let (entry, def) = *defs.get(at)?;
    let site = SiteMaker::new(entry, index.names()).definition(def);
    Some(Target { class, entry, def, site })
}

/// Replaces a method; its doc comment and its `@expect` lines stay when the new text has none.
fn replacement(target: &Target<'_>, given: &Given) -> Result<Edit, Refusal> {
    let unit = &target.entry.unit;
    let method = method_node(target)?;
    let text = match Extension::cast(method).and_then(Extension::method) {
        Some(extending) => given.behind(head_of_extension(method, extending.node())),
        None => given.text.clone(),
    };
    let new = indented(&text, indent_before(unit, method), newline_of(unit));
    Ok(replaced(unit, method, given, &new))
}

/// What stands before the method of an extension: `Counter class >> `.
fn head_of_extension<'u>(extension: Node<'u>, method: Node<'u>) -> &'u str {
    let head = usize::from(extension.span().start())..usize::from(method.span().start());
    extension.unit().text().get(head).unwrap_or("")
}

fn replaced(unit: &Unit, method: Node<'_>, given: &Given, new: &str) -> Edit {
    let extent = bt_syntax::method_extent(method);
    let text = unit.text();
    let start = usize::from(extent.start());
    let line_start = text
        .get(..usize::from(method.span().start()))
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1)
        .max(start);
    let old = text.get(start..usize::from(extent.end())).unwrap_or("");
    let ending = if old.ends_with("\r\n") {
        "\r\n"
    } else if old.ends_with('\n') {
        "\n"
    } else {
        ""
    };
    if !given.has_doc && given.n_expects == 0 {
        let span = TextRange::new(TextSize::new(line_start as u32), extent.end());
        return Edit::replace(span, format!("{new}{ending}"));
    }
    let above = text.get(start..line_start).unwrap_or("").split_inclusive('\n');
    let (docs, expects): (Vec<_>, Vec<_>) =
        above.partition(|line| line.trim_start().starts_with("///"));
    let docs = if given.has_doc { String::new() } else { docs.concat() };
    let expects = if given.n_expects > 0 { String::new() } else { expects.concat() };
    let body = lines(new).nth(given.n_head).map_or(0, |(at, _)| at);
    let (head, body) = new.split_at(body);
    Edit::replace(extent, format!("{docs}{head}{expects}{body}{ending}"))
}

/// Adds a method behind the last member, with a blank line before it if the class's members have one.
fn addition(entry: &UnitEntry, class: Class<'_>, given: &Given) -> Edit {
    let unit = &entry.unit;
    let text = unit.text();
    let newline = newline_of(unit);
    let members = class_members(class);
    let last_end = match members.last() {
        Some(member) => member.span().end(),
        None => class.node().span().end(),
    };
    let last_end = usize::from(last_end);
    let line_end =
        text.get(last_end..).and_then(|rest| rest.find('\n')).map(|at| last_end + at + 1);
    let is_spaced = match members.as_slice() {
        [.., before, last] => {
            let gap = usize::from(before.span().end())..usize::from(last.span().start());
            has_blank_line(text.get(gap).unwrap_or(""))
        }
        _ => true,
    };
    let blank = if is_spaced { newline } else { "" };
    let new = indented(&given.text, member_indent(unit, class), newline);
    match line_end {
        Some(at) => Edit::insert(at as u32, format!("{blank}{new}{newline}")),
        None => Edit::insert(text.len() as u32, format!("{newline}{blank}{new}{newline}")),
    }
}

/// Whether a whole line of a text that begins and ends inside of lines is blank.
fn has_blank_line(gap: &str) -> bool {
    let lines: Vec<_> = gap.split('\n').collect();
    let whole = lines.get(1..lines.len().saturating_sub(1)).unwrap_or(&[]);
    whole.iter().any(|line| line.trim().is_empty())
}

fn patched(
    index: &Index,
    entry: &Arc<UnitEntry>,
    old: Option<&Target<'_>>,
    given: &Given,
    edit: Edit,
) -> Result<String, Refusal> {
    let span = edit.span();
    let failed = |why: String| {
        Refusal::new("verify.failed", format!("{}: {why}", entry.file), "")
            .at(vec![place(index, entry, span)])
    };
    let edits = EditSet::new(vec![edit]).map_err(|it| failed(it.to_string()))?;
    let text = splice(entry.unit.text(), &edits).map_err(|it| failed(it.to_string()))?.text;
    let new = parse(&text);
    let replaced = old.map(method_node).transpose()?;
    let is_replaced = |start: u32, kind: NodeKind| {
        replaced.is_some_and(|method| {
            start == u32::from(method.span().start())
                || (kind == NodeKind::Directive
                    && bt_syntax::method_extent(method).contains(start.into()))
        })
    };
    let all = members(&entry.unit);
    let n_all = all.len();
    let kept: Vec<_> = all.into_iter().filter(|it| !is_replaced(it.start, it.text.0)).collect();
    let mut left = members(&new);
    let n_old_expects = (n_all - kept.len()).saturating_sub(1);
    let n_expects = if given.n_expects > 0 { given.n_expects } else { n_old_expects };
    let n_expected = kept.len() + 1 + n_expects;
    left.retain(|member| kept.iter().any(|it| it.text == member.text));
    let is_same = members(&new).len() == n_expected && left.len() >= kept.len();
    if !is_same || new.errors().len() > entry.unit.errors().len() {
        return Err(failed("with the method the text would be read in another way".to_owned()));
    }
    Ok(text)
}

/// Where the method's selector stands in the new text.
fn new_site(
    index: &Index,
    entry: &UnitEntry,
    text: &str,
    (class, side, selector, kind): (&str, Side, &str, DefKind),
) -> Vec<Site> {
    let change = bt_xref::Change::Put {
        file: entry.file.clone(),
        unit: Arc::new(parse(text)),
        package: entry.package.clone(),
        origin: entry.origin,
        patched: Vec::new(),
    };
    let next = index.with_changes(&[change]);
    let found = next.find_class(class).zip(next.names().lookup(selector));
    let defs = found.map(|(class, id)| next.defs_of_class(class, side, id)).unwrap_or_default();
    defs.into_iter()
        .filter(|(home, def)| home.id == entry.id && def.kind == kind)
        .map(|(home, def)| SiteMaker::new(home, next.names()).definition(def))
        .collect()
}
