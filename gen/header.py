"""Makes mpi.h."""

TOP = """/* mpi.h: MPI-5.0 with its standard ABI, version 1.0. Made from the project's api/ by its gen/.
 * Handles are pointers to incomplete structs; predefined ones are small integers that are never dereferenced.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef INKLING_MPI_H
#define INKLING_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program that means to call deprecated procedures defines MPI_INKLING_ALLOW_DEPRECATED. */
#if defined(__GNUC__) && !defined(MPI_INKLING_ALLOW_DEPRECATED)
#define MPI_INKLING_DEPRECATED(use) __attribute__((deprecated("use " use)))
#else
#define MPI_INKLING_DEPRECATED(use)
#endif
"""

BOTTOM = """
#undef MPI_INKLING_DEPRECATED

#ifdef __cplusplus
}
#endif

#endif
"""


def constant_lines(constants):
    """Handles, macros and enumerators, group by group."""
    for form, ctype, members in constants.groups:
        if form == "enum":
            yield "typedef enum {" if ctype else "enum {"
            for name, value in members:
                yield f"    {name} = {value}{'' if name == members[-1][0] else ','}"
            yield f"}} {ctype};" if ctype else "};"
        else:
            for name, value in members:
                if value.startswith("MPI_"):
                    yield f"#define {name} {value}"
                elif ctype == "int":
                    yield f"#define {name} {value}"
                else:
                    yield f"#define {name} (({ctype}){value})"
        yield ""


def type_lines(types, callbacks):
    """Typedefs in the order of types.txt; callback types come after the constants they use."""
    for line in types:
        word, _, rest = line.partition(" ")
        if (word in ("callback", "alias")) != callbacks:
            continue
        if word == "handle":
            yield f"typedef struct MPI_ABI_{rest[4:]} *{rest};"
        elif word in ("integer", "alias"):
            name, ctype = rest.split(" = ")
            yield f"typedef {ctype} {name};"
        elif word == "status":
            fields = "".join(f"    {field};\n" for field in rest.split(", "))
            yield f"typedef struct MPI_Status {{\n{fields}}} MPI_Status;"
        elif word == "callback":
            yield f"typedef {rest};"
        else:
            raise SystemExit(f"types.txt: unknown line: {line}")
    yield ""


def mpi_h(standard):
    lines = [TOP]
    lines += type_lines(standard.types, callbacks=False)
    lines += constant_lines(standard.constants)
    lines += type_lines(standard.types, callbacks=True)
    for chapter in standard.chapters:
        lines.append(f"/* {chapter.number}. {chapter.title} */")
        for procedure in chapter.procedures:
            mark = f' MPI_INKLING_DEPRECATED("MPI_{procedure.deprecated}")' if procedure.deprecated else ""
            lines.append(f"{procedure.prototype()}{mark};")
            lines.append(f"{procedure.prototype('P')};")
        lines.append("")
    return "\n".join(lines) + BOTTOM
