#!/usr/bin/env python3
"""idle.py MPIEXEC STEPS PROVIDER [hard] (+ for its ;): a crowd connects to all ports of two ranks, says nothing, and stays. The ranks
may have few descriptors (hard: and no more if they ask), and meet only then: they must reach each other all the same. UCX 1.13 ends
a rank that has none left, and UCX 1.18 gives up the connection; then the job must end, and mpiexec name the rank."""
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time

from garbage import LIMIT, MPIEXEC, PROVIDER, expect, over_provider, ports_of

STEPS = sys.argv[2]
CROWD = 4000
FEW = 256


def below(parent):
    with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as children:
        return [int(pid) for pid in children.read().split() if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(STEPS)]


def gather(ports, count):
    """Half of the connections to each of two."""
    crowd = []
    for i in range(count):
        kind, host, port = ports[i % len(ports)]
        crowd.append(socket.socket(socket.AF_INET, kind))
        crowd[-1].setblocking(False)
        crowd[-1].connect_ex((host, port))
    return crowd


def raise_limit():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < 2 * CROWD:
        print(f"skipped: no process may have {2 * CROWD} descriptors here")
        sys.exit(77)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def main():
    is_hard = len(sys.argv) > 4
    raise_limit()
    environment = over_provider()
    with tempfile.TemporaryDirectory() as folder:
        ready = [f"{folder}/{i}" for i in range(2)]
        command = f'ulimit {"" if is_hard else "-S"} -n {FEW}; exec "$@"'
        steps = ["init", "@0", "ready", ready[0], "@1", "ready", ready[1], "sleep", "3000", "barrier", "finalize"]
        with subprocess.Popen(["sh", "-c", command, "sh", MPIEXEC, "-n", "2", STEPS, *steps], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, env=environment) as job:
            end = time.monotonic() + LIMIT
            while not all(map(os.path.exists, ready)) and time.monotonic() < end:
                time.sleep(0.01)
            ports = sorted(port for rank in below(job.pid) for port in ports_of(rank) if port[0] == socket.SOCK_STREAM)
            expect(len(ports) >= 2, f"the ranks listen at {ports}")
            crowd = gather(ports, 4 * FEW if is_hard else CROWD)
            try:
                said, _ = job.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                job.kill()
                expect(False, f"{len(crowd)} idle connections keep the ranks from each other")
        names_rank = re.search(r"^mpiexec: rank [01] on host \S+ (died of signal 6|aborted the job) ", said, re.M)
        expect(job.returncode == 0 or (is_hard and PROVIDER == "ucx" and names_rank), f"the job ends with {job.returncode}", said)


if __name__ == "__main__":
    main()
