"""Makes the C++ libraries of a foreign ABI: the names of its bindings, which MPI-3.0 removed. Most of the bindings is in the headers of the
other library, so programs bring it with them. They need its objects, which are here, and functions: foreign/cxx has those that work, the
others end the program with a line."""

import re

LIBRARY = {"openmpi": "libmpi_cxx.so.40", "mpich": "libmpichcxx.so.12"}

TOP = """/* Made by gen/ from foreign/facts/{name}.txt: names of the C++ bindings. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

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
        "TWODOUBLE_PRECISION": "2DOUBLE_PRECISION", "ERRORS_THROW_EXCEPTIONS": "ERRORS_ARE_FATAL"}

CLASSES = {"Intracomm": "COMM_WORLD COMM_SELF", "Group": "GROUP_NULL GROUP_EMPTY", "Request": "REQUEST_NULL", "Info": "INFO_NULL", "Win": "WIN_NULL",
           "File": "FILE_NULL", "Errhandler": "ERRHANDLER_NULL ERRORS_RETURN ERRORS_ARE_FATAL ERRORS_THROW_EXCEPTIONS",
           "Op": "OP_NULL MAX MIN SUM PROD LAND BAND LOR BOR LXOR BXOR MAXLOC MINLOC REPLACE"}
CLASS_OF = {name: c for c, names in CLASSES.items() for name in names.split()}


def value(facts, name):
    """What C has for the name: a number, or the address of a symbol."""
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


def table_text(facts, symbol, words):
    """A table of virtual functions, for programs that have none themselves. What is in it may be the program's own."""
    slots = facts.slots.get(symbol, {})
    functions = ["0"] * 2 + [slots.get(i, "inkling_cxx_unsupported") for i in range(2, words)]
    return f"EXPORTED void (*{symbol}[{words}])(void) __attribute__((weak)) = {{{', '.join(functions)}}};"


def datum(facts, symbol, size):
    found = OBJECT.match(symbol)
    if found and size == 16:
        return object_text(facts, symbol, found[1])
    if symbol.startswith("_ZTV"):
        return table_text(facts, symbol, size // 8)
    if found and size in (4, 8):
        number = value(facts, found[1])
        ctype = "int" if size == 4 else "intptr_t"
        return f"EXPORTED const {ctype} {symbol} = {number if isinstance(number, int) else 0};"
    return f"EXPORTED const char {symbol}[{size}] __attribute__((weak, aligned(8))) = {{0}};"


def cxx_c(abi):
    facts, library = abi.facts, LIBRARY[abi.name]
    parts = [TOP.format(name=abi.name)]
    for symbol in facts.functions[library]:
        if symbol.startswith(("_Z", "ompi_", "MPIR_")):
            target = "unsupported" if symbol.startswith("_Z") else "intercept"  # the latter is named in the headers
            parts.append(f'EXPORTED void {symbol}(void) __attribute__((weak, alias("inkling_cxx_{target}")));')
    data = sorted(facts.data[library].items(), key=lambda row: not row[0].startswith("_ZTV"))
    return "\n".join([*parts, *(datum(facts, symbol, size) for symbol, size in data)]) + "\n"
