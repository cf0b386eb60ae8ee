"""The kinds of parameters that api/*.txt uses, and what C makes of each.

A kind's text in a row is NAME, NAME* (out), NAME*! (a handle that a call which fails in its body makes null), NAME& (in and out
through a pointer), NAME~ (a handle that the call frees), NAME? (a handle that may be null, a pointer that may be NULL), or NAME=ARGUMENT. gen/README.md lists them.
"""

# Handles: C type, struct, null constant, letter in the call descriptor.
HANDLES = {
    "comm": ("MPI_Comm", "comm", "MPI_COMM_NULL", "C"),
    "group": ("MPI_Group", "group", "MPI_GROUP_NULL", "G"),
    "type": ("MPI_Datatype", "datatype", "MPI_DATATYPE_NULL", "D"),
    "op": ("MPI_Op", "op", "MPI_OP_NULL", "O"),
    "errhandler": ("MPI_Errhandler", "errhandler", "MPI_ERRHANDLER_NULL", "E"),
    "info": ("MPI_Info", "info", "MPI_INFO_NULL", "I"),
    "request": ("MPI_Request", "request", "MPI_REQUEST_NULL", "Q"),
    "message": ("MPI_Message", "matched", "MPI_MESSAGE_NULL", "M"),
    "session": ("MPI_Session", "session", "MPI_SESSION_NULL", "S"),
    "win": ("MPI_Win", "win", "MPI_WIN_NULL", "W"),
    "file": ("MPI_File", "file", "MPI_FILE_NULL", "F"),
}

# Letters of those that may be the null handle.
NULL_LETTERS = {"info": "J", "file": "A"}

# Kinds that reach the body as they are (integers widen by themselves):
# C type, C type of the _c form, letter, letter of the _c form. "@" stands for the parameter's name.
PLAIN = {
    "int": ("int @", None, "i", None),
    "xint": ("int @", "MPI_Count @", "i", "L"),
    "count": ("int @", "MPI_Count @", "n", "N"),
    "unit": ("int @", "MPI_Aint @", "i", "L"),
    "aint": ("MPI_Aint @", None, "L", None),
    "extent": ("MPI_Aint @", "MPI_Count @", "L", "L"),
    "offset": ("MPI_Offset @", None, "L", None),
    "count64": ("MPI_Count @", None, "L", None),
    "rank": ("int @", None, "i", None),
    "dest": ("int @", None, "d", None),
    "source": ("int @", None, "s", None),
    "root": ("int @", None, "R", None),
    "tag": ("int @", None, "t", None),
    "anytag": ("int @", None, "T", None),
    "ptr": ("void *@", None, ".", None),
    "cptr": ("const void *@", None, ".", None),
    "out_ptr": ("void *@", None, "*", None),
    "str": ("const char *@", None, '"', None),
    "str[]": ("const char @[]", None, '"', None),
    "str*": ("char *@", None, "*", None),
    "int*": ("int *@", None, "*", None),
    "int&": ("int *@", None, "*", None),
    "aint*": ("MPI_Aint *@", None, "*", None),
    "offset*": ("MPI_Offset *@", None, "*", None),
    "count64*": ("MPI_Count *@", None, "*", None),
    "ints": ("const int @[]", None, ".", None),
    "ints*": ("int @[]", None, ".", None),
    "ints&": ("int @[]", None, ".", None),
    # as pointers: gcc takes an array parameter for memory that is there, and MPI_UNWEIGHTED is a small number
    "weights": ("const int *@", None, ".", None),
    "weights*": ("int *@", None, ".", None),
    "aints": ("const MPI_Aint @[]", None, ".", None),
    "aints*": ("MPI_Aint @[]", None, ".", None),
    "count64s*": ("MPI_Count @[]", None, ".", None),
    "types": ("const MPI_Datatype @[]", None, "Y", None),
    "types*": ("MPI_Datatype @[]", None, ".", None),
    "infos": ("const MPI_Info @[]", None, ".", None),
    # as many as the count before says
    "requests": ("const MPI_Request @[]", None, "a", None),
    "requests*": ("MPI_Request @[]", None, "a", None),
    "indices*": ("int @[]", None, "a", None),
    "listed": ("const int @[]", None, "a", None),
    "listed*": ("int @[]", None, "a", None),
    "listed_ranges": ("int @[][3]", None, "a", None),
    # one item of the datatype behind it; not significant with MPI_NO_OP
    "item": ("const void *@", None, "u", None),
    "item*": ("void *@", None, "u", None),
    "item_of_op": ("const void *@", None, "y", None),
    "status": ("const MPI_Status *@", None, "*", None),
    "status&": ("MPI_Status *@", None, "*", None),
    "statuses": ("MPI_Status *@", None, ".", None),
}

# Arrays of either width become a struct counts; "k" and "K" have one element per rank (of the
# remote group on an intercommunicator, of the local one: "h" and "H") and must not be negative; those of
# a collective must be there.
ARRAYS = {
    "counts": ("const int @[]", "const MPI_Count @[]", "k", "K"),
    "own_counts": ("const int @[]", "const MPI_Count @[]", "h", "H"),
    "displs": ("const int @[]", "const MPI_Aint @[]", "v", "v"),
    "xints": ("const int @[]", "const MPI_Count @[]", ".", "."),
    "extents": ("const MPI_Aint @[]", "const MPI_Count @[]", ".", "."),
}

# Results of either width: the body always gets an MPI_Count *.
RESULTS = {
    "count*": ("int *@", "MPI_Count *@"),
    "count&": ("int *@", "MPI_Count *@"),
    "unit*": ("int *@", "MPI_Aint *@"),
    "extent*": ("MPI_Aint *@", "MPI_Count *@"),
    "extent&": ("MPI_Aint *@", "MPI_Count *@"),
}

# Message buffers; the modifier says where MPI_IN_PLACE is legal, where the buffer counts, and whose items it holds.
BUFFERS = {"in": "const void *@", "out": "void *@", "inout": "void *@"}
BUFFER_LETTERS = {"": "b", "place": "p", "place_root": "q", "root": "r", "above_first": "x", "to_neighbors": "o",
                  "from_neighbors": "e"}


class Parameter:
    """One parameter of one form (int or _c) of a procedure."""

    def __init__(self, name, kind, large, per_rank, raw):
        self.name = name
        self.is_null_on_error = kind.endswith("!")
        kind = kind.removesuffix("!")
        self.maybe_null = kind.endswith("?")
        self.kind = kind[:-1] if self.maybe_null else kind
        self.large = large
        self.group = None  # handle, plain, array, result, buffer, status, callback, word, literal, varargs
        self.ctype = None  # with "@" for the name
        self.letter = "."
        self._classify(per_rank, raw)

    def _classify(self, per_rank, raw):
        kind, argument = self.kind, None
        if "=" in kind:
            kind, argument = kind.split("=", 1)
        base = kind.rstrip("*&~")
        if kind == "...":
            self.group, self.ctype = "varargs", "..."
        elif argument is not None:
            self._literal(kind, argument)
        elif kind in PLAIN:
            self._plain(PLAIN[kind], "plain")
        elif kind in ARRAYS:
            self._plain(ARRAYS[kind], "array")
        elif kind in RESULTS:
            self.group, self.letter = "result", "*"
            self.ctype = RESULTS[kind][self.large]
        elif kind == "status*":
            self.group, self.ctype = "status", "MPI_Status *@"
        elif base in HANDLES:
            self._handle(kind, base)
        elif kind.split(".")[0] in BUFFERS:
            base, _, modifier = kind.partition(".")
            self.group, self.ctype, self.letter = "buffer", BUFFERS[base], BUFFER_LETTERS[modifier]
        else:
            raise ValueError(f"unknown kind '{self.kind}' of parameter {self.name}")
        if self.letter in "kKhHvY" and not per_rank:
            self.letter = "."
        if raw and self.letter[0] == "&":
            self.letter = "+" + self.letter[1:]
        if self.maybe_null and self.letter in ('*', '"'):
            self.letter = "."

    def _plain(self, row, group):
        self.group = group
        self.ctype = row[1] if self.large and row[1] else row[0]
        self.letter = row[3] if self.large and row[3] else row[2]

    def _literal(self, kind, argument):
        if kind == "fn":
            self.group, self.ctype = "plain", argument + " *@"
        elif kind == "fn2":
            self.group, self.ctype = "callback", argument + ("_c" if self.large else "") + " *@"
        elif kind == "word":
            self.group, self.ctype = "word", argument + " @"
        elif argument.endswith("[]"):
            self.group, self.ctype = "plain", argument[:-2].rstrip() + ("@[]" if "*" in argument else " @[]")
        else:
            self.group, self.ctype = "plain", argument + ("@" if argument.endswith("*") else " @")
            self.letter = "i" if argument == "const int" else "."

    def _handle(self, kind, base):
        ctype, self.struct, self.null, letter = HANDLES[base]
        self.group, self.base, self.form = "handle", base, kind[len(base):]
        self.ctype = ctype + (" *@" if self.form else " @")
        self.letter = {"": letter, "*": "*", "&": "&" + letter, "~": "&" + letter}[self.form]
        if self.maybe_null and not self.form:
            self.letter = NULL_LETTERS[base]

    def declaration(self):
        return self.ctype.replace("@", self.name)
