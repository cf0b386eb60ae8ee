#!/usr/bin/env python3
"""counts.py MPIEXEC LEAVE: a program that leaves an object behind exits with 86 and says of which kind it is."""
import subprocess
import sys

LEFT = 86  # LIVE_EXIT (src/base/live.h)
NAMES = {
    "communicator": "1 communicators",
    "datatype": "1 datatypes",
    "info": "1 info objects",
    "port": "1 ports",
    "window": "1 windows",
    "attachments": "1 lists of attached memory",
    "epoch": "1 epochs of windows",
    "file": "1 files",
    "access": "1 nonblocking accesses to files",
}


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stderr.splitlines() if "left at the end" in line]


def main():
    mpiexec, leave = sys.argv[1:]
    failed = []
    if run(leave, "nothing") != (0, []):
        failed.append(f"nothing: {run(leave, 'nothing')}")
    for what, name in NAMES.items():
        code, lines = run(leave, what)
        if code != LEFT or f"inkling: left at the end: {name}" not in lines:
            failed.append(f"{what}: exit code {code}, {lines}")
    code, lines = run(mpiexec, "-n", "2", leave, "window")
    if code != LEFT or not any("1 windows" in line for line in lines):
        failed.append(f"two ranks: exit code {code}, {lines}")
    sys.exit("\n".join(failed) or 0)


if __name__ == "__main__":
    main()
