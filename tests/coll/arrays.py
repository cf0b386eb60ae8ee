"""arrays.py API TEST FORTRAN: the table of tests/coll/arrays.c has each nonblocking and persistent procedure that takes arrays of counts,
displacements or datatypes, and tests/fortran/arrays.F90 calls it."""

import pathlib
import re
import sys


def main(api, test, fortran):
    named = set(re.findall(r"\b(I[a-z_]+|[A-Z][a-z_]+_init)\b", " ".join(re.findall(r"^ROW\((.*)\)$", pathlib.Path(test).read_text("utf-8"), re.M))))
    due = set()
    for table in pathlib.Path(api).glob("*.txt"):
        for name, parameters in re.findall(r"^(\w+)\((.*?)\) ", table.read_text("utf-8"), re.M):
            if re.search(r":(own_)?(counts|displs|types|aints)\b", parameters) and ":request*" in parameters:
                due.add(name)
    if named != due:
        return f"{test} lacks {sorted(due - named)}, and has {sorted(named - due)} besides"
    called = set(re.findall(r"call MPI_(\w+)\(", pathlib.Path(fortran).read_text("utf-8")))
    if not due <= called:
        return f"{fortran} does not call {sorted(due - called)}"
    return 0 if due else f"{api} has no such procedure"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
