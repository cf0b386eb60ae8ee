#!/usr/bin/env python3
"""Runs one test command: run.py --timeout SECONDS -- COMMAND...

The exit code is the command's own, with two additions. A command that runs past its timeout is ended with all
that it started, and fails with 124. A command that succeeds but leaves a process behind, or a file of ours in
/dev/shm, fails with 125.
"""
# Each test pays for these: argparse, subprocess and signal would take half of a small one's time.
import ctypes
import os
import select
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
SIGKILL = 9
IGNORED = (13, 25)  # SIGPIPE and SIGXFSZ, by Python


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
            os.kill(pid, SIGKILL)
        except ProcessLookupError:
            pass


def is_childless():
    """Buries who is dead. Without a child there is no descendant either, and this takes less than to look for them."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def leftovers(patience=10.0):
    """What is still alive once everything had a moment to go."""
    deadline = time.monotonic() + patience
    while True:
        alive = set() if is_childless() else descendants()
        if not alive or time.monotonic() > deadline:
            return [f"process {pid}: {name_of(pid)}" for pid in sorted(alive)]
        time.sleep(0.02)


def files_of_ours():
    try:
        return {name for name in os.listdir("/dev/shm") if "inkling" in name.lower()}
    except OSError:
        return set()


def start(command):
    try:
        return os.posix_spawnp(command[0], command, os.environ, setsigdef=IGNORED,
                               file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)])
    except OSError as error:
        sys.exit(f"run.py: {command[0]}: {error.strerror}")


def has_ended(child, timeout):
    poll = select.poll()
    poll.register(os.pidfd_open(child), select.POLLIN)
    return bool(poll.poll(timeout * 1000))


def main(words):
    if len(words) < 4 or words[0] != "--timeout" or words[2] != "--":
        sys.exit(__doc__)
    timeout, command = float(words[1]), words[3:]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = files_of_ours()
    child = start(command)
    if not has_ended(child, timeout):
        alive = [f"{pid}: {name_of(pid)}" for pid in sorted(descendants())]
        end_all()
        print(f"run.py: still running after {timeout:g} s, ended:", *alive, sep="\n  ", flush=True)
        return 124
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left = leftovers() + [f"/dev/shm/{name}" for name in sorted(files_of_ours() - before)]
    if left:
        end_all()
        print("run.py: left behind:", *left, sep="\n  ", flush=True)
    if code < 0:
        import signal  # pylint: disable=import-outside-toplevel # see above
        print(f"run.py: ended by {signal.Signals(-code).name}", flush=True)
        return 128 - code
    return code or (125 if left else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
