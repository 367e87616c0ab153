//! The module around the methods.

use super::{class_text, own_parts, prompt_text, World};
use crate::{compile_class, print_class, ClassInput, Drain, ExtensionInput};
use bt_syntax::{parse, Side};
use expect_test::expect;

/// The clauses of the whole module that hold a text, each on one line.
fn clauses_with(text: &str, part: &str) -> String {
    let clauses = text.split(";\n").flat_map(|clauses| clauses.split(".\n\n"));
    let wanted = clauses.filter(|clause| clause.contains(part));
    wanted.map(|clause| clause.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect()
}

#[test]
fn value_class_gets_members_that_the_user_has_not_defined() {
    let text = "Value subclass: P\n  field: x = 1\n  field: long_name\n  x => 2\n";
    expect![[r#"
        c('$fields', _, _, _, _, _) ->
            V1 = 1,
            (bt@t@super:c('$fields', [], [], [], [], []))#{x => V1, long_name => nil}
        'i:x'(V1) ->
            2
        'i:withX:'(V1, V2) ->
            (V1)#{x := V2}
        'i:long_name'(V1) ->
            erlang:map_get(long_name, V1)
        'i:withLong_name:'(V1, V2) ->
            (V1)#{long_name := V2}
        'c:x:long_name:'(V1, V2, V3) ->
            bte_object:construct(V1, #{x => V2, long_name => V3})"#]]
    .assert_eq(&class_text(text));
}

#[test]
fn class_method_with_class_state_runs_in_the_class_server() {
    let text = "Object subclass: C\n  classState: n = 0\n  class next: k => self.n := self.n + k\n";
    let world = World::new(text);
    let printed = print_class(&world.input()).unwrap();
    expect![[r#"
        c('next:', _, V3, V4, _, _) -> bte_class:run(V3, bt@t@c, 'c:next:', '$gen', [V3, V4])
    "#]]
    .assert_eq(&clauses_with(&printed, "bte_class:run"));
    assert!(printed.contains("'c:next:'/2"));
}

#[test]
fn native_class_calls_its_module_by_the_first_keyword() {
    let text = "Object subclass: N native: n_mod\n  at: a put: b => self delegate\n";
    expect![[r#"
        'i:at:put:'(V1, V2, V3) ->
            bte_ffi:call(n_mod, at, [V2, V3])"#]]
    .assert_eq(&class_text(text));
}

#[test]
fn what_is_sent_in_line_is_not_defined() {
    let text = "Object subclass: N\n  isNil => true\n  ifNil: b => 1\n  class isNil => 1\n";
    expect![[r#"
        t.bt:2:3: 'isNil' cannot be defined here: sends of it are compiled in line (compile.reserved_selector)
        t.bt:3:3: 'ifNil:' cannot be defined here: sends of it are compiled in line (compile.reserved_selector)
    "#]]
    .assert_eq(&class_text(text));
}

#[test]
fn a_name_that_reads_as_a_class_is_not_assigned() {
    let text = "Object subclass: N\n  m => Tug := 1\n  n => n := 1. n\n";
    expect![[r#"
        t.bt:2:8: 'Tug' reads as a class and cannot be assigned (compile.assign_class)
    "#]]
    .assert_eq(&class_text(text));
}

#[test]
fn native_actor_asks_its_server_by_the_whole_selector() {
    let text = "Actor subclass: N native: n_mod\n  at: a put: b => self delegate\n";
    expect![[r#"
        'i:at:put:'(V1, V2, V3) ->
            bte_ffi:call(bte_native, call, [n_mod, 'at:put:', [V2, V3]])"#]]
    .assert_eq(&class_text(text));
}

#[test]
fn drain_clause_stands_before_the_method_and_serves_older_senders() {
    let world = World::new("Object subclass: C\n  bump => 1\n  increment: x y: y => 2\n");
    let drain = |old: &str, new: &str| Drain {
        side: Side::Instance,
        old: old.to_owned(),
        new: new.to_owned(),
        generation: 9,
        row: 3,
    };
    let drains = [drain("increment", "bump"), drain("gone:at:", "not:here:")];
    let printed = print_class(&ClassInput { drains: &drains, ..world.input() }).unwrap();
    expect![[r#"
        i(increment, V2, V3, _, _, _) when (V2 < 9) -> case bte_drain:is_live(3) of true -> 'i:bump'(V3)
        i('gone:at:', V2, V3, V4, V5, _) when (V2 < 9) -> case bte_drain:is_live(3) of true -> bt@t@super:i('not:here:', V2, V3, V4, V5, [])
    "#]]
    .assert_eq(&clauses_with(&printed, "is_live"));
}

#[test]
fn arguments_stand_in_three_places_or_in_a_list() {
    let text = "Object subclass: C\n  a: a b: b c: c d: d => super a: d b: c c: b d: a\n\
                \x20 class k: k => super k: k\n  b => [:a :b :c :d | d]\n";
    let printed = print_class(&World::new(text).input()).unwrap();
    expect![[r#"
        i('a:b:c:d:', _, V3, [V4, V5, V6, V7], _, _) -> 'i:a:b:c:d:'(V3, V4, V5, V6, V7)
        'i:a:b:c:d:'(V1, V2, V3, V4, V5) -> bt@t@super:i('a:b:c:d:', '$gen', V1, [V5, V4, V3, V2], [], [])
    "#]]
    .assert_eq(&clauses_with(&printed, "'i:a:b:c:d:'("));
    expect![[r#"
        c('k:', _, V3, V4, _, _) -> 'c:k:'(V3, V4)
        'c:k:'(V1, V2) -> bt@t@super:c('k:', '$gen', V1, V2, [], [])
    "#]]
    .assert_eq(&clauses_with(&printed, "'c:k:'("));
    let block = printed.split("b(1, {}, ").nth(1).and_then(|rest| rest.split(" ->").next());
    assert_eq!(block, Some("[V2, V3, V4, V5], _, _)"));
    let exports = printed.lines().find(|line| line.starts_with("-export"));
    assert_eq!(exports, Some("-export([i/6,c/6,b/5])."));
}

#[test]
fn root_hands_on_to_the_runtime_and_to_class() {
    let world = World::new("Object subclass: C\n  a => super a\n");
    let printed = print_class(&ClassInput { superclass: None, ..world.input() }).unwrap();
    for (function, above) in [("i", "bte_send:miss"), ("c", "bt@stdlib@class:i")] {
        let last =
            format!("{function}(V1, V2, V3, V4, V5, V6) ->\n    {above}(V1, V2, V3, V4, V5, V6).");
        assert!(printed.contains(&last), "{printed}");
    }
    assert!(printed.contains("bte_send:miss(a, '$gen', V1, [], [], [])"), "{printed}");
    for what in ["$fields", "$class_state"] {
        let own = format!("c('{what}', _, _, _, _, _) ->\n    #{{}};");
        assert!(printed.contains(&own), "{printed}");
    }
}

#[test]
fn extension_replaces_the_method_of_the_body_in_its_place() {
    let world = World::new("Object subclass: C\n  a => 1\n  b => 2\n");
    let other = parse("C >> a => #other\nC class >> c => 3\n");
    let span = |text: &str| {
        let at = other.text().find(text).unwrap() as u32;
        bt_syntax::TextRange::new(at.into(), (at + 1).into())
    };
    let extension = |text: &str| ExtensionInput { unit: &other, file: "C+X.bt", span: span(text) };
    let extensions = [extension("a =>"), extension("c =>")];
    let input = ClassInput { extensions: &extensions, ..world.input() };
    let output = compile_class(&input).unwrap();
    assert_eq!(output.instance_selectors, ["a", "b"]);
    assert_eq!(output.class_selectors, ["c"]);
    expect![[r#"
        'i:a'(V1) ->
            other
        'i:b'(V1) ->
            2
        'c:c'(V1) ->
            3"#]]
    .assert_eq(&own_parts(&print_class(&input).unwrap()));
}

#[test]
fn block_keeps_its_id_and_new_ones_go_on_counting() {
    let mut world = World::new("Object subclass: C\n  a => [1]\n  b => [[2]]\n");
    world.block_ids.next = 40;
    world.block_ids.methods.insert((Side::Instance, "b".to_owned()), vec![7, 8]);
    let output = compile_class(&world.input()).unwrap();
    assert_eq!(output.block_ids.next, 41);
    let ids: Vec<_> = output.block_ids.methods.values().cloned().collect();
    assert_eq!(ids, [vec![40], vec![7, 8]]);
}

#[test]
fn block_of_an_actor_asks_for_the_state_it_reads() {
    let text = "Actor subclass: A\n  state: n = 0\n  m => [self.n := n + 1]\n";
    let printed = class_text(text);
    assert_eq!(printed.matches("bte_state:own(").count(), 2, "{printed}");
    let text = "Actor subclass: A\n  state: n = 0\n  m => [super m]\n";
    assert_eq!(class_text(text).matches("bte_state:own(").count(), 1);
}

#[test]
fn unknown_class_is_late_in_a_class_and_an_error_at_the_prompt() {
    let world = World::new("Object subclass: C\n  a => Later new. pkg@Other new\n");
    let output = compile_class(&world.input()).unwrap();
    let names: Vec<_> = output.late.iter().map(|late| late.name.as_str()).collect();
    assert_eq!(names, ["Later", "Other"]);
    expect![[r#"
        prompt:1:1: Class 'Later' not found (compile.class_not_found)
    "#]]
    .assert_eq(&prompt_text("Later new", &[]));
}
