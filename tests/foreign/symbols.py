"""symbols.py GEN_FOLDER FACTS ABI_FOLDER: each symbol that programs may have taken from a library of the ABI is in one of ours, and
has the size of the other's data at least."""

import os
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])

from foreign_facts import Facts  # noqa: E402


def exported(path):
    """The symbols of a library: sizes of data, None for functions."""
    symbols = {}
    for line in subprocess.run(["nm", "-DS", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        symbols[words[-1].split("@")[0]] = int(words[1], 16) if len(words) == 4 and words[2] in "BDRVC" else None
    return symbols


# Other functions are the other library's own affair, or names that its compilers' modules do not use.
OF_PROGRAMS = re.compile(r"^(MPIX?_[A-Z]\w*[a-z]\w*(?<!_f)(?<!_f08)|mpi_[a-z]\w*_|ompi_op_set\w+|_ZN\w+|__mpi_\w+_MOD_(?!mpix_)\w+(?<!_c2f)(?<!_f2c))$")


def main(facts, folder):
    table, have, looked, missing = Facts(facts), {}, 0, []
    named = set(table.symbols.values()) | {symbol for symbol, _ in table.common.values()}  # by constants of mpi.h and mpif.h
    for name in sorted(os.listdir(folder)):
        if re.search(r"\.so\.\d+$", name):
            have |= exported(os.path.join(folder, name))
    for soname in table.functions:
        missing += [] if os.path.exists(os.path.join(folder, soname)) else [f"there is no {soname}"]
        for name in filter(OF_PROGRAMS.match, table.functions[soname]):
            looked += 1
            missing += [] if name in have else [f"there is no function {name} ({soname})"]
        for name, size in table.data[soname].items():
            if name not in named and not name.startswith(("__mpi_f08", "_ZN")):
                continue
            looked += 1
            if name not in have:
                missing.append(f"there is no data {name} ({soname})")
            elif have[name] is not None and have[name] < min(data.get(name, size) for data in table.data.values()):  # a larger one: ld.so warns
                missing.append(f"{name} has {have[name]} bytes, not {size} ({soname})")
    print("\n".join([*missing, f"{looked} symbols, {len(missing)} missing"]))
    return bool(missing) or not looked


if __name__ == "__main__":
    sys.exit(main(*sys.argv[2:]))
