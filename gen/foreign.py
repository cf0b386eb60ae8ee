"""foreign.py API_FOLDER FACTS_FOLDER OUTPUT: makes the translation from each foreign ABI to the standard's. See gen/README.md."""

import os
import re
import sys

import foreign_cxx
import foreign_entries
import foreign_fortran
import foreign_header
import inline
from foreign_abi import HANDLES, Abi, foreign_types
from foreign_facts import Facts
from fortran import Forms
from fortran_entries import SIZEOF
from standard import Standard, write

COPY = "const void *object, int keyval, void *extra, void *in, void *out, int *flag"
UNUSED = "    (void)object, (void)keyval, (void)extra, (void)in, (void)out;\n"
DUP = (COPY, "    (void)object, (void)keyval, (void)extra;\n    *(void **)out = in;\n    *flag = 1;\n")
NULL_COPY = (COPY, UNUSED + "    *flag = 0;\n")
NULL_DELETE = ("const void *object, int keyval, void *value, void *extra", "    (void)object, (void)keyval, (void)value, (void)extra;\n")
# The predefined attribute functions, which are symbols, by the end of their names.
PREDEFINED = {"I_DUP_FN": DUP, "M_DUP_FN": DUP, "E_DUP_FN": DUP, "N_DUP_FN": DUP, "_COPY_FN": NULL_COPY, "ELETE_FN": NULL_DELETE}

SLOTS = 256
# User functions that get no state: for each distinct one, a C function that knows which it stands for.
SLOT_KINDS = {
    "operation": ("void *in, void *inout, int *length, MPI_Datatype *type", "in, inout, length, type"),
    "large_operation": ("void *in, void *inout, MPI_Count *length, MPI_Datatype *type", "in, inout, length, type"),
    "comm_handler": ("MPI_Comm *comm, int *code, ...", "comm, code"),
    "file_handler": ("MPI_File *file, int *code, ...", "file, code"),
    "win_handler": ("MPI_Win *win, int *code, ...", "win, code"),
    "session_handler": ("MPI_Session *session, int *code, ...", "session, code"),
}


def slots_c():
    parts = ['/* Made by gen/: the functions behind the slots of foreign/callback.c. */\n#include "foreign/callback.h"\n']
    for kind, (parameters, arguments) in SLOT_KINDS.items():
        for i in range(SLOTS):
            parts.append(f"static void {kind}_{i}({parameters})\n{{\n    call_{kind}({i}, {arguments});\n}}\n")
        table = ", ".join(f"{kind}_{i}" for i in range(SLOTS))
        parts.append(f"void (*const {kind}_slots[FOREIGN_SLOTS])({parameters}) = {{{table}}};\n")
    return "\n".join(parts)


def removed_entries(standard):
    """What MPI-3.0 removed, which old programs have: made of the foreign entry points as api/removed.txt says."""
    for line in standard.removed:
        row = inline.ROW.match(line)
        if not row or line.startswith("alias "):
            continue
        short = row["name"][4:]
        parameters, body = foreign_types(row["parameters"]), foreign_types(row["body"])
        body = re.sub(r"\bMPI_(\w+)\(", r"foreign_\1(", body)
        prototype = f"{row['returns']} foreign_{short}({parameters})"
        statements = "".join(f"    {statement.strip()};\n" for statement in body.rstrip(";").split(";"))
        yield (f'FOREIGN_EXPORTED {prototype} __asm__("P{row["name"]}");\n{prototype}\n{{\n{statements}}}\n'
               + foreign_entries.weak_alias(prototype, row["name"]) + "\n")


# Extensions that answer no: their parameters do not matter.
CONSTANT = {"MPIX_Query_cuda_support": 0, "MPIX_Query_rocm_support": 0, "MPIX_Query_hip_support": 0, "MPIX_Query_ze_support": 0}


def same_as(abi, procedures):
    """Extensions that the standard has taken in: extension -> procedure."""
    names = {p.name for p in procedures}
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[abi.name]
    pairs = {f: "MPI_" + f[5:].replace("Delete_error", "Remove_error") for f in abi.facts.functions[library]
             if re.match(r"MPIX_(\w+_init|Delete_error_\w+)$", f)}
    return {f: name for f, name in pairs.items() if name in names}


def function(name, parameters, body, value):
    prototype = f"int {name}({parameters})"
    return f"FOREIGN_EXPORTED {prototype};\n{prototype}\n{{\n{body}    return {value};\n}}\n"


def extensions(abi, procedures):
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[abi.name]
    by_name = {p.name: p for p in procedures}
    for extension, name in same_as(abi, procedures).items():
        prototype = foreign_entries.Entry(by_name[name]).prototype()
        for prefix in ("P", ""):
            declaration = re.sub(r"foreign_\w+\(", f"same_{prefix}{extension}(", prototype, count=1)
            yield f'FOREIGN_EXPORTED {declaration} __asm__("{prefix}{extension}") __attribute__((weak, alias("P{name}")));\n'
    if abi.facts.has_pointers():
        yield from (function(f, *PREDEFINED[f[-8:]], 0) for f in abi.facts.functions[library] if f.startswith("OMPI_C_"))
    else:
        yield function("MPIR_Dup_fn", *DUP, 0)
    for prefix in ("", "P") if "MPIX_GPU_query_support" in abi.facts.functions[library] else ():
        yield function(f"{prefix}MPIX_GPU_query_support", "int type, int *is_supported", "    (void)type;\n    *is_supported = 0;\n", 0)
    for extension, value in CONSTANT.items():
        if extension in abi.facts.functions[library]:
            for prefix in ("P", ""):
                yield function(prefix + extension, "void", "", value)


def fortran_names(api):
    """The names that fortran/ has, its own and those of what MPI-3.0 removed."""
    forms = Forms(api)
    names = set()
    for form in forms.procedures:
        low = ("mpi" + form.name if form.name.startswith("X_") else "mpi_" + form.name).lower()
        names |= {low + "_", low + "_f08_", low + "_f08ts_"} if not form.has_choice() else {low + "_", low + "_f08ts_"}
        if form.large and form.has_choice():
            names.discard(low + "_")
    names |= {f"mpi_{n}_" for n in ("address", "errhandler_create", "errhandler_get", "errhandler_set", "type_extent", "type_hindexed", "type_hvector",
                                   "type_lb", "type_struct", "type_ub")}
    names |= {f"mpi_sizeof_{ctype}{kind}_" for ctype, kind, _ in SIZEOF}
    return names | {f"mpi_{n}_fn_" for n in ("comm_dup", "comm_null_copy", "comm_null_delete", "dup", "null_copy", "null_delete", "type_dup",
                                            "type_null_copy", "type_null_delete", "win_dup", "win_null_copy", "win_null_delete")} | {
        "mpi_conversion_fn_null_"}


def make(name, api, facts_folder, output):
    standard, facts = Standard(api), Facts(os.path.join(facts_folder, name + ".txt"))
    abi, procedures = Abi(name, facts, standard), standard.procedures()
    folder = os.path.join(output, name)
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}[name]
    have = {p.name for p in procedures} | {row["name"] for row in map(inline.ROW.match, standard.removed) if row}
    written = {f"MPI_{h}_{way}" for h in list(HANDLES.values()) for way in ("c2f", "f2c")}
    written |= {"MPIX_GPU_query_support"} | {f"MPI_Status_{way}" for way in ("c2f", "f2c", "c2f08", "f082c", "f082f", "f2f08")}
    unsupported = sorted(f for f in facts.functions[library] if re.match("MPIX?_|OMPI_A", f) and f not in have | written | set(same_as(abi, procedures)) | set(CONSTANT))
    write(folder, "abi.h", abi.header())
    write(folder, "data.c", abi.data_c())
    write(folder, "real.h", foreign_entries.real_h(procedures))
    write(folder, "entry.h", foreign_entries.entry_h(procedures))
    write(folder, "entry.c", foreign_entries.entries_c(procedures, list(removed_entries(standard)) + abi.fortran_c() + list(extensions(abi, procedures)), unsupported))
    write(folder, "slots.c", slots_c())
    write(folder, "include/sentinels.h", foreign_fortran.sentinels_h(abi))
    write(folder, "fortran_names.c", foreign_fortran.names_c(abi, fortran_names(api)))
    write(folder, "names.ld", foreign_fortran.names_ld(abi))
    write(folder, "cxx.c", foreign_cxx.cxx_c(abi, procedures))
    write(folder, "include/mpi.h", foreign_header.mpi_h(abi))


def main(api, facts_folder, output):
    for name in ("openmpi", "mpich"):
        make(name, api, facts_folder, output)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
