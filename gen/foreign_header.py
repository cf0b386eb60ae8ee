"""Makes mpi.h of a foreign ABI from its table of facts, as far as tests and foreign/ need it: what the other library's own says in
values, with the procedures of api/."""

from foreign_abi import HANDLES
from foreign_entries import is_there
import inline

TOP = """/* Made by gen/ from foreign/facts/{name}.txt and api/: enough of {title}'s ABI to compile tests. */
#ifndef FOREIGN_MPI_H
#define FOREIGN_MPI_H
#include <stddef.h>
#include <stdint.h>
"""


def types(abi):
    facts = abi.facts
    for ctype in HANDLES:
        pointer = facts.sizes.get(f"MPI_{ctype}", facts.sizes["MPI_Comm"]) == 8
        yield f"typedef struct foreign_{ctype.lower()} *MPI_{ctype};" if pointer else f"typedef int MPI_{ctype};"
    for line in abi.standard.types:
        word, _, rest = line.partition(" ")
        if word == "handle" and rest.startswith("MPI_T_"):
            yield f"typedef struct foreign_{rest[4:]} *{rest};"
        elif word == "integer":
            name, ctype = rest.split(" = ")
            yield f"typedef {ctype} {name};"
    yield "typedef int MPI_Fint;\ntypedef int MPI_T_cb_safety;\ntypedef int MPI_T_source_order;"
    members = sorted((offset, size, name) for name, (offset, size) in facts.status.items())
    fields = "".join(f"    {'int' if size == 4 else 'size_t'} {name};\n" for _, size, name in members)
    yield f"typedef struct MPI_Status {{\n{fields}}} MPI_Status;"
    for line in abi.standard.types:
        if line.startswith("callback "):
            yield f"typedef {line[9:]};"
        elif line.startswith("alias "):
            name, ctype = line[6:].split(" = ")
            yield f"typedef {ctype} {name};"


def constants(abi):
    library = {s: size for data in abi.facts.data.values() for s, size in data.items()}
    functions = {f for library in abi.facts.functions.values() for f in library}
    for symbol in sorted({s for n, s in abi.facts.symbols.items() if n in abi.of_type}):
        if symbol in library:
            yield f"extern char {symbol}[{library[symbol]}];"
        elif symbol in functions and not symbol.endswith("_"):
            copies = "DUP_FN" in symbol or "Dup_fn" in symbol or "COPY" in symbol
            yield f"int {symbol}({'MPI_Comm, int, void *, void *, void *, int *' if copies else 'MPI_Comm, int, void *, void *'});"
    for name, ctype in abi.of_type.items():
        cast = ctype if "MPI_" in ctype or "*" in ctype else "int"
        if name in abi.facts.symbols:
            yield f"#define {name} (({cast})&{abi.facts.symbols[name]})"
        elif name in abi.facts.values:
            value = abi.facts.values[name]
            yield f"#define {name} ({value})" if cast == "int" else f"#define {name} (({cast})(intptr_t){value})"
        elif name[4:] in abi.variables():
            yield f'extern int *const foreign_{name.lower()} __asm__("{name}");\n#define {name} (({cast})foreign_{name.lower()})'


def for_fortran(abi):
    """What fortran/ is compiled with: the standard ABI's conversions by those of this ABI, and Fortran's numbers of attribute keys."""
    yield "#ifdef FORTRAN_FOREIGN"
    for h, part in HANDLES.items():
        yield f"MPI_Fint PMPI_{part}_c2f(MPI_{h} handle);\nMPI_{h} PMPI_{part}_f2c(MPI_Fint handle);"
        for prefix in ("", "P"):
            yield f"#define {prefix}MPI_{part}_toint P{'MPI_' + part}_c2f\n#define {prefix}MPI_{part}_fromint P{'MPI_' + part}_f2c"
    for p in abi.standard.procedures():
        if p.name.startswith("MPI_Abi_"):
            unused = " ".join(f"(void){q.name};" for q in p.parameters)
            for prefix in ("", "P"):
                yield f"static inline {p.prototype(prefix)}\n{{\n    {unused}\n    return MPI_ERR_UNSUPPORTED_OPERATION;\n}}"
    for name, value in abi.facts.fortran.items():
        if name in abi.facts.values and value != abi.facts.values[name] and "MAX" not in name:
            yield f"#undef {name}\n#define {name} {value}"
    for name, value in abi.native.items():
        if name not in abi.facts.values and name not in abi.facts.symbols and name[4:] not in abi.variables() and name[4:8] in ("ERR_", "BUFF", "ERRO", "COMB", "CONV"):
            yield f"#define {name} (({abi.of_type[name] or 'int'})(intptr_t){OTHERS.get(name, 'MPI_ERR_OTHER')})"
    yield "#endif"


# What stands for constants that an ABI lacks: nothing that a program of it has.
OTHERS = {"MPI_BUFFER_AUTOMATIC": "-7", "MPI_COMBINER_VALUE_INDEX": "-7", "MPI_CONVERSION_FN_NULL_C": "0", "MPI_ERRORS_ABORT": "-7"}


def mpi_h(abi):
    lines = [TOP.format(name=abi.name, title=abi.title), *types(abi), *constants(abi)]
    for p in abi.standard.procedures():
        if is_there(p):
            lines += [f"{p.prototype()};", f"{p.prototype('P')};"]
    for h, part in HANDLES.items():
        lines += [f"MPI_Fint MPI_{part}_c2f(MPI_{h} handle);", f"MPI_{h} MPI_{part}_f2c(MPI_Fint handle);"]
    lines += [f"int MPI_Status_{way}(const void *from, void *to);" for way in ("c2f", "f2c", "c2f08", "f082c", "f082f", "f2f08")]
    lines += for_fortran(abi)
    for row in map(inline.ROW.match, abi.standard.removed):
        if row:
            lines.append(f"{row['returns']} {row['name']}({row['parameters']});")
    return "\n".join(lines + ["#endif", ""])
