%% @doc Tells when an object's class line was loaded anew: the generations of its modules, which
%% are literals of the code. Reads no table.
-module(bte_shape).

-export([of_class/1]).

%% @doc Answers the generations of a class's line, from the class up to its root.
-spec of_class(bte_registry:identity()) -> [non_neg_integer()].
of_class(nil) ->
    [];
of_class(C) ->
    #{generation := Gen, superclass := Super} = bte_meta:info(C),
    [Gen | of_class(Super)].
