%% @doc The generator with the cache before it: what it says of a class is kept under the digest of
%% everything it is given and of the generator itself. What is kept holds no forms; they are
%% generated when the compiled class is not in the cache. Tested by `bte_compiler_SUITE'.
-module(bte_generated).

-export([codegen/2, forms/1]).

-define(GENERATOR, {?MODULE, generator}).

%% @doc Generates a class. The output has the digest of its forms, and the forms or how to get them.
-spec codegen(btr_nif:unit(), map()) -> {ok, map()} | {error, btr_error:error()}.
codegen(Unit, Options) ->
    Key = key(Unit, Options),
    case bte_cache:find(Key) of
        {ok, Kept} ->
            Output = binary_to_term(Kept),
            {ok, Output#{forms => fun() -> again(Unit, Options) end}};
        error ->
            generate(Key, Unit, Options)
    end.

generate(Key, Unit, Options) ->
    case btr_nif:codegen_class(Unit, Options) of
        {ok, #{forms := Forms} = Output0} ->
            Output = Output0#{digest => crypto:hash(sha256, Forms)},
            ok = bte_cache:keep(Key, term_to_binary(maps:remove(forms, Output))),
            {ok, Output};
        {error, _} = Error ->
            Error
    end.

again(Unit, Options) ->
    {ok, #{forms := Forms}} = btr_nif:codegen_class(Unit, Options),
    Forms.

%% @doc Answers the forms of an output.
-spec forms(binary() | fun(() -> binary())) -> [term()].
forms(Forms) when is_function(Forms) -> binary_to_term(Forms());
forms(Forms) -> binary_to_term(Forms).

key(Unit, #{extensions := Extensions} = Options) ->
    Texts = [{text_digest(U), File, Span} || {U, File, Span} <- Extensions],
    Everything = {generator(), text_digest(Unit), Options#{extensions := Texts}},
    btr_project:digest(term_to_binary(Everything)).

text_digest(Unit) ->
    crypto:hash(sha256, btr_nif:unit_text(Unit)).

%% The generator's version is the digest of its library.
generator() ->
    case persistent_term:get(?GENERATOR, undefined) of
        undefined ->
            Digest = library_digest(),
            persistent_term:put(?GENERATOR, Digest),
            Digest;
        Digest ->
            Digest
    end.

library_digest() ->
    File = filename:join(code:priv_dir(bt_refactor), "bt_nif.so"),
    case file:read_file(File) of
        {ok, Library} -> crypto:hash(sha256, Library);
        {error, _} -> make_ref()
    end.
