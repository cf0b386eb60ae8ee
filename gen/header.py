"""Makes mpi.h."""

import inline

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

/* The casts of constants stay behind for the program, so they are C++ casts there. */
#ifndef __cplusplus
#define MPI_INKLING_CAST(how, type, value) ((type)value)
#define MPI_INKLING_NULL 0
#else
#define MPI_INKLING_CAST(how, type, value) how##_cast<type>(value)
#if __cplusplus >= 201103L
#define MPI_INKLING_NULL nullptr
#else
#define MPI_INKLING_NULL 0
#endif
#endif

#ifdef __GNUC__
#define MPI_INKLING_INLINE static __inline__ __attribute__((__unused__))
#else
#define MPI_INKLING_INLINE static inline
#endif

/* This library; MPI_VERSION below is the standard's. */
#define INKLING_VERSION "{version}"
#define INKLING_VERSION_MAJOR {major}
#define INKLING_VERSION_MINOR {minor}
#define INKLING_VERSION_PATCH {patch}
"""

BOTTOM = """#undef MPI_INKLING_DEPRECATED
#undef MPI_INKLING_INLINE

#ifdef __cplusplus
}
#endif

#endif
"""


def integer_lines(members):
    """Integer constants: int in C++, as C++ compilers complain where two enumerations, or one and an int, meet."""
    yield "#ifdef __cplusplus"
    yield from (f"const int {name} = {value};" for name, value in members)
    yield "#else"
    yield from enumeration_lines("", members)
    yield "#endif"


def enumeration_lines(ctype, members):
    yield "typedef enum {" if ctype else "enum {"
    for name, value in members:
        yield f"    {name} = {value}{'' if name == members[-1][0] else ','}"
    yield f"}} {ctype};" if ctype else "};"


def constant_lines(constants):
    """Handles, macros and enumerators, group by group. All integers of no type are in one enumeration, as C compilers
    complain where two meet. Enumerators are macros as well, for programs that ask #ifdef."""
    integers = []
    for form, ctype, members in constants.groups:
        if form == "enum":
            if ctype:
                yield from enumeration_lines(ctype, members)
            else:
                integers += members
            yield from (f"#define {name} {name}" for name, _ in members)
        else:
            yield from (f"#define {name} {macro_value(ctype, value)}" for name, value in members)
        yield ""
    yield from integer_lines(integers)
    yield ""


def macro_value(ctype, value):
    if value.startswith("MPI_") or ctype == "int":
        return value
    if ctype == "MPI_Offset":
        return f"MPI_INKLING_CAST(static, {ctype}, {value})"
    if int(value, 0) == 0:
        return f"MPI_INKLING_CAST(static, {ctype}, MPI_INKLING_NULL)"
    return f"MPI_INKLING_CAST(reinterpret, {ctype}, {value})"


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


def mpi_h(standard, version):
    lines = [TOP]
    for part, number in zip(("major", "minor", "patch"), version.split(".")):
        lines[0] = lines[0].replace(f"{{{part}}}", number)
    lines[0] = lines[0].replace("{version}", version)
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
    lines += inline.f2c_lines(standard.procedures())
    lines += inline.next_lines(standard)
    lines += inline.removed_lines(standard.removed)
    return "\n".join(lines) + BOTTOM
