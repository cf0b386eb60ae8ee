"""Makes the table of what works: for `inkling status` and docs/STATUS.md."""

HEADER = """/* Made by gen/ from api/: every procedure, in the order of the standard's chapters, and whether it is written. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include <stdbool.h>

struct coverage_row {
    const char *name;    /* MPI_Send */
    const char *chapter; /* Point-to-point communication */
    int number;          /* of the chapter */
    bool works;          /* false: it raises MPI_ERR_UNSUPPORTED_OPERATION */
};

/* Ended by a NULL name. */
extern const struct coverage_row coverage_table[];

#endif
"""


def coverage_c(standard):
    rows = [f'    {{"{p.name}", "{c.title}", {c.number}, {"true" if p.body else "false"}}},'
            for c in standard.chapters for p in c.procedures]
    return ('#include "coverage.h"\n\n#include <stddef.h>\n\nconst struct coverage_row coverage_table[] = {\n'
            + "\n".join(rows) + "\n    {NULL, NULL, 0, false},\n};\n")


def status_md(standard):
    total = standard.procedures()
    works = sum(1 for p in total if p.body)
    lines = ["# What works", "",
             "Made from `api/` by `gen/`; a test compares this page with `build/*/generated/STATUS.md`. A procedure",
             "that is not written yet raises `MPI_ERR_UNSUPPORTED_OPERATION` with its name, through the error handler.",
             "What is accepted beyond the standard is in [TOLERANCES.md](TOLERANCES.md).",
             "", f"{works} of {len(total)} procedures work (the `_c` forms counted on their own).", "",
             "| Chapter | | Works | Of | Not yet |", "|---|---|---:|---:|---|"]
    for chapter in standard.chapters:
        missing = [p.name[4:] for p in chapter.procedures if not p.body and not p.large]
        written = sum(1 for p in chapter.procedures if p.body)
        lines.append(f"| {chapter.number} | {chapter.title} | {written} | {len(chapter.procedures)} | "
                     f"{' '.join(missing)} |")
    return "\n".join(lines) + "\n"
