"""Names: none that says nothing, and one word for one thing.

Below src, plain, insight and cmd: no two files have one name (a pair of .c and .h is one); no two structs have one tag and no two functions one
name; and a function that other files call begins with the name of its file, with that name's first word, or with the
name of a folder that it is in (hints_copy in src/hint counts).
"""
import collections
import json
import re
import subprocess
import sys

import source

NOTHING = {"core", "common", "util", "utils", "misc", "internal", "impl", "component", "framework", "device"}


def empty_words():
    for path in source.files():
        for part in path.parts:
            words = set(re.split(r"[^a-z]+", part.lower()))
            for word in sorted(words & NOTHING):
                yield f"{path}: '{word}' says nothing; name what it is"


def definitions(paths, kinds="fs"):
    """What ctags sees: name, path, line, kind, and whether it is static."""
    tags = subprocess.run(
        ["ctags", "--output-format=json", "--fields=+nKf", f"--kinds-C={kinds}", "--languages=C", "--langmap=C:.c.h", "-f", "-",
         *map(str, paths)], cwd=source.ROOT, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in tags.splitlines()] if paths else []


def pair(path):
    """The files of which a build has one: a .c and its .h, and the stand-in for it where a library is absent."""
    return re.sub(r"(_absent)?\.[ch]$", "", str(path))


def twice(what, names):
    """names: name -> {pair: where}."""
    for name, places in sorted(names.items()):
        if len(places) > 1:
            yield f"{', '.join(sorted(places.values()))}: {what} {name} is in more than one place; say whose it is"


def is_named_for_its_place(name, path):
    *folders, file = re.sub(r"\.[ch]$", "", path).split("/")[1:]
    beginnings = {file, file.split("_")[0], *folders, *(folder + "s" for folder in folders)}
    return any(name == beginning or name.startswith(beginning + "_") for beginning in beginnings)


def check():
    problems = list(empty_words())
    paths = source.built("c", "h")
    files, structs, functions = (collections.defaultdict(dict) for _ in range(3))
    for path in paths:
        files[path.stem][pair(path)] = str(path)
    for tag in definitions(paths):
        name, path = tag["name"], tag["path"]
        names = structs if tag["kind"] == "struct" else functions
        if tag["kind"] == "struct" and name.startswith("__anon") or name == "main":
            continue
        names[name][pair(path)] = f"{path}:{tag['line']}"
        is_shared = tag["kind"] == "function" and ("file" not in tag or path.endswith(".h"))
        if is_shared and not is_named_for_its_place(name, path):
            problems.append(f"{path}:{tag['line']}: {name} begins neither with its file's name nor with its folder's")
    problems += [*twice("the name", files), *twice("struct", structs), *twice("the function", functions)]
    return problems, f"{len(paths)} files, {len(functions)} functions, {len(structs)} structs"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
