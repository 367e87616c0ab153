//! Removing and patching one method.

use super::{after_text, check, check_refused, check_report, planned};
use expect_test::expect;

const COUNTER: &str = "\
//- /counter.bt
Actor subclass: Counter
  state: value = 0

  /// Adds one.
  increment => self.value := self.value + 1

  /// Adds two.
  twice =>
    self increment
    self increment

  class make => self spawn
//- /fast.bt
Counter subclass: Fast
  increment => super increment. super increment
  again: f :: Fast => f increment
";

#[test]
fn rm_01_removal_takes_the_extent_and_reports_senders() {
    check(
        COUNTER,
        "Counter removeSelector: increment",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn
    "#]],
    );
    check_report(
        COUNTER,
        "Counter removeSelector: increment",
        expect![[r#"
        site counter.bt:5:3 definition Counter>>increment: increment
        certain counter.bt:9:10 self_send Counter>>twice: increment: sent to self; it will not be understood
        certain counter.bt:10:10 self_send Counter>>twice: increment: sent to self; it will not be understood
        certain fast.bt:2:22 super_send Fast>>increment: increment: sent to super; it will not be understood
        certain fast.bt:2:39 super_send Fast>>increment: increment: sent to super; it will not be understood
        excluded unrelated: 1
        warning dangling_senders: 4 senders of #increment may find no method
    "#]],
    );
}

#[test]
fn a_removed_method_takes_its_expect_lines_with_it() {
    let before = "Object subclass: A\n  a => 1\n\n  /// Doc.\n  @expect dnu\n  b => 2\n\n  @expect all\n  c => 3\n";
    check(
        before,
        "A removeSelector: b",
        expect![[r#"
            //- /a.bt
            Object subclass: A
              a => 1

              @expect all
              c => 3
        "#]],
    );
}

#[test]
fn methods_that_share_a_line_are_removed_one_by_one() {
    let before = "Object subclass: A a => x. b => y. c => z\n";
    for (selector, after) in [
        ("a", "//- /a.bt\nObject subclass: A b => y. c => z\n"),
        ("b", "//- /a.bt\nObject subclass: A a => x. c => z\n"),
        ("c", "//- /a.bt\nObject subclass: A a => x. b => y.\n"),
    ] {
        let plan = planned(before, &format!("A removeSelector: {selector}"));
        assert_eq!(after_text(&plan), after);
    }
}

#[test]
fn a_method_that_shares_its_line_is_replaced_alone() {
    let plan = planned("Object subclass: A a => x. b => y\n  c => z\n", "A >> b => 9");
    assert_eq!(after_text(&plan), "//- /a.bt\nObject subclass: A a => x.  b => 9\n  c => z\n");
}

/// The text of a file of one class with a documented `b` that expects something, after a patch.
fn patched(source: &str) -> String {
    let before =
        "Object subclass: A\n  a => 1\n\n  /// Doc.\n  @expect dnu\n  b => 2\n\n  c => 3\n";
    let text = after_text(&planned(before, &format!("A {source}")));
    let (_, behind) = text.split_once("  a => 1\n\n").unwrap();
    behind.strip_suffix("\n  c => 3\n").unwrap_or(behind).to_owned()
}

#[test]
fn a_patch_keeps_the_doc_comment_and_the_expect_lines_it_does_not_give() {
    assert_eq!(patched(">> b => 9"), "  /// Doc.\n  @expect dnu\n  b => 9\n");
    assert_eq!(patched(">> /// New.\nb => 9"), "  /// New.\n  @expect dnu\n  b => 9\n");
    assert_eq!(patched(">> @expect all\nb => 9"), "  /// Doc.\n  @expect all\n  b => 9\n");
    assert_eq!(
        patched(">> /// New.\n@expect all\nb => 9"),
        "  /// New.\n  @expect all\n  b => 9\n"
    );
    assert_eq!(
        patched(">> /// New.\n@expect all\nd => 9"),
        "  /// Doc.\n  @expect dnu\n  b => 2\n\n  c => 3\n\n  /// New.\n  @expect all\n  d => 9\n"
    );
}

#[test]
fn the_class_modifier_is_put_before_the_method_not_into_its_comment() {
    assert_eq!(
        patched("class >> /// d is d.\nd => 9"),
        "  /// Doc.\n  @expect dnu\n  b => 2\n\n  c => 3\n\n  /// d is d.\n  class d => 9\n"
    );
}

#[test]
fn rm_03_removal_says_what_is_exposed() {
    check(
        COUNTER,
        "Fast removeSelector: increment",
        expect![[r#"
        //- /fast.bt
        Counter subclass: Fast
          again: f :: Fast => f increment
    "#]],
    );
    check_report(
        COUNTER,
        "Fast removeSelector: increment",
        expect![[r#"
        site fast.bt:2:3 definition Fast>>increment: increment
        possible counter.bt:9:10 self_send Counter>>twice: increment: sent to self in Counter, above the class; it will reach Counter's method
        possible counter.bt:10:10 self_send Counter>>twice: increment: sent to self in Counter, above the class; it will reach Counter's method
        certain fast.bt:3:25 send Fast>>again:: increment: the receiver's type is Fast; it will reach Counter's method
        warning exposed: behavior changes: Counter's #increment will run instead of Fast's
    "#]],
    );
}

#[test]
fn removal_of_what_is_not_there() {
    check_refused(
        COUNTER,
        "Counter removeSelector: absent",
        expect![[r#"
        selector.not_found: Counter does not define #absent locally (or as an extension)
    "#]],
    );
    check_refused(
        COUNTER,
        "Counter class removeSelector: increment",
        expect![[r#"
        selector.not_found: Counter does not define #increment locally (or as an extension)
    "#]],
    );
    check_refused(
        COUNTER,
        "Fast removeSelector: twice",
        expect![[r#"
        selector.not_found: Fast does not define #twice locally (or as an extension)
    "#]],
    );
}

#[test]
fn removal_on_the_class_side() {
    check(
        COUNTER,
        "Counter class removeSelector: make",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds one.
          increment => self.value := self.value + 1

          /// Adds two.
          twice =>
            self increment
            self increment

    "#]],
    );
}

#[test]
fn a_patch_replaces_the_method_and_keeps_its_doc() {
    check(
        COUNTER,
        "Counter >> increment => self.value := self.value + 10",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds one.
          increment => self.value := self.value + 10

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn
    "#]],
    );
    check(
        COUNTER,
        "Counter >> /// Adds ten.\nincrement =>\n  self.value := self.value + 10",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds ten.
          increment =>
            self.value := self.value + 10

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn
    "#]],
    );
}

#[test]
fn a_patch_adds_a_method_in_the_style_of_its_class() {
    check(
        COUNTER,
        "Counter >> reset =>\n  self.value := 0\n  self",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds one.
          increment => self.value := self.value + 1

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn

          reset =>
            self.value := 0
            self
    "#]],
    );
    check(
        COUNTER,
        "Fast >> reset => nil",
        expect![[r#"
        //- /fast.bt
        Counter subclass: Fast
          increment => super increment. super increment
          again: f :: Fast => f increment
          reset => nil
    "#]],
    );
    check(
        COUNTER,
        "Counter class >> fresh => self make",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds one.
          increment => self.value := self.value + 1

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn

          class fresh => self make
    "#]],
    );
    check(
        "Object subclass: Empty",
        "Empty >> a => 1",
        expect![[r#"
        //- /a.bt
        Object subclass: Empty

          a => 1
    "#]],
    );
}

#[test]
fn a_patch_leaves_strings_alone() {
    check(
        COUNTER,
        "Counter >> text => \"one\n two\n\nthree\" size",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          /// Adds one.
          increment => self.value := self.value + 1

          /// Adds two.
          twice =>
            self increment
            self increment

          class make => self spawn

          text => "one
         two

        three" size
    "#]],
    );
}

#[test]
fn a_patch_keeps_the_line_ends_of_the_unit() {
    let before = "Object subclass: A\r\n  a => 1\r\n";
    let plan = super::planned(before, "A >> b =>\n  2");
    assert_eq!(
        plan.files[0].text.as_deref(),
        Some("Object subclass: A\r\n  a => 1\r\n\r\n  b =>\r\n    2\r\n")
    );
}

#[test]
fn a_bad_source_is_refused() {
    check_refused(
        COUNTER,
        "Counter >> increment => (1",
        expect![[r#"
        request.invalid: 1:16: expected `)`, found the end of the text
    "#]],
    );
    check_refused(
        COUNTER,
        "Counter >> 3 + 4",
        expect![[r#"
        request.invalid: "3 + 4" is not one method definition
    "#]],
    );
    check_refused(
        COUNTER,
        "Counter >> a => 1\nb => 2",
        expect![[r#"
        request.invalid: "a => 1" is not one method definition
    "#]],
    );
    check_refused(
        COUNTER,
        "Counter >> class a => 1",
        expect![[r#"
        request.invalid: the source is a class-side method, the receiver is not a class side
    "#]],
    );
    check_refused(
        COUNTER,
        "Nobody >> a => 1",
        expect![[r#"
        class.not_found: Class 'Nobody' not found
    "#]],
    );
}
