"""tolerances.py TABLE TESTS FAULTS WARNED: the rows of docs/TOLERANCES.md are those that tests/mpi/environment/tolerances.c tries, in the same
order, and each last column is what a program of FAULTS has --check say (`says: `, which check/faults/tol compares) or what WARNED has the library say."""

import pathlib
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def said_by(faults, warned):
    """All that the tests of what is said look for."""
    return re.findall(r" says: (.*) \*/", "".join(path.read_text("utf-8") for path in pathlib.Path(faults).glob("tol_*.c"))) + [read(warned)]


def main(table, tests, faults, warned):
    found = re.findall(r"^\| ([^|]+?) \| [0-9]+\.[0-9.]+ \| [^|]+ \| ([^|]+) \|$", read(table), re.M)
    rows, told = [row for row, _ in found], said_by(faults, warned)
    tried = re.findall(r'\{"([^"]+)", \w+\}', read(tests))
    lines = [line for line in read(table).splitlines() if line.startswith("|")]
    if len(rows) != len(lines) - 2:
        return f"{table}: {len(lines) - 2 - len(rows)} rows lack a section or a column"
    if rows != tried:
        return f"{table} has {rows}, and {tests} tries {tried}"
    for row, column in found:
        if not any(column in words for words in told):
            return f"{table}: no test has it that '{column}' is said of row '{row}'"
    return 0 if rows else f"{table} has no rows"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
