//! Rules of docs/receiver-types.md, each by its number.

use super::index;
use crate::types::Relation;
use bt_syntax::Side;
use expect_test::{expect, Expect};

/// Classes that the rules are tried on: sends of `m` are judged by whether they reach Counter's.
const WORLD: &str = "\
//- /lib/all.bt stdlib
nil subclass: Object
  yourself -> Self => self
  printString -> String => nil
Object subclass: Behaviour
  name -> Symbol => nil
Behaviour subclass: Class
Object subclass: Value
Object subclass: Actor
Object subclass: UndefinedObject
Object subclass: String
Object subclass: Symbol
Object subclass: Integer
Object subclass: Boolean
Object subclass: Block
Object subclass: Collection(E)
  first -> E => nil
  select: block :: Block -> Self => nil
Collection(E) subclass: List(E)
Collection(V) subclass: Dictionary(K, V)
  at: key :: K -> V => nil
//- /counter.bt
Actor subclass: Counter
  state: next :: Counter | nil = nil
  state: any = nil
  classState: shared :: Counter = nil
  m => 1
  twin -> Counter => self
  untyped => self
  me -> Self => self
  my -> Self class => nil
  class make -> Counter => self spawn
  class fresh => self spawn
//- /fast.bt
Counter subclass: Fast
  other => 1
//- /faster.bt
Fast subclass: Faster
  m => 2
//- /timer.bt
Object subclass: Timer
  m => 1
  counter -> Counter => nil
  each: block :: Block(Counter, nil) => nil
//- /point.bt
Value subclass: Point
  field: c :: Counter
  field: t :: Timer
//- /named.bt
Protocol define: Counting
  m -> Integer
  twin -> Counter
Protocol define: Sized
  size -> Integer
type Ticker = Counter | Timer
type Alias = Counter
";

/// Judges the sends of `m` in the methods of a class `Use`, in order: one word each.
#[track_caller]
fn check(methods: &str, expected: Expect) {
    let lines: String = methods.lines().map(|line| format!("  {line}\n")).collect();
    check_text(&format!("//- /use.bt\nObject subclass: Use\n{lines}"), expected);
}

#[track_caller]
fn check_text(text: &str, expected: Expect) {
    check_side(text, Side::Instance, expected);
}

#[track_caller]
fn check_side(text: &str, side: Side, expected: Expect) {
    let index = index(&format!("{WORLD}{text}"));
    let class = index.find_class("Counter").unwrap();
    let mut out = String::new();
    for (entry, fact) in index.send_facts("m") {
        if &*entry.file != "use.bt" {
            continue;
        }
        out.push_str(&match index.reach(entry, fact, class, side) {
            Relation::Certain(why) => format!("certain: {why}\n"),
            Relation::Possible(why) => format!("possible: {why}\n"),
            Relation::Unrelated => "unrelated\n".to_owned(),
            Relation::OtherSide => "other side\n".to_owned(),
            Relation::Module => "module\n".to_owned(),
        });
    }
    expected.assert_eq(&out);
}

#[test]
fn r01_literals() {
    check(
        "a => 3 m. \"x\" m. #s m. true m. nil m. #(1) m. #{#a => 1} m. [1] m",
        expect![[r#"
        unrelated
        unrelated
        unrelated
        unrelated
        unrelated
        unrelated
        unrelated
        unrelated
    "#]],
    );
}

#[test]
fn r02_self_and_super() {
    check_text(
        "//- /use.bt\nCounter subclass: Use\n  a => self m\n  b => super m\n  c => (self) m\n",
        expect![[r#"
        certain: sent to self
        certain: sent to super
        certain: the receiver's type is Use
    "#]],
    );
    check_text(
        "//- /use.bt\nTimer subclass: Use\n  a => self m\n  b => super m\n  c => (self) m\n",
        expect![[r#"
        unrelated
        unrelated
        unrelated
    "#]],
    );
    check_text(
        "//- /use.bt\nFaster subclass: Use\n  a => self m\n  b => super m\n",
        expect![[r#"
        unrelated
        unrelated
    "#]],
    );
    check_text(
        "//- /use.bt\nCounter >> a => self m\nCounter class >> b => self m\nActor >> c => self m\n",
        expect![[r#"
        certain: sent to self
        other side
        possible: sent to self in Actor, above the class
    "#]],
    );
}

#[test]
fn r02_a_super_send_answers_what_the_superclass_declares() {
    check_text(
        "//- /use.bt\nCounter subclass: Use\n  twin -> Timer => nil\n  a => self twin m. super twin m\n",
        expect![[r#"
        unrelated
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r03_class_objects() {
    check(
        "a => Counter m. Timer m. Counter class m",
        expect![[r#"
        other side
        unrelated
        possible: the receiver's type is unknown
    "#]],
    );
    check_side(
        "//- /use.bt\nObject subclass: Use\n  a => Counter m. Timer m. Fast m. Counter new m. (Counter new) class m\n",
        Side::Class,
        expect![[r#"
            certain: the receiver is the class Counter
            unrelated
            certain: the receiver is the class Fast
            other side
            certain: the receiver is the class Counter
        "#]],
    );
}

#[test]
fn r04_constructors() {
    check(
        "a => Counter new m. Counter spawn m. (Counter spawnWith: #{}) m. Timer new m. Fast new m",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        unrelated
        certain: the receiver's type is Fast
    "#]],
    );
    check(
        "a => Counter make m. Counter fresh m",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a => (Point c: 1 t: 2) c m. (Point c: 1 t: 2) t m. ((Point c: 1 t: 2) withC: 3) c m",
        expect![[r#"
        certain: the receiver's type is Counter
        unrelated
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r05_annotated_parameters_and_locals() {
    check(
        "a: c :: Counter => c m\nb: t :: Timer => t m\nc: x => x m",
        expect![[r#"
        certain: the receiver's type is Counter
        unrelated
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a => c :: Counter := nil. c m",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
    check(
        "a => [:c :: Counter | c m]",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r06_assigned_locals() {
    check(
        "a =>\n  c := Counter new\n  c m\nb =>\n  c := Counter new\n  c := Fast new\n  c m",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]],
    );
    check("a =>\n  c := Counter new\n  c := Timer new\n  c m\nb: x =>\n  c := Counter new\n  c := x\n  c m", expect![[r#"
        possible: the receiver's type is Counter, or something else
        possible: the receiver's type is unknown
    "#]]);
    check(
        "a =>\n  c := nil\n  [c := Timer new] value\n  c m\nb =>\n  {c, d} := #(1)\n  c m",
        expect![[r#"
        unrelated
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a =>\n  c := c twin\n  c m",
        expect![[r#"
        possible: the receiver's type is unknown
    "#]],
    );
}

#[test]
fn r06_names_inside_others_and_of_blocks_are_others() {
    check(
        "a =>\n  c := Counter new\n  {count, d} := #(1)\n  c m",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
    check(
        "a: xs =>\n  c := Counter new\n  xs do: [:c | c := 3]\n  c m",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
    check_text(
        "//- /use.bt\nObject subclass: Use\n  classState: c :: Counter = nil\n  class a: xs =>\n    \
         xs do: [:c | c := 3]\n    c m\n",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r07_fields() {
    check_text(
        "//- /use.bt\nObject subclass: Use\n  field: c :: Counter\n  field: t :: Timer\n  field: u\n  \
         classState: c :: Timer = nil\n  a => self.c m. self.t m. self.u m. c m\n  class b => self.c m\n",
        expect![[r#"
            certain: the receiver's type is Counter
            unrelated
            possible: the receiver's type is unknown
            certain: the receiver's type is Counter
            unrelated
        "#]],
    );
    check_text(
        "//- /use.bt\nCounter subclass: Use\n  a => self.next m. self.any m\n",
        expect![[r#"
        possible: the receiver's type is Counter, or something else
        possible: the receiver's type is unknown
    "#]],
    );
}

#[test]
fn r08_declared_returns() {
    check(
        "a: c :: Counter => c twin m. c untyped m. c me m. c twin twin me m",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]],
    );
    check(
        "a: f :: Fast => f me m. f twin m\nb: t :: Timer => t counter m",
        expect![[r#"
        certain: the receiver's type is Fast
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]],
    );
    check_side(
        "//- /use.bt\nObject subclass: Use\n  a: c :: Counter => c my m\n",
        Side::Class,
        expect![[r#"
        certain: the receiver is the class Counter
    "#]],
    );
}

#[test]
fn r08_an_extension_answers_before_the_body() {
    check_text(
        "//- /use.bt\nObject subclass: Use\n  a: c :: Counter => c twin m\n\
         //- /zz.bt\nCounter >> twin -> Timer => nil\n",
        expect![[r#"
        unrelated
    "#]],
    );
}

#[test]
fn r09_cascades() {
    check("a => Counter new yourself; m; m\nb => (Counter new twin; yourself) m\nc => (Timer new yourself; counter) m", expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]]);
}

#[test]
fn r10_unions_intersections_differences_and_aliases() {
    check("a: x :: Counter | Fast => x m\nb: x :: Counter | Timer => x m\nc: x :: Timer | String => x m", expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is Counter, or something else
        unrelated
    "#]]);
    check("a: x :: Counter | nil => x m\nb: x :: Counter & Sized => x m\nc: x :: Timer & Sized => x m", expect![[r#"
        possible: the receiver's type is Counter, or something else
        certain: the receiver's type is Counter
        unrelated
    "#]]);
    check(
        "a: x :: Alias => x m\nb: x :: Ticker => x m\nc: x :: Counter \\ Fast => x m",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is Counter, or something else
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r11_protocols() {
    check(
        "a: x :: Counting => x m\nb: x :: Sized => x m\nc: x :: Counting => x twin m",
        expect![[r#"
        possible: the receiver conforms to Counting
        unrelated
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r12_generics() {
    check("a: xs :: List(Counter) => xs first m\nb: xs :: List(Timer) => xs first m\nc: xs :: List => xs first m", expect![[r#"
        certain: the receiver's type is Counter
        unrelated
        possible: the receiver's type is unknown
    "#]]);
    check(
        "a: d :: Dictionary(Symbol, Counter) => (d at: #x) m. d first m",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]],
    );
    check(
        "a: xs :: List(Counter) => (xs select: [:c | c m]) first m",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r13_block_parameters() {
    check(
        "a: xs :: List(Counter) => xs do: [:c | c m]. xs inject: 0 into: [:acc :c | c m. acc m]",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a => #(Counter new, Fast new) do: [:c | c m]\nb => #(Counter new, 3) do: [:c | c m]",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is Counter, or something else
    "#]],
    );
    check(
        "a: t :: Timer => t each: [:c | c m]\nb: xs => xs do: [:c | c m]",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a: xs :: List(Counter) => xs do: [:c | c := 3. c m]",
        expect![[r#"
        possible: the receiver's type is unknown
    "#]],
    );
}

#[test]
fn r13_a_block_handed_to_a_class() {
    check_text(
        "//- /use.bt\nObject subclass: Use\n  class each: block :: Block(Counter, nil) => nil\n  \
         a => Use each: [:c | c m]\n",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
}

#[test]
fn r14_match_arms() {
    check(
        "a: x => x match: [c :: Counter -> c m; t :: Timer -> t m; other -> other m]",
        expect![[r#"
        certain: the receiver's type is Counter
        unrelated
        possible: the receiver's type is unknown
    "#]],
    );
    check(
        "a: x => x match: [c :: Counter when: [c m] -> 1]",
        expect![[r#"
        certain: the receiver's type is Counter
    "#]],
    );
    check(
        "a: x => x match: [c :: Counter -> [c := 3. c m] value]",
        expect![[r#"
        possible: the receiver's type is unknown
    "#]],
    );
}

#[test]
fn r15_narrowing() {
    check(
        "a: x => (x isKindOf: Counter) ifTrue: [x m] ifFalse: [x m]. x m",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
        possible: the receiver's type is unknown
    "#]],
    );
    check("a: x => (x class =:= Timer) ifTrue: [x m]\nb: x => (x isKindOf: Counter) ifTrue: [x := 3. x m]", expect![[r#"
        unrelated
        possible: the receiver's type is unknown
    "#]]);
    check("a: x :: Counter | nil =>\n  x isNil ifTrue: [^nil]\n  x m\nb: x :: Counter | nil => x notNil ifTrue: [x m]", expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
    "#]]);
    check("a: x :: Counter | nil => x ifNotNil: [:c | c m]. x isNil ifFalse: [x m]. x isNil ifTrue: [x m]", expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        possible: the receiver's type is Counter, or something else
    "#]]);
    check(
        "a => [1] on: Timer do: [:e | e m]",
        expect![[r#"
        unrelated
    "#]],
    );
}

#[test]
fn r16_casts_and_class_and_timeouts() {
    check(
        "a => (Counter new withTimeout: 5) m. Counter new class new m. Counter new class name m",
        expect![[r#"
        certain: the receiver's type is Counter
        certain: the receiver's type is Counter
        unrelated
    "#]],
    );
}

#[test]
fn r17_lines_of_ancestors() {
    check(
        "a: x :: Fast => x m\nb: x :: Faster => x m\nc: x :: Actor => x m\nd: x :: Object => x m",
        expect![[r#"
        certain: the receiver's type is Fast
        unrelated
        possible: the receiver's type is Actor, which may be one below it
        possible: the receiver's type is Object, which may be one below it
    "#]],
    );
}

#[test]
fn r18_erlang_modules() {
    check(
        "a =>\n  p := Erlang lists\n  p m. Erlang lists m. (Erlang lists) m",
        expect![[r#"
        module
        module
        module
    "#]],
    );
}

#[test]
fn r19_shadowed_self() {
    check_text(
        "//- /use.bt\nCounter subclass: Use\n  a: self => self m\n  b: self :: Timer => self m\n",
        expect![[r#"
        possible: the receiver's type is unknown
        unrelated
    "#]],
    );
    check_text("//- /use.bt\nCounter subclass: Use\n  a => [:self | self m]\n  b: xs :: List(Timer) => xs do: [:self | self m]\n", expect![[r#"
        possible: the receiver's type is unknown
        unrelated
    "#]]);
}

#[test]
fn r20_statements_outside_of_definitions() {
    check_text(
        "//- /use.bt\nc := Counter new\nc m\nd m\n",
        expect![[r#"
        certain: the receiver's type is Counter
        possible: the receiver's type is unknown
    "#]],
    );
}
