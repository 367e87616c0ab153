//! Methods that extensions define: patched, removed and renamed where they stand.

use super::{check, check_refused, check_report};
use expect_test::expect;

const WORLD: &str = "\
//- /counter.bt
Actor subclass: Counter
  twice => self double. self total
  total => 1
//- /counter+more.bt
/// Twice the value.
Counter >> double => 2

  Counter class >> zero =>
    self spawn

Counter >> total => 3
//- /stdlib/integer.bt stdlib
Object subclass: Integer
  abs => 1
//- /integer+more.bt
Integer >> shout => self abs
//- /use.bt
Object subclass: Use
  go: c :: Counter n: n :: Integer => c double. n shout. Counter zero
";

#[test]
fn a_patch_of_an_extension_edits_the_extension() {
    check(
        WORLD,
        "Counter >> double => self.value * 2",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> double => self.value * 2

          Counter class >> zero =>
            self spawn

        Counter >> total => 3
    "#]],
    );
    check(
        WORLD,
        "Counter >> /// Two.\ndouble =>\n  // two\n  2",
        expect![[r#"
        //- /counter+more.bt
        /// Two.
        Counter >> double =>
          // two
          2

          Counter class >> zero =>
            self spawn

        Counter >> total => 3
    "#]],
    );
    check(
        WORLD,
        "Counter class >> zero =>\n  nil",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> double => 2

          Counter class >> zero =>
            nil

        Counter >> total => 3
    "#]],
    );
    check(
        WORLD,
        "Integer >> shout => 7",
        expect![[r#"
        //- /integer+more.bt
        Integer >> shout => 7
    "#]],
    );
    check_report(
        WORLD,
        "Counter >> total => 4",
        expect![[r#"
        site counter+more.bt:7:12 definition Counter>>total: total
    "#]],
    );
}

#[test]
fn the_source_may_bear_its_side() {
    check(
        WORLD,
        "Counter class >> class zero => nil",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> double => 2

          Counter class >> zero => nil

        Counter >> total => 3
    "#]],
    );
}

#[test]
fn a_removed_extension_uncovers_what_it_hid() {
    check(
        WORLD,
        "Counter removeSelector: total",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> double => 2

          Counter class >> zero =>
            self spawn

    "#]],
    );
    check_report(
        WORLD,
        "Counter removeSelector: total",
        expect![[r#"
        site counter+more.bt:7:12 definition Counter>>total: total
        certain counter.bt:2:30 self_send Counter>>twice: total: sent to self; it will reach Counter's method
        warning exposed: behavior changes: Counter's #total will run instead of the extension's
    "#]],
    );
    check_report(
        WORLD,
        "Integer removeSelector: shout",
        expect![[r#"
        site integer+more.bt:1:12 definition Integer>>shout: shout
        certain use.bt:2:51 send Use>>go:n:: shout: the receiver's type is Integer; it will not be understood
        warning dangling_senders: 1 sender of #shout may find no method
    "#]],
    );
}

#[test]
fn a_file_of_extensions_goes_with_the_last_unless_a_comment_is_left() {
    check(
        WORLD,
        "Integer removeSelector: shout",
        expect![[r#"
        //- /integer+more.bt
        (gone)
    "#]],
    );
    check(
        "//- /a.bt\nObject subclass: A\n//- /more.bt\n// Kept.\n\n/// One.\nA >> one => 1\n",
        "A removeSelector: one",
        expect![[r#"
        //- /more.bt
        // Kept.

    "#]],
    );
}

#[test]
fn an_extension_is_renamed_where_it_stands() {
    check(
        WORLD,
        "Counter renameSelector: double to: twofold",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> twofold => 2

          Counter class >> zero =>
            self spawn

        Counter >> total => 3
        //- /counter.bt
        Actor subclass: Counter
          twice => self twofold. self total
          total => 1
    "#]],
    );
    check(
        WORLD,
        "Counter class renameSelector: zero to: none",
        expect![[r#"
        //- /counter+more.bt
        /// Twice the value.
        Counter >> double => 2

          Counter class >> none =>
            self spawn

        Counter >> total => 3
    "#]],
    );
    check_report(
        WORLD,
        "Counter renameSelector: total to: sum",
        expect![[r#"
        site counter+more.bt:7:12 definition Counter>>total: total -> sum
        site counter.bt:2:30 self_send Counter>>twice: total -> sum
        warning overrides: #total of Counter is an extension in place of the method in the class's own text (counter.bt:3)
        warning exposed: senders of #total that are left reach the method in the class's own text instead of failing
    "#]],
    );
    check_report(
        WORLD,
        "Integer renameSelector: shout to: cry",
        expect![[r#"
        site integer+more.bt:1:12 definition Integer>>shout: shout -> cry
        certain use.bt:2:51 send Use>>go:n:: shout -> cry: the receiver's type is Integer
    "#]],
    );
}

#[test]
fn an_extension_that_stands_in_for_the_library_is_sent_by_it() {
    let before = "//- /integer.bt stdlib\nObject subclass: Integer\n  abs => 1\n\
                  //- /more.bt\nInteger >> abs => 2\n";
    check_refused(
        before,
        "Integer renameSelector: abs to: size",
        expect![[r#"
        selector.overrides_library: #abs of Integer overrides Integer of the stdlib: the library sends it by that name
        at integer.bt:2:3: abs
    "#]],
    );
}
