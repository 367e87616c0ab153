//! Tests of the questions over all selectors.

use super::{index, shown};
use expect_test::expect;

const WORLD: &str = "
//- /stdlib/test_case.bt stdlib
Object subclass: TestCase
  size => 1
//- /a.bt
Object subclass: A
  used => self missing
  unused => self used == 1
  named => self perform: #named
  size => self missing + 1
  initialize => 1
  testNothing => 1
//- /a_test.bt
TestCase subclass: ATest
  setUp => A new
  testIt => A new
  helper => 1
";

#[test]
fn unused_definitions_are_sent_by_nobody_at_all() {
    expect![[r#"
        a.bt:3:3 definition A>>unused unused[44-50]
        a.bt:7:3 definition A>>testNothing testNothing[148-159]
        a_test.bt:4:3 definition ATest>>helper helper[62-68]
    "#]]
    .assert_eq(&shown(&index(WORLD).unused_definitions()));
}

#[test]
fn unimplemented_selectors_leave_built_in_operators_out() {
    let missing = index(WORLD).unimplemented_selectors();
    let expected = [("+", 1), ("missing", 2), ("new", 2), ("perform:", 1)];
    assert_eq!(missing, expected.map(|(selector, count)| (selector.to_owned(), count)));
}

#[test]
fn calls_of_erlang_functions_are_no_unimplemented_selectors() {
    let calls = "
//- /a.bt
Object subclass: A
  direct => Erlang lists reverse: #(1)
  local =>
    m := Erlang lists
    m reverse: #(1)
  other => self reverse: 1
";
    let [(selector, sites)] = &index(calls).unimplemented_sends()[..] else {
        panic!("one selector is defined nowhere")
    };
    assert_eq!(selector, "reverse:");
    expect!["a.bt:6:17 self_send A>>other reverse:[127-135]\n"].assert_eq(&shown(sites));
}

#[test]
fn many_units_at_once_give_the_same_index_as_one_after_the_other() {
    let text = |at: usize| {
        let filler = "  // nothing to see here, but it counts as bytes of text\n".repeat(40);
        format!("//- /f{at:03}.bt\nObject subclass: C{at}\n{filler}  m{at} => self m{}\n", at + 1)
    };
    let texts: Vec<_> = (0..100).map(text).collect();
    let at_once = index(&texts.concat());
    let in_turn = texts.iter().fold(crate::Index::new(), |index, text| {
        index.with_changes(&crate::fixture::changes(text))
    });
    assert!(at_once.stats().bytes > 128 << 10);
    assert_eq!(at_once.stats(), in_turn.stats());
    assert_eq!(at_once.unimplemented_selectors(), in_turn.unimplemented_selectors());
    assert_eq!(at_once.unused_definitions(), in_turn.unused_definitions());
    for at in [0, 1, 57, 99] {
        let selector = format!("m{at}");
        assert_eq!(at_once.senders_of(&selector), in_turn.senders_of(&selector));
    }
}
