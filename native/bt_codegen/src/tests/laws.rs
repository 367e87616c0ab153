//! What holds for every class: on generated projects and on the deepest texts that parse.

use super::World;
use crate::etf::encode;
use crate::term::Term;
use crate::{class, compile_class, forms, ClassInput, Names, Resolved};
use bt_syntax::ast::{Class, ClassName, FieldKind};
use bt_syntax::{parse, NodeKind, TokenKind, Unit};
use bt_testkit::gen;

/// The forms of every class of a unit that compiles, each within its own text alone.
fn forms_of(unit: &Unit, names: &Names) -> Vec<Result<Term, Vec<String>>> {
    let classes = unit.root().children_of(NodeKind::Class).into_iter().filter_map(Class::cast);
    classes.map(|found| forms_of_class(unit, found, names)).collect()
}

fn forms_of_class(unit: &Unit, found: Class<'_>, names: &Names) -> Result<Term, Vec<String>> {
    // The generator does not care what is declared: every identifier counts as an inherited field.
    let idents = unit.tokens().filter(|token| token.kind() == TokenKind::Ident);
    let mut idents: Vec<_> = idents.map(|token| token.text().to_owned()).collect();
    idents.sort();
    idents.dedup();
    let mut world = World::new("");
    world.fields = idents.clone();
    world.class_fields = idents;
    world.kind = match found.fields().iter().find(|field| field.kind() != FieldKind::ClassState) {
        Some(field) if field.kind() == FieldKind::State => crate::ClassKind::Actor,
        Some(_) => crate::ClassKind::Value,
        None => crate::ClassKind::Actor,
    };
    let class = found.name().map_or("", |name| name.text());
    let input = ClassInput { unit, class, names, ..world.input() };
    match class::build(&input) {
        Ok((forms, _)) => Ok(forms),
        Err(errors) => Err(errors.iter().map(|e| format!("{} {e}", e.code)).collect()),
    }
}

/// Names of a project, each with an identity that does not depend on the spelling of the first
/// class.
fn project_names(n_classes: usize, first: &str) -> Names {
    let mut names = super::names();
    names.insert(None, first, Resolved::Class("bt@t@first".to_owned()));
    for n in 1..n_classes {
        let identity = format!("bt@t@class_{n}");
        names.insert(None, &gen::class_name(n), Resolved::Class(identity));
    }
    names
}

fn count_funs(term: &Term) -> usize {
    match term {
        Term::Tuple(items) => {
            let own = match &items[..] {
                [Term::Atom(tag), ..] if tag == "fun" || tag == "named_fun" => 1,
                _ => 0,
            };
            own + items.iter().map(count_funs).sum::<usize>()
        }
        Term::List(items) | Term::RemoteForm(.., items) => items.iter().map(count_funs).sum(),
        _ => 0,
    }
}

/// The text with a class's name replaced where it names the class.
fn renamed(unit: &Unit, old: &str, new: &str) -> String {
    let is_name = |node: &bt_syntax::Node<'_>| {
        matches!(node.kind(), NodeKind::ClassName | NodeKind::ClassRef | NodeKind::DeclName)
    };
    let mut spans = Vec::new();
    for node in unit.nodes().filter(is_name) {
        let token = match ClassName::cast(node) {
            Some(name) => name.name(),
            None => node.own_tokens().first().copied(),
        };
        spans.extend(token.filter(|token| token.text() == old).map(|token| token.span()));
    }
    spans.sort_by_key(|span| span.start());
    let mut text = unit.text().to_owned();
    for span in spans.into_iter().rev() {
        text.replace_range(usize::from(span.start())..usize::from(span.end()), new);
    }
    text
}

#[test]
fn generated_projects_compile_without_a_bare_fun() {
    let (mut n_compiled, mut n_refused) = (0, 0);
    for seed in 0..6 {
        let names = project_names(40, &gen::class_name(0));
        for file in gen::project(seed, 40) {
            let unit = parse(&file.text);
            for result in forms_of(&unit, &names) {
                match result {
                    Ok(forms) => {
                        n_compiled += 1;
                        assert_eq!(count_funs(&forms), 0, "{}", file.path);
                    }
                    Err(errors) => n_refused += errors.len(),
                }
            }
        }
    }
    assert!(n_compiled > 50, "{n_compiled} compiled, {n_refused} errors");
}

#[test]
fn renaming_a_class_gives_equal_forms() {
    let old = gen::class_name(0);
    let mut n_changed = 0;
    for seed in 0..6 {
        for file in gen::project(seed, 40) {
            let unit = parse(&file.text);
            let text = renamed(&unit, &old, "QuiteAnotherName");
            n_changed += usize::from(text != file.text);
            let other = parse(&text);
            let before = forms_of(&unit, &project_names(40, &old));
            let after = forms_of(&other, &project_names(40, "QuiteAnotherName"));
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(before.is_ok(), after.is_ok());
                if let (Ok(before), Ok(after)) = (before, after) {
                    assert!(before == after, "{}", file.path);
                }
            }
        }
    }
    assert!(n_changed > 20, "{n_changed}");
}

fn assert_compiles(member: &str) {
    let world = World::new(&format!("Object subclass: C\n{member}\n"));
    let errors = compile_class(&world.input()).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}");
}

fn compiles(member: &str) -> bool {
    let world = World::new(&format!("Object subclass: C\n{member}\n"));
    compile_class(&world.input()).is_ok()
}

/// Runs on a stack as small as a scheduler's.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap();
    thread.join().unwrap();
}

#[test]
fn deepest_texts_compile_on_a_small_stack() {
    on_small_stack(|| {
        let nest = |open: &str, inner: &str, close: &str, n: usize| {
            format!("  m: a => {}{inner}{}", open.repeat(n), close.repeat(n))
        };
        assert_compiles(&nest("(", "a", ")", 200));
        assert_compiles(&nest("[", "a", "]", 200));
        assert_compiles(&nest("#(", "a", ")", 200));
        assert_compiles(&nest("a ifTrue: [", "a", "]", 100));
        assert_compiles(&nest("[a] whileTrue: [", "a", "]", 100));
        assert_compiles(&nest("a match: [_ -> ", "a", "]", 100));
        assert_compiles(&nest("", "a", " b", 200));
        assert_compiles(&nest("", "a", " + 1", 200));
    });
}

#[test]
fn long_list_of_guarded_returns_compiles() {
    on_small_stack(|| {
        let body = "    a b ifTrue: [^1]\n".repeat(3_000);
        assert!(compiles(&format!("  m: a =>\n{body}    a\n")));
    });
}

#[test]
fn long_literals_and_many_locals_compile() {
    on_small_stack(|| {
        assert_compiles(&format!("  m => #({}0)", "1, ".repeat(30_000)));
        assert_compiles(&format!("  m => \"{}\"", "{1}".repeat(10_000)));
        let locals: String = (0..400).map(|n| format!("    v{n} := {n}\n")).collect();
        let sum: String = (0..400).map(|n| format!("      v{n} := v{n} + i\n")).collect();
        let text = format!("  m =>\n{locals}    1 to: 3 do: [:i |\n{sum}    ]\n    v0\n");
        assert_compiles(&text);
    });
}

#[test]
fn every_error_has_a_place_and_a_code() {
    for seed in 0..200 {
        let unit = parse(&gen::program(seed));
        let names = super::names();
        for result in forms_of(&unit, &names) {
            for error in result.err().unwrap_or_default() {
                assert!(error.starts_with("compile.") || error.starts_with("syntax."), "{error}");
            }
        }
    }
}

#[test]
fn generated_names_are_no_user_text() {
    let unit = parse("Object subclass: C\n  weird: Name_1 => v := 1. [:w | w + v] value: 2\n");
    let forms = forms_of(&unit, &super::names()).remove(0);
    let text = crate::pretty::forms(&forms.unwrap());
    let is_generated =
        |word: &str| word.strip_prefix('V').is_some_and(|n| n.parse::<u32>().is_ok());
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let variables = words.filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    assert!(variables.into_iter().all(is_generated));
    assert!(unit.tokens().any(|token| token.kind() == TokenKind::Ident));
}

#[test]
fn short_forms_are_encoded_like_the_tuples_they_stand_for() {
    let form = |tag: &'static str, rest: Vec<Term>| {
        let head = [Term::atom(tag), Term::Int(300)];
        Term::Tuple(head.into_iter().chain(rest).collect())
    };
    let atom = |name: &'static str| form("atom", vec![Term::atom(name)]);
    for number in [0, 9, 10, 305, u32::MAX] {
        let name = Term::Atom(forms::var_name(number).into());
        assert_eq!(encode(&Term::VarForm(300, number)), encode(&form("var", vec![name])));
    }
    let remote = form("remote", vec![atom("m"), atom("f")]);
    let call = form("call", vec![remote, Term::List(vec![Term::NilForm(2)])]);
    assert_eq!(encode(&Term::RemoteForm(300, "m", "f", vec![Term::NilForm(2)])), encode(&call));
    assert_eq!(encode(&Term::IntForm(300, -1)), encode(&form("integer", vec![Term::Int(-1)])));
    assert_eq!(encode(&Term::AtomForm(300, "x".into())), encode(&atom("x")));
    assert_eq!(encode(&Term::AnyForm(300)), encode(&form("var", vec![Term::atom("_")])));
    assert_eq!(encode(&Term::NilForm(300)), encode(&form("nil", Vec::new())));
}

#[test]
fn generation_is_filled_in_and_is_no_part_of_what_is_compared() {
    let sends = Term::List(vec![forms::generation(3), forms::int(3, 9), forms::generation(4)]);
    let encoded = encode(&sends);
    let bare = encoded.without_generation().to_vec();
    let (first, second) = (encoded.clone().in_generation(1), encoded.in_generation(1 << 40));
    let numbers = |bytes: &[u8]| -> Vec<u64> {
        let at = bytes.windows(3).enumerate().filter(|(_, bytes)| *bytes == b"\x6e\x08\x00");
        at.map(|(at, _)| u64::from_le_bytes(bytes[at + 3..at + 11].try_into().unwrap())).collect()
    };
    assert_eq!(numbers(&bare), [0, 0]);
    assert_eq!(numbers(&first), [1, 1]);
    assert_eq!(numbers(&second), [1 << 40, 1 << 40]);
}
