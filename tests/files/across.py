#!/usr/bin/env python3
"""across.py MPIEXEC LOOPING: four ranks on two hosts, two of each, write a file collectively, and so exchange data by messages.
A rank that writes for others is killed, or its host is cut off the network. The others end, and what was synced is there."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
import hosts  # noqa: E402

PEER_TIMEOUT = 2
LIMIT = 60
VICTIM = 2  # the first rank of the second host: an aggregator, whatever their number


def expect(truth, what):
    if not truth:
        print(f"across.py: {what}")
        sys.exit(1)


def wait_for(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)


def process_of(rank, program):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                is_rank = f"PMI_RANK={rank}".encode() in environ.read().split(b"\0")
            if is_rank and os.path.samefile(f"/proc/{pid}/exe", program):
                return int(pid)
        except OSError:
            pass
    return None


def kill(program):
    pid = process_of(VICTIM, program)
    expect(pid, "the victim is not there")
    os.kill(pid, signal.SIGKILL)


def lose(what, launched, program, path, disturb):
    """Runs the job, disturbs it while it writes, and returns what it said."""
    with subprocess.Popen([*launched, program, "collective", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, stdin=subprocess.DEVNULL) as job:
        at_last = threading.Timer(LIMIT, job.kill)
        at_last.start()
        wait_for(lambda: os.path.exists(path) and os.path.getsize(path) > 3 << 16, f"{what}: nothing is written")
        disturb()
        begin, lines = time.monotonic(), []
        for line in job.stdout:
            lines.append(line)
            if "told:" in line or "out of reach" in line:
                hosts.mend(2)  # so that the launcher can end what is there
        job.wait()
        at_last.cancel()
        took = time.monotonic() - begin
    expect(took < LIMIT - 5, f"{what}: the others do not end:\n{''.join(lines)}")
    print(f"{what}: ended after {took:.1f} s")
    return "".join(lines)


def main():
    hosts.enter("mpiexec.hydra")
    mpiexec, program = map(os.path.abspath, sys.argv[1:3])
    launched = hosts.launcher(hosts.build(2), hosts=2, per_host=2, size=4)
    os.environ.update(INKLING_SPIN_TIME="20us", INKLING_PEER_TIMEOUT=f"{PEER_TIMEOUT}s")
    with tempfile.TemporaryDirectory(prefix="tested_files.", dir="/dev/shm") as folder:
        path = os.path.join(folder, "file")
        for what, disturb in (("killed", lambda: kill(program)), ("cut off", lambda: hosts.cut(2))):
            said = lose(what, launched, program, path, disturb)
            if what == "cut off":
                expect("told: rank 0: " in said or "told: rank 1: " in said, f"nobody is told:\n{said}")
            expect("CHECK failed" not in said, f"{what}: the program fails:\n{said}")
            checked = subprocess.run([mpiexec, "-n", "4", program, "check-collective", path], stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, check=False)
            expect(checked.returncode == 0, f"{what}: what was synced is lost:\n{checked.stdout}")
            os.unlink(path)


if __name__ == "__main__":
    main()
