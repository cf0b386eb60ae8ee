"""src/LAYERS is the law, and insight/LAYERS behind it: a file includes its own folder's headers and those that its folder's row lends it.

A folder in a folder, a room, has the row of the outer one, or one of its own.
Unit tests obey it too; besides, they include tests/unit.h.
"""
import re
import sys

import source

# Made by gen/: the MPI header, the table behind `inkling status`, and the words of the algorithms of collectives.
GENERATED = re.compile(r"(coverage|coll_words|networks|mpi)\.h$")


def laws(text, path="src/LAYERS", known=None):
    """folder -> the set of folders that its files may include; complains of rows that do not stand in order."""
    lends, problems = dict(known or {}), []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, _, listed = line.partition(":")
        folder, listed = folder.strip(), listed.split()
        if not ((source.ROOT / "src" / folder).is_dir() or (source.ROOT / folder).is_dir()):
            problems.append(f"{path}:{number}: {folder} is no folder; files have the row of their folder")
        for other in listed:
            if other not in lends:
                problems.append(f"{path}:{number}: {folder} lists {other}, which has no row above it")
        lends[folder] = lends.get(folder, {folder}).union(listed, *(lends.get(other, set()) for other in listed))
    return lends, problems


def all_laws():
    """Those of src, and behind them those of insight where it is there."""
    lends, problems = laws(source.text("src/LAYERS"))
    if (source.ROOT / "insight/LAYERS").is_file():
        lends, more = laws(source.text("insight/LAYERS"), "insight/LAYERS", lends)
        problems += more
    return lends, problems


def includes(path):
    for number, line in enumerate(source.text(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if found:
            yield number, found[1]


def row_of(name, lends):
    """The row of the innermost folder that this file, given as p2p/rndv/put.c, is in and that has one; None: none has."""
    parts = name.split("/")[:-1]
    rows = ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((row for row in rows if row in lends), None)


def verdict(name, included, lends):
    """Why this file may not include this header, or None."""
    folder = row_of(name, lends)
    if GENERATED.match(included):
        return None
    if included == "unit.h" and name.endswith("_test.c"):
        return None
    if "/" not in included:
        return f'"{included}" is named without its folder; write "{name.rsplit("/", 1)[0]}/{included}"'
    if not (source.ROOT / ("" if included.startswith(("insight/", "plain/")) else "src") / included).is_file():
        return f'"{included}" is not a file under src/, insight/ or plain/'
    other = row_of(included, lends)
    if other not in lends[folder]:
        return f'{folder} may not include {other} ("{included}"); its row lends: {" ".join(sorted(lends[folder]))}'
    return None


def check():
    lends, problems = all_laws()
    count = 0
    for path in source.files("src/*.c", "src/*.h", "plain/*.c", "plain/*.h", "insight/*.c", "insight/*.h"):
        if path.parts[:2] == ("insight", "tests"):
            continue
        name = path.as_posix().removeprefix("src/")
        if "/" not in name or not row_of(name, lends):
            problems.append(f"{path}: {path.parts[0]}/LAYERS has no row for its folder")
            continue
        for number, included in includes(path):
            count += 1
            why = verdict(name, included, lends)
            if why:
                problems.append(f"{path}:{number}: {why}")
    return problems, f"{count} includes in {len(lends)} layers"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
