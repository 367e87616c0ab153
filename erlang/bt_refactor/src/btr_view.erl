%% @doc What the command line and the prompt show: plans, sites, problems, diffs, as text for people
%% or as maps for JSON. Pure; colours only with the style `color'. Tested by `btr_cli_SUITE'.
-module(btr_view).

-export([check/4, check_map/2, problems/3, error/1, error_map/1]).
-export([sites/3, closure/3, plan/2, plan_map/1, candidate/2, diffs/3, written/1, next_step/3]).
-export([recovered/1]).
-export_type([style/0]).

-type style() :: plain | color.
-type texts() :: #{binary() => binary()}.

%% Problems.

%% @doc Shows problems and totals.
-spec check([btr_fileset:found()], map(), texts(), style()) -> iodata().
check(Problems, Totals, Texts, Style) ->
    [problems(Problems, Texts, Style), totals(Totals, count(error, Problems))].

%% @doc The same as a map for JSON.
-spec check_map([btr_fileset:found()], map()) -> map().
check_map(Problems, Totals) ->
    Rows = [
        (maps:with([file, line, col, message], Details))#{severity => Severity, code => Code}
     || {Severity, {btr, Code, Details}} <- Problems
    ],
    #{diagnostics => Rows, totals => Totals}.

count(Severity, Problems) -> length([x || {Found, _} <- Problems, Found =:= Severity]).

totals(Totals, Errors) ->
    #{files := Files, bytes := Bytes, methods := Methods, sends := Sends} = Totals,
    #{references := References, ms := Ms} = Totals,
    [
        lists:join(<<", ">>, [
            counted(Files, <<"file">>),
            counted(Bytes, <<"byte">>),
            counted(Methods, <<"method">>),
            counted(Sends, <<"send">>),
            counted(References, <<"reference">>),
            [integer_to_binary(Ms), <<" ms">>]
        ]),
        <<": ">>,
        case Errors of
            0 -> <<"no errors">>;
            _ -> counted(Errors, <<"error">>)
        end,
        $\n
    ].

%% @doc Shows problems, one line each; on a terminal with the source line and a caret below it.
-spec problems([btr_fileset:found()], texts(), style()) -> iodata().
problems(Problems, Texts, Style) -> [problem(Problem, Texts, Style) || Problem <- Problems].

problem({Severity, {btr, _, Details}}, Texts, Style) ->
    #{file := File, line := Line, col := Col, message := Message} = Details,
    [
        paint(bold, [place(File, Line, Col), <<": ">>], Style),
        paint(Severity, [atom_to_binary(Severity), <<":">>], Style),
        <<" ">>,
        Message,
        $\n,
        [[<<"    hint: ">>, Hint, $\n] || #{hint := Hint} <- [Details], Hint =/= nil],
        excerpt(File, Line, Col, Texts, Style)
    ].

%% Where only a terminal shows the line: programs read one line for each problem.
excerpt(File, Line, Col, Texts, color) ->
    case Texts of
        #{File := Text} ->
            Source = source_line(Text, Line),
            Number = integer_to_binary(Line),
            Gutter = binary:copy(<<" ">>, byte_size(Number)),
            [
                paint(dim, [<<" ">>, Number, <<" | ">>], color), Source, $\n,
                paint(dim, [<<" ">>, Gutter, <<" | ">>], color), margin(Source, Col),
                paint(error, <<"^">>, color), $\n
            ];
        _ ->
            []
    end;
excerpt(_, _, _, _, plain) ->
    [].

%% Tabs stay, so that the caret stands below its character.
margin(Source, Col) ->
    Before = string:slice(unicode:characters_to_list(Source), 0, Col - 1),
    [blank(C) || C <- lists:flatten(Before)].

blank($\t) -> $\t;
blank(_) -> $\s.

%% @doc Shows an error that stops a command: the message, the places that caused it, what to do.
-spec error(btr_error:error()) -> iodata().
error({btr, Code, Details} = Error) ->
    [
        at(Details),
        <<"error: ">>,
        btr_error:message(Error),
        <<" [">>,
        Code,
        <<"]\n">>,
        [
            [<<"    ">>, site_line(Site), $\n]
         || Site <- maps:get(places, Details, []) ++ maps:get(errors, Details, [])
        ],
        [[<<"    hint: ">>, Hint, $\n] || Hint <- [btr_error:hint(Error)], Hint =/= nil]
    ].

at(#{file := File, line := Line, col := Col}) -> [place(File, Line, Col), <<": ">>];
at(_) -> [].

site_line(#{file := File, line := Line, col := Col} = Site) ->
    [place(File, Line, Col), <<": ">>, what(Site)].

what(#{message := Message}) -> Message;
what(#{owner := Owner, kind := Kind, old := Old}) ->
    [Owner, <<": ">>, words(Kind), <<" of ">>, Old];
what(_) -> [].

%% @doc The same as a map for JSON.
-spec error_map(btr_error:error()) -> map().
error_map({btr, Code, Details} = Error) ->
    Places = maps:get(places, Details, []),
    Map = #{
        code => Code,
        message => btr_error:message(Error),
        hint => btr_error:hint(Error),
        places => Places
    },
    maps:merge(maps:with([file, line, col], Details), Map).

%% Sites.

%% @doc Shows sites as `file:line:col: owner: text' lines.
-spec sites([btr_nif:site()], texts(), style()) -> iodata().
sites(Sites, Texts, Style) -> lines(Sites, Texts, Style).

lines(Sites, Texts, Style) ->
    Lines = source_lines([File || #{file := File} <- Sites], Texts),
    [
        [
            paint(bold, [place(File, Line, Col), <<": ">>], Style),
            Owner,
            <<": ">>,
            shown(Site, maps:get(File, Lines, {}), Style),
            $\n
        ]
     || #{file := File, line := Line, col := Col, owner := Owner} = Site <- Sites
    ].

shown(#{line := Line}, Lines, _) when Line =< tuple_size(Lines) ->
    string:trim(element(Line, Lines));
shown(#{old := Old}, _, _) ->
    Old.

%% @doc Shows who implements a selector below a class.
-spec closure(map(), texts(), style()) -> iodata().
closure(#{free := Free, implementors := Implementors, unknown := Unknown}, Texts, Style) ->
    [
        lines(Implementors, Texts, Style),
        [[<<"not searchable: ">>, Class, $\n] || Class <- Unknown],
        case Free of
            true -> <<"free: nothing below implements it\n">>;
            false -> [<<"not free: ">>, counted(length(Implementors), <<"implementor">>), $\n]
        end
    ].

source_lines(Files, Texts) ->
    maps:from_list([
        {File, list_to_tuple(split(maps:get(File, Texts)))}
     || File <- lists:usort(Files), is_map_key(File, Texts)
    ]).

source_line(Text, Line) ->
    Lines = split(Text),
    case lists:nthtail(min(Line - 1, length(Lines)), Lines) of
        [Source | _] -> string:trim(Source, trailing, "\r");
        [] -> <<>>
    end.

split(Text) -> binary:split(Text, <<"\n">>, [global]).

place(File, Line, Col) -> [File, $:, integer_to_binary(Line), $:, integer_to_binary(Col)].

%% Plans.

%% @doc Shows a plan: what it is, its sites by file, its candidates, and what to know about it.
-spec plan(btr_nif:plan(), style()) -> iodata().
plan(#{sites := Sites, files := Files} = Plan, Style) ->
    [
        paint(bold, title(Plan), Style),
        <<": ">>,
        case Files of
            [] -> <<"nothing changes">>;
            _ -> [counted(length(Sites), <<"site">>), in_files(length(Files))]
        end,
        $\n,
        kinds(Sites),
        [plan_file(File, Sites, Style) || File <- Files],
        candidates(Plan, Style),
        excluded(Plan),
        prose(Plan),
        listed(<<"not searched">>, [Text || Text <- maps:get(not_searched, Plan)]),
        listed(<<"warning">>, [Text || #{message := Text} <- maps:get(warnings, Plan)])
    ].

%% @doc The same as a map for JSON, which knows no tuples.
-spec plan_map(btr_nif:plan()) -> map().
plan_map(#{names := Names, files := Files} = Plan) ->
    Plan#{
        names := [#{kind => Kind, old => Old, new => New} || {Kind, Old, New} <- Names],
        files := [file_map(File) || File <- Files],
        refusal => nil
    }.

%% A file that goes has no text.
file_map(#{text := deleted} = File) -> File#{text := nil};
file_map(File) -> File.

title(#{operation := rename_class, class := Class, new_name := New}) ->
    [<<"rename class ">>, Class, arrow(), New];
title(#{operation := rename_method, selector := Old, new_selector := New} = Plan) ->
    [<<"rename method ">>, owner(Plan), <<" >> ">>, Old, arrow(), New];
title(#{operation := remove_method, selector := Selector} = Plan) ->
    [<<"remove method ">>, owner(Plan), <<" >> ">>, Selector];
title(#{operation := remove_class, class := Class}) ->
    [<<"remove class ">>, Class];
title(#{operation := patch_method, selector := Selector} = Plan) ->
    [<<"define method ">>, owner(Plan), <<" >> ">>, Selector].

owner(#{class := Class, side := class}) -> [Class, <<" class">>];
owner(#{class := Class}) -> Class.

arrow() -> <<" → "/utf8>>.

in_files(1) -> <<" in 1 file">>;
in_files(Count) -> [<<" in ">>, integer_to_binary(Count), <<" files">>].

kinds([]) -> [];
kinds(Sites) ->
    Count = fun(#{kind := Kind}, Acc) -> maps:update_with(Kind, fun(N) -> N + 1 end, 1, Acc) end,
    Counts = lists:sort(maps:to_list(lists:foldl(Count, #{}, Sites))),
    Parts = [[integer_to_binary(N), <<" ">>, words(Kind)] || {Kind, N} <- Counts],
    [<<"    ">>, lists:join(<<", ">>, Parts), $\n].

plan_file(#{file := File, new_file := NewFile} = PlanFile, Sites, Style) ->
    Own = [Site || #{file := Of} = Site <- Sites, Of =:= File],
    [
        $\n,
        paint(file, [File, [[arrow(), NewFile] || NewFile =/= nil], fate(PlanFile)], Style),
        $\n,
        [plan_site(Site, Style) || Site <- Own]
    ].

fate(#{text := deleted}) -> <<" (the file goes)">>;
fate(_) -> [].

plan_site(#{line := Line, col := Col, kind := Kind, owner := Owner} = Site, Style) ->
    Place = [integer_to_binary(Line), $:, integer_to_binary(Col)],
    [
        <<"  ">>,
        paint(dim, pad(Place, 8), Style),
        pad(words(Kind), 20),
        change(Site, Style),
        <<"  ">>,
        paint(dim, Owner, Style),
        $\n
    ].

change(#{old := Old, new := nil}, Style) -> paint(old, Old, Style);
change(#{old := Old, new := New}, Style) ->
    [paint(old, Old, Style), arrow(), paint(new, New, Style)].

candidates(#{candidates := []}, _) ->
    [];
candidates(#{candidates := Candidates} = Plan, Style) ->
    {What, Fate} = candidates_are(Plan),
    [
        $\n,
        paint(bold, counted(length(Candidates), What), Style),
        Fate,
        [candidate(Candidate, Style) || Candidate <- Candidates]
    ].

%% A removal rewrites nothing else: it lists what it would leave behind.
candidates_are(#{operation := remove_method}) -> {<<"sender">>, <<" left behind:\n">>};
candidates_are(#{operation := remove_class}) -> {<<"mention">>, <<" left behind:\n">>};
candidates_are(_) -> {<<"candidate">>, <<", not rewritten unless accepted:\n">>}.

%% @doc Shows a candidate in one line: where, how sure, what, why.
-spec candidate(map(), style()) -> iodata().
candidate(#{file := File, line := Line, col := Col, evidence := Evidence} = Site, Style) ->
    #{because := Because, owner := Owner, old := Old} = Site,
    [
        <<"  ">>,
        place(File, Line, Col),
        <<": ">>,
        paint(Evidence, atom_to_binary(Evidence), Style),
        <<": ">>,
        Old,
        <<" in ">>,
        Owner,
        [[<<" (">>, Because, <<")">>] || Because =/= <<>>],
        $\n
    ].

excluded(#{excluded := Excluded}) when map_size(Excluded) =:= 0 -> [];
excluded(#{excluded := Excluded}) ->
    Parts = [
        [integer_to_binary(Count), <<" ">>, words(Reason)]
     || {Reason, Count} <- lists:sort(maps:to_list(Excluded))
    ],
    [$\n, <<"left out: ">>, lists:join(<<", ">>, Parts), $\n].

prose(#{prose := #{count := 0}}) -> [];
prose(#{prose := #{count := Count, files := Files, mentions := Mentions}}) ->
    [
        $\n,
        counted(Count, <<"mention">>),
        in_files(Files),
        <<" in comments and strings, never rewritten:\n">>,
        [
            [<<"  ">>, place(File, Line, Col), <<": ">>, Old, $\n]
         || #{file := File, line := Line, col := Col, old := Old} <- Mentions
        ]
    ].

listed(_, []) -> [];
listed(What, Texts) -> [$\n, [[What, <<": ">>, Text, $\n] || Text <- Texts]].

%% @doc Shows a plan's changes as unified diffs against the texts that it was made on; a file that
%% gets another name says so.
-spec diffs(btr_nif:plan(), fun((File :: binary()) -> binary()), style()) -> iodata().
diffs(#{files := Files}, TextOf, Style) ->
    [
        diff(btr_nif:diff(TextOf(File), left(Text), File), File, NewFile, Style)
     || #{file := File, text := Text, new_file := NewFile} <- Files
    ].

left(deleted) -> <<>>;
left(Text) -> Text.

diff(Diff, File, NewFile, Style) ->
    [
        [
            [paint(bold, [<<"rename ">>, File, arrow(), NewFile], Style), $\n]
         || NewFile =/= nil
        ],
        [[diff_line(Line, Style), $\n] || Line <- diff_lines(Diff)]
    ].

diff_lines(<<>>) -> [];
diff_lines(Diff) -> split(string:trim(Diff, trailing, "\n")).

diff_line(<<"+++", _/binary>> = Line, Style) -> paint(bold, Line, Style);
diff_line(<<"---", _/binary>> = Line, Style) -> paint(bold, Line, Style);
diff_line(<<"@@", _/binary>> = Line, Style) -> paint(file, Line, Style);
diff_line(<<"+", _/binary>> = Line, Style) -> paint(new, Line, Style);
diff_line(<<"-", _/binary>> = Line, Style) -> paint(old, Line, Style);
diff_line(Line, _) -> Line.

%% @doc Shows which files were written.
-spec written([btr_apply:written()]) -> iodata().
written(Files) ->
    [$\n, [written_file(File) || File <- Files]].

written_file(#{file := File, removed := true}) -> [<<"removed ">>, File, $\n];
written_file(#{file := File, new_file := nil}) -> [<<"wrote ">>, File, $\n];
written_file(#{file := File, new_file := New}) -> [<<"wrote ">>, New, <<", was ">>, File, $\n].

%% @doc Says how to go on from a plan.
-spec next_step(btr_nif:plan(), binary(), binary()) -> iodata().
next_step(#{files := []}, _, _) ->
    [];
next_step(_, Dir, Expression) ->
    [
        <<"\nNothing was changed. To write it: bt apply ">>,
        quoted(Dir), <<" ">>, quoted(Expression), <<" --yes\n">>
    ].

quoted(Text) ->
    case re:run(Text, "^[A-Za-z0-9_./-]+$", [{capture, none}, dollar_endonly]) of
        match -> Text;
        nomatch -> [$', binary:replace(Text, <<"'">>, <<"'\\''">>, [global]), $']
    end.

%% Words.

words(Name) -> binary:replace(atom_to_binary(Name), <<"_">>, <<" ">>, [global]).

counted(1, What) -> [<<"1 ">>, What];
counted(Count, What) -> [integer_to_binary(Count), <<" ">>, What, <<"s">>].

pad(Text, Width) ->
    [Text, lists:duplicate(max(1, Width - string:length(Text)), $\s)].

paint(_, Text, plain) -> Text;
paint(Color, Text, color) -> [<<"\e[">>, sgr(Color), $m, Text, <<"\e[0m">>].

sgr(bold) -> <<"1">>;
sgr(dim) -> <<"2">>;
sgr(error) -> <<"1;31">>;
sgr(warning) -> <<"1;33">>;
sgr(file) -> <<"36">>;
sgr(old) -> <<"31">>;
sgr(new) -> <<"32">>;
sgr(certain) -> <<"32">>;
sgr(possible) -> <<"33">>;
sgr(symbol) -> <<"35">>;
sgr(doc) -> <<"35">>.

%% @doc Tells the files of a flush that was cut off and is now finished.
-spec recovered([binary()]) -> iodata().
recovered([]) -> [];
recovered(Files) ->
    [<<"a flush was cut off the last time; now written: ">>, lists:join(<<", ">>, Files), $\n].
