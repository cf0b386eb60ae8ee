"""The entries of the test suite: which there are, and running one where it can do no harm.

A library with a defect may end processes that are not its own (a process id of -1), and leave things in /dev/shm. So each
entry runs in namespaces of its own for processes and for mounts, which end with it.
"""
import dataclasses
import json
import os
import resource
import shutil
import subprocess
import sys
import time

import tree

# What says nothing about the library, or builds it again.
LEFT_OUT = ("lint", "install", "fuzz/", "mutants")
TIMED_OUT, SKIPPED = 124, 77


@dataclasses.dataclass
class Entry:
    name: str
    command: list
    environment: dict
    folder: str

    def program(self):
        """What entries have in common that differ by ranks or settings only: their command, without numbers."""
        return tuple(word for word in self.command if not word.isdigit())

    def is_alone(self):
        """Whether it has one rank, to which much that is wrong does not matter."""
        return any(pair == ("-n", "1") for pair in zip(self.command, self.command[1:]))


def entries(build):
    """The entries of a build folder, in CTest's order."""
    shown = tree.must(["ctest", "--show-only=json-v1"], build)
    found = []
    for test in json.loads(shown)["tests"]:
        if test["name"].startswith(LEFT_OUT):
            continue
        properties = {row["name"]: row["value"] for row in test["properties"]}
        environment = dict(word.split("=", 1) for word in properties.get("ENVIRONMENT", []))
        found.append(Entry(test["name"], test["command"], environment, properties["WORKING_DIRECTORY"]))
    return found


def isolated(command):
    user = ["--user", "--map-root-user"] if os.getuid() else []
    return ["unshare", *user, "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sh", "-c",
            'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh", *command]


def must_isolate():
    if not shutil.which("unshare") or subprocess.run(isolated(["true"]), check=False).returncode:
        sys.exit("mutants: a library with a defect runs in namespaces of its own, which this system does not allow; be root, "
                 "or let users make namespaces (Debian: util-linux, sysctl kernel.unprivileged_userns_clone=1)")


def cut(command, limit):
    """The entry's command, ended by tests/run.py, where that runs it, after `limit` seconds."""
    if "--timeout" not in command:
        return command
    place = command.index("--timeout") + 1
    return [*command[:place], f"{limit:g}", *command[place + 1:]]


def run(entry, limit, output=os.devnull, **environment):
    """(exit code, seconds) of an entry that is ended after `limit` seconds."""
    start = time.monotonic()
    with open(output, "wb") as sink, subprocess.Popen(
            isolated(cut(entry.command, limit)), cwd=entry.folder, env={**os.environ, **entry.environment, **environment},
            stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as process:
        try:
            code = process.wait(limit + 15)
        except subprocess.TimeoutExpired:
            process.kill()
            code = TIMED_OUT
    return code, time.monotonic() - start
