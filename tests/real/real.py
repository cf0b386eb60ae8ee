#!/usr/bin/env python3
"""make check-real: programs of others, from Debian's source packages, built with our wrappers, run with our mpiexec.

    make check-real                    all of them; the first time fetches 100 MB and builds for half an hour on two cores
    make check-real ONLY="fftw hypre"  some of them
    make check-real REAL="--list"      which there are
    make check-real REAL="--record"    writes the counts into docs/REAL.md too
    make check-real REAL="--mpi mpich" the same with a peer that is installed, to see whose a failure is

Each file in tests/real/programs names a package, how it is built, and the package's own tests of MPI. The sources are
Debian's, as upstream wrote them; no line is changed. A line says what became of each program, and failures name their
log. What cannot be fetched or built for want of a tool is skipped, with the reason. What was fetched and built is kept
below build/real, so a run that was stopped goes on where it was, and the next one only runs the tests. The exit code is
0 when something passed and nothing failed. Programs see the environment: INKLING_TRANSPORT=ofi make check-real is another test.
"""
import argparse
import pathlib
import sys
import time

import library
import program
import records
import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
NEWS = 20  # seconds between two words about progress


def say(text):
    print(text, flush=True)


def tail(log, lines):
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"        {line}" for line in text[-lines:]]


class Tally:
    """What passed, failed and was skipped, of cases and of programs."""

    def __init__(self):
        self.passed = self.failed = 0
        self.skipped = []


def run_cases(each, site, slowness, matching):
    """(passed, failed) of a program's cases; says which failed and, now and then, how far it is."""
    cases = [case for case in each.cases(site) if matching in case.name]
    passed, failed, told = 0, 0, time.monotonic()
    for number, case in enumerate(cases, 1):
        well, seconds, log = each.run(case, slowness)
        passed, failed = passed + well, failed + (not well)
        if not well:
            say(f"    {each.name} {case.name}: FAILED after {seconds:.0f} s, {log}")
            say("\n".join(tail(log, 8)))
        if time.monotonic() - told > NEWS and number < len(cases):
            told = time.monotonic()
            say(f"    {each.name}: {number} of {len(cases)} done, {failed} failed; next is {cases[number].name}")
    return passed, failed


def try_program(each, store, tally, args):
    """Builds and runs one program, and says its line."""
    began = time.monotonic()
    say(f"    {each.name}: fetching and building, unless that is done")
    try:
        site = each.build(store, args.built)
        passed, failed = (0, 0) if args.build else run_cases(each, site, args.slowness, args.case)
    except sources.Absent as why:
        tally.skipped.append(each.name)
        say(f"{each.name:12} skipped: {why}")
        return
    except program.Failed as why:
        tally.failed += 1
        if args.record:
            records.write("source", each.name, each.version, 0, 1, "does not build")
        say(f"{each.name:12} 0 passed, 1 failed: its build: {why}")
        say("\n".join(tail(each.folder / "build.log", 12)))
        return
    tally.passed += passed
    tally.failed += failed
    if args.record:
        records.write("source", each.name, each.version, passed, failed)
    came = "built" if args.build else f"{passed} passed, {failed} failed"
    package = f"{each.recipe.PACKAGE} {each.version}" if each.recipe.PACKAGE else "ours"
    say(f"{each.name:12} {came}  ({package}; {time.monotonic() - began:.0f} s)")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="which to try (default: all)")
    parser.add_argument("--list", action="store_true", help="say which programs there are, and end")
    parser.add_argument("--mpi", choices=library.NAMES, default="inkling", help="the library to try (default: ours)")
    parser.add_argument("--bin", default=ROOT / "build" / "bin", help="where our mpicc and mpiexec are (default: build/bin)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "real", help="where to fetch and build")
    parser.add_argument("--store", type=pathlib.Path, help="where fetched sources are kept (default: WORK/sources)")
    parser.add_argument("--case", default="", metavar="TEXT", help="only cases whose name has TEXT")
    parser.add_argument("--build", action="store_true", help="fetch and build, run nothing")
    parser.add_argument("--built", action="store_true", help="run what is built already; exit with 77 if nothing is")
    parser.add_argument("--record", action="store_true", help="write the counts into docs/REAL.md")
    parser.add_argument("--slowness", type=float, default=1, metavar="X", help="multiply the time limits")
    parser.add_argument("--jobs", type=int, default=program.jobs(), help="compilers at once (default: one a core)")
    return parser.parse_args()


def main():
    args = arguments()
    unknown = set(args.programs) - set(program.names())
    if unknown:
        print(f"real: no program named {' '.join(sorted(unknown))}; there are: {' '.join(program.names())}")
        return 2
    if args.record and (args.case or args.build or args.mpi != "inkling"):
        print("real: --record takes whole runs, on Inkling: no --case, --build or --mpi beside it")
        return 2
    used = library.Library(args.mpi, args.bin)
    tried = [program.Program(name, args.work.resolve(), used, args.jobs) for name in args.programs or program.names()]
    if args.list:
        for each in tried:
            say(f"{each.name:12} {each.summary()}")
        return 0
    if used.missing():
        print(f"real: there is no {used.missing()}")
        return 2
    store, tally = sources.Store((args.store or args.work / "sources").resolve()), Tally()
    for each in tried:
        try_program(each, store, tally, args)
    if tally.skipped:
        say(f"skipped: {' '.join(tally.skipped)}")
    if args.built and not (tally.passed or tally.failed):
        return SKIPPED
    say(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or not (tally.passed or args.build) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("real: stopped; what was fetched and built is kept")
        sys.exit(130)
