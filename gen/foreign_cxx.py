"""Makes the C++ libraries of a foreign ABI: the names of its bindings, which MPI-3.0 removed. Much of the bindings is in the headers of the
other library, so programs bring it with them. They need its objects, which are here with their tables, and functions: foreign/cxx has those that
are more than cxx_binding.py makes, and some end the program with a line."""

import re

import cxx_binding
from foreign_abi import THROWS

LIBRARY = {"openmpi": "libmpi_cxx.so.40", "mpich": "libmpichcxx.so.12"}

TOP = """/* Made by gen/ from foreign/facts/{name}.txt and api/: the C++ bindings. */
#include "foreign/cxx/objects.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void end(void)
{{
    fprintf(stderr, "inkling: this part of the C++ bindings, which MPI-3.0 removed, is not supported\\n");
    exit(1);
}}
/* Functions that a program only has for its calls, which `inkling can-run` finds by the section, and others. */
EXPORTED __attribute__((section("inkling_unsupported"))) void inkling_cxx_unsupported(void);
void inkling_cxx_unsupported(void)
{{
    end();
}}
EXPORTED void inkling_cxx_intercept(void);
void inkling_cxx_intercept(void)
{{
    end();
}}
"""

# A constant of the namespace, or one of its objects.
OBJECT = re.compile(r"_ZN3MPI\d+(\w+)E$")

# Names that C has others for.
SAME = {"BOOL": "CXX_BOOL", "COMPLEX": "CXX_FLOAT_COMPLEX", "DOUBLE_COMPLEX": "CXX_DOUBLE_COMPLEX", "LONG_DOUBLE_COMPLEX": "CXX_LONG_DOUBLE_COMPLEX",
        "F_COMPLEX": "COMPLEX", "F_DOUBLE_COMPLEX": "DOUBLE_COMPLEX", "TWOINT": "2INT", "TWOINTEGER": "2INTEGER", "TWOREAL": "2REAL",
        "TWODOUBLE_PRECISION": "2DOUBLE_PRECISION"}

CLASSES = {"Intracomm": "COMM_WORLD COMM_SELF", "Group": "GROUP_NULL GROUP_EMPTY", "Request": "REQUEST_NULL", "Info": "INFO_NULL", "Win": "WIN_NULL",
           "File": "FILE_NULL", "Errhandler": "ERRHANDLER_NULL ERRORS_RETURN ERRORS_ARE_FATAL ERRORS_THROW_EXCEPTIONS",
           "Op": "OP_NULL MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MAXLOC MINLOC REPLACE"}
CLASS_OF = {name: c for c, names in CLASSES.items() for name in names.split()}


def value(facts, name):
    """What C has for the name: a number, or the address of a symbol."""
    if name == "ERRORS_THROW_EXCEPTIONS":
        return THROWS["openmpi" if facts.has_pointers() else "mpich"]
    name = "MPI_" + SAME.get(name, name)
    return facts.symbols.get(name) or facts.values.get(name)


def object_text(facts, symbol, name):
    """Its virtual functions, behind two words of the table, and its handle."""
    null = "Comm_Null" if facts.has_pointers() else "Nullcomm"
    owner = null if name == "COMM_NULL" else CLASS_OF.get(name, "Datatype")
    handle = value(facts, name)
    if handle is None:  # the library had none either
        handle = value(facts, "DATATYPE_NULL")
    extern = f"extern char {handle}[];\n" if isinstance(handle, str) else ""
    word = handle if isinstance(handle, str) else f"(void *)(uintptr_t){handle & 0xffffffff}u"
    return f"{extern}EXPORTED const void *{symbol}[2] = {{&_ZTVN3MPI{len(owner)}{owner}E[2], {word}}};"


# What a class is derived from; Comm_Null is of one library alone.
BASES = {"Comm": "Comm_Null", "Intracomm": "Comm", "Intercomm": "Comm", "Nullcomm": "Comm", "Cartcomm": "Intracomm", "Graphcomm": "Intracomm",
         "Grequest": "Request", "Prequest": "Request"}


def mangled(name):
    return f"N3MPI{len(name)}{name}E"


def table_text(facts, symbol, words):
    """A table of virtual functions, for programs that have none themselves. What is in it may be the program's own."""
    slots = facts.slots.get(symbol, {})
    functions = ["0", f"(void (*)(void))_ZTI{symbol[4:]}", *(slots.get(i, "inkling_cxx_unsupported") for i in range(2, words))]
    return f"EXPORTED void (*{symbol}[{words}])(void) __attribute__((weak)) = {{{', '.join(f'(void (*)(void)){f}' for f in functions)}}};"


def type_text(symbol, size):
    """What is known of a class at run time."""
    name = symbol[len("_ZTIN3MPI"):-1].lstrip("0123456789")
    kind, base = ("class_type_vtable", "") if size == 16 else ("si_class_type_vtable", f", &_ZTI{mangled(BASES[name])}")
    return f"EXPORTED const void *const {symbol}[{size // 8}] __attribute__((weak)) = {{&{kind}[2], &_ZTS{mangled(name)}{base}}};"


def datum(facts, symbol, size):
    found = OBJECT.match(symbol)
    if symbol.startswith("_ZTV"):
        return table_text(facts, symbol, size // 8)
    if symbol.startswith("_ZTI"):
        return type_text(symbol, size)
    if symbol.startswith("_ZTS"):
        return f'EXPORTED const char {symbol}[{size}] __attribute__((weak)) = "{symbol[4:]}";'
    if found and size == 16:
        return object_text(facts, symbol, found[1])
    if found and size in (4, 8):
        number = value(facts, found[1])
        ctype = "const intptr_t" if size == 8 else "int" if found[1] == "mpi_errno" else "const int"
        return f"EXPORTED {ctype} {symbol} = {number if isinstance(number, int) else 0};"
    return f"EXPORTED const char {symbol}[{size}] __attribute__((weak, aligned(8))) = {{0}};"


def failing(owner):
    """What a method does with an error."""
    noun = {**{c: "comm" for c in cxx_binding.COMMS}, "Win": "win", "File": "file"}.get(owner)
    return ["if (error)", f"    cxx_failed_on_{noun}(self, error);" if noun else "    cxx_failed(error);"]


def function_text(symbol, procedures):
    """A destructor, a method, or one that is not supported, unless foreign/cxx has it."""
    if re.search(r"D[12]Ev$", symbol):
        return f"EXPORTED void {symbol}(void *self) __attribute__((weak));\nvoid {symbol}(void *self)\n{{\n    (void)self;\n}}\n"
    if symbol.endswith("D0Ev"):
        return f"EXPORTED void {symbol}(void *self) __attribute__((weak));\nvoid {symbol}(void *self)\n{{\n    cxx_delete(self);\n}}\n"
    made = cxx_binding.function_of(symbol, procedures, lambda name: f"(void *)(_ZTV{mangled(name)} + 2)", failing)
    if made:
        return made.text()
    target = "unsupported" if symbol.startswith("_Z") else "intercept"  # the latter is named in the headers
    return f'EXPORTED void {symbol}(void) __attribute__((weak, alias("inkling_cxx_{target}")));'


def cxx_c(abi, procedures):
    facts, library = abi.facts, LIBRARY[abi.name]
    data, by_name = facts.data[library], {p.name: p for p in procedures}
    parts = [TOP.format(name=abi.name), "extern const void *const class_type_vtable[] __asm__(\"_ZTVN10__cxxabiv117__class_type_infoE\") __attribute__((weak));",
             "extern const void *const si_class_type_vtable[] __asm__(\"_ZTVN10__cxxabiv120__si_class_type_infoE\") __attribute__((weak));"]
    parts += [f"extern void (*{symbol}[{size // 8}])(void);" for symbol, size in data.items() if symbol.startswith("_ZTV")]
    parts += [function_text(symbol, by_name) for symbol in facts.functions[library] if symbol.startswith(("_Z", "ompi_", "MPIR_"))]
    order = ("_ZTS", "_ZTI", "_ZTV")
    rows = sorted(data.items(), key=lambda row: (order.index(row[0][:4]) if row[0][:4] in order else 3, row[1] if row[0].startswith("_ZTI") else 0))
    parts += [f"extern const void *const {symbol}[{size // 8}];" for symbol, size in rows if symbol.startswith("_ZTI")]
    return "\n".join([*parts, *(datum(facts, symbol, size) for symbol, size in rows)]) + "\n"
