"""src/LAYERS and insight/LAYERS are the law: a file includes its own folder's headers and those that its folder's row lends it.

A folder in a folder, a room, has the row of the outer one, or one of its own.
Rows have the names by which headers are included: those of insight/LAYERS begin with insight/. src/LAYERS has plain's row too. A row may list rows of the other file.
Unit tests obey it too; besides, they include tests/unit.h.
"""
import re
import sys

import source

# Made by gen/: the MPI header, the table behind `inkling status`, and the words of the algorithms of collectives.
GENERATED = re.compile(r"(coverage|coll_words|mpi)\.h$")


LAWS = ("src/LAYERS", "insight/LAYERS")


def rows(path):
    """(line, folder, the folders that it lists)"""
    text = source.text(path) if (source.ROOT / path).is_file() else ""
    for number, line in enumerate(text.splitlines(), 1):
        folder, _, listed = line.split("#")[0].strip().partition(":")
        if folder:
            yield number, folder.strip(), listed.split()


def laws():
    """folder -> the set of folders that its files may include; complains of rows that do not stand in order."""
    listed_by, lends, problems = {}, {}, []
    all_rows = {path: {folder for _, folder, _ in rows(path)} for path in LAWS}
    for path in LAWS:
        known = set().union(*(all_rows[other] for other in LAWS if other != path))
        for number, folder, listed in rows(path):
            if not ((source.ROOT / "src" / folder).is_dir() or (source.ROOT / folder).is_dir()):
                problems.append(f"{path}:{number}: {folder} is no folder; files have the row of their folder")
            for other in listed:
                if other not in known:
                    problems.append(f"{path}:{number}: {folder} lists {other}, which has no row above it")
            known.add(folder)
            listed_by[folder] = listed
    for folder in listed_by:
        lends[folder], left = {folder}, [folder]
        while left:
            new = set(listed_by.get(left.pop(), ())) - lends[folder]
            lends[folder] |= new
            left += new
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
    lends, problems = laws()
    count = 0
    for path in source.files("src/*.c", "src/*.h", "plain/*.c", "plain/*.h", "insight/*.c", "insight/*.h"):
        if path.parts[:2] == ("insight", "tests"):
            continue
        law = "insight/LAYERS" if path.parts[0] == "insight" else "src/LAYERS"
        name = path.as_posix().removeprefix("src/")
        if "/" not in name or not row_of(name, lends):
            problems.append(f"{path}: {law} has no row for its folder")
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
