//! What queries answer, on small units.

use super::{index, shown};
use expect_test::{expect, Expect};

const WORLD: &str = "\
//- /counter.bt
/// Counts.
Actor subclass: Counter
  state: value :: Integer = 0
  classState: current :: Counter | nil = nil
  increment => self.value := self.value + 1
  twice => self increment. self increment; increment
  copyTo: other :: Counter at: n => other at: (other at: n put: 2) put: n
  class make -> Counter => self spawn
  class remake => self make
//- /fast.bt
Counter subclass: FastCounter
  increment => super increment. \"{self increment} and {Counter make}\"
  doubled => [:self | self increment]
//- /ext.bt
Counter >> double => self increment
app@Counter class >> zero => self make
//- /types.bt
type Tallies = List(Counter) | Counter class
Protocol define: Named(T :: Counter)
  extending: Printable
  name: c :: Counter -> T
  class build
Fleet(Counter) subclass: Box(E, Counter)
  take -> Counter => Erlang lists reverse: #(Counter, #Counter, #increment)
  other: x => x match: [
    Counter value: v -> v
    c :: Counter -> c increment
  ]
";

fn check_senders(selector: &str, expected: Expect) {
    expected.assert_eq(&shown(&index(WORLD).senders_of(selector)));
}

fn check_references(class: &str, expected: Expect) {
    expected.assert_eq(&shown(&index(WORLD).references_to(class)));
}

fn check_implementors(selector: &str, expected: Expect) {
    expected.assert_eq(&shown(&index(WORLD).implementors_of(selector)));
}

#[test]
fn senders_have_receiver_kinds_and_one_span_for_each_part() {
    check_senders(
        "increment",
        expect![[r#"
        counter.bt:6:17 self_send Counter>>twice increment[171-180]
        counter.bt:6:33 self_send Counter>>twice increment[187-196]
        counter.bt:6:44 self_send Counter>>twice increment[198-207]
        ext.bt:1:27 self_send Counter>>double increment[26-35]
        fast.bt:2:22 super_send FastCounter>>increment increment[51-60]
        fast.bt:2:40 self_send FastCounter>>increment increment[69-78]
        fast.bt:3:28 send FastCounter>>doubled increment[127-136]
        types.bt:10:23 send Box>>other: increment[335-344]
    "#]],
    );
    check_senders(
        "at:put:",
        expect![[r#"
        counter.bt:7:43 send Counter>>copyTo:at: at:put:[250-253,275-279]
        counter.bt:7:54 send Counter>>copyTo:at: at:put:[261-264,267-271]
    "#]],
    );
    check_senders(
        "reverse:",
        expect![[r#"
        types.bt:7:35 send Box>>take reverse:[220-228]
    "#]],
    );
    check_senders(
        "value:",
        expect![[r#"
        types.bt:9:13 send Box>>other: value:[299-305]
    "#]],
    );
    check_senders("absent", expect![[""]]);
}

#[test]
fn references_of_every_kind() {
    check_references(
        "Counter",
        expect![[r#"
        counter.bt:4:26 annotation Counter Counter[91-98]
        counter.bt:7:20 annotation Counter>>copyTo:at: Counter[227-234]
        counter.bt:8:17 annotation Counter class>>make Counter[298-305]
        ext.bt:1:1 extension_target Counter>>double Counter[0-7]
        ext.bt:2:5 extension_target Counter class>>zero Counter[40-47]
        fast.bt:1:1 superclass FastCounter Counter[0-7]
        fast.bt:2:56 expression FastCounter>>increment Counter[85-92]
        types.bt:1:21 alias type Tallies Counter[20-27]
        types.bt:1:32 alias type Tallies Counter[31-38]
        types.bt:2:29 bound Protocol Named Counter[73-80]
        types.bt:4:14 annotation Protocol Named Counter[118-125]
        types.bt:7:46 expression Box>>take Counter[231-238]
        types.bt:9:5 pattern Box>>other: Counter[291-298]
        types.bt:10:10 pattern Box>>other: Counter[322-329]
    "#]],
    );
    check_references(
        "Printable",
        expect![[r#"
        types.bt:3:14 extending Protocol Named Printable[95-104]
    "#]],
    );
}

#[test]
fn implementors_on_both_sides_and_in_extensions_and_protocols() {
    check_implementors(
        "increment",
        expect![[r#"
        counter.bt:5:3 definition Counter>>increment increment[113-122]
        fast.bt:2:3 definition FastCounter>>increment increment[32-41]
    "#]],
    );
    check_implementors(
        "double",
        expect![[r#"
        ext.bt:1:12 definition Counter>>double double[11-17]
    "#]],
    );
    check_implementors(
        "zero",
        expect![[r#"
        ext.bt:2:22 definition Counter class>>zero zero[57-61]
    "#]],
    );
    check_implementors(
        "name:",
        expect![[r#"
        types.bt:4:3 definition Protocol Named name:[107-112]
    "#]],
    );
}
