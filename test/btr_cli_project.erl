%%% @doc The sample project of the suites of the command line, and how they run a command on it.
-module(btr_cli_project).

-export([
    project/1, project/2, only/2, dir/1, run/1, run/2, library/0, plan/2, json/1, matches/2,
    tree/1, manifest/0
]).

project(Config) -> project(Config, #{}).

project(Config, More) ->
    only(Config, maps:merge(
        #{
            "beamtalk.toml" => "[package]\nname = \"sample\"\n",
            "src/counter.bt" =>
                "// A Counter counts.\nObject subclass: Counter\n  field: value = 0\n"
                "  increment => self.value := self.value + 1\n"
                "  twice => self increment; increment\n\n"
                "  class start => self new\n",
            "src/step_counter.bt" =>
                "Counter subclass: StepCounter\n  class start => super start\n",
            "src/user.bt" => "Object subclass: User\n  use => (Counter start) increment\n"
        },
        More
    )).

only(Config, Files) ->
    Dir = dir(Config),
    _ = file:del_dir_r(Dir),
    Write = fun(Name, Text) ->
        Path = filename:join(Dir, unicode:characters_to_binary(Name)),
        ok = filelib:ensure_dir(Path),
        ok = file:write_file(Path, Text)
    end,
    ok = maps:foreach(Write, Files),
    Dir.

dir(Config) -> proplists:get_value(dir, Config).

run(Args) -> run(Args, plain).

run(Args, Style) ->
    Context = #{style => Style, library => library()},
    {Status, Out, Err} = btr_cli:run([unicode:characters_to_binary(Arg) || Arg <- Args], Context),
    {Status, unicode:characters_to_list(Out), unicode:characters_to_list(Err)}.

library() ->
    unicode:characters_to_binary(filename:join(code:priv_dir(bt_embedded), "stdlib")).

plan(Dir, Expression) ->
    {Files, []} = btr_fileset:open(Dir, required, library()),
    {ok, Request} = btr_nif:read_request(Expression),
    {ok, Plan} = btr_nif:plan(btr_fileset:index(Files), Request),
    Plan.

json(Text) -> btr_nif:json_decode(unicode:characters_to_binary(Text)).

matches(Text, Pattern) ->
    case re:run(Text, Pattern, [unicode, {capture, none}]) of
        match -> ok;
        nomatch -> error({no_match, Pattern, unicode:characters_to_binary(Text)})
    end.

%% All files below a folder with their texts.
tree(Dir) ->
    Names = [
        string:prefix(Path, unicode:characters_to_list(Dir) ++ "/")
     || Path <- filelib:wildcard(unicode:characters_to_list(Dir) ++ "/**/*"),
        filelib:is_regular(Path)
    ],
    maps:from_list([
        {Name, element(2, file:read_file(filename:join(Dir, Name)))}
     || Name <- Names
    ]).

%% A manifest that names the class of the supervisor.
manifest() ->
    "[package]\nname = \"sample\" # Counter\n[application]\nsupervisor = \"Counter\"\n".
