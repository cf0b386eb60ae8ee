#!/usr/bin/env python3
"""mismatch.py MPIEXEC PROGRAM [STEP]: ranks whose collectives do not fit together end with an error, a wrong result or
the program's own time limit; never by a crash, and never with a byte written where it does not belong. Those that meet in
the same memory (src/coll/shm/shm_coll.h) find out and end. STEP: only every STEP-th case."""
import concurrent.futures
import os
import signal
import subprocess
import sys

DONE = 7
AT_ONCE = 4  # most of a run is waiting
PAIRED = 50  # cases of ten calls, each with lengths that do not fit
MEET = {number for number in range(20) if number % 10 in (0, 1, 2, 3, 4, 5, 8)}
MEET |= {PAIRED + number for number in (0, 2, 6, 7, 8, 11, 13, 16, 17, 18, 19, 20, 21, 22)}
if os.environ.get("INKLING_BCAST") == "mailbox_tree":  # few bytes of broadcasts, reductions and barriers do
    MEET = {0, 1, 2, 10, 11, 12} | {PAIRED + number for number in (0, 2, 8, 11, 13, 16, 17, 18, 19)}
MPIEXEC, PROGRAM = sys.argv[1:3]
OVER_NETWORK = os.environ.get("INKLING_TRANSPORT") == "ofi"  # nobody meets in memory
STEP = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def run(number, ranks, limit=2):
    """The limit in seconds ends ranks that wait for each other for ever; those that need not may be slow on a busy machine."""
    done = subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, str(number), str(limit)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 128 + signal.SIGALRM and number in MEET and not OVER_NETWORK and limit == 2:
        return run(number, ranks, 20)
    return done


def main():
    cases = range(0, int(subprocess.run([PROGRAM], capture_output=True, text=True, check=True).stdout), STEP)
    ended = waited = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = list(pool.map(run, cases, (2 + number % 2 for number in cases)))
    for number, done in zip(cases, runs):
        if done.returncode == DONE:
            ended += 1
        elif done.returncode == 128 + signal.SIGALRM and (number not in MEET or OVER_NETWORK):
            waited += 1
        else:
            print(f"case {number} on {2 + number % 2} ranks ended with {done.returncode}:\n{done.stderr}")
            return 1
    print(f"{ended} ended, {waited} waited for each other until their time was up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
