%% @doc What stands in a row of the registry as one binary: the outline of a unit, the methods of a
%% class. They are most of what a change publishes and are read by reflection and the compiler only.
%% As a binary they go into the table, and out of it, without being copied, so that a switch does
%% not wait for it. This is the only module that knows the form. Tested by `bte_host_SUITE'.
-module(bte_packed).

-export([pack/1, outline/1, methods/1]).
-export_type([packed/0]).

-opaque packed() :: binary().

%% @doc Packs an outline, or the methods of a class.
-spec pack(map()) -> packed().
pack(Value) -> term_to_binary(Value).

%% @doc Answers the outline in the row of a unit.
-spec outline(#{outline := packed(), _ => _}) -> map().
outline(#{outline := Packed}) -> binary_to_term(Packed).

%% @doc Answers the methods in the row of a class's methods.
-spec methods(packed()) -> #{instance | class => #{binary() => map()}}.
methods(Packed) -> binary_to_term(Packed).
