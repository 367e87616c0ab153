%% @doc Generated Beamtalk for the benchmarks, the same on each run.
-module(bench_world).

-export([senders/1, senders/2, hot/0, absent/0, cold/0, class/2, loadable/1, sends/1]).

-define(SENDS_A_CLASS, 100).
-define(SELECTORS, 2000).

%% @doc Texts of classes with a hundred sends each: a tenth of them of one selector, the rest by
%% Zipf's law. Answers file and text.
-spec senders(pos_integer()) -> [{binary(), binary()}].
senders(Sites) -> senders(Sites, shared).

%% @doc The same with methods named alike in all classes, or each with a name of its own.
-spec senders(pos_integer(), shared | unique) -> [{binary(), binary()}].
senders(Sites, Names) ->
    Classes = Sites div ?SENDS_A_CLASS,
    Cumulated = zipf(?SELECTORS),
    {Files, _} = lists:mapfoldl(
        fun(N, Seed) ->
            IsCold = N rem (Classes div 5) =:= 0,
            class_of_senders(N, suffix(Names, N), IsCold, Cumulated, Seed)
        end,
        rand:seed_s(exsss, {7, 7, Sites}),
        lists:seq(1, Classes)
    ),
    Files.

%% @doc The same sends as the classes of `senders/1' hold, as class number and selector.
-spec sends([{binary(), binary()}]) -> [{pos_integer(), binary()}].
sends(Files) ->
    [
        {N, Selector}
     || {N, {_, Text}} <- lists:zip(lists:seq(1, length(Files)), Files),
        <<"    x ", Selector/binary>> <- binary:split(Text, <<"\n">>, [global])
    ].

%% @doc The selector with a tenth of all sends.
-spec hot() -> binary().
hot() -> <<"hot">>.

%% @doc A selector that is sent nowhere.
-spec absent() -> binary().
absent() -> <<"neverSent">>.

%% @doc A selector with five sends, whatever the size.
-spec cold() -> binary().
cold() -> <<"cold">>.

ranked(Rank) -> iolist_to_binary(["rank", integer_to_list(Rank)]).

suffix(shared, _) -> "";
suffix(unique, N) -> ["of", integer_to_list(N)].

class_of_senders(N, Suffix, IsCold, Cumulated, Seed0) ->
    {Methods, Seed} = lists:mapfoldl(
        fun(M, S) -> method([integer_to_list(M), Suffix], Cumulated, S) end,
        Seed0,
        lists:seq(1, 10)
    ),
    Name = ["Sender", integer_to_list(N)],
    Cold = [["  m: x =>\n    x ", cold(), $\n] || IsCold],
    Text = ["Object subclass: ", Name, $\n, Methods, Cold],
    {{iolist_to_binary(["src/sender", integer_to_list(N), ".bt"]), iolist_to_binary(Text)}, Seed}.

method(M, Cumulated, Seed0) ->
    {Sends, Seed} = lists:mapfoldl(
        fun(_, S) -> send(Cumulated, S) end, Seed0, lists:seq(1, ?SENDS_A_CLASS div 10)
    ),
    {["  m", M, ": x =>\n" | Sends], Seed}.

send(Cumulated, Seed0) ->
    {Dice, Seed1} = rand:uniform_s(Seed0),
    case Dice < 0.1 of
        true ->
            {["    x ", hot(), $\n], Seed1};
        false ->
            {Point, Seed} = rand:uniform_s(Seed1),
            {["    x ", ranked(rank(Point, Cumulated, 1, tuple_size(Cumulated))), $\n], Seed}
    end.

%% The shares of ranks by Zipf's law, summed up.
zipf(Ranks) ->
    Total = lists:sum([1 / R || R <- lists:seq(1, Ranks)]),
    {Shares, _} = lists:mapfoldl(
        fun(R, Sum) -> {Sum + 1 / R / Total, Sum + 1 / R / Total} end, 0.0, lists:seq(1, Ranks)
    ),
    list_to_tuple(Shares).

rank(_, _, Low, High) when Low >= High -> High;
rank(Point, Cumulated, Low, High) ->
    Middle = (Low + High) div 2,
    case element(Middle, Cumulated) >= Point of
        true -> rank(Point, Cumulated, Low, Middle);
        false -> rank(Point, Cumulated, Middle + 1, High)
    end.

%% @doc A class that runs, with so many small methods.
-spec class(unicode:chardata(), pos_integer()) -> binary().
class(Name, Methods) ->
    unicode:characters_to_binary([
        ["Object subclass: ", Name, $\n]
        | [
            ["  m", integer_to_list(M), " => self m", integer_to_list(M rem Methods + 1), " + ",
                integer_to_list(M), $\n]
         || M <- lists:seq(1, Methods)
        ]
    ]).

%% @doc Texts of classes that run, ten methods each, each a subclass of an earlier one.
-spec loadable(pos_integer()) -> [{binary(), binary()}].
loadable(Classes) ->
    [
        {
            iolist_to_binary(["src/loaded", integer_to_list(N), ".bt"]),
            loadable_class(N)
        }
     || N <- lists:seq(1, Classes)
    ].

loadable_class(N) ->
    iolist_to_binary([
        [superclass(N), " subclass: Loaded", integer_to_list(N), $\n]
        | [
            ["  m", integer_to_list(M), ": x =>\n    y := x + ", integer_to_list(M),
                "\n    #(1, 2, 3) do: [:each | y := y + each]\n    y > ", integer_to_list(N),
                " ifTrue: [y] ifFalse: [self m", integer_to_list(M rem 10 + 1), ": y]\n"]
         || M <- lists:seq(1, 10)
        ]
    ]).

%% A tree in which each class has five subclasses.
superclass(1) -> "Object";
superclass(N) -> ["Loaded", integer_to_list((N - 2) div 5 + 1)].
