"""Makes entry.c of a foreign ABI: its MPI_X and PMPI_X, each of which translates what the program passes, calls Inkling's, and
translates what comes back. The kinds of the parameters (kinds.py) and, for integers, their names say how."""

import re

from foreign_abi import HANDLES, foreign_types

# Integers that hold a constant: parameter name -> family of foreign_abi.py. A name may be PROCEDURE.NAME.
IN = {
    "amode": "amode", "assert": "assert", "whence": "seek", "lock_type": "lock", "split_type": "split", "order": "order", "typeclass": "typeclass",
    "required": "thread", "Abort.errorcode": None, "errorcode": "error", "errorclass": "error", "comm_keyval": "keyval", "type_keyval": "keyval", "win_keyval": "keyval",
    "keyval": "keyval", "Status_set_source.source": "rank", "Status_set_tag.tag": "tag", "Status_set_error.error": "error",
    "var_class": "pvar_class", "remote_leader": "rank", "cb_safety": "safety",
}
OUT = {
    "result": "comparison", "provided": "thread", "combiner": "combiner", "errorcode": "error", "errorclass": "error", "Topo_test.status": "topology",
    "rank_source": "rank", "rank_dest": "rank", "Status_get_source.source": "rank", "Status_get_tag.tag": "tag", "Status_get_error.error": "error",
    "amode": "amode", "comm_keyval": "keyval", "type_keyval": "keyval", "win_keyval": "keyval", "keyval": "keyval", "verbosity": "verbosity",
    "bind": "bind", "scope": "scope", "var_class": "pvar_class", "ordering": "source_order",
}
ARRAYS_IN = {"array_of_distribs": ("distribution", "ndims"), "array_of_dargs": ("darg", "ndims"), "ranks1": ("rank", "n"),
             "Dist_graph_create.destinations": ("rank", None), "Dist_graph_create_adjacent.sources": ("rank", "indegree"),
             "Dist_graph_create_adjacent.destinations": ("rank", "outdegree")}
ARRAYS_OUT = {"ranks2": ("rank", "n"), "array_of_errcodes": ("error", "maxprocs"), "Dist_graph_neighbors.sources": ("rank", "maxindegree"),
              "Dist_graph_neighbors.destinations": ("rank", "maxoutdegree")}
LIMITS = {"Get_processor_name": "PROCESSOR_NAME", "Error_string": "ERROR_STRING", "Comm_get_name": "OBJECT_NAME", "Type_get_name": "OBJECT_NAME",
          "Win_get_name": "OBJECT_NAME", "Open_port": "PORT_NAME", "Lookup_name": "PORT_NAME", "Info_get_nthkey": "INFO_KEY",
          "File_get_view": "DATAREP_STRING"}
# Those that are written in foreign/, and those that only the standard's own ABI has.
BY_HAND = set("""Op_create Op_create_c Comm_create_keyval Type_create_keyval Win_create_keyval Keyval_create Comm_create_errhandler
    File_create_errhandler Win_create_errhandler Session_create_errhandler Errhandler_free Grequest_start Register_datarep Register_datarep_c Comm_get_attr
    Win_get_attr Attr_get Type_get_contents Type_get_contents_c Get_library_version Comm_spawn Comm_spawn_multiple T_event_register_callback
    T_event_set_dropped_handler T_event_handle_free T_event_get_info
    T_cvar_handle_alloc T_pvar_handle_alloc T_event_handle_alloc Pcontrol""".split())
UNSUPPORTED = {"T_event_set_dropped_handler"}  # of these

CALLER = "__builtin_return_address(0)"

TOP = """/* Made by gen/ from api/ and foreign/facts: the entry points of the ABI. */
#include "foreign/foreign.h"

#include "entry.h"
"""


class Entry:
    """The C text of one procedure."""

    def __init__(self, procedure):
        self.procedure, self.short = procedure, procedure.name[4:]
        self.after, self.late = [], []
        self.before = ["handlers_end();"] if self.short == "Finalize" else []
        self.end = "call_failed" if self.short.endswith("_call_errhandler") else "call_ended"  # a handler runs without an error

    def prototype(self):
        parameters = ", ".join(foreign_types(p.declaration()) for p in self.procedure.parameters) or "void"
        returns = foreign_types(self.procedure.returns)
        return f"{returns} foreign_{self.short}({parameters})"

    def declarations(self):
        if is_written(self.procedure):
            yield self.prototype().removesuffix(")") + (", const void *caller" if is_posting(self.procedure) else "") + ");"
        else:
            yield f'FOREIGN_EXPORTED {self.prototype()} __asm__("P{self.procedure.name}");'

    def alias(self):
        return weak_alias(self.prototype(), self.procedure.name)

    def _look(self, table, p):
        return table.get(f"{self.procedure.base[4:]}.{p.name}", table.get(p.name))

    def _count(self, p):
        """The name of the argument that says how many elements an array of handles or statuses has."""
        names = [q.name for q in self.procedure.parameters]
        return next(n for n in ("count", "incount", "max_datatypes") if n in names)

    def forwarding_text(self):
        """Of a procedure that is written in foreign/: both names are symbols of one object file."""
        names = ", ".join(p.name for p in self.procedure.parameters if p.group != "varargs")
        prototype = self.prototype().replace("foreign_", "entry_", 1)
        names += f", {CALLER}" if is_posting(self.procedure) else ""
        mark = " FOREIGN_UNSUPPORTED" if self.short in UNSUPPORTED else ""
        return (f'FOREIGN_EXPORTED{mark} {prototype} __asm__("P{self.procedure.name}");\n{prototype}\n{{\n    return foreign_{self.short}({names});\n}}\n'
                f"{self.alias()}\n")

    def text(self):
        arguments = [self._argument(p) for p in self.procedure.parameters]
        call = f"real.{self.short}({', '.join(arguments)})"
        returns = self.procedure.returns
        if re.match(r"(Add|Remove)_error_c", self.short):
            self.after.append("last_code_out();")
        if returns != "int":
            return f"{self.prototype()}\n{{\n    return {call};\n}}\n{self.alias()}\n"
        lines = [line for line in self.before] + ([""] if self.before else [])
        if not self.after:
            lines.append(f"return {self.end}({call});")
        else:
            declared = [line for line in self.before if not line.startswith("!")]
            lines = declared + ["int failed_;", ""] + [line[1:] for line in self.before if line.startswith("!")]
            lines += [f"failed_ = {call};"] + self.after + [f"return {self.end}(failed_);"]
        body = "".join(f"    {line}\n" if line else "\n" for line in lines)
        return f"{self.prototype()}\n{{\n{body}}}\n{self.alias()}\n"

    # Arguments.

    def _argument(self, p):
        if p.group == "handle":
            return self._handle(p)
        if p.group == "status":
            self.before.append(f"MPI_Status {p.name}_ = STATUS_ROOM;")
            self.after.append(f"status_out(&{p.name}_, {p.name});")
            return f"status_room({p.name}, &{p.name}_)"
        if p.group == "buffer":
            return f"buffer_in({p.name})"
        if p.kind in ("types", "types*", "infos", "requests", "requests*", "statuses", "status", "status&"):
            return getattr(self, "_" + p.kind.replace("*", "_out").replace("&", "_inout"))(p)
        if p.kind.startswith("=") or "=" in p.kind:
            return self._literal(p)
        return self._integer(p)

    def _handle(self, p):
        kind = re.match(r"MPI_(\w+)", p.ctype)[1].lower()
        owner = re.match(r"(comm|win|file)_[gs]et_errhandler", self.short.lower())
        if not p.form:
            return f"{owner[1]}_handler_in({p.name})" if owner and kind == "errhandler" else f"{kind}_in({p.name})"
        if p.form == "*":
            self.before.append(f"MPI_{HANDLE_NAMES[kind]} {p.name}_ = NULL;")
            out = f"request_posted({p.name}_, {CALLER})" if kind == "request" else f"{kind if not owner else 'handler'}_out({p.name}_)"
            self.after.append(f"if ({p.name}_)\n        *{p.name} = {out};")
            return f"{p.name} ? &{p.name}_ : NULL"
        self.before.append(f"MPI_{HANDLE_NAMES[kind]} {p.name}_ = {p.name} ? {kind}_in(*{p.name}) : NULL, {p.name}_was_ = {p.name}_;")
        kept = f"        kept_drop({p.name}_was_);\n" if kind == "request" else f"        operation_freed({p.name}_was_);\n" if kind == "op" else ""
        if self.short == "Start":
            self.after.append(f"if (!failed_)\n        request_mark({p.name}_, {CALLER});")
        self.after.append(f"if ({p.name}_ != {p.name}_was_) {{\n{kept}        {kind}_drop(*{p.name});\n"
                          f"        *{p.name} = {kind}_out({p.name}_);\n    }}")
        return f"{p.name} ? &{p.name}_ : NULL"

    def _literal(self, p):
        """A C type as it is: handles, and what is of an enumeration of MPI_T."""
        for name in HANDLES:
            if p.ctype.startswith(f"MPI_{name} ") and "*" not in p.ctype and "[" not in p.ctype:
                return f"{name.lower()}_in({p.name})"
        family = self._look(IN, p)
        if p.ctype == "MPI_T_cb_safety @":
            return f"(MPI_T_cb_safety)safety_constant_in((int){p.name})"
        if p.name == "array_of_errcodes":
            return self._integer(p)
        if p.ctype == "MPI_T_source_order *@":
            self.before.append(f"MPI_T_source_order {p.name}_ = (MPI_T_source_order)INT32_MIN;")
            self.after.append(f"if ({p.name} && {p.name}_ != (MPI_T_source_order)INT32_MIN)\n"
                              f"        *{p.name} = (MPI_T_source_order)source_order_constant_out((int){p.name}_);")
            return f"{p.name} ? &{p.name}_ : NULL"
        if p.ctype == "MPI_T_pvar_handle @":
            return f"pvar_handle_in({p.name})"
        return f"{convert(family, 'in')}({p.name})" if family else p.name

    def _integer(self, p):
        name, kind = p.name, p.kind
        if kind in ("dest", "source", "root", "rank"):
            return f"rank_in({name})"
        if kind in ("tag", "anytag"):
            return f"tag_in({name})"
        if kind.startswith("weights"):
            return f"weights_in({name})"
        if kind == "str*" and self.short in LIMITS:
            return self._text(p)
        if kind in ("int*", "int&") and self._look(OUT, p):
            return self._constant_out(p)
        if kind == "int" and self._look(IN, p):
            return f"{convert(self._look(IN, p), 'in')}({name})"
        if kind == "offset" and self.short in ("File_set_view",):
            return f"{name} == FOREIGN_DISPLACEMENT_CURRENT ? MPI_DISPLACEMENT_CURRENT : {name}"
        if "[" in p.ctype and self._look(ARRAYS_IN, p):
            return self._array_in(p)
        if "[" in p.ctype and self._look(ARRAYS_OUT, p):
            family, count = self._look(ARRAYS_OUT, p)
            self.after.append(f"array_out({name}, {count}, {family}_constant_out, failed_);")
        return name

    def _array_in(self, p):
        family, count = self._look(ARRAYS_IN, p)
        if count is None:
            count = f"sum_of(degrees, n)"
        self.before += [f"struct scratch {p.name}_;"]
        self.after.append(f"scratch_free(&{p.name}_);")
        return f"array_in(&{p.name}_, {p.name}, {count}, {family}_constant_in)"

    def _constant_out(self, p):
        family = self._look(OUT, p)
        start = f"{p.name} ? {convert(family, 'in')}(*{p.name}) : 0" if p.kind.endswith("&") else "INT32_MIN"
        self.before.append(f"int {p.name}_ = {start};")
        condition = f"{p.name} && !failed_" if p.kind.endswith("&") else f"{p.name} && {p.name}_ != INT32_MIN"
        self.after.append(f"if ({condition})\n        *{p.name} = {convert(family, 'out')}({p.name}_);")
        return f"{p.name} ? &{p.name}_ : NULL"

    def _text(self, p):
        limit = LIMITS[self.short]
        length = next((q.name for q in self.procedure.parameters if q.name == "resultlen"), "NULL")
        self.before.append(f"char {p.name}_[MPI_MAX_{limit}] = \"\";")
        self.after.append(f"text_out({p.name}_, {p.name}, FOREIGN_MAX_{limit}, {length}, failed_);")
        return f"{p.name} ? {p.name}_ : NULL"

    # Statuses and arrays.

    def _status(self, p):
        self.before.append(f"MPI_Status {p.name}_;")
        return f"status_in({p.name}, &{p.name}_)"

    def _status_inout(self, p):
        self.before.append(f"MPI_Status {p.name}_;")
        self.after.append(f"status_back(&{p.name}_, {p.name});")
        return f"status_in({p.name}, &{p.name}_)"

    def _statuses(self, p):
        self.before.append(f"struct status_array {p.name}_;")
        self.after.append(f"statuses_out(&{p.name}_);")
        return f"statuses_room(&{p.name}_, {p.name}, {self._count(p)})"

    def _requests(self, p):
        self.before.append(f"struct request_array {p.name}_;")
        self.after.append(f"requests_free(&{p.name}_);")
        return f"requests_in(&{p.name}_, {p.name}, {self._count(p)})"

    def _requests_out(self, p):
        self.before.append(f"struct request_array {p.name}_;")
        if self.short == "Startall":
            self.after.append(f"if (!failed_)\n        requests_started(&{p.name}_, {CALLER});")
        self.after.append(f"requests_out(&{p.name}_, {p.name});")
        return f"requests_in(&{p.name}_, {p.name}, {self._count(p)})"

    def _types(self, p):
        """Those of a collective are as many as the communicator has neighbors or processes. What Inkling may read later is kept."""
        request = next((q for q in self.procedure.parameters if q.name == "request"), None)
        if not any(q.name == "comm" for q in self.procedure.parameters):
            count = "count"
        elif "eighbor" in self.short:
            count = f"neighbors_of(comm_in(comm), {int(p.name == 'recvtypes')})"
        else:
            count = f"{p.name} ? peers_of(comm_in(comm)) : 0"
            if p.name == "sendtypes":  # not significant with MPI_IN_PLACE
                count = f"sendbuf != FOREIGN_IN_PLACE && {count}".replace("&& sendtypes ?", "&& sendtypes ?")
        self.before.append(f"struct scratch {p.name}_;")
        if request:
            self.after.append(f"kept_add(&{p.name}_, request_, failed_);")
        else:
            self.after.append(f"scratch_free(&{p.name}_);")
        return f"types_in(&{p.name}_, {p.name}, {count}, {int(request is not None)})"

    def _infos(self, p):
        raise SystemExit(f"{self.short}: arrays of infos are written by hand")

    _types_out = _infos


HANDLE_NAMES = {name.lower(): name for name in HANDLES}


def convert(family, way):
    return f"{family}_{way}" if family in ("amode", "assert", "error", "keyval", "rank", "tag") else f"{family}_constant_{way}"


def weak_alias(prototype, name):
    """The MPI_ name beside the PMPI_ name, weak: a tool of the program's may have it."""
    declaration = re.sub(r"\bforeign_(\w+)\(", r"weak_\1(", prototype, count=1)
    return f'FOREIGN_EXPORTED {declaration} __asm__("{name}") __attribute__((weak, alias("P{name}")));'


def is_there(procedure):
    """The standard ABI's own procedures are left out: MPI_X_toint, MPI_Abi_x."""
    return not procedure.name.endswith(("_toint", "_fromint")) and not procedure.name.startswith("MPI_Abi_")


def is_posting(procedure):
    """Whether it gives a request to the program."""
    return any(p.group == "handle" and p.base == "request" and p.form == "*" for p in procedure.parameters)


def is_written(procedure):
    return procedure.name[4:] in BY_HAND


def entries_c(procedures, removed, unsupported):
    parts = [TOP]
    for p in procedures:
        if is_there(p):
            entry = Entry(p)
            parts.append(entry.forwarding_text() if is_written(p) else entry.text())
    parts += removed
    for name in unsupported:
        parts.append(f'FOREIGN_EXPORTED FOREIGN_UNSUPPORTED int stub_{name}(void) __asm__("P{name}");\nint stub_{name}(void)\n{{\n'
                     f'    return unsupported("{name}");\n}}\n'
                     f'FOREIGN_EXPORTED int weak_{name}(void) __asm__("{name}") __attribute__((weak, alias("P{name}")));\n')
    return "\n".join(parts)


def entry_h(procedures):
    lines = ["/* Made by gen/ from api/: the entry points of the ABI, by their PMPI_ names. */", "#ifndef FOREIGN_ENTRY_H",
             "#define FOREIGN_ENTRY_H", '#include "foreign/foreign.h"', ""]
    for p in procedures:
        if is_there(p):
            lines += Entry(p).declarations()
    return "\n".join(lines + ["", "#endif"]) + "\n"


def real_h(procedures):
    """The procedures of Inkling, which load.c finds."""
    lines = ["/* Made by gen/ from api/. */", "#ifndef FOREIGN_REAL_H", "#define FOREIGN_REAL_H", '#include "foreign/standard.h"', "", "struct real {"]
    for p in procedures:
        parameters = ", ".join(q.declaration() for q in p.parameters) or "void"
        lines.append(f"    {p.returns} (*{p.name[4:]})({parameters});")
    names = "".join(f'    {{"{p.name}", offsetof(struct real, {p.name[4:]})}}, \\\n' for p in procedures)
    return "\n".join(lines + ["};", "extern struct real real;", "", "#define REAL_NAMES \\", names.rstrip(" \\\n"), "", "#endif"]) + "\n"
