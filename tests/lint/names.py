"""Names that say nothing are not used for files and folders."""
import re
import sys

import source

NOTHING = {"core", "common", "util", "utils", "misc", "internal", "impl", "component", "framework", "device"}


def check():
    problems = []
    paths = source.files()
    for path in paths:
        for part in path.parts:
            words = set(re.split(r"[^a-z]+", part.lower()))
            for word in sorted(words & NOTHING):
                problems.append(f"{path}: '{word}' says nothing; name what it is")
    return problems, f"{len(paths)} files"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
