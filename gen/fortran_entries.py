"""Makes the C functions that Fortran calls: each converts its arguments, calls C, and converts the results.

A procedure with choice buffers has two: mpi_send_, which gets addresses, and mpi_send_f08ts_, which gets descriptors.
One without has mpi_comm_rank_, and mpi_comm_rank_f08_ as a second name of it: handles and statuses are passed alike.
"""

from fortran import HANDLES, INTEGERS
from fortran_modules import SIZEOF
from standard import named

TOP = """/* Made by gen/ from api/fortran/forms.txt: {0}. */
#include "attributes.h"
#include "section.h"
#include "start.h"
#include "user_functions.h"
#include "visible.h"
"""

# Collectives with more than a block in a buffer: the buffers, by the name without I and _init.
BLOCKS = {
    "Gather": ["recvbuf"], "Gatherv": ["recvbuf"], "Scatter": ["sendbuf"], "Scatterv": ["sendbuf"],
    "Allgather": ["recvbuf"], "Allgatherv": ["recvbuf"], "Alltoall": ["sendbuf", "recvbuf"],
    "Alltoallv": ["sendbuf", "recvbuf"], "Neighbor_allgather": ["recvbuf"], "Neighbor_allgatherv": ["recvbuf"],
    "Neighbor_alltoall": ["sendbuf", "recvbuf"], "Neighbor_alltoallv": ["sendbuf", "recvbuf"],
    "Psend": ["buf"], "Precv": ["buf"],
}

PARTITIONED = ("Psend", "Precv")

# What is ready goes into the copy first, where the partitions are in one.
READY = {
    "Pready": "kept_ready(*request, *partition, *partition);",
    "Pready_range": "kept_ready(*request, *partition_low, *partition_high);",
    "Pready_list": "for (int i = 0; i < *length; i++)\n        kept_ready(*request, array_of_partitions[i], array_of_partitions[i]);",
}

# What the program's call returns to.
CALLER = "__builtin_return_address(0)"

# Where results of open length end: Fortran's LEN=* and C's buffer.
ROOM = {"key": "MPI_MAX_INFO_KEY", "datarep": "MPI_MAX_DATAREP_STRING"}


class Entry:
    """The C text of one function."""

    def __init__(self, form, procedure, prefix, sections):
        self.form, self.procedure, self.prefix, self.sections = form, procedure, prefix, sections
        self.before, self.after, self.always, self.calls = [], [], [], []
        self.messages, self.copies, self.scratch = [], [], False
        if not form.body:
            for argument in form.arguments:
                self._convert(argument)

    def _family(self):
        name = self.form.name.removesuffix("_c").removesuffix("_init")
        return name[1].upper() + name[2:] if name[0] == "I" and name[1:].capitalize() in BLOCKS else name

    # The parameters, as Fortran passes them.

    def parameters(self):
        texts = [self._parameter(a) for a in self.form.arguments]
        if self.form.has_ierror:
            texts.append("int *ierror")
        texts += [f"size_t {a.name}_length" for a in self.form.arguments if self._has_length(a)]
        return ", ".join(texts) or "void"

    def _has_length(self, a):
        return a.type == "string" and not (self.sections and self.form.has_choice())

    def _posts(self):
        """Whether the program has a request afterwards that it has posted or started there."""
        return self.form.name.startswith("Start") or any(a.type == "request" and a.intent == "out" for a in self.form.arguments)

    def _parameter(self, a):
        const = "const " if a.intent == "in" else ""
        if a.type == "choice" or (a.type == "string" and not self._has_length(a)):
            return f"const struct section *{a.name}" if self.sections else f"void *{a.name}"
        if a.type in INTEGERS:
            return f"{const}{INTEGERS[a.type][1]} *{a.name}"
        if a.type in HANDLES or a.type == "logical":
            return f"{const}int *{a.name}"
        return {"status": f"{const}MPI_Status *{a.name}", "named_status": f"{const}MPI_Status *{a.name}", "string": f"{const}char *{a.name}", "c_ptr": f"void *{a.name}",
                "procedure": f"void (*{a.name})(void)"}[a.type]

    # The conversions. Each appends to: before (statements), calls (arguments of the C call), after (on success).

    def _convert(self, a):
        if a.type in HANDLES:
            self._handles(a) if a.dims else self._handle(a)
        else:
            getattr(self, "_" + ("integer" if a.type in INTEGERS else a.type))(a)

    def _integer(self, a):
        if a.dims:
            self._integers(a)
        elif a.intent == "in":
            message = self._message_of_count(a)
            cast = "" if self._c_type(len(self.calls)) == "MPI_Count" else f"({self._c_type(len(self.calls))})"
            self.calls.append(f"{cast}{message}_.count" if message else f"*{a.name}")
        elif a.name == "index":
            self.before.append("int index_ = MPI_UNDEFINED;")
            self.calls.append("&index_")
            self.always.append("*index = index_out(index_);")
        else:
            self.calls.append(a.name)

    def _c_type(self, position):
        return self.procedure.parameters[position].ctype.replace("@", "").strip()

    def _integers(self, a):
        if a.name.endswith("weights"):
            self.calls.append(f"weights_in({a.name})")
        elif a.dims.startswith("3,"):
            self.calls.append(f"(int(*)[3])(intptr_t){a.name}")
        else:
            self.calls.append(a.name)
        if a.name == "array_of_indices":
            self.always.append("if (*outcount != MPI_UNDEFINED)\n        indices_out(array_of_indices, *outcount);")
            self.before.append("*outcount = MPI_UNDEFINED;")

    def _handle(self, a):
        ctype, part = HANDLES[a.type]
        local = a.name + "_"
        message = self._message_of_type(a)
        if message:
            self.calls.append(f"{message}_.type")
        elif a.intent == "in" and "*" not in self._c_type(len(self.calls)):
            self.calls.append(f"{a.type}_in(*{a.name})")
            self._looked_at(a, 1)
        else:
            if a.type == "request" and a.intent == "inout":
                self._completed(f"&{local}", a.name, 1)
            is_null_on_error = self.procedure.parameters[len(self.calls)].is_null_on_error
            start = " = 0" if is_null_on_error else "" if a.intent == "out" else f" = {a.type}_in(*{a.name})"
            self.before.append(f"{ctype} {local}{start};")
            self.calls.append(f"&{local}")
            made = f"P{ctype if part != 'Type' else 'MPI_Type'}_toint({local})"
            if a.type == "request" and a.intent == "out":
                made = f"kept_new(request_posted({local}, caller))"
            write = f"*{a.name} = {made};"
            if is_null_on_error:
                self.always.append(f"if ({local})\n        {write}")
            elif a.intent == "out" or (a.intent == "inout" and a.type != "request"):
                (self.after if a.intent == "out" else self.always).append(write)
            if a.type == "request" and self._keeps():
                self.after.append(f"scratch_keep(&scratch, *{a.name});")
            if a.type == "request" and a.intent == "out":
                self.after += [f"message_keep(&{name}_, *{a.name});" for name in self.copies]

    def _keeps(self):
        """Whether C may read converted arrays until a request completes."""
        return any(a.type == "datatype" and a.dims and a.asynchronous for a in self.form.arguments)

    def _completed(self, local, name, count):
        """Hands requests back, and ends what was kept for those that have completed."""
        if self.form.name.startswith("Start"):
            self.before.append(f"kept_start({name}, {count});")
            self.after.append(f"requests_started({local}, {count}, caller);")
        self.before.append("uint64_t mark = kept_mark();")
        self.always.append(f"requests_out({local}, {name}, {count}, mark);")

    def _looked_at(self, a, count):
        if self.form.name.startswith("Request_get_status"):
            self.always.append(f"kept_look({a.name}, {count});")
        elif self.form.name in READY:
            self.before.append(READY[self.form.name])
        elif self.form.name == "Parrived":
            self.after.append("if (flag_)\n        kept_arrived(*request, *partition);")

    def _handles(self, a):
        ctype, local, count = HANDLES[a.type][0], a.name + "_", self._length(a)
        self.scratch = True
        if a.intent == "out":
            self.before.append(f"{ctype} *{local} = {a.type}s_room(&scratch, {count});")
            self.after.append(f"{a.type}s_out({local}, {a.name}, {count});")
        else:
            self.before.append(f"{ctype} *{local} = {a.type}s_in(&scratch, {a.name}, {count});")
            if a.intent == "inout":
                self._completed(local, a.name, count)
            self._looked_at(a, count)
        self.calls.append(local)

    def _length(self, a):
        """How many elements an array of handles or logicals has."""
        if a.dims != "*":
            return f"*{a.dims}"
        if a.name == "remain_dims":
            return "cart_dims(comm_in(*comm))"
        neighbors = "eighbor" in self.form.name
        count = ("neighbors_to" if a.name == "sendtypes" else "neighbors_from") if neighbors else "peers_of"
        count += "(comm_in(*comm))"
        if a.name == "sendtypes" and not neighbors:
            return f"sendbuf_{'.address' if self.sections else ''} == MPI_IN_PLACE ? 0 : {count}"
        return count

    def _logical(self, a):
        local = a.name + "_"
        if a.dims:
            count, self.scratch = self._length(a), True
            if a.intent == "in":
                self.before.append(f"int *{local} = logicals_in(&scratch, {a.name}, {count});")
            else:
                self.before.append(f"int *{local} = logicals_room(&scratch, {count});")
                self.after.append(f"logicals_out({local}, {a.name}, {count});")
            self.calls.append(local)
        elif a.intent == "in":
            self.calls.append(f"logical_in(*{a.name})")
        else:
            self.before.append(f"int {local} = logical_in(*{a.name});")
            self.calls.append("&" + local)
            self.always.append(f"*{a.name} = logical_out({local});")

    def _string(self, a):
        local, self.scratch = a.name + "_", True
        text, length = (a.name, a.name + "_length") if self._has_length(a) else (a.name + "->base", a.name + "->length")
        if a.intent == "in":
            trim = "text_between_in" if self.form.name.startswith("Info_") else "text_in"
            self.before.append(f"char *{local} = {trim}(&scratch, {text}, {length});")
        else:
            self.before.append(f"char *{local} = scratch_take(&scratch, {a.of or ROOM[a.name]} + 1);")
            self.after.append(f"text_out({local}, {text}, {length});")
        self.calls.append(local)

    def _choice(self, a):
        if not self.sections:
            if any(b.name == "sendtypes" for b in self.form.arguments):
                self.before.append(f"void *{a.name}_ = address_in({a.name});")
                self.calls.append(a.name + "_")
            else:
                self.calls.append(f"address_in({a.name})")
            return
        how = self._section(a)
        if how is None:
            self.calls.append(f"section_address({a.name})")
            return
        self.messages.append(a.name)
        self.before.append(f"struct message {a.name}_ = {how};")
        self.calls.append(f"{a.name}_.address")
        if self._is_under_way(a) and not how.startswith("section_message"):
            self.copies.append(a.name)

    def _section(self, a):
        """The function of section.h for this buffer; None: its address will do."""
        count, datatype = self._count_of(a), self._type_of(a)
        blocks = a.name in BLOCKS.get(self._family(), [])
        if blocks and self._is_under_way(a):
            if self._family() in PARTITIONED:
                back = "true" if self._family() == "Precv" else "false"
                return f"section_partitions({a.name}, *partitions, *count, datatype_in(*{datatype.name}), {back})"
            return f"section_blocks({a.name}, datatype_in(*{datatype.name}), {'false' if a.intent == 'in' else 'true'})"
        if not blocks and count and datatype and not self._reduces():
            return f"section_message({a.name}, *{count.name}, datatype_in(*{datatype.name}))"
        if not self._is_under_way(a) or self._reduces() or self._type_of(a, "types"):
            return f"section_copy({a.name}, {'false' if a.intent == 'in' else 'true'})"
        return None

    def _is_under_way(self, a):
        """Whether a buffer is in use when the call returns. Those of MPI_Psend_init and MPI_Precv_init are not ASYNCHRONOUS."""
        return a.asynchronous or any(b.type == "request" and b.intent == "out" for b in self.form.arguments)

    def _reduces(self):
        types = [a.type for a in self.form.arguments]
        return "op" in types and "win" not in types

    def _behind(self, a):
        """The arguments between this buffer and the next one."""
        rest = self.form.arguments[self.form.arguments.index(a) + 1:]
        return rest[:next((i for i, b in enumerate(rest) if b.type == "choice"), len(rest))]

    def _count_of(self, a):
        return next((b for b in self._behind(a) if b.name.endswith("count") and not b.dims and b.intent == "in"), None)

    def _type_of(self, a, kind="type"):
        return next((b for b in self._behind(a) if b.type == "datatype" and bool(b.dims) == (kind == "types")), None)

    def _message_of_count(self, count):
        """The buffer whose message has another count than the caller's."""
        return next((a.name for a in self.form.arguments if a.name in self.messages and self._count_of(a) is count
                     and self._section(a).startswith("section_message")), None)

    def _message_of_type(self, datatype):
        return next((a.name for a in self.form.arguments if a.name in self.messages and self._type_of(a) is datatype
                     and self._section(a).startswith(("section_message", "section_blocks", "section_partitions"))), None)

    def _status(self, a):
        if a.intent:
            self.calls.append(a.name)
        else:
            self.calls.append(f"status{'es' if a.dims else ''}_in({a.name})")

    def _c_ptr(self, a):
        self.calls.append(a.name)

    # The text.

    def name(self):
        name = named(self.prefix, self.form.name)
        if self.form.large or self.sections:
            name += "_f08" + ("ts" if self.form.has_choice() else "")
        return name.lower() + "_"

    def text(self):
        returns = {"double": "double", "aint": "MPI_Aint", None: "void"}[self.form.returns]
        declaration = f"{returns} {self.name()}({self.parameters()})"
        return f"EXPORTED {declaration};\n{declaration}\n{{\n{self._statements()}}}\n"

    # Most messages are scalars and rows without gaps. What mpi_send_ does with their addresses is a function of its own, which
    # mpi_send_f08ts_ calls as well; the rest is another function, so that they pay for two comparisons and no more. What has
    # several buffers takes longer than that matters.

    def is_split(self):
        return [a.type for a in self.form.arguments].count("choice") == 1 and not self.form.body

    def part_text(self):
        attribute = "__attribute__((noinline)) " if self.sections else "inline __attribute__((always_inline)) " if self._posts() else ""
        parameters = self.parameters() + (", const void *caller" if self._posts() else "")
        return f"static {attribute}void {self._part('gaps' if self.sections else 'plain')}({parameters})\n{{\n{self._conversions()}}}\n"

    def _part(self, kind):
        return f"{kind}_{named(self.prefix, self.form.name)}".lower()

    def _call_part(self, kind, buffer="{}"):
        names = [buffer.format(a.name) if a.type == "choice" else a.name for a in self.form.arguments]
        names += (["ierror"] if self.form.has_ierror else []) + ([CALLER] if self._posts() else [])
        return f"{self._part(kind)}({', '.join(names)});"

    def _statements(self):
        if not self.is_split():
            caller = f"    const void *caller = {CALLER};\n" if self._posts() and not self.form.body else ""
            return caller + self._conversions()
        if not self.sections:
            return f"    {self._call_part('plain')}\n"
        buffer = next(a.name for a in self.form.arguments if a.type == "choice")
        return f"    if (section_is_row({buffer}))\n        {self._call_part('plain', '{}->base')}\n    else\n        {self._call_part('gaps')}\n"

    def _conversions(self):
        call = f"{self.prefix.rstrip('_')}{self.procedure.name.removeprefix('MPI')}({', '.join(self.calls)})" if self.procedure else None
        if self.form.returns:
            return f"    return {call};\n"
        if self.form.body:
            return self._body_statements()
        lines = ["struct scratch scratch;", "", f"scratch_start{'_kept' if self._keeps() else ''}(&scratch);"] if self.scratch else []
        fails = ["scratch.failed ? scratch_fail(&scratch) : "] if self.scratch else []
        fails += [f"{name}_.error ? {name}_.error : " for name in self.messages]
        lines += self.before + [f"int error = {''.join(fails)}{call};"] + self.always
        if self.after:
            lines += ["if (error == MPI_SUCCESS) {", *("    " + line for line in self.after), "}"]
        lines += [f"message_free(&{name}_);" for name in self.messages]
        lines += (["scratch_free(&scratch);"] if self.scratch else []) + ["if (ierror)", "    *ierror = error;"]
        return "".join("    " + line + "\n" if line else "\n" for line in lines)

    def _body_statements(self):
        """A body gets everything but ierror as it came."""
        names = [f"section_address({a.name})" if a.type == "choice" and self.sections else a.name for a in self.form.arguments]
        names += [a.name + "_length" for a in self.form.arguments if self._has_length(a)]
        names += [CALLER] if self._posts() else []
        call = f"{self.form.body}({', '.join(names)})"
        if not self.form.has_ierror:
            return f"    {call};\n"
        return f"    int error = {call};\n    if (ierror)\n        *ierror = error;\n"


def aliases(entry, is_next):
    """The second names of a procedure without choice buffers; in mpif.h without X where it is in the next version of the standard."""
    form, returns = entry.form, {"double": "double", "aint": "MPI_Aint", None: "void"}[entry.form.returns]
    suffixes = ([] if form.large or form.old else ["_f08"]) + (["_cptr"] if form.is_memory() and not form.large else [])
    name = entry.name().rstrip("_")
    others = [name + suffix for suffix in suffixes] + ([name.replace("mpix_", "mpi_", 1)] if is_next else [])
    return "".join(f'EXPORTED {returns} {other}_({entry.parameters()}) __attribute__((alias("{name}_")));\n' for other in others)


def procedure_of(form, procedures):
    """The C procedure that a form calls. MPI_Psend_init and MPI_Precv_init have MPI_Count in Fortran."""
    procedure = procedures.get(named("MPI_", form.name))
    large = procedures.get(named("MPI_", form.name) + "_c")
    if large and any(a.name == "count" and a.type == "count" for a in form.arguments):
        return large
    return procedure


def entries_c(chapter, forms, procedures, next_names):
    """One file: the procedures of one chapter."""
    parts = [TOP.format(chapter)]
    for form in (f for f in forms.procedures if f.chapter == chapter):
        procedure = procedure_of(form, procedures)
        for prefix in ("MPI_", "PMPI_"):
            entry = Entry(form, procedure, prefix, False)
            if entry.is_split():
                parts += [entry.part_text(), Entry(form, procedure, prefix, True).part_text()]
            if not form.large or not form.has_choice():
                parts.append(entry.text() + ("" if form.has_choice() else aliases(entry, form.name in next_names)))
            if form.has_choice():
                parts.append(Entry(form, procedure, prefix, True).text())
    return "\n".join(parts)


def sizeof_c():
    parts = ["/* Made by gen/: MPI_Sizeof, a procedure for each type. */\n#include \"visible.h\"\n\n#include <stddef.h>\n"]
    for prefix in ("mpi", "pmpi"):
        for ctype, kind, size in SIZEOF:
            is_text = ctype == "character"
            declaration = f"void {prefix}_sizeof_{ctype}{kind}_(const void *x, int *size, int *ierror{', size_t length' if is_text else ''})"
            unused = "    (void)x;\n" + ("    (void)length;\n" if is_text else "")
            parts.append(f"EXPORTED {declaration};\n{declaration}\n{{\n{unused}    *size = {size};\n"
                         "    if (ierror)\n        *ierror = 0;\n}\n")
    return "\n".join(parts)


def operators_c():
    """== and /= of handles: mpi_comm_eq_ and so on."""
    parts = ["/* Made by gen/: == and /= of handles. */\n#include \"convert.h\"\n#include \"visible.h\"\n"]
    for ctype, _ in HANDLES.values():
        for word, sign in (("eq", "=="), ("ne", "!=")):
            declaration = f"int {ctype.lower()}_{word}_(const int *a, const int *b)"
            parts.append(f"EXPORTED {declaration};\n{declaration}\n{{\n    return logical_out(*a {sign} *b);\n}}\n")
    return "\n".join(parts)


# User functions that get no state of their own: for each distinct one, a C function that knows which it stands for.
SLOTS = 256
SLOT_KINDS = {
    "operation": ("void", "void *in, void *inout, int *length, MPI_Datatype *type", "in, inout, length, type"),
    "large_operation": ("void", "void *in, void *inout, MPI_Count *length, MPI_Datatype *type", "in, inout, length, type"),
    "comm_handler": ("void", "MPI_Comm *comm, int *code, ...", "comm, code"),
    "file_handler": ("void", "MPI_File *file, int *code, ...", "file, code"),
    "win_handler": ("void", "MPI_Win *win, int *code, ...", "win, code"),
    "session_handler": ("void", "MPI_Session *session, int *code, ...", "session, code"),
}


def slots_c():
    parts = ["/* Made by gen/: the functions behind the slots of user_functions.h. */\n#include \"slots.h\"\n"]
    for kind, (returns, parameters, arguments) in SLOT_KINDS.items():
        for i in range(SLOTS):
            parts.append(f"static {returns} {kind}_{i}({parameters})\n{{\n    call_{kind}({i}, {arguments});\n}}\n")
        table = ", ".join(f"{kind}_{i}" for i in range(SLOTS))
        parts.append(f"{returns} (*const {kind}_slots[SLOTS])({parameters}) = {{{table}}};\n")
    return "\n".join(parts)


def slots_h():
    lines = ["/* Made by gen/: for each slot a C function that hands its number on to the call_ function of its kind. */",
             "#ifndef FORTRAN_SLOTS_H", "#define FORTRAN_SLOTS_H", "", '#include "convert.h"', "", f"#define SLOTS {SLOTS}", ""]
    for kind, (returns, parameters, _) in SLOT_KINDS.items():
        lines += [f"extern {returns} (*const {kind}_slots[SLOTS])({parameters});",
                  f"{returns} call_{kind}(int slot, {parameters.removesuffix(', ...')});"]
    return "\n".join(lines + ["", "#endif"]) + "\n"
