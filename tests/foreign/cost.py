"""cost.py GEN_FOLDER API_FOLDER OUTPUT: a library with the standard ABI that does nothing, below which cost.c sees what translation costs."""

import sys

sys.path.insert(0, sys.argv[1])

from standard import Standard, write  # noqa: E402

# Handles look like the library's: a kind, a generation and a slot, and integers of them.
RESULTS = {
    "Comm_dup": "*newcomm = (MPI_Comm)(intptr_t)0x0100000003000007;", "Isend": "*request = (MPI_Request)(intptr_t)0x0500000003000007;",
    "Irecv": "*request = (MPI_Request)(intptr_t)0x0500000003000007;", "Wait": "*request = MPI_REQUEST_NULL;",
    "Recv": "status->MPI_SOURCE = 0;\n    status->MPI_TAG = 1;\n    status->MPI_internal[0] = 4;",
}


def procedure(p):
    result = RESULTS.get(p.name[4:], "")
    value = "0"
    if p.name.endswith("_toint"):
        value = "0x40c00007"
    elif p.name.endswith("_fromint"):
        value = f"({p.returns})(intptr_t)0x0100000003000007"
    return f"{p.prototype()}\n{{\n    {result}\n    return {value};\n}}\n"


def main(api, output):
    top = "/* Made by cost.py. */\n#define MPI_INKLING_ALLOW_DEPRECATED\n#include <mpi.h>\n#include <stdint.h>\n"
    write(output, "nothing.c", "\n".join([top, *map(procedure, Standard(api).procedures())]))


if __name__ == "__main__":
    main(*sys.argv[2:])
