//! Class renames. Names begin with the hazard they answer (CR, TX), where there is one.

use super::{after_text, check, check_refused, check_report, index, planned, request};
use crate::plan;
use bt_xref::{Change, Origin};
use expect_test::expect;
use std::sync::Arc;

const COUNTER: &str = "\
//- /src/counter.bt
Actor subclass: Counter
  state: value = 0

  increment => self.value := self.value + 1
  getValue => self.value
  class make => self spawn
";

fn with(rest: &str) -> String {
    format!("{COUNTER}{rest}")
}

#[test]
fn cr_01_definition_and_references_change_together() {
    check(
        &with("//- /src/caller.bt\nObject subclass: Caller\n  go => Counter make increment\n"),
        "Counter renameTo: Tally",
        expect![[r#"
            //- /src/caller.bt
            Object subclass: Caller
              go => Tally make increment
            //- /src/tally.bt
            Actor subclass: Tally
              state: value = 0

              increment => self.value := self.value + 1
              getValue => self.value
              class make => self spawn
        "#]],
    );
}

#[test]
fn cr_04_extension_targets_change_on_both_sides() {
    check(
        &with("//- /src/ext.bt\nCounter >> double => self.value * 2\nCounter class >> zero => self make\n"),
        "Counter renameTo: Tally",
        expect![[r#"
            //- /src/tally.bt
            Actor subclass: Tally
              state: value = 0

              increment => self.value := self.value + 1
              getValue => self.value
              class make => self spawn
            //- /src/ext.bt
            Tally >> double => self.value * 2
            Tally class >> zero => self make
        "#]],
    );
}

#[test]
fn cr_05_nothing_of_the_old_name_is_left_in_the_index() {
    let before = with("//- /src/ext.bt\nCounter >> double => Counter make\n");
    let old = index(&before);
    let plan = plan(&old, 1, &request("Counter renameTo: Tally")).unwrap();
    let mut changes = Vec::new();
    for file in &plan.files {
        changes.push(Change::Delete { file: file.file.clone() });
        changes.push(Change::Put {
            file: file.new_file.as_deref().unwrap_or(&file.file).into(),
            unit: Arc::new(bt_syntax::parse(file.text.as_deref().unwrap())),
            package: "app".into(),
            origin: Origin::Project,
            patched: Vec::new(),
        });
    }
    let new = old.with_changes(&changes);
    assert!(new.references_to("Counter").is_empty());
    assert!(new.declarations_of("Counter").is_empty());
    assert_eq!(new.references_to("Tally").len(), old.references_to("Counter").len());
    assert_eq!(new.senders_of("make").len(), old.senders_of("make").len());
}

#[test]
fn cr_07_a_taken_name_is_refused_with_its_place() {
    let before = with(
        "//- /src/other.bt\nObject subclass: Taken\n//- /src/p.bt\nProtocol define: Named\n  name\n\
         //- /src/a.bt\ntype Amount = Integer\n//- /lib/integer.bt stdlib\nObject subclass: Integer\n",
    );
    check_refused(
        &before,
        "Counter renameTo: Taken",
        expect![[r#"
        name.taken: cannot rename Counter to Taken — Taken already exists (a class, src/other.bt:1:18)
        at src/other.bt:1:18: Taken
    "#]],
    );
    check_refused(
        &before,
        "Counter renameTo: Named",
        expect![[r#"
        name.taken: cannot rename Counter to Named — Named already exists (a protocol, src/p.bt:1:18)
        at src/p.bt:1:18: Named
    "#]],
    );
    check_refused(
        &before,
        "Counter renameTo: Amount",
        expect![[r#"
        name.taken: cannot rename Counter to Amount — Amount already exists (a type alias, src/a.bt:1:6)
        at src/a.bt:1:6: Amount
    "#]],
    );
    check_refused(
        &before,
        "Counter renameTo: Integer",
        expect![[r#"
        name.taken: cannot rename Counter to Integer — Integer already exists (a class, lib/integer.bt:1:18)
        at lib/integer.bt:1:18: Integer
    "#]],
    );
    check_refused(
        &before,
        "Counter renameTo: Transcript",
        expect![[r#"
        name.invalid: "Transcript" cannot be the name of a class: it is reserved
    "#]],
    );
}

#[test]
fn cr_07_a_type_parameter_in_scope_is_refused_with_its_place() {
    let before =
        with("//- /src/box.bt\nObject subclass: Box(Tally, E)\n  take -> Counter => self.it\n");
    check_refused(
        &before,
        "Counter renameTo: Tally",
        expect![[r#"
        name.capture: Tally is a type parameter where the class is named
        at src/box.bt:1:22: Tally
    "#]],
    );
    check_refused(
        &before,
        "Counter renameTo: E",
        expect![[r#"
        name.capture: E is a type parameter where the class is named
        at src/box.bt:1:29: E
    "#]],
    );
}

#[test]
fn cr_09_names_only_in_annotations_change() {
    check(
        &with(
            "//- /src/types.bt\nObject subclass: Types\n  state: c :: Counter | nil = nil\n  \
             all -> Set(Counter) => nil\n  f: x :: Counter -> Counter class => [:y :: Counter | y]\n",
        ),
        "Counter renameTo: Tally",
        expect![[r#"
            //- /src/tally.bt
            Actor subclass: Tally
              state: value = 0

              increment => self.value := self.value + 1
              getValue => self.value
              class make => self spawn
            //- /src/types.bt
            Object subclass: Types
              state: c :: Tally | nil = nil
              all -> Set(Tally) => nil
              f: x :: Tally -> Tally class => [:y :: Tally | y]
        "#]],
    );
}

#[test]
fn cr_10_modifiers_subclasses_and_own_mentions() {
    check(
        "//- /src/counter.bt\nabstract typed Actor subclass: Counter\n  classState: current = nil\n  \
         class current -> Counter => Counter make\n//- /src/fast.bt\nsealed Counter subclass: FastCounter\n",
        "Counter renameTo: Tally",
        expect![[r#"
            //- /src/tally.bt
            abstract typed Actor subclass: Tally
              classState: current = nil
              class current -> Tally => Tally make
            //- /src/fast.bt
            sealed Tally subclass: FastCounter
        "#]],
    );
}

#[test]
fn cr_12_prose_is_counted_and_examples_are_candidates() {
    check_report(
        &with(
            "//- /src/doc.bt\n/// About a Counter.\n/// ```beamtalk\n/// Counter make increment\n/// ```\n\
             Object subclass: Doc\n  // Counter of beans\n  go => \"Counter\" size\n  text => \"{Counter}, CounterX\"\n",
        ),
        "Counter renameTo: Tally",
        expect![[r#"
            site src/counter.bt:1:17 declaration Counter: Counter -> Tally
            site src/doc.bt:8:13 expression Doc>>text: Counter -> Tally
            doc src/doc.bt:3:5 doc Doc: Counter -> Tally: an example in a doc comment
            prose 3 in 1 files
        "#]],
    );
}

#[test]
fn cr_14_bad_names_are_refused_and_an_equal_name_does_nothing() {
    for name in
        ["", "counter", "Tally Two", "Tally;", "self", "nil", "Tally\n", "Tally\u{301}", "T"]
    {
        let request =
            crate::Request::RenameClass { class: "Counter".into(), new_name: name.into() };
        let refusal = plan(&index(COUNTER), 1, &request).expect_err(name);
        assert_eq!(refusal.code, "name.invalid", "{name}");
    }
    let long = "T".repeat(300);
    let request = crate::Request::RenameClass { class: "Counter".into(), new_name: long };
    assert_eq!(plan(&index(COUNTER), 1, &request).unwrap_err().code, "name.invalid");
    let same = planned(COUNTER, "Counter renameTo: Counter");
    assert!(same.files.is_empty() && same.sites.is_empty());
}

#[test]
fn cr_16_library_and_dependencies_are_not_ours() {
    let before = with(
        "//- /lib/integer.bt stdlib\nObject subclass: Integer\n//- /web/router.bt dep:web\n\
         Object subclass: Router\n  go => Counter make\n",
    );
    check_refused(
        &before,
        "Integer renameTo: Number2",
        expect![[r#"
        scope.not_in_project: cannot rename Integer: it belongs to the stdlib
        at lib/integer.bt:1:18: Integer
    "#]],
    );
    check_refused(
        &before,
        "Router renameTo: Dispatcher",
        expect![[r#"
        scope.not_in_project: cannot rename Router: it belongs to the package web
        at web/router.bt:1:18: Router
    "#]],
    );
    check_report(
        &before,
        "Counter renameTo: Tally",
        expect![[r#"
            site src/counter.bt:1:17 declaration Counter: Counter -> Tally
            warning breaks_dependency: 1 reference outside of the project will not find Counter (first: web/router.bt:2:9)
        "#]],
    );
}

#[test]
fn cr_20_symbols_are_candidates() {
    check_report(
        &with(
            "//- /src/s.bt\nObject subclass: S\n  go => Workspace classNamed: #Counter\n  \
             data => #(#Counter, #'Counter class')\n",
        ),
        "Counter renameTo: Tally",
        expect![[r#"
            site src/counter.bt:1:17 declaration Counter: Counter -> Tally
            symbol src/s.bt:2:31 symbol S>>go: #Counter -> #Tally: argument of #classNamed:, which names a class
            symbol src/s.bt:3:13 symbol S>>data: #Counter -> #Tally: a symbol of that name; whether it names a class is unknown
            symbol src/s.bt:3:23 symbol S>>data: #'Counter class' -> #'Tally class': a symbol of that name; whether it names a class is unknown
        "#]],
    );
}

#[test]
fn mp_01_a_class_of_the_same_name_in_another_package_stays() {
    check(
        &with(
            "//- /web/counter.bt dep:web\nObject subclass: Counter\n//- /src/use.bt\n\
             Object subclass: Use\n  go => web@Counter new\n  own => app@Counter make\n",
        ),
        "app@Counter renameTo: Tally",
        expect![[r#"
            //- /src/tally.bt
            Actor subclass: Tally
              state: value = 0

              increment => self.value := self.value + 1
              getValue => self.value
              class make => self spawn
            //- /src/use.bt
            Object subclass: Use
              go => web@Counter new
              own => app@Tally make
        "#]],
    );
}

#[test]
fn fm_01_an_occupied_file_is_refused() {
    let before = with("//- /src/tally.bt\nObject subclass: Other\n");
    check_refused(
        &before,
        "Counter renameTo: Tally",
        expect![[r#"
        file.taken: cannot rename src/counter.bt to src/tally.bt: src/tally.bt exists
    "#]],
    );
}

#[test]
fn the_file_follows_the_style_of_its_old_name() {
    let plan =
        planned("//- /HTTPDock.bt\nObject subclass: HTTPDock\n", "HTTPDock renameTo: WebDock");
    assert_eq!(plan.files[0].new_file.as_deref(), Some("WebDock.bt"));
    let plan =
        planned("//- /a/httpdock.bt\nObject subclass: HTTPDock\n", "HTTPDock renameTo: WebDock");
    assert_eq!(plan.files[0].new_file.as_deref(), Some("a/web_dock.bt"));
    let plan = planned("//- /main.bt\nObject subclass: HTTPDock\n", "HTTPDock renameTo: WebDock");
    assert_eq!(plan.files[0].new_file, None);
}

#[test]
fn extension_files_are_offered() {
    check_report(
        &with("//- /src/Counter+Reports.bt\nCounter >> report => self printString\n"),
        "Counter renameTo: Tally",
        expect![[r#"
            site src/Counter+Reports.bt:1:1 extension_target Counter>>report: Counter -> Tally
            site src/counter.bt:1:17 declaration Counter: Counter -> Tally
            warning extension_file: src/Counter+Reports.bt keeps its name; move it to match Tally if you like
        "#]],
    );
}

#[test]
fn tx_01_spans_are_bytes_whatever_stands_before_them() {
    check(
        &with(
            "//- /src/emoji.bt\nObject subclass: E2 // é🌍👨‍👩‍👧\n\tg =>\t\"é🌍👨‍👩‍👧\" ++ Counter make printString // 🌍\n",
        ),
        "Counter renameTo: Tally",
        expect![[r#"
            //- /src/tally.bt
            Actor subclass: Tally
              state: value = 0

              increment => self.value := self.value + 1
              getValue => self.value
              class make => self spawn
            //- /src/emoji.bt
            Object subclass: E2 // é🌍👨‍👩‍👧
            	g =>	"é🌍👨‍👩‍👧" ++ Tally make printString // 🌍
        "#]],
    );
}

#[test]
fn tx_03_a_byte_order_mark_stays_once() {
    let before = "\u{feff}Actor subclass: Counter\n  make => Counter\n";
    let plan = planned(before, "Counter renameTo: Tally");
    assert_eq!(
        plan.files[0].text.as_deref().unwrap(),
        "\u{feff}Actor subclass: Tally\n  make => Tally\n"
    );
}

#[test]
fn sr_18_a_mention_that_could_not_be_parsed_refuses() {
    check_refused(
        &with("//- /src/broken.bt\nObject subclass: Broken\n  go => (Counter make\n  fine => 1\n"),
        "Counter renameTo: Tally",
        expect![[r#"
            search.incomplete: Counter is named where the text could not be parsed
            at src/broken.bt:2:10: Counter
        "#]],
    );
    check_report(
        &with(
            "//- /src/broken.bt\nObject subclass: Broken\n  go => (3 + \n  fine => Counter make\n",
        ),
        "Counter renameTo: Tally",
        expect![[r#"
            site src/broken.bt:3:11 expression Broken>>fine: Counter -> Tally
            site src/counter.bt:1:17 declaration Counter: Counter -> Tally
            not searched src/broken.bt:2:13: expected an expression, found the declaration at `fine`
        "#]],
    );
}

#[test]
fn there_and_back_gives_the_same_bytes() {
    let before =
        with("//- /src/use.bt\nCounter subclass: Use\n  go: c :: Counter => #(Counter make, c)\n");
    let there = planned(&before, "Counter renameTo: Tally");
    let back = planned(&after_text(&there), "Tally renameTo: Counter");
    assert_eq!(after_text(&back), before);
}

#[test]
fn cr_20_the_manifest_names_the_class_where_a_key_binds_one() {
    let before = with(
        "\
//- /beamtalk.toml
# Counter is started first.
[package]
name = \"app\" # the Counter app
description = \"Counter and more\"

[application]
supervisor = \"Counter\"
",
    );
    check(
        &before,
        "Counter renameTo: Tally",
        expect![[r#"
        //- /beamtalk.toml
        # Counter is started first.
        [package]
        name = "app" # the Counter app
        description = "Counter and more"

        [application]
        supervisor = "Tally"
        //- /src/tally.bt
        Actor subclass: Tally
          state: value = 0

          increment => self.value := self.value + 1
          getValue => self.value
          class make => self spawn
    "#]],
    );
    check_report(
        &before,
        "Counter renameTo: Tally",
        expect![[r#"
        site beamtalk.toml:7:15 manifest manifest: Counter -> Tally
        site src/counter.bt:1:17 declaration Counter: Counter -> Tally
        prose 3 in 1 files
    "#]],
    );
}
