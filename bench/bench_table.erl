%% @doc Prints rows as one table and keeps them as JSON.
-module(bench_table).

-export([print/1, save/1]).

-define(HEADS, ["what", "size", "ours", "reference", "ratio", "target", ""]).

%% @doc Prints the table; columns are as wide as their longest text.
-spec print([bench:row()]) -> ok.
print(Rows) ->
    Lines = [?HEADS | [cells(Row) || Row <- Rows]],
    Widths = [width(N, Lines) || N <- lists:seq(1, length(?HEADS))],
    lists:foreach(
        fun(Line) ->
            Cells = lists:zipwith(fun string:pad/2, Line, Widths),
            io:put_chars([string:trim(lists:join("  ", Cells), trailing), $\n])
        end,
        Lines
    ).

width(N, Lines) -> lists:max([string:length(lists:nth(N, Line)) || Line <- Lines]).

cells(Row) ->
    #{what := What, size := Size, ours := Ours, reference := Reference, target := Target} = Row,
    [What, Size, figure(Ours), reference(Reference), ratio_text(ratio(Row)), target(Target),
        verdict(Row)].

reference(none) -> "-";
reference({Name, Figure}) -> [figure(Figure), " (", Name, ")"].

target(none) -> "-";
target({at_most, N, Unit}) -> ["<= ", figure({N, Unit})];
target({at_least, N, Unit}) -> [">= ", figure({N, Unit})];
target({times_reference, N}) when N >= 1 -> io_lib:format("<= ~s x", [short(N)]);
target({times_reference, N}) -> io_lib:format("1/~s", [short(1 / N)]).

ratio_text(none) -> "-";
ratio_text(Ratio) when Ratio >= 1 -> io_lib:format("~s x", [short(Ratio)]);
ratio_text(Ratio) -> io_lib:format("1/~s", [short(1 / max(Ratio, 1.0e-9))]).

ratio(#{reference := none}) -> none;
ratio(#{reference := {_, {Reference, _}}, ours := {Ours, _}}) -> Ours / max(Reference, 1.0e-9).

verdict(#{target := none}) -> "";
verdict(Row) ->
    case is_met(Row) of
        true -> "met";
        false -> "SHORT"
    end.

is_met(#{target := {at_most, Most, _}, ours := {Ours, _}}) -> Ours =< Most;
is_met(#{target := {at_least, Least, _}, ours := {Ours, _}}) -> Ours >= Least;
is_met(#{target := {times_reference, Times}} = Row) -> ratio(Row) =< Times.

figure({N, ns}) when N < 1.0e3 -> [short(N), " ns"];
figure({N, ns}) when N < 1.0e6 -> [short(N / 1.0e3), " us"];
figure({N, ns}) when N < 1.0e9 -> [short(N / 1.0e6), " ms"];
figure({N, ns}) -> [short(N / 1.0e9), " s"];
figure({N, mb_s}) -> [short(N), " MB/s"];
figure({N, bytes}) -> [short(N), " B"];
figure({N, times}) -> [short(N), " x"].

short(N) when N >= 100 -> integer_to_list(round(N));
short(N) when N >= 10 -> float_to_list(float(N), [{decimals, 1}]);
short(N) -> float_to_list(float(N), [{decimals, 2}, compact]).

%% @doc Writes the rows beside the earlier runs; answers the file's name.
-spec save([bench:row()]) -> file:filename().
save(Rows) ->
    Seconds = erlang:system_time(second),
    Name = filename:join(["bench", "results", integer_to_list(Seconds) ++ ".json"]),
    Run = #{
        at => Seconds,
        otp => list_to_binary(erlang:system_info(otp_release)),
        schedulers => erlang:system_info(schedulers_online),
        quick => bench:is_quick(),
        rows => [json(Row) || Row <- Rows]
    },
    ok = file:write_file(Name, btr_nif:json_encode(Run)),
    Name.

json(#{what := What, size := Size, ours := {Ours, Unit}, target := Target} = Row) ->
    maps:merge(
        #{
            what => text(What),
            size => text(Size),
            ours => Ours,
            unit => atom_to_binary(Unit),
            target => text(target(Target)),
            verdict => text(verdict(Row))
        },
        json_reference(Row)
    ).

json_reference(#{reference := none}) -> #{};
json_reference(#{reference := {Name, {Figure, _}}} = Row) ->
    #{reference => Figure, reference_is => text(Name), ratio => ratio(Row)}.

text(Chars) -> unicode:characters_to_binary(Chars).
