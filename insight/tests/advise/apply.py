"""apply.py BUILD [PATTERN...]: advice applied blindly breaks no program.

Runs the MPI programs of the tests and examples, those whose test's name has a PATTERN in it, under mpiexec --advise, and then
under --check with the hints that it wrote. No check may find then what it does not find without these hints, or what the program does
wrong on purpose, and the program ends as it does without them. Programs that end with another code than 0 under --advise are left out, and counted.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = str(HERE.parent), str(HERE.parent / "check")
from every_program import Program, checked, judged, of_tests, start  # noqa: E402
from whole import CODE_FOUND, ON_PURPOSE  # noqa: E402

CLEAN = HERE.parent / "check" / "clean"


def of_clean_programs(build):
    for source in sorted(CLEAN.glob("*.c")):
        ranks = re.search(r"ranks: (\d+)", source.read_text(encoding="utf-8")).group(1)
        yield Program(f"check/clean/{source.stem}", ranks, [str(build / "tests/check_programs"), source.stem], {})


def judge(build, program):
    """none: not advised; "": well; else what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, _ = start(build, program, f"--advise={folder}")
        hints = folder / "hints.txt"
        if code or not hints.exists():
            return "left out"
        subprocess.run([build / "bin/inkling", "advise", "--all", folder], check=True, capture_output=True, timeout=60)
        given = [line for line in hints.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        if not given:
            return "no advice"
        found, code, output = checked(build, program, folder, "--hints", hints)
        if not found and code == 0:
            return ""
        before, code_before, _ = checked(build, program, folder)
        blamed = set(found - before) - ON_PURPOSE.get(program.name.split("/")[1], set())
        if not blamed and (code == code_before or (code == CODE_FOUND and found)):
            return ""
        return f"with {given}: found {dict(found - before)}, code {code} and not {code_before}\n{output[-3000:]}"


def main(build, *patterns):
    build = pathlib.Path(build).resolve()
    programs = [p for p in (*of_tests(build), *of_clean_programs(build)) if not patterns or any(w in p.name for w in patterns)]
    count = collections.Counter()
    for program, verdict in judged(programs, lambda p: judge(build, p)):
        kind = verdict if verdict in ("left out", "no advice") else "broken" if verdict else "well"
        count[kind] += 1
        if kind == "broken":
            print(f"{program.name}: {verdict}", flush=True)
    print(f"{len(programs)} runs: {count['well']} with the hints advised, of which nothing is broken; {count['broken']} broken; "
          f"{count['no advice']} without advice; {count['left out']} do not end well under --advise")
    return 1 if count["broken"] or not count["well"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
