%% @doc Generator and compiler with the cache before both: what they make of a class is kept under
%% the digest of everything that goes in, of the generator itself, and of the compiler.
%%
%% Only code of generation 0, that of a start, is kept: a later one has its generation in its sends
%% and is never asked for again. What is kept holds no forms; they are generated when somebody wants
%% them. Generated forms name their line but no file. Tested by `bte_compiler_SUITE'.
-module(bte_generated).

-export([codegen/2, compile/2, compile_forms/1, forms/1]).
-export_type([output/0]).

%% What the generator answers. `forms' is how to get them, `digest' that of the forms without their
%% generation, `beam' the compiled module where it was in the cache, `key' where to keep it.
-type output() :: #{
    forms := binary() | fun(() -> binary()), digest := binary(), beam => binary(), key => binary(),
    _ => _
}.

-define(GENERATOR, {?MODULE, generator}).
%% The heap of a compilation, in words: what most classes need, so that it does not grow by copies.
-define(HEAP, 100000).

%% @doc Generates a class.
-spec codegen(btr_nif:unit(), map()) -> {ok, output()} | {error, btr_error:error()}.
codegen(Unit, #{generation := 0} = Options) ->
    Key = key(Unit, Options),
    case bte_cache:find(Key) of
        {ok, Kept} ->
            {Output, Beam} = binary_to_term(Kept),
            {ok, Output#{forms => fun() -> again(Unit, Options) end, beam => Beam}};
        error ->
            with_key(Key, btr_nif:codegen_class(Unit, Options))
    end;
codegen(Unit, Options) ->
    btr_nif:codegen_class(Unit, Options).

with_key(Key, {ok, Output}) -> {ok, Output#{key => Key}};
with_key(_, {error, _} = Error) -> Error.

again(Unit, Options) ->
    {ok, #{forms := Forms}} = btr_nif:codegen_class(Unit, Options),
    Forms.

%% @doc Compiles an output together with orphans.
-spec compile(output(), bte_orphans:orphans()) -> {ok, binary()} | {error, iodata()}.
compile(#{beam := Beam}, Orphans) when map_size(Orphans) =:= 0 ->
    {ok, Beam};
compile(#{forms := Forms} = Output, Orphans) ->
    case compile_forms(fun() -> trimmed(bte_orphans:add(Orphans, forms(Forms))) end) of
        {ok, Beam} when map_size(Orphans) =:= 0 ->
            ok = keep(Output, Beam),
            {ok, Beam};
        Result ->
            Result
    end.

%% A class without blocks has no function for them: the time to compile and to load a small class is
%% that of its functions. A call from a block of before meets an undefined function,
%% which `bte_error_erlang' tells as what it is.
trimmed(Forms) ->
    case [b || {function, _, b, _, [_]} <- Forms] of
        [] -> Forms;
        [b] -> [without_blocks(Form) || Form <- Forms, not is_blocks(Form)]
    end.

is_blocks(Form) -> element(1, Form) =:= function andalso element(3, Form) =:= b.

without_blocks({attribute, Line, export, Exports}) ->
    {attribute, Line, export, lists:keydelete(b, 1, Exports)};
without_blocks(Form) ->
    Form.

keep(#{key := Key} = Output, Beam) ->
    bte_cache:keep(Key, term_to_binary({maps:without([forms, key], Output), Beam}));
keep(_, _) ->
    ok.

%% @doc Compiles the forms that a function answers, and asks it where it compiles: they need not be
%% copied there. An error is not the user's fault: the generator made wrong forms.
-spec compile_forms(fun(() -> [term()])) -> {ok, binary()} | {error, iodata()}.
compile_forms(Make) ->
    try
        bte_apart:run(fun() -> bte_passes:compile(Make()) end, ?HEAP)
    catch
        Class:Reason -> {error, io_lib:format("~0tp", [{Class, Reason}])}
    end.

%% @doc Answers the forms of an output.
-spec forms(binary() | fun(() -> binary())) -> [term()].
forms(Forms) when is_function(Forms) -> binary_to_term(Forms());
forms(Forms) -> binary_to_term(Forms).

key(Unit, #{extensions := Extensions} = Options) ->
    Texts = [{text_digest(U), File, Span} || {U, File, Span} <- Extensions],
    Everything = {generator(), text_digest(Unit), Options#{extensions := Texts}},
    btr_nif:digest(term_to_binary(Everything)).

text_digest(Unit) ->
    btr_nif:digest(btr_nif:unit_text(Unit)).

%% What makes code of texts: the generator's library, this module, and the compiler.
generator() ->
    case persistent_term:get(?GENERATOR, undefined) of
        undefined ->
            Parts = {library_digest(), ?MODULE:module_info(md5), bte_passes:version()},
            persistent_term:put(?GENERATOR, Parts),
            Parts;
        Parts ->
            Parts
    end.

library_digest() ->
    File = filename:join(code:priv_dir(bt_refactor), "bt_nif.so"),
    case file:read_file(File) of
        {ok, Library} -> btr_nif:digest(Library);
        {error, _} -> make_ref()
    end.
