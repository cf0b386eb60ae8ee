#!/usr/bin/env python3
"""rules.py PROGRAM: every collective on two hosts that have different files of rules: rank 0 says so, and all take the built-in ones. With
the same file on both nobody says anything. PROGRAM: that of coll/forms.c."""
import json
import os
import subprocess
import sys

import hosts

PROGRAM = os.path.abspath(sys.argv[1])
SAID = "the ranks have read different rules of collectives"


def write(host, algorithm):
    rules = [{"collective": "allreduce", "algorithm": algorithm}]
    with open(f"{hosts.FOLDER}/{host}.json", "w", encoding="ascii") as file:
        json.dump({"inkling_rules": 1, "rules": rules}, file)


def check(script, other, lines):
    write("host1", "tree")
    write("host2", other)
    command = [*hosts.launcher(script, 2, 2, 4), "sh", "-c", f'INKLING_RULES={hosts.FOLDER}/$(hostname).json exec "{PROGRAM}"']
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ended.returncode or (ended.stdout.count(SAID) > 0) != lines:
        print(f"rules.py: tree on host1, {other} on host2 ended with {ended.returncode}:\n{ended.stdout}")
        sys.exit(1)


def main():
    hosts.enter(*hosts.TOOLS["hydra"])
    os.environ["INKLING_SPIN_TIME"] = "20us"  # all hosts share the cores of this one
    script = hosts.build(2)
    check(script, "doubling", True)
    check(script, "tree", False)


if __name__ == "__main__":
    main()
