"""merge.py FACTS...: joins what read.py printed for several versions of one library into one table, which is committed. Says where they
differ in a value: then the ABI is not one, and the table of the first is kept.

    version PACKAGE VERSION         a version that was read
    size TYPE BYTES                 sizeof
    status MEMBER OFFSET BYTES      a member of MPI_Status
    value NAME NUMBER               a constant
    symbol NAME SYMBOL              a constant that is the address of a symbol
    fortran NAME NUMBER             a constant of mpif.h
    common NAME SYMBOL OFFSET       an address of mpif.h
    library SONAME                  from here on: what this library exports
    function SYMBOL
    data SYMBOL BYTES               with the most bytes of all versions
    slot TABLE NUMBER SYMBOL        a function in a table of virtual functions
"""

import sys


def main(*paths):
    versions, facts, exported = [], {}, {}
    for path in paths:
        library = None
        with open(path, encoding="utf-8") as lines:
            for words in (line.split() for line in lines if line.strip() and not line.startswith("#")):
                if words[0] == "version":
                    versions.append(words)
                elif words[0] == "library":
                    library = exported.setdefault(words[1], {})
                elif words[0] in ("function", "data"):
                    old = library.get(words[1])
                    if old and old[0] != words[0]:
                        print(f"{path}: {words[1]} is {words[0]}, elsewhere {old[0]}", file=sys.stderr)
                    if not old or old[0] == "data" and int(old[2]) < int(words[-1]):
                        if old:
                            print(f"{path}: {words[1]} has {words[-1]} bytes, elsewhere {old[2]}", file=sys.stderr)
                        library[words[1]] = words
                else:
                    old = facts.setdefault(tuple(words[:3 if words[0] == "slot" else 2]), words)
                    if old != words:
                        print(f"{path}: {' '.join(words)}, elsewhere {' '.join(old[2:])}", file=sys.stderr)
    print("# Made by read.py and merge.py, which describe it.")
    for words in versions + list(facts.values()):
        print(" ".join(words))
    for soname, symbols in exported.items():
        print(f"library {soname}")
        for words in sorted(symbols.values()):
            print(" ".join(words))


if __name__ == "__main__":
    main(*sys.argv[1:])
