//! Removing a class: its file goes, and what still names it is told.

use super::{check, check_refused, check_report};
use expect_test::expect;

const COUNTER: &str = "\
//- /src/counter.bt
/// A Counter counts.
Actor subclass: Counter
  state: value = 0
  class make -> Counter => self spawn
Counter >> double => self.value * 2
Integer >> counters => Counter make
//- /src/caller.bt
/// ```
/// Caller new go: Counter make
/// ```
Object subclass: Caller
  field: it :: Counter | nil = nil
  go => Counter make. Smalltalk classNamed: #Counter // a Counter
//- /beamtalk.toml
# Counter
[application]
supervisor = \"Counter\"
//- /stdlib/integer.bt stdlib
Object subclass: Integer
//- /lib/fast.bt dep:lib
Object subclass: Fast
  go: c :: Counter => nil
";

#[test]
fn the_file_goes_and_references_are_left_behind() {
    check(
        COUNTER,
        "Counter removeFromSystem",
        expect![[r#"
        //- /src/counter.bt
        (gone)
    "#]],
    );
    check_report(
        COUNTER,
        "Counter removeFromSystem",
        expect![[r#"
        site src/counter.bt:2:17 declaration Counter: Counter
        certain beamtalk.toml:3:15 manifest manifest: Counter: it names the class; it will find none
        doc src/caller.bt:2:20 doc Caller: Counter: an example in a doc comment
        certain src/caller.bt:5:16 annotation Caller: Counter: it names the class; it will find none
        certain src/caller.bt:6:9 expression Caller>>go: Counter: it names the class; it will find none
        symbol src/caller.bt:6:45 symbol Caller>>go: #Counter: argument of #classNamed:, which names a class
        excluded not_in_project: 1
        prose 2 in 2 files
        warning dangling_references: 3 references to Counter will find no class
        warning lost_with_file: Integer>>counters stands in src/counter.bt too and goes with it
    "#]],
    );
}

#[test]
fn what_could_not_be_loaded_without_the_class_is_in_the_way() {
    check_refused(
        "//- /a.bt\nObject subclass: Aa\n//- /b.bt\nAa subclass: Bb\n//- /c.bt\nAa subclass: Cc\n",
        "Aa removeFromSystem",
        expect![[r#"
            class.has_subclasses: cannot remove 'Aa' because it has subclasses
            at b.bt:1:14: Bb
            at c.bt:1:14: Cc
        "#]],
    );
    check_refused(
        "//- /a.bt\nObject subclass: Aa\n//- /b.bt\nAa >> b => 1\nAa class >> b => 2\n",
        "Aa removeFromSystem",
        expect![[r#"
            class.has_extensions: cannot remove 'Aa' because other files extend it
            at b.bt:1:1: Aa
            at b.bt:2:1: Aa
        "#]],
    );
}

#[test]
fn only_classes_of_the_project_can_go() {
    check_refused(
        COUNTER,
        "Integer removeFromSystem",
        expect![[r#"
        scope.not_in_project: cannot remove the stdlib class 'Integer'
        at stdlib/integer.bt:1:18: Integer
    "#]],
    );
    check_refused(
        COUNTER,
        "Fast removeFromSystem",
        expect![[r#"
        scope.not_in_project: cannot remove 'Fast' of the dependency lib
        at lib/fast.bt:1:18: Fast
    "#]],
    );
    check_refused(
        COUNTER,
        "Nobody removeFromSystem",
        expect![[r#"
        class.not_found: Class 'Nobody' not found
    "#]],
    );
}
