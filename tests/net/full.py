#!/usr/bin/env python3
"""full.py MPIEXEC STEADY PROVIDER [many] (+ for its ;): a crowd takes all the descriptors that two ranks may have. They have met
before, and go on. many: the ranks may have more than the crowd takes; what that costs in memory is bounded."""
import os
import socket
import subprocess
import sys
import tempfile
import time

from garbage import LIMIT, MPIEXEC, PROVIDER, STEADY, end_soon, expect, over_provider, ports_of, ranks_below
from idle import CROWD, FEW, gather, raise_limit

IS_MANY = len(sys.argv) > 4
WANTED = 3 * CROWD // 8 if IS_MANY else FEW - 1  # descriptors of each rank
MOST_KB = 8 * CROWD // 2 * (8 if "SANITIZER" in os.environ else 1)  # half of the crowd at each; malloc keeps what has ended


def count_descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def most_resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def crowd_in(ranks):
    """Returns when the crowd has the descriptors that are wanted."""
    before = [most_resident_kb(rank) for rank in ranks]
    ports = sorted(port for rank in ranks for port in ports_of(rank) if port[0] == socket.SOCK_STREAM)
    crowd = gather(ports, CROWD)
    end = time.monotonic() + LIMIT / 2
    counts = [0, 0]  # the most so far: silent connections end again
    while min(counts) < WANTED:
        expect(time.monotonic() < end, f"the crowd takes {counts} descriptors")
        counts = [max(count, count_descriptors(rank)) for count, rank in zip(counts, ranks)]
        time.sleep(0.02)
    grown = [most_resident_kb(rank) - kb for rank, kb in zip(ranks, before)]
    print(f"{counts} descriptors cost {grown} KiB")
    expect(max(grown) <= MOST_KB, f"more than {MOST_KB} KiB of memory for {CROWD // 2} connections: {grown}")
    return crowd


def main():
    raise_limit()
    environment = over_provider()
    limit = "" if IS_MANY else f"ulimit -n {FEW}; "
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            ["sh", "-c", f'{limit}exec "$@"', "sh", MPIEXEC, "-n", "2", STEADY, str(LIMIT), f"{folder}/enough"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as job:
        expect(job.stdout.readline() == "ready\n", "the program does not start")
        ranks = ranks_below(job.pid)
        crowd = crowd_in(ranks)
        end_soon(folder)
        try:
            said, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.kill()
            expect(False, f"the job hangs beside {len(crowd)} idle connections")
    expect(job.returncode == 0 and said == "steady\n", f"the job ends with {job.returncode}", said)


if __name__ == "__main__":
    main()
