#!/usr/bin/env python3
"""cluster.py KIND BIN PROGRAM PAGE: runs the commands of docs/CLUSTER.md, as they stand there, on two hosts. KIND: here (one host, no other
launcher), or the launcher. BIN: the commands; PROGRAM: that of places.c, or, on one host, any."""
import os
import re
import subprocess
import sys
import tempfile

import hosts
import slurm

KIND = sys.argv[1]
BIN, PROGRAM, PAGE = map(os.path.abspath, sys.argv[2:5])
NOT_RUN = {"make install": "tests/install runs it", "export PATH": "this test does it"}
HERE = ("inkling", "INKLING_", "mpiexec -n", "mpiexec --timeout")


def commands():
    """Lines of the page that begin with four blanks and are no part of a list."""
    with open(PAGE, encoding="utf-8") as page:
        return [line.strip() for line in page if re.match(r"    \S", line)]


def kind_of(command):
    """Where it is run; None: nowhere. A command of no kind is an error of the page or of this test."""
    if command.startswith(tuple(NOT_RUN)):
        return None
    if command.startswith("srun") or "--launcher srun" in command:
        return "srun-pmix" if "pmix" in command else "srun-pmi2"
    for launcher, kind in (("prterun", "prterun"), ("mpiexec.hydra", "hydra")):
        if launcher in command:
            return kind
    if command.startswith(HERE):
        return "here"
    print(f"cluster.py: nobody runs '{command}'")
    sys.exit(1)


def prepare(folder):
    """A folder with a program, and the commands in PATH."""
    os.makedirs(folder, exist_ok=True)
    os.symlink(PROGRAM, f"{folder}/program")
    os.chdir(folder)
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"


def main(folder):
    mine = [command for command in commands() if kind_of(command) == KIND]
    if KIND != "here":
        hosts.enter(*hosts.TOOLS[KIND])
        os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
        script = hosts.build(2)
        hosts.launcher(script, 2, 2, 4, KIND)  # for what it sets in the environment
        if KIND.startswith("srun"):
            slurm.start(script, 2)
    prepare(folder)
    if not mine:
        print(f"cluster.py: the page has no command for {KIND}")
        sys.exit(1)
    for command in mine:
        words = command if "--launcher srun" not in command else f"salloc -Q -N 2 {command}"
        ended = subprocess.run(words, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               timeout=100, check=False)
        spread = "./program" not in command or KIND == "here" or "4 ranks, 2 on a host" in ended.stdout
        if ended.returncode or not spread:
            print(f"cluster.py: '{words}' ended with {ended.returncode}:\n{ended.stdout}")
            sys.exit(1)
    print(f"{len(mine)} commands")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(f"{scratch}/work")
