//! The conformance catalogue of the language reference, section 5: every input with its facts, as
//! that document gives them; where it gives none, or upstream's reading with advice to do better,
//! what a good tool should find. Tokens and errors of each input are in `catalogue.txt`, to be
//! reviewed there (`UPDATE_EXPECT=1` writes it anew).

use super::facts::facts;
use crate::parse;
use expect_test::expect_file;
use std::fmt::Write as _;

struct Case {
    id: &'static str,
    input: &'static str,
    facts: &'static str,
}

const fn case(id: &'static str, input: &'static str, facts: &'static str) -> Case {
    Case { id, input, facts }
}

const CASES: &[Case] = &[
    case(
        "C01",
        "fuel-1",
        "",
    ),
    case(
        "C02",
        "fuel - 1 - -1",
        "send -[5-6] · send -[9-10]",
    ),
    case(
        "C03",
        "#[1,-2]",
        "send ,-[3-5]",
    ),
    case(
        "C04",
        "1_000",
        "send _000[1-5]",
    ),
    case(
        "C05",
        "-16rFF",
        "send rFF[3-6]",
    ),
    case(
        "C06",
        "7even",
        "send ven[2-5]",
    ),
    case(
        "C07",
        "fuel +// lit\n3\n",
        "send +//[5-8]",
    ),
    case(
        "C08",
        "#at:put",
        "sym #at:put[0-7]",
    ),
    case(
        "C09",
        "#Ferry::Dock",
        "sym #Ferry:[0-7] · ERROR[7-8] · send Dock[8-12]",
    ),
    case(
        "C10",
        "#(#'it''s', #'>>', #'Ferry class', #-> , #=>)",
        "sym #it's[2-10] · sym #>>[12-17] · sym #Ferry class[19-33] · sym #->[35-38] · sym #=>[41-44]",
    ),
    case(
        "C11",
        "#(#+, #-)",
        "sym #+,[2-5] · ERROR[6-8]",
    ),
    case(
        "C12",
        "#[$\", $}, ${, $', $/, $ ]",
        "",
    ),
    case(
        "C13",
        "log note: \"http://x /* no */ // no\" size",
        "send note:[4-9] · send size[36-40]",
    ),
    case(
        "C14",
        "\"a \"\"b\"\" \\\"c\\\" \\{d\\}\" size",
        "send size[22-26]",
    ),
    case(
        "C15",
        "log note: \"Object subclass: Ferry\n  dock => 1\n\"\nlog flush\n",
        "send note:[4-9] · send flush[52-57]",
    ),
    case(
        "C16",
        "\"{fleet at: \"n{k}\" put: \"}\"}!\" size",
        "send at:put:[8-11,19-23] · send size[31-35]",
    ),
    case(
        "C17",
        "\"{dock /* } */ at: $} put: 2}\"",
        "send at:put:[15-18,22-26]",
    ),
    case(
        "C18",
        "a /* one /* two */ b",
        "send b[19-20]",
    ),
    case(
        "C19",
        "a sail /* x\n y */ dock\n",
        "send sail[2-6]",
    ),
    case(
        "C20",
        "\"é🌍\" sail; dock: 1",
        "send sail[9-13] · cascade dock:[15-20]",
    ),
    case(
        "C21",
        "日 := 3\n",
        "ERROR[0-3]",
    ),
    case(
        "C22",
        "Object subclass: Ferry\r\n  sail =>\r\n    fleet at: 1\r\n      put: 2\r\n  dock => 3\r\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[26-30] span[26-64] · send at:put:[45-48,58-62] · def inst dock[68-72] span[68-77]",
    ),
    case(
        "C23",
        "\u{FEFF}Object subclass: Ferry\n  sail => 1\n",
        "super Object[3-9] · declclass Ferry[20-25] · def inst sail[28-32] span[28-37]",
    ),
    case(
        "C24",
        "a\u{A0}b",
        "ERROR[1-3] · send b[3-4]",
    ),
    case(
        "C25",
        "a->b>>c",
        "send ->[1-3] · send >>[4-6]",
    ),
    case(
        "C26",
        "pier@Ferry dock: pier@Ferry class",
        "pkg pier[0-4] · class Ferry[5-10] · send dock:[11-16] · pkg pier[17-21] · class Ferry[22-27] · send class[28-33]",
    ),
    case(
        "C27",
        "pier @Ferry",
        "ERROR[5-11]",
    ),
    case(
        "C28",
        "a sail\nb dock\n  at: 1\n  + 2\nc\n",
        "send sail[2-6] · send dock[9-13] · send at:[16-19] · send +[24-25]",
    ),
    case(
        "C29",
        "a sail\n  -3\n",
        "send sail[2-6]",
    ),
    case(
        "C30",
        "a sail\n  - 3\n",
        "send sail[2-6] · send -[9-10]",
    ),
    case(
        "C31",
        "a.b c.d",
        "field b[2-3] · send c[4-5]",
    ),
    case(
        "C32",
        "(a).b",
        "",
    ),
    case(
        "C33",
        "a  .b",
        "field b[4-5]",
    ),
    case(
        "C34",
        "fleet // first\n  at: 1 // key\n  // between\n  put: 2 // value\n",
        "send at:put:[17-20,45-49]",
    ),
    case(
        "C35",
        "Ferry new\n  sail; // a\n  // b\n  dock: 1\n    at: 2;\n  yourself\n",
        "class Ferry[0-5] · send new[6-9] · cascade dock:at:[32-37,44-47] · cascade yourself[53-61]",
    ),
    case(
        "C36",
        "Object subclass: Ferry\n  sail =>\n    fleet at: 1\n        put: 2\n      zip: 3\n  dock => 4\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-76] · send at:put:[43-46,57-61] · ERROR[70-74] · def inst dock[79-83] span[79-88]",
    ),
    case(
        "C37",
        "Object subclass: Ferry\n  sail =>\n  fleet at: 1\n  self dock\n  dock => 4\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-58] · send at:[41-44] · selfsend dock[54-58] · def inst dock[61-65] span[61-70]",
    ),
    case(
        "C38",
        "Object subclass: Ferry\n    sail => 1\n    dock: x => x\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[27-31] span[27-36] · def inst dock:[41-46] span[41-53]",
    ),
    case(
        "C39",
        "Object subclass: Ferry\n\tsail =>\n\t\tfleet at: 1\n\t\t\tput: 2\n\tdock => 3\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[24-28] span[24-55] · send at:put:[40-43,49-53] · def inst dock[57-61] span[57-66]",
    ),
    case(
        "C40",
        "Actor subclass: Ferry\n  state: fuel = Ledger at: 1\n  state: load = 2\n",
        "super Actor[0-5] · declclass Ferry[16-21] · declfield fuel[31-35] · class Ledger[38-44] · send at:[45-48] · declfield load[60-64]",
    ),
    case(
        "C41",
        "Value subclass: Ferry\n  field: cap :: Integer\n  & other => other\n",
        "super Value[0-5] · declclass Ferry[16-21] · declfield cap[31-34] · type Integer[38-45] · def inst &[48-49] span[48-64]",
    ),
    case(
        "C42",
        "Object subclass: Ferry\n  sail => self dock\n\nf := Ferry new\nf sail\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-42] · selfsend dock[38-42] · class Ferry[49-54] · send new[55-58] · send sail[61-65]",
    ),
    case(
        "C43",
        "Object subclass: Ferry\n  sail => 1. dock => 2\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-34] · def inst dock[36-40] span[36-45]",
    ),
    case(
        "C44",
        "Object subclass: Ferry\n  sail =>\n    a := 1.\n    dock => 2\n  moor => 3\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-43] · def inst dock[49-53] span[49-58] · def inst moor[61-65] span[61-70]",
    ),
    case(
        "C45",
        "Object subclass: Ferry\n\nObject subclass: Barge\n",
        "super Object[0-6] · declclass Ferry[17-22] · super Object[24-30] · declclass Barge[41-46]",
    ),
    case(
        "C46",
        "Object subclass: Ferry\n  sail => 1 // t1\n  // own line\n\n  /// doc for dock\n  @expect type \"legacy\"\n  class dock => 2 /* t2 */\n  // last\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-34] · def cls dock[107-111] span[101-116]",
    ),
    case(
        "C47",
        "Object subclass: Ferry\n  sail =>\n  dock: x =>\n\n  // c\n  moor => 3\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-32] · def inst dock:[35-40] span[35-45] · def inst moor[56-60] span[56-65]",
    ),
    case(
        "C48",
        "sealed typed abstract internal Object subclass: Ferry(T, E :: Wick) native: ferry_mod // h\n  handleScope: #node\n  sail -> T => self delegate\n",
        "super Object[31-37] · declclass Ferry[48-53] · tparam T[54-55] · tparam E[57-58] · bound Wick[62-66] · def inst sail[114-118] span[114-140] · type T[122-123] · selfsend delegate[132-140]",
    ),
    case(
        "C49",
        "Fleet(List(E), Ferry class) subclass: Pool(E, Ferry)\n  take -> Ferry => self first\n",
        "super Fleet[0-5] · type List[6-10] · type E[11-12] · metatype Ferry[15-20] · declclass Pool[38-42] · tparam E[43-44] · tparam Ferry[46-51] · def inst take[55-59] span[55-82] · type Ferry[63-68] · selfsend first[77-82]",
    ),
    case(
        "C50",
        "nil subclass: Root\n  sail => 1\n",
        "declclass Root[14-18] · def inst sail[21-25] span[21-30]",
    ),
    case(
        "C51",
        "pier@Ferry subclass: Tug\n  pull => super pull\n",
        "pkg pier[0-4] · super Ferry[5-10] · declclass Tug[21-24] · def inst pull[27-31] span[27-45] · supersend pull[41-45]",
    ),
    case(
        "C52",
        "Object subclass: Ferry\n  class => 1\n  class class -> Self class => 2\n  internal => 3\n  internal class internal: x => x\n  type => 5\n  state => 6\n  sealed: x => x\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst class[25-30] span[25-35] · def cls class[44-49] span[38-68] · def inst internal[71-79] span[71-84] · def cls internal:[102-111] span[87-118] · def inst type[121-125] span[121-130] · def inst state[133-138] span[133-143] · def inst sealed:[146-153] span[146-160]",
    ),
    case(
        "C53",
        "Object subclass: Ferry\n  sail => 1\n  sealed => 2\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-34]",
    ),
    case(
        "C54",
        "Object subclass: Ferry\n  Ferry => self Ferry\n  new: Ferry => Ferry\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst Ferry[25-30] span[25-44] · selfsend Ferry[39-44] · def inst new:[47-51] span[47-66] · class Ferry[61-66]",
    ),
    case(
        "C55",
        "Object subclass: Ferry\n  + other => 1\n  -> other => 2\n  >> other => 3\n  , other => 4\n  ~= other => 5\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst +[25-26] span[25-37] · def inst ->[40-42] span[40-53] · def inst >>[56-58] span[56-69] · def inst ,[72-73] span[72-84] · def inst ~=[87-89] span[87-100]",
    ),
    case(
        "C56",
        "Object subclass: Ferry\n  at: x :: Integer // key\n    // more\n    put: y :: String\n    -> Ledger\n    =>\n      y\n  next -> Ferry\n    =>\n    nil\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst at:put:[25-28,65-69] span[25-110] · type Integer[34-41] · type String[75-81] · type Ledger[89-95] · def inst next[113-117] span[113-141] · type Ferry[121-126]",
    ),
    case(
        "C57",
        "Object subclass: Ferry\n  twin -> Ferry\n  =>\n    Ferry new\n  class build -> Ferry class => Ferry\n  make -> Ferry\n  => 1\n  class other => 2\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst twin[25-29] span[25-57] · type Ferry[33-38] · class Ferry[48-53] · send new[54-57] · def cls build[66-71] span[60-95] · metatype Ferry[75-80] · class Ferry[90-95] · def inst make[98-102] span[98-118] · type Ferry[106-111] · def cls other[127-132] span[121-137]",
    ),
    case(
        "C58",
        "typed Object subclass: Ferry\n  f: a :: Integer | #inf | (Symbol \\ #x) | List(Barge | nil) | Block(A, B class, Result(Self, Error)) -> Result(T, Self) => a\n",
        "super Object[6-12] · declclass Ferry[23-28] · def inst f:[31-33] span[31-154] · type Integer[39-46] · symtype #inf[49-53] · type Symbol[57-63] · symtype #x[66-68] · type List[72-76] · type Barge[77-82] · type nil[85-88] · type Block[92-97] · type A[98-99] · metatype B[101-102] · type Result[110-116] · type Error[123-128] · type Result[134-140] · type T[141-142]",
    ),
    case(
        "C59",
        "Object subclass: Ferry\n  f: a :: (Barge) -> ((Ferry)) => a\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst f:[25-27] span[25-58] · type Barge[34-39] · type Ferry[46-51]",
    ),
    case(
        "C60",
        "Object subclass: Ferry\n  f: a :: pier@Barge => a\n  g => 1\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst f:[25-27] span[25-48] · pkg pier[33-37] · type Barge[38-43] · def inst g[51-52] span[51-57]",
    ),
    case(
        "C61",
        "Actor subclass: Ferry\n  state: a :: Dictionary(Symbol, Barge) = #{#k => Barge new}\n  classState: b = [:x | x sail]\n  state: c\n  sail => self.a at: #k put: c\n",
        "super Actor[0-5] · declclass Ferry[16-21] · declfield a[31-32] · type Dictionary[36-46] · type Symbol[47-53] · type Barge[55-60] · sym #k[66-68] · class Barge[72-77] · send new[78-81] · declfield b[97-98] · send sail[109-113] · declfield c[124-125] · def inst sail[128-132] span[128-156] · field a[141-142] · send at:put:[143-146,150-154] · sym #k[147-149]",
    ),
    case(
        "C62",
        "Object subclass: Ferry\n  f: x : Integer => x\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst f:[25-27] span[25-44] · type Integer[32-39]",
    ),
    case(
        "C63",
        "Ferry >> sail => 1\nFerry class >> build: n :: Integer -> Ferry => 2\npier@Ferry >> + o :: Ferry => 3\nFerry class>>class => 4\nFerry >> internal dock => 5\n",
        "ext Ferry[0-5] · def ext-inst sail[9-13] span[9-18] · ext Ferry[19-24] · def ext-cls build:[34-40] span[34-67] · type Integer[46-53] · type Ferry[57-62] · pkg pier[68-72] · ext Ferry[73-78] · def ext-inst +[82-83] span[82-99] · type Ferry[89-94] · ext Ferry[100-105] · def ext-cls class[113-118] span[113-123] · ext Ferry[124-129] · def ext-inst dock[142-146] span[133-151]",
    ),
    case(
        "C64",
        "Ferry >> names :: -> List(String) => 1\nFerry >> at: k :: String put: v :: Barge :: -> Ferry => 2\n",
        "ext Ferry[0-5] · def ext-inst names[9-14] span[9-38] · type List[21-25] · type String[26-32] · ext Ferry[39-44] · def ext-inst at:put:[48-51,64-68] span[48-96] · type String[57-63] · type Barge[74-79] · type Ferry[86-91]",
    ),
    case(
        "C65",
        "m := Ferry >> #sail\nc := Ferry class >> #build:\nFerry >> #sail source\n(Ferry >> #sail) source\n",
        "class Ferry[5-10] · send >>[11-13] · sym #sail[14-19] · class Ferry[25-30] · send class[31-36] · send >>[37-39] · sym #build:[40-47] · class Ferry[48-53] · send >>[54-56] · sym #sail[57-62] · send source[63-69] · class Ferry[71-76] · send >>[77-79] · sym #sail[80-85] · send source[87-93]",
    ),
    case(
        "C66",
        "Ferry >> sail\n",
        "class Ferry[0-5] · send >>[6-8]",
    ),
    case(
        "C67",
        "Ferry >> -> o => 1\n",
        "ext Ferry[0-5] · def ext-inst ->[9-11] span[9-18]",
    ),
    case(
        "C68",
        "Protocol define: Movable(T :: Wick)\n  extending: Named\n  /// doc\n  sail: to :: Pier at: t -> Self\n  < other :: Self -> Boolean\n  speed\n    -> Integer\n  class parse: s :: String -> Self\n",
        "declproto Movable[17-24] · tparam T[25-26] · bound Wick[30-34] · extending Named[49-54] · req sail:at:[67-72,84-87] · type Pier[79-83] · req <[100-101] · type Boolean[119-126] · req speed[129-134] · type Integer[142-149] · req parse:[158-164] · type String[170-176]",
    ),
    case(
        "C69",
        "Protocol define: Movable\n  speed -> Integer\n\nFerry new\n",
        "declproto Movable[17-24] · req speed[27-32] · type Integer[36-43] · class Ferry[45-50] · send new[51-54]",
    ),
    case(
        "C70",
        "type Cargo = Ferry | List(Barge) \\ #none // c\ninternal type Slot = Cargo & Named\ntype := 5\nx type\n",
        "declalias Cargo[5-10] · type Ferry[13-18] · type List[21-25] · type Barge[26-31] · symtype #none[35-40] · declalias Slot[60-64] · type Cargo[67-72] · type Named[75-80] · send type[93-97]",
    ),
    case(
        "C71",
        "a at: b sail put: c + d * 2",
        "send at:put:[2-5,13-17] · send sail[8-12] · send +[20-21] · send *[24-25]",
    ),
    case(
        "C72",
        "a at: (b at: 1) put: [:x | x at: 2]",
        "send at:put:[2-5,16-20] · send at:[9-12] · send at:[29-32]",
    ),
    case(
        "C73",
        "k -> v == 1 + 2 * 3 ** 2 ** x sail",
        "send ->[2-4] · send ==[7-9] · send +[12-13] · send *[16-17] · send **[20-22] · send **[25-27] · send sail[30-34]",
    ),
    case(
        "C74",
        "a & b",
        "send &[2-3]",
    ),
    case(
        "C75",
        "a sail; & b; , c",
        "send sail[2-6] · cascade &[8-9] · cascade ,[13-14]",
    ),
    case(
        "C76",
        "a sail dock: b; moor; + 1; at: 2 put: 3",
        "send sail[2-6] · send dock:[7-12] · cascade moor[16-20] · cascade +[22-23] · cascade at:put:[27-30,33-37]",
    ),
    case(
        "C77",
        "a sail + b dock; moor",
        "send sail[2-6] · send +[7-8] · send dock[11-15] · cascade moor[17-21]",
    ),
    case(
        "C78",
        "(a sail); dock",
        "send sail[3-7] · cascade dock[10-14]",
    ),
    case(
        "C79",
        "out show: \"n={fleet at: k put: v}\"; cr; show: \"{fleet size}\"",
        "send show:[4-9] · send at:put:[20-23,26-30] · cascade cr[36-38] · cascade show:[40-45] · send size[54-58]",
    ),
    case(
        "C80",
        "\"{a sail; dock}\"",
        "send sail[4-8] · ERROR[8-14]",
    ),
    case(
        "C81",
        "a sail!\nb dock: c moor!\n",
        "send! sail[2-6] · send! dock:[10-15] · send moor[18-22]",
    ),
    case(
        "C82",
        "super at: 1 put: super size",
        "supersend at:put:[6-9,12-16] · supersend size[23-27]",
    ),
    case(
        "C83",
        "super sail; dock",
        "supersend sail[6-10] · cascade dock[12-16]",
    ),
    case(
        "C84",
        "self sail; dock: self moor",
        "selfsend sail[5-9] · cascade dock:[11-16] · selfsend moor[22-26]",
    ),
    case(
        "C85",
        "#{#open => [:self | self sail]}",
        "sym #open[2-7] · selfsend sail[25-29]",
    ),
    case(
        "C86",
        "self.hold.size + (self.n := self.n + 1)",
        "field hold[5-9] · field size[10-14] · send +[15-16] · field n[23-24] · field n[33-34] · send +[35-36]",
    ),
    case(
        "C87",
        "x :: Barge | nil := y sail\nz := [q :: List(Ferry) := y. q]\n",
        "type Barge[5-10] · type nil[13-16] · send sail[22-26] · type List[38-42] · type Ferry[43-48]",
    ),
    case(
        "C88",
        "{#ok, Result ok: v, _} := t\n#[a, ...rest] := t\n#(b, 1) := t\n#{#k => v, \"s\" => _} := t\n",
        "sym #ok[1-4] · patctor Result[6-12] · patsel ok:[13-16] · sym #k[62-64]",
    ),
    case(
        "C89",
        "x match: [\n  Result ok: v when: [v > 1] -> v sail; Result error: _ -> ^nil\n  b :: Barge -> b dock\n  {#ok, n} -> n\n  #[h, -1] -> h\n  #{#k => w} -> w\n  <<len:16/big, rest/binary>> -> rest\n  Ferry -> 1\n  _ -> self.n := 2\n]\n",
        "patctor Result[13-19] · patsel ok:[20-23] · send >[35-36] · send sail[45-49] · patctor Result[51-57] · patsel error:[58-64] · pattype Barge[82-87] · send dock[93-97] · sym #ok[101-104] · sym #k[134-136] · field n[211-212]",
    ),
    case(
        "C90",
        "x match: [\n  1 -> n\n  - 1 -> m\n]\n",
        "send -[22-23] · send ->[26-28]",
    ),
    case(
        "C91",
        "x match: aBlock\nx with: 1 match: [a -> b]\n",
        "send match:[2-8] · send with:match:[18-23,26-32] · send ->[36-38]",
    ),
    case(
        "C92",
        "#(Ferry Dock Pier)",
        "class Ferry[2-7] · send Dock[8-12] · send Pier[13-17]",
    ),
    case(
        "C93",
        "#{#a => Ferry new, (k) => #(1, 2 | t), \"s\" => x at: 1 put: 2}",
        "sym #a[2-4] · class Ferry[8-13] · send new[14-17] · send at:put:[48-51,54-58]",
    ),
    case(
        "C94",
        "x isKindOf: Ferry ifTrue: [1]",
        "send isKindOf:ifTrue:[2-11,18-25] · class Ferry[12-17]",
    ),
    case(
        "C95",
        "(Erlang lists) foldl: f acc: a list: l\nErlang crypto\nErlang class\n",
        "class Erlang[1-7] · send lists[8-13] · send foldl:acc:list:[15-21,24-28,31-36] · class Erlang[39-45] · send crypto[46-52] · class Erlang[53-59] · send class[60-65]",
    ),
    case(
        "C96",
        "a perform: #at:put: withArguments: #(1, 2)\na respondsTo: #sail\nFerry includesSelector: #+\n",
        "send perform:withArguments:[2-10,20-34] · sym #at:put:[11-19] · send respondsTo:[45-56] · sym #sail[57-62] · class Ferry[63-68] · send includesSelector:[69-86] · sym #+[87-89]",
    ),
    case(
        "C97",
        "Ferry == #Ferry",
        "class Ferry[0-5] · send ==[6-8] · sym #Ferry[9-15]",
    ),
    case(
        "C98",
        "Ferry fuel: 3 load: 4\nf withFuel: 9\nf fuel\n",
        "class Ferry[0-5] · send fuel:load:[6-11,14-19] · send withFuel:[24-33] · send fuel[38-42]",
    ),
    case(
        "C99",
        "b := Object classBuilder name: #Tug; superclass: Ferry; methods: #{#pull => [:s | s fuel]}; register",
        "class Object[5-11] · send classBuilder[12-24] · send name:[25-30] · sym #Tug[31-35] · cascade superclass:[37-48] · class Ferry[49-54] · cascade methods:[56-64] · sym #pull[67-72] · send fuel[84-88] · cascade register[92-100]",
    ),
    case(
        "C100",
        "x := Object subclass: #Tug",
        "class Object[5-11] · send subclass:[12-21] · sym #Tug[22-26]",
    ),
    case(
        "C101",
        "Ferry spawnWith: #{#fuel => 1}\nf fieldAt: #fuel put: 2\n",
        "class Ferry[0-5] · send spawnWith:[6-16] · sym #fuel[19-24] · send fieldAt:put:[33-41,48-52] · sym #fuel[42-47]",
    ),
    case(
        "C102",
        "p + q * r",
        "send +[2-3] · send *[6-7]",
    ),
    case(
        "C103",
        "a+b; c",
        "send +[1-2] · cascade c[5-6]",
    ),
    case(
        "C104",
        "x at: p + q",
        "send at:[2-5] · send +[8-9]",
    ),
    case(
        "C105",
        "Ferry class class name",
        "class Ferry[0-5] · send class[6-11] · send class[12-17] · send name[18-22]",
    ),
    case(
        "C106",
        "Object subclass: Ferry\n  sail =>\n    fleet do: [:y |\n      y dock\n  moor => 1\n  tow => 2\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-65] · send do:[43-46] · send dock[61-65] · def inst moor[68-72] span[68-77] · def inst tow[80-83] span[80-88]",
    ),
    case(
        "C107",
        "Object subclass: Ferry\n  sail => \"abc\n  dock => 1\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-37] · ERROR[33-37] · def inst dock[40-44] span[40-49]",
    ),
    case(
        "C108",
        "Object subclass: Ferry\n  sail => 3-2\n  dock => 1\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-36] · def inst dock[39-43] span[39-48]",
    ),
    case(
        "C109",
        "Object subclass: Ferry\n  sail\n    x dock\n  moor => 1\n",
        "super Object[0-6] · declclass Ferry[17-22] · def inst sail[25-29] span[25-40] · send dock[36-40] · def inst moor[43-47] span[43-52]",
    ),
    case(
        "C110",
        "=> 1\nObject subclass: Ferry\n  sail => 1\n",
        "ERROR[0-2] · super Object[5-11] · declclass Ferry[22-27] · def inst sail[30-34] span[30-39]",
    ),
    case(
        "C111",
        "log note: \"a {b\" size\n",
        "send note:[4-9] · ERROR[10-16] · send size[17-21]",
    ),
    case(
        "C112",
        "log note: 'old style' + 1",
        "send note:[4-9] · ERROR[10-21] · send +[22-23]",
    ),
    case(
        "C113",
        "a foo: ) bar: 2\nb sail\n",
        "send foo:bar:[2-6,9-13] · ERROR[7-8] · send sail[18-22]",
    ),
    case(
        "C114",
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))",
        "",
    ),
];

#[test]
fn every_input_of_the_catalogue_gives_its_facts() {
    let mut wrong = String::new();
    for case in CASES {
        let found = facts(case.input);
        if found != case.facts {
            let _ = writeln!(wrong, "{} {:?}", case.id, case.input);
            let _ = writeln!(wrong, "  expected {}\n  found    {found}", case.facts);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_catalogue_is_complete() {
    let ids: Vec<_> = CASES.iter().map(|case| case.id.to_owned()).collect();
    let expected: Vec<_> = (1..=114).map(|n| format!("C{n:02}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn every_input_of_the_catalogue_gives_its_tokens_and_errors() {
    let mut out = String::new();
    for case in CASES {
        let unit = parse(case.input);
        let tokens: Vec<_> = unit
            .tokens()
            .filter(|token| !token.kind().is_trivia())
            .map(|token| format!("{:?} {}", token.kind(), token.text().escape_debug()))
            .collect();
        let _ = writeln!(out, "{} {}", case.id, case.input.escape_debug());
        let _ = writeln!(out, "  {}", tokens.join(" ¦ "));
        for error in unit.errors() {
            let _ = writeln!(out, "  error {:?} {}: {}", error.span, error.code, error.message);
        }
    }
    expect_file!["catalogue.txt"].assert_eq(&out);
}
