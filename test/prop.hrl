%% Debian's erlang-proper ships no proper.hrl: the macros a suite needs, over the same functions.
-define(FORALL(X, RawType, Prop), proper:forall(RawType, fun(X) -> Prop end)).
-define(IMPLIES(Pre, Prop), proper:implies(Pre, fun() -> Prop end)).
-define(WHENFAIL(Action, Prop), proper:whenfail(fun() -> Action end, fun() -> Prop end)).
-define(LET(X, RawType, Gen), proper_types:bind(RawType, fun(X) -> Gen end, false)).
-define(SUCHTHAT(X, RawType, Cond), proper_types:add_constraint(RawType, fun(X) -> Cond end, true)).
-define(LAZY(Gen), proper_types:lazy(fun() -> Gen end)).
-define(SIZED(Size, Gen), proper_types:sized(fun(Size) -> Gen end)).
