"""inkling where: each blocking call with a late rank, in one job. Run as: python3 blocking.py BIN PROGRAM."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launch"))
from launching import LIMIT, MPIEXEC, STEPS as PROGRAM, environment, run  # noqa: E402

INKLING = os.path.join(os.path.dirname(MPIEXEC), "inkling")
LEAST = 35  # calls
# What a call is on, where that is not the communicator 'halo'.
ON = [("MPI_Neighbor", "'ring'"), ("MPI_File", r"file '.*/file of where'"), ("MPI_Win_fence|MPI_Win_free", "window 'table'"),
      ("MPI_Intercomm_merge|MPI_Comm_disconnect", ".*")]
LATE = r"rank 1, which computes in smooth\(\) at blocking\.c:\d+"


def expected(call):
    """A line of it."""
    on = next((what for names, what in ON if re.match(names, call)), "'halo'")
    return rf"(?m)^ranks? [02].*: {call}( from 1, tag \d+,)? on {on} at blocking\.c:\d+, waits for rank 1( through others)?; since "


def pid_of(number, job):
    said = run([INKLING, "where", "--json", str(job.pid)]).out
    found = re.search(rf'"rank": {number}, "here": true, "pid": (\d+)', said)
    assert found, said
    return int(found[1])


def ask(job, call):
    deadline = time.monotonic() + LIMIT
    while True:
        said = run([INKLING, "where", str(job.pid)]).out
        if "may not be looked at" in said or "cannot be told" in said:
            print("skipped: ptrace is not permitted here, or elfutils (libdw) is missing")
            job.kill()
            sys.exit(77)
        if re.search(rf"^ranks? [02].* waits? for {LATE}$", said.split("\n", 1)[0]) and re.search(expected(call), said):
            return
        if time.monotonic() > deadline:
            job.kill()
            sys.exit(f"of {call}, {expected(call)} is not said in:\n{said}")
        time.sleep(0.05)


def main():
    if "names no calls" in run([INKLING, "status"]).out:
        print("skipped: this build has no elfutils' headers (Debian: libdw-dev)")
        sys.exit(77)
    calls = []
    with tempfile.TemporaryDirectory() as folder:
        with subprocess.Popen([MPIEXEC, "-n", "3", PROGRAM, os.path.join(folder, "file of where")], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, env=environment()) as job:
            late = None
            for call in job.stdout:
                late = late or pid_of(1, job)
                ask(job, call.strip())
                os.kill(late, signal.SIGUSR1)
                calls.append(call.strip())
            code = job.wait(LIMIT)
    print(f"{len(calls)} calls: {' '.join(calls)}")
    sys.exit(0 if code == 0 and len(set(calls)) >= LEAST else 1)


if __name__ == "__main__":
    main()
