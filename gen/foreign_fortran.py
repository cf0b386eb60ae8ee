"""Makes what the Fortran libraries of a foreign ABI have beside fortran/: that is compiled against the ABI's mpi.h (foreign_header.py), so
that mpi_send_ calls the MPI_Send of this ABI. Here are the names that the other library has and fortran/ lacks, and its sentinels."""

import re

SIZES = {"character": 1, "int": 8, "real": 8, "complex": 4, "logical": 8}

TOP = """/* Made by gen/ from foreign/facts/{name}.txt: Fortran names of {title}. */
#include "convert.h"
#include "visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
#define JUMP(name) "\\tb " name
#elif defined(__riscv)
#define JUMP(name) "\\ttail " name "@plt"
#else
#define JUMP(name) "\\tjmp " name "@PLT"
#endif
"""

UNSUPPORTED = """
static void unsupported_fortran(const char *name)
{{
    fprintf(stderr, "inkling: %s of {title} is not supported\\n", name);
    exit(1);
}}
"""


# Constants of mpi_f08 that are addresses of their own: by the name of the constant, the symbol.
F08_OBJECT, F08_CONSTANT = re.compile(r"MPIR_F08_MPI_(\w+?)(?:_OBJ)?$"), re.compile(r"__mpi_f08_link_constants_MOD_mpi_(\w+)$")


def f08_constants(abi):
    for symbols in abi.facts.data.values():
        for symbol, size in symbols.items():
            if found := F08_OBJECT.match(symbol) or F08_CONSTANT.match(symbol):
                yield found[1].lower(), symbol, size


def f08_blocks(abi):
    """The declarations of those that are not in the C library."""
    for _, symbol, size in f08_constants(abi):
        if symbol.startswith("__"):
            yield f"char {symbol}[{size}]"


def f08_lines(abi):
    """Their names for fortran/values.c."""
    found = {constant: (symbol, size) for constant, symbol, size in f08_constants(abi)}
    if not found:
        return
    yield "#define HAS_F08_CONSTANTS"
    for constant, (symbol, size) in sorted(found.items()):
        if not symbol.startswith("__"):
            yield f"extern EXPORTED char {symbol}[{size}];"
        yield f"#define mpi_f08_{constant}_ (*{symbol})"


def sentinels_h(abi):
    """The addresses that Fortran programs have as constants, by the names of fortran/values.c."""
    lines = [f"/* Made by gen/ from foreign/facts/{abi.name}.txt. */", "extern EXPORTED int mpi_fortran_buffer_automatic_;"]
    lines += [f"extern EXPORTED {declaration};" for declaration in [*blocks(abi), *f08_blocks(abi)]]
    lines += f08_lines(abi)
    if abi.facts.has_pointers():
        return "\n".join(lines) + "\n"
    for constant, (symbol, offset) in abi.facts.common.items():
        name = f"mpi_fortran_{constant[4:].lower()}_"
        if "ARGV" in constant:
            lines.append(f"#define {name} (*((char *){symbol} + {offset}))")
        else:
            lines.append(f"#define {name} ({'&' if 'STATUS' in constant else ''}{symbol}[{offset // 4}])")
    return "\n".join(lines) + "\n"


def blocks(abi):
    """The declarations of the COMMON blocks."""
    ends = {}
    for constant, (symbol, offset) in abi.facts.common.items():
        size = abi.facts.sizes["MPI_Status"] if "STATUS" in constant else 4
        ends[symbol] = max(ends.get(symbol, 0), offset + size)
    for symbol, end in ends.items():
        if not abi.facts.has_pointers():
            yield f"int {symbol}[{(end + 3) // 4}]"
        elif "argv" in symbol:
            yield f"char {symbol}"
        else:
            yield f"int {symbol}{'[8]' if 'status' in symbol else ''}"


def sizeof_text(name):
    """MPI_Sizeof of a type and a rank, as the name of the procedure says."""
    kind, bits = re.match(r"mpi_sizeof_([a-z]+)(\d*)_", name).groups()
    size = int(bits or SIZES[kind]) // SIZES[kind] if bits else 1
    length = ", size_t length" if kind == "character" else ""
    unused = "    (void)length;\n" if length else ""
    for prefix in ("", "p"):
        declaration = f"void {prefix}{name}(const void *x, int *size, int *ierror{length})"
        yield (f"EXPORTED {declaration};\n{declaration}\n{{\n    (void)x;\n{unused}    *size = {size};\n"
               "    if (ierror)\n        *ierror = 0;\n}\n")


# What gfortran calls a name of a module.
OF_MODULE = re.compile(r"__mpi_(\w+?)_MOD_(\w+)$")
COMPARISON = re.compile(r"(neq|ne|eq)(?:_f|_f08)?$")
STATUS_COPY = re.compile(r"p?mpi_status_(f082f|f2f08|f08_assign_c|c_assign_f08)$")
MODULE_SIZEOF = re.compile(r"mpi_sizeof_(ch|cx|d|i|l|r|character|logical|xint|xreal|xcomplex)(\d*)v?$")
MODULE_SIZES = {"ch": 1, "cx": 8, "d": 8, "i": 4, "l": 4, "r": 4, "character": 1, "logical": 4}


def module_sizeof(kind, number):
    """`number` is of bytes, behind xint and the like of bits of a part."""
    if kind[0] == "x":
        return int(number) // 8 * (2 if kind == "xcomplex" else 1)
    return int(number or MODULE_SIZES[kind])


def module_text(name):
    """A procedure of a module of the other library, where it is not another name of one of fortran/. Handles and statuses are passed alike."""
    procedure = OF_MODULE.match(name)[2]
    if procedure.startswith("mpix_"):
        return None
    if found := MODULE_SIZEOF.match(procedure):
        declaration = f"void {name}(const void *x, int *size, int *ierror)"
        body = f"    (void)x;\n    *size = {module_sizeof(*found.groups())};\n    if (ierror)\n        *ierror = 0;\n"
    elif found := STATUS_COPY.match(procedure):
        is_assignment = "assign" in found[1]
        declaration = f"void {name}({'int *to, const int *from' if is_assignment else 'const int *from, int *to, int *ierror'})"
        body = "    memcpy(to, from, sizeof(MPI_Status));\n" + ("" if is_assignment else "    if (ierror)\n        *ierror = 0;\n")
    elif found := COMPARISON.search(procedure):
        declaration = f"int {name}(const int *left, const int *right)"
        body = f"    return *left {'==' if found[1] == 'eq' else '!='} *right;\n"
    else:
        return None
    return f"EXPORTED {declaration};\n{declaration}\n{{\n{body}}}\n"


def names_ld(abi):
    """What the linker gives a second name: the predefined functions, which are known by their addresses."""
    lists = [name for library in abi.facts.functions.values() for name in library]
    names = sorted({name for name in lists if name.startswith("__mpi_f08_callbacks_MOD_")})
    return "".join([f"/* Made by gen/ from foreign/facts/{abi.name}.txt. */\n", *(f"{name} = {OF_MODULE.match(name)[2]}_;\n" for name in names)])


def other_name(name):
    """The name that fortran/ has for what the other library calls so."""
    name = name.replace("mpix_", "mpi_").replace("delete_error", "remove_error").replace("_f90_", "_")
    if name.endswith("_large_"):
        return re.sub(r"_(f08(?:ts)?)_large_$", r"_c_\1_", name)
    if name.endswith("_f08_"):  # choice arguments without descriptors, so as in mpif.h
        return name[:-4]
    return name


def names_c(abi, defined):
    """`defined`: the names of the generated fortran_*.c."""
    parts = [TOP.format(name=abi.name, title=abi.title), "EXPORTED int mpi_fortran_buffer_automatic_;"]
    lists = [name for library in abi.facts.functions.values() for name in library]
    parts += filter(None, map(module_text, sorted({n for n in lists if OF_MODULE.match(n) and "callbacks" not in n})))
    for name in dict.fromkeys(n for n in lists if re.match(r"mpix?_\w+_$", n)):
        if name in defined:
            continue
        if name.startswith("mpi_sizeof_"):
            parts += sizeof_text(name)
        elif other_name(name) in defined and other_name(name) != name:
            for prefix in ("", "p"):
                parts.append(f'__asm__(".globl {prefix}{name}\\n\\t.type {prefix}{name}, @function\\n{prefix}{name}:\\n" JUMP("{prefix}{other_name(name)}"));')
        elif name.startswith("mpix_"):
            parts.append(f"EXPORTED __attribute__((section(\"inkling_unsupported\"))) void {name}(void);\nvoid {name}(void)\n{{\n    unsupported_fortran(\"{name[:-1]}\");\n}}")
    if abi.facts.has_pointers():
        nulls = [n for n in abi.facts.fortran if n.endswith("_NULL")]
        parts += [f"EXPORTED int ompi_f08_{n.lower()};\nint ompi_f08_{n.lower()} = {abi.facts.fortran[n]};" for n in nulls]
    else:
        parts += [f"_Alignas(32) EXPORTED {declaration};" for declaration in [*blocks(abi), *f08_blocks(abi)]]
        parts.append('extern void *status_ignore __asm__("MPI_F_STATUS_IGNORE"), *statuses_ignore __asm__("MPI_F_STATUSES_IGNORE");\n'
                     "__attribute__((constructor)) static void tell_c(void)\n{\n"
                     "    status_ignore = mpi_fortran_status_ignore_;\n    statuses_ignore = mpi_fortran_statuses_ignore_;\n}\n")
    if any("unsupported_fortran" in part for part in parts):
        parts.insert(1, UNSUPPORTED.format(title=abi.title))
    return "\n".join(parts) + "\n"
