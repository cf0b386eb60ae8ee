"""Makes the entry points: the exported MPI_X and PMPI_X of every procedure.

Each decodes its handles, compares, calls the body and encodes the results; see src/api/call.h for what happens
when something is wrong. A procedure without a body reports that it is not written yet.
"""

TOP = """/* Made by gen/ from api/{file}.txt: {title} (MPI-5.0 chapter {number}). */
#define MPI_INKLING_ALLOW_DEPRECATED
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include "api/call.h"
#include "api/check.h"
#include "api/handle.h"
{includes}"""

CALLER = "__builtin_return_address(0)"


class Entry:
    """The C text of one procedure."""

    def __init__(self, procedure):
        self.procedure = procedure
        self.parameters = [p for p in procedure.parameters if p.group != "varargs"]
        self.descriptor = "call_" + procedure.name[4:]
        self.comm = self._first("C")
        self.root = self._first("R")

    def _first(self, letter):
        return next((p for p in self.parameters if p.letter == letter), None)

    # Blocks: a buffer with the count and the datatype behind it.

    def _partner(self, buffer, letters):
        after = self.parameters[self.parameters.index(buffer) + 1:]
        return next((p for p in after if p.letter in letters.split()), None)

    def _buffers_of(self, parameter, letters):
        buffers = [p for p in self.parameters if p.group == "buffer"]
        return [b for b in buffers if self._partner(b, letters) is parameter]

    def _used(self, buffer):
        """When the standard looks at a buffer; None: always."""
        if buffer.letter in "pq":
            return f"{buffer.name} != MPI_IN_PLACE"
        if buffer.letter == "r":
            return f"check_is_at_root({self.root.name}, {self.comm.name}_)"
        return None

    def _guarded(self, parameter, letters, condition):
        """The condition, where a buffer of the parameter is looked at."""
        buffers = self._buffers_of(parameter, letters)
        guards = [self._used(b) for b in buffers]
        if len(buffers) != 1 or guards[0] is None:
            return condition
        return f"({guards[0]} && {condition})"

    # The compares.

    def _compare(self, p):
        name = p.name
        if p.letter == "a":
            return f"({self._count_before(p)} > 0 && !{name})"
        if p.letter in "uy":
            return f"!{name}"
        if self.procedure.raw:
            return f"!{name}" if p.letter[0] in "*+" else f"{name} < 0" if p.letter == "n" else None
        if p.group == "handle" and p.form != "*":
            return self._compare_handle(p)
        if p.letter in ("n", "N"):
            return self._guarded(p, "n N k K h H", f"{name} < 0")
        if p.letter in ("k", "K"):
            return self._guarded(p, "n N k K h H", f"!check_are_counts({self.argument(p)}, {self.comm.name}_)")
        if p.letter in ("h", "H"):
            return self._guarded(p, "n N k K h H", f"!check_are_own_counts({self.argument(p)}, {self.comm.name}_)")
        if p.letter == "v":
            return self._guarded(p, "v D Y", f"!{name}")
        if p.letter == "Y":
            return self._guarded(p, "D Y", f"!check_are_types({name}, {self.comm.name}_)")
        if p.letter in ("d", "s", "R") and self.comm:
            check = {"d": "dest", "s": "source", "R": "root"}[p.letter]
            return f"!check_is_{check}({name}, {self.comm.name}_)"
        if p.letter == "t":
            return f"{name} < 0"
        if p.letter == "T":
            return f"({name} < 0 && {name} != MPI_ANY_TAG)"
        if p.letter in ("*", '"'):
            return f"!{name}"
        if p.group == "buffer":
            return self._compare_buffer(p)
        return None

    def _count_before(self, array):
        before = self.parameters[:self.parameters.index(array)]
        return next(p.name for p in reversed(before) if p.letter in "ni")

    def _compare_handle(self, p):
        if p.maybe_null:
            return f"(!{p.name}_ && {p.name} != {p.null})"
        if p.base == "type" and not p.form and self._buffers_of(p, "D Y"):
            return self._guarded(p, "D Y", f"!datatype_is_usable({p.name}_)")
        return f"!{p.name}_"

    def _compare_buffer(self, p):
        count = self._partner(p, "n N k K h H")
        if not count or not self._partner(p, "D Y"):
            return None
        some = f" && {count.name} != 0" if count.letter in "nN" else ""
        if p.letter in "pq":
            odd = f"(!{p.name}{some})"
            if p.letter == "p":
                return f"{odd} || ({p.name} == MPI_IN_PLACE && comm_is_inter({self.comm.name}_))"
            return (f"{odd} || ({p.name} == MPI_IN_PLACE && "
                    f"!check_is_at_root({self.root.name}, {self.comm.name}_))")
        odd = f"check_is_odd_buffer({p.name}){some}"
        guard = self._used(p)
        return f"({guard} && {odd})" if guard else f"({odd})"

    def _tolerated(self):
        """Sends and receives take MPI_DATATYPE_NULL for no items (docs/TOLERANCES.md): call_refuse lets it pass."""
        if self.procedure.raw or not any(p.letter in ("d", "s", "&M") for p in self.parameters):
            return []
        return [f"    {p.name}_ = check_none_type({p.name}_);" for p in self.parameters
                if p.group == "handle" and p.base == "type" and not p.form and self._buffers_of(p, "D Y")]

    def _compare_alias(self):
        buffers = [p for p in self.parameters if p.group == "buffer"]
        if len(buffers) != 2 or self.procedure.chapter.number != 6:
            return []
        return [f"({buffers[0].name} == {buffers[1].name} && {buffers[0].name})"]

    def _compares(self):
        found = [(p, self._compare(p)) for p in self.parameters]
        found.sort(key=lambda f: f[0] is not self.comm)  # the others may ask the communicator
        found = [text for _, text in found if text]
        needs_comm = not self.procedure.raw and any(p.group == "handle" and not p.form and not p.maybe_null and p.base in ("comm", "win", "file", "session", "request")
                         for p in self.parameters)
        if not self.procedure.any_time and not needs_comm:
            found.insert(0, "!check_is_up()")
        return found + self._compare_alias()

    # Decoding and encoding.

    def argument(self, p):
        """What the body gets."""
        if self.procedure.raw:
            return p.name
        if p.group == "handle":
            return f"&{p.name}_" if p.form == "*" else f"{p.name}_"
        if p.group == "status" or (p.group == "result" and self._is_converted(p)):
            return f"&{p.name}_"
        if p.group == "result":
            return f"(MPI_Count *){p.name}"
        if p.group == "array":
            if p.ctype.startswith("const int "):
                return f"(struct counts){{.narrow = {p.name}}}"
            return f"(struct counts){{.wide = (const int64_t *){p.name}}}"
        if p.group == "callback":
            return f"NULL, {p.name}" if p.large else f"{p.name}, NULL"
        if p.group == "word":
            return f"object_word({p.name})"
        return p.name

    @staticmethod
    def _is_converted(p):
        return p.ctype.startswith("int ")

    def _locals(self):
        if self.procedure.raw:
            return
        for p in self.parameters:
            if p.group == "handle":
                yield self._local_handle(p)
            elif p.group == "status":
                yield f"struct status {p.name}_ = status_empty;"
            elif p.group == "result" and self._is_converted(p):
                start = f"{p.name} ? *{p.name} : 0" if p.kind.endswith("&") else "0"
                yield f"MPI_Count {p.name}_ = {start};"

    @staticmethod
    def _local_handle(p):
        start = f"struct {p.struct} *{p.name}_ = "
        if p.form == "*":
            return start + "NULL;"
        find = f"{p.struct}_find("
        if p.form:
            return f"{start}{p.name} ? {find}*{p.name}) : NULL;"
        return f"{start}{find}{p.name});"

    def _results(self):
        if self.procedure.raw:
            return
        for p in self.parameters:
            if p.group == "handle" and p.form == "*" and p.base == "request":
                form = "_persistent" if self.procedure.base.endswith("_init") else ""
                yield f"*{p.name} = request_hand_out{form}({p.name}_, {CALLER});"
            elif p.group == "handle" and p.form == "*":
                yield f"*{p.name} = object_to_handle({p.name}_, {p.null});"
            elif p.group == "handle" and p.form == "~":
                yield f"*{p.name} = {p.null};"
            elif p.group == "result" and self._is_converted(p):
                yield f"*{p.name} = {p.name}_ > INT_MAX ? MPI_UNDEFINED : (int){p.name}_;"

    def _statuses(self):
        """Also an error may come with a status: that of a message which was received, but cut. Its handle is gone."""
        for p in self.parameters:
            if p.group == "status" and not self.procedure.raw:
                yield (f"if ({p.name} != MPI_STATUS_IGNORE && (!error_ || {p.name}_.source != MPI_ANY_SOURCE))\n"
                       f"        status_write(&{p.name}_, {p.name});")
                yield from (f"if (error_ && {p.name}_.source != MPI_ANY_SOURCE)\n        *{freed.name} = {freed.null};"
                            for freed in self.parameters if freed.group == "handle" and freed.form == "~")

    def _nulls(self):
        return [f"if (error_)\n        *{p.name} = {p.null};" for p in self.parameters if p.is_null_on_error]

    # The whole.

    def _names(self):
        return "".join(", " + p.name for p in self.parameters)

    def descriptor_text(self):
        if len(self.parameters) > 16:  # ARGUMENT_LIMIT in src/api/arguments.h
            raise SystemExit(f"{self.procedure.name} has more than 16 parameters")
        kinds = "".join(p.letter for p in self.parameters).replace('"', '\\"')
        names = ",".join(p.name for p in self.parameters)
        any_time = "*" if self.procedure.any_time else ""
        return f'static const char {self.descriptor}[] = "{any_time}{self.procedure.name} {kinds} {names}";'

    def _body_call(self):
        arguments = {p.name: self.argument(p) for p in self.parameters}
        arguments["caller"] = CALLER
        wanted = self.procedure.body_arguments
        if wanted is None:
            wanted = [p.name for p in self.parameters]
        return f"{self.procedure.body}({', '.join(arguments.get(w, w) for w in wanted)})"

    def _statements(self):
        names, compares, results = self._names(), self._compares(), list(self._results())
        lines = list(self._locals()) + ["int error_;", ""]
        if compares:
            test = " ||\n        ".join(compares)
            lines += [f"if ({test}) {{",
                      f"    error_ = call_refuse({self.descriptor}{names});",
                      "    if (error_)", "        return error_;"] + self._tolerated() + ["}"]
        lines += [f"error_ = {self._body_call()};"] + list(self._statuses()) + self._nulls()
        return lines + ["if (error_)", f"    return call_raise(error_, {self.descriptor}{names});"] + results + [
            "return MPI_SUCCESS;"]

    def _definition(self):
        procedure = self.procedure
        if procedure.returns != "int" or procedure.is_tool() or not self._may_fail():
            if not procedure.body and not procedure.is_tool():
                raise SystemExit(f"{procedure.name} cannot report that it is not written; give it a body")
            result = self._body_call() if procedure.body else "MPI_T_ERR_NOT_SUPPORTED"
            if procedure.returns.startswith("MPI_") and procedure.returns != "MPI_Aint":
                result = f"({procedure.returns})(uintptr_t){result}"
            unused = [] if procedure.body else [f"(void){p.name};" for p in self.parameters]
            return None, unused + [f"return {result};"]
        if not procedure.body:
            return self.descriptor_text(), [f"return call_unsupported({self.descriptor}{self._names()});"]
        return self.descriptor_text(), self._statements()

    def _may_fail(self):
        return not any(p.group == "word" for p in self.parameters)

    def text(self):
        descriptor, lines = self._definition()
        procedure = self.procedure
        body = "".join(f"    {line}\n" if line else "\n" for line in lines)
        alias = f'{procedure.prototype()} __attribute__((weak, alias("P{procedure.name}")));\n'
        return (descriptor + "\n" if descriptor else "") + procedure.prototype("P") + "\n{\n" + body + "}\n" + alias


def entries_c(chapter):
    includes = "".join(f'#include "{i}"\n' for i in chapter.includes) + "\n#include <limits.h>\n"
    top = TOP.format(file=chapter.file, title=chapter.title, number=chapter.number, includes=includes)
    return "\n".join([top] + [Entry(p).text() for p in chapter.procedures])


def handle_names_c(constants):
    """The names of predefined handles, for messages."""
    rows = [f'    {{{value}, "{name}"}},' for form, ctype, name, value in constants.all()
            if form == "handle" and not ctype.startswith("MPI_T_") and not value.startswith("MPI_")]
    return ('/* Made by gen/ from api/constants.txt. */\n#include "api/handle.h"\n\n#include <stddef.h>\n\n'
            "const struct handle_name handle_names[] = {\n" + "\n".join(rows) + "\n    {0, NULL},\n};\n")
