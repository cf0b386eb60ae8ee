#!/usr/bin/env python3
"""insight.py BIN PROGRAM: mpiexec --check and --advise of ranks on two hosts, and of a launcher that preloads the library itself."""
import glob
import json
import os
import re
import subprocess
import sys
import time

import hosts

BIN, PROGRAM = map(os.path.abspath, sys.argv[1:3])
LIBRARY = os.path.join(os.path.dirname(BIN), "lib", "libinkling_insight.so")
NAMES = f"{hosts.address(1)}:2,{hosts.address(2)}:2"
REPORT = f"{hosts.FOLDER}/report.json"
LEFT_OUT = "between hosts only what collectives are called"


def run(*command, **settings):
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=hosts.FOLDER,
                           env={**os.environ, **settings}, check=False)
    return ended.returncode, ended.stdout


def mpiexec(*words):
    return run(f"{BIN}/mpiexec", "--launcher", "mpiexec.hydra", "--hosts", NAMES, "-n", "4", *words)


def expect(truth, what, said):
    if not truth:
        print(f"insight.py: {what}:\n{said}")
        sys.exit(1)


def findings(said):
    """The classes and ranks of the report, whose file is removed."""
    try:
        with open(REPORT, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        expect(False, f"no report: {error}", said)
    os.remove(REPORT)
    expect(any(LEFT_OUT in line for line in report["left_out"]), "what is not compared is in the report", report)
    return sorted((f["class"], f["ranks"]) for f in report["findings"])


def check():
    code, said = mpiexec("--check", PROGRAM)
    expect(code == 0 and said.count("inkling check: nothing was found") == 1, "a clean program is not blamed", said)
    expect(said.count(LEFT_OUT) == 1, "what is not compared is said once", said)
    code, said = mpiexec("--check=json:report.json", PROGRAM, "types", "leak")
    expect(code != 0, "the exit code tells of findings", said)
    expect("after MPI_Finalize" in said, "the program goes on after MPI_Finalize", said)
    found = findings(said)
    expect(found == [("leak", "3"), ("type-mismatch", "3")], "two findings of the second host, with ranks of MPI_COMM_WORLD", found)
    expect(said.count("inkling check: 2 findings in ") == 1, "they are told of once", said)
    code, said = mpiexec("--check", PROGRAM, "op")
    expect(code != 0 and re.search(r"operation-mismatch: MPI_Allreduce: rank [23] and rank [23] give different operations", said),
           "ranks of a host give different operations, which ends the job: the library sees it too", said)


def between():
    """Each host is at one with itself, and not with the other."""
    code, said = mpiexec("--check=json:report.json", PROGRAM, "far-op", "far-op", "many", "leak")
    expect(code != 0, "the exit code tells of findings", said)
    report = findings(said)
    expect(report == [("leak", "3"), ("operation-mismatch", "2")] or report == [("leak", "3"), ("operation-mismatch", "3")],
           "operations of two hosts are compared", report)
    code, said = mpiexec("--check", PROGRAM, "many")
    expect(code == 0 and "collectives between hosts after the first 4096" in said, "the end of the log is told", said)


def across():
    """Intercommunicators, whose groups lie on a host each, or both on both."""
    code, said = mpiexec("--check=json:report.json", PROGRAM, "inter-op", "leak")
    expect(code != 0, "the exit code tells of findings", said)
    report = findings(said)
    expect([f[0] for f in report] == ["leak", "operation-mismatch"], "operations of groups on two hosts are compared", report)
    code, said = mpiexec("--check=json:report.json", PROGRAM, "inter-types", "inter-root")
    report = findings(said)
    expect(("type-mismatch", "3") in report and [f[0] for f in report].count("root-mismatch") == 1 and len(report) == 2,
           "ranks of a host are compared in groups that others are in, too", report)


def preload():
    """Under a launcher that knows nothing of checks; a process of this host has the descriptor that the board of another one has."""
    launcher = hosts.launcher(f"{hosts.FOLDER}/remote_shell", 2, 2, 4)
    code, said = run(*launcher, "env", f"LD_PRELOAD={LIBRARY}", f"INKLING_CHECK=json:{REPORT}", PROGRAM, "types")
    expect(code != 0, "the exit code tells of findings", said)
    expect(findings(said) == [("type-mismatch", "3")], "one finding", said)


def crash():
    """What a host has found is told although its ranks were killed."""
    for name in glob.glob(f"{hosts.FOLDER}/inkling-check.host*.txt"):  # of the jobs before
        os.remove(name)
    code, said = mpiexec("--check", PROGRAM, "types", "die")
    expect(code != 0, "the job has failed", said)
    end = time.monotonic() + 20
    while "inkling check: 1 finding" not in said and time.monotonic() < end:
        time.sleep(0.1)
        for name in glob.glob(f"{hosts.FOLDER}/inkling-check.host*.txt"):  # of a launcher that has ended before its ranks
            with open(name, encoding="utf-8") as file:
                said = file.read()
    expect(said.count("inkling check: type-mismatch: the message of rank 2") == 1, "what was found is told of once", said)
    expect("they did not reach MPI_Finalize" in said, "what may be missing is said", said)


def ended():
    """The checks end the job by a call of MPI_Abort that is not the program's: nobody is told that it was."""
    launcher = hosts.launcher(f"{hosts.FOLDER}/remote_shell", 2, 2, 4)
    for deed, why in ("hang", "--check ends the job: its ranks wait for each other"), ("fatal", "an error ends the job, as its handler is"):
        for code, said in mpiexec("--check", PROGRAM, deed), run(*launcher, "env", f"LD_PRELOAD={LIBRARY}", PROGRAM, deed):
            expect(code != 0 and why in said, "why the job ends is said", said)
            expect("MPI_Abort(" not in said, "the program has not called MPI_Abort", said)


def advise():
    code, said = mpiexec("--advise=advice", PROGRAM)
    expect(code == 0 and re.search(r"inkling advise: .*, 4 ranks", said), "the advice is told of", said)
    expect("none of 240 receives" not in said and re.search(r"MPI_Sendrecv +80 ", said), "calls of all hosts are summed up", said)
    with open(f"{hosts.FOLDER}/advice/advice.json", encoding="utf-8") as file:
        json.load(file)


def main():
    hosts.enter("mpiexec.hydra")
    hosts.launcher(hosts.build(2), 2, 2, 4)
    os.environ["INKLING_SPIN_TIME"] = "20us"
    check()
    between()
    across()
    preload()
    crash()
    ended()
    advise()


if __name__ == "__main__":
    main()
