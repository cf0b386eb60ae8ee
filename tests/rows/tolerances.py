"""tolerances.py TABLE TESTS: the rows of docs/TOLERANCES.md are those that tests/mpi/environment/tolerances.c tries, in the same order."""

import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(table, tests):
    rows = re.findall(r"^\| ([^|]+?) \| [0-9]+\.[0-9.]+ \| [^|]+ \| [^|]+ \|$", read(table), re.M)
    tried = re.findall(r'\{"([^"]+)", \w+\}', read(tests))
    lines = [line for line in read(table).splitlines() if line.startswith("|")]
    if len(rows) != len(lines) - 2:
        return f"{table}: {len(lines) - 2 - len(rows)} rows lack a section or a column"
    if rows != tried:
        return f"{table} has {rows}, and {tests} tries {tried}"
    return 0 if rows else f"{table} has no rows"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
