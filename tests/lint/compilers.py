#!/usr/bin/env python3
"""make check-compilers: the library and the commands build without a warning, with each gcc and clang of this system, but for those
that the arguments name."""
import os
import re
import shutil
import subprocess
import sys
import time

import source

FIRST = {"gcc": 11, "clang": 14}  # tests/provide refuses older ones


def compilers(but):
    """gcc-11, gcc-12 ... as they lie in PATH."""
    names = {name for folder in os.get_exec_path() if os.path.isdir(folder) for name in os.listdir(folder)}
    found = [(kind, int(number)) for name in names for kind, number in re.findall(r"^(gcc|clang)-(\d+)$", name)]
    return [f"{kind}-{number}" for kind, number in sorted(found) if number >= FIRST[kind] and f"{kind}-{number}" not in but]


def build(compiler):
    """What went wrong, or nothing."""
    folder = source.ROOT / "build/compilers" / compiler
    shutil.rmtree(folder, ignore_errors=True)
    # RelWithDebInfo: what release has but inlining across files, which takes half of the time and compiles nothing else.
    commands = (["cmake", "--preset", "release", "-B", folder, f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                 "-DINKLING_TESTS=OFF", "-DINKLING_WERROR=ON"], ["cmake", "--build", folder, f"-j{os.cpu_count()}"])
    for command in commands:
        done = subprocess.run(command, cwd=source.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return done.stdout
    shutil.rmtree(folder)
    return ""


def main():
    found, failed = compilers(sys.argv[1:]), 0
    for compiler in found:
        start = time.monotonic()
        problems = build(compiler)
        failed += bool(problems)
        print(f"{compiler:9} {'FAIL' if problems else 'ok'}  ({time.monotonic() - start:.0f} s)", flush=True)
        print(problems, end="", flush=True)
    print(f"{failed} of {len(found)} compilers refuse the library" if failed else f"{len(found)} compilers take the library")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
