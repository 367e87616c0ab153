%% @doc Identities: the module atoms that classes keep for life (docs/conventions.md).
-module(bte_identity).

-export([mint/3, snake_case/1]).

%% @doc Makes the identity of a new class: from the file's stem, or from the class's name when it
%% was typed at the prompt; with `@2', `@3' … while the identity is in use.
-spec mint(Unit, Name :: binary(), IsInUse) -> bte_registry:identity() when
    Unit :: #{file := binary(), package := binary(), _ => _},
    IsInUse :: fun((atom()) -> boolean()).
mint(#{file := File, package := Package}, Name, IsInUse) ->
    Base = <<"bt@", (part(Package))/binary, "@", (part(stem(File, Name)))/binary>>,
    free(Base, 1, IsInUse).

free(Base, N, IsInUse) ->
    %% The name of a thing that is being defined: the one place where a class makes an atom.
    Identity = binary_to_atom(numbered(Base, N)),
    case IsInUse(Identity) of
        true -> free(Base, N + 1, IsInUse);
        false -> Identity
    end.

numbered(Base, 1) -> Base;
numbered(Base, N) -> <<Base/binary, "@", (integer_to_binary(N))/binary>>.

stem(<<"$prompt/", _/binary>>, Name) -> Name;
stem(<<"$built/", _/binary>>, Name) -> Name;
stem(File, _) -> filename:basename(File, <<".bt">>).

%% An atom holds 255 characters at most; what is cut off is found again by the number.
part(Text) ->
    Clean = << <<(safe(C))>> || <<C>> <= snake_case(Text) >>,
    binary:part(Clean, 0, min(byte_size(Clean), 100)).

safe(C) when C >= $a, C =< $z; C >= $0, C =< $9; C =:= $_ -> C;
safe(_) -> $_.

%% @doc Snake-cases a name: an underscore before an upper-case letter only if a lower-case letter
%% stands before it; then lower case.
-spec snake_case(binary()) -> binary().
snake_case(Text) ->
    snake(Text, $_, <<>>).

snake(<<C, Rest/binary>>, Last, Acc) when C >= $A, C =< $Z, Last >= $a, Last =< $z ->
    snake(Rest, C, <<Acc/binary, $_, (C + 32)>>);
snake(<<C, Rest/binary>>, _, Acc) when C >= $A, C =< $Z ->
    snake(Rest, C, <<Acc/binary, (C + 32)>>);
snake(<<C, Rest/binary>>, _, Acc) ->
    snake(Rest, C, <<Acc/binary, C>>);
snake(<<>>, _, Acc) ->
    Acc.
