//! What queries answer, on small units.

use super::{index, shown};
use crate::{Change, Index, Patched, Provenance, Rows, Slice};
use bt_syntax::Side;
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

#[test]
fn the_manifest_refers_to_the_supervisor() {
    let index = index("//- /beamtalk.toml\n[application]\nsupervisor = \"Counter\"\n");
    let sites = index.references_to("Counter");
    expect![[r#"
        beamtalk.toml:2:15 manifest manifest Counter[28-35]
    "#]]
    .assert_eq(&shown(&sites));
    assert_eq!(sites[0].provenance, Provenance::Manifest);
    assert_eq!(index.stats().files, 0);
}

#[test]
fn stubs_of_blocks_are_not_searchable() {
    let index = index(
        "\
//- /$built/Tug prompt
Object subclass: Tug
  field: x = ClassBuilder valueAt: 2
  pull: a1 => ClassBuilder run: 3 with: #(self, a1)
  class make => ClassBuilder run: 4 with: #(self)
//- /base.bt
Object subclass: Object
Object subclass: Plain
  run => ClassBuilder run: 3 with: 4
",
    );
    assert_eq!(index.not_searchable(), ["Tug"]);
    let sites = index.implementors_of("pull:");
    assert_eq!(sites[0].provenance, Provenance::Builder);
    assert_eq!(index.senders_of("run:with:").len(), 1);
    let closure = index.closure("Object", Side::Instance, "absent").unwrap();
    assert_eq!((closure.free, closure.unknown), (false, vec!["Tug".to_owned()]));
}

#[test]
fn live_patches_are_told_from_the_text_of_the_file() {
    let mut changes = crate::fixture::changes(
        "\
//- /a.bt
Object subclass: Aa
  b => self c
  c => self b
  class b => self c
",
    );
    if let Change::Put { patched, .. } = &mut changes[0] {
        let method = |side, selector: &str| Patched {
            class: "Aa".to_owned(),
            side,
            selector: selector.to_owned(),
        };
        *patched = vec![method(Side::Instance, "b"), method(Side::Instance, "gone")];
    }
    let index = Index::new().with_changes(&changes);
    let provenances =
        |sites: Vec<crate::Site>| sites.iter().map(|it| it.provenance).collect::<Vec<_>>();
    assert_eq!(provenances(index.senders_of("c")), [Provenance::Patch, Provenance::Body]);
    assert_eq!(provenances(index.implementors_of("b")), [Provenance::Patch, Provenance::Body]);
    let mut rows = Rows::default();
    index.sender_rows("c", Slice { offset: 0, limit: 9 }, &mut rows);
    let rows: Vec<_> = rows.rows.iter().map(|(_, owner, _)| owner.provenance).collect();
    assert_eq!(rows, [Provenance::Patch, Provenance::Body]);
}

#[test]
fn blocks_of_former_methods_are_searched_and_define_nothing() {
    let mut changes = crate::fixture::changes(
        "\
//- /a.bt
Object subclass: Aa
  up => 1
  go => 2
//- /$orphans/aa
Aa >> go => self up. [:x | self up. Aa new. #up]
",
    );
    if let Change::Put { origin, .. } = &mut changes[1] {
        *origin = crate::Origin::Orphan;
    }
    let index = Index::new().with_changes(&changes);
    let sends = index.senders_of("up");
    expect![[r#"
        $orphans/aa:1:33 self_send Aa>>go up[32-34]
    "#]]
    .assert_eq(&shown(&sends));
    assert_eq!(sends[0].provenance, Provenance::Orphan);
    assert_eq!((index.references_to("Aa").len(), index.symbols_of("up").len()), (1, 1));
    assert_eq!(index.implementors_of("go").len(), 1);
    assert_eq!(index.stats().files, 1);
}

#[test]
fn the_inside_of_a_class() {
    let index = index(
        "\
//- /a.bt
Object subclass: Aa
  field: n = 0
  up => self.n := self.n + n
  hide: n => self.n + n
  local => n := 1. n + self.n
//- /b.bt
Aa >> more => n + 1
",
    );
    expect![[r#"
        a.bt:3:14 field Aa>>up n[48-49]
    "#]]
    .assert_eq(&shown(&index.field_uses("Aa", "n", true)));
    expect![[r#"
        a.bt:3:24 field Aa>>up n[58-59]
        a.bt:3:28 field Aa>>up n[62-63]
        a.bt:4:19 field Aa>>hide: n[82-83]
        a.bt:5:29 field Aa>>local n[116-117]
        b.bt:1:15 field Aa>>more n[14-15]
    "#]]
    .assert_eq(&shown(&index.field_uses("Aa", "n", false)));
    let sent: Vec<_> = index
        .messages_sent_by("Aa", Side::Instance, "up")
        .into_iter()
        .map(|site| site.old)
        .collect();
    assert_eq!(sent, ["+"]);
    assert!(index.messages_sent_by("Aa", Side::Class, "up").is_empty());
}
