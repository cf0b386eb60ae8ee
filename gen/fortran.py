"""Reads api/fortran/forms.txt: the Fortran forms of the procedures, as data."""

import os
import re

from standard import named

ROW = re.compile(r"^(?:(?P<returns>double|aint) )?(?P<name>\w+)\((?P<arguments>.*?)\)(?P<flags>[ \w]*?)(?: -> (?P<body>\w+))?$")
ARGUMENT = re.compile(r"^(?P<name>\w+):(?P<type>[a-z0-9_]+)(?:=(?P<of>\w+))?(?P<dims>\([^)]*\))?(?P<attributes>(?: \w+)*)$")

# Integers: Fortran declaration, C type.
INTEGERS = {
    "int": ("INTEGER", "int"),
    "count": ("INTEGER(KIND=MPI_COUNT_KIND)", "MPI_Count"),
    "aint": ("INTEGER(KIND=MPI_ADDRESS_KIND)", "MPI_Aint"),
    "offset": ("INTEGER(KIND=MPI_OFFSET_KIND)", "MPI_Offset"),
}

# Handles: the Fortran type, the C type, and the part of MPI_X_toint.
HANDLES = {
    "comm": ("MPI_Comm", "Comm"), "group": ("MPI_Group", "Group"), "datatype": ("MPI_Datatype", "Type"),
    "op": ("MPI_Op", "Op"), "errhandler": ("MPI_Errhandler", "Errhandler"), "info": ("MPI_Info", "Info"),
    "request": ("MPI_Request", "Request"), "message": ("MPI_Message", "Message"), "session": ("MPI_Session", "Session"),
    "win": ("MPI_Win", "Win"), "file": ("MPI_File", "File"),
}


class Argument:
    """One argument of a Fortran form, without ierror."""

    def __init__(self, text):
        row = ARGUMENT.match(text)
        if not row:
            raise ValueError(f"not an argument: '{text}'")
        self.name, self.type, self.of = row["name"], row["type"], row["of"]
        self.dims = (row["dims"] or "").strip("()")
        attributes = row["attributes"].split()
        self.intent = next((a for a in attributes if a in ("in", "out", "inout")), "")
        self.asynchronous, self.by_value = "async" in attributes, "value" in attributes
        self.detached = False

    def f08(self):
        """The declaration of mpi_f08, without the name. Default kinds by C's names for them: compilers warn of others in BIND(C)."""
        text = self._f08_type()
        if self.by_value:
            text += ", VALUE"
        if self.intent:
            text += f", INTENT({self.intent.upper()})"
        return text + (", ASYNCHRONOUS" if self.asynchronous else "")

    def _f08_type(self):
        if self.type in INTEGERS:
            return "INTEGER(KIND=MPI_INTEGER_KIND)" if self.type == "int" else INTEGERS[self.type][0]
        if self.type in HANDLES:
            return f"TYPE({HANDLES[self.type][0]})"
        return {"choice": "TYPE(*), DIMENSION(..)", "c_ptr": "TYPE(C_PTR)", "logical": "LOGICAL", "status": "TYPE(MPI_Status)", "named_status": "TYPE(MPI_Status)",
                "string": f"CHARACTER(LEN={self.of or '*'}, KIND=C_CHAR)", "procedure": f"PROCEDURE({self.of})"}[self.type]

    def f90(self):
        """The declaration of the mpi module: handles and statuses are integers."""
        if self.type in INTEGERS:
            return INTEGERS[self.type][0]
        if self.type in HANDLES or self.type == "status":
            return "INTEGER"
        return {"choice": "TYPE(*)", "c_ptr": "TYPE(*)" if self.detached else "INTEGER(KIND=MPI_ADDRESS_KIND)", "logical": "LOGICAL",
                "named_status": "TYPE(MPI_Status)", "string": "CHARACTER(LEN=*)", "procedure": "EXTERNAL"}[self.type]

    def f90_dims(self):
        if self.type == "status":
            return "MPI_STATUS_SIZE" + (", *" if self.dims else "")
        return "*" if self.ignores_type() else self.dims

    def ignores_type(self):
        """Whether the mpi module takes an argument of any type."""
        return self.type == "choice" or self.detached


class Form:
    """One row: a procedure, or the interface of a user function."""

    def __init__(self, text, chapter):
        row = ROW.match(text)
        if not row:
            raise ValueError("not a row: NAME(ARGUMENT:TYPE ATTRIBUTES, ...) FLAGS -> BODY")
        self.name, self.returns, self.body, self.chapter = row["name"], row["returns"], row["body"], chapter
        flags = row["flags"].split()
        self.has_ierror = not self.returns and "no_ierror" not in flags
        self.old = "old" in flags
        texts = [t for t in re.split(r", (?=\w+:)", row["arguments"]) if t]
        self.arguments = [Argument(t) for t in texts]
        self.large = self.name.endswith("_c")
        if not self.is_memory():  # a buffer that is handed back: mpi has no way to say where
            for argument in self.arguments:
                argument.detached = argument.type == "c_ptr"
        self.apart = False  # a large-count form that is called by its own name

    def has_choice(self):
        return any(a.type == "choice" for a in self.arguments)

    def is_memory(self):
        """Whether it gives out memory, as an integer or as a TYPE(C_PTR) in the mpi module."""
        return any(a.type == "c_ptr" for a in self.arguments) and "detach" not in self.name

    def generic(self):
        """The name that programs call in mpi_f08."""
        return named("MPI_", self.name[:-2] if self.large and not self.apart else self.name)

    def specific(self):
        """The specific procedure of mpi_f08, as table 28 of the standard names it."""
        return named("MPI_", self.name) + "_f08" + ("ts" if self.has_choice() else "")

    def signature(self):
        """What a generic is resolved by; all the kinds of eight bytes are one."""
        return [("wide" if a.type in ("count", "aint", "offset") else a.type, bool(a.dims)) for a in self.arguments]


class Forms:
    """The whole table."""

    def __init__(self, folder):
        self.procedures, self.callbacks, self.predefined, chapter = [], {}, [], None
        path = os.path.join(folder, "fortran", "forms.txt")
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.split("#")[0].strip()
                try:
                    chapter = self._read(line, chapter) if line else chapter
                except ValueError as error:
                    raise SystemExit(f"{path}:{number}: {error}") from error
        self._drop_twins()

    def _read(self, line, chapter):
        word, _, rest = line.partition(" ")
        if word == "chapter":
            return rest
        if word == "callback":
            form = Form(rest, chapter)
            self.callbacks[form.name] = form
        elif word == "predefined":
            name, _, interface = rest.split()
            self.predefined.append((name, interface))
        else:
            self.procedures.append(Form(line, chapter))
        return chapter

    def _drop_twins(self):
        """A large-count form with the signature of the other one does not exist (20.2), but where they differ in the
        user function that they take."""
        small = {form.name: form.signature() for form in self.procedures}
        twins = [f for f in self.procedures if f.large and f.signature() == small.get(f.name[:-2])]
        for form in twins:
            form.apart = any(a.type == "procedure" for a in form.arguments)
        self.procedures = [f for f in self.procedures if f not in twins or f.apart]

    def chapters(self):
        return list(dict.fromkeys(form.chapter for form in self.procedures))
