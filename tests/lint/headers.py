"""Every header compiles alone: as C, and the public ones as C++ too, with both compilers."""
import concurrent.futures
import subprocess
import sys

import source

BUILD = source.ROOT / "build/gcc"
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wshadow"]
C = ["-x", "c", "-std=gnu11", "-D_GNU_SOURCE", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wno-unused-function"]
CXX = ["-x", "c++", "-std=c++17"]


def commands():
    """(header, compiler command that reads it from a one-line program on standard input)."""
    ours = [path for path in source.files("src/*.h") if len(path.parts) > 2]
    for path in ours:
        yield path, ["gcc", *C, "-Isrc", "-I.", f"-I{BUILD}/generated", f"-I{BUILD}/generated/include"]
    for path in source.files("plain/*.h", "insight/*.h", "cmd/*.h"):
        yield path, ["gcc", *C, "-I.", "-Isrc", f"-I{BUILD}/generated", f"-I{BUILD}/generated/include"]
    for path in source.files("tests/*.h", "examples/*.h", "bench/*.h"):
        yield path, ["gcc", *C, "-Isrc", "-I.", "-Itests", f"-I{BUILD}/generated/include"]
    for path in source.files("fortran/*.h"):
        yield path, ["gcc", *C, "-Ifortran", "-I.", f"-I{BUILD}/generated/include"]
    for path in (BUILD / "generated/include").glob("mpi.h"): # mpif.h is Fortran
        for compiler, language in (("gcc", C), ("clang", C), ("g++", CXX), ("clang++", CXX)):
            yield path, [compiler, *language, "-Wpedantic"]


def compiles(path, command):
    done = subprocess.run(
        [*command, *WARNINGS, "-fsyntax-only", "-"], cwd=source.ROOT, text=True,
        input=f'#include "{source.ROOT / path}"\n', capture_output=True, check=False)
    return None if done.returncode == 0 else f"{path}: does not compile alone: {' '.join(command)}\n{done.stderr}"


def check():
    jobs = list(commands())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(filter(None, pool.map(lambda job: compiles(*job), jobs)))
    if not any(BUILD.glob("generated/include/mpi.h")):
        problems.append("build/gcc/generated/include/mpi.h is not there: build first")
    return problems, f"{len({path for path, _ in jobs})} headers"


if __name__ == "__main__":
    found, _ = check()
    print(*found, sep="\n")
    sys.exit(bool(found))
