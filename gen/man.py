"""man.py API_FOLDER HINTS_PAGE OUTPUT_FOLDER VERSION: makes a manual page (mdoc) of each procedure.

The synopses come from the tables in api/, what procedures and parameters are for from api/man, the info keys from HINTS_PAGE,
which `inkling hints --markdown` prints.
A large-count form that has no row of its own is a link to the page of the other one.
"""

import fnmatch
import os
import re
import sys
import textwrap

import inline
from coverage import interfaces
from fortran import Form, Forms
from standard import Standard, named, write

DATE = "November 23, 2026"
PROCEDURE = re.compile(r"^(?P<name>\w+) (?P<section>[\d.]+)(?P<directions>(?: (?:in|out|inout):\w+)*): (?P<text>.+)$")
PARAMETER = re.compile(r"^(?P<name>\w+)(?: of (?P<procedures>[^:]+))?: (?P<text>.+)$")

# A generic of the modules that is in no table.
SIZEOF = "Sizeof(x:choice, size:int out)"

MPIF_H = "\\(aqmpif.h\\(aq"

# The types of functions in Fortran.
RESULTS = {"double": "DOUBLE PRECISION", "aint": "INTEGER(KIND=MPI_ADDRESS_KIND)"}

# What the kinds of buffers say.
PLACES = {"place": ", or MPI_IN_PLACE", "place_root": "; at the root it may be MPI_IN_PLACE", "root": "; significant only at the root"}


def direction(parameter):
    kind = parameter.kind.split(".")[0]
    if kind in ("inout", "requests*") or kind.endswith(("&", "~")):
        return "inout"
    return "out" if kind in ("out", "out_ptr", "statuses") or kind.endswith("*") and "=const" not in kind else "in"


class Prototype:
    """A form in C: a row of api/, or an inline function of mpi.h."""

    def __init__(self, returns, name, declarations):
        self.returns, self.name, self.declarations = returns, name, declarations

    @classmethod
    def of_procedure(cls, procedure):
        return cls(procedure.returns, procedure.name, [p.declaration() for p in procedure.parameters])

    def named_without_x(self):
        return Prototype(self.returns, self.name.replace("MPIX_", "MPI_", 1), self.declarations)

    @classmethod
    def of_text(cls, text):
        returns, name, declarations = re.match(r"(\w+) (\w+)\((.*)\)$", text).groups()
        return cls(returns, name, declarations.split(", "))

    def parameters(self):
        """(name, direction) of each."""
        for text in self.declarations:
            name = re.search(r"\w+$", text)[0]
            yield name, "out" if "*" in text and "const" not in text else "in"


class Words:
    """api/man and the page of hints: what procedures, parameters and info keys are for."""

    def __init__(self, api, hints):
        self.procedures = {named("MPI_", row["name"]): row for row in rows(os.path.join(api, "man", "procedures.txt"), PROCEDURE)}
        self.parameters = {}
        for row in rows(os.path.join(api, "man", "parameters.txt"), PARAMETER):
            self.parameters.setdefault(row["name"], []).append(row)
        self.keys = info_keys(hints)
        self.used = set()

    def meaning(self, procedure, parameter):
        for row in self.parameters.get(parameter, []):
            if any(fnmatch.fnmatchcase(procedure[4:], p) for p in (row["procedures"] or "*").split()):
                self.used.add(row)
                return row["text"]
        raise SystemExit(f"api/man/parameters.txt says nothing of {parameter} of {procedure}")

    def check(self):
        """Every row is of use."""
        for row in (row for of_name in self.parameters.values() for row in of_name):
            if row not in self.used:
                raise SystemExit(f"api/man/parameters.txt: no procedure uses '{row[0]}'")


def rows(path, pattern):
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                row = pattern.match(line)
                if not row:
                    raise SystemExit(f"{path}:{number}: not a row as the top of the file has them")
                yield row


def info_keys(path):
    """procedure -> [(key, text, value)] from the page of hints."""
    with open(path, encoding="utf-8") as page:
        sections = page.read().split("\n## ")
    keys = {}
    for section in sections:
        _, takers, *_ = section.split("\n\n") + [""]
        for entry in section.split("\n### ")[1:]:
            key, text, rest = entry.split("\n\n")[:3]
            value = re.search(r"^- \*\*Value\*\*: (.+)", rest, re.M)
            own = re.search(r"^- \*\*Of\*\*: (.+)", rest, re.M)
            names = own[1] if own else takers.split(". ")[0] if takers.startswith("Info keys of") else ""
            for name in re.findall(r"MPI_\w+", names):
                keys.setdefault(name, []).append((key.strip("`"), text, value[1] if value else ""))
    return keys


class Page:
    """One page; names has all that it tells of, the first is its own."""

    def __init__(self, prototypes, parameters, procedure=None, forms=()):
        self.prototypes, self.parameters, self.procedure, self.forms = prototypes, parameters, procedure, forms
        self.names = [p.name for p in prototypes] or [named("MPI_", f.name) for f in forms]
        self.name = self.names[0]

    @classmethod
    def of_procedures(cls, forms, procedure, large=None, is_next=False):
        """is_next: an extension that the next version of the standard has, which has its name, too."""
        written = [procedure, large] if large else [procedure]
        parameters = [(p.name or "...", direction(p), p) for p in procedure.parameters]
        prototypes = [Prototype.of_procedure(p) for p in written]
        return cls(prototypes + [p.named_without_x() for p in prototypes if is_next], parameters, procedure,
                   [forms[p.name] for p in written if p.name in forms])

    @classmethod
    def of_inline(cls, forms, text):
        prototype = Prototype.of_text(text)
        return cls([prototype], [(*p, None) for p in prototype.parameters()], None,
                   [forms[prototype.name]] if prototype.name in forms else [])

    @classmethod
    def of_form(cls, form):
        return cls([], [(a.name, a.intent or "in", None) for a in form.arguments], None, [form])


def pages(standard, forms):
    forms = {named("MPI_", form.name): form for form in forms.procedures}
    written = {p.name: p for p in standard.procedures()}
    for procedure in written.values():
        if not procedure.large:
            large = written.get(procedure.name + "_c")
            yield Page.of_procedures(forms, procedure, large if large and large.large else None, procedure.name[5:] in standard.next())
    for text in inline.declarations(standard.procedures()):
        yield Page.of_inline(forms, text)
    yield Page.of_form(forms["MPI_F_sync_reg"])
    yield Page.of_form(Form(SIZEOF, "fortran"))


# The text of a page.

def fill(text):
    """A sentence begins a line, as mdoc wants it; no line begins with what is a request."""
    for sentence in re.split(r"(?<=[.;]) (?=[A-Z])", text):
        for line in textwrap.wrap(sentence, 76, break_long_words=False, break_on_hyphens=False):
            yield "\\&" + line if line[0] in ".'" else line


def prototype_lines(prototype):
    yield f".Ft {prototype.returns}"
    yield f".Fo {prototype.name}"
    yield from (f'.Fa "{text}"' for text in prototype.declarations or ["void"])
    yield ".Fc"


def continued(text, width=70):
    """Free source form: what is too long goes on behind &."""
    *first, last = textwrap.wrap(text, width, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    return [line + " &" for line in first] + [last]


def declared(declarations):
    """Those of one type in one line, in the order in which they come."""
    of_type = {}
    for declaration, name in declarations:
        of_type.setdefault(declaration, []).append(name)
    for declaration, names in of_type.items():
        yield from continued(f"    {declaration}{', '.join(names)}")


def f08_lines(form):
    names = [a.name for a in form.arguments] + ["ierror"] * form.has_ierror
    yield from continued(f"{form.generic()}({', '.join(names)})")
    plain = [(a.f08().replace("(KIND=MPI_INTEGER_KIND)", "").replace(", KIND=C_CHAR", "") + " :: ",
              a.name + (f"({a.dims})" if a.dims else "")) for a in form.arguments]
    yield from declared(plain + [("INTEGER, OPTIONAL, INTENT(OUT) :: ", "ierror")] * form.has_ierror)


def f90_type(argument):
    """As the standard writes them, and the dimensions."""
    declaration = {"TYPE(*)": "<type>", "CHARACTER(LEN=*)": "CHARACTER*(*)"}.get(argument.f90(), argument.f90())
    dims = "*" if declaration == "<type>" else argument.f90_dims()
    return declaration + " ", argument.name.upper() + (f"({dims.replace(' ', '').upper()})" if dims else "")


def f90_lines(form):
    names = [a.name.upper() for a in form.arguments] + ["IERROR"] * form.has_ierror
    yield from continued(f"{form.generic().upper()}({', '.join(names)})")
    yield from declared([f90_type(a) for a in form.arguments] + [("INTEGER ", "IERROR")] * form.has_ierror)
    yield from (f"    ! with USE mpi also TYPE(C_PTR) {a.name.upper()}" for a in form.arguments if a.type == "c_ptr" and form.is_memory())


def literal(title, form_lines, forms):
    """A block of Fortran; a function has its type before it."""
    yield f".Ss {title}"
    yield ".Bd -literal"
    for form in forms:
        if form is not forms[0]:
            yield ""
        if form.returns:
            yield RESULTS[form.returns]
        yield from form_lines(form)
    yield ".Ed"


def synopsis(page):
    yield ".Sh SYNOPSIS"
    if page.prototypes:
        yield ".Ss C"
        yield ".In mpi.h"
        for prototype in page.prototypes:
            yield from prototype_lines(prototype)
    if page.forms:
        yield from literal("Fortran 2008: USE mpi_f08", f08_lines, page.forms)
    old = [f for f in page.forms if not f.large]
    if old:
        both = "mpif.h" in interfaces(old[0]) and page.name != "MPI_Sizeof"
        yield from literal(f"Fortran: USE mpi{', or INCLUDE ' + MPIF_H if both else ''}", f90_lines, old)


def description(page, words):
    yield ".Sh DESCRIPTION"
    row = words.procedures[page.name]
    yield from fill(row["text"][0].upper() + row["text"][1:] + ".")
    if page.procedure and not page.procedure.body:
        yield from fill("It is not built yet, and answers MPI_ERR_UNSUPPORTED_OPERATION.")
    if page.procedure and page.procedure.deprecated:
        yield from fill("It is deprecated:")
        yield f"use MPI_{page.procedure.deprecated} instead."
    if len(page.names) > 1:
        same = len({form.generic() for form in page.forms}) < len(page.forms)
        yield from fill(f"{page.names[1]} is the form for large counts" + ("; in mpi_f08 both have one name." if same else "."))
    yield from fill(f"For profiling, there {'are' if len(page.names) > 1 else 'is'} also {' and '.join('P' + n for n in page.names)}.")


def addition(parameter):
    """What the kind of a parameter says beyond the meaning."""
    if not parameter:
        return ""
    if parameter.kind == "info" and parameter.maybe_null:
        return ", or MPI_INFO_NULL"
    return PLACES.get(parameter.kind.partition(".")[2], "")


def parameter_lines(page, words):
    if not page.parameters:
        return
    told = dict(reversed(word.split(":")) for word in words.procedures[page.name]["directions"].split())
    yield ".Sh PARAMETERS"
    yield ".Bl -tag -width Ds"
    for name, way, parameter in page.parameters:
        text = words.meaning(page.name, name) if name != "..." else "what the profiling library wants"
        yield f".It Fa {name} Pq {told.get(name, way).upper()}"
        yield from fill(text[0].upper() + text[1:] + addition(parameter) + ".")
    if any(form.has_ierror for form in page.forms):
        yield ".It Fa ierror Pq OUT, in Fortran"
        yield "MPI_SUCCESS, or the code of an error."
    yield ".El"


def key_lines(page, words):
    keys = words.keys.get(page.name)
    if not keys:
        return
    yield ".Sh INFO KEYS"
    yield from ("The command", ".Ic inkling hints Ar key", "tells what a key does here.")
    yield ".Bl -tag -width Ds"
    for key, text, value in keys:
        yield f".It {key}"
        yield from fill(text)
        yield from fill("Value: " + value)
    yield ".El"


def handler(page):
    """Whose error handler is told (src/api/call.h)."""
    given = {p.base: f".Fa {name}" for name, _, p in reversed(page.parameters) if p.group == "handle" and p.form != "*"}
    if page.name.startswith(("MPI_File_", "MPI_Register_datarep")):
        return [given.get("file", "MPI_FILE_NULL")]
    for base in ("win", "comm"):
        if base in given:
            return [given[base]]
    if "request" in given:
        return ["what the operation of", given["request"], "is on"]
    if "session" in given:
        return [given["session"]]
    return ["MPI_COMM_SELF"] + ["or of the group's session"] * ("group" in given)


def returned(page):
    yield ".Sh RETURN VALUES"
    procedure = page.procedure
    if any(not form.has_ierror for form in page.forms) and not page.prototypes:
        yield "None."
    elif not procedure and {p.returns for p in page.prototypes} <= {"int"}:
        yield "MPI_SUCCESS."
    elif not procedure or procedure.returns != "int" or any(p.group == "word" for p in procedure.parameters):
        yield "The result; it reports no error."
    elif procedure.is_tool():
        yield "MPI_SUCCESS, or the code of an error; no error handler is told."
    else:
        yield from ("MPI_SUCCESS, or the code of an error.", "The error handler of", *handler(page), "is told first.")


def related(page, sections):
    """The commands, and what the standard tells of in the same section."""
    section = next(section for section, names in sections.items() if page.name in names)
    others = sorted(sections[section] - {page.name}, key=str.lower)
    yield ".Sh SEE ALSO"
    references = [f"{name} 1" for name in ("inkling", "mpicc", "mpiexec")] + [f"{name} 3" for name in others]
    yield from (f".Xr {reference} ," for reference in references[:-1])
    yield f".Xr {references[-1]}"
    yield ".Sh STANDARDS"
    yield "User-Level Failure Mitigation, which the MPI Forum discusses; docs/SURVIVE.md." if section == "0" else f"MPI-5.0, section {section}."


def mdoc(page, words, sections, version):
    lines = [f".Dd {DATE}", f".Dt {page.name.upper()} 3", f".Os Inkling {version}", ".nh", ".Sh NAME"]
    lines += [f".Nm {name} ," for name in page.names[:-1]] + [f".Nm {page.names[-1]}", f".Nd {words.procedures[page.name]['text']}"]
    lines += [*synopsis(page), *description(page, words), *parameter_lines(page, words), *key_lines(page, words),
              *returned(page), *related(page, sections)]
    return "\n".join(lines) + "\n"


def link(folder, name, target):
    path = os.path.join(folder, name)
    if not os.path.lexists(path):
        os.symlink(target, path)


def main(api, hints, output, version):
    words, files, sections = Words(api, hints), set(), {}
    for name, row in words.procedures.items():
        sections.setdefault(row["section"], set()).add(name)
    made = list(pages(Standard(api), Forms(api)))
    differ = set(words.procedures) ^ {page.name for page in made}
    if differ:
        raise SystemExit(f"api/man/procedures.txt has other procedures than the tables: {' '.join(sorted(differ))}")
    for page in made:
        write(output, f"{page.name}.3", mdoc(page, words, sections, version))
        for name in page.names[1:]:
            link(output, f"{name}.3", f"{page.name}.3")
        files |= {f"{name}.3" for name in page.names}
    for stale in set(os.listdir(output)) - files:
        os.remove(os.path.join(output, stale))
    words.check()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
