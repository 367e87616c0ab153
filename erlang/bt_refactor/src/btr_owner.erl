%% @doc Who may write a project's folder: one program at a time.
%%
%% A workspace that logs on disk claims the folder with a file, `.beamtalk/owner', that names its
%% process, and holds it for life. Others are refused, and told who holds it. The claim of a process
%% that is dead is taken over; a number that another process has got since does not deceive, as the
%% time at which the process began is in the file where the system tells it. What another host has
%% claimed cannot be judged from here and stays. Tested by `btr_owner_SUITE'.
-module(btr_owner).

-export([claim/1, release/1, check/1, judge/3]).
-export_type([claim/0]).

-type claim() :: #{pid := binary(), began := binary(), host := binary(), node := binary()}.
-type verdict() :: free | mine | {held, claim()}.

-define(TRIES, 5).

%% @doc Claims a project's folder for this process; a claim of its own is as good.
-spec claim(file:filename_all()) -> ok | {error, btr_error:error()}.
claim(Root) ->
    Path = path(Root),
    case btr_fs_posix:make_dir(filename:dirname(Path)) of
        ok -> claim(Root, Path, ?TRIES);
        {error, Reason} -> failed(Path, Reason)
    end.

claim(Root, Path, Tries) ->
    case {read(Path), Tries} of
        {{held, Owner}, _} -> held(Root, Owner);
        {mine, _} -> ok;
        {{stale, Text}, _} when Tries > 0 -> take_over(Root, Path, {Text, Tries});
        {none, _} when Tries > 0 -> make(Root, Path, Tries);
        _ -> failed(Path, eagain)
    end.

make(Root, Path, Tries) ->
    case btr_fs_posix:claim(Path, btr_nif:json_encode(me())) of
        ok -> ok;
        {error, eexist} -> claim(Root, Path, Tries - 1);
        {error, Reason} -> failed(Path, Reason)
    end.

%% Of several that find a stale claim one gets it out of the way: the one that moves the very claim
%% it has judged. Whoever has moved another's puts it back, unless a new one stands there already.
take_over(Root, Path, {Text, Tries}) ->
    Aside = aside(Path),
    _ = btr_fs_posix:move(Path, Aside),
    _ =
        case btr_fs_posix:read(Aside) of
            {ok, Text} -> ok;
            {ok, _} -> btr_fs_posix:move(Aside, Path);
            {error, _} -> ok
        end,
    _ = btr_fs_posix:delete(Aside),
    claim(Root, Path, Tries - 1).

%% A name that nobody else moves to: not another program, nor another Erlang process of this one.
aside(Path) ->
    Unique = integer_to_binary(erlang:unique_integer([positive])),
    iolist_to_binary([Path, $., os:getpid(), $., Unique]).

%% @doc Gives the folder back; what others have claimed stays.
-spec release(file:filename_all()) -> ok.
release(Root) ->
    Path = path(Root),
    case read(Path) of
        mine ->
            _ = btr_fs_posix:delete(Path),
            ok;
        _ ->
            ok
    end.

%% @doc Refuses when another living process holds the folder; claims nothing.
-spec check(file:filename_all()) -> ok | {error, btr_error:error()}.
check(Root) ->
    case read(path(Root)) of
        {held, Owner} -> held(Root, Owner);
        _ -> ok
    end.

path(Root) ->
    filename:join([btr_files:raw_name(Root), <<".beamtalk">>, <<"owner">>]).

read(Path) ->
    case btr_fs_posix:read(Path) of
        {ok, Text} ->
            case judge(Text, me(), fun began/1) of
                free -> {stale, Text};
                Verdict -> Verdict
            end;
        {error, _} ->
            none
    end.

%% @doc Judges the text of a claim: as this process, with a function that tells when a process of
%% this host began, or that it is gone. A text that is no claim holds nothing.
-spec judge(binary(), claim(), fun((binary()) -> {ok, binary()} | gone)) -> verdict().
judge(Text, Me, Began) ->
    case btr_nif:json_decode(Text) of
        {ok, #{<<"pid">> := Pid, <<"began">> := Start, <<"host">> := Host, <<"node">> := Node}} ->
            Owner = #{pid => Pid, began => Start, host => Host, node => Node},
            verdict(Owner, Me, Began);
        _ ->
            free
    end.

verdict(#{pid := P, began := B, host := H}, #{pid := P, began := B, host := H}, _) ->
    mine;
verdict(#{host := Host, pid := Pid, began := Start} = Owner, #{host := Host}, Began) ->
    case Began(Pid) of
        {ok, Start} -> {held, Owner};
        {ok, _} -> free;
        gone -> free
    end;
verdict(Owner, _, _) ->
    {held, Owner}.

me() ->
    Pid = list_to_binary(os:getpid()),
    {ok, Start} = began(Pid),
    {ok, Host} = inet:gethostname(),
    #{pid => Pid, began => Start, host => list_to_binary(Host), node => atom_to_binary(node())}.

%% The start of a process as Linux counts it; elsewhere only whether it is there.
began(Pid) ->
    case file:read_file(<<"/proc/", Pid/binary, "/stat">>) of
        {ok, Stat} -> {ok, start_of(Stat)};
        {error, _} -> began_elsewhere(Pid)
    end.

%% The name of the program, in parentheses, may hold anything; the start is the 22nd field.
start_of(Stat) ->
    [_, Rest] = string:split(Stat, <<") ">>, trailing),
    lists:nth(20, binary:split(Rest, <<" ">>, [global])).

began_elsewhere(Pid) ->
    case filelib:is_dir("/proc/self") orelse not is_number_text(Pid) of
        true ->
            gone;
        false ->
            case os:cmd("kill -0 " ++ binary_to_list(Pid) ++ " 2>&1 || echo gone") of
                "" -> {ok, <<>>};
                _ -> gone
            end
    end.

is_number_text(Text) -> re:run(Text, "^[0-9]+$", [{capture, none}]) =:= match.

-spec held(file:filename_all(), claim()) -> {error, btr_error:error()}.
held(Root, #{pid := Pid, host := Host, node := Node} = Owner) ->
    Message = [
        "the project in ", btr_files:raw_name(Root), " belongs to another workspace: process ", Pid,
        " on ", Host, node_text(Node)
    ],
    {error, btr_error:new(<<"workspace.owned">>, Message, #{
        owner => Owner,
        hint => <<"Stop that one, or start with --no-log, which writes nothing.">>
    })}.

node_text(<<"nonode@nohost">>) -> "";
node_text(Node) -> [", node ", Node].

failed(Path, Reason) ->
    Message = ["the project's folder cannot be claimed: ", Path, ": ", file:format_error(Reason)],
    {error, btr_error:new(<<"disk.failed">>, Message)}.
