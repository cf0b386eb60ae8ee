"""whole.py BUILD [PATTERN...]: the programs of the tests, those whose test's name has a PATTERN in it, under mpiexec --check.

They do what the standard allows and handle the errors that they make, so none may be blamed but those below, and each ends as
it does without --check. Tolerances are notes and blame nobody.
"""
import concurrent.futures
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from every_program import checked, of_tests, start  # noqa: E402

# what a program does wrong on purpose: the classes that it may be blamed for
ON_PURPOSE = {}


def judge(build, program):
    """What is wrong; "": nothing."""
    with tempfile.TemporaryDirectory() as folder:
        found, code, output = checked(build, program, pathlib.Path(folder))
    blamed = set(found) - {"tolerance"} - ON_PURPOSE.get(program.name.split("/")[1], set())
    if not blamed and code == 0:
        return ""
    code_without, _ = start(build, program)
    if not blamed and code == code_without:
        return ""
    return f"found {dict(found)}, exit code {code}, without --check {code_without}\n{output[-1500:]}"


def main(build, *patterns):
    build = pathlib.Path(build).resolve()
    programs = [p for p in of_tests(build) if not patterns or any(w in p.name for w in patterns)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        for program, verdict in zip(programs, pool.map(lambda p: judge(build, p), programs)):
            wrong += bool(verdict)
            if verdict:
                print(f"{program.name}: {verdict}", flush=True)
    print(f"{len(programs)} runs under --check: {wrong} blamed or broken")
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
