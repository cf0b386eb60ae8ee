#!/usr/bin/env python3
"""make lint: checks every rule of the house, one line of verdict each. `lint.py NAME...` runs some of them."""
import os
import subprocess
import sys
import time

import atomics
import circles
import headers
import layers
import lengths
import names
import processors
import prose
import references
import source

sys.path.insert(0, str(source.ROOT / "bench"))
sys.path.insert(0, str(source.ROOT / "tests/real"))
import page as bench_page  # pylint: disable=wrong-import-position
import records  # pylint: disable=wrong-import-position

JOBS = f"-j{os.cpu_count()}"


def said(command, **options):
    """The problems of a command that exits with 0 when all is well: its output, else nothing."""
    done = subprocess.run(
        command, cwd=source.ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    return [] if done.returncode == 0 else done.stdout.splitlines() or [f"{command[0]} failed silently"]


def builds(preset, *settings):
    """The library, the commands and the examples build without a warning; so do the tests, but for settings that leave them out."""
    configure = ["cmake", "--preset", preset, "-DINKLING_TESTS=ON", *settings]
    return said(configure) or said(["cmake", "--build", f"build/{preset}", JOBS])


def gcc():
    return builds("gcc"), "release build with gcc, warnings are errors"


def clang():
    # Not the tests, most of the work: gcc has warned of what is in them.
    return builds("clang", "-DINKLING_TESTS=OFF"), "debug build with clang but for the tests, warnings are errors"


def notes():
    # `make bench` writes the page from its results, and what is only there would be lost.
    wanted, page = bench_page.page(source.ROOT), source.text("docs/BENCH.md")
    problems = [] if page == wanted else ["docs/BENCH.md is not what bench/page.py writes: python3 bench/page.py"]
    if page.count("\n") > 150:
        problems.append(f"docs/BENCH.md has {page.count(chr(10))} lines; a reader gets 150 at most")
    if records.page() != source.text("docs/REAL.md"):
        problems.append("docs/REAL.md is not what tests/real/records.py writes: python3 tests/real/records.py")
    return problems, "docs/BENCH.md, docs/REAL.md"


def layout():
    # Golden samples are what the generator writes, byte for byte.
    paths = [path for path in source.files("*.c", "*.h") if "golden" not in path.parts]
    complaints = said(["clang-format", "--dry-run", "-Werror", *map(str, paths)])
    wrong = sorted({line.split(":")[0] for line in complaints if ": error:" in line})
    return [f"{path}: `make format` would change it" for path in wrong] or complaints, f"{len(paths)} files"


def cppcheck():
    folders = ("fortran/*.c", "bench/*.c", "examples/*.c")  # the tests take as long, and their own runs judge them
    paths = [*source.built("c"), *source.files(*folders)]
    # AssignmentAddressToInteger misfires on arrays of function pointers, and both compilers see the real thing.
    options = ["--enable=warning,performance,portability", "--std=c11", "--language=c", "--inline-suppr", "--quiet",
               "--error-exitcode=1", "--suppress=missingIncludeSystem",
               "--suppress=AssignmentAddressToInteger", "--library=tests/lint/cppcheck.cfg", "-Isrc", "-I.", JOBS]
    return said(["cppcheck", *options, *map(str, paths)]), f"{len(paths)} files"


# In the order in which they run: the quick ones first.
CHECKS = {
    "layers": layers.check,
    "lengths": lengths.check,
    "names": names.check,
    "circles": circles.check,
    "references": references.check,
    "atomics": atomics.check,
    "notes": notes,
    "prose": prose.check,
    "format": layout,
    "gcc": gcc,
    "headers": headers.check,
    "processors": processors.check,
    "cppcheck": cppcheck,
    "clang": clang,
}


def main(wanted):
    unknown = set(wanted) - set(CHECKS)
    if unknown:
        print(f"lint: no check named {' '.join(sorted(unknown))}; there are: {' '.join(CHECKS)}")
        return 2
    failed = 0
    for name, check in CHECKS.items():
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        problems, scope = check()
        spent = time.monotonic() - start
        print(f"lint {name:8} {'FAIL' if problems else 'ok'}  {scope}  ({spent:.1f} s)", flush=True)
        for problem in problems:
            print(f"    {problem}", flush=True)
        failed += bool(problems)
    print(f"lint: {failed} of {len(wanted or CHECKS)} checks failed" if failed else "lint: all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
