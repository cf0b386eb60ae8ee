"""coverage.py API_FOLDER SOURCE_FOLDER OUTPUT_FOLDER: which procedures work, and where the body of each is.

Makes coverage.[ch] for `inkling status`, and the pages STATUS.md and PROCEDURES.md.
"""

import os
import re
import sys

from fortran import Forms
from standard import Standard, named, write

HEADER = """/* Made by gen/: every procedure, in the order of the standard's chapters, and where its body is. */
#ifndef COVERAGE_H
#define COVERAGE_H

struct coverage_row {
    const char *name;    /* MPI_Send */
    const char *chapter; /* Point-to-point communication */
    int number;          /* of the chapter */
    const char *body;    /* the function that the entry point calls: p2p_send; NULL: it is not written, and
                            raises MPI_ERR_UNSUPPORTED_OPERATION */
    const char *file;    /* src/p2p/send.c; NULL where body is */
    const char *fortran; /* how Fortran calls it: MPI_Send(buf, count, datatype, dest, tag, comm, ierror); NULL: it cannot */
    int interfaces;      /* that have it: COVERAGE_MPIF_H and so on */
};

enum coverage_interface {
    COVERAGE_MPIF_H = 1,
    COVERAGE_MPI = 2,
    COVERAGE_MPI_F08 = 4
};

/* Ended by a NULL name. */
extern const struct coverage_row coverage_table[];

#endif
"""

# A definition as this project lays it out: the type at the start of a line, the name, and no ; at the end.
DEFINITION = re.compile(r"^(?!static\b(?! inline\b))[A-Za-z][\w *]*?\b(\w+)\((?:[^;{]*)\)\s*\{", re.M)


def definitions(folder):
    """Function -> file, of all that other files can call."""
    found = {}
    for path, folders, files in os.walk(folder):
        folders.sort()
        for file in sorted(files):
            if file.endswith((".c", ".h")):
                with open(os.path.join(path, file), encoding="utf-8") as source:
                    for name in DEFINITION.findall(source.read()):
                        found.setdefault(name, os.path.join("src", os.path.relpath(path, folder), file))
    return found


def place(procedure, found):
    if procedure.body and procedure.body not in found:
        raise SystemExit(f"{procedure.name}: its row in api/ names the body {procedure.body}, which no file of src defines")
    return found.get(procedure.body)


def fortran_call(form):
    names = [a.name for a in form.arguments] + (["ierror"] if form.has_ierror else [])
    return f"{form.generic()}({', '.join(names)})"


def interfaces(form):
    """mpi_f08 alone has large counts; mpif.h lacks what takes a TYPE(MPI_Status)."""
    if form.large:
        return ["mpi_f08"]
    named = any(a.type == "named_status" for a in form.arguments)
    return ([] if named else ["mpif.h"]) + ["mpi", "mpi_f08"]


def fortran_forms(api, procedures):
    """Procedure -> (form, interfaces that have it). A large-count form with the types of the other one is forbidden (20.2): mpi_f08's
    other one is both, and so are MPI_Psend_init and MPI_Precv_init, whose count is an MPI_Count in each interface."""
    forms = {named("MPI_", form.name): form for form in Forms(api).procedures}
    table = {name: (form, interfaces(form)) for name, form in forms.items()}
    for p in procedures:
        other = forms.get(p.base)
        if p.large and p.name not in table and other:
            has_count = any(a.type == "count" for a in other.arguments)
            table[p.name] = (other, interfaces(other) if has_count else ["mpi_f08"])
    return table


def fortran_fields(found):
    if not found:
        return "NULL, 0"
    form, names = found
    words = " | ".join("COVERAGE_" + name.upper().replace(".", "_") for name in names)
    return f'"{fortran_call(form)}", {words}'


def coverage_c(standard, found, forms):
    rows = []
    for chapter in standard.chapters:
        for p in chapter.procedures:
            where = f'"{p.body}", "{place(p, found)}"' if p.body else "NULL, NULL"
            fields = fortran_fields(forms.get(p.name))
            rows.append(f'    {{"{p.name}", "{chapter.title}", {chapter.number}, {where}, {fields}}},')
    return ('#include "coverage.h"\n\n#include <stddef.h>\n\nconst struct coverage_row coverage_table[] = {\n'
            + "\n".join(rows) + "\n    {NULL, NULL, 0, NULL, NULL, NULL, 0},\n};\n")


def status_md(standard, forms):
    total = standard.procedures()
    works = sum(1 for p in total if p.body)
    lines = ["# What works", "",
             "`make` writes this page from `api/`, and `inkling status` prints the same counts. A procedure that is not written yet",
             "raises `MPI_ERR_UNSUPPORTED_OPERATION` with its name, through the error handler. TOLERANCES.md lists what Inkling accepts",
             "beyond the standard.",
             "", f"{works} of {len(total)} procedures work (the `_c` forms counted on their own).", "",
             "The last columns count the procedures that Fortran can call through each interface, where there was a compiler. mpif.h and mpi",
             "have no large counts. Only C has the tool interface and the conversions of handles to integers.", "",
             "| Chapter | | Works | Of | Not yet | mpif.h | mpi | mpi_f08 |", "|---|---|---:|---:|---|---:|---:|---:|"]
    for chapter in standard.chapters:
        missing = [p.name[4:] for p in chapter.procedures if not p.body and not p.large]
        written = sum(1 for p in chapter.procedures if p.body)
        has = [forms[p.name][1] for p in chapter.procedures if p.name in forms]
        counts = " | ".join(str(sum(name in h for h in has)) for name in ("mpif.h", "mpi", "mpi_f08"))
        lines.append(f"| {chapter.number} | {chapter.title} | {written} | {len(chapter.procedures)} | "
                     f"{' '.join(missing)} | {counts} |")
    return "\n".join(lines) + "\n"


def fortran_cell(forms, procedure):
    found = forms.get(procedure.name)
    return f"`{fortran_call(found[0])}`" if found else ""


def procedures_md(standard, found, forms):
    lines = ["# Where each procedure is", "",
             "`make` writes this page from `api/` and `src/`, and `inkling status MPI_X` prints the same about one procedure.",
             "The entry point of `MPI_X` is generated (`build/*/generated/entry_*.c`): it decodes handles, checks arguments and calls",
             "the function below. The `_c` form of a procedure calls the same function, unless it has a row of its own.",
             "Where mpi_f08 has a form, mpi and mpif.h have it too, except for large counts.",
             "`man MPI_X` shows the forms with the types of their arguments. It also shows `MPI_Sizeof`, `MPI_F_sync_reg` and the conversions",
             "of handles and statuses, which are inline or exist in Fortran only and are not in these tables.", ""]
    for chapter in standard.chapters:
        written = {p.base: p.body for p in chapter.procedures if not p.large}
        rows = [p for p in chapter.procedures if p.body and not (p.large and p.body == written[p.base])]
        if rows:
            lines += [f"## {chapter.title} (chapter {chapter.number})", "", "| Procedure | Function | File | In Fortran |", "|---|---|---|---|"]
            lines += [f"| {p.name} | `{p.body}` | `{place(p, found)}` | {fortran_cell(forms, p)} |"
                      for p in rows] + [""]
    return "\n".join(lines)


def main(api, source, output):
    standard, found = Standard(api), definitions(source)
    forms = fortran_forms(api, standard.procedures())
    write(output, "coverage.h", HEADER)
    write(output, "coverage.c", coverage_c(standard, found, forms))
    write(output, "STATUS.md", status_md(standard, forms))
    write(output, "PROCEDURES.md", procedures_md(standard, found, forms))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
