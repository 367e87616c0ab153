//! Method renames. Names begin with the hazard they answer (SR), where there is one.

use super::{after_text, check, check_report, index, planned, request};
use crate::{plan, Request};
use bt_syntax::Side;
use expect_test::expect;

pub(super) const COUNTER: &str = "\
//- /counter.bt
Actor subclass: Counter
  state: value = 0

  increment => self.value := self.value + 1
  twice => self increment. self increment
  class make => self spawn
  class remake => self make
//- /fast.bt
Counter subclass: Fast
  thrice => super increment. self increment; increment
";

pub(super) fn with(rest: &str) -> String {
    format!("{COUNTER}{rest}")
}

#[test]
fn definition_self_and_super_sends_change() {
    check(
        COUNTER,
        "Counter renameSelector: increment to: bump",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          bump => self.value := self.value + 1
          twice => self bump. self bump
          class make => self spawn
          class remake => self make
        //- /fast.bt
        Counter subclass: Fast
          thrice => super bump. self bump; bump
    "#]],
    );
    check_report(
        COUNTER,
        "Counter renameSelector: increment to: bump",
        expect![[r#"
        site counter.bt:4:3 definition Counter>>increment: increment -> bump
        site counter.bt:5:17 self_send Counter>>twice: increment -> bump
        site counter.bt:5:33 self_send Counter>>twice: increment -> bump
        site fast.bt:2:19 super_send Fast>>thrice: increment -> bump
        site fast.bt:2:35 self_send Fast>>thrice: increment -> bump
        site fast.bt:2:46 self_send Fast>>thrice: increment -> bump
    "#]],
    );
}

#[test]
fn an_override_below_leaves_the_definition_only() {
    let before = with("//- /faster.bt\nFast subclass: Faster\n  increment => super increment\n");
    check(
        &before,
        "Counter renameSelector: increment to: bump",
        expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          bump => self.value := self.value + 1
          twice => self increment. self increment
          class make => self spawn
          class remake => self make
    "#]],
    );
    check_report(
        &before,
        "Counter renameSelector: increment to: bump",
        expect![[r#"
        site counter.bt:4:3 definition Counter>>increment: increment -> bump
        possible counter.bt:5:17 self_send Counter>>twice: increment -> bump: overridden below, by Faster>>increment
        possible counter.bt:5:33 self_send Counter>>twice: increment -> bump: overridden below, by Faster>>increment
        possible fast.bt:2:19 super_send Fast>>thrice: increment -> bump: overridden below, by Faster>>increment
        possible fast.bt:2:35 self_send Fast>>thrice: increment -> bump: overridden below, by Faster>>increment
        possible fast.bt:2:46 self_send Fast>>thrice: increment -> bump: overridden below, by Faster>>increment
        possible faster.bt:2:22 super_send Faster>>increment: increment -> bump: overridden below, by Faster>>increment
        warning overridden: #increment is overridden by 1 below Counter, which keep it
    "#]],
    );
}

#[test]
fn an_extension_below_counts_as_an_override() {
    let before = with("//- /ext.bt\nFast >> increment => nil\n");
    check_report(
        &before,
        "Counter renameSelector: increment to: bump",
        expect![[r#"
        site counter.bt:4:3 definition Counter>>increment: increment -> bump
        possible counter.bt:5:17 self_send Counter>>twice: increment -> bump: overridden below, by Fast>>increment
        possible counter.bt:5:33 self_send Counter>>twice: increment -> bump: overridden below, by Fast>>increment
        possible fast.bt:2:19 super_send Fast>>thrice: increment -> bump: overridden below, by Fast>>increment
        possible fast.bt:2:35 self_send Fast>>thrice: increment -> bump: overridden below, by Fast>>increment
        possible fast.bt:2:46 self_send Fast>>thrice: increment -> bump: overridden below, by Fast>>increment
        warning overridden: #increment is overridden by 1 below Counter, which keep it
    "#]],
    );
}

#[test]
fn self_sends_of_extensions_count_as_the_class_own() {
    check(
        &with("//- /ext.bt\nCounter >> double => self increment; increment\n"),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            //- /counter.bt
            Actor subclass: Counter
              state: value = 0

              bump => self.value := self.value + 1
              twice => self bump. self bump
              class make => self spawn
              class remake => self make
            //- /ext.bt
            Counter >> double => self bump; bump
            //- /fast.bt
            Counter subclass: Fast
              thrice => super bump. self bump; bump
        "#]],
    );
}

#[test]
fn sr_01_symbols_are_candidates_and_computed_ones_are_told() {
    check_report(
        &with(
            "//- /s.bt\nObject subclass: S\n  go: c => c perform: #increment\n  \
             ops => #(#increment, #decrement)\n  any: c => c perform: (\"incr\" ++ \"ement\") asSymbol\n",
        ),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            site counter.bt:4:3 definition Counter>>increment: increment -> bump
            site counter.bt:5:17 self_send Counter>>twice: increment -> bump
            site counter.bt:5:33 self_send Counter>>twice: increment -> bump
            site fast.bt:2:19 super_send Fast>>thrice: increment -> bump
            site fast.bt:2:35 self_send Fast>>thrice: increment -> bump
            site fast.bt:2:46 self_send Fast>>thrice: increment -> bump
            symbol s.bt:2:23 symbol S>>go:: #increment -> #bump: argument of #perform:, which names a selector
            symbol s.bt:3:12 symbol S>>ops: #increment -> #bump: a symbol of that name; whether it names a selector is unknown
            warning computed_selectors: 1 send computes its selector: the search cannot be complete
        "#]],
    );
}

#[test]
fn sr_02_every_part_of_nested_keyword_sends_changes_once() {
    let before = "\
//- /a.bt
Object subclass: Store
  at: k put: v => v
  nested: e => self at: (self at: 1 put: 2) put: (self at: 3 put: 4)
  lines =>
    self
      at: 1 // why
      put: // because
        2
";
    check(
        before,
        "Store renameSelector: at:put: to: store:as:",
        expect![[r#"
        //- /a.bt
        Object subclass: Store
          store: k as: v => v
          nested: e => self store: (self store: 1 as: 2) as: (self store: 3 as: 4)
          lines =>
            self
              store: 1 // why
              as: // because
                2
    "#]],
    );
}

#[test]
fn sr_08_unknown_receivers_are_candidates() {
    check_report(
        &with(
            "//- /timer.bt\nObject subclass: Timer\n  increment => nil\n  tick => self increment\n\
             //- /use.bt\nObject subclass: Use\n  go: x => x increment\n  typed: c :: Counter => c increment\n  \
             timer: t :: Timer => t increment\n  each: items => items do: [:i | i increment]\n",
        ),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            site counter.bt:4:3 definition Counter>>increment: increment -> bump
            site counter.bt:5:17 self_send Counter>>twice: increment -> bump
            site counter.bt:5:33 self_send Counter>>twice: increment -> bump
            site fast.bt:2:19 super_send Fast>>thrice: increment -> bump
            site fast.bt:2:35 self_send Fast>>thrice: increment -> bump
            site fast.bt:2:46 self_send Fast>>thrice: increment -> bump
            possible use.bt:2:14 send Use>>go:: increment -> bump: the receiver's type is unknown
            certain use.bt:3:28 send Use>>typed:: increment -> bump: the receiver's type is Counter
            possible use.bt:5:36 send Use>>each:: increment -> bump: the receiver's type is unknown
            excluded unrelated: 2
        "#]],
    );
}

#[test]
fn sr_13_only_the_side_asked_for_changes() {
    let before = "\
//- /a.bt
Object subclass: Counter
  make => 1
  again => self make
  class make => self new
  class remake => self make
  use: c => Counter make. self class make. c make
";
    check(
        before,
        "Counter class renameSelector: make to: build",
        expect![[r#"
        //- /a.bt
        Object subclass: Counter
          make => 1
          again => self make
          class build => self new
          class remake => self build
          use: c => Counter make. self class make. c make
    "#]],
    );
    check_report(
        before,
        "Counter class renameSelector: make to: build",
        expect![[r#"
        site a.bt:4:9 definition Counter class>>make: make -> build
        site a.bt:5:24 self_send Counter class>>remake: make -> build
        certain a.bt:6:21 send Counter>>use:: make -> build: the receiver is the class Counter
        certain a.bt:6:38 send Counter>>use:: make -> build: the receiver is the class Counter
        possible a.bt:6:46 send Counter>>use:: make -> build: the receiver's type is unknown
        excluded other_side: 1
    "#]],
    );
}

#[test]
fn protocol_requirements_are_candidates() {
    check_report(
        &with("//- /p.bt\nProtocol define: Counting\n  increment -> Integer\n  class make\n"),
        "Counter renameSelector: increment to: bump",
        expect![[r#"
            site counter.bt:4:3 definition Counter>>increment: increment -> bump
            site counter.bt:5:17 self_send Counter>>twice: increment -> bump
            site counter.bt:5:33 self_send Counter>>twice: increment -> bump
            site fast.bt:2:19 super_send Fast>>thrice: increment -> bump
            site fast.bt:2:35 self_send Fast>>thrice: increment -> bump
            site fast.bt:2:46 self_send Fast>>thrice: increment -> bump
            possible p.bt:2:3 definition Protocol Counting: increment -> bump: Protocol Counting requires it
        "#]],
    );
}

#[test]
fn overriding_warns_and_super_in_the_class_itself_stays() {
    let before = "\
//- /a.bt
Object subclass: A
  m => 1
//- /b.bt
A subclass: B
  m => super m
  f => self m
";
    check(
        before,
        "B renameSelector: m to: k",
        expect![[r#"
        //- /b.bt
        A subclass: B
          k => super m
          f => self k
    "#]],
    );
    check_report(
        before,
        "B renameSelector: m to: k",
        expect![[r#"
        site b.bt:2:3 definition B>>m: m -> k
        site b.bt:3:13 self_send B>>f: m -> k
        excluded above: 1
        warning overrides: #m of B overrides A's (a.bt:2)
        warning exposed: senders of #m that are left reach A's instead of failing
    "#]],
    );
}

#[test]
fn accepted_candidates_become_sites() {
    let before =
        with("//- /use.bt\nObject subclass: Use\n  go: x => x increment. x perform: #increment\n");
    let index = index(&before);
    let wanted = |accept: Vec<(String, u32)>| Request::RenameMethod {
        class: "Counter".into(),
        side: Side::Instance,
        selector: "increment".into(),
        new_selector: "bump".into(),
        accept,
    };
    let first = plan(&index, 1, &wanted(Vec::new())).unwrap();
    let all = first.candidates.iter();
    let accept = all.map(|it| (it.site.file.to_string(), it.site.start())).collect();
    let second = plan(&index, 1, &wanted(accept)).unwrap();
    expect![[r#"
        //- /counter.bt
        Actor subclass: Counter
          state: value = 0

          bump => self.value := self.value + 1
          twice => self bump. self bump
          class make => self spawn
          class remake => self make
        //- /fast.bt
        Counter subclass: Fast
          thrice => super bump. self bump; bump
        //- /use.bt
        Object subclass: Use
          go: x => x bump. x perform: #bump
    "#]]
    .assert_eq(&after_text(&second));
    let refusal = plan(&index, 1, &wanted(vec![("use.bt".into(), 1)])).unwrap_err();
    assert_eq!(refusal.code, "request.invalid");
}

#[test]
fn there_and_back_gives_the_same_bytes() {
    let there = planned(COUNTER, "Counter renameSelector: increment to: bump");
    let back = planned(&after_text(&there), "Counter renameSelector: bump to: increment");
    assert_eq!(after_text(&back), COUNTER);
}

#[test]
fn the_same_selector_does_nothing() {
    let wanted = request("Counter renameSelector: increment to: increment");
    assert!(plan(&index(COUNTER), 1, &wanted).unwrap().files.is_empty());
}

/// Two classes with a former method of the first, whose head has the name of its time.
fn with_former_method(origin: bt_xref::Origin) -> bt_xref::Index {
    let mut changes = bt_xref::fixture::changes(
        "\
//- /a.bt
Object subclass: Aa
  up => 1
  go => self up
//- /b.bt
Object subclass: Bb
  go => Aa new
//- /$orphans/aa/3
Old >> go => [self up. 3 up. #up. Aa new]
",
    );
    if let bt_xref::Change::Put { origin: of, patched, .. } = &mut changes[2] {
        *of = origin;
        *patched = vec![bt_xref::Patched {
            class: "Aa".to_owned(),
            side: bt_syntax::Side::Instance,
            selector: "go".to_owned(),
        }];
    }
    bt_xref::Index::new().with_changes(&changes)
}

fn shown(index: &bt_xref::Index, wanted: &str) -> String {
    let plan = crate::plan(index, 1, &super::request(wanted)).unwrap();
    let texts = plan.files.iter().filter(|file| file.file.starts_with('$'));
    let texts: String = texts.filter_map(|file| file.text.clone()).collect();
    format!("{}{texts}", super::report_text(&plan))
}

#[test]
fn blocks_of_former_methods_are_renamed_like_others() {
    let index = with_former_method(bt_xref::Origin::Orphan);
    expect![[r#"
        site $orphans/aa/3:1:20 self_send Aa>>go: up -> rise
        site a.bt:2:3 definition Aa>>up: up -> rise
        site a.bt:3:14 self_send Aa>>go: up -> rise
        possible $orphans/aa/3:1:26 send Aa>>go: up -> rise: the receiver's type is unknown
        symbol $orphans/aa/3:1:30 symbol Aa>>go: #up -> #rise: a symbol of that name; whether it names a selector is unknown
        Old >> go => [self rise. 3 up. #up. Aa new]
    "#]]
    .assert_eq(&shown(&index, "Aa renameSelector: up to: rise"));
    expect![[r#"
        site $orphans/aa/3:1:35 expression Aa>>go: Aa -> Cc
        site a.bt:1:18 declaration Aa: Aa -> Cc
        site b.bt:2:9 expression Bb>>go: Aa -> Cc
        Old >> go => [self up. 3 up. #up. Cc new]
    "#]]
    .assert_eq(&shown(&index, "Aa renameTo: Cc"));
}

#[test]
fn blocks_that_cannot_be_compiled_anew_keep_the_old_name_and_are_told_of() {
    let index = with_former_method(bt_xref::Origin::Relic);
    expect![[r#"
        site a.bt:2:3 definition Aa>>up: up -> rise
        site a.bt:3:14 self_send Aa>>go: up -> rise
        excluded orphan: 2
        warning orphans: 2 sends of #up in blocks of former methods will ask for that name
    "#]]
    .assert_eq(&shown(&index, "Aa renameSelector: up to: rise"));
}
