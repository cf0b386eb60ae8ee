#!/usr/bin/env python3
"""full.py MPIEXEC STEADY PROVIDER (+ for its ;): a crowd takes all the descriptors that two ranks may have. They have met before,
and go on."""
import os
import socket
import subprocess
import time

from garbage import LIMIT, MPIEXEC, PROVIDER, SECONDS, STEADY, expect, ports_of, ranks_below
from idle import gather, raise_limit

MOST = 256  # descriptors, and no more if asked for


def count_descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def main():
    raise_limit()
    environment = dict(os.environ, INKLING_TRANSPORT="ofi", INKLING_OFI_PROVIDER=PROVIDER)
    with subprocess.Popen(["sh", "-c", f'ulimit -n {MOST}; exec "$@"', "sh", MPIEXEC, "-n", "2", STEADY, str(SECONDS)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as job:
        expect(job.stdout.readline() == "ready\n", "the program does not start")
        ranks = ranks_below(job.pid)
        crowd = gather(sorted(port for rank in ranks for port in ports_of(rank) if port[0] == socket.SOCK_STREAM))
        end = time.monotonic() + SECONDS - 1
        while not all(count_descriptors(rank) == MOST for rank in ranks):
            expect(time.monotonic() < end, f"the crowd takes {[count_descriptors(rank) for rank in ranks]} descriptors")
            time.sleep(0.05)
        try:
            said, _ = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            job.kill()
            expect(False, f"the job hangs beside {len(crowd)} idle connections")
    expect(job.returncode == 0 and said == "steady\n", f"the job ends with {job.returncode}", said)


if __name__ == "__main__":
    main()
