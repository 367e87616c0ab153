//! Method renames that are refused, or would be if nothing allowed them, and what is told instead of
//! searched. Names begin with the hazard they answer (SR), where there is one.

use super::selector_renames::{with, COUNTER};
use super::{check, check_refused, check_report, index, request};
use expect_test::expect;

#[test]
fn sr_09_a_name_above_or_below_is_refused() {
    let before = "\
//- /a.bt
Object subclass: A
  m => 1
//- /b.bt
A subclass: B
  k => 2
  f => self m
//- /c.bt
B subclass: C
  n => 3
";
    check_refused(
        before,
        "B renameSelector: k to: m",
        expect![[r#"
        selector.capture: #m is defined above B: sends would reach another method
        at a.bt:2:3: m
    "#]],
    );
    check_refused(
        before,
        "B renameSelector: k to: n",
        expect![[r#"
        selector.capture: #n is defined below B: sends would reach another method
        at c.bt:2:3: n
    "#]],
    );
}

#[test]
fn sr_10_an_existing_name_is_refused() {
    check_refused(
        COUNTER,
        "Counter renameSelector: twice to: increment",
        expect![[r#"
        selector.taken: Counter already defines #increment locally
        at counter.bt:4:3: increment
    "#]],
    );
    check_refused(
        &with("//- /ext.bt\nCounter >> bump => nil\n"),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            selector.taken: Counter already defines #bump in an extension
            at ext.bt:1:12: bump
        "#]],
    );
}

#[test]
fn sr_11_hooks_are_refused() {
    let before = "Object subclass: A\n  total => 1\n  initialize => 2\n  class strategy => 3\n";
    check_refused(
        before,
        "A renameSelector: total to: printString",
        expect![[r#"
        selector.hook: #printString of A is sent by the runtime itself: renaming #total to #printString changes when it runs
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: initialize to: boot",
        expect![[r#"
        selector.hook: #initialize of A is sent by the runtime itself: renaming #initialize to #boot changes when it runs
    "#]],
    );
    check_refused(
        before,
        "A class renameSelector: strategy to: plan",
        expect![[r#"
        selector.hook: #strategy of A class is sent by the runtime itself: renaming #strategy to #plan changes when it runs
    "#]],
    );
}

#[test]
fn sr_12_arity_and_shape_must_stay() {
    let before = "Object subclass: A\n  inc => 1\n  at: a put: b => 2\n  + o => 3\n  == o => 4\n";
    check_refused(
        before,
        "A renameSelector: inc to: incBy:",
        expect![[r#"
        selector.arity: #inc takes 0 arguments and #incBy: takes 1
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: at:put: to: at:",
        expect![[r#"
        selector.arity: #at:put: takes 2 arguments and #at: takes 1
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: at:put: to: put:at:",
        expect![[r#"
        selector.permuted: at: stands at another place in #put:at: than in #at:put:
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: + to: plus:",
        expect![[r#"
        operation.unsupported: renaming the operator or keyword #+ to #plus: is not handled yet
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: + to: *",
        expect![[r#"
        operation.unsupported: #+ and #* bind differently; renaming one to the other is not handled yet
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: + to: ,",
        expect![[r#"
        operation.unsupported: #+ and #, bind differently; renaming one to the other is not handled yet
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: inc to: class",
        expect![[r#"
        selector.invalid: #class cannot be a new selector: class has a meaning of its own in Beamtalk
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: at:put: to: match:put:",
        expect![[r#"
        selector.invalid: #match:put: cannot be a new selector: match: has a meaning of its own in Beamtalk
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: at:put: to: to:do:",
        expect![[r#"
        selector.invalid: #to:do: cannot be a new selector: with a block it is compiled in place, and no method is asked
    "#]],
    );
    check_refused(
        before,
        "A renameSelector: inc to: 3x",
        expect![[r#"
        selector.invalid: "3x" is no selector
    "#]],
    );
    check(
        before,
        "A renameSelector: + to: -",
        expect![[r#"
        //- /a.bt
        Object subclass: A
          inc => 1
          at: a put: b => 2
          - o => 3
          == o => 4
    "#]],
    );
}

#[test]
fn sr_15_ffi_calls_and_library_overrides() {
    let before = "\
//- /lib/object.bt stdlib
nil subclass: Object
  describe => 1
//- /a.bt
Object subclass: Mine
  reverse: xs => xs
  describe => 2
  f: xs => Erlang lists reverse: xs
  g: xs => (Erlang lists) reverse: xs
  h: xs =>
    p := Erlang lists
    p reverse: xs
";
    check_report(
        before,
        "Mine renameSelector: reverse: to: flip:",
        expect![[r#"
        site a.bt:2:3 definition Mine>>reverse:: reverse: -> flip:
        excluded ffi: 3
    "#]],
    );
    check_refused(
        before,
        "Mine renameSelector: describe to: tell",
        expect![[r#"
        selector.overrides_library: #describe of Mine overrides Object of the stdlib: the library sends it by that name
        at lib/object.bt:2:3: describe
    "#]],
    );
}

#[test]
fn sr_16_generated_members_are_refused() {
    let before = "\
//- /value.bt stdlib
Object subclass: Value
//- /point.bt
Value subclass: Point
  field: x
  field: y
  plus: p => Point x: p x y: p y
";
    check_refused(
        before,
        "Point renameSelector: x to: px",
        expect![[r#"
        selector.generated: #x of Point is made by the compiler from a field
        at point.bt:2:10: x
    "#]],
    );
    check_refused(
        before,
        "Point renameSelector: withX: to: px:",
        expect![[r#"
        selector.generated: #withX: of Point is made by the compiler from a field
        at point.bt:2:10: withX:
    "#]],
    );
    check_refused(
        before,
        "Point class renameSelector: x:y: to: a:b:",
        expect![[r#"
        selector.generated: #x:y: of Point class is made by the compiler from a field
        at point.bt:1:17: x:y:
    "#]],
    );
    check_refused(
        before,
        "Point renameSelector: plus: to: withY:",
        expect![[r#"
        selector.taken: Point already defines #withY: (made by the compiler)
        at point.bt:3:10: withY:
    "#]],
    );
}

#[test]
fn sr_17_classes_made_at_run_time_are_named() {
    check_report(
        &with(
            "//- /b.bt\nObject subclass: B\n  go => Object classBuilder name: #Acct; superclass: Counter; \
             methods: #{#balance => [:i | i increment]}; register\n",
        ),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            site counter.bt:4:3 definition Counter>>increment: increment -> bump
            possible b.bt:2:94 send B>>go: increment -> bump: the receiver's type is unknown
            possible counter.bt:5:17 self_send Counter>>twice: increment -> bump: Acct, below the class, is not wholly known
            possible counter.bt:5:33 self_send Counter>>twice: increment -> bump: Acct, below the class, is not wholly known
            possible fast.bt:2:19 super_send Fast>>thrice: increment -> bump: Acct, below the class, is not wholly known
            possible fast.bt:2:35 self_send Fast>>thrice: increment -> bump: Acct, below the class, is not wholly known
            possible fast.bt:2:46 self_send Fast>>thrice: increment -> bump: Acct, below the class, is not wholly known
            not searched Acct: not all of its methods are known
        "#]],
    );
}

#[test]
fn sr_18_units_that_do_not_parse_are_told() {
    check_report(
        &with("//- /broken.bt\nObject subclass: Broken\n  go => (3 increment\n  fine: x => x increment\n"),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            site counter.bt:4:3 definition Counter>>increment: increment -> bump
            site counter.bt:5:17 self_send Counter>>twice: increment -> bump
            site counter.bt:5:33 self_send Counter>>twice: increment -> bump
            site fast.bt:2:19 super_send Fast>>thrice: increment -> bump
            site fast.bt:2:35 self_send Fast>>thrice: increment -> bump
            site fast.bt:2:46 self_send Fast>>thrice: increment -> bump
            possible broken.bt:2:12 send Broken>>go: increment -> bump: the receiver's type is unknown
            possible broken.bt:3:16 send Broken>>fine:: increment -> bump: the receiver's type is unknown
            not searched broken.bt:2:12: #increment in a text that could not be parsed
            not searched broken.bt:2:21: expected `)`, found the declaration at `fine:`
        "#]],
    );
}

#[test]
fn absent_inherited_and_extension_selectors() {
    let before = with("//- /ext.bt\nCounter >> double => 1\n");
    check_refused(
        &before,
        "Counter renameSelector: absent to: bump",
        expect![[r#"
        selector.not_found: Counter does not define #absent locally (or as an extension)
    "#]],
    );
    check_refused(
        &before,
        "Fast renameSelector: increment to: bump",
        expect![[r#"
        selector.not_found: Fast does not define #increment locally (or as an extension)
    "#]],
    );
    check_refused(
        &with("//- /ext.bt dep:lib\nCounter >> double => 1\n"),
        "Counter renameSelector: double to: bump",
        expect![[r#"
            operation.unsupported: cannot rename Counter>>double: it is an extension of the package lib; renaming #double there is not handled yet
            at ext.bt:1:12: double
        "#]],
    );
    check_refused(
        &before,
        "Nobody renameSelector: double to: bump",
        expect![[r#"
        class.not_found: Class 'Nobody' not found
    "#]],
    );
}

fn allowing(before: &str, wanted: &str, codes: &[&str]) -> Result<Vec<&'static str>, &'static str> {
    let codes: Vec<_> = codes.iter().map(|code| (*code).to_owned()).collect();
    let plan = crate::plan_allowing(&index(before), 1, &request(wanted), &codes);
    plan.map(|plan| plan.warnings.iter().map(|warning| warning.code).collect())
        .map_err(|refusal| refusal.code)
}

#[test]
fn an_allowed_refusal_becomes_a_warning() {
    let below = with("//- /top.bt\nCounter subclass: Top\n  grow => 1\n");
    let rename = "Counter renameSelector: increment to: grow";
    assert_eq!(allowing(&below, rename, &[]), Err("selector.capture"));
    assert_eq!(allowing(&below, rename, &["selector.hook"]), Err("selector.capture"));
    assert_eq!(allowing(&below, rename, &["selector.capture"]), Ok(vec!["selector.capture"]));
    let hook = "Counter renameSelector: increment to: initialize";
    assert_eq!(allowing(COUNTER, hook, &["selector.hook"]), Ok(vec!["selector.hook"]));
    // What cannot be carried out cannot be allowed.
    let taken = "Counter renameSelector: increment to: twice";
    assert_eq!(allowing(COUNTER, taken, &["selector.taken"]), Err("selector.taken"));
}

#[test]
fn an_operator_that_would_grow_into_its_neighbour_is_refused() {
    let before = "\
//- /vec.bt
Object subclass: Vec
  + other => 1
  a => self +1
  b => self + 1
//- /more.bt
Vec subclass: More
  c => self +2
";
    check_refused(
        before,
        "Vec renameSelector: + to: -",
        expect![[r#"
        selector.glued: #- would be read as one with what stands beside it
        at more.bt:2:13: +
        at vec.bt:3:13: +
    "#]],
    );
}
