#!/usr/bin/env python3
"""Runs one test command: run.py --timeout SECONDS -- COMMAND...

The exit code is the command's own, with two additions. A command that runs past its timeout is ended with all
that it started, and fails with 124. A command that succeeds but leaves a process behind, or a file of ours in
/dev/shm, fails with 125.
"""
import argparse
import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36


def descendants():
    """Living processes below this one. Orphans come to us, since we are a subreaper."""
    parent = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if fields[0] != "Z":
            parent[int(entry)] = int(fields[1])
    found, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, up in parent.items() if up in found} - found
        grown = bool(more)
        found |= more
    return found - {os.getpid()}


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as cmdline:
            return cmdline.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "?"


def end_all():
    for pid in descendants():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def leftovers(patience=10.0):
    """What is still alive once everything had a moment to go."""
    deadline = time.monotonic() + patience
    while True:
        alive = descendants()
        if not alive or time.monotonic() > deadline:
            return [f"process {pid}: {name_of(pid)}" for pid in sorted(alive)]
        time.sleep(0.02)


def files_of_ours():
    try:
        return {name for name in os.listdir("/dev/shm") if "inkling" in name.lower()}
    except OSError:
        return set()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = files_of_ours()
    with subprocess.Popen(args.command, stdin=subprocess.DEVNULL) as child:
        try:
            code = child.wait(args.timeout)
        except subprocess.TimeoutExpired:
            alive = [f"{pid}: {name_of(pid)}" for pid in sorted(descendants())]
            end_all()
            print(f"run.py: still running after {args.timeout:g} s, ended:", *alive, sep="\n  ", flush=True)
            return 124
    left = leftovers() + [f"/dev/shm/{name}" for name in sorted(files_of_ours() - before)]
    end_all()
    if left:
        print("run.py: left behind:", *left, sep="\n  ", flush=True)
    if code < 0:
        print(f"run.py: ended by {signal.Signals(-code).name}", flush=True)
        return 128 - code
    return code or (125 if left else 0)


if __name__ == "__main__":
    sys.exit(main())
