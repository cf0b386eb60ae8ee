"""Short functions and short files: 9 of 10 functions under 40 lines, none over 100; files under 800 lines."""
import json
import subprocess
import sys

import source

USUAL, MOST, FILE = 40, 100, 800


def c_functions(paths):
    """(lines, path, line, name) of every C function, from its first line to its closing brace."""
    if not paths:
        return
    tags = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+ne", "--kinds-C=f", "--languages=C", "--langmap=C:.c.h",
         "-f", "-", *map(str, paths)],
        cwd=source.ROOT, check=True, capture_output=True, text=True).stdout
    for tag in map(json.loads, tags.splitlines()):
        if "end" in tag:
            yield tag["end"] - tag["line"] + 1, tag["path"], tag["line"], tag["name"]


def check():
    problems = []
    paths = source.files("*.c", "*.h")
    functions = sorted(c_functions(paths), reverse=True)
    long = [f for f in functions if f[0] >= USUAL]
    for lines, path, line, name in functions:
        if lines > MOST:
            problems.append(f"{path}:{line}: {name} has {lines} lines; none may have over {MOST}")
    if len(long) * 10 > len(functions):
        problems.append(f"{len(long)} of {len(functions)} functions have {USUAL} lines or more; at most 1 of 10 may:")
        problems += [f"{path}:{line}: {name} has {lines} lines" for lines, path, line, name in long]
    for path in paths + source.files("*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "*Makefile"):
        lines = source.text(path).count("\n")
        if lines >= FILE:
            problems.append(f"{path}: has {lines} lines; files stay under {FILE}")
    return problems, f"{len(functions)} functions, {len(long)} of {USUAL} lines or more; {len(paths)} C files"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
