"""every_program: the tests that are one MPI program, and how to run each once more under mpiexec with other options."""
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time

FOLDERS = r"^(mpi|hints|examples)/"
SECONDS = 150
TELLS_EACH = 60  # seconds

Program = collections.namedtuple("Program", "name ranks words environment")


def of_tests(build):
    """The tests that are one program, started by mpiexec -n N."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-R", FOLDERS], check=True, capture_output=True, text=True)
    for test in json.loads(listed.stdout)["tests"]:
        words = test.get("command", [])
        if "--" not in words or words[words.index("--") + 2:][:1] != ["-n"]:
            continue
        start = words.index("--") + 1
        settings = next((p["value"] for p in test["properties"] if p["name"] == "ENVIRONMENT"), [])
        yield Program(test["name"], words[start + 2], words[start + 3:], dict(s.split("=", 1) for s in settings))


def start(build, program, *options):
    """The exit code of the program, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        command = [build / "bin/mpiexec", "-n", program.ranks, "--timeout", str(SECONDS), *options, *program.words]
        done = subprocess.run(command, cwd=folder, env={**os.environ, **program.environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def checked(build, program, folder, *options):
    """What --check finds, as a count of each class; the exit code, which the findings alone do not change; the output."""
    report = folder / "check.json"
    code, output = start(build, program, f"--check=json:{report}", *options)
    findings = json.loads(report.read_text(encoding="utf-8"))["findings"] if report.exists() else [{"class": "no report"}]
    return collections.Counter(f["class"] for f in findings), code, output


def judged(programs, judge):
    """Each program and its verdict, in this order. Says on stderr, now and then, how many are done."""
    told = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        for done, found in enumerate(zip(programs, pool.map(judge, programs)), 1):
            yield found
            if time.monotonic() > told + TELLS_EACH:
                told = time.monotonic()
                print(f"{done} of {len(programs)} runs done, the last {found[0].name}", file=sys.stderr, flush=True)
