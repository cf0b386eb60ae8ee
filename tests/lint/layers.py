"""src/LAYERS is the law, and insight/LAYERS and cmd/LAYERS behind it: a file includes its own folder's headers and those that its folder's row lends it.

A folder in a folder, a room, has the row of the outer one, or one of its own.
Unit tests obey it as if they were beside what they test; besides, they include tests/unit.h. <insight/checks.h>, which is made of insight/wrap/checks.txt, declares functions
of all rooms of insight: who includes it calls those of its own room, and of the rooms that its row lends it.
"""
import re
import sys

import names
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
    """Those of src, and behind them those of insight and of cmd where they are there."""
    lends, problems = {}, []
    for path in "src/LAYERS", "insight/LAYERS", "cmd/LAYERS":
        if (source.ROOT / path).is_file():
            lends, more = laws(source.text(path), path, lends)
            problems += more
    return lends, problems


def includes(path):
    for number, line in enumerate(source.text(path).splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if found:
            yield number, found[1]


def row_of(name, lends):
    """The row of the innermost folder that this file, given as p2p/rndv/data.c, is in and that has one; None: none has."""
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
    if not (source.ROOT / ("" if included.split("/")[0] in source.TOPS else "src") / included).is_file():
        return f'"{included}" is not a file under src/, plain/, insight/ or cmd/'
    other = row_of(included, lends)
    if other not in lends[folder]:
        return f'{folder} may not include {other} ("{included}"); its row lends: {" ".join(sorted(lends[folder]))}'
    return None


def calls_by_table(paths, lends):
    """Problems: calls of functions that <insight/checks.h> declares, which are in rooms that the caller's row does not lend."""
    users = [path for path in paths if re.search(r"#\s*include\s*<insight/checks\.h>", source.text(path))]
    if not users:
        return
    listed = set(re.findall(r"\w+", source.text("insight/wrap/checks.txt")))
    owner = {tag["name"]: tag["path"] for tag in names.definitions([path for path in paths if path.parts[0] == "insight"], "f")
             if tag["name"] in listed and "file" not in tag}
    for path in users:
        room = row_of(path.as_posix(), lends)
        for number, line in enumerate(source.code(path).splitlines(), 1):
            for name in re.findall(r"(\w+)\s*\(", line):
                other = row_of(owner[name], lends) if name in owner else room
                if other not in lends[room]:
                    yield f"{path}:{number}: {room} may not call {name}, which is in {owner[name]}; its row lends: {' '.join(sorted(lends[room]))}"


def check():
    lends, problems = all_laws()
    count = 0
    paths, tests = source.built("c", "h"), source.unit_tests()
    for path in [*paths, *tests]:
        name = tests.get(path) or path.as_posix().removeprefix("src/")
        if "/" not in name or not row_of(name, lends):
            problems.append(f"{path}: {path.parts[0]}/LAYERS has no row for its folder")
            continue
        for number, included in includes(path):
            count += 1
            why = verdict(name, included, lends)
            if why:
                problems.append(f"{path}:{number}: {why}")
    problems += calls_by_table(paths, lends)
    return problems, f"{count} includes in {len(lends)} layers"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
