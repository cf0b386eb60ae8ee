"""calls.py GEN_FOLDER API_FOLDER OUTPUT: every procedure of each Fortran interface, called over a C library of the test's own.

From api/ come a library with the standard ABI, mock.c, in which each MPI_X checks every argument and gives results, and a program for
each interface, which passes what the mock expects and checks what comes back. What a value is follows from the place of its argument:
start() and result(). So no conversion can be forgotten, and the Fortran library is seen to need nothing but the ABI. Each is called once
more while the mock fails: the error has to come back, and results stay as they were. Procedures with a body of their own in fortran/ are
left to the tests beside this one.
"""

import os
import sys

sys.path.insert(0, sys.argv[1])

from fortran import Forms, HANDLES, INTEGERS  # noqa: E402
from fortran_entries import procedure_of  # noqa: E402
from fortran_modules import wrap  # noqa: E402
from standard import Standard, named, write  # noqa: E402

COUNT = 3  # the elements of every array
ERROR = 17  # what a procedure returns that fails

MOCK_TOP = """/* Made by calls.py: a library with the standard ABI in which each procedure checks its arguments. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *called;
static int mistakes, calls, failing;

static void wrong(const char *where, int place, const char *what)
{
    fprintf(stderr, "%s, argument %d: %s\\n", where, place, what);
    mistakes++;
}

static void same(const char *where, int place, long long got, long long wanted)
{
    char what[80];

    if (got == wanted)
        return;
    snprintf(what, sizeof what, "%lld, not %lld", got, wanted);
    wrong(where, place, what);
}

static void same_text(const char *where, int place, const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0)
        wrong(where, place, got);
}

/* What the programs call. */
void fail_with_(const int *error);
void expect_call_(const char *name, size_t length);
void expect_(const int *place, const long long *got, const long long *wanted);
void expect_text_(const int *place, const char *got, const char *wanted, size_t got_length, size_t wanted_length);
void expect_end_(void);

/* From now on each procedure fails, or with 0 none does. */
void fail_with_(const int *error)
{
    failing = *error;
}

void expect_call_(const char *name, size_t length)
{
    calls++;
    if (!called || strlen(called) != length || strncmp(called, name, length) != 0)
        fprintf(stderr, "%.*s has called %s\\n", (int)length, name, called ? called : "nothing"), mistakes++;
    called = NULL;
}

void expect_(const int *place, const long long *got, const long long *wanted)
{
    same("a result", *place, *got, *wanted);
}

/* Blanks up to the end. */
void expect_text_(const int *place, const char *got, const char *wanted, size_t got_length, size_t wanted_length)
{
    if (strncmp(got, wanted, wanted_length) != 0)
        wrong("a string", *place, "another text");
    for (size_t i = wanted_length; i < got_length; i++)
        if (got[i] != ' ') {
            wrong("a string", *place, "not padded");
            return;
        }
}

void expect_end_(void)
{
    printf("%d calls, %d mistakes\\n", calls, mistakes);
    exit(mistakes || !calls);
}
"""

# Handles are integers behind an offset; what the library asks about a communicator: three processes around each.
MOCK_HELP = {
    "MPI_Comm_test_inter": "*flag = 0;", "MPI_Comm_size": "*size = 3;", "MPI_Comm_rank": "*rank = 0;",
    "MPI_Topo_test": "*status = MPI_Comm_toint(comm) == 5000 ? MPI_CART : MPI_DIST_GRAPH;", "MPI_Cartdim_get": "*ndims = 3;",
    "MPI_Dist_graph_neighbors_count": "*indegree = *outdegree = 3; *weighted = 0;",
}


def scalar_of_array(form, argument):
    """Whether an argument says how many elements others have."""
    return any(argument.name in a.dims.split(",") for a in form.arguments) or argument.name in ("n", "length")


def start(form, place, argument):
    """The value that goes in; of element j of an array: j more."""
    if argument.type in HANDLES:
        return 5000 + 10 * place
    if not argument.dims and scalar_of_array(form, argument):
        return COUNT
    if argument.type in ("count", "aint", "offset"):
        return (1 << 33) + 10 * place
    return 100 + 10 * place


def result(argument, place):
    """The value that comes out in C."""
    if argument.name == "outcount":
        return COUNT
    if argument.type in HANDLES:
        return 6000 + 10 * place
    return ((1 << 34) if argument.type in ("count", "aint", "offset") else 200) + 10 * place


def length(argument):
    return 9 if argument.dims.startswith("3,") else COUNT


def text_in(place):
    return f"text of {place}"


def blanks_before(form):
    """What reaches C of blanks before a string: they are part of it but in keys and values of info objects."""
    return "" if form.name.startswith("Info_") else "  "


def is_in(a):
    return a.intent in ("in", "inout") or (not a.intent and a.type not in ("status",))


def is_out(a):
    return a.intent in ("out", "inout") or a.type == "status" and not a.intent


# The mock.

def mock_c(standard, forms):
    procedures = {p.name: p for p in standard.procedures()}
    tested = {}
    for form in forms.procedures:
        if not form.body:
            tested.setdefault(procedure_of(form, procedures).name, form)
    parts = [MOCK_TOP]
    for name, p in procedures.items():
        if any(parameter.group == "varargs" for parameter in p.parameters):
            parts.append(f"{p.prototype()}\n{{\n    (void)level;\n    return 0;\n}}")
            continue
        parts.append(conversion(p) or mock(p, tested.get(name), ""))
        parts.append(conversion(p, "P") or (help_body(p) if name in MOCK_HELP else mock(p, tested.get(name), "P")))
    return "\n\n".join(parts) + "\n"


def conversion(p, prefix=""):
    if not p.name.endswith(("_toint", "_fromint")):
        return None
    handle = p.parameters[0].name
    to = p.name.endswith("_toint")
    text = f"(intptr_t){handle} < 4096 ? (int)(intptr_t){handle} : (int)((intptr_t){handle} - (1LL << 32))" if to else \
        f"({p.returns})((1LL << 32) + {handle})"
    return f"{p.prototype(prefix)}\n{{\n    return {text};\n}}"


def help_body(p):
    names = [parameter.name for parameter in p.parameters if parameter.name not in MOCK_HELP[p.name]]
    unused = "".join(f"    (void){name};\n" for name in names)
    return f"{p.prototype('P')}\n{{\n{unused}    {MOCK_HELP[p.name]}\n    return 0;\n}}"


def mock(p, form, prefix):
    lines = []
    if form:
        lines.append(f'called = "{prefix}{p.name}";')
        lines += [] if form.returns else ["if (failing)", "    return failing;"]
        for place, (parameter, argument) in enumerate(zip(p.parameters, form.arguments)):
            lines += mock_lines(prefix + p.name, place, parameter, argument, form)
    else:
        lines += [f"(void){parameter.name};" for parameter in p.parameters]
    lines.append({"double": "return 3.25;", "MPI_Aint": "return 1LL << 42;"}.get(p.returns, "return 0;"))
    return f"{p.prototype(prefix)}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}"


def mock_lines(where, place, parameter, a, form):
    name, part = parameter.name, HANDLES[a.type][1] if a.type in HANDLES else None
    pointer = "*" in parameter.ctype or "[" in parameter.ctype
    check = f'same("{where}", {place}, {{}}, {{}});'
    got = f"MPI_{part}_toint({{}})" if part else "{}"
    if a.type == "choice":
        yield check.format(f"*(const int *){name}", 7000 + place)
    elif a.type == "c_ptr":
        yield f"*(intptr_t *){name} = {0x12340 + place};"
    elif a.type == "status":
        yield from mock_status(name, place, a, check)
    elif a.type == "string":
        yield f'same_text("{where}", {place}, {name}, "{blanks_before(form)}{text_in(place)}");' if is_in(a) else f'strcpy({name}, "out {place}");'
    elif a.type == "logical":
        yield from mock_logical(name, place, a, check)
    elif a.dims:
        for j in range(length(a)):
            element = f"((int *){name})[{j}]" if a.dims.startswith("3,") else f"{name}[{j}]"
            if is_in(a):
                yield check.format(got.format(element), f"{start(form, place, a) + j}LL")
            if is_out(a):
                yield f"{element} = {made(part, result(a, place) + j)};"
    else:
        value = f"*{name}" if pointer else name
        if is_in(a):
            yield check.format(got.format(value), f"{start(form, place, a)}LL")
        if is_out(a):
            yield f"*{name} = {made(part, result(a, place))};"


def made(part, value):
    return f"MPI_{part}_fromint({value})" if part else f"{value}LL"


def mock_status(name, place, a, check):
    for i in range(COUNT if a.dims else 1):
        for j, field in enumerate(("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")):
            if a.intent in ("in", "inout"):
                yield check.format(f"{name}[{i}].{field}", 300 + 10 * place + 3 * i + j)
            if is_out(a):
                yield f"{name}[{i}].{field} = {400 + 10 * place + 3 * i + j};"


def mock_logical(name, place, a, check):
    """Elements are in turn true and false; so are the arguments of a call."""
    for j in range(COUNT if a.dims else 1):
        if a.intent == "in":
            yield check.format(f"{name}[{j}]" if a.dims else name, (place + j) % 2)
        else:
            yield f"{name}[{j}] = {(place + j) % 2};"


# The programs.

class Program:
    """The text of one interface's program."""

    def __init__(self, interface, forms):
        self.f08, self.interface = interface == "mpi_f08", interface
        self.forms = [f for f in forms.procedures if not f.body and (self.f08 or not f.large)]
        self.lines, self.variables, self.typed = [], {}, self.f08
        self.shape = "4"  # of choice buffers
        self.fails = False

    def text(self):
        units, chapters = [], list(dict.fromkeys(f.chapter for f in self.forms))
        for chapter in chapters:
            self.lines, self.variables = [], {}
            for form in (f for f in self.forms if f.chapter == chapter):
                self._call(form, "MPI_")
                if not form.returns:
                    self._failing_call(form)
                if "MPI_" + form.name not in MOCK_HELP: # which the library calls itself
                    self._call(form, "PMPI_")
                if self.f08 and form.has_choice():  # not a row, so it may have gaps
                    self.shape = "2, 2"
                    self._call(form, "MPI_")
                    self._call(form, "PMPI_")
                    self.shape = "4"
            units.append(self._unit(f"subroutine calls_of_{chapter}"))
        body = [f"  call calls_of_{chapter}" for chapter in chapters]
        return "\n".join(["program calls", *body, "  call expect_end", "end program", "", *units])

    def _unit(self, head):
        use = [] if self.interface == "mpif.h" else [f"  use {self.interface}", "  use, intrinsic :: iso_c_binding"]
        include = ["  include 'mpif.h'"] if self.interface == "mpif.h" else []
        lines = [head, *use, "  implicit none", *include, "  integer :: ierror"]
        lines += [f"  {declaration} :: {name}" for name, declaration in self.variables.items()]
        return "\n".join(lines + self.lines + ["end subroutine", ""])

    def _variable(self, name, declaration, dims=None):
        self.variables[name + (f"({dims})" if dims else "")] = declaration
        return name

    def _failing_call(self, form):
        self.fails = True
        self.lines.append(f"  call fail_with({ERROR})")
        self._call(form, "MPI_")
        self.lines.append("  call fail_with(0)")
        self.fails = False

    def _call(self, form, prefix):
        before, names, after = [], [], []
        self.typed = self.f08 and not form.old  # handles and statuses have types
        for place, a in enumerate(form.arguments):
            names.append(self._argument(form, place, a, before, after))
        self.lines += ["  " + line for line in before]
        generic = prefix.rstrip("_") + form.generic().removeprefix("MPI") if self.f08 else named(prefix, form.name)
        called = named(prefix, form.name) + ("_c" if form.name in ("Psend_init", "Precv_init") else "")
        if form.returns:
            wanted = "3.25d0" if form.returns == "double" else "2_8**42"
            self.lines.append(f"  if ({generic}({', '.join(names)}) /= {wanted}) call expect(-1, 0_8, 1_8)")
        else:
            self.lines += ["  ierror = -1", wrap(f"  call {generic}({', '.join(names + ['ierror'])})", 100),
                           f"  call expect(-1, int(ierror, 8), {ERROR if self.fails else 0}_8)"]
        self.lines += [f"  call expect_call('{called}')", *("  " + line for line in after)]

    def _argument(self, form, place, a, before, after):
        if a.type in HANDLES:
            return self._handle(form, place, a, before, after)
        if a.type in INTEGERS:
            return self._integer(form, place, a, before, after)
        return getattr(self, "_" + a.type)(place, a, before, after)

    def _integer(self, form, place, a, before, after):
        wide = a.type != "int"
        kind = "integer(8)" if wide else "integer"
        name = f"{'w' if wide else 'n'}{'a' if a.dims else ''}{place}"
        if not a.dims:
            self._variable(name, kind)
            before.append(f"{name} = {start(form, place, a)}{'_8' if wide else ''}")
            if is_out(a):
                after.append(f"call expect({place}, int({name}, 8), {self._integer_out(form, place, a)})")
            return name
        if a.dims.startswith("3,"):
            name += "m"
        self._variable(name, kind, "3,3" if a.dims.startswith("3,") else COUNT)
        values = ", ".join(f"{start(form, place, a) + j}{'_8' if wide else ''}" for j in range(length(a)))
        before.append(f"{name} = reshape([{values}], [3, 3])" if a.dims.startswith("3,") else f"{name} = [{values}]")
        if is_out(a):
            first = start(form, place, a) if self.fails else result(a, place) + (1 if a.name == "array_of_indices" else 0)
            after += [f"call expect({place}, int({name}({j + 1}), 8), {first + j}_8)" for j in range(COUNT)]
        return name

    def _integer_out(self, form, place, a):
        """Indices count from 1. Where a call fails, none was found."""
        has_indices = any(b.name == "array_of_indices" for b in form.arguments)
        if self.fails and (a.name == "index" or a.name == "outcount" and has_indices):
            return "int(MPI_UNDEFINED, 8)"
        return f"{start(form, place, a) if self.fails else result(a, place) + (1 if a.name == 'index' else 0)}_8"

    def _handle(self, form, place, a, before, after):
        ctype = HANDLES[a.type][0]
        name = f"{a.type if self.typed else 'handle'}{'a' if a.dims else ''}{place}"
        self._variable(name, f"type({ctype})" if self.typed else "integer", COUNT if a.dims else None)
        part = "%MPI_VAL" if self.typed else ""
        elements = [f"{name}({j + 1}){part}" for j in range(COUNT)] if a.dims else [name + part]
        for j, element in enumerate(elements):
            given = start(form, place, a) + j if is_in(a) else -1
            before.append(f"{element} = {given}")
            if is_out(a):
                after.append(f"call expect({place}, int({element}, 8), {given if self.fails else result(a, place) + j}_8)")
        return name

    def _logical(self, place, a, before, after):
        name = f"l{'a' if a.dims else ''}{place}"
        self._variable(name, "logical", COUNT if a.dims else None)
        for j, element in enumerate([f"{name}({j + 1})" for j in range(COUNT)] if a.dims else [name]):
            before.append(f"{element} = .{'true' if (place + j + (a.intent != 'in')) % 2 else 'false'}.")
            if a.intent != "in":
                after.append(f"call expect({place}, merge(1_8, 0_8, {element}), {(place + j + self.fails) % 2}_8)")
        return name

    def _string(self, place, a, before, after):
        name = f"s{place}{'x' + a.of.split('_')[2].lower() if a.of else ''}"
        self._variable(name, f"character(len={a.of or 300})")
        before.append(f"{name} = " + (f"'  {text_in(place)}'" if is_in(a) else f"repeat('#', len({name}))"))
        if is_out(a) and self.fails:
            after.append(f"call expect({place}, merge(1_8, 0_8, {name} == repeat('#', len({name}))), 1_8)")
        elif is_out(a):
            after.append(f"call expect_text({place}, {name}, 'out {place}')")
        return name


    def _choice(self, place, _a, before, _after):
        name = f"{'b' if self.shape == '4' else 'm'}{place}"
        self._variable(name, "integer, asynchronous" if self.typed else "integer", self.shape)
        before.append(f"{name} = {7000 + place}")
        return name

    def _c_ptr(self, place, _a, before, after):
        pointer = self.typed
        name = f"{'p' if pointer else 'w'}{place}"
        self._variable(name, "type(c_ptr)" if pointer else "integer(8)")
        before.append(f"{name} = {'c_null_ptr' if pointer else '0'}")
        value = f"transfer({name}, 0_8)" if pointer else name
        after.append(f"call expect({place}, {value}, {0 if self.fails else 0x12340 + place}_8)")
        return name

    def _status(self, place, a, before, after):
        name = f"st{'a' if a.dims else ''}{place}"
        if self.typed:
            self._variable(name, "type(MPI_Status)", COUNT if a.dims else None)
        else:
            self._variable(name, "integer", f"MPI_STATUS_SIZE, {COUNT}" if a.dims else "MPI_STATUS_SIZE")
        for i in range(COUNT if a.dims else 1):
            for j, field in enumerate(("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")):
                place_of = f"({i + 1})" if a.dims else ""
                element = f"{name}{place_of}%{field}" if self.typed else f"{name}({field}{f', {i + 1}' if a.dims else ''})"
                before.append(f"{element} = {300 + 10 * place + 3 * i + j}")
                if is_out(a):
                    value = (300 if self.fails else 400) + 10 * place + 3 * i + j
                    after.append(f"call expect({place}, int({element}, 8), {value}_8)")
        return name


def main(api, output):
    standard, forms = Standard(api), Forms(api)
    write(output, "mock.c", mock_c(standard, forms))
    for interface, file in (("mpif.h", "calls_mpif_h.f90"), ("mpi", "calls_mpi.f90"), ("mpi_f08", "calls_mpi_f08.f90")):
        write(output, file, Program(interface, forms).text())
    with open(os.path.join(output, "made"), "w", encoding="utf-8"):
        pass


if __name__ == "__main__":
    main(*sys.argv[2:])
