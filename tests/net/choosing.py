#!/usr/bin/env python3
"""choosing.py MPIEXEC: which launcher mpiexec --hosts takes, of those in PATH: srun inside an allocation, prterun,
mpiexec.hydra, orterun, in this order. The launchers are scripts of the test's own, which say what they were asked."""
import os
import subprocess
import sys
import tempfile

MPIEXEC = os.path.abspath(sys.argv[1])
ALL = ["srun", "prterun", "mpiexec.hydra", "orterun"]


def expect(truth, what, said):
    if not truth:
        print(f"choosing.py: {what}:\n{said}")
        sys.exit(1)


def run(there, *options, allocation=False):
    """mpiexec where these launchers are installed: exit code, and what it and the launcher said."""
    with tempfile.TemporaryDirectory() as folder:
        for name in there:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii") as file:
                file.write('#!/bin/sh\necho "asked: ${0##*/} $*"\nexit 9\n')
            os.chmod(path, 0o755)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        environment.update(PATH=folder, **({"SLURM_JOB_ID": "7"} if allocation else {}))
        ended = subprocess.run([MPIEXEC, *options, "--hosts", "192.0.2.201:2,192.0.2.202:2", "-n", "3", "/bin/true", "one"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, check=False)
        return ended.returncode, ended.stdout


def check_taken(due, there, *options, allocation=False):
    code, said = run(there, *options, allocation=allocation)
    what = f"of {there}, allocation {allocation}, {options}: {due} is taken"
    expect(code == 9, f"{what}, and its exit code is the job's ({code})", said)
    expect(f"mpiexec: {due} starts 3 ranks on 192.0.2.201:2 192.0.2.202:2\n" in said, f"{what} and named", said)
    asked = [line for line in said.splitlines() if line.startswith("asked: ")]
    expect(len(asked) == 1 and asked[0].split()[1] == due and asked[0].endswith(" /bin/true one"), what, said)
    expect("192.0.2.201" in asked[0] and "-n 3" in asked[0], f"{what}: hosts and ranks are handed on", said)


def main():
    check_taken("srun", ALL, allocation=True)
    check_taken("prterun", ALL)
    for first in range(1, len(ALL)):
        check_taken(ALL[first], ALL[first:])
        check_taken(ALL[first], ["srun", *ALL[first:]])
        check_taken(ALL[first], ALL[first:], allocation=True)
    check_taken("orterun", ALL, "--launcher", "orterun", allocation=True)
    for there in [], ["srun"]:
        code, said = run(there)
        expect(code == 1 and "apt install mpich" in said and said.count("\n") == 1, f"{there}: what to install", said)
    code, said = run(["orterun"], "--launcher", "prterun")
    expect(code == 1 and "cannot run the launcher prterun" in said, "the launcher asked for is not there", said)


if __name__ == "__main__":
    main()
