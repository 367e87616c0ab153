%% @doc From generated forms to a module, by one of two roads that make the same code.
%%
%% The long road is `compile:forms/2'. The short one calls the passes of the compiler that generated
%% code needs, one after the other. Beside what options leave out, it leaves out both runs of the
%% validator, which look for errors of the compiler itself and are a fifth of all its work, and
%% `sys_core_bsm', which orders columns of binary patterns for a pass that is not run.
%%
%% The passes are the compiler's own business and may differ from release to release, so the short
%% road is for the one release that it was tested with. In the tests all code takes the long one, is
%% linted and validated; `bte_compiler_SUITE' compares both.
-module(bte_passes).

-export([compile/1, long/1, short/1, version/0]).

%% One constant, and part of the cache's key. What is left out costs the compiler more than it gives
%% to code whose time is that of its sends (docs/decisions/011-compiled-lightly.md).
-define(OPTIONS, [
    binary, return_errors, deterministic, no_spawn_compiler_process, no_copt, no_share_opt,
    no_bool_opt, no_recv_opt, no_bsm_opt, no_ssa_opt, no_throw_opt, no_postopt
]).
-define(RELEASE, "25").
-ifdef(TEST).
-define(IS_TEST, true).
-else.
-define(IS_TEST, false).
-endif.

-type forms() :: [erl_parse:abstract_form()].

%% @doc Compiles forms.
-spec compile(forms()) -> {ok, binary()} | {error, iodata()}.
compile(Forms) ->
    case ?IS_TEST orelse release() =/= ?RELEASE of
        true -> long(Forms);
        false -> {ok, short(Forms)}
    end.

%% @doc Compiles forms with all that the compiler does to be sure.
-spec long(forms()) -> {ok, binary()} | {error, iodata()}.
long(Forms) ->
    case compile:noenv_forms(Forms, ?OPTIONS) of
        {ok, _, Beam} -> {ok, Beam};
        {error, Errors, _} -> {error, io_lib:format("~0tp", [Errors])}
    end.

%% @doc Compiles forms that are right; fails where they are not.
-spec short(forms()) -> binary().
short(Forms) ->
    Code = lists:foldl(
        fun(Pass, Module) -> result(Pass:module(Module, ?OPTIONS)) end,
        erl_expand_records:module(Forms, ?OPTIONS),
        [
            v3_core, v3_kernel, beam_kernel_to_ssa, beam_ssa_pre_codegen, beam_ssa_codegen,
            beam_a, beam_clean, beam_z
        ]
    ),
    {ok, Beam} = beam_asm:module(Code, [], [], ?OPTIONS),
    Beam.

result({ok, Module}) -> Module;
result({ok, Module, _Warnings}) -> Module.

%% @doc Answers what makes the code that it does: this module, its options, the compiler.
-spec version() -> term().
version() ->
    {?MODULE:module_info(md5), ?OPTIONS, release(), application:get_key(compiler, vsn)}.

release() ->
    erlang:system_info(otp_release).
