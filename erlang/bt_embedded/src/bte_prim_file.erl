%% @doc Primitives of `File': a program's own files. The engine's writing is not done here.
-module(bte_prim_file).

-export([exists/2, is_directory/2, read_all/2, write_all/3, append/3, delete/2, list/2, size/2]).

%% @doc Tells whether there is a file or folder.
-spec exists(term(), term()) -> boolean().
exists(Self, Path) -> filelib:is_file(path(Self, 'exists:', Path)).

%% @doc Tells whether there is a folder.
-spec is_directory(term(), term()) -> boolean().
is_directory(Self, Path) -> filelib:is_dir(path(Self, 'isDirectory:', Path)).

%% @doc Reads a text.
-spec read_all(term(), term()) -> map().
read_all(Self, Path) ->
    case file:read_file(path(Self, 'readAll:', Path)) of
        {ok, Text} -> as_text(Text);
        {error, Reason} -> failure(Reason)
    end.

as_text(Bytes) ->
    case unicode:characters_to_binary(Bytes) of
        Text when is_binary(Text) -> success(Text);
        _ -> failure(not_utf8)
    end.

%% @doc Writes a text.
-spec write_all(term(), term(), term()) -> map().
write_all(Self, Path, Text) -> write(Self, {'writeAll:contents:', Path, Text}, []).

%% @doc Writes a text at the end.
-spec append(term(), term(), term()) -> map().
append(Self, Path, Text) -> write(Self, {'append:contents:', Path, Text}, [append]).

write(Self, {Selector, Path, Text}, Modes) ->
    Bytes = bte_prim:string(Self, Selector, Text),
    done(file:write_file(path(Self, Selector, Path), Bytes, Modes)).

%% @doc Deletes a file.
-spec delete(term(), term()) -> map().
delete(Self, Path) -> done(file:delete(path(Self, 'delete:', Path))).

%% @doc Answers the names in a folder.
-spec list(term(), term()) -> map().
list(Self, Path) ->
    case file:list_dir(path(Self, 'list:', Path)) of
        {ok, Names} -> success(lists:sort([unicode:characters_to_binary(N) || N <- Names]));
        {error, Reason} -> failure(Reason)
    end.

%% @doc Answers the size of a file.
-spec size(term(), term()) -> map().
size(Self, Path) ->
    Name = path(Self, 'size:', Path),
    case filelib:is_file(Name) of
        true -> success(filelib:file_size(Name));
        false -> failure(enoent)
    end.

path(Self, Selector, Path) -> bte_prim:string(Self, Selector, Path).

done(ok) -> success(nil);
done({error, Reason}) -> failure(Reason).

success(Value) -> bte_prim_result:ok({'$class', 'bt@stdlib@result'}, Value).
failure(Reason) -> bte_prim_result:error({'$class', 'bt@stdlib@result'}, Reason).
