#!/usr/bin/env python3
"""make check-compilers: the library and the commands build without a warning, with each gcc and clang of this system, but for those
that the arguments name.

With --lto: all that is C is compiled with -flto, as distributions do, by this system's gcc and clang; a short part of the tests runs with each."""
import os
import re
import shutil
import subprocess
import sys
import time

import source

FIRST = {"gcc": 11, "clang": 14}  # tests/provide refuses older ones
# gcc's objects hold both forms, since tests link without; clang's have one, which binutils cannot read.
LTO = {"gcc": ["-DCMAKE_C_FLAGS=-flto=auto -ffat-lto-objects"],
       "clang": ["-DCMAKE_C_FLAGS=-flto=thin", *(f"-DCMAKE_{kind}_LINKER_FLAGS=-fuse-ld=lld" for kind in ("EXE", "SHARED", "MODULE"))]}
TOOLS = {"gcc": ["gcc"], "clang": ["clang", "ld.lld", "llvm-ar"]}
SHORT = ["mpi_p2p_order", "mpi_coll_bcast", "mpi_win_lock", "mpi_file_views", "foreign_openmpi_translated"]  # targets
TESTS = "^(mpi/(p2p_order|coll_bcast|win_lock|file_views)/|foreign/openmpi/translated/|programs/examples$)"


def compilers(but):
    """gcc-11, gcc-12 ... as they lie in PATH."""
    names = {name for folder in os.get_exec_path() if os.path.isdir(folder) for name in os.listdir(folder)}
    found = [(kind, int(number)) for name in names for kind, number in re.findall(r"^(gcc|clang)-(\d+)$", name)]
    return [f"{kind}-{number}" for kind, number in sorted(found) if number >= FIRST[kind] and f"{kind}-{number}" not in but]


def run(commands):
    """What went wrong, or nothing."""
    for command in commands:
        done = subprocess.run(command, cwd=source.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return done.stdout
    return ""


def configure(folder, compiler, *more):
    shutil.rmtree(folder, ignore_errors=True)
    # RelWithDebInfo: what release has but inlining across files, which takes half of the time and compiles nothing else.
    return ["cmake", "--preset", "release", "-B", folder, f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            "-DINKLING_TESTS=OFF", "-DINKLING_WERROR=ON", *more]


def build(compiler, lto):
    """What went wrong, or nothing."""
    folder = source.ROOT / "build" / ("lto" if lto else "compilers") / compiler
    make = ["cmake", "--build", folder, f"-j{os.cpu_count()}"]
    commands = [configure(folder, compiler, *(LTO[compiler] if lto else [])), make]
    if lto:
        commands += [["cmake", "-DINKLING_TESTS=ON", folder], [*make, "--target", *SHORT],
                     ["ctest", "--test-dir", folder, "-R", TESTS, "-j", str(2 * os.cpu_count()), "--output-on-failure", "--no-tests=error"]]
    problems = run(commands)
    if not problems:
        shutil.rmtree(folder)
    return problems


def main():
    lto = "--lto" in sys.argv
    but = [word for word in sys.argv[1:] if word != "--lto"]
    found, failed = [each for each in LTO if each not in but and all(map(shutil.which, TOOLS[each]))] if lto else compilers(but), 0
    for compiler in found:
        start = time.monotonic()
        problems = build(compiler, lto)
        failed += bool(problems)
        print(f"{compiler:9} {'FAIL' if problems else 'ok'}  ({time.monotonic() - start:.0f} s)", flush=True)
        print(problems, end="", flush=True)
    print(f"{failed} of {len(found)} compilers refuse the library" if failed else f"{len(found)} compilers take the library")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
