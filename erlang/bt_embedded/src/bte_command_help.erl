%% @doc What `:help :load' says: the commands of the prompt, each explained. Pure. Tested by
%% `bte_repl_SUITE'.
-module(bte_command_help).

-export([more/1]).

%% @doc Answers the explanation of a command, by its name.
-spec more(binary()) -> binary().
more(<<"help">>) -> <<
    "`:help` lists the commands, `:help :load` explains one. `:help Counter` lists the\n"
    "methods of a class, `:help Counter increment` shows one with its comment, `:help\n"
    "Counter class with:` one of the class side, `:help increment` who has it. Short:\n"
    "`:h`.\n"
>>;
more(<<"bindings">>) -> <<
    "The names that you have assigned here, with their values. Those that `Workspace\n"
    "bind:as:` has bound for all sessions are in `Workspace globals`. Short: `:b`.\n"
>>;
more(<<"load">>) -> <<
    "The path is one of a file or a folder, from the project's root or from where `bt`\n"
    "was started. A folder outside the project that the workspace was started with is\n"
    "refused, and so is a text that changed on disk and in memory. The same as `Workspace\n"
    "load: \"src\"`.\n"
>>;
more(<<"reload">>) -> <<
    "Without a class, what `:load` loaded last is read again. What was changed in memory\n"
    "and not written is replaced by what the file says. The same as `Counter reload`.\n"
>>;
more(<<"test">>) -> <<
    "Without a class, all loaded test classes. Tests run as the classes are in memory:\n"
    "renamed and patched ones before any flush. The same as `Workspace test` and\n"
    "`Workspace test: CounterTest`.\n"
>>;
more(<<"plan">>) -> <<
    "Shows the sites, the candidates and the refusals of a change without making it, and\n"
    "the diff of the files: `:plan Counter renameTo: #Tally`, `:plan Counter\n"
    "renameSelector: #up to: #rise`, `:plan Counter removeSelector: #up`, `:plan Counter\n"
    "removeFromSystem`.\n"
>>;
more(<<"candidates">>) -> <<
    "Places that may mean what was renamed and cannot be proved to: sends to receivers of\n"
    "unknown class, symbols, examples in comments. The rename left them as they were.\n"
>>;
more(<<"changes">>) -> <<
    "All entries of the log with their numbers, also those written, undone and of earlier\n"
    "sessions. The same as `Workspace changes`, whose messages `:help ChangeLog` lists.\n"
>>;
more(<<"dirty">>) -> <<
    "By class, the selectors with changes that a flush has still to write. The same as\n"
    "`Workspace changes dirtyMethods`.\n"
>>;
more(<<"undo">>) -> <<
    "Undoes the newest active change, as one more change. Refused when later ones depend\n"
    "on it: they are named. The same as `Workspace changes undo`.\n"
>>;
more(<<"redo">>) -> <<
    "Makes the change that `:undo` took back last again, as long as no other was made\n"
    "since. The same as `Workspace changes redo`.\n"
>>;
more(<<"recheck">>) -> <<
    "Compiles all texts as they are in memory, installs nothing, and lists errors and\n"
    "sends that nothing answers. The same as `Workspace recheckImage`.\n"
>>;
more(<<"sync">>) -> <<
    "Loads what has changed on disk, and lets go of what is gone there. Refused, with the\n"
    "files named, where a text has changed in memory as well. The same as `Workspace\n"
    "sync`.\n"
>>;
more(<<"autoflush">>) -> <<
    "Without an argument, tells whether it is on. When it is, each durable change is\n"
    "written at once, as far as it removes and renames no file. The project keeps the\n"
    "setting.\n"
>>;
more(<<"flush">>) -> <<
    "Writes pending changes to the project's files. The filter is a class, a selector, a\n"
    "kind (`#'rename-method'`) or a file (`#{#file => \"src/counter.bt\"}`). A file that\n"
    "changed on disk is left as it is, and told. The same as `Workspace flush` and\n"
    "`Workspace flush: FILTER`.\n"
>>;
more(<<"flush-destructive">>) -> <<
    "Writes pending changes, also those that rename or delete files, after a question.\n"
    "The same as `Workspace flushIncludingDestructive` and `Workspace flush: FILTER\n"
    "confirmDestructive: true`.\n"
>>;
more(<<"rename-class">>) -> <<
    "`:rename-class Counter Tally`. Instances and running actors go on. Refused, with\n"
    "every place, when the new name is taken or no class name, or the class is not the\n"
    "project's. In memory until `:flush-destructive`. The same as `Counter renameTo:\n"
    "#Tally`.\n"
>>;
more(<<"rename-method">>) -> <<
    "`:rename-method Counter up rise`, `:rename-method Counter class with: from:`. The\n"
    "selectors take as many arguments. Methods that override it, and sends by `self` and\n"
    "`super`, go along; other sends are candidates. The same as `Counter renameSelector:\n"
    "#up to: #rise`.\n"
>>;
more(<<"remove-method">>) -> <<
    "`:remove-method Counter up`. What still sends it is told. `:undo` brings it back.\n"
    "The same as `Counter removeSelector: #up`.\n"
>>;
more(<<"remove-class">>) -> <<
    "Removes the class from memory, after a question. Refused while it has subclasses.\n"
    "Its file goes by `:flush-destructive`. The same as `Counter removeFromSystem`.\n"
>>;
more(<<"quit">>) -> <<
    "Leaves, and tells how many changes were not written. Short: `:q`, `:exit`, or\n"
    "Ctrl-D.\n"
>>.
